"""A chat model behind a server: schemas, answers that are none, what is sent, many at once."""

from __future__ import annotations

import copy
import inspect
import json
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fake_server import Asked, FakeServer, Reply, chatted, refuses
from hypothesis import given, settings
from hypothesis import strategies as st
from protocol_cases import SCHEMA, check_chat_model
from pydantic import BaseModel, ConfigDict

from llm_adapters.errors import (
    AdapterError,
    BudgetSpentError,
    CallError,
    MissingAnswerError,
    MissingCapabilityError,
    TransientError,
    UnreadableError,
)
from llm_adapters.openai_api import Endpoint, OpenAIChat
from llm_adapters.openai_api._schemas import response_format
from llm_adapters.session import Budget, Prices, Retries, Session
from llm_adapters.structured import ask
from mechanisms.protocols import Message
from theory.errors import InvalidInputError, MechproofError

ASKED = [Message("system", "Be brief."), Message("user", "Is it raining?")]
PATH = "/chat/completions"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


@pytest.fixture
def endpoint(server: FakeServer) -> Iterator[Endpoint]:
    with Endpoint(server.url, "tiny") as running:
        yield running


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def quick(**settings: Any) -> Session:
    return Session(retries=Retries(attempts=3, first=0.0), **settings)


def test_it_keeps_the_protocol(endpoint: Endpoint) -> None:
    check_chat_model(OpenAIChat(endpoint))


def test_what_is_sent(server: FakeServer, endpoint: Endpoint) -> None:
    chat = OpenAIChat(endpoint, temperature=0.5, top_p=0.9, max_tokens=7, extra={"top_k": 20})
    assert chat.chat(ASKED, rng()) == "You said: Is it raining?"
    body = server.bodies(PATH)[0]
    assert 0 <= body.pop("seed") < 2**31
    assert body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Is it raining?"},
        ],
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 7,
        "top_k": 20,
    }


def test_any_text_crosses(endpoint: Endpoint) -> None:
    text = 'naïve "quotes" \\ 眠る 🌧 \x00 \u2028 \ud83d'
    assert OpenAIChat(endpoint).chat([Message("user", text)], rng()) == f"You said: {text}"


def test_seeds_come_from_the_generator(server: FakeServer, endpoint: Endpoint) -> None:
    chat = OpenAIChat(endpoint)
    one = rng(7)
    for generator in (one, one, rng(7), rng(8)):
        chat.chat(ASKED, generator)
    seeds = [body["seed"] for body in server.bodies(PATH)]
    assert seeds[0] == seeds[2]
    assert len(set(seeds)) == 3


# --- answers


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (chatted("It r", "length"), "cut at 512 tokens: 'It r'"),
        (chatted(None, "length"), "cut at 512 tokens"),
        (chatted("It", "content_filter"), "a filter"),
        (chatted(None, "content_filter"), "a filter"),
        (chatted(None, refusal="I must not say."), "refuses: 'I must not say.'"),
        (chatted(None), "no text"),
        (chatted(None, "tool_calls", tool_calls=[{"id": "1"}]), "calls a tool"),
        (chatted(None, "stop", function_call={"name": "f"}), "calls a tool"),
        ({"choices": [{"message": {"content": 7}}]}, "no text"),
        ({"choices": [{"message": {"content": [{"text": "parts"}]}}]}, "no text"),
        ({"choices": [{"text": "old style"}]}, "no text"),
    ],
)
def test_what_is_no_answer_is_said(
    server: FakeServer, endpoint: Endpoint, answer: Any, problem: str, tmp_path: Any
) -> None:
    path = tmp_path / "run"
    server.script(answer)
    with quick(record=path) as session:
        chat = OpenAIChat(endpoint, session=session)
        with pytest.raises(UnreadableError) as caught:
            chat.chat(ASKED, rng())
        assert problem in str(caught.value)
        assert session.total.calls == 1
        assert chat.chat(ASKED, rng()) == "You said: Is it raining?"
    with Session(replay=path) as session, pytest.raises(UnreadableError) as again:
        OpenAIChat(endpoint, session=session).chat(ASKED, rng())
    assert str(again.value) == str(caught.value)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (chatted(""), ""),
        (chatted("Yes.", None), "Yes."),
        (chatted("Yes.", "eos"), "Yes."),
        (chatted("Yes.", "tool_calls", tool_calls=[{"id": "1"}]), "Yes."),
        ({**chatted("Yes.", reasoning="hm", refusal=None), "more": {"a": [1]}}, "Yes."),
        ({"choices": [{"message": {"content": "Yes."}}]}, "Yes."),
    ],
)
def test_what_is_an_answer(server: FakeServer, endpoint: Endpoint, answer: Any, text: str) -> None:
    server.script(answer)
    assert OpenAIChat(endpoint).chat(ASKED, rng()) == text


