"""The terms of an ascending auction: ties, increments, what is told, what is paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mechanisms.play import Draw
from theory.ascending import Tie, TieRule, tie_rule
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.numbers import rational
from theory.shared.arguments import raising, read_count

__all__ = ["Terms", "draw_leader", "step_of"]

_WORDS: Final = {
    "increment_of": ("start", "standing", "amount"),
    "pays": ("own", "second"),
    "shows": ("bids", "price"),
    "order": ("given", "random", "seller"),
}


@dataclass(frozen=True)
class Terms:
    """The terms of an ascending auction. The defaults are those of AucArena (arena, section 3).

    Attributes
    ----------
    increment : Fraction
        By how much a bid must top the standing one: a share of the starting price (after
        discounts), of the standing bid, or an amount, as ``increment_of`` says ("start",
        "standing", "amount").
    ties : str or TieRule
        Who leads among equal highest bids: a rule of :data:`theory.ascending.TIE_RULES` by its
        name, or one of your own, with which a run cannot be written as plain data. "uniform": each
        with the same probability; "first" and "last": in the order of the bidders; "richer" and
        "poorer": by the money left, equal ones by chance; "redrawn": as the authors' program does
        it, which favours whom it asks last.
    jumps : int or None
        By how many increments a bid may be above the least; any amount where nothing is said.
    discounts : int
        How often the starting price of an item that nobody wants is multiplied with ``discount``,
        and all may bid again.
    discount : Fraction
    pays : str
        "own": the winner pays its bid; "second": the highest bid of another on the item, or the
        starting price where there is none, and at least the reserve.
    shows : str
        "bids": all see all bids and whose they are; "price": only the standing bid.
    shows_value : bool
        Whether all are told what an item was worth when it is sold.
    order : str
        "given"; "random", drawn before the first item and told to all; or "seller": the seller
        chooses the next item each time.
    attempts : int
        How often an answer may be tried. A bidder without a legal bid has withdrawn from the item;
        a seller without a legal choice ends the auction.

    Raises
    ------
    InvalidInputError, NumberError, UnknownNameError
        For terms that no auction can have.

    Examples
    --------
    >>> Terms(increment="1/5", ties="poorer").step(Fraction(10), Fraction(14))
    Fraction(2, 1)
    """

    increment: Any = Fraction(1, 10)
    increment_of: str = "start"
    ties: str | TieRule = "uniform"
    jumps: int | None = None
    discounts: int = 0
    discount: Any = Fraction(1, 2)
    pays: str = "own"
    shows: str = "bids"
    shows_value: bool = True
    order: str = "given"
    attempts: int = 3

    def __post_init__(self) -> None:
        for name in ("increment", "discount"):
            object.__setattr__(self, name, Fraction(rational(getattr(self, name), name)))
        if self.increment <= 0:
            fix = "give a number above 0"
            raise InvalidInputError("increment", self.increment, "is not positive", fix)
        if not 0 < self.discount < 1:
            fix = "give a number between 0 and 1"
            raise InvalidInputError("discount", self.discount, "leaves no lower price", fix)
        for name, words in _WORDS.items():
            word = getattr(self, name)
            if word not in words:
                raise UnknownNameError(name, word, "is not known", nearest(str(word), words))
        tie_rule(self.ties)
        if self.jumps is not None:
            read_count("jumps", self.jumps, 0)
        read_count("discounts", self.discounts, 0, 100)
        read_count("attempts", self.attempts, 1, 100)
        if type(self.shows_value) is not bool:
            raise InvalidInputError("shows_value", self.shows_value, "is no bool", "say True")

    def step(self, start: Fraction, standing: Fraction | None) -> Fraction:
        """Return the increment for a bid on an item that starts at ``start``."""
        if self.increment_of == "amount":
            return Fraction(self.increment)
        base = start if standing is None or self.increment_of == "start" else standing
        return Fraction(self.increment * base)


def step_of(terms: Terms, start: Fraction, standing: Fraction | None) -> Fraction:
    """Return the increment, also of terms of one's own, which may raise or return anything.

    Raises
    ------
    InvalidInputError
        For anything but a positive fraction.
    """
    fix = "have its method step return a Fraction above 0"
    try:
        step: object = terms.step(start, standing)
    except Exception as error:  # a user's class may raise anything
        raise raising("terms", terms, error, fix) from error
    if type(step) is not Fraction or step <= 0:
        raise InvalidInputError("step of terms", step, "is no positive fraction", fix)
    return step


def draw_leader(
    ties: TieRule,
    bidders: Sequence[str],
    tied: Sequence[str],
    asked: Mapping[str, bool],
    money: Mapping[str, Fraction],
) -> Draw[str]:
    """Return the draw of who leads among equal highest bids.

    Parameters
    ----------
    ties : TieRule
    bidders : names
        In the order of their seats.
    tied : names
        Two or more, in this order.
    asked : mapping
        All who were asked in this round, in this order, and whether they bid.
    money : mapping
        What each bidder has left.

    Raises
    ------
    NumberError
        For a rule whose numbers are no law over the tied.
    """
    seats = {name: seat for seat, name in enumerate(bidders)}
    entries = tuple((seats[name], bid) for name, bid in asked.items())
    budgets = tuple(money[name] for name in bidders)
    law = ties(Tie(tuple(seats[name] for name in tied), entries, budgets))
    possible = [(name, chance) for name, chance in zip(tied, law, strict=True) if chance]
    names, chances = zip(*possible, strict=True)
    return Draw(names, chances, "leader")
