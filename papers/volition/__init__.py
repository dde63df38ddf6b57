"""Claims of *Extrapolating Volition with Recursive Information Markets*, in its order."""

from __future__ import annotations

from papers.volition import appendix, information, inspection, marginal_value, protocols, shortfall
from theory.claims import Claim

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (
    *information.CLAIMS,
    *inspection.CLAIMS,
    *marginal_value.CLAIMS,
    *protocols.CLAIMS,
    *shortfall.CLAIMS,
    *appendix.CLAIMS,
)
