"""Reading what learners are made with."""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, LimitError
from theory.shared.arguments import read_positive

__all__ = [
    "LARGEST_COUNT",
    "at_most",
    "read_range",
    "reward_width",
    "step_size",
]

LARGEST_COUNT: Final = 10**100
"""No count is larger: products of some of them are still finite in float64."""
_STEEPEST: Final = 1e100
_WIDEST: Final = 1e200
"""So that a step size over a width, times the rewards of a run, is neither 0 nor infinite."""


def at_most(argument: str, value: int, limit: int, why: str) -> int:
    """Return a count that is at most ``limit``.

    Raises
    ------
    LimitError
        For a larger one; the message says why that is too much.
    """
    if value > limit:
        raise LimitError(argument, value, f"is above {limit:,}: {why}", f"give at most {limit:,}")
    return value


def step_size(value: Any) -> float:
    """Return a step size, between 1e-100 and 1e100.

    Raises
    ------
    InvalidInputError
        For anything else.
    """
    rate = read_positive("rate", value)
    if not 1 / _STEEPEST <= rate <= _STEEPEST:
        fix = f"give one between {1 / _STEEPEST:g} and {_STEEPEST:g}, for rewards in [0, 1]"
        raise InvalidInputError("rate", value, "is no step size that float64 can work with", fix)
    return rate


def reward_width(reward_range: Any) -> tuple[float, float]:
    """Return the lower end of a range of rewards, and its width.

    Raises
    ------
    InvalidInputError
        For what is no pair of numbers in increasing order, with a width that float64 can divide by.
    """
    fix = "give (lowest, highest), as in (0.0, 1.0)"
    problem = "is no range"
    if not isinstance(reward_range, tuple | list) or len(reward_range) != 2:
        raise InvalidInputError("reward_range", reward_range, problem, fix)
    low, high = reward_range
    if not _is_finite(low) or not _is_finite(high):
        raise InvalidInputError("reward_range", reward_range, problem, fix)
    width = float(high) - float(low)
    if not 1 / _WIDEST < width < _WIDEST:
        problem = f"has a width of {width:g}"
        raise InvalidInputError("reward_range", reward_range, problem, fix)
    return float(low), width


def read_range(reward_range: Any) -> tuple[float, float]:
    """Return both ends of a range of rewards as floats; see :func:`reward_width`."""
    low, _ = reward_width(reward_range)
    return low, float(reward_range[1])


def _is_finite(value: Any) -> bool:
    known = isinstance(value, int | float | np.integer | np.floating)
    if not known or isinstance(value, bool):
        return False
    try:
        return isfinite(value)
    except OverflowError:
        return False
