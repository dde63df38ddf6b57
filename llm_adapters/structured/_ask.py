"""Asking a chat model for data."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar, overload

import numpy as np

from llm_adapters._conversation import read_conversation, read_rng
from llm_adapters.errors import UnreadableError
from llm_adapters.parsing import quote_around
from llm_adapters.structured._json import find_json
from llm_adapters.structured._result import NoAnswerError, ValidAnswer
from mechanisms.language_models import LanguageModelError
from mechanisms.participants import describe_object, plain
from mechanisms.play import AnswerType, IllegalAnswerError
from mechanisms.protocols import ChatModel, Message
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = ["MOST_ATTEMPTS", "ask"]


# --- What an answer must be, as pydantic checks it

_FIX: Final = "answer with what was asked for"
_TOLD: Final = 5
"""How many faults of one answer are told."""
_LONGEST: Final = 300
"""How many characters of a path or a message are told."""


class Kind:
    """A type, with its JSON Schema.

    Parameters
    ----------
    kind : type
        What pydantic makes a ``TypeAdapter`` of.

    Raises
    ------
    InvalidInputError
        Where it makes none, or the type has no JSON Schema.
    """

    def __init__(self, kind: Any) -> None:
        from pydantic import TypeAdapter

        fix = "give a pydantic model, or a type such as Literal['buy', 'pass']"
        try:
            self._adapter: Any = TypeAdapter(kind)
            self.schema: dict[str, object] = self._adapter.json_schema()
        except Exception as error:
            problem = f"is not a type that pydantic can state ({type(error).__name__})"
            raise InvalidInputError("kind", kind, problem, fix) from error

    def of_json(self, text: str) -> Any:
        """Return the value that JSON stands for.

        Raises
        ------
        UnreadableError
            Where it is no such value.
        """
        return self._validate(self._adapter.validate_json, text)

    def of_value(self, value: Any) -> Any:
        """Return a value that is one of this kind already.

        Raises
        ------
        UnreadableError
            Where it is not.
        """
        return self._validate(self._adapter.validate_python, value)

    @staticmethod
    def _validate(validate: Any, given: Any) -> Any:
        from pydantic import ValidationError

        try:
            return validate(given, strict=True)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False)
            raise UnreadableError(_describe_faults(faults), _FIX) from None


class _Decimal(str):
    """A decimal of JSON as it is written; whoever expects a number or a text reads it as one."""

    __slots__ = ()


def _with_floats(value: Any) -> Any:
    """Return an answer in which decimals that nobody has read are floats."""
    if type(value) is _Decimal:
        return float(value)
    if type(value) in (list, tuple):
        return type(value)(map(_with_floats, value))
    if type(value) is dict:
        return {key: _with_floats(each) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            part = getattr(value, each.name)
            new = _with_floats(part)
            if type(new) is not type(part) or new != part:
                value = copy(value)
                object.__setattr__(value, each.name, new)
    return value


class LegalAnswers:
    """The legal answers to a question of :mod:`mechanisms.play`, said as ``{"answer": ...}``."""

    def __init__(self, answers: AnswerType[Any]) -> None:
        self._answers = answers
        self.schema: dict[str, object] = {
            "type": "object",
            "properties": {"answer": answers.schema()},
            "required": ["answer"],
            "additionalProperties": False,
        }

    def of_json(self, text: str) -> Any:
        """Return the answer that JSON stands for.

        A decimal is read as it is written where a number or a text is expected, and is a float
        where anything may stand.

        Raises
        ------
        UnreadableError
            Where it is none.
        """
        for parse_float in (_Decimal, float):
            said = json.loads(text, parse_float=parse_float)
            if type(said) is not dict or set(said) != {"answer"}:
                raise UnreadableError('there is no object with the key "answer" alone', _FIX)
            try:
                return _with_floats(self._answers.read(said["answer"]))
            except IllegalAnswerError as error:
                refused = error
        raise UnreadableError(refused.problem, refused.fix) from None

    def of_value(self, value: Any) -> Any:
        """Return a value that is legal already.

        Raises
        ------
        UnreadableError
            Where it is not.
        """
        try:
            return self._answers.read(value)
        except IllegalAnswerError as error:
            raise UnreadableError(error.problem, error.fix) from None


def kind_of(kind: Any) -> Kind | LegalAnswers:
    """Return what a type comes to; for a class that was there before it is not worked out again.

    Other types are: ``Literal["a", "b"]`` equals ``Literal["b", "a"]``, and has another schema.
    """
    if isinstance(kind, AnswerType):
        return LegalAnswers(kind)
    is_class = isinstance(kind, type) and not hasattr(kind, "__origin__")
    return _cached_kind(kind) if is_class else Kind(kind)


@lru_cache(maxsize=64)
def _cached_kind(kind: Any) -> Kind:
    return Kind(kind)


def _describe_faults(faults: Sequence[Any]) -> str:
    told = []
    for fault in faults[:_TOLD]:
        where = ".".join(str(step) for step in fault["loc"])[:_LONGEST] or "the answer"
        got = "" if fault["type"] == "missing" else f" (got {quote_around(repr(fault['input']))})"
        told.append(f"{where}: {fault['msg'][:_LONGEST]}{got}")
    if len(faults) > _TOLD:
        told.append(f"and {len(faults) - _TOLD} more")
    return "; ".join(told)


# --- Asking a chat model for data

T = TypeVar("T")

MOST_ATTEMPTS: Final = 100
"""The most times that one thing is asked."""

_SHOWN_AGAIN: Final = 2000
"""How many characters of a bad answer the model gets to see again."""


@overload
def ask(
    chat: ChatModel,
    messages: Sequence[Message],
    kind: type[T],
    rng: np.random.Generator,
    *,
    attempts: int = 3,
    read: Callable[[str], Any] | None = None,
) -> ValidAnswer[T]: ...
@overload
def ask(
    chat: ChatModel,
    messages: Sequence[Message],
    kind: None,
    rng: np.random.Generator,
    *,
    attempts: int = 3,
    read: Callable[[str], T],
) -> ValidAnswer[T]: ...
@overload
def ask(
    chat: ChatModel,
    messages: Sequence[Message],
    kind: Any,
    rng: np.random.Generator,
    *,
    attempts: int = 3,
    read: Callable[[str], Any] | None = None,
) -> ValidAnswer[Any]: ...


def ask(
    chat: ChatModel,
    messages: Sequence[Message],
    kind: Any,
    rng: np.random.Generator,
    *,
    attempts: int = 3,
    read: Callable[[str], Any] | None = None,
) -> ValidAnswer[Any]:
    """Ask a chat model for data, and ask again where what it says is not valid.

    A model that gave a bad answer is shown that answer and what is wrong with it, after everything
    that was said before. Every answer is a new draw from ``rng``.

    Parameters
    ----------
    chat : ChatModel
    messages : sequence of Message
        What to ask; at least one.
    kind : type, AnswerType or None
        What the answer must be: the legal answers of a :class:`mechanisms.play.Ask`, said as
        ``{"answer": ...}``; or a pydantic model, or any other type that pydantic knows, such as
        ``Literal["buy", "pass"]`` or ``list[int]``. Its JSON Schema goes to the chat, and the JSON
        in the text is validated in strict mode: no text is taken for a number, and no number for
        a truth value. Give a model ``extra="forbid"`` to have unknown keys refused. Further rules
        go into validators of the type. Fields of strict type float may be written as integers.
    rng : numpy.random.Generator
    attempts : int
        How often to ask at most, from 1 to 100.
    read : callable, optional
        Where no schema is possible: reads the answer from the text, and raises
        :class:`~llm_adapters.errors.UnreadableError` where it cannot. Then the chat gets no
        schema, and what was read is validated as ``kind``, or taken as it is where that is None.

    Returns
    -------
    ValidAnswer

    Raises
    ------
    InvalidInputError
        Where an argument is of the wrong kind.
    NoAnswerError
        Where no answer was valid.
    LanguageModelError
        Where the model returns what is not text.
    Exception
        Whatever the chat raises passes through, but for an
        :class:`~llm_adapters.errors.UnreadableError`, such as of an answer that was cut off: that
        is a bad answer like any other.

    Notes
    -----
    JSON may be the whole text, stand in a code fence, or be the only object between prose. Keys
    that are there twice, NaN, infinities, and numbers that are too large or too small for floating
    point are refused. An answer of a million characters takes a few hundredths of a second.

    Examples
    --------
    >>> import numpy as np
    >>> from pydantic import BaseModel
    >>> from llm_adapters.fakes import ScriptedChat
    >>> class Bid(BaseModel):
    ...     amount: int
    >>> chat = ScriptedChat(["I bid five.", '{"amount": 5}'])
    >>> answer = ask(chat, [Message("user", "Your bid?")], Bid, np.random.default_rng(0))
    >>> answer.value, answer.attempts
    (Bid(amount=5), 2)
    >>> print(chat.asked[1][-1].content)
    That cannot be used: there is no JSON object in 'I bid five.'. Please answer again, with JSON \
