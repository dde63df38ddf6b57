"""Measures of behaviour: by hand, against SciPy, and on records of auctions that were played."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from mechanisms.ascending import Item, RuleBidder, run_auction
from theory.ascending.measures import (
    Increment,
    behaviour,
    bid_increments,
    engagements,
    failed_bids,
    increment_shares,
    priority_fidelity,
    priority_map,
    rank_correlation,
    winning_bid_counts,
)
from theory.ascending.record import AuctionRecord, BidEvent, RecordedSale, StatedPriority
from theory.errors import InvalidInputError, UnknownNameError

F = Fraction
ITEMS = (
    RecordedSale("A", 1000, 2000, "Ann", 1500),
    RecordedSale("B", 2000, 4000, "Bob", 4200),
    RecordedSale("C", 500, 1000),
)
EVENTS = (
    BidEvent(0, 0, "Ann", "bid", 1000),
    BidEvent(0, 0, "Bob", "failed", 900, "below the start"),
    BidEvent(0, 0, "Bob", "bid", 1200),
    BidEvent(0, 0, "Cy", "no answer"),
    BidEvent(0, 1, "Ann", "bid", 1500),
    BidEvent(0, 2, "Bob", "withdrew"),
    BidEvent(1, 0, "Ann", "withdrew"),
    BidEvent(1, 0, "Bob", "bid", 4000),
    BidEvent(1, 0, "Cy", "failed", 100, "below the start"),
    BidEvent(1, 0, "Cy", "failed", 200, "below the start"),
    BidEvent(1, 0, "Cy", "failed", 300, "below the start"),
    BidEvent(1, 1, "Cy", "bid", 4100),
    BidEvent(1, 2, "Bob", "bid", 4200),
)
PRIORITIES = (
    StatedPriority(0, "Ann", 0, 3),
    StatedPriority(0, "Ann", 1, 1),
    StatedPriority(0, "Ann", 2, 2),
    StatedPriority(1, "Ann", 1, 2),
    StatedPriority(1, "Ann", 0, 3),
    StatedPriority(0, "Bob", 0, 1),
    StatedPriority(0, "Bob", 1, 2),
    StatedPriority(1, "Bob", 1, 3),
    StatedPriority(2, "Bob", 2, 1),
)
RECORD = AuctionRecord(ITEMS, ("Ann", "Bob", "Cy"), EVENTS, PRIORITIES)


def scipys(first: list[int], second: list[int]) -> float:
    found: Any = spearmanr(first, second)
    return float(found.statistic)


def test_failed_bids_by_hand() -> None:
    found = failed_bids(RECORD)
    assert (found["Ann"].failed, found["Ann"].correct) == (0, 3)
    assert (found["Bob"].failed, found["Bob"].correct) == (1, 4)
    assert (found["Cy"].failed, found["Cy"].correct) == (3, 1)
    assert [found[name].rate for name in RECORD.bidders] == [0, F(1, 5), F(3, 4)]
    twice = failed_bids([RECORD, RECORD])["Bob"]
    assert (twice.failed, twice.correct, twice.rate) == (2, 8, F(1, 5))
    silent = failed_bids(AuctionRecord(ITEMS, ("Ann", "Bob", "Cy")))["Ann"]
    assert silent.rate is None
    assert str(silent).endswith("-")


def test_increments_by_hand_in_both_readings() -> None:
    """The two first bids on A are made in one round: neither has the other before it."""
    standing = [each.share for each in bid_increments(RECORD)]
    assert standing == [0, F(1, 5), F(1, 4), 1, F(1, 40), F(1, 41)]
    start = [each.share for each in bid_increments(RECORD, over="start")]
    assert start == [0, F(1, 5), F(3, 10), 1, F(1, 20), F(1, 20)]
    assert [each.first for each in bid_increments(RECORD)] == [
        True,
        True,
        False,
        True,
        False,
        False,
    ]
    assert [each.bidder for each in bid_increments(RECORD)][-2:] == ["Cy", "Bob"]


def test_bids_of_one_round_have_no_order() -> None:
    backwards = AuctionRecord(ITEMS, ("Ann", "Bob", "Cy"), EVENTS[::-1])
    assert bid_increments(backwards) == bid_increments(RECORD)[::-1]
    assert bid_increments(backwards, "start") == bid_increments(RECORD, "start")[::-1]


def test_a_minimal_raise_is_ten_percent_of_the_start_and_less_of_the_standing_bid() -> None:
    result = run_auction([Item("A", 1000, 2000)], [RuleBidder("Ann"), RuleBidder("Bob")], 20_000)
    record = result.record()
    raises = [each for each in bid_increments(record, over="start") if not each.first]
    assert len(raises) == 6
    assert {each.share for each in raises} == {F(1, 10)}
    assert [e.share for e in bid_increments(record) if not e.first] == [
        F(1, 10 + k) for k in range(6)
    ]


def test_increment_shares_by_hand() -> None:
    found = increment_shares(bid_increments(RECORD))
    assert found == {
        "[0, 10)": F(3, 6),
        "[10, 11)": 0,
        "[11, 20)": 0,
        "[20, 50)": F(2, 6),
        "[50, ∞)": F(1, 6),
    }
    assert set(increment_shares([]).values()) == {0}
    with pytest.raises(InvalidInputError, match="leave -1/2 out"):
        increment_shares([Increment(0, "Ann", F(-1, 2), True)])
    for edges in ((), (3, 3), (3, 2)):
        with pytest.raises(InvalidInputError, match="edges do not increase"):
            increment_shares([], edges)


def test_engagements_by_hand() -> None:
    assert engagements(RECORD) == {"Ann": (2, 0, 0), "Bob": (1, 2, 0), "Cy": (0, 1, 0)}


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
def test_rank_correlation_is_scipys(pairs: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    found = rank_correlation(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert found is None
        return
    assert found is not None
    assert math.isclose(found, scipys(first, second), abs_tol=1e-12)
    assert rank_correlation(second, first) == found
    reverse = rank_correlation([-a for a in first], second)
    assert reverse == -found
    assert rank_correlation([3 * a + 1 for a in first], second) == found


def test_priority_fidelity_by_hand() -> None:
    """Initial: priorities 3, 1, 2, 1, 2 with bids 2, 0, 0, 1, 2 and wins 1, 0, 0, 0, 1.

    Current: those of Ann are 3, 2, 2; of Bob 1, 3, 1, for the last is stated just before C.
    """
    found = priority_fidelity(RECORD)
    assert found.pairs == (5, 6)
    for value, priorities, outcomes in (
        (found.initial_bids, [3, 1, 2, 1, 2], [2, 0, 0, 1, 2]),
        (found.initial_wins, [3, 1, 2, 1, 2], [1, 0, 0, 0, 1]),
        (found.current_bids, [3, 2, 2, 1, 3, 1], [2, 0, 0, 1, 2, 0]),
        (found.current_wins, [3, 2, 2, 1, 3, 1], [1, 0, 0, 0, 1, 0]),
    ):
        assert value == pytest.approx(scipys(priorities, outcomes))
    alone = priority_fidelity(RECORD, "Ann")
    assert alone.pairs == (3, 3)
    assert alone.initial_bids == pytest.approx(scipys([3, 1, 2], [2, 0, 0]))
    assert priority_fidelity([RECORD, RECORD]).pairs == (10, 12)


def test_constant_priorities_have_no_fidelity() -> None:
    constant = tuple(StatedPriority(0, "Cy", j, 2) for j in range(3))
    found = priority_fidelity(AuctionRecord(ITEMS, ("Ann", "Bob", "Cy"), EVENTS, constant))
    assert found.initial_bids is None
    assert found.current_wins is None
    assert str(found).count("-  ") == 4


def test_the_priority_map_by_hand() -> None:
    found = priority_map(RECORD)
    assert found.mean == ((2, F(3, 2), 2), (3, F(5, 2), None), (None, None, 1))
    assert found.change == ((None, None, None), (1, 1, None), (None, None, None))
    assert found.after_sale == 1, "Ann still wants A after it was sold"
    assert priority_map(RECORD, "Bob").mean[0] == (1, 2, None)
    assert priority_map(RECORD, "Bob").after_sale == 0
    assert "2.50" in str(found)
    other = AuctionRecord(ITEMS[::-1], ("Ann", "Bob", "Cy"))
    with pytest.raises(InvalidInputError, match="are not of the same items"):
        priority_map([RECORD, other])


def test_behaviour_by_hand() -> None:
    lost = AuctionRecord((RecordedSale("A", 1000, 2000, "Ann", 1900),), ("Ann", "Bob"))
    first, second, third = behaviour([RECORD, lost], "Ann")
    assert (first.item, first.start, first.profit, first.wins, first.bids) == ("A", 1000, 300, 2, 1)
    assert (second.profit, second.wins, second.bids) == (None, 0, 0)
    assert third.start == 500
    assert behaviour(RECORD, "Bob")[1].profit == -200
    assert behaviour(RECORD, "Dee") == ()


def test_niches_by_hand() -> None:
    groups = {"Ann": "items", "Bob": "profit", "Cy": "items"}
    assert winning_bid_counts([RECORD, RECORD], groups, [0, 1500, 4201]) == {
        "items": (0, 2, 0),
        "profit": (0, 2, 0),
    }
    assert winning_bid_counts(RECORD, str.lower, [0, 4200])["bob"] == (0, 1)
    with pytest.raises(InvalidInputError, match="leave 1500 out"):
        winning_bid_counts(RECORD, groups, [1501])


def test_measures_do_not_depend_on_seats_or_units() -> None:
    def scale(x: Any) -> Any:
        return None if x is None else 7 * x

    moved = AuctionRecord(
        tuple(
            RecordedSale(i.name, 7 * i.start, 7 * i.value, i.winner, scale(i.price)) for i in ITEMS
        ),
        RECORD.bidders[::-1],
        tuple(BidEvent(e.item, e.round, e.bidder, e.kind, scale(e.amount)) for e in EVENTS),
        PRIORITIES[::-1],
    )
    assert failed_bids(moved) == failed_bids(RECORD)
    assert bid_increments(moved) == bid_increments(RECORD)
    assert bid_increments(moved, over="start") == bid_increments(RECORD, over="start")
    assert engagements(moved) == engagements(RECORD)
    assert priority_map(moved).mean == priority_map(RECORD).mean
    now, then = priority_fidelity(moved), priority_fidelity(RECORD)
    assert now.current_bids == pytest.approx(then.current_bids)


class Careless:
    """Bids too little once an item, then withdraws."""

    name = "Cy"

    def __init__(self) -> None:
        self.tried = False

    def bid(self, call: Any) -> Any:
        self.tried = not self.tried
        return 1 if self.tried else None


def test_an_auction_that_was_played_has_such_a_record() -> None:
    items = [Item("A", 1000, 2000), Item("B", 2000, 4000)]
    result = run_auction(items, [RuleBidder("Ann"), RuleBidder("Bob"), Careless()], 20_000, seed=3)
    record = result.record()
    assert record.bidders == result.bidders
    assert [item.price for item in record.items] == [sale.price for sale in result.sales]
    assert [item.value for item in record.items] == [2000, 4000]
    found = failed_bids(record)
    assert (found["Cy"].failed, found["Cy"].correct) == (2, 2)
    assert (found["Ann"].failed, found["Bob"].failed) == (0, 0)
    made = engagements(record)
    assert made["Ann"][0] + made["Bob"][0] == result.sales[0].bids
    for name, profit in result.profits.items():
        won = [b for b in behaviour(record, name) if b.profit is not None]
        assert sum(b.profit for b in won if b.profit is not None) == profit


def test_bad_records_are_refused() -> None:
    for wrong, error, told in (
        ({"events": (BidEvent(3, 0, "Ann", "bid", 1),)}, InvalidInputError, "item of events"),
        ({"events": (BidEvent(0, 0, "Dee", "bid", 1),)}, UnknownNameError, "bidder of events"),
        ({"events": (BidEvent(0, 0, "Ann", "won", 1),)}, UnknownNameError, "kind is unknown"),
        ({"events": (BidEvent(0, 0, "Ann", "bid"),)}, InvalidInputError, "amount is missing"),
        ({"priorities": (StatedPriority(0, "Ann", 9, 1),)}, InvalidInputError, "of priorities"),
    ):
        given: dict[str, Any] = wrong
        with pytest.raises(error, match=told):
            AuctionRecord(ITEMS, ("Ann", "Bob", "Cy"), **given)
    with pytest.raises(UnknownNameError, match="bidder of items"):
        AuctionRecord(ITEMS, ("Ann",))
    with pytest.raises(InvalidInputError, match="has not 2 entries"):
        rank_correlation([1, 2], [1])
