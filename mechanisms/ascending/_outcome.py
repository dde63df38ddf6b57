"""What comes of an ascending auction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from mechanisms.ascending._beliefs import Beliefs
from mechanisms.ascending._items import Item, Worths

__all__ = ["Auctioned", "Move", "Settled", "profits_of", "true_beliefs"]


class Move(NamedTuple):
    """What a bidder did when it was called.

    Attributes
    ----------
    item : int
        The position of the item in the order of sale.
    round : int
        Counted on through discounts of the item.
    bidder : str
    amount : Fraction or None
        None for who did not bid.
    kind : str
        "bid"; "withdrew", by its own choice; "failed", when no attempt was legal; "no answer", when
        none came.
    """

    item: int
    round: int
    bidder: str
    amount: Fraction | None
    kind: str


@dataclass(frozen=True, slots=True)
class Settled:
    """How the sale of one item ended.

    Attributes
    ----------
    position : int
        The position of the item in the list of items.
    start : Fraction
        The starting price, after discounts.
    winner : str or None
        None where it was not sold.
    price : Fraction or None
    bid : Fraction or None
        The winning bid, also where the price is another, or the reserve was not met.
    """

    position: int
    start: Fraction
    winner: str | None
    price: Fraction | None
    bid: Fraction | None


@dataclass(frozen=True)
class Auctioned:
    """The outcome of an auction.

    Attributes
    ----------
    items : tuple of Item
    bidders : tuple of str
    worths : Worths
        What was drawn, if there were several.
    settled : tuple of Settled
        In the order of sale.
    moves : tuple of Move
    money : tuple of Fraction
        What each bidder has left.
    profits : tuple of Fraction
        What each has won is worth to it, less what it has paid.
    """

    items: tuple[Item, ...]
    bidders: tuple[str, ...]
    worths: Worths
    settled: tuple[Settled, ...]
    moves: tuple[Move, ...]
    money: tuple[Fraction, ...]
    profits: tuple[Fraction, ...]


def profits_of(
    items: tuple[Item, ...], bidders: tuple[str, ...], worths: Worths, settled: Sequence[Settled]
) -> tuple[Fraction, ...]:
    """Return what each bidder has earned by some sales: the worth of what it won, less prices."""
    profits = []
    for seat, name in enumerate(bidders):
        mine = [each for each in settled if each.winner == name]
        paid = sum((each.price for each in mine if each.price is not None), Fraction(0))
        profits.append(worths.bundle(name, seat, [each.position for each in mine]) - paid)
    return tuple(profits)


def true_beliefs(
    items: tuple[Item, ...],
    bidders: tuple[str, ...],
    worths: Worths,
    settled: Sequence[Settled],
    money: Fraction,
) -> Beliefs:
    """Return what who has so much money left should believe after some sales."""
    won: dict[str, list[tuple[str, Fraction]]] = {name: [] for name in bidders}
    for each in settled:
        if each.winner is not None and each.price is not None:
            won[each.winner].append((items[each.position].name, each.price))
    profits = zip(bidders, profits_of(items, bidders, worths, settled), strict=True)
    return Beliefs(money, tuple(profits), tuple((name, tuple(w)) for name, w in won.items()))