def test_cut_answers_may_be_accepted(server: FakeServer, endpoint: Endpoint) -> None:
    server.script(chatted("It r", "length"))
    assert OpenAIChat(endpoint, accept_cut=True).chat(ASKED, rng()) == "It r"


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"choices": None},
        {"choices": []},
        {"choices": [7]},
        {"choices": chatted("a")["choices"] * 2},
        {"choices": [{**chatted("a")["choices"][0], "index": 3}]},
    ],
)
def test_answers_without_the_one_choice_are_errors(
    server: FakeServer, endpoint: Endpoint, answer: Any
) -> None:
    server.script(answer)
    with pytest.raises(CallError, match="choice") as caught:
        OpenAIChat(endpoint, session=quick()).chat(ASKED, rng())
    assert not isinstance(caught.value, TransientError)
    assert len(server.asked) == 1


# --- failures and accounts


def test_what_may_pass_is_asked_again(server: FakeServer, endpoint: Endpoint) -> None:
    server.script(refuses(503, "busy"), Reply(body=b"{"))
    with quick() as session:
        assert OpenAIChat(endpoint, session=session, agent="b").chat(ASKED, rng())
        assert (session.usage["b"].calls, session.usage["b"].retries) == (3, 2)
    bodies = server.bodies(PATH)
    assert bodies[0] == bodies[1] == bodies[2]


def test_all_attempts_are_named(server: FakeServer, endpoint: Endpoint) -> None:
    server.script(refuses(503, "busy"), refuses(429, "slow", code="rate"), refuses(500, "broken"))
    with quick() as session, pytest.raises(CallError) as caught:
        OpenAIChat(endpoint, session=session).chat(ASKED, rng())
    assert [
        told in one
        for told, one in zip(("busy", "slow", "broken"), caught.value.attempts, strict=True)
    ] == [True] * 3
    assert len(server.asked) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_will_not_pass_is_asked_once(
    server: FakeServer, endpoint: Endpoint, status: int
) -> None:
    server.script(refuses(status, "no"))
    with quick() as session, pytest.raises(CallError):
        OpenAIChat(endpoint, session=session).chat(ASKED, rng())
    assert len(server.asked) == 1


def test_a_quota_is_asked_once(server: FakeServer, endpoint: Endpoint) -> None:
    server.script(refuses(429, "no", code="insufficient_quota"))
    with quick() as session, pytest.raises(CallError, match="account"):
        OpenAIChat(endpoint, session=session).chat(ASKED, rng())
    assert len(server.asked) == 1


def test_usage_is_accounted_by_agent(endpoint: Endpoint) -> None:
    with Session(prices={"tiny": Prices(1_000_000, 2_000_000)}) as session:
        chat = OpenAIChat(endpoint, session=session, agent="buyer")
        chat.chat(ASKED, rng())
        chat.named("seller").chat(ASKED, rng())
        chat.named("seller").chat(ASKED, rng())
        assert session.usage["buyer"].money == 7 + 2 * 3
        assert session.usage["seller"].input_tokens == 14
        assert chat.agent == "buyer"


@pytest.mark.parametrize(
    "usage",
    [None, "none", {}, {"prompt_tokens": -1}, {"prompt_tokens": 1.5}, {"prompt_tokens": True}],
)
def test_without_usage_the_most_is_counted(
    server: FakeServer, endpoint: Endpoint, usage: Any
) -> None:
    answer = chatted("Yes.")
    del answer["usage"]
    server.script(answer if usage == "none" else {**answer, "usage": usage})
    with Session() as session:
        OpenAIChat(endpoint, session=session, max_tokens=9).chat(ASKED, rng())
        assert session.total.input_tokens >= sum(len(one.content) for one in ASKED)
        expected = 0 if isinstance(usage, dict) else 9
        assert session.total.output_tokens == expected


def test_the_budget_stops_before_it_is_exceeded(server: FakeServer, endpoint: Endpoint) -> None:
    with Session(budget=Budget(tokens=100)) as session:
        chat = OpenAIChat(endpoint, session=session, max_tokens=50)
        with pytest.raises(BudgetSpentError):
            chat.chat(ASKED, rng())
    assert server.asked == []


