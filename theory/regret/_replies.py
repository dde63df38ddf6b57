"""Best replies to many vectors at a time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from theory._shapes import Float64, Int64
from theory.actions import ActionSet, Features, Listed

__all__ = ["best_replies", "best_values"]

_BLOCK: Final = 1 << 17
"""Rewards that are held at once: a megabyte, which stays in cache."""


def best_replies(
    actions: ActionSet, Z: Float64[np.ndarray, "batch dimension"]
) -> tuple[list[Any], Float64[np.ndarray, "batch dimension"] | None]:
    """Return an action that maximises <phi(a), z> for each row z, and their features.

    The features are None where they are unit vectors. The rows of a matrix go through products of
    blocks, O(1) memory beside the answer; any other set is asked row by row.
    """
    if isinstance(actions, Listed):
        return list(Z.argmax(axis=1).tolist()), None
    if isinstance(actions, Features):
        places, _ = _rows(actions.matrix, Z)
        return list(places.tolist()), actions.features(places)
    found = [actions.best(z) for z in Z]
    return found, actions.features(found)


def best_values(
    actions: ActionSet, Z: Float64[np.ndarray, "batch dimension"]
) -> Float64[np.ndarray, " batch"]:
    """Return max_a <phi(a), z> for each row z."""
    if isinstance(actions, Listed):
        return np.asarray(Z.max(axis=1))
    if isinstance(actions, Features):
        return _rows(actions.matrix, Z)[1]
    return np.array([actions.extremes(z)[1] for z in Z])


def _rows(
    matrix: Float64[np.ndarray, "actions dimension"], Z: Float64[np.ndarray, "batch dimension"]
) -> tuple[Int64[np.ndarray, " batch"], Float64[np.ndarray, " batch"]]:
    """Return the first row of ``matrix`` that maximises the product with each z, and the product.

    Rounding may part rows that are equal, in another place of a block than they would be alone.
    """
    most, where = np.full(len(Z), -np.inf), np.zeros(len(Z), dtype=np.int64)
    tall = min(len(Z), 64)
    wide = max(1, _BLOCK // max(tall, 1))
    buffer: Any = np.empty((tall, wide))
    for top in range(0, len(Z), max(tall, 1)):
        z = Z[top : top + tall]
        best, place = most[top : top + tall], where[top : top + tall]
        for start in range(0, len(matrix), wide):
            part = matrix[start : start + wide]
            rewards = buffer[: len(z), : len(part)] if len(part) == wide else None
            rewards = np.matmul(z, part.T, out=rewards)
            peak = rewards.max(axis=1)
            for k in np.flatnonzero(peak > best).tolist():
                best[k], place[k] = peak[k], start + int(rewards[k].argmax())
    return where, most
