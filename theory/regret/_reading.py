"""Histories of play, read from what a user writes."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

import numpy as np

from theory.actions import SoftmaxStrategy, SparseStrategy
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NumberError,
    ProbabilityError,
    ShapeError,
)
from theory.numbers import Exact, Floats, Numbers, as_numbers

__all__ = ["MASS", "check_rounds", "is_list", "read_floats", "read_history"]

MASS: Final = 1e-9
"""By how much the probabilities of a float64 play may miss one."""

_WHOLE: Final = 2**53
_HUGE: Final = 1e300


def read_history(plays: Any, rewards: Any) -> tuple[Exact, Exact] | tuple[Floats, Floats]:
    """Return plays and rewards as matrices of one kind of number, rounds by actions.

    Whole numbers go with floats; other exact numbers do not.
    """
    x, r = _matrix(plays, "plays"), _matrix(rewards, "rewards")
    if x.shape != r.shape:
        raise ShapeError(
            "plays",
            x.shape,
            f"do not fit rewards of shape {r.shape}",
            "give both one row a round and one number an action",
        )
    if isinstance(x, Exact) and isinstance(r, Exact):
        _check_exact(x)
        return x, r
    x, r = _as_floats(x, "plays"), _as_floats(r, "rewards")
    _check_floats(x)
    largest = float(np.abs(r.values).max())
    if largest * r.shape[0] > _HUGE:
        raise NumberError("rewards", largest, "is too large to add up", "scale the rewards")
    return x, r


def read_floats(plays: Any, rewards: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return plays and rewards as float64 arrays; fractions and text are refused."""
    x, r = read_history(plays, rewards)
    return _as_floats(x, "plays").values, _as_floats(r, "rewards").values


def is_list(given: Any) -> bool:
    """Whether something can be gone through and is not text."""
    if isinstance(given, np.ndarray):
        return given.ndim > 0
    return isinstance(given, Iterable) and not isinstance(given, str | bytes)


def check_rounds(rounds: Any, last: int) -> np.ndarray:
    """Return the rounds at which to report, rising, from 1 to ``last``; None is all of them."""
    if rounds is None:
        return np.arange(1, last + 1)
    fix = f"give rising whole numbers from 1 to {last}"
    if not is_list(rounds):
        raise InvalidInputError("rounds", rounds, "is no list of rounds", fix)
    listed = list(rounds)
    if not listed:
        raise InvalidInputError("rounds", listed, "is empty", fix)
    before = 0
    for k, n in enumerate(listed):
        if isinstance(n, bool | np.bool_) or not isinstance(n, int | np.integer):
            raise InvalidInputError(f"rounds[{k}]", n, "is not a whole number", fix)
        if not before < n <= last:
            raise InvalidInputError(f"rounds[{k}]", n, "is out of order or out of range", fix)
        before = int(n)
    return np.array(listed, dtype=np.int64)


def _matrix(given: Any, argument: str) -> Exact | Floats:
    """Return a matrix that has at least one row and one column."""
    fix = "give one row a round, each with one number an action"
    if isinstance(given, Numbers | np.ndarray):
        found = as_numbers(given, argument)
    else:
        if not is_list(given):
            raise InvalidInputError(argument, given, "is no list of rounds", fix)
        found = as_numbers(_rows(list(given), argument), argument)
    if not isinstance(found, Exact | Floats):
        raise NumberError(argument, found.kind, "is neither exact nor float64", "use fractions")
    if len(found.shape) > 0 and found.shape[0] == 0:
        raise ShapeError(argument, found.shape, "has no rounds", fix)
    if len(found.shape) != 2 or found.shape[1] == 0:
        raise ShapeError(argument, found.shape, "is no table of rounds by actions", fix)
    return found


def _rows(rows: list[Any], argument: str) -> Any:
    """Return rows of which the sparse ones are written out, stacked where all hold floats."""
    dense = [
        np.asarray(row) if isinstance(row, SparseStrategy | SoftmaxStrategy) else row
        for row in rows
    ]
    floats = [row for row in dense if isinstance(row, np.ndarray) and row.dtype == np.float64]
    if len(floats) < len(dense):
        return [row.tolist() if isinstance(row, np.ndarray) else row for row in dense]
    if len({row.shape for row in floats}) > 1:
        shapes = sorted({row.shape for row in floats})[:2]
        raise ShapeError(argument, shapes, "has rows of different lengths", "make them equal")
    return np.stack(floats) if floats else []


def _as_floats(given: Exact | Floats, argument: str) -> Floats:
    """Return float64, of whole numbers that it holds without loss."""
    if isinstance(given, Floats):
        return given
    a = given.numerators
    if given.denominator != 1 or max(abs(int(a.max())), abs(int(a.min()))) > _WHOLE:
        other = "rewards" if argument == "plays" else "plays"
        raise ExactnessError(
            argument,
            Fraction(int(a.ravel()[0]), given.denominator),
            f"stands beside {other} in floats",
            "write all numbers in one kind",
        )
    return Floats(a.astype(np.float64))


def _check_exact(plays: Exact) -> None:
    if (plays.signs() < 0).any():
        t, i = map(int, np.argwhere(plays.signs() < 0)[0])
        _refuse(f"plays[{t}, {i}]", plays[t, i].item(), "is negative")
    totals = plays.sum()
    wrong = np.flatnonzero(np.asarray(totals.numerators != totals.denominator))
    if len(wrong):
        t = int(wrong[0])
        _refuse(f"plays[{t}]", totals[t].item(), "do not sum to one")


def _check_floats(plays: Floats) -> None:
    x = plays.values
    if x.min() < 0:
        t, i = map(int, np.argwhere(x < 0)[0])
        _refuse(f"plays[{t}, {i}]", float(x[t, i]), "is negative")
    totals = x.sum(axis=1)
    wrong = np.flatnonzero(np.abs(totals - 1) > MASS)
    if len(wrong):
        t = int(wrong[0])
        _refuse(f"plays[{t}]", float(totals[t]), "do not sum to one")


def _refuse(argument: str, value: Fraction | float, problem: str) -> None:
    raise ProbabilityError(argument, value, problem, "give the probabilities of one round")
