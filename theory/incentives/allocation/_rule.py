"""An allocation rule as a mechanism in which nobody pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from theory.incentives._mechanism import mechanism_name, outcome_function
from theory.incentives._outcome import Outcome
from theory.incentives._reading import is_vector

__all__ = ["Unpaid", "is_paid"]


@dataclass(frozen=True)
class Unpaid:
    """A rule with payments of 0; those of a mechanism are left out."""

    rule: Any
    seed: int

    @property
    def __name__(self) -> str:
        return mechanism_name(self.rule)

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return the allocation of the rule, for which nobody pays."""
        returned = outcome_function(self.rule, self.seed)(tuple(reports))
        if isinstance(returned, Outcome):
            returned = returned.allocation
        elif hasattr(self.rule, "outcome"):
            returned, _ = returned
        return Outcome(returned, (0,) * len(reports))


def is_paid(allocation: Any, agents: int) -> bool:
    """Whether what a rule returned has the form of an outcome: a pair, one payment an agent."""
    if not isinstance(allocation, tuple) or len(allocation) != 2:
        return False
    return is_vector(allocation[1]) and len(allocation[1]) == agents
