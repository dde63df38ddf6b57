"""What a mechanism returns: an allocation, possibly a lottery, and a payment from each agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from theory.errors import InvalidInputError, ProbabilityError
from theory.numbers import rational
from theory.shared.arguments import refusing
from theory.shared.printable import printed_line
from theory.shared.text import short_text

__all__ = ["Lottery", "Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a profile of reports.

    Attributes
    ----------
    allocation : object
        A winner's index or ``None``, a vector with an entry an agent, a named outcome, …; or a
        :class:`Lottery` over such.
    payments : iterable of numbers
        One an agent, what the agent pays; below 0 is a transfer to the agent. Expected payments
        where the allocation is a lottery.
    """

    allocation: Any
    payments: Iterable[Any]


def _probability(p: object) -> Fraction:
    if isinstance(p, float | np.floating):
        if not isfinite(p):
            raise ProbabilityError("lottery", p, "is not a finite number", "give probabilities")
        return Fraction(float(p))
    return rational(p, "lottery")


@refusing
class Lottery:
    """A probability law over finitely many allocations.

    Parameters
    ----------
    probabilities : mapping, or iterable of pairs (allocation, probability)
        Non-negative numbers with sum 1. A float is the rational that it stands for, and a sum
        that is 1 only up to rounding is accepted where there are floats. Pairs may repeat an
        allocation, and allocations in pairs need not be hashable.

    Raises
    ------
    ProbabilityError
        Where a probability is negative or the sum is not 1.

    Examples
    --------
    >>> print(Lottery({"left": "1/3", "right": "2/3"}))
    left with 1/3, right with 2/3
    """

    __slots__ = ("inexact", "support")

    def __init__(self, probabilities: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> None:
        pairs = list(probabilities.items() if isinstance(probabilities, Mapping) else probabilities)
        if not pairs:
            raise InvalidInputError("lottery", pairs, "is empty", "give at least one allocation")
        floats = {type(p) for _, p in pairs if isinstance(p, float | np.floating)}
        self.inexact = bool(floats)
        read = [(a, _probability(p)) for a, p in pairs]
        total = sum((p for _, p in read), start=Fraction(0))
        coarsest = max((float(np.finfo(kind).eps) for kind in floats), default=0.0)
        rounding = 4 * len(read) * Fraction(coarsest)
        if any(p < 0 for _, p in read) or abs(total - 1) > rounding:
            negative = any(p < 0 for _, p in read)
            problem = "has a probability below 0" if negative else f"has sum {short_text(total)}"
            fix = "give non-negative probabilities with sum 1"
            raise ProbabilityError("lottery", [str(p) for _, p in read], problem, fix)
        self.support: tuple[tuple[Any, Fraction], ...] = tuple((a, p) for a, p in read if p)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lottery) and self.support == other.support

    def __hash__(self) -> int:
        return hash(self.support)

    def __repr__(self) -> str:
        return f"Lottery({list(self.support)!r})"

    @printed_line
    def __str__(self) -> str:
        return ", ".join(f"{a} with {p}" for a, p in self.support)
