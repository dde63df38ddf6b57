"""Votes in which money goes where it should not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from mechanisms.gallery._ballots import LEFT, RIGHT, Ballot
from theory.incentives import Lottery, Outcome

__all__ = ["Consolation", "CrowdDiscount", "EntryFee", "Levy", "SharedSubsidy"]


@dataclass(frozen=True)
class Levy(Ballot):
    """Voters share a cost of 1, which nobody receives.

    Two voters show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset({"strongly_budget_balanced"})

    def outcome(self, reports: Sequence[str]) -> Outcome:
        """Return the side that wins, and equal payments of sum 1."""
        return _with_fee(self, reports, Fraction(1, len(reports)))


@dataclass(frozen=True)
class SharedSubsidy(Ballot):
    """Voters share a subsidy of 1, which nobody pays.

    Two voters show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset(
        {"no_positive_transfers", "strongly_budget_balanced", "weakly_budget_balanced"}
    )

    def outcome(self, reports: Sequence[str]) -> Outcome:
        """Return the side that wins, and equal payments of sum -1."""
        return _with_fee(self, reports, Fraction(-1, len(reports)))


@dataclass(frozen=True)
class EntryFee(Ballot):
    """Each voter pays 2 to vote, more than the loss of a vote leaves.

    Two voters show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset(
        {"individually_rational", "strongly_budget_balanced"}
    )

    def outcome(self, reports: Sequence[str]) -> Outcome:
        """Return the side that wins, and payments of 2."""
        return _with_fee(self, reports, 2)


@dataclass(frozen=True)
class CrowdDiscount(Ballot):
    """Voters share a cost that is smaller the more of them there are.

    Each of n pays 1/n^2. Two voters show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset({"revenue_monotone", "strongly_budget_balanced"})

    def outcome(self, reports: Sequence[str]) -> Outcome:
        """Return the side that wins, and equal payments of sum 1/n."""
        return _with_fee(self, reports, Fraction(1, len(reports) ** 2))


@dataclass(frozen=True)
class Consolation(Ballot):
    """A coin decides between voters who disagree, and the left side pays the right one 1/4 for it.

    Each side shares its part evenly. Two voters show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset({"no_positive_transfers"})

    def outcome(self, reports: Sequence[str]) -> Outcome:
        """Return the side of all, or a lottery between the two, and payments of sum 0."""
        if len(set(reports)) < 2:
            return Outcome(self.decided(reports), (0,) * len(reports))
        parts = {LEFT: Fraction(1, 4), RIGHT: -Fraction(1, 4)}
        payments = tuple(parts[side] / reports.count(side) for side in reports)
        half = Fraction(1, 2)
        return Outcome(Lottery([(LEFT, half), (RIGHT, half)]), payments)


def _with_fee(ballot: Ballot, reports: Sequence[str], fee: Any) -> Outcome:
    return Outcome(ballot.decided(reports), (fee,) * len(reports))
