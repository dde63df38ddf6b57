"""Answers of models in the information market that cannot be read: they buy nothing, and count."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from market_chats import NEXT, ROOT, Reader, asked, reader
from oracle_chats import text_of

from llm_adapters.fakes import RuleChat
from mechanisms.protocols import Message


def good(properties: Any, **changes: Any) -> dict[str, Any]:
    return {"code": properties["code"]["const"], "offer 1": "buy", "offer 2": "pass", **changes}


BOTH = {"offer 2": "buy"}

UNREADABLE: dict[str, Callable[[Any], str]] = {
    "an option is missing": lambda p: json.dumps({"code": p["code"]["const"], "offer 2": "pass"}),
    "bold text": lambda p: "**Option 1:** Buy\n**Option 2:** Pass",
    "in angle brackets": lambda p: json.dumps(good(p, **{"offer 1": "<Buy>"})),
    "without a colon": lambda p: "offer 1 buy\noffer 2 pass",
    "two blocks that differ": lambda p: json.dumps(good(p)) + json.dumps(good(p, **BOTH)),
    "two blocks in fences": lambda p: 2 * f"```json\n{json.dumps(good(p))}\n```\n",
    "buying": lambda p: json.dumps(good(p, **{"offer 1": "Buying"})),
    "capitals": lambda p: json.dumps(good(p, **{"offer 1": "Buy"})),
    "another label": lambda p: json.dumps(good(p, **{"offer 11": "buy"})),
    "a name in place of a label": lambda p: json.dumps({"press: p1": "buy"}),
    "empty": lambda p: "",
    "dearer than the budget": lambda p: json.dumps(good(p, **BOTH)),
    "no code": lambda p: json.dumps({"offer 1": "buy", "offer 2": "pass"}),
}


@pytest.mark.parametrize("case", UNREADABLE)
@pytest.mark.parametrize("place", [0, 1])
def test_verdicts_that_cannot_be_read_buy_nothing_and_are_counted(case: str, place: int) -> None:
    """For the first question, and for one that follows (spec, faults 1 and 3)."""
    bad = UNREADABLE[case]
    question = (ROOT, NEXT)[place]

    def rule(messages: Sequence[Message], schema: Any) -> str:
        fields = schema["properties"]
        if "offer 1" in fields and f'The question: "{question}"' in text_of(messages):
            return bad(fields)
        return Reader()(messages, schema)

    budget = ("2.5", "3")[place]  # the first takes 2; then both cost 4/3, and 1 is left
    buyer, result = asked(RuleChat(rule), budget=budget)
    bought = [[each.name for each in one.bought] for one in result.inquiry.every()]
    expected = [["press: p1"], ["press: p3"]]
    expected[place] = []
    assert bought == expected
    assert buyer.failures == 1
    assert result.ledger.balance("press") == sum(each.price for each in result.inquiry.purchases)


@pytest.mark.parametrize("case", UNREADABLE)
def test_an_answer_that_is_asked_for_again_counts(case: str) -> None:
    calls: list[Sequence[Message]] = []

    def rule(messages: Sequence[Message], schema: Any) -> str:
        fields = schema["properties"]
        if "offer 1" not in fields:
            return Reader()(messages, schema)
        calls.append(messages)
        return UNREADABLE[case](fields) if len(calls) == 1 else json.dumps(good(fields))

    buyer, result = asked(RuleChat(rule), budget="2.5", hops=0)
    assert [each.name for each in result.inquiry.bought] == ["press: p1"]
    assert buyer.failures == 0
    assert "That cannot be used: " in calls[1][-1].content


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Ulm",
        '{"answer": "Ulm"}',
        '{"code": "x", "answer": "Ulm"}',
        "your answer",
        "Your answer.",
        "  ",
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_answer_that_cannot_be_read_is_missing_and_counted(said: str, place: int) -> None:
    written = 0

    def rule(messages: Sequence[Message], schema: Any) -> str:
        nonlocal written
        fields = schema["properties"]
        if "answer" not in fields:
            return Reader()(messages, schema)
        written += "That cannot be used" not in messages[-1].content
        if written - 1 != place:
            return Reader()(messages, schema)
        if said.strip(" ") in {"", "your answer", "Your answer."}:
            return json.dumps({"code": fields["code"]["const"], "answer": said})
        return said

    buyer, result = asked(RuleChat(rule))
    assert buyer.failures == 1
    every = [*result.inquiry.every()]
    assert result.answer == ("" if place == 2 else "Ulm")
    assert every[1].answer == ("" if place == 1 else "Ulm")


@pytest.mark.parametrize(
    "questions",
    [["a question"], ["A question?"], [" "], [1], "Who?", None, {"a": "Who?"}, ["x" * 201]],
)
def test_lists_of_questions_that_cannot_be_read_are_counted(questions: Any) -> None:
    buyer, result = (
        asked(reader(following={ROOT: questions}), hops=2)
        if isinstance(questions, list)
        else asked(RuleChat(lambda m, s: _with_questions(m, s, questions)), hops=2)
    )
    assert result.inquiry.followed == ()
    assert buyer.failures == 1
    assert result.answer == "not known"


@pytest.mark.parametrize("place", [0, 1])
def test_one_blank_among_questions_makes_all_of_them_unreadable(place: int) -> None:
    questions = ["Who is Ida Ro?"]
    questions.insert(place, "A question?")
    buyer, result = asked(reader(following={ROOT: questions}), market={"breadth": 2})
    assert result.inquiry.followed == ()
    assert buyer.failures == 1


def _with_questions(messages: Sequence[Message], schema: Any, questions: object) -> str:
    said = json.loads(Reader()(messages, schema))
    return json.dumps(said | ({"questions": questions} if "questions" in said else {}))
