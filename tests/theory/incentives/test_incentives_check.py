"""check_mechanism on finite types: what it says, that it is right, and what it does with faults."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from incentive_rules import cases
from plain_auctions import (
    BY_TABLE,
    GRID,
    Bids,
    dsic,
    first_price,
    first_price_rows,
    mixed,
    report_on,
    second_price,
    second_price_rows,
)
from reference import incentives as oracle

from mechanisms.classics import SecondPrice
from theory.incentives import (
    FiniteTypes,
    Instance,
    Vectorised,
    check_mechanism,
)
from theory.incentives._arguments import make_setting
from theory.incentives._finite import Effort, judge
from theory.incentives._menus import menus
from theory.incentives._recheck import menu_gap
from theory.incentives.properties.dsic import DSIC
from theory.incentives.setting import Setting
from theory.incentives.table import Menu, Slacks, Table, tabulate
from theory.verdicts import Status, Strength


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


@pytest.mark.parametrize("epsilon", [0, Fraction(1, 2)])
def test_the_witness_is_the_smallest_by_the_size_that_is_stated(epsilon: Fraction | int) -> None:
    from theory.incentives._property import size

    refuted = 0
    for case in list(cases(60, seed=8))[::2]:
        witness = report_on(case, ["dsic"], epsilon).witness
        if witness is None:
            continue
        refuted += 1
        judged = oracle.Setting(case.rule.__getitem__, case.types, case.value, epsilon=epsilon)
        failing = [
            Instance(profile, (agent,), (lie,))
            for (agent, profile, lie), slack in oracle.slacks_dsic(judged)
            if slack < 0
        ]
        least = min(size(witness.setting, instance) for instance in failing)
        assert size(witness.setting, witness.instance) == least
    assert refuted > 5


@pytest.mark.parametrize("types", [(0, 7, 2), (0, 2, 7)])
def test_of_several_lies_that_pay_the_smallest_is_shown_wherever_it_is_listed(
    types: tuple[int, ...],
) -> None:
    def paying(reports: Bids) -> tuple[tuple[int], tuple[int]]:
        return (0,), (-(reports[0] > 0),)

    report = check_mechanism(paying, types=FiniteTypes(types), agents=1, properties=["dsic"])
    assert report.witness is not None
    assert (report.witness.profile, report.witness.lies) == ((0,), (2,))


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


@pytest.mark.parametrize("power", [56, 57, 58, 61, 62])
def test_a_budget_of_many_large_payments_does_not_overflow(power: int) -> None:
    for sign, status in ((1, Status.HOLDS), (-1, Status.REFUTED)):
        report = check_mechanism(
            lambda reports, paid=sign * (2**power - 1): (0, (paid,) * len(reports)),
            types=FiniteTypes([0]),
            agents=62,
            values=lambda agent, allocation, type: 0,
            properties=["weakly_budget_balanced"],
        )
        assert report["weakly_budget_balanced"].status is status
        assert report["weakly_budget_balanced"].slack == sign * 62 * (2**power - 1)


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


@pytest.mark.parametrize("agent", [0, 1])
def test_the_least_slack_is_judged_again_whatever_else_is(agent: int) -> None:
    """A faster method that is wrong at the least slack alone is noticed by one look."""

    class TooLow(DSIC):
        def slacks(self, table: Table) -> Slacks:
            right = super().slacks(table)
            assert right is not None
            numerators = right.numerators.copy()
            numerators[agent, 2, 1] = -7  # where nobody gains
            return replace(right, numerators=numerators)

    setting = make_setting(
        SecondPrice(), types=FiniteTypes(range(4)), agents=2, values=None, prior=None, epsilon=0,
        feasible=None, alternatives=None, seed=0,
    )  # fmt: skip
    table = tabulate(setting)
    seen = judge(
        TooLow(), setting, table, effort=Effort(rechecked=1), tolerance=Fraction(0), earlier=(),
        progress=lambda done, total: None,
    )  # fmt: skip
    assert seen.gap >= 7
    assert seen.smallest is None
