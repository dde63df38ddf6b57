"""The key of a server is in no error, no log and no record, and goes to nobody else."""

from __future__ import annotations

import base64
import copy
import dataclasses
import inspect
import json
import logging
import pickle
import re
import traceback
from itertools import permutations
from time import process_time
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from fake_server import FakeServer, Reply, chatted, refuses, says
from hypothesis import given, settings
from hypothesis import strategies as st
from openai_posts import ASKED, BODY, KEY, PATH, post

from llm_adapters.errors import (
    AdapterError,
    CallError,
)
from llm_adapters.openai_api import Endpoint, OpenAIChat, OpenAIModel
from llm_adapters.openai_api._secret import Secret
from llm_adapters.openai_api._transport import Transport
from llm_adapters.session import Retries, Session
from theory.errors import InvalidInputError


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


def _deep(depth: int, around: str) -> Reply:
    text = f'{{"error": {{"message": "{KEY}", "x": {around * depth}"{KEY}"'
    return Reply(400, (text + {"[": "]", '{"a":': "}"}[around] * depth + "}}").encode())


@pytest.mark.parametrize("around", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [98, 99, 600, 800, 950, 990, 5_000])
@pytest.mark.parametrize("status", [200, 400])
def test_an_answer_nested_at_any_depth_shows_no_key(
    server: FakeServer, depth: int, around: str, status: int
) -> None:
    server.script(dataclasses.replace(_deep(depth, around), status=status))
    with (
        Endpoint(server.url, "tiny", key=KEY) as endpoint,
        pytest.raises(CallError) as caught,
    ):
        endpoint.post(PATH, BODY, 5.0)
    assert KEY[:9] not in everything(caught.value)
    if status == 200:
        assert ("nested more than 100 deep" in str(caught.value)) is (depth > 98)


@pytest.mark.parametrize("written", ["correct-horse", "c%C3%B6rrect-horse"])
@pytest.mark.parametrize("status", [200, 407, 502])
def test_the_login_that_a_proxy_sends_back_is_not_shown(
    server: FakeServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    status: int,
    written: str,
) -> None:
    caplog.set_level("DEBUG")
    place = server.url.removeprefix("http://").removesuffix("/v1")
    monkeypatch.setenv("http_proxy", f"http://me:{written}@{place}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    password = unquote(written)
    sent = base64.b64encode(f"me:{password}".encode()).decode()
    told = f"Basic {sent} is {password}, or {written}"
    answered = chatted(told) if status == 200 else {"error": {"message": told}}
    server.script(says(answered, status, X_Login=f"Basic {sent}"))
    with Endpoint("http://example.com/v1", "m", key="") as endpoint:
        if status == 200:
            shown = str(endpoint.post(PATH, BODY, 5.0))
        else:
            with pytest.raises(CallError) as caught:
                endpoint.post(PATH, BODY, 5.0)
            shown = everything(caught.value)
    assert server.asked[0].headers["proxy-authorization"] == f"Basic {sent}"
    shown += caplog.text
    assert "Basic [key] is [key], or [key]" in shown
    assert not any(each in shown for each in (sent, password, written))


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError, RecursionError])
@pytest.mark.parametrize("where", ["find", "_blot"])
def test_what_stops_the_search_for_a_key_shows_no_key(
    server: FakeServer,
    monkeypatch: pytest.MonkeyPatch,
    stop: type[BaseException],
    where: str,
) -> None:
    def blotted(secret: Secret, text: str) -> str:
        key = secret._value
        if where == "find":
            try:
                raise ValueError(key)
            except ValueError as error:
                raise stop from error
        raise stop

    with Endpoint(server.url, "tiny", key=KEY) as endpoint:
        endpoint.post(PATH, BODY, 5.0)
        monkeypatch.setattr(Secret, "_blot", blotted)
        server.script(chatted(f"Your key is {KEY}."))
        with pytest.raises(stop) as caught:
            endpoint.post(PATH, BODY, 5.0)
        assert KEY[:9] not in everything(caught.value)
        for call in (endpoint.secret.redact, endpoint.secret.clean):
            with pytest.raises(stop) as caught:
                call("a text")
            assert KEY[:9] not in everything(caught.value)


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
        assert secret.redact(f"bad key {part} given") == "bad key [key] given"
        assert secret.clean({"text": part}) == {"text": "[key]"}
    assert secret.redact("bad key sk-0123 given") == "bad key sk-0123 given"
    assert Secret("[key]").redact("the [key] is [key]") == "the [key] is [key]"


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.parametrize("size", [2, 5, 8, 11])
@pytest.mark.parametrize(
    "around",
    [
        lambda parts: {"tokens": parts},
        lambda parts: {"tokens": ["It", " is", *parts, "."]},
        lambda parts: {"tokens": ["It", "", *parts]},
        lambda parts: [[part] for part in parts],
        lambda parts: [parts[:1], [parts[1:]]],
        lambda parts: [{"token": part, "logprob": -1.0} for part in parts],
        lambda parts: [{"more": {"rank": 0}, "tokens": [{"token": part}]} for part in parts],
        lambda parts: [{part: -1.0} for part in parts],
        lambda parts: dict.fromkeys(parts, -1.0),
        lambda parts: {"choices": [{"index": 0, "text": part} for part in parts]},
    ],
)
@pytest.mark.parametrize("key", ["sk-proj-Zq81nV0xT7rLw92mKd", "0123456789ab", "aB3-eF7_"])
def test_a_key_in_pieces_is_taken_out_of_all_of_them(key: str, size: int, around: Any) -> None:
    for shown in (key, key.swapcase()):
        found = json.dumps(Secret(key).clean(around(pieces(shown, size))))
        assert "[key]" in found
        for piece in pieces(shown, size):
            assert f'"{piece}"' not in found


