"""The gradient of a logit likelihood again, by plain sums over choices and alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum

__all__ = ["check_gradient"]

Table = Sequence[Sequence[float]]


def check_gradient(choices: Sequence[tuple[Table, int]], beta: Sequence[float]) -> float:
    """Return the largest entry; each choice is what was offered, and which was taken."""
    terms: list[list[float]] = [[] for _ in beta]
    for table, chosen in choices:
        worth = [fsum(b * x for b, x in zip(beta, row, strict=True)) for row in table]
        top = max(worth)
        weights = [exp(each - top) for each in worth]
        total = fsum(weights)
        for k, each in enumerate(terms):
            each.append(table[chosen][k])
            each += [-w / total * row[k] for w, row in zip(weights, table, strict=True)]
    return max(abs(fsum(each)) for each in terms)
