"""The inspection protocols, run: one level (Algorithm 1) and any number of them (Algorithm 2)."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Final

from mechanisms._statement import amount_text
from mechanisms.amounts import copy_amount
from mechanisms.errors import BudgetError, BuyerError, ParticipantError, RevokedError
from mechanisms.inspection._market import Item, Market
from mechanisms.inspection._record import InspectionRecord, Level
from mechanisms.ledger import Ledger, OverdraftError
from mechanisms.participants import blame, plain
from mechanisms.protocols import Buyer, Preview, Purchase, Seller, Viewing
from theory.errors import InvalidInputError, nearest
from theory.shared.arguments import read_count
from theory.shared.copying import copy_content

__all__ = ["MAX_BREADTH", "MAX_DEPTH", "Run", "inspect_once", "inspect_recursively"]


# --- Choosing what to buy: by a copy of the buyer that is thrown away afterwards

_KINDS = frozenset(kind for kind in vars(builtins).values() if isinstance(kind, type))

_ANSWER = "return the names of offers of this level, or () to buy nothing"


class ReadingSession:
    """Where contents may be read until it closes."""

    def __init__(self) -> None:
        self._contents: dict[str, object] = {}

    def lay_out(self, item: Item) -> Preview:
        """Let an item be read, in a copy made for this counter."""
        self._contents[item.name] = item.copied()
        read = partial(self._read, item.name)
        return Preview(item.level, item.seller, item.name, copy_amount(item.price), read)

    def close(self) -> None:
        """Let nothing be read any more."""
        self._contents.clear()

    def _read(self, name: str) -> object:
        if name not in self._contents:
            raise RevokedError(f"{name!r} may be read only while the choice is made")
        return self._contents[name]


def choose_offers(buyer: Buyer, name: str, viewing: Viewing) -> set[str]:
    """Return the names of the offers of the level that a copy of the buyer chooses.

    Only names that are on offer come back. What the copy returns may be an object that remembers,
    and what it says when it raises may be what it read, so neither is passed on.

    Raises
    ------
    BuyerError
        When the buyer cannot be copied, when the copy raises, or when it returns anything but
        offered names, each once.
    """
    offered = tuple(preview.name for preview in viewing.choice)
    where = f"choosing on level {viewing.question.level}"
    answers, fault = _ask_copy(_copy_buyer(buyer, name), viewing)
    if fault:
        raise BuyerError(name, f"{fault} when {where}", _ANSWER)
    for answer in answers:
        if answer not in offered:
            problem = f"names what is not on offer when {where}"
            raise BuyerError(name, problem, nearest(answer, offered))
        if answers.count(answer) > 1:
            raise BuyerError(name, f"names {answer!r} twice when {where}", "name each offer once")
    return set(offered).intersection(answers)


def _copy_buyer(buyer: Buyer, name: str) -> Buyer:
    fix = "define __deepcopy__, sharing what never changes"
    with blame(BuyerError, name, "when it was copied", fix):
        copy = copy_content(buyer)
    if copy is buyer:
        raise BuyerError(
            name, "is its own copy, which could keep what it reads", "let __deepcopy__ make another"
        )
    return copy


def _ask_copy(copy: Buyer, viewing: Viewing) -> tuple[Sequence[str | None], str]:
    """Return the answers of a copy, at most one more than there are offers, or what went wrong."""
    try:
        answer = copy.choose(viewing)
        if isinstance(answer, str) or not isinstance(answer, Iterable):
            return (), "returned no list of names"
        return [plain(each) for each in islice(answer, len(viewing.choice) + 1)], ""
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit could carry a message as well
        return (), f"raised {_kind(error)} (its words are withheld: they may hold what it read)"


def _kind(error: BaseException) -> str:
    """Return the nearest name of Python's own, since a class can be named after what was read."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind in _KINDS)


# --- The inspection protocols, run: one level (Algorithm 1) and any number of them (Algorithm 2)

MAX_DEPTH: Final = 100
"""The most levels that a run may open."""

MAX_BREADTH: Final = 100
"""The most offers on a level, of all sellers together, unless another limit is given."""


