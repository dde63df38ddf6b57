"""Nobody absent-minded: the best pure strategy, by branch and bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import accumulate
from math import gcd, lcm, prod
from typing import Final

import numpy as np

from theory.errors import LimitError
from theory.games._strategies import Behaviour
from theory.games.ex_ante._case_tree import Case, preorder
from theory.games.ex_ante._certificate import Certificate, PriceList
from theory.games.ex_ante._forest import Forest
from theory.games.ex_ante._move_weights import (
    MoveWeights,
    most_contested_set,
    move_weights,
    winners,
)
from theory.games.ex_ante._relaxation import Decided, Prices, bound
from theory.shared.text import short_text

__all__ = ["PureSearch"]


# --- The linear program whose dual gives good prices: floats that suggest and prove nothing

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


# --- Nobody absent-minded: the best pure strategy, by branch and bound

FEW: Final = 256
"""Up to so many ways to decide the sets that are left, no linear program is solved."""


class PureSearch:
    """Best-first search over the moves of shared sets, in integers.

    Payoffs of pure strategies are multiples of ``step``, so that a bound is as good as the
    multiple below it. A step has ``scale`` units, enough for prices to be whole numbers of them.
    """

    def __init__(self, forest: Forest, limit: int) -> None:
        self.forest = forest
        self.limit = limit
        self.cuts = self.programs = self.cases = 0
        worth = [payoff.get((), Fraction(0)) for payoff in forest.payoffs]
        common = lcm(*(w.denominator for w in worth))
        whole = [w.numerator * (common // w.denominator) for w in worth]
        steps = gcd(*whole) or 1
        self.step = Fraction(steps, common)
        self.scale = 1 << (4 * len(worth)).bit_length()
        self.weights = [w // steps * self.scale for w in whole]
        self.prices = [Prices(forest, [0] * len(worth))]
        self.open: list[tuple[int, int, Case, list[int]]] = []
        self.best, self.chosen = self._payoff(dict.fromkeys(forest.shared, 0))

    def run(self) -> Certificate:
        """Return the optimum with its certificate.

        Raises
        ------
        LimitError
            Where more than ``limit`` cases would have to be cut.
        """
        root = Case({})
        self._add(root)
        while self.open and not self._closes(-self.open[0][0]):
            ceiling, _, case, chosen = heappop(self.open)
            by_set = self._weigh_moves(case, -ceiling, chosen)
            if by_set:
                self._count_cut(-ceiling)
                infoset = most_contested_set(by_set)
                for each in case.branch(infoset, self.forest.moves(infoset)):
                    self._add(each)
        return self._certificate(root)

    def _add(self, case: Case) -> None:
        prices = self.prices[case.prices]
        ceiling, chosen = bound(self.forest, self.weights, case.decided, prices)
        self.cases += 1
        heappush(self.open, (-ceiling, -self.cases, case, chosen))

    def _closes(self, ceiling: int) -> bool:
        return ceiling // self.scale <= self.best

    def _weigh_moves(self, case: Case, ceiling: int, chosen: list[int]) -> MoveWeights | None:
        """Return what speaks for the moves that a case leaves open, or None where it closes."""
        by_set = move_weights(self.forest, chosen, case.decided)
        self._try(case, by_set)
        many = prod(self.forest.moves(k) for k in by_set) > FEW
        if many and not self._closes(ceiling):
            suggestion = suggest(self.forest, self.weights, case.decided)
            if suggestion is not None:
                self.programs += 1
                by_set = suggestion.mixtures
                self._try(case, by_set)
                lower, _ = bound(self.forest, self.weights, case.decided, suggestion.prices)
                if lower < ceiling:
                    ceiling, case.prices = lower, len(self.prices)
                    self.prices.append(suggestion.prices)
        return None if self._closes(ceiling) else by_set

    def _try(self, case: Case, by_set: MoveWeights) -> None:
        """Give every set the move of the most weight, and keep the strategy if it is better."""
        value, chosen = self._payoff({**case.decided, **winners(by_set)})
        if value > self.best:
            self.best, self.chosen = value, chosen

    def _payoff(self, decided: Decided) -> tuple[int, list[int]]:
        """Return the best payoff in steps, and what attains it, once shared sets are decided."""
        value, chosen = bound(self.forest, self.weights, decided, self.prices[0])
        return value // self.scale, chosen

    def _count_cut(self, ceiling: int) -> None:
        if self.cuts >= self.limit:
            low, high = self.best * self.step, ceiling // self.scale * self.step
            raise LimitError(
                "cuts",
                self.limit,
                f"do not suffice: the optimum is between {short_text(low)} and {short_text(high)}",
                "give a higher limit, or a smaller game",
            )
        self.cuts += 1

    def _certificate(self, root: Case) -> Certificate:
        moves = [0] * len(self.forest.game.infosets)
        for p, k in enumerate(self.forest.infoset):
            moves[k] = self.chosen[p]
        value = self.best * self.step
        return Certificate(
            strategy=Behaviour.pure(self.forest.game, moves),
            value=value,
            bound=value,
            steps=tuple(preorder(root)),
            prices=tuple(map(self._list_prices, self.prices)),
        )

    def _list_prices(self, prices: Prices) -> PriceList:
        unit = self.step / self.scale
        forest = self.forest
        return PriceList(
            unit.denominator,
            tuple(
                (forest.node[p], m, prices.of[forest.first[p] + m] * unit.numerator)
                for k in forest.shared
                for p in forest.points[k]
                for m in range(forest.moves(k))
                if prices.of[forest.first[p] + m]
            ),
        )
