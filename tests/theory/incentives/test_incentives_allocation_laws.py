"""Allocation rules alone: the highest truthful payments, or a smallest cycle, of random rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from incentive_rules import Case, Profile, cases, others
from reference import implementable as oracle
from reference import incentives

from theory.incentives import FiniteTypes, Lottery, assert_mechanism, check_mechanism
from theory.incentives.allocation import Implementation, NegativeCycle, implementable

CASES = list(cases(55, seed=5))

# --- Random rules, against brute force that imports nothing of ours -------------------------------


ANSWERS: dict[str, Implementation | NegativeCycle] = {}


def answer(case: Case) -> Implementation | NegativeCycle:
    """The answer for one of ``CASES``; it is computed once."""
    if case.name not in ANSWERS:
        ANSWERS[case.name] = computed(case)
    return ANSWERS[case.name]


def computed(case: Case) -> Implementation | NegativeCycle:
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
