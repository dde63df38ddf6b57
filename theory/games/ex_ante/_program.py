"""The linear program whose dual gives good prices: floats that suggest and prove nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np

from theory.games.ex_ante._forest import Forest
from theory.games.ex_ante._relaxation import Decided, Prices

__all__ = ["Suggestion", "suggest"]

_BITS: Final = 50
"""Duals are rounded to multiples of 2 to the minus this, of the largest weight."""


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Prices in the unit of the weights, and a law of moves at each undecided shared set."""

    prices: Prices
    mixtures: dict[int, list[float]]


def suggest(forest: Forest, weights: Sequence[int], decided: Decided) -> Suggestion | None:
    """Solve the linear relaxation in float64 by HiGHS; None where that fails.

    Maximise Σ w(h) r(h) over r ≥ 0 and x ≥ 0. Once the start has r = 1, the moves at a point share
    the r of the history before it; in undecided shared sets r(p, m) ≤ x(k, m), and the x of a set
    sum to 1. The duals of r(p, m) ≤ x(k, m) are the prices.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    histories, points = len(forest.payoffs), len(forest.infoset)
    undecided = [k for k in forest.shared if k not in decided]
    sizes = [forest.moves(k) for k in undecided]
    starts = dict(zip(undecided, accumulate(sizes, initial=histories), strict=False))
    columns = histories + sum(sizes)

    equal = [
        (points + i, starts[k] + m, 1) for i, k in enumerate(undecided) for m in range(sizes[i])
    ]
    below: list[tuple[int, int, int]] = []
    priced: list[int] = []
    upper = [True] * columns
    for p, k in enumerate(forest.infoset):
        equal.append((p, forest.before[p], -1))
        for m in range(forest.moves(k)):
            h = forest.first[p] + m
            equal.append((p, h, 1))
            upper[h] = decided.get(k, m) == m
            if k in starts:
                below += [(len(priced), h, 1), (len(priced), starts[k] + m, -1)]
                priced.append(h)

    def matrix(entries: list[tuple[int, int, int]], rows: int) -> coo_array:
        i, j, values = zip(*entries, strict=True)
        return coo_array((values, (i, j)), shape=(rows, columns), dtype=np.float64)

    largest = max(map(abs, weights)) or 1
    solved = linprog(
        [-w / largest for w in weights] + [0.0] * (columns - histories),
        A_ub=matrix(below, len(priced)),
        b_ub=np.zeros(len(priced)),
        A_eq=matrix(equal, points + len(undecided)),
        b_eq=[0] * points + [1] * len(undecided),
        bounds=[(1, 1), *((0, most) for most in upper[1:])],
        method="highs",
    )
    if solved.status != 0:
        return None
    prices = [0] * histories
    for h, dual in zip(priced, solved.ineqlin.marginals, strict=True):
        prices[h] = max(0, round(-dual * 2**_BITS) * largest >> _BITS)
    return Suggestion(
        Prices(forest, prices),
        {k: solved.x[start : start + forest.moves(k)].tolist() for k, start in starts.items()},
    )
