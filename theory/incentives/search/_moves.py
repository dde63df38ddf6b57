"""Steps from a type to types near it, in the same space."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from theory.incentives._types import Box, FiniteTypes, Product, Reals, Simplex, TypeSpace

__all__ = ["moves"]


def moves(space: TypeSpace, value: Any, step: Fraction) -> Iterator[Any]:
    """Yield the types one step away: a step of 1 leads from one end of the space to the other.

    In a box each entry goes up and down, as far as the bounds, and so does a real number; in a
    simplex each entry gives to each other what it has, at most ``step``; in a list the position
    goes up and down; in a product each part moves alone. From a type that a strategy drew there are
    no steps.
    """
    match space:
        case Box():
            yield from _in_box(space, value, step)
        case Reals():
            low, high = space.near
            for shift in (step * (high - low), step * (low - high)):
                moved = space.clip(value + shift)
                if moved != value:
                    yield moved
        case Simplex():
            yield from _in_simplex(value, step)
        case FiniteTypes():
            yield from _in_list(space.types, value, step)
        case Product():
            for k, part in enumerate(space.spaces):
                for moved in moves(part, value[k], step):
                    yield (*value[:k], moved, *value[k + 1 :])


def _in_box(box: Box, value: Any, step: Fraction) -> Iterator[Any]:
    entries = value if box.vector else (value,)
    for k, (entry, low, high) in enumerate(zip(entries, box.low, box.high, strict=True)):
        for shift in (step * (high - low), step * (low - high)):
            moved = min(max(entry + shift, low), high)
            if moved != entry:
                yield (*entries[:k], moved, *entries[k + 1 :]) if box.vector else moved


def _in_simplex(value: tuple[Any, ...], step: Fraction) -> Iterator[Any]:
    for giver, held in enumerate(value):
        given = min(step, held)
        for taker in range(len(value)):
            if taker != giver and given:
                moved = list(value)
                moved[giver] -= given
                moved[taker] += given
                yield tuple(moved)


def _in_list(types: tuple[Any, ...], value: Any, step: Fraction) -> Iterator[Any]:
    at = types.index(value)
    for offset in {1, max(1, int(step * len(types)))}:
        for position in (at - offset, at + offset):
            if 0 <= position < len(types):
                yield types[position]
