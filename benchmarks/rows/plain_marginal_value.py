"""The marginal-value equilibrium by plain recursion, straight from the definition, no library."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

__all__ = ["final_set", "over_all_histories"]


def final_set(utilities: Sequence[Sequence[Any]], prices: Sequence[Any], *, single: bool) -> int:
    """What is revealed in the end; each revealed set is solved once. A set is an integer."""
    everything = 2 ** len(prices) - 1
    judged = [
        max(range(len(utilities)), key=lambda x: utilities[x][s]) for s in range(2 ** len(prices))
    ]

    def price(new: int) -> Any:
        return sum(p for j, p in enumerate(prices) if new >> j & 1)

    def moves(free: int) -> list[int]:
        if single:
            return [1 << j for j in range(len(prices)) if free >> j & 1]
        found, new = [], free
        while new:
            found.append(new)
            new = new - 1 & free
        return found

    costs = [price(new) for new in range(everything + 1)]

    @cache
    def ends(shown: int) -> int:
        best, final = 0, shown
        for new in moves(everything & ~shown):
            after = ends(shown | new)
            reward = (
                utilities[judged[shown | new]][after] - utilities[judged[shown]][after] - costs[new]
            )
            if reward > best:
                best, final = reward, after
        return final

    for shown in range(everything, -1, -1):
        ends(shown)
    return ends(0)


def over_all_histories(
    utilities: Sequence[Sequence[Any]], prices: Sequence[Any], *, single: bool
) -> int:
    """The same without remembering any set: every history is walked through."""
    judged = [
        max(range(len(utilities)), key=lambda x: utilities[x][s]) for s in range(2 ** len(prices))
    ]
    items = range(len(prices))

    def ends(shown: int) -> int:
        free = [j for j in items if not shown >> j & 1]
        news = [1 << j for j in free]
        if not single:
            news = [
                sum(1 << j for k, j in enumerate(free) if m >> k & 1)
                for m in range(1, 2 ** len(free))
            ]
        best, final = 0, shown
        for new in news:
            after = ends(shown | new)
            cost = sum(prices[j] for j in free if new >> j & 1)
            reward = utilities[judged[shown | new]][after] - utilities[judged[shown]][after] - cost
            if reward > best:
                best, final = reward, after
        return final

    return ends(0)
