"""The checker's own arithmetic of polynomials on products of simplices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from operator import mul

from theory.games.ex_ante._reading import Passes, Reading

__all__ = ["Table", "pieces", "table"]

Index = tuple[tuple[int, ...], ...]
"""For each forgetful set, how often each corner counts; in all, as often as it can be passed."""

Table = dict[Index, list[int]]
"""At each index the Bernstein coefficient of the payoff of each history, over one denominator."""


def table(reading: Reading) -> tuple[Table, int]:
    """Return the coefficients on the simplices of all laws, and their denominator.

    A term that passes a set less often than the degree is multiplied by (sum of its moves)'
    probabilities, which is 1, until all terms have the same degree.
    """
    sets = list(reading.forgetful)
    degrees = [
        max(sum(j == k for j, _ in passes) for terms in reading.payoffs for _, passes in terms)
        for k in sets
    ]

    def expanded(passes: Passes) -> dict[Index, int]:
        polynomial = {tuple((0,) * reading.forgetful[k] for k in sets): 1}
        for s, k in enumerate(sets):
            made = [m for j, m in passes if j == k]
            for m in made:
                polynomial = _times(polynomial, s, [m])
            for _ in range(degrees[s] - len(made)):
                polynomial = _times(polynomial, s, range(reading.forgetful[k]))
        return polynomial

    ways = expanded(())
    each = lcm(*ways.values())
    unit = lcm(*(weight.denominator for terms in reading.payoffs for weight, _ in terms))
    found = {index: [0] * len(reading.payoffs) for index in ways}
    for h, terms in enumerate(reading.payoffs):
        totals: dict[Passes, int] = {}
        for weight, passes in terms:
            product = tuple(sorted(passes))
            whole = weight.numerator * (unit // weight.denominator)
            totals[product] = totals.get(product, 0) + whole
        for product, total in totals.items():
            for index, count in expanded(product).items():
                found[index][h] += total * count * (each // ways[index])
    return found, unit * each


def pieces(whole: Table, axis: int, weights: Sequence[Fraction]) -> tuple[list[Table], int]:
    """Return the coefficients on the pieces that meet in a point, times the factor returned.

    De Casteljau's algorithm: each pass replaces one corner by the mean of all, and the coefficient
    of a piece at an index is met after as many passes as the index counts the new corner.
    """
    common = lcm(*(w.denominator for w in weights))
    parts = [w.numerator * (common // w.denominator) for w in weights]
    corners = range(len(weights))
    found: list[Table] = [{} for _ in corners]
    layer, degree = whole, sum(next(iter(whole))[axis])
    for passes in range(degree + 1):
        scale = common ** (degree - passes)
        for index, row in layer.items():
            scaled = [scale * v for v in row]
            for i in corners:
                if index[axis][i] == 0:
                    found[i][_moved(index, axis, i, passes)] = scaled
        lower = {_moved(index, axis, i, -1) for index in layer for i in corners if index[axis][i]}
        layer = {
            index: _combined(parts, [layer[_moved(index, axis, i, 1)] for i in corners])
            for index in lower
        }
    return [piece for piece, part in zip(found, parts, strict=True) if part], common**degree


def _times(polynomial: dict[Index, int], axis: int, moves: Iterable[int]) -> dict[Index, int]:
    """Multiply by the sum of the probabilities of some moves."""
    result: dict[Index, int] = {}
    for m in moves:
        for index, count in polynomial.items():
            moved = _moved(index, axis, m, 1)
            result[moved] = result.get(moved, 0) + count
    return result


def _moved(index: Index, axis: int, i: int, by: int) -> Index:
    counts = index[axis]
    return (*index[:axis], (*counts[:i], counts[i] + by, *counts[i + 1 :]), *index[axis + 1 :])


def _combined(parts: Sequence[int], rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(map(mul, parts, column)) for column in zip(*rows, strict=True)]
