"""Softmax laws over sets of actions, by listing the set.

A set is {action: features}; the law at z gives an action a weight of exp <features, z>.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations, product
from math import exp, fsum, log
from typing import Any

Row = Sequence[Any]
Actions = Mapping[Any, Row]


# --- sets


def listed(size: int) -> dict[int, list[int]]:
    return {a: [int(a == b) for b in range(size)] for a in range(size)}


def subsets(n: int, k: int) -> dict[tuple[int, ...], list[int]]:
    """All sets of k of the items 0, ..., n - 1; a feature an item."""
    return {a: [int(item in a) for item in range(n)] for a in combinations(range(n), k)}


def routes(
    edges: Sequence[tuple[Hashable, Hashable]], source: Hashable, sink: Hashable
) -> Iterator[tuple[int, ...]]:
    """All paths as tuples of the numbers of their edges, in lexicographic order."""
    if source == sink:
        yield ()
        return
    for number, (tail, head) in enumerate(edges):
        if tail == source:
            for rest in routes(edges, head, sink):
                yield (number, *rest)


def nodes(
    edges: Sequence[tuple[Hashable, Hashable]], source: Hashable, route: Sequence[int]
) -> tuple[Hashable, ...]:
    """The nodes that a path goes through."""
    return (source, *(edges[number][1] for number in route))


def paths(
    edges: Sequence[tuple[Hashable, Hashable]], source: Hashable, sink: Hashable
) -> dict[tuple[int, ...], list[int]]:
    """All paths; a feature an edge."""
    return {
        route: [int(number in route) for number in range(len(edges))]
        for route in routes(edges, source, sink)
    }


def allocations(fields: int, troops: int) -> dict[tuple[int, ...], list[int]]:
    """All ways to spread the troops; a feature for each field and number of troops there."""
    return {
        a: [int(here == number) for here in a for number in range(troops + 1)]
        for a in product(range(troops + 1), repeat=fields)
        if sum(a) == troops
    }


def battle(mine: Sequence[int], theirs: Sequence[int], values: Sequence[Any] | None = None) -> Any:
    """The share of the fields' value won: the whole of a field with more troops, half of a tie."""
    weights = [1] * len(mine) if values is None else list(values)
    won = [
        w if a > b else w / 2 if a == b else 0
        for w, a, b in zip(weights, mine, theirs, strict=True)
    ]
    return sum(won) / sum(weights)


# --- laws


def scores(actions: Actions, z: Row) -> dict[Any, float]:
    return {a: fsum(f * w for f, w in zip(row, z, strict=True)) for a, row in actions.items()}


def log_partition(actions: Actions, z: Row) -> float:
    """log of the sum of exp <features, z>."""
    found = scores(actions, z).values()
    top = max(found)
    return top + log(fsum(exp(score - top) for score in found))


def law(actions: Actions, z: Row) -> dict[Any, float]:
    found = scores(actions, z)
    top = max(found.values())
    weights = {a: exp(score - top) for a, score in found.items()}
    total = fsum(weights.values())
    return {a: weight / total for a, weight in weights.items()}


def mean(actions: Actions, z: Row) -> list[float]:
    """The expected features."""
    found = law(actions, z)
    return [fsum(found[a] * row[n] for a, row in actions.items()) for n in range(len(z))]


def best(actions: Actions, z: Row) -> list[Any]:
    """All actions of the greatest score."""
    found = scores(actions, z)
    return [a for a, score in found.items() if score == max(found.values())]


def extremes(actions: Actions, z: Row) -> tuple[float, float]:
    found = scores(actions, z).values()
    return min(found), max(found)
