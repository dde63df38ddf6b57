"""The rules of inspection, stepped: what they ask, refuse and pay; the game that they are."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from json import dumps
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspection_cases import HALF, HINT, XOR, instances, problem
from reference.inspection import Instance
from sweeps import examples

from mechanisms.inspection import ToInspect, inspection, inspection_record, sellers_in
from mechanisms.ledger import Ledger
from mechanisms.play import (
    Ask,
    IllegalAnswerError,
    Quantity,
    Run,
    Steps,
    best_response,
    play,
    rules,
    unfold,
)
from mechanisms.protocols import Offer
from theory.errors import InvalidInputError
from theory.games import Game, optimum
from theory.inspection import InspectionProblem, best_admissible, inspection_game

# --- the game that is played


def started(goods: InspectionProblem, state: Any) -> Run[Any]:
    """The rules for a problem in a state, with a buyer that can pay everything."""
    sellers = [seller.name for seller in sellers_in(goods, state)]
    return inspection(
        "which?",
        "agent",
        sellers,
        dict.fromkeys(["agent", *sellers], 0),
        depth=goods.depth,
        floors={"agent": None},
        actions=goods.decision.actions,
    )


def sellers_of(goods: InspectionProblem, state: Any) -> dict[str, Any]:
    sellers = sellers_in(goods, state)
    return {seller.name: lambda ask, s=seller: s.offers(ask.view) for seller in sellers}


def law(goods: InspectionProblem) -> dict[Any, Fraction]:
    space = goods.decision.space
    return dict(zip(space.states, space.probabilities.scalars(), strict=True))


def earned(goods: InspectionProblem) -> Any:
    rows = goods.decision.utilities.scalars()
    places = {state: k for k, state in enumerate(goods.decision.space.states)}

    def utilities(outcome: Any, state: Any) -> dict[str, Fraction]:
        row = rows[goods.decision.actions.index(outcome.decision)]
        return {"agent": row[places[state]] - outcome.spending}

    return utilities


def played(goods: InspectionProblem) -> Game:
    """The game of the rules that are played, the sellers' goods being a matter of the state."""
    return unfold(
        lambda state: started(goods, state),
        earned(goods),
        types=law(goods),
        fixed=lambda state: sellers_of(goods, state),
    )


def shape(game: Game) -> list[Any]:
    """A game but for the names in it."""
    return [
        (node.parent, node.children, node.probabilities, node.infoset, game.totals[v])
        for v, node in enumerate(game.nodes)
    ]


def agree(goods: InspectionProblem) -> None:
    ours, theirs = played(goods), inspection_game(goods)
    assert shape(ours) == shape(theirs)
    assert optimum(ours).value == optimum(theirs).value


@settings(max_examples=examples(40))
@given(instance=instances())
def test_the_game_of_the_rules_is_that_of_the_theory(instance: Any) -> None:
    goods = problem(instance)
    if all(goods.levels):  # the run ends before a level on which nothing is offered
        agree(goods)


@pytest.mark.slow
@settings(max_examples=500)
@given(instance=instances())
def test_the_game_of_the_rules_is_that_of_the_theory_500_times(instance: Any) -> None:
    goods = problem(instance)
    if all(goods.levels):
        agree(goods)


@pytest.mark.parametrize("instance", [HINT, XOR])
def test_the_best_protocols_are_those_of_the_game_that_is_played(instance: Any) -> None:
    goods = problem(instance)
    assert optimum(played(goods)).value == best_admissible(goods).value


TWO = Instance(XOR.p, XOR.utilities, [[("yynn", HALF)], [("ynyn", 0)]])
"""A good on each of two levels, which say different things of the state."""


@rules
def leaky(state: Any, at: str) -> Steps[Any]:
    """Inspection in which the seat ``at`` is shown all that was on offer on higher levels, too."""
    inner = started(problem(TWO), state)
    positional, named = inner.arguments
    steps = inspection.steps(*positional, **named)
    request, seen = next(steps), ()
    while True:
        if isinstance(request, Ask) and request.role != "offer":
            if request.seat == at:
                request = replace(request, view=(request.view, seen))
            elif isinstance(request.view, ToInspect):
                seen = request.view.offers
        try:
            request = steps.send((yield request))
        except StopIteration as stop:
            return stop.value


