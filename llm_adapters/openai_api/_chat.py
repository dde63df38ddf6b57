"""A chat model behind a server."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import numpy as np
from msgspec import convert

from llm_adapters._conversation import read_conversation, read_rng
from llm_adapters.errors import UnreadableError
from llm_adapters.openai_api._adapter import Adapter, draw_seed, read_number
from llm_adapters.openai_api._endpoint import Endpoint
from llm_adapters.openai_api._reading import add_cost_to_errors, bound, choices_of, usage_of
from llm_adapters.session import Answer, Call, Session
from llm_adapters.session.canonical_json import MAX_DEPTH
from mechanisms.protocols import Message
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count
from theory.shared.nesting import is_deeper

__all__ = ["OpenAIChat", "response_format"]

SCHEMA_MODES: Final = ("auto", "json_schema", "instruction")
_PATH: Final = "/chat/completions"
_FORMAT: Final = "chat: response_format"
_MAX_TOKENS: Final = "chat: max_tokens"
_TAKEN: Final = frozenset(
    {"model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed"}
    | {"response_format", "schema", "schema_mode", "n", "stream", "logprobs", "top_logprobs"}
    | {"tools", "functions", "tool_choice", "function_call"}
)


class OpenAIChat(Adapter):
    """A chat model behind a server: the messages go to ``/chat/completions``.

    Parameters
    ----------
    endpoint : Endpoint
    session : Session, optional
        Makes the calls; left out, it is one without budget or record.
    agent : str
        To whom usage is accounted.
    temperature : float
        From 0 to 2.
    top_p : float
        From 0 to 1.
    max_tokens : int
        The most tokens that an answer may have.
    schema_mode : "auto", "json_schema" or "instruction"
        How an answer is held to a schema: by the server (``response_format``), by words after the
        last message, or by the server until it is seen to refuse that or to ignore it, and by
        words from then on.
    accept_cut : bool
        Whether an answer that was cut at ``max_tokens`` is returned as it is.
    extra : dict, optional
        Other parameters for the server, such as ``{"top_k": 20}``.

    Raises
    ------
    InvalidInputError
        Where these are no such things.

    Notes
    -----
    The seed of each request is drawn from ``rng``; whether the server heeds it is another question,
    and a record replays either way. What the server must be asked for in another way (a schema,
    ``max_completion_tokens`` for ``max_tokens``) is asked for at once, within the same call: a
    server refuses before it works.

    Examples
    --------
    >>> with Endpoint("http://127.0.0.1:8000/v1", "small") as endpoint:
    ...     chat = OpenAIChat(endpoint, agent="buyer", temperature=0.5)
    ...     chat.for_agent("seller")
    OpenAIChat(small, for seller)
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        session: Session | None = None,
        agent: str = "model",
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_tokens: int = 512,
        schema_mode: str = "auto",
        accept_cut: bool = False,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(endpoint, session, agent, extra, _TAKEN)
        if schema_mode not in SCHEMA_MODES:
            fix = f"give one of {', '.join(SCHEMA_MODES)}"
            raise InvalidInputError("schema_mode", schema_mode, "is not such a mode", fix)
        self._mode = schema_mode
        self._accept_cut = bool(accept_cut)
        self._settings: dict[str, Any] = {
            "temperature": read_number("temperature", temperature, 0, 2),
            "top_p": read_number("top_p", top_p, 0, 1),
            "max_tokens": read_count("max_tokens", max_tokens, 1, 10**7),
        }

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        """Return what the model says next.

        Raises
        ------
        InvalidInputError
            Where an argument is of the wrong kind.
        UnreadableError
            Where the model refuses, says nothing, calls a tool or is cut off.
        AdapterError
            Where the session ends, or the server fails.
        """
        call = self._chat_call(messages, rng, schema)
        return self._text(self.session.call_many([call])[0])

    def chat_many(
        self,
        conversations: Sequence[Sequence[Message]],
        rngs: Sequence[np.random.Generator],
        *,
        schema: Mapping[str, object] | None = None,
    ) -> list[str]:
        """Return what the model says next in each conversation; they are asked for concurrently.

        The texts are those that :meth:`chat` returns one after the other, and so are the errors:
        of several texts that cannot be read, the first one tells.

        Parameters
        ----------
        conversations : sequence of conversations
        rngs : sequence of numpy.random.Generator
            One for each; the same one may stand there several times.
        schema : dict, optional
            For all of them.
        """
        if len(conversations) != len(rngs):
            problem = f"are {len(rngs)} for {len(conversations)} conversations"
            raise InvalidInputError("rngs", len(rngs), problem, "give one for each")
        pairs = zip(conversations, rngs, strict=True)
        calls = [self._chat_call(messages, rng, schema) for messages, rng in pairs]
        return [self._text(answer) for answer in self.session.call_many(calls)]

    def _chat_call(self, messages: Any, rng: Any, schema: Any) -> Call:
        conversation = read_conversation(messages)
        if schema is not None and not isinstance(schema, Mapping):
            raise InvalidInputError("schema", schema, "is not a JSON Schema", "give a dict or None")
        said = [{"role": one.role, "content": one.content} for one in conversation]
        body: dict[str, Any] = {"messages": said, **self._settings}
        if schema is not None:
            body |= {"schema": schema, "schema_mode": self._mode}
        body["seed"] = draw_seed(read_rng(rng))
        request = self._request("chat", body)
        texts = [one.content for one in conversation]
        if schema is not None:
            texts += [_instruct(request.body["schema"])] * 2
        at_most = (bound(*texts), self._settings["max_tokens"])

        def make(seconds: float) -> Answer:
            without = {"max_tokens": _MAX_TOKENS}
            if self._mode == "auto":
                without["response_format"] = _FORMAT
            data = self._post(_PATH, request, lambda: self._wire(request.body), without, seconds)
            with add_cost_to_errors(data, at_most):
                read = _read(data)
            if schema is not None and read["finish"] == "stop" and not _is_json(read["text"]):
                self.endpoint.refused.add(_FORMAT)
            return Answer(read, *usage_of(data, at_most))

        return Call(request, make, lambda: at_most, _ChatReply.of)

    def _wire(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the server is sent for a request of ours."""
        refused = self.endpoint.refused
        body = {**self._extra, "messages": asked["messages"], "seed": asked["seed"]}
        body |= self._settings
        schema = asked.get("schema")
        if _MAX_TOKENS in refused:
            body["max_completion_tokens"] = body.pop("max_tokens")
        if schema is None:
            return body
        if self._mode == "json_schema" or (self._mode == "auto" and _FORMAT not in refused):
            return body | {"response_format": response_format(schema)}
        *before, last = asked["messages"]
        told = {**last, "content": f"{last['content']}\n\n{_instruct(schema)}"}
        return body | {"messages": [*before, told]}

    def _text(self, answer: Answer) -> str:
        said = _ChatReply.of(answer.body)
        text, finish = said.text, said.finish
        if said.refusal:
            problem = f"the model refuses: {said.refusal[:300]!r}"
        elif finish == "content_filter":
            problem = f"a filter of the server stopped the answer after {text[:300]!r}"
        elif finish == "tool_calls":
            problem = "the model calls a tool in place of an answer"
        elif finish == "length" and not self._accept_cut:
            most = self._settings["max_tokens"]
            problem = f"the answer was cut at {most} tokens: {text[:300]!r}"
            raise UnreadableError(problem, "raise max_tokens, or accept_cut=True")
        elif said.empty and finish != "length":
            problem = "the model gives no text"
        else:
            return text
        raise UnreadableError(problem, "ask in another way, or another model")


@dataclass(frozen=True)
class _ChatReply:
    """What counts of an answer, as a record holds it."""

    text: str
    empty: bool
    refusal: str
    finish: Literal["stop", "length", "content_filter", "tool_calls"]

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        return convert(body, cls)


def _read(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what counts of an answer; all of it is text, so that a record can hold it."""
    choice = choices_of(data, 1)[0]
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    content, refusal, finish = message.get("content"), message.get("refusal"), "stop"
    if choice.get("finish_reason") in ("length", "content_filter"):
        finish = choice["finish_reason"]
    elif not isinstance(content, str) and (
        message.get("tool_calls") or message.get("function_call")
    ):
        finish = "tool_calls"
    return {
        "text": content if isinstance(content, str) else "",
        "empty": not isinstance(content, str),
        "refusal": refusal if isinstance(refusal, str) else "",
        "finish": finish,
    }


def _is_json(text: str) -> bool:
    """Return whether text is JSON; where a server was to make sure of it, anything else is not."""
    if is_deeper(text, MAX_DEPTH):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _instruct(schema: Mapping[str, object]) -> str:
    """Return the words that ask for JSON of a schema."""
    return (
        "Answer with JSON alone, without any other words. It must fit this JSON Schema:\n"
        f"{json.dumps(schema, ensure_ascii=False)}"
    )


def response_format(schema: Mapping[str, object]) -> dict[str, Any]:
    """Return the parameter that makes a server hold the answer to a schema.

    Strictness is asked for where the schema allows it: every object names all its keys, and all of
    them are required.
    """
    named: dict[str, Any] = {"name": "answer", "schema": dict(schema)}
    if schema.get("type") == "object" and _is_closed(schema):
        named["strict"] = True
    return {"type": "json_schema", "json_schema": named}


def _is_closed(schema: Any) -> bool:
    if isinstance(schema, (list, tuple)):
        return all(map(_is_closed, schema))
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object":
        properties = schema.get("properties")
        names = set(properties) if isinstance(properties, Mapping) else set()
        required = schema.get("required")
        every = isinstance(required, (list, tuple)) and set(required) == names
        if schema.get("additionalProperties") is not False or not every:
            return False
    return all(map(_is_closed, schema.values()))
