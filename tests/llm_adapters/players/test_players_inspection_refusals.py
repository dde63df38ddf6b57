"""Buyers that ask a chat model: answers and arguments that are refused."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle_chats import buyer, client, fill, stock, viewing
from shoppers import run

from llm_adapters.fakes import RuleChat, ScriptedChat
from llm_adapters.players import ChatBuyer, ChatSeller, Document
from mechanisms.inspection import TableSeller
from mechanisms.protocols import Message, Offer
from theory.errors import InvalidInputError, LimitError, UnknownNameError

# --- answers that are refused, and asked for again


def good(asked: Any, **changes: Any) -> dict[str, Any]:
    return {"code": asked["code"]["const"], "offer 1": "buy", "offer 2": "pass", **changes}


def without(answer: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key != name}


REFUSED: dict[str, tuple[Callable[[Any], str], str]] = {
    "an offer is left out": (lambda a: json.dumps(without(good(a), "offer 2")), "Field required"),
    "a name that is not on offer": (lambda a: json.dumps(good(a, **{"offer 3": "buy"})), "Extra"),
    "the seller's name": (lambda a: json.dumps(good(a, a="buy")), "Extra inputs"),
    "another verdict": (lambda a: json.dumps(good(a, **{"offer 1": "maybe"})), "'buy' or 'pass'"),
    "two verdicts": (lambda a: json.dumps(good(a, **{"offer 1": ["buy"]})), "'buy' or 'pass'"),
    "an offer twice": (
        lambda a: json.dumps(good(a))[:-1] + ', "offer 1": "pass"}',
        "there twice",
    ),
    "no code": (lambda a: json.dumps(without(good(a), "code")), "Field required"),
    "another code": (lambda a: json.dumps(good(a, code="bcdfgh")), "Input should be"),
    "prose": (lambda a: "I buy offer 1.", "no JSON"),
    "nothing": (lambda a: "", "empty"),
    "two answers": (lambda a: 2 * json.dumps(good(a)), "more than one"),
    "too dear": (
        lambda a: json.dumps(good(a, **{"offer 2": "buy"})),
        "to buy offer 1 + offer 2 costs 11.5 in all, and you can spend 10",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_answer_is_asked_for_again_with_what_is_wrong(case: str) -> None:
    bad, told = REFUSED[case]
    asked: list[Sequence[Message]] = []

    def rule(messages: Sequence[Message], schema: Any) -> str:
        asked.append(messages)
        fields = schema["properties"]
        return bad(fields) if len(asked) == 1 else json.dumps(good(fields))

    ann = buyer(RuleChat(rule))
    assert ann.choose(viewing("grand", "dull", prices=[4, Fraction(15, 2)])) == ("a",)
    assert ann.failures == 0
    assert len(asked) == 2
    assert asked[1][-1].role == "user"
    assert told in asked[1][-1].content


@pytest.mark.parametrize("case", REFUSED)
def test_after_three_bad_answers_nothing_is_bought_and_the_run_goes_on(case: str) -> None:
    bad, _ = REFUSED[case]
    calls: list[int] = []

    def rule(messages: Sequence[Message], schema: Any) -> str:
        fields = schema["properties"]
        calls.append(1)
        return bad(fields) if "offer 1" in fields else fill(schema, lambda name: "no")

    ann = buyer(RuleChat(rule))
    seller = TableSeller("eve", [[Offer("a", "grand", 4), Offer("b", "dull", "15/2")]])
    record = run(ann, seller)
    assert (record.purchases, record.decision, record.spending) == (((),), "no", 0)
    assert ann.failures == 1
    assert len(calls) == 4


@pytest.mark.parametrize("default", [None, "no"])
@pytest.mark.parametrize("said", ["perhaps", "", "yes and no", "YES"])
def test_a_decision_that_cannot_be_read_is_the_default(said: str, default: Any) -> None:
    chat = RuleChat(lambda _, schema: fill(schema, lambda name: said))
    ann = buyer(chat, default=default)
    assert ann.decide("what?", ()) is default
    assert ann.failures == 1


@pytest.mark.parametrize("said", ["", "  \n", "x" * 10_001])
def test_a_decision_says_something_and_is_not_endless(said: str) -> None:
    chat = RuleChat(lambda _, schema: fill(schema, lambda name: said))
    assert buyer(chat, options=None, default="home").decide("what?", ()) == "home"


@pytest.mark.parametrize("options", [None, ["yes", "no"]])
def test_the_form_copied_as_it_is_answers_nothing(options: Any) -> None:
    """It has the code, and is the only JSON in the prompt."""
    ann = buyer(RuleChat(lambda messages, _: messages[1].content), options=options)
    record = run(ann, stock({"a": "grand"}))
    assert (record.purchases, record.decision, ann.failures) == (((),), None, 2)


# --- money


@pytest.mark.parametrize(
    ("prices", "budget", "bought"),
    [
        ([5, 5], 10, ("a", "b")),
        ([5, Fraction("5.000001")], 10, ()),
        ([Fraction(1, 3)] * 3, 1, ("a", "b", "c")),
        ([Fraction(1, 3), Fraction(2, 3) + Fraction(1, 10**12)], 1, ()),
        ([0.5, 0.25], 0.75, ("a", "b")),
        ([0.1, 0.2], 0.3, ()),  # as in a ledger, which adds without rounding
        ([10**30, 1.0], None, ("a", "b")),
        ([0, 0], 0, ("a", "b")),
    ],
)
def test_no_more_is_bought_than_can_be_paid(prices: Any, budget: Any, bought: Any) -> None:
    chat = RuleChat(lambda _, schema: fill(schema, lambda name: "buy"))
    ann = buyer(chat)
    seen = viewing(*["grand"] * len(prices), prices=prices, budget=budget)
    assert ann.choose(seen) == bought
    assert ann.failures == (not bought)


# --- arguments


@pytest.mark.parametrize(
    ("argument", "value", "kind"),
    [
        ("name", "", InvalidInputError),
        ("name", 3, InvalidInputError),
        ("chat", "gpt", InvalidInputError),
        ("chat", RuleChat, InvalidInputError),
        ("chat", None, InvalidInputError),
        ("goal", " ", InvalidInputError),
        ("goal", None, InvalidInputError),
        ("prompting", "socratic", UnknownNameError),
        ("prompting", 1, UnknownNameError),
        ("prompting", [], UnknownNameError),
        ("options", "yes", InvalidInputError),
        ("options", [], InvalidInputError),
        ("options", ["yes", "yes"], InvalidInputError),
        ("options", ["yes", ""], InvalidInputError),
        ("options", [1], InvalidInputError),
        ("default", "maybe", UnknownNameError),
        ("default", float("nan"), UnknownNameError),
        ("default", np.zeros(2), UnknownNameError),
        ("seed", -1, InvalidInputError),
        ("seed", True, InvalidInputError),
        ("seed", 1.0, InvalidInputError),
        ("seed", 2**128 + 1, LimitError),
        ("turns", 0, InvalidInputError),
        ("turns", 21, LimitError),
        ("turns", False, InvalidInputError),
        ("longest", 0, InvalidInputError),
        ("longest", float("inf"), InvalidInputError),
    ],
)
def test_bad_arguments_are_refused(argument: str, value: Any, kind: type[Exception]) -> None:
    given = {"name": "ann", "chat": client(), "goal": "to eat", "options": ["yes", "no"]}
    made: Any = ChatBuyer.__new__(ChatBuyer)
    with pytest.raises(kind, match=f"^{argument} "):
        inspect.unwrap(ChatBuyer.__init__)(made, **{**given, argument: value})


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda buyer: inspect.unwrap(type(buyer).choose)(buyer, None), "viewing is not a Viewing"),
        (
            lambda buyer: inspect.unwrap(type(buyer).choose)(buyer, "note"),
            "viewing is not a Viewing",
        ),
        (lambda buyer: inspect.unwrap(type(buyer).decide)(buyer, None, ()), "question is not text"),
        (
            lambda buyer: inspect.unwrap(type(buyer).decide)(buyer, "?", None),
            "bought is not a sequence",
        ),
        (
            lambda buyer: inspect.unwrap(type(buyer).decide)(buyer, "?", (5,)),
            "bought is not a Purchase",
        ),
        (
            lambda buyer: inspect.unwrap(type(buyer).decide)(buyer, "?", "a"),
            "bought is not a Purchase",
        ),
    ],
)
def test_what_is_no_question_is_asked_of_nobody(ask: Any, words: str) -> None:
    chat = ScriptedChat([])
    with pytest.raises(InvalidInputError, match=words):
        ask(ChatBuyer("cook", chat, goal="a meal"))
    assert chat.asked == []
    seller = ChatSeller("eve", chat, [Document("note", "salt", 1, 2)])
    with pytest.raises(InvalidInputError, match="question is not a Question"):
        inspect.unwrap(ChatSeller.offers)(seller, "What to eat?")
    assert chat.asked == []
