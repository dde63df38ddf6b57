"""What mechanisms return and do that nobody expects: faults with a reason, and no wrong verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    Lottery,
    MechanismReport,
    PropertyFinding,
    Reals,
    Rewards,
    SingleItem,
    SingleParameter,
    Vectorised,
    assert_mechanism,
    check_mechanism,
    prove_mechanism,
)
from theory.verdicts import Status, Strength

Bids = Sequence[Any]
THREE = FiniteTypes([0, 1, 2])
BOTH = ["dsic", "individually_rational"]


def check(rule: Any, names: list[str] | None = None, **more: Any) -> MechanismReport:
    return check_mechanism(rule, **{"types": THREE, "agents": 2, "properties": names, **more})


def first_price(bids: Bids) -> tuple[int, list[Any]]:
    winner = bids.index(max(bids))
    return winner, [b if i == winner else 0 for i, b in enumerate(bids)]


def second_price(bids: Bids) -> tuple[int, list[Any]]:
    winner = bids.index(max(bids))
    return winner, [min(bids) if i == winner else 0 for i in range(2)]


# --- randomness


def test_randomness_that_shows_late_is_a_finding_and_no_crash() -> None:
    calls: dict[Any, int] = {}

    def rule(bids: Bids) -> tuple[int, list[Any]]:
        calls[bids] = calls.get(bids, 0) + 1
        return first_price(bids) if calls[bids] > 2 else second_price(bids)

    report = check(rule)
    assert report["deterministic"].status is Status.REFUTED
    assert all(fault.random for fault in report.faults)
    others = [f for f in report.findings if f.status is Status.HOLDS]
    assert others
    assert all(f.strength is Strength.TESTED for f in others)


def test_a_generator_from_nowhere_never_crashes_the_check() -> None:
    for seed in range(4):
        generator = np.random.default_rng(seed)

        def rule(bids: Bids, generator: np.random.Generator = generator) -> Any:
            return first_price(bids) if generator.random() < 0.1 else second_price(bids)

        report = check(rule, types=FiniteTypes(range(4)))
        assert report["deterministic"].status is Status.REFUTED


def test_repeating_is_a_test_and_a_seed_is_one_seed() -> None:
    assert check(first_price)["deterministic"].strength is Strength.TESTED

    def coin(bids: Bids, rng: np.random.Generator) -> Any:
        return first_price(bids) if rng.random() < 0 else second_price(bids)

    finding = check(coin, BOTH, seed=5)["dsic"]
    assert (finding.status, finding.strength) == (Status.HOLDS, Strength.TESTED)
    assert "seed 5" in finding.reason


def test_randomness_in_a_market_of_another_size_is_a_fault_there() -> None:
    generator = np.random.default_rng(0)

    def rule(bids: Bids) -> tuple[int, list[Any]]:
        winner, price = bids.index(max(bids)), sorted([0, *bids])[-2]
        extra = float(generator.random()) if len(bids) == 3 else 0
        return winner, [price + extra if i == winner else 0 for i in range(len(bids))]

    finding = check(rule, ["false_name_proof"])["false_name_proof"]
    assert finding.status is Status.VACUOUS


OTHER_SIZES = [("false_name_proof", 3), ("revenue_monotone", 1)]


def faulty_at(size: int, kind: str, place: int, calls: Counter[Any]) -> Any:
    """A rule that goes wrong where there are ``size`` reports, the one at ``place`` above 0."""

    def rule(bids: Bids) -> Any:
        calls[bids] += 1
        paid: list[Any] = [int(len(bids) > 1)] * len(bids)
        if len(bids) != size or bids[place] < 1:
            return None, paid
        if kind == "raises":
            raise ZeroDivisionError
        if kind == "one payment more":
            return None, [*paid, 0]
        return None, [calls[bids] % 2 if kind == "draws" else float("nan")] * size

    return rule


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("kind", ["raises", "one payment more", "draws", "nan"])
@pytest.mark.parametrize(("name", "size"), OTHER_SIZES)
def test_a_fault_at_some_reports_of_another_number_is_told(
    name: str, size: int, kind: str, place: int
) -> None:
    report = check(faulty_at(size, kind, place, Counter()), [name])
    finding = report[name]
    assert (finding.status, finding.strength) == (Status.HOLDS, Strength.TESTED)
    assert "could not be judged: at reports" in finding.reason
    assert not finding.scope.exhausted
    assert {len(fault.reports) for fault in report.faults} == {size}
    assert all(fault.reports[place] >= 1 for fault in report.faults)
    assert all(fault.random == (kind == "draws") for fault in report.faults)
    assert not report.ok
    searched = check(faulty_at(size, kind, place, Counter()), [name], types=Box(0, 2))
    assert {len(fault.reports) for fault in searched.faults} == {size}
    assert "could not be judged" in searched[name].reason


@pytest.mark.parametrize("kind", ["raises", "one payment more", "nan"])
@pytest.mark.parametrize(("name", "size"), OTHER_SIZES)
def test_a_number_of_reports_that_nothing_comes_of_is_not_taken(
    name: str, size: int, kind: str
) -> None:
    report = check(faulty_at(size, kind, 0, Counter()), [name], types=FiniteTypes([1, 2]))
    assert report[name].status is Status.VACUOUS
    assert "none met the hypotheses" in report[name].reason
    assert report.faults == ()


@pytest.mark.parametrize(("name", "size"), OTHER_SIZES)
def test_chance_in_a_market_of_another_size_is_told_of_what_is_judged_there(
    name: str, size: int
) -> None:
    rule = faulty_at(size, "draws", 0, Counter())
    alone, together = check(rule, [name]), check(rule)
    assert together[name].reason == alone[name].reason
    assert together["dsic"].strength is Strength.EXACT
    assert together["deterministic"].status is Status.HOLDS
    others = {"false_name_proof", "revenue_monotone"} - {name}
    assert all("could not be judged" not in together[each].reason for each in others)


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize(("name", "size"), OTHER_SIZES)
def test_code_that_raises_for_some_reports_of_another_number_is_not_proved(
    name: str, size: int, place: int
) -> None:
    def proved(types: Any) -> PropertyFinding:
        return prove_mechanism(
            rule,
            types=types,
            agents=2,
            properties=[name],
            solver="certificates",
            effort=Effort(samples=20, starts=1, steps=2),
        )[name]

    def rule(bids: Bids) -> Any:
        if len(bids) == size and bids[place] >= 1:
            raise ValueError
        return None, [int(len(bids) > 1)] * len(bids)

    assert proved(Reals(low=0)).strength is Strength.TESTED
    assert "raises for some reports" in proved(Reals(low=0)).reason
    assert proved(Reals(high=0)).strength is Strength.PROVED
    assert proved(Reals(low=1)).status is Status.VACUOUS


# --- allocations


def test_an_allocation_that_is_used_again_is_copied() -> None:
    class Forgetful:
        def __init__(self) -> None:
            self.given: dict[str, int] = {}

        def outcome(self, bids: Bids) -> tuple[dict[str, int], list[int]]:
            self.given["winner"] = bids.index(max(bids))
            return self.given, [0, 0]

        def value(self, agent: int, type: int, allocation: dict[str, int]) -> int:
            return type * (allocation["winner"] == agent)

    assert check(Forgetful(), ["dsic"]).refuted == ("dsic",)


@dataclass
class Named:
    name: str
    winner: int = field(repr=False)


def test_allocations_are_told_apart_by_equality_not_by_their_text() -> None:
    report = check(
        lambda bids: (Named("x", int(bids == (1, 2))), [0, 0]),
        ["dsic"],
        values=lambda agent, _type, allocation: 100 * (allocation.winner == 1 and agent == 0),
    )
    assert report["dsic"].slack == -100


class NoEquality:
    pass


Itself: list[Any] = []
Itself.append(Itself)


@pytest.mark.parametrize(
    ("allocation", "said"),
    [
        (NoEquality(), "give its class __eq__"),
        ({"x": np.array([1, 2])}, "cannot be read"),
        (Itself, "cannot be read, raises RecursionError"),
    ],
    ids=["no equality", "array inside", "itself"],
)
def test_allocations_that_cannot_be_compared_are_faults(allocation: Any, said: str) -> None:
    report = check(lambda bids: (allocation, [0, 0]), ["dsic"], values=lambda i, t, a: 0)
    assert report["dsic"].status is Status.VACUOUS
    assert said in str(report.faults[0])


@pytest.mark.parametrize("allocation", [{0: 1}, ((1,), (2,)), "ab", [["x"]]], ids=str)
def test_allocations_of_another_form_are_faults(allocation: Any) -> None:
    report = check(lambda bids: (allocation, [0, 0]), [*BOTH, "feasible"], values=SingleItem())
    assert report["dsic"].status is Status.VACUOUS
    assert report.faults


class Pair:
    """Equal to its like, and gone through one by one, without an index."""

    def __init__(self, *entries: Any) -> None:
        self.entries = entries

    def __iter__(self) -> Any:
        return iter(self.entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pair) and self.entries == other.entries

    def __hash__(self) -> int:
        return hash(self.entries)


ODD_ALLOCATIONS = [None, "a", "first", (1,), (Fraction(1, 2),) * 3, {0: 1, 1: 0}, frozenset({1}), 7]


@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize("odd", [*ODD_ALLOCATIONS, True, Pair(1), Lottery({0: "1/2", "a": "1/2"})])
@pytest.mark.parametrize("values", [None, Rewards()])
def test_what_is_no_law_over_candidates_is_a_fault_of_every_property(
    values: Any, odd: Any, agent: int
) -> None:
    types = FiniteTypes([(1, 2), (2, 1)])
    always = check(lambda r: (odd, [0, 0]), types=types, values=values)
    assert always["non_bossy"].status is Status.VACUOUS
    assert "could be judged" in always["non_bossy"].reason
    assert always.faults
    once = check(lambda r: (odd if r[agent] == (2, 1) else 0, [0, 0]), types=types, values=values)
    assert "could not be judged" in once["non_bossy"].reason
    pair = check(lambda r: (Pair(1, 0), [0, 0]), ["non_bossy"], types=types, values=values)
    assert pair["non_bossy"].status is Status.HOLDS


@pytest.mark.parametrize("winner", [True, False, np.True_])
@pytest.mark.parametrize("types", [FiniteTypes([1, 2]), FiniteTypes([(1, 2), (2, 1)])])
@pytest.mark.parametrize("prove", [False, True])
def test_a_truth_value_is_no_winner(winner: Any, types: FiniteTypes, prove: bool) -> None:
    """Nobody is told that values are missing: the index of the winner is."""
    asked: Any = prove_mechanism if prove else check_mechanism
    space = types if not prove else Reals(0) if 1 in types else Box([0, 0], [1, 1])
    report = asked(lambda b: (winner, [0, 0]), types=space, agents=2, properties=BOTH)
    for finding in report.findings:
        assert finding.status is Status.VACUOUS
        assert "allocation is a truth value" in finding.reason
        assert "return an index" in finding.reason


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("values", [SingleItem(), SingleParameter()])
@pytest.mark.parametrize("share", ["1", b"1", ""])
def test_a_text_is_no_share_and_no_type(share: Any, values: Any, place: int) -> None:
    """2 * "1" is "11", which could be read as a number."""
    shares = tuple(share if i == place else 0 for i in range(2))
    report = check(lambda b: (shares, [0, 0]), BOTH, types=FiniteTypes([2, 3]), values=values)
    assert all(f.status is Status.VACUOUS for f in report.findings)
    assert any("is a text" in fault.problem for fault in report.faults)
    texts = [FiniteTypes(["1", "2"] if i == place else [1, 2]) for i in range(2)]
    report = check(lambda b: ((1, 1), [0, 0]), BOTH, types=texts, agents=None, values=values)
    assert all(f.status is Status.VACUOUS for f in report.findings)


def test_decimals_are_exact() -> None:
    finding = check(lambda bids: ((Decimal("0.5"),) * 2, [Decimal("0.1"), 0]), ["dsic"])["dsic"]
    assert (finding.status, finding.strength) == (Status.HOLDS, Strength.EXACT)


# --- payments


@pytest.mark.parametrize("paid", [{0: 100, 1: 0}, "10", b"10", {1, 2}], ids=str)
def test_payments_without_an_order_of_agents_are_faults(paid: Any) -> None:
    report = check(lambda bids: (0, paid), BOTH)
    assert "payments are not a sequence" in str(report.faults[0])


def test_payments_that_raise_when_read_and_errors_that_cannot_speak() -> None:
    def broken() -> Any:
        yield 1
        raise RuntimeError("halfway")

    assert "RuntimeError: halfway" in str(check(lambda bids: (0, broken()), BOTH).faults[0])

    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    def raises(bids: Bids) -> Any:
        raise MuteError

    assert "raised MuteError" in str(check(raises, BOTH).faults[0])


def test_truth_values_are_no_payments_in_arrays_either() -> None:
    report = check(Vectorised(lambda bids: (bids * 0, bids > 1)), BOTH)
    assert len(report.faults) == 9
    assert "is a truth value" in str(report.faults[0])


# --- values


@pytest.mark.parametrize("other", [None, "a", (1, 2)], ids=str)
def test_types_of_several_kinds_are_no_crash(other: Any) -> None:
    for values in (None, SingleItem()):
        check(lambda bids: ((1, 0), [0, 0]), types=FiniteTypes([1, other]), values=values)


def test_one_outcome_that_cannot_be_valued_is_a_fault_even_if_it_comes_first() -> None:
    report = check(lambda bids: ("odd" if bids == (0, 0) else 0, [0, 0]), BOTH)
    assert report["dsic"].status is Status.HOLDS
    assert any("'odd'" in str(fault) for fault in report.faults)


def test_a_type_that_cannot_value_leaves_the_others_to_be_judged() -> None:
    def values(agent: int, type: int, allocation: int) -> float:
        return float("nan") if type == 1 else type * (allocation == agent)

    report = check(first_price, BOTH, values=values)
    assert report["dsic"].slack == -2
    assert report["individually_rational"].strength is Strength.TESTED
    assert len(report.faults) == 4


def test_what_is_asked_of_feasible_and_alternatives_is_a_fault_where_it_raises() -> None:
    report = check(first_price, ["feasible"], feasible=lambda allocation, agents: 1 // 0)
    assert report["feasible"].status is Status.VACUOUS
    assert "ZeroDivisionError" in str(report.faults[0])
    with pytest.raises(AssertionError, match="could not be judged"):
        assert_mechanism(first_price, types=THREE, agents=2, feasible=lambda a, n: 1 // 0)
    report = check(first_price, ["efficient"], alternatives=lambda agents: ["nowhere"])
    assert "'nowhere'" in str(report.faults[0])


def test_types_left_out_of_a_cycle_are_said_to_be() -> None:
    def rule(bids: Bids) -> tuple[int, list[Any]]:
        return (first_price(bids)[0], [0, 0]) if bids != (1, 1) else (0, [0])

    finding = check(rule, ["cyclically_monotone"])["cyclically_monotone"]
    assert (finding.status, finding.strength) == (Status.HOLDS, Strength.TESTED)


@pytest.mark.parametrize("types", [[(1, 2), (2, 1)], ["a", "b"]], ids=str)
def test_array_functions_of_vectors_and_labels(types: list[Any]) -> None:
    rule = Vectorised(lambda bids: (np.zeros(bids.shape, int), np.zeros(bids.shape, int)))
    values = None if isinstance(types[0], tuple) else (lambda i, t, a: 0)
    report = check(rule, BOTH, types=FiniteTypes(types), values=values)
    assert report["dsic"].status is Status.HOLDS


def test_epsilon_makes_nothing_else_worth_looking_at() -> None:
    constant = check(lambda bids: (0, [0, 0]), ["weakly_monotone"], epsilon=1)
    assert constant["weakly_monotone"].scope.nontrivial == 0


def test_fractions_that_floats_stand_for_are_written_as_decimals() -> None:
    report = check(lambda bids: (0, [0.1 * b for b in bids]), types=FiniteTypes([Fraction(1), 3]))
    for witness in report.witnesses:
        assert "/36028797018963968" not in str(witness)
