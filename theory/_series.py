"""Enclosures of logarithms and square roots in integer arithmetic, for rechecking others' work."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Final

from theory.numbers.interval import Interval

__all__ = ["enclose_log", "enclose_sqrt"]

_BITS: Final = 224
_ONE: Final = 1 << _BITS
_SLACK: Final = 1 << 10
"""Units in the last place that bound the error of one series: at most 80 terms, each within 4."""


def enclose_log(value: Fraction) -> Interval:
    """Enclose log(value), for value > 0.

    With value = 2^k m and 2/3 <= m <= 4/3, log m = 2 artanh t at t = (m - 1) / (m + 1), |t| <= 1/5.
    """
    k = value.numerator.bit_length() - value.denominator.bit_length()
    m = value / Fraction(2) ** k
    if m > Fraction(4, 3):
        k, m = k + 1, m / 2
    elif m < Fraction(2, 3):
        k, m = k - 1, m * 2
    middle = _twice_artanh((m - 1) / (m + 1)) + k * _twice_artanh(Fraction(1, 3))
    error = (1 + abs(k)) * _SLACK
    return Interval(Fraction(middle - error, _ONE), Fraction(middle + error, _ONE))


def _twice_artanh(t: Fraction) -> int:
    power = _ONE * t.numerator // t.denominator
    square = power * power >> _BITS
    total, n = 0, 1
    while abs(power) > 1:
        total += power // n
        power = power * square >> _BITS
        n += 2
    return 2 * total


def enclose_sqrt(value: Fraction) -> Interval:
    """Enclose the square root of value >= 0."""
    root = isqrt(value.numerator * _ONE * _ONE // value.denominator)
    return Interval(Fraction(root, _ONE), Fraction(root + 1, _ONE))