def inspect_once(
    question: str,
    buyer: Buyer,
    sellers: Iterable[Seller],
    ledger: Ledger,
    *,
    breadth: int = MAX_BREADTH,
) -> InspectionRecord:
    """Run the one-level inspection protocol (volition, Algorithm 1).

    The sellers make offers; a copy of the buyer reads them and chooses which to buy; the buyer
    decides, knowing what was bought. It is :func:`inspect_recursively` with one level.

    Examples
    --------
    >>> from mechanisms.inspection import TableSeller
    >>> from mechanisms.protocols import Offer
    >>> class Cook:
    ...     name = "cook"
    ...
    ...     def choose(self, viewing):
    ...         return [each.name for each in viewing.choice if "legumes" in each.read()]
    ...
    ...     def decide(self, question, bought):
    ...         return "rice" if bought else "legumes"
    >>> farm = TableSeller("farm", [[Offer("note", "legumes are toxic raw", 2)]])
    >>> mill = TableSeller("mill", [[Offer("leaflet", "rice is unhealthy", 1)]])
    >>> ledger = Ledger({"cook": 5, "farm": 0, "mill": 0})
    >>> print(inspect_once("What to eat?", Cook(), [farm, mill], ledger))
    What to eat?: cook decides rice, 2 spent
    level  offer    seller  price  bought
    ─────  ───────  ──────  ─────  ──────
    1      note     farm    2      yes
    1      leaflet  mill    1      no
    <BLANKLINE>
    Payments
       from  to    amount  for
    ─  ────  ────  ──────  ────
    1  cook  farm  2       note
    <BLANKLINE>
    Accounts
    account  opening  closing
    ───────  ───────  ───────
    cook     5        3
    farm     0        2
    mill     0        0
    """
    return Run(question, buyer, sellers, ledger, depth=1, breadth=breadth).play()


def inspect_recursively(
    question: str,
    buyer: Buyer,
    sellers: Iterable[Seller],
    ledger: Ledger,
    depth: int,
    *,
    breadth: int = MAX_BREADTH,
) -> InspectionRecord:
    """Run the recursive inspection protocol to a depth N (volition, Algorithm 2).

    The question is put to the sellers on level 1, …, N in turn. Offers of level 1, I^0, help to
    decide; those of level n + 1, I^n, help to choose among those of level n. Then x^N, …, x^1 are
    chosen, the deepest first: x^n is a set of offers of level n, chosen after reading I^0, …,
    I^(n-1) and all that was bought as x^(n+1), …, x^N. It may be empty. At the end the buyer
    decides, knowing what was bought and nothing else. The printed recursion has no end; this one
    stops at level N, or before a level on which nothing is offered.

    Every price is paid at once from the one account of the buyer, whose balance is the budget of
    the whole run. Of a choice that it cannot pay, nothing is paid. Prices are at least 0: the buyer
    alone says what is sold, and could otherwise draw on a seller's account.

    Parameters
    ----------
    question : str
        What is to be decided.
    buyer : Buyer
    sellers : iterable of Seller
        Asked in this order on every level. They are told names and prices of what is on offer on
        lower levels, but neither contents nor what the buyer can pay.
    ledger : Ledger
        With an account for the buyer and each seller; payments are entered there.
    depth : int
        N, from 0 to ``MAX_DEPTH``; at 0 the buyer decides without help.
    breadth : int
        The most offers on a level, of all sellers together.

    Returns
    -------
    InspectionRecord
        Offers, purchases, decision and payments.

    Raises
    ------
    SellerError
        When a seller raises, exceeds the breadth, or makes an offer that cannot stand: under a
        name that is taken, with a content that cannot be copied each time, or at a price that is
        negative, NaN, infinite or of another kind of number than the ledger's.
    BuyerError
        When the buyer raises, or chooses what is not on offer, or something twice; a
        :class:`~mechanisms.errors.BudgetError` when it chooses more than it can pay. All of these
        errors hold the record of what had happened as ``record``; payments made until then stand.
        ``SystemExit`` counts as raising; only ``KeyboardInterrupt`` passes.
    InvalidInputError, LimitError
        For names that are not unique or have no account, and bounds out of range.

    Notes
    -----
    *What was not bought is out of the buyer's reach.* Each choice is made by a deep copy of the
    buyer that is thrown away. It reads contents through previews that are revoked after the choice,
    in copies of its own. Only names that are on offer come back; of an exception, only its kind.

    Python cannot keep apart what runs in one process. A buyer can still hand itself what it read
    through anything that its copies share: a module's global, an attribute of its class, a closure,
    a kept ``list.append``, a ``__deepcopy__`` that shares, a file. Functions and weak references
    are never copied: a content that is or holds one can carry what was read, and by a weak
    reference to the buyer a copy finds the buyer itself. It can search the interpreter's own
    memory, such as the frames of a traceback. And which offers it buys is itself a message.

    O(depth) copies of the buyer and O(depth² x breadth) copies of contents.
    """
    return Run(question, buyer, sellers, ledger, depth=depth, breadth=breadth).play()


