"""Long sweeps: the gate runs some cases, ``pytest -m slow`` the others, and fewer examples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

__all__ = ["examples", "mostly_slow"]


def mostly_slow(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """Mark all but the first ``quick`` cases as slow."""
    return [
        pytest.param(case, marks=[pytest.mark.slow] if number >= quick else [])
        for number, case in enumerate(cases)
    ]


def examples(number: int) -> int:
    """Return how many examples to draw: ``number``, or the share that the profile leaves of it."""
    return max(5, number * settings().max_examples // 100)
