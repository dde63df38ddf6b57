"""A game of the arena as a row of a file."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mechanisms.ascending import AuctionResult, Beliefs, Plan, Said
from mechproof.experiments._rows import Row
from theory.ascending.record import AuctionRecord, BidEvent, RecordedSale, StatedPriority

__all__ = ["game_row", "is_game_row", "record_of"]

_PARTS = {
    "seats": list,
    "items": list,
    "profits": dict,
    "won": dict,
    "money": dict,
    "moves": list,
    "failed": list,
    "plans": list,
    "beliefs": list,
    "unanswered": list,
}


def game_row(result: AuctionResult) -> Row:
    """Return what happened in a game as data, exact numbers as text."""
    outcome = result.outcome
    money = zip(outcome.bidders, outcome.money, strict=True)
    return {
        "seats": list(result.bidders),
        "items": [
            {
                "name": sale.item.name,
                "start": str(sale.start),
                "value": str(sale.item.value),
                "winner": sale.winner,
                "price": _text(sale.price),
            }
            for sale in result.sales
        ],
        "profits": {name: str(profit) for name, profit in result.profits.items()},
        "won": result.won,
        "money": {name: str(left) for name, left in money},
        "moves": [[m.item, m.round, m.bidder, _text(m.amount), m.kind] for m in result.moves],
        "failed": [[f.item, f.round, f.bidder, f.reason] for f in result.failed],
        "plans": [[each.after, each.bidder, _said(each)] for each in result.plans],
        "beliefs": [
            [each.after, each.bidder, _said(each), list(each.wrong)] for each in result.beliefs
        ],
        "unanswered": list(result.unanswered),
    }


def _text(amount: Fraction | None) -> str | None:
    return None if amount is None else str(amount)


def _said(each: Said) -> Any:
    said = each.said
    if isinstance(said, Plan):
        return {"priorities": dict(said.priorities), "text": said.text}
    if isinstance(said, Beliefs):
        return said.statements
    return None


def record_of(row: Row) -> AuctionRecord:
    """Return a row as the record that measures of behaviour read."""
    places = {item["name"]: place for place, item in enumerate(row["items"])}
    events = [
        BidEvent(item, round_, bidder, kind, None if amount is None else Fraction(amount))
        for item, round_, bidder, amount, kind in row["moves"]
        if kind != "failed"
    ]
    events += [
        BidEvent(item, round_, bidder, "failed", None, reason)
        for item, round_, bidder, reason in row["failed"]
    ]
    return AuctionRecord(
        items=tuple(
            RecordedSale(
                item["name"],
                Fraction(item["start"]),
                Fraction(item["value"]),
                item["winner"],
                None if item["price"] is None else Fraction(item["price"]),
            )
            for item in row["items"]
        ),
        bidders=tuple(row["seats"]),
        events=tuple(events),
        priorities=tuple(
            StatedPriority(after, bidder, places[name], priority)
            for after, bidder, said in row["plans"]
            if said is not None
            for name, priority in said["priorities"].items()
        ),
    )


def is_game_row(row: Row) -> bool:
    """Whether a row has the parts that a game has."""
    return all(type(row.get(name)) is kind for name, kind in _PARTS.items())
