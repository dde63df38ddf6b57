"""A chat model behind a server: its arguments, and whatever comes back."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from fake_server import FakeServer, chatted
from hypothesis import given, settings
from hypothesis import strategies as st
from openai_chats import ASKED, quick, rng

from llm_adapters.errors import (
    AdapterError,
)
from llm_adapters.openai_api import Endpoint, OpenAIChat
from theory.errors import InvalidInputError, MechproofError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["content", "message", "code", "refusal"]), inner)
    ),
    max_leaves=8,
)
PLACES: list[list[Any]] = [["choices"], ["usage"], ["error"], ["choices", 0]]
PLACES += [["choices", 0, name] for name in ("message", "finish_reason", "index")]
PLACES += [["choices", 0, "message", name] for name in ("content", "refusal", "tool_calls")]


@pytest.fixture(scope="module")
def shared() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


@given(st.sampled_from(PLACES), JSON)
@settings(max_examples=40)
def test_whatever_comes_back_is_an_answer_or_one_of_our_errors(
    shared: FakeServer, path: list[Any], value: Any
) -> None:
    """One part of a right answer is replaced by something else."""
    answer: Any = chatted("Yes.")
    place = answer
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    shared.behave = lambda asked: answer
    with Endpoint(shared.url, "tiny") as endpoint:
        try:
            said = OpenAIChat(endpoint, session=quick()).chat(ASKED, rng())
        except AdapterError:
            return
    assert said == answer["choices"][0]["message"]["content"]


# --- arguments


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("temperature", 2.1),
        ("temperature", float("nan")),
        ("temperature", True),
        ("temperature", "1"),
        ("temperature", 10**400),
        ("top_p", 1.1),
        ("top_p", None),
        ("max_tokens", 0),
        ("max_tokens", True),
        ("max_tokens", 1.0),
        ("max_tokens", 10**9),
        ("schema_mode", "strict"),
        ("schema_mode", None),
        ("agent", ""),
        ("agent", 7),
        ("session", "run"),
        ("extra", ["top_k"]),
        ("extra", {7: 1}),
        ("extra", {"messages": []}),
        ("extra", {"temperature": 0}),
        ("extra", {"stream": True}),
        ("extra", {"x": float("nan")}),
        ("extra", {"x": object()}),
        ("extra", {"api_key": "hunter2"}),
        ("extra", {"headers": {"Authorization": "hunter2"}}),
    ],
)
def test_wrong_arguments_are_refused(endpoint: Endpoint, name: str, value: Any) -> None:
    with pytest.raises(InvalidInputError) as caught:
        inspect.unwrap(OpenAIChat.__init__)(
            OpenAIChat.__new__(OpenAIChat), endpoint, **{name: value}
        )
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("value", [None, "http://127.0.0.1", Endpoint])
def test_what_is_no_endpoint_is_refused(value: Any) -> None:
    with pytest.raises(MechproofError, match="endpoint"):
        inspect.unwrap(OpenAIChat.__init__)(OpenAIChat.__new__(OpenAIChat), value)


def test_wrong_questions_cost_nothing(server: FakeServer, endpoint: Endpoint) -> None:
    chat = OpenAIChat(endpoint)
    raw = inspect.unwrap(OpenAIChat.chat)
    for messages, generator, schema in (
        ([], rng(), None),
        ("Hello", rng(), None),
        (ASKED, None, None),
        (ASKED, 7, None),
        (ASKED, rng(), "object"),
        (ASKED, rng(), {"type": object()}),
        (ASKED, rng(), {"const": float("nan")}),
    ):
        with pytest.raises(InvalidInputError):
            raw(chat, messages, generator, schema=schema)
    with pytest.raises(InvalidInputError, match="one for each"):
        chat.chat_many([ASKED, ASKED], [rng()])
    with pytest.raises(InvalidInputError):
        chat.for_agent("")
    assert server.asked == []
    endpoint.close()
    with pytest.raises(AdapterError):
        chat.chat(ASKED, rng())
