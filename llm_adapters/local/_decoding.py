"""From the logits of the next token to the law that it is drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from theory.errors import InvalidInputError
from theory.shared.arguments import read_count
from theory.shared.shapes import Float, Float64, Int64

__all__ = ["Decoding", "choose_tokens", "greatest", "law"]


@dataclass(frozen=True)
class Decoding:
    """What is done to the law of the next token before it is drawn, in this order.

    Attributes
    ----------
    temperature : float
        T > 0: the probabilities become those in proportion to p^(1/T).
    top_k : int
        Only the k most probable tokens are kept; 0 keeps all.
    top_p : float
        In (0, 1]: of these, normalised, the fewest most probable ones that have at least ``top_p``
        together. What is kept is normalised. Of equally probable tokens those with the smaller
        numbers are kept.

    Raises
    ------
    InvalidInputError
        For other numbers. Temperature 0 is refused, since it leaves a single reply, and rounding
        decides which one where two are nearly as probable: no law to be scored.

    Examples
    --------
    >>> Decoding(temperature=0.8, top_p=0.95)
    Decoding(temperature=0.8, top_k=0, top_p=0.95)
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0

    def __post_init__(self) -> None:
        temperature = _read_finite("temperature", self.temperature)
        if temperature == 0:
            problem = "leaves one reply, and rounding decides which: it has no law to be scored"
            fix = "give a number above 0, or use LocalChat, which can be greedy"
            raise InvalidInputError("temperature", self.temperature, problem, fix)
        if temperature < 0:
            fix = "give a number above 0"
            raise InvalidInputError("temperature", self.temperature, "is negative", fix)
        top_p = _read_finite("top_p", self.top_p)
        if not 0 < top_p <= 1:
            fix = "give a number above 0 and at most 1"
            raise InvalidInputError("top_p", self.top_p, "is not in (0, 1]", fix)
        object.__setattr__(self, "temperature", temperature)
        object.__setattr__(self, "top_k", read_count("top_k", self.top_k, 0))
        object.__setattr__(self, "top_p", top_p)


def law(logits: Float[np.ndarray, "rows tokens"], decoding: Decoding) -> Float64[np.ndarray, "..."]:
    """Return the log-probabilities of the next token that are really drawn from.

    Parameters
    ----------
    logits : array of shape (rows, tokens)
        A law in each row, as logarithms up to a constant; -inf for what cannot come. They are
        taken as they are, and all that follows is done in float64.
    decoding : Decoding

    Returns
    -------
    float64 array of shape (rows, tokens)
        log q, with sum of q = 1 in each row; -inf for what is not kept. A most probable token is
        always kept.

    Raises
    ------
    InvalidInputError
        Where a logit is NaN or +inf, or a row has none that is finite.

    Notes
    -----
    O(rows * tokens), and for top-p the sorting of tokens above (1 - top_p) / (2 tokens): all
    others together have less than 1 - top_p, so none of them is needed.

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(law(np.log([[0.5, 0.3, 0.2]]), Decoding(top_p=0.7))).round(4)
    array([[0.625, 0.375, 0.   ]])
    """
    given = np.asarray(logits, dtype=np.float64)  # decides what is greater: rounding makes ties
    highest = given.max(axis=1, keepdims=True, initial=-np.inf)
    if not np.isfinite(highest).all():
        row = int(np.flatnonzero(~np.isfinite(highest[:, 0]))[0])
        problem = "hold NaN, infinity or nothing at all"
        raise InvalidInputError("logits", float(highest[row, 0]), problem, "fix the model")
    scaled: Float64[np.ndarray, "rows tokens"] = given - highest
    with np.errstate(over="ignore"):  # a tiny temperature: what is not the greatest goes to -inf
        scaled /= decoding.temperature
    if 0 < decoding.top_k < scaled.shape[1]:
        for row, order in zip(scaled, given, strict=True):
            row[_beyond_top_k(order, decoding.top_k)] = -np.inf
    scaled -= _log_sum(scaled)
    if decoding.top_p < 1:
        for row, order in zip(scaled, given, strict=True):
            kept = _nucleus(row, order, decoding.top_p)
            held = row[kept]
            row[:] = -np.inf
            row[kept] = held - np.log(np.exp(held).sum())
    return scaled


def choose_tokens(
    log_probs: Float64[np.ndarray, "rows tokens"], uniform: Float64[np.ndarray, " rows"]
) -> Int64[np.ndarray, " rows"]:
    """Return, for each row, the token at which the distribution function passes ``uniform``.

    Numbers uniform in [0, 1) give tokens drawn from the law; none of probability 0 comes out.
    """
    found = np.empty(len(uniform), dtype=np.int64)
    for row, (logs, number) in enumerate(zip(log_probs, uniform, strict=True)):
        possible = np.flatnonzero(logs > -np.inf)
        sums = np.exp(logs[possible]).cumsum()
        place = int(np.searchsorted(sums, number * sums[-1], side="right"))
        last = int(np.searchsorted(sums, sums[-1], side="left"))
        found[row] = possible[min(place, last)]
    return found


def greatest(logits: Float[np.ndarray, "rows tokens"]) -> Int64[np.ndarray, " rows"]:
    """Return the most probable token of each row, the first of several."""
    found: Int64[np.ndarray, " rows"] = np.argmax(logits, axis=1)
    return found


def _beyond_top_k(row: Float64[np.ndarray, " tokens"], k: int) -> Int64[np.ndarray, " dropped"]:
    """Return the tokens that are not among the k greatest; of equal ones the first are kept."""
    least = np.partition(row, len(row) - k)[len(row) - k]
    ties = np.flatnonzero(row == least)
    room = k - int((row > least).sum())
    return np.concatenate([np.flatnonzero(row < least), ties[room:]])


def _nucleus(
    row: Float64[np.ndarray, " tokens"], order: Float64[np.ndarray, " tokens"], top_p: float
) -> Int64[np.ndarray, " kept"]:
    """Return the fewest most probable tokens that have at least ``top_p`` together."""
    probabilities = np.exp(row)
    enough = (1 - top_p) / (2 * len(row))
    candidates = np.flatnonzero(probabilities > enough)
    ranked = candidates[np.argsort(-order[candidates], kind="stable")]
    sums = probabilities[ranked].cumsum()
    needed = int(np.searchsorted(sums, top_p, side="left")) + 1
    return ranked[:needed]


def _log_sum(rows: Float64[np.ndarray, "rows tokens"]) -> Float64[np.ndarray, "rows 1"]:
    """Return log sum exp of each row, of which the greatest entry is 0."""
    found: Float64[np.ndarray, "rows 1"] = np.log(np.exp(rows).sum(axis=1, keepdims=True))
    return found


def _read_finite(argument: str, value: Any) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.floating)):
        raise InvalidInputError(argument, value, "is no number", "give a number")
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not isfinite(number):
        raise InvalidInputError(argument, value, "is not finite", "give a finite number")
    return number
