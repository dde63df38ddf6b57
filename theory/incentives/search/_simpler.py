"""Instances that a reader takes in more easily than a given one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from math import floor
from typing import Any, NamedTuple

from theory.incentives._property import Instance, Shape
from theory.incentives._reading import is_number
from theory.incentives._types import TypeSpace
from theory.incentives.search._moves import moves
from theory.incentives.search._slots import fill_slots, fits, is_open, slot_spaces, slots
from theory.incentives.setting import Setting

__all__ = ["simpler_in_one", "simpler_in_two"]

_DENOMINATORS = (*range(1, 13), 16, 20, 100, 128, 1000, 1024)
_STEPS = (Fraction(1), Fraction(1, 2), Fraction(1, 4))


def simpler_in_one(shape: Shape, setting: Setting, instance: Instance) -> Iterator[Instance]:
    """Yield changes of one thing: all slots rounded, one slot, one number, or the agents' names."""
    spaces, values = slot_spaces(shape, setting, instance), slots(instance)
    for denominator in _DENOMINATORS:
        rounded = [s.round(v, denominator) for s, v in zip(spaces, values, strict=True)]
        yield fill_slots(instance, dict(enumerate(rounded)))
        for k, value in enumerate(rounded):
            yield fill_slots(instance, {k: value})
    for k, space in enumerate(spaces):
        for step in _STEPS:
            for moved in moves(space, values[k], step):
                yield fill_slots(instance, {k: moved})
        for source, value in enumerate(values):
            if fits(value, spaces[source], space):
                yield fill_slots(instance, {k: value})
    numbers = _numbers(values)
    for place in _places(values):
        for new in [*_near(place.number), *numbers]:
            yield from _change_numbers(spaces, instance, {place: new})
    yield from _rename_agent(setting, instance)


def simpler_in_two(shape: Shape, setting: Setting, instance: Instance) -> Iterator[Instance]:
    """Yield changes of two numbers at once."""
    spaces, places = slot_spaces(shape, setting, instance), _places(slots(instance))
    near = {place: sorted(set(_near(place.number)), key=_weight)[:8] for place in places}
    for one, other in combinations(places, 2):
        for new, newer in product(near[one], near[other]):
            yield from _change_numbers(spaces, instance, {one: new, other: newer})


class _Place(NamedTuple):
    """A number, and the slots in which it is looked at."""

    number: Any
    slots: tuple[int, ...]


def _places(values: tuple[Any, ...]) -> list[_Place]:
    """Return every number with all slots where it stands, and with each of them alone."""
    held = [set(_numbers(value)) for value in values]
    found = []
    for number in _numbers(values):
        at = tuple(k for k, numbers in enumerate(held) if number in numbers)
        found += [_Place(number, at), *(_Place(number, (k,)) for k in at if len(at) > 1)]
    return found


def _change_numbers(
    spaces: tuple[TypeSpace, ...], instance: Instance, new: Mapping[_Place, Any]
) -> Iterator[Instance]:
    """Yield the instance with other numbers at some places, if it stays within the spaces."""
    changes = {}
    for k, value in enumerate(slots(instance)):
        here = {place.number: number for place, number in new.items() if k in place.slots}
        if here:
            changes[k] = _map_parts(value, here)
            if is_open(spaces[k]) or changes[k] not in spaces[k]:
                return
    yield fill_slots(instance, changes)


def _rename_agent(setting: Setting, instance: Instance) -> Iterator[Instance]:
    """Yield the instance with one agent that is singled out in the place of an earlier one."""
    profile = instance.profile
    for at, agent in enumerate(instance.agents):
        for earlier in range(agent if profile else 0):
            spaces = setting.spaces[agent], setting.spaces[earlier]
            swapped = {agent: profile[earlier], earlier: profile[agent]}
            if earlier in instance.agents or not (
                fits(profile[agent], *spaces) and fits(profile[earlier], *spaces[::-1])
            ):
                continue
            named = (*instance.agents[:at], earlier, *instance.agents[at + 1 :])
            if named == tuple(sorted(named)) and all(fits(lie, *spaces) for lie in instance.lies):
                yield Instance(fill_slots(instance, swapped).profile, named, instance.lies)


def _map_parts(value: Any, new: Mapping[Any, Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_map_parts(part, new) for part in value)
    return new.get(value, value)


def _numbers(value: Any) -> list[Any]:
    """Return the different numbers in nested tuples, in the order they stand."""
    if isinstance(value, tuple):
        return list(dict.fromkeys(n for part in value for n in _numbers(part)))
    return [value] if is_number(value) else []


def _near(number: Any) -> Iterator[Any]:
    """Yield 0, 1, -1, halves rounded, and what is above the number in the Stern–Brocot tree.

    The simplest number of any interval around it stands there. Source: Graham, Knuth and
    Patashnik, Concrete Mathematics (1994), section 4.5.
    """
    yield from (0, 1, -1)
    for power in range(1, 11):
        yield round(number / 2**power)
    sign = -1 if number < 0 else 1
    rest = abs(Fraction(number))
    (p, q), (r, s) = (0, 1), (1, 0)
    while True:
        turns = floor(rest)
        for k in _step_sizes(turns):
            yield sign * Fraction(p + k * r, q + k * s)
        (p, q), (r, s) = (r, s), (p + turns * r, q + turns * s)
        if rest == turns:
            return
        rest = 1 / (rest - turns)


def _step_sizes(count: int) -> Iterator[int]:
    """Yield some of 1, ..., count, so close to both ends that a few choices reach any of them."""
    powers = [2**k for k in range(count.bit_length())]
    yield from sorted({*powers, *(count - power for power in powers), count} - {0})


def _weight(number: Any) -> tuple[Any, ...]:
    exact = Fraction(number)
    return (exact.denominator, abs(exact.numerator))
