"""Claims of *Truthful Aggregation of LLMs*, in its order."""

from __future__ import annotations

from papers.truthful import allocation, comparison, experiments, incentives, model, offset, payments
from theory.claims import Claim

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (
    *model.CLAIMS,
    *comparison.CLAIMS,
    *allocation.CLAIMS,
    *incentives.CLAIMS,
    *payments.CLAIMS,
    *offset.CLAIMS,
    *experiments.CLAIMS,
)
