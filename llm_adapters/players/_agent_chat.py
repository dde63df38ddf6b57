"""A participant's line to its model: all that copies of the participant share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, NoReturn, Self, TypeVar

import numpy as np

from llm_adapters.errors import AdapterError
from llm_adapters.structured import NoAnswerError, ask, checked_chat
from mechanisms.protocols import ChatModel, Message
from theory.errors import InvalidInputError

__all__ = ["AgentChat"]

T = TypeVar("T")


class AgentChat:
    """A chat model, and how many of its answers could not be read.

    A copy of it is itself: a connection is not copied, and failures are counted once for all
    copies of a participant. It keeps nothing of what is said; of a failure, only that there was
    one. Where the chat has a session, the failure is counted there too; where it can be named, it
    is accounted to the participant.

    Raises
    ------
    InvalidInputError
        For what is no chat model.
    """

    __slots__ = ("_chat", "_failures", "_lock")

    def __init__(self, chat: Any, name: str) -> None:
        if isinstance(chat, type) or not isinstance(chat, ChatModel):
            fix = "give a ChatModel, such as llm_adapters.openai_api.OpenAIChat"
            raise InvalidInputError("chat", chat, "is not a chat model", fix)
        named = getattr(chat, "for_agent", None)
        self._chat: Any = named(name) if callable(named) else chat
        self._failures = 0
        self._lock = Lock()

    @property
    def chat(self) -> ChatModel:
        """The model, for others to ask."""
        chat: ChatModel = self._chat
        return chat

    @property
    def failures(self) -> int:
        """How many questions got no answer that could be read."""
        return self._failures

    def say(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        """Return a reply, which whoever asks reads: in free text, or such as fits a schema."""
        return checked_chat(self._chat, messages, rng, schema=schema)

    def ask(
        self,
        messages: Sequence[Message],
        kind: Any,
        rng: np.random.Generator,
        read: Callable[[Any], T],
    ) -> T | None:
        """Return what was read from an answer; None, counted, where none could be read."""
        try:
            return read(ask(self._chat, messages, kind, rng).value)
        except NoAnswerError:
            self.count_failure()
            return None

    def count_failure(self) -> None:
        """Count a question that got no answer that could be read."""
        with self._lock:
            self._failures += 1
        session: Any = getattr(self._chat, "session", None)
        if session is not None:
            session.count_failure(self._chat.agent)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        fix = "make it anew where it is needed"
        raise AdapterError("who asks a chat model is not written to a file", fix)

    def __repr__(self) -> str:
        return f"AgentChat({self._failures} failures)"
