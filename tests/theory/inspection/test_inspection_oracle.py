"""Recursive, successive and best inspection against brute force, on 2,000 random instances each.

The brute force (tests/reference/inspection.py) imports nothing from what it checks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import pytest
from inspection_cases import PRICES, numbered, problem
from reference import inspection as oracle
from sweeps import mostly_slow

from theory.inspection import (
    InspectionProblem,
    Offers,
    Protocol,
    ProtocolOutcome,
    Ties,
    best_admissible,
    recursive_inspection,
    successive_inspection,
)

CHUNKS = 8
SIZE = 250
TIES: dict[Ties, oracle.Rule] = {Ties.FEWEST_GOODS: "fewest", Ties.MOST_GOODS: "most"}

chunked = pytest.mark.parametrize("chunk", mostly_slow(range(CHUNKS)))


@cache
def drawn(chunk: int) -> list[tuple[oracle.Instance, InspectionProblem]]:
    """Instances of depth 0 to 2, a few of depth 3; in every other chunk prices may be negative."""
    rng = Random(chunk)
    prices = (*PRICES, Fraction(-1, 4)) if chunk % 2 else PRICES
    depths = [None] * (SIZE - 5) + [3] * 5
    instances = [oracle.random_instance(rng, depth, prices) for depth in depths]
    return [(instance, problem(instance)) for instance in instances]


@pytest.mark.slow
def test_there_are_2000_instances() -> None:
    family = [instance for chunk in range(CHUNKS) for instance, _ in drawn(chunk)]
    assert len(family) >= 2_000
    assert len(set(map(repr, family))) > 1_990
    assert sum(0 in instance.p for instance in family) > 300
    assert {instance.depth for instance in family} == {0, 1, 2, 3}


def plays(course: ProtocolOutcome) -> dict[Any, oracle.Outcome]:
    return {
        play.state: oracle.Outcome(
            tuple(map(numbered, play.purchases)),
            "abc".index(str(play.action)),
            play.spending,
            play.payoff,
        )
        for play in course.plays
    }


def policy(protocol: Protocol, instance: oracle.Instance) -> dict[oracle.Node, Any]:
    """The choice at each of the oracle's nodes."""
    choices: dict[oracle.Node, Any] = {}
    for node in instance.nodes:
        bought, states = node
        n = instance.depth - len(bought)
        levels = zip(range(instance.depth, n, -1), reversed(bought), strict=True)
        row = protocol.problem.row(n, [instance.choices(m).index(x) for m, x in levels])
        inside = [instance.states.index(w) for w in states]
        (number,) = set(protocol.picked[n][row, inside].tolist())
        choices[node] = instance.choices(n)[number]
    return choices


@chunked
def test_recursive(chunk: int) -> None:
    """Value, what happens in every state, and the choice at every node there is."""
    buying = 0
    for instance, ours in drawn(chunk):
        for ties, rule in TIES.items():
            found, expected = recursive_inspection(ours, ties), oracle.recursive(instance, rule)
            assert policy(found.protocol, instance) == expected.policy, instance
            assert plays(found) == expected.outcomes, instance
            assert found.value == expected.value, instance
            assert found.gap == 0
            buying += found.buys and ties is Ties.FEWEST_GOODS
    assert buying > SIZE / 2


@chunked
@pytest.mark.parametrize(
    ("offers", "kind"),
    [(Offers.SUBSETS, "subsets"), (Offers.SINGLE_GOODS, "single")],
    ids=["subsets", "single"],
)
def test_successive(offers: Offers, kind: Any, chunk: int) -> None:
    """Value, what happens in every state, U^n by option and state, and e_n = E[U^n(x_n)].

    The rules for ties take turns.
    """
    for k, (instance, ours) in enumerate(drawn(chunk)):
        ties, rule = list(TIES.items())[k % 2]
        found = successive_inspection(ours, offers, ties)
        expected = oracle.successive(instance, kind, rule)
        for n, (table, numbers) in enumerate(zip(expected.tables, found.utilities, strict=True)):
            rows = [list(row.values()) for row in table.values()]
            assert numbers.scalars() == rows, instance
            if n:
                assert [numbered(names) for names in found.options[n]] == list(table)
        assert list(found.expected_utilities) == expected.gains, instance
        assert plays(found) == expected.outcomes, instance
        assert found.value == expected.value, instance
        assert found.gap == 0


@chunked
def test_best_admissible(chunk: int) -> None:
    """Value; that the protocol is worth it, the oracle's walk through the states says too."""
    better = 0
    for instance, ours in drawn(chunk):
        found, expected = best_admissible(ours), oracle.best(instance)
        assert found.value == expected, instance
        assert oracle.value(instance, policy(found.protocol, instance)) == expected, instance
        assert found.gap == 0
        better += oracle.recursive(instance).value < expected
    assert better > SIZE / 10
