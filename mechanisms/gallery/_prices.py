"""Auctions of one item in which the price is wrong now and then, or by very little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from theory.incentives import Outcome

__all__ = ["FirstPriceForOne", "GoodForTwo", "NearlyTruthful", "OccasionalFirstPrice", "TiesOnly"]


@dataclass(frozen=True)
class OccasionalFirstPrice:
    """Second price, but one time in ten the winner pays the own bid.

    Payments are expected ones. Among equal bids the lowest index wins. Bids of 0, 1, 2, 3 show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset(
        {
            "dsic",
            "false_name_proof",
            "non_bossy",
            "pairwise_strategyproof",
            "payment_identity",
            "strongly_budget_balanced",
        }
    )

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, and expected payments."""
        winner, others = _highest(reports)
        price = Fraction(9, 10) * max(others, default=0) + Fraction(1, 10) * reports[winner]
        return _sell_item(winner, price, reports)


@dataclass(frozen=True)
class NearlyTruthful:
    """An item at price 1, with a billionth of what is bid above it on top.

    The first bidder in order who bids at least 1 buys. One bidder with types 0, 1, 2, 3 shows it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset(
        {"dsic", "false_name_proof", "payment_identity", "strongly_budget_balanced"}
    )

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who buys, or ``None``, and payments."""
        winner = next((i for i, bid in enumerate(reports) if bid >= 1), None)
        if winner is None:
            return Outcome(None, (0,) * len(reports))
        return _sell_item(winner, 1 + Fraction(1, 10**9) * (reports[winner] - 1), reports)


@dataclass(frozen=True)
class FirstPriceForOne:
    """Second price, but one bidder who wins with one bid pays it.

    Among equal bids the lowest index wins. Bids of 0, 1, 2, 3 show it. If the one is not the last,
    a bidder who leaves makes another the one, and revenue falls where more take part.

    Attributes
    ----------
    bidder : int
        The index of the one.
    bid : number
        What it has to bid.
    """

    bidder: int = 0
    bid: Any = 3
    breaks: ClassVar[frozenset[str]] = frozenset(
        {
            "anonymous",
            "convex_utility",
            "dsic",
            "false_name_proof",
            "non_bossy",
            "pairwise_strategyproof",
            "payment_identity",
            "strongly_budget_balanced",
        }
    )

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, and payments."""
        winner, others = _highest(reports)
        pays_it = winner == self.bidder and reports[winner] == self.bid
        return _sell_item(winner, self.bid if pays_it else max(others, default=0), reports)


@dataclass(frozen=True)
class GoodForTwo:
    """The highest bid wins and pays the lowest other one, which is right for two bidders alone.

    Among equal bids the lowest index wins. Three bidders with types 0, 1, 2 show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset(
        {
            "anonymous",
            "dsic",
            "false_name_proof",
            "non_bossy",
            "pairwise_strategyproof",
            "payment_identity",
            "revenue_monotone",
            "strongly_budget_balanced",
        }
    )

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, and payments."""
        winner, others = _highest(reports)
        return _sell_item(winner, min(others, default=0), reports)


@dataclass(frozen=True)
class TiesOnly:
    """Second price, but the winner of a tie pays nothing.

    Among equal bids the lowest index wins. Two bidders with types 0, 1, 2 show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset(
        {
            "anonymous",
            "convex_utility",
            "dsic",
            "false_name_proof",
            "non_bossy",
            "pairwise_strategyproof",
            "payment_identity",
            "strongly_budget_balanced",
        }
    )

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, and payments."""
        winner, others = _highest(reports)
        price = max(others, default=0)
        return _sell_item(winner, 0 if price == reports[winner] else price, reports)


def _highest(bids: Sequence[Any]) -> tuple[int, list[Any]]:
    """Return who bids most, lowest index first, and the bids of the others."""
    winner = max(range(len(bids)), key=bids.__getitem__)
    return winner, [bid for i, bid in enumerate(bids) if i != winner]


def _sell_item(winner: int, price: Any, bids: Sequence[Any]) -> Outcome:
    return Outcome(winner, tuple(price if i == winner else 0 for i in range(len(bids))))
