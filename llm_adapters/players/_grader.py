"""A grader of answers that asks a chat model."""

from __future__ import annotations

from typing import Any, Final, Literal

from llm_adapters.errors import CallError
from llm_adapters.players._market_prompts import COMPARE, brief_of_answers
from llm_adapters.players._market_writer import FormChat
from llm_adapters.players._quoting import LONGEST
from mechanisms.errors import ParticipantError
from mechanisms.language_models import LanguageModelError
from mechanisms.protocols import ChatModel

__all__ = ["ChatGrader"]

_LABELS: Final = {"answer 1": "first", "answer 2": "second", "tie": "tie"}


class ChatGrader(FormChat):
    """Says which of two answers to a question is better, by asking a chat model.

    It is shown the answers in the order in which they are given, quoted, as "answer 1" and
    "answer 2", and says one of them or "tie". Who wants no position to count asks in both orders:
    :class:`~mechanisms.market.Grading` does, and counts. In a session with a record, no comparison
    is asked for twice, also not in another process.

    Parameters
    ----------
    chat : ChatModel
        Another one than the writer's, where it may prefer its own words.
    name : str
        To whom a chat with a method ``for_agent`` is accounted.
    seed : int
        From 0 to 2^128. Draws depend on it and on the prompt, and so does the code that an answer
        must repeat: an answer that is graded cannot hold it.
    longest : int
        The most characters of an answer that the model is shown.

    Attributes
    ----------
    failures : int
        How many comparisons could not be read, after three attempts each.

    Examples
    --------
    >>> import json
    >>> from llm_adapters.fakes import RuleChat
    >>> from mechanisms.market import Grading
    >>> def always_the_first(messages, schema):
    ...     code = schema["properties"]["code"]["const"]
    ...     return json.dumps({"code": code, "better": "answer 1"})
    >>> grading = Grading(ChatGrader(RuleChat(always_the_first)))
    >>> grading.compare("Where is Ilm?", "On the Raun.", "At sea.").outcome
    'tie'
    >>> grading.position_effect, grading.disagreements
    (Fraction(1, 1), 1)
    """

    def __init__(
        self, chat: ChatModel, *, name: str = "grader", seed: int = 0, longest: int = LONGEST
    ) -> None:
        super().__init__(chat, name, seed, longest)

    def compare(self, question: str, a: str, b: str) -> str | None:
        """Return "first", "second" or "tie"; None, counted, where no answer could be read.

        Raises
        ------
        ParticipantError
            When the model cannot be asked, or returns what is not text.
        """
        brief = brief_of_answers(question, {"answer 1": a, "answer 2": b}, self._longest)
        kind: Any = Literal[tuple(_LABELS)]
        fields = {"better": (kind, " or ".join(_LABELS))}
        try:
            said = self._fill_in(COMPARE, brief, fields)
        except (CallError, LanguageModelError) as error:
            fix = "ask again when the model can be asked"
            raise ParticipantError(self.name, "gave no answer", fix) from error
        return None if said is None else _LABELS[said["better"]]