@pytest.mark.parametrize(
    ("at", "same"), [("", True), ("agent on level 1", False), ("agent", False)]
)
def test_a_seat_that_saw_more_plays_another_game(at: str, same: bool) -> None:
    goods = problem(TWO)
    game = unfold(
        lambda state: leaky(state, at),
        earned(goods),
        types=law(goods),
        fixed=lambda state: sellers_of(goods, state),
    )
    assert (shape(game) == shape(inspection_game(goods))) is (at == "")


# --- stepped


def run_of_two() -> Run[Any]:
    """Two sellers on two levels, offers made: the cook chooses on level 2."""
    money = {"cook": 5, "farm": 0, "mill": 0}
    run = inspection("What to eat?", "cook", ["farm", "mill"], money, depth=2, attempts=2)
    run = run.answer("farm", [Offer("note", "legumes are toxic raw", 2)])
    run = run.answer("mill", [{"name": "leaflet", "content": "rice", "price": "1.5"}])
    run = run.answer("farm", [])
    return run.answer("mill", [Offer("guide", "the note is true", 3)])


def test_each_seat_is_told_what_it_may_know() -> None:
    run = run_of_two()
    [ask] = run.asks
    assert ask.seat == "cook on level 2"
    assert str(ask.view) == (
        "What to eat?\non level 1:\n  note of farm for 2: legumes are toxic raw\n"
        "  leaflet of mill for 3/2: rice\non level 2:\n  guide of mill for 3: the note is true\n"
        "what to buy on level 2, for at most 5?"
    )
    run = run.answer(ask, "guide")
    [ask] = run.asks
    assert (ask.seat, ask.view.budget) == ("cook on level 1", 2)
    assert [each.name for each in ask.view.bought] == ["guide"]
    assert ask.answer.choices() == ((), ("note",), ("leaflet",))
    run = run.answer(ask, ["leaflet"])
    [ask] = run.asks
    assert (ask.player, ask.seat) == ("cook", "cook")
    assert [each.name for each in ask.view.bought] == ["guide", "leaflet"]
    assert "toxic" not in str(ask.view)
    over = run.answer(ask, "rice")
    assert over.outcome.decision == "rice"
    assert over.outcome.spending == Fraction(9, 2)
    assert over.ledger.balance("mill") == Fraction(9, 2)
    assert inspection.read(dumps(over.to_json())).outcome == over.outcome


def test_sellers_are_told_names_and_prices_and_no_contents() -> None:
    money = {"cook": 5, "farm": 0, "mill": 0}
    run = inspection("?", "cook", ["farm", "mill"], money, depth=2)
    run = run.answer("farm", [Offer("note", "a secret", 2)])
    assert "a secret" not in repr(run.asks[0].view)
    assert "note" not in repr(run.asks[0].view)
    run = run.answer("mill", ())
    assert "a secret" not in repr(run.asks[0].view)
    assert [n.name for n in run.asks[0].view.on_offer[0]] == ["note"]


@pytest.mark.parametrize("offers", [[], [Offer("note", "", 2)]])
def test_a_seller_is_not_told_what_others_offer_on_its_level(offers: list[Offer]) -> None:
    """Neither by the view, nor by what is a legal answer."""
    money = {"cook": 5, "farm": 0, "mill": 0}
    run = inspection("?", "cook", ["farm", "mill"], money, depth=1, breadth=3)
    [ask] = run.answer("farm", offers).asks
    [without] = run.answer("farm", []).asks
    assert str(ask.answer).startswith("offers, at most 3 on level 1 of all sellers together")
    for tell in (lambda a: a.view, lambda a: a.answer.schema(), lambda a: str(a.answer), repr):
        assert tell(ask) == tell(without)


