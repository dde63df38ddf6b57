"""Who writes answers in the information market, and who asks on, with a chat model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from llm_adapters.players._agent_chat import AgentChat
from llm_adapters.players._answer_schemas import draws, form_of
from llm_adapters.players._arguments import MOST_CHARACTERS, read_count, read_seed, read_text
from llm_adapters.players._market_prompts import (
    ASK_ON,
    NOT_KNOWN,
    WRITE,
    brief_of_follow_ups,
    brief_of_purchases,
    brief_of_refining,
    form_text,
)
from llm_adapters.players._quoting import LONGEST, code_word
from mechanisms.protocols import ChatModel, Message, Purchase

__all__ = ["ChatAsker", "ChatWriter", "FormChat"]

_CODE: Final = "code"
_BLANK: Final = "your answer"
_BLANK_QUESTION: Final = "a question"
_LONGEST_ANSWER: Final = 400
_LONGEST_QUESTION: Final = 200


class FormChat:
    """Who asks a chat model to fill in forms, each in a new conversation.

    Parameters and attributes are those of :class:`ChatWriter`.
    """

    def __init__(self, chat: ChatModel, name: str, seed: int, longest: int) -> None:
        self.name = read_text("name", name)
        self._line = AgentChat(chat, self.name)
        self._seed = read_seed(seed)
        self._longest = read_count("longest", longest, 1, MOST_CHARACTERS)

    @property
    def failures(self) -> int:
        """How many forms could not be read, after three attempts each."""
        return self._line.failures

    def _fill_in(
        self,
        rules: Message,
        brief: str,
        fields: Mapping[str, tuple[Any, object]],
        problem: Callable[[Mapping[str, Any]], str] = lambda said: "",
    ) -> dict[str, Any] | None:
        """Ask for fields in JSON, with a code that an answer to this prompt alone can hold.

        ``fields`` has by name the type of a field, and what the form shows in its place. Returns
        what stands in the fields; None, counted, where no answer could be read.
        """
        code = code_word(self._seed, rules.content, brief)
        word: Any = Literal[code]
        kinds = {_CODE: word} | {name: kind for name, (kind, _) in fields.items()}
        shown = {_CODE: code} | {name: text for name, (_, text) in fields.items()}
        kind, read = form_of(kinds, problem)
        asked = [rules, Message("user", f"{brief}\n{form_text(shown)}")]
        return self._line.ask(asked, kind, draws(self._seed, brief), read)


class ChatWriter(FormChat):
    """Writes the answers of a buyer of the information market, by asking a chat model.

    Each answer is written in a new conversation that is told the question and all that was bought
    until then; where questions followed, those with their answers, too. An answer is one sentence
    of at most 400 characters. Where nothing was bought it is "not known", and nothing is asked.
    Where no answer could be read it is empty, and counted.

    Parameters
    ----------
    chat : ChatModel
    name : str
        To whom a chat with a method ``for_agent`` is accounted.
    seed : int
        From 0 to 2^128. Draws depend on it and on the prompt; so does the code that an answer must
        repeat: keep it from vendors.
    longest : int
        The most characters of one text of others that the model is shown.

    Attributes
    ----------
    failures : int
        How many answers could not be read.

    Examples
    --------
    >>> import json
    >>> from llm_adapters.fakes import RuleChat
    >>> from mechanisms.market import Excerpt
    >>> def clerk(messages, schema):
    ...     said = "On the Raun." if "Raun" in messages[-1].content else "not known"
    ...     return json.dumps({"code": schema["properties"]["code"]["const"], "answer": said})
    >>> writer = ChatWriter(RuleChat(clerk))
    >>> note = Purchase(1, "press", "press: p1", 2, Excerpt("Ilm", "Ilm lies on the Raun."))
    >>> writer.answer("Where is Ilm?", [note])
    'On the Raun.'
    """

    def __init__(
        self, chat: ChatModel, *, name: str = "writer", seed: int = 0, longest: int = LONGEST
    ) -> None:
        super().__init__(chat, name, seed, longest)

    def answer(self, question: str, bought: Sequence[Purchase]) -> str:
        """Return an answer to a question by what was bought."""
        return self._write(brief_of_purchases(question, bought, self._longest), bought)

    def refine(
        self,
        question: str,
        answer: str,
        followed: Sequence[tuple[str, str]],
        bought: Sequence[Purchase],
    ) -> str:
        """Return the answer once more, after questions that followed were answered."""
        brief = brief_of_refining(question, answer, followed, bought, self._longest)
        return self._write(brief, bought)

    def _write(self, brief: str, bought: Sequence[Purchase]) -> str:
        if not bought:
            return NOT_KNOWN
        fields = {"answer": (_text(_LONGEST_ANSWER), _BLANK)}
        said = self._fill_in(WRITE, brief, fields, _without_answer)
        return "" if said is None else str(said["answer"]).strip()


class ChatAsker(FormChat):
    """Asks the questions that follow from an answer, by asking a chat model.

    The model is told the question, its answer and what was bought, and gives a list of questions,
    which is empty where the answer is complete. Where no list could be read nothing follows, and
    that is counted. A question that was asked before the rules of the market skip, and count.

    Parameters
    ----------
    chat, name, seed, longest
        As for :class:`ChatWriter`.

    Attributes
    ----------
    failures : int
        How many lists could not be read.

    Examples
    --------
    >>> import json
    >>> from llm_adapters.fakes import RuleChat
    >>> def curious(messages, schema):
    ...     code = schema["properties"]["code"]["const"]
    ...     return json.dumps({"code": code, "questions": ["Where was Ida Ro born?"]})
    >>> asker = ChatAsker(RuleChat(curious))
    >>> asker.follow_ups("Where was the mayor of Ilm born?", "The mayor is Ida Ro.", [])
    ('Where was Ida Ro born?',)
    """

    def __init__(
        self, chat: ChatModel, *, name: str = "asker", seed: int = 0, longest: int = LONGEST
    ) -> None:
        super().__init__(chat, name, seed, longest)

    def follow_ups(
        self, question: str, answer: str, facts: Sequence[Purchase], most: int = 1
    ) -> tuple[str, ...]:
        """Return at most so many questions that follow; none where the answer is complete."""
        brief = brief_of_follow_ups(question, answer, facts, self._longest, most)
        fields = {"questions": (_texts(most, _LONGEST_QUESTION), [_BLANK_QUESTION])}
        said = self._fill_in(ASK_ON, brief, fields, _without_questions)
        return () if said is None else tuple(each.strip() for each in said["questions"])


def _text(longest: int) -> Any:
    from pydantic import constr

    return constr(max_length=longest)


def _texts(most: int, longest: int) -> Any:
    from pydantic import conlist

    return conlist(_text(longest), max_length=most)


def _without_answer(said: Mapping[str, Any]) -> str:
    return "the answer is missing" if _is_blank(said["answer"], _BLANK) else ""


def _without_questions(said: Mapping[str, Any]) -> str:
    if any(_is_blank(each, _BLANK_QUESTION) for each in said["questions"]):
        return "a question is missing; give an empty list for none"
    return ""


def _is_blank(text: str, blank: str) -> bool:
    """Return whether a text says nothing, or what stood in its place in the form."""
    return text.casefold().strip(" .?!\n") in {"", blank}
