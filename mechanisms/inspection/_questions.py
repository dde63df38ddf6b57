"""What players of an inspection are told, and what each may answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any

from mechanisms._statement import amount_text
from mechanisms.amounts import read
from mechanisms.ledger import Amount
from mechanisms.participants import describe_object, plain
from mechanisms.play import AnswerType, IllegalAnswerError, Subset
from mechanisms.play.plain_data import from_json, to_json, view_json
from mechanisms.protocols import Notice, Offer, Purchase, Question, notice_text
from theory.errors import InvalidInputError
from theory.shared.arguments import read_tuple
from theory.shared.copying import copy_content
from theory.shared.printable import indent_following_lines

__all__ = [
    "Offers",
    "Purchases",
    "Shown",
    "ToDecide",
    "ToInspect",
    "name_taken",
    "one_too_many",
]

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
    what = indent_following_lines(describe_object(content, str), "    | ")
    return f"{notice_text(offer)}: {what}"


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
                raise IllegalAnswerError(*one_too_many(count, self.level, self.breadth))
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
            raise IllegalAnswerError(*name_taken(name, self.level))
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


def one_too_many(count: int, level: int, breadth: int) -> tuple[str, str]:
    problem = f"makes offer {count} on level {level}, which has a breadth of {breadth} for all"
    return f"{problem} sellers together", "offer less, or allow more breadth"


def name_taken(name: str, level: int) -> tuple[str, str]:
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
