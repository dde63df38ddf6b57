"""Types on ever finer grids, as if there were no others: ties and small numbers come first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import comb, prod

from theory.incentives._property import Instance, Property
from theory.incentives._types import Box, FiniteTypes, Product, Reals, Simplex, TypeSpace
from theory.incentives.setting import Setting

__all__ = ["lattices", "points"]

_LEVELS = (1, 2, 4, 5, 8, 10, 16, 32)


def lattices(prop: Property, setting: Setting, most: int) -> Iterator[Iterator[Instance]]:
    """Yield the instances on each grid, as long as a grid has at most ``most`` of them."""
    for steps in _LEVELS:
        counts = [points(space, steps) for space in setting.spaces]
        if not all(0 < count <= most for count in counts):
            return
        grids = tuple(FiniteTypes(space.grid(steps)) for space in setting.spaces)
        coarse = replace(setting, spaces=grids)
        if prop.shape.count(coarse) > most:
            return
        yield islice(prop.instances(coarse), most)


def points(space: TypeSpace, steps: int) -> int:
    """Return how many types a grid has; 0 if the space has no grid."""
    match space:
        case Box():
            sides = zip(space.low, space.high, strict=True)
            return prod(steps + 1 if low < high else 1 for low, high in sides)
        case Reals():
            return len(space.grid(steps))
        case Simplex():
            return comb(steps + space.dimension - 1, steps)
        case Product():
            return prod(points(part, steps) for part in space.spaces)
        case FiniteTypes():
            return len(space.types)
    return 0
