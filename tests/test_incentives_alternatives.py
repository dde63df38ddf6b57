"""Efficient and feasible are said of what was compared with, and not where nothing is declared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    PropertyFinding,
    Rewards,
    SingleItem,
    SingleParameter,
    ValueTable,
    check_mechanism,
)
from theory.verdicts import Status, Strength

THREE = FiniteTypes(range(3))


def found(rule: Any, name: str, types: Any = THREE, **more: Any) -> PropertyFinding:
    effort = Effort(samples=60, starts=1, steps=10)
    return check_mechanism(rule, types=types, agents=2, properties=[name], effort=effort, **more)[
        name
    ]


def dictator(agent: int) -> Any:
    """All to one agent, as a vector."""
    return lambda bids: (tuple(int(i == agent) for i in range(2)), [0, 0])


def to_everybody(bids: Sequence[Any]) -> Any:
    return (1, 1), [0, 0]


@pytest.mark.parametrize("agent", [0, 1])
def test_a_dictator_is_not_efficient_for_want_of_alternatives(agent: int) -> None:
    silent = found(dictator(agent), "efficient")
    assert silent.status is Status.VACUOUS
    assert "alternatives=" in silent.reason
    assert "the 1 allocation" in silent.reason
    for more in (
        {"values": SingleItem()},
        {"alternatives": lambda agents: [(1, 0), (0, 1)]},
    ):
        stated = found(dictator(agent), "efficient", **more)
        assert (stated.status, stated.strength) == (Status.REFUTED, Strength.EXACT)


def test_a_dictator_over_named_outcomes_by_a_function() -> None:
    def values(agent: int, kind: Any, allocation: Any) -> Any:
        return kind if allocation == agent else 0

    assert found(lambda bids: (0, [0, 0]), "efficient", values=values).status is Status.VACUOUS
    worse = found(lambda bids: (bids.index(min(bids)), [0, 0]), "efficient", values=values)
    assert worse.status is Status.REFUTED
    assert "the 2 allocations that come of some reports" in worse.reason


def test_one_item_for_everybody_is_neither_feasible_nor_efficient_in_silence() -> None:
    for types in (THREE, Box(0, 2)):
        feasible = found(to_everybody, "feasible", types)
        assert feasible.status is Status.VACUOUS
        assert "values=SingleItem()" in feasible.reason
        assert found(to_everybody, "efficient", types).status is Status.VACUOUS
        one = found(to_everybody, "feasible", types, values=SingleItem())
        assert one.status is Status.REFUTED
        stated = found(to_everybody, "feasible", types, values=SingleParameter())
        assert stated.status is Status.HOLDS
        assert "at least 0" in stated.reason
    below = found(lambda bids: ((-1, 0), [0, 0]), "feasible")
    assert below.status is Status.REFUTED


def test_values_by_a_function_say_nothing_of_what_is_feasible() -> None:
    silent = found(to_everybody, "feasible", values=lambda i, t, a: t * a[i])
    assert silent.status is Status.VACUOUS
    stated = found(
        to_everybody, "feasible", values=lambda i, t, a: t, feasible=lambda a, n: sum(a) <= 1
    )
    assert stated.status is Status.REFUTED
    assert "feasible=" in stated.reason


def test_a_report_names_what_was_compared_with() -> None:
    def best(bids: Sequence[Any]) -> Any:
        return bids.index(max(bids)), [0, 0]

    finding = found(best, "efficient")
    assert (finding.status, finding.strength) == (Status.HOLDS, Strength.EXACT)
    assert "compared with None, 0, 1, by the values (one item)" in finding.reason
    assert "one item" in found(best, "feasible").reason
    listed = found(best, "efficient", alternatives=lambda agents: [0, 1])
    assert "compared with 0, 1, by alternatives=" in listed.reason

    class Owns:
        def outcome(self, bids: Sequence[Any]) -> Any:
            return best(bids)

        def alternatives(self, agents: int) -> Any:
            return range(agents)

        def feasible(self, allocation: Any, agents: int) -> bool:
            return allocation in range(agents)

    assert "compared with 0, 1, by the mechanism" in found(Owns(), "efficient").reason
    assert "the mechanism" in found(Owns(), "feasible").reason
    table = ValueTable({"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}})
    voted = found(lambda r: ("x", [0, 0]), "efficient", FiniteTypes("ab"), values=table)
    assert voted.status is Status.REFUTED
    assert "compared with 'x', 'y'" in voted.reason
    many = found(best, "efficient", alternatives=lambda agents: [k % 2 for k in range(100)])
    assert "and 92 more" in many.reason


@pytest.mark.parametrize("candidate", [0, 2])
def test_candidates_are_those_that_types_have_rewards_for(candidate: int) -> None:
    """Who always takes one candidate is compared with the others, on real types and finite ones."""
    for types in (FiniteTypes([(0, 1, 0), (1, 0, 0), (0, 0, 1)]), Box([0, 0, 0], [1, 1, 1])):
        for values in (None, Rewards()):
            finding = found(lambda r: (candidate, [0, 0]), "efficient", types, values=values)
            assert finding.status is Status.REFUTED
            assert "compared with 0, 1, 2" in finding.reason
