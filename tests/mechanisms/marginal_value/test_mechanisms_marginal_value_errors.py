"""Participants of the marginal-value mechanism that break its rules, and rules that are broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import repeat
from math import inf, nan
from typing import Any, Self

import pytest
from marginal_value_runs import FIRST, FREE, HONEST, ITEMS, Judges, Says, raising

from mechanisms.errors import ParticipantError
from mechanisms.ledger import Ledger
from mechanisms.marginal_value import (
    EquilibriumInformant,
    InformantError,
    JudgeError,
    PricingError,
    TableJudge,
    run_game,
    run_marginal_value,
)
from mechanisms.protocols import History
from theory.errors import MechproofError
from theory.marginal_value import MarginalValueGame, Moves, equilibrium, from_beliefs
from theory.numbers import log


def stumbling(_: object) -> Iterator[str]:
    yield "rebuttal"
    raise RuntimeError("lost the thread")


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


class WordlessError(Unspeakable, Exception):
    """An exception that cannot say what it is."""


def dying(_: object) -> Any:
    raise WordlessError


def leaving(_: object) -> Any:
    raise SystemExit(3)


@dataclass
class Brittle:
    """A content that can be copied so many times."""

    copies: list[int]

    def __deepcopy__(self, memo: object) -> Self:
        self.copies[0] -= 1
        if self.copies[0] < 0:
            raise ValueError("no more copies")
        return self


def broken(
    error: type[ParticipantError], informant: Any = FIRST, judge: Any = HONEST, **rules: Any
) -> ParticipantError:
    """Run to an error after Ann has revealed the claim; Bob is the informant who may fail."""
    people = ("pool", "Ann", "Bob")
    ledger = Ledger(dict.fromkeys(people, 0), dict.fromkeys(people))
    rules = {"prices": dict.fromkeys(ITEMS, 0), "ledger": ledger, "items": ITEMS} | rules
    with pytest.raises(error) as caught:
        run_marginal_value(judge, {"Ann": FIRST, "Bob": informant}, **rules)
    raised = caught.value
    assert ledger.entries == ()
    assert isinstance(raised, MechproofError)
    assert raised.record.rewards == ()
    assert raised.record.statement.entries == ()
    assert not raised.record.settled
    return raised


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (lambda _: "rebuttal", "answered 'rebuttal'"),
        (lambda _: None, "answered None"),
        (lambda _: 7, "answered 7"),
        (lambda _: Unspeakable(), "answered <Unspeakable instance"),
        (lambda _: [0, 1], "names 0, no item"),
        (lambda _: [["rebuttal"]], "names ['rebuttal'], no item"),
        (lambda _: b"rebuttal", "names 114, no item"),
        (lambda _: ["rebutal"], "no item: did you mean 'rebuttal'?"),
        (lambda _: repeat("rebuttal"), "names more than the 3 items"),
        (lambda _: iter(str, "never"), "names '', no item"),
        (raising, "raised RuntimeError('out of order')"),
        (stumbling, "raised RuntimeError('lost the thread')"),
        (lambda _: [Unspeakable()], "names <Unspeakable instance"),
        (dying, "raised WordlessError when asked to reveal"),
        (leaving, "raised SystemExit(3) when asked to reveal"),
        (lambda history: history.nothing, "raised AttributeError"),
    ],
    ids=[
        "text", "None", "number", "unspeakable", "numbers", "nested", "bytes", "misspelt",
        "endless", "endless nonsense", "raises", "stumbles", "unspeakable name",
        "wordless", "leaves", "misreads",
    ],
)  # fmt: skip
def test_answers_that_are_no_move(answer: Callable[[History], Any], problem: str) -> None:
    error = broken(InformantError, Says(answer))
    assert error.participant == "Bob"
    assert str(error).startswith("Bob ")
    assert problem in str(error)
    assert [move.informant for move in error.record.moves] == ["Ann"]
    assert error.record.actions == ("wait", "wait")


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        (
            {"holdings": {"Bob": ["defence"]}},
            "reveals {rebuttal} without holding rebuttal: it holds {defence}",
        ),
        (
            {"moves": [[], ["claim"], ["rebuttal", "defence"]]},
            "reveals {rebuttal}, which is no move: moves are ∅, {claim}, {rebuttal, defence}",
        ),
        (
            {"prices": {"claim": 0, "rebuttal": "inf", "defence": 0}},
            "reveals {rebuttal}, whose price is infinite",
        ),
        (
            {"prices": lambda new: inf if "rebuttal" in new else 0},
            "reveals {rebuttal}, whose price is infinite",
        ),
        ({"max_moves": 1}, "reveals {rebuttal} as move 2 of at most 1"),
    ],
    ids=["not held", "no move", "infinite", "infinite by function", "too many moves"],
)
def test_moves_that_are_not_open(rules: dict[str, Any], problem: str) -> None:
    error = broken(InformantError, Says(lambda _: ("rebuttal",)), **rules)
    assert str(error).startswith(f"Bob {problem}")
    assert [(move.informant, move.items) for move in error.record.moves] == [("Ann", ("claim",))]


def test_two_items_are_no_single_item() -> None:
    both = Says(lambda _: ["rebuttal", "defence"])
    error = broken(InformantError, both, moves=Moves.SINGLE_ITEMS)
    assert "{rebuttal, defence}, which is no move" in str(error)


def test_an_equilibrium_does_not_know_what_is_held() -> None:
    game = MarginalValueGame.of(["a"], {(): [1, 0], ("a",): [0, 1]}, {"a": 0})
    wise = EquilibriumInformant(equilibrium(game))
    with pytest.raises(InformantError, match=r"Ann reveals \{a\} without holding a"):
        run_game(game, {"Ann": wise}, holdings={"Ann": []})


def test_the_record_can_be_read_when_the_game_is_broken_off() -> None:
    error = broken(InformantError, Says(lambda _: None))
    assert str(error.record).startswith("broken off after 1 move, nothing paid")
    assert "{claim}" in error.record._repr_html_()
    at_once = broken(JudgeError, judge=Judges(lambda _: None))
    assert str(at_once.record).startswith("broken off after 0 moves, nothing paid")
    assert at_once.record.actions == ()


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (raising, "raised RuntimeError"),
        (dying, "raised WordlessError"),
        (leaving, "raised SystemExit(3)"),
        (lambda _: None, "answered None"),
        (lambda _: "act", "answered 'act'"),
        (lambda _: [1, 2], "answered [1, 2]"),
        (lambda _: {}, "answered {}"),
        (lambda _: {"wait": nan, "act": 0}, "utilities[0] is not finite"),
        (lambda _: {"wait": inf, "act": 0}, "utilities[0] is not finite"),
        (lambda _: {"wait": "1/2", "act": "high"}, "utilities[1] is not a number"),
        (lambda _: {"wait": None, "act": 0}, "utilities[0] is not a number"),
        (lambda _: {"wait": True, "act": 0}, "utilities[0] is not a number"),
        (lambda _: {"wait": [1, 2], "act": [3, 4]}, "cannot be understood"),
        (lambda _: {"wait": log(2), "act": 0}, "cannot be paid"),
        (lambda _: {"wait": 0.5, "act": 0}, "are floats beside exact numbers"),
    ],
    ids=[
        "raises", "wordless", "leaves", "None", "text", "list", "empty", "NaN", "infinite", "word",
        "no number", "truth", "nested", "closed form", "floats",
    ],
)  # fmt: skip
def test_opinions_that_are_none(answer: Callable[[int], Any], problem: str, count: int) -> None:
    def judge(shown: int) -> Any:
        return answer(shown) if shown == count else {"wait": 1, "act": shown}

    error = broken(JudgeError, judge=Judges(judge))
    assert error.participant == "the judge"
    assert problem in str(error)
    assert ("when shown {claim}" if count else "when shown ∅") in str(error)
    assert len(error.record.moves) == count
    assert len(error.record.actions) == count


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"wait": 1}, "gave no utility of 'act' when shown {claim}"),
        ({"wait": 1, "act": 0, "wiat": 3}, "added 'wiat' when shown {claim}: did you mean 'wait'?"),
        ({"wait": 1, "act": 0, Unspeakable(): 3}, "added Unspeakable when shown {claim}: known"),
    ],
    ids=["missing", "added", "unspeakable"],
)
def test_actions_stay_the_same(answer: dict[Any, int], problem: str) -> None:
    judge = Judges(lambda count: answer if count else {"wait": 1, "act": 0})
    assert problem in str(broken(JudgeError, judge=judge))


def test_fractions_beside_floats() -> None:
    judge = Judges(lambda count: {"wait": "1/2"} if count else {"wait": 0.5})
    with pytest.raises(JudgeError, match="write all numbers in one kind"):
        run_marginal_value(judge, {"Ann": FIRST}, ["claim"], {"claim": 0})


def test_a_judge_whose_scores_are_logarithms_cannot_be_paid() -> None:
    game = from_beliefs(["a"], {(): "1/2", ("a",): "3/4"}, {"a": 0}, "log")
    with pytest.raises(JudgeError, match="give one rational or one float"):
        run_game(game, {"Ann": EquilibriumInformant(equilibrium(game))})


def test_a_table_does_not_know_foreign_items() -> None:
    game = MarginalValueGame.of(["a"], {(): [1], ("a",): [0]}, {"a": 0})
    error = broken(JudgeError, judge=TableJudge(game))
    assert "'claim'" in str(error)


@pytest.mark.parametrize(
    ("price", "problem"),
    [
        (lambda _: nan, "gives no price of {claim}: price of {claim} is no price"),
        (lambda _: "dear", "gives no price of {claim}"),
        (lambda _: 0.5, "is a float beside exact utilities"),
        (lambda _: log(2), "cannot be paid"),
        (raising, "raised RuntimeError('out of order') when asked for the price of {claim}"),
        (dying, "raised WordlessError when asked for the price of {claim}"),
        (leaving, "raised SystemExit(3) when asked for the price of {claim}"),
    ],
    ids=["NaN", "word", "float", "closed form", "raises", "wordless", "leaves"],
)
def test_price_functions_that_give_no_price(price: Any, problem: str) -> None:
    error = broken(PricingError, prices=price)
    assert problem in str(error)
    assert error.record.moves == ()
    assert error.record.actions == ("wait",)


@pytest.mark.parametrize("copies", range(1, 5))
def test_contents_that_cannot_be_copied_again(copies: int) -> None:
    """One copy is made at the start, one for Ann, one for the judge, two for Bob."""
    items = {"claim": Brittle([copies]), "rebuttal": "no", "defence": "yes"}
    error = broken(ParticipantError, items=items)
    assert str(error).startswith(
        "the content of 'claim' raised ValueError('no more copies') when it was copied again"
    )
    assert len(error.record.moves) == (copies > 1)


def test_stopping_the_program_stops_it() -> None:
    def stop(_: object) -> Any:
        raise KeyboardInterrupt

    for judge, informant, prices in (
        (Judges(stop), FIRST, FREE),
        (HONEST, Says(stop), FREE),
        (HONEST, FIRST, stop),
    ):
        with pytest.raises(KeyboardInterrupt):
            run_marginal_value(judge, {"Ann": informant}, ITEMS, prices)
