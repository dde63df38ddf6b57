"""The colours of the figures of the arena."""

from __future__ import annotations

from typing import Final

__all__ = ["COLORS", "INK"]

INK: Final = "#333333"
COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
"""Told apart by those who see fewer colours, too."""
