"""A chat model behind a server: what is sent, answers that are none, failures and accounts."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from fake_server import FakeServer, Reply, chatted, refuses
from openai_chats import ASKED, PATH, quick, rng
from protocol_cases import SCHEMA, check_chat_model

from llm_adapters.errors import (
    BudgetSpentError,
    CallError,
    MissingAnswerError,
    TransientError,
    UnreadableError,
)
from llm_adapters.openai_api import Endpoint, OpenAIChat
from llm_adapters.session import Budget, Prices, Session
from mechanisms.protocols import Message


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
        chat.for_agent("seller").chat(ASKED, rng())
        chat.for_agent("seller").chat(ASKED, rng())
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
