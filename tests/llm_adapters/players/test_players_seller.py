"""Sellers that ask a chat model."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle_chats import client, fill
from shoppers import purse, run

from llm_adapters.errors import CallError
from llm_adapters.fakes import RuleChat, ScriptedChat
from llm_adapters.players import ChatBuyer, ChatSeller, Document
from llm_adapters.session import RecordedChat, Session
from mechanisms.errors import SellerError
from mechanisms.inspection import watch_inspection
from mechanisms.protocols import Message, Notice, Question
from theory.errors import ExactnessError, InvalidInputError, LimitError, NumberError
from theory.incentives.protocols import RunRecord, check_protocol

NOTE = Document("eve: note", "Rice is cheap.", 1, 3)
REVIEW = Document("eve: review", "The leaflet of bob is wrong.", "1/2", 2)
LEVEL_1 = Question("What to eat?", 1, ())


def asks(**prices: object) -> RuleChat:
    """A model that names these prices, and keeps the rest: document_1=2."""
    named = {name.replace("_", " "): price for name, price in prices.items()}
    return RuleChat(lambda _, schema: fill(schema, lambda name: named.get(name, "keep")))


def offered(chat: Any, *documents: Document, question: Question = LEVEL_1, **settings: Any) -> Any:
    eve = ChatSeller("eve", chat, documents or (NOTE, REVIEW), **settings)
    return {offer.name: offer.price for offer in eve.offers(question)}, eve.failures


# --- what it offers


def test_it_offers_what_the_model_names_a_price_for() -> None:
    assert offered(asks(document_1=2.5)) == ({"eve: note": Fraction(5, 2)}, 0)
    assert offered(asks(document_2=1, document_1=3)) == ({"eve: note": 3, "eve: review": 1}, 0)
    assert offered(asks()) == ({}, 0)


def test_what_is_offered_is_the_document() -> None:
    (offer,) = ChatSeller("eve", asks(document_1=2), [NOTE]).offers(LEVEL_1)
    assert (offer.name, offer.content) == (NOTE.name, NOTE.text)


@pytest.mark.parametrize(
    ("reserve", "ceiling", "said", "price"),
    [
        (0.1, 0.5, 0.1, 0.1),
        (0.1, 0.5, 0.25, 0.25),
        (1, 2.5, 2, 2.0),
        (0, 1, 0.1, Fraction(1, 10)),
        (0, 1, 0, Fraction(0)),
        ("1/3", "2/3", 0.333333, Fraction(1, 3)),  # as the bounds were shown
        ("1/3", "2/3", 0.666667, Fraction(2, 3)),
        ("1/3", "1/3", 0.333333, Fraction(1, 3)),
    ],
)
def test_prices_are_of_the_kind_of_the_bounds(
    reserve: Any, ceiling: Any, said: float, price: Any
) -> None:
    prices, failures = offered(asks(document_1=said), Document("x", "y", reserve, ceiling))
    assert (prices["x"], type(prices["x"]), failures) == (price, type(price), 0)


BAD: dict[str, tuple[Callable[[Any], str], str]] = {
    "too little": (lambda a: answer(a, **{"document 1": 0.99}), "document 1 may cost 1 to 3"),
    "too much": (lambda a: answer(a, **{"document 1": 3.000001}), "document 1 may cost 1 to 3"),
    "negative": (lambda a: answer(a, **{"document 2": -1}), "document 2 may cost 0.5 to 2"),
    "huge": (lambda a: answer(a, **{"document 2": 10**400}), "document 2"),
    "not finite": (lambda a: answer(a).replace('"keep"', "NaN"), "no JSON number"),
    "true": (lambda a: answer(a, **{"document 2": True}), "document 2"),
    "null": (lambda a: answer(a, **{"document 2": None}), "document 2"),
    "text": (lambda a: answer(a, **{"document 1": "$2"}), "document 1"),
    "of another": (lambda a: answer(a, **{"document 3": 1}), "Extra inputs"),
    "by name": (lambda a: answer(a, **{"eve: note": 1}), "Extra inputs"),
    "no code": (lambda a: '{"document 1": 1, "document 2": 1}', "Field required"),
    "one only": (lambda a: json.dumps({"code": a["code"]["const"]}), "Field required"),
    "too many": (lambda a: answer(a, **{"document 1": 1, "document 2": 1}), "2 documents are"),
    "prose": (lambda a: "Two for the note.", "no JSON"),
}


def answer(asked: Any, **changes: object) -> str:
    plain = {"code": asked["code"]["const"], "document 1": 2, "document 2": "keep"}
    return json.dumps({**plain, **changes})


@pytest.mark.parametrize("case", BAD)
def test_a_bad_answer_is_asked_for_again_and_then_nothing_is_offered(case: str) -> None:
    bad, told = BAD[case]
    heard: list[Sequence[Message]] = []

    def rule(messages: Sequence[Message], schema: Any) -> str:
        heard.append(messages)
        asked = schema["properties"]
        return answer(asked) if mends and len(heard) == 2 else bad(asked)

    mends = True
    assert offered(RuleChat(rule), most=1) == ({"eve: note": 2}, 0)
    assert told in heard[1][-1].content
    mends = False
    assert offered(RuleChat(rule), most=1) == ({}, 1)
    assert len(heard) == 2 + 3


def test_the_form_copied_as_it_is_offers_nothing() -> None:
    assert offered(RuleChat(lambda messages, _: messages[1].content)) == ({}, 1)


# --- levels


def notice(name: str, seller: str, level: int = 1) -> Notice:
    return Notice(level, seller, name, Fraction(2))


def test_on_a_deeper_level_it_sees_notices_and_helps_to_choose_among_them() -> None:
    heard: list[str] = []

    def rule(messages: Sequence[Message], schema: Any) -> str:
        heard.append(messages[-1].content)
        return fill(schema, lambda name: 1)

    eve = ChatSeller("eve", RuleChat(rule), [NOTE, REVIEW])
    below = ((notice("eve: note", "eve"), notice("leaflet", "bob")),)
    (offer,) = eve.offers(Question("What to eat?", 2, below))
    assert offer.name == "eve: review"
    assert '- "eve: note" by you, price 2\n- "leaflet" by "bob", price 2' in heard[0]
    assert "helps to choose among the items above" in heard[0]
    assert "Rice is cheap" not in heard[0]
    deeper = (*below, (notice("eve: review", "eve", 2),))
    assert eve.offers(Question("What to eat?", 3, deeper)) == ()
    assert len(heard) == 1


def test_a_name_that_is_taken_is_not_offered_again() -> None:
    question = Question("?", 2, ((notice("eve: note", "bob"),),))
    assert offered(asks(document_1=1), question=question) == ({"eve: review": 1}, 0)


def test_a_market_of_chats() -> None:
    """Eve sells a note, then a review of it, which the buyer reads before it buys the note."""

    def clerk(messages: Sequence[Message], schema: Any) -> str:
        first = "To decide it, the buyer chooses among" not in messages[-1].content
        return fill(schema, lambda name: 1 if name == "document 1" or not first else "keep")

    note = Document("note", "grand", 1, 1)
    eve = ChatSeller("eve", RuleChat(clerk), [note, Document("review", "grand too", 1, 1)])
    ann = ChatBuyer("ann", client(), goal="to eat", options=["yes", "no"])
    record = run(ann, eve, depth=3)
    assert record.purchases == (("note",), ("review",))
    assert (record.decision, record.spending, ann.failures, eve.failures) == ("yes", 2, 0, 0)


def test_the_protocol_holds_between_chats() -> None:
    def watched(case: str, rng: np.random.Generator) -> RunRecord:
        seed = int(rng.integers(2**32))
        eve = ChatSeller("eve", asks(document_1=1), [Document("x", case, 1, 2)], seed=seed)
        ann = ChatBuyer("ann", client(), goal="to eat", options=["yes", "no"], seed=seed)
        return watch_inspection("what?", ann, [eve], purse(10, eve), depth=2)

    report = check_protocol(watched, ["dull", "fine", "grand"], seeds=1)
    assert report.refuted == report.faults == ()


# --- failures, draws, arguments


def test_failures_are_counted_for_all_copies_and_in_the_session() -> None:
    with Session() as session:
        chat = RecordedChat(RuleChat(lambda *_: "?"), session, name="rule", agent="model")
        eve = ChatSeller("eve", chat, [NOTE])
        assert eve.offers(LEVEL_1) == deepcopy(eve).offers(LEVEL_1) == ()
        assert eve.failures == session.usage["eve"].failures == 2


def test_errors_of_the_model_are_raised() -> None:
    chat = ScriptedChat([CallError("the server is down", "start it")] * 2)
    eve = ChatSeller("eve", chat, [NOTE])
    with pytest.raises(CallError):
        eve.offers(LEVEL_1)
    with pytest.raises(SellerError, match="the server is down"):
        run(ChatBuyer("ann", client(), goal="to eat"), eve)


def test_draws_follow_from_seed_and_level() -> None:
    class Drawing:
        def chat(self, messages: Any, rng: np.random.Generator, *, schema: Any = None) -> str:
            drawn.append(int(rng.integers(2**60)))
            return fill(schema, lambda name: "keep")

    drawn: list[int] = []
    for seed in (3, 3, 4):
        for level in (1, 2):
            below = ((notice("x", "bob"),),) * (level - 1)
            ChatSeller("eve", Drawing(), [NOTE], seed=seed).offers(Question("?", level, below))
    assert drawn[:2] == drawn[2:4]
    assert len(set(drawn)) == 4


@pytest.mark.parametrize(
    ("argument", "value", "kind"),
    [
        ("name", " ", InvalidInputError),
        ("chat", 0, InvalidInputError),
        ("documents", "text", InvalidInputError),
        ("documents", NOTE, InvalidInputError),
        ("documents", [NOTE, NOTE], InvalidInputError),
        ("documents", ["text"], InvalidInputError),
        ("goal", "", InvalidInputError),
        ("seed", -1, InvalidInputError),
        ("most", 0, InvalidInputError),
        ("most", True, InvalidInputError),
        ("most", 101, LimitError),
        ("longest", 10**8, LimitError),
    ],
)
def test_bad_arguments_are_refused(argument: str, value: Any, kind: type[Exception]) -> None:
    given = {"name": "eve", "chat": client(), "documents": [NOTE], argument: value}
    made: Any = ChatSeller.__new__(ChatSeller)
    with pytest.raises(kind, match=f"^{argument} "):
        inspect.unwrap(ChatSeller.__init__)(made, **given)


@pytest.mark.parametrize(
    ("argument", "value", "kind"),
    [
        ("name", "", InvalidInputError),
        ("text", None, InvalidInputError),
        ("reserve", -1, InvalidInputError),
        ("reserve", "cheap", NumberError),
        ("reserve", True, InvalidInputError),
        ("reserve", float("nan"), NumberError),
        ("ceiling", float("inf"), NumberError),
        ("ceiling", 0.5, InvalidInputError),
        ("ceiling", None, InvalidInputError),
        ("reserve", 0.5, None),
        ("ceiling", Fraction(7, 2), None),
    ],
)
def test_bad_documents_are_refused(argument: str, value: Any, kind: Any) -> None:
    given = {"name": "x", "text": "y", "reserve": 1, "ceiling": 3, argument: value}
    made: Any = Document.__new__(Document)
    build = inspect.unwrap(Document.__init__)
    if kind is None:
        build(made, **given)
        return
    with pytest.raises(kind, match=f"^{argument} "):
        build(made, **given)


def test_floats_and_fractions_do_not_mix() -> None:
    with pytest.raises(ExactnessError):
        Document("x", "y", Fraction(1, 3), 0.5)
