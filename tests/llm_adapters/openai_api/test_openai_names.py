"""What records know servers and models by: no answer of one is given for another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_server import FakeServer, chatted

from llm_adapters.errors import CallError, MissingAnswerError
from llm_adapters.openai_api import Endpoint, OpenAIChat, OpenAIEmbedder, OpenAIModel
from llm_adapters.session import Budget, Prices, Retries, Session
from mechanisms.protocols import Message
from theory.errors import InvalidInputError

RAIN = [Message("user", "Is it raining?")]
PATH = "/chat/completions"
NOWHERE = "http://127.0.0.1:9/v1"


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def entries(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def ask(endpoint: Endpoint, agent: str = "model", **settings: Any) -> str:
    with Session(retries=Retries(attempts=1), **settings) as session:
        return OpenAIChat(endpoint, session=session, agent=agent).chat(RAIN, rng())


def test_two_servers_with_a_model_of_one_name_are_told_apart(
    server: FakeServer, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    with FakeServer(lambda asked: chatted("No.")) as other:
        with Endpoint(server.url, "tiny") as here, Endpoint(other.url, "tiny") as there:
            assert ask(here, record=path) == "You said: Is it raining?"
            assert ask(there, record=path) == "No."
            assert ask(here, record=path) == "You said: Is it raining?"
            assert ask(there, replay=path) == "No."
        assert len(server.asked) == len(other.asked) == 1
    differs = pytest.raises(MissingAnswerError, match=r"differs in body.server \(")
    with Endpoint(NOWHERE, "tiny") as nowhere, differs:
        ask(nowhere, replay=path)


def test_a_server_that_moves_keeps_the_name_it_was_given(
    server: FakeServer, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    with Endpoint(server.url, "tiny", known_as="lab") as before:
        ask(before, record=path)
    with Endpoint(NOWHERE, "tiny", known_as="lab") as after:
        assert ask(after, record=path) == ask(after, replay=path) == "You said: Is it raining?"
    assert "127.0.0.1" not in path.read_text(encoding="utf-8")
    with pytest.raises(InvalidInputError, match="known_as is not a name"):
        Endpoint(NOWHERE, "tiny", known_as="")


def test_the_only_model_goes_by_its_name_and_a_replay_needs_no_server(
    server: FakeServer, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    with Endpoint(server.url) as endpoint:
        with Session(record=path) as session:
            chat = OpenAIChat(endpoint, session=session, agent="ann")
            said = [chat.for_agent(name).chat(RAIN, rng()) for name in ("ann", "bob")]
            assert {name: used.calls for name, used in session.usage.items()} == {
                "endpoint": 1,
                "ann": 1,
                "bob": 1,
            }
        assert server.counts() == {"/models": 1, PATH: 2}
        assert [entry["model"] for entry in entries(path)] == [
            "(the only one listed)",
            "tiny",
            "tiny",
        ]
    with Endpoint(server.url) as endpoint, Session(replay=path) as session:
        chat = OpenAIChat(endpoint, session=session, agent="bob")
        assert [chat.chat(RAIN, rng()), chat.for_agent("ann").chat(RAIN, rng())] == said
    assert server.counts() == {"/models": 1, PATH: 2}


def test_another_only_model_does_not_go_on_with_the_answers_of_the_first(
    server: FakeServer, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    with Endpoint(server.url) as endpoint:
        ask(endpoint, "ann", record=path)
    server.script({"data": [{"id": "large"}]})
    with Endpoint(server.url) as endpoint:
        with pytest.raises(CallError, match=r"lists 'large' alone, and this run began with 'tiny'"):
            ask(endpoint, "bob", record=path)
        assert ask(endpoint, "ann", record=path) == "You said: Is it raining?"
    server.script({"data": [{"id": "large"}]})
    with Endpoint(server.url) as endpoint:
        ask(endpoint, "ann", record=tmp_path / "new")
    assert entries(tmp_path / "new")[1]["model"] == "large"


def test_prices_go_by_the_name_that_the_server_lists(server: FakeServer) -> None:
    prices = {"tiny": Prices(10**6, 10**6)}
    session = Session(budget=Budget(money=10**6), prices=prices)
    with Endpoint(server.url) as endpoint, session:
        OpenAIChat(endpoint, session=session, max_tokens=5).chat(RAIN, rng())
        assert session.total.money == 7 + 3


def test_each_adapter_says_the_server(server: FakeServer, tmp_path: Path) -> None:
    path = tmp_path / "run"
    with Endpoint(server.url) as endpoint, Session(record=path) as session:
        OpenAIModel(endpoint, end="</s>", session=session).log_prob("x", ["y"])
        OpenAIEmbedder(endpoint, session=session).embed(["Tea."])
    assert {entry["request"]["server"] for entry in entries(path)} == {server.url}
    assert server.counts() == {"/models": 1, "/completions": 1, "/embeddings": 1}
