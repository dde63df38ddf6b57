"""Models that need no model: what they say, and what they refuse."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from inspect import unwrap
from typing import Any

import numpy as np
import pytest
from language_model_cases import unlikely

from llm_adapters.errors import CallError
from llm_adapters.fakes import HashEmbedder, RuleChat, ScriptedChat, TableChat
from mechanisms.protocols import Message
from theory.errors import InvalidInputError, LimitError, UnknownNameError

ASKED = (Message("user", "Tea?"),)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_script_is_said_in_order_and_then_ends() -> None:
    chat = ScriptedChat(["Yes.", "No."])
    said = [chat.chat(ASKED, rng()), chat.chat(list(ASKED), rng(), schema={"type": "string"})]
    assert said == ["Yes.", "No."]
    assert chat.asked == [ASKED, ASKED]
    assert chat.schemas == [None, {"type": "string"}]
    with pytest.raises(CallError, match="2 texts, and all are said"):
        chat.chat(ASKED, rng())
    assert len(chat.asked) == 2
    with pytest.raises(CallError, match="0 texts"):
        ScriptedChat([]).chat(ASKED, rng())


def test_a_script_may_have_an_accident() -> None:
    chat = ScriptedChat([CallError("the line is dead", "wait"), "Yes."])
    with pytest.raises(CallError, match="dead"):
        chat.chat(ASKED, rng())
    assert chat.chat(ASKED, rng()) == "Yes."


def test_a_refused_question_uses_up_nothing() -> None:
    chat = ScriptedChat(["Yes."])
    with pytest.raises(InvalidInputError):
        unwrap(ScriptedChat.chat)(chat, [], rng())
    assert chat.chat(ASKED, rng()) == "Yes."


def test_a_copy_of_a_script_is_the_script() -> None:
    chat = ScriptedChat(["Yes.", "No."])
    held = {"chat": chat}
    assert copy.deepcopy(held)["chat"].chat(ASKED, rng()) == "Yes."
    assert copy.copy(chat).chat(ASKED, rng()) == "No."
    assert len(chat.asked) == 2


def test_a_script_remembers_the_schema_as_it_was() -> None:
    chat, schema = ScriptedChat(["Yes."]), {"type": "string"}
    chat.chat(ASKED, rng(), schema=schema)
    schema["type"] = "number"
    assert chat.schemas == [{"type": "string"}]


def test_threads_share_a_script() -> None:
    texts = [str(number) for number in range(200)]
    chat = ScriptedChat(texts)
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda _: chat.chat(ASKED, rng()), texts))
    assert sorted(said) == sorted(texts)


def test_a_rule_gets_the_conversation_and_the_schema() -> None:
    seen: list[Any] = []

    def rule(messages: tuple[Message, ...], schema: Any) -> str:
        seen.append((messages, schema))
        return "Yes."

    chat = RuleChat(rule)
    assert chat.chat(list(ASKED), rng(), schema={"type": "string"}) == "Yes."
    assert seen == [(ASKED, {"type": "string"})]
    assert repr(chat) == "RuleChat(rule)"


def test_a_rule_must_be_a_function_to_texts() -> None:
    with pytest.raises(InvalidInputError, match="not a function"):
        unwrap(RuleChat.__init__)(object.__new__(RuleChat), "Yes.")
    nothing: Any = lambda messages, schema: None  # noqa: E731
    with pytest.raises(InvalidInputError, match="not text"):
        unwrap(RuleChat.chat)(RuleChat(nothing), ASKED, rng())


def test_a_table_answers_the_last_thing_the_user_said() -> None:
    chat = TableChat({"Tea?": "Yes.", "Coffee?": {"No.": 1}, "": ""})
    talk = [Message("user", "Tea?"), Message("assistant", "Yes."), Message("user", "Coffee?")]
    assert chat.chat(talk, rng()) == "No."
    assert chat.chat([*talk, Message("system", "Be brief.")], rng()) == "No."
    assert chat.chat([Message("user", "")], rng()) == ""
    with pytest.raises(UnknownNameError, match=r"did you mean 'Tea\?'"):
        chat.chat([Message("user", "Tee?")], rng())
    with pytest.raises(InvalidInputError, match="nothing of the user"):
        chat.chat([Message("system", "Tea?")], rng())


def test_a_table_keeps_to_its_weights() -> None:
    weights = {"Yes.": "1/6", "No.": "1/3", "Later.": "1/2", "Never.": 0}
    chat, one = TableChat({"Tea?": weights}), rng(3)
    said = [chat.chat(ASKED, one) for _ in range(3000)]
    assert not unlikely(said, {"Yes.": 1 / 6, "No.": 1 / 3, "Later.": 1 / 2})
    assert unlikely(said, {"Yes.": 1 / 3, "No.": 1 / 6, "Later.": 1 / 2})


@pytest.mark.parametrize("table", [{}, [], None, {1: "a"}, {"a": 1}, {"a": {}}, {"a": {"b": -1}}])
def test_tables_that_are_none(table: Any) -> None:
    with pytest.raises(InvalidInputError):
        unwrap(TableChat.__init__)(object.__new__(TableChat), table)


@pytest.mark.parametrize("texts", [None, "Yes.", 5, ["Yes.", None], [1]])
def test_scripts_that_are_none(texts: Any) -> None:
    with pytest.raises(InvalidInputError, match="texts"):
        unwrap(ScriptedChat.__init__)(object.__new__(ScriptedChat), texts)


CHATS = [ScriptedChat(["a"]), TableChat({"a": "b"}), RuleChat(lambda messages, schema: "")]


@pytest.mark.parametrize("chat", CHATS)
@pytest.mark.parametrize("messages", [None, [], "Tea?", ["Tea?"], ASKED[0], 5, {"role": "user"}])
def test_what_is_no_conversation(chat: Any, messages: Any) -> None:
    with pytest.raises(InvalidInputError, match="messages"):
        unwrap(type(chat).chat)(chat, messages, rng())
    with pytest.raises(InvalidInputError, match="rng"):
        unwrap(type(chat).chat)(chat, [Message("user", "a")], 0)


def test_hashed_words_tell_texts_apart_by_their_words() -> None:
    vectors = HashEmbedder(4096).embed(["Drink tea!", "tea, drink.", "Sleep well.", "Drink", ""])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5))
    likeness = vectors @ vectors.T
    assert likeness[0, 1] == pytest.approx(1)
    assert likeness[0, 3] == pytest.approx(np.sqrt(0.5))
    assert likeness[0, 2] == likeness[0, 4] == 0
    twice = HashEmbedder(4096).embed(["tea tea drink", "tea drink"])
    assert twice[0] @ twice[1] == pytest.approx(3 / np.sqrt(10))


def test_hashes_are_the_same_in_every_process() -> None:
    """The place of a word, from what sha256sum says of it."""
    digest = "a9f74d1ec36ebdeb2da3f6e5868090cd2a2d20b3dcca7b62f60304b1d3d9ef42"
    vectors = HashEmbedder(1000).embed(["TEA", "\ud800"])
    assert vectors[0].argmax() == int(digest[:16], 16) % 1000
    assert vectors[1].max() == 1


@pytest.mark.parametrize("dimension", [0, -1, True, 2.0, "3", None, float("nan")])
def test_dimensions_that_are_none(dimension: Any) -> None:
    with pytest.raises(InvalidInputError, match="dimension"):
        unwrap(HashEmbedder.__init__)(object.__new__(HashEmbedder), dimension)
    with pytest.raises(LimitError):
        HashEmbedder(10**6 + 1)


@pytest.mark.parametrize("texts", ["tea", None, 5, [None], {"tea"}])
def test_texts_that_are_none(texts: Any) -> None:
    with pytest.raises(InvalidInputError, match="texts"):
        unwrap(HashEmbedder.embed)(HashEmbedder(4), texts)
