"""Sections 5.1 and 5.2."""

from __future__ import annotations

from theory.claims import Claim

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = ()