def test_only_what_belongs_to_a_key_is_taken_out_of_pieces() -> None:
    secret = Secret("sk-0123456789abcdefghij")
    tokens = ["the sk-", "0123", "", "456789abcdefghij is", " a key", "sk-0123", "456", "fine"]
    told = ["the [key]", "[key]", "[key]", "[key] is", " a key", "sk-0123", "456", "fine"]
    assert secret.clean([tokens, {"n": 1, "text": "no key"}]) == [
        told,
        {"n": 1, "text": "no key"},
    ]
    assert secret.clean({"a": "sk-0123456", "b": "789abcdefgh"}) == {
        "a": "sk-0123456",
        "b": "789abcdefgh",
    }
    twice = secret.clean(["sk-0123456", "789abcdefghijsk-0123456", "789abcdefghij"])
    assert twice == ["[key]", "[key][key]", "[key]"]


@pytest.mark.parametrize("size", [1, 4, 8, 11])
def test_a_key_in_tokens_is_in_no_record(server: FakeServer, tmp_path: Any, size: int) -> None:
    tokens = ["It", " is ", *pieces(KEY, size)]
    places = [sum(map(len, tokens[:i])) for i in range(len(tokens))]
    logprobs = {"tokens": tokens, "token_logprobs": [-1.0] * len(tokens), "text_offset": places}
    choice = {"text": "".join(tokens), "finish_reason": "stop", "logprobs": logprobs}
    server.behave = lambda asked: {"choices": [choice]}
    path = tmp_path / "run"
    with Endpoint(server.url, "tiny", key=KEY) as endpoint, Session(record=path) as session:
        model = OpenAIModel(endpoint, end="\n", session=session)
        with pytest.raises(CallError, match="give back the text"):
            model.sample("?", 1, np.random.default_rng(0))
    hidden = json.dumps(["It", " is ", *["[key]"] * (len(tokens) - 2)], separators=(",", ":"))
    assert f'"text":"It is [key]","tokens":{hidden}' in path.read_text()


