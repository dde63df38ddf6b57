"""Whole mechanisms by which machine and Python, or symbols and numbers, may come to differ.

Conditions on a report stand in ``adversarial_differences.py``.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from operator import is_
from typing import Any

import numpy as np
import pytest
from adversarial_mechanisms import RARE
from sweeps import in_turns

from theory.errors import InvalidInputError
from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    Lottery,
    Outcome,
    Product,
    PropertyFinding,
    Reals,
    Rewards,
    SingleItem,
    SingleParameter,
    Vectorised,
    prove_mechanism,
)
from theory.incentives.proving import _operations
from theory.verdicts import Status, Strength

LITTLE = Effort(samples=5, starts=1, steps=1, shrinks=20)
LARGE = 10**30 + 7


def found(mechanism: Any, name: str = "dsic", agents: int = 2, **arguments: Any) -> PropertyFinding:
    given = {"types": Reals(0), "solver": "certificates", "effort": LITTLE, **arguments}
    return prove_mechanism(mechanism, agents=agents, properties=[name], **given)[name]


def auction(bids: Sequence[Any], rare: object) -> tuple[int, list[Any]]:
    """A second price, and a first price where it is rare."""
    winner = 0 if bids[0] >= bids[1] else 1
    price = bids[winner] if rare else bids[1 - winner]
    return winner, [price if i == winner else 0 for i in range(2)]


# --- Python's run against the machine's


@pytest.mark.parametrize("place", [0, 1])
def test_what_python_calls_has_to_be_what_the_machine_called(
    monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    def honest(bids: Sequence[Any]) -> Any:
        told = [min(3, 4), min(3, 4)]
        return auction(bids, told[place] > 3)

    assert found(honest).strength is Strength.PROVED
    monkeypatch.setattr(_operations.Operations, "subscript", lambda *_: max)

    def choosing(bids: Sequence[Any]) -> Any:
        functions: list[Any] = [max, max]
        functions[place] = min
        return 0, [0 * functions[place](3, 4), 0]

    assert "does something else in choosing" in found(choosing).reason


@pytest.mark.parametrize("place", [0, 1])
def test_the_branch_that_python_takes_has_to_be_the_machine_s(
    monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    marks: Sequence[Any] = [("first",), ("second",)]
    truth = _operations.Operations.truth

    def mistaken(self: Any, frame: Any, thing: Any) -> bool:
        return thing is not marks[place] and truth(self, frame, thing)

    def branching(bids: Sequence[Any]) -> Any:
        first = 0 if marks[0] else bids[0] * 0
        second = 0 if marks[1] else bids[1] * 0
        return 0, [first, second]

    assert found(branching, "no_positive_transfers").strength is Strength.PROVED
    monkeypatch.setattr(_operations.Operations, "truth", mistaken)
    assert "does something else in branching" in found(branching, "no_positive_transfers").reason


class PaymentsThatAreAskedForTheirLength:
    def __init__(self, bids: Any) -> None:
        self.bids = bids
        self.is_rare = False

    def __len__(self) -> int:
        self.is_rare = type(self.bids[0]) is Fraction
        return 2

    def __iter__(self) -> Iterator[Any]:
        yield from auction(self.bids, self.is_rare and RARE in self.bids)[1]


@pytest.mark.parametrize("form", [lambda *pair: pair, Outcome])
def test_payments_are_read_as_the_machine_reads_them(form: Any) -> None:
    def sells(bids: Any) -> Any:
        return form(0 if bids[0] >= bids[1] else 1, PaymentsThatAreAskedForTheirLength(bids))

    assert found(sells).strength is not Strength.PROVED


class Endless:
    def __len__(self) -> int:
        return self.length

    length = -1


@pytest.mark.parametrize("agent", [0, 1])
def test_python_lists_the_alternatives_too(agent: int) -> None:
    def listed(agents: int) -> tuple[int | None, ...]:
        try:
            len(Endless())
        except ValueError:
            return (None, agent)
        return (None,)

    def keeps(bids: Any) -> Any:
        return None, [0, 0]

    assert found(keeps, "efficient", alternatives=listed).strength is not Strength.PROVED
    assert found(keeps, "efficient", alternatives=lambda n: [None]).strength is Strength.PROVED


# --- Numbers that symbols do not tell


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("agent", [0, 1])
def test_a_computed_constant_in_a_lottery_has_a_kind_that_values_may_tell(
    depth: int, agent: int
) -> None:
    def draws(bids: Any) -> Any:
        part: Any = bids[0] - bids[0]
        for _ in range(depth):
            part = (part, "k")
        return Lottery([("other", Fraction(1, 2)), (part, Fraction(1, 2))]), [0, 0]

    def value(i: int, own: Any, allocation: Any) -> int:
        for _ in range(depth):
            allocation = allocation[0]
        return -1 if i == agent and isinstance(allocation, int) and own == LARGE else 0

    finding = found(draws, "individually_rational", values=value)
    assert finding.strength is not Strength.PROVED


# --- What is there by chance


@pytest.mark.parametrize(
    "first",
    [
        lambda texts: [*dict([texts])],  # type: ignore[list-item]
        lambda texts: [*dict(iter([texts]))],
    ],
)
def test_the_order_of_a_set_decides_nothing(first: Any) -> None:
    assert found(lambda bids: auction(bids, first({"a", "b"})[0] == "a")).strength is not (
        Strength.PROVED
    )


def added(texts: set[Any]) -> Any:
    kept: list[Any] = []
    kept += texts
    return kept[0]


def put(texts: set[Any]) -> Any:
    kept: list[Any] = []
    kept[0:0] = texts
    return kept[0]


def updated(texts: set[Any]) -> Any:
    kept: dict[Any, Any] = {}
    kept.update([tuple("ab"), texts])  # type: ignore[list-item]
    return next(iter(reversed(kept)))


@pytest.mark.parametrize("first", [added, put, updated])
@pytest.mark.parametrize("members", [{"a", "b"}, {float("nan"), 4.0}])
def test_the_order_in_which_a_set_is_written_decides_nothing(first: Any, members: Any) -> None:
    finding = found(lambda bids: auction(bids, first(members) == "a"))
    assert finding.strength is not Strength.PROVED


@pytest.mark.parametrize("function", [max, min, sorted])
def test_no_number_is_the_largest_beside_what_is_none(function: Any) -> None:
    members = {float("nan"), 1.0, 2.0}
    finding = found(lambda bids: auction(bids, function(members) == 1.0))
    assert finding.strength is not Strength.PROVED


@pytest.mark.parametrize("out", [None, (None,)])
def test_what_stood_in_memory_decides_nothing(out: Any) -> None:
    nowhere = np.array([False] * 7)

    def sells(bids: Any) -> Any:
        entries = np.add(np.ones(7, dtype=int), 1, out=out, where=nowhere)
        return auction(bids, entries[3] == 1_234_567)

    assert found(sells).strength is not Strength.PROVED


# --- What is there before, and what is kept


class Allowed:
    def __init__(self, items: Sequence[Any]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __call__(self, allocation: Any, agents: int) -> bool:
        return allocation in self.items


class Rivals(Allowed):
    def __call__(self, agents: int) -> Any:  # type: ignore[override]
        return [None, 0, 1, (1, 1)]


def test_a_function_that_counts_as_false_is_still_asked() -> None:
    def second(bids: Any) -> Any:
        return auction(bids, rare=False)

    assert found(second, "feasible", feasible=Allowed([])).strength is not Strength.PROVED
    assert found(second, "efficient", alternatives=Rivals([])).strength is not Strength.PROVED


class Named:
    def __init__(self) -> None:
        self.shown: list[int] = []

    def __repr__(self) -> str:
        self.shown.append(1)
        return "named"

    def outcome(self, bids: Any) -> Any:
        return auction(bids, len(self.shown) > 2)


class Told(Exception):  # noqa: N818 - what it tells is the point
    told: list[int] = []  # noqa: RUF012 - it keeps something, which is the point

    def __str__(self) -> str:
        Told.told.append(1)
        return "told"


def test_what_is_run_to_show_something_keeps_nothing() -> None:
    assert found(Named()).strength is not Strength.PROVED

    def refusing(bids: Any) -> Any:
        if len(bids) < 2:
            raise Told
        return auction(bids, not Told.told)

    report = prove_mechanism(
        refusing, types=Reals(0), agents=2, properties=["revenue_monotone", "dsic"], effort=LITTLE
    )
    assert report["dsic"].strength is not Strength.PROVED
    assert Told.told == [] or "text is made by code of its own" in report["dsic"].reason


class Spot:
    @functools.cached_property
    def used(self) -> bool:
        return True


Spot.mark = Spot.__dict__["used"]  # type: ignore[attr-defined]


def test_a_property_that_is_computed_once_ends_the_proof() -> None:
    spot: Any = Spot()

    def sells(bids: Any) -> Any:
        return auction(bids, not spot.mark)

    assert "asks for mark, which has rules of its own" in found(sells).reason


CALLS = itertools.count()
KEPT: list[int] = []


def grown() -> int:
    lengths: list[int] = []
    lengths.extend(len(lengths) for _ in range(2))
    return lengths[1]


def counts_calls(bids: Any) -> Any:
    return auction(bids, next((itertools.count(), CALLS)[grown()]) > 100_000)


def keeps_calls(bids: Any) -> Any:
    kept = ([], KEPT)[grown()]
    kept.append(0)
    return auction(bids, len(kept) > 100_000)


@pytest.mark.parametrize("mechanism", [counts_calls, keeps_calls])
def test_what_python_changes_has_to_be_what_the_machine_changes(mechanism: Any) -> None:
    assert "where Python runs it with symbols" in found(mechanism).reason


# --- Types of several kinds


@pytest.mark.parametrize(("place", "agents"), in_turns([(0, 1), (1, 1), (1, 2), (0, 2)], 2))
def test_convexity_is_judged_at_listed_entries_between_two(place: int, agents: int) -> None:
    listed, real = FiniteTypes([0, 1, 3]), Reals(0)
    space = Product(real, listed) if place else Product(listed, real)

    def pays(bids: Any) -> Any:
        paid = -1 if bids[-1][place] == 1 else 0
        return (0, 0), [0] * (agents - 1) + [paid]

    types = [Reals(0)] * (agents - 1) + [space]
    given: dict[str, Any] = {"types": types, "effort": LITTLE, "properties": ["convex_utility"]}
    assert prove_mechanism(pays, **given)["convex_utility"].status is Status.REFUTED
    constant = prove_mechanism(lambda bids: ((0, 0), [0] * agents), **given)["convex_utility"]
    assert constant.strength is Strength.PROVED


@pytest.mark.parametrize("place", [0, 1])
def test_each_agent_has_to_have_the_candidate_that_is_chosen(place: int) -> None:
    types: list[Any] = [Box([0] * 4, [1] * 4)] * 2
    types[place] = Box([0, 0], [1, 1])
    report = prove_mechanism(
        lambda bids: (3, [0, 0]), types=types, properties=["feasible"], effort=LITTLE
    )
    assert report["feasible"].status is Status.REFUTED


def test_alternatives_that_are_no_list_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="alternatives is no list"):
        found(lambda bids: auction(bids, rare=False), "efficient", alternatives=lambda agents: 5)


@pytest.mark.parametrize("place", [0, 1])
def test_values_of_candidates_ask_every_agent_too(place: int) -> None:
    types: list[Any] = [Box([0] * 3, [1] * 3)] * 2
    types[place] = Box([0, 0], [1, 1])
    for allocation in ((0, 0, 1), 2):
        report = prove_mechanism(
            lambda bids, chosen=allocation: (chosen, [0, 0]),
            types=types,
            values=Rewards(),
            properties=["feasible"],
            effort=LITTLE,
        )
        assert report["feasible"].status is not Status.HOLDS


def worst_of_two(rewards: Any) -> Any:
    first, second = rewards[0]
    return ({0: 1, 1: 0} if first < second else {0: 0, 1: 1}), [0, 0]


@pytest.mark.parametrize("name", ["dsic", "feasible", "weakly_monotone"])
@pytest.mark.parametrize("types", [Box((0, 0), (1, 1)), FiniteTypes([(0, 1), (1, 0)])])
def test_a_table_is_no_law_over_candidates(name: str, types: Any) -> None:
    given: dict[str, Any] = {"types": types, "agents": 2, "effort": LITTLE, "properties": [name]}
    assert prove_mechanism(worst_of_two, **given)[name].status is not Status.HOLDS


@pytest.mark.parametrize("values", [SingleItem(), SingleParameter()])
@pytest.mark.parametrize("shares", [{0: 1, 1: 1}, {0: -1, 1: -1}, {0, 1}, b"\x00\x01"])
def test_a_table_or_a_set_is_no_list_of_shares(values: Any, shares: Any) -> None:
    finding = found(lambda bids: (shares, [0, 0]), "feasible", values=values)
    assert finding.status is not Status.HOLDS


# --- Code of this library that calls what the user chose


@pytest.mark.parametrize("mirrored", [False, True])
def test_what_an_iterator_calls_is_judged_as_who_made_it(mirrored: bool) -> None:
    """An array's mechanism returns a lazy iterator, which code of ours goes through."""

    def rule(rows: Any) -> Any:
        x, y = rows[0][::-1] if mirrored else rows[0]
        larger: Any = rows[0][0] >= rows[0][1]

        def shares(_: object) -> Any:
            return [[1, 0]] if larger else [[0, 1]]

        def paid(is_number: object) -> Any:
            price = max(x, y) if is_number and x == RARE else min(x, y)
            return [[price, 0]] if larger else [[0, price]]

        kinds = map(functools.partial(is_, Fraction), map(type, [x, x]))
        return map(lambda part, number: part(number), [shares, paid], kinds)

    mechanism = Vectorised(rule)
    reports = [RARE, RARE / 2]
    told = mechanism.outcome(tuple(reversed(reports)) if mirrored else tuple(reports))
    assert sum(told.payments) == RARE
    assert found(mechanism).strength is not Strength.PROVED


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("agents", [2, 9])
def test_values_are_judged_whoever_asks_them(place: int, agents: int) -> None:
    """Python's own function says who somebody is: small integers are one object."""
    value = functools.partial(max, 1000, key=functools.partial(is_, 187))
    assert value(0, 187, 0) == 187
    types: list[Any] = [Reals() if k == place else Box([0] * 3, [1] * 3) for k in range(agents)]
    claim = found(
        lambda bids: (0, [500] * agents),
        "individually_rational",
        agents,
        types=types,
        values=value,
    )
    assert claim.strength is not Strength.PROVED


@pytest.mark.parametrize("place", [0, 1])
def test_arrays_that_are_full_of_a_number_are_traced(place: int) -> None:
    def rule(bids: Any) -> Any:
        winner = int(bids[1] > bids[0])
        payments = np.full(2, 0.5) - np.ones(2) / 2
        payments[winner] = bids[1 - winner] * np.full(2, 2.0)[place] / 2
        return winner, list(payments)

    assert found(rule).strength is Strength.PROVED
