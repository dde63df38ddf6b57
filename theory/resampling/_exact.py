"""The exact law, through the law of the sum of the other candidates' weights."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Final

from theory.errors import LimitError
from theory.resampling._reading import ExactModel

__all__ = ["MAX_SUMS", "exact_returns"]

MAX_SUMS: Final = 1 << 12
"""The most values that the sum of the other candidates' weights may take."""


def exact_returns(model: ExactModel, candidates: int) -> tuple[list[Fraction], int]:
    """Return P(y is returned) for every reply, and how many sums there were.

    P(y) = M g(y) w(y) E[1/(w(y) + S)], S the sum of the weights of M - 1 candidates. The law of S
    groups the multisets of candidates by their sum; it is built candidate by candidate in integers.
    O(M sums classes) operations on integers.
    """
    masses: dict[Fraction, Fraction] = {}
    for g, w in zip(model.generator, model.weights, strict=True):
        if g:
            masses[w] = masses.get(w, Fraction(0)) + g
    if len(masses) == 1:
        return list(model.generator), 1
    if candidates > MAX_SUMS:
        raise _too_many(candidates)
    scale = lcm(*(w.denominator for w in masses))
    whole = lcm(*(g.denominator for g in masses.values()))
    steps = [(int(w * scale), int(g * whole)) for w, g in masses.items()]
    sums = {0: 1}
    for _ in range(candidates - 1):
        further: dict[int, int] = {}
        for total, count in sums.items():
            for step, mass in steps:
                further[total + step] = further.get(total + step, 0) + count * mass
        sums = further
        if len(sums) > MAX_SUMS:
            raise _too_many(candidates)
    ordered = sorted(sums.items())
    power = whole ** (candidates - 1)
    means: dict[Fraction, Fraction] = {Fraction(0): Fraction(0)}
    for w in masses:
        if w:
            own = int(w * scale)
            means[w] = Fraction(candidates * own, power) * _sum(ordered, own)
    return [g * means[w] for g, w in zip(model.generator, model.weights, strict=True)], len(sums)


def _sum(terms: list[tuple[int, int]], own: int) -> Fraction:
    """Return the sum of count/(own + total), halves first so that numbers grow late."""
    if len(terms) == 1:
        total, count = terms[0]
        return Fraction(count, own + total)
    middle = len(terms) // 2
    return _sum(terms[:middle], own) + _sum(terms[middle:], own)


def _too_many(candidates: int) -> LimitError:
    return LimitError(
        "candidates",
        candidates,
        f"lead to more than {MAX_SUMS:,} sums of weights",
        "draw fewer, or give generator and weights in float64",
    )
