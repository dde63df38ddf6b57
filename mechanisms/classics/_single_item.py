"""Auctions of one item: posted price, first price, second price, all-pay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mechanisms.classics._parameters import amount
from mechanisms.classics._ranking import paid_by, rank_bidders
from theory.incentives import Outcome

__all__ = ["AllPay", "FirstPrice", "PostedPrice", "SecondPrice"]


@dataclass(frozen=True)
class PostedPrice:
    """The item goes to the first bidder in order whose bid is at least the price, for the price.

    Parameters
    ----------
    price : number
        At least 0; read exactly, so that a float is refused.

    Raises
    ------
    ExactnessError, NumberError, InvalidInputError
        For a price that is a float, no number, or below 0.

    Notes
    -----
    O(agents). Truthful, since the price does not depend on the bid; not efficient, and not
    anonymous, since those who come first are served first.

    Examples
    --------
    >>> PostedPrice(2).outcome([1, 2, 5])
    Outcome(allocation=1, payments=(0, 2, 0))
    """

    price: object

    def __post_init__(self) -> None:
        object.__setattr__(self, "price", amount(self.price, "price"))

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who buys, or ``None``, and payments."""
        buyers = (i for i, bid in enumerate(reports) if bid >= self.price)
        winner = next(buyers, None)
        payments = (0,) * len(reports)
        if winner is not None:
            payments = paid_by(winner, self.price, len(reports))
        return Outcome(winner, payments)


@dataclass(frozen=True)
class FirstPrice:
    """The item goes to the highest bid, for that bid.

    Among equal bids the lowest index wins. A bid below 0 wins nothing.

    Notes
    -----
    O(agents log agents). The textbook example of a mechanism that is not truthful: who bids less
    and still wins pays less (Vickrey, 1961).

    Examples
    --------
    >>> FirstPrice().outcome([1, 3, 3])
    Outcome(allocation=1, payments=(0, 3, 0))
    """

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, or ``None``, and payments."""
        order = rank_bidders(reports)
        if not order:
            return Outcome(None, (0,) * len(reports))
        winner = order[0]
        return Outcome(winner, paid_by(winner, reports[winner], len(reports)))


@dataclass(frozen=True)
class SecondPrice:
    """The item goes to the highest bid, for the highest other bid or the reserve.

    The reserve is paid where no other bid is above it. Among equal bids the lowest index wins. At
    a bid equal to the reserve the item is sold. With reserve 0 this is VCG for a single item.

    Parameters
    ----------
    reserve : number, default 0
        At least 0; read exactly, so that a float is refused.

    Raises
    ------
    ExactnessError, NumberError, InvalidInputError
        For a reserve that is a float, no number, or below 0.

    Notes
    -----
    O(agents log agents). Truthful (Vickrey, 1961): the bid decides whether to buy, never the price.

    Examples
    --------
    >>> SecondPrice().outcome([1, 3, 2])
    Outcome(allocation=1, payments=(0, 2, 0))
    >>> SecondPrice(reserve="5/2").outcome([1, 3, 2])
    Outcome(allocation=1, payments=(0, Fraction(5, 2), 0))
    """

    reserve: object = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "reserve", amount(self.reserve, "reserve"))

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, or ``None``, and payments."""
        order = rank_bidders(reports, self.reserve)
        if not order:
            return Outcome(None, (0,) * len(reports))
        price = reports[order[1]] if len(order) > 1 else self.reserve
        return Outcome(order[0], paid_by(order[0], price, len(reports)))


@dataclass(frozen=True)
class AllPay:
    """The item goes to the highest bid, and everyone pays the own bid.

    Among equal bids the lowest index wins. A bid below 0 wins nothing and pays nothing.

    Notes
    -----
    O(agents log agents). A model of contests, where efforts are not paid back to those who lose.

    Examples
    --------
    >>> AllPay().outcome([1, 3, 2])
    Outcome(allocation=1, payments=(1, 3, 2))
    """

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, or ``None``, and payments."""
        winner = next(iter(rank_bidders(reports)), None)
        return Outcome(winner, tuple(max(bid, 0) for bid in reports))
