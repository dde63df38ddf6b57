"""Numbers as a mechanism returns them: exact where they are, and the rational that a float is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from numbers import Integral, Rational, Real
from typing import Any, Final

from theory.errors import NumberError
from theory.numbers import rational

__all__ = ["Number", "is_number", "is_vector", "key_of", "number", "plain", "shown"]

Number = int | Fraction

_READABLE: Final = 10**12
"""Fractions with larger denominators, such as floats stand for, are written as decimals."""


def number(value: Any, argument: str) -> tuple[Number, bool]:
    """Return a number exactly, and whether it came as a float.

    A float is read as the rational that it stands for; NaN and infinities are refused.

    Raises
    ------
    NumberError
        For anything that is not a finite number.
    """
    if type(value) is int or type(value) is Fraction:
        return value, False
    if isinstance(value, bool):
        raise NumberError(argument, value, "is a truth value", "give a number")
    if isinstance(value, Integral):
        return int(value), False
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator)), False
    if isinstance(value, Real):
        if not isfinite(value):
            raise NumberError(argument, value, "is not finite", "return finite numbers")
        return _whole(Fraction(float(value))), True
    if getattr(value, "ndim", None) == 0:
        return number(value.item(), argument)
    return _whole(rational(value, argument)), False


def _whole(value: Fraction) -> Number:
    return value.numerator if value.denominator == 1 else value


def is_number(value: object) -> bool:
    """Whether a type or allocation is a number, truth values excluded."""
    if isinstance(value, bool):
        return False
    return isinstance(value, Real) or type(value).__name__ == "Decimal"


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


def shown(value: Any) -> str:
    """Write a type, report or allocation for a reader."""
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, Fraction):
        return str(value) if value.denominator <= _READABLE else f"{float(value):.6g}"
    return repr(value)


def key_of(allocation: Any) -> Any:
    """Return what tells allocations apart: themselves, or their text where they cannot be keys."""
    try:
        hash(allocation)
    except TypeError:
        return repr(allocation)
    return allocation
