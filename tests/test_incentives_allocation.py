"""Allocation rules alone: the highest truthful payments, or the smallest cycle that forbids any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from incentive_rules import Case, Profile, cases, others
from oracles import implementable as oracle
from oracles import incentives

from mechanisms.classics import CombinatorialVCG, FirstPrice, MedianVoting, SecondPrice
from theory.errors import ExactnessError, InvalidInputError, LimitError, UnknownNameError
from theory.incentives import Box, FiniteTypes, Lottery, Outcome, ValueTable, Vectorised
from theory.incentives._asserts import assert_mechanism
from theory.incentives._battery import check_mechanism
from theory.incentives.allocation import Implementation, NegativeCycle, implementable
from theory.incentives.allocation import _implementable as steps
from theory.incentives.allocation._recheck import largest_gain

CASES = list(cases(55, seed=5))


def highest(bids: Profile) -> int:
    return bids.index(max(bids))


def lowest(bids: Profile) -> int:
    return bids.index(min(bids))


# --- Random rules, against brute force that imports nothing of ours -------------------------------


def answer(case: Case) -> Implementation | NegativeCycle:
    def rule(reports: Profile) -> Any:
        allocation, _ = case.rule[reports]
        return Lottery(allocation) if isinstance(allocation, dict) else allocation

    types = [FiniteTypes(kinds) for kinds in case.types]
    return implementable(rule, types=types, values=case.value)


def fibres(case: Case) -> Iterator[tuple[int, list[Profile], list[list[Fraction]]]]:
    """For each agent and reports of the others: the profiles by type, v(t, f(l)) by t and l."""
    setting = incentives.Setting(case.rule.__getitem__, case.types, case.value)
    for agent in setting.agents:
        for first in incentives.contexts(setting, agent):
            line = [incentives.changed(first, agent, kind) for kind in case.types[agent]]
            rows = [
                [incentives.worth(setting, agent, kind, profile) for profile in line]
                for kind in case.types[agent]
            ]
            yield agent, line, rows


def or_stay_away(rows: list[list[Fraction]]) -> tuple[list[list[Fraction]], list[int]]:
    """The same with a first type that gets nothing and loathes all else: nobody passes for it in
    vain, and what t may pay more than it is v(t, f(t)) at most."""
    awful = -(10**6) * sum(abs(v) + 1 for row in rows for v in row)
    values = [[Fraction(0), *[awful for _ in rows]], *[[Fraction(0), *row] for row in rows]]
    return values, list(range(len(values)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_answer_is_the_oracle_s(case: Case) -> None:
    found = answer(case)
    expected: dict[tuple[int, Profile], Fraction] = {}
    shortest = []
    for agent, line, rows in fibres(case):
        paid = oracle.implementable(*or_stay_away(rows))
        if paid is not None:
            expected |= {(agent, r): p for r, p in zip(line, paid[1:], strict=True)}
        kinds = range(len(rows))
        shortest += [len(c) for c in oracle.cycles(kinds) if cycle_total(rows, c) < 0]
    assert found.gap == 0
    if isinstance(found, Implementation):
        assert not shortest
        assert expected == {
            (i, r): p for r, paid in found.payments.items() for i, p in enumerate(paid)
        }
    else:
        assert len(found.types) == min(shortest)
        assert not case.truthful_by_construction


def cycle_total(rows: list[list[Fraction]], cycle: tuple[int, ...]) -> Fraction:
    pairs = pairwise((*cycle, cycle[0]))
    return sum((rows[t][t] - rows[t][other] for t, other in pairs), Fraction(0))


def test_the_cases_have_both_answers() -> None:
    found = [bool(answer(case)) for case in CASES]
    assert found.count(True) >= 25
    assert found.count(False) >= 15


@pytest.mark.parametrize("case", [c for c in CASES if not answer(c)], ids=lambda case: case.name)
def test_a_cycle_is_one_by_the_definition(case: Case) -> None:
    found = answer(case)
    assert isinstance(found, NegativeCycle)
    (rows,) = (
        rows
        for agent, line, rows in fibres(case)
        if agent == found.agent and others(line[0], agent) == found.others
    )
    places = tuple(case.types[found.agent].index(kind) for kind in found.types)
    assert len(set(places)) == len(places)
    assert cycle_total(rows, places) == found.total < 0
    for step, (t, other) in zip(found.steps, pairwise((*places, places[0])), strict=True):
        assert (step.worth, step.would_be_worth) == (rows[t][t], rows[t][other])
        assert step.passes_for == case.types[found.agent][other]


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.truthful_by_construction], ids=lambda case: case.name
)
def test_no_truthful_payments_at_which_no_type_loses_are_higher(case: Case) -> None:
    found = answer(case)
    assert isinstance(found, Implementation)
    for agent, line, rows in fibres(case):
        given_ = [Fraction(case.rule[r][1][agent]) for r in line]
        spare = min(rows[k][k] - given_[k] for k in range(len(line)))
        for r, p in zip(line, given_, strict=True):
            assert p + spare <= found.payments[r][agent]


@pytest.mark.parametrize("case", CASES[:22], ids=lambda case: case.name)
def test_check_mechanism_takes_the_payments(case: Case) -> None:
    found = answer(case)
    types = [FiniteTypes(kinds) for kinds in case.types]
    names = ["dsic", "individually_rational"]
    if isinstance(found, Implementation):
        report = assert_mechanism(found, types=types, values=case.value, properties=names)
        assert report["individually_rational"].slack == 0
        dearer = replace(
            found, payments={r: tuple(p + 1 for p in paid) for r, paid in found.payments.items()}
        )
        again = check_mechanism(dearer, types=types, values=case.value, properties=names)
        assert again.refuted == ("individually_rational",)


# --- By hand --------------------------------------------------------------------------------------


def test_the_highest_bid_wins_and_pays_the_least_that_wins() -> None:
    found = implementable(highest, types=FiniteTypes([0, 1, 3]), agents=3)
    assert isinstance(found, Implementation)
    assert found.outcome((0, 3, 1)) == Outcome(1, (0, 1, 0))
    assert found.outcome((0, 1, 3)) == Outcome(2, (0, 0, 3))
    assert found.outcome((3, 1, 1)) == Outcome(0, (1, 0, 0))
    assert found.outcome((0, 0, 0)) == Outcome(0, (0, 0, 0))
    assert found.comparisons == 3 * 27 * 2


GAMES = {
    "paper": {"rock": -1, "paper": 0, "scissors": 1},
    "rock": {"rock": 0, "paper": 1, "scissors": -1},
    "scissors": {"rock": 1, "paper": -1, "scissors": 0},
}


def test_three_types_in_a_ring() -> None:
    """Any two are kept apart by payments: one gains 1 as the other, the other loses 1."""
    found = implementable(
        lambda said: said[0], types=FiniteTypes(GAMES), agents=1, values=ValueTable(GAMES)
    )
    assert isinstance(found, NegativeCycle)
    assert (found.types, found.total) == (("paper", "scissors", "rock"), -3)
    for two in (["paper", "rock"], ["rock", "scissors"]):
        assert implementable(
            lambda said: said[0], types=FiniteTypes(two), agents=1, values=ValueTable(GAMES)
        )


def test_the_smallest_cycle_is_shown() -> None:
    found = implementable(lowest, types=FiniteTypes([5, 3, 0, 1]), agents=2)
    assert isinstance(found, NegativeCycle)
    assert (found.agent, found.others, set(found.types), found.total) == (0, (0,), {0, 1}, -1)


def test_what_is_printed() -> None:
    cycle = implementable(lowest, types=FiniteTypes(range(3)), agents=2)
    assert str(cycle).splitlines()[0] == (
        "No payments make lowest truthful. When agent 1 reports 0, before payments, agent 0 of "
        "type 0 would gain 0 as 1, and type 1 would gain 1 as 0. To deter them, payments would "
        "have to rise by as much from each type to the next: by 1 in all, back to where they began."
    )
    assert [line.split() for line in str(cycle).splitlines()[3:]] == [
        ["0", "0", "0", "1", "1", "0", "0"],
        ["1", "1", "0", "0", "0", "1", "1"],
        ["in", "all", "1"],
    ]
    found = implementable(highest, types=FiniteTypes(range(5)), agents=2)
    assert "(0, 3)   1           (0, 1)" in str(found)
    assert "the first 16 of 25 profiles" in str(found)
    for each in (cycle, found):
        html = each._repr_html_()
        assert html.startswith("<p>")
        assert "<table>" in html
    named = implementable(lambda _: "<x>", types=FiniteTypes([1]), agents=1, values=lambda *_: 1)
    assert "&lt;x&gt;" in named._repr_html_()


# --- Single parameters: monotone or not -----------------------------------------------------------


@given(st.lists(st.tuples(st.fractions(0, 9), st.fractions(0, 1)), min_size=1, max_size=6))
def test_quantities_have_payments_just_where_they_are_monotone(drawn: Any) -> None:
    x = dict(drawn)
    found = implementable(lambda said: (x[said[0]],), types=FiniteTypes(x), agents=1)
    rising = [x[t] for t in sorted(x)]
    assert bool(found) == (rising == sorted(rising))
    if isinstance(found, NegativeCycle):
        s, t = found.types
        assert found.total == (s - t) * (x[s] - x[t])


# --- Changes that must leave the answer as it is --------------------------------------------------


def same_story(one: Any, other: Any) -> bool:
    return (one.agent, one.others, one.types) == (other.agent, other.others, other.types)


def revalued(case: Case, factor: Fraction, shift: Any) -> Implementation | NegativeCycle:
    def value(agent: int, kind: Any, allocation: Any) -> Any:
        return factor * case.value(agent, kind, allocation) + shift(agent, kind)

    def rule(reports: Profile) -> Any:
        allocation, _ = case.rule[reports]
        return Lottery(allocation) if isinstance(allocation, dict) else allocation

    return implementable(rule, types=list(map(FiniteTypes, case.types)), values=value)


@pytest.mark.parametrize("case", CASES[:33], ids=lambda case: case.name)
def test_a_constant_is_paid_and_a_factor_multiplies(case: Case) -> None:
    one = answer(case)
    shifted = revalued(case, Fraction(1), lambda agent, kind: 7 + agent)
    large = revalued(case, Fraction(10**30, 3), lambda agent, kind: 0)
    if isinstance(one, Implementation):
        assert isinstance(shifted, Implementation)
        assert isinstance(large, Implementation)
        for r, paid in one.payments.items():
            assert shifted.payments[r] == tuple(p + 7 + i for i, p in enumerate(paid))
            assert large.payments[r] == tuple(p * Fraction(10**30, 3) for p in paid)
        assert large.gap == 0
    else:
        assert isinstance(large, NegativeCycle)
        assert same_story(one, shifted)
        assert same_story(one, large)
        assert large.total == one.total * Fraction(10**30, 3)


@pytest.mark.parametrize("case", CASES[:33], ids=lambda case: case.name)
def test_what_a_type_likes_whatever_happens_does_not_matter(case: Case) -> None:
    one = answer(case)
    rng = np.random.default_rng(3)
    drawn = {(i, t): int(rng.integers(-9, 9)) for i, kinds in enumerate(case.types) for t in kinds}
    other = revalued(case, Fraction(1), lambda agent, kind: drawn[agent, kind])
    assert bool(one) == bool(other)
    assert one or same_story(one, other)


@pytest.mark.parametrize("case", CASES[:33], ids=lambda case: case.name)
def test_the_names_and_the_order_of_types_do_not_matter(case: Case) -> None:
    one = answer(case)
    names = [{t: f"type {k}" for k, t in enumerate(reversed(kinds))} for kinds in case.types]
    truth = [{name: t for t, name in row.items()} for row in names]

    def back(reports: Profile) -> Profile:
        return tuple(truth[i][said] for i, said in enumerate(reports))

    def rule(reports: Profile) -> Any:
        allocation, _ = case.rule[back(reports)]
        return Lottery(allocation) if isinstance(allocation, dict) else allocation

    other = implementable(
        rule,
        types=[FiniteTypes(reversed(row.values())) for row in names],
        values=lambda agent, kind, allocation: case.value(agent, truth[agent][kind], allocation),
    )
    if isinstance(one, Implementation):
        assert isinstance(other, Implementation)
        assert {back(r): paid for r, paid in other.payments.items()} == one.payments
    else:
        assert isinstance(other, NegativeCycle)
        assert len(other.types) == len(one.types)


# --- The checks are seen to fail ------------------------------------------------------------------


def test_a_payment_that_is_wrong_is_found_by_the_recheck() -> None:
    found = implementable(highest, types=FiniteTypes(range(4)), agents=2)
    assert isinstance(found, Implementation)
    types = [range(4)] * 2
    for profile, agent, change in product([(2, 1), (0, 3), (3, 3)], range(2), (1, -1)):
        wrong = dict(found.payments)
        wrong[profile] = tuple(p + change * (i == agent) for i, p in enumerate(wrong[profile]))
        setting = incentives.Setting(
            lambda r, wrong=wrong: (highest(r), wrong[r]),
            types,
            lambda i, t, winner: t * (i == winner),
        )
        slacks = [
            slack
            for name in ("dsic", "individually_rational")
            for _, slack in incentives.SLACKS[name](setting)
        ]
        assert largest_gain(found.setting, wrong) == max(0, -min(slacks))


def test_a_solver_that_errs_shows_in_the_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were everybody charged the whole value, as in a first-price auction, lies would pay."""
    monkeypatch.setattr(
        steps, "highest_payments", lambda graph: (graph.own, np.zeros(len(graph.own), dtype=bool))
    )
    found = implementable(highest, types=FiniteTypes(range(4)), agents=2)
    assert found.gap == 3


