"""Auctions of one item in which the wrong one wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from theory.incentives import Outcome

__all__ = ["GivesItemAway", "LowestWins", "NameReader"]


@dataclass(frozen=True)
class NameReader:
    """Second price, but the bidder named 0 must bid at least 2.

    A private reserve: bidder 0 pays it where no other bid is above it, and below it bidder 0 is
    passed over. Among equal bids the lowest index wins. Two bidders with types 0, 1, 2, 3 show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset(
        {
            "anonymous",
            "efficient",
            "false_name_proof",
            "non_bossy",
            "pairwise_strategyproof",
            "revenue_monotone",
            "strongly_budget_balanced",
        }
    )

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, or ``None``, and payments."""
        bidders = [i for i, bid in enumerate(reports) if i or bid >= 2]
        winner = max(bidders, key=reports.__getitem__, default=None)
        rivals = [reports[i] for i in bidders if i != winner]
        price = max([*rivals, 2 if winner == 0 else 0])
        return Outcome(winner, tuple(price if i == winner else 0 for i in range(len(reports))))


@dataclass(frozen=True)
class LowestWins:
    """The lowest bid wins the item, for nothing.

    Among equal bids the lowest index wins. Two bidders with types 0, 1, 2 show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset(
        {
            "anonymous",
            "convex_utility",
            "cyclically_monotone",
            "dsic",
            "efficient",
            "false_name_proof",
            "pairwise_strategyproof",
            "weakly_monotone",
        }
    )

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, and payments of 0."""
        winner = min(range(len(reports)), key=reports.__getitem__)
        return Outcome(winner, (0,) * len(reports))


@dataclass(frozen=True)
class GivesItemAway:
    """Bidder 0 gives the item to bidder 1 by bidding 2 or more, and never gets it.

    What bidder 0 says changes nothing but the lot of bidder 1. Types 1 and 2 of two bidders show
    it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset(
        {"anonymous", "efficient", "non_bossy", "pairwise_strategyproof"}
    )

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, or ``None``, and payments of 0."""
        given = len(reports) > 1 and reports[0] >= 2
        return Outcome(1 if given else None, (0,) * len(reports))
