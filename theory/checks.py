"""Checks of universal and existential claims: a family, a predicate, a proof if there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from theory.claims import CheckContext
from theory.proofs import Proof
from theory.search import Family, SearchResult, Trial, search
from theory.verdicts import Counterexample, Evidence, Exhibit, Finding, Status, Strength

__all__ = ["Exists", "ForAll", "WithoutHypothesis"]

T = TypeVar("T")


def _as_text(instance: object) -> Exhibit:
    return Exhibit(summary=str(instance))


@dataclass(frozen=True)
class WithoutHypothesis(Generic[T]):
    """A universal claim without one of its hypotheses, to see whether that one is needed.

    Attributes
    ----------
    clause : str
        The hypothesis that is dropped, in words.
    predicate : callable
        The predicate of the claim, blind to that hypothesis.
    family : Family, optional
        What is searched; the family of the claim unless another one is given.
    """

    clause: str
    predicate: Callable[[T], Trial]
    family: Family[T] | None = None


@dataclass(frozen=True)
class ForAll(Generic[T]):
    """Checks that a predicate holds on every member of a family.

    Attributes
    ----------
    family, predicate
        What is searched, and what is asked of each instance.
    show : callable
        The instance worked out for a reader with a pencil.
    prove : callable, optional
        Returns a :class:`~theory.proofs.Proof` of the same statement for all parameters; it is
        used where the search found nothing.
    arithmetic : Strength
        ``exact`` where the predicate computes in rationals or closed forms, ``certified`` where
        it computes with balls, ``tested`` where it computes in floats.
    without : tuple of WithoutHypothesis
        Where the claim holds, it is also searched without each of these clauses. What is found
        is evidence and leaves the status alone: a clause that nothing shows to be needed is said
        to be such.
    """

    family: Family[T]
    predicate: Callable[[T], Trial]
    show: Callable[[T], Exhibit] = _as_text
    prove: Callable[[CheckContext], Proof] | None = None
    arithmetic: Strength = Strength.EXACT
    without: tuple[WithoutHypothesis[T], ...] = ()

    def __call__(self, context: CheckContext) -> Finding:
        """Search the family, try to prove what it did not refute, then drop clause by clause."""
        proofs = 0 if self.prove is None else 1
        stages = 1 + proofs + len(self.without)
        found = search(self.family, self.predicate, context.stage(0, stages))
        if found.smallest is not None:
            return self._refute(found, found.smallest.instance)
        nothing = _inconclusive_finding(found, self.arithmetic)
        if nothing is not None:
            return nothing
        finding = self._holds(found)
        if self.prove is not None:
            finding = _with_proof(finding, self.prove(context.stage(1, stages)))
            context.progress(2, stages)
        for number, dropped in enumerate(self.without, 1 + proofs):
            finding = self._without(finding, dropped, context.stage(number, stages))
        return finding

    def _holds(self, found: SearchResult[T]) -> Finding:
        strength = Strength.TESTED if found.sampled else self.arithmetic
        reason = f"It holds on all {found.met:,} instances that met the hypotheses."
        if found.nontrivial == 0:
            reason += " None of them was non-trivial, so this says little."
        return _make_finding(found, Status.HOLDS, strength, reason)

    def _refute(self, found: SearchResult[T], instance: T) -> Finding:
        reason = (
            f"Of {found.met:,} instances that meet the hypotheses, {found.failing:,} fail. "
            f"On the smallest: {found.failure}"
        )
        broken = Counterexample(exhibit=self.show(instance), minimality=found.minimality)
        finding = _make_finding(found, Status.REFUTED, self.arithmetic, reason)
        return replace(finding, counterexample=broken)

    def _without(
        self, finding: Finding, dropped: WithoutHypothesis[T], context: CheckContext
    ) -> Finding:
        family = dropped.family or self.family
        found = search(family, dropped.predicate, context, until_failure=True)
        head = f"Without the clause “{dropped.clause}”"
        if found.smallest is None:
            searched = f"{found.met:,} instances{_say_undecided(found)}"
            line = f"{head} no counterexample was found among {searched}."
            return _extend_finding(finding, line, line)
        shown = self.show(found.smallest.instance)
        line = f"{head} it fails, as on {shown.summary}: {found.failure} ({found.minimality})"
        return _extend_finding(finding, f"{head} it fails.", line, *shown.details)


@dataclass(frozen=True)
class Exists(Generic[T]):
    """Checks that some member of a family does what a claim says can be done.

    Attributes
    ----------
    family, predicate
        What is searched, and what is asked of each instance, put as the opposite claim that none
        does it: a ``failure`` of that says what the instance does, in words and numbers.
    show : callable
        The instance worked out for a reader with a pencil.
    arithmetic : Strength
        As for :class:`ForAll`. A witness has this strength, and so has its absence from a family
        that was run through.
    """

    family: Family[T]
    predicate: Callable[[T], Trial]
    show: Callable[[T], Exhibit] = _as_text
    arithmetic: Strength = Strength.EXACT

    def __call__(self, context: CheckContext) -> Finding:
        """Search the family for the smallest witness."""
        found = search(self.family, self.predicate, context)
        if found.smallest is not None:
            return self._report_witness(found, found.smallest.instance)
        nothing = _inconclusive_finding(found, self.arithmetic)
        if nothing is not None:
            return nothing
        strength = Strength.TESTED if found.sampled else self.arithmetic
        reason = f"None of {found.met:,} instances that meet the hypotheses does it."
        return _make_finding(found, Status.REFUTED, strength, reason)

    def _report_witness(self, found: SearchResult[T], instance: T) -> Finding:
        shown = self.show(instance)
        reason = (
            f"Of {found.met:,} instances that meet the hypotheses, {found.failing:,} do it. "
            f"The smallest: {found.failure}"
        )
        line = f"The smallest witness: {shown.summary} ({found.minimality})"
        finding = _make_finding(found, Status.HOLDS, self.arithmetic, reason)
        return _extend_finding(finding, "", line, *shown.details)


def _inconclusive_finding(found: SearchResult[T], arithmetic: Strength) -> Finding | None:
    """Return the finding of a search that found no failure and may not conclude from it."""
    if found.undecided:
        reason = f"Certified numbers left {found.undecided:,} instances undecided."
        return _make_finding(found, Status.AMBIGUOUS, arithmetic, reason)
    if found.met == 0:
        reason = "No instance met the hypotheses."
        return _make_finding(found, Status.VACUOUS, Strength.TESTED, reason)
    return None


def _with_proof(finding: Finding, proof: Proof) -> Finding:
    if not proof.complete:
        return _extend_finding(finding, "", f"No proof: {proof}")
    family = f"{finding.scope.family}; proved for {proof.parameters}"
    scope = replace(finding.scope, family=family)
    proved = replace(finding, strength=Strength.PROVED, scope=scope, proof=proof)
    return _extend_finding(proved, str(proof), proof.table())


def _make_finding(
    found: SearchResult[T], status: Status, strength: Strength, reason: str
) -> Finding:
    return Finding(status=status, strength=strength, scope=found.scope(), reason=reason)


def _extend_finding(finding: Finding, reason: str, *evidence: Evidence) -> Finding:
    """Return the finding with more to say and to show."""
    return replace(
        finding,
        reason=f"{finding.reason} {reason}".rstrip(),
        evidence=(*finding.evidence, *evidence),
    )


def _say_undecided(found: SearchResult[T]) -> str:
    return f"; {found.undecided:,} were left undecided" if found.undecided else ""
