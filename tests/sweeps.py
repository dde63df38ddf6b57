"""Long sweeps: the gate runs the first cases, ``pytest -m slow`` the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["mostly_slow"]


def mostly_slow(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """Mark all but the first ``quick`` cases as slow."""
    return [
        pytest.param(case, marks=[pytest.mark.slow] if number >= quick else [])
        for number, case in enumerate(cases)
    ]
