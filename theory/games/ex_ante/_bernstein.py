"""Polynomials on a simplex by their Bernstein coefficients: the largest is an upper bound.

On the simplex with corners c_1, ..., c_k a polynomial of degree d is Σ_α b_α (d over α) λ^α, with λ
the weights of the corners and α the ways to write d = α_1 + ... + α_k. The (d over α) λ^α are ≥ 0
and sum to 1, so every value is a mean of coefficients; at α = d e_i stands the value at corner i.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations
from math import factorial, lcm, prod

import numpy as np

__all__ = ["Counts", "coefficient", "corners", "cut", "edges", "indices"]

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
