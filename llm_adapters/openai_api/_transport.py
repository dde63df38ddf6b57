"""HTTP below the client: one time limit for all of an exchange, one limit for what comes back.

The time limits of HTTP clients are for each read, so that a server that sends a byte now and then
is waited for without end; and they read whatever comes. Here every operation on the socket gets
what is left of one limit. Headers are those that a request needs: nothing from the environment,
and the key, which is known nowhere else.
"""

from __future__ import annotations

import ssl
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

import httpcore2
import httpx2

from llm_adapters.errors import CallError, TransientError
from llm_adapters.openai_api._address import proxy_for
from llm_adapters.openai_api._secret import Secret

__all__ = ["FailedExchangeError", "Transport"]

_SENT: Final = frozenset({b"host", b"accept", b"content-type", b"content-length"})
_OURS: Final = ((b"Accept-Encoding", b"identity"), (b"User-Agent", b"mechproof"))
_KEPT: Final = 64  # idle connections
_IDLE: Final = 4.0  # seconds; servers often close after 5


class FailedExchangeError(Exception):
    """Carries the error to raise; it never leaves the package itself."""

    def __init__(self, error: CallError) -> None:
        super().__init__()
        self.error = error


class _Clock(threading.local):
    """When the exchange of this thread must be over."""

    end: float = float("inf")

    def left(self, late: type[Exception]) -> float:
        seconds = self.end - time.monotonic()
        if seconds <= 0:
            raise late
        return seconds


class _Stream(httpcore2.NetworkStream):
    """A connection; head and body of a request go out together, once the answer is waited for."""

    def __init__(self, stream: httpcore2.NetworkStream, clock: _Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._unsent = b""

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._unsent:
            unsent, self._unsent = self._unsent, b""
            with suppress(httpcore2.WriteError):  # the server may have refused before it read all
                self._stream.write(unsent, self._clock.left(httpcore2.WriteTimeout))
        return self._stream.read(max_bytes, self._clock.left(httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._unsent += buffer

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        left = self._clock.left(httpcore2.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left), self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, clock: _Clock) -> None:
        self._clock = clock
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        left = self._clock.left(httpcore2.ConnectTimeout)
        return _Stream(self._sockets.connect_tcp(host, port, left), self._clock)


class Transport(httpx2.BaseTransport):
    """Sends requests to one server, and reads whole answers.

    Parameters
    ----------
    address : str
    secret : Secret
    largest_reply : int
        Bytes; more are not read.

    Raises
    ------
    MissingCapabilityError
        Where the environment names a proxy that cannot be used.
    """

    def __init__(self, address: str, secret: Secret, largest_reply: int) -> None:
        self._secret = secret
        self._largest = largest_reply
        self._clock = _Clock()
        settings: dict[str, Any] = {
            "max_connections": None,
            "max_keepalive_connections": _KEPT,
            "keepalive_expiry": _IDLE,
            "network_backend": _Backend(self._clock),
        }
        if urlsplit(address).scheme == "https":
            settings["ssl_context"] = _make_ssl_context()
        self._pool: httpcore2.ConnectionPool
        if (proxy := proxy_for(address)) is None:
            self._pool = httpcore2.ConnectionPool(**settings)
        else:
            place, login = proxy
            if login is not None:
                secret.keep_login(login)
            if urlsplit(place).scheme == "https":
                settings["proxy_ssl_context"] = _make_ssl_context()
            self._pool = httpcore2.HTTPProxy(place, proxy_auth=login, **settings)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the answer, which is whole.

        Raises
        ------
        FailedExchangeError
            Where there is none.
        """
        failure: CallError
        self._clock.end = time.monotonic() + request.extensions["timeout"]["read"]
        try:
            return self._exchange(request)
        except FailedExchangeError as failed:
            failure = failed.error
        except Exception as error:
            failure = _describe_failure(error, self._secret.redact(str(error))[:200])
        except BaseException as error:
            raise error.with_traceback(None) from None  # frames hold what was sent, and the key
        raise FailedExchangeError(failure)

    def _exchange(self, request: httpx2.Request) -> httpx2.Response:
        headers = [pair for pair in request.headers.raw if pair[0].lower() in _SENT]
        headers.extend(_OURS)
        if self._secret.header is not None:
            headers.append(self._secret.header)
        url = request.url
        target = httpcore2.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
        )
        content = request.read()
        answer = self._pool.handle_request(
            httpcore2.Request(request.method, target, headers=headers, content=content)
        )
        try:
            self._refuse_encoded(answer)
            body = self._read(answer)
        finally:
            answer.close()
        return httpx2.Response(answer.status, headers=answer.headers, content=body, request=request)

    def _refuse_encoded(self, answer: httpcore2.Response) -> None:
        for name, value in answer.headers:
            if name.lower() == b"content-encoding" and value.strip().lower() != b"identity":
                shown = self._secret.redact(value.decode("ascii", "replace"))[:40]
                problem = f"the server compressed its answer ({shown}), which nobody asked for"
                raise FailedExchangeError(CallError(problem, "turn compression off in the server"))

    def _read(self, answer: httpcore2.Response) -> bytes:
        parts: list[bytes] = []
        size = 0
        for name, value in answer.headers:
            if name.lower() == b"content-length" and value.isdigit() and len(value) < 20:
                size = int(value)
        if size <= self._largest:
            size = 0
            for part in answer.iter_stream():
                size += len(part)
                if size > self._largest:
                    break
                parts.append(part)
            else:
                return b"".join(parts)
        problem = f"the server's answer has more than {self._largest:,} bytes"
        fix = "ask for less, with a smaller max_tokens for example, or raise largest_reply"
        raise FailedExchangeError(CallError(problem, fix))

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


def _make_ssl_context() -> ssl.SSLContext:
    """Return what checks certificates and names as ``ssl.create_default_context`` does.

    That would also write what opens each connection to the file that SSLKEYLOGFILE names.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_default_certs()
    if sys.version_info >= (3, 13):
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VERIFY_X509_STRICT
    return context


_LATE: Final = (httpcore2.ReadTimeout, httpcore2.WriteTimeout)
_NEVER: Final = (httpcore2.ConnectTimeout, httpcore2.PoolTimeout)
_CUT: Final = (httpcore2.ReadError, httpcore2.WriteError, httpcore2.RemoteProtocolError)


def _describe_failure(error: Exception, told: str) -> CallError:
    """Return what to raise: whether it may pass, and whether the server may have charged for it."""
    why = told or type(error).__name__
    again = "ask again"
    if isinstance(error, _LATE):
        problem = "the server did not answer within the time limit"
        return TransientError(problem, "ask again, or allow more time", spent=True)
    if isinstance(error, _NEVER):
        return TransientError("no connection within the time limit", again)
    if isinstance(error, _CUT):
        problem = f"the connection broke before the answer was whole ({why})"
        return TransientError(problem, again, spent=True)
    if isinstance(error.__cause__ or error.__context__, ssl.SSLCertVerificationError):
        problem = f"the server's certificate cannot be trusted ({why})"
        return CallError(problem, "fix base_url, or name who signed it in SSL_CERT_FILE")
    if isinstance(error, httpcore2.ConnectError):
        fix = "start the server, or fix base_url"
        return TransientError(f"no connection ({why})", fix)
    if isinstance(error, httpcore2.ProxyError):
        return TransientError(f"the proxy refuses ({why})", again)
    return CallError(f"the exchange failed with {type(error).__name__}", "report this")