def test_an_answer_that_makes_no_sense_is_charged_all_the_same(
    server: FakeServer, endpoint: Endpoint
) -> None:
    used = {"prompt_tokens": 900, "completion_tokens": 100}
    server.script(*[{"choices": [], "usage": used}] * 3)
    session = quick(budget=Budget(tokens=2600))
    chat = OpenAIChat(endpoint, session=session, max_tokens=100)
    for calls in (1, 2):
        with pytest.raises(CallError, match="no choices"):
            chat.chat(ASKED, rng())
        assert session.total.input_tokens == 900 * calls
        assert session.total.output_tokens == 100 * calls
    short = OpenAIChat(endpoint, session=session, max_tokens=600)
    with pytest.raises(BudgetSpentError, match=r"2,?000 of 2,?600"):
        short.chat(ASKED, rng())


def test_a_replay_needs_no_server(server: FakeServer, tmp_path: Any) -> None:
    path = tmp_path / "run"
    with Endpoint(server.url, "tiny") as endpoint, Session(record=path) as session:
        said = OpenAIChat(endpoint, session=session).chat(ASKED, rng(), schema=SCHEMA)
    before = len(server.asked)
    nowhere = Endpoint("http://127.0.0.1:9/v1", "tiny", known_as=server.url)
    with nowhere as endpoint, Session(replay=path) as session:
        chat = OpenAIChat(endpoint, session=session)
        assert chat.chat(ASKED, rng(), schema=SCHEMA) == said
        with pytest.raises(MissingAnswerError):
            chat.chat(ASKED, rng(1), schema=SCHEMA)
    assert len(server.asked) == before


def test_copies_ask_for_the_same(endpoint: Endpoint) -> None:
    with Session() as session:
        chat = OpenAIChat(endpoint, session=session)
        copy.deepcopy({"buyer": chat})["buyer"].chat(ASKED, rng())
        assert session.total.calls == 1


# --- schemas


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    buy: bool


def buys(asked: Asked) -> Any:
    """Say what was asked for, held to a schema by the server or by words."""
    body = asked.body
    if "response_format" in body or "JSON Schema" in body["messages"][-1]["content"]:
        return chatted('{"buy": true}')
    return chatted("I think that I shall buy.")


def refuses_formats(asked: Asked) -> Any:
    if "response_format" in asked.body:
        return refuses(400, "unknown parameter", param="response_format")
    return buys(asked)


def ignores_formats(asked: Asked) -> Any:
    asked.body.pop("response_format", None)
    return buys(asked)


def test_the_server_holds_the_answer_to_a_schema(server: FakeServer, endpoint: Endpoint) -> None:
    server.behave = buys
    for mode in ("auto", "json_schema"):
        chat = OpenAIChat(endpoint, schema_mode=mode)
        assert ask(chat, ASKED, Verdict, rng()).value.buy
        named = server.bodies(PATH)[-1]["response_format"]["json_schema"]
        assert named["strict"] is True
        assert named["schema"]["required"] == ["buy"]
        assert server.bodies(PATH)[-1]["messages"][-1]["content"] == "Is it raining?"


def test_words_hold_the_answer_to_a_schema(server: FakeServer, endpoint: Endpoint) -> None:
    server.behave = refuses_formats
    chat = OpenAIChat(endpoint, schema_mode="instruction")
    assert ask(chat, ASKED, Verdict, rng()).value.buy
    content = server.bodies(PATH)[0]["messages"][-1]["content"]
    assert content.startswith("Is it raining?\n\n")
    assert json.loads(content.partition("Schema:\n")[2])["required"] == ["buy"]


def test_auto_falls_back_where_the_server_refuses_and_remembers(
    server: FakeServer, endpoint: Endpoint
) -> None:
    server.behave = refuses_formats
    with Session() as session:
        chat = OpenAIChat(endpoint, session=session)
        assert ask(chat, ASKED, Verdict, rng()).attempts == 1
        assert ask(chat.named("other"), ASKED, Verdict, rng()).attempts == 1
        assert session.total.calls == 2
    assert ["response_format" in body for body in server.bodies(PATH)] == [True, False, False]


def test_auto_falls_back_where_the_server_ignores(server: FakeServer, endpoint: Endpoint) -> None:
    server.behave = ignores_formats
    assert ask(OpenAIChat(endpoint), ASKED, Verdict, rng()).attempts == 2
    assert ask(OpenAIChat(endpoint), ASKED, Verdict, rng()).attempts == 1


def test_a_schema_that_must_be_held_by_the_server_is_named(
    server: FakeServer, endpoint: Endpoint
) -> None:
    server.behave = refuses_formats
    with pytest.raises(MissingCapabilityError, match="response_format"):
        OpenAIChat(endpoint, schema_mode="json_schema").chat(ASKED, rng(), schema=SCHEMA)


