"""Rewards of agents who report a language model instead."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theory.errors import InvalidInputError, NumberError, ShapeError
from theory.numbers import rational
from theory.shared.shapes import Float64

__all__ = ["odds_from_laws", "rewards_from_log_probs"]


def rewards_from_log_probs(
    log_model: Float64[np.ndarray, "... agents candidates"],
    log_ref: Float64[np.ndarray, "... candidates"],
    *,
    tau: Any = 1.0,
    log_normaliser: Any = 0.0,
) -> Float64[np.ndarray, "... agents candidates"]:
    """Return the rewards for which each agent's model is the optimum.

    r_i(y) = tau_i log(pi_i(y) / pi_ref(y)) + tau_i log Z_i. For exactly these rewards, whatever
    Z_i > 0, pi_i maximises E[r_i] - tau_i KL(pi || pi_ref). A constant changes neither the law of
    the reply nor a payment that has the offset.

    Parameters
    ----------
    log_model : float64 array of shape (..., n, M)
        log pi_i(y_j).
    log_ref : float64 array of shape (..., M), or (M,)
        log pi_ref(y_j).
    tau : positive number, or float64 array of shape (n,) or (..., n)
        tau_i, what agent i's model was regularised with; it need not be the auction's.
    log_normaliser : number, or float64 array of shape (n,) or (..., n)
        log Z_i.

    Returns
    -------
    float64 array of shape (..., n, M)

    Raises
    ------
    NumberError
        For a log-probability that is NaN, above 0, or infinite: what the reference cannot reply has
        no reward, and what an agent's model cannot reply would have one of -inf, which no auction
        can settle. For a tau or a normaliser that is not finite, or where the reward is not.
    InvalidInputError
        For a tau that is not positive.
    ShapeError
        For shapes that disagree, or no agents or candidates.

    Notes
    -----
    Equation (11) of the paper adds log Z_i without a factor tau_i, for any number Z_i that depends
    on the prompt. So the same rewards are meant.

    Examples
    --------
    >>> import numpy as np
    >>> model = np.log([[0.5, 0.25, 0.25]])
    >>> rewards = rewards_from_log_probs(model, np.log([0.25, 0.25, 0.5]), tau=2.0)
    >>> (rewards / np.log(2)).round(12)
    array([[ 2.,  0., -2.]])
    """
    models = _log_probs("log_model", log_model, axes=2)
    reference = _log_probs("log_ref", log_ref, axes=1)
    queries, agents = models.shape[:-2], models.shape[-2]
    if reference.shape not in {models.shape[-1:], (*queries, models.shape[-1])}:
        problem = f"has another shape than the candidates of log_model, {models.shape}"
        raise ShapeError("log_ref", reference.shape, problem, "give one number a candidate")
    heat = _each("tau", tau, queries, agents)
    if (heat <= 0).any():
        raise InvalidInputError("tau", tau, "is not positive", "give a number above 0")
    shift = _each("log_normaliser", log_normaliser, queries, agents)
    with np.errstate(over="ignore", invalid="ignore"):
        ratios = models - reference[..., None, :] + shift[..., None]
        rewards: Float64[np.ndarray, "... agents candidates"] = heat[..., None] * ratios
    if not np.isfinite(rewards).all():
        raise NumberError("tau", tau, "makes rewards that are not finite", "give a smaller one")
    return rewards


def odds_from_laws(
    models: Sequence[Sequence[Any]], reference: Sequence[Any]
) -> tuple[tuple[Fraction, ...], ...]:
    """Return exp(r_i(y_j) / tau_i) = pi_i(y_j) / pi_ref(y_j) exactly, for ``exact_auction``.

    Parameters
    ----------
    models : sequence of n rows
        Row i has pi_i(y_j) for each candidate j: integers, fractions or text such as "1/3".
    reference : sequence
        pi_ref(y_j).

    Returns
    -------
    tuple of n tuples of Fraction

    Raises
    ------
    ExactnessError
        For a float.
    NumberError
        For a probability that is not above 0 and at most 1.
    ShapeError
        Where rows differ in length, or are none or empty.

    Examples
    --------
    >>> odds_from_laws([["1/2", "1/4"]], ["1/4", "3/4"])
    ((Fraction(2, 1), Fraction(1, 3)),)
    """
    below = _probabilities("reference", reference)
    given: Any = models
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise ShapeError("models", models, "has no agents", "give a row for each")
    rows = [_probabilities(f"models[{i}]", row) for i, row in enumerate(given)]
    for i, row in enumerate(rows):
        if len(row) != len(below):
            problem = f"has {len(row)} candidates where the reference has {len(below)}"
            raise ShapeError(f"models[{i}]", len(row), problem, "give one number a candidate")
    return tuple(tuple(p / q for p, q in zip(row, below, strict=True)) for row in rows)


def _log_probs(argument: str, values: Any, axes: int) -> np.ndarray:
    array = _floats(argument, values)
    if array.ndim < axes or 0 in array.shape:
        fix = "give log_model[..., agent, candidate] and log_ref[..., candidate]"
        raise ShapeError(argument, array.shape, "has too few axes, or nothing in one", fix)
    wrong = np.flatnonzero(~(np.isfinite(array) & (array <= 0)))
    if wrong.size:
        index = [int(k) for k in np.unravel_index(wrong[0], array.shape)]
        fix = "give finite logarithms of probabilities, at most 0"
        raise NumberError(f"{argument}{index}", array.flat[wrong[0]], "is none", fix)
    return array


def _each(argument: str, values: Any, queries: tuple[int, ...], agents: int) -> np.ndarray:
    array = _floats(argument, values)
    if array.shape not in {(), (agents,), (*queries, agents)}:
        fix = f"give a number, or one for each of {agents} agents"
        raise ShapeError(argument, array.shape, "is not one number an agent", fix)
    if not np.isfinite(array).all():
        raise NumberError(argument, values, "is not finite", "give finite numbers")
    return array


def _floats(argument: str, values: Any) -> np.ndarray:
    fix = "give float64 numbers"
    try:
        array = np.asarray(values)
    except ValueError:
        raise ShapeError(argument, values, "is no array", "give rows of equal length") from None
    if array.dtype.kind not in "iuf":
        raise NumberError(argument, values, f"has elements of type {array.dtype}", fix)
    return array.astype(np.float64)


def _probabilities(argument: str, values: Any) -> list[Fraction]:
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise ShapeError(argument, values, "has no candidates", "give a list of probabilities")
    found = [rational(value, f"{argument}[{j}]") for j, value in enumerate(values)]
    for j, probability in enumerate(found):
        if not 0 < probability <= 1:
            fix = "give a number above 0 and at most 1"
            raise NumberError(f"{argument}[{j}]", values[j], "is no such probability", fix)
    return found
