"""A player of any mechanism that is stepped, who thinks with a chat model."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from typing import Any, Final, Self

from llm_adapters.errors import UnreadableError
from llm_adapters.players._agent_chat import AgentChat
from llm_adapters.players._answer_schemas import draws
from llm_adapters.players._arguments import MOST_CHARACTERS, read_count, read_seed, read_text
from llm_adapters.players._buyer_prompts import QUOTES
from llm_adapters.players._quoting import LONGEST, one_line, quote_lines
from mechanisms.play import Ask
from mechanisms.protocols import ChatModel, Message
from theory.shared.arguments import instance_of

__all__ = ["ChatPlayer"]

_FORM: Final = 'Answer in JSON alone, in this form:\n{"answer": ...}'


class ChatPlayer:
    """Answers whatever a mechanism of :mod:`mechanisms.play` asks, by asking a chat model.

    The model is shown the view, what is a legal answer with its JSON Schema, and what its own seat
    was asked before and has answered. Nothing of another seat is shown, so who sits anew has
    forgotten. Where no answer can be read the question counts as not answered.

    Parameters
    ----------
    name : str
        The name of the player.
    chat : ChatModel
    goal : str
        What it is to achieve.
    memory : int
        How many of its seat's last questions it is shown again.
    most_characters : int
        How much of a view is shown.
    seed : int

    Attributes
    ----------
    failures : int
        How many questions got no answer that could be read.

    Raises
    ------
    InvalidInputError
        For a name or a goal that says nothing, what is no chat model, and counts that are none.

    Examples
    --------
    >>> from llm_adapters.fakes import ScriptedChat
    >>> from mechanisms.play import Quantity, Ask, play, rules
    >>> @rules
    ... def sealed_bid(most):
    ...     return (yield Ask("Ann", "a vase", Quantity(0, most), role="bid"))
    >>> chat = ScriptedChat(["I bid 20.", '{"answer": "2.5"}'])
    >>> ann = ChatPlayer("Ann", chat, "Win the vase, and keep your money.")
    >>> play(sealed_bid(10), {"Ann": ann}).outcome
    Fraction(5, 2)
    """

    def __init__(
        self,
        name: str,
        chat: ChatModel,
        goal: str,
        *,
        memory: int = 100,
        most_characters: int = LONGEST,
        seed: int = 0,
    ) -> None:
        self.name = read_text("name", name)
        self.goal = read_text("goal", goal)
        self._line = AgentChat(chat, self.name)
        self._memory = read_count("memory", memory, 0)
        self._most = read_count("most_characters", most_characters, 1, MOST_CHARACTERS)
        self._seed = read_seed(seed)
        self._said: dict[str, list[Message]] = {}

    @property
    def failures(self) -> int:
        """How many questions got no answer that could be read."""
        return self._line.failures

    def __call__(self, ask: Ask) -> object:
        """Return the answer of the model.

        Raises
        ------
        UnreadableError
            Where none could be read.
        """
        instance_of("ask", ask, Ask, "give an Ask of mechanisms.play")
        said = self._said.setdefault(ask.seat, [])
        question = Message("user", self._question(ask))
        kept = said[-2 * self._memory :] if self._memory else []
        messages = [self._rules(), *kept, question]
        text = "\n".join(message.content for message in messages)
        found: tuple[Any] | None = self._line.ask(
            messages, ask.answer, draws(self._seed, text), lambda answer: (answer,)
        )
        if found is None:
            raise UnreadableError("no answer could be read", f"answer {ask.answer}")
        [answer] = found
        self._note(ask, answer)
        return answer

    def recall(self, seat: str, answered: Sequence[tuple[Ask, object]]) -> None:
        """Remember what a seat was asked and has answered, and nothing else of it.

        :func:`~mechanisms.play.play` says so when the seat is asked first, so that a run that was
        stopped goes on as if it had not been, and nothing is known of another run.
        """
        self._said[seat] = []
        for ask, answer in answered:
            self._note(ask, answer)

    def __deepcopy__(self, memo: object) -> Self:
        """Return a player that remembers nothing, and asks the same model."""
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._said = {}
        return copy

    def _note(self, ask: Ask, answer: Any) -> None:
        written = dumps({"answer": ask.answer.say(answer)}, default=str)
        said = self._said.setdefault(ask.seat, [])
        said += [Message("user", self._question(ask)), Message("assistant", written)]

    def _rules(self) -> Message:
        role = f"You are {one_line(self.name)}, and take part in a mechanism with fixed rules."
        return Message("system", f"{role}\nYour goal: {self.goal}\n{QUOTES}")

    def _question(self, ask: Ask) -> str:
        lines = [f"You are asked to {ask.role or 'answer'}. You are told:"]
        lines.append(quote_lines(str(ask.view), self._most))
        for reason in ask.refused:
            lines.append(f"Your last answer was refused: {one_line(reason, 300)}.")
        lines.append(f"A legal answer is:\n{quote_lines(str(ask.answer), self._most)}")
        lines.append(_FORM)
        return "\n\n".join(lines)
