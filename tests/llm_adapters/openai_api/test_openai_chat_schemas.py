"""A chat model behind a server that is held to a schema, by the server or by words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fake_server import Asked, FakeServer, chatted, refuses
from openai_chats import ASKED, PATH, rng
from protocol_cases import SCHEMA
from pydantic import BaseModel, ConfigDict

from llm_adapters.errors import (
    MissingCapabilityError,
)
from llm_adapters.openai_api import Endpoint, OpenAIChat
from llm_adapters.openai_api._chat import response_format
from llm_adapters.session import Session
from llm_adapters.structured import ask


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
        assert ask(chat.for_agent("other"), ASKED, Verdict, rng()).attempts == 1
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
