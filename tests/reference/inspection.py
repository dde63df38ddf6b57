"""Inspection protocols by their definitions, one state at a time.

The levels are I^0, ..., I^(N-1); a good is its labels by state and its price. The choice x^0 is an
action; for n >= 1, x^n is an option: a subset of I^(n-1), given by the indices of its goods.
Options come fewest goods first, then by index. Choices are made from x^N down to x^0. What was
bought before x^n is written (x^(n+1), ..., x^N); a node is that and the states in which the same
values are known. States of probability zero are left out of everything.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, product
from math import prod
from random import Random
from typing import Any, Literal

Good = tuple[Sequence[Hashable], Any]
Option = tuple[int, ...]
Bought = tuple[Option, ...]
States = tuple[int, ...]
Node = tuple[Bought, States]
Protocol = Mapping[Node, Any]
Rule = Literal["fewest", "most"]


@dataclass(frozen=True)
class Instance:
    """A prior by state, utilities by action and state, and the levels."""

    p: Sequence[Any]
    utilities: Sequence[Sequence[Any]]
    levels: Sequence[Sequence[Good]]

    @property
    def depth(self) -> int:
        return len(self.levels)

    @property
    def states(self) -> States:
        return tuple(w for w, weight in enumerate(self.p) if weight > 0)

    @cached_property
    def node(self) -> dict[tuple[Bought, int], Node]:
        """Where each state is after each list of purchases; the nodes of x^0 come first."""
        return {
            (bought, w): (bought, block)
            for n in range(self.depth + 1)
            for bought in product(*(self.choices(m) for m in range(n + 1, self.depth + 1)))
            for block in grouped({w: self.known(bought, w) for w in self.states})
            for w in block
        }

    @property
    def nodes(self) -> list[Node]:
        return list(dict.fromkeys(self.node.values()))

    def choices(self, n: int) -> Sequence[Any]:
        """What x^n can be."""
        return options(len(self.levels[n - 1])) if n else range(len(self.utilities))

    def choices_at(self, node: Node) -> Sequence[Any]:
        return self.choices(self.depth - len(node[0]))

    def goods(self, bought: Bought) -> list[Good]:
        """The goods in (x^(n+1), ..., x^N)."""
        levels = self.levels[self.depth - len(bought) :]
        return [level[g] for level, option in zip(levels, bought, strict=True) for g in option]

    def known(self, bought: Bought, w: int) -> Hashable:
        """The values that x^n is chosen by: of I^0, ..., I^(n-1) and of everything bought."""
        inspected = self.levels[: self.depth - len(bought)]
        return shown([good for level in inspected for good in level] + self.goods(bought), w)

    def spent(self, bought: Bought) -> Any:
        return sum(price for _, price in self.goods(bought))


@dataclass(frozen=True)
class Outcome:
    """What happens in one state; ``purchases`` are (x^1, ..., x^N)."""

    purchases: Bought
    action: int
    spent: Any
    payoff: Any


@dataclass(frozen=True)
class Recursive:
    """The choice at every node, on and off the path, the expected payoff and what happens."""

    policy: dict[Node, Any]
    value: Any
    outcomes: dict[int, Outcome]


@dataclass(frozen=True)
class Successive:
    """``tables[n][x][w]`` is U^n(x) in state w; ``gains[n]`` is E[U^n(x_n)]."""

    tables: list[dict[Any, dict[int, Any]]]
    gains: list[Any]
    value: Any
    outcomes: dict[int, Outcome]


def options(goods: int) -> list[Option]:
    return [chosen for size in range(goods + 1) for chosen in combinations(range(goods), size)]


def shown(goods: Iterable[Good], w: int) -> tuple[Hashable, ...]:
    return tuple(labels[w] for labels, _ in goods)


def grouped(signal: Mapping[int, Hashable]) -> list[States]:
    """The states that show the same signal, together, in order of their first."""
    groups: dict[Hashable, list[int]] = {}
    for w, label in signal.items():
        groups.setdefault(label, []).append(w)
    return [tuple(group) for group in groups.values()]


def argmax(worth: Mapping[Any, Any], rule: Rule) -> Any:
    """The first of the best choices; by the rule "most" the last, if they are options."""
    tied = [x for x, each in worth.items() if each == max(worth.values())]
    return tied[-1] if rule == "most" and isinstance(tied[0], tuple) else tied[0]


# Admissible protocols, Definition 3.2: any choice at each node


def path(instance: Instance, protocol: Protocol, w: int, bought: Bought = ()) -> list[Node]:
    """The nodes that state w passes from these purchases on, down to the one of x^0."""
    nodes = [instance.node[bought, w]]
    while len(bought) < instance.depth:
        bought = (protocol[nodes[-1]], *bought)
        nodes.append(instance.node[bought, w])
    return nodes


def outcome(instance: Instance, protocol: Protocol, w: int, bought: Bought = ()) -> Outcome:
    """What state w ends with when the protocol goes on from these purchases."""
    last = path(instance, protocol, w, bought)[-1]
    return ended(instance, last[0], protocol[last], w)


def ended(instance: Instance, purchases: Bought, action: int, w: int) -> Outcome:
    spent = instance.spent(purchases)
    return Outcome(purchases, action, spent, instance.utilities[action][w] - spent)


def value(instance: Instance, protocol: Protocol) -> Any:
    """E[U(xi(I))]."""
    return sum(instance.p[w] * outcome(instance, protocol, w).payoff for w in instance.states)


def signals(instance: Instance, protocol: Protocol) -> bool:
    """Whether at some node that is reached, having reached it says more than the values do."""
    reached: dict[Node, list[int]] = {}
    for w in instance.states:
        for node in path(instance, protocol, w):
            reached.setdefault(node, []).append(w)

    def posterior(given: Sequence[int]) -> dict[int, Any]:
        return {w: instance.p[w] / Fraction(sum(instance.p[v] for v in given)) for w in given}

    return any(posterior(there) != posterior(node[1]) for node, there in reached.items())


def count(instance: Instance) -> int:
    """How many admissible protocols there are."""
    return prod(len(instance.choices_at(node)) for node in instance.nodes)


def protocols(instance: Instance) -> Iterator[Protocol]:
    """Every admissible protocol."""
    nodes = instance.nodes
    for choices in product(*(instance.choices_at(node) for node in nodes)):
        yield dict(zip(nodes, choices, strict=True))


def random_protocol(instance: Instance, rng: Random) -> Protocol:
    return {node: rng.choice(instance.choices_at(node)) for node in instance.nodes}


def best_of_all(instance: Instance) -> Any:
    """The largest value of an admissible protocol: each is played in each state."""
    return max(value(instance, protocol) for protocol in protocols(instance))


def best(instance: Instance) -> Any:
    """The largest value of an admissible protocol: each prefix of one is tried once.

    States that have bought different things never come to the same node again. So what the states
    S with purchases (x^(n+1), ..., x^N) can still get depends on S and on these alone: the largest
    sum, over all ways to choose x^n in each group of S that shows the same values, of what those
    who chose the same can get. At x^0 each group takes its best action.
    """

    @cache
    def total(bought: Bought, states: States) -> Any:
        groups = grouped({w: instance.known(bought, w) for w in states})
        if len(bought) == instance.depth:
            gross = sum(
                max(sum(instance.p[w] * row[w] for w in group) for row in instance.utilities)
                for group in groups
            )
            return gross - instance.spent(bought) * sum(instance.p[w] for w in states)
        choices = instance.choices(instance.depth - len(bought))
        return max(
            sum(
                total((x, *bought), tuple(w for group in chosen for w in groups[group]))
                for x, chosen in by_choice(plan)
            )
            for plan in product(choices, repeat=len(groups))
        )

    def by_choice(plan: Sequence[Option]) -> list[tuple[Option, States]]:
        return [(plan[group[0]], group) for group in grouped(dict(enumerate(plan)))]

    return total((), instance.states)


# The protocols of the paper


def recursive(instance: Instance, rule: Rule = "fewest") -> Recursive:
    """Eqs (6)-(8): x^0 first, the best choice at every node given the values known there."""
    policy: dict[Node, Any] = {}

    def payoff(bought: Bought, x: Any, w: int) -> Any:
        if len(bought) == instance.depth:
            return ended(instance, bought, x, w).payoff
        return outcome(instance, policy, w, (x, *bought)).payoff

    for node in instance.nodes:
        bought, states = node
        worth = {
            x: sum(instance.p[w] * payoff(bought, x, w) for w in states)
            for x in instance.choices_at(node)
        }
        policy[node] = argmax(worth, rule)
    outcomes = {w: outcome(instance, policy, w) for w in instance.states}
    return Recursive(policy, value(instance, policy), outcomes)


def successive(
    instance: Instance,
    kind: Literal["single", "subsets"] = "subsets",
    rule: Rule = "fewest",
) -> Successive:
    """Eqs (3)-(5): a choice is one good or none, or any subset, whose prices add up."""
    p, states, depth = instance.p, instance.states, instance.depth
    tables: list[dict[Any, dict[int, Any]]] = [
        {a: {w: row[w] for w in states} for a, row in enumerate(instance.utilities)}
    ]

    def chosen(n: int, given: Iterable[int]) -> Any:
        """argmax_x E[U^n(x) | given]."""
        return argmax({x: sum(p[w] * u[w] for w in given) for x, u in tables[n].items()}, rule)

    def informed(n: int, option: Option, w: int) -> Any:
        """argmax_x E[U^n(x) | the values of x^(n+1) = option in w]."""
        goods = [instance.levels[n][g] for g in option]
        return chosen(n, [v for v in states if shown(goods, v) == shown(goods, w)])

    for n, level in enumerate(instance.levels):
        table = tables[n]
        blind = chosen(n, states)
        tables.append(
            {
                option: {
                    w: table[informed(n, option, w)][w]
                    - table[blind][w]
                    - sum(level[g][1] for g in option)
                    for w in states
                }
                for option in options(len(level))
                if kind == "subsets" or len(option) <= 1
            }
        )
    played = {w: [chosen(depth, states)] for w in states}
    for w, choices in played.items():
        for n in reversed(range(depth)):
            choices.insert(0, informed(n, choices[0], w))
    outcomes = {w: ended(instance, tuple(x[1:]), x[0], w) for w, x in played.items()}
    return Successive(
        tables,
        [sum(p[w] * tables[n][played[w][n]][w] for w in states) for n in range(depth + 1)],
        sum(p[w] * each.payoff for w, each in outcomes.items()),
        outcomes,
    )


# Instances


def random_instance(
    rng: Random,
    depth: int | None = None,
    prices: Sequence[Fraction] = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)),
) -> Instance:
    """2-4 states, 2-3 actions, 1-2 goods a level; of depth 0-2, seldom 0, if none is given.

    Utilities are drawn again, once, if one action is best in every state. Of these instances
    three in five buy something by the recursive protocol, and one in four has a state of
    probability zero.
    """
    size = rng.randint(2, 4)
    weights = [rng.choice((0, 1, 1, 2)) for _ in range(size)]
    for w in rng.sample(range(size), 2):
        weights[w] += 1
    actions = rng.randint(2, 3)

    def utilities() -> list[list[int]]:
        return [[rng.randint(-2, 3) for _ in range(size)] for _ in range(actions)]

    drawn = utilities()
    if any(all(row[w] == max(u[w] for u in drawn) for w in range(size)) for row in drawn):
        drawn = utilities()
    if depth is None:
        depth = rng.choice((0, *[1] * 8, *[2] * 11))

    def good() -> Good:
        return [rng.randrange(3) for _ in range(size)], rng.choice(prices)

    levels = [[good() for _ in range(rng.randint(1, 2))] for _ in range(depth)]
    return Instance([Fraction(weight, sum(weights)) for weight in weights], drawn, levels)
