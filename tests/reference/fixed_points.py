"""All stationary laws of a finite Markov chain in Fractions.

P[i][j] is the probability of going from i to j; x is stationary if x P = x. The stationary laws are
the mixtures of those of the closed classes, one each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Matrix = Sequence[Sequence[Any]]


def matrix(
    size: int, moves: Mapping[tuple[int, int], Any], constants: Mapping[int, Any]
) -> list[list[Any]]:
    """Moves i -> j, constant maps to j, and the identity with the weight that they leave."""
    identity = 1 - sum(moves.values()) - sum(constants.values())
    maps = [(identity, tuple(range(size)))]
    maps += [(w, tuple(j if a == i else a for a in range(size))) for (i, j), w in moves.items()]
    maps += [(w, (j,) * size) for j, w in constants.items()]
    return [
        [sum(w for w, image in maps if image[i] == j) for j in range(size)] for i in range(size)
    ]


def reachable(P: Matrix, start: int) -> frozenset[int]:
    """Where the chain can be, now or later."""
    found = {start}
    while True:
        more = {j for i in found for j in range(len(P)) if P[i][j] > 0} - found
        if not more:
            return frozenset(found)
        found |= more


def closed_classes(P: Matrix) -> list[frozenset[int]]:
    """The sets that each of their states can reach all of and nothing else; lowest index first."""
    reach = [reachable(P, i) for i in range(len(P))]
    closed = {reach[i] for i in range(len(P)) if all(reach[j] == reach[i] for j in reach[i])}
    return sorted(closed, key=min)


def stationary(P: Matrix, states: frozenset[int]) -> list[Fraction]:
    """The stationary law on a closed class, by elimination, over all states."""
    order = sorted(states)
    size = len(order)
    table = [[Fraction(P[j][i]) - (i == j) for j in order] + [Fraction(0)] for i in order]
    table[-1] = [Fraction(1)] * (size + 1)
    for c in range(size):
        pivot = next(n for n in range(c, size) if table[n][c])
        table[c], table[pivot] = table[pivot], table[c]
        table[c] = [x / table[c][c] for x in table[c]]
        for n in range(size):
            if n != c:
                factor = table[n][c]
                table[n] = [x - factor * y for x, y in zip(table[n], table[c], strict=True)]
    law = {state: table[n][-1] for n, state in enumerate(order)}
    return [law.get(state, Fraction(0)) for state in range(len(P))]


def extreme_laws(P: Matrix) -> list[list[Fraction]]:
    """The stationary law of each closed class, in the order of ``closed_classes``."""
    return [stationary(P, states) for states in closed_classes(P)]


def chosen(P: Matrix, start: int | None = None) -> list[Fraction]:
    """The law of the closed class of the lowest index, among those within reach of ``start``."""
    within = range(len(P)) if start is None else reachable(P, start)
    return stationary(P, next(c for c in closed_classes(P) if c <= set(within)))


def residual(P: Matrix, law: Sequence[Any]) -> Any:
    """||x P - x||_1."""
    states = range(len(P))
    return sum(abs(sum(law[i] * P[i][j] for i in states) - law[j]) for j in states)


def is_mixture(P: Matrix, law: Sequence[Fraction]) -> bool:
    """Whether a law is a mixture of the stationary laws of the closed classes."""
    mixed = [Fraction(0)] * len(P)
    for states, extreme in zip(closed_classes(P), extreme_laws(P), strict=True):
        mass = sum(law[i] for i in states)
        mixed = [m + mass * x for m, x in zip(mixed, extreme, strict=True)]
    return min(law) >= 0 and sum(law) == 1 and mixed == list(law)
