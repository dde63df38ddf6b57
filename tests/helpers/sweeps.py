"""Long sweeps: the gate runs some cases, ``pytest -m slow`` the others, and fewer examples."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from hypothesis import settings
from typechecker import ROOT

from passed import TURNS, commits

__all__ = ["examples", "in_turns", "is_due", "mostly_slow"]


def mostly_slow(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """Mark all but the first ``quick`` cases as slow."""
    return [
        pytest.param(case, marks=[pytest.mark.slow] if number >= quick else [])
        for number, case in enumerate(cases)
    ]


@cache
def _commits() -> int:
    return commits(ROOT)


def is_due(number: int, every: int, turn: int | None = None) -> bool:
    """Whether case ``number`` is tried now; of ``every`` commits in a row one tries it.

    ``turn`` is the number of commits, unless it is given. `dev_gates` keeps what passed for one of
    ``TURNS``, so ``every`` divides that number.
    """
    if TURNS % every:
        raise ValueError(f"every={every}: {TURNS} commits must be whole turns of it")
    return (number - (_commits() if turn is None else turn)) % every == 0


def in_turns(cases: Iterable[Any], every: int, turn: int | None = None) -> list[Any]:
    """Return a parameter for each case, a tuple of values or one; it is slow where it is not due.

    Neighbours are due after each other.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=[] if is_due(number, every, turn) else [pytest.mark.slow],
        )
        for number, case in enumerate(cases)
    ]


def examples(number: int) -> int:
    """Return how many examples to draw: ``number``, or the share that the profile leaves of it."""
    return max(5, number * settings().max_examples // 100)
