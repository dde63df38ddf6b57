"""The Lagrangian bound: points decide apart, and pay where their information set must agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import sub

from theory.games.ex_ante._forest import Forest

__all__ = ["Decided", "Prices", "bound"]

Decided = Mapping[int, int]
"""The move of each information set that has been decided."""


class Prices:
    """A price ≥ 0 on each history, with sums over the points of each shared set, by move."""

    def __init__(self, forest: Forest, of: Sequence[int]) -> None:
        self.of = of
        self.sums = {
            k: [
                sum(of[forest.first[p] + m] for p in forest.points[k])
                for m in range(forest.moves(k))
            ]
            for k in forest.shared
        }


def bound(
    forest: Forest, weights: Sequence[int], decided: Decided, prices: Prices
) -> tuple[int, list[int]]:
    """Return an upper bound on the payoff of pure strategies, and the best move at each point.

    With w the weights of the histories and μ(p, m) the price of move m at point p, none where the
    set is decided,

        V(h) = w(h) + Σ over points p after h of max over m of V(p, m) − μ(p, m)

    and the bound is V(start) + Σ over undecided shared sets of max over m of Σ_p μ(p, m). A pure
    strategy pays at the points that it reaches, and each set gets back at least as much. Where
    every shared set is decided, the bound is the best payoff, and the moves attain it.
    """
    first, infoset, before, paid = forest.first, forest.infoset, forest.before, prices.of
    value = list(weights)
    chosen = [0] * len(infoset)
    for p in range(len(infoset) - 1, -1, -1):
        start, stop = first[p], first[p + 1]
        move = decided.get(infoset[p])
        if move is None:
            worth = list(map(sub, value[start:stop], paid[start:stop]))
            best = max(worth)
            move = worth.index(best)
        else:
            best = value[start + move]
        chosen[p] = move
        value[before[p]] += best
    back = sum(max(sums) for k, sums in prices.sums.items() if k not in decided)
    return value[0] + back, chosen
