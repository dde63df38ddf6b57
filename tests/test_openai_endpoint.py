"""A server behind one client: what fails becomes the right error, and the key is nowhere."""

from __future__ import annotations

import copy
import inspect
import json
import logging
import pickle
import socket
import time
import traceback
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest
from fake_server import FakeServer, Reply, chatted, refuses, says
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_adapters.errors import (
    AdapterError,
    CallError,
    MissingCapabilityError,
    TransientError,
)
from llm_adapters.openai_api import Endpoint, OpenAIChat
from llm_adapters.openai_api._failures import failure, retry_after
from llm_adapters.openai_api._secret import Secret
from llm_adapters.openai_api._transport import Transport
from llm_adapters.session import Retries, Session
from mechanisms.protocols import Message
from theory.errors import InvalidInputError

KEY = "sk-7f3a9c1e5b2d8046"
ASKED = [Message("user", "Is it raining?")]
BODY = {"messages": [{"role": "user", "content": "Is it raining?"}]}
PATH = "/chat/completions"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


def post(server: FakeServer, *, seconds: float = 5.0, **settings: Any) -> Any:
    with Endpoint(server.url, "tiny", **settings) as endpoint:
        return endpoint.post(PATH, BODY, seconds)


def error_of(server: FakeServer, reply: Reply, **settings: Any) -> CallError:
    server.script(reply)
    with pytest.raises(CallError) as caught:
        post(server, **settings)
    return caught.value


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


# --- the key


def everything(error: BaseException) -> str:
    """Return all that can be read off an error: those it came from, and what our frames hold."""
    seen: list[str] = []
    chain: list[BaseException | None] = [error]
    while chain:
        one = chain.pop()
        if one is None:
            continue
        chain += [one.__cause__, one.__context__]
        seen += [str(one), repr(one), repr(one.args), repr(vars(one))]
        frames = traceback.StackSummary.extract(
            traceback.walk_tb(one.__traceback__), capture_locals=True
        )
        seen += [str(frame.locals) for frame in frames if frame.filename != __file__]
    return "\n".join(seen)


LEAKS = [
    refuses(401, f"Incorrect API key provided: {KEY}."),
    says({"detail": f"Bearer {KEY}"}, 403),
    says({"error": {"message": "bad", "param": KEY, "code": KEY, "type": KEY}}, 400),
    Reply(401, f"<p>{KEY}</p>".encode(), {"Content-Type": "text/html"}),
    Reply(401, KEY.encode(), {"Content-Type": KEY}),
    Reply(401, f'{{"error": "{KEY}'.encode(), {}),
    Reply(401, f'{{"error": "no {KEY[:9]}'.encode(), {}),
    Reply(401, ("x" * 290 + KEY * 3).encode(), {"Content-Type": "text/plain"}),
    Reply(307, headers={"Location": f"http://example.com/{KEY}"}),
    Reply(200, KEY.encode(), {"Content-Type": f"text/{KEY}"}),
    Reply(200, KEY.encode(), {"Content-Encoding": f"{KEY}"}),
    Reply(401, json.dumps({"error": "".join(f"\\u{ord(c):04x}" for c in KEY)}).encode(), {}),
    Reply(401, b'{"error": "' + "".join(f"\\u{ord(c):04x}" for c in KEY).encode() + b'"}', {}),
    refuses(503, KEY),
    Reply(headers={KEY + " ": "x"}),
    Reply(401, headers={"x-request-id": KEY}),
    Reply(body=KEY.encode() * 3, cut=20),
]


