"""The numbers of a ledger: how they are read, and how they are shown."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter
from numbers import Rational, Real
from typing import Any, Final

from mechanisms._statement import Amount
from theory.errors import ExactnessError, NumberError
from theory.numbers import rational
from theory.numbers.reading import plain_fraction, require_short
from theory.shared.copying import copy_fraction

__all__ = ["LARGEST", "as_safe_number", "copy_amount", "is_float", "read"]

LARGEST: Final = 2.0**960
"""The largest float that a ledger takes; 2^63 of them add up to a float64."""

_WHOLE_IN_FLOAT64: Final = 2**53


def is_float(value: object) -> bool:
    """Whether a number is a float of some kind."""
    if type(value) is Fraction or type(value) is int:
        return False
    return isinstance(value, Real) and not isinstance(value, Rational)


def read(value: object, argument: str, *, floats: bool) -> Fraction:
    """Return a number as it is written; whole numbers may stand among floats.

    Raises
    ------
    ExactnessError, NumberError
        For a number of another kind, NaN and infinity, and floats above ``LARGEST``.
    """
    if not floats:
        return _copy_exact(value, argument)
    if isinstance(value, Real) and not isinstance(value, Rational):
        number = float(value)
        if number - number != 0:
            raise NumberError(argument, value, "is not finite", "give a number")
        if abs(number) > LARGEST:
            raise NumberError(
                argument,
                value,
                "is so large that sums may be beyond float64",
                "give at most 2^960, or exact numbers",
            )
        return Fraction(number)
    exact = _copy_exact(value, argument)
    if exact.denominator != 1 or abs(exact) > _WHOLE_IN_FLOAT64:
        raise ExactnessError(argument, value, "stands beside floats", "write it as a float")
    return exact


def _copy_exact(value: object, argument: str) -> Fraction:
    """Return a copy of a number."""
    number = plain_fraction(rational(value, argument), argument)
    require_short(number, argument)
    return number


def copy_amount(amount: Amount) -> Amount:
    """Return an amount as another object, so that changing one does not change the other."""
    given: Any = amount
    if isinstance(given, Fraction):
        return copy_fraction(given)
    return given if isinstance(given, float) else Fraction(given)


def as_safe_number(number: Fraction, *, floats: bool) -> Amount:
    """Return a number in an object of its own, or the largest float that is not above it."""
    if not floats:
        return copy_fraction(number)
    nearest = float(number)
    return nearest if nearest <= number else nextafter(nearest, -inf)
