"""Garblings and values recomputed from the definitions, with plain loops and no solver."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

__all__ = ["garbling_residual", "value"]

Rows = Sequence[Sequence[Fraction]]


def garbling_residual(a: Rows, b: Rows, garbling: Rows) -> Fraction:
    """Return the largest amount by which ``garbling`` fails to turn experiment a into b.

    That is the maximum of |Σ_s a[w, s] G[s, t] − b[w, t]|, of |Σ_t G[s, t] − 1| and of −G[s, t].
    """
    worst = Fraction(0)
    for kernel in garbling:
        total = Fraction(0)
        for p in kernel:
            worst = max(worst, -p)
            total += p
        worst = max(worst, abs(total - 1))
    for given, wanted in zip(a, b, strict=True):
        for t, target in enumerate(wanted):
            reached = Fraction(0)
            for s, p in enumerate(given):
                reached += p * garbling[s][t]
            worst = max(worst, abs(reached - target))
    return worst


def value(experiment: Rows, prior: Sequence[Fraction], utilities: Rows) -> Fraction:
    """Return Σ_s max_x Σ_w prior[w] experiment[w, s] utilities[x, w]: the ex-ante value."""
    total = Fraction(0)
    for s in range(len(experiment[0])):
        payoffs = []
        for action in utilities:
            payoff = Fraction(0)
            for w, p in enumerate(prior):
                payoff += p * experiment[w][s] * action[w]
            payoffs.append(payoff)
        total += max(payoffs)
    return total
