"""Paths of a traced run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from theory.proofs._polynomial import Condition, Polynomial

__all__ = ["Path"]


@dataclass(frozen=True)
class Path:
    """One way through a traced run: what it assumed, and one number that came out.

    The number is ``numerator`` / ``denominator``, and the denominator is above zero.
    """

    conditions: tuple[Condition, ...]
    numerator: Polynomial
    denominator: Polynomial

    def taken(self, at: Mapping[str, Fraction]) -> bool:
        """Whether this path is the one that the run takes at a point."""
        return all(condition.holds(at) for condition in self.conditions)

    def value(self, at: Mapping[str, Fraction]) -> Fraction:
        """Return the number at a point of the path."""
        return self.numerator.value(at) / self.denominator.value(at)
