"""The rules of an ascending auction, stepped by hand and over all draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from json import dumps, loads
from typing import Any

import pytest

from mechanisms.ascending import (
    Auctioned,
    Bonus,
    Call,
    Item,
    Terms,
    Worths,
    ascending_auction,
    common_values,
    private_values,
)
from mechanisms.play import Ask, Run
from theory.ascending import Tie, TieRule
from theory.errors import InvalidInputError

F = Fraction
Answer = Callable[[Ask], object]


def rule(limit: int) -> Answer:
    """Bid the least amount so many times."""

    def answer(ask: Ask) -> object:
        call = ask.view
        return call.least if call.made < limit and call.least <= call.money else None

    return answer


def every_end(
    run: Run[Auctioned], answers: Mapping[str, Answer]
) -> Iterator[tuple[Fraction, Run[Auctioned]]]:
    """Go through all draws: the probability of each end, and the end."""
    waiting = [(F(1), run)]
    while waiting:
        weight, stage = waiting.pop()
        for ask in stage.asks:
            stage = stage.answer(ask, answers[ask.player](ask))
        if stage.draws:
            [draw] = stage.draws
            for value, probability in zip(draw.values, draw.weights, strict=True):
                waiting.append((weight * probability, stage.answer(draw, value)))
        elif stage.over:
            yield weight, stage
        else:
            waiting.append((weight, stage))


def law(
    run: Run[Auctioned], answers: Mapping[str, Answer]
) -> dict[tuple[object, object], Fraction]:
    """Return the law of winner and price of the first item."""
    found: dict[tuple[object, object], Fraction] = {}
    for weight, end in every_end(run, answers):
        assert end.outcome is not None
        first = end.outcome.settled[0]
        found[first.winner, first.price] = found.get((first.winner, first.price), F(0)) + weight
    return found


def stepped(run: Run[Auctioned], *answers: Mapping[str, object]) -> Run[Auctioned]:
    """Answer rounds by name; draws must be answered between."""
    for given in answers:
        for name, answer in given.items():
            run = run.answer(name, answer)
    return run


VASE = Item("Vase", 10, 20)
BOWL = Item("Bowl", 100, 300)


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7])
def test_two_rule_bidders_always_pay_the_same(limit: int) -> None:
    """(1 + 0.2 (K - 1)) s, and whoever leads after the first round wins (arena, section 4.1)."""
    run = ascending_auction([VASE], ["Ann", "Bob"], 1000)
    price = (1 + F(limit - 1, 5)) * 10
    answers = {name: rule(limit) for name in ("Ann", "Bob")}
    assert law(run, answers) == {("Ann", price): F(1, 2), ("Bob", price): F(1, 2)}


def test_three_rule_bidders_pay_one_of_three_prices() -> None:
    """1.4, 1.5 and 1.6 times the start with probabilities 1/8, 5/8, 1/4; each wins a third."""
    names = ["Ann", "Bob", "Cy"]
    found = law(ascending_auction([VASE], names, 1000), {name: rule(4) for name in names})
    prices: dict[object, Fraction] = {}
    winners: dict[object, Fraction] = {}
    for sale, weight in found.items():
        winner, price = sale
        prices[price] = prices.get(price, F(0)) + weight
        winners[winner] = winners.get(winner, F(0)) + weight
    assert prices == {F(14): F(1, 8), F(15): F(5, 8), F(16): F(1, 4)}
    assert winners == dict.fromkeys(names, F(1, 3))


@pytest.mark.parametrize("ties", ["uniform", "poorer", "richer"])
def test_seats_do_not_matter_among_equals(ties: str) -> None:
    """Identical bidders have equal expected profits in every seat, over several items."""
    names = ["Ann", "Bob", "Cy"]
    items = [Item("a", 10, 20), Item("b", 20, 40)]
    run = ascending_auction(items, names, 35, terms=Terms(ties=ties))
    means = [F(0)] * 3
    for weight, end in every_end(run, {name: rule(2) for name in names}):
        assert end.outcome is not None
        means = [m + weight * p for m, p in zip(means, end.outcome.profits, strict=True)]
    assert means[0] == means[1] == means[2] > 0


@pytest.mark.parametrize("count", [2, 3, 4, 5])
@pytest.mark.parametrize("leaves", ["nobody", "first", "last"])
def test_equal_bids_lead_equally_whoever_is_recorded_after_them(count: int, leaves: str) -> None:
    """Fault 1: the authors' program draws again at each entry that it records, withdrawals too."""
    equal = [f"Bidder {k}" for k in range(count)]
    seats = {"nobody": equal, "first": ["Zoe", *equal], "last": [*equal, "Zoe"]}[leaves]
    run = ascending_auction([VASE], seats, 1000)
    found = law(run, {name: rule(0 if name == "Zoe" else 1) for name in seats})
    assert found == {(name, F(10)): F(1, count) for name in equal}


