"""Embeddings from a server."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from fake_server import Asked, FakeServer
from protocol_cases import check_embedder

from llm_adapters.errors import (
    CallError,
)
from llm_adapters.openai_api import Endpoint, OpenAIEmbedder
from theory.errors import InvalidInputError


def embeds(asked: Asked) -> Any:
    """Give each text a vector of its letters, the last text first."""
    rows = [
        {"index": i, "embedding": [len(text), sum(map(ord, text)) % 97, 1]}
        for i, text in enumerate(asked.body["input"])
    ]
    return {"data": rows[::-1], "usage": {"prompt_tokens": 2}}


@pytest.mark.parametrize("batch", [1, 2, 64])
def test_embedders_keep_the_protocol(server: FakeServer, endpoint: Endpoint, batch: int) -> None:
    server.behave = embeds
    check_embedder(OpenAIEmbedder(endpoint, batch=batch))
    assert max(len(body["input"]) for body in server.bodies("/embeddings")) <= batch
    assert {body["encoding_format"] for body in server.bodies("/embeddings")} == {"float"}


ROW = {"index": 0, "embedding": [1.0, 2.0]}


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        [ROW],
        [ROW, ROW],
        [ROW, {"index": 1, "embedding": []}],
        [ROW, {"index": 1, "embedding": [1.0]}],
        [ROW, {"index": 1, "embedding": [1.0, None]}],
        [ROW, {"index": 1, "embedding": [1.0, float("nan")]}],
        [ROW, {"index": 1, "embedding": [1.0, float("inf")]}],
        [ROW, {"index": 1, "embedding": [1.0, True]}],
        [ROW, {"index": 1, "embedding": "AACAPw=="}],
        [ROW, {"index": 2, "embedding": [1.0, 2.0]}],
        [ROW, 7],
    ],
)
def test_vectors_that_are_none(server: FakeServer, endpoint: Endpoint, data: Any) -> None:
    server.script({"data": data})
    with pytest.raises(CallError):
        OpenAIEmbedder(endpoint).embed(["a", "b"])


def test_vectors_of_several_dimensions(server: FakeServer, endpoint: Endpoint) -> None:
    server.script({"data": [ROW]}, {"data": [{"index": 0, "embedding": [1.0]}]})
    with pytest.raises(CallError, match="several dimensions"):
        OpenAIEmbedder(endpoint, batch=1).embed(["a", "b"])


@pytest.mark.parametrize("texts", ["text", [None], 7])
def test_what_are_no_texts(server: FakeServer, endpoint: Endpoint, texts: Any) -> None:
    with pytest.raises(InvalidInputError):
        inspect.unwrap(OpenAIEmbedder.embed)(OpenAIEmbedder(endpoint), texts)
    assert server.asked == []
