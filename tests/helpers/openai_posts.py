"""One call to the fake server, and the error that comes of it."""

from __future__ import annotations

from typing import Any

import pytest
from fake_server import FakeServer, Reply

from llm_adapters.errors import (
    CallError,
)
from llm_adapters.openai_api import Endpoint
from mechanisms.protocols import Message

KEY = "sk-7f3a9c1e5b2d8046"
ASKED = [Message("user", "Is it raining?")]
BODY = {"messages": [{"role": "user", "content": "Is it raining?"}]}
PATH = "/chat/completions"


def post(server: FakeServer, *, seconds: float = 5.0, **settings: Any) -> Any:
    with Endpoint(server.url, "tiny", **settings) as endpoint:
        return endpoint.post(PATH, BODY, seconds)


def error_of(server: FakeServer, reply: Reply, **settings: Any) -> CallError:
    server.script(reply)
    with pytest.raises(CallError) as caught:
        post(server, **settings)
    return caught.value
