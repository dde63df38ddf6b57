"""The inspection protocols, led with a buyer and sellers of this process."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any, NoReturn

from mechanisms._statement import amount_text
from mechanisms.amounts import copy_amount
from mechanisms.errors import (
    BudgetError,
    BuyerError,
    ParticipantError,
    RevokedError,
    SellerError,
)
from mechanisms.inspection._questions import Shown, ToInspect
from mechanisms.inspection._record import InspectionRecord, inspection_record
from mechanisms.inspection._rules import MAX_BREADTH, Inspected, inspection
from mechanisms.ledger import Ledger, OverdraftError
from mechanisms.participants import blame, plain, read_observer
from mechanisms.play import Ask, IllegalAnswerError, Run
from mechanisms.protocols import Buyer, Notice, Preview, Purchase, Question, Seller, Viewing
from theory.errors import InvalidInputError, nearest
from theory.shared.copying import copy_content

__all__ = ["InspectionDriver", "Item", "inspect_once", "inspect_recursively"]


@dataclass(frozen=True)
class Item:
    """A content that was offered; participants only get copies."""

    seller: str
    name: str
    content: Any
    ready: list[Any] = field(default_factory=list, repr=False, compare=False)

    def copied(self) -> object:
        """Return a copy of the content: one that is ready, or a new one.

        Raises
        ------
        SellerError
            When the content cannot be copied.
        """
        return self.ready.pop() if self.ready else self._copy()

    def prepare(self, copies: int) -> None:
        """Make copies to deliver, so that none is missing once it is paid.

        Raises
        ------
        SellerError
            When the content cannot be copied.
        """
        self.ready.extend(self._copy() for _ in range(copies))

    def _copy(self) -> object:
        if type(self.content) is str:  # which nobody can change
            return self.content
        where = f"when the content of {self.name!r} was copied"
        with blame(SellerError, self.seller, where, "offer text, or what can be copied each time"):
            return copy_content(self.content)


# --- Choosing what to buy: by a copy of the buyer that is thrown away afterwards

_KINDS = frozenset(kind for kind in vars(builtins).values() if isinstance(kind, type))

_ANSWER = "return the names of offers of this level, or () to buy nothing"


class ReadingSession:
    """Where contents may be read until it closes."""

    def __init__(self) -> None:
        self._contents: dict[str, object] = {}

    def lay_out(self, offer: Notice, item: Item) -> Preview:
        """Let an offer be read, in a copy made for this session."""
        self._contents[offer.name] = item.copied()
        read = partial(self._read, offer.name)
        return Preview(offer.level, offer.seller, offer.name, copy_amount(offer.price), read)

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


# --- The inspection protocols, led by objects of this process


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
    return InspectionDriver(question, buyer, sellers, ledger, depth=1, breadth=breadth).play()


def inspect_recursively(
    question: str,
    buyer: Buyer,
    sellers: Iterable[Seller],
    ledger: Ledger,
    depth: int,
    *,
    breadth: int = MAX_BREADTH,
    asking: Callable[[Ask], object] | None = None,
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
        lower levels, but neither contents nor what the buyer can pay, nor anything of what others
        offer on the same level: whether all offers can stand is found out once all are made.
    ledger : Ledger
        With an account for the buyer and each seller; payments are entered there.
    depth : int
        N, from 0 to ``MAX_DEPTH``; at 0 the buyer decides without help.
    breadth : int
        The most offers on a level, of all sellers together.
    asking : function, optional
        Is told of each question just before it is put.

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
    driver = InspectionDriver(question, buyer, sellers, ledger, depth=depth, breadth=breadth)
    return driver.play(asking)


class InspectionDriver:
    """Leads a run of the rules with a buyer and sellers of this process.

    Contents may be whatever can be copied: who is shown one gets a copy of its own.
    """

    rules = inspection

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
        self.sellers = {}
        names = [self.name]
        for seller in sellers:
            names.append(_name("seller", seller))
            self.sellers[names[-1]] = seller
        if len(set(names)) < len(names):
            raise InvalidInputError("names", names, "are not unique", "give each its own")
        for name in names:
            if name not in ledger.accounts:
                raise InvalidInputError(
                    "ledger", ledger.accounts, f"has no account for {name}", "open one"
                )
        self.ledger = ledger
        self.items: dict[str, Item] = {}
        self.run = self.rules.on_ledger(ledger)(
            self.question,
            self.name,
            names[1:],
            {name: ledger.balance(name) for name in names},
            depth,
            breadth=breadth,
            floors={name: ledger.floor(name) for name in names},
        )
        self._paid_before = len(ledger.entries)

    def play(self, asking: Callable[[Ask], object] | None = None) -> InspectionRecord:
        """Ask until nobody is asked any more; ``asking`` is told of each question before."""
        tell = read_observer("asking", asking)
        answers = {"offer": self.offer, "choose": self.choose, "decide": self.decide}
        try:
            while (ask := self.run.ask()) is not None:
                tell(ask)
                self.run = answers[ask.role](ask)
            outcome = self.run.outcome
            if outcome is not None and outcome.fault is not None:
                raise SellerError(*outcome.fault)
        except ParticipantError as error:
            error.record = self.record()
            raise
        return self.record()

    def offer(self, ask: Ask) -> Run[Inspected]:
        """Ask a seller, who may go on without end."""
        legal: Any = ask.answer
        name, where = ask.player, f"on level {legal.level}"
        with blame(SellerError, name, where, "return a list of offers"):
            question = _copied(ask.view)
            given = list(islice(self.sellers[name].offers(question), legal.breadth + 1))
        run = self.run.answer(ask, given)
        if run.ended_by is not None:
            try:
                legal.read(given)
            except IllegalAnswerError as error:
                raise SellerError(name, error.problem, error.fix) from error.__cause__ or error
        return run

    def choose(self, ask: Ask) -> Run[Inspected]:
        """Ask a copy of the buyer what to buy on a level, and pay for all of it or nothing."""
        view: Any = ask.view
        names = self.chosen(self.viewing(view), view.question.level)
        chosen = [offer.name for offer in view.offers[-1] if offer.name in names]
        for name in chosen:  # for the choices on the levels below, and for the decision
            self.items[name].prepare(copies=view.question.level)
        run = self.run.answer(ask, chosen, memory="structural")
        if run.ended_by is not None:
            self.refuse(view, chosen)
        outcome = run.outcome
        if outcome is not None and outcome.unpaid is not None:
            self.run = run
            self.refuse(view, chosen)
        return run

    def chosen(self, viewing: tuple[Viewing, ReadingSession], level: int) -> Collection[str]:
        """Return the names that a copy of the buyer chooses, while it may read."""
        del level
        view, counter = viewing
        try:
            return choose_offers(self.buyer, self.name, view)
        finally:
            counter.close()

    def viewing(self, view: ToInspect) -> tuple[Viewing, ReadingSession]:
        """Return what a buyer is told, in copies, and what lets it read."""
        counter = ReadingSession()
        offers = tuple(
            tuple(counter.lay_out(offer, self.item(offer)) for offer in level)
            for level in view.offers
        )
        budget = None if view.budget is None else copy_amount(view.budget)
        return Viewing(_copied(view.question), offers, self.delivered(view.bought), budget), counter

    def decide(self, ask: Ask) -> Run[Inspected]:
        """Ask the buyer, who learns what was bought."""
        view: Any = ask.view
        bought = self.delivered(view.bought)
        with blame(BuyerError, self.name, "when deciding", "return the decision"):
            decision = self.buyer.decide(view.question, bought)
        return self.run.answer(ask, decision)

    def item(self, offer: Shown | Purchase) -> Item:
        """Return the content of an offer, from which copies are made."""
        if offer.name not in self.items:
            self.items[offer.name] = Item(offer.seller, offer.name, offer.content)
        return self.items[offer.name]

    def delivered(self, bought: tuple[Purchase, ...]) -> tuple[Purchase, ...]:
        """Return copies of what was bought."""
        return tuple(
            replace(each, price=copy_amount(each.price), content=self.item(each).copied())
            for each in bought
        )

    def refuse(self, view: ToInspect, chosen: Sequence[str]) -> NoReturn:
        """Refuse a choice that the buyer cannot pay."""
        level, memo = view.question.level, " + ".join(chosen)
        prices = [offer.price for offer in view.offers[-1] if offer.name in chosen]
        error: OverdraftError | None = None
        try:
            self.ledger.require(self.name, prices, memo)
        except OverdraftError as overdraft:
            error = overdraft
        total = sum((Fraction(p) for p in prices), Fraction(0)) if error is None else error.amount
        most = self.ledger.available(self.name)
        raise BudgetError(
            self.name,
            f"chooses {memo} on level {level} for {amount_text(total)}",
            f"at most {'nothing' if most is None else amount_text(most)} can be paid",
        ) from error

    def record(self) -> InspectionRecord:
        """Return what has happened until now."""
        statement = self.ledger.statement(self._paid_before)
        return inspection_record(self.question, self.name, self.run, statement)


def _copied(question: Question) -> Question:
    """Return a question made anew for who is asked."""
    notices = (
        tuple(Notice(o.level, o.seller, o.name, copy_amount(o.price)) for o in offers)
        for offers in question.on_offer
    )
    return Question(question.text, question.level, tuple(notices))


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
