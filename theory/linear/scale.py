"""Scaling a rational vector to the integers a person would write down, and integers to floats."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm

from theory.shared.arguments import refusing

__all__ = ["coprime", "in_floats"]


@refusing
def coprime(values: Iterable[Fraction | int]) -> tuple[Fraction, ...]:
    """Return the positive multiple of ``values`` whose entries are integers of greatest divisor 1.

    Zeros stay as they are.
    """
    vector = tuple(map(Fraction, values))
    scale = lcm(*(v.denominator for v in vector))
    common = gcd(*(v.numerator * (scale // v.denominator) for v in vector))
    return tuple(v * scale / (common or 1) for v in vector)


def in_floats(rows: Sequence[Collection[int]], beyond: int) -> list[list[float]]:
    """Return integers divided by the largest of their row: such a quotient never overflows.

    A column in a unit that is too large, so that each entry lacks more than ``beyond`` bits beside
    its row, is multiplied by a power of two first: it would count as zero.
    """
    largest = [max(map(abs, row)) or 1 for row in rows]
    lengths = [most.bit_length() for most in largest]
    lacking = [
        min((n - v.bit_length() for v, n in zip(column, lengths, strict=True) if v), default=0)
        for column in zip(*rows, strict=True)
    ]
    shifts = [bits if bits > beyond else 0 for bits in lacking]
    return [
        [(v << shift) / most for v, shift in zip(row, shifts, strict=True)]
        for row, most in zip(rows, largest, strict=True)
    ]
