"""Inspection problems for the tests: plain instances of the oracle, and the same as ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import strategies as st
from reference import inspection as oracle
from reference.inspection import Bought, Instance
from strategies import Kind, numbers

from theory.decision import DecisionProblem
from theory.information import Good
from theory.inspection import InspectionProblem, Known, Node, Protocol
from theory.probability import ProbabilitySpace, Variable

F = Fraction
HALF = F(1, 2)

HINT = Instance([F(1, 3), F(2, 3)], [[3, 0], [0, 1]], [[("yn", HALF)]])
"""One good reveals the state; without it action a is best."""

XOR = Instance([F(1, 4)] * 4, [[1, 0, 0, 1], [0, 1, 1, 0]], [[("yynn", F(1, 8)), ("ynyn", 0)]])
"""Neither good alone says anything about the best action; both together reveal it."""

ACTIONS = "abc"
PRICES = (F(0), F(1, 4), HALF, F(1))


def problem(instance: Instance, kind: Kind = "exact") -> InspectionProblem:
    """The instance as an object of ours: states 0, 1, …; actions a, b, …; goods by level."""
    space = ProbabilitySpace(range(len(instance.p)), numbers(list(instance.p), kind))
    utilities = numbers([list(row) for row in instance.utilities], kind)
    actions = tuple(ACTIONS[: len(instance.utilities)])
    levels = [
        [_good(good_name(n, j), shown, price, kind) for j, (shown, price) in enumerate(level)]
        for n, level in enumerate(instance.levels, 1)
    ]
    return InspectionProblem.of(DecisionProblem(space, actions, utilities), levels)


def good_name(n: int, j: int) -> str:
    """The j-th good that x^n may buy."""
    return f"{'ABCDE'[n - 1]}{j}"


def oracle_node(depth: int, node: Node) -> tuple[Bought, tuple[Any, ...]]:
    """A node as the oracle writes it: (x^(n+1), …, x^N) by numbers of goods, and the states."""
    levels = range(node.known.level + 1, depth + 1)
    return tuple(numbered(node.known.purchases[n]) for n in levels), node.states


def numbered(names: Sequence[str]) -> tuple[int, ...]:
    """Goods as the oracle writes them."""
    return tuple(int(name[1:]) for name in names)


def told(known: Known) -> object:
    """A protocol of the first example: state 0 buys, so that silence means state 1."""
    if known.level:
        return ("A0",) if known.values["A0"] == ("y",) else ()
    return "a" if known.purchases[1] else "b"


def random_protocols(seed: int, number: int, depth: int | None = None) -> Iterator[Any]:
    """Random protocols of random instances, as the oracle's and as ours."""
    rng = Random(seed)
    for _ in range(number):
        instance = oracle.random_instance(rng, depth)
        theirs = oracle.random_protocol(instance, rng)
        yield instance, theirs, translated(instance, theirs)


def translated(instance: Instance, theirs: oracle.Protocol) -> Protocol:
    """A protocol of the oracle as a rule, asked by its values alone."""

    def rule(known: Known) -> object:
        levels = range(known.level + 1, instance.depth + 1)
        bought = tuple(numbered(known.purchases[n]) for n in levels)
        for node in theirs:
            if node[0] == bought and values_at(instance, node) == dict(known.values):
                chosen: Any = theirs[node]
                if known.level == 0:
                    return ACTIONS[chosen]
                return [good_name(known.level, j) for j in chosen]
        raise AssertionError(known)

    return Protocol.of(problem(instance), rule)


def values_at(instance: Instance, node: oracle.Node) -> dict[str, tuple[Any, ...]]:
    """By good: what is shown at a node of the oracle."""
    bought, states = node
    n = instance.depth - len(bought)
    shown = {}
    for m, level in enumerate(instance.levels, 1):
        kept = range(len(level)) if m <= n else bought[m - n - 1]
        for j in kept:
            shown[good_name(m, j)] = (level[j][0][states[0]],)
    return shown


@st.composite
def instances(
    draw: st.DrawFn,
    min_depth: int = 0,
    max_depth: int = 2,
    prices: Sequence[Fraction] = PRICES,
    utilities: tuple[int, int] = (-2, 3),
) -> Instance:
    """Small numbers, so that ties are common; every state is possible."""
    states = draw(st.integers(1, 4))
    weights = draw(st.lists(st.integers(1, 3), min_size=states, max_size=states))
    row = st.lists(st.integers(*utilities), min_size=states, max_size=states)
    table = draw(st.lists(row, min_size=1, max_size=3))
    labels = st.lists(st.integers(0, 2), min_size=states, max_size=states)
    level = st.lists(st.tuples(labels, st.sampled_from(prices)), min_size=1, max_size=2)
    levels = draw(st.lists(level, min_size=min_depth, max_size=max_depth))
    return Instance([F(w, sum(weights)) for w in weights], table, levels)


def generic_instances() -> Any:
    """Numbers that seldom tie."""
    prices = [F(k, 997) for k in (1, 10, 100, 200, 290, 311, 505, 997)]
    return instances(prices=prices, utilities=(-999, 999))


def with_levels(instance: Instance, levels: Any) -> Instance:
    """The instance with other goods."""
    return replace(instance, levels=levels)


def with_prices(instance: Instance, change: Any) -> Instance:
    """The instance with ``change(price)`` for every price."""
    levels = [[(shown, change(price)) for shown, price in level] for level in instance.levels]
    return with_levels(instance, levels)


def doubled(instance: Instance) -> Instance:
    """Every state as two equally likely ones that no good tells apart: 2 w and 2 w + 1."""

    def twice(row: Any) -> list[Any]:
        return [x for x in row for _ in range(2)]

    levels = [[(twice(shown), price) for shown, price in level] for level in instance.levels]
    utilities = [twice(row) for row in instance.utilities]
    return Instance([p / 2 for p in twice(instance.p)], utilities, levels)


def _good(name: str, shown: Sequence[Any], price: Any, kind: Kind) -> Good:
    exact = Fraction(price)
    return Good(
        name, (Variable.of(name, list(shown)),), float(exact) if kind == "float64" else exact
    )
