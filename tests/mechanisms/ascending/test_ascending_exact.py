"""What is played has the law that the theory says: the stepped rules over all draws."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.ascending import (
    BestReplyBidder,
    BidderError,
    CallbackBidder,
    Estimator,
    Item,
    RuleBidder,
    Terms,
    begin_auction,
    bidder_participant,
    run_auction,
)
from theory.ascending import TIE_RULES, exact_auction
from theory.errors import InvalidInputError

F = Fraction


def played_law(
    items: Sequence[Item], bidders: Sequence[Any], budgets: Sequence[int], terms: Terms
) -> tuple[list[dict[tuple[int, Fraction], Fraction]], list[Fraction]]:
    """Return by item the law of winner and price, and the expected profits."""
    names = [bidder.name for bidder in bidders]
    run = begin_auction(items, bidders, dict(zip(names, budgets, strict=True)), terms=terms)
    answers = {bidder.name: bidder_participant(bidder) for bidder in bidders}
    laws: list[dict[tuple[int, Fraction], Fraction]] = [{} for _ in items]
    profits = [F(0)] * len(names)
    waiting = [(F(1), run)]
    while waiting:
        weight, stage = waiting.pop()
        while stage.asks:
            ask = stage.asks[0]
            stage = stage.answer(ask, answers[ask.player](ask))
        if stage.draws:
            [draw] = stage.draws
            for value, chance in zip(draw.values, draw.weights, strict=True):
                if chance:
                    waiting.append((weight * chance, stage.answer(draw, value)))
            continue
        assert stage.outcome is not None
        for law, each in zip(laws, stage.outcome.settled, strict=True):
            if each.winner is not None and each.price is not None:
                sale = names.index(each.winner), each.price
                law[sale] = law.get(sale, F(0)) + weight
        profits = [m + weight * p for m, p in zip(profits, stage.outcome.profits, strict=True)]
    return laws, profits


limits = st.builds(lambda n: ("limit", n), st.integers(1, 3))
estimates = st.builds(
    lambda over, strict: ("estimate", F(over, 4), strict), st.integers(-2, 0), st.booleans()
)


def bidder(name: str, kind: Any) -> RuleBidder | Estimator:
    """Return a bidder of a kind."""
    if kind[0] == "limit":
        return RuleBidder(name, limit=kind[1])
    return Estimator(name, over=kind[1], strict=kind[2])


@given(
    kinds=st.lists(limits | estimates, min_size=1, max_size=3),
    prices=st.lists(st.tuples(st.integers(1, 3), st.integers(0, 6)), min_size=1, max_size=2),
    money=st.lists(st.integers(0, 9), min_size=3, max_size=3),
    rest=st.fixed_dictionaries(
        {
            "ties": st.sampled_from(sorted(TIE_RULES)),
            "increment": st.sampled_from(["1/2", "1", "3/4"]),
            "discounts": st.integers(0, 2),
        }
    ),
)
def test_what_is_played_is_what_is_computed(
    kinds: list[Any], prices: list[tuple[int, int]], money: list[int], rest: dict[str, Any]
) -> None:
    items = [Item(f"item {n}", start, value) for n, (start, value) in enumerate(prices)]
    bidders = [bidder(f"bidder {n}", kind) for n, kind in enumerate(kinds)]
    budgets = money[: len(bidders)]
    laws, profits = played_law(items, bidders, budgets, Terms(**rest))
    rules = [each.rule for each in bidders]
    exact = exact_auction(items, rules, budgets, **rest)
    assert laws == [dict(law.sales) for law in exact.items]
    assert tuple(profits) == exact.profits
    for law, item in zip(laws, exact.items, strict=True):
        assert sum(law.values(), F(0)) == 1 - item.unsold


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_bidder_that_differs_is_told_apart_in_each_seat(seat: int) -> None:
    kinds: list[Any] = [("limit", 2)] * 3
    kinds[seat] = ("limit", 3)
    bidders = [bidder(f"bidder {n}", kind) for n, kind in enumerate(kinds)]
    items = [Item("a", 10, 20), Item("b", 10, 20)]
    laws, profits = played_law(items, bidders, [25, 25, 25], Terms())
    exact = exact_auction(items, [each.rule for each in bidders], 25)
    assert tuple(profits) == exact.profits
    assert max(profits) == profits[seat] > min(profits)
    assert laws == [dict(law.sales) for law in exact.items]


@pytest.mark.parametrize("jumps", [False, True])
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_best_reply_earns_over_all_draws_what_it_says(seat: int, jumps: bool) -> None:
    """Against two unlike rules, in each seat; and at least what the rules earn there."""
    items = [Item("a", 2, 5), Item("b", 3, 6)]
    rivals: list[Any] = [RuleBidder("Ann", limit=2), Estimator("Bob", over="-1/4")]
    terms = Terms(increment="1/2", ties="richer")
    best = BestReplyBidder("me", items, rivals, 7, seat=seat, terms=terms, jumps=jumps)
    bidders = [*rivals[:seat], best, *rivals[seat:]]
    _, profits = played_law(items, bidders, [7, 7, 7], terms)
    assert profits[seat] == best.reply.value
    for own in (RuleBidder("me", limit=2), Estimator("me")):
        others = [*rivals[:seat], own, *rivals[seat:]]
        _, earned = played_law(items, others, [7, 7, 7], terms)
        assert earned[seat] <= best.reply.value


def test_a_best_reply_knows_whom_it_replies_to() -> None:
    items = [Item("a", 2, 5)]
    best = BestReplyBidder("me", items, [RuleBidder("Ann", limit=1)], 7)
    with pytest.raises(BidderError, match="does not arise") as told:
        run_auction(items, [best, CallbackBidder("Ann", lambda call: call.least + 1)], 7)
    assert told.value.participant == "me"
    with pytest.raises(InvalidInputError, match="has no rule"):
        BestReplyBidder("me", items, [CallbackBidder("Ann", lambda call: None)], 7)
    with pytest.raises(InvalidInputError, match="not covered"):
        BestReplyBidder("me", items, [RuleBidder("Ann")], 7, terms=Terms(pays="second"))
    with pytest.raises(InvalidInputError, match="no seat"):
        BestReplyBidder("me", items, [RuleBidder("Ann")], 7, seat=2)