@pytest.mark.parametrize("reply", LEAKS, ids=range(len(LEAKS)))
def test_the_key_is_in_no_error_and_no_log(
    server: FakeServer, reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script(reply)
    with Endpoint(server.url, "tiny", key=KEY) as endpoint:
        with pytest.raises(CallError) as caught:
            endpoint.post(PATH, BODY, 5.0)
        assert KEY not in repr(endpoint)
    shown = everything(caught.value)
    assert KEY[:9] not in shown
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    logged = "\n".join(f"{one.getMessage()} {one.__dict__}" for one in caplog.records)
    assert "receive_response_headers" in logged
    assert KEY not in logged


def test_the_search_for_keys_finds_one() -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(f"[{KEY}")
    caught.value.doc = ""
    assert KEY in everything(caught.value)  # in a frame of the library


def test_the_key_is_in_no_record_and_no_answer(server: FakeServer, tmp_path: Any) -> None:
    server.script(refuses(503, KEY), chatted(f"Your key is {KEY}."))
    path = tmp_path / "run"
    quick = Retries(first=0.0)
    with (
        Endpoint(server.url, "tiny", key=KEY) as endpoint,
        Session(record=path, retries=quick) as session,
    ):
        chat = OpenAIChat(endpoint, session=session)
        said = chat.chat(ASKED, np.random.default_rng(0))
        shown = repr(chat) + repr(session) + str(session) + session._repr_html_()
    assert said == "Your key is [key]."
    assert KEY not in path.read_text() + shown


def test_a_word_for_a_key_is_left_in_answers(server: FakeServer) -> None:
    server.script(chatted("It is EMPTY."), refuses(401, "EMPTY is no key"))
    with Endpoint(server.url, "tiny", key="EMPTY") as endpoint:
        said = endpoint.post(PATH, BODY, 5.0)
        assert said["choices"][0]["message"]["content"] == "It is EMPTY."
        with pytest.raises(CallError) as caught:
            endpoint.post(PATH, BODY, 5.0)
    assert "EMPTY" not in str(caught.value)


def test_long_parts_of_a_key_are_not_shown() -> None:
    key = "sk-0123456789abcdefghij"
    secret = Secret(key)
    for part in (key[:-1], key[3:], key[4:18]):
        assert secret.redacted(f"bad key {part} given") == "bad key [key] given"
        assert secret.cleaned({"text": part}) == {"text": "[key]"}
    assert secret.redacted("bad key sk-0123 given") == "bad key sk-0123 given"
    assert Secret("[key]").redacted("the [key] is [key]") == "the [key] is [key]"


def test_an_interrupt_carries_no_frames_that_hold_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeServer() as server, Endpoint(server.url, "tiny", key=KEY) as endpoint:

        def interrupted(*arguments: Any, **options: Any) -> Any:
            headers = [(b"Authorization", KEY.encode())]
            raise KeyboardInterrupt(len(headers))

        monkeypatch.setattr(Transport, "_exchanged", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            endpoint.post("/chat/completions", {"model": "tiny", "messages": []}, 5.0)
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    told = "".join(shown.format())
    assert "KeyboardInterrupt" in told
    assert KEY not in told


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8), st.text())
@settings(max_examples=80)
def test_nothing_of_a_key_is_left(key: str, text: str) -> None:
    secret = Secret(key)
    assert key not in secret.redacted(f"{text}{key}{text}").replace("[key]", "\0")
    assert key not in secret.cleaned([{key: [f"{text}{key}"]}])[0].__repr__().replace("[key]", "\0")
    assert not secret.redacted(text + key[:-1]).endswith(key[:-1])


def test_endpoints_are_copied_as_themselves_and_never_written(server: FakeServer) -> None:
    with Endpoint(server.url, "tiny", key=KEY) as endpoint:
        chat = OpenAIChat(endpoint)
        assert copy.copy(endpoint) is endpoint
        assert copy.deepcopy([chat])[0].endpoint is endpoint
        for one in (endpoint, chat):
            with pytest.raises(AdapterError, match="key"):
                pickle.dumps(one)
        with pytest.raises(TypeError, match="key"):
            pickle.dumps(Secret(KEY))


def test_the_key_of_the_environment(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    post(server)
    post(server, key="another-key")
    post(server, key="")
    monkeypatch.delenv("OPENAI_API_KEY")
    post(server)
    sent = [asked.headers.get("authorization") for asked in server.asked]
    assert sent == [f"Bearer {KEY}", "Bearer another-key", None, None]


@pytest.mark.parametrize("key", ["two words", "line\nend", "schlüssel", "tab\t", 7, b"bytes"])
def test_what_cannot_be_a_key_is_refused_and_not_shown(key: Any) -> None:
    with pytest.raises(InvalidInputError, match="cannot be a key") as caught:
        inspect.unwrap(Endpoint.__init__)(
            Endpoint.__new__(Endpoint), "https://example.com/v1", key=key
        )
    assert str(key) not in str(caught.value) + repr(caught.value.args)


@pytest.mark.parametrize(
    "host", ["example.com", "10.0.0.7:8000", "127.0.0.1.example.com", "[2::1]"]
)
def test_a_key_does_not_cross_the_network_in_the_clear(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInputError, match="show the key") as caught:
        Endpoint(f"http://{host}/v1", "m", key=KEY)
    assert KEY not in str(caught.value)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(InvalidInputError, match="show the key"):
        Endpoint(f"http://{host}/v1", "m")
    Endpoint(f"http://{host}/v1", "m", key="")
    Endpoint(f"https://{host}/v1", "m")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.3.2.1:80", "[::1]:8000"])
def test_a_key_goes_to_this_machine(host: str) -> None:
    assert KEY not in repr(Endpoint(f"http://{host}/v1", "m", key=KEY))


# --- addresses and the environment


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("http://user:hunter2@example.com/v1", "hunter2"),
        ("https://example.com/v1?key=hunter2", "hunter2"),
        ("https://example.com/v1#hunter2", "hunter2"),
        ("http://user:hunter2@exa mple.com", "hunter2"),
        ("example.com/v1", None),
        ("ftp://example.com", None),
        ("http://", None),
        ("http://example.com:99999", None),
        ("http://example.com:0", None),
        ("http://exa\nmple.com", None),
        ("http://[::1", None),
        ("", None),
        (7, None),
        (None, None),
    ],
)
def test_what_is_no_address_is_refused(url: Any, secret: str | None) -> None:
    with pytest.raises(InvalidInputError) as caught:
        inspect.unwrap(Endpoint.__init__)(Endpoint.__new__(Endpoint), url, "m")
    assert caught.value.argument == "base_url"
    assert secret is None or secret not in str(caught.value) + repr(caught.value.args)