def test_a_replay_falls_back_alike(server: FakeServer, tmp_path: Any) -> None:
    server.behave = refuses_formats
    path = tmp_path / "run"
    for kind in ("record", "replay"):
        with (
            Endpoint(server.url, "tiny") as endpoint,
            Session(**{kind: path}) as session,
        ):
            found = ask(OpenAIChat(endpoint, session=session), ASKED, Verdict, rng())
            assert found.value.buy
    assert len(server.asked) == 2


def test_max_tokens_has_another_name_in_some_servers(
    server: FakeServer, endpoint: Endpoint
) -> None:
    def newer(asked: Asked) -> Any:
        if "max_tokens" in asked.body:
            told = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return refuses(400, told, param="max_tokens")
        return None

    server.behave = newer
    chat = OpenAIChat(endpoint, max_tokens=9)
    for _ in range(2):
        chat.chat(ASKED, rng())
    sent = [body.get("max_completion_tokens") for body in server.bodies(PATH)]
    assert sent == [None, 9, 9]


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (SCHEMA, True),
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, False),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, False),
        ({"type": "array", "items": {}}, False),
        ({**SCHEMA, "$defs": {"x": {"type": "object"}}}, False),
        ({**SCHEMA, "$defs": {"x": dict(SCHEMA)}}, True),
        ({}, False),
    ],
)
def test_strictness_is_asked_for_where_it_can_be(schema: Any, strict: bool) -> None:
    assert ("strict" in response_format(schema)["json_schema"]) is strict


# --- many at once


def test_many_are_asked_at_once_and_never_more(endpoint: Endpoint, server: FakeServer) -> None:
    together = threading.Barrier(8, timeout=20)  # breaks unless 8 are asked at once

    def meets(asked: Asked) -> None:
        together.wait()

    server.behave = meets
    questions = [[Message("user", f"Question {i}?")] for i in range(40)]
    with Session(concurrency=8) as session:
        chat = OpenAIChat(endpoint, session=session)
        said = chat.chat_many(questions, [rng(i) for i in range(40)])
    assert said == [f"You said: Question {i}?" for i in range(40)]
    assert server.most_in_flight == 8
    assert server.connections <= 9


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_than_the_session_allows(
    endpoint: Endpoint, server: FakeServer, concurrency: int
) -> None:
    server.delay = 0.002
    with Session(concurrency=concurrency) as session:
        chat = OpenAIChat(endpoint, session=session)
        chat.chat_many([ASKED] * 20, [rng(i) for i in range(20)])
    assert server.most_in_flight <= concurrency


def test_many_are_as_one_by_one(endpoint: Endpoint, server: FakeServer) -> None:
    chat = OpenAIChat(endpoint)
    server.behave = lambda asked: chatted(f"{asked.body['seed']}")
    one = rng(3)
    assert chat.chat_many([ASKED] * 4, [one] * 4) == [
        chat.chat(ASKED, g) for g in [rng(3)] for _ in range(4)
    ]
    assert chat.chat_many([], []) == []


def test_one_bad_answer_of_many_is_raised_and_all_are_recorded(
    endpoint: Endpoint, server: FakeServer
) -> None:
    server.behave = lambda asked: chatted(None) if "3" in str(asked.body["messages"]) else None
    questions = [[Message("user", f"Question {i}?")] for i in range(6)]
    with Session() as session, pytest.raises(UnreadableError):
        OpenAIChat(endpoint, session=session).chat_many(questions, [rng()] * 6)
    assert session.total.calls == 6


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


@given(st.sampled_from(PLACES), JSON)
@settings(max_examples=40)
def test_whatever_comes_back_is_an_answer_or_one_of_our_errors(path: list[Any], value: Any) -> None:
    """One part of a right answer is replaced by something else."""
    answer: Any = chatted("Yes.")
    place = answer
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    _SHARED.behave = lambda asked: answer
    with Endpoint(_SHARED.url, "tiny") as endpoint:
        try:
            said = OpenAIChat(endpoint, session=quick()).chat(ASKED, rng())
        except AdapterError:
            return
    assert said == answer["choices"][0]["message"]["content"]


@pytest.fixture(scope="module", autouse=True)
def _shared() -> Iterator[None]:
    global _SHARED
    with FakeServer() as _SHARED:
        yield


_SHARED: FakeServer


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
        chat.named("")
    assert server.asked == []
    endpoint.close()
    with pytest.raises(AdapterError):
        chat.chat(ASKED, rng())
