"""check_mechanism on finite types: what it says, that it is right, and what it does with faults."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from incentive_rules import Case, cases
from oracles import incentives as oracle

from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    Instance,
    Lottery,
    MechanismReport,
    Outcome,
    Prior,
    ValueTable,
    Vectorised,
    assert_dsic,
    assert_holds_at,
    assert_mechanism,
    check_mechanism,
)
from theory.incentives._menus import Menu, menus
from theory.incentives._recheck import menu_gap
from theory.incentives._setting import Setting
from theory.incentives._table import tabulate
from theory.verdicts import Status, Strength

Bids = Sequence[Any]
GRID = FiniteTypes(range(4))


def winner(bids: Bids) -> int:
    return max(range(len(bids)), key=lambda i: bids[i])


def first_price(bids: Bids) -> tuple[int, list[Any]]:
    won = winner(bids)
    return won, [bids[i] if i == won else 0 for i in range(len(bids))]


def second_price(bids: Bids) -> tuple[int, list[Any]]:
    won = winner(bids)
    price = max((b for i, b in enumerate(bids) if i != won), default=0)
    return won, [price if i == won else 0 for i in range(len(bids))]


def first_price_rows(bids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    wins = np.zeros(bids.shape, dtype=np.int64)
    wins[np.arange(len(bids)), bids.argmax(axis=1)] = 1
    return wins, wins * bids


def second_price_rows(bids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    wins, _ = first_price_rows(bids)
    return wins, wins * np.sort(bids, axis=1)[:, [-2]]


def mixed(share: Any) -> Callable[[Bids], tuple[int, list[Any]]]:
    """Second price, of which the winner pays a share of the own bid instead."""

    def rule(bids: Bids) -> tuple[int, list[Any]]:
        won, low = second_price(bids)
        return won, [p + share * (bids[i] - p) if i == won else 0 for i, p in enumerate(low)]

    return rule


def dsic(rule: Any, types: FiniteTypes = GRID, agents: int = 2, **more: Any) -> MechanismReport:
    return check_mechanism(rule, types=types, agents=agents, properties=["dsic"], **more)


# --- the example that everybody knows


def test_first_price_is_refuted_by_the_smallest_lie_that_pays() -> None:
    finding = dsic(first_price)["dsic"]
    assert (finding.status, finding.strength) == (Status.REFUTED, Strength.EXACT)
    witness = finding.witness
    assert witness is not None
    assert (witness.profile, witness.agents, witness.lies) == ((1, 0), (0,), (0,))
    assert witness.gain == 1
    assert witness.story == "agent 0 of type 1 gains 1 by reporting 0 when agent 1 reports 0"
    assert finding.slack == -3  # type 3 against 0
    assert witness.replay().fails


def test_second_price_holds_exactly_and_is_proved_by_its_menus() -> None:
    finding = dsic(second_price, agents=3)["dsic"]
    assert (finding.status, finding.strength) == (Status.HOLDS, Strength.EXACT)
    assert (finding.slack, finding.gap) == (0, 0)
    assert finding.scope.instances == 3 * 4**3 * 3
    assert "menus" in finding.rechecked
    assert finding.slacks is not None
    assert finding.slacks.at(2, (1, 3, 0)) == 0


def test_epsilon_is_the_gain_that_is_put_up_with() -> None:
    assert dsic(first_price, epsilon=3).refuted == ()
    report = dsic(first_price, epsilon="29/10")
    assert report.witness is not None
    assert report.witness.gain == Fraction(1, 10)
    assert "more than ε = 29/10" in report.witness.story


def test_a_slack_of_one_part_in_a_billion_is_seen_where_numbers_are_exact() -> None:
    report = dsic(mixed(Fraction(1, 10**9)))
    assert report.witness is not None
    assert report.witness.gain == Fraction(1, 10**9)


def test_floats_are_read_as_what_they_stand_for_and_small_slacks_are_ambiguous() -> None:
    finding = dsic(mixed(1e-10))["dsic"]
    assert (finding.status, finding.strength) == (Status.AMBIGUOUS, Strength.TESTED)
    assert finding.slack is not None
    assert -Fraction(1, 10**9) < finding.slack < 0
    assert finding.tolerance == Fraction(3, 10**9)  # relative to the largest number
    assert dsic(mixed(1e-10), tolerance="1/10000000000000")["dsic"].status is Status.REFUTED
    refuted = dsic(mixed(0.25))["dsic"]
    assert (refuted.status, refuted.strength) == (Status.REFUTED, Strength.CERTIFIED)
    assert dsic(mixed(0.0))["dsic"].status is Status.HOLDS


# --- against an independent brute force


def as_mechanism(case: Case) -> Callable[[Bids], Outcome]:
    def rule(reports: Bids) -> Outcome:
        allocation, payments = case.rule[tuple(reports)]
        lottery = Lottery(allocation) if isinstance(allocation, dict) else allocation
        return Outcome(lottery, payments)

    return rule


def report_on(case: Case, names: Sequence[str]) -> MechanismReport:
    return check_mechanism(
        as_mechanism(case),
        types=[FiniteTypes(types) for types in case.types],
        values=None if case.tables is None else ValueTable(case.tables),
        properties=names,
    )


BY_TABLE = [
    "dsic",
    "individually_rational",
    "no_positive_transfers",
    "weakly_budget_balanced",
    "strongly_budget_balanced",
]


def test_slacks_and_verdicts_are_those_of_the_brute_force() -> None:
    held = 0
    for case in cases(150, seed=5):
        report = report_on(case, BY_TABLE)
        judged = oracle.Setting(case.rule.__getitem__, case.types, case.value)
        for name in BY_TABLE:
            slacks = [slack for _, slack in oracle.SLACKS[name](judged)]
            finding = report[name]
            assert finding.slack == min(slacks), (case.name, name)
            assert finding.scope.instances == len(slacks), (case.name, name)
            assert (finding.status is Status.REFUTED) == (min(slacks) < 0), (case.name, name)
            if finding.witness is not None:
                assert finding.witness.replay().slack == finding.witness.slack < 0
        held += report["dsic"].status is Status.HOLDS
    assert 50 < held < 130


def test_the_witness_is_the_smallest_by_the_size_that_is_stated() -> None:
    from theory.incentives._instance import size

    for case in list(cases(60, seed=8))[::2]:
        witness = report_on(case, ["dsic"]).witness
        if witness is None:
            continue
        judged = oracle.Setting(case.rule.__getitem__, case.types, case.value)
        failing = [
            Instance(profile, (agent,), (lie,))
            for (agent, profile, lie), slack in oracle.slacks_dsic(judged)
            if slack < 0
        ]
        least = min(size(witness.setting, instance) for instance in failing)
        assert size(witness.setting, witness.instance) == least


# --- array functions


@pytest.mark.parametrize("agents", [2, 3])
def test_array_functions_lead_to_the_same_findings(agents: int) -> None:
    for rows, rule in ((first_price_rows, first_price), (second_price_rows, second_price)):
        a = check_mechanism(Vectorised(rows), types=GRID, agents=agents, properties=BY_TABLE)
        b = check_mechanism(rule, types=GRID, agents=agents, properties=BY_TABLE)
        for one, other in zip(a.findings, b.findings, strict=True):
            assert (one.status, one.slack) == (other.status, other.slack)
            assert one.scope.instances == other.scope.instances
            assert one.scope.nontrivial == other.scope.nontrivial


def test_array_functions_take_fractions_and_halves_of_floats_exactly() -> None:
    types = FiniteTypes([0, Fraction(1, 3), Fraction(2, 3), 1])
    assert dsic(Vectorised(second_price_rows), types)["dsic"].strength is Strength.EXACT

    def half(bids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        wins, paid = first_price_rows(bids)
        return wins, paid / 2

    report = dsic(Vectorised(half))
    assert report.witness is not None
    assert (report["dsic"].strength, report.witness.gain) == (Strength.CERTIFIED, Fraction(1, 2))


def test_an_array_function_that_fails_on_one_row_is_judged_on_the_others() -> None:
    def picky(bids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if (bids == 3).all(axis=1).any():
            raise ArithmeticError("threes")
        return second_price_rows(bids)

    report = dsic(Vectorised(picky))
    assert [fault.reports for fault in report.faults] == [(3, 3)]
    assert report["dsic"].status is Status.HOLDS
    assert report["dsic"].strength is Strength.TESTED


def test_more_numbers_than_int64_holds_are_exact_too() -> None:
    huge = FiniteTypes([0, 10**30, 10**30 + 1])
    assert dsic(second_price, huge)["dsic"].slack == 0
    report = dsic(first_price, huge)
    assert report["dsic"].slack == -(10**30 + 1)


# --- the recheck


def test_a_wrong_menu_proves_nothing() -> None:
    table = tabulate(Setting(second_price, (GRID, GRID)))
    for agent in (0, 1):
        menu = menus(table, agent)
        assert menu_gap(table, agent, menu, Fraction(0)) == 0
        dear, cheap = menu.prices.copy(), menu.prices.copy()
        dear[2] += 1
        cheap[2] -= 1
        assert menu_gap(table, agent, Menu(dear, menu.offered), Fraction(0)) > 0
        assert menu_gap(table, agent, Menu(cheap, menu.offered), Fraction(0)) > 0
        short = menu.offered.copy()
        short[2] = False
        assert menu_gap(table, agent, Menu(menu.prices, short), Fraction(0)) > 0
    broken = tabulate(Setting(first_price, (GRID, GRID)))
    assert menu_gap(broken, 0, menus(broken, 0), Fraction(0)) == 3
    assert menu_gap(broken, 0, menus(broken, 0), Fraction(5, 2)) > 0
    assert menu_gap(broken, 0, menus(broken, 0), Fraction(3)) == 0


# --- relations


def test_scaling_money_scales_slacks_and_a_fee_leaves_them() -> None:
    def scaled(bids: Bids) -> tuple[int, list[Any]]:
        won, paid = first_price([Fraction(b, 5) for b in bids])
        return won, [5 * p + 2 for p in paid]

    types = FiniteTypes([5 * k for k in range(4)])
    assert dsic(scaled, types)["dsic"].slack == 5 * (dsic(first_price)["dsic"].slack or 0)


def test_relabelling_agents_moves_slacks_with_them() -> None:
    spaces = [FiniteTypes([0, 2]), FiniteTypes([0, 1, 3])]
    report = check_mechanism(first_price, types=spaces, properties=["dsic"])

    def swapped(bids: Bids) -> tuple[int, list[Any]]:
        won, paid = first_price(bids[::-1])
        return 1 - won, paid[::-1]

    other = check_mechanism(swapped, types=spaces[::-1], properties=["dsic"])
    a, b = report["dsic"].slacks, other["dsic"].slacks
    assert a is not None
    assert b is not None
    for first, second in product(range(2), range(3)):
        assert a.at(0, (first, second)) == b.at(1, (second, first))
        assert a.at(1, (first, second)) == b.at(0, (second, first))


# --- what mechanisms do wrong


def faulty(kind: str) -> Callable[[Bids], Any]:
    """Second price, but for the profile (2, 3)."""

    def rule(bids: Bids) -> Any:
        won, paid = second_price(bids)
        if tuple(bids) != (2, 3):
            return won, paid
        match kind:
            case "raises":
                raise KeyError("no such bid")
            case "nan":
                return won, [float("nan"), 0]
            case "infinite":
                return won, [float("inf"), 0]
            case "too few":
                return won, paid[:1]
            case "too many":
                return won, [*paid, 0]
            case "nothing":
                return None
            case "text":
                return won, ["cheap", 0]
            case "no sequence":
                return won, 3
            case "lottery":
                return Lottery([(0, Fraction(1, 2)), (1, Fraction(1, 3))]), paid
            case "random":
                return won, [random.random(), 0]
        return np.random.default_rng().integers(2**40), paid

    return rule


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("raises", "raised KeyError: 'no such bid'"),
        ("nan", "payments[0] is not finite"),
        ("infinite", "payments[0] is not finite"),
        ("too few", "payments are 1"),
        ("too many", "payments are 3"),
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


# --- ways to state a mechanism


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


# --- to keep, to paste, to expect


def test_as_test_is_a_test_that_fails_until_the_mechanism_is_mended() -> None:
    witness = dsic(first_price).witness
    assert witness is not None
    text = witness.as_test()
    assert "from test_incentives_check import first_price" in text
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


# --- arguments that cannot be used

WITNESS = '{"property": "dsic", "profile": %s, "agents": [0], "lies": [0]}'


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
