"""Each property against a planted fault, at a tie, and against loops over its definition."""

from __future__ import annotations

from typing import Any

import pytest
from planted_property_faults import (
    FAULTS,
    PAIRS,
    SECOND_PRICE,
    STORIES,
    TIES,
    compared,
    counting,
    judged,
    slack,
    two,
)
from reference.incentives import SLACKS

from theory.incentives._property import Instance
from theory.incentives.properties import PROPERTIES
from theory.incentives.table import tabulate


def test_the_battery_is_in_order() -> None:
    assert list(PROPERTIES) == [
        "deterministic",
        "feasible",
        "dsic",
        "bic",
        "individually_rational",
        "interim_individually_rational",
        "no_positive_transfers",
        "weakly_budget_balanced",
        "strongly_budget_balanced",
        "efficient",
        "weakly_monotone",
        "cyclically_monotone",
        "payment_identity",
        "convex_utility",
        "anonymous",
        "non_bossy",
        "pairwise_strategyproof",
        "revenue_monotone",
        "false_name_proof",
    ]
    assert set(PROPERTIES) == set(SLACKS)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_planted_fault_is_found(name: str) -> None:
    setting, least, where = FAULTS[name]
    seen = judged(name, setting)
    assert seen.least == least
    assert seen.worst is not None
    assert seen.smallest is not None
    assert slack(name, setting, *where) == least
    found = slack(name, setting, seen.smallest.profile, seen.smallest.agents, seen.smallest.lies)
    assert found < 0


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_planted_fault_is_told_in_one_sentence(name: str) -> None:
    prop, (setting, least, where) = PROPERTIES[name], FAULTS[name]
    instance = Instance(*where)
    assert prop.slack(setting, instance) == least
    story = prop.story(setting, instance)
    assert "\n" not in story
    assert not story.endswith(".")
    sides = prop.sides(setting, instance)
    assert sides
    assert all(label and text for label, text in sides)


@pytest.mark.parametrize("name", STORIES)
def test_stories(name: str) -> None:
    setting, _, where = FAULTS[name]
    assert PROPERTIES[name].story(setting, Instance(*where)) == STORIES[name]


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_tie_is_no_fault(name: str) -> None:
    seen = judged(name, TIES[name])
    assert seen.met
    assert seen.least == 0
    assert seen.smallest is None


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_oracle_agrees(name: str) -> None:
    fails, holds = compared(name)
    if name == "deterministic":
        assert (fails, holds) == (0, len(PAIRS))
    else:
        assert fails >= 3
        assert holds >= 3


@pytest.mark.parametrize("name", ["efficient", "deterministic"])
def test_all_at_once_is_one_by_one(name: str) -> None:
    for _, setting in PAIRS:
        slacks = PROPERTIES[name].slacks(tabulate(setting))
        seen = judged(name, setting)
        assert slacks is not None
        assert (slacks.least, slacks.instances) == (seen.least, seen.met)


def test_chance_seen_while_tabulating_is_told() -> None:
    setting = two(counting())
    slacks = PROPERTIES["deterministic"].slacks(tabulate(setting))
    assert slacks is not None
    assert slacks.least == -1
    assert slack("deterministic", setting, (0, 0)) == -1
    story = PROPERTIES["deterministic"].story(setting, Instance((0, 0)))
    assert story.startswith("at reports (0, 0): not deterministic: the same reports led to")


def test_chance_is_no_fault_of_the_other_kind() -> None:
    def raising(bids: tuple[int, ...]) -> Any:
        return SECOND_PRICE(bids) if bids != (0, 0) else 1 // 0

    setting = two(raising)
    seen = judged("deterministic", setting)
    assert (seen.met, seen.unjudged) == (15, 1)
    assert seen.least == 0
    slacks = PROPERTIES["deterministic"].slacks(tabulate(setting))
    assert slacks is not None
    assert slacks.instances == 15
    assert slacks.least == 0
