"""Instances at the numbers that stand in a mechanism's code, and just inside the bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, islice, zip_longest
from typing import Any, Final

import numpy as np

from theory.incentives._property import Instance, Property
from theory.incentives._types import Box, FiniteTypes, Product, Reals, Simplex, TypeSpace
from theory.incentives.search._constants import constants, inside
from theory.incentives.search._slots import fill_slots, slot_spaces, slots
from theory.incentives.setting import Setting

__all__ = ["draw_from_constants"]

_ROUNDS: Final = 2
"""How often each place is tried, with other types elsewhere."""
_NARROW: Final = Fraction(1, 8)
"""Intervals that are wider than this share of the space are met by random types."""

Interval = tuple[Fraction, Fraction]


def draw_from_constants(
    prop: Property, setting: Setting, most: int, generator: np.random.Generator
) -> Iterator[Instance]:
    """Yield at most ``most`` instances, random but for what they have from the code.

    Two of three have one number of the code, or a point close to one, in a type or lie of the
    agents singled out. In the others all types and lies lie between two neighbouring numbers, where
    an outcome may be odd only if all reports are there; often those of the agents singled out are
    the largest, or the smallest.
    """
    bounds = list(dict.fromkeys(pair for space in setting.spaces for pair in _bounds(space)))
    if not bounds or prop.shape.agents > setting.agents:
        return
    numbers = constants(setting)
    groups = [group for low, high in bounds for group in inside(numbers, low, high)]
    at = _at_points(prop, setting, groups, generator)
    together = _between(prop, setting, _intervals(numbers, bounds), generator)
    for k in range(most):
        instance = next(together if k % 3 == 2 else at, None)
        if instance is not None:
            yield instance


def _at_points(
    prop: Property,
    setting: Setting,
    groups: Sequence[tuple[Fraction, ...]],
    generator: np.random.Generator,
) -> Iterator[Instance]:
    """Yield instances with a point in one place: the numbers themselves first."""
    teams = list(combinations(range(setting.agents), prop.shape.agents))
    columns = [[p for p in column if p is not None] for column in zip_longest(*groups)]
    points = list(dict.fromkeys(point for column in columns for point in column))
    for _ in range(_ROUNDS):
        for point in points:
            for team in teams:
                for place in range(len(_slots_of_agents(prop, setting, team))):
                    instance = _of_team(prop, setting, team, generator)
                    slot = _slots_of_agents(prop, setting, team)[place]
                    space = slot_spaces(prop.shape, setting, instance)[slot]
                    value = _with(space, slots(instance)[slot], point, generator)
                    if value is not None:
                        yield fill_slots(instance, {slot: value})


def _between(
    prop: Property,
    setting: Setting,
    intervals: Sequence[Interval],
    generator: np.random.Generator,
) -> Iterator[Instance]:
    """Yield instances with all types and lies in one interval, each interval in turn."""
    teams = list(combinations(range(setting.agents), prop.shape.agents))
    while intervals:
        for low, high in intervals:
            team = teams[int(generator.integers(len(teams)))]
            instance = _of_team(prop, setting, team, generator)
            spaces, values = slot_spaces(prop.shape, setting, instance), slots(instance)
            drawn = sorted(Fraction(float(u)) for u in generator.random(len(values)))
            order = [*map(int, generator.permutation(len(values)))]
            rank, owned = int(generator.integers(3)), _slots_of_agents(prop, setting, team)
            if rank:  # those of the agents singled out last, or first
                order.sort(key=lambda slot: (slot in owned) == (rank == 1))
            points = {k: low + (high - low) * u for k, u in zip(order, drawn, strict=True)}
            changed = {k: _with(spaces[k], values[k], p, generator) for k, p in points.items()}
            yield fill_slots(instance, {k: v for k, v in changed.items() if v is not None})


def _of_team(
    prop: Property, setting: Setting, team: tuple[int, ...], generator: np.random.Generator
) -> Instance:
    """Return a random instance that singles out these agents."""
    shape = prop.shape
    profile = tuple(space.draw(generator) for space in setting.spaces)
    lies = tuple(setting.spaces[shape.liar(team, k)].draw(generator) for k in range(shape.lies))
    return Instance(profile if shape.profile else (), team, lies)


def _slots_of_agents(prop: Property, setting: Setting, team: tuple[int, ...]) -> list[int]:
    """Return the slots of types and lies of the agents singled out; all where there are none."""
    types = setting.agents if prop.shape.profile else 0
    lies = [*range(types, types + prop.shape.lies)]
    return [*(team if types else ()), *lies] if team else [*range(types), *lies]


def _intervals(numbers: Sequence[Fraction], bounds: Sequence[Interval]) -> list[Interval]:
    """Return the narrow intervals between neighbouring numbers, those of the first ones first."""
    found: dict[Interval, None] = {}
    for low, high in bounds:
        anchors = [group[0] for group in inside(numbers, low, high)]
        ordered, width = sorted(anchors), high - low
        for anchor in anchors[2:]:
            at = ordered.index(anchor)
            for pair in ((anchor, ordered[at + 1]), (ordered[at - 1], anchor)):
                if width / 2**20 < pair[1] - pair[0] < _NARROW * width:
                    found[pair] = None
    return list(found)


def _bounds(space: TypeSpace) -> Iterator[Interval]:
    """Yield the intervals that the numbers in a type come from."""
    match space:
        case Box():
            yield from (pair for pair in zip(space.low, space.high, strict=True))
        case Reals():
            yield space.near
        case Simplex():
            yield Fraction(0), Fraction(1)
        case Product():
            for part in space.spaces:
                yield from _bounds(part)


def _with(space: TypeSpace, value: Any, number: Fraction, generator: np.random.Generator) -> Any:
    """Return the type with this number somewhere in it; None where there is no such type."""
    match space:
        case Box() if not space.vector:
            return number if number in space else None
        case Box():
            fits = [k for k, _ in enumerate(value) if space.low[k] <= number <= space.high[k]]
            return _put(value, number, _one_of(fits, generator))
        case Reals():
            return number if number in space else None
        case Simplex() if 0 <= number <= 1 and space.dimension > 1:
            at = int(generator.integers(space.dimension))
            rest = 1 - value[at]
            share = (1 - number) / rest if rest else Fraction(0)
            scaled = [v * share for v in value]
            scaled[at] = 1 - sum(v for k, v in enumerate(scaled) if k != at)
            return tuple(scaled) if rest else None
        case Product():
            parts = zip(space.spaces, value, strict=True)
            new = {k: _with(part, v, number, generator) for k, (part, v) in enumerate(parts)}
            part_at = _one_of([k for k, v in new.items() if v is not None], generator)
            return None if part_at is None else _put(value, new[part_at], part_at)
        case FiniteTypes():
            return next((t for t in islice(space.types, 64) if t == number), None)
    return None


def _one_of(places: Sequence[int], generator: np.random.Generator) -> int | None:
    return places[int(generator.integers(len(places)))] if places else None


def _put(value: tuple[Any, ...], part: Any, at: int | None) -> Any:
    return None if at is None else (*value[:at], part, *value[at + 1 :])
