"""Votes that answer the same reports differently, though only on a ticket that nobody asked for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from mechanisms.gallery._ballots import LEFT, RIGHT, Ballot
from theory.incentives import Outcome

__all__ = ["DependsOnEarlierCalls", "SecretlyRandom"]


@dataclass(frozen=True)
class Ticketed(Ballot):
    """A vote whose allocation is a pair of the side that wins and a ticket of no worth."""

    def value(self, agent: int, kind: str, allocation: Any) -> int:
        """Return what the side is worth."""
        return super().value(agent, kind, allocation[0])

    def feasible(self, allocation: Any, agents: int) -> bool:
        """Whether the pair starts with a side."""
        return super().feasible(allocation[0], agents)

    def alternatives(self, agents: int) -> Sequence[Any]:
        """Return the two sides, each with ticket 0."""
        return ((LEFT, 0), (RIGHT, 0))


@dataclass(frozen=True)
class SecretlyRandom(Ticketed):
    """A vote that draws a ticket from Python's global generator.

    Two voters show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset({"deterministic"})

    def outcome(self, reports: Sequence[str]) -> Outcome:
        """Return the side that wins with a random ticket, and payments of 0."""
        return Outcome((self.decided(reports), random.random()), (0,) * len(reports))


@dataclass(frozen=True)
class DependsOnEarlierCalls(Ticketed):
    """A vote that numbers its calls, and so answers by what came before.

    Two voters show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset({"deterministic"})
    _calls: list[int] = field(default_factory=lambda: [0], repr=False, compare=False)

    def outcome(self, reports: Sequence[str]) -> Outcome:
        """Return the side that wins with the number of the call, and payments of 0."""
        self._calls[0] += 1
        return Outcome((self.decided(reports), self._calls[0]), (0,) * len(reports))
