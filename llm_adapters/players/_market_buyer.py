"""A buyer of the information market that thinks with a chat model."""

from __future__ import annotations

from typing import Any, Final

from llm_adapters.players._arguments import read_text
from llm_adapters.players._buyer import ChatBuyer
from llm_adapters.players._market_prompts import brief_of_choice
from llm_adapters.players._market_writer import ChatAsker, ChatWriter
from llm_adapters.players._quoting import LONGEST
from mechanisms.inspection import ToInspect
from mechanisms.market import Asker, Progress, Texts, Writer
from mechanisms.play import Ask, Subset
from mechanisms.protocols import ChatModel
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of

__all__ = ["ChatMarketBuyer"]

_GOAL: Final = "A right answer to the question, for as little money as possible."


class ChatMarketBuyer:
    """A buyer of :func:`~mechanisms.market.answer_question` that asks a chat model.

    Each question of the market begins a new conversation, which is told what its seat may know and
    nothing else:

    - to choose, the question, what was bought before, the offers as far as they may be read, their
      prices as they are, and what can be paid. The model gives a verdict on each offer, "buy" or
      "pass". What is bought together must be paid together: an answer that costs more is refused
      whole.
    - to answer, and to answer again, see :class:`ChatWriter`; to ask on, :class:`ChatAsker`.

    A shortlist is made without the model: the offers with the highest scores.

    An answer that cannot be read is asked for again with what was wrong. After the third attempt
    nothing is bought, the answer is empty, nothing follows, and that is counted. A verdict is never
    guessed: one that is missing, stands twice, or is not one of the two words makes all of them
    unreadable. Errors of the model itself are raised, so that the rules note that no answer came.

    Parameters
    ----------
    name : str
        The name of its account. A chat with a method ``for_agent`` is accounted to it.
    chat : ChatModel
    goal : str
        What the client wants.
    prompting : "direct", "step-by-step" or "debate"
        How the model comes to its verdicts, as for :class:`ChatBuyer`.
    writer : Writer, optional
        Who writes answers; a :class:`ChatWriter` of the same chat by default.
    asker : Asker, optional
        Who asks on; a :class:`ChatAsker` of the same chat by default.
    seed : int
        From 0 to 2^128. Draws depend on it and on what the model is told; so does the code that an
        answer must repeat: keep it from vendors.
    turns : int
        How many speeches a debate has.
    longest : int
        The most characters of one text of others that the model is shown.

    Attributes
    ----------
    failures : int
        How many answers could not be read, of all copies of this buyer.

    Raises
    ------
    InvalidInputError, UnknownNameError, LimitError
        As for :class:`ChatBuyer`.

    Notes
    -----
    For a question: one to four calls for the choice by its prompting, one for the answer; with hops
    one more to ask on, and one to answer again where a question followed. Each may take three
    attempts. Nothing is kept from one to the next, so a run that was stopped goes on with a new
    buyer.

    Source: bazaar, Sections 3 and 4; the prompts are our own.

    Examples
    --------
    >>> import json
    >>> from llm_adapters.fakes import RuleChat
    >>> from mechanisms.market import Market, Passage, Vendor, answer_question
    >>> def reader(messages, schema):
    ...     prompt, answer = messages[-1].content, {}
    ...     for name, asked in schema["properties"].items():
    ...         if name == "code":
    ...             answer[name] = asked["const"]
    ...         elif name == "answer":
    ...             answer[name] = "ten minutes"
    ...         else:
    ...             offer = prompt.split(f"{name}: ")[1].split("offer")[0]
    ...             answer[name] = "buy" if "ten minutes" in offer else "pass"
    ...     return json.dumps(answer)
    >>> texts = {"soup": "Boil the leeks for ten minutes.", "stew": "Leeks are cheap in May."}
    >>> shelf = [Passage(name, "me", "1.50", title=name, text=text) for name, text in texts.items()]
    >>> buyer = ChatMarketBuyer("Ann", RuleChat(reader))
    >>> print(answer_question(Market([Vendor("me", shelf)]), "How long do leeks take?", buyer, 5))
    1 How long do leeks take?
      2 offers, bought me: soup for 3/2
      answer: ten minutes
    """

    def __init__(
        self,
        name: str,
        chat: ChatModel,
        *,
        goal: str = _GOAL,
        prompting: str = "direct",
        writer: Writer | None = None,
        asker: Asker | None = None,
        seed: int = 0,
        turns: int = 2,
        longest: int = LONGEST,
    ) -> None:
        self.name = read_text("name", name)
        settings: dict[str, Any] = {"seed": seed, "longest": longest}
        self._chooser = ChatBuyer(
            name, chat, goal=goal, prompting=prompting, turns=turns, **settings
        )
        self._writer: Writer = ChatWriter(chat, name=name, **settings) if writer is None else writer
        self._asker: Asker = ChatAsker(chat, name=name, **settings) if asker is None else asker
        instance_of("writer", self._writer, Writer, "give an object with answer() and refine()")
        instance_of("asker", self._asker, Asker, "give an object with follow_ups()")

    @property
    def prompting(self) -> str:
        """How the model comes to its verdicts."""
        return self._chooser.prompting

    @property
    def failures(self) -> int:
        """How many answers could not be read, of all copies of this buyer."""
        parts: list[Any] = [self._chooser, self._writer, self._asker]
        return sum(getattr(part, "failures", 0) for part in parts)

    def __call__(self, ask: Ask) -> object:
        """Return the answer to a question of the market.

        Raises
        ------
        InvalidInputError
            For a question of other rules.
        Exception
            Whatever the chat raises.
        """
        instance_of("ask", ask, Ask, "give an Ask of mechanisms.play")
        view, legal = ask.view, ask.answer
        if isinstance(view, ToInspect):
            if isinstance(legal, Subset) and ask.role == "shortlist":
                return [each.name for each in view.offers[-1][: legal.most]]
            brief = brief_of_choice(view, self._chooser.longest)
            return self._chooser.choose_by(brief, view.offers[-1], view.budget)
        if not isinstance(view, Progress):
            fix = "let it play mechanisms.market"
            raise InvalidInputError("ask", ask.role, "is not asked in the market", fix)
        if isinstance(legal, Texts):
            answer = view.answer or ""
            return self._asker.follow_ups(view.question, answer, view.bought, legal.most)
        if view.answer is None:
            return self._writer.answer(view.question, view.bought)
        return self._writer.refine(view.question, view.answer, view.followed, view.bought)

    def __repr__(self) -> str:
        asked = f"prompting={self.prompting!r}, failures={self.failures}"
        return f"ChatMarketBuyer({self.name!r}, {asked})"
