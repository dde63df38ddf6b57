"""Whether any payments make an allocation rule truthful, by all cycles and paths of types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from typing import Any


def cycles(nodes: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """All simple cycles of two nodes or more, each once, from its first node."""
    for size in range(2, len(nodes) + 1):
        for first, *rest in combinations(nodes, size):
            for order in permutations(rest):
                yield (first, *order)


def implementable(
    values: Sequence[Sequence[Fraction]], chosen: Sequence[int]
) -> list[Fraction] | None:
    """Payments by type that make the truth optimal; None where a cycle of types forbids them.

    One agent, whose type t gets the outcome ``chosen[t]``, worth ``values[t][o]``. The payment of t
    is the length of the shortest simple path from type 0 to t, where the step from l to t is as
    long as what t may pay more than l does.
    """
    kinds = range(len(chosen))

    def step(lie: int, kind: int) -> Fraction:
        return Fraction(values[kind][chosen[kind]]) - Fraction(values[kind][chosen[lie]])

    def length(path: Sequence[int]) -> Fraction:
        return sum((step(a, b) for a, b in pairwise(path)), Fraction(0))

    if any(length((*cycle, cycle[0])) < 0 for cycle in cycles(kinds)):
        return None
    payments = []
    for end in kinds:
        between = [k for k in kinds if k not in (0, end)]
        paths = [
            (0, *middle, end) for n in range(len(kinds)) for middle in permutations(between, n)
        ]
        payments.append(min(map(length, paths)) if end else Fraction(0))
    return payments
