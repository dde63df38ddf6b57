"""Clarke payments on top of an allocation that is not the best one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mechanisms.classics import CombinatorialVCG

__all__ = ["GreedyVCG"]


@dataclass(frozen=True)
class GreedyVCG(CombinatorialVCG):
    """VCG payments, but items go bundle by bundle to the highest value, not where welfare is best.

    Bundles are given away by falling reported value, among agents that have none and from items
    that are left; among equal values lowest agent first, then first bundle. Three bidders show it
    who want the first of two items for 2, the second for 2, or both together for 3 (Lehmann,
    O'Callaghan and Shoham, 2002).
    """

    breaks: ClassVar[frozenset[str]] = frozenset(
        {
            "dsic",
            "efficient",
            "false_name_proof",
            "individually_rational",
            "non_bossy",
            "pairwise_strategyproof",
            "strongly_budget_balanced",
        }
    )

    def assignment(self, reports: Sequence[Sequence[Any]]) -> tuple[frozenset[Hashable], ...]:
        """Return the greedy assignment."""
        bundles = self.bundles
        claims = [(i, b) for i in range(len(reports)) for b in range(1, len(bundles))]
        given: dict[int, frozenset[Hashable]] = {}
        left = frozenset(self.items)
        for i, b in sorted(claims, key=lambda claim: reports[claim[0]][claim[1]], reverse=True):
            if i not in given and bundles[b] <= left and reports[i][b] > 0:
                given[i] = bundles[b]
                left -= bundles[b]
        return tuple(given.get(i, frozenset()) for i in range(len(reports)))
