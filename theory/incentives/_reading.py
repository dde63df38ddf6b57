"""Numbers as a mechanism returns them: exact where they are, and the rational that a float is."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from math import isfinite
from numbers import Integral, Rational, Real
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory.errors import InvalidInputError, NumberError
from theory.incentives._content import content
from theory.numbers import rational
from theory.proofs import Term

__all__ = [
    "FLOAT64",
    "Number",
    "freeze_allocation",
    "is_number",
    "is_vector",
    "key_of",
    "number",
    "original",
    "plain",
    "show",
]

if TYPE_CHECKING:
    Number = int | Fraction
else:  # a definition runs on terms, too, where it is traced: theory.incentives.proving
    Number = int | Fraction | Term

FLOAT64: Final = 2.0**-52
"""The epsilon of float64."""

_READABLE: Final = 10**12
"""Fractions with larger denominators, such as floats stand for, are written as decimals."""


def number(value: Any, argument: str) -> tuple[Number, float]:
    """Return a number exactly, and the epsilon of the floats that it came as, 0 if it was exact.

    A float is read as the rational that it stands for; NaN and infinities are refused.

    Raises
    ------
    NumberError
        For anything that is not a finite number.
    """
    if type(value) is int or type(value) is Fraction:
        return value, 0.0
    if isinstance(value, bool | np.bool_):
        raise NumberError(argument, value, "is a truth value", "give a number")
    if isinstance(value, Integral):
        return int(value), 0.0
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator)), 0.0
    if isinstance(value, Real):
        if not isfinite(value):
            raise NumberError(argument, value, "is not finite", "return finite numbers")
        return _simplify(Fraction(float(value))), _float_epsilon(value)
    if getattr(value, "ndim", None) == 0:
        return number(value.item(), argument)[0], _float_epsilon(value)
    return _simplify(rational(value, argument)), 0.0


def _float_epsilon(value: Any) -> float:
    """Return the epsilon of a float's kind."""
    kind = np.dtype(getattr(value, "dtype", np.float64))
    if kind.kind in "biu":
        return 0.0
    return float(np.finfo(kind).eps) if kind.kind == "f" else FLOAT64


def _simplify(value: Fraction) -> Number:
    return value.numerator if value.denominator == 1 else value


def is_number(value: object) -> bool:
    """Whether a type or allocation is a number, truth values excluded."""
    if isinstance(value, bool):
        return False
    return isinstance(value, Real | Term) or type(value).__name__ == "Decimal"


def is_vector(value: object) -> bool:
    """Whether a type or allocation is a sequence of numbers."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return bool(value) and all(is_number(v) or isinstance(v, bool) for v in value)
    return False


def plain(allocation: Any) -> Any:
    """Return an allocation in plain Python: arrays and lists as tuples, numbers as Python's."""
    if hasattr(allocation, "tolist"):
        allocation = allocation.tolist()
    if isinstance(allocation, list | tuple):
        return tuple(map(plain, allocation))
    return allocation


def freeze_allocation(allocation: Any) -> tuple[Any, float]:
    """Return an allocation that nobody can change any more, and how coarse its numbers are.

    Raises
    ------
    InvalidInputError
        For one that cannot be told from others, or a vector of something that is no number.
    """
    coarse = getattr(allocation, "dtype", None) is not None
    float_epsilon = _float_epsilon(allocation) if coarse else 0.0
    whole = plain(allocation)
    if isinstance(whole, tuple):
        parts = [_entry(part, f"allocation[{i}]") for i, part in enumerate(whole)]
        finest = [own for _, own in parts if own]
        return tuple(part for part, _ in parts), float_epsilon or max(finest, default=0.0)
    part, own = _entry(whole, "allocation")
    return part, float_epsilon or own


def _entry(part: Any, argument: str) -> tuple[Any, float]:
    if isinstance(part, float) or type(part).__name__ == "Decimal":
        return number(part, argument)
    if part is None or isinstance(part, int | str | Fraction | tuple | Enum):
        return part, 0.0
    equality: Any = type(part).__eq__
    if equality is object.__eq__:
        fix = "give its class __eq__, or return names, numbers or tuples"
        raise InvalidInputError(argument, part, "cannot be told from others", fix)
    own = deepcopy(part)  # the mechanism may go on to change what it returned
    if (own == part) is not True:
        fix = "return names, numbers, tuples, or what is equal to its copy"
        raise InvalidInputError(argument, part, "is not equal to a copy of itself", fix)
    return own, 0.0


def show(value: Any) -> str:
    """Write a type, report or allocation for a reader."""
    if isinstance(value, tuple):
        return f"({', '.join(map(show, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, Fraction):
        return str(value) if value.denominator <= _READABLE else f"{float(value):.6g}"
    try:
        return repr(value)
    except Exception:  # a user's object may not be able to show itself
        return f"a {type(value).__name__}"


_NUMBERS: Final = frozenset({int, float, Fraction})
_PLAIN: Final = frozenset({*_NUMBERS, str, NoneType, Term})
"""Kinds that are their own keys: equal ones are the same, whichever of these kinds they are of."""


def key_of(value: Any) -> Any:
    """Return what tells allocations, types or reports apart, also in a dictionary.

    Plain numbers and texts, and tuples of these, are their own keys. Where functions may tell equal
    ones apart, such as True and 1, members of enumerations, or parts that equality does not
    compare, however deep they lie, their kinds and all that they hold are in the key.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is not tuple:
        return _Key(_distinguishing_key(value, kind), value)
    return value if _is_plain(value) else _Key(tuple(map(key_of, value)), value)


def original(key: Any) -> Any:
    """Return what :func:`key_of` made a key of."""
    return key.value if isinstance(key, _Key) else key


def _is_plain(value: tuple[Any, ...]) -> bool:
    for part in value:
        kind = type(part)
        if kind not in _PLAIN and (kind is not tuple or not _is_plain(part)):
            return False
    return True


def _distinguishing_key(value: Any, kind: Any) -> Any:
    """Return what tells a value from those that are equal to it."""
    try:
        known = (kind, value) if kind is bool or isinstance(value, Enum) else content(value, _kind)
        hash(known)
    except Exception:  # what a user's object holds it may not be able to say
        known = kind
    return known, _Equal(value)


def _kind(known: Any) -> Any:
    return "number" if known in _NUMBERS else known


@dataclass(frozen=True, slots=True)
class _Key:
    told: Any
    value: Any = field(compare=False)


class _Equal:
    """Something that is told from others by equality alone."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Equal) and bool(self.value == other.value)
