"""An allocation rule as a mechanism in which nobody pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from theory.incentives._mechanism import mechanism_name, outcome_function
from theory.incentives._outcome import Outcome

__all__ = ["Unpaid"]


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
