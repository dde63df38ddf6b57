"""The best reply to rules: worked instances, an independent reference, and relations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ascending as reference
from sweeps import examples

from theory.ascending import (
    AuctionSetting,
    EstimateRule,
    Item,
    LimitRule,
    PrivateValues,
    Profit,
    ProfitAndRank,
    Situation,
    Worth,
    best_reply,
    exact_auction,
    read_setting,
)
from theory.errors import InvalidInputError

F = Fraction
few = settings(max_examples=examples(30))


def setting_of(
    values: Any, budgets: Any, starts: Any = (1,), ties: str = "uniform", strict: bool = False
) -> AuctionSetting:
    """Private values by seat, then by item; increments of 1."""
    items = [Item(str(n), start, values[0][n]) for n, start in enumerate(starts)]
    rules = [PrivateValues(of, strict) for of in values]
    return read_setting(items, rules, budgets, increment=1, ties=ties)


def follow(setting: AuctionSetting, seat: int) -> Callable[[Situation], int | None]:
    """The rule of a seat as a policy."""

    def policy(now: Situation) -> int | None:
        top = setting.top_level(now.item, 0, seat, now.budgets[seat])
        most = setting.rules[seat].bids
        return now.least if now.least <= top and (most or 99) > now.made[seat] else None

    return policy


def test_opening_higher_takes_the_turn_of_the_rival_away() -> None:
    """Values 3 and 2: opening at 2 wins at 2; opening at 1 wins at 1, or at 3 for nothing."""
    setting = setting_of([(3,), (2,)], 9)
    assert best_reply(setting, 0).value == 1
    assert best_reply(setting, 0, policy=follow(setting, 0)).value == F(1, 2)
    assert best_reply(setting, 0).moves[
        Situation(0, 0, -1, (F(9), F(9)), (0, 0), frozenset(), None)
    ]


def test_sitting_out_the_small_item() -> None:
    setting = setting_of([(1, 4)] * 2, 1, (1, 1))
    assert best_reply(setting, 0).value == 3
    assert best_reply(setting, 0, policy=follow(setting, 0)).value == F(3, 2)


def test_profit_and_rank_prescribe_different_bids() -> None:
    items = [Item("a", 1, 2), Item("b", 1, 2)]
    setting = read_setting(items, [EstimateRule(0)] * 2, (4, 1), increment=1)
    assert best_reply(setting, 0, objective=ProfitAndRank()).values == (F(5, 4), F(3, 4))
    ranked = best_reply(setting, 0, objective=ProfitAndRank(rank_first=True))
    assert ranked.values == (F(7, 8), F(1))


def test_a_bundle_may_be_lost_for_want_of_its_second_item() -> None:
    items = [Item("left", 1, 0), Item("right", 1, 3)]
    setting = read_setting(items, [PrivateValues([2, 2]), PrivateValues([0, 3])], 9, increment=1)
    pair = Worth({frozenset({0, 1}): F(2)})
    assert best_reply(setting, 0, objective=pair).value == 0
    assert best_reply(setting, 0, objective=pair, policy=follow(setting, 0)).value < 0


CASES = st.tuples(
    st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=2, max_size=3),
    st.lists(st.integers(0, 4), min_size=3, max_size=3),
    st.lists(st.integers(1, 2), min_size=1, max_size=3),
    st.sampled_from(["uniform", "first", "last", "redrawn"]),
)
NAMED = {
    "uniform": reference.uniform,
    "redrawn": reference.redrawn,
    "first": lambda tied, entries, money: [one == tied[0] for one in tied],
    "last": lambda tied, entries, money: [one == tied[-1] for one in tied],
}


@few
@given(CASES, st.integers(0, 2))
def test_the_value_is_that_of_the_reference(case: Any, seat: int) -> None:
    """Starts of one unit, so that increments of the share 1 are one unit, too."""
    values, budgets, starts, ties = case
    starts = [1 for _ in starts]
    seat %= len(values)
    budgets = budgets[: len(values)]
    setting = setting_of(values, budgets, starts, ties)
    bidders: list[Any] = [reference.up_to(of) for of in values]
    bidders[seat] = None
    expected = reference.best_profit(
        [(start, 0) for start in starts], bidders, budgets, values[seat], NAMED[ties]
    )
    assert best_reply(setting, seat).value == expected


@few
@given(CASES)
def test_following_the_rule_earns_what_the_exact_law_says(case: Any) -> None:
    values, budgets, starts, ties = case
    budgets = budgets[: len(values)]
    setting = setting_of(values, budgets, starts, ties)
    for seat in setting.seats:
        items = [Item(str(n), start, values[seat][n]) for n, start in enumerate(starts)]
        law = exact_auction(items, setting.rules, budgets, increment=1, ties=ties)
        played = best_reply(setting, seat, policy=follow(setting, seat)).value
        assert played == law.profits[seat]
        minimal = best_reply(setting, seat, jumps=False).value
        assert played <= minimal <= best_reply(setting, seat).value


@few
@given(CASES)
def test_the_moves_earn_the_value(case: Any) -> None:
    values, budgets, starts, ties = case
    setting = setting_of(values, budgets[: len(values)], starts, ties)
    for objective in (Profit(), ProfitAndRank(), ProfitAndRank(rank_first=True)):
        reply = best_reply(setting, 1, objective=objective)
        again = best_reply(setting, 1, objective=objective, policy=reply.moves.__getitem__)
        assert again.values == reply.values
    assert best_reply(setting, 1, objective=ProfitAndRank()).value == best_reply(setting, 1).value


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_who_has_withdrawn_is_not_asked_again_about_the_item(seat: int) -> None:
    setting = setting_of([(3, 3)] * 3, 9, (1, 1))
    moves = best_reply(setting, seat, policy=lambda now: None).moves
    assert {(now.item, now.least) for now in moves} == {(0, 0), (1, 0)}


def test_money_that_was_paid_is_gone_at_every_later_item() -> None:
    setting = setting_of([(5, 5, 5), (0, 0, 0)], [3, 0], (1, 1, 1))
    assert best_reply(setting, 0).value == 12
    poorer = setting_of([(5, 5, 5), (0, 0, 0)], [2, 0], (1, 1, 1))
    assert best_reply(poorer, 0).value == 8


def test_limits_on_bids_are_kept() -> None:
    setting = read_setting([Item("a", 10, 30)], [LimitRule(2)] * 2, 99)
    assert best_reply(setting, 0, policy=follow(setting, 0)).value == F(30 - 12, 2)
    assert best_reply(setting, 0).value >= F(30 - 12, 2) + F(30 - 13, 2)


def test_refusals() -> None:
    setting = read_setting([Item("a", 1, 2)], [LimitRule(2)] * 2, 9)
    with pytest.raises(InvalidInputError, match=r"^seat is no seat"):
        best_reply(setting, 2)
    with pytest.raises(InvalidInputError, match=r"^policy is a bid that is not allowed"):
        best_reply(setting, 0, policy=lambda now: now.least - 1)
    cheaper = read_setting([Item("a", 1, 2)], [LimitRule(2)] * 2, 9, discounts=1)
    with pytest.raises(InvalidInputError, match=r"^setting has discounts"):
        best_reply(cheaper, 0)


def test_a_reply_is_shown() -> None:
    assert str(best_reply(setting_of([(3,), (2,)], 9), 0)).startswith("seat 0 earns 1 over")
