"""Checks of weights and indices in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.shared.compiling import kernel

__all__ = ["first_fault", "off_diagonal", "proper", "sum_in_order"]


@kernel
def first_fault(indices: Any, weights: Any, limit: Any) -> Any:
    """Return where the first bad index and the first bad weight stand (-1: none), and the sum."""
    index, weight, total = -1, -1, 0.0
    for e in range(len(weights)):
        if weight < 0 and not (weights[e] >= 0.0 and weights[e] < np.inf):
            weight = e
        total += weights[e]
    for e in range(len(indices)):
        if indices[e] < 0 or indices[e] > limit:
            index = e
            break
    return index, weight, total


@kernel
def proper(sources: Any, targets: Any, weights: Any) -> Any:
    """Return how many moves have weight and leave their source."""
    count = 0
    for e in range(len(weights)):
        count += weights[e] > 0.0 and sources[e] != targets[e]
    return count


@kernel
def off_diagonal(matrix: Any) -> Any:
    """Return rows, columns and values of what is positive off the diagonal, and the row sums.

    The sum of a row with a negative entry, or one that is not finite, is NaN.
    """
    n, count = len(matrix), 0
    sums = np.zeros(n)
    for i in range(n):
        row, total = matrix[i], 0.0
        for j in range(n):
            p = row[j]
            total += p if p >= 0.0 else np.nan
            count += p > 0.0
        sums[i] = total
    rows, columns, values = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count)
    at = 0
    for i in range(n):
        row = matrix[i]
        for j in range(n):
            if row[j] > 0.0 and i != j:
                rows[at], columns[at], values[at] = i, j, row[j]
                at += 1
    return rows[:at], columns[:at], values[:at], sums


@kernel
def sum_in_order(values: Any) -> Any:
    """Return the sum of numbers, from the first to the last."""
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total
