"""Participants of the marginal-value mechanism that break its rules, and rules that are broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from math import inf, nan
from typing import Any

import pytest

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
from theory.errors import InvalidInputError, MechproofError, UnknownNameError
from theory.marginal_value import MarginalValueGame, Moves, equilibrium, from_beliefs
from theory.numbers import log

ITEMS = ["claim", "rebuttal", "defence"]


@dataclass
class Says:
    """Reveals what a function of the history says."""

    answer: Callable[[History], Any]

    def reveal(self, history: History) -> Any:
        return self.answer(history)


@dataclass
class Judges:
    """Expects what a function of the number of revealed items says."""

    answer: Callable[[int], Any]

    def utilities(self, revealed: Mapping[str, object]) -> Any:
        return self.answer(len(revealed))


HONEST = Judges(lambda count: {"wait": 1, "act": count})
FIRST = Says(lambda history: ["claim"])


def raising(_: object) -> Any:
    raise RuntimeError("out of order")


def stumbling(_: object) -> Iterator[str]:
    yield "rebuttal"
    raise RuntimeError("lost the thread")


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


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
        (lambda history: history.nothing, "raised AttributeError"),
    ],
    ids=[
        "text", "None", "number", "unspeakable", "numbers", "nested", "bytes", "misspelt",
        "endless", "endless nonsense", "raises", "stumbles", "misreads",
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
        "raises", "None", "text", "list", "empty", "NaN", "infinite", "word", "no number", "truth",
        "nested", "closed form", "floats",
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
    ],
    ids=["missing", "added"],
)
def test_actions_stay_the_same(answer: dict[str, int], problem: str) -> None:
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
    ],
    ids=["NaN", "word", "float", "closed form", "raises"],
)
def test_price_functions_that_give_no_price(price: Any, problem: str) -> None:
    error = broken(PricingError, prices=price)
    assert problem in str(error)
    assert error.record.moves == ()
    assert error.record.actions == ("wait",)


FREE = dict.fromkeys(ITEMS, 0)


@pytest.mark.parametrize(
    ("rules", "argument"),
    [
        ({"prices": {"claim": 0}}, "prices"),
        ({"prices": FREE | {"clame": 0}}, "prices"),
        ({"prices": FREE | {"claim": nan}}, "price of claim"),
        ({"prices": FREE | {"claim": -inf}}, "price of claim"),
        ({"prices": FREE | {"claim": 0.5}}, "price of claim"),
        ({"prices": FREE | {"claim": log(2)}}, "price of claim"),
        ({"moves": [["claim"]]}, "moves"),
        ({"moves": [[], ["clam"]]}, "moves[1]"),
        ({"moves": "all of it"}, "moves"),
        ({"holdings": {"Anne": ["claim"]}}, "holdings"),
        ({"holdings": {"Ann": ["clam"]}}, "holdings of Ann"),
        ({"holdings": {"Ann": "claim"}}, "holdings of Ann"),
        ({"max_moves": -1}, "max_moves"),
        ({"max_moves": True}, "max_moves"),
        ({"items": []}, "items"),
        ({"items": "claim"}, "items"),
        ({"items": ["claim", "claim"]}, "items"),
        ({"items": {"claim": (letter for letter in "claim")}}, "items"),
        ({"informants": {}}, "informants"),
        ({"informants": {"": FIRST}}, "accounts"),
        ({"informants": {"pool": FIRST}}, "pool"),
        ({"ledger": Ledger({"pool": 0, "Ann": 0}, {"pool": None})}, "ledger"),
        ({"ledger": Ledger({"pool": 0}, {"pool": None})}, "account"),
        ({"ledger": Ledger({"Ann": 0}, {"Ann": None})}, "account"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_rules_that_cannot_be_played_by(rules: dict[str, Any], argument: str) -> None:
    given: dict[str, Any] = {"informants": {"Ann": FIRST}, "items": ITEMS, "prices": FREE} | rules
    with pytest.raises(InvalidInputError) as caught:
        run_marginal_value(HONEST, **given)
    assert caught.value.argument == argument


def test_a_misspelt_price_is_put_right() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'claim'"):
        run_marginal_value(HONEST, {"Ann": FIRST}, ITEMS, FREE | {"clame": 0})


def test_a_ledger_of_another_kind_of_number() -> None:
    accounts = dict.fromkeys(["pool", "Ann"])
    exact, floats = Ledger(dict.fromkeys(accounts, 0), accounts), {"wait": 0.5, "act": 1.0}
    with pytest.raises(JudgeError, match="floats beside exact numbers"):
        run_marginal_value(Judges(lambda _: floats), {"Ann": FIRST}, ITEMS, FREE, ledger=exact)
    rounded = Ledger(dict.fromkeys(accounts, 0.0), accounts)
    halves = {"wait": "1/2", "act": "1/3"}
    with pytest.raises(JudgeError, match="write all numbers in one kind"):
        run_marginal_value(Judges(lambda _: halves), {"Ann": FIRST}, ITEMS, FREE, ledger=rounded)


def test_rewards_beyond_float64_pay_nothing() -> None:
    judge = Judges(
        lambda count: {"wait": -1e308, "act": 1e308} if count else {"wait": 1.0, "act": 0.0}
    )
    accounts = dict.fromkeys(["pool", "Ann"])
    ledger = Ledger(dict.fromkeys(accounts, 0.0), accounts)
    with pytest.raises(InvalidInputError, match="reward of move 1"):
        run_marginal_value(judge, {"Ann": FIRST}, ITEMS, FREE, ledger=ledger)
    assert ledger.entries == ()
