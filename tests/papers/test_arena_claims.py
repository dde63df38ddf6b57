"""The claims of arena, with a pencil: counts, smallest instances, and what the listing breaks."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from mechanisms.ascending import RuleBidder, paper_items
from papers.arena import CLAIMS
from papers.arena.checks.clocks import CLOCKS, DearerFirst, TwoClocks
from papers.arena.checks.draws_and_orders import SETS, OrdersAlike
from papers.arena.checks.listings import LogFollowsRules
from papers.arena.checks.measures import Raising
from papers.arena.checks.replies import (
    BUDGETED,
    PAIRS,
    AheadToo,
    Drain,
    DrainCase,
    Duel,
    EarnsTheBudget,
    NoEquilibrium,
    TiesAndOrder,
    WithinSlack,
    most_profit,
)
from papers.arena.checks.rule_plays import Groups
from papers.arena.checks.selection import LossOfWinner, Noise, second_of_uniforms
from papers.arena.printed import LISTING_1, TABLE_1
from theory.ascending import Item, LimitRule, Tie, TieRule, best_reply, exact_auction, read_setting
from theory.claims import Budget, CheckContext
from theory.search import SearchResult, search
from theory.verdicts import Status

CONTEXT = CheckContext(seed=0, budget=Budget(exhaustive=3_000, samples=20, shrinks=50, size=2))
BY_ID: dict[str, Any] = {claim.id: claim for claim in CLAIMS}
F = Fraction


def searched(claim_id: str) -> SearchResult[Any]:
    check = BY_ID[claim_id].check
    return search(check.family, check.predicate, CONTEXT)


def test_three_equal_bids_by_three_seats() -> None:
    found = searched("arena.ties")
    assert str(found.smallest and found.smallest.instance).startswith("3 bidders with budget 1")
    assert found.failure == "the expected profits by seat are 3/16, 5/16, 1/2."


def test_values_3_and_2_are_the_smallest_with_a_gain() -> None:
    """The one with value v gains where 2 <= w < v: in 21 of 81 pairs, and in 55 of 169 up to 12."""
    gains = {
        (v, w)
        for v, w in product(range(9), repeat=2)
        if WithinSlack(F(0))(Duel(((v,), (w,)), (9, 9))).failure
    }
    assert gains == {(v, w) for v, w in product(range(9), repeat=2) if v != w and min(v, w) >= 2}
    assert sum(v > w for v, w in gains) == 21
    smallest = searched("arena.straightforward").smallest
    assert smallest is not None
    assert sorted(of[0] for of in smallest.instance.values) == [2, 3]
    assert PAIRS.levels == tuple(range(1, 9))


def test_a_dollar_each_for_items_worth_1_and_4() -> None:
    case = Duel(((1, 4), (1, 4)), (1, 1))
    assert case.straightforward(0) == F(3, 2)
    assert best_reply(case.setting(), 0).value == 3
    assert WithinSlack(F(1, 2))(case).failure
    assert not WithinSlack(F(3, 4))(case).failure
    members = [m.instance for level in BUDGETED.levels for m in BUDGETED.members(level) if m]
    assert case in members
    assert len(members) == 4**4


@pytest.mark.parametrize("share", [F(0), F(1, 3), F(1, 2), F(1)])
@pytest.mark.parametrize(
    ("values", "budget"), [((1, 4), 1), ((5, 1), 2)], ids=["cheaper first", "dearer first"]
)
def test_the_proof_that_no_tie_rule_helps(share: Any, values: Any, budget: int) -> None:
    case = Duel((values, values), (budget, budget))
    ties: Any = TiesAndOrder(share, by_budget=False, dear_first=values[0] > values[1])
    rule = TieRule("lean", ties.law)
    assert ties.law(Tie((0, 1), (), (F(1), F(1)))) == (share, 1 - share)
    profits = [case.straightforward(seat, rule) for seat in (0, 1)]
    assert profits == [3 * (1 - share), 3 * share]
    assert [best_reply(case.setting(rule), seat).value for seat in (0, 1)] == [3, 3]
    assert NoEquilibrium()(ties).failure == ""


def test_profit_and_rank() -> None:
    smallest = searched("arena.rank-objective").smallest
    assert smallest is not None
    assert smallest.instance == Duel(((2, 2), (2, 2)), (4, 1))
    assert AheadToo()(smallest.instance).failure == (
        "for profit: 5/4, ahead with probability 3/4; for rank: 1, 7/8."
    )


@pytest.mark.parametrize(
    ("ties", "failing"),
    [
        ("coin", 21),
        pytest.param("richer", 21, marks=pytest.mark.slow),
        pytest.param("poorer", 0, marks=pytest.mark.slow),
    ],
)
def test_the_exceptions_to_selling_the_dearer_first(ties: str, failing: int) -> None:
    found = search(CLOCKS, DearerFirst(ties), CONTEXT)
    assert (found.met, found.failing) == (28 * 78, failing)
    if failing:
        assert found.smallest is not None
        assert found.smallest.instance == TwoClocks((4, 2), (3, 2))


@pytest.mark.parametrize("order", ["given", "ascending", "descending"])
def test_draining_the_rivals_earns_the_budget_whatever_is_drawn(order: str) -> None:
    """A rule bidder in its place earns a quarter of that."""
    items = paper_items(order)
    setting = read_setting(items, [LimitRule(4)] * 3, 20_000)
    assert best_reply(setting, 0, policy=Drain(setting)).value == 20_000
    rule = exact_auction(items, [LimitRule(4)] * 3, 20_000).profits[0]
    assert 4_800 < rule < 5_200


def test_three_rivals_are_drained_of_three_items() -> None:
    assert not EarnsTheBudget()(DrainCase(20_000, "ascending", rivals=3)).failure
    case = DrainCase(20_000, "descending", rivals=3)
    assert not EarnsTheBudget()(case).failure
    failure = EarnsTheBudget(bound=lambda setting: setting.budgets[0])(case).failure
    assert failure == "it earns 16000 of 16000, at most 20000."


def test_the_loss_by_selection_begins_with_the_fourth_bidder() -> None:
    """Of three uniform numbers on [0, 1] the second has mean 1/2, of four 3/5."""
    assert [second_of_uniforms(n) for n in (2, 3, 4)] == [F(1, 3), F(1, 2), F(3, 5)]
    assert all(LossOfWinner()(Noise(n, 5, 2)).failure == "" for n in range(2, 9))


def test_minimal_raises_are_of_less_and_less_of_the_standing_bid() -> None:
    """The standing bid is 1 + k/10 starts before raise k, from 0: a tenth of the start tops it."""
    case = Raising(2, 4, 1000)
    shares = case.increments("standing")
    assert shares == [F(1, 10 + k) for k in range(6)]
    assert case.increments("start") == [F(1, 10)] * len(shares)
    assert searched("arena.metrics.minimal").failure == "raise 2 is of 1/11."


def test_two_equal_items_have_an_order_once_a_budget_binds() -> None:
    """With $4, 2 bids an item and increments of the start, who pays 3 of 4 has one left."""
    found = search(SETS, OrdersAlike(bound=False), CONTEXT)
    assert found.smallest is not None
    assert not OrdersAlike()(found.smallest.instance).met
    assert found.smallest.instance.budget < 3 * 2 * sum(found.smallest.instance.starts)


def test_with_little_money_each_group_wins_what_it_has_chosen() -> None:
    """With $10,000 two dear items or ten cheap ones can be paid for; with $30,000 both, in part."""
    case = Groups("ascending", 0)
    won = case.won(10_000, RuleBidder)
    assert won["profit", False] == won["items", True] == 0
    assert won["profit", True] > 0 < won["items", False]
    assert case.apart(10_000) == 1
    assert case.apart(30_000) < 1


def test_what_the_listing_breaks() -> None:
    first, second, third = (LogFollowsRules()(item).failure for item in LISTING_1)
    assert "round 2: bidder 1 leads and bids" in first
    assert "round 1: no entry of bidder 3; round 2: no entry of bidder 3" in first
    assert "round 3: bidder 3 bids 1400 with a budget of 0" in first
    assert "it starts at 1000, in Table 1 at 3000" in first
    assert second == (
        "it starts at 1000, in Table 1 at 4000; round 1: bidder 3 bids 2000 with a budget of 0."
    )
    assert third == "round 1: bidder 3 bids 1100 with a budget of 0."


def test_table_1_has_two_items_at_each_price() -> None:
    assert sorted(TABLE_1.values()) == [s for s in range(1000, 6000, 1000) for _ in "ab"]
    assert sum(item.value for item in paper_items("ascending")) == 60_000


def test_findings_are_as_expected() -> None:
    """Those that take no second; `mechproof verify` computes the others."""
    for name in ("curse.selection", "rule-price", "log-listing-1", "table-2", "best-reply"):
        claim = BY_ID[f"arena.{name}"]
        assert claim.check(CONTEXT).status == claim.expected
    assert BY_ID["arena.exposure.complements"].check(CONTEXT).status is Status.HOLDS


@pytest.mark.parametrize("limit", [2, 3])
def test_no_reply_to_rule_bidders_earns_more_than_the_bound(limit: int) -> None:
    """Whole games of two items, solved over all jumps; the bound is reached in some."""
    reached = set()
    for starts, budget, rivals in product(((2, 2), (2, 4), (4, 2)), (4, 6, 8), (1, 2)):
        items = [Item(str(n), start, 2 * start) for n, start in enumerate(starts)]
        rules = [LimitRule(limit)] * (1 + rivals)
        setting = read_setting(items, rules, budget, increment="1/2")
        earned, most = best_reply(setting, 0).value, most_profit(setting)
        assert earned <= most
        reached.add(earned == most)
    assert reached == {True, False}
