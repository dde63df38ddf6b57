"""Rule bidders, items and what they are worth, and what bidders are asked."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.ascending import (
    Beliefs,
    Believed,
    Bid,
    Bonus,
    BudgetAwareBidder,
    Call,
    CallbackBidder,
    Estimator,
    Item,
    Lot,
    Plan,
    Planned,
    RuleBidder,
    Sale,
    Terms,
    ToPlan,
    Worths,
    best_bundle,
    common_values,
    interdependent_values,
    paper_items,
    private_values,
    run_auction,
    sort_items,
)
from mechanisms.play import IllegalAnswerError
from theory.errors import InvalidInputError, UnknownNameError

F = Fraction


def call(**changed: Any) -> Call:
    given: dict[str, Any] = {
        "bidder": "Ann",
        "item": "Vase",
        "start": F(10),
        "least": F(10),
        "step": F(1),
        "standing": None,
        "leader": None,
        "history": (),
        "round": 0,
        "made": 0,
        "estimate": F(20),
        "money": F(100),
        "sold": (),
        "coming": (),
    }
    return Call(**{**given, **changed})


@pytest.mark.parametrize(
    ("changed", "bids"),
    [
        ({"made": 2}, True),
        ({"made": 3}, False),
        ({"least": F(100)}, True),
        ({"least": F(101)}, False),
        ({"estimate": F(1)}, True),
    ],
)
def test_a_rule_bidder_bids_so_often_and_what_it_has(changed: dict[str, Any], bids: bool) -> None:
    asked = call(**changed)
    assert RuleBidder("Ann", limit=3).bid(asked) == (asked.least if bids else None)


STARTS = [F(50), F(30), F(20), F(40)]


@pytest.mark.parametrize("choose", ["profit", "items"])
@pytest.mark.parametrize("money", [9, 50, 70, 100, 139, 140])
@pytest.mark.parametrize("here", range(4))
def test_a_bidder_that_chooses_buys_what_its_money_suffices_for(
    choose: str, money: int, here: int
) -> None:
    coming = tuple(Lot(f"item {k}", s, F(0)) for k, s in enumerate(STARTS) if k != here)
    asked = call(start=STARTS[here], least=STARTS[here], money=F(money), coming=coming)
    left, chosen = money, []
    for start in sorted(STARTS, reverse=choose == "profit"):
        if start <= left:
            chosen.append(start)
            left -= int(start)
    bid = RuleBidder("Ann", choose=choose).bid(asked)
    assert (bid is not None) == (STARTS[here] in chosen)
    again = call(start=STARTS[here], least=F(5), money=F(money), coming=coming, made=1)
    assert RuleBidder("Ann", choose=choose).bid(again) == 5  # it goes on once it has begun
    with pytest.raises(InvalidInputError, match="exact law"):
        _ = RuleBidder("Ann", choose=choose).rule


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("least", [14, 15, 16])
def test_an_estimator_stops_at_its_share(strict: bool, least: int) -> None:
    bidder = Estimator("Ann", share="3/4", over="1/10", strict=strict)
    bids = least < 15 or (least == 15 and not strict)
    assert (bidder.bid(call(least=F(least))) is not None) == bids
    assert bidder.bid(call(least=F(14), money=F(13))) is None
    assert bidder.bid(call(least=F(14), money=F(14))) == 14
    assert bidder.rule.over == F(3, 4) * F(11, 10) - 1
    assert bidder.rule.strict == strict


amounts = st.fractions(min_value=F(1, 4), max_value=12, max_denominator=4)


@given(offers=st.lists(st.tuples(amounts, amounts), max_size=5), money=amounts)
def test_the_best_bundle_is_the_best_of_all(
    offers: list[tuple[Fraction, Fraction]], money: Fraction
) -> None:
    costs, gains = best_bundle(offers)
    assert costs[0] == gains[0] == 0
    for numbers in (costs, gains):
        assert numbers == sorted(set(numbers))
    bundles = [b for k in range(len(offers) + 1) for b in combinations(offers, k)]
    best = max(
        sum((w - c for c, w in b), F(0)) for b in bundles if sum((c for c, _ in b), F(0)) <= money
    )
    assert max(g for c, g in zip(costs, gains, strict=True) if c <= money) == best


@given(
    lots=st.lists(st.tuples(amounts, amounts), max_size=3),
    later=st.lists(st.tuples(amounts, amounts), max_size=3),
    least=amounts,
    estimate=amounts,
    money=amounts,
)
def test_a_budget_aware_bidder_compares_with_what_later_items_would_bring(
    lots: list[tuple[Fraction, Fraction]],
    later: list[tuple[Fraction, Fraction]],
    least: Fraction,
    estimate: Fraction,
    money: Fraction,
) -> None:
    """As its docstring has it, for one list of items to come and then another."""
    bidder = BudgetAwareBidder("Ann", expects="3/2")
    for items in (lots, later):
        offers = [(F(3, 2) * start, worth) for start, worth in items]

        def most(left: Fraction, offers: Any = offers) -> Fraction:
            bundles = [b for k in range(len(offers) + 1) for b in combinations(offers, k)]
            cheap = [b for b in bundles if sum((c for c, _ in b), F(0)) <= left]
            return max(sum((w - c for c, w in b), F(0)) for b in cheap)

        coming = tuple(Lot(f"item {k}", s, w) for k, (s, w) in enumerate(items))
        asked = call(least=least, estimate=estimate, money=money, coming=coming)
        bids = least <= money and estimate - least + most(money - least) >= most(money)
        assert bidder.bid(asked) == (least if bids else None)


def test_offers_without_a_cost_are_refused() -> None:
    for cost in (0, -1):
        with pytest.raises(InvalidInputError, match="is not positive"):
            best_bundle([(F(1), F(2)), (F(cost), F(2))])
    with pytest.raises(InvalidInputError, match="is not positive"):
        BudgetAwareBidder("Ann", expects=0)


def test_each_bidder_has_its_own_share_and_is_told_each_refusal() -> None:
    told: list[tuple[str, ...]] = []

    class Stubborn(CallbackBidder):
        def refused(self, call: Call, reasons: tuple[str, ...]) -> None:
            told.append(reasons)

    asked: dict[str, Fraction] = {}

    def bid(call: Call) -> object:
        asked[call.bidder] = call.estimate
        return "?"

    bidders = [Stubborn(n, bid, over=k) for k, n in enumerate(["Ann", "Bob", "Cy"])]
    run_auction([Item("Vase", 10, 20)], bidders, 100, terms=Terms(attempts=4))
    assert asked == {"Ann": 20, "Bob": 40, "Cy": 60}
    assert [len(reasons) for reasons in told] == [1, 2, 3] * 3


# --- items


def test_items_of_one_start_stay_in_their_order() -> None:
    names = ["Zebra", "Cat", "Owl", "Ape", "Yak", "Bee"]
    items = [Item(name, 10 + k % 2, 5) for k, name in enumerate(names)]
    low, high = ["Zebra", "Owl", "Yak"], ["Cat", "Ape", "Bee"]
    assert [item.name for item in sort_items(items, "ascending")] == low + high
    assert [item.name for item in sort_items(items, "descending")] == high + low
    assert [item.name for item in sort_items(iter(items), "given")] == names
    with pytest.raises(UnknownNameError, match="order is no order"):
        sort_items(items, "random")


@pytest.mark.parametrize(("table", "starts"), [("standard", 30_000), ("objectives", 36_000)])
def test_items_of_the_paper_are_worth_twice_their_starts(table: str, starts: int) -> None:
    items = paper_items(table=table)
    assert sum(item.start for item in items) == starts
    assert all(item.value == 2 * item.start for item in items)


def test_what_items_are_worth() -> None:
    items = [Item("Vase", 10, 20), Item("Bowl", 10, 40)]
    worths: Any = common_values(iter(items), iter(["Ann", "Bob"]), over={"Ann": 0, "Bob": "1/2"})
    assert worths.estimates == ((20, 40), (30, 60))
    assert worths.values == ((20, 40), (20, 40))
    signals = {"Ann": [4, 1], "Bob": [2, 2], "Cy": [9, 6]}
    mixed: Any = interdependent_values(signals, "1/4")
    assert mixed.estimates == ((4, 1), (2, 2), (9, 6))
    weighed = [(4, 11), (2, 13), (9, 6)]  # the own signal, and the others' sum, of the first item
    assert [row[0] for row in mixed.values] == [
        F(3, 4) * own + F(1, 4) * rest / 2 for own, rest in weighed
    ]
    assert interdependent_values(signals, 0) == private_values(signals)
    common: Any = interdependent_values(signals, "2/3").values
    assert set(common) == {(5, 3)}
    with pytest.raises(InvalidInputError, match="one bidder"):
        interdependent_values({"Ann": [1]}, 0)
    with pytest.raises(InvalidInputError, match="differ in length"):
        interdependent_values({"Ann": [1], "Bob": [1, 2]}, 0)
    with pytest.raises(InvalidInputError, match="no share"):
        common_values(items, ["Ann", "Bob"], over={"Ann": 0})
    with pytest.raises(InvalidInputError, match="not positive"):
        Item("Vase", 0, 1)


@pytest.mark.parametrize(
    ("won", "worth"), [((), 0), ((0,), 1), ((1,), 2), ((0, 1), 3 + 10), ((2, 1, 0), 6 + 110)]
)
def test_bonuses_come_on_top_of_all_their_items(won: tuple[int, ...], worth: int) -> None:
    bonuses = (Bonus((0, 1), 10), Bonus((1, 2, 0), 100, "Ann"), Bonus((0, 1), 1000, "Bob"))
    rows = ((F(1), F(2), F(3)), (F(0), F(0), F(0)))
    worths = Worths(rows, rows, bonuses)
    assert worths.bundle("Ann", 0, won) == worth


# --- what bidders are asked


@pytest.mark.parametrize("text", ["", " ", "withdraw", "OUT", "pass", " Pass\n", None])
def test_words_that_withdraw(text: str | None) -> None:
    assert Bid(F(1), F(2), F(1), None).read(text) is None


def test_a_bid_may_be_anything_from_the_least_to_the_most() -> None:
    bid: Any = Bid(F(10), F(14), F(2), None)
    assert [bid.read(n) for n in (10, "21/2", 14)] == [10, F(21, 2), 14]
    assert bid.choices() == (None, 10, 12, 14)
    assert list(Bid(F(10), F(14), F(2), 1).choices()) == [None, F(10), F(12)]
    poor = Bid(F(10), F(9), F(2), None)
    assert poor.choices() == (None,)
    with pytest.raises(IllegalAnswerError, match=r"more than you have: withdraw$"):
        poor.read(10)
    with pytest.raises(IllegalAnswerError, match=r"bid at most 14$"):
        bid.read(15)


def test_what_a_bidder_reads() -> None:
    sold = (Sale("Jug"), Sale("Cup", "Bob", F(7), F(9)), Sale("Pot", "Cy", F(5)))
    coming = (Lot("Bowl", F(3), F(4)),)
    asked = call(
        standing=F(12),
        leader="Bob",
        least=F(13),
        history=((("Ann", F(11)), ("Cy", None)), (("Bob", F(12)),)),
        sold=sold,
        coming=coming,
    )
    told = [
        "Sold: Jug was not sold.",
        "Sold: Cup to Bob for 7, worth 9.",
        "Sold: Pot to Cy for 5.",
        "To come: Bowl, from 3, worth perhaps 4.",
    ]
    assert str(asked).splitlines() == [
        "Vase is on sale from 10.",
        "You expect it to be worth 20.",
        "Round 1: Ann bids 11, Cy withdraws.",
        "Round 2: Bob bids 12.",
        "The highest bid is 12 of Bob.",
        "You have 100. The least bid is 13.",
        *told,
    ]
    assert str(ToPlan("Ann", F(100), sold, coming)).splitlines() == ["You have 100.", *told]


def test_plans_and_beliefs_are_read_as_they_are_written() -> None:
    plan = Plan((("Vase", 1), ("Bowl", 3)), "Wait.")
    planned = Planned(("Vase", "Bowl"))
    assert planned.read(planned.write(plan)) == planned.read(plan) == plan
    believed = Believed(("Ann", "Bob"), ("Vase", "Bowl"))
    beliefs = Beliefs(
        F(5), (("Ann", F(1)), ("Bob", F(-1, 3))), (("Ann", ()), ("Bob", (("Bowl", F(2)),)))
    )
    assert believed.read(believed.write(beliefs)) == believed.read(beliefs) == beliefs
    assert believed.read('{"money": 5}') == Beliefs(
        F(5), (("Ann", F(0)), ("Bob", F(0))), (("Ann", ()), ("Bob", ()))
    )
    unknown: tuple[dict[str, Any], ...] = (
        {"profits": {"Cy": 1}},
        {"won": {"Cy": {}}},
        {"won": {"Bob": {"Cup": 1}}},
    )
    for part in unknown:
        with pytest.raises(IllegalAnswerError, match="is no"):
            believed.read({"money": 5, **part})
    with pytest.raises(IllegalAnswerError, match="money left is missing"):
        believed.read({})


def test_a_budget_aware_bidder_looks_at_what_comes_each_time() -> None:
    bidder = BudgetAwareBidder("Ann", expects=1)
    dear = (Lot("Bowl", F(10), F(90)),)
    bids = [bidder.bid(call(money=F(10), coming=lots)) for lots in ((), dear, ())]
    assert bids == [10, None, 10]
