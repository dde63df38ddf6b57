"""What a result says of an auction, and what its audit finds: in each seat, of each item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from mechanisms.ascending import (
    SELLER,
    AuctionResult,
    Beliefs,
    Bidder,
    BidderError,
    Bonus,
    Call,
    CallbackBidder,
    Item,
    ItemSale,
    Plan,
    RuleBidder,
    Terms,
    ToPlan,
    ToRecount,
    Worths,
    _audit,
    auction_result,
    begin_auction,
    run_auction,
)
from mechanisms.ledger import Ledger
from mechanisms.play import Ask
from theory.errors import InvalidInputError, UnknownNameError

F = Fraction
ITEMS = [Item(name, 10, 20) for name in ("Vase", "Bowl", "Cup", "Jug")]
NAMES = ("Ann", "Bob", "Cy")
WINNERS = {"Vase": "Bob", "Bowl": "Cy", "Cup": "Bob", "Jug": None}
VALUES = tuple(tuple(F(first + k) for k in range(4)) for first in (1, 5, 31))
WORTHS = Worths(VALUES[::-1], VALUES)
LIMITS = {"Vase": 12, "Bowl": 16, "Cup": 14}


def up_to_a_limit(name: str) -> CallbackBidder:
    """Raise for the items that are meant for the bidder; the others bid once for the Bowl."""

    def bid(call: Call) -> object:
        if WINNERS[call.item] == name:
            return call.least if not call.made else LIMITS[call.item]
        return call.least + 2 if call.item == "Bowl" and not call.made else None

    return CallbackBidder(name, bid)


def sold(**changed: Any) -> AuctionResult:
    bidders = [up_to_a_limit(name) for name in NAMES]
    return run_auction(ITEMS, bidders, 50, **{"worths": WORTHS, "seed": 1, **changed})


def test_sales_and_accounts_are_those_of_the_auction() -> None:
    result = sold(terms=Terms(ties="first", pays="second"))
    assert result.sales == (
        ItemSale(ITEMS[0], F(10), "Bob", F(10), F(5 - 10), 1),
        ItemSale(ITEMS[1], F(10), "Cy", F(12), F(32 - 12), 4),
        ItemSale(ITEMS[2], F(10), "Bob", F(10), F(7 - 10), 1),
        ItemSale(ITEMS[3], F(10), None, None, F(0), 0),
    )
    assert result.profits == {"Ann": 0, "Bob": -8, "Cy": 20}
    assert result.won == {"Ann": 0, "Bob": 2, "Cy": 1}
    assert result.revenue == 32
    assert list(result.outcome.money) == [F(50), F(30), F(38)]
    assert result.audit() == ()
    assert result.table().caption == "3 of 4 items are sold for 32"
    assert [row[2:4] for row in result.table().rows][-1] == ("unsold", "")
    assert [row[:4] for row in result.accounts().rows] == [
        ("Ann", "0", "0", "50"),
        ("Bob", "2", "-8", "30"),
        ("Cy", "1", "20", "38"),
    ]
    values = [item.value for item in result.record().items]
    assert values == [5, 32, 7, 4]


@pytest.mark.parametrize(
    ("profits", "expected"),
    [
        ((1, 2, 3), (0, F(1, 2), 1)),
        ((3, 2, 1), (1, F(1, 2), 0)),
        ((1, 1, 1), (F(1, 2), F(1, 2), F(1, 2))),
        ((2, 1, 1), (1, F(1, 4), F(1, 4))),
        ((1, 1, 2), (F(1, 4), F(1, 4), 1)),
    ],
)
def test_ranks_count_who_earns_less(profits: tuple[int, ...], expected: tuple[Any, ...]) -> None:
    result = sold()
    changed = replace(result, outcome=replace(result.outcome, profits=tuple(map(F, profits))))
    assert tuple(changed.payoffs("rank").values()) == expected
    assert tuple(changed.payoffs().values()) == profits
    assert changed.payoffs("items") == changed.won
    with pytest.raises(UnknownNameError, match="objective"):
        changed.payoffs("fun")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("where", [0, 1, 3])
@pytest.mark.parametrize("attempts", [1, 2])
def test_refused_bids_are_counted_where_they_were_made(
    name: str, where: int, attempts: int
) -> None:
    def bid(call: Call) -> object:
        return "Hm." if len(call.sold) == where else None

    bidders: list[Bidder] = [
        CallbackBidder(name, bid) if name == n else RuleBidder(n, limit=1) for n in NAMES
    ]
    result = run_auction(ITEMS, bidders, 100, terms=Terms(attempts=attempts))
    assert [(f.item, f.bidder) for f in result.failed] == [(where, name)] * attempts
    failed = {row[0]: row[4] for row in result.accounts().rows}
    assert failed == dict.fromkeys(NAMES, "0") | {name: str(attempts)}
    assert [sale.bids for sale in result.sales] == [2] * 4
    events = [event for event in result.record().events if event.kind == "failed"]
    assert [(event.item, event.bidder) for event in events] == [(where, name)] * attempts


def test_who_did_not_answer_is_named_in_every_seat() -> None:
    class Lost(RuleBidder):
        def bid(self, call: Call) -> Fraction | None:
            if call.item == "Cup":
                raise TimeoutError
            return super().bid(call)

    bidders = [RuleBidder("Ann"), Lost("Bob"), Lost("Cy")]
    result = run_auction(ITEMS, bidders, 100, keep_going=True)
    assert result.unanswered == ("Bob", "Cy")
    moves = [m for m in result.moves if m.kind == "no answer"]
    assert [(m.item, m.bidder) for m in moves] == [(2, "Bob"), (2, "Cy")]


class Tells(CallbackBidder):
    """Says what it is given to say of the auction, and what its plans are."""

    modules = ("plan", "replan", "beliefs")
    beliefs: Any = None
    priorities: Any = None

    def plan(self, view: ToPlan) -> object:
        return {"priorities": {lot.name: self.priorities(lot.name) for lot in view.coming}}

    def recount(self, view: ToRecount) -> object:
        return self.beliefs(view)


def tells(name: str, beliefs: Any) -> Tells:
    bidder = Tells(name, up_to_a_limit(name).function)
    bidder.beliefs = beliefs
    bidder.priorities = {"Vase": 1, "Bowl": 2, "Cup": 3, "Jug": 1}.get
    return bidder


def truth(number: int, money: int) -> Beliefs:
    """What is true after so many items at second prices: Bob, Cy and Bob paid 10, 12 and 10."""
    bob = (("Vase", F(10)),) if number < 3 else (("Vase", F(10)), ("Cup", F(10)))
    cy = () if number < 2 else (("Bowl", F(12)),)
    profits = (("Ann", F(0)), ("Bob", F(-5 if number < 3 else -8)), ("Cy", F(20 if cy else 0)))
    return Beliefs(F(money), profits, (("Ann", ()), ("Bob", bob), ("Cy", cy)))


def test_beliefs_are_compared_with_the_state_of_their_time_and_of_their_bidder() -> None:
    left = {"Ann": [50] * 4, "Bob": [40, 40, 30, 30], "Cy": [50, 38, 38, 38]}

    def telling(name: str) -> Any:
        return lambda view: truth(view.number, left[name][view.number - 1])

    terms = Terms(ties="first", pays="second")
    bidders = [tells(name, telling(name)) for name in NAMES]
    result = run_auction(ITEMS, bidders, 50, worths=WORTHS, terms=terms, corrections=2)
    assert [(said.after, said.bidder) for said in result.beliefs] == [
        (number, name) for number in (1, 2, 3, 4) for name in NAMES
    ]
    assert {said.wrong for said in result.beliefs} == {()}
    assert [(said.after, said.bidder) for said in result.plans] == [
        (number, name) for number in (0, 1, 2, 3) for name in NAMES
    ]
    assert result.plans[-1].said == Plan((("Jug", 1),))
    stated = [(p.after, p.bidder, p.item, p.priority) for p in result.record().priorities]
    ranks = [1, 2, 3, 1]
    assert stated == [
        (after, name, item, ranks[item])
        for after in range(4)
        for name in NAMES
        for item in range(after, 4)
    ]
    late = [tells(n, lambda v, n=n: truth(min(v.number, 2), left[n][v.number - 1])) for n in NAMES]
    result = run_auction(ITEMS, late, 50, worths=WORTHS, terms=terms, corrections=1)
    assert [len(said.wrong) for said in result.beliefs] == [0] * 6 + [2] * 12
    assert result.beliefs[-1].wrong == (
        "The profit of Bob is -8, not -5.",
        "Bob has won Vase for 10, Cup for 10, not Vase for 10.",
    )


ANY = Beliefs(F(50), (("Ann", F(0)),), (("Ann", (("Vase", F(10)), ("Bowl", F(11)))),))


def test_a_belief_is_wrong_in_either_direction_and_in_every_part() -> None:
    assert ANY.compare(ANY) == ()
    assert ANY.statements == 3
    turned = replace(ANY, won=(("Ann", (("Bowl", F(11)), ("Vase", F(10)))),))
    assert turned.compare(ANY) == ()
    for money in (49, 51):
        assert replace(ANY, money=F(money)).compare(ANY) == (f"You have 50 left, not {money}.",)
    for profit in (-1, 1):
        [wrong] = replace(ANY, profits=(("Ann", F(profit)),)).compare(ANY)
        assert wrong == f"The profit of Ann is 0, not {profit}."


# --- the audit


def changed_outcome(result: AuctionResult, **changed: Any) -> AuctionResult:
    return replace(result, outcome=replace(result.outcome, **changed))


def changed_sale(result: AuctionResult, n: int, **changed: Any) -> AuctionResult:
    settled = list(result.outcome.settled)
    settled[n] = replace(settled[n], **changed)
    return changed_outcome(result, settled=tuple(settled))


@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_audit_finds_a_wrong_winner_or_price_of_every_item(n: int) -> None:
    result = sold()
    item = ITEMS[n].name
    other = {"Bob": "Cy", "Cy": "Bob"}[str(WINNERS[item])]
    [*problems] = changed_sale(result, n, winner=other).audit()
    assert f"{item} goes to {other}, who has not made the highest bid" in problems
    assert f"the payment for {item} is not that of its sale" in problems
    price = result.sales[n].price
    assert price is not None
    dearer, cheaper = (changed_sale(result, n, price=price + d).audit() for d in (1, -1))
    assert f"{item} costs more than its highest bid" in dearer
    assert f"{item} costs more than its highest bid" not in cheaper
    for found in (dearer, cheaper):
        assert f"the payment for {item} is not that of its sale" in found
    far = changed_sale(result, n, price=F(51)).audit()
    assert f"{WINNERS[item]} pays more for {item} than it has" in far
    unsold = changed_sale(result, n, winner=None, price=None).audit()
    assert "1 payments are for no sale" in unsold


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("bonuses", [(), (Bonus((0, 2), 7, "Bob"), Bonus((1,), 1), Bonus((3,), 9))])
def test_the_audit_finds_wrong_money_and_profits_in_every_seat(
    seat: int, bonuses: tuple[Bonus, ...]
) -> None:
    result = sold(worths=replace(WORTHS, bonuses=bonuses))
    assert result.audit() == ()
    name = NAMES[seat]
    money = list(result.outcome.money)
    money[seat] += 1
    [problem] = changed_outcome(result, money=tuple(money)).audit()
    assert problem == f"{name} has {money[seat]} left, not {money[seat] - 1}"
    profits = list(result.outcome.profits)
    profits[seat] += 1
    profits[seat - 1] -= 1  # what all earn together is the same
    problems = changed_outcome(result, profits=tuple(profits)).audit()
    assert len(problems) == 2
    assert f"the profit of {name} is {profits[seat]}, not {profits[seat] - 1}" in problems


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize(
    "changed", [{"payer": "Ann"}, {"payee": "Ann"}, {"amount": F(1)}, {"amount": F(49)}]
)
def test_the_audit_finds_a_wrong_payment_for_every_item(n: int, changed: dict[str, Any]) -> None:
    result = sold()
    entries = list(result.statement.entries)
    entries[n] = replace(entries[n], **changed)
    problems = replace(result, statement=replace(result.statement, entries=tuple(entries))).audit()
    assert any(f" {ITEMS[n].name} is" in f" {problem}" for problem in problems)


@pytest.mark.parametrize("item", [0, 2])
def test_the_audit_finds_bids_that_top_nothing_and_who_bids_again(
    monkeypatch: pytest.MonkeyPatch, item: int
) -> None:
    bidders = [RuleBidder(name, limit=4) for name in NAMES]
    result = run_auction(ITEMS[:3], bidders, 1000, terms=Terms(ties="first"))
    logged = _audit._bids_by_item(result)
    standing = max(bid for number, _, bid in logged[item] if number == 1 and bid is not None)
    who = next(name for number, name, bid in logged[item] if number == 2 and bid is not None)
    earlier = max(number for number, name, _ in logged[item] if name == who and number < 2)

    def problems(round_: int, bid: object) -> tuple[str, ...]:
        changed = [(n, w, bid if (n, w) == (round_, who) else b) for n, w, b in logged[item]]
        monkeypatch.setattr(_audit, "_bids_by_item", lambda _: logged | {item: changed})
        return result.audit()

    for bid in (standing, standing - 1):
        assert f"{who} bids {bid} for {ITEMS[item].name}, which tops nothing" in problems(2, bid)
    again = f"{who} is asked for {ITEMS[item].name} again after it has withdrawn"
    assert again in problems(earlier, None)


@pytest.mark.parametrize("cuts", [1, 2])
def test_who_withdrew_before_a_discount_may_bid_after_it(cuts: int) -> None:
    class Waits(RuleBidder):
        def bid(self, call: Call) -> Fraction | None:
            return super().bid(call) if call.start == F(10, 2**cuts) else None

    terms = Terms(discounts=cuts)
    result = run_auction(ITEMS[:2], [Waits(name) for name in NAMES], 1000, terms=terms)
    assert [sale.start for sale in result.sales] == [F(10, 2**cuts)] * 2
    assert max(move.round for move in result.moves) > cuts + 1
    assert result.audit() == ()


# --- what goes wrong outside of the bids


def test_a_seller_that_raises_or_does_not_choose_ends_the_auction() -> None:
    terms = Terms(order="seller")
    bidders = [RuleBidder("Ann")]

    def bad(ask: Ask) -> object:
        raise OSError("closed")

    with pytest.raises(BidderError, match=r"the seller raised .* choose: return the name"):
        run_auction(ITEMS, bidders, 100, terms=terms, seller=bad)
    for seller, kept in ((bad, True), (lambda ask: "Pot", False)):
        with pytest.raises(InvalidInputError, match="has no result"):
            run_auction(ITEMS, bidders, 100, terms=terms, seller=seller, keep_going=kept)
    with pytest.raises(InvalidInputError, match="is to choose the next item"):
        run_auction(ITEMS, bidders, 100, terms=terms)
    with pytest.raises(InvalidInputError, match="is not over"):
        auction_result(begin_auction(ITEMS, bidders, 100))


@pytest.mark.parametrize(
    "said",
    [
        Beliefs(F(5), (("Zed", F(1)),), ()),
        Beliefs(F(5), (), (("Ann", (("Pot", F(1)),)),)),
        '{"money": ' + "9" * 5000 + "}",
        '{"priorities": {"Vase": ' + "9" * 5000 + "}}",
        "[" * 100_000,
        {"money": 1, "profits": [1]},
        {"money": 1, "won": {"Ann": ["Vase"]}},
        {"money": 1, "won": {"Ann": {3: 1}}},
        {"money": 1, "won": {3: {}}},
        {"profits": {}},
        {"priorities": {"Vase": 1, "Bowl": 1, "Pot": 1}},
        {"priorities": {"Vase": 1, "Bowl": 0}},
        {"priorities": {"Vase": 1, "Bowl": 4}},
        {"priorities": {"Vase": 1, "Bowl": True}},
        {"priorities": {"Vase": 1}},
        {"priorities": {"Vase": 1, "Bowl": 1}, "text": "x" * 4001},
    ],
)
def test_plans_and_beliefs_that_are_none_are_refused_and_the_auction_goes_on(said: Any) -> None:
    class Says(RuleBidder):
        modules = ("plan", "beliefs")

        def plan(self, view: ToPlan) -> object:
            return said

        recount = plan

    result = run_auction(ITEMS[:2], [Says("Ann"), RuleBidder("Bob")], 1000, corrections=1)
    assert [each.said for each in result.plans + result.beliefs] == [None] * 3
    assert [sale.price for sale in result.sales] == [16, 16]


def test_a_plan_may_be_as_long_as_it_says() -> None:
    class Says(RuleBidder):
        modules = ("plan",)

        def plan(self, view: ToPlan) -> object:
            return Plan((("Vase", 3), ("Bowl", 2)), "x" * 4000)

    [said] = run_auction(ITEMS[:2], [Says("Ann")], 1000).plans
    assert said.said == Plan((("Vase", 3), ("Bowl", 2)), "x" * 4000)


def test_a_ledger_serves_several_auctions() -> None:
    book = Ledger({"Ann": 1000, "Bob": 40, "the seller": 3, "another": 5})
    bidders = [RuleBidder("Ann"), RuleBidder("Bob")]
    results = []
    for seed in range(3):
        results.append(run_auction(ITEMS[:2], bidders, 500, ledger=book, seed=seed))
        book.transfer("another", "Bob", 1)
    assert [result.audit() for result in results] == [()] * 3
    paid = [len(result.statement.entries) for result in results]
    assert paid == [sum(result.won.values()) for result in results]
    assert sum(result.revenue for result in results) == book.balance("the seller") - 3


def test_bidders_and_items_may_come_from_generators_and_modules_are_checked() -> None:
    bidders = [RuleBidder("Ann"), RuleBidder("Bob")]
    run = begin_auction(iter(ITEMS), iter(bidders), 100)
    assert [ask.player for ask in run.asks] == ["Ann", "Bob"]
    for modules, match in (("plan", "is one text"), (["x"], "no module")):
        bidder: Any = RuleBidder("Ann")
        bidder.modules = modules
        with pytest.raises(InvalidInputError, match=match):
            begin_auction(ITEMS, [bidder], 100)


@pytest.mark.parametrize("poor", ["Ann", "Bob"])
def test_what_cannot_be_paid_is_told_as_not_sold(poor: str) -> None:
    """On a ledger of others an account may hold less than the budget: first and later items."""
    rich = "Bob" if poor == "Ann" else "Ann"
    ledger = Ledger({poor: 5, rich: 100, SELLER: 0})
    items = [Item("Vase", 10, 20), Item("Bowl", 10, 20), Item("Cup", 2, 4)]
    told: list[tuple[str, ...]] = []

    def wants(names: set[str]) -> Callable[[Call], object]:
        def bid(call: Call) -> object:
            told.append(tuple(map(str, call.sold)))
            return call.least if call.item in names and call.made < 1 else None

        return bid

    bidders = [
        CallbackBidder(poor, wants({"Vase", "Cup"})),
        CallbackBidder(rich, wants({"Bowl"})),
    ]
    result = run_auction(items, bidders, 50, ledger=ledger)
    assert [sale.winner for sale in result.sales] == [None, rich, poor]
    assert told[-1] == ("Vase was not sold", f"Bowl to {rich} for 10, worth 20")
    assert (ledger.balance(poor), ledger.balance(rich)) == (3, 90)
    assert result.profits == {poor: 2, rich: 10}