def test_a_search_that_errs_shows_in_the_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    from theory.incentives.allocation import _smallest

    exact = _smallest.fewest_steps

    def wrong(graph: Any, most: int) -> Any:
        cycles = exact(graph, most)
        return cycles and replace(cycles, totals=2 * cycles.totals)

    monkeypatch.setattr(_smallest, "fewest_steps", wrong)
    found = implementable(lowest, types=FiniteTypes(range(4)), agents=2)
    assert isinstance(found, NegativeCycle)
    assert (found.total, found.gap) == (-1, 1)


# --- What may be given ----------------------------------------------------------------------------


def test_of_a_mechanism_the_allocation_is_taken() -> None:
    types = FiniteTypes(range(5))
    first, second, plain, all_at_once = (
        implementable(rule, types=types, agents=2)
        for rule in (
            FirstPrice(),
            SecondPrice(),
            lambda bids: Outcome(highest(bids), [99, 99]),
            Vectorised(lambda bids: (np.stack([bids[:, 0] >= bids[:, 1]] * 2, 1) ^ [0, 1], bids)),
        )
    )
    assert isinstance(first, Implementation)
    for other in (second, plain, all_at_once):
        assert isinstance(other, Implementation)
        assert other.payments == first.payments
    assert first.name == "FirstPrice()"


