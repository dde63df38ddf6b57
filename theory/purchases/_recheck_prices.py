"""Whether other prices earn more: all of them at once, over all sets of passages."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

import numpy as np

__all__ = ["check_best_prices"]

Amounts = Sequence[Fraction]


def check_best_prices(
    chances: Sequence[Amounts],
    customers: Sequence[tuple[Amounts, Fraction | None, Fraction]],
    menus: Sequence[Amounts],
    prices: Amounts,
    revenue: Fraction,
) -> Fraction:
    """Return what other prices earn more, or by how much the revenue at these prices is not so.

    All vectors of prices are rows of an array of integers, in units that all amounts are multiples
    of, and all sets its columns; customers have worths, a budget and a weight.
    """
    vectors = [*product(*menus)]
    at = vectors.index(tuple(prices))
    masks = np.array([[m >> k & 1 for m in range(1 << len(menus))] for k in range(len(menus))])
    masks = masks.reshape(len(menus), 1 << len(menus))
    total = [Fraction(0)] * len(vectors)
    for worths, budget, weight in customers:
        values = [_value(chances, worths, mask) for mask in range(masks.shape[1])]
        amounts = [*values, *(price for menu in menus for price in menu), budget or Fraction(0)]
        unit = lcm(*(amount.denominator for amount in amounts))
        costs = _whole(vectors, unit).reshape(len(vectors), len(menus)) @ masks.astype(object)
        gains = _whole([values], unit) - costs
        if budget is not None:
            gains = np.where(costs > int(budget * unit), -1, gains)
        best = gains.max(axis=1, keepdims=True)
        paid = np.where(gains == best, costs, costs.max() + 1).min(axis=1)
        total = [
            sum_ + weight * Fraction(int(p), unit) for sum_, p in zip(total, paid, strict=True)
        ]
    return max(max(total) - total[at], abs(total[at] - revenue))


def _whole(rows: Sequence[Amounts], unit: int) -> Any:
    return np.array([[int(amount * unit) for amount in row] for row in rows], dtype=object)


def _value(chances: Sequence[Amounts], worths: Amounts, mask: int) -> Fraction:
    value = Fraction(0)
    for fact, worth in enumerate(worths):
        missed = Fraction(1)
        for place, row in enumerate(chances):
            if mask >> place & 1:
                missed *= 1 - row[fact]
        value += worth * (1 - missed)
    return value
