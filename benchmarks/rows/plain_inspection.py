"""Inspection by enumeration, straight from the definitions: loops over dictionaries, no library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice, product
from math import prod
from typing import Any

import numpy as np

__all__ = [
    "Case",
    "best_of_all_protocols",
    "best_of_purchases",
    "count_protocols",
    "draw",
    "recursive_value",
]

TIE = 1e-9

Good = tuple[Sequence[int], Any]
History = tuple[Any, ...]
States = tuple[int, ...]
Node = tuple[History, States]


@dataclass(frozen=True)
class Case:
    """A prior, utilities[action][state], and levels of goods: what each shows, and its price."""

    p: Sequence[Any]
    utilities: Sequence[Sequence[Any]]
    levels: Sequence[Sequence[Good]]

    @property
    def depth(self) -> int:
        return len(self.levels)

    def options(self, n: int) -> list[Any]:
        """What x^n can be: an action, or for n >= 1 a set of goods, the fewest first."""
        if n == 0:
            return list(range(len(self.utilities)))
        goods = range(len(self.levels[n - 1]))
        return [chosen for size in range(len(goods) + 1) for chosen in combinations(goods, size)]

    def histories(self, n: int) -> Iterator[History]:
        """All purchases (x^N, ..., x^(n+1)) before x^n is chosen."""
        return product(*(self.options(m) for m in range(self.depth, n, -1)))

    def bought(self, history: History) -> list[Good]:
        levels = reversed(self.levels)
        return [level[j] for level, chosen in zip(levels, history, strict=False) for j in chosen]

    def paid(self, history: History) -> Any:
        return sum(price for _, price in self.bought(history))

    def blocks(self, history: History) -> list[States]:
        """The states in which the same values are known after these purchases."""
        offered = [good for level in self.levels[: self.depth - len(history)] for good in level]
        known = [shows for shows, _ in offered + self.bought(history)]
        found: dict[States, list[int]] = {}
        for w in range(len(self.p)):
            found.setdefault(tuple(shows[w] for shows in known), []).append(w)
        return [tuple(block) for block in found.values()]

    def nodes(self, n: int) -> list[Node]:
        return [(history, block) for history in self.histories(n) for block in self.blocks(history)]


def draw(
    seed: int, goods: Sequence[int], states: int, actions: int, number: type = Fraction
) -> Case:
    """A random case: utilities -5..5, prices 1/4 or 1/2, and binary goods.

    Together the goods tell as many states apart as they can.
    """
    generator = np.random.default_rng((seed, *goods, states, actions))
    count = sum(goods)
    weights = generator.integers(1, 4, size=states).tolist()
    utilities = generator.integers(-5, 6, size=(actions, states)).tolist()
    prices = generator.integers(1, 3, size=count).tolist()
    codes = generator.permutation(max(2**count, states))[:states]
    offers = iter([((codes >> j & 1).tolist(), number(prices[j]) / 4) for j in range(count)])
    return Case(
        [number(weight) / sum(weights) for weight in weights],
        [[number(u) for u in row] for row in utilities],
        [list(islice(offers, size)) for size in goods],
    )


def recursive_value(case: Case) -> Any:
    """The recursive protocol by eqs. (6) to (8): the best option at every node, level by level."""
    after: dict[History, dict[int, Any]] = {}
    for n in range(case.depth + 1):
        below, after = after, {}
        for history in case.histories(n):
            after[history] = {}
            paid = case.paid(history)
            payoffs: dict[Any, Any] = (
                {x: below[(*history, x)] for x in case.options(n)}
                if n
                else {x: [u - paid for u in row] for x, row in enumerate(case.utilities)}
            )
            for block in case.blocks(history):
                sums = {x: sum(case.p[w] * y[w] for w in block) for x, y in payoffs.items()}
                chosen = _first_best(sums)
                after[history].update((w, payoffs[chosen][w]) for w in block)
    return sum(p * after[()][w] for w, p in enumerate(case.p))


def _first_best(sums: dict[Any, Any]) -> Any:
    best = max(sums.values())
    if isinstance(best, float):
        best -= TIE
    return next(x for x, each in sums.items() if each >= best)


def count_protocols(case: Case, lowest: int = 0) -> int:
    """How many ways there are to choose at all nodes of x^N, ..., x^lowest."""
    return prod(len(case.options(n)) ** len(case.nodes(n)) for n in range(lowest, case.depth + 1))


def best_of_all_protocols(case: Case) -> Any:
    """The best admissible protocol: every choice at every node, played in every state."""
    return max(
        sum(
            case.p[w] * (case.utilities[chosen[end]][w] - case.paid(end[0]))
            for w, end in enumerate(ends)
        )
        for chosen, ends in _played(case, 0)
    )


def best_of_purchases(case: Case, first: int | None = None) -> Any:
    """The best admissible protocol: every way to buy, then the best action of those who meet."""
    return max(_best_reply(case, ends) for _, ends in islice(_played(case, 1), first))


def _best_reply(case: Case, ends: Sequence[Node]) -> Any:
    meet: dict[Node, list[int]] = {}
    for w, end in enumerate(ends):
        meet.setdefault(end, []).append(w)
    return sum(
        max(sum(case.p[w] * row[w] for w in here) for row in case.utilities)
        - case.paid(end[0]) * sum(case.p[w] for w in here)
        for end, here in meet.items()
    )


def _played(case: Case, lowest: int) -> Iterator[tuple[dict[Node, Any], list[Node]]]:
    """Every choice at the nodes of x^N, ..., x^lowest, with the node of x^0 each state gets to."""
    at = {
        (node[0], w): node for n in range(case.depth + 1) for node in case.nodes(n) for w in node[1]
    }
    nodes = [node for n in range(lowest, case.depth + 1) for node in case.nodes(n)]
    for numbers in product(*(case.options(case.depth - len(node[0])) for node in nodes)):
        chosen = dict(zip(nodes, numbers, strict=True))
        ends = []
        for w in range(len(case.p)):
            history: History = ()
            while len(history) < case.depth:
                history = (*history, chosen[at[history, w]])
            ends.append(at[history, w])
        yield chosen, ends
