"""Votes between two sides: one is sound, and each of the others has one thing wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from theory.incentives import Outcome

__all__ = ["LEFT", "RIGHT", "Ballot", "Dictator", "HarmsLosers", "IgnoresVotes"]

LEFT, RIGHT = "left", "right"


@dataclass(frozen=True)
class Ballot:
    """The majority decides between left and right, left at a tie, and nobody pays.

    The own side is worth 2, the other one 1. This one is sound: it breaks nothing.
    """

    breaks: ClassVar[frozenset[str]] = frozenset()

    def decided(self, reports: Sequence[str]) -> str:
        """Return the side with more votes, left at a tie."""
        return RIGHT if 2 * reports.count(RIGHT) > len(reports) else LEFT

    def outcome(self, reports: Sequence[str]) -> Outcome:
        """Return the side that wins, and payments of 0."""
        return Outcome(self.decided(reports), (0,) * len(reports))

    def value(self, agent: int, kind: str, allocation: Any) -> int:
        """Return 2 for the own side, 1 for the other."""
        return 2 if kind == allocation else 1

    def feasible(self, allocation: Any, agents: int) -> bool:
        """Whether this is a side."""
        return allocation in (LEFT, RIGHT)

    def alternatives(self, agents: int) -> Sequence[Any]:
        """Return the two sides."""
        return (LEFT, RIGHT)


@dataclass(frozen=True)
class IgnoresVotes(Ballot):
    """The left side wins whatever the votes are.

    Two voters show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset({"efficient"})

    def decided(self, reports: Sequence[str]) -> str:
        """Return left."""
        return LEFT


@dataclass(frozen=True)
class Dictator(Ballot):
    """The first voter decides alone.

    Two voters show it: with two the sum of values is the same whoever decides.
    """

    breaks: ClassVar[frozenset[str]] = frozenset({"anonymous"})

    def decided(self, reports: Sequence[str]) -> str:
        """Return the vote of the first voter."""
        return reports[0]


@dataclass(frozen=True)
class HarmsLosers(Ballot):
    """Those who lose the vote are worse off than if they had stayed away.

    The own side is worth 1, the other one -1. Two voters show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset({"individually_rational"})

    def value(self, agent: int, kind: str, allocation: Any) -> int:
        """Return 1 for the own side, -1 for the other."""
        return 1 if kind == allocation else -1
