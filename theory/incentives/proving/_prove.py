"""Proving properties of a mechanism for all real types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any, Final

from theory.errors import InvalidInputError, LimitError
from theory.incentives._arguments import (
    make_setting,
    read_effort,
    read_expected_failures,
    select_properties,
)
from theory.incentives._battery import about, check_mechanism, values_known
from theory.incentives._clock import seconds
from theory.incentives._expectation import InExpectation
from theory.incentives._finite import Effort
from theory.incentives._mechanism import (
    global_random_state,
    is_seeded,
    mechanism_name,
    outcome_function,
    rule_of,
)
from theory.incentives._property import Property
from theory.incentives._report import MechanismReport, PropertyFinding
from theory.incentives._types import FiniteTypes, Reals, TypeSpace
from theory.incentives._values import Valuation
from theory.incentives.proving._agreement import Agreement, setting_on_numbers
from theory.incentives.proving._attempt import Attempt, Plan, Trace, compare_with_code, trace
from theory.incentives.proving._followed_mechanism import (
    FollowedMechanism,
    refuse_answers,
    refuse_shown,
)
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._piecewise import Piecewise
from theory.incentives.proving._trace_failure import TakesTooLong, Untraced, untraced_by
from theory.incentives.search import shrink
from theory.incentives.setting import Fault, OutcomeAtFault, Setting
from theory.incentives.witness import TOLERANCE, Witness, witness_of
from theory.proofs import STEPS, check_solver, installed_solvers
from theory.shared.arguments import refusing
from theory.verdicts import Scope, Status, Strength

__all__ = ["MAX_AGENTS", "prove_mechanism"]

MAX_AGENTS: Final = 64
"""The most agents of whom anything is proved."""

_ALL: Final = Reals()
_CONFIRMED: Final = "fails at the witness, confirmed in exact arithmetic"
_GRIDS: Final = (4, 3, 2, 1)
_PROFILES: Final = 256
"""The most profiles of the grid on which refutations are looked for before anything is traced."""

_USUAL: Final = ("dsic", "individually_rational", "no_positive_transfers", "efficient")


@refusing
def prove_mechanism(
    mechanism: Any,
    *,
    types: TypeSpace | Sequence[TypeSpace] = _ALL,
    agents: int | None = None,
    values: Valuation | Callable[[int, Any, Any], Any] | None = None,
    properties: Iterable[str] | None = _USUAL,
    epsilon: Any = 0,
    feasible: Callable[[Any, int], bool] | None = None,
    alternatives: Callable[[int], Any] | None = None,
    expected_failures: Mapping[str, str] | None = None,
    solver: str | None = None,
    steps: int = STEPS,
    pieces: Piecewise | None = None,
    effort: Effort | None = None,
    seed: int = 0,
) -> MechanismReport:
    """Prove properties for all real types, or refute them with a small rational counterexample.

    The property's own definition is run on the mechanism's own code, with symbols for types and
    lies. A comparison that may go either way splits the run into paths, on each of which slack is a
    polynomial. That no path ends below 0, a solver decides. The trace is then compared with the
    code at exact points: one inside each path, and many ties.

    A finding is ``proved``; or refuted, by a counterexample that was run on the mechanism; or
    ambiguous, where the solver stopped at its limit and a search found nothing; or ``tested``, by
    the search of :func:`check_mechanism`, where the code cannot be traced: the reason says at which
    line. With finite types there is nothing to trace, and every instance is judged.

    Parameters
    ----------
    mechanism : Mechanism or callable
        Code that compares and computes with its reports, without floats; see :class:`Mechanism`.
    types : TypeSpace, or a sequence of them
        All real numbers by default. Symbols stand for the numbers in :class:`Reals`, :class:`Box`,
        :class:`Simplex` and products; listed types are gone through one by one.
    agents : int, optional
        How many agents; needed where one type space serves all.
    values, epsilon, feasible
        As for :func:`check_mechanism`.
    properties : iterable of str, optional
        Names from ``PROPERTIES``; None for all.
    alternatives : callable, optional
        As for :func:`check_mechanism`; or it returns a type space, and efficiency is compared with
        every allocation in it.
    expected_failures : mapping from name to reason, optional
        Properties that must fail; one that does not is reported as unexpected.
    solver : str, optional
        ``"z3"``, ``"cvc5"`` or ``"certificates"``, our own; by default z3 where it is installed.
    steps : int
        What the solver may do for each choice of agents, in its own steps, the same on every
        machine.
    pieces : Piecewise, optional
        A declared form of the mechanism, to be traced in place of its code. It is compared with the
        code inside every piece, on borders and at ties.
    effort : Effort, optional
        Budgets of the search, and of making a counterexample smaller.
    seed : int
        For the points of comparison, and the search.

    Returns
    -------
    MechanismReport
        A proved finding has a ``proof``: ``proof.smtlib()`` writes it out, and
        ``proof.checked_by("cvc5")`` asks another solver.

    Raises
    ------
    InvalidInputError
        For arguments that cannot be used, a solver that is not installed among them.
    LimitError
        For more than ``MAX_AGENTS`` agents.

    Examples
    --------
    >>> def second_price(bids):
    ...     winner = bids.index(max(bids))
    ...     price = max(bids[:winner] + bids[winner + 1:])
    ...     return winner, [price if i == winner else 0 for i in range(len(bids))]
    >>> report = prove_mechanism(second_price, agents=2, properties=["dsic"], solver="certificates")
    >>> print(report["dsic"].status, report["dsic"].strength)
    holds proved
    """
    _check_agents(types, agents)
    setting = make_setting(
        mechanism,
        types=types,
        agents=agents,
        values=values,
        prior=None,
        epsilon=epsilon,
        feasible=feasible,
        alternatives=alternatives,
        seed=seed,
    )
    asked = select_properties(properties)
    expected = read_expected_failures(expected_failures, asked)
    spending = read_effort(effort)
    used = _usable(solver, steps)
    if pieces is not None and not isinstance(pieces, Piecewise):
        fix = "give Piecewise([Piece(when, allocation, payments), …])"
        raise InvalidInputError("pieces", pieces, "are no declared form", fix)
    began = seconds()
    rule = outcome_function(mechanism if pieces is None else pieces, seed)
    numbers = setting_on_numbers(setting), setting_on_numbers(setting)
    plan = Plan(rule, pieces, used, steps, spending.shrinks, *numbers)
    run = _Run(setting, plan, spending, asked)
    if not isinstance(run.failed, TakesTooLong):
        values_known(setting)
    name, said = setting.name, about(setting)  # as their own code says: after the traces
    findings = run.findings(expected)
    faults = tuple(dict.fromkeys(run.faults))
    return MechanismReport(name, said, findings, faults, seconds() - began)


def _usable(solver: str | None, steps: int) -> str:
    """Return the solver's name, if it can be used."""
    usual = "z3" if "z3" in installed_solvers() else "certificates"
    name = usual if solver is None else solver
    check_solver(name, steps)
    return name


