"""What holds of the first item, round and seat of an auction holds of later ones."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
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
from mechanisms.ledger import Ledger
from mechanisms.play import Draw, Run
from theory.errors import InvalidInputError, LimitError, NumberError, UnknownNameError

F = Fraction
NAMES = ["Ann", "Bob", "Cy", "Dee"]
VASE, BOWL, CUP = Item("Vase", 10, 20), Item("Bowl", 20, 40), Item("Cup", 30, 70)


def stepped(run: Run[Auctioned], *rounds: Mapping[str, object]) -> Run[Auctioned]:
    """Answer rounds by name; a round names all who are asked."""
    for given in rounds:
        assert [ask.player for ask in run.asks] == list(given)
        for name, answer in given.items():
            run = run.answer(name, answer)
    return run


def taken(run: Run[Auctioned], winner: str, price: object) -> Run[Auctioned]:
    """Let one bidder take the item that is on sale, at once."""
    asked = [ask.player for ask in run.asks]
    return stepped(run, {name: price if name == winner else None for name in asked})


def outcome(run: Run[Auctioned]) -> Any:
    assert run.outcome is not None
    return run.outcome


def worths_of(estimates: Any, values: Any) -> Worths:
    def rows(given: Any) -> tuple[tuple[Fraction, ...], ...]:
        return tuple(tuple(map(F, row)) for row in given)

    return Worths(rows(estimates), rows(values))


def after(sold: int, run: Run[Auctioned]) -> Run[Auctioned]:
    """Sell so many items to Ann at their starting prices."""
    for _ in range(sold):
        run = taken(run, "Ann", run.asks[0].view.least)
    return run


@pytest.mark.parametrize("sold", [0, 1, 2])
def test_leaders_and_who_withdrew_in_any_round_are_not_asked(sold: int) -> None:
    items = [Item(f"item {n}", 10, 20) for n in range(3)]
    run = after(sold, ascending_auction(items, NAMES, 1000))
    run = stepped(run, {"Ann": 10, "Bob": 10, "Cy": 12, "Dee": 11})
    run = stepped(run, {"Ann": None, "Bob": 13, "Dee": 14})
    run = stepped(run, {"Bob": 15, "Cy": None})
    run = stepped(run, {"Dee": 16})
    run = stepped(run, {"Bob": None})
    if sold < 2:
        assert [ask.player for ask in run.asks] == NAMES
        sale = run.asks[0].view.sold[-1]
    else:
        sale = outcome(run).settled[-1]
    assert (sale.winner, sale.price) == ("Dee", 16)


@pytest.mark.parametrize("sold", [0, 1])
def test_only_the_highest_bids_of_a_later_round_are_tied(sold: int) -> None:
    items = [Item(f"item {n}", 10, 20) for n in range(2)]
    run = after(sold, ascending_auction(items, NAMES, 1000))
    run = stepped(run, {"Ann": 20, "Bob": 10, "Cy": 10, "Dee": 10})
    run = stepped(run, {"Bob": 25, "Cy": 25, "Dee": 24})
    [draw] = run.draws
    assert dict(zip(draw.values, draw.weights, strict=True)) == {"Bob": F(1, 2), "Cy": F(1, 2)}


def leaders(run: Run[Auctioned]) -> dict[object, Fraction]:
    [draw] = run.draws
    return dict(zip(draw.values, draw.weights, strict=True))


@pytest.mark.parametrize(
    ("ties", "first", "then"), [("richer", "Bob", "Cy"), ("poorer", "Ann", "Ann")]
)
def test_ties_by_money_look_at_what_is_left_now(ties: str, first: str, then: str) -> None:
    """Among the tied alone, and anew for each item."""
    items = [Item(f"item {n}", 10, 20) for n in range(3)]
    budgets = {"Ann": 50, "Bob": 60, "Cy": 55, "Dee": 70}
    run = ascending_auction(items, NAMES, budgets, terms=Terms(ties=ties))
    tied: dict[str, object] = {"Ann": 10, "Bob": 10, "Cy": 10, "Dee": None}
    run = stepped(run, tied)
    assert leaders(run) == {first: 1}
    run = run.answer(run.draws[0], first)
    run = stepped(run, {name: None for name in NAMES[:3] if name != first})
    assert leaders(stepped(run, tied)) == {then: 1}


def test_redrawn_ties_depend_on_who_bid_in_that_round() -> None:
    items = [Item(f"item {n}", 10, 20) for n in range(3)]
    run = ascending_auction(items, ["Ann", "Bob", "Cy"], 1000, terms=Terms(ties="redrawn"))
    three: dict[str, object] = {"Ann": 10, "Bob": 10, "Cy": None}
    lower: dict[str, object] = {"Ann": 11, "Bob": 11, "Cy": 10}
    expected: list[dict[str, Fraction]] = []
    for given in (three, lower, three):
        run = stepped(run, given)
        expected.append({str(name): weight for name, weight in leaders(run).items()})
        run = run.answer(run.draws[0], "Ann")
        run = stepped(run, {name: None for name in ("Bob", "Cy") if given[name] is not None})
    assert expected[0] == expected[2] == {"Ann": F(3, 8), "Bob": F(5, 8)}
    run = ascending_auction(items, ["Ann", "Bob", "Cy"], 1000, terms=Terms(ties="redrawn"))
    run = stepped(run, three)
    run = stepped(run.answer(run.draws[0], "Ann"), {"Bob": None})
    run = stepped(run, {"Ann": 10, "Bob": 10, "Cy": 20}, {"Ann": 30, "Bob": 30})
    assert leaders(run) == {"Ann": F(1, 2), "Bob": F(1, 2)}


@pytest.mark.parametrize("sold", [0, 1, 2])
@pytest.mark.parametrize("winner", NAMES)
def test_every_winner_pays_for_every_item(sold: int, winner: str) -> None:
    run = after(sold, ascending_auction([VASE, BOWL, CUP, Item("Jug", 1, 5)], NAMES, 1000))
    spent = dict.fromkeys(NAMES, 0) | {"Ann": [0, 10, 30][sold]}
    spent[winner] += 45
    run = taken(run, winner, 45)
    assert [ask.view.money for ask in run.asks] == [1000 - spent[name] for name in NAMES]
    legal: list[Any] = [ask.answer for ask in run.asks]
    assert [bid.most for bid in legal] == [1000 - spent[name] for name in NAMES]


@pytest.mark.parametrize("sold", [0, 1])
def test_the_second_price_is_the_best_of_another_on_this_item(sold: int) -> None:
    items = [Item(f"item {n}", 10, 90) for n in range(2)]
    run = ascending_auction(items, NAMES[:3], 1000, terms=Terms(pays="second"))
    if sold:  # with high bids, which say nothing of the next item
        run = stepped(run, {"Ann": 70, "Bob": 60, "Cy": 50}, {"Bob": None, "Cy": None})
        assert run.asks[0].view.sold[0].price == 60
    run = stepped(run, {"Ann": 12, "Bob": 11, "Cy": 10}, {"Bob": 14, "Cy": 20})
    run = stepped(run, {"Ann": None, "Bob": 33}, {"Cy": 40}, {"Bob": None})
    last = run.asks[0].view.sold[-1] if not sold else outcome(run).settled[-1]
    assert (last.winner, last.price) == ("Cy", 33)


@pytest.mark.parametrize("pays", ["own", "second"])
@pytest.mark.parametrize("sold", [0, 1])
@pytest.mark.parametrize(("bid", "enough"), [(29, False), (30, True), (31, True)])
def test_a_reserve_is_met_by_a_bid_of_as_much(pays: str, sold: int, bid: int, enough: bool) -> None:
    items = [Item(f"item {n}", 10, 90, reserve=30) for n in range(2)]
    run = ascending_auction(items, ["Ann", "Bob"], 1000, terms=Terms(pays=pays))
    if sold:
        run = taken(run, "Ann", 30)
    end = outcome(stepped(taken(run, "Bob", bid), *[{"Ann": None, "Bob": None}] * (1 - sold)))
    price = (bid if pays == "own" else 30) if enough else None
    assert (end.settled[sold].price, end.settled[sold].bid) == (price, bid)
    assert end.money[1] == 1000 - (price or 0)


def test_starting_prices_are_cut_again_and_again_by_the_discount() -> None:
    nobody: dict[str, object] = {"Ann": None, "Bob": None}
    terms = Terms(discounts=2, discount="1/5", pays="second")
    run = ascending_auction([Item("Vase", 100, 200), BOWL], ["Ann", "Bob"], 1000, terms=terms)
    starts, steps = [], []
    for given in (nobody, nobody, {"Ann": 6, "Bob": None}):
        call = run.asks[0].view
        assert call.least == call.start
        starts.append(call.start)
        steps.append(call.step)
        run = stepped(run, given)
    assert starts == [100, 20, 4]
    assert steps == [10, 2, F(2, 5)]
    assert run.asks[0].view.sold[0].price == 4  # the start at which it was sold
    run = taken(run, "Bob", 20)
    assert [(each.start, each.winner) for each in outcome(run).settled] == [(4, "Ann"), (20, "Bob")]


def test_rounds_count_on_and_bids_count_anew_through_discounts() -> None:
    terms = Terms(discounts=1)
    run = ascending_auction([VASE], ["Ann", "Bob"], 1000, terms=terms)
    run = stepped(run.answer("Ann", "?").answer("Ann", "?").answer("Ann", "?"), {"Bob": None})
    run = stepped(run, {"Ann": 5, "Bob": 6})  # a failed bid is no reason not to be asked
    [ask] = run.asks
    assert (ask.view.round, ask.view.made) == (2, 1)
    assert ask.view.history == ((("Ann", 5), ("Bob", 6)),)


@pytest.mark.parametrize(("of", "least"), [("start", [11, 31, 41]), ("standing", [11, 33, 44])])
def test_increments_of_every_round(of: str, least: list[int]) -> None:
    run = ascending_auction(
        [VASE], ["Ann", "Bob"], 1000, terms=Terms(increment_of=of, ties="first")
    )
    found = []
    run = stepped(run, {"Ann": 10, "Bob": 10}).answer(Draw(("Ann",), (F(1),), "leader"), "Ann")
    for name, bid in (("Bob", 30), ("Ann", 40), ("Bob", 50)):
        [ask] = run.asks
        assert ask.player == name
        found.append(ask.view.least)
        run = stepped(run, {name: bid})
    assert found == least


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_jumps_are_limited_in_every_round(rounds: int) -> None:
    run = ascending_auction([VASE], ["Ann", "Bob"], 1000, terms=Terms(jumps=2))
    run = stepped(run, {"Ann": 10, "Bob": 11})
    for k in range(rounds):
        run = stepped(run, {NAMES[k % 2]: 12 + k})
    [ask] = run.asks
    assert run.answer(ask, ask.view.least + 3).asks[0].refused
    assert not run.answer(ask, ask.view.least + 2).asks[0].refused


@pytest.mark.parametrize("attempts", [1, 3])
def test_every_question_has_the_same_attempts(attempts: int) -> None:
    """Bids, plans, what is recounted, and the choice of the seller."""
    terms = Terms(order="seller", attempts=attempts)
    modules = {"Ann": ("plan", "beliefs")}
    run = ascending_auction([VASE, BOWL], ["Ann"], 50, terms=terms, modules=modules)
    roles: dict[str, int] = {}
    while (ask := run.ask()) is not None:
        roles[ask.role] = roles.get(ask.role, 0) + 1
        good = ask.role == "choose" and roles["choose"] in (attempts, attempts + 1)
        run = run.answer(ask, "Vase" if good and roles["choose"] == attempts else "?")
    assert roles == {
        "plan": attempts,
        "choose": 2 * attempts,
        "bid": attempts,
        "recount": attempts,
    }
    assert run.ended_by is not None


@pytest.mark.parametrize("shows", ["bids", "price"])
@pytest.mark.parametrize("sold", [0, 1])
def test_what_is_hidden_is_hidden_of_every_item(shows: str, sold: int) -> None:
    terms = Terms(shows=shows, shows_value=False)
    run = after(sold, ascending_auction([VASE, BOWL, CUP], ["Ann", "Bob"], 1000, terms=terms))
    run = stepped(run, {"Ann": 50, "Bob": 40})
    call: Call = run.asks[0].view
    seen = ("Ann", 1) if shows == "bids" else (None, 0)
    assert (call.leader, len(call.history), call.standing) == (*seen, 50)
    run = stepped(run, {"Bob": None})
    assert [sale.value for sale in run.asks[0].view.sold] == [None] * (sold + 1)


def test_each_seat_has_its_own_estimates_and_values_in_every_order() -> None:
    worths = worths_of([[11, 12, 13], [21, 22, 23]], [[1, 2, 3], [4, 5, 6]])
    run = ascending_auction(
        [VASE, BOWL, CUP],
        ["Ann", "Bob"],
        1000,
        worths,
        Terms(order="seller"),
        modules={"Bob": ["plan"]},
    )
    [plan] = run.asks
    assert [lot.estimate for lot in plan.view.coming] == [21, 22, 23]
    run = run.answer(plan, {"priorities": {"Vase": 1, "Bowl": 2, "Cup": 3}})
    run = run.answer("the seller", "Cup")
    assert [ask.view.estimate for ask in run.asks] == [13, 23]
    assert [[lot.estimate for lot in ask.view.coming] for ask in run.asks] == [[11, 12], [21, 22]]
    run = taken(run, "Bob", 30)
    [choice] = run.asks
    assert [(sale.item, sale.value) for sale in choice.view] == [("Cup", 6)]
    assert run.answer("the seller", "Cup").asks[0].refused
    run = taken(run.answer("the seller", "Vase"), "Ann", 10)
    run = taken(run.answer("the seller", "Bowl"), "Bob", 20)
    assert outcome(run).profits == (1 - 10, 6 + 5 - 30 - 20)


def test_bonuses_are_for_who_holds_all_items_in_the_order_of_the_list() -> None:
    bonuses = [Bonus((0, 2), 100, "Bob"), Bonus((0, 1), -3), Bonus((1,), 1000, "Ann")]
    worths = common_values([VASE, BOWL, CUP], ["Ann", "Bob"], bonuses=bonuses)
    found = []
    for winners in (
        ("Bob", "Bob", "Bob"),
        ("Bob", "Ann", "Bob"),
        ("Ann", "Bob", "Ann"),
        ("Bob", "Bob", "Ann"),
    ):
        run = ascending_auction(
            [VASE, BOWL, CUP], ["Ann", "Bob"], 1000, worths, Terms(order="seller")
        )
        for name, winner in zip(("Cup", "Vase", "Bowl"), winners, strict=True):
            run = run.answer("the seller", name) if len(run.asks) == 1 else run
            run = taken(run, winner, run.asks[0].view.least)
        found.append(outcome(run).profits)
    assert found == [(0, 40 + 10 + 20 + 100 - 3), (10, 60), (40 + 20 + 1000, 10), (1020, 150)]


def test_a_second_price_is_what_profits_and_the_money_are_reduced_by() -> None:
    run = ascending_auction([VASE, CUP], ["Ann", "Bob"], 1000, terms=Terms(pays="second"))
    run = stepped(run, {"Ann": 19, "Bob": 12}, {"Bob": None})
    run = stepped(run, {"Ann": 35, "Bob": 60}, {"Ann": None})
    assert outcome(run).profits == (20 - 12, 70 - 35)
    assert outcome(run).money == (1000 - 12, 1000 - 35)


@pytest.mark.parametrize("sold", [0, 1])
def test_what_cannot_be_paid_is_not_sold(sold: int) -> None:
    """On a ledger that holds less than the budget; the money of the auction is not touched."""
    book = Ledger({"Ann": 10 * sold + 4, "Bob": 100, "the seller": 0})
    items = [Item(f"item {n}", 10, 20) for n in range(sold + 1)]
    run = after(sold, ascending_auction.on_ledger(book)(items, ["Ann", "Bob"], 50))
    run = taken(run, "Ann", 15)
    end = outcome(run)
    assert (end.settled[sold].winner, end.settled[sold].price) == (None, None)
    assert end.settled[sold].bid == 15
    assert end.money == (50 - 10 * sold, 50)
    assert [entry.memo for entry in run.ledger.entries] == ["item 1: item 0"][:sold]


def test_payments_say_for_which_item_they_are() -> None:
    run = after(3, ascending_auction([VASE, BOWL, CUP], NAMES, 1000))
    memos = [entry.memo for entry in run.ledger.entries]
    assert memos == ["item 1: Vase", "item 2: Bowl", "item 3: Cup"]


def test_worths_are_drawn_and_any_of_them_may_be() -> None:
    laws = [common_values([Item("Vase", 10, value)], ["Ann"]) for value in (11, 12, 13)]
    run = ascending_auction(
        [VASE], ["Ann"], 100, list(zip(["1/2", "1/4", "1/4"], laws, strict=True))
    )
    found = [taken(run.answer(run.draws[0], law), "Ann", 10) for law in laws]
    assert [outcome(end).profits for end in found] == [(1,), (2,), (3,)]


def test_plans_are_asked_of_those_who_make_them_over_what_is_left() -> None:
    modules = {"Ann": ("plan",), "Bob": ("replan",), "Cy": ("plan", "replan")}
    terms = Terms(order="random")
    run = ascending_auction([VASE, BOWL, CUP], NAMES, 1000, terms=terms, modules=modules)
    for position in (2, 0, 1):
        [draw] = run.draws
        assert (draw.name, len(set(draw.weights))) == ("next item", 1)
        run = run.answer(draw, position)
    told = []
    while run.asks:
        ask = run.asks[0]
        if ask.role == "plan":
            names = [lot.name for lot in ask.view.coming]
            sold = [sale.item for sale in ask.view.sold]
            told.append((ask.player, names, sold, ask.view.money))
            assert str(ask.view).count("Sold:") == len(sold)
            run = run.answer(ask, {"priorities": dict.fromkeys(names, 1)})
        else:
            if ask.player == "Ann":
                coming = [lot.name for lot in ask.view.coming]
                assert coming == ["Cup", "Vase", "Bowl"][len(ask.view.sold) + 1 :]
            run = taken(run, "Bob", ask.view.least)
    names = ["Cup", "Vase", "Bowl"]
    assert told == [
        ("Ann", names, [], 1000),
        ("Cy", names, [], 1000),
        ("Bob", names[1:], names[:1], 970),
        ("Cy", names[1:], names[:1], 1000),
        ("Bob", names[2:], names[:2], 960),
        ("Cy", names[2:], names[:2], 1000),
    ]


@pytest.mark.parametrize("corrections", [0, 1, 2])
@pytest.mark.parametrize("sold", [0, 1])
def test_beliefs_are_corrected_so_often_and_no_more(corrections: int, sold: int) -> None:
    """Each is told what it is wrong in, the others are not asked again."""
    modules = {"Ann": ["beliefs"], "Cy": ["beliefs"]}
    terms = Terms(pays="second", order="seller")
    run = ascending_auction(
        [VASE, BOWL],
        ["Ann", "Bob", "Cy"],
        100,
        terms=terms,
        modules=modules,
        corrections=corrections,
    )
    won: dict[str, object] = {}
    truth = {"profits": {"Ann": 0, "Bob": 0, "Cy": 0}, "won": won}
    right = {"Ann": 100, "Cy": 100}
    for k, name in enumerate(["Bowl", "Vase"][: sold + 1]):
        if k == 0:
            run = run.answer("the seller", name)
        run = stepped(run, {"Ann": 31, "Bob": None, "Cy": 35}, {"Ann": None})
        right["Cy"] -= 31
        truth["profits"]["Cy"] += {"Bowl": 40, "Vase": 20}[name] - 31  # type: ignore[index]
        won.setdefault("Cy", {})[name] = 31  # type: ignore[index]
        if k < sold:
            run = stepped(run, {n: truth | {"money": right[n]} for n in ("Ann", "Cy")})
            run = run.answer("the seller", "Vase") if run.asks[0].role == "choose" else run
    assert [ask.view.number for ask in run.asks] == [sold + 1] * 2
    run = stepped(run, {"Ann": truth | {"money": 100}, "Cy": truth | {"money": 100}})
    for _ in range(corrections):
        [ask] = run.asks
        assert (ask.player, ask.role) == ("Cy", "recount")
        assert ask.view.wrong == (f"You have {right['Cy']} left, not 100.",)
        assert ask.view.sale.item == ["Bowl", "Vase"][sold]
        run = stepped(run, {"Cy": truth | {"money": 100}})
    assert not any(ask.role == "recount" for ask in run.asks)


@pytest.mark.parametrize(
    ("changed", "error", "match"),
    [
        ({"bidders": ["Ann", "Bob", "Ann"]}, InvalidInputError, "one name twice"),
        ({"bidders": ["Ann", "the seller"]}, InvalidInputError, "cannot be the name"),
        ({"bidders": ["Ann", " "]}, InvalidInputError, "cannot be the name"),
        ({"bidders": []}, InvalidInputError, "are none"),
        ({"budgets": {"Ann": 1, "Bob": 2, "Zed": 3}}, UnknownNameError, "Zed"),
        ({"budgets": {"Ann": 1}}, InvalidInputError, "have none for Bob"),
        ({"budgets": {"Ann": 1, "Bob": -1}}, InvalidInputError, "is negative"),
        ({"corrections": 101}, LimitError, "above 100"),
        ({"modules": {"Ann": ["plan"], "Bob": ["think"]}}, UnknownNameError, "think"),
        ({"modules": {"Zed": ["plan"]}}, UnknownNameError, "Zed"),
        ({"worths": []}, InvalidInputError, "do not sum to one"),
        ({"worths": [(1.0, private_values({"Ann": [1], "Bob": [1]}))]}, NumberError, "float"),
        ({"worths": private_values({"Ann": [1], "Bob": [1, 2]})}, InvalidInputError, "do not fit"),
        ({"worths": worths_of([[1], [1]], [[1], [1, 2]])}, InvalidInputError, "do not fit"),
    ],
)
def test_arguments_without_an_auction_are_refused(
    changed: dict[str, Any], error: type[Exception], match: str
) -> None:
    given: dict[str, Any] = {"items": [VASE], "bidders": ["Ann", "Bob"], "budgets": 10}
    ascending_auction(**given, corrections=100)
    with pytest.raises(error, match=match):
        ascending_auction(**{**given, **changed})


@pytest.mark.parametrize("positions", [(-1,), (1,), (0, 1), (True,)])
def test_bonuses_name_items_and_bidders_that_there_are(positions: tuple[int, ...]) -> None:
    worths = common_values([VASE], ["Ann"], bonuses=[Bonus((0,), 5), Bonus(positions, 5)])
    with pytest.raises(InvalidInputError, match="positions from 0 to 0"):
        ascending_auction([VASE], ["Ann"], 10, worths)
    worths = common_values([VASE], ["Ann"], bonuses=[Bonus((0,), 5, "Ann"), Bonus((0,), 5, "Zed")])
    with pytest.raises(UnknownNameError, match="Zed"):
        ascending_auction([VASE], ["Ann"], 10, worths)
    with pytest.raises(InvalidInputError, match="are none"):
        Bonus((), 5)


@pytest.mark.parametrize(
    ("terms", "error"),
    [
        ({"attempts": 0}, InvalidInputError),
        ({"attempts": 101}, LimitError),
        ({"discounts": -1}, InvalidInputError),
        ({"discounts": 101}, LimitError),
        ({"discount": 0}, InvalidInputError),
        ({"discount": 1}, InvalidInputError),
        ({"increment": 0}, InvalidInputError),
        ({"jumps": -1}, InvalidInputError),
    ],
)
def test_terms_have_limits(terms: dict[str, Any], error: type[Exception]) -> None:
    Terms(attempts=100, discounts=100, discount="99/100", jumps=0, increment="1/1000")
    with pytest.raises(error):
        Terms(**terms)


def test_an_increment_may_be_an_amount() -> None:
    terms = Terms(increment=3, increment_of="amount")
    run = ascending_auction([VASE, Item("House", 1000, 2000)], ["Ann", "Bob"], 5000, terms=terms)
    for start in (10, 1000):
        run = stepped(run, {"Ann": start, "Bob": start + 5})
        assert run.asks[0].view.least == start + 8
        run = stepped(run, {"Ann": None})
