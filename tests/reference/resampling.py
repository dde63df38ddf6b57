"""The law of a reply from first principles: every sequence of candidates, in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product


def law_by_sequences(
    generator: Sequence[Fraction], weights: Sequence[Fraction], candidates: int
) -> tuple[list[Fraction], Fraction]:
    """P(y is returned) for every reply, and the probability that nothing can be."""
    returned = [Fraction(0)] * len(generator)
    failure = Fraction(0)
    for drawn in product(range(len(generator)), repeat=candidates):
        likely = Fraction(1)
        for k in drawn:
            likely *= generator[k]
        total = sum(weights[k] for k in drawn)
        if total == 0:
            failure += likely
            continue
        for k in drawn:
            returned[k] += likely * Fraction(weights[k]) / total
    return returned, failure


def variation(p: Sequence[Fraction], q: Sequence[Fraction]) -> Fraction:
    """Half the sum of absolute differences."""
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2
