"""Random instances, most of them with ties, near ties and corners built in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from theory.incentives._property import Instance, Property
from theory.incentives._types import FiniteTypes, TypeSpace
from theory.incentives.search._lattice import points
from theory.incentives.search._moves import moves
from theory.incentives.search._slots import fill_slots, fits, slot_spaces, slots
from theory.incentives.setting import Setting

__all__ = ["samples"]

_STEPS = tuple(Fraction(1, 2**k) for k in (3, 6, 10, 16, 24))
_CORNERS = 256


def samples(
    prop: Property, setting: Setting, count: int, generator: np.random.Generator
) -> Iterator[Instance]:
    """Yield ``count`` random instances; two of four have one to three slots changed.

    What stands in another slot, so that reports are tied or a lie is another agent's report, or a
    corner or midpoint of the space takes the place of a value, exactly or a small step away. So
    misreports are met that pay at a tie alone, just across a jump, or close to the truth. One of
    four is of tenths of the sides of the spaces, where people put thresholds.
    """
    tenths = replace(setting, spaces=tuple(map(_tenths, setting.spaces)))
    for number in range(count):
        instance = prop.shape.draw(tenths if number % 4 == 3 else setting, generator)
        if instance is None:
            return
        for _ in range(int(generator.integers(1, 4)) if number % 4 in (1, 2) else 0):
            instance = _change_one_slot(prop, setting, instance, generator)
        yield instance


def _tenths(space: TypeSpace) -> TypeSpace:
    return FiniteTypes(space.grid(10)) if 0 < points(space, 10) <= _CORNERS else space


def _change_one_slot(
    prop: Property, setting: Setting, instance: Instance, generator: np.random.Generator
) -> Instance:
    spaces, values = slot_spaces(prop.shape, setting, instance), slots(instance)
    at = int(generator.integers(len(values)))
    others = (k for k in range(len(values)) if k != at)
    options = [values[k] for k in others if fits(values[k], spaces[k], spaces[at])]
    if 0 < points(spaces[at], 2) <= _CORNERS:
        options.append(_pick(spaces[at].grid(2), generator))
    if not options:
        return instance
    value = _pick(options, generator)
    if generator.integers(2):
        near = list(moves(spaces[at], value, _pick(_STEPS, generator)))
        value = _pick(near, generator) if near else value
    return fill_slots(instance, {at: value})


def _pick(options: Any, generator: np.random.Generator) -> Any:
    return options[int(generator.integers(len(options)))]
