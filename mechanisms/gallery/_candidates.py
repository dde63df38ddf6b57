"""Choices among candidates, of which a type is a vector of rewards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from theory.incentives import Outcome

__all__ = ["BordaCount", "RunnerUp"]


@dataclass(frozen=True)
class BordaCount:
    """The candidate with the largest sum of reported rewards wins, and nobody pays for it.

    Among equal sums the lowest index wins. Two voters whose rewards are 2, 1, 0 in any order show
    it: the best choice for the votes as cast, and so an invitation to exaggerate.
    """

    breaks: ClassVar[frozenset[str]] = frozenset({"dsic", "false_name_proof"})

    def outcome(self, reports: Sequence[Sequence[Any]]) -> Outcome:
        """Return the candidate that wins, and payments of 0."""
        totals = [sum(rewards) for rewards in zip(*reports, strict=True)]
        return Outcome(totals.index(max(totals)), (0,) * len(reports))


@dataclass(frozen=True)
class RunnerUp:
    """The first agent gets the candidate that it likes second best.

    Nobody pays. One agent with types (1, 2, 0), (0, 1, 2), (2, 0, 1) shows it: no two types would
    gain by a swap of their candidates, and all three would by passing them round.
    """

    breaks: ClassVar[frozenset[str]] = frozenset(
        {"cyclically_monotone", "dsic", "efficient", "false_name_proof"}
    )

    def outcome(self, reports: Sequence[Sequence[Any]]) -> Outcome:
        """Return the candidate, and payments of 0."""
        best_first = sorted(range(len(reports[0])), key=reports[0].__getitem__, reverse=True)
        return Outcome(best_first[1], (0,) * len(reports))
