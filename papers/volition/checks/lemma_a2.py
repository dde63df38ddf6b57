"""volition, Lemma A.2: a Bayesian agent expects to gain from inspection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from papers.volition.checks.inspection_families import InspectionInstance
from theory.inspection import (
    InspectionProblem,
    Offers,
    SuccessiveInspection,
    successive_inspection,
)
from theory.search import Trial

__all__ = ["InspectionDoesNotHurt"]

Solver = Callable[[InspectionProblem, Offers], SuccessiveInspection]


@dataclass(frozen=True)
class InspectionDoesNotHurt:
    """Lemma A.2 on one problem, with any set of goods a level and with one good or none."""

    solve: Solver = successive_inspection

    def __call__(self, instance: InspectionInstance) -> Trial:
        """Ask for E[U^n(x_n)] ≥ 0 at n = 1, …, N; non-trivial where something is bought."""
        found = [self.solve(instance.problem, offers) for offers in Offers]
        losses = []
        for solution in found:
            means: list[Any] = list(solution.expected_utilities)
            losses += [
                f"E[U^{n}(x_{n})] is {mean} ({solution.name})."
                for n, mean in enumerate(means)
                if n and mean < 0
            ]
        return Trial(nontrivial=any(f.buys for f in found), failure=" ".join(losses))