def test_a_name_is_taken_on_all_levels() -> None:
    money = {"cook": 5, "farm": 0, "mill": 0}
    run = inspection("?", "cook", ["farm", "mill"], money, depth=2, attempts=2)
    run = run.answer("farm", [Offer("note", "", 2)]).answer("mill", [])
    run = run.answer("farm", [Offer("note", "", 2)])
    assert run.last.reason.startswith("offers 'note' on level 2, a name that is taken")


def test_a_content_that_is_changed_after_it_was_offered_is_as_it_was() -> None:
    content = ["rice"]
    run = inspection("?", "cook", ["farm"], {"cook": 5, "farm": 0}, depth=1)
    run = run.answer("farm", [Offer("note", content, 2)])
    content.append("legumes")
    assert run.asks[0].view.offers[0][0].content == ["rice"]


def test_all_of_the_budget_may_be_spent() -> None:
    run = inspection("?", "cook", ["farm"], {"cook": 5, "farm": 0}, depth=1)
    run = run.answer("farm", [Offer("a", "", 2), Offer("b", "", 3), Offer("c", "", "0.01")])
    legal: Any = run.asks[0].answer
    assert ("a", "b") in legal.choices()
    over = run.answer("cook on level 1", ["a", "b"]).answer("cook", "rice")
    assert over.outcome.spending == over.ledger.balance("farm") == 5
    with pytest.raises(
        IllegalAnswerError, match=r"a \+ b \+ c cost 501/100: at most 5 can be paid"
    ):
        run.asks[0].answer.read("a, b, c")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([Offer("x", "", -1)], "cannot sell 'x' on level 1: price of x is negative"),
        ([Offer("x", "", 0.5)], "cannot sell 'x' on level 1: price of x is a float"),
        ([Offer("x", "", "?")], "cannot sell 'x' on level 1: price of x is not a number"),
        ([Offer("x", "", 1), Offer("x", "", 1)], "offers 'x' on level 1, a name that is taken"),
        ([Offer("", "", 1)], "offers something nameless on level 1"),
        (["x"], "offers a str on level 1, no Offer"),
        ([{"name": "x"}], "offers a dict on level 1, no Offer"),
        ("x", "answers with a str on level 1"),
        (3, "answers with a int on level 1"),
        (
            [Offer(f"x{k}", "", 1) for k in range(9)],
            "makes offer 4 on level 1, which has",
        ),
    ],
)
@pytest.mark.parametrize("last", [False, True])
def test_offers_that_cannot_stand(given: Any, reason: str, last: bool) -> None:
    """Of the second seller, at its first attempt and at its last."""
    money = {"cook": 5, "farm": 0, "mill": 0}
    run = inspection("?", "cook", ["farm", "mill"], money, depth=1, breadth=3, attempts=2)
    run = run.answer("farm", [Offer("note", "", 2)])
    if last:
        run = run.answer("mill", 0)
    run = run.answer("mill", given)
    assert run.last.reason.startswith(reason)
    assert run.over is last
    if not last:
        assert run.answer("mill", [Offer("x", "", 1)]).asks[0].seat == "cook on level 1"


@pytest.mark.parametrize(
    ("first", "second", "who", "problem"),
    [
        (["note"], ["note"], "mill", "offers 'note' on level 1, a name that is taken"),
        (["note"], ["x", "note"], "mill", "offers 'note' on level 1, a name that is taken"),
        (["note", "x"], ["y"], "mill", "makes offer 1 on level 1, which has a breadth of 2"),
        (["note"], ["x", "y"], "mill", "makes offer 2 on level 1, which has a breadth of 2"),
        (["note"], ["x"], "shop", "offers 'x' on level 1, a name that is taken"),
    ],
)
@pytest.mark.parametrize("order", ["farm mill shop", "shop mill farm"])
def test_offers_that_cannot_stand_beside_others(
    first: list[str], second: list[str], who: str, problem: str, order: str
) -> None:
    """The run ends once all have answered, in whatever order they did; nothing is paid."""
    money = {"cook": 5, "farm": 0, "mill": 0, "shop": 0}
    breadth = 2 if "breadth of 2" in problem else 3
    run = inspection("?", "cook", ["farm", "mill", "shop"], money, 1, breadth=breadth, attempts=9)
    offered = {"farm": first, "mill": second, "shop": ["x"] if who == "shop" else []}
    for seller in order.split():
        assert run.outcome is None
        run = run.answer(seller, [Offer(name, "", 1) for name in offered[seller]])
    assert run.over
    assert run.ended_by is None
    assert run.outcome.fault[0] == who
    assert run.outcome.fault[1].startswith(problem)
    assert (run.outcome.decision, run.outcome.bought) == (None, ())
    assert len(run.ledger.entries) == 0
    assert inspection.read(dumps(run.to_json())).outcome == run.outcome


