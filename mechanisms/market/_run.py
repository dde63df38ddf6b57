"""The information market, led with vendors and a buyer of this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechanisms._statement import amount_text
from mechanisms.ledger import Ledger
from mechanisms.market._bm25 import BM25
from mechanisms.market._corpus import Corpus, FactQuestion
from mechanisms.market._participants import Vendor
from mechanisms.market._questions import texts_of
from mechanisms.market._rules import Inquiry, information_market
from mechanisms.play import Ask, Run, play
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of, read_count, read_tuple
from theory.shared.printable import one_line
from theory.verdicts import Table

__all__ = ["Market", "MarketResult", "answer_question"]


@dataclass(frozen=True)
class Market:
    """Vendors, and how a question is dealt with; see :func:`information_market`.

    Attributes
    ----------
    vendors : tuple of Vendor
        Or of anything else that has a name and is called with an :class:`~mechanisms.play.Ask`.
    inspection : bool
    quotes, examine, offer, breadth : int
    """

    vendors: tuple[Any, ...]
    inspection: bool = True
    quotes: int = 10
    examine: int = 50
    offer: int = 3
    breadth: int = 1

    def __post_init__(self) -> None:
        vendors = read_tuple("vendors", self.vendors, "give a list of Vendor")
        for vendor in vendors:
            if not callable(vendor) or not isinstance(getattr(vendor, "name", None), str):
                problem = "has no name or cannot be called"
                raise InvalidInputError("vendors", vendor, problem, "give Vendor(name, passages)")
        object.__setattr__(self, "vendors", vendors)
        for name in ("quotes", "examine", "offer", "breadth"):
            read_count(name, getattr(self, name))

    @classmethod
    def of(cls, corpus: Corpus, retrieval: Any = None, **terms: Any) -> Market:
        """Return the market in which each owner sells its passages of a corpus.

        ``retrieval`` is for all of them: by default :class:`BM25` with the statistics of the whole
        corpus.
        """
        instance_of("corpus", corpus, Corpus, "give a Corpus")
        found = BM25(corpus.passages) if retrieval is None else retrieval
        vendors = [Vendor(owner, passages, found) for owner, passages in corpus.by_owner()]
        return cls(tuple(vendors), **terms)


@dataclass(frozen=True)
class MarketResult:
    """What came of a question.

    Attributes
    ----------
    inquiry : Inquiry
        The question, with those that followed from it.
    run : Run
        The run to its end, with its log.
    """

    inquiry: Inquiry
    run: Run[Inquiry]

    @property
    def ledger(self) -> Ledger:
        """All accounts, with all payments."""
        return self.run.ledger

    @property
    def answer(self) -> str | None:
        """The answer to the first question."""
        return self.inquiry.answer

    @property
    def spent(self) -> Fraction:
        """What was paid for all questions together."""
        return self.inquiry.spending

    def worth(self, corpus: Corpus, question: FactQuestion) -> Fraction:
        """Return what was bought is worth to who asked, before the price."""
        return corpus.worth(question, texts_of(self.inquiry.purchases))

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def table(self) -> Table:
        """Return the offers of all questions, and what was bought."""
        rows = []
        for inquiry in self.inquiry.every():
            bought = {each.name for each in inquiry.bought}
            for offer in inquiry.offers:
                taken = "yes" if offer.name in bought else "no"
                title = one_line(offer.content.title)
                rows.append((inquiry.place, offer.name, title, amount_text(offer.price), taken))
        title = one_line(f"{self.inquiry.question} {self.answer}, {amount_text(self.spent)} spent")
        columns = ("place", "offer", "title", "price", "bought")
        return Table(caption=title, columns=columns, rows=tuple(rows))

    def __str__(self) -> str:
        lines = []
        for inquiry in self.inquiry.every():
            indent = "  " * inquiry.place.count(".")
            paid = amount_text(sum((Fraction(each.price) for each in inquiry.bought), Fraction(0)))
            names = ", ".join(one_line(each.name) for each in inquiry.bought) or "nothing"
            lines.append(f"{indent}{inquiry.place} {one_line(inquiry.question)}")
            lines.append(f"{indent}  {len(inquiry.offers)} offers, bought {names} for {paid}")
            lines.append(f"{indent}  answer: {one_line(str(inquiry.answer))}")
        return "\n".join(lines)


def answer_question(
    market: Market,
    question: FactQuestion | str,
    buyer: Callable[[Ask], object],
    budget: object,
    *,
    hops: int = 0,
    seed: int | str = 0,
    attempts: int = 1,
) -> MarketResult:
    """Play :func:`information_market` for one question, with a buyer that is called.

    Parameters
    ----------
    market : Market
    question : FactQuestion or str
    buyer : callable
        Takes each :class:`~mechanisms.play.Ask`, by its role: "shortlist", "choose", "answer", "ask
        on" and "answer again". Its ``name`` is that of its account, "the buyer" where it has none.
    budget, hops, attempts
        As for :func:`information_market`.
    seed : int or str
        Decides what is drawn; the rules themselves draw nothing.

    Returns
    -------
    MarketResult

    Raises
    ------
    ParticipantError
        When a vendor or the buyer raises, or gives no legal answer; it holds the run until then.

    Examples
    --------
    >>> from mechanisms.market import IdealBuyer, facts_corpus
    >>> corpus = facts_corpus(seed=1, passages=40, questions=10, owners=4)
    >>> market, buyer = Market.of(corpus), IdealBuyer(corpus)
    >>> print(answer_question(market, corpus.questions[1], buyer, 25, hops=1))
    1 What is the mayor of the birthplace of Quindilen?
      3 offers, bought owner 3: p5, owner 1: p8 for 11
      answer: Norimar
    """
    instance_of("market", market, Market, "give Market(vendors)")
    read_count("attempts", attempts, 1, 100)
    instance_of("question", question, (FactQuestion, str), "give text")
    if not callable(buyer):
        fix = "give a function of an Ask, or a buyer such as IdealBuyer(corpus)"
        raise InvalidInputError("buyer", buyer, "cannot be called", fix)
    name = getattr(buyer, "name", "the buyer")
    participants: dict[str, Any] = {each.name: each for each in market.vendors}
    run = information_market.seeded(seed)(
        str(question),
        name,
        tuple(participants),
        budget,
        inspection=market.inspection,
        quotes=market.quotes,
        examine=market.examine,
        offer=market.offer,
        hops=hops,
        breadth=market.breadth,
        attempts=attempts,
    )
    done = play(run, {**participants, name: buyer})
    return MarketResult(done.outcome, done)
