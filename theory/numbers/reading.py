"""Reading a rational number exactly as it was written."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from operator import index
from typing import Any, Final

from theory.errors import ExactnessError, NumberError

__all__ = ["MAX_DIGITS", "plain_fraction", "rational", "require_exact", "require_short"]

MAX_DIGITS: Final = 4000
"""The most digits that a written number may have, its exponent counted as digits."""

_TOO_MUCH: Final = 10**MAX_DIGITS
_WRITTEN = re.compile(
    r"\s*(?P<sign>[+-]?)(?:(?P<num>\d+)/(?P<den>\d+)"
    r"|(?P<whole>\d+)(?:\.(?P<frac>\d*))?(?:[eE](?P<exp>[+-]?\d+))?"
    r"|\.(?P<only>\d+)(?:[eE](?P<oexp>[+-]?\d+))?)\s*",
    re.ASCII,
)
_FIX = 'write an integer, a fraction "p/q" or a decimal'


def rational(value: object, argument: str = "value") -> Fraction:
    """Return ``value`` as a fraction, exactly.

    Integers, fractions, decimals (``decimal.Decimal``) and text are read as written:
    ``"0.1"`` is 1/10. A float is refused, since 0.1 as a float is not 1/10.

    Raises
    ------
    ExactnessError
        For a float.
    NumberError
        For anything that is not a finite number, or has more than ``MAX_DIGITS`` digits.

    Examples
    --------
    >>> rational("2/5") + rational("0.1")
    Fraction(1, 2)
    """
    if type(value) is Fraction:
        return value
    if type(value) is bool:
        raise NumberError(argument, value, "is not a number", _FIX)
    if issubclass(type(value), Rational):  # whatever its __class__ says
        return plain_fraction(value, argument)
    if issubclass(type(value), Real):
        raise ExactnessError(argument, value, "is a float where an exact number is needed", _FIX)
    written: Any = value
    if issubclass(type(value), Decimal):
        return _read_written(str(value), argument)
    if issubclass(type(value), str):
        return _read_written(written, argument)
    raise NumberError(argument, value, "is not a number", _FIX)


def plain_fraction(value: Any, argument: str = "value") -> Fraction:
    """Return a new ``Fraction`` with the numerator and the denominator that a number says it has.

    It is of no subclass and shared with nobody, so that nothing done to the number afterwards, and
    no comparison of its own, changes what was read.

    Raises
    ------
    NumberError
        For what does not say two integers, the second of them not 0.
    """
    try:
        top, bottom = int(index(value.numerator)), int(index(value.denominator))
        return Fraction(top, bottom)
    except (TypeError, ValueError, AttributeError, ZeroDivisionError):
        problem = f"is a {type(value).__name__} without numerator and denominator"
        raise NumberError(argument, type(value).__name__, problem, _FIX) from None


def require_short(value: Fraction, argument: str) -> None:
    """Refuse a number that nobody could have written.

    Raises
    ------
    NumberError
        For more than ``MAX_DIGITS`` digits in its numerator or its denominator.
    """
    if abs(value.numerator) >= _TOO_MUCH or value.denominator >= _TOO_MUCH:
        raise NumberError(argument, value, f"has more than {MAX_DIGITS} digits", "round it first")


def require_exact(value: object, argument: str) -> None:
    """Refuse what is neither a ``Fraction`` of integers nor an ``int``, be it of a subclass.

    For what is to be checked: a float is rounded until a condition that fails seems to hold, and a
    subclass compares as it likes, and so does a fraction that is made of one, or whose denominator
    is below 0.

    Raises
    ------
    NumberError
        With the name of the argument.
    """
    if type(value) is int:
        return
    if type(value) is Fraction:
        top, bottom = value.numerator, value.denominator
        if type(top) is int and type(bottom) is int and bottom > 0:
            return
    fix = "give a Fraction or an integer"
    raise NumberError(argument, value, "is not an exact number", fix)


def _read_written(text: str, argument: str) -> Fraction:
    if len(text) > MAX_DIGITS:
        raise NumberError(argument, text, f"has more than {MAX_DIGITS} digits", "round it first")
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise NumberError(argument, text, "is not a number as we read them", _FIX)
    sign = -1 if found["sign"] == "-" else 1
    if found["num"] is not None:
        if int(found["den"]) == 0:
            raise NumberError(argument, text, "has a zero denominator", _FIX)
        return sign * Fraction(int(found["num"]), int(found["den"]))
    whole, frac = found["whole"] or "0", found["frac"] or found["only"] or ""
    exponent = int(found["exp"] or found["oexp"] or "0")
    if abs(exponent) > MAX_DIGITS:
        raise NumberError(argument, text, f"has an exponent beyond {MAX_DIGITS}", _FIX)
    digits, places = sign * int(whole + frac), exponent - len(frac)
    return Fraction(digits * 10**places) if places >= 0 else Fraction(digits, 10**-places)
