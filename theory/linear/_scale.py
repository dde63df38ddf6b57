"""Scaling a rational vector to the integers a person would write down."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd, lcm

from theory._arguments import refusing

__all__ = ["coprime"]


@refusing
def coprime(values: Iterable[Fraction | int]) -> tuple[Fraction, ...]:
    """Return the positive multiple of ``values`` whose entries are integers of greatest divisor 1.

    Zeros stay as they are.
    """
    vector = tuple(map(Fraction, values))
    scale = lcm(*(v.denominator for v in vector))
    common = gcd(*(v.numerator * (scale // v.denominator) for v in vector))
    return tuple(v * scale / (common or 1) for v in vector)
