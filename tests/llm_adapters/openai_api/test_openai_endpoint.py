"""A server behind one client: what fails becomes the right error."""

from __future__ import annotations

import json
import socket
import time
from email.utils import formatdate
from typing import Any

import pytest
from fake_server import FakeServer, Reply, chatted, refuses, says
from hypothesis import given, settings
from hypothesis import strategies as st
from openai_posts import BODY, KEY, PATH, error_of, post

from llm_adapters.errors import (
    CallError,
    MissingCapabilityError,
    TransientError,
)
from llm_adapters.openai_api import Endpoint
from llm_adapters.openai_api._failures import failure, retry_after

# --- what may pass, and what will not


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_statuses_that_may_pass(server: FakeServer, status: int) -> None:
    error = error_of(server, refuses(status, "not now"))
    assert type(error) is TransientError
    assert str(status) in str(error)
    assert "not now" in str(error)
    assert not error.spent


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 410, 413, 418, 422])
def test_statuses_that_will_not(server: FakeServer, status: int) -> None:
    error = error_of(server, refuses(status, "never"))
    assert type(error) is CallError
    assert "never" in str(error)


@pytest.mark.parametrize("path", ["/completions", "/embeddings"])
@pytest.mark.parametrize(
    ("reply", "lacks"),
    [
        (refuses(404, "Not Found"), True),
        (refuses(405, "Method Not Allowed"), True),
        (Reply(404, b"<html>nothing here</html>", {"Content-Type": "text/html"}), True),
        (refuses(404, "This is a chat model and not supported in v1/completions"), True),
        (refuses(404, "The model `tiny` does not exist."), False),
        (refuses(404, "model 'tiny' not found, try pulling it first"), False),
        (refuses(404, "Unknown model"), False),
    ],
)
def test_a_chat_server_lacks_other_paths(
    server: FakeServer, path: str, reply: Reply, lacks: bool
) -> None:
    server.script(reply)
    with Endpoint(server.url, "tiny") as endpoint, pytest.raises(CallError) as caught:
        endpoint.post(path, BODY, 5.0)
    assert isinstance(caught.value, MissingCapabilityError) is lacks
    if lacks:
        assert caught.value.problem.startswith(f"there is no {path}: ")
    assert "base_url" in caught.value.fix


@pytest.mark.parametrize(
    ("reply", "spent"),
    [
        (says(chatted("Yes."), Content_Type="text/html"), True),
        (Reply(body=b'{"choices": [{"mess'), True),
        (Reply(body=b"[1, 2]"), True),
        (Reply(body=b'"text"'), True),
        (Reply(body=b""), True),
        (Reply(body=b"\xff\xfe{}"), True),
        (Reply(body=b"[" * 100_000), True),
        (Reply(body=json.dumps(chatted("Yes.")).encode(), cut=40), True),
        (Reply(reset=True), True),
        (
            Reply(status=503, body=b"<html>busy</html>", headers={"Content-Type": "text/html"}),
            False,
        ),
        (says({"error": {"code": 503, "message": "upstream"}}), False),
    ],
    ids=lambda value: "" if isinstance(value, bool) else repr(value.body[:12]),
)
def test_answers_that_are_none_may_come_the_next_time(
    server: FakeServer, reply: Reply, spent: bool
) -> None:
    error = error_of(server, reply)
    assert type(error) is TransientError
    assert error.spent is spent
    assert post(server)["choices"]


@pytest.mark.parametrize("by", ["length", "body"])
def test_too_large_an_answer_is_not_read(server: FakeServer, by: str) -> None:
    headers = {"Content-Length": "", "Connection": "close"} if by == "body" else {}
    reply = Reply(body=b'"' + b"x" * 10_000_000 + b'"', headers=headers)
    error = error_of(server, reply)
    assert type(error) is CallError
    assert "4,000,000" in str(error)
    assert post(server)["choices"]


def test_the_largest_answer_is_read(server: FakeServer) -> None:
    body = json.dumps(chatted("Yes.")).encode()
    server.script(Reply(body=body), Reply(body=body))
    assert post(server, largest_reply=len(body))["choices"]
    with pytest.raises(CallError, match="more than"):
        post(server, largest_reply=len(body) - 1)


def test_a_compressed_answer_is_refused(server: FakeServer) -> None:
    error = error_of(server, says(chatted("Yes."), Content_Encoding="gzip"))
    assert "compressed" in str(error)
    assert server.asked[0].headers["accept-encoding"] == "identity"


