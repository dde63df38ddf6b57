"""What an answer that is no success means: what may pass, and what will not."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Final

from llm_adapters.errors import CallError, MissingCapabilityError, TransientError

__all__ = ["RefusedParameterError", "failure", "retry_after"]

_PASSING: Final = frozenset({408, 409, 425, 429})
_CROWDED: Final = frozenset({429, 503})
_PARAMETERS: Final = (
    "response_format",
    "max_completion_tokens",
    "max_tokens",
    "logprobs",
    "echo",
    "temperature",
    "top_p",
    "seed",
    "stop",
    "encoding_format",
    "n",
)
_QUOTA: Final = re.compile(r"insufficient_quota|billing|exceeded your current quota", re.I)
_OPTIONAL: Final = frozenset({"/completions", "/embeddings"})
_NO_MODEL: Final = re.compile(
    r"model_not_found|model\b.{0,200}\b(not (be )?found|not exist|doesn't exist|unknown)"
    r"|\b(no such|unknown|find( the)?) model",
    re.I | re.DOTALL,
)
_SHOWN: Final = 300
_FIXES: Final = {
    401: "set OPENAI_API_KEY, or give the key as key=",
    402: "see to the account",
    403: "use a key that may do this",
    404: "fix base_url (it often ends in /v1) or the name of the model",
    413: "send less at once",
}


class RefusedParameterError(MissingCapabilityError):
    """A server that does not take a parameter of a request.

    Attributes
    ----------
    parameter : str
    """

    def __init__(self, parameter: str, problem: str, fix: str) -> None:
        super().__init__(problem, fix)
        self.parameter = parameter


def failure(
    status: int,
    path: str,
    data: Any,
    headers: Mapping[str, str],
    redacted: Callable[[str], str] = str,
) -> CallError:
    """Return what to raise for an answer with this status, and ``data`` in its body.

    Parameters
    ----------
    status : int
    path : str
        What was asked.
    data
        The JSON of the body, or its text.
    headers : dict
        Names in lower case.
    redacted : callable
        Takes out of a text what must not be quoted.
    """
    told = redacted(_server_message(data))
    said = f" ({told[:_SHOWN]!r})" if told else ""
    problem = f"the server answered {path} with {status}{said}"
    if 300 <= status < 400:
        return CallError(problem, "give the address that it points to as base_url")
    if status in {400, 422, 501}:
        parameter = _parameter(data, told)
        if parameter:
            problem = f"the server does not take {parameter}{said}"
            fix = f"use a server or a model that takes {parameter}, or do without"
            return RefusedParameterError(parameter, problem, fix)
        if status == 501:
            return MissingCapabilityError(problem, "use a server that can do this")
        return _request_refused(problem, "fix the request")
    if status == 429 and _QUOTA.search(f"{_field(data, 'code')} {_field(data, 'type')} {told}"):
        return CallError(problem, "see to the account: waiting will not help")
    if status in {404, 405} and path in _OPTIONAL and not _NO_MODEL.search(problem):
        fix = f"use a server with {path}; if base_url is wrong, fix it (it often ends in /v1)"
        return MissingCapabilityError(f"there is no {path}: {problem}", fix)
    if status in _PASSING or status >= 500:
        wait = retry_after(headers)
        crowded = status in _CROWDED
        return TransientError(problem, "wait, and ask again", retry_after=wait, crowded=crowded)
    if status == 413:
        return _request_refused(problem, _FIXES[status])
    return CallError(problem, _FIXES.get(status, "fix the request"))


def _request_refused(problem: str, fix: str) -> CallError:
    error = CallError(problem, fix)
    error.request_refused = True
    return error


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that an answer asks to wait; None where it asks for nothing readable."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / scale
        except (KeyError, ValueError):
            continue
        if isfinite(seconds):
            return max(seconds, 0.0)
    until = _date(headers.get("retry-after"))
    if until is None:
        return None
    now = _date(headers.get("date"))  # by the server's own clock, where it tells
    return max(until - (time.time() if now is None else now), 0.0)


def _date(text: str | None) -> float | None:
    try:
        found = parsedate_to_datetime(text or "")
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _server_message(data: Any) -> str:
    """Return what the body says, in whichever way servers say it."""
    if isinstance(data, str):
        return " ".join(data.split())
    if not isinstance(data, Mapping):
        return ""
    error = data.get("error", data)
    for place in (error, data):
        if isinstance(place, str):
            return place
        if isinstance(place, Mapping):
            for name in ("message", "detail", "error_description"):
                if place.get(name):
                    return str(place[name])
    return str(error) if error else ""


def _field(data: Any, name: str) -> str:
    error = data.get("error", data) if isinstance(data, Mapping) else None
    found = error.get(name) if isinstance(error, Mapping) else None
    return found if isinstance(found, str) else ""


def _parameter(data: Any, told: str) -> str:
    """Return the parameter of ours that the server does not take, if the body names one."""
    param = _field(data, "param")
    for name in _PARAMETERS:
        if param == name or param.startswith(f"{name}."):
            return name
    for name in _PARAMETERS:
        word = (
            rf"(?<![\w.]){name}(?!\w)" if len(name) > 1 else rf"[`'\"]{name}[`'\"]|\b{name} ?[=>]"
        )
        if re.search(word, told):
            return name
    return ""
