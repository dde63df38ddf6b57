"""The check of a universal claim: a family, a predicate, and a proof where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from theory.claims import CheckContext
from theory.proofs import Proof
from theory.search import Family, SearchResult, Trial, search
from theory.verdicts import Counterexample, Evidence, Finding, Status, Strength, Table

__all__ = ["ForAll"]

T = TypeVar("T")


def _as_text(instance: object) -> tuple[str, tuple[Table, ...]]:
    return str(instance), ()


@dataclass(frozen=True)
class ForAll(Generic[T]):
    """Checks that a predicate holds on every member of a family.

    Attributes
    ----------
    family, predicate
        What is searched, and what is asked of each instance.
    show : callable
        The instance worked out: one line, and tables for a reader with a pencil.
    prove : callable, optional
        Returns a :class:`~theory.proofs.Proof` of the same statement for all parameters; it is
        used where the search found nothing.
    arithmetic : Strength
        ``exact`` where the predicate computes in rationals or closed forms, ``certified`` where
        it computes with balls, ``tested`` where it computes in floats.
    """

    family: Family[T]
    predicate: Callable[[T], Trial]
    show: Callable[[T], tuple[str, tuple[Table, ...]]] = _as_text
    prove: Callable[[CheckContext], Proof] | None = None
    arithmetic: Strength = Strength.EXACT

    def __call__(self, context: CheckContext) -> Finding:
        """Search the family, then try to prove what it did not refute."""
        stages = 1 if self.prove is None else 2
        found = search(self.family, self.predicate, context.stage(0, stages))
        if found.smallest is not None:
            return self._refuted(found, found.smallest.instance)
        if found.undecided:
            reason = f"Certified numbers left {found.undecided:,} instances undecided."
            return _finding(found, Status.AMBIGUOUS, self.arithmetic, reason)
        if found.met == 0:
            return _finding(
                found, Status.VACUOUS, Strength.TESTED, "No instance met the hypotheses."
            )
        strength = Strength.TESTED if found.sampled else self.arithmetic
        reason = f"It holds on all {found.met:,} instances that met the hypotheses."
        if found.nontrivial == 0:
            reason += " None of them was non-trivial, so this says little."
        if self.prove is None:
            return _finding(found, Status.HOLDS, strength, reason)
        proof = self.prove(context.stage(1, stages))
        context.progress(1, 1)
        if not proof.complete:
            return _finding(found, Status.HOLDS, strength, reason, f"No proof: {proof}")
        finding = _finding(found, Status.HOLDS, Strength.PROVED, f"{reason} {proof}", proof.table())
        family = f"{finding.scope.family}; proved for {proof.parameters}"
        return replace(finding, scope=replace(finding.scope, family=family))

    def _refuted(self, found: SearchResult[T], instance: T) -> Finding:
        summary, tables = self.show(instance)
        reason = (
            f"Of {found.met:,} instances that meet the hypotheses, {found.failing:,} fail. "
            f"On the smallest: {found.failure}"
        )
        broken = Counterexample(summary=summary, minimality=found.minimality, tables=tables)
        return Finding(
            status=Status.REFUTED,
            strength=self.arithmetic,
            scope=found.scope(),
            reason=reason,
            counterexample=broken,
        )


def _finding(
    found: SearchResult[T], status: Status, strength: Strength, reason: str, *evidence: Evidence
) -> Finding:
    return Finding(
        status=status, strength=strength, scope=found.scope(), reason=reason, evidence=evidence
    )
