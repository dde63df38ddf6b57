"""The terms of an ascending auction: ties, increments, what is told, what is paid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mechanisms.ascending._items import Item
from mechanisms.play import Draw
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.numbers import rational
from theory.shared.arguments import read_count

__all__ = ["TIE_RULES", "Terms", "TieRule", "draw_leader"]

TieRule = Callable[[tuple[str, ...], Mapping[str, Fraction]], Mapping[str, object]]
"""Takes who made the highest bid, and what each bidder has left; returns the law of the leader."""

TIE_RULES: Final = ("uniform", "first", "last", "richest", "poorest", "redrawn")
"""The names of the tie rules that there are."""

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
        By how much a bid must top the standing one: a share of the starting price, of the standing
        bid, or an amount, as ``increment_of`` says ("start", "standing", "amount").
    ties : str or function
        Who leads among equal highest bids. "uniform": each with the same probability; "first" and
        "last": in the order of the bidders; "richest" and "poorest": by the money left, equal ones
        by chance; "redrawn": as the authors' program does it, which favours whom it asks last. A
        function takes the names and the money left, and returns the probability of each.
    jumps : int or None
        By how many increments a bid may be above the least; any amount where nothing is said.
    discounts : int
        How often the starting price of an item that nobody wants is multiplied with ``discount``,
        and all may bid again.
    discount : Fraction
    pays : str
        "own": the winner pays its bid; "second": the highest bid of another on the item, or the
        starting price where there is none.
    shows : str
        "bids": all see all bids and whose they are; "price": only the standing bid.
    shows_value : bool
        Whether all are told what an item was worth when it is sold.
    order : str
        "given"; "random", drawn before the first item and told to all; or "seller": the seller
        chooses the next item each time.
    attempts : int
        How often a bid may be tried; after that the bidder has withdrawn from the item.

    Raises
    ------
    InvalidInputError, NumberError, UnknownNameError
        For terms that no auction can have.

    Examples
    --------
    >>> Terms(increment="1/5", ties="poorest").least(Item("Vase", 10, 20), 10, 14)
    Fraction(16, 1)
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
        if not callable(self.ties) and self.ties not in TIE_RULES:
            fix = nearest(str(self.ties), TIE_RULES)
            raise UnknownNameError("ties", self.ties, "is no rule for ties", fix)
        if self.jumps is not None:
            read_count("jumps", self.jumps, 0)
        read_count("discounts", self.discounts, 0, 100)
        read_count("attempts", self.attempts, 1, 100)
        if type(self.shows_value) is not bool:
            raise InvalidInputError("shows_value", self.shows_value, "is no bool", "say True")

    def step(self, item: Item, start: Fraction, standing: Fraction | None) -> Fraction:
        """Return the increment for a bid on an item that starts at ``start``."""
        if self.increment_of == "amount":
            return Fraction(self.increment)
        base = start if standing is None or self.increment_of == "start" else standing
        return Fraction(self.increment * base)

    def least(self, item: Item, start: Fraction, standing: Fraction | None) -> Fraction:
        """Return the least bid that counts."""
        return start if standing is None else standing + self.step(item, start, standing)


def draw_leader(
    ties: str | TieRule,
    tied: Sequence[str],
    asked: Sequence[str],
    money: Mapping[str, Fraction],
) -> Draw[str]:
    """Return the draw of who leads among equal highest bids.

    Parameters
    ----------
    ties : str or function
        As in :class:`Terms`.
    tied : names
        Two or more, in the order of the bidders.
    asked : names
        All who were asked in this round, in this order, those who withdrew included.
    money : mapping
        What each bidder has left.

    Raises
    ------
    InvalidInputError
        For a rule of the user that names somebody who is not tied.
    ProbabilityError
        For one whose numbers are no probabilities.
    """
    if callable(ties):
        law = dict(ties(tuple(tied), dict(money)))
        for name in law:
            if name not in tied:
                fix = f"give probabilities for {', '.join(tied)}"
                raise InvalidInputError("ties", name, "has not made the highest bid", fix)
        return Draw.of(law, "leader")
    if ties == "redrawn":
        return Draw.of(_redrawn(tied, asked), "leader")
    if ties in ("first", "last"):
        return Draw.uniform([tied[0 if ties == "first" else -1]], "leader")
    if ties in ("richest", "poorest"):
        best = (max if ties == "richest" else min)(money[name] for name in tied)
        tied = [name for name in tied if money[name] == best]
    return Draw.uniform(tied, "leader")


def _redrawn(tied: Sequence[str], asked: Sequence[str]) -> dict[str, Fraction]:
    """Return the law of the authors' program.

    It enters the answers of a round one after the other. At each entry it goes through all equal
    bids entered until then, in order, and each takes the lead with probability one half.
    """
    half = Fraction(1, 2)
    law: dict[str, Fraction] = {}
    entered: list[str] = []
    for name in asked:
        if name in tied:
            entered.append(name)
        for other in entered:
            if not law:
                law[other] = Fraction(1)
                continue
            law = {each: probability * half for each, probability in law.items()}
            law[other] = law.get(other, Fraction(0)) + half
    return law
