"""A chat model whose conversations are noted down for a transcript."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mechanisms.protocols import ChatModel, Message
from mechproof.demos._transcript import LINES, Transcript

__all__ = ["ConversationLog", "Exchange", "RecordedConversation", "TranscriptWriter"]


@dataclass(frozen=True)
class Exchange:
    """One call: on which occasion, by whom, what the model was told, what it said."""

    occasion: str
    agent: str
    messages: tuple[Message, ...]
    answer: str


class ConversationLog:
    """The conversations of a run, in order; copies of whoever is overheard share them.

    Parameters
    ----------
    progress : callable
        Is told of each call before it is made.
    heard : callable
        Is given each exchange as soon as it is over.

    Attributes
    ----------
    occasion : str
        What is going on; set by whoever knows.
    exchanges : list of Exchange
    """

    def __init__(
        self,
        progress: Callable[[str], None] = lambda text: None,
        heard: Callable[[Exchange], None] = lambda exchange: None,
    ) -> None:
        self.heard = heard
        self.occasion = ""
        self.exchanges: list[Exchange] = []
        self.progress = progress

    def on(self, occasion: str) -> tuple[Exchange, ...]:
        """Return the calls of one occasion."""
        return tuple(one for one in self.exchanges if one.occasion == occasion)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class RecordedConversation:
    """A chat model that is asked as if it were alone, and noted down.

    Parameters
    ----------
    chat : ChatModel
    notes : ConversationLog
    """

    def __init__(self, chat: ChatModel, notes: ConversationLog) -> None:
        self._chat: Any = chat
        self._notes = notes

    @property
    def agent(self) -> str:
        """To whom calls are accounted."""
        agent: str = getattr(self._chat, "agent", "model")
        return agent

    @property
    def session(self) -> Any:
        """The session of the chat model; None where it has none."""
        return getattr(self._chat, "session", None)

    @property
    def replaying(self) -> bool:
        """Whether all answers come from a record."""
        return bool(getattr(self.session, "replaying", False))

    def for_agent(self, agent: str) -> RecordedConversation:
        """Return the same model, accounted to another agent, noted down in the same place."""
        named: Any = getattr(self._chat, "for_agent", None)
        return RecordedConversation(self._chat if named is None else named(agent), self._notes)

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        """Return what the model says, and note it down."""
        asked = "is asked, in the record" if self.replaying else "is asked"
        self._notes.progress(f"{self._notes.occasion or 'asking'}: {self.agent} {asked}")
        answer: str = self._chat.chat(messages, rng, schema=schema)
        said = Exchange(self._notes.occasion, self.agent, tuple(messages), answer)
        self._notes.exchanges.append(said)
        self._notes.heard(said)
        return answer


class TranscriptWriter:
    """Adds conversations to a transcript as they come, each occasion under its own heading.

    Of a conversation that goes on, what is new is told.

    Parameters
    ----------
    transcript : Transcript
    lines : int
        The most lines of a prompt or an answer that are shown.
    """

    def __init__(self, transcript: Transcript, lines: int = LINES) -> None:
        self._transcript = transcript
        self._lines = lines
        self._occasion: str | None = None
        self._before: tuple[Message, ...] = ()

    def __call__(self, one: Exchange) -> None:
        """Add an exchange."""
        if one.occasion != self._occasion:
            self._transcript.heading(one.occasion[:1].upper() + one.occasion[1:])
            self._occasion, self._before = one.occasion, ()
        before = self._before
        goes_on = bool(before) and one.messages[: len(before)] == before
        new = one.messages[len(before) :] if goes_on else one.messages
        if goes_on and new and new[0].role == "assistant":
            new = new[1:]
        self._transcript.conversation(new, one.answer, self._lines)
        self._before = one.messages