def test_a_mechanism_values_allocations_itself() -> None:
    types = FiniteTypes(product(range(2), range(2), range(2), range(3)))
    assert implementable(CombinatorialVCG(["left", "right"]), types=types, agents=2)
    median = implementable(MedianVoting(range(4)), types=FiniteTypes(range(4)), agents=3)
    assert isinstance(median, Implementation)
    assert all(p <= 0 for paid in median.payments.values() for p in paid)


def test_a_rule_may_draw_from_its_generator() -> None:
    def coin(bids: Profile, rng: np.random.Generator) -> int:
        return int(rng.integers(2))

    assert implementable(coin, types=FiniteTypes(range(3)), agents=2, seed=4)


# --- Bad input ------------------------------------------------------------------------------------


def broken(bids: Profile) -> int:
    return 1 // (bids[0] - 2)


state = iter(range(10**6))


BAD = {
    "real types": (
        {"rule": highest, "types": Box(0, 1)},
        InvalidInputError,
        r"types are not finite \(got \[0, 1\]\): give FiniteTypes\(…\)",
    ),
    "no rule": ({"rule": 3}, InvalidInputError, "mechanism is not a mechanism"),
    "a rule that raises": (
        {"rule": broken},
        InvalidInputError,
        r"rule at reports \(2, 0\): raised ZeroDivisionError: .*mend the rule or the values there",
    ),
    "a rule that is secretly random": (
        {"rule": lambda bids: next(state) % 2},
        InvalidInputError,
        "not deterministic",
    ),
    "values that fail": (
        {"rule": highest, "values": lambda agent, kind, winner: float("nan")},
        InvalidInputError,
        "^rule the value of 0 to agent 0 of type 0: .*not finite",
    ),
    "shares as floats": (
        {"rule": lambda bids: (0.5, 0.5)},
        ExactnessError,
        "rule leads to floats, of its own or in values .*: return integers, fractions or decimals",
    ),
    "values as floats": (
        {"rule": highest, "values": lambda agent, kind, winner: 0.1},
        ExactnessError,
        "rule leads to floats",
    ),
    "too many types": (
        {"rule": highest, "types": FiniteTypes(range(200))},
        LimitError,
        r"15,920,000 comparisons, above the limit of 2,000,000 \(got \[200, 200\]\)",
    ),
    "no count of agents": (
        {"rule": highest, "agents": None},
        InvalidInputError,
        "agents is not a count",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told(case: str) -> None:
    arguments, error, said = BAD[case]
    given_: dict[str, Any] = {"types": FiniteTypes(range(4)), "agents": 2, **arguments}
    with pytest.raises(error, match=said):
        implementable(given_.pop("rule"), **given_)


def test_a_report_that_is_no_type_is_told() -> None:
    found = implementable(highest, types=FiniteTypes(range(4)), agents=2)
    assert isinstance(found, Implementation)
    for reports in ((9, 0), (1,), (1, 1, 1)):
        with pytest.raises(UnknownNameError, match="are no profile of the types"):
            found.outcome(reports)
