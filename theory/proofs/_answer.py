"""What a solver says about obligations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from theory.proofs._certificate import Certificate
from theory.shared.printable import escape, print_safely

__all__ = ["SolverVerdict", "Verdict"]

Verdict = Literal["proved", "refuted", "unknown"]


@dataclass(frozen=True)
class SolverVerdict:
    """What a solver says about obligations: proved, refuted by a point, or unknown.

    Attributes
    ----------
    verdict : str
        ``proved``: every obligation holds. ``refuted``: one fails at ``model``, which was checked
        in exact arithmetic by code that shares nothing with the solver. ``unknown``: neither was
        shown within the limit.
    solver : str
        Its name and version.
    steps : int or None
        The solver's own count of what it did, the same on every machine; None for certificates.
    model : mapping of str to Fraction, or None
        A rational value a symbol, where refuted.
    reason : str
        Why the answer is unknown, or which obligation fails; empty where all are proved.
    certificates : tuple of Certificate
        One an obligation, where the solver gives them.

    Examples
    --------
    >>> print(SolverVerdict("unknown", "z3 4.8.0", steps=12, reason="max. resource limit exceeded"))
    Unknown: z3 4.8.0 stopped after 12 steps (max. resource limit exceeded).
    """

    verdict: Verdict
    solver: str
    steps: int | None = None
    model: Mapping[str, Fraction] | None = None
    reason: str = ""
    certificates: tuple[Certificate, ...] = ()

    @print_safely
    def __str__(self) -> str:
        steps = "" if self.steps is None else f"{self.steps:,} steps"
        if self.verdict == "proved":
            return f"Proved by {self.solver}{f' in {steps}' if steps else ''}."
        if self.verdict == "refuted":
            point = ", ".join(f"{name} = {value}" for name, value in (self.model or {}).items())
            return f"Refuted by {self.solver} at {point or 'every point'}: {self.reason}."
        return (
            f"Unknown: {self.solver} stopped{f' after {steps}' if steps else ''} ({self.reason})."
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"
