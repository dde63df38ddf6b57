"""An instance as slots, one for each type and each lie in it, with the spaces they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from theory.incentives._property import Instance, Shape
from theory.incentives._types import (
    Box,
    DrawnTypes,
    FiniteTypes,
    Product,
    Reals,
    Simplex,
    TypeSpace,
)
from theory.incentives.setting import Setting

__all__ = ["fill_slots", "fits", "is_open", "native", "slot_spaces", "slots"]


def slots(instance: Instance) -> tuple[Any, ...]:
    """Return what stands in the slots: the types, then the lies."""
    return (*instance.profile, *instance.lies)


def slot_spaces(shape: Shape, setting: Setting, instance: Instance) -> tuple[TypeSpace, ...]:
    """Return the space of each slot."""
    owners = [*range(len(instance.profile))]
    owners += [shape.liar(instance.agents, k) for k in range(len(instance.lies))]
    return tuple(setting.spaces[i] for i in owners)


def fill_slots(instance: Instance, changes: Mapping[int, Any]) -> Instance:
    """Return the instance with other values in some slots, by position."""
    values: Sequence[Any] = [changes.get(k, v) for k, v in enumerate(slots(instance))]
    types = len(instance.profile)
    return replace(instance, profile=tuple(values[:types]), lies=tuple(values[types:]))


def fits(value: Any, source: TypeSpace, space: TypeSpace) -> bool:
    """Whether a type of ``source`` is known to be one of ``space``."""
    return space is source or (not is_open(space) and value in space)


def native(shape: Shape, setting: Setting, instance: Instance) -> Instance:
    """Return the instance with each type as its space writes it.

    A number that was copied may be an integer in one space and a fraction in another, and a
    mechanism may tell them apart: ``1 / 2`` is a float, ``Fraction(1) / 2`` is not.
    """
    pairs = zip(slot_spaces(shape, setting, instance), slots(instance), strict=True)
    return fill_slots(instance, dict(enumerate(_native(space, value) for space, value in pairs)))


def _native(space: TypeSpace, value: Any) -> Any:
    match space:
        case FiniteTypes():
            return space.types[space.types.index(value)]
        case Product():
            return tuple(_native(s, v) for s, v in zip(space.spaces, value, strict=True))
        case Box() | Reals() | Simplex():
            return tuple(map(Fraction, value)) if isinstance(value, tuple) else Fraction(value)
    return value


def is_open(space: TypeSpace) -> bool:
    """Whether membership cannot be told, since a strategy draws the types or parts of them."""
    if isinstance(space, Product):
        return any(map(is_open, space.spaces))
    return isinstance(space, DrawnTypes)
