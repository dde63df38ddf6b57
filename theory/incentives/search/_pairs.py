"""Pairs of simple types, whatever the present ones are: a type and a lie that move together."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import gcd
from typing import Any

from theory.incentives._instance import Instance, Shape, size
from theory.incentives._setting import Setting
from theory.incentives._types import Box, FiniteTypes, Product, Simplex, TypeSpace
from theory.incentives.search._lattice import points
from theory.incentives.search._slots import filled, slot_spaces, slots

__all__ = ["simple_pairs"]

_ORDER = 12
_MOST = 64
_HEAVIEST = 4 * (_ORDER - 1) + _ORDER - 1  # as size weighs 11/12
_FRACTIONS = [
    Fraction(sign * p, q)
    for q in range(1, _ORDER + 1)
    for p in range(_HEAVIEST - 4 * (q - 1) + 1)
    if gcd(p, q) == 1
    for sign in ((1, -1) if p else (1,))
]
"""The Farey fractions of order 12, their negatives, and larger ones that take no more to read."""


def simple_pairs(shape: Shape, setting: Setting, instance: Instance) -> Iterator[Instance]:
    """Yield changes to simple types in two slots of the agents singled out, smallest first.

    A small gain may need a type and a lie that are close and neither near the present ones nor
    related to them. Each slot takes at most 64 types.
    """
    spaces, values = slot_spaces(shape, setting, instance), slots(instance)
    types = len(instance.profile)
    owned = [*(instance.agents if types else ()), *range(types, len(values))]
    options = {
        k: _options(setting, spaces[k], values[k], _owner(shape, instance, k)) for k in owned
    }
    changed = (
        filled(instance, {one: new, other: newer})
        for one, other in combinations(owned, 2)
        for new, newer in product(options[one], options[other])
    )
    yield from sorted(changed, key=lambda candidate: size(setting, candidate))


def _owner(shape: Shape, instance: Instance, slot: int) -> int:
    types = len(instance.profile)
    return slot if slot < types else shape.liar(instance.agents, slot - types)


def _options(setting: Setting, space: TypeSpace, value: Any, agent: int) -> list[Any]:
    """Return the smallest of the simple types, and the present one."""
    found = dict.fromkeys([value, *_simple(space, value)])
    return sorted(found, key=lambda type: size(setting, Instance((), (agent,), (type,))))[:_MOST]


def _simple(space: TypeSpace, value: Any) -> Iterator[Any]:
    """Yield simple types: in a box one entry changed, in a product one part."""
    match space:
        case Box():
            entries = value if space.vector else (value,)
            for k, (low, high) in enumerate(zip(space.low, space.high, strict=True)):
                for number in _FRACTIONS:
                    if low <= number <= high:
                        yield (*entries[:k], number, *entries[k + 1 :]) if space.vector else number
        case Simplex():
            for steps in range(1, _ORDER + 1):
                if points(space, steps) <= _MOST:
                    yield from space.grid(steps)
        case FiniteTypes():
            yield from space.types
        case Product():
            for k, part in enumerate(space.spaces):
                for simple in _simple(part, value[k]):
                    yield (*value[:k], simple, *value[k + 1 :])
