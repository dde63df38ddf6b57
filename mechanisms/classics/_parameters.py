"""How the parameters of a mechanism are read: exactly, and within their range."""

from __future__ import annotations

from fractions import Fraction

from theory.errors import InvalidInputError
from theory.numbers import rational

__all__ = ["amount", "number"]


def number(value: object, argument: str) -> int | Fraction:
    """Return a number exactly, an integer where it is whole.

    Raises
    ------
    ExactnessError, NumberError
        For a float, and for what is not a number.
    """
    exact = rational(value, argument)
    return exact.numerator if exact.denominator == 1 else exact


def amount(value: object, argument: str) -> int | Fraction:
    """Return a number of at least 0 exactly.

    Raises
    ------
    ExactnessError, NumberError
        For a float, and for what is not a number.
    InvalidInputError
        For a number below 0.
    """
    read = number(value, argument)
    if read < 0:
        raise InvalidInputError(argument, value, "is below 0", "give a number of at least 0")
    return read
