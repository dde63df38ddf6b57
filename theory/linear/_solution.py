"""What a linear program's solver claims, and what the recheck finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from theory.errors import MechproofError
from theory.shared.printable import escape

__all__ = ["Certificate", "CertificateError", "Check", "Solution", "Status"]

Vector = tuple[Fraction, ...]


class CertificateError(MechproofError, ArithmeticError):
    """A certificate that does not prove what it is for."""


class Status(StrEnum):
    """What a linear program has: an optimum, no feasible point, or no bound."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A claim about a linear program with what proves it.

    Write the program as min c · x. Signs are reversed for y where it is a maximum.

    Attributes
    ----------
    status : Status
    value : Fraction, where optimal
        c · x = b · y.
    x : tuple of Fraction, one a variable, where optimal or unbounded
        A feasible point.
    y : tuple of Fraction, one a constraint, where optimal
        The dual: y ≥ 0 on ">=", y ≤ 0 on "<=", and c − Aᵀy ≥ 0, with equality for free variables.
    farkas : tuple of Fraction, one a constraint, where infeasible
        f ≥ 0 on "<=", f ≤ 0 on ">=", Aᵀf ≥ 0 (= 0 for free variables) and b · f < 0; a feasible x
        would give 0 ≤ f · Ax ≤ b · f < 0. Scaled to coprime integers.
    ray : tuple of Fraction, one a variable, where unbounded
        A direction that keeps x feasible and improves c · x without end. Coprime integers.
    """

    status: Status
    value: Fraction | None = None
    x: Vector | None = None
    y: Vector | None = None
    farkas: Vector | None = None
    ray: Vector | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What :func:`recheck` computes from the program's own data.

    Attributes
    ----------
    gap : Fraction
        The largest amount by which a condition of the certificate fails; 0 in a valid one. Where
        optimal, one of them is that the value, c · x and b · y are equal.
    failures : tuple of str
        The conditions that fail, the worst first.
    """

    gap: Fraction
    failures: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the certificate proves its status."""
        return not self.failures

    def __str__(self) -> str:
        if self.holds:
            return f"recheck: gap {self.gap}"
        return f"rejected: {'; '.join(self.failures)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution(Certificate):
    """A certificate that :func:`recheck` has accepted.

    Attributes
    ----------
    gap : Fraction
        That of :class:`Check`, by code that shares nothing with the solver: 0.
    pivots : int
        Exact pivots that were needed after the guessed start.
    """

    gap: Fraction
    pivots: int

    def _lines(self) -> list[tuple[str, str]]:
        vectors = {"x": self.x, "y": self.y, "Farkas vector": self.farkas, "ray": self.ray}
        named = [(name, v) for name, v in vectors.items() if v is not None]
        head = [] if self.value is None else [("value", str(self.value))]
        return [*head, *((name, f"({', '.join(map(str, v))})") for name, v in named)]

    def __str__(self) -> str:
        lines = [f"  {name}: {text}" for name, text in self._lines()]
        return "\n".join([f"{self.status} (recheck: gap {self.gap})", *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{name}</th><td>{escape(text)}</td></tr>" for name, text in self._lines()
        )
        return f"<p><b>{self.status}</b> (recheck: gap {self.gap})</p><table>{rows}</table>"
