"""The chain on the indices touched, numbered 0..k-1, and the closed class that is asked for."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.fixed_point._mixture import MapMixture

__all__ = ["Class", "Local", "closed_class", "localise_moves"]


@dataclass(frozen=True, slots=True)
class Local:
    """Touched indices in order, and the moves between their positions."""

    labels: np.ndarray
    sources: np.ndarray
    targets: np.ndarray
    jumps: np.ndarray


@dataclass(frozen=True, slots=True)
class Class:
    """The closed class on which a fixed point is sought.

    Attributes
    ----------
    chain : tuple of arrays, or None
        The chain by rows; None where the class is the one absorbing index ``alone``.
    members : int64 array
        Positions of the members among the touched indices, and the hub's, where there is one.
    alone : int or None
    hub : int
        The node that every index jumps to where there are constant maps, else -1.
    unique : bool
        Whether there is no other closed class.
    sources, touched : int
        How many indices a move leaves, and how many are touched.
    """

    chain: Any
    members: np.ndarray
    alone: int | None
    hub: int
    unique: bool
    sources: int
    touched: int


def localise_moves(maps: MapMixture) -> Local:
    """Return the touched indices in order, and the moves by their positions."""
    sources, targets, _ = maps.moves
    jumps = maps.constants.targets
    if object in (sources.dtype, targets.dtype, jumps.dtype):
        rows = [sources.tolist(), targets.tolist(), jumps.tolist()]
        labels = sorted({label for row in rows for label in row})
        place = {label: at for at, label in enumerate(labels)}
        where = [np.array([place[label] for label in row], np.int32) for row in rows]
        return Local(np.array(labels, dtype=object), *where)
    entries, width = 0, 0
    for row in (sources, targets, jumps):
        if len(row):
            entries, width = entries + len(row), max(width, int(row.max()) + 1)
    if width < 4 * entries + 1024:
        from theory.fixed_point._kernels_classes import numbered_by_table
        from theory.shared.compiling import cheapest

        number = cheapest(numbered_by_table, 2 * entries + width)
        return Local(*number(sources, targets, jumps, width))
    distinct, found = np.unique(np.concatenate((sources, targets, jumps)), return_inverse=True)
    places, count = found.astype(np.int32), len(sources)
    return Local(distinct, places[:count], places[count : 2 * count], places[2 * count :])


def closed_class(maps: MapMixture, local: Local, start: int | None) -> Class:
    """Return the closed class with the lowest index among those that ``start`` leads to.

    Without ``start`` it is the lowest of all, and an index that no move leaves is one by itself.
    """
    from theory.fixed_point._kernels_classes import closed_classes
    from theory.shared.compiling import cheapest

    touched, jumping = len(local.labels), len(local.jumps) > 0
    at, alone = -1, None
    if not jumping:
        if start is None:
            alone = _lowest_untouched(local.labels, maps.size)
        else:
            at = bisect_left(local.labels, start)
            if at == touched or local.labels[at] != start:
                at, alone = -1, start
    weights, jump_weights = maps.moves.weights, maps.constants.weights
    if maps.exact:  # all are positive, which is what matters here
        weights, jump_weights = (np.ones(len(row)) for row in (weights, jump_weights))
        weights.flags.writeable = jump_weights.flags.writeable = False  # as the compiled code reads
    if not touched:
        return Class(None, np.zeros(0, np.int64), alone, -1, maps.size == 1, 0, 0)
    work = 10 * touched + 5 * (len(weights) + len(jump_weights))
    chain, members, closed, sources = cheapest(closed_classes, work)(
        touched, local.sources, local.targets, weights, local.jumps, jump_weights, at
    )
    if start is None and alone is not None and alone > local.labels[members[0]]:
        alone = None
    return Class(
        chain if alone is None else None,
        members,
        alone,
        touched if jumping else -1,
        jumping or closed + (maps.size - touched) == 1,
        int(sources),
        touched,
    )


def _lowest_untouched(labels: np.ndarray, size: int) -> int | None:
    ahead = np.flatnonzero(labels != np.arange(len(labels)))
    lowest = int(ahead[0]) if len(ahead) else len(labels)
    return lowest if lowest < size else None
