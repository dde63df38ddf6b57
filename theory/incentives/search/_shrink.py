"""Making a counterexample human-sized, without losing that it is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations, islice, product
from math import gcd
from typing import Any

from theory.incentives._property import Instance, Property, Shape, size
from theory.incentives._types import Box, FiniteTypes, Product, Reals, Simplex, TypeSpace
from theory.incentives.search._lattice import points
from theory.incentives.search._simpler import simpler_in_one, simpler_in_two
from theory.incentives.search._slots import fill_slots, native, slot_spaces, slots
from theory.incentives.setting import OutcomeAtFault, Setting

__all__ = ["shrink"]


# --- Pairs of simple types, whatever the present ones are: a type and a lie that move together

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
    related to them. Each slot takes at most 64 types; no pair takes more to read than the present.
    """
    spaces, values = slot_spaces(shape, setting, instance), slots(instance)
    types = len(instance.profile)
    owned = [*(instance.agents if types else ()), *range(types, len(values))]
    weigh = {k: partial(_weight, setting, _owner(shape, instance, k)) for k in owned}
    options = {k: _options(spaces[k], values[k], weigh[k]) for k in owned}
    changed = []
    for one, other in combinations(owned, 2):
        most = weigh[one](values[one]) + weigh[other](values[other])
        for (weight, new), (more, newer) in product(options[one], options[other]):
            if weight + more <= most:
                changed.append(fill_slots(instance, {one: new, other: newer}))
    yield from sorted(changed, key=lambda candidate: size(setting, candidate))


def _owner(shape: Shape, instance: Instance, slot: int) -> int:
    types = len(instance.profile)
    return slot if slot < types else shape.liar(instance.agents, slot - types)


def _weight(setting: Setting, agent: int, type: Any) -> Fraction:
    return Fraction(size(setting, Instance((), (agent,), (type,)))[0])


def _options(
    space: TypeSpace, value: Any, weigh: Callable[[Any], Fraction]
) -> list[tuple[Fraction, Any]]:
    """Return the lightest of the present type and the simple ones, with their weights."""
    found = [(weigh(type), type) for type in dict.fromkeys([value, *_yield_simple(space, value)])]
    return sorted(found, key=lambda option: option[0])[:_MOST]


def _yield_simple(space: TypeSpace, value: Any) -> Iterator[Any]:
    """Yield simple types: in a box one entry changed, in a product one part."""
    match space:
        case Box():
            entries = value if space.vector else (value,)
            for k, (low, high) in enumerate(zip(space.low, space.high, strict=True)):
                for number in _FRACTIONS:
                    if low <= number <= high:
                        yield (*entries[:k], number, *entries[k + 1 :]) if space.vector else number
        case Reals():
            yield from (number for number in _FRACTIONS if number in space)
        case Simplex():
            for steps in range(1, _ORDER + 1):
                if points(space, steps) <= _MOST:
                    yield from space.grid(steps)
        case FiniteTypes():
            yield from space.types
        case Product():
            for k, part in enumerate(space.spaces):
                for simple in _yield_simple(part, value[k]):
                    yield (*value[:k], simple, *value[k + 1 :])


# --- Making a counterexample human-sized, without losing that it is one


def shrink(
    prop: Property, setting: Setting, instance: Instance, trials: int, tolerance: Fraction
) -> Instance:
    """Return a smaller instance that fails, judging at most ``trials`` candidates of each kind.

    Of the first ``trials`` changes of an instance the smallest that fails and is smaller, by
    :func:`size`, takes its place, until there is none. Changes to types near the present ones, or
    related to them, come first; where none helps, pairs of simple types. Every one is judged by
    the exact slack.
    """
    near: set[Instance] = set()
    pairs: set[Instance] = set()
    kinds = ((simpler_in_one, near), (simpler_in_two, near), (simple_pairs, pairs))
    improved = True
    while improved:
        improved = False
        for simpler, tried in kinds:
            changes, now = simpler(prop.shape, setting, instance), size(setting, instance)
            sizes = {
                candidate: measure
                for candidate in dict.fromkeys(islice(changes, trials))
                if not (candidate in near or candidate in pairs)
                and (measure := size(setting, candidate)) < now
            }
            for candidate in sorted(sizes, key=sizes.__getitem__):
                if len(tried) >= trials:
                    break
                tried.add(candidate)
                read = native(prop.shape, setting, candidate)
                if _is_failing(prop, setting, read, tolerance):
                    instance, improved = read, True
                    break
            if improved:
                break
    return instance


def _is_failing(prop: Property, setting: Setting, instance: Instance, tolerance: Fraction) -> bool:
    try:
        slack = prop.slack(setting, instance)
    except OutcomeAtFault:
        return False
    return slack is not None and slack < setting.limit(tolerance, prop.agents_concerned(instance))
