"""Someone absent-minded: the best behaviour strategy, enclosed by branch and bound."""

from __future__ import annotations

from fractions import Fraction
from heapq import heappop, heappush
from math import lcm, prod
from typing import Final

from theory.games._strategies import Behaviour
from theory.games.ex_ante._case_tree import Case, preorder
from theory.games.ex_ante._cells import Cell, Law, Laws, whole
from theory.games.ex_ante._certificate import Certificate, PriceList
from theory.games.ex_ante._forest import Forest
from theory.games.ex_ante._move_weights import (
    disagreement,
    most_contested_set,
    move_weights,
    reached_points,
    winners,
)
from theory.games.ex_ante._relaxation import Decided, Prices, bound

__all__ = ["AbsentSearch"]

_SIMPLE: Final = 12
"""Better laws are tried rounded to fractions with denominators up to this."""


class AbsentSearch:
    """Best-first search over cells of laws, and over the moves of shared sets.

    With pure moves at the other sets the payoff on a cell is a polynomial of the laws, and a mean
    of its Bernstein coefficients. These add up along histories, so that at each index the bound
    for a game without absent-minded sets bounds the coefficient; the largest bounds the cell.
    Cells that cannot beat the best strategy by more than the tolerance are not kept, only the
    largest of their bounds, ``closed``.
    """

    def __init__(self, forest: Forest, limit: int, tolerance: Fraction) -> None:
        self.forest = forest
        self.limit = limit
        self.tolerance = tolerance
        self.cuts = self.programs = self.cases = 0
        self.free = Prices(forest, [0] * len(forest.payoffs))
        self.open: list[tuple[Fraction, int, Case, Cell, list[int]]] = []
        self.laws: Laws = {
            k: (Fraction(1), *(Fraction(0),) * (forest.moves(k) - 1)) for k in forest.absent
        }
        self.best, self.chosen = self._payoff(dict.fromkeys(forest.points, 0), self.laws)
        self.closed = self.best

    def run(self) -> Certificate:
        """Return the best strategy found, with a certified bound on all others."""
        root = Case({})
        self._add(root, whole(self.forest))
        while self.open and self._worth_it(-self.open[0][0]) and self.cuts < self.limit:
            self._expand(*heappop(self.open)[2:])
            self.cuts += 1
        ceilings = (-key for key, *_ in self.open[:1])
        return Certificate(
            strategy=self._strategy(),
            value=self.best,
            bound=max(self.best, self.closed, *ceilings),
            steps=tuple(preorder(root)),
            prices=(PriceList(1, ()),),
        )

    def _worth_it(self, ceiling: Fraction) -> bool:
        return ceiling > self.best + self.tolerance

    def _add(self, case: Case, cell: Cell) -> None:
        bounds = (bound(self.forest, row, case.decided, self.free) for row in cell.rows())
        largest, chosen = max(bounds, key=lambda found: found[0])
        ceiling = Fraction(largest, cell.denominator)
        value, laws = cell.peak(cell.values(self._histories(chosen)))
        if value > self.best * cell.denominator:
            by_set = move_weights(self.forest, chosen, case.decided)
            self._try({**case.decided, **winners(by_set)}, laws)
        if self._worth_it(ceiling):
            self.cases += 1
            heappush(self.open, (-ceiling, -self.cases, case, cell, chosen))
        else:
            self.closed = max(self.closed, ceiling)

    def _expand(self, case: Case, cell: Cell, chosen: list[int]) -> None:
        by_set = move_weights(self.forest, chosen, case.decided)
        if any(map(disagreement, by_set.values())):
            infoset = most_contested_set(by_set)
            for each in case.branch(infoset, self.forest.moves(infoset)):
                self._add(each, cell)
        else:
            k, weights = self._cut(cell, chosen)
            for each, piece in zip(case.split(k, weights), cell.pieces(k, weights), strict=True):
                self._add(each, piece)

    def _cut(self, cell: Cell, chosen: list[int]) -> tuple[int, Law]:
        """Return a set and where to cut: at its best law so far, if that is new and inside."""
        k, middle = cell.curvature(cell.values(self._histories(chosen)))
        inside = {j: cell.weights(j, law) for j, law in self.laws.items()}
        if min(map(min, inside.values())) >= 0 and max(inside[k]) < 1:
            return k, inside[k]
        return k, middle

    def _try(self, decided: Decided, laws: Laws) -> None:
        """Keep a strategy if it is better than the best, then try simpler laws near it."""
        value, chosen = self._payoff(decided, laws)
        if value > self.best:
            self.best, self.chosen, self.laws = value, chosen, laws
            for q in range(1, _SIMPLE + 1):
                simple = {k: _round_law(law, q) for k, law in laws.items()}
                value, chosen = self._payoff(decided, simple)
                if value > self.best:
                    self.best, self.chosen, self.laws = value, chosen, simple

    def _histories(self, chosen: list[int]) -> list[int]:
        """Return the histories that the choices lead to."""
        return [0, *(self.forest.first[p] + chosen[p] for p in reached_points(self.forest, chosen))]

    def _payoff(self, decided: Decided, laws: Laws) -> tuple[Fraction, list[int]]:
        """Return the bound at the given laws, which is exact where all shared sets are decided."""
        weights = [
            sum(
                (c * prod(laws[k][m] for k, m in passed) for passed, c in payoff.items()),
                Fraction(0),
            )
            for payoff in self.forest.payoffs
        ]
        common = lcm(*(w.denominator for w in weights))
        value, chosen = bound(self.forest, [int(w * common) for w in weights], decided, self.free)
        return Fraction(value, common), chosen

    def _strategy(self) -> Behaviour:
        """Return the best strategy; at sets that no play reaches it makes the first move."""
        game = self.forest.game
        moves = [0] * len(game.infosets)
        for p, k in enumerate(self.forest.infoset):
            moves[k] = self.chosen[p]
        laws = Behaviour.pure(game, moves).probabilities
        return Behaviour(tuple(self.laws.get(k, law) for k, law in enumerate(laws)))


def _round_law(law: Law, q: int) -> Law:
    """Return the law in multiples of 1/q that is nearest, by the largest remainders."""
    down = [int(p * q) for p in law]
    order = sorted(range(len(law)), key=lambda m: down[m] - law[m] * q)
    for m in order[: q - sum(down)]:
        down[m] += 1
    return tuple(Fraction(n, q) for n in down)
