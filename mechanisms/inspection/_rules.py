"""The rules of the inspection protocols: one level (Algorithm 1) and any number (Algorithm 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mechanisms.amounts import is_float, read
from mechanisms.inspection._questions import (
    Offers,
    Purchases,
    Shown,
    ToDecide,
    ToInspect,
    name_taken,
    one_too_many,
)
from mechanisms.ledger import Amount
from mechanisms.play import Anything, Ask, Choice, Funds, Open, Pay, Steps, Transfer, Unpaid, rules
from mechanisms.protocols import Notice, Offer, Purchase, Question
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of, read_count, read_tuple

__all__ = ["MAX_BREADTH", "MAX_DEPTH", "Inspected", "inspection"]

MAX_DEPTH: Final = 100
"""The most levels that a run may open."""

MAX_BREADTH: Final = 100
"""The most offers on a level, of all sellers together, unless another limit is given."""


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
            return offer.seller, *one_too_many(own, offer.level, breadth)
        if offer.name in names:
            return offer.seller, *name_taken(offer.name, offer.level)
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
        if name.startswith(f"{buyer} on level "):
            fix = "give the seller a name that does not begin so"
            raise InvalidInputError("names", name, "would be read as a seat of the buyer's", fix)
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
