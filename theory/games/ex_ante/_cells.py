"""Products of simplices of laws at absent-minded sets, with the payoffs of histories on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations
from math import comb, factorial, lcm, prod

import numpy as np

from theory.games.ex_ante._forest import Forest

__all__ = ["Cell", "Law", "Laws", "degrees", "entries", "whole"]


# --- Polynomials on a simplex by their Bernstein coefficients: the largest is an upper bound

Counts = tuple[int, ...]


@cache
def indices(size: int, degree: int) -> tuple[Counts, ...]:
    """Return the ways to write ``degree`` as a sum of ``size`` numbers ≥ 0."""
    end = degree + size - 1
    return tuple(
        tuple(b - a - 1 for a, b in zip((-1, *bars), (*bars, end), strict=True))
        for bars in combinations(range(end), size - 1)
    )


@cache
def corners(size: int, degree: int) -> list[int]:
    """Return the places of the values at the corners."""
    every = indices(size, degree)
    return [every.index(tuple(degree * (i == j) for j in range(size))) for i in range(size)]


@cache
def edges(size: int, degree: int) -> list[tuple[tuple[int, int], list[list[int]]]]:
    """Return each edge ij with the places of b(β + 2e_i), b(β + e_i + e_j) and b(β + 2e_j).

    Where b(β + 2e_i) − 2 b(β + e_i + e_j) + b(β + 2e_j) is 0 for all β and all edges, the
    polynomial is linear.
    """
    every = indices(size, degree)

    def places(i: int, j: int) -> list[int]:
        return [
            every.index(tuple(n + (m == i) + (m == j) for m, n in enumerate(rest)))
            for rest in indices(size, degree - 2)
        ]

    return [
        ((i, j), [places(i, i), places(i, j), places(j, j)]) for i in range(size) for j in range(i)
    ]


def coefficient(power: Counts, index: Counts) -> Fraction:
    """Return the coefficient at ``index`` of the monomial x^power on the unit simplex.

    That is (d − |n| over α − n) / (d over α), and 0 unless α ≥ n.
    """
    rest = tuple(a - n for a, n in zip(index, power, strict=True))
    return Fraction(_ways(rest), _ways(index)) if min(rest) >= 0 else Fraction(0)


@lru_cache(maxsize=64)
def cut(weights: tuple[Fraction, ...], corner: int, degree: int) -> tuple[np.ndarray, int]:
    """Return the integers, and what to divide by, that turn coefficients into those of a piece.

    The piece has the point with these weights in place of a corner. Its coefficient at α is the
    polar form of the polynomial at the corners α and, α_corner times, at the point.
    """
    common = lcm(*(w.denominator for w in weights))
    whole = [w.numerator * (common // w.denominator) for w in weights]
    every = indices(len(weights), degree)
    matrix = np.zeros((len(every), len(every)), dtype=object)
    for i, new in enumerate(every):
        kept = (*new[:corner], 0, *new[corner + 1 :])
        for j, old in enumerate(every):
            rest = tuple(b - a for a, b in zip(kept, old, strict=True))
            if min(rest) >= 0:
                spread = prod(w**n for w, n in zip(whole, rest, strict=True))
                matrix[i, j] = _ways(rest) * spread * common ** (degree - new[corner])
    return matrix, common**degree


def _ways(counts: Counts) -> int:
    return factorial(sum(counts)) // prod(map(factorial, counts))


# --- Products of simplices of laws at absent-minded sets, with the payoffs of histories on them

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

    def curvature(self, values: np.ndarray) -> tuple[int, Law]:
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
