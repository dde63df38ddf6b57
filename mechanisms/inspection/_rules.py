"""The rules of the inspection protocols: one level (Algorithm 1) and any number (Algorithm 2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, Final

from mechanisms._statement import amount_text
from mechanisms.amounts import is_float, read
from mechanisms.ledger import Amount
from mechanisms.participants import describe_object, plain
from mechanisms.play import (
    AnswerType,
    Anything,
    Ask,
    Choice,
    Funds,
    IllegalAnswerError,
    Open,
    Pay,
    Steps,
    Subset,
    Transfer,
    Unpaid,
    rules,
)
from mechanisms.play.plain_data import from_json, to_json, view_json
from mechanisms.protocols import Notice, Offer, Purchase, Question
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of, read_count, read_tuple
from theory.shared.copying import copy_content
from theory.shared.printable import indent_following_lines, one_line

__all__ = [
    "MAX_BREADTH",
    "MAX_DEPTH",
    "Inspected",
    "Offers",
    "Purchases",
    "Shown",
    "ToDecide",
    "ToInspect",
    "inspection",
]

MAX_DEPTH: Final = 100
"""The most levels that a run may open."""

MAX_BREADTH: Final = 100
"""The most offers on a level, of all sellers together, unless another limit is given."""


# --- what is told


@dataclass(frozen=True)
class Shown(Notice):
    """An offer with its content, for a seat that may read it."""

    content: Any

    def __str__(self) -> str:
        return _offer_text(self, self.content)


@dataclass(frozen=True)
class ToInspect:
    """What a seat knows that chooses what to buy on a level.

    Attributes
    ----------
    question : Question
        That of the level.
    offers : tuple
        By level, from 1 up to this one: what is on offer, with contents.
    bought : tuple of Purchase
        What was bought on higher levels, the highest first.
    budget : number or None
        What the buyer can still pay; None where its account has no floor.
    """

    question: Question
    offers: tuple[tuple[Shown, ...], ...]
    bought: tuple[Purchase, ...]
    budget: Amount | None

    def __str__(self) -> str:
        level = self.question.level
        lines = [indent_following_lines(self.question.text, "  ")]
        for n, offers in enumerate(self.offers, 1):
            lines += [f"on level {n}:", *(f"  {offer}" for offer in offers)]
        lines += [f"bought: {_offer_text(each, each.content)}" for each in self.bought]
        budget = "" if self.budget is None else f", for at most {amount_text(self.budget)}"
        return "\n".join([*lines, f"what to buy on level {level}{budget}?"])


@dataclass(frozen=True)
class ToDecide:
    """What the buyer knows when it decides: what was bought, the highest level first."""

    question: str
    bought: tuple[Purchase, ...]

    def __str__(self) -> str:
        bought = [f"bought: {_offer_text(each, each.content)}" for each in self.bought]
        question = indent_following_lines(self.question, "  ")
        return "\n".join([question, *(bought or ["nothing was bought"])])


def _offer_text(offer: Notice, content: object) -> str:
    """Write an offer; no line of what a seller wrote looks like one of ours."""
    name, seller = one_line(offer.name), one_line(offer.seller)
    text = describe_object(content, str)
    what = indent_following_lines(text, "    | ")
    return f"{name} of {seller} for {amount_text(offer.price)}: {what}"


# --- what is answered


@dataclass(frozen=True)
class Offers(AnswerType[tuple[Offer, ...]]):
    """Offers of a seller on a level: new names, prices of at least 0.

    What other sellers offer on the level does not count. Neither text nor schema says what is on
    offer on lower levels.

    Attributes
    ----------
    level, breadth : int
        The level, and how many offers it may have of all sellers together.
    taken : frozenset of str
        The names of the offers on lower levels.
    floats : bool
        Whether prices are floats.
    """

    level: int
    breadth: int
    taken: frozenset[str] = field(repr=False)
    floats: bool

    def read(self, given: object) -> tuple[Offer, ...]:
        """Return the offers with plain names, copies of contents, prices as the ledger has them."""
        if isinstance(given, str) or not isinstance(given, Iterable):
            problem = f"answers with a {type(given).__name__} on level {self.level}"
            raise IllegalAnswerError(problem, "return a list of Offers")
        read: list[Offer] = []
        for count, offer in enumerate(islice(given, self.breadth + 1), 1):
            if count > self.breadth:
                raise IllegalAnswerError(*_one_too_many(count, self.level, self.breadth))
            read.append(self._offer(offer, {each.name for each in read}))
        return tuple(read)

    def write(self, answer: tuple[Offer, ...]) -> object:
        """Return names, contents and prices; contents must be plain data."""
        return [
            {
                "name": offer.name,
                "content": to_json(offer.content, f"content of {offer.name}"),
                "price": to_json(offer.price, f"price of {offer.name}"),
            }
            for offer in answer
        ]

    def say(self, answer: tuple[Offer, ...]) -> object:
        """Return names, contents and prices such as "3/2"."""
        return view_json(answer)

    def read_written(self, written: object) -> tuple[Offer, ...]:
        """Return the offers that were written."""
        return self.read(
            Offer(each["name"], from_json(each["content"]), from_json(each["price"]))
            for each in read_tuple("offers", written)
        )

    def schema(self) -> dict[str, object]:
        """Return a list of objects with name, content and price."""
        price: dict[str, object] = {"type": "number"} if self.floats else {"type": "string"}
        return {
            "type": "array",
            "maxItems": self.breadth,
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "content": {}, "price": price},
                "required": ["name", "content", "price"],
            },
        }

    def __str__(self) -> str:
        limit = f"at most {self.breadth} on level {self.level} of all sellers together"
        return f"offers, {limit}, each with a name, a content and a price"

    def _offer(self, given: object, taken: Collection[str]) -> Offer:
        where = f"on level {self.level}"
        offer: Any = given
        if type(given) is dict and given.keys() == {"name", "content", "price"}:
            offer = Offer(given["name"], given["content"], given["price"])
        if not isinstance(offer, Offer):
            kind = type(given).__name__
            raise IllegalAnswerError(
                f"offers a {kind} {where}, no Offer", "return a list of Offers"
            )
        try:
            name, content, asked = plain(offer.name), offer.content, offer.price
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            problem = f"raised {describe_object(error)} in an offer {where}"
            raise IllegalAnswerError(problem, "return plain Offers") from error
        if not name:
            raise IllegalAnswerError(f"offers something nameless {where}", "name it")
        if name in self.taken or name in taken:
            raise IllegalAnswerError(*_name_taken(name, self.level))
        price = self._price(name, asked)
        try:
            return Offer(name, copy_content(content), price)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            problem = f"raised {describe_object(error)} when the content of {name!r} was copied"
            fix = "offer text, or what can be copied each time"
            raise IllegalAnswerError(problem, fix) from error

    def _price(self, name: str, asked: object) -> Amount:
        argument = f"price of {name}"
        try:
            price = read(asked, argument, floats=self.floats)
            if price < 0:
                fix = "give a number of at least 0"
                raise InvalidInputError(argument, asked, "is negative", fix)
        except InvalidInputError as error:
            problem = f"cannot sell {name!r} on level {self.level}"
            raise IllegalAnswerError(problem, describe_object(error, str)) from error
        return float(price) if self.floats else price


def _one_too_many(count: int, level: int, breadth: int) -> tuple[str, str]:
    problem = f"makes offer {count} on level {level}, which has a breadth of {breadth} for all"
    return f"{problem} sellers together", "offer less, or allow more breadth"


def _name_taken(name: str, level: int) -> tuple[str, str]:
    fix = "give each offer a name of its own, such as one that begins with the seller's"
    return f"offers {name!r} on level {level}, a name that is taken", fix


@dataclass(frozen=True)
class Purchases(AnswerType[tuple[str, ...]]):
    """Names of offers to buy, which together cost no more than the budget."""

    offers: tuple[Shown, ...]
    budget: Amount | None

    def read(self, given: object) -> tuple[str, ...]:
        """Return the names, in the order of the offers."""
        names = self._names.read(given)
        total = self._cost(names)
        if self.budget is not None and total > Fraction(self.budget):
            most = f"at most {amount_text(self.budget)} can be paid"
            raise IllegalAnswerError(f"{' + '.join(names)} cost {amount_text(total)}", most)
        return names

    def write(self, answer: tuple[str, ...]) -> object:
        """Return the names."""
        return list(answer)

    def schema(self) -> dict[str, object]:
        """Return a list of names, each at most once."""
        return self._names.schema()

    def choices(self) -> tuple[tuple[str, ...], ...]:
        """Return the sets that can be paid, the smallest first."""
        every = self._names.choices()
        if self.budget is None:
            return every
        return tuple(names for names in every if self._cost(names) <= Fraction(self.budget))

    def __str__(self) -> str:
        limit = "" if self.budget is None else f" for at most {amount_text(self.budget)}"
        return f"{self._names}{limit}"

    @cached_property
    def _names(self) -> Subset[str]:
        return Subset(offer.name for offer in self.offers)

    def _cost(self, names: Collection[str]) -> Fraction:
        prices = (Fraction(offer.price) for offer in self.offers if offer.name in names)
        return sum(prices, Fraction(0))


# --- the outcome, and the rules


@dataclass(frozen=True)
class Inspected:
    """What came of an inspection.

    Attributes
    ----------
    decision : object
        What the buyer decided.
    bought : tuple of Purchase
        What it had bought, the highest level first.
    unpaid : Unpaid or None
        A purchase that could not be paid any more, since others use the account, too; then nothing
        is decided.
    fault : tuple or None
        The seller whose offers cannot stand beside those of the sellers before it on the level, why
        not, and what it should do instead; then nothing is decided, either.
    """

    decision: Any
    bought: tuple[Purchase, ...]
    unpaid: Unpaid | None = None
    fault: tuple[str, str, str] | None = None

    @property
    def spending(self) -> Fraction:
        """What the purchases cost."""
        return sum((Fraction(each.price) for each in self.bought), Fraction(0))


@rules(version=2, data=(Offer,))
def inspection(
    question: str,
    buyer: str,
    sellers: Iterable[str],
    balances: Mapping[str, object],
    depth: int,
    *,
    breadth: int = MAX_BREADTH,
    floors: Mapping[str, Any] | None = None,
    actions: Iterable[Any] | None = None,
    attempts: int = 1,
) -> Steps[Inspected]:
    """Play the recursive inspection protocol to a depth N (volition, Algorithm 2).

    The sellers are asked for offers on level 1, …, N in turn: those of level 1 help to decide,
    those of level n + 1 help to choose among those of level n. On a level all are asked at the same
    time, so that none learns what another offers there. If two offers have one name, or they are
    more than the breadth, the run ends once all have answered. It ends before a level on which
    nothing is offered. Then x^N, …, x^1 are chosen, the deepest first, each by a seat of its own:
    it reads all offers of levels 1, …, n and what was bought on levels above n. The prices are paid
    at once. At last the buyer decides, knowing what was bought and nothing else.

    Parameters
    ----------
    question : str
        What is to be decided.
    buyer : str
    sellers : names
        Their offers on a level are listed in this order.
    balances : mapping
        What each account has, those of the buyer and of the sellers: exact numbers, or floats.
    depth : int
        N, from 0 to 100; at 0 the buyer decides without help, at 1 it is Algorithm 1.
    breadth : int
        The most offers on a level, of all sellers together.
    floors : mapping, optional
        How far accounts may go down: 0 where nothing is said, any distance for None.
    actions : iterable, optional
        What may be decided; anything where nothing is said.
    attempts : int
        How often an answer may be tried; after that the run ends.

    Examples
    --------
    >>> run = inspection("What to eat?", "cook", ["farm"], {"cook": 5, "farm": 0}, depth=1)
    >>> print(run)
    inspection, step 1: farm is to offer
    >>> run = run.answer("farm", [Offer("note", "legumes are toxic raw", 2)])
    >>> print(run.ask().view)
    What to eat?
    on level 1:
      note of farm for 2: legumes are toxic raw
    what to buy on level 1, for at most 5?
    >>> run = run.answer("cook on level 1", ["note"])
    >>> print(run.ask().view)
    What to eat?
    bought: note of farm for 2: legumes are toxic raw
    >>> run = run.answer("cook", "rice")
    >>> run.outcome.decision, run.ledger.balance("farm")
    ('rice', Fraction(2, 1))
    """
    instance_of("question", question, str, "give text")
    instance_of("balances", balances, Mapping, "give what each account has")
    instance_of("floors", floors or {}, Mapping, "give floors by account")
    names = _names(buyer, sellers)
    read_count("depth", depth, 0, MAX_DEPTH)
    read_count("breadth", breadth, 1)
    floats = any(map(is_float, balances.values()))
    yield _accounts(names, balances, floors or {}, floats)
    levels: list[tuple[Shown, ...]] = []
    while len(levels) < depth:
        offers = yield from open_level(
            question, names[1:], levels, breadth=breadth, floats=floats, attempts=attempts
        )
        if not offers:
            break
        fault = _fault(offers, breadth)
        if fault is not None:
            return Inspected(None, (), fault=fault)
        levels.append(offers)
    bought: tuple[Purchase, ...] = ()
    while levels:
        purchases = yield from buy(question, buyer, levels, bought, attempts)
        if isinstance(purchases, Unpaid):
            return Inspected(None, bought, purchases)
        bought += purchases
        levels.pop()
    decide = Anything() if actions is None else Choice(actions)
    told = ToDecide(question, bought)
    decision = yield Ask(buyer, told, decide, "decide", attempts=attempts)
    return Inspected(decision, bought)


def open_level(
    question: str,
    sellers: tuple[str, ...],
    levels: list[tuple[Shown, ...]],
    *,
    breadth: int,
    floats: bool,
    attempts: int,
) -> Steps[tuple[Shown, ...]]:
    """Put the question of the level above these to all sellers at the same time."""
    if not sellers:
        return ()
    asked = _question(question, levels)
    taken = frozenset(each.name for offers in levels for each in offers)
    legal = Offers(asked.level, breadth, taken, floats)
    digits = len(str(len(sellers)))  # so that the log has them in their order
    asks = {
        f"{k:0{digits}} {seller}": Ask(seller, asked, legal, "offer", attempts=attempts)
        for k, seller in enumerate(sellers, 1)
    }
    answers = yield asks
    return tuple(
        Shown(asked.level, asks[key].player, each.name, each.price, each.content)
        for key, offers in answers.items()
        for each in offers
    )


def _fault(offers: tuple[Shown, ...], breadth: int) -> tuple[str, str, str] | None:
    """Return the first seller whose offers cannot stand beside those before them, and why."""
    names: set[str] = set()
    for count, offer in enumerate(offers, 1):
        if count > breadth:
            own = sum(each.seller == offer.seller for each in offers[:count])
            return offer.seller, *_one_too_many(own, offer.level, breadth)
        if offer.name in names:
            return offer.seller, *_name_taken(offer.name, offer.level)
        names.add(offer.name)
    return None


def buy(
    question: str,
    buyer: str,
    levels: list[tuple[Shown, ...]],
    bought: tuple[Purchase, ...],
    attempts: int,
) -> Steps[tuple[Purchase, ...] | Unpaid]:
    """Let a seat of its own choose from the highest of these levels, and pay."""
    level, offers = len(levels), levels[-1]
    budget = yield Funds(buyer)
    view = ToInspect(_question(question, levels[:-1]), tuple(levels), bought, budget)
    legal = Purchases(offers, budget)
    seat = f"{buyer} on level {level}"
    chosen = yield Ask(buyer, view, legal, "choose", seat, attempts=attempts)
    buys = [each for each in offers if each.name in chosen]
    unpaid = yield Pay(tuple(Transfer(buyer, o.seller, o.price, o.name) for o in buys))
    if isinstance(unpaid, Unpaid):
        return unpaid
    return tuple(Purchase(level, o.seller, o.name, o.price, o.content) for o in buys)


def _question(text: str, below: list[tuple[Shown, ...]]) -> Question:
    """Return the question of the level above these."""
    notices = (
        tuple(Notice(each.level, each.seller, each.name, each.price) for each in offers)
        for offers in below
    )
    return Question(text, len(below) + 1, tuple(notices))


def _names(buyer: str, sellers: Iterable[str]) -> tuple[str, ...]:
    names = (buyer, *read_tuple("sellers", sellers))
    for name in names:
        instance_of("name", name, str, "name each participant as its account")
        if not name:
            raise InvalidInputError("names", names, "has an empty one", "name each participant")
    if len(set(names)) < len(names):
        raise InvalidInputError("names", names, "are not unique", "give each its own")
    return names


def _accounts(
    names: tuple[str, ...],
    balances: Mapping[str, object],
    floors: Mapping[str, object],
    floats: bool,
) -> Open:
    for name in names:
        if name not in balances:
            problem, fix = f"have no account for {name}", "give each participant a balance"
            raise InvalidInputError("balances", tuple(balances), problem, fix)

    def amount(value: object, argument: str) -> Amount:
        if type(value) is Fraction and not floats:
            return value
        number = read(value, argument, floats=floats)
        return float(number) if floats else number

    return Open(
        tuple((name, amount(value, f"balance of {name}")) for name, value in balances.items()),
        tuple(
            (name, None if floor is None else amount(floor, f"floor of {name}"))
            for name, floor in floors.items()
        ),
    )