alone.
    """
    if isinstance(chat, type) or not isinstance(chat, ChatModel):
        fix = "give an object with the method chat"
        raise InvalidInputError("chat", chat, "is not a chat model", fix)
    conversation = read_conversation(messages)
    read_rng(rng)
    most = read_count("attempts", attempts, 1, MOST_ATTEMPTS)
    reader = _reader(kind, read)
    texts: list[str] = []
    problems: list[str] = []
    for number in range(1, most + 1):
        text = ""
        try:
            text = _text(chat, chat.chat(conversation, rng, schema=deepcopy(reader.schema)))
            return ValidAnswer(reader.read(text), text, number)
        except UnreadableError as error:
            texts.append(text)
            problems.append(error.problem)
        conversation = (*conversation, *_ask_again(text, problems[-1], reader.reminder))
    raise NoAnswerError(texts, problems)


def _text(chat: ChatModel, said: Any) -> str:
    text = plain(said)
    if text is None:
        problem = f"returned {describe_object(said)}"
        raise LanguageModelError(type(chat).__name__, problem, "return a str")
    return text


@dataclass(frozen=True)
class _Reader:
    """How an answer is read; what the chat is told beforehand, and after a bad answer."""

    read: Callable[[str], Any]
    schema: dict[str, object] | None
    reminder: str


def _reader(kind: Any, read: Any) -> _Reader:
    if read is not None and not callable(read):
        fix = "give a function text -> value, or None"
        raise InvalidInputError("read", read, "is not a function", fix)
    if kind is None and read is None:
        fix = "give a pydantic model, another type, or a function `read`"
        raise InvalidInputError("kind", kind, "is nothing to answer with", fix)
    stated = None if kind is None else kind_of(kind)
    if read is not None:
        function: Callable[[str], Any] = read

        def from_text(text: str) -> Any:
            value = function(text)
            return value if stated is None else stated.of_value(value)

        return _Reader(from_text, None, "Please answer again.")
    assert stated is not None
    of_json = stated.of_json
    reminder = "Please answer again, with JSON alone."
    return _Reader(lambda text: of_json(find_json(text)), stated.schema, reminder)


def _ask_again(text: str, problem: str, reminder: str) -> tuple[Message, Message]:
    """Return the bad answer, shortened where it is long, and what is wrong with it."""
    shown = text if len(text) <= _SHOWN_AGAIN else text[:_SHOWN_AGAIN] + "…"
    told = f"That cannot be used: {problem}. {reminder}"
    return Message("assistant", shown or "(nothing)"), Message("user", told)