class Run:
    """One run: levels are opened from the first on, and chosen from in reverse order."""

    def __init__(
        self,
        question: str,
        buyer: Buyer,
        sellers: Iterable[Seller],
        ledger: Ledger,
        *,
        depth: int,
        breadth: int,
    ) -> None:
        self.question = _text("question", question)
        self.buyer = buyer
        self.name = _name("buyer", buyer)
        if not isinstance(sellers, Iterable):
            raise InvalidInputError("sellers", sellers, "are no list", "give a list, even of one")
        listed = [(_name("seller", seller), seller) for seller in sellers]
        names = [self.name, *(name for name, _ in listed)]
        if len(set(names)) < len(names):
            raise InvalidInputError("names", names, "are not unique", "give each its own")
        for name in names:
            if name not in ledger.accounts:
                raise InvalidInputError(
                    "ledger", ledger.accounts, f"has no account for {name}", "open one"
                )
        self.ledger = ledger
        self.depth = read_count("depth", depth, 0, MAX_DEPTH)
        self.market = Market(self.question, dict(listed), ledger, read_count("breadth", breadth, 1))
        self.bought: dict[int, list[Item]] = {}
        self.decided = False
        self.decision: object = None
        self._paid_before = len(ledger.entries)

    def play(self) -> InspectionRecord:
        """Buy on all levels, then let the buyer decide."""
        try:
            self.buy(1)
            self.decision = self.decide()
            self.decided = True
        except ParticipantError as error:
            error.record = self.record()
            raise
        return self.record()

    def buy(self, level: int) -> None:
        """Open a level, buy on the levels that help to choose from it, then choose from it."""
        if level <= self.depth and self.market.open(level):
            self.buy(level + 1)
            self.pay(level, self.choose(level))

    def choose(self, level: int) -> list[Item]:
        """Return what a copy of the buyer chooses from a level."""
        counter = ReadingSession()
        levels = self.market.levels[:level]
        offers = tuple(tuple(map(counter.lay_out, items)) for items in levels)
        budget = self.ledger.available(self.name)
        viewing = Viewing(self.market.question(level), offers, self.delivered(), budget)
        try:
            names = choose_offers(self.buyer, self.name, viewing)
        finally:
            counter.close()
        return [item for item in levels[-1] if item.name in names]

    def pay(self, level: int, items: list[Item]) -> None:
        """Pay for all that was chosen from a level, or for nothing."""
        memo = " + ".join(item.name for item in items)
        self.require(level, items, memo)
        for item in items:
            item.prepare(copies=level)  # for the choices on the levels below, and for the decision
        with self.ledger.alone():
            self.require(level, items, memo)  # another thread may have spent some of it
            for item in items:
                self.ledger.transfer(self.name, item.seller, item.price, item.name)
        self.bought[level] = items

    def require(self, level: int, items: list[Item], memo: str) -> None:
        """Refuse a choice that the buyer cannot pay."""
        try:
            self.ledger.require(self.name, [item.price for item in items], memo)
        except OverdraftError as error:
            most = self.ledger.available(self.name)
            raise BudgetError(
                self.name,
                f"chooses {memo} on level {level} for {amount_text(error.amount)}",
                f"at most {'nothing' if most is None else amount_text(most)} can be paid",
            ) from error

    def decide(self) -> object:
        """Return the decision of the buyer, who learns what was bought."""
        bought = self.delivered()
        with blame(BuyerError, self.name, "when deciding", "return the decision"):
            return self.buyer.decide(self.question, bought)

    def delivered(self) -> tuple[Purchase, ...]:
        """Return copies of all that was bought, the highest level first."""
        levels = sorted(self.bought, reverse=True)
        return tuple(item.delivered() for level in levels for item in self.bought[level])

    def record(self) -> InspectionRecord:
        """Return what has happened until now."""
        levels = []
        for n, items in enumerate(self.market.levels, 1):
            bought = self.bought.get(n)
            purchases = None if bought is None else tuple(item.bought() for item in bought)
            levels.append(Level(n, tuple(item.notice() for item in items), purchases))
        statement = self.ledger.statement(self._paid_before)
        return InspectionRecord(
            self.question, self.name, tuple(levels), self.decided, self.decision, statement
        )


def _text(argument: str, value: object) -> str:
    text = plain(value)
    if not text:
        raise InvalidInputError(argument, value, "is not text", "give text")
    return text


def _name(argument: str, participant: object) -> str:
    name = plain(getattr(participant, "name", None))
    if not name:
        raise InvalidInputError(argument, participant, "has no name", "name it as its account")
    return name