@pytest.mark.parametrize("order", [*permutations(range(3))], ids=str)
def test_a_key_cut_into_choices_is_in_no_record_whatever_their_order(
    server: FakeServer, tmp_path: Any, order: tuple[int, ...]
) -> None:
    cut = pieces(KEY, -(-len(KEY) // 3))
    logprobs = {"token_logprobs": [-1.0], "text_offset": [0]}
    choices = [
        {
            "index": at,
            "text": cut[at],
            "finish_reason": "stop",
            "logprobs": {**logprobs, "tokens": [cut[at]]},
        }
        for at in order
    ]
    server.behave = lambda asked: {"choices": choices}
    path = tmp_path / "run"
    with Endpoint(server.url, "tiny", key=KEY) as endpoint, Session(record=path) as session:
        model = OpenAIModel(endpoint, end="\n", session=session)
        with pytest.raises(CallError, match="3 choices when asked for 1"):  # then it scores them
            model.sample("?", 3, np.random.default_rng(0))
    told = "".join(re.findall('"text":"([^"]*)","tokens"', path.read_text()))
    assert "[key]" in told
    assert not any(KEY[at : at + 12] in told for at in range(len(KEY) - 11))


@pytest.mark.parametrize("text", ["", "\u00df\u0130\ufb03 ", "\u1e9e" * 30])
def test_case_does_not_hide_a_key(text: str) -> None:
    key = "sk-AbCdEfGhIjKlMnOpQrSt"
    secret = Secret(key)
    for shown in (key.lower(), key.upper(), key.swapcase(), key.upper()[3:18]):
        assert secret.redact(f"{text}{shown}{text}") == f"{text}[key]{text}"
        assert secret.clean({"text": f"{text}{shown}"}) == {"text": f"{text}[key]"}
    assert secret.redact(f"{text} SK-ABCD") == f"{text} [key]"
    assert Secret("EMPTY").redact("the answer is empty") == "the answer is empty"


def test_a_kind_of_content_shows_no_key(server: FakeServer) -> None:
    key = "sk-AbCdEfGhIjKlMnOpQrSt"
    kinds = [f"text/{key}", f"text/{key};x", f"text/{key.upper()}", f"text/{key[:7]}"]
    server.script(*(Reply(200, b"{}", {"Content-Type": kind}) for kind in kinds))
    with Endpoint(server.url, "tiny", key=key) as endpoint:
        for _ in kinds:
            with pytest.raises(CallError, match=r"\('text/\[key\]'\)") as caught:
                endpoint.post(PATH, BODY, 5.0)
            assert key.lower()[:7] not in everything(caught.value).lower()


@pytest.mark.parametrize("shown", [12, 18, 19], ids=["part", "longer", "key"])
def test_megabytes_of_parts_of_a_key_are_taken_out_in_time(shown: int) -> None:
    secret = Secret(KEY)
    times = 4_000_000 // (shown + 1)
    start = process_time()
    assert secret.clean(f"{KEY[:shown]}." * times) == "[key]." * times
    assert secret.redact("k" * 4_000_000) == "k" * 4_000_000
    assert Secret("k" * 30).clean("k" * 4_000_000) == "[key]"
    assert process_time() - start < 30  # with the square of the length it takes hours


@pytest.mark.parametrize("text", [f"{KEY}{KEY}", f"{KEY[:13]}{KEY}", f"{KEY[2:]}{KEY[:-2]}"])
def test_keys_side_by_side_are_taken_out_each(text: str) -> None:
    assert Secret(KEY).clean(f"a {text} b") == "a [key][key] b"


def test_an_interrupt_carries_no_frames_that_hold_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeServer() as server, Endpoint(server.url, "tiny", key=KEY) as endpoint:

        def interrupted(*arguments: Any, **options: Any) -> Any:
            headers = [(b"Authorization", KEY.encode())]
            raise KeyboardInterrupt(len(headers))

        monkeypatch.setattr(Transport, "_exchange", interrupted)
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
    assert key not in secret.redact(f"{text}{key}{text}").replace("[key]", "\0")
    assert key not in secret.clean([{key: [f"{text}{key}"]}])[0].__repr__().replace("[key]", "\0")
    assert not secret.redact(text + key[:-1]).endswith(key[:-1])


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


AT = "http://127.0.0.1:1/v1"
UNUSUAL = "abcd:1234_efgh"


@pytest.mark.parametrize("key", [KEY, UNUSUAL])
@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("nope", None, "KEY"), {}),
        ((AT, 5, "KEY"), {}),
        ((AT, "m", "KEY"), {"largest_reply": -1}),
        ((AT, "m", "KEY"), {"known_as": 3}),
        ((AT, "m", "KEY\n"), {}),
        ((AT, "m", b"KEY"), {}),
        ((AT, "m", ["KEY"]), {}),
        (("http://example.com", "m", "KEY"), {}),
        (("http://KEY", "m", "KEY"), {}),
        (("KEY", AT), {}),
        ((["KEY"], AT), {}),
        ((AT, ["KEY"]), {}),
        ((AT, b"KEY"), {}),
        ((AT, "m"), {"largest_reply": "KEY"}),
        ((AT, "m"), {"known_as": {"KEY": 1}}),
        (("http://u:KEY@127.0.0.1:1/v1", "m"), {}),
        (("http://u:KEY@127.0.0.1:99999/v1", "m"), {}),
        (("http://u:KEY@exa mple.com", "m"), {}),
        ((f"{AT}?key=KEY", "m"), {}),
        ((f"{AT}#KEY", "m"), {}),
        (("KEY://example.com", "m"), {}),
        (("gopher://example.com/?KEY", "m"), {}),
    ],
)
def test_a_refused_endpoint_shows_no_key(given: tuple[Any, ...], named: Any, key: str) -> None:
    def filled(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(filled(item) for item in value)
        if isinstance(value, dict):
            return {filled(name): filled(item) for name, item in value.items()}
        if isinstance(value, bytes):
            return value.replace(b"KEY", key.encode())
        return value.replace("KEY", key) if isinstance(value, str) else value

    base_url, model, *rest = filled(given)
    endpoint = Endpoint.__new__(Endpoint)
    with pytest.raises(InvalidInputError) as caught:
        inspect.unwrap(Endpoint.__init__)(
            endpoint, base_url, model, key=rest[0] if rest else None, **filled(named)
        )
    assert key[:9] not in everything(caught.value)
    assert key[:9] not in repr(endpoint)


def test_the_key_of_the_environment_is_in_no_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    with pytest.raises(InvalidInputError, match="OPENAI_API_KEY cannot be a key") as caught:
        inspect.unwrap(Endpoint.__init__)(Endpoint.__new__(Endpoint), AT, "m")
    assert KEY not in everything(caught.value)


@pytest.mark.parametrize(
    ("argument", "value"), [("model", ""), ("model", 5), ("largest_reply", -1)]
)
def test_what_is_refused_is_shown_where_it_can_be_no_key(argument: str, value: Any) -> None:
    with pytest.raises(InvalidInputError, match=argument) as caught:
        inspect.unwrap(Endpoint.__init__)(Endpoint.__new__(Endpoint), AT, **{argument: value})
    assert f"(got {value!r})" in str(caught.value)


def test_a_key_for_an_endpoint_is_not_shown() -> None:
    with pytest.raises(InvalidInputError, match="endpoint is not an Endpoint") as caught:
        inspect.unwrap(OpenAIChat.__init__)(OpenAIChat.__new__(OpenAIChat), UNUSUAL)
    assert UNUSUAL not in str(caught.value) + repr(caught.value.args)
