"""A game of the arena as a row of a file."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mechanisms.ascending import AuctionResult, Beliefs, Item, Plan, Said, Terms
from mechproof.experiments._rows import Row
from theory.ascending.record import AuctionRecord, BidEvent, RecordedSale, StatedPriority
from theory.numbers import rational

__all__ = ["FORMAT", "GameShape", "exact", "game_row", "is_usage", "record_of"]

_USED: Final = {"calls", "retries", "input_tokens", "output_tokens", "unreadable"}

_LONGEST: Final = 1_000
"""The most characters of a number in a row."""

FORMAT: Final = 2
"""Of rows; those of another format are refused."""

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
    "usage": dict,
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


@dataclass(frozen=True)
class GameShape:
    """What the row of a game must hold before anything is computed from it.

    Attributes
    ----------
    bidders : tuple of str
    items : tuple of Item
    terms : Terms
    budget : Fraction
    """

    bidders: tuple[str, ...]
    items: tuple[Item, ...]
    terms: Terms
    budget: Fraction

    def has(self, row: Row) -> bool:
        """Whether a row is what ``game_row`` returns for some game of these bidders and items."""
        if not all(type(row.get(name)) is kind for name, kind in _PARTS.items()):
            return False
        try:
            return self._has_sales(row) and self._has_acts(row)
        except (
            TypeError,
            ValueError,
            LookupError,
            AttributeError,
        ):  # of parts that are of another kind
            return False

    def _has_sales(self, row: Row) -> bool:
        """Whether these bidders buy these items, and have earned what follows from that."""
        if sorted(row["seats"]) != sorted(self.bidders):
            return False
        left = {item.name: item for item in self.items}
        profits = dict.fromkeys(self.bidders, Fraction(0))
        money = dict.fromkeys(self.bidders, self.budget)
        won = dict.fromkeys(self.bidders, 0)
        for number, each in enumerate(row["items"]):
            item = left.pop(each["name"])
            cuts = range(self.terms.discounts + 1)
            starts = [str(item.start * self.terms.discount**k) for k in cuts]
            if each["start"] not in starts or each["value"] != str(item.value):
                return False
            winner = each["winner"]
            if (winner is None) != (each["price"] is None):
                return False
            if winner is not None:
                price = exact(each["price"])
                if price < Fraction(each["start"]) or not _is_highest(number, winner, price, row):
                    return False
                won[winner] += 1
                money[winner] -= price
                profits[winner] += item.value - price
        return (
            not left
            and min(money.values()) >= 0
            and row["won"] == won
            and all(map(_is_count, row["won"].values()))
            and row["profits"] == {name: str(profit) for name, profit in profits.items()}
            and row["money"] == {name: str(amount) for name, amount in money.items()}
        )

    def _has_acts(self, row: Row) -> bool:
        """Whether what was done and said is of these bidders and items."""
        return (
            all(self._is_move(*each) for each in row["moves"])
            and all(
                self._is_at(number, len(self.items) - 1, bidder)
                and _is_count(round_)
                and type(reason) is str
                for number, round_, bidder, reason in row["failed"]
            )
            and all(self._is_plan(*each) for each in row["plans"])
            and all(
                self._is_at(after, len(self.items), bidder)
                and (statements is None or _is_count(statements))
                and type(wrong) is list
                and all(type(text) is str for text in wrong)
                for after, bidder, statements, wrong in row["beliefs"]
            )
            and all(name in self.bidders for name in row["unanswered"])
            and all(name in self.bidders and is_usage(used) for name, used in row["usage"].items())
        )

    def _is_move(self, number: Any, round_: Any, bidder: Any, amount: Any, kind: Any) -> bool:
        if not (self._is_at(number, len(self.items) - 1, bidder) and _is_count(round_)):
            return False
        if kind == "bid":
            return 0 < exact(amount) <= self.budget
        return kind in ("withdrew", "failed", "no answer") and amount is None

    def _is_plan(self, after: Any, bidder: Any, said: Any) -> bool:
        if not self._is_at(after, len(self.items), bidder):
            return False
        names = [item.name for item in self.items]
        return said is None or (
            said.keys() == {"priorities", "text"}
            and type(said["text"]) is str
            and all(
                name in names and type(given) is int and 1 <= given <= 3
                for name, given in said["priorities"].items()
            )
        )

    def _is_at(self, number: Any, last: int, bidder: Any) -> bool:
        return _is_count(number) and number <= last and bidder in self.bidders


def is_usage(used: Any) -> bool:
    """Whether it is what a person was asked, or what was used of a model."""
    parts = {*used} - {"money"}
    if parts not in ({"answers"}, _USED):
        return False
    money = "money" in used
    return (
        money == (parts == _USED)
        and all(_is_count(used[part]) for part in parts)
        and not (money and not 0 <= exact(used["money"]) < 2**53)
    )


def _is_highest(number: int, winner: str, price: Fraction, row: Row) -> bool:
    """Whether the winner of an item has bid the price, and nobody more."""
    bids = [(exact(m[3]), m[2]) for m in row["moves"] if m[0] == number and m[4] == "bid"]
    return (price, winner) in bids and max(bids)[0] == price


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**53


def exact(written: Any) -> Fraction:
    """Return a number that was written as text, in the only way, and not at length."""
    if len(written) > _LONGEST:
        raise ValueError("is too long")
    number = Fraction(rational(written, "amount"))
    if written != str(number):
        raise ValueError("is written otherwise")
    return number
