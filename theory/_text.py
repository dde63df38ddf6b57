"""Numbers as readers write them."""

from __future__ import annotations

from typing import Any

from theory.numbers import ClosedForm

__all__ = ["number_text"]


def number_text(value: Any) -> str:
    """Write a number for a table."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, ClosedForm) and value.as_rational() is None:
        return f"{value} ≈ {float(value):.6g}"
    return str(value)
