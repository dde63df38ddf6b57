"""Efficient and feasible are said of what was compared with, and not where nothing is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from theory.errors import InvalidInputError
from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    Lottery,
    PropertyFinding,
    Reals,
    Rewards,
    SingleItem,
    SingleParameter,
    ValueTable,
    Vectorised,
    check_mechanism,
    prove_mechanism,
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


@pytest.mark.parametrize("given", [None, 0, 2])
@pytest.mark.parametrize("types", [THREE, Box(0, 2)])
def test_one_item_for_everybody_at_some_reports_is_enough(types: Any, given: Any) -> None:
    """Whichever allocation is seen first: quantities may stand at small reports or at large."""

    def everybody(bids: Sequence[Any]) -> Any:
        large = max(bids) > 0 if given is None else bids[0] == given
        return ((1, 1) if large else None), [0, 0]

    for rule in (everybody, lambda bids: (None if everybody(bids)[0] else (1, 1), [0, 0])):
        feasible = found(rule, "feasible", types)
        assert feasible.status is Status.VACUOUS
        assert "values=SingleItem()" in feasible.reason
        one = found(rule, "feasible", types, values=SingleItem())
        assert one.status is Status.REFUTED
    efficient = found(everybody, "efficient", types)
    assert efficient.status is Status.VACUOUS if given is None else Status.REFUTED


@pytest.mark.parametrize("odd", [5, -1, (1, 0), (1, 1), Lottery({0: "1/2", (1, 1): "1/2"})])
@pytest.mark.parametrize("types", [THREE, Box(0, 2)])
def test_an_allocation_that_nobody_guessed_leaves_efficiency_unsaid(types: Any, odd: Any) -> None:
    """It comes of zeros alone, where whatever is done is best."""
    best = found(lambda b: (b.index(max(b)), [0, 0]), "efficient", types)
    assert best.status is Status.HOLDS
    other = found(lambda b: (b.index(max(b)) if any(b) else odd, [0, 0]), "efficient", types)
    assert other.status is not Status.HOLDS
    stated = found(
        lambda b: (b.index(max(b)) if any(b) else odd, [0, 0]),
        "efficient",
        types,
        alternatives=lambda agents: [0, 1, (1, 0)],
    )
    assert stated.status is Status.HOLDS


@pytest.mark.parametrize("law", [(1, 0), (Fraction(1, 2), Fraction(1, 2)), (0.1 + 0.2, 0.7)])
@pytest.mark.parametrize("types", [FiniteTypes([(1, 1), (3, 3)]), Box([1, 1], [1, 1])])
def test_a_law_over_candidates_is_compared_with_them(types: Any, law: Any) -> None:
    assert found(lambda r: (law, [0, 0]), "efficient", types).status is Status.HOLDS
    more = found(lambda r: (0 if r[0] == 0 else (1, 1), [0, 0]), "efficient", types)
    assert more.status is Status.VACUOUS


def least(reports: Sequence[Any]) -> Any:
    """A place for three, the least that is reported; the median would be best."""
    return sorted(reports)[0], [0, 0, 0]


def distance(agent: int, own: Any, place: Any) -> Any:
    return -abs(own - place)


@pytest.mark.parametrize("space", [Reals(), Box(0, 1)])
@pytest.mark.parametrize("check", [check_mechanism, prove_mechanism])
def test_of_a_space_without_a_list_a_better_alternative_is_named_and_pasted(
    check: Any, space: Any
) -> None:
    finding = check(
        least,
        types=Box(0, 1),
        agents=3,
        values=distance,
        alternatives=lambda agents: space,
        properties=["efficient"],
        effort=Effort(samples=60, starts=1, steps=10),
    )["efficient"]
    witness = finding.witness
    assert "lose at least " in witness.story
    assert [name for name, _ in witness.sides][2] == "better alternative"
    assert witness.replay().fails
    listed = check_mechanism(
        least,
        types=FiniteTypes([0, 1]),
        agents=3,
        values=distance,
        alternatives=lambda agents: FiniteTypes([0, 1]),
        properties=["efficient"],
    ).witness
    assert listed is not None
    assert "lose 1 of welfare" in listed.story
    assert [name for name, _ in listed.sides][2] == "best alternative"
    if check is prove_mechanism:
        text = witness.as_test()
        assert "._" not in text
        assert "alternatives=lambda agents: [" in text
        names: dict[str, Any] = {}
        exec(text, names)
        with pytest.raises(AssertionError, match="would be better"):
            names["test_efficient_of_least"]()


@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize("longer", [0, 1])
def test_types_with_rewards_for_more_candidates_leave_it_unsaid_which_there_are(
    longer: int, agent: int
) -> None:
    short, long_ = FiniteTypes([(1, 2)]), FiniteTypes([(1, 2), (1, 2, 9)][:: 1 - 2 * longer])
    types = [long_ if i == agent else short for i in range(2)]

    def best_of_two(rewards: Any) -> Any:
        return int(sum(r[1] for r in rewards) > sum(r[0] for r in rewards)), [0, 0]

    for values in (None, Rewards()):
        report = check_mechanism(best_of_two, types=types, values=values, properties=["efficient"])
        assert report["efficient"].status is Status.VACUOUS
        assert "alternatives=" in report["efficient"].reason
    mixed = [long_ if i == agent else Box((0, 0, 0), (1, 1, 1)) for i in range(2)]
    report = prove_mechanism(
        best_of_two,
        types=mixed,
        properties=["efficient"],
        solver="certificates",
        effort=Effort(samples=20, starts=1, steps=2),
    )
    assert report["efficient"].status is Status.VACUOUS


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
    voted = found(lambda r: ("x", [0, 0]), "efficient", FiniteTypes(list("ab")), values=table)
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


# --- what cannot be carried out is not efficient, where it is said what can


def highest(bids: Sequence[Any]) -> Any:
    return bids.index(max(bids))


def somewhere(odd: Any, told: Any, usual: Callable[[Sequence[Any]], Any]) -> Callable[..., Any]:
    """Something odd where both agents report this, and what is usual elsewhere."""

    def rule(reports: Sequence[Any]) -> Any:
        return (odd if reports == (told, told) else usual(reports)), [0, 0]

    return rule


REWARDS = FiniteTypes([(1, 1), (3, 3)])
ONE_ITEM: Any = {"types": THREE, "values": SingleItem()}
CANDIDATES: Any = {"types": REWARDS, "values": Rewards()}
STATED: Any = {
    "types": THREE,
    "feasible": lambda allocation, agents: allocation != 5,
    "alternatives": range,
}


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize(
    ("given", "odd", "usual"),
    [
        (ONE_ITEM, (1, 1), highest),
        (ONE_ITEM, (3, -1), highest),
        (ONE_ITEM, Lottery({0: "1/2", (1, 1): "1/2"}), highest),
        (CANDIDATES, (1, 1), lambda types: 0),
        (CANDIDATES, -1, lambda types: 0),
        (STATED, 5, highest),
    ],
)
def test_what_is_not_feasible_is_not_efficient(
    given: Any, odd: Any, usual: Any, place: int
) -> None:
    told = given["types"].members[place]
    for name in ("efficient", "feasible"):
        assert found(somewhere(0, told, usual), name, **given).status is Status.HOLDS
        finding = found(somewhere(odd, told, usual), name, **given)
        assert (finding.status, finding.strength) == (Status.REFUTED, Strength.EXACT)
        assert finding.gap == 0
        assert finding.witness is not None
        assert finding.witness.profile == (told, told)
        assert finding.witness.story.endswith("cannot be carried out")


@pytest.mark.parametrize("types", [THREE, Box(0, 2), Reals(low=0)])
@pytest.mark.parametrize("check", [check_mechanism, prove_mechanism])
def test_one_item_for_two_is_not_efficient(check: Any, types: Any) -> None:
    if check is check_mechanism and isinstance(types, Reals):
        types = Box(0, 10**6)

    def rule(bids: Sequence[Any], odd: Any = (1, 1)) -> Any:
        return (odd if bids[0] + bids[1] > 3 else bids.index(max(bids))), [0, 0]

    given = {"agents": 2, "values": SingleItem(), "properties": ["efficient", "feasible"]}
    effort = Effort(samples=60, starts=1, steps=10)
    report = check(rule, types=types, effort=effort, **given)
    assert set(report.refuted) == {"efficient", "feasible"}
    fine = check(lambda bids: rule(bids, highest(bids)), types=types, effort=effort, **given)
    assert {finding.status for finding in fine.findings} == {Status.HOLDS}


@pytest.mark.parametrize("agent", [0, 1])
def test_the_shares_of_an_array_are_looked_at_row_by_row(agent: int) -> None:
    def rows(bids: Any) -> Any:
        won = (bids[:, agent] >= bids[:, 1 - agent]).astype(int)
        other = np.where(bids[:, 1 - agent] == 2, 1, 1 - won)
        shares = np.stack([won, other], axis=1)[:, :: 1 - 2 * agent]
        return shares, shares * 0

    finding = found(Vectorised(rows), "efficient", values=SingleItem())
    assert finding.status is Status.REFUTED
    assert finding.gap == 0
    assert finding.witness is not None
    assert finding.witness.profile == (2, 2)


# --- alternatives that raise


def raising_at_once(agents: int) -> Any:
    return [0 // (agents - 2)]


def raising_later(agents: int) -> Iterator[int]:
    yield from range(agents)
    yield 0 // (agents - 2)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("listed", [raising_at_once, raising_later])
@pytest.mark.parametrize("types", [FiniteTypes(range(2)), Reals(0)])
@pytest.mark.parametrize("check", [check_mechanism, prove_mechanism])
def test_alternatives_that_raise_are_refused_by_name(
    check: Any, types: Any, listed: Any, own: bool
) -> None:
    class Keeping:
        def outcome(self, bids: Sequence[Any]) -> Any:
            return 0, [0] * len(bids)

    class Listing(Keeping):
        def alternatives(self, agents: int) -> Any:
            return listed(agents)

    given = {} if own else {"alternatives": listed}
    with pytest.raises(InvalidInputError, match=r"^alternatives raises ZeroDivisionError"):
        check(
            Listing() if own else Keeping(),
            types=types,
            agents=2,
            properties=["efficient"],
            **given,
        )
