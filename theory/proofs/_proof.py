"""What was proved, and what shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from theory.proofs._answer import Answer
from theory.proofs._certificate import Certificate
from theory.proofs._decide import STEPS, decide
from theory.proofs._obligation import Obligation
from theory.verdicts import Table

__all__ = ["Proof"]


@dataclass(frozen=True)
class Proof:
    """Obligations of traced runs, and what shows each of them; or the first that is open."""

    parameters: str
    paths: int
    certificates: tuple[Certificate, ...]
    open_goal: str = ""
    obligations: tuple[Obligation, ...] = ()
    decided: Answer | None = None

    @classmethod
    def of_all(cls, parameters: str, proofs: Sequence[Proof]) -> Proof:
        """Return several proofs, one a size, as one; it is complete when each of them is."""
        return cls(
            parameters,
            sum(proof.paths for proof in proofs),
            tuple(c for proof in proofs for c in proof.certificates),
            next((proof.open_goal for proof in proofs if proof.open_goal), ""),
            obligations=tuple(o for proof in proofs for o in proof.obligations),
        )

    @cached_property
    def complete(self) -> bool:
        """Whether every path has a certificate, and each one survives expansion by SymPy."""
        if self.decided is not None:
            return self.decided.verdict == "proved" and bool(self.obligations)
        shown = tuple(certificate.obligation for certificate in self.certificates)
        proved = bool(self.obligations) and shown == self.obligations and not self.open_goal
        return proved and all(certificate.holds() for certificate in self.certificates)

    def checked_by(self, solver: str, *, steps: int = STEPS) -> Answer:
        """Return what another solver says about the same obligations."""
        return decide(self.obligations, solver=solver, steps=steps)

    def table(self, rows: int = 3) -> Table:
        """Return the longest certificates, to be checked with a pencil."""
        longest = sorted(self.certificates, key=lambda c: -len(c.parts))[:rows]
        return Table(
            caption=f"{len(longest)} of {len(self.certificates)} certificates: each result, its "
            "denominator cleared, is a sum of products of what is at least 0",
            columns=("result", "sum of products"),
            rows=tuple((str(c.obligation.goal or "0"), str(c)) for c in longest),
        )

    def __str__(self) -> str:
        if self.open_goal:
            return f"Found no certificate that {self.open_goal}."
        if not self.complete:
            return "The certificates do not hold." if self.decided is None else str(self.decided)
        shown = f"{len(self.certificates):,} identities expanded by SymPy."
        if self.decided is not None:
            shown = str(self.decided).lower()
        return f"Proved for {self.parameters}: {self.paths:,} paths of the traced code, {shown}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>{self.table()._repr_html_()}"
