"""Drawing and scoring sequences of tokens, whatever computes the logits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from llm_adapters.local._decoding import Decoding, choose_tokens, greatest, law
from theory.shared.shapes import Float, Float64, Int64

__all__ = ["Engine", "Symbols", "batches", "draw_sequences", "logits_after", "score_sequences"]

_ROWS: Final = 32
_LOGITS_AT_ONCE: Final = 2**25


@runtime_checkable
class Engine(Protocol):
    """Computes the logits of the next token, for several rows of tokens side by side.

    A cache holds what is needed of the tokens so far; what it is, the engine knows.
    """

    @property
    def context(self) -> int | None:
        """The most tokens that the model is made for; None where it does not say."""
        ...

    def begin(self, tokens: Sequence[int]) -> tuple[Any, Float[np.ndarray, "1 tokens"]]:
        """Return the cache of one row, not to be changed, and the logits of its next token."""
        ...

    def copies(self, cache: Any, rows: int) -> Any:
        """Return a cache of so many rows like the only one of ``cache``."""
        ...

    def advance(
        self, cache: Any, tokens: Int64[np.ndarray, "rows length"]
    ) -> Float[np.ndarray, "rows length vocabulary"]:
        """Add tokens to each row, changing the cache; return the logits after each of them."""
        ...

    def keep(self, cache: Any, rows: Int64[np.ndarray, " kept"]) -> None:
        """Keep these rows of the cache alone."""
        ...

    def means(self, texts: Sequence[Sequence[int]]) -> Float64[np.ndarray, "texts dimension"]:
        """Return the mean of the last hidden states over the tokens of each text."""
        ...


@dataclass(frozen=True, eq=False)
class Symbols:
    """What a sequence is made of: tokens, and one end.

    Attributes
    ----------
    ends : tuple of int
        The tokens that end a reply. They count as one, of which the probability is their sum; its
        number is that of the first.
    never : int64 array
        Tokens that cannot come: control tokens that are no end, and numbers of no token.
    """

    ends: tuple[int, ...]
    never: Int64[np.ndarray, " never"]

    @property
    def end(self) -> int:
        """The number of the end."""
        return self.ends[0]

    def of_logits(
        self, logits: Float[np.ndarray, "rows tokens"]
    ) -> Float64[np.ndarray, "rows tokens"]:
        """Return the logits of symbols."""
        found = np.array(logits, dtype=np.float64)
        if len(self.ends) > 1:
            found[:, self.end] = np.logaddexp.reduce(found[:, list(self.ends)], axis=1)
            found[:, list(self.ends[1:])] = -np.inf
        found[:, self.never] = -np.inf
        return found

    def law(
        self, logits: Float[np.ndarray, "rows tokens"], decoding: Decoding
    ) -> Float64[np.ndarray, "rows tokens"]:
        """Return the log-probabilities of symbols that are drawn from."""
        return law(self.of_logits(logits), decoding)


def draw_sequences(
    engine: Engine,
    symbols: Symbols,
    prompt: Sequence[int],
    most: int,
    decoding: Decoding | None,
    *,
    n: int,
    rng: np.random.Generator,
) -> tuple[list[tuple[int, ...]], Float64[np.ndarray, " n"]]:
    """Draw n sequences of at most ``most`` tokens.

    The j-th token of the i-th sequence is made of the (i * most + j)-th uniform number of ``rng``,
    so that it does not depend on how many are drawn side by side. ``decoding`` None takes the most
    probable symbol each time.

    Returns
    -------
    sequences : list of tuple of int
        Without their ends: one of ``most`` tokens has none.
    log_probs : float64 array of shape (n,)
        Summed in the order of the symbols, the end included.
    """
    cache, logits = engine.begin(prompt)
    sequences: list[tuple[int, ...]] = []
    totals = np.zeros(n)
    for first in range(0, n, _ROWS):
        rows = min(_ROWS, n - first)
        uniform = rng.random((rows, most))
        begun = (engine.copies(cache, rows), np.broadcast_to(logits, (rows, logits.shape[1])))
        some, total = _rows_drawn(engine, symbols, begun, decoding, uniform)
        sequences += some
        totals[first : first + rows] = total
    return sequences, totals


def _rows_drawn(
    engine: Engine,
    symbols: Symbols,
    begun: tuple[Any, Float[np.ndarray, "rows vocabulary"]],
    decoding: Decoding | None,
    uniform: Float64[np.ndarray, "rows most"],
) -> tuple[list[tuple[int, ...]], Float64[np.ndarray, " rows"]]:
    cache, logits = begun
    spoken: list[list[int]] = [[] for _ in uniform]
    total = np.zeros(len(uniform))
    alive = np.arange(len(uniform))
    for place in range(uniform.shape[1]):
        if decoding is None:
            taken = greatest(symbols.of_logits(logits))
        else:
            log_probs = symbols.law(logits, decoding)
            taken = choose_tokens(log_probs, uniform[alive, place])
            total[alive] += log_probs[np.arange(len(alive)), taken]
        goes_on = np.flatnonzero(taken != symbols.end)
        for row, token in zip(alive[goes_on].tolist(), taken[goes_on].tolist(), strict=True):
            spoken[row].append(token)
        if not goes_on.size or place + 1 == uniform.shape[1]:
            break
        if goes_on.size < alive.size:
            engine.keep(cache, goes_on)
            alive = alive[goes_on]
        logits = engine.advance(cache, taken[goes_on][:, None])[:, -1]
    return [tuple(tokens) for tokens in spoken], total


def score_sequences(
    engine: Engine,
    symbols: Symbols,
    prompt: Sequence[int],
    most: int,
    decoding: Decoding,
    *,
    sequences: Sequence[Sequence[int]],
) -> Float64[np.ndarray, " sequences"]:
    """Return the log-probability of each sequence under the law of :func:`draw_sequences`.

    What comes before is computed once. Sequences of like length are scored side by side, so that
    little is computed for nothing; those of more than ``most`` tokens are never drawn.
    """
    totals = np.full(len(sequences), -np.inf)
    possible = [i for i, tokens in enumerate(sequences) if len(tokens) <= most]
    if not possible:
        return totals
    cache, logits = engine.begin(prompt)
    first = symbols.law(logits, decoding)[0]
    for rows in batches([len(sequences[i]) for i in possible], logits.shape[1]):
        some = [possible[row] for row in rows]
        wanted = [_symbols_of(sequences[i], most, symbols.end) for i in some]
        after = logits_after(engine, cache, [one[:-1] for one in wanted])
        for i, one, rest in zip(some, wanted, after, strict=True):
            total = float(first[one[0]])
            if len(one) > 1:
                log_probs = symbols.law(rest, decoding)
                for place, symbol in enumerate(one[1:]):
                    total += float(log_probs[place, symbol])
            totals[i] = total
    return totals


def _symbols_of(tokens: Sequence[int], most: int, end: int) -> list[int]:
    return [*tokens] if len(tokens) == most else [*tokens, end]


def logits_after(
    engine: Engine, cache: Any, fed: Sequence[Sequence[int]]
) -> list[Float[np.ndarray, "length vocabulary"]]:
    """Return, for each row, the logits after each of its tokens; shorter rows are filled up.

    The cache is one row, and stays as it is.
    """
    longest = max(map(len, fed))
    if not longest:
        return [np.zeros((0, 0)) for _ in fed]
    tokens = np.zeros((len(fed), longest), dtype=np.int64)
    for row, one in enumerate(fed):
        tokens[row, : len(one)] = one
    logits = engine.advance(engine.copies(cache, len(fed)), tokens)
    return [logits[row, : len(one)] for row, one in enumerate(fed)]


def batches(lengths: Sequence[int], vocabulary: int) -> list[list[int]]:
    """Return rows to score together: the shortest first, as many as memory allows."""
    found: list[list[int]] = []
    for row in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        fits = found and (len(found[-1]) + 1) * (lengths[row] + 1) * vocabulary <= _LOGITS_AT_ONCE
        if fits and len(found[-1]) < _ROWS:
            found[-1].append(row)
        else:
            found.append([row])
    return found
