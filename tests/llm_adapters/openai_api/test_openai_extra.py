"""What else may go into requests: no secret, since all of it stands in the record."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from llm_adapters.openai_api import Endpoint, OpenAIChat, OpenAIEmbedder, OpenAIModel
from theory.errors import InvalidInputError

KEY = "sk-7f3a9c1e5b2d8046"
SECRET = "hunter2-hunter2"


def refusal(kind: Any, extra: Any) -> InvalidInputError:
    more = {"end": "</s>"} if kind is OpenAIModel else {}
    endpoint = Endpoint("https://example.com/v1", "m", key=KEY)
    with endpoint, pytest.raises(InvalidInputError) as caught:
        inspect.unwrap(kind.__init__)(kind.__new__(kind), endpoint, extra=extra, **more)
    assert caught.value.argument.startswith("extra")
    for text in (SECRET, KEY):
        assert text not in str(caught.value) + repr(caught.value.args)
    return caught.value


@pytest.mark.parametrize("kind", [OpenAIChat, OpenAIModel, OpenAIEmbedder])
@pytest.mark.parametrize(
    ("extra", "place"),
    [
        ({"metadata": {"authorization": f"Bearer {SECRET}"}}, "metadata.authorization"),
        ({"metadata": {"note": f"Bearer {SECRET}"}}, "metadata.note"),
        ({"metadata": {"note": f"Basic {SECRET}"}}, "metadata.note"),
        ({"plugins": [{"server": {"X-API-Key": SECRET}}]}, "plugins[0].server.X-API-Key"),
        ({"a": [[{"clientSecret": SECRET}]]}, "a[0][0].clientSecret"),
        ({"a": {"access_token": SECRET}}, "a.access_token"),
        ({"Proxy-Authorization": SECRET}, "Proxy-Authorization"),
        ({"db_password": SECRET}, "db_password"),
        ({"user": f"me {KEY}"}, "user"),
        ({"user": {KEY: 1}}, "user"),
        ({"headers": {"Accept": "text/plain"}}, "headers"),
        (
            {"guided_json": {"properties": {"authorization": f"x {SECRET}"}}},
            "guided_json.properties.auth",
        ),
    ],
)
def test_secrets_are_refused_at_any_depth(kind: Any, extra: Any, place: str) -> None:
    error = refusal(kind, extra)
    assert error.problem == "may hold a key"
    assert str(error.value).startswith(place)


@pytest.mark.parametrize("name", ["extra_headers", "extra_query", "extra_body", "timeout"])
def test_options_of_the_client_are_refused(name: str) -> None:
    assert refusal(OpenAIChat, {name: {"a": 1}}).problem == "is an option of the client"


def test_what_holds_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop |= {"a": loop, "b": loop}
    refusal(OpenAIChat, loop)


@pytest.mark.parametrize(
    "extra",
    [
        {"top_k": 20, "stop_token_ids": [5], "skip_special_tokens": True, "user": "me"},
        {"logit_bias": {"5": -100}, "prompt_cache_key": "demo", "token_type": "word"},
        {"guided_json": {"properties": {"key": {"type": "string"}, "token": {}}}},
        {"metadata": {"note": "the bearer of this"}},
    ],
)
def test_what_is_no_secret_is_let(extra: Any) -> None:
    with Endpoint("https://example.com/v1", "m", key=KEY) as endpoint:
        assert OpenAIChat(endpoint, extra=extra)
