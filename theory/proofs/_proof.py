"""What was proved, and what shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from theory._table import Table
from theory.errors import InvalidInputError
from theory.proofs._answer import SolverVerdict
from theory.proofs._certificate import Certificate
from theory.proofs._decide import STEPS, check_solver, decide
from theory.proofs._equation import Equation
from theory.proofs._identity import Identity
from theory.proofs._obligation import Obligation
from theory.proofs._smtlib import smtlib
from theory.shared.printable import escape, print_safely

__all__ = ["Proof"]


@dataclass(frozen=True)
class Proof:
    """Obligations of traced runs and identities, and what shows them; or the first that is open.

    Attributes
    ----------
    parameters : str
        For what it is proved, in words.
    paths : int
        How many paths of the traced runs it covers.
    certificates : tuple of Certificate
        One an obligation, in their order; none where another solver decided.
    open_goal : str
        The first goal for which no certificate was found, as a clause.
    obligations : tuple of Obligation
        What was to be shown of every path.
    identities : tuple of Identity
        Steps that SymPy confirms.
    decided : SolverVerdict or None
        The answer of an SMT solver, where one was asked instead of certificates.
    """

    parameters: str
    paths: int
    certificates: tuple[Certificate, ...] = ()
    open_goal: str = ""
    obligations: tuple[Obligation, ...] = ()
    identities: tuple[Identity, ...] = ()
    decided: SolverVerdict | None = None

    @classmethod
    def of_all(cls, parameters: str, proofs: Sequence[Proof]) -> Proof:
        """Return several proofs, one a size, as one; it is complete when each of them is.

        Raises
        ------
        InvalidInputError
            For a proof that an SMT solver decided: give all obligations to it at once.
        """
        if any(proof.decided is not None for proof in proofs):
            raise InvalidInputError(
                "proofs", proofs, "hold one by an SMT solver", "decide the obligations together"
            )
        return cls(
            parameters,
            sum(proof.paths for proof in proofs),
            tuple(c for proof in proofs for c in proof.certificates),
            next((proof.open_goal for proof in proofs if proof.open_goal), ""),
            tuple(o for proof in proofs for o in proof.obligations),
            tuple(i for proof in proofs for i in proof.identities),
        )

    @cached_property
    def complete(self) -> bool:
        """Whether every obligation is shown, and SymPy confirms every identity.

        An obligation is shown by a certificate of its own that survives expansion by SymPy, or by
        the SMT solver that was asked.
        """
        if self.open_goal or not (self.obligations or self.identities):
            return False
        return self._unconfirmed is None and self._shown

    @cached_property
    def _shown(self) -> bool:
        if self.decided is not None:
            return self.decided.verdict == "proved" and bool(self.obligations)
        if any(type(certificate) is not Certificate for certificate in self.certificates):
            return False
        shown = tuple(certificate.obligation for certificate in self.certificates)
        return shown == self.obligations and all(map(Certificate.holds, self.certificates))

    @cached_property
    def _unconfirmed(self) -> Identity | None:
        return next((i for i in self.identities if not i.confirmed), None)

    @property
    def equations(self) -> tuple[Equation, ...]:
        """The equations of rational functions in the identities."""
        return tuple(dict.fromkeys(e for identity in self.identities for e in identity.equations))

    @property
    def beyond(self) -> tuple[Identity, ...]:
        """The identities with a part that only SymPy decides."""
        return tuple(i for i in self.identities if i.zeros or i.signs)

    @property
    def answer(self) -> SolverVerdict:
        """How it was decided."""
        if self.decided is not None:
            return self.decided
        if self.complete:
            return SolverVerdict("proved", "certificates", certificates=self.certificates)
        return SolverVerdict("unknown", "certificates", reason=str(self).rstrip("."))

    def smtlib(self, *, comment: str = "") -> str:
        """Return what is polynomial as an SMT-LIB script (:func:`theory.proofs.smtlib`).

        Comments say for what it is proved, and name what only SymPy decides.
        """
        lines = [comment, f"For {self.parameters}."]
        lines += [f"Beyond this script, by SymPy alone: {identity}." for identity in self.beyond]
        if not (self.obligations or self.equations):
            lines.append("Nothing in this proof is polynomial, so nothing is asserted but false.")
        text = "\n".join(line for line in lines if line)
        return smtlib(self.obligations, equations=self.equations, comment=text)

    def checked_by(self, solver: str, *, steps: int = STEPS) -> SolverVerdict:
        """Return what another solver says about the obligations and equations.

        Raises
        ------
        UnknownNameError, InvalidInputError
            As :func:`theory.proofs.decide` does.
        """
        check_solver(solver, steps)
        if not (self.obligations or self.equations):
            return SolverVerdict("unknown", solver, reason="nothing in the proof is polynomial")
        return decide(self.obligations, equations=self.equations, solver=solver, steps=steps)

    def table(self, rows: int = 3) -> Table:
        """Return the longest certificates, or the identities where there are none."""
        if not self.certificates:
            return Table(
                caption="What SymPy confirms: identities between what the traced code returns, "
                "the coefficient of each logarithm being 0, and steps of calculus",
                columns=("step",),
                rows=tuple((identity.statement,) for identity in self.identities),
            )
        longest = sorted(self.certificates, key=lambda c: -len(c.parts))[:rows]
        return Table(
            caption=f"{len(longest)} of {len(self.certificates)} certificates: each result, its "
            "denominator cleared, is a sum of products of what is at least 0",
            columns=("result", "sum of products"),
            rows=tuple((str(c.shown), str(c)) for c in longest),
        )

    @print_safely
    def __str__(self) -> str:
        if self.open_goal:
            return f"Found no certificate that {self.open_goal}."
        if self._unconfirmed is not None:
            return f"SymPy does not confirm that {self._unconfirmed}."
        if self.decided is not None and self.decided.verdict != "proved":
            return str(self.decided)
        if not self.complete:
            return "The certificates do not hold."
        return f"Proved for {self.parameters}: {self.paths:,} paths of the traced code, {self._by}."

    @property
    def _by(self) -> str:
        if self.decided is not None:
            shown = f"shown by {self.decided.solver} in {self.decided.steps or 0:,} steps"
        else:
            shown = f"{len(self.certificates):,} identities expanded by SymPy"
        if not self.identities:
            return shown
        steps = "; ".join(f"({n}) {identity}" for n, identity in enumerate(self.identities, 1))
        return f"{shown}, and these steps, which SymPy confirms: {steps}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>{self.table()._repr_html_()}"
