"""Many conversations at once with a chat model behind a server."""

from __future__ import annotations

import threading

import pytest
from fake_server import Asked, FakeServer, chatted
from openai_chats import ASKED, rng

from llm_adapters.errors import (
    UnreadableError,
)
from llm_adapters.openai_api import Endpoint, OpenAIChat
from llm_adapters.session import Session
from mechanisms.protocols import Message


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
