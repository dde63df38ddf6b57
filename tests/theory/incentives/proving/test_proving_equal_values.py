"""What Python calls equal, and who is alike, where machine and Python may come to differ."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum
from typing import Any

import pytest

from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    Product,
    PropertyFinding,
    Reals,
    Rewards,
    check_mechanism,
    implementable,
    prove_mechanism,
)
from theory.verdicts import Status, Strength

LITTLE = Effort(samples=5, starts=1, steps=1, shrinks=20)


# --- What is equal and not the same


class Side(IntEnum):
    LEFT = 0


class Meal(IntEnum):
    SOUP = 0


@dataclass(frozen=True)
class Award:
    winner: int
    quality: Any = field(default=0, compare=False)


@dataclass
class Bundle:
    """Equal to another of the same items, and not hashable."""

    items: Any = ("a",)
    quality: int = field(default=1, compare=False)


class Lot:
    """Equal to every other; what it is like, equality does not ask."""

    def __init__(self, quality: int) -> None:
        self.quality = quality

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lot)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Lot({self.quality})"


class Label(str):
    """A text with a note on it."""

    __slots__ = ("note",)
    note: str

    def __repr__(self) -> str:
        return f"Label({self.note})"


def noted(note: str) -> Label:
    label = Label("a")
    label.note = note
    return label


EQUAL_PAIRS: list[tuple[Any, Any]] = [
    (Side.LEFT, Meal.SOUP),
    (1, True),
    (Award(0), Award(0, 5)),
    ((0, 1), (0, True)),
    (frozenset({1}), frozenset({True})),
    (frozenset({Side.LEFT}), frozenset({Meal.SOUP})),
    ({"w": 1}, {"w": True}),
    ({1: "w"}, {True: "w"}),
    ({"w": [Side.LEFT]}, {"w": [Meal.SOUP]}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    (Bundle(), Bundle(quality=3)),
    ((Bundle(),), (Bundle(quality=3),)),
    (Bundle((1,)), Bundle((True,))),
    (Award(0, frozenset({1})), Award(0, frozenset({True}))),
    ({"w": Decimal("1.0")}, {"w": Decimal("1.00")}),
    ({"w": Lot(1)}, {"w": Lot(2)}),
    (Lot(1), Lot(2)),
    (noted("usual"), noted("liked")),
]
"""Allocations that are equal, and that values may tell apart."""


@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize(("usual", "liked"), EQUAL_PAIRS)
def test_equal_allocations_of_two_kinds_have_values_of_their_own(
    usual: Any, liked: Any, agent: int
) -> None:
    def chooses(reports: Any) -> Any:
        return (liked if reports[agent] == 1 else usual), [0, 0]

    def value(i: int, own: Any, allocation: Any) -> int:
        return 5 if i == agent and repr(allocation) == repr(liked) else 0

    report = check_mechanism(
        chooses, types=FiniteTypes([0, 1]), agents=2, values=value, properties=["dsic"]
    )
    assert report["dsic"].status is Status.REFUTED


@pytest.mark.parametrize(("usual", "liked"), EQUAL_PAIRS)
def test_equal_alternatives_of_two_kinds_are_compared_with(usual: Any, liked: Any) -> None:
    report = check_mechanism(
        lambda reports: (usual, [0]),
        types=FiniteTypes([1, 2]),
        agents=1,
        values=lambda i, own, allocation: own if repr(allocation) == repr(liked) else 0,
        alternatives=lambda agents: [usual, liked],
        properties=["efficient"],
    )
    assert report["efficient"].status is Status.REFUTED


@pytest.mark.parametrize(("usual", "liked"), EQUAL_PAIRS)
def test_payments_are_for_allocations_as_they_are(usual: Any, liked: Any) -> None:
    def value(i: int, own: Any, allocation: Any) -> int:
        return own if repr(allocation) == repr(liked) else 0

    assert implementable(
        lambda reports: liked if reports[0] == 2 else usual,
        types=FiniteTypes([1, 2]),
        agents=1,
        values=value,
    )
    assert not implementable(
        lambda reports: liked if reports[0] == 1 else usual,
        types=FiniteTypes([1, 2]),
        agents=1,
        values=value,
    )


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("usual", "liked"), EQUAL_PAIRS)
def test_a_mechanism_that_goes_between_equal_outcomes_is_not_deterministic(
    usual: Any, liked: Any, first: int
) -> None:
    calls: Counter[Any] = Counter()

    def moody(reports: Any) -> Any:
        calls[reports] += 1
        return (liked if calls[reports] % 2 == first else usual), [0]

    report = check_mechanism(
        moody,
        types=FiniteTypes([1, 2]),
        agents=1,
        values=lambda i, own, allocation: 5 if repr(allocation) == repr(liked) else 0,
        properties=["deterministic", "dsic"],
    )
    assert report["deterministic"].status is Status.REFUTED
    assert report["dsic"].strength is Strength.TESTED


@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize(("usual", "liked"), EQUAL_PAIRS)
def test_who_gets_what_is_worth_more_is_not_bossy(usual: Any, liked: Any, agent: int) -> None:
    """The own lot of the agent changes, too: there is nothing to compare."""
    report = check_mechanism(
        lambda reports: ((liked if reports[agent] else usual), [0, 0]),
        types=FiniteTypes([0, 1]),
        agents=2,
        values=lambda i, own, allocation: 5 if repr(allocation) == repr(liked) else 0,
        properties=["non_bossy"],
    )
    assert report["non_bossy"].status is Status.HOLDS
    assert report["non_bossy"].scope.nontrivial == 0


class Shared:
    """An allocation that remembers what follows from the rest of it."""

    def __init__(self, items: Sequence[str]) -> None:
        self.items = tuple(items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shared) and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.items)

    @functools.cached_property
    def size(self) -> int:
        return len(self.items)


def test_what_an_allocation_remembers_of_itself_makes_no_other_of_it() -> None:
    some, none = Shared("ab"), Shared("")

    def larger(reports: Any) -> Any:
        if not any(reports):
            return none, [0, 0]
        return (some if some.size > none.size else none), [0, 0]

    report = check_mechanism(
        larger,
        types=FiniteTypes([0, 1]),
        agents=2,
        values=lambda i, own, allocation: own * allocation.size,
        properties=["deterministic", "dsic"],
    )
    assert [(f.status, f.scope.exhausted) for f in report.findings] == [(Status.HOLDS, True)] * 2
    assert report["dsic"].strength is Strength.EXACT


# --- Types that are equal and not the same


class Buyer(IntEnum):
    LOW = 1
    HIGH = 2


class Seller(IntEnum):
    LOW = 1
    HIGH = 2


TWO_KINDS: list[tuple[tuple[Any, ...], tuple[Any, ...]]] = [
    (tuple(Buyer), tuple(Seller)),
    ((0, 1), (False, True)),
    (((0, 1),), ((False, True),)),
    ((Award(0, 1),), (Award(0, 2),)),
    ((frozenset({0}),), (frozenset({False}),)),
]


def told(rule: Any, own: Any, name: str, **more: Any) -> PropertyFinding:
    types = [FiniteTypes(each) for each in own]
    values = more.pop("values", lambda i, kind, allocation: 0)
    report = check_mechanism(rule, types=types, values=values, properties=[name], **more)
    return report[name]


@pytest.mark.parametrize("dear", [0, 1])
@pytest.mark.parametrize("own", TWO_KINDS)
def test_an_agent_alone_has_its_own_outcome(own: Any, dear: int) -> None:
    costly = list(map(repr, own[dear]))

    def rule(reports: Any) -> Any:
        alone = [5 if repr(reports[0]) in costly else 0]
        return None, (alone if len(reports) == 1 else [1, 1])

    finding = told(rule, own, "revenue_monotone")
    assert finding.status is Status.REFUTED
    assert finding.witness is not None
    assert finding.witness.agents == (1 - dear,)
    assert finding.witness.replay().fails


@pytest.mark.parametrize("own", TWO_KINDS)
def test_agents_whose_types_are_equal_and_not_the_same_are_not_alike(own: Any) -> None:
    dear = list(map(repr, own[0]))
    finding = told(lambda r: ("t", [int(repr(x) in dear) for x in r]), own, "anonymous")
    assert (finding.status, finding.reason) == (Status.VACUOUS, "no two agents are alike")


@pytest.mark.parametrize("rich", [0, 1])
@pytest.mark.parametrize("own", TWO_KINDS)
def test_what_a_second_name_is_worth_depends_on_whose_it_is(own: Any, rich: int) -> None:
    dear = list(map(repr, own[rich]))
    finding = told(
        lambda reports: ("t", [0] * len(reports)),
        own,
        "false_name_proof",
        values=lambda i, kind, allocation: 3 if i == 2 and repr(kind) in dear else 0,
        value_of_names="additive",
    )
    assert finding.status is Status.REFUTED
    assert finding.witness is not None
    assert finding.witness.agents == (rich,)


def test_a_type_of_a_line_of_json_is_the_one_that_the_space_lists() -> None:
    def rule(reports: Any) -> Any:
        return "t", [0 if isinstance(r, Buyer) else -r for r in reports]

    where = '"profile": [1, 1], "agents": [0, 1], "lies": [2, 2]'
    line = f'{{"property": "pairwise_strategyproof", {where}}}'
    finding = told(
        rule,
        [tuple(Buyer)] * 2,
        "pairwise_strategyproof",
        witnesses=[line],
        effort=Effort(exhaustive=0, samples=1),
    )
    assert finding.status is Status.HOLDS


@pytest.mark.parametrize(
    "other", [FiniteTypes([(0, 2), (1, 2)]), Product(FiniteTypes([0, 1]), FiniteTypes([2]))]
)
@pytest.mark.parametrize("first", [0, 1])
def test_agents_with_the_same_types_are_alike_however_they_are_written(
    other: Any, first: int
) -> None:
    alike: list[Any] = [Product(FiniteTypes([0, 1]), Box(2, 2)), other]
    types = [*(alike if first == 0 else reversed(alike)), Reals(), Reals()]
    finding = prove_mechanism(
        lambda reports: (None, [int(i == 0) for i in range(4)]),
        types=types,
        values=lambda i, own, allocation: 0,
        properties=["anonymous"],
        solver="certificates",
        effort=LITTLE,
    )["anonymous"]
    assert finding.status is Status.REFUTED


def test_a_candidate_has_to_be_there_at_every_report() -> None:
    types = FiniteTypes([(1, 2), (1, 2, 3)])
    for values in (None, Rewards()):
        report = check_mechanism(
            lambda reports: ((2 if len(reports[0]) == 3 else 0), [0, 0]),
            types=types,
            agents=2,
            values=values,
            properties=["feasible"],
        )
        assert report["feasible"].status is not Status.HOLDS
