"""The rules of the information market: tenders, inspection, purchases, follow-up questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice
from typing import Any, Final

from mechanisms.inspection import Purchases, Shown, ToInspect
from mechanisms.market._questions import Excerpt, Progress, Quote, Quotes, Tender, Texts, texts_of
from mechanisms.play import (
    AnswerType,
    Ask,
    Funds,
    Open,
    Pay,
    Steps,
    Subset,
    Text,
    Transfer,
    Unpaid,
    rules,
)
from mechanisms.protocols import Purchase, Question
from theory.errors import InvalidInputError
from theory.numbers import rational
from theory.shared.arguments import instance_of, read_count, read_tuple

__all__ = ["MAX_HOPS", "Inquiry", "information_market", "seats_of"]

MAX_HOPS: Final = 20
"""How far follow-up questions may go."""


@dataclass(frozen=True)
class Inquiry:
    """A question of a buyer, and what came of it.

    Attributes
    ----------
    question : str
    place : str
        "1" for the first question, "1.2" for the second that follows from it, and so on.
    offers : tuple of Shown
        What could be chosen, with titles alone.
    bought : tuple of Purchase
        What was bought for this question; each content is an :class:`Excerpt`.
    before : tuple of Purchase
        What had been bought for earlier questions, and was told with it.
    owned : tuple of str
        Names of quoted passages whose text the buyer had already; they are not sold again.
    answer : str or None
        The last one; None where a payment failed.
    followed : tuple of Inquiry
        The follow-up questions, in order.
    skipped : tuple of str
        Follow-up questions that had been asked before, in the same words.
    unpaid : Unpaid or None
        A purchase that could not be paid, since others use the account, too. It ends the run.
    """

    question: str
    place: str
    offers: tuple[Shown, ...] = ()
    bought: tuple[Purchase, ...] = ()
    owned: tuple[str, ...] = ()
    answer: str | None = None
    followed: tuple[Inquiry, ...] = ()
    skipped: tuple[str, ...] = ()
    before: tuple[Purchase, ...] = ()
    unpaid: Unpaid | None = None

    def every(self) -> Iterator[Inquiry]:
        """Yield this and all that follow from it, parents before children."""
        yield self
        for each in self.followed:
            yield from each.every()

    @property
    def purchases(self) -> tuple[Purchase, ...]:
        """All that was bought for it and for what follows."""
        return tuple(chain.from_iterable(each.bought for each in self.every()))

    @property
    def sources(self) -> tuple[Purchase, ...]:
        """What its answer is made of: all that who wrote it had been told, earliest first."""
        return self.before + self.purchases

    @property
    def spending(self) -> Fraction:
        """What that cost."""
        return sum((Fraction(each.price) for each in self.purchases), Fraction(0))


@rules(version=1, data=(Quote, Excerpt))
def information_market(
    question: str,
    buyer: str,
    vendors: Iterable[str],
    budget: object,
    *,
    inspection: bool = True,
    quotes: int = 10,
    examine: int = 50,
    offer: int = 3,
    hops: int = 0,
    breadth: int = 1,
    attempts: int = 1,
) -> Steps[Inquiry]:
    """Play the information market for one question (bazaar, section 3).

    All vendors are told the question at the same time, and quote passages. Of passages with one
    text the cheapest stays, and those that the buyer owns are left out. The ``examine`` best by
    score are looked at; where they are more than ``offer``, a seat of the buyer's that may read
    them makes a shortlist. A seat of its own, which knows what was bought before, then chooses what
    to buy; both are forgotten. It sees titles alone without inspection. What is chosen together
    costs at most what the buyer has left, and is paid at once. The buyer answers by what was
    bought, and may ask on: each follow-up question is played in the same way, with what money is
    left, before the answer is given again. All payments go through one ledger.

    Parameters
    ----------
    question, buyer : str
    vendors : names
        Their accounts are opened at 0. Of equal scores the earlier vendor's come first.
    budget : number
        What the buyer has, at least 0.
    inspection : bool
        Whether texts may be read before they are bought; titles may be read in any case.
    quotes : int
        How many passages a vendor may quote for a question.
    examine, offer : int
        How many passages are looked at, and among how many is chosen.
    hops : int
        How far follow-up questions go: 0 for none, 2 for questions that follow from those that
        follow from the first; at most 20.
    breadth : int
        How many questions may follow from one.
    attempts : int
        How often an answer may be tried; after that the run ends.

    Examples
    --------
    >>> run = information_market("Who is mayor of Ilm?", "Ann", ["press"], budget=5)
    >>> run = run.answer("press", [Quote("p1", "Ilm, mayor", "Ida Ro is mayor of Ilm.", 2)])
    >>> print(run.ask().view)
    Who is mayor of Ilm?
    on level 1:
      press: p1 of press for 2: Ilm, mayor
        | Ida Ro is mayor of Ilm.
    what to buy on level 1, for at most 5?
    >>> run = run.answer("Ann choosing for 1", ["press: p1"]).answer("Ann", "Ida Ro")
    >>> run.outcome.answer, run.outcome.spending, run.ledger.balance("press")
    ('Ida Ro', Fraction(2, 1), Fraction(2, 1))
    """
    instance_of("question", question, str, "give text")
    instance_of("inspection", inspection, bool, "say True or False")
    names = _read_names(buyer, vendors)
    funds = Fraction(rational(budget, "budget"))
    if funds < 0:
        raise InvalidInputError("budget", budget, "is negative", "give a number of at least 0")
    for name, count in {"quotes": quotes, "examine": examine, "offer": offer}.items():
        read_count(name, count)
    read_count("hops", hops, 0, MAX_HOPS)
    read_count("breadth", breadth, 1, 1_000)
    read_count("attempts", attempts, 1, 100)
    yield Open(((buyer, funds), *((name, 0) for name in names[1:])))
    market = _Market(buyer, names[1:], inspection, quotes, examine, offer, breadth, attempts)
    return (yield from _inquire(market, _Node(question, "1", hops, ()), {_words(question)}))


@dataclass(frozen=True)
class _Market:
    """What is the same for all questions of a run."""

    buyer: str
    vendors: tuple[str, ...]
    inspection: bool
    quotes: int
    examine: int
    offer: int
    breadth: int
    attempts: int

    def ask(self, view: object, answer: AnswerType[Any], role: str, seat: str = "") -> Ask:
        return Ask(self.buyer, view, answer, role, seat, attempts=self.attempts)


@dataclass(frozen=True)
class _Node:
    """A question, its place, how far questions may follow from it, and what was bought before."""

    question: str
    place: str
    hops: int
    known: tuple[Purchase, ...]


def _inquire(market: _Market, node: _Node, asked: set[str]) -> Steps[Inquiry]:
    """Play one question, and those that follow from it."""
    question, place = node.question, node.place
    quoted = yield from _tender(market, question)
    had = {*texts_of(node.known)}
    owned = tuple(label for label, (_, quote) in quoted.items() if quote.text in had)
    quoted = {label: pair for label, pair in quoted.items() if label not in owned}
    offers = yield from _shortlist(market, node, quoted)
    bought = yield from _buy(market, node, offers, quoted)
    done = Inquiry(question, place, _titles(offers), owned=owned, before=node.known)
    if isinstance(bought, Unpaid):
        return replace(done, unpaid=bought)
    known = node.known + bought
    answer = yield market.ask(Progress(question, known), Text(), "answer")
    done = replace(done, bought=bought, answer=answer)
    if not node.hops:
        return done
    view = Progress(question, known, answer)
    following = yield market.ask(view, Texts(market.breadth), "ask on")
    for each in following:
        if (words := _words(each)) in asked:
            done = replace(done, skipped=(*done.skipped, each))
            continue
        asked.add(words)
        at = f"{place}.{len(done.followed) + 1}"
        child = yield from _inquire(market, _Node(each, at, node.hops - 1, known), asked)
        done = replace(done, followed=(*done.followed, child))
        known += child.purchases
        if child.unpaid is not None:
            return replace(done, answer=None, unpaid=child.unpaid)
    if not done.followed:
        return done
    told = tuple((each.question, each.answer or "") for each in done.followed)
    view = Progress(question, known, answer, told)
    return replace(done, answer=(yield market.ask(view, Text(), "answer again")))


def _tender(market: _Market, question: str) -> Steps[dict[str, tuple[str, Quote]]]:
    """Ask all vendors at the same time; return vendors and quotes by label, the best first."""
    if not market.vendors:
        return {}
    view, answer = Tender(question, market.quotes), Quotes(market.quotes)
    digits = len(str(len(market.vendors)))  # so that the log has them in their order
    given = yield {
        f"{k:0{digits}} {vendor}": Ask(vendor, view, answer, "quote", attempts=market.attempts)
        for k, vendor in enumerate(market.vendors, 1)
    }
    quoted = [
        (vendor, quote)
        for vendor, answers in zip(market.vendors, given.values(), strict=True)
        for quote in answers
    ]
    cheapest: dict[str, tuple[str, Quote]] = {}
    for vendor, quote in quoted:
        other = cheapest.get(quote.text)
        if other is None or quote.price < other[1].price:
            cheapest[quote.text] = vendor, quote
    best = sorted(cheapest.values(), key=lambda pair: -pair[1].score)
    return {f"{vendor}: {quote.name}": (vendor, quote) for vendor, quote in best}


def _shortlist(
    market: _Market, node: _Node, quoted: dict[str, tuple[str, Quote]]
) -> Steps[tuple[Shown, ...]]:
    """Return the offers among which to choose."""
    examined = tuple(
        Shown(1, vendor, label, q.price, Excerpt(q.title, q.text if market.inspection else None))
        for label, (vendor, q) in islice(quoted.items(), market.examine)
    )
    if len(examined) <= market.offer:
        return examined
    budget = yield Funds(market.buyer)
    view = ToInspect(Question(node.question, 1, ()), (examined,), node.known, budget)
    answer = Subset((each.name for each in examined), most=market.offer)
    looking, _ = seats_of(market.buyer)
    chosen = yield market.ask(view, answer, "shortlist", looking + node.place)
    return tuple(each for each in examined if each.name in chosen)


def _buy(
    market: _Market, node: _Node, offers: tuple[Shown, ...], quoted: dict[str, tuple[str, Quote]]
) -> Steps[tuple[Purchase, ...] | Unpaid]:
    """Let a seat of its own choose, and pay; what is bought is delivered with its text."""
    if not offers:
        return ()
    budget = yield Funds(market.buyer)
    view = ToInspect(Question(node.question, 1, ()), (offers,), node.known, budget)
    _, choosing = seats_of(market.buyer)
    chosen = yield market.ask(view, Purchases(offers, budget), "choose", choosing + node.place)
    buys = [each for each in offers if each.name in chosen]
    paid = tuple(Transfer(market.buyer, each.seller, each.price, each.name) for each in buys)
    unpaid = yield Pay(paid)
    if isinstance(unpaid, Unpaid):
        return unpaid

    def delivered(offer: Shown) -> Excerpt:
        quote = quoted[offer.name][1]
        return Excerpt(quote.title, quote.text)

    return tuple(Purchase(1, o.seller, o.name, o.price, delivered(o)) for o in buys)


def _words(question: str) -> str:
    """Return what two questions have in common that are one: case, blanks and the end aside."""
    return " ".join(question.casefold().split()).rstrip(" ?!.") or question


def _titles(offers: tuple[Shown, ...]) -> tuple[Shown, ...]:
    """Return offers without what could be read and was not bought."""
    return tuple(replace(each, content=Excerpt(each.content.title, None)) for each in offers)


def seats_of(buyer: str) -> tuple[str, str]:
    """Return how the seats are called that look through quotes and that choose; a place follows."""
    return f"{buyer} looking through ", f"{buyer} choosing for "


def _read_names(buyer: str, vendors: Iterable[str]) -> tuple[str, ...]:
    names = (buyer, *read_tuple("vendors", vendors))
    for name in names:
        instance_of("name", name, str, "name each participant as its account")
        if not name.strip():
            raise InvalidInputError("names", names, "have an empty one", "name each participant")
        if ": " in name:
            fix = 'leave ": " out, which stands between a vendor and its passage'
            raise InvalidInputError("names", name, "would be read as two", fix)
        if name.startswith(seats_of(buyer)):
            fix = "give the vendor a name that does not begin so"
            raise InvalidInputError("names", name, "would be read as a seat of the buyer's", fix)
    if len({*names}) < len(names):
        raise InvalidInputError("names", names, "are not unique", "give each its own")
    return names