def _check_agents(types: Any, agents: Any) -> None:
    count = len(types) if isinstance(types, list | tuple) else agents
    if isinstance(count, int) and count > MAX_AGENTS:
        problem = f"are more than {MAX_AGENTS}, the limit of a proof"
        fix = "prove it for fewer; check_mechanism searches at any number"
        raise LimitError("agents", count, problem, fix)


class _Run:
    """Proofs of one mechanism under way.

    Python runs the code on numbers when all traces have ended: so what it may keep of those calls
    is in none of them, and no path of a trace may change what was there before it.
    """

    def __init__(
        self, setting: Setting, plan: Plan, effort: Effort, asked: Sequence[Property]
    ) -> None:
        self.setting, self.plan, self.effort = setting, plan, effort
        self.faults: list[Fault] = []
        self.asked = asked
        self.failed: Untraced | None = None
        self._machine = Machine()
        self._on_grid: MechanismReport | None = None
        self._traces: dict[str, Trace | Untraced] = {}
        if setting.finite:
            return
        try:
            for space in setting.spaces:
                refuse_answers(space)
            for asked_of in (
                setting.mechanism,
                setting.passed_values,
                setting.passed_feasible,
                setting.passed_alternatives,
                setting.passed_value_of_names,
            ):
                refuse_answers(asked_of)
                refuse_shown(self._machine, asked_of)
            if plan.pieces is None:
                self._looked_at()
        except Untraced as untraced:
            self.failed = untraced
        for prop in () if self.failed else asked:
            try:
                unfit = prop.why_inapplicable(plan.exact)  # the machine runs what it asks for
            except Exception as error:  # code may do anything when it is looked at
                self._traces[prop.name] = untraced_by(error)
                continue
            if not unfit and self._grid_witness(prop) is None:
                self._traces[prop.name] = self._trace(prop)
        if not isinstance(self.failed, TakesTooLong) and self._on_grid is None:
            self._on_grid = self._checked_on_grid(setting.mechanism, setting)

    def _looked_at(self) -> None:
        """Have the machine run the code on a grid of numbers."""
        setting, exact = self.setting, self.plan.exact
        if isinstance(setting.mechanism, InExpectation):
            raise Untraced("the mechanism is averaged over what a generator draws")
        if is_seeded(rule_of(setting.mechanism)):
            raise Untraced("the mechanism takes a generator: a proof would be of one seed")
        followed = FollowedMechanism(setting.mechanism, self.plan.rule, self._machine)
        try:
            self._on_grid = self._checked_on_grid(followed, followed.setting(exact))
        except Exception:
            if followed.refusal is None:
                raise
        if followed.refusal is not None:
            self._on_grid = None
            raise followed.refusal

    def _trace(self, prop: Property) -> Trace | Untraced:
        try:
            with global_random_state(self.setting.seed) as moved:
                found = trace(prop, self.setting, self.plan)
        except Exception as error:  # code may do anything when it is looked at
            return untraced_by(error)
        return Untraced(f"the mechanism draws from {' and '.join(moved)}") if moved else found

    def findings(self, expected: Mapping[str, str]) -> tuple[PropertyFinding, ...]:
        """Return what is known of each property; at the end nothing may have changed."""
        found = [self.finding(prop, expected.get(prop.name, "")) for prop in self.asked]
        mechanism_name(self.setting.mechanism)  # once more, in case that it keeps something
        for place, prop in enumerate(self.asked):
            known = self._traces.get(prop.name)
            if found[place].strength is Strength.PROVED and isinstance(known, Trace):
                try:
                    known.refuse_changes(
                        self._machine, self.plan.exact.machine, self.plan.whole.machine
                    )
                except Untraced as untraced:
                    self._traces[prop.name] = untraced
                    found[place] = self.finding(prop, expected.get(prop.name, ""))
        return tuple(found)

    def finding(self, prop: Property, expected: str) -> PropertyFinding:
        """Return what is known of a property: by a proof, by a counterexample or by search."""
        began = seconds()
        known = self._traces.get(prop.name)
        if isinstance(self.failed, TakesTooLong):
            found = self._report_untraced(prop, self.failed)
        elif prop.why_inapplicable(self.setting) or self.setting.finite:
            found = self._search(prop)
        elif (refuted := self._refuted_on_grid(prop)) is not None:
            found = refuted
        elif self.failed:
            found = self._report_untraced(prop, self.failed)
        elif known is None:  # it failed on the grid, so it was not traced
            why = "what failed on a grid does not fail again: it keeps something"
            found = self._report_untraced(prop, Untraced(why))
        else:
            found = self._confirm(prop, known)
        return replace(found, expected=expected, seconds=seconds() - began)

    def _confirm(self, prop: Property, known: Trace | Untraced) -> PropertyFinding:
        if isinstance(known, Untraced):
            return self._report_untraced(prop, known)
        try:
            tried = compare_with_code(prop, self.setting, self.plan, known)
        except Exception as error:  # code may do anything when it is looked at
            return self._report_untraced(prop, untraced_by(error))
        return self._decide(prop, tried)

    def _checked_on_grid(self, mechanism: Any, setting: Setting) -> MechanismReport | None:
        """Return what a grid of few types refutes; None if the types have no grid."""
        spaces = setting.spaces
        for steps in _GRIDS:
            grids = [space.members or space.grid(steps) for space in spaces]
            if all(grids) and prod(map(len, grids)) <= _PROFILES:
                types = [FiniteTypes(grid) for grid in grids]
                names = [prop.name for prop in self.asked]
                effort = replace(self.effort, exhaustive=_PROFILES, samples=_PROFILES)
                return self._check(types, names, effort, mechanism, setting)
        return None

    def _grid_witness(self, prop: Property) -> Witness | None:
        known = None if self._on_grid is None else self._on_grid[prop.name]
        if known is None or known.strength is not Strength.EXACT:
            return None
        return known.witness

    def _refuted_on_grid(self, prop: Property) -> PropertyFinding | None:
        """Return a refutation that needs no trace: a counterexample among few types."""
        first = self._grid_witness(prop)
        if first is None or self._on_grid is None:
            return None
        known = self._on_grid[prop.name]
        setting = self.setting.fresh()
        try:
            smallest = shrink(prop, setting, first.instance, self.plan.shrinks, Fraction(0))
            again = setting.fresh()
            slack = prop.slack(again, smallest)
            if slack is None or slack >= again.limit(TOLERANCE):
                return None
            minimality = "found on a grid and made smaller; a smaller one may exist"
            witness = witness_of(prop, again, smallest, minimality)
        except OutcomeAtFault:
            return None
        scope = replace(known.scope, family=about(setting), sizes=_sizes(setting), exhausted=False)
        return replace(known, scope=scope, witness=witness, slack=witness.slack, reason=_CONFIRMED)

    def _search(self, prop: Property) -> PropertyFinding:
        mechanism, spaces = self.setting.mechanism, self.setting.spaces
        report = self._check(spaces, [prop.name], self.effort, mechanism, self.setting)
        self.faults.extend(report.faults)
        return report[prop.name]

    def _check(
        self,
        types: Sequence[TypeSpace],
        names: Sequence[str],
        effort: Effort,
        mechanism: Any,
        setting: Setting,
    ) -> MechanismReport:
        return check_mechanism(
            mechanism,
            types=types,
            values=setting.passed_values,
            properties=names,
            epsilon=setting.epsilon,
            feasible=setting.passed_feasible,
            alternatives=setting.passed_alternatives,
            seed=setting.seed,
            effort=effort,
        )

    def _report_untraced(self, prop: Property, why: Untraced) -> PropertyFinding:
        if isinstance(why, TakesTooLong):
            return PropertyFinding(
                property=prop.name,
                statement=prop.statement,
                status=Status.AMBIGUOUS,
                strength=Strength.TESTED,
                scope=Scope(
                    family=about(self.setting),
                    instances=0,
                    met_hypotheses=0,
                    nontrivial=0,
                    sizes=_sizes(self.setting),
                ),
                reason=f"not traced: {why.reason}; not searched, which would take as long",
            )
        found = self._search(prop)
        return replace(found, reason=f"not traced: {why.reason}; {found.reason}")

    def _decide(self, prop: Property, tried: Attempt) -> PropertyFinding:
        if tried.answer.verdict == "unknown":
            return self._unknown(prop, tried)
        silent = prop.why_vacuous(self.setting) if tried.proof is not None else ""
        if silent:
            return self._vacuous(prop, tried, silent)
        if not tried.met:
            return self._unmet(prop, tried)
        proved = tried.proof is not None
        steps = "" if tried.answer.steps is None else f", {tried.answer.steps:,} steps"
        reason = _CONFIRMED
        if proved:
            agents = f"{self.setting.agents} agent{'s' if self.setting.agents > 1 else ''}"
            paths = f"{tried.paths:,} path{'s' if tried.paths > 1 else ''}"
            reason = (
                f"proved{tried.declared} by {tried.answer.solver}, for {agents}: {paths}{steps}"
            )
            reason += _rests_on(tried.agreement)
        basis = self._basis(prop)
        return PropertyFinding(
            property=prop.name,
            statement=prop.statement,
            status=Status.HOLDS if proved else Status.REFUTED,
            strength=Strength.PROVED if proved else Strength.EXACT,
            scope=self._scope(tried, exhausted=proved),
            reason=f"{reason}; {basis}" if basis else reason,
            slack=None if tried.witness is None else tried.witness.slack,
            witness=tried.witness,
            rechecked="" if tried.agreement is None else str(tried.agreement),
            proof=tried.proof,
        )

    def _basis(self, prop: Property) -> str:
        """Return what a finding rests on beside the mechanism; a trace sees all of a space."""
        rivals = self.setting.rivals if prop.minimum_over_alternatives else None
        if isinstance(rivals, TypeSpace):
            return f"compared with all of {rivals!r}, by {self.setting.rivals_said_by}"
        return prop.basis(self.setting)

    def _unmet(self, prop: Property, tried: Attempt) -> PropertyFinding:
        why = f"none of {tried.paths:,} paths meets the hypotheses"
        return self._vacuous(prop, tried, why)

    def _vacuous(self, prop: Property, tried: Attempt, why: str) -> PropertyFinding:
        return PropertyFinding(
            property=prop.name,
            statement=prop.statement,
            status=Status.VACUOUS,
            strength=Strength.TESTED,
            scope=self._scope(tried, exhausted=True),
            reason=why,
        )

    def _unknown(self, prop: Property, tried: Attempt) -> PropertyFinding:
        found = self._search(prop)
        if found.status is Status.REFUTED:
            return found
        steps = "" if tried.answer.steps is None else f" after {tried.answer.steps:,} steps"
        why = f"unknown: {tried.answer.solver} stopped{steps} ({tried.answer.reason})"
        return replace(found, status=Status.AMBIGUOUS, reason=f"{why}; {found.reason}")

    def _scope(self, tried: Attempt, *, exhausted: bool) -> Scope:
        return Scope(
            family=about(self.setting),
            instances=tried.paths,
            met_hypotheses=tried.met,
            nontrivial=tried.nontrivial,
            sizes=_sizes(self.setting),
            exhausted=exhausted,
        )


def _rests_on(agreement: Agreement | None) -> str:
    """Return what is exact in a proof and need not be so where the code runs."""
    if agreement is None:
        return ""
    if agreement.rounded:
        return "; in exact arithmetic, each float the number that it stands for"
    if agreement.arrays:
        return "; in exact arithmetic, which NumPy's own numbers may leave"
    return "; in exact arithmetic, which divided integers leave" if agreement.quotients else ""


def _sizes(setting: Setting) -> str:
    return ", ".join(dict.fromkeys(map(repr, setting.spaces)))