def test_offers_are_listed_in_the_order_of_the_sellers_in_view_and_record() -> None:
    sellers = [f"seller {k}" for k in range(12, 0, -1)]
    run = inspection("?", "cook", sellers, dict.fromkeys(["cook", *sellers], 0), 1)
    for seller in sorted(sellers):
        run = run.answer(seller, [Offer(f"of {seller}", "", 0)])
    view: Any = run.asks[0].view
    assert [each.seller for each in view.offers[0]] == sellers
    record = inspection_record("?", "cook", run, run.ledger.statement())
    assert [each.seller for each in record.levels[0].offers] == sellers


def test_a_record_holds_no_price_of_the_run() -> None:
    """Each is an object that its holder may change."""

    def recorded() -> Any:
        return inspection_record("?", "cook", run, run.ledger.statement())

    run = run_of_two()
    for choice in (["guide"], ["leaflet"]):
        run = run.answer(run.asks[0], choice)
    spoilt, offered = recorded(), [2, Fraction(3, 2), 3]
    prices = [each.price for n in spoilt.levels for each in (*n.offers, *n.purchases)]
    assert len({*map(id, prices)}) == len(prices)
    for price in prices:
        price._numerator = 99
    asked = [entry for entry in run.log if getattr(entry.request, "role", "") == "offer"]
    assert [each.price for entry in asked for each in entry.value] == offered
    assert [each.price for level in recorded().levels for each in level.offers] == offered
    assert [p.price for level in recorded().levels for p in level.purchases] == offered[1:]


def asked_and_refused(run: Run[Any], answers: list[Any]) -> list[Any]:
    """All that the mill is asked on a level until it gives a legal answer, and why not before."""
    found = []
    for answer in answers:
        [ask] = [each for each in run.asks if each.seat == "mill"]
        found.append((ask, str(ask.view), str(ask.answer), ask.answer.schema(), repr(ask)))
        run = run.answer(ask, answer)
        found.append(run.last.reason)
        if run.over or not run.last.reason:
            break
    return found


SOME = [Offer(n, "rice", p) for n in ("a", "b", "old") for p in (0, "1/2")] + [Offer("a", "", -1)]


@settings(max_examples=examples(150))
@given(
    worlds=st.lists(st.lists(st.sampled_from(SOME), max_size=3), min_size=2, max_size=2),
    answers=st.lists(st.lists(st.sampled_from(SOME), max_size=3), min_size=1, max_size=4),
    deeper=st.booleans(),
)
def test_what_a_seller_offers_changes_nothing_that_another_is_asked_on_the_level(
    worlds: Any, answers: list[Any], deeper: bool
) -> None:
    """Two worlds that differ in what the farm offers, before the mill is asked or afterwards."""
    money = {"cook": 5, "farm": 0, "mill": 0}
    run = inspection("?", "cook", ["farm", "mill"], money, 2, breadth=2, attempts=3)
    if deeper:
        run = run.answer("farm", [Offer("old", "", 1)]).answer("mill", [])
    heard = [asked_and_refused(run, answers)]
    for world in worlds:
        after = run.answer("farm", world)
        if not after.last.reason:
            heard.append(asked_and_refused(after, answers))
    assert all(each == heard[0] for each in heard)


