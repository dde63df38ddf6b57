"""Allocation rules alone: payments that make one truthful, or types that forbid them."""

from theory.incentives.allocation._implementable import MAX_COMPARISONS, implementable
from theory.incentives.allocation._result import EnvyStep, Implementation, NegativeCycle

__all__ = [
    "MAX_COMPARISONS",
    "EnvyStep",
    "Implementation",
    "NegativeCycle",
    "implementable",
]
