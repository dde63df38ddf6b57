"""A buyer of information that thinks with a chat model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Final

import numpy as np

from llm_adapters.players._agent_chat import AgentChat
from llm_adapters.players._answers import decision_in, verdicts_in
from llm_adapters.players._arguments import (
    MOST_CHARACTERS,
    read_count,
    read_names,
    read_seed,
    read_text,
)
from llm_adapters.players._buyer_prompts import (
    ABOUT_DECISION,
    ABOUT_OFFERS,
    BLANK,
    BUY,
    PASS,
    QUOTES,
    choice_brief,
    decision_brief,
    decision_form,
    explain_unaffordable,
    labels,
    reasons_first,
    rules,
    verdict_form,
)
from llm_adapters.players._quoting import LONGEST, code_word, quote_lines, tidy_reply
from mechanisms.ledger import Amount
from mechanisms.participants import plain
from mechanisms.protocols import ChatModel, Message, Notice, Purchase, Viewing
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.shared.arguments import instance_of

__all__ = ["PROMPTING", "ChatBuyer"]


# --- A debate before a choice: two advocates speak in turn, each in a conversation of its own

_SIDES: Final = {
    "for": (
        "You speak for buying. Say which offers would improve the decision, and why they are worth "
        "their price."
    ),
    "against": (
        "You speak against buying. Say which offers are useless, repeat others, cannot be relied "
        "on, or cost more than they are worth."
    ),
}


def hold_debate(
    speak: Callable[[list[Message]], str], goal: str, brief: str, turns: int, most: int
) -> str:
    """Hold a debate of so many turns, the side for buying first, and return what was said."""
    said: list[tuple[str, str]] = []
    for turn in range(turns):
        side = tuple(_SIDES)[turn % 2]
        said.append((side, speak(_debate_messages(side, goal, brief, transcript(said, most)))))
    return transcript(said, most)


def transcript(speeches: Sequence[tuple[str, str]], most: int) -> str:
    """Return what each side said, quoted, since advocates may repeat what sellers wrote."""
    return "\n\n".join(
        f"The advocate {side} buying said:\n{quote_lines(speech, most)}"
        for side, speech in speeches
    )


def _debate_messages(side: str, goal: str, brief: str, said: str) -> list[Message]:
    role = (
        f"You are an advocate in a debate about what a client should buy.\n"
        f"The client's goal: {goal}\n{QUOTES}"
    )
    task = f"{_SIDES[side]} Answer the other side, if it has spoken. At most five sentences."
    parts = [brief, said, task] if said else [brief, task]
    return [Message("system", role), Message("user", "\n\n".join(parts))]


# --- A buyer of information that thinks with a chat model

PROMPTING: Final = ("direct", "step-by-step", "debate")
"""How the model of a buyer comes to a choice."""

_DECISION: Final = 0  # where offers are on levels 1, 2, ...
_MOST_TURNS: Final = 20


class ChatBuyer:
    """A buyer of the inspection protocols (volition, section 5) that asks a chat model.

    Each choice and the decision begin a new conversation, so that to forget takes no good will:
    the model is not told what it should not know. A choice on level n is told the question, the
    goal, what can be spent, the contents on levels 1, ..., n, and what was bought on deeper levels;
    the decision is told the question, the goal, and what was bought. What the model says is dropped
    when the choice is made; nothing of it is kept here.

    The model must give one verdict, "buy" or "pass", on every offer of the level, and may pass on
    all. An answer that cannot be read, or that costs more than can be spent, is asked for again
    with what was wrong; after the last attempt the choice is to buy nothing, and the decision the
    default. Such failures are counted. Errors of the model itself, such as a server that is down or
    a budget that is spent, are raised; when they end a run the mechanism withholds their words, and
    the ``failure`` of the session has them.

    Parameters
    ----------
    name : str
        The name of its account. A chat with a method ``for_agent`` is accounted to this name.
    chat : ChatModel
    goal : str
        What the client wants, in a sentence or two: the utility of the decision problem.
    prompting : "direct", "step-by-step" or "debate"
        Whether to ask at once; to let the model think in free text first; or to let two advocates
        speak for and against buying, in conversations of their own, before the buyer is asked.
        There is nothing to buy at the decision, which is thought about first for "step-by-step"
        alone.
    options : sequence of str, optional
        What can be decided; any sentence where there are none.
    default : object
        What is decided where no decision can be read; where there are options, one of them or None.
    seed : int
        From 0 to 2^128. It decides all draws, by level and step, the same ones in each copy. The
        code that an answer must repeat depends on it too, so keep it from sellers.
    turns : int
        How many speeches a debate has in all, from 1 to 20; the side for buying has the first.
    longest : int
        The most characters of one content, or of one speech, that the model is shown. A prompt
        that is beyond the context of the model is an error of the model, so make it small for one
        with a short context: sellers decide how much they write.

    Raises
    ------
    InvalidInputError, UnknownNameError, LimitError
        For arguments of other kinds, another prompting, and numbers out of range.

    Notes
    -----
    *What copies share* is the chat and a count of failures. No conversation can be reached from
    there, unless the chat keeps it: a model with a memory of its own, an adapter that logs. The
    record of a session is such a memory, and holds all that was asked; it is for who runs the
    mechanism, and is reached from the buyer as ``chat.session``. The model is never shown it. How
    many failures there were, and what was bought, may depend on what was read.

    *What sellers write is quoted.* Each line of it stands behind a mark, control characters and
    the tokens of common chat templates are taken out, offers go by labels of ours, and an answer
    counts only with a code that hashes the prompt: text copied from a content is no answer. Who
    knows the seed, and all that the model will be shown, can search for a content that holds its
    own code. And a model that believes what it reads may still be talked into a bad choice.

    One to two calls a choice, and ``turns`` more for a debate, each up to three times; tokens grow
    with the contents on levels 1, ..., n.

    Examples
    --------
    >>> from llm_adapters.fakes import RuleChat
    >>> from mechanisms.inspection import TableSeller, inspect_once
    >>> from mechanisms.ledger import Ledger
    >>> from mechanisms.protocols import Offer
    >>> import json
    >>> def shopper(messages, schema):
    ...     prompt, answer = messages[-1].content, {}
    ...     for name, asked in schema["properties"].items():
    ...         if name == "code":
    ...             answer[name] = asked["const"]
    ...         elif name == "decision":
    ...             answer[name] = "rice" if "legumes are toxic" in prompt else "legumes"
    ...         else:
    ...             answer[name] = "buy" if f'{name}: "note"' in prompt else "pass"
    ...     return json.dumps(answer)
    >>> cook = ChatBuyer("cook", RuleChat(shopper), goal="a healthy meal", seed=7)
    >>> note = Offer("note", "legumes are toxic raw", 2)
    >>> leaflet = Offer("leaflet", "rice is unhealthy", 1)
    >>> ledger = Ledger({"cook": 5, "farm": 0})
    >>> sellers = [TableSeller("farm", [[note, leaflet]])]
    >>> print(inspect_once("What to eat?", cook, sellers, ledger).table())
    What to eat?: cook decides rice, 2 spent
    level  offer    seller  price  bought
    ─────  ───────  ──────  ─────  ──────
    1      note     farm    2      yes
    1      leaflet  farm    1      no
    >>> cook
    ChatBuyer('cook', prompting='direct', failures=0)
    """

    def __init__(
        self,
        name: str,
        chat: ChatModel,
        *,
        goal: str,
        prompting: str = "direct",
        options: Iterable[str] | None = None,
        default: object = None,
        seed: int = 0,
        turns: int = 2,
        longest: int = LONGEST,
    ) -> None:
        self.name = read_text("name", name)
        self.goal = read_text("goal", goal)
        if prompting not in PROMPTING:
            raise UnknownNameError(
                "prompting", prompting, "is not a way to prompt", nearest(prompting, PROMPTING)
            )
        self.prompting = prompting
        self.options = () if options is None else read_names("options", options)
        named = isinstance(default, str) and default in self.options
        if self.options and default is not None and not named:
            fix = nearest(default, self.options)
            raise UnknownNameError("default", default, "is not one of the options", fix)
        if options is not None and not self.options:
            raise InvalidInputError("options", options, "are empty", "give some, or None")
        self.default = default
        self.seed = read_seed(seed)
        self.turns = read_count("turns", turns, 1, _MOST_TURNS)
        self.longest = read_count("longest", longest, 1, MOST_CHARACTERS)
        self._line = AgentChat(chat, self.name)

    @property
    def failures(self) -> int:
        """How many choices and decisions could not be read, of all copies of this buyer."""
        return self._line.failures

    def choose(self, viewing: Viewing) -> tuple[str, ...]:
        """Return the names of the offers that the model says to buy, in a new conversation.

        Raises
        ------
        InvalidInputError
            For what is not a Viewing.
        """
        instance_of("viewing", viewing, Viewing, "give a Viewing")
        brief = choice_brief(viewing, self.longest)
        return self.choose_by(brief, viewing.choice, viewing.budget, viewing.question.level)

    def choose_by(
        self, brief: str, on_offer: Sequence[Notice], budget: Amount | None, level: int = 1
    ) -> tuple[str, ...]:
        """Return the names of the offers to buy that the model names when it is told this brief.

        In the brief the k-th offer goes by the label "offer k".
        """
        offers = labels(on_offer)
        if not offers:
            return ()
        code = code_word(self.seed, level, self.goal, brief, budget)
        rngs = self._generators(level)
        talk = self._debate(brief, rngs) or self._think(brief, ABOUT_OFFERS, rngs)
        prices = {label: Fraction(offer.price) for label, offer in offers.items()}
        form, read = verdicts_in(offers, (BUY, PASS), code, partial(_unaffordable, prices, budget))
        asked = _ending(talk, verdict_form(offers, budget, code))
        verdicts = self._line.ask(asked, form, next(rngs), read) or {}
        return tuple(offers[label].name for label, each in verdicts.items() if each == BUY)

    def decide(self, question: str, bought: tuple[Purchase, ...]) -> object:
        """Return what the model decides, in a new conversation about what was bought.

        Raises
        ------
        InvalidInputError
            Where the question is not text, or what was bought is not a sequence of Purchase.
        """
        if plain(question) is None:
            raise InvalidInputError("question", question, "is not text", "give a str")
        if not isinstance(bought, Sequence):
            fix = "give a tuple of Purchase, () for nothing"
            raise InvalidInputError("bought", bought, "is not a sequence", fix)
        for one in bought:
            instance_of("bought", one, Purchase, "give a Purchase")
        brief = decision_brief(question, bought, self.longest)
        code = code_word(self.seed, _DECISION, self.goal, brief, self.options)
        rngs = self._generators(_DECISION)
        talk = self._think(brief, ABOUT_DECISION, rngs)
        form, read = decision_in(self.options, code, BLANK)
        asked = _ending(talk, decision_form(self.options, code))
        decision = self._line.ask(asked, form, next(rngs), read)
        return self.default if decision is None else decision

    def _generators(self, level: int) -> Iterator[np.random.Generator]:
        """Return a generator for each step on a level."""
        return (np.random.default_rng([self.seed, level, step]) for step in count())

    def _debate(self, brief: str, rngs: Iterator[np.random.Generator]) -> list[Message]:
        """Return what begins the conversation after a debate, or nothing."""
        if self.prompting != "debate":
            return []

        def speak(messages: list[Message]) -> str:
            return self._line.say(messages, next(rngs))

        said = hold_debate(speak, self.goal, brief, self.turns, self.longest)
        return [rules(self.goal), Message("user", f"{brief}\n\n{said}")]

    def _think(
        self, brief: str, subject: str, rngs: Iterator[np.random.Generator]
    ) -> list[Message]:
        """Return what begins the conversation, with the thoughts of the model if it is to think."""
        if self.prompting != "step-by-step":
            return [rules(self.goal), Message("user", brief)]
        asked = [rules(self.goal), Message("user", f"{brief}\n\n{reasons_first(subject)}")]
        thoughts = tidy_reply(self._line.say(asked, next(rngs)), self.longest)
        return [*asked, Message("assistant", thoughts)]

    def __repr__(self) -> str:
        return f"ChatBuyer({self.name!r}, prompting={self.prompting!r}, failures={self.failures})"


def _unaffordable(
    prices: Mapping[str, Fraction], budget: Amount | None, verdicts: Mapping[str, str]
) -> str:
    """Return what is wrong with verdicts by which more is bought than can be paid."""
    wanted = [label for label, verdict in verdicts.items() if verdict == BUY]
    total = sum((prices[label] for label in wanted), Fraction(0))
    return (
        ""
        if budget is None or total <= Fraction(budget)
        else explain_unaffordable(wanted, total, budget)
    )


def _ending(talk: Sequence[Message], text: str) -> list[Message]:
    """Return a conversation that ends with the user saying this."""
    *before, last = talk
    if last.role == "user":
        return [*before, Message("user", f"{last.content}\n\n{text}")]
    return [*talk, Message("user", text)]
