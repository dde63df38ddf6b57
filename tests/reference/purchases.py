"""Sets of passages, one after the other: what each is worth, and which is the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

__all__ = ["best", "gain", "payable", "worth"]

Row = Sequence[Fraction]


def payable(prices: Row, budget: Fraction | None) -> Iterator[tuple[int, ...]]:
    """Yield the sets that can be paid, the smallest first."""
    for size in range(len(prices) + 1):
        for some in combinations(range(len(prices)), size):
            if budget is None or sum(prices[k] for k in some) <= budget:
                yield some


def worth(some: Sequence[int], chances: Sequence[Row], worths: Row) -> Fraction:
    """Return what a set is worth: case by case, over what each of its passages states."""
    total = Fraction(0)
    for fact, value in enumerate(worths):
        for states in product((False, True), repeat=len(some)):
            likely = Fraction(1)
            for k, stated in zip(some, states, strict=True):
                likely *= chances[k][fact] if stated else 1 - chances[k][fact]
            total += likely * value * any(states)
    return total


def gain(some: Sequence[int], prices: Row, chances: Sequence[Row], worths: Row) -> Fraction:
    """Return the worth of a set less its price."""
    return worth(some, chances, worths) - sum((prices[k] for k in some), Fraction(0))


def best(
    prices: Row, chances: Sequence[Row], worths: Row, budget: Fraction | None
) -> tuple[int, ...]:
    """Return the set of the greatest gain; of equals the cheapest, the smallest, the first."""
    return min(
        payable(prices, budget),
        key=lambda some: (
            -gain(some, prices, chances, worths),
            sum(prices[k] for k in some),
            len(some),
            some,
        ),
    )
