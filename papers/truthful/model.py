"""Section 3."""

from __future__ import annotations

from theory.claims import Claim

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = ()