def test_redirects_are_not_followed(server: FakeServer) -> None:
    with FakeServer() as other:
        headers = {"Location": f"{other.url}{PATH}"}
        error = error_of(server, Reply(307, headers=headers), key=KEY)
        assert other.asked == []
    assert type(error) is CallError
    assert "307" in str(error)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(hang=True),
        Reply(body=b" " * 10_000, drip=0.005),
        Reply(drip_head=0.005, headers={"X-Long": "x" * 10_000}),
    ],
    ids=["hangs", "drips", "drips headers"],
)
def test_the_time_limit_is_for_everything_together(server: FakeServer, reply: Reply) -> None:
    server.script(reply)
    began = time.monotonic()
    with pytest.raises(TransientError, match="time limit") as caught:
        post(server, seconds=0.05)
    assert caught.value.spent
    assert time.monotonic() - began < 5  # dripping to its end takes 50 s, hanging 30


def test_no_time_left(server: FakeServer) -> None:
    with pytest.raises(TransientError, match="time limit") as caught:
        post(server, seconds=0.0)
    assert not caught.value.spent
    assert server.asked == []


def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with Endpoint(f"http://127.0.0.1:{port}/v1", "tiny") as endpoint:
            with pytest.raises(TransientError, match="no connection") as caught:
                endpoint.post(PATH, BODY, 5.0)
            assert not caught.value.spent


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.25"}, 0.25),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": formatdate(1e9 + 40, usegmt=True), "Date": formatdate(1e9)}, 40.0),
        ({"Retry-After": formatdate(1e9, usegmt=True), "Date": formatdate(1e9 + 40)}, 0.0),
        ({"Retry-After": formatdate(1e9, usegmt=True)}, 0.0),
        ({"Retry-After": "Mon, 99 Foo 20000 00:00:00 GMT"}, None),
    ],
)
def test_how_long_the_server_asks_to_wait(
    server: FakeServer, headers: dict[str, str], seconds: float | None
) -> None:
    reply = refuses(429, "slow down")
    error = error_of(server, Reply(429, reply.body, headers))
    assert isinstance(error, TransientError)
    assert error.retry_after == seconds


def test_a_date_without_the_servers_clock() -> None:
    found = retry_after({"retry-after": formatdate(time.time() + 1000, usegmt=True)})
    assert found is not None
    assert 900 < found <= 1000


@given(st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=60)
def test_any_header_is_read(first: str, second: str) -> None:
    found = retry_after({"retry-after": first, "date": second})
    assert found is None or 0 <= found < float("inf")


@pytest.mark.parametrize(
    "fields",
    [
        {"code": "insufficient_quota"},
        {"type": "insufficient_quota"},
        {"code": "billing_not_active"},
    ],
)
def test_a_quota_that_is_spent_does_not_come_back(server: FakeServer, fields: Any) -> None:
    error = error_of(server, says({"error": {"message": "no", **fields}}, 429, Retry_After="1"))
    assert type(error) is CallError
    assert "account" in str(error)


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        (refuses(400, "no", param="response_format"), "response_format"),
        (refuses(400, "no", param="response_format.json_schema"), "response_format"),
        (refuses(400, "Unrecognized request argument supplied: logprobs"), "logprobs"),
        (refuses(422, "echo is not supported with chat models"), "echo"),
        (refuses(400, "only one completion: `n` must be 1"), "n"),
        (says({"detail": [{"loc": ["body", "seed"], "msg": "extra"}]}, 422), "seed"),
        (refuses(501, "response_format: not implemented"), "response_format"),
        (says({"object": "error", "message": "n=5 is too many"}, 400), "n"),
    ],
)
def test_a_parameter_that_is_refused_is_named(server: FakeServer, reply: Reply, name: str) -> None:
    error = error_of(server, reply)
    assert isinstance(error, MissingCapabilityError)
    assert f"does not take {name} " in str(error)


@pytest.mark.parametrize("told", ["an image is too large", "context of 5 tokens", "no", ""])
def test_other_refusals_name_no_parameter(server: FakeServer, told: str) -> None:
    assert type(error_of(server, refuses(400, told))) is CallError


@given(
    st.integers(400, 599),
    st.recursive(
        st.none() | st.text(max_size=9) | st.integers() | st.sampled_from(["error", "message"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["error", "message", "param", "code"]), inner)
        ),
        max_leaves=6,
    ),
)
@settings(max_examples=100)
def test_whatever_stands_in_a_refusal_it_is_one_of_our_errors(status: int, data: Any) -> None:
    error = failure(status, PATH, data, {})
    assert isinstance(error, CallError)
    assert str(error)
