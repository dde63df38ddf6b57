"""A bidder in ascending auctions that thinks with a chat model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from llm_adapters.players._agent_chat import AgentChat
from llm_adapters.players._answer_schemas import draws
from llm_adapters.players._arguments import MOST_CHARACTERS, read_count, read_seed, read_text
from llm_adapters.players._bidder_forms import answer_form
from llm_adapters.players._bidder_prompts import OBJECTIVES, BidderTexts, Labels, view_of
from llm_adapters.players._quoting import LONGEST, tidy_reply
from mechanisms.ascending import (
    MODULES,
    Beliefs,
    Bid,
    Call,
    Plan,
    ToRecount,
)
from mechanisms.play import Ask, IllegalAnswerError
from mechanisms.protocols import ChatModel, Message
from theory.errors import UnknownNameError, nearest
from theory.numbers import rational
from theory.shared.arguments import instance_of, read_tuple

__all__ = ["ChatBidder"]

_ABOUT: Final = "Whoever wins an item pays its own bid."


@dataclass(frozen=True)
class _Memory:
    """What a bidder has in mind: a conversation about one item, a plan, beliefs.

    ``about`` says what the conversation is about: a role, how many items were sold before, the
    item. ``told`` is the number of rounds that it has been told; -1 where it has only begun.
    """

    about: tuple[str, int, str] = ("", 0, "")
    talk: tuple[Message, ...] = ()
    told: int = -1
    plan: Plan | None = None
    beliefs: Beliefs | None = None


class ChatBidder:
    """A bidder in :func:`~mechanisms.ascending.run_auction` that asks a chat model.

    The calls of an item go on in one conversation: what was bid in the rounds since the last call,
    what is the least bid now, and why a bid was refused. A new item begins a new conversation.
    What it carries over is what the modules give (arena, section 3.2):

    - "plan": before the first item the model plans, and gives each item a priority. Each
      conversation begins with the plan.
    - "replan": it plans anew after each item but the last. Without it, a conversation that begins
      with a plan also tells the sales until now.
    - "beliefs": after each item it sums up what it has left, all profits and all sales, and the
      next conversations begin with that, right or wrong.

    All three are the "adaptive" bidder of the paper, ("plan",) the "static" one, and () the one
    without a plan, which is told no more than each call tells.

    A bid is whatever number the model gives. One that the rules refuse is told with the reason, and
    counts as a failed bid, as does a reply without a bid; after the last attempt of the rules the
    bidder has failed on the item. It withdraws with the word alone. Errors of the model itself are
    raised, so that the rules note that no answer came.

    Parameters
    ----------
    name : str
        A chat with a method ``for_agent`` is accounted to this name.
    chat : ChatModel
    objective : str
        What the model is told to be after: "profit", "items" or "rank".
    modules : sequence of str
        Of "plan", "replan" and "beliefs".
    over : number
        By what share of the value the estimates of this bidder are too high; it is not told.
    about : str
        What else the model is told of the rules.
    seed : int
        From 0 to 2^128. The draws of a call depend on it and on what the model is told.
    longest : int
        The most characters of a plan or of a reply that the model is shown again.

    Attributes
    ----------
    failures : int
        How many questions got no legal answer.

    Raises
    ------
    InvalidInputError, NumberError, UnknownNameError
        For arguments of other kinds, and objectives and modules that there are not.

    Notes
    -----
    One call of the model for each attempt. It is a participant of :func:`mechanisms.play.play`, and
    recalls there what it was asked and has answered in a run that is read again; its reasons are
    not in the run, but in the record of the session.

    Names of items and bidders are text of others. They are shown in quotation marks, cleaned and
    cut, and a name that this changes has letters after it, so that no two look alike.

    Examples
    --------
    >>> from llm_adapters.fakes import ScriptedChat
    >>> from mechanisms.ascending import Item, RuleBidder, run_auction
    >>> chat = ScriptedChat(
    ...     ['{"reason": "It is worth more.", "bid": 15}', '{"reason": "", "bid": "withdraw"}']
    ... )
    >>> ann = ChatBidder("Ann", chat, modules=())
    >>> result = run_auction([Item("Vase", 10, 20)], [ann, RuleBidder("Bob", limit=2)], 100)
    >>> result.sales[0].winner, result.sales[0].price
    ('Bob', Fraction(16, 1))
    """

    def __init__(
        self,
        name: str,
        chat: ChatModel,
        *,
        objective: str = "profit",
        modules: Sequence[str] = MODULES,
        over: Any = "1/10",
        about: str = _ABOUT,
        seed: int = 0,
        longest: int = LONGEST,
    ) -> None:
        self.name = read_text("name", name)
        if objective not in OBJECTIVES:
            fix = nearest(str(objective), OBJECTIVES)
            raise UnknownNameError("objective", objective, "is no objective", fix)
        self.objective = objective
        self.modules: tuple[str, ...] = read_tuple("modules", modules, "give a list of names")
        for module in self.modules:
            if module not in MODULES:
                fix = nearest(str(module), MODULES)
                raise UnknownNameError("modules", module, "is no module", fix)
        self.over = Fraction(rational(over, "over"))
        instance_of("about", about, str, "give text")
        self._seed = read_seed(seed)
        self._longest = read_count("longest", longest, 1, MOST_CHARACTERS)
        self._labels = Labels(self._seed)
        self._about = about
        self._texts = BidderTexts(self.name, objective, about, self._labels, self._longest)
        self._line = AgentChat(chat, self.name)
        self._memory = _Memory()

    @property
    def failures(self) -> int:
        """How many questions got no legal answer."""
        return self._line.failures

    def alike(self, name: str | None = None, *, seed: int | None = None) -> ChatBidder:
        """Return a bidder of the same model and settings, which has not been asked anything.

        Parameters
        ----------
        name, seed
            Those of this one by default. Bidders of one seed that are told the same in two auctions
            draw the same answers: give each auction a seed of its own.

        Examples
        --------
        >>> from llm_adapters.fakes import ScriptedChat
        >>> ChatBidder("Ann", ScriptedChat([]), modules=()).alike("Bob")
        ChatBidder('Bob', modules=(), failures=0)
        """
        return ChatBidder(
            self.name if name is None else name,
            self._line.chat,
            objective=self.objective,
            modules=self.modules,
            over=self.over,
            about=self._about,
            seed=self._seed if seed is None else seed,
            longest=self._longest,
        )

    def bid(self, call: Call) -> object:
        """Return the bid of the model, or what else it says; None where it withdraws.

        For calls that come without their rules: any amount that the bidder has may be bid.
        """
        instance_of("call", call, Call, "give a Call")
        return self(Ask(self.name, call, Bid(call.least, call.money, call.step, None), "bid"))

    def __call__(self, ask: Ask) -> object:
        """Return the answer of the model to a question of an ascending auction.

        Raises
        ------
        InvalidInputError
            For a question of other rules.
        Exception
            Whatever the chat raises.
        """
        self._memory = memory = self._begin(ask)
        form = answer_form(ask, self._labels)
        asked = (*memory.talk, Message("user", self._question(ask, memory)))
        text = "\n".join(message.content for message in asked)
        reply = self._line.say(asked, draws(self._seed, text), schema=form.schema)
        answer = form.read(reply)
        said = Message("assistant", tidy_reply(reply, self._longest))
        found = replace(memory, talk=(*asked, said), told=_rounds(ask, memory))
        try:
            found = _learn(found, ask.answer.read(answer))
        except IllegalAnswerError:
            if len(ask.refused) + 1 >= ask.attempts:
                self._line.count_failure()
        if self._memory is memory:  # else it has been asked something else since
            self._memory = found
        return answer

    def recall(self, seat: str, answered: Sequence[tuple[Ask, object]]) -> None:
        """Remember what was asked and answered earlier in a run, and nothing else."""
        self._memory = _Memory()
        for ask, answer in answered:
            memory = self._begin(ask)
            talk = memory.talk
            if isinstance(ask.view, Call):
                written = json.dumps({"bid": ask.answer.say(answer)})
                question = Message("user", self._question(ask, memory))
                talk = (*talk, question, Message("assistant", written))
            found = replace(memory, talk=talk, told=_rounds(ask, memory))
            self._memory = _learn(found, answer)

    def _begin(self, ask: Ask) -> _Memory:
        """Return what is in mind when a question is asked: in a new conversation, or in this."""
        view, memory = view_of(ask), self._memory
        again = bool(ask.refused)
        if isinstance(view, ToRecount):
            about, again = ("bid", view.number - 1, view.sale.item), True
        elif isinstance(view, Call):
            about, again = ("bid", len(view.sold), view.item), again or view.round > 0
        else:
            about = ("plan", len(view.sold), "")
        if again and about == memory.about:
            return memory
        if not again and not about[1] and (about == _PLANNED or memory.about != _PLANNED):
            memory = _Memory()  # another auction
        talk = self._texts.beginning(memory.plan, memory.beliefs)
        return replace(memory, about=about, talk=talk, told=-1)

    def _question(self, ask: Ask, memory: _Memory) -> str:
        """Return what is asked next in a conversation."""
        view, texts = view_of(ask), self._texts
        parts = [texts.refused(ask.refused[-1])] if ask.refused else []
        if memory.told < 0:
            static = "plan" in self.modules and "replan" not in self.modules
            parts.append(texts.opening(view, sold=static or not isinstance(view, Call)))
        parts.append(texts.state(view, ask.answer, max(0, memory.told)))
        parts.append(answer_form(ask, self._labels).text(again=memory.told >= 0))
        return "\n".join(filter(None, parts))

    def __repr__(self) -> str:
        return f"ChatBidder({self.name!r}, modules={self.modules}, failures={self.failures})"


_PLANNED: Final = ("plan", 0, "")


def _rounds(ask: Ask, memory: _Memory) -> int:
    """Return how many rounds of an item have been told."""
    return len(ask.view.history) if isinstance(ask.view, Call) else max(0, memory.told)


def _learn(memory: _Memory, answer: object) -> _Memory:
    """Return what is in mind after an answer."""
    if isinstance(answer, Plan):
        return replace(memory, plan=answer)
    return replace(memory, beliefs=answer) if isinstance(answer, Beliefs) else memory
