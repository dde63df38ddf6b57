"""One property: traced, decided by a solver, and the trace compared with the code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from theory.incentives._mechanism import global_random_state
from theory.incentives._property import Instance, Property
from theory.incentives._reading import show
from theory.incentives._record import OutcomeAtFault, Profile
from theory.incentives._types import TypeSpace
from theory.incentives.proving._agreement import Agreement, Numbers, compare_at_points
from theory.incentives.proving._comparison_points import Finder
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._piecewise import Piecewise, agreeing_profiles
from theory.incentives.proving._symbolic_cases import Case, TracedCase, list_cases
from theory.incentives.proving._trace_failure import Untraced
from theory.incentives.search import shrink
from theory.incentives.setting import Setting
from theory.incentives.witness import TOLERANCE, Witness, witness_of
from theory.proofs import Proof, SolverVerdict, decide

__all__ = ["MOST_PATHS", "Attempt", "Plan", "Trace", "compare_with_code", "trace"]

MOST_PATHS: Final = 6_000
"""The most paths that are traced for one property, all choices of agents together."""


@dataclass(frozen=True)
class Attempt:
    """What came of a proof.

    ``proof`` is complete where the property is proved; else there is a ``witness``, or the solver's
    ``reason`` for knowing neither.
    """

    paths: int
    met: int
    nontrivial: int
    answer: SolverVerdict
    declared: str = ""
    proof: Proof | None = None
    agreement: Agreement | None = None
    witness: Witness | None = None


@dataclass(frozen=True)
class Plan:
    """What a proof is tried with.

    ``exact`` and ``whole`` have the machine run the code on fractions and integers; all properties
    share what they know.
    """

    rule: Callable[[Profile], Any]
    pieces: Piecewise | None
    solver: str
    steps: int
    shrinks: int
    exact: Numbers
    whole: Numbers


@dataclass(frozen=True)
class Trace:
    """What the machine and the solver know, before Python has run the code on numbers.

    ``failing`` is the case that the solver refuted, or at which it stopped; then it is the last.
    """

    cases: tuple[TracedCase, ...]
    answers: tuple[SolverVerdict, ...]
    failing: Case | None = None

    def refuse_changes(self, *others: Machine) -> None:
        """Raise where what the code was seen to ask for, here or by others, is not as it was."""
        machines = [each.machine for each in self.cases if each.machine is not None]
        for machine in (*machines, *others):
            told = machine.changed()
            if told:
                raise Untraced(f"{told} changes from call to call: it keeps something")


def trace(prop: Property, setting: Setting, plan: Plan) -> Trace:
    """Trace a property, and have a solver decide each case.

    Raises
    ------
    Untraced
        Where mechanism or property cannot be followed over symbols.
    """
    traced: list[TracedCase] = []
    answers: list[SolverVerdict] = []
    plan.exact.machine.steps = plan.whole.machine.steps = 0
    left = MOST_PATHS
    for case in list_cases(prop, setting, plan.exact):
        each = case.follow(plan.rule, plan.exact, left)
        left -= len(each.paths)
        traced.append(each)
        answers.append(decide(each.obligations, solver=plan.solver, steps=plan.steps))
        if answers[-1].verdict != "proved":
            return Trace(tuple(traced), tuple(answers), case)
    if not traced:
        raise Untraced("there is nothing to compare")
    if {path.raised for each in traced for path in each.paths} == {True, False}:
        raise Untraced("the code raises for some reports that are more or fewer than the agents")
    return Trace(tuple(traced), tuple(answers))


def compare_with_code(prop: Property, setting: Setting, plan: Plan, found: Trace) -> Attempt:
    """Compare a trace with the code as Python runs it; return the proof or the counterexample.

    Raises
    ------
    Untraced
        Where the code does something else than the trace.
    """
    with global_random_state(setting.seed) as moved:
        tried = _compare_with_code(prop, setting, plan, found)
    if moved:
        raise Untraced(f"the mechanism draws from {' and '.join(moved)}")
    return tried


def _compare_with_code(prop: Property, setting: Setting, plan: Plan, found: Trace) -> Attempt:
    finder = Finder(plan.solver, plan.steps)
    declared = ""
    if plan.pieces is not None:
        profiles = agreeing_profiles(plan.pieces, setting, finder)
        declared = f" of the declared form, which agrees with the code at {profiles:,} profiles"
    traced, answers = found.cases, found.answers
    if found.failing is not None:
        witness = None
        if answers[-1].verdict == "refuted":
            witness = _witness(found.failing, answers[-1], setting, plan.shrinks)
        return _count_cases(traced, answers[-1], declared, witness=witness)
    compared = compare_at_points(traced, plan.exact, plan.whole, finder)
    found.refuse_changes(plan.exact.machine, plan.whole.machine)
    proof = _proof(prop, setting, traced, answers)
    if not proof.complete:
        raise Untraced("the certificates that were found do not hold when they are expanded")
    whole = SolverVerdict("proved", answers[0].solver, steps=_steps(answers))
    return _count_cases(traced, whole, declared, proof=proof, agreement=compared)


def _count_cases(
    traced: Sequence[TracedCase], answer: SolverVerdict, declared: str, **found: Any
) -> Attempt:
    paths = [followed for each in traced for followed in each.paths]
    met = [followed for followed in paths if followed.met]
    open_ones = [f for f in met if f.path.numerator.degree > 0]
    return Attempt(len(paths), len(met), len(open_ones), answer, declared, **found)


def _steps(answers: Sequence[SolverVerdict]) -> int | None:
    known = [answer.steps for answer in answers if answer.steps is not None]
    return sum(known) if known else None


def _proof(
    prop: Property, setting: Setting, traced: Sequence[TracedCase], answers: Sequence[SolverVerdict]
) -> Proof:
    obligations = tuple(o for each in traced for o in each.obligations)
    certificates = tuple(c for answer in answers for c in answer.certificates)
    decided = None
    if not certificates:
        decided = SolverVerdict("proved", answers[0].solver, steps=_steps(answers))
    names = dict.fromkeys(name for each in traced for name in each.case.names)
    spaces = " and ".join(dict.fromkeys(repr(space) for space in setting.spaces))
    count = f"{setting.agents} agent{'s' if setting.agents > 1 else ''}"
    return Proof(
        f"{prop.name} of {setting.name} with {count}, {', '.join(names)} in {spaces}",
        sum(len(each.paths) for each in traced),
        certificates,
        obligations=obligations,
        decided=decided,
    )


def _witness(case: Case, answer: SolverVerdict, setting: Setting, shrinks: int) -> Witness:
    """Return the model of the negation as a counterexample, smaller, and run on the mechanism."""
    model = answer.model or {}
    at = {name: Fraction(model.get(name, 0)) for name in case.names}
    instance = case.instance(at)
    where = setting.fresh()
    if isinstance(setting.rivals, TypeSpace):
        where = case.judging(at, where)
    try:
        slack = case.prop.slack(where, instance)
    except OutcomeAtFault as unjudged:
        raise Untraced(f"the code fails {unjudged.fault}") from unjudged
    if slack is None or slack >= where.limit(TOLERANCE):
        raise Untraced(f"the trace fails at {_show_instance(instance)}, and the code does not")
    smallest = shrink(case.prop, where, instance, shrinks, Fraction(0))
    minimality = f"found by {answer.solver} and made smaller; a smaller one may exist"
    return witness_of(case.prop, where, smallest, minimality)


def _show_instance(instance: Instance) -> str:
    lies = f" with lies {show(instance.lies)}" if instance.lies else ""
    return f"types {show(instance.profile)}{lies}"