@pytest.mark.parametrize(
    ("level", "given", "reason"),
    [
        (2, ["guides"], "'guides' is no option: did you mean 'guide'?"),
        (2, ["note"], "'note' is no option"),
        (1, ["note", "note"], "'note' is named twice"),
        (1, ["guide"], "'guide' is no option"),
        (1, ["note", "leaflet"], "note + leaflet cost 7/2: at most 2 can be paid"),
        (1, 7, "7 is no list"),
    ],
)
def test_choices_that_cannot_stand(level: int, given: Any, reason: str) -> None:
    run = run_of_two()
    run = run if level == 2 else run.answer("cook on level 2", ["guide"])
    for _ in range(2):
        [ask] = run.asks
        with pytest.raises(IllegalAnswerError) as caught:
            ask.answer.read(given)
        assert str(caught.value).startswith(reason)
        run = run.answer(ask, given)
    assert run.ended_by is not None
    assert len(run.ledger.entries) == 2 - level


def test_money_that_others_have_spent_ends_the_run() -> None:
    ledger = Ledger({"cook": 5, "farm": 0, "mill": 0})
    run = run_of_two().on_ledger(ledger)
    ledger.transfer("cook", "farm", 4)
    over = run.answer("cook on level 2", ["guide"])
    assert over.outcome.unpaid.funds == 1
    assert over.outcome.decision is None
    assert len(ledger.entries) == 1


def test_no_depth_no_offers() -> None:
    run = inspection("?", "cook", [], {"cook": 0}, depth=0)
    assert run.asks[0].role == "decide"
    assert str(run.asks[0].view) == "?\nnothing was bought"
    run = inspection("?", "cook", ["farm"], {"cook": 0, "farm": 0}, depth=3).answer("farm", [])
    assert run.asks[0].role == "decide"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("?", "a", ["a"], {"a": 0}, 1), "names are not unique"),
        (("?", "a", ["b"], {"a": 0}, 1), "balances have no account for b"),
        (("?", "a", [""], {"a": 0}, 1), "names has an empty one"),
        (("?", "a", ["b", "a on level 3"], {"a": 0}, 1), "names would be read as a seat"),
        (("?", "a", "b", {"a": 0, "b": 0}, 1), "sellers is one text"),
        (("?", "a", ["b"], {"a": 0, "b": 0}, -1), "depth is not a count"),
        (("?", "a", ["b"], {"a": 0, "b": 0}, 101), "depth is above 100"),
        (("?", "a", ["b"], {"a": 0.5, "b": "1/2"}, 1), "balance of b stands beside floats"),
    ],
)
def test_runs_that_cannot_begin(arguments: Any, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        inspection(*arguments)


def test_floats_stay_floats() -> None:
    money = {"cook": 1.0, "farm": 0.0}
    run = inspection("?", "cook", ["farm"], money, depth=1)
    run = run.answer("farm", [Offer("note", "", 0.1)]).answer("cook on level 1", ["note"])
    assert run.ledger.balance("farm") == 0.1
    assert inspection.read(dumps(run.to_json())) == run


# --- strategies


def test_the_best_that_a_seller_can_ask_of_a_buyer() -> None:
    """A buyer that takes whatever costs at most 2 is charged 2, if prices go by halves."""

    @rules
    def priced() -> Steps[Any]:
        price = yield Ask("farm", "name a price", Quantity(0, 4, "1/2"))
        inner = inspection.steps("?", "cook", ["farm"], {"cook": 3, "farm": 0}, 1)
        request = next(inner)
        while True:
            try:
                offering = isinstance(request, dict)
                offers = dict.fromkeys(request, (Offer("note", "", price),)) if offering else {}
                answer = offers or (yield request)
                request = inner.send(answer)
            except StopIteration as stop:
                return stop.value

    def cook(ask: Any) -> Any:
        if ask.role == "decide":
            return "done"
        return [o.name for o in ask.view.offers[0] if o.price <= 2]

    players = {"farm": lambda ask: 1, "cook": cook}
    found = best_response(priced(), "farm", players, lambda outcome: {"farm": outcome.spending})
    assert (found.earned, found.value) == (1, 2)
    assert play(priced(), players).outcome.spending == 1
