"""A seller of information that thinks with a chat model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final

import numpy as np

from llm_adapters.players._agent_chat import AgentChat
from llm_adapters.players._answers import prices_in
from llm_adapters.players._arguments import (
    MOST_CHARACTERS,
    read_count,
    read_seed,
    read_text,
)
from llm_adapters.players._buyer_prompts import QUOTES, form
from llm_adapters.players._document import Document
from llm_adapters.players._quoting import LONGEST, code_word, money, one_line, quote_lines
from mechanisms.ledger import Amount
from mechanisms.protocols import ChatModel, Message, Notice, Offer, Question
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of

__all__ = ["ChatSeller"]


# --- What the model of a seller is told, in our own words

KEEP: Final = "keep"


def seller_rules(goal: str) -> Message:
    """Return what holds in every conversation of a seller."""
    role = "You sell information for its owner."
    return Message("system", f"{role}\nThe owner's goal: {goal}\n{QUOTES}")


def offer_brief(
    name: str, question: Question, documents: Mapping[str, Document], longest: int
) -> str:
    """Return all that may be known when offering: question, notices, and the own documents."""
    parts = [f"A buyer has to decide this:\n{quote_lines(question.text, longest)}"]
    aim = "The buyer will read what you offer, and buy it or not. Offer what helps to decide."
    if question.level > 1:
        parts.append(_notices(name, question.on_offer[-1]))
        aim = (
            "The buyer will read what you offer, and buy it or not. Offer what helps to choose "
            "among the items above: what tells whether they are true, new, and worth the price."
        )
    parts.append(f"{aim} You have:")
    parts += [_entry(label, document, longest) for label, document in documents.items()]
    return "\n\n".join(parts)


def price_form(names: Sequence[str], most: int, code: str) -> str:
    """Return what asks for a price of every document, and says how to write it."""
    fields = dict.fromkeys(names, f"a price, or {KEEP}")
    limit = f" Offer {most} at most." if len(names) > most else ""
    return (
        "For every document name a price within its bounds, as a number, or write "
        f'"{KEEP}" not to offer it.{limit} You may keep them all.\n{form(fields, code)}'
    )


def _notices(name: str, notices: Sequence[Notice]) -> str:
    lines = []
    for notice in notices:
        seller = "you" if notice.seller == name else one_line(notice.seller)
        lines.append(f"- {one_line(notice.name)} by {seller}, price {money(notice.price)}")
    head = "To decide it, the buyer chooses among these items, of which you know no more than this:"
    return "\n".join([head, *lines])


def _entry(label: str, document: Document, longest: int) -> str:
    bounds = f"price from {money(document.reserve)} to {money(document.ceiling)}"
    return f"{label}: {one_line(document.name)}, {bounds}\n{quote_lines(document.text, longest)}"


# --- A seller of information that thinks with a chat model

_GOAL: Final = "to earn money with documents that help those who ask"
_MOST_OFFERS: Final = 100


class ChatSeller:
    """A seller of the inspection protocols (volition, section 5) that asks a chat model.

    The model is told the question, names and prices of what is on offer on the level below, and the
    texts of its own documents; for each it names a price within the bounds, or keeps it. On level
    1 it offers what helps to decide, on level n > 1 what helps to choose among the offers of level
    n - 1. A document goes on offer on one level alone, and not under a name that is on offer
    already.

    An answer that cannot be read, or with a price out of bounds, is asked for again with what was
    wrong; after the last attempt nothing is offered, since who offers shows a text to a buyer who
    need not buy it. Such failures are counted. Each call begins a new conversation, and nothing is
    kept. Errors of the model itself are raised.

    Parameters
    ----------
    name : str
        The name of its account. A chat with a method ``for_agent`` is accounted to this name.
    chat : ChatModel
    documents : iterable of Document
    goal : str
        What the owner wants.
    seed : int
        From 0 to 2^128. It decides all draws, by level, and the code that an answer must repeat.
    most : int
        How many documents may be offered on a level, from 1 to 100. The breadth of a market is for
        all sellers together, so leave room for others.
    longest : int
        The most characters of one text that the model is shown.

    Raises
    ------
    InvalidInputError, LimitError
        For arguments of other kinds, two documents of one name, and numbers out of range.

    Notes
    -----
    Question and notices were written by others, and are quoted as :class:`ChatBuyer` quotes what
    sellers write. One call a level, up to three times.

    Examples
    --------
    >>> from llm_adapters.fakes import RuleChat
    >>> from mechanisms.protocols import Question
    >>> import json
    >>> def clerk(messages, schema):
    ...     asked = schema["properties"]
    ...     return json.dumps({"code": asked["code"]["const"], "document 1": 1.5})
    >>> report = Document("mill: report", "Rice is unhealthy.", reserve=1, ceiling=2)
    >>> mill = ChatSeller("mill", RuleChat(clerk), [report])
    >>> offer, = mill.offers(Question("What to eat?", 1, ()))
    >>> print(offer.name, offer.price)
    mill: report 3/2
    """

    def __init__(
        self,
        name: str,
        chat: ChatModel,
        documents: Iterable[Document],
        *,
        goal: str = _GOAL,
        seed: int = 0,
        most: int = 10,
        longest: int = LONGEST,
    ) -> None:
        self.name = read_text("name", name)
        self.documents = _documents(documents)
        self.goal = read_text("goal", goal)
        self.seed = read_seed(seed)
        self.most = read_count("most", most, 1, _MOST_OFFERS)
        self.longest = read_count("longest", longest, 1, MOST_CHARACTERS)
        self._line = AgentChat(chat, self.name)

    @property
    def failures(self) -> int:
        """How many answers could not be read, of all copies of this seller."""
        return self._line.failures

    def offers(self, question: Question) -> tuple[Offer, ...]:
        """Return what the model offers to those who have the question, in a new conversation.

        Raises
        ------
        InvalidInputError
            For what is not a Question.
        """
        instance_of("question", question, Question, "give a Question")
        taken = {notice.name for notices in question.on_offer for notice in notices}
        free = [document for document in self.documents if document.name not in taken]
        if not free:
            return ()
        stock = {f"document {number}": each for number, each in enumerate(free, 1)}
        brief = offer_brief(self.name, question, stock, self.longest)
        code = code_word(self.seed, question.level, self.goal, brief)
        bounds = {
            label: (_show_price(each.reserve), _show_price(each.ceiling))
            for label, each in stock.items()
        }
        form, read = prices_in(bounds, code, partial(_out_of_bounds, stock, self.most))
        asked = f"{brief}\n\n{price_form(tuple(stock), self.most, code)}"
        rng = np.random.default_rng([self.seed, question.level, 0])
        talk = [seller_rules(self.goal), Message("user", asked)]
        named = self._line.ask(talk, form, rng, read) or {}
        return tuple(
            Offer(stock[label].name, stock[label].text, stock[label].price(price))
            for label, price in named.items()
        )

    def __repr__(self) -> str:
        stock = f"{len(self.documents)} documents"
        return f"ChatSeller({self.name!r}, {stock}, failures={self.failures})"


def _documents(documents: Any) -> tuple[Document, ...]:
    fix = "give Documents, even one in a list"
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise InvalidInputError("documents", documents, "are not a list", fix)
    listed = tuple(documents)
    for document in listed:
        if not isinstance(document, Document):
            raise InvalidInputError(
                "documents", document, "hold something that is not a Document", fix
            )
    names = [document.name for document in listed]
    if len(set(names)) < len(names):
        raise InvalidInputError("documents", names, "are not unique", "name each once")
    return listed


def _show_price(price: Amount) -> float:
    """Return a price as it is shown."""
    return float(money(price).removeprefix("about "))


def _out_of_bounds(stock: Mapping[str, Document], most: int, named: Mapping[str, Fraction]) -> str:
    """Return what is wrong with prices that were named."""
    wrong = [
        f"{label} may cost {money(stock[label].reserve)} to {money(stock[label].ceiling)}"
        for label, price in named.items()
        if stock[label].price(price) is None
    ]
    if len(named) > most:
        wrong.append(f"{len(named)} documents are offered, and {most} may be")
    return "; ".join(wrong)
