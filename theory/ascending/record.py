"""The record of an ascending auction as plain data: what was for sale, and what was done."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.shared.arguments import refusing

__all__ = ["AuctionRecord", "BidEvent", "Exact", "RecordedSale", "StatedPriority"]

KINDS = ("bid", "withdrew", "failed", "no answer")
Exact = Fraction | int
"""Amounts; nothing here is rounded."""


@dataclass(frozen=True, slots=True)
class BidEvent:
    """What a bidder did when it was called.

    ``kind`` is "bid", with the ``amount``; "withdrew", by its own choice; "failed", a bid that was
    refused, each attempt once, with the ``reason``; or "no answer", when none came.
    """

    item: int
    round: int
    bidder: str
    kind: str
    amount: Exact | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RecordedSale:
    """An item in the order of sale: what it costs at least, is worth, and was sold for."""

    name: str
    start: Exact
    value: Exact
    winner: str | None = None
    price: Exact | None = None


@dataclass(frozen=True, slots=True)
class StatedPriority:
    """How much a bidder wants an item, as it said when ``after`` items had been settled."""

    after: int
    bidder: str
    item: int
    priority: int


@refusing
@dataclass(frozen=True)
class AuctionRecord:
    """One auction. Items are numbered from 0 in the order of sale, rounds in their order.

    Raises
    ------
    InvalidInputError
        For events and priorities of items that are not there, of unknown kinds, and for bids
        without an amount.
    UnknownNameError
        For events, priorities and winners that are no bidders.

    Examples
    --------
    >>> vase = RecordedSale("Vase", 100, 200, winner="Ann", price=110)
    >>> bids = (BidEvent(0, 0, "Bob", "bid", 100), BidEvent(0, 1, "Ann", "bid", 110))
    >>> record = AuctionRecord((vase,), ("Ann", "Bob"), bids)
    >>> record.items[0].price
    110
    """

    items: tuple[RecordedSale, ...]
    bidders: tuple[str, ...]
    events: tuple[BidEvent, ...] = ()
    priorities: tuple[StatedPriority, ...] = ()

    def __post_init__(self) -> None:
        named = [("events", e.item, e.bidder) for e in self.events]
        named += [("priorities", p.item, p.bidder) for p in self.priorities]
        named += [("items", 0, item.winner) for item in self.items if item.winner is not None]
        for where, item, bidder in named:
            if bidder not in self.bidders:
                fix = nearest(bidder, self.bidders)
                raise UnknownNameError(f"bidder of {where}", bidder, "is no bidder", fix)
            if not 0 <= item < len(self.items):
                fix = f"give a position from 0 to {len(self.items) - 1}"
                raise InvalidInputError(f"item of {where}", item, "is not there", fix)
        for event in self.events:
            if event.kind not in KINDS:
                raise UnknownNameError("kind", event.kind, "is unknown", nearest(event.kind, KINDS))
            if event.kind == "bid" and event.amount is None:
                raise InvalidInputError("amount", None, "is missing in a bid", "give what was bid")