def test_the_authors_ties_favour_a_seat() -> None:
    names = ["Ann", "Bob", "Cy"]
    run = ascending_auction([VASE], names, 1000, terms=Terms(ties="redrawn"))
    found = law(run, {name: rule(1) for name in names})
    assert found == {("Ann", F(10)): F(3, 16), ("Bob", F(10)): F(5, 16), ("Cy", F(10)): F(1, 2)}
    found = law(run, {"Ann": rule(1), "Bob": rule(1), "Cy": rule(0)})
    assert found == {("Ann", F(10)): F(3, 8), ("Bob", F(10)): F(5, 8)}


def test_who_leads_is_not_asked_and_who_withdraws_stays_out_of_the_item_alone() -> None:
    run = ascending_auction([VASE, BOWL], ["Ann", "Bob", "Cy"], 1000)
    run = stepped(run, {"Ann": 10, "Bob": 11, "Cy": None})
    assert [ask.player for ask in run.asks] == ["Ann"]
    run = stepped(run, {"Ann": "12.5"})
    assert [ask.player for ask in run.asks] == ["Bob"]
    call = run.asks[0].view
    assert (call.least, call.standing, call.leader, call.made) == (F(27, 2), F(25, 2), "Ann", 1)
    assert call.history == (
        (("Ann", F(10)), ("Bob", F(11)), ("Cy", None)),
        (("Ann", F(25, 2)),),
    )
    run = stepped(run, {"Bob": "out"})
    assert [ask.player for ask in run.asks] == ["Ann", "Bob", "Cy"]
    call = run.asks[2].view
    assert (call.item, call.round, call.history, call.made) == ("Bowl", 0, (), 0)
    assert [(sale.item, sale.winner, sale.price, sale.value) for sale in call.sold] == [
        ("Vase", "Ann", F(25, 2), F(20))
    ]
    assert [ask.view.money for ask in run.asks] == [F(1975, 2), 1000, 1000]


def test_what_nobody_wants_is_not_sold_or_becomes_cheaper() -> None:
    nobody = {"Ann": None, "Bob": None}
    run = stepped(ascending_auction([VASE], ["Ann", "Bob"], 100), nobody)
    assert run.outcome is not None
    assert (run.outcome.settled[0].winner, run.outcome.profits) == (None, (0, 0))
    terms = Terms(discounts=2)
    begun = ascending_auction([VASE, BOWL], ["Ann", "Bob"], 100, terms=terms)
    run = stepped(begun, nobody, nobody)
    assert [ask.view.least for ask in run.asks] == [F(5, 2)] * 2  # halved twice
    assert run.asks[0].view.round == 2
    run = stepped(run, {"Ann": None, "Bob": 3})
    assert run.asks[0].view.sold[0].price == 3
    run = stepped(begun, nobody, nobody, nobody)
    assert [sale.winner for sale in run.asks[0].view.sold] == [None]
    assert run.asks[1].view.least == 100  # the next item is not cheaper for it


