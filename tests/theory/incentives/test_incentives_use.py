"""check_mechanism as it is used: how mechanisms are stated, faults, witnesses to keep and paste."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from plain_auctions import (
    GRID,
    WITNESS,
    Bids,
    dsic,
    faulty,
    first_price,
    mixed,
    second_price,
)

from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    Instance,
    Lottery,
    Outcome,
    Prior,
    ValueTable,
    assert_dsic,
    assert_holds_at,
    assert_mechanism,
    check_mechanism,
)
from theory.verdicts import Status, Strength


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("raises", "raised KeyError: 'no such bid'"),
        ("nan", "payments[0] is not finite"),
        ("infinite", "payments[0] is not finite"),
        ("too few", "payments are 1"),
        ("too many", "payments are more than 2"),
        ("nothing", "is not an outcome"),
        ("text", "payments[0]"),
        ("no sequence", "payments are not a sequence"),
        ("lottery", "has sum 5/6"),
        ("random", "not deterministic"),
        ("fresh generator", "not deterministic"),
    ],
)
def test_a_fault_is_reported_for_its_profile_and_the_rest_is_judged(kind: str, said: str) -> None:
    report = check_mechanism(
        faulty(kind), types=GRID, agents=2, properties=["dsic", "individually_rational"]
    )
    assert [fault.reports for fault in report.faults] == [(2, 3)]
    assert said in str(report.faults[0])
    assert said in str(report)
    for finding in report.findings:
        assert (finding.status, finding.strength) == (Status.HOLDS, Strength.TESTED)
        assert "could not be judged" in finding.reason
    assert not report.ok
    with pytest.raises(AssertionError, match="could not be judged"):
        assert_dsic(faulty(kind), types=GRID, agents=2)


def test_a_mechanism_that_always_raises_leaves_nothing_to_judge() -> None:
    def broken(bids: Bids) -> Any:
        raise RuntimeError("out of order")

    report = dsic(broken)
    assert report["dsic"].status is Status.VACUOUS
    assert len(report.faults) == 16
    assert "and 11 more" in str(report)


def test_a_mechanism_that_draws_on_global_randomness_is_caught_though_nothing_comes_of_it() -> None:
    def tempted(bids: Bids) -> Any:
        random.random()
        return second_price(bids)

    state = random.getstate()
    report = dsic(tempted)
    assert random.getstate() == state
    assert "draws on the global state of random" in str(report.faults[0])


def test_a_mechanism_that_remembers_earlier_calls_is_caught() -> None:
    seen: list[Any] = []

    def sly(bids: Bids) -> Any:
        seen.append(max(bids))
        won, paid = second_price(bids)
        return won, [p + (len(seen) == 20) for p in paid]

    assert "not deterministic" in str(dsic(sly).faults[0])


def test_declared_randomness_gets_the_same_seed_at_each_call() -> None:
    def rule(bids: Bids, rng: np.random.Generator) -> Any:
        won, paid = second_price(bids)
        return won, [p + int(rng.integers(1000)) for p in paid]

    report = dsic(rule, seed=3)
    assert not report.faults
    assert report["dsic"].status is Status.HOLDS


def test_lotteries_are_valued_in_expectation() -> None:
    def coin(bids: Bids) -> Outcome:
        return Outcome(Lottery({0: "1/2", 1: "1/2"}), [Fraction(b, 4) for b in bids])

    assert dsic(coin)["dsic"].slack == -Fraction(3, 4)
    utility = check_mechanism(coin, types=GRID, agents=2, properties=["individually_rational"])
    assert utility["individually_rational"].slack == 0


def test_objects_with_values_of_their_own_and_value_tables() -> None:
    class Vote:
        def outcome(self, reports: Bids) -> tuple[str, list[int]]:
            return ("left" if "L" in reports else "right"), [0] * len(reports)

        def value(self, agent: int, type: str, allocation: str) -> int:
            return int((type, allocation) in {("L", "left"), ("R", "right")})

    types = FiniteTypes(["L", "R"])
    report = dsic(Vote(), types)
    assert report["dsic"].status is Status.HOLDS
    table = ValueTable({"L": {"left": 1, "right": 0}, "R": {"left": 2, "right": 1}})
    disliked = dsic(Vote(), types, values=table)
    assert disliked.witness is not None
    assert disliked.witness.story.startswith("agent 0 of type 'R' gains 1 by reporting 'L'")


def test_one_type_an_agent_leaves_nothing_to_lie_about() -> None:
    assert dsic(first_price, FiniteTypes([3]))["dsic"].status is Status.VACUOUS


def test_as_test_is_a_test_that_fails_until_the_mechanism_is_mended() -> None:
    witness = dsic(first_price).witness
    assert witness is not None
    text = witness.as_test()
    assert "from plain_auctions import first_price" in text
    scope: dict[str, Any] = {}
    exec(text, scope)
    with pytest.raises(AssertionError):
        scope["test_dsic_of_first_price"]()
    scope["first_price"] = second_price
    scope["test_dsic_of_first_price"]()


def test_as_test_leaves_a_gap_for_what_has_no_name() -> None:
    rule = mixed(1)
    witness = dsic(rule).witness
    assert witness is not None
    text = witness.as_test()
    assert "mechanism = ...  # put it here" in text
    compile(text, "test", "exec")


def test_a_witness_goes_through_json() -> None:
    types = FiniteTypes([0, Fraction(1, 2), 1])
    witness = dsic(first_price, types).witness
    assert witness is not None
    again = dsic(first_price, types, witnesses=[witness.to_json(), witness]).witness
    assert again == witness


def test_assertions_say_what_is_wrong_and_expected_failures_are_strict() -> None:
    with pytest.raises(AssertionError, match="agent 0 of type 1 gains 1 by reporting 0"):
        assert_dsic(first_price, types=GRID, agents=2)
    assert assert_dsic(second_price, types=GRID, agents=2).status is Status.HOLDS
    common: dict[str, Any] = {"types": GRID, "agents": 2, "properties": ["dsic"]}
    assert_mechanism(first_price, expected_failures={"dsic": "bids are paid"}, **common)
    with pytest.raises(AssertionError, match="was expected to fail"):
        assert_mechanism(second_price, expected_failures={"dsic": "no reason"}, **common)
    with pytest.raises(AssertionError, match="vacuous"):
        assert_mechanism(second_price, types=GRID, agents=2, properties=["bic"])


def test_a_report_shows_every_finding() -> None:
    report = check_mechanism(first_price, types=GRID, agents=2, prior=Prior.uniform(GRID, 2))
    written, page = str(report), report._repr_html_()
    for finding in report.findings:
        assert finding.property in written
        assert finding.property in page
    assert "agent 0 of type 1 gains 1" in written
    assert replace(report["dsic"], seconds=1e9) == report["dsic"]


def test_randomness_that_is_expected_is_no_complaint() -> None:
    report = assert_mechanism(
        faulty("random"),
        types=GRID,
        agents=2,
        properties=["deterministic"],
        expected_failures={"deterministic": "a raffle"},
    )
    assert report.ok
    assert report.faults


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"types": []}, "types are not type spaces"),
        ({"agents": None}, "agents is not a count"),
        ({"agents": 0}, "agents is not a count"),
        ({"types": [GRID, GRID], "agents": 3}, "agents does not fit 2 type spaces"),
        ({"properties": ["dsci"]}, "did you mean 'dsic'"),
        ({"properties": "dsic"}, "is one name, not a list"),
        ({"epsilon": -1}, "epsilon is below 0"),
        ({"epsilon": 0.1}, "epsilon is a float"),
        ({"tolerance": "-1"}, "tolerance is below 0"),
        ({"values": ValueTable}, "values are no values"),
        ({"expected_failures": {"dsci": "x"}}, "expected_failures is not checked"),
        ({"expected_failures": {"dsic": ""}}, "has no reason"),
        ({"witnesses": ["{"]}, "is not a witness"),
        ({"witnesses": [WITNESS % '[{"/": "1/0"}]']}, "is not a witness"),
        ({"witnesses": [WITNESS % f'[1, {{"float": {10**400}}}]']}, "is not a witness"),
        ({"witnesses": [WITNESS % "3"]}, "is not a witness"),
        ({"witnesses": [WITNESS.replace("[0]", '["x"]') % "[1, 0]"]}, "is not a witness"),
        ({"witnesses": [WITNESS.replace("dsic", "dsci") % "[1, 0]"]}, "did you mean 'dsic'"),
        ({"mechanism": 3}, "mechanism is not a mechanism"),
        ({"prior": Prior.uniform(GRID, 3)}, "is about 3 agents"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Any], said: str) -> None:
    arguments: dict[str, Any] = {"types": GRID, "agents": 2, "properties": ["dsic"], **change}
    mechanism = arguments.pop("mechanism", first_price)
    with pytest.raises(Exception, match=said):
        check_mechanism(mechanism, **arguments)


def test_unknown_keywords_and_too_many_types_are_refused() -> None:
    with pytest.raises(TypeError):
        check_mechanism(first_price, types=GRID, agents=2, propertys=["dsic"])  # pyright: ignore[reportCallIssue]
    with pytest.raises(ValueError, match="above the limit"):
        dsic(second_price, FiniteTypes(range(10_000)))


def test_one_instance_can_be_judged_alone() -> None:
    common: dict[str, Any] = {"types": GRID, "agents": 2}
    lie = Instance((3, 1), (0,), (1,))
    assert_holds_at(second_price, "dsic", lie, **common)
    with pytest.raises(AssertionError, match="gains 2 by reporting 1"):
        assert_holds_at(first_price, "dsic", lie, **common)
    with pytest.raises(ValueError, match="no such bid"):
        assert_holds_at(faulty("raises"), "dsic", Instance((2, 3), (0,), (1,)), **common)


def test_witnesses_found_before_come_first_where_instances_are_sampled() -> None:
    sampled = Effort(exhaustive=10, samples=400)
    arguments: dict[str, Any] = {"types": FiniteTypes(range(6)), "agents": 2}
    arguments["properties"] = ["pairwise_strategyproof"]
    finding = check_mechanism(second_price, effort=sampled, **arguments)["pairwise_strategyproof"]
    witness = finding.witness
    assert witness is not None
    assert (witness.profile, witness.lies) == ((1, 1), (0, 0))
    assert "a smaller one may exist" in witness.minimality
    blind = replace(sampled, samples=0)
    assert check_mechanism(second_price, effort=blind, **arguments).refuted == ()
    again = check_mechanism(second_price, effort=blind, witnesses=[witness], **arguments)
    assert again.witness == witness


@pytest.mark.parametrize(
    "instance",
    [
        Instance((9, 0), (0, 1), (0, 0)),
        Instance((1, 1), (0, 1), (0, 9)),
        Instance((1, 1, 0), (0, 1), (0, 0)),
        Instance((1, 1), (0, 2), (0, 0)),
        Instance((1, 1), (0,), (0, 0)),
        Instance((1, 1), (0, 1), (0,)),
        Instance((), (0, 1), (0, 0)),
    ],
)
def test_witnesses_of_other_settings_are_passed_over(instance: Instance) -> None:
    arguments: dict[str, Any] = {"types": FiniteTypes(range(6)), "agents": 2}
    arguments["properties"] = ["pairwise_strategyproof"]
    witness = check_mechanism(second_price, **arguments).witness
    assert witness is not None
    parts = {"profile": instance.profile, "agents": instance.agents, "lies": instance.lies}
    blind = Effort(exhaustive=10, samples=0)
    for space in (FiniteTypes(range(6)), Box(0, 5)):
        arguments["types"] = space
        kept = replace(witness, **parts)
        report = check_mechanism(second_price, effort=blind, witnesses=[kept], **arguments)
        for found in report.witnesses:
            assert all(0 <= t <= 5 for t in (*found.profile, *found.lies))
