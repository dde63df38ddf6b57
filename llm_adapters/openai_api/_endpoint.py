"""A server that speaks the OpenAI interface."""

from __future__ import annotations

import json
import weakref
from collections.abc import Mapping
from threading import Lock
from time import monotonic
from typing import Any, Final, NoReturn, Self

from llm_adapters._optional_packages import require_package
from llm_adapters.errors import AdapterError, CallError, TransientError
from llm_adapters.openai_api._address import NOT_SHOWN, read_address, read_key
from llm_adapters.openai_api._failures import failure
from llm_adapters.openai_api._secret import Secret
from llm_adapters.secrets import kept_in_environment, redact
from llm_adapters.session import Answer, Request, Session
from llm_adapters.session.canonical_json import MAX_DEPTH
from llm_adapters.session.request import read_name
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count
from theory.shared.nesting import is_deeper
from theory.shared.printable import printed_line

__all__ = ["Endpoint"]

_NOT_SENT: Final = "not-sent"  # the client wants a key; ours is added where the request leaves


class Endpoint:
    """A server that speaks the OpenAI interface, and a model behind it.

    It holds the connections, which its adapters share. Copies of it are itself. Close it when done,
    or use it in a ``with`` statement.

    Parameters
    ----------
    base_url : str
        Such as ``"http://127.0.0.1:8000/v1"``.
    model : str, optional
        Left out, it is the only one that the server lists.
    key : str, optional
        Left out, it is taken from OPENAI_API_KEY if that is set; ``""`` sends none. It goes to the
        server alone: no error, log, record or copy holds it, and where the server sends it back
        it is blotted out. It goes nowhere over plain http except to this machine.
    largest_reply : int
        How many bytes of an answer are read at most.
    known_as : str, optional
        By which records know the server; left out, it is the address. Requests to other servers
        are other requests, so give it a name where the address of the same server may change.

    Raises
    ------
    InvalidInputError
        Where these are no such things, and where the key would cross the network in the clear.

    Notes
    -----
    Of the environment, only the key, HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY and what names
    certificates are used, and for addresses on this machine no proxy; the keys of connections are
    not written to SSLKEYLOGFILE. Redirects are not followed. Nothing is sent before it is needed.

    Examples
    --------
    >>> Endpoint("http://127.0.0.1:8000/v1", "small", key="abcd-1234-efgh")
    Endpoint(http://127.0.0.1:8000/v1, small)
    """

    def __init__(
        self,
        base_url: str,
        model: str | None = None,
        *,
        key: str | None = None,
        largest_reply: int = 4_000_000,
        known_as: str | None = None,
    ) -> None:
        refused = self._refuse(base_url, model, key, largest_reply, known_as)
        if refused is not None:  # tracebacks show what frames hold, and a key may be anywhere
            del base_url, model, key, largest_reply, known_as
            raise refused
        self._lock = Lock()
        self._client: Any = None
        self._closed = False
        self._only: str | None = None
        self._naming = Lock()
        self._names: weakref.WeakKeyDictionary[Session, str] = weakref.WeakKeyDictionary()
        self.refused: set[str] = set()
        """What the server was seen not to take; adapters do without it from then on."""

    def _refuse(
        self, base_url: Any, model: Any, key: Any, largest_reply: Any, known_as: Any
    ) -> BaseException | None:
        """Take the arguments, or return what is to be raised away from them."""
        try:
            fix = "give its name, or None for the only one that the server lists"
            self.model = _read_optional_name("model", model, fix)
            self.base_url = read_address(base_url)
            self.known_as = (
                _read_optional_name("known_as", known_as, "give a name, or None") or self.base_url
            )
            self.largest_reply = read_count("largest_reply", largest_reply, 1, 2**40)
            self._secret = Secret(read_key(key, self.base_url))
        except BaseException as error:
            return _without_keys(error, key).with_traceback(None)
        return None

    @printed_line
    def __repr__(self) -> str:
        if "_secret" not in vars(self):
            return "Endpoint(refused)"
        return f"Endpoint({self.base_url}, {self.model or 'the only model listed'})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        fix = "make it anew where it is needed"
        raise AdapterError("an endpoint is not written to a file, since it may hold a key", fix)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; what is asked afterwards is an error."""
        with self._lock:
            self._closed = True
            client, self._client = self._client, None
        if client is not None:
            client.close()

    @property
    def secret(self) -> Secret:
        """The key, which is not shown."""
        return self._secret

    def name_in(self, session: Session) -> str:
        """Return the name of the model, as requests of a session say it.

        Where none was given, the server is asked for its list, in a call that the session accounts
        to the agent ``endpoint`` and records: a replay needs no server, and a run that goes on
        asks for the same model.

        Raises
        ------
        CallError
            Where the server does not list one model.
        AdapterError
            Where the session ends, or the server fails.
        """
        if self.model is not None:
            return self.model
        with self._naming:
            if session not in self._names:
                asked = Request(
                    "endpoint", "(the only one listed)", "models", {"server": self.known_as}
                )
                answer = session.call(
                    asked,
                    lambda seconds: Answer({"model": self._only_one(seconds)}),
                    at_most=lambda: (0, 0),
                    read=lambda body: read_name("model", body.get("model")),
                )
                self._names[session] = answer.body["model"]
            return self._names[session]

    def models(self, seconds: float = 30.0) -> tuple[str, ...]:
        """Return the names of the models that the server lists.

        Raises
        ------
        CallError
            Where it does not answer, or with what is no list of models.
        """
        data = self.exchange("GET", "/models", None, seconds)
        listed = data.get("data")
        items = listed if isinstance(listed, list) else [None]
        names = [item.get("id") if isinstance(item, Mapping) else None for item in items]
        if not all(isinstance(name, str) for name in names):
            raise CallError("the server's list of models cannot be read", "name the model")
        return tuple(str(name) for name in names)

    def post(self, path: str, body: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Ask the model once, and return the JSON of a successful answer.

        Parameters
        ----------
        path : str
            Such as ``"/chat/completions"``.
        body : dict
            The name of the model is added if it names no model.
        seconds : float
            For everything together.

        Raises
        ------
        TransientError
            Where another attempt may succeed.
        CallError
            Where none will, and where the model is the only one listed, and the body names another.
        """
        end = monotonic() + seconds
        model = self.model or self._only_one(seconds)
        if body.get("model", model) != model:
            problem = f"the server lists {model!r} alone, and this run began with {body['model']!r}"
            raise CallError(problem, "serve that model, or record a new run")
        return self.exchange("POST", path, {"model": model, **body}, end - monotonic())

    def _only_one(self, seconds: float) -> str:
        if self._only is None:
            names = self.models(seconds)
            if len(names) != 1:
                listed = ", ".join(names[:10]) or "none"
                problem = f"the server lists {len(names)} models ({listed})"
                raise CallError(problem, "name one of them: Endpoint(base_url, model)")
            self._only = names[0]
        return self._only

    def exchange(
        self, method: str, path: str, body: Mapping[str, Any] | None, seconds: float
    ) -> dict[str, Any]:
        """Send a request, and return the JSON of a successful answer.

        Raises
        ------
        CallError
            Where there is none; a TransientError where another attempt may succeed.
        """
        try:
            outcome = self._outcome(method, path, body, seconds)
        except BaseException as error:  # frames hold what was received, which may quote the key
            error.__cause__ = error.__context__ = None
            raise error.with_traceback(None) from None
        if isinstance(outcome, CallError):
            raise outcome
        return outcome

    def _outcome(
        self, method: str, path: str, body: Mapping[str, Any] | None, seconds: float
    ) -> dict[str, Any] | CallError:
        """Return the JSON, or what is to be raised: elsewhere, away from what was received."""
        answer = self._answer(method, path, body, seconds)
        if isinstance(answer, CallError):
            return answer
        status, headers, content = answer
        data = self._read(headers, content)
        redacted = self._secret.redact
        if not 200 <= status < 300:
            told: Any = content[:5000].decode("utf-8", "replace") if isinstance(data, str) else data
            return failure(status, path, told, headers, redacted)
        if isinstance(data, str):
            problem = f"the server answered {path} with {data}"
            return TransientError(problem, "ask again, or fix base_url", spent=True)
        inner = data.get("error")
        if isinstance(inner, Mapping) and not data.get("choices"):
            code = inner.get("code")
            said = code if type(code) is int and 400 <= code < 600 else 400
            return failure(said, path, data, headers, redacted)
        return data

    def _answer(
        self, method: str, path: str, body: Mapping[str, Any] | None, seconds: float
    ) -> tuple[int, dict[str, str], bytes] | CallError:
        """Return status, headers and body, or what is to be raised away from what was sent."""
        openai = require_package("openai", extra="openai")
        httpx2 = require_package("httpx2", extra="openai")
        from llm_adapters.openai_api._transport import FailedExchangeError

        client = self._connect()
        options = {"timeout": httpx2.Timeout(max(seconds, 0.0))}
        try:
            if method == "GET":
                response = client.get(path, cast_to=httpx2.Response, options=options)
            else:
                content = json.dumps(body, separators=(",", ":")).encode()
                options["headers"] = {"Content-Type": "application/json"}
                response = client.post(
                    path, cast_to=httpx2.Response, content=content, options=options
                )
        except FailedExchangeError as failed:
            return failed.error
        except openai.APIStatusError as failed:
            response = failed.response
        except openai.OpenAIError as failed:
            if isinstance(failed.__cause__, FailedExchangeError):  # older clients wrap it
                return failed.__cause__.error
            return CallError(f"the client failed with {type(failed).__name__}", "report this")
        return response.status_code, dict(response.headers), response.content

    def _connect(self) -> Any:
        with self._lock:
            if self._closed:
                raise CallError("the endpoint was closed", "ask before it is closed")
            if self._client is None:
                self._client = _client(self.base_url, self._secret, self.largest_reply)
                weakref.finalize(self, self._client.close)
            return self._client

    def _read(self, headers: Mapping[str, str], content: bytes) -> dict[str, Any] | str:
        """Return the JSON object of a body, without the key; or what it is instead."""
        told = headers.get("content-type", "application/json")
        kind = told.partition(";")[0].strip().lower()
        if kind != "application/json" and not kind.endswith("+json"):
            shown = self._secret.redact(told).partition(";")[0].strip()[:80]
            return f"what is not JSON ({shown!r})"
        try:
            text = content.decode(json.detect_encoding(content), "surrogatepass")
            if is_deeper(text, MAX_DEPTH):
                return f"JSON that is nested more than {MAX_DEPTH} deep, of {len(content):,} bytes"
            data = json.loads(text)
        except (ValueError, RecursionError):
            return f"JSON that cannot be read, of {len(content):,} bytes"
        if not isinstance(data, dict):
            return f"JSON that is not an object, of {len(content):,} bytes"
        cleaned: dict[str, Any] = self._secret.clean(data)
        return cleaned


def _read_optional_name(argument: str, value: Any, fix: str) -> str | None:
    return value if value is None else read_name(argument, value, fix)


def _without_keys(error: BaseException, key: Any) -> BaseException:
    """Return what refuses an argument, without what may be a key."""
    error.__cause__ = error.__context__ = None
    if not isinstance(error, InvalidInputError):
        return error
    value = error.value
    if isinstance(value, str) and value and error.argument in {"base_url", "key", "OPENAI_API_KEY"}:
        known = (*kept_in_environment(), *([key] if isinstance(key, str) else []))
        value = redact(value, known)
    elif value and not isinstance(value, int | float):
        value = NOT_SHOWN
    return type(error)(error.argument, value, error.problem, error.fix)


def _client(base_url: str, secret: Secret, largest_reply: int) -> Any:
    openai = require_package("openai", extra="openai")
    httpx2 = require_package("httpx2", extra="openai")
    from llm_adapters.openai_api._transport import Transport

    transport = Transport(base_url, secret, largest_reply)
    http = httpx2.Client(transport=transport, trust_env=False, follow_redirects=False)
    return openai.OpenAI(api_key=_NOT_SENT, base_url=base_url, max_retries=0, http_client=http)