def test_the_reserve_keeps_an_item_and_the_second_price_is_another_s_bid() -> None:
    guarded = Item("Vase", 10, 20, reserve=15)
    run = stepped(ascending_auction([guarded], ["Ann", "Bob"], 100), {"Ann": 14, "Bob": None})
    assert run.outcome is not None
    assert run.outcome.settled[0].winner is None
    assert run.outcome.settled[0].bid == 14
    terms = Terms(pays="second")
    begun = ascending_auction([VASE], ["Ann", "Bob"], 100, terms=terms)
    run = stepped(begun, {"Ann": 19, "Bob": 12}, {"Bob": None})
    assert run.outcome is not None
    assert (run.outcome.settled[0].price, run.outcome.money) == (12, (88, 100))
    run = stepped(begun, {"Ann": 19, "Bob": None})
    assert run.outcome is not None
    assert run.outcome.settled[0].price == 10
    begun = ascending_auction([guarded], ["Ann", "Bob"], 100, terms=terms)
    run = stepped(begun, {"Ann": 19, "Bob": 12}, {"Bob": None})
    assert run.outcome is not None
    assert run.outcome.settled[0].price == 15


@pytest.mark.parametrize(
    ("increment", "of", "least"),
    [("1/10", "start", 13), ("1/10", "standing", "66/5"), (5, "amount", 17)],
)
def test_increments(increment: object, of: str, least: object) -> None:
    terms = Terms(increment=increment, increment_of=of)
    run = ascending_auction([VASE], ["Ann", "Bob"], 100, terms=terms)
    run = stepped(run, {"Ann": 12, "Bob": 11})
    assert run.asks[0].view.least == F(str(least))
    assert run.answer("Bob", F(str(least)) - F(1, 1000)).asks[0].refused
    assert run.answer("Bob", F(str(least))).asks[0].player == "Ann"


def test_jumps_may_be_limited() -> None:
    run = ascending_auction([VASE], ["Ann", "Bob"], 100, terms=Terms(jumps=2))
    assert run.asks[0].answer.choices() == (None, 10, 11, 12)
    for bid in (13, "10.5"):
        assert run.answer("Ann", bid).asks[0].refused
    run = ascending_auction([VASE], ["Ann", "Bob"], 11, terms=Terms(jumps=2))
    assert run.asks[0].answer.choices() == (None, 10, 11)


def test_the_order_may_be_drawn_or_chosen() -> None:
    names, items = ["Ann"], [VASE, BOWL, Item("Cup", 1, 2)]
    run = ascending_auction(items, names, 500, terms=Terms(order="random"))
    orders: dict[tuple[str, ...], Fraction] = {}
    for weight, end in every_end(run, {"Ann": rule(1)}):
        assert end.outcome is not None
        order = tuple(items[each.position].name for each in end.outcome.settled)
        orders[order] = orders.get(order, F(0)) + weight
    assert len(orders) == 6
    assert set(orders.values()) == {F(1, 6)}
    run = ascending_auction(items, names, 500, terms=Terms(order="seller"))
    run = run.answer("the seller", "Bowl").answer("Ann", 100).answer("the seller", "Cup")
    assert [lot.name for lot in run.asks[0].view.coming] == ["Vase"]
    run = run.answer("Ann", None).answer("the seller", "Vase").answer("Ann", 10)
    assert run.outcome is not None
    assert [each.position for each in run.outcome.settled] == [1, 2, 0]
    assert run.outcome.money == (390,)


def test_bids_may_be_hidden_and_values_kept_back() -> None:
    terms = Terms(shows="price", shows_value=False)
    run = ascending_auction([VASE, BOWL], ["Ann", "Bob"], 500, terms=terms)
    run = stepped(run, {"Ann": 10, "Bob": 13})
    call: Call = run.asks[0].view
    assert call.standing == 13
    assert call.leader is None
    assert not call.history
    run = stepped(run, {"Ann": None})
    assert run.asks[0].view.sold[0].value is None


