"""How numbers stand in an answer: a rational exactly, anything else between two decimals."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from threading import Lock
from typing import Annotated, Final

from msgspec import Meta

from mechproof.problems.format.typed import Record
from theory.numbers import ClosedForm, Interval, Scalar, rational

__all__ = [
    "Bound",
    "Enclosure",
    "Number",
    "Rational",
    "bound",
    "four_digits",
    "number",
    "outwards",
    "whole_numbers",
]

_DIGITS: Final = 30
_PLAIN: Final = 12
"""Powers of ten from which a number in a sentence is written with an exponent."""

Rational = Annotated[
    str,
    Meta(
        title="Rational", description='Exact: "p/q" or "p".', pattern=r"^-?[0-9]+(/[1-9][0-9]*)?$"
    ),
]
Bound = Annotated[str, Meta(pattern=r"^-?[0-9]+(\.[0-9]+)?(E[+-][0-9]+)?$")]


class Enclosure(Record, frozen=True, kw_only=True):
    """A number that is not rational, with certified bounds."""

    lower: Annotated[Bound, Meta(description="Decimal that is at most the number.")]
    upper: Annotated[Bound, Meta(description="Decimal that is at least the number.")]
    closed_form: Annotated[
        str,
        Meta(description="The number itself, in logarithms and square roots of rationals."),
    ]


Number = Rational | Enclosure


def number(value: Scalar) -> str | Enclosure:
    """Write a number: "p/q" if it is rational, else 30 digits of it, rounded outwards."""
    if not isinstance(value, ClosedForm):
        return str(rational(value))
    exact = value.as_rational()
    return _enclosure(value) if exact is None else str(exact)


def bound(value: Fraction | float) -> str:
    """Write an upper bound with two digits, rounded upwards."""
    return _decimal(Fraction(value), 2, ROUND_CEILING)


def outwards(interval: Interval) -> tuple[str, str]:
    """Write both ends of an interval with 30 digits, rounded outwards."""
    return (
        _decimal(interval.lower, _DIGITS, ROUND_FLOOR),
        _decimal(interval.upper, _DIGITS, ROUND_CEILING),
    )


def _enclosure(value: ClosedForm) -> Enclosure:
    bits = 128
    while (found := value.enclosure(bits)).width * 10**_DIGITS > abs(found.lower):
        bits *= 2
    lower, upper = outwards(found)
    return Enclosure(lower=lower, upper=upper, closed_form=str(value))


def _decimal(value: Fraction, digits: int, rounding: str) -> str:
    context = Context(prec=digits, rounding=rounding)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def four_digits(value: Fraction) -> str:
    """Write a number for a sentence, rounded to four digits.

    Examples
    --------
    >>> four_digits(Fraction(325, 2)), four_digits(Fraction(1, 3))
    ('162.5', '0.3333')
    >>> four_digits(Fraction(1650)), four_digits(Fraction(10**20))
    ('1650', '1e+20')
    """
    short = Context(prec=4).divide(Decimal(value.numerator), Decimal(value.denominator))
    short = short.normalize()
    return f"{short:f}" if -_PLAIN < short.adjusted() < _PLAIN else f"{short:g}"


@contextmanager
def whole_numbers() -> Iterator[None]:
    """Let integers of any length be written: exact answers are longer than their problems."""
    with _WRITERS.lock:
        if not _WRITERS.count:
            _WRITERS.limit = sys.get_int_max_str_digits()
            sys.set_int_max_str_digits(0)
        _WRITERS.count += 1
    try:
        yield
    finally:
        with _WRITERS.lock:
            _WRITERS.count -= 1
            if not _WRITERS.count:
                sys.set_int_max_str_digits(_WRITERS.limit)


class _Writers:
    """How many threads write long integers, and the limit that the last of them restores."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.count = 0
        self.limit = 0


_WRITERS: Final = _Writers()
