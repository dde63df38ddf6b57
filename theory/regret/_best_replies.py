"""Best replies to many vectors at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.actions import ActionSet, Features, ListedActions
from theory.shared.shapes import Float64, Int64

__all__ = ["best_replies", "best_values"]


def best_replies(
    actions: ActionSet, Z: Float64[np.ndarray, "batch dimension"]
) -> tuple[list[Any], Float64[np.ndarray, "batch dimension"] | None]:
    """Return an action that maximises <phi(a), z> for each row z, and their features.

    The features are None where they are unit vectors. The rows of a matrix go through a compiled
    loop in blocks that stay in cache; any other set is asked row by row.
    """
    if isinstance(actions, ListedActions):
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
    if isinstance(actions, ListedActions):
        return np.asarray(Z.max(axis=1))
    if isinstance(actions, Features):
        return _rows(actions.matrix, Z)[1]
    return np.array([actions.extremes(z)[1] for z in Z])


def _rows(
    matrix: Float64[np.ndarray, "actions dimension"], Z: Float64[np.ndarray, "batch dimension"]
) -> tuple[Int64[np.ndarray, " batch"], Float64[np.ndarray, " batch"]]:
    """Return the first row of ``matrix`` that maximises the product with each z, and the product.

    Every product is summed in the same order, so rows that are equal tie.
    """
    from theory.regret._kernels import block_width, first_maximisers
    from theory.shared.compiling import cheapest

    most, where = np.full(len(Z), -np.inf), np.zeros(len(Z), dtype=np.int64)
    rows, dimension = matrix.shape
    width = block_width(dimension)
    padded = -(-rows // width) * width  # a block is computed whole
    work = len(Z) * padded * (dimension + 4)
    cheapest(first_maximisers, work)(matrix, np.ascontiguousarray(Z), where, most)
    return where, most
