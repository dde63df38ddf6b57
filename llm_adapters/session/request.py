"""What is asked of a model, and what it answers: data that a file can hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from llm_adapters.session.canonical_json import canonical, quote_string, to_bytes
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = ["Answer", "Call", "Request", "copy_canonical", "read_name"]

_SECRET: Final = frozenset({"api_key", "apikey", "authorization", "headers", "x-api-key"})


@dataclass(frozen=True, eq=False)
class Request:
    """What is asked of a model.

    Two requests are the same where all four are the same, as JSON: the order of keys does not
    matter, 1 and 1.0 are different.

    Attributes
    ----------
    agent : str
        On whose behalf; usage is accounted to it.
    model : str
        Which model, by a name that says enough to know it again.
    method : str
        What is asked for: "chat", "sample", "score", "embed", …
    body : dict
        The rest, settings included: text, numbers, lists and dicts with text as keys; never a key
        of a service or a header. A copy.

    Raises
    ------
    InvalidInputError
        For empty names, and for what JSON does not have.

    Examples
    --------
    >>> Request("buyer", "m", "chat", {"a": 1, "b": 2}) == Request(
    ...     "buyer", "m", "chat", {"b": 2, "a": 1}
    ... )
    True
    """

    agent: str
    model: str
    method: str
    body: Mapping[str, Any] = field(repr=False)
    key: bytes = field(init=False, repr=False)
    """The canonical JSON of the request, without braces."""

    def __post_init__(self) -> None:
        for name in ("agent", "model", "method"):
            read_name(name, getattr(self, name))
        text, body = copy_canonical("body", self.body)
        for name in body:
            if name.lower() in _SECRET:
                fix = "leave it to the client: a record must hold no secret"
                raise InvalidInputError("body", name, "may hold a key", fix)
        head = f'"agent":{quote_string(self.agent)},"model":{quote_string(self.model)}'
        key = to_bytes(f'{head},"method":{quote_string(self.method)},"request":{text}')
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "key", key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Request) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True)
class Answer:
    """What a model answered.

    Attributes
    ----------
    body : dict
        Of the same kinds as that of a request. It is a copy that has been through JSON, so that an
        answer is the same whether it comes from the model or from a record: tuples are lists. A
        float may be infinite, and must not be NaN.
    input_tokens, output_tokens : int
        What it used; 0 where the model does not say.

    Raises
    ------
    InvalidInputError
        For what JSON does not have, and for what is no count.

    Examples
    --------
    >>> Answer({"log_probs": (-0.5, float("-inf"))}, output_tokens=4).body
    {'log_probs': [-0.5, -inf]}
    """

    body: Mapping[str, Any]
    input_tokens: int = 0
    output_tokens: int = 0
    text: str = field(init=False, repr=False, compare=False)
    """The canonical JSON of the body."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "input_tokens", read_count("input_tokens", self.input_tokens, 0))
        object.__setattr__(
            self, "output_tokens", read_count("output_tokens", self.output_tokens, 0)
        )
        text, body = copy_canonical("body", self.body)
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "text", text)


@dataclass(frozen=True)
class Call:
    """A request, and how it is made.

    Attributes
    ----------
    request : Request
    make : callable
        ``make(seconds)`` makes one attempt, within so many seconds, and returns an
        :class:`Answer`. It raises :class:`~llm_adapters.errors.TransientError` where another
        attempt may succeed, and another :class:`~llm_adapters.errors.CallError` where none will.
    at_most : callable or None
        ``at_most()`` returns how many tokens of input and of output one attempt may use. It is
        called only where a budget in tokens or money needs it.
    read : callable or None
        ``read(body)`` reads an answer, and raises where it makes no sense. It is tried on what a
        record holds, which anybody may have written: an answer on which it raises is refused.
    limited : bool
        Whether ``make`` keeps to the seconds; a computation in this process is not cut short.

    Raises
    ------
    InvalidInputError
        For arguments of the wrong kind.

    Examples
    --------
    >>> call = Call(Request("buyer", "echo", "chat", {}), lambda seconds: Answer({"text": "Yes."}))
    >>> call.make(1.0).body["text"]
    'Yes.'
    """

    request: Request
    make: Callable[[float], Answer]
    at_most: Callable[[], tuple[int, int]] | None = None
    read: Callable[[Mapping[str, Any]], object] | None = None
    limited: bool = True

    def __post_init__(self) -> None:
        request: Any = self.request
        if not isinstance(request, Request):
            raise InvalidInputError("request", request, "is not a request", "give a Request")
        if not callable(self.make):
            raise InvalidInputError("make", self.make, "cannot be called", "give a function")
        for name in ("at_most", "read"):
            given = getattr(self, name)
            if given is not None and not callable(given):
                raise InvalidInputError(name, given, "cannot be called", "give a function")


def read_name(argument: str, value: Any, fix: str = "give a text that is not empty") -> str:
    """Return a text that is not empty; raise InvalidInputError for anything else."""
    if not isinstance(value, str) or not value:
        raise InvalidInputError(argument, value, "is not a name", fix)
    return value


def copy_canonical(name: str, body: Any) -> tuple[str, dict[str, Any]]:
    """Return the canonical JSON of a mapping, and a copy that has been through it."""
    if not isinstance(body, Mapping):
        raise InvalidInputError(name, body, "is not a mapping", "give a dict")
    text = canonical(body, name)
    own: dict[str, Any] = json.loads(text)
    return text, own
