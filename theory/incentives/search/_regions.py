"""Type spaces as regions of float64 vectors, for searches along a gradient."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory.incentives._types import Box, Product, Reals, Simplex, TypeSpace
from theory.shapes import Row

__all__ = ["Region", "region"]


@dataclass(frozen=True)
class Region:
    """Where the entries of a type may lie.

    Attributes
    ----------
    low, high : arrays of shape (entries,)
        Bounds; equal where an entry stays as it is.
    simplex : bool
        Whether the entries are a probability law.
    """

    low: Row
    high: Row
    simplex: bool
    space: TypeSpace

    def project(self, point: Any) -> Any:
        """Return the nearest point of the region to a JAX array of shape (entries,).

        For the simplex source: Held, Wolfe and Crowder, Validation of subgradient optimization
        (1974): shift all entries alike and cut at 0, so that the sum is 1.
        """
        import jax.numpy as jnp

        if not self.simplex:
            return jnp.where(self.high > self.low, jnp.clip(point, self.low, self.high), point)
        ordered = jnp.sort(point)[::-1]
        shifts = (jnp.cumsum(ordered) - 1) / jnp.arange(1, len(point) + 1)
        support = jnp.sum(ordered > shifts)
        return jnp.maximum(point - shifts[support - 1], 0)

    def read(self, entries: list[float], start: Any) -> Any:
        """Return the type with these entries, floats as the rationals they are, as in ``start``.

        The least change that the space asks for is made: an entry of a box that rounding moved
        past a bound is the bound, the largest of a simplex is what the others leave of 1.
        """
        exact = [Fraction(e) for e in entries]
        if self.simplex:
            largest = max(range(len(exact)), key=exact.__getitem__)
            exact[largest] += 1 - sum(exact)
            return tuple(exact)
        return _clipped(self.space, start, iter(exact))


def region(space: TypeSpace, width: int) -> Region:
    """Return the region of a space whose types have ``width`` entries; lists stay as they are."""
    if isinstance(space, Simplex):
        return Region(np.zeros(width), np.ones(width), True, space)
    bounds = [(float(low), float(high)) for low, high in _bounds(space, width)]
    low, high = np.array(bounds, dtype=np.float64).reshape(width, 2).T
    return Region(low, high, False, space)


def _bounds(space: TypeSpace, width: int) -> Iterator[tuple[Any, Any]]:
    if isinstance(space, Box):
        yield from zip(space.low, space.high, strict=True)
    elif isinstance(space, Reals):
        yield space.near
    elif isinstance(space, Product):
        for part in space.spaces:
            yield from _bounds(part, 1)
    else:
        yield from [(0, 0)] * width


def _clipped(space: TypeSpace, start: Any, entries: Iterator[Fraction]) -> Any:
    """Take entries off one by one: those of boxes within bounds, else what ``start`` has."""
    if isinstance(space, Box):
        bounds = zip(space.low, space.high, strict=True)
        clipped = tuple(min(max(next(entries), low), high) for low, high in bounds)
        return clipped if space.vector else clipped[0]
    if isinstance(space, Reals):
        return space.clipped(next(entries))
    if isinstance(space, Product):
        pairs = zip(space.spaces, start, strict=True)
        return tuple(_clipped(part, at, entries) for part, at in pairs)
    if not isinstance(start, tuple):
        next(entries)
    return start
