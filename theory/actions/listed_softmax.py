"""Softmax over rewards that are written out, one an action."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.actions._arguments import as_float64
from theory.errors import InvalidInputError, ShapeError
from theory.shared.arguments import read_count, read_generator
from theory.shared.shapes import Float64, Int64

__all__ = ["draws", "exponentiate_in_place", "is_index", "read_indices", "read_weights", "softmax"]


def exponentiate_in_place(rewards: np.ndarray) -> np.ndarray:
    """Return exp(r - max r), in place."""
    rewards -= rewards.max()
    np.exp(rewards, out=rewards)
    return rewards


def softmax(rewards: np.ndarray) -> np.ndarray:
    """Return the law proportional to exp(r), in place.

    Rewards are of float64, or of objects with a method ``exp``: proofs trace this function.
    """
    weights = exponentiate_in_place(rewards)
    weights /= weights.sum()
    return weights


def draws(weights: Float64[np.ndarray, " actions"], rng: Any, n: Any) -> list[Any]:
    """Return n independent draws of an index, by inverting the sums of ``weights`` in place."""
    read_generator(rng)
    count = read_count("n", n, 1)
    sums = np.cumsum(weights, out=weights)
    total = sums[-1]
    found = np.searchsorted(sums, rng.random(count) * total, side="right")
    last = np.searchsorted(sums, total, side="left")
    return list(np.minimum(found, last).tolist())


def is_index(action: Any, size: int) -> bool:
    """Whether it is an integer in 0..size-1."""
    if isinstance(action, bool | np.bool_) or not isinstance(action, int | np.integer):
        return False
    return bool(0 <= action < size)


def read_indices(actions: Any, size: int) -> Int64[np.ndarray, " k"]:
    """Read actions of a listed set.

    Raises
    ------
    InvalidInputError
        When one of them is no integer in 0..size-1.
    """
    fix = f"give integers in 0..{size - 1}"
    try:
        if len(actions) == 0:
            return np.zeros(0, np.int64)
        found = np.asarray(actions)
    except (TypeError, ValueError) as error:
        raise InvalidInputError("actions", actions, "is no list of integers", fix) from error
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise InvalidInputError("actions", actions, "is no list of integers", fix)
    outside = (found < 0) | (found >= size)
    if outside.any():
        stranger = found[outside][0].item()
        raise InvalidInputError("actions", stranger, "is no action of this set", fix)
    return found.astype(np.int64, copy=False)


def read_weights(weights: Any, size: int) -> Float64[np.ndarray, " actions"]:
    """Read one weight an action of a listed set.

    Raises
    ------
    ShapeError
        When there is not one for each.
    """
    row = as_float64("weights", weights, 1)
    if len(row) != size:
        problem = f"has {len(row)} entries for {size} actions"
        raise ShapeError("weights", row, problem, "give one weight an action")
    return row
