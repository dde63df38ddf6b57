"""What an SMT solver returns, before anything of it is believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

__all__ = ["SolverReply"]


@dataclass(frozen=True)
class SolverReply:
    """The solver's own answer to the negation: ``unsat``, ``sat`` or ``unknown``.

    ``near`` are rational points at its model, or ever closer to it where that is irrational;
    symbols that it leaves open have none.
    """

    answer: Literal["unsat", "sat", "unknown"]
    solver: str
    steps: int
    reason: str = ""
    near: tuple[Mapping[str, Fraction], ...] = ()
