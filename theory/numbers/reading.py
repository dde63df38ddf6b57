"""Reading a rational number exactly as it was written."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Final

from theory.errors import ExactnessError, NumberError

__all__ = ["MAX_DIGITS", "rational"]

MAX_DIGITS: Final = 4000
"""The most digits that a written number may have, its exponent counted as digits."""

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
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool):
        raise NumberError(argument, value, "is not a number", _FIX)
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Real):
        raise ExactnessError(argument, value, "is a float where an exact number is needed", _FIX)
    if isinstance(value, Decimal):
        return _written(str(value), argument)
    if isinstance(value, str):
        return _written(value, argument)
    raise NumberError(argument, value, "is not a number", _FIX)


def _written(text: str, argument: str) -> Fraction:
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
    return sign * Fraction(int(whole + frac)) * Fraction(10) ** (exponent - len(frac))