@pytest.mark.parametrize("model", ["", 7, b"m"])
def test_what_is_no_model_is_refused(model: Any) -> None:
    with pytest.raises(InvalidInputError, match="model is not a name"):
        inspect.unwrap(Endpoint.__init__)(Endpoint.__new__(Endpoint), "http://[::1]", model)


@pytest.mark.parametrize("size", [0, -1, True, 1.5, 2**60])
def test_what_is_no_size_is_refused(size: Any) -> None:
    with pytest.raises(InvalidInputError, match="largest_reply"):
        inspect.unwrap(Endpoint.__init__)(
            Endpoint.__new__(Endpoint), "http://[::1]", largest_reply=size
        )


def test_nothing_of_the_environment_goes_to_the_server(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password hunter2\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: hunter2\nX-Other: hunter2")
    for name in ("ADMIN_KEY", "ORG_ID", "PROJECT_ID", "BASE_URL", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", "http://127.0.0.1:9/hunter2")
    post(server)
    post(server, key=KEY)
    assert "hunter2" not in str(server.asked)
    assert "authorization" not in server.asked[0].headers
    assert server.asked[1].headers["authorization"] == f"Bearer {KEY}"
    sent = {"host", "accept", "content-type", "content-length", "accept-encoding", "user-agent"}
    assert set(server.asked[0].headers) == sent


@pytest.mark.parametrize("login", ["", "me:hunter2@"])
def test_other_hosts_are_reached_by_the_proxy_of_the_environment(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, login: str
) -> None:
    place = server.url.removeprefix("http://").removesuffix("/v1")
    monkeypatch.setenv("http_proxy", f"http://{login}{place}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    server.script(chatted("Yes."))
    with Endpoint("http://example.com/v1", "m", key="") as endpoint:
        endpoint.post(PATH, BODY, 5.0)
    assert server.asked[0].path == f"http://example.com/v1{PATH}"
    assert ("proxy-authorization" in server.asked[0].headers) is bool(login)
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:9")
    with (
        Endpoint("http://example.com/v1", "m", key="") as endpoint,
        pytest.raises(MissingCapabilityError, match="socks5"),
    ):
        endpoint.post(PATH, BODY, 5.0)


# --- models and connections


def test_the_only_model_is_found_once(server: FakeServer) -> None:
    with Endpoint(server.url) as endpoint:
        assert endpoint.models() == ("tiny",)
        endpoint.post(PATH, BODY, 5.0)
        endpoint.post(PATH, BODY, 5.0)
    assert server.counts() == {"/models": 2, PATH: 2}
    assert [body["model"] for body in server.bodies(PATH)] == ["tiny", "tiny"]


@pytest.mark.parametrize("names", [[], ["a", "b"]])
def test_no_model_is_guessed(server: FakeServer, names: list[str]) -> None:
    server.script({"data": [{"id": name} for name in names]})
    with Endpoint(server.url) as endpoint, pytest.raises(CallError, match="name one"):
        endpoint.post(PATH, BODY, 5.0)


@pytest.mark.parametrize("data", [{}, {"data": 7}, {"data": [7]}, {"data": [{"id": None}]}])
def test_a_list_of_models_that_is_none(server: FakeServer, data: Any) -> None:
    server.script(data)
    with Endpoint(server.url) as endpoint, pytest.raises(CallError, match="cannot be read"):
        endpoint.post(PATH, BODY, 5.0)


def test_one_connection_serves_many_calls(server: FakeServer) -> None:
    with Endpoint(server.url, "tiny") as endpoint:
        for _ in range(5):
            endpoint.post(PATH, BODY, 5.0)
    assert server.connections == 1


def test_a_closed_endpoint_is_an_error(server: FakeServer) -> None:
    with Endpoint(server.url, "tiny") as endpoint:
        endpoint.post(PATH, BODY, 5.0)
    endpoint.close()
    with pytest.raises(CallError, match="closed"):
        endpoint.post(PATH, BODY, 5.0)
