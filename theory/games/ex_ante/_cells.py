"""Products of simplices of laws at absent-minded sets, with the payoffs of histories on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm, prod

import numpy as np

from theory.games.ex_ante._bernstein import Counts, coefficient, corners, cut, edges, indices
from theory.games.ex_ante._forest import Forest

__all__ = ["Cell", "Law", "Laws", "degrees", "entries", "whole"]

Law = tuple[Fraction, ...]
Laws = Mapping[int, Law]
"""A law of moves at each absent-minded set."""


@dataclass(frozen=True, eq=False)
class Cell:
    """For each absent-minded set a simplex of laws, by its corners.

    ``table`` holds the Bernstein coefficients of the payoff of each history, times
    ``denominator``: an axis for each absent-minded set, then the histories.
    """

    corners: dict[int, tuple[Law, ...]]
    degrees: dict[int, int]
    table: np.ndarray
    denominator: int

    def rows(self) -> list[list[int]]:
        """Return the weights of the histories at each coefficient."""
        rows: list[list[int]] = self.table.reshape(-1, self.table.shape[-1]).tolist()
        return rows

    def values(self, histories: list[int]) -> np.ndarray:
        """Return the coefficients of the payoff of some histories together."""
        total: np.ndarray = self.table[..., histories].sum(axis=-1)
        return total

    def peak(self, values: np.ndarray) -> tuple[int, Laws]:
        """Return the largest value at a corner of the product, and the laws there."""
        ends = values[np.ix_(*(corners(len(c), self.degrees[k]) for k, c in self.corners.items()))]
        best = np.unravel_index(ends.argmax(), ends.shape)
        laws = {k: c[i] for (k, c), i in zip(self.corners.items(), best, strict=True)}
        return ends[best], laws

    def bend(self, values: np.ndarray) -> tuple[int, Law]:
        """Return a set and the middle of its edge, along which the payoff bends most."""
        bends = []
        for axis, (k, laws) in enumerate(self.corners.items()):
            for ends, places in edges(len(laws), self.degrees[k]):
                one, both, other = (values.take(each, axis) for each in places)
                bends.append((abs(one - 2 * both + other).max(), k, ends))
        _, k, ends = max(bends, key=lambda bend: bend[0])
        return k, tuple(Fraction(i in ends, 2) for i in range(len(self.corners[k])))

    def weights(self, infoset: int, law: Law) -> Law:
        """Return the weights of the corners of which ``law`` is the mean, some < 0 if outside."""
        from flint import fmpq, fmpq_mat

        laws = self.corners[infoset]
        n = len(laws)
        flat = [fmpq(each[m].numerator, each[m].denominator) for m in range(n) for each in laws]
        goal = [fmpq(p.numerator, p.denominator) for p in law]
        found = fmpq_mat(n, n, flat).solve(fmpq_mat(n, 1, goal)).entries()
        return tuple(Fraction(int(w.p), int(w.q)) for w in found)

    def pieces(self, infoset: int, weights: Law) -> list[Cell]:
        """Cut the simplex of a set at a point, given by the weights of its corners."""
        laws = self.corners[infoset]
        parts = [[w * p for p in law] for w, law in zip(weights, laws, strict=True)]
        point = tuple(sum(column, Fraction(0)) for column in zip(*parts, strict=True))
        return [self._piece(infoset, weights, point, i) for i, w in enumerate(weights) if w]

    def _piece(self, infoset: int, weights: Law, point: Law, i: int) -> Cell:
        axis, laws = list(self.corners).index(infoset), self.corners[infoset]
        matrix, divisor = cut(weights, i, self.degrees[infoset])
        return Cell(
            {**self.corners, infoset: (*laws[:i], point, *laws[i + 1 :])},
            self.degrees,
            np.moveaxis(np.tensordot(matrix, self.table, (1, axis)), 0, axis),
            self.denominator * divisor,
        )


def degrees(forest: Forest) -> dict[int, int]:
    """Return how often a path can pass each absent-minded set."""
    return {
        k: max(sum(j == k for j, _ in made) for payoff in forest.payoffs for made in payoff)
        for k in forest.absent
    }


def entries(forest: Forest) -> int:
    """Return the size of the table of a cell."""
    ways = (comb(d + forest.moves(k) - 1, d) for k, d in degrees(forest).items())
    return prod(ways) * len(forest.payoffs)


def whole(forest: Forest) -> Cell:
    """Return the cell of all laws."""
    degree = degrees(forest)
    simplices = {
        k: tuple(
            tuple(Fraction(m == i) for m in range(forest.moves(k))) for i in range(forest.moves(k))
        )
        for k in forest.absent
    }
    shape = [len(indices(forest.moves(k), d)) for k, d in degree.items()]
    table = np.full((*shape, len(forest.payoffs)), Fraction(0))
    for h, payoff in enumerate(forest.payoffs):
        for monomial, worth in payoff.items():
            block = np.array(worth)
            for k, d in degree.items():
                power = tuple(monomial.count((k, m)) for m in range(forest.moves(k)))
                block = np.multiply.outer(block, _column(power, d))
            table[..., h] += block
    common = lcm(*(v.denominator for v in table.flat))
    return Cell(simplices, degree, np.vectorize(int, otypes=[object])(table * common), common)


@lru_cache(maxsize=256)
def _column(power: Counts, degree: int) -> np.ndarray:
    return np.array([coefficient(power, index) for index in indices(len(power), degree)])
