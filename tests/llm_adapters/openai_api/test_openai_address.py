"""Addresses of servers, what the environment says of them, their models and connections."""

from __future__ import annotations

import base64
import inspect
import ssl
import traceback
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer, chatted
from openai_posts import BODY, KEY, PATH, post

from llm_adapters.errors import (
    CallError,
    MissingCapabilityError,
    TransientError,
)
from llm_adapters.openai_api import Endpoint
from llm_adapters.openai_api._transport import _make_ssl_context
from theory.errors import InvalidInputError

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
        ("http://" + "a" * 64, None),
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


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "all_proxy"])
@pytest.mark.parametrize(
    "proxy",
    [
        "socks5://me:hunter2@127.0.0.1:9",
        "hunter2://127.0.0.1:9",
        "http://me:hunter2/more@127.0.0.1:9",
        "http://me:2222/hunter2@127.0.0.1:9",
        "http://me:hunter2#more@127.0.0.1:9",
        "http://me:hunter2?more@127.0.0.1:9",
        "http://me:2222#hunter2@127.0.0.1:9",
        "http://me:2222?hunter2@127.0.0.1:9",
        "http://me:hunter2@127.0.0.1:99999999",
        "http://me:hunter2@127.0.0.1:port",
        "http://me:hunter2@bad host:9",
        "http://" + "hunter2" * 10,
        "http://me:hünter2@127.0.0.1:9",
        "me:hunter2",
        "http://me:hunter2@[::1",
        "http://[::1",
        "http://[::1%hunter2",
        "://",
        "\x1b[31mhunter2",
    ],
)
def test_a_proxy_that_cannot_be_used_is_refused_and_not_quoted(
    monkeypatch: pytest.MonkeyPatch, name: str, proxy: str
) -> None:
    for each in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv(name, proxy)
    with (
        Endpoint("https://nowhere.invalid/v1", "m", key="") as endpoint,
        pytest.raises(MissingCapabilityError, match=f" in {name}: ") as caught,
    ):
        endpoint.post(PATH, BODY, 5.0)
    told = "".join(traceback.format_exception(caught.value))
    assert not any(part in told for part in ("hunter2", "hünter2", "2222", "socks5", "\x1b"))


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("me:hunter2", b"me:hunter2"),
        ("me:h%C3%BC%ff%40", "me:hü".encode() + b"\xff@"),
        ("me", b"me:"),
    ],
)
def test_the_login_of_a_proxy_may_have_any_bytes(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, written: str, sent: bytes
) -> None:
    place = server.url.removeprefix("http://").removesuffix("/v1")
    monkeypatch.setenv("http_proxy", f"http://{written}@{place}/")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    server.script(chatted("Yes."))
    with Endpoint("http://example.com/v1", "m", key="") as endpoint:
        endpoint.post(PATH, BODY, 5.0)
    login = base64.b64encode(sent).decode()
    assert server.asked[0].headers["proxy-authorization"] == f"Basic {login}"


@pytest.mark.parametrize("proxied", [False, True])
def test_the_keys_of_connections_are_not_written_to_a_file(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, proxied: bool
) -> None:
    log = tmp_path / "log"
    usual = ssl.create_default_context
    for each in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv("SSLKEYLOGFILE", str(log))
    address = server.url.replace("http", "https")
    if proxied:
        monkeypatch.setenv("SSL_CERT_FILE", "elsewhere")  # the library below makes its own then
        monkeypatch.setattr(ssl, "create_default_context", lambda **_: usual())
        monkeypatch.setenv("https_proxy", address.removesuffix("/v1"))
        address = "https://nowhere.invalid/v1"
    with Endpoint(address, "m", key="") as endpoint, pytest.raises(TransientError):
        endpoint.post(PATH, BODY, 5.0)
    assert not log.exists()


def test_certificates_and_names_are_checked_as_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSLKEYLOGFILE", raising=False)
    ours, usual = _make_ssl_context(), ssl.create_default_context()
    for name in ("verify_mode", "check_hostname", "verify_flags", "options", "minimum_version"):
        assert getattr(ours, name) == getattr(usual, name), name
    assert ours.cert_store_stats() == usual.cert_store_stats()


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