def test_what_items_are_worth_may_be_drawn_private_and_depend_on_bundles() -> None:
    high, low = private_values({"Ann": [30], "Bob": [9]}), private_values({"Ann": [9], "Bob": [9]})
    run = ascending_auction([VASE], ["Ann", "Bob"], 100, [("1/3", high), ("2/3", low)])
    assert [str(weight) for weight in run.draws[0].weights] == ["1/3", "2/3"]
    run = run.answer(run.draws[0], high)
    assert [ask.view.estimate for ask in run.asks] == [30, 9]
    run = stepped(run, {"Ann": 12, "Bob": None})
    assert run.outcome is not None
    assert run.outcome.profits == (18, 0)
    both = common_values([VASE, BOWL], ["Ann"], bonuses=[Bonus((0, 1), 50)])
    run = stepped(ascending_auction([VASE, BOWL], ["Ann"], 500, both), {"Ann": 10}, {"Ann": 100})
    assert run.outcome is not None
    assert run.outcome.profits == (10 + 200 + 50,)
    run = stepped(ascending_auction([VASE, BOWL], ["Ann"], 500, both), {"Ann": 10}, {"Ann": None})
    assert run.outcome is not None
    assert run.outcome.profits == (10,)


def test_a_run_is_written_and_read_at_every_step() -> None:
    names = ["Ann", "Bob"]
    worths = private_values({"Ann": [30, 100], "Bob": [31, 150]})
    modules = {"Ann": ("plan", "replan", "beliefs")}
    begun = ascending_auction([VASE, BOWL], names, 100, worths, modules=modules).seeded(4)
    plan = {"priorities": {"Vase": 1, "Bowl": 3}}
    again = {"priorities": {"Bowl": 2}}
    beliefs = {"money": 100}
    answers = [plan, 10, 10, *[None] * 1, beliefs, again, *[None] * 2, beliefs]
    run = begun
    for answer in answers:
        ask = run.ask()
        assert ask is not None
        run = run.answer(ask, answer)
        assert ascending_auction.read(loads(dumps(run.to_json()))) == run
    assert run.over


def test_worths_must_fit() -> None:
    from theory.errors import InvalidInputError

    worths = Worths(((F(1),),), ((F(1),),))
    with pytest.raises(InvalidInputError, match="do not fit"):
        ascending_auction([VASE, BOWL], ["Ann"], 10, worths)
    with pytest.raises(InvalidInputError, match="positions from 0 to 0"):
        ascending_auction([VASE], ["Ann"], 10, common_values([VASE], ["Ann"], 0, [Bonus((1,), 2)]))


def play_under(terms: Terms) -> None:
    """Go through all draws of a sale of two items."""
    items = [Item("Vase", 10, 20), Item("Bowl", 20, 40)]
    run = ascending_auction(items, ["Ann", "Bob"], 50, terms=terms)
    list(every_end(run, {"Ann": rule(2), "Bob": rule(1)}))


@pytest.mark.parametrize(
    ("step", "match"),
    [
        (lambda start: 1 / 0, r"^terms raises ZeroDivisionError"),
        (lambda start: "1", r"^step of terms is no positive fraction .*'1'"),
        (lambda start: 1, r"^step of terms is no positive fraction"),
        (lambda start: F(0), r"^step of terms is no positive fraction"),
        (lambda start: F(1) if start == 10 else F(-1), r"^step of terms is no positive .*'-1'"),
        (lambda start: F(1) if start == 10 else None, r"^step of terms is no positive fraction"),
    ],
)
@pytest.mark.parametrize("increment_of", ["start", "standing"])
def test_terms_of_ones_own_are_named_where_they_fail(
    step: Callable[[Fraction], Any], increment_of: str, match: str
) -> None:
    """At the first item, and at a later one."""

    class Mine(Terms):
        def step(self, start: Fraction, standing: Fraction | None) -> Any:
            return step(start)

    with pytest.raises(InvalidInputError, match=match):
        play_under(Mine(increment_of=increment_of))


