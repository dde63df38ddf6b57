"""Textbook claims on mechanisms: for all real types, from the code that runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from theory.claims import CheckContext
from theory.errors import InvalidInputError
from theory.incentives import (
    MechanismReport,
    PropertyFinding,
    Reals,
    TypeSpace,
    Witness,
    prove_mechanism,
)
from theory.proofs import Proof, SolverVerdict, installed_solvers
from theory.verdicts import (
    Counterexample,
    Evidence,
    Exhibit,
    Finding,
    Scope,
    Status,
    Strength,
    Table,
)

__all__ = ["ForAllTypes", "ForSomeTypes"]

_SECOND_OPINION: Final = "z3"


@dataclass(frozen=True)
class ForAllTypes:
    """Properties of a mechanism hold for all real types, at each of some numbers of agents.

    Each property's definition is traced over the mechanism's own code; our own certificates decide,
    and z3 is asked again where it is installed.

    Attributes
    ----------
    mechanism : object
        The mechanism that runs.
    properties : sequence of str
        Names from ``theory.incentives.PROPERTIES``.
    agents : sequence of int
        Every one of these numbers is gone through.
    types : TypeSpace
        The same for all agents.

    Raises
    ------
    InvalidInputError
        Where properties or agents are empty, or no list.
    """

    mechanism: Any
    properties: Sequence[str]
    agents: Sequence[int] = (2, 3)
    types: TypeSpace = field(default_factory=Reals)
    prove: Callable[..., MechanismReport] = prove_mechanism

    def __post_init__(self) -> None:
        _check_list("properties", self.properties, "name at least one property")
        _check_list("agents", self.agents, "give at least one number of agents")

    def __call__(self, context: CheckContext) -> Finding:
        """Prove each property at each number of agents, and stop at a counterexample."""
        tasks = [(n, name) for n in self.agents for name in self.properties]
        found: list[PropertyFinding] = []
        for done, (agents, name) in enumerate(tasks):
            context.progress(done, len(tasks) + 1)
            report = self.prove(
                self.mechanism,
                types=self.types,
                agents=agents,
                properties=[name],
                solver="certificates",
                seed=context.seed % 2**32,
            )
            found.append(report[name])
            if found[-1].status is Status.REFUTED:
                return self._refute(found, agents)
        context.progress(len(tasks), len(tasks) + 1)
        return self._make_finding(tasks, found)

    def _make_finding(
        self, tasks: Sequence[tuple[int, str]], found: Sequence[PropertyFinding]
    ) -> Finding:
        rows = tuple(
            (str(agents), name, str(each.status), str(each.strength), each.reason, each.rechecked)
            for (agents, name), each in zip(tasks, found, strict=True)
        )
        columns = ("agents", "property", "status", "strength", "how", "the trace and the code")
        evidence = Table(caption=f"{self.mechanism!r}", columns=columns, rows=rows)
        weakest = min(found, key=lambda each: (each.status is Status.HOLDS, each.strength.rank))
        proved = weakest.strength is Strength.PROVED
        finding = Finding(
            status=weakest.status,
            strength=weakest.strength,
            scope=self._scope(found, exhausted=proved),
            reason=_describe_findings(found)
            if proved
            else f"{weakest.property}: {weakest.reason}.",
            evidence=(evidence,),
        )
        proofs = [each.proof for each in found if each.proof is not None]
        return self._asked_again(finding, proofs) if proved else finding

    def _asked_again(self, finding: Finding, proofs: Sequence[Proof]) -> Finding:
        counts = " and ".join(map(str, self.agents))
        whole = Proof.of_all(f"all types in {self.types!r} of {counts} agents", proofs)
        finding = replace(finding, proof=whole, evidence=(*finding.evidence, whole.table()))
        if _SECOND_OPINION not in installed_solvers():
            return finding
        other = whole.checked_by(_SECOND_OPINION)
        if other.verdict == "proved":
            again = f"{finding.reason} {other.solver} confirms it in {other.steps or 0:,} steps."
            return replace(finding, reason=again)
        return _is_disputed(finding, other)

    def _refute(self, found: Sequence[PropertyFinding], agents: int) -> Finding:
        last = found[-1]
        broken = None if last.witness is None else _worked_out(last.witness)
        return Finding(
            status=last.status,
            strength=last.strength,
            scope=self._scope(found, exhausted=False),
            reason=f"{last.property} with {agents} agents {last.reason}.",
            counterexample=broken,
        )

    def _scope(self, found: Sequence[PropertyFinding], *, exhausted: bool) -> Scope:
        counts = " and ".join(map(str, self.agents))
        return Scope(
            family=f"{self.mechanism!r} with {counts} agents, types {self.types!r}: paths of code",
            instances=sum(each.scope.instances for each in found),
            met_hypotheses=sum(each.scope.met_hypotheses for each in found),
            nontrivial=sum(each.scope.nontrivial for each in found),
            sizes=f"{counts} agents",
            exhausted=exhausted,
        )


@dataclass(frozen=True)
class ForSomeTypes:
    """A property of a mechanism fails for some real types, at each of some numbers of agents.

    A solver looks for types at which the traced code ends below 0; what it finds is made smaller,
    and run on the mechanism itself. Where none is found the claim is refuted only by a proof that
    the property holds; where that was only tested the matter is open.

    Raises
    ------
    InvalidInputError
        Where agents are empty, or no list.
    """

    mechanism: Any
    failing: str
    agents: Sequence[int] = (2, 3)
    types: TypeSpace = field(default_factory=Reals)
    prove: Callable[..., MechanismReport] = prove_mechanism

    def __post_init__(self) -> None:
        _check_list("agents", self.agents, "give at least one number of agents")

    def __call__(self, context: CheckContext) -> Finding:
        """Find a counterexample at each number of agents."""
        evidence: list[Evidence] = []
        for done, agents in enumerate(self.agents):
            context.progress(done, len(self.agents))
            check = ForAllTypes(self.mechanism, (self.failing,), (agents,), self.types, self.prove)
            found = check(context)
            if found.counterexample is None:
                return replace(found, status=_opposite(found))
            shown = found.counterexample.exhibit
            evidence += [f"With {agents} agents: {shown.summary}.", *shown.details]
        counts = " and ".join(map(str, self.agents))
        return Finding(
            status=Status.HOLDS,
            strength=Strength.EXACT,
            scope=Scope(
                family=f"{self.mechanism!r} with {counts} agents, types {self.types!r}",
                instances=len(self.agents),
                met_hypotheses=len(self.agents),
                nontrivial=len(self.agents),
                sizes=f"{counts} agents",
                exhausted=True,
            ),
            reason=f"{self.failing} fails at types that were run on the mechanism. {evidence[0]}",
            evidence=tuple(evidence),
        )


def _opposite(found: Finding) -> Status:
    """Return what it says of a claim that a property fails, that no counterexample was found."""
    if found.status is not Status.HOLDS:
        return found.status
    return Status.AMBIGUOUS if found.strength is Strength.TESTED else Status.REFUTED


def _check_list(argument: str, given: object, fix: str) -> None:
    if not isinstance(given, list | tuple) or not given:
        problem = "is no list" if given else "is empty"
        raise InvalidInputError(argument, given, problem, fix)


def _describe_findings(found: Sequence[PropertyFinding]) -> str:
    names = ", ".join(dict.fromkeys(each.property for each in found))
    return f"No path of the traced code ends below 0: {names}."


def _is_disputed(finding: Finding, other: SolverVerdict) -> Finding:
    reason = f"{finding.reason} But {other}"
    return replace(
        finding, status=Status.AMBIGUOUS, strength=Strength.TESTED, reason=reason, proof=None
    )


def _worked_out(witness: Witness) -> Counterexample:
    table = Table(caption="What is compared", columns=("what", "comes to"), rows=witness.sides)
    exhibit = Exhibit(summary=witness.story, tables=(table,))
    return Counterexample(exhibit=exhibit, minimality=witness.minimality)
