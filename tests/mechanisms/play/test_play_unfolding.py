"""A run unfolds into the game that is played: moves, chance, what players know, what they get."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from played_rules import auction, branching
from sweeps import examples

from mechanisms.play import (
    Anything,
    Ask,
    Choice,
    Draw,
    Quantity,
    Run,
    Steps,
    Subset,
    best_response,
    rules,
    unfold,
)
from theory.errors import InvalidInputError, LimitError, UnknownNameError
from theory.games import Game, chance, choice, end, recall
from theory.games.ex_ante import optimum


def walk(run: Run[Any], odds: Fraction = Fraction(1)) -> Iterator[tuple[Fraction, Run[Any]]]:
    """All ends of a run with the product of the chances, by plain recursion; draws come first."""
    if run.over:
        yield odds, run
    elif run.draws:
        draw = run.draws[0]
        for value, weight in zip(draw.values, draw.weights, strict=True):
            if weight:
                yield from walk(run.answer(draw, value), odds * weight)
    else:
        for answer in run.asks[0].answer.choices() or ():
            yield from walk(run.answer(run.asks[0], answer), odds)


def worth(outcome: Any) -> dict[str, Fraction]:
    """Some number that depends on all of an outcome."""
    text = repr(outcome)
    return {
        "Ann": Fraction(sum(map(ord, text)), 7),
        "Bob": Fraction(sum(k * ord(c) for k, c in enumerate(text))),
    }


@settings(max_examples=examples(50))
@given(seed=st.integers(0, 10**6), rounds=st.integers(0, 3))
@example(seed=1, rounds=4)
def test_the_ends_are_those_of_the_run_with_their_chances(seed: int, rounds: int) -> None:
    start = branching(seed, rounds)
    game = unfold(start, worth)
    expected = [(odds, *worth(run.outcome).values()) for odds, run in walk(start)]
    found = []
    for v in game.ends:
        odds = Fraction(1)
        for u, move in game.path(v):
            if game.nodes[u].is_chance:
                odds *= game.nodes[u].probabilities[move]
        found.append((odds, *game.totals[v]))
    assert found == expected


@settings(max_examples=examples(50))
@given(seed=st.integers(0, 10**6), rounds=st.integers(0, 3))
@example(seed=1, rounds=4)
def test_a_set_is_what_a_seat_was_told_and_said(seed: int, rounds: int) -> None:
    """Recomputed from the path alone: by the runs of all nodes, in the order of the game."""
    start = branching(seed, rounds)
    known = []

    def knowledge(run: Run[Any]) -> None:
        if run.over:
            return
        request: Any = run.draws[0] if run.draws else run.asks[0]
        legal = request.values if isinstance(request, Draw) else request.answer.choices()
        if isinstance(request, Ask):
            own = [(e.request.view, e.value) for e in run.log if asked_of(e.request, request.seat)]
            known.append(repr((request.seat, own, request.view)))
        for each in legal:
            knowledge(run.answer(request, each))

    knowledge(start)
    game = unfold(start, worth)
    sets = [node.infoset for node in game.nodes if node.infoset >= 0]
    pairs = set(zip(sets, known, strict=True))
    assert len(pairs) == len(set(sets)) == len(set(known))


def asked_of(request: Any, seat: str) -> bool:
    return isinstance(request, Ask) and request.seat == seat


def test_those_who_move_at_the_same_time_do_not_see_each_other() -> None:
    game = unfold(auction(["Ann", "Bob"], [1, 2]), lambda outcome: {"Ann": 0, "Bob": outcome[1]})
    names = {(game.players[s.player], s.name, len(s.nodes)) for s in game.infosets}
    assert names == {
        ("Ann", "bid it is worth 1 to you", 2),
        ("Ann", "bid it is worth 2 to you", 2),
        ("Bob", "bid it is worth 1 to you", 6),
        ("Bob", "bid it is worth 2 to you", 6),
    }


# --- one who forgets: the rules of one-level inspection in four lines


@rules
def coin(odds: Any, price: Any) -> Steps[Any]:
    """An agent may buy what a coin shows, after seeing it, and forgets what it did not buy."""
    side = yield Draw.of({"heads": odds, "tails": 1 - odds})
    bought = yield Ask("agent", side, Choice(("buy", "leave")), seat="inspector")
    view = side if bought == "buy" else "nothing"
    decision = yield Ask("agent", view, Choice(("heads", "tails", "safe")))
    return side, Fraction(price if bought == "buy" else 0), decision


def pay(safe: Fraction, payoffs: dict[str, Fraction]) -> Any:
    def utilities(outcome: Any) -> dict[str, Fraction]:
        side, price, decision = outcome
        gain = safe if decision == "safe" else payoffs[side] if decision == side else Fraction(0)
        return {"agent": gain - price}

    return utilities


@pytest.mark.parametrize(
    ("odds", "price", "safe", "payoffs", "value"),
    [
        ("1/2", "3/10", "4/5", {"heads": 1, "tails": 1}, "17/20"),
        ("1/3", "1/2", "0", {"heads": 3, "tails": 1}, "3/2"),
    ],
)
def test_the_best_protocols_are_found_from_the_rules_that_are_played(
    odds: str, price: str, safe: str, payoffs: dict[str, int], value: str
) -> None:
    utilities = pay(Fraction(safe), {side: Fraction(each) for side, each in payoffs.items()})
    game = unfold(coin(Fraction(odds), Fraction(price)), utilities)
    assert optimum(game).value == Fraction(value)
    assert "forgets own information" in str(recall(game))


def test_one_seat_for_both_questions_forgets_nothing() -> None:
    @rules
    def remembers() -> Steps[Any]:
        side = yield Draw.uniform(["heads", "tails"])
        yield Ask("agent", side, Choice(("go",)))
        decision = yield Ask("agent", "nothing", Choice(("heads", "tails")))
        return side == decision

    game = unfold(remembers(), lambda outcome: {"agent": int(outcome)})
    assert optimum(game).value == 1
    assert len(game.infosets) == 4


@rules
def coin_and_question(second: Any) -> Steps[Any]:
    """Ann does not see the coin, but she may see what she is asked, and where she sits."""
    side = yield Draw.uniform(("heads", "tails"))
    question = Ask("Ann", "?", Choice(("heads", "tails")), "guess", "Ann")
    changed = replace(question, **dict([second])) if side == "tails" else question
    return side == (yield changed)


@pytest.mark.parametrize(
    ("second", "value"),
    [
        (("view", "?"), Fraction(1, 2)),
        (("view", "!"), 1),
        (("role", "say"), 1),
        (("seat", "Ann, later"), 1),
        (("answer", Choice(("heads", "tails", "edge"))), 1),
        (("attempts", 2), Fraction(1, 2)),  # which is not told
    ],
)
def test_two_questions_are_one_where_all_that_is_told_is_the_same(second: Any, value: Any) -> None:
    game = unfold(coin_and_question(second), lambda won: {"Ann": int(won)})
    assert optimum(game).value == value
    assert len(game.infosets) == 2 * value


def test_what_a_seat_was_asked_before_tells_questions_apart_that_look_alike() -> None:
    """By role alone, or by what was legal alone."""

    @rules
    def earlier(by: str) -> Steps[Any]:
        side = yield Draw.uniform(("heads", "tails"))
        legal = Choice(("go", side)) if by == "answer" else Choice(("go",))
        yield Ask("Ann", "?", legal, side if by == "role" else "")
        return side == (yield Ask("Ann", "which?", Choice(("heads", "tails"))))

    for by, value in (("", Fraction(1, 2)), ("role", 1), ("answer", 1)):
        assert optimum(unfold(earlier(by), lambda won: {"Ann": int(won)})).value == value


# --- types and fixed players


@rules
def sale(price: Any) -> Steps[Any]:
    quality = yield Ask("seller", "describe the good", Choice(("good", "bad", "no word")))
    return (yield Ask("buyer", (quality, price), Choice(("buy", "leave")))), price


@pytest.mark.parametrize("good", ["1/4", "3/4"])
def test_types_are_drawn_first_and_fixed_players_do_not_move(good: str) -> None:
    def utilities(outcome: Any, quality: str) -> dict[str, Fraction]:
        bought, price = outcome
        gain = (Fraction(quality == "good") - price) if bought == "buy" else Fraction(0)
        return {"buyer": gain}

    law = {"good": Fraction(good), "bad": 1 - Fraction(good)}
    price = Fraction(1, 2)
    honest = unfold(
        lambda _: sale(price), utilities, types=law, fixed=lambda q: {"seller": lambda ask: q}
    )
    silent = unfold(
        lambda _: sale(price), utilities, types=law, fixed={"seller": lambda ask: "no word"}
    )
    assert optimum(honest).value == Fraction(good) / 2
    assert optimum(silent).value == max(Fraction(good) - price, Fraction(0))
    leaf = {"buy": end(Fraction(1, 2)), "leave": end(0)}
    loss = {"buy": end(Fraction(-1, 2)), "leave": end(0)}
    name = silent.infosets[0].name
    tree = chance(
        {
            "good": (law["good"], choice("buyer", name, leaf)),
            "bad": (law["bad"], choice("buyer", name, loss)),
        }
    )
    assert silent == Game.of(("buyer",), tree)


def test_a_fixed_player_must_answer_what_is_legal() -> None:
    with pytest.raises(InvalidInputError, match="fixed gives no legal answer"):
        unfold(sale(1), lambda outcome: {"buyer": 0}, fixed={"seller": lambda ask: "fine"})


# --- what cannot be unfolded


def zero(outcome: Any) -> dict[str, int]:
    return {"Ann": 0}


@rules
def asks(answer: Any, view: Any = "?") -> Steps[Any]:
    return (yield Ask("Ann", view, answer))


@pytest.mark.parametrize(
    ("run", "utilities", "problem"),
    [
        (lambda: asks(Choice((1,))).seeded(1), zero, "start has a seed"),
        (lambda: asks(Quantity(0)), zero, "answers of Ann cannot be listed"),
        (lambda: asks(Anything()), zero, "answers of Ann cannot be listed"),
        (lambda: asks(Choice((1,)), ["x"]), zero, "view of Ann cannot be compared"),
        (lambda: asks(Choice((1,))), lambda outcome: {}, "utilities are no mapping"),
        (lambda: asks(Choice((1,))), lambda outcome: [0], "utilities are no mapping"),
        (lambda: asks(Choice((1,))), lambda outcome: {"Ann": 0.5}, "utility of Ann is a float"),
        (lambda: asks(Choice((1, 2))), lambda n: {"Ann" if n == 1 else "Bob": 0}, "other players"),
    ],
)
def test_what_is_no_game(run: Any, utilities: Any, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        unfold(run(), utilities)


def test_who_moves_must_get_something() -> None:
    with pytest.raises(UnknownNameError, match="player at"):
        unfold(asks(Choice((1,))), lambda outcome: {"Bob": 0})


@rules
def long(steps: int) -> Steps[Any]:
    for k in range(steps):
        yield Ask("Ann", k, Choice((1,)))


def test_games_that_are_too_large() -> None:
    with pytest.raises(LimitError, match="nodes of the game are more than the limit of 100"):
        unfold(asks(Subset(range(7))), zero, most_nodes=100)
    assert len(unfold(asks(Subset(range(6))), zero, most_nodes=65).nodes) == 65


def test_a_run_may_be_long() -> None:
    """Nothing of it is recursive; the last answer is still that of the last question."""
    game = unfold(long(1500), lambda outcome: {"Ann": 7})
    assert len(game.nodes) == 1501
    best = best_response(long(1500), "Ann", {"Ann": lambda ask: 1}, lambda outcome: {"Ann": 7})
    assert (best.earned, best.value) == (7, 7)
    with pytest.raises(LimitError, match="nodes of the game are more than the limit of 1,000"):
        unfold(long(1500), zero, most_nodes=1000)


def test_moves_that_read_alike_are_told_apart() -> None:
    long_ones = tuple("x" * 100 + str(k) for k in range(3))
    game = unfold(asks(Choice(long_ones)), lambda outcome: {"Ann": int(outcome[-1])})
    assert len(set(game.nodes[0].moves)) == 3
    assert optimum(game).value == 2


def test_a_random_run_unfolds_the_same_after_it_was_played() -> None:
    start = branching(11, 2)
    before = unfold(start, worth)
    for k in range(3):
        generator = Random(k)
        run = start
        while open_ := [*run.draws, *run.asks]:
            request: Any = open_[0]
            legal = request.values if isinstance(request, Draw) else request.answer.choices()
            run = run.answer(request, generator.choice(legal))
    assert unfold(start, worth) == before
