"""Claims of *Playing Large Games with Oracles and AI Debate*, in its order."""

from __future__ import annotations

from papers.oracles import algorithms, appendix, debate, learning, preliminaries
from theory.claims import Claim

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (
    *preliminaries.CLAIMS,
    *algorithms.CLAIMS,
    *learning.CLAIMS,
    *debate.CLAIMS,
    *appendix.CLAIMS,
)
