"""The gaps of a joint distribution by plain loops in integers; nothing of the solver is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Any

from theory.shared.text import number_text

__all__ = ["GapCheck", "check_gaps", "check_nash"]


@dataclass(frozen=True, slots=True)
class GapCheck:
    """Gaps recomputed exactly from the numbers given, floats being the rationals they stand for.

    Attributes
    ----------
    gaps : tuple of Fraction
        In the order of the gaps reported.
    gap : Fraction
        The largest distance to a gap reported; 0 where those are exact.
    """

    gaps: tuple[Fraction, ...]
    gap: Fraction

    def __str__(self) -> str:
        return f"rechecked: off by {number_text(float(self.gap))}"


def check_gaps(
    shape: Sequence[int],
    payoffs: Sequence[Sequence[Any]],
    weights: Mapping[int, Any],
    reported: Sequence[Any],
) -> GapCheck:
    """Return the external, internal and swap gap; profiles are numbered in C order."""
    mass, unit = _integers(map(Fraction, weights.values()))
    external, internal, swap = Fraction(0), Fraction(0), Fraction(0)
    for p, actions in enumerate(shape):
        u, scale = _integers(map(Fraction, payoffs[p]))
        gains = [[0] * actions for _ in range(actions)]
        step = prod(shape[p + 1 :])
        for place, w in zip(weights, mass, strict=True):
            told = place // step % actions
            first = place - told * step
            row, obeyed = gains[told], u[place]
            for j, paid in enumerate(u[first : first + step * actions : step]):
                row[j] += w * (paid - obeyed)
        common = unit * scale
        external = max(external, *(Fraction(sum(c), common) for c in zip(*gains, strict=True)))
        internal = max(internal, Fraction(max(map(max, gains)), common))
        swap = max(swap, Fraction(sum(map(max, gains)), common))
    return _compare_gaps((external, internal, swap), reported)


def check_nash(
    shape: Sequence[int],
    payoffs: Sequence[Sequence[Any]],
    strategies: Sequence[Sequence[Any]],
    reported: Sequence[Any],
) -> GapCheck:
    """Return each player's largest gain over independent mixed play."""
    mixed = [list(map(Fraction, row)) for row in strategies]
    found = []
    for p, actions in enumerate(shape):
        worth = [Fraction(0)] * actions
        for place, paid in enumerate(payoffs[p]):
            profile = _profile(place, shape)
            weight = Fraction(1)
            for q, action in enumerate(profile):
                weight *= 1 if q == p else mixed[q][action]
            worth[profile[p]] += weight * Fraction(paid)
        obeyed = sum((x * w for x, w in zip(mixed[p], worth, strict=True)), Fraction(0))
        found.append(max(worth) - obeyed)
    return _compare_gaps(tuple(found), reported)


def _compare_gaps(found: tuple[Fraction, ...], reported: Sequence[Any]) -> GapCheck:
    apart = (abs(f - Fraction(r)) for f, r in zip(found, reported, strict=True))
    return GapCheck(found, max(apart))


def _profile(place: int, shape: Sequence[int]) -> tuple[int, ...]:
    digits = []
    for base in reversed(shape):
        place, digit = divmod(place, base)
        digits.append(digit)
    return tuple(reversed(digits))


def _integers(values: Iterable[Fraction]) -> tuple[list[int], int]:
    """Return numerators over one common denominator."""
    fractions = list(values)
    common = lcm(*(v.denominator for v in fractions))
    return [v.numerator * (common // v.denominator) for v in fractions], common