@pytest.mark.parametrize(
    ("law", "match"),
    [
        (lambda tie: 1 / 0, r"^ties=mine raises ZeroDivisionError"),
        (lambda tie: [0.5, 0.5], r"^ties=mine is a float"),
        (lambda tie: [1], r"^ties=mine is no law over the tied"),
        (lambda tie: [1, 0] if tie.budgets == (50, 50) else 1, r"^ties=mine raises TypeError"),
    ],
)
def test_a_tie_rule_of_ones_own_is_named_where_it_fails(
    law: Callable[[Tie], Any], match: str
) -> None:
    """At the first item, and at a later one, when one bidder has paid."""
    with pytest.raises(InvalidInputError, match=match):
        play_under(Terms(ties=TieRule("mine", law)))


def test_a_tie_rule_sees_who_was_asked_who_bid_and_what_all_have_left() -> None:
    """At the first item, and at the second, when the last bidder of the tie has paid."""
    seen: list[Tie] = []

    def last(tie: Tie) -> list[int]:
        seen.append(tie)
        return [int(seat == tie.tied[-1]) for seat in tie.tied]

    items = [Item("Vase", 10, 20), Item("Bowl", 20, 40)]
    money = {"Ann": 40, "Bob": 70, "Cy": 60}
    run = ascending_auction(
        items, ["Ann", "Bob", "Cy"], money, terms=Terms(ties=TieRule("mine", last))
    )
    asked = {"Ann": rule(1), "Bob": rule(0), "Cy": rule(1)}
    [(_, end)] = every_end(run, asked)
    assert [each.winner for each in end.outcome.settled] == ["Cy", "Cy"]
    assert [tie.entries for tie in seen] == [((0, True), (1, False), (2, True))] * 2
    assert [list(map(int, tie.budgets)) for tie in seen] == [[40, 70, 60], [40, 70, 50]]
    assert [tie.tied for tie in seen] == [(0, 2)] * 2


def test_a_tie_rule_that_reads_no_budgets_sees_who_bid_less_or_withdrew() -> None:
    """Ann and Cy tie twice; Bob bids less on the first item, and withdraws from the second."""
    seen: list[Tie] = []

    def last(tie: Tie) -> list[int]:
        seen.append(tie)
        return [0, 1]

    items, names = [Item("Vase", 10, 20), Item("Bowl", 20, 40)], ["Ann", "Bob", "Cy"]
    terms = Terms(ties=TieRule("mine", last, reads="nothing"))
    run = ascending_auction(items, names, 100, terms=terms).seeded(1)
    for high, low in ((12, 11), (24, "withdraw")):
        run = run.answer("Ann", high).answer("Bob", low).answer("Cy", high)
        run = run.answer("Ann", "withdraw")
        if low == 11:
            run = run.answer("Bob", "withdraw")
    assert [each.winner for each in run.outcome.settled] == ["Cy", "Cy"]
    assert [tie.entries for tie in seen] == [
        ((0, True), (1, bob), (2, True)) for bob in (True, False)
    ]


def test_no_share_of_a_price_is_rounded() -> None:
    """Fault 6: the authors' program has 112 for 100 and 13%, and 28 for 29% of 100."""
    for value in range(1, 102):
        items = [Item("Vase", value, value)]
        for percent in range(1, 101):
            share = F(percent, 100)
            [[estimate]] = common_values(items, ["Ann"], over=share).estimates
            assert 100 * estimate == value * (100 + percent)
            assert 100 * Terms(increment=share).step(F(value), None) == value * percent
