"""Checking a mechanism: every property asked for, on one setting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, Final

from theory.errors import InvalidInputError, NumberError
from theory.incentives._arguments import (
    at_least_zero,
    make_setting,
    read_earlier_witnesses,
    read_effort,
    read_expected_failures,
    select_properties,
)
from theory.incentives._clock import seconds
from theory.incentives._expectation import InExpectation
from theory.incentives._finite import Effort, Judged, fails_again, judge
from theory.incentives._mechanism import global_random_state
from theory.incentives._prior import Prior
from theory.incentives._property import Instance, Property
from theory.incentives._reading import show
from theory.incentives._report import MechanismReport, PropertyFinding
from theory.incentives._types import TypeSpace
from theory.incentives._values import Names, Valuation
from theory.incentives.search import native, search, shrink
from theory.incentives.setting import Fault, OutcomeAtFault, Setting
from theory.incentives.table import Table, tabulate
from theory.incentives.witness import Witness, witness_of
from theory.shared.arguments import refusing
from theory.verdicts import Scope, Status, Strength

__all__ = ["Progress", "about", "check_mechanism", "values_known"]

_SEEDS: Final = 7
"""How many more seeds a mechanism that takes a generator is checked with."""
_LEAST: Final = 200
"""The samples of a search in expectation, where more ways to draw leave fewer."""
_WAYS: Final = 100_000
"""The most profiles times ways to draw of a table in expectation."""

Progress = Callable[[str, int, int], None]
"""Called with the property's name, what is done and what there is to do."""


@refusing
def check_mechanism(
    mechanism: Any,
    *,
    types: TypeSpace | Sequence[TypeSpace],
    agents: int | None = None,
    values: Valuation | Callable[[int, Any, Any], Any] | None = None,
    prior: Prior | None = None,
    properties: Iterable[str] | None = None,
    epsilon: Any = 0,
    feasible: Callable[[Any, int], bool] | None = None,
    alternatives: Callable[[int], Iterable[Any] | TypeSpace] | None = None,
    value_of_names: Names | None = None,
    expected_failures: Mapping[str, str] | None = None,
    witnesses: Iterable[Witness | str] = (),
    seed: int = 0,
    effort: Effort | None = None,
    tolerance: Any = "1/1000000000",
    progress: Progress | None = None,
) -> MechanismReport:
    """Find out which properties a mechanism has.

    On finite types every profile is run, twice, and every property judged in exact arithmetic:
    it holds exactly, or fails at a smallest counterexample. On real types counterexamples are
    searched for: on a lattice, at random, along gradients, by Hypothesis; what is found is shrunk
    and confirmed in exact arithmetic, and where nothing is found the property is ``tested``.

    Parameters
    ----------
    mechanism : Mechanism or callable
        See :class:`Mechanism`.
    types : TypeSpace, or a sequence of them
        One for all agents, or one an agent.
    agents : int, optional
        How many agents; needed where one type space serves all.
    values : Valuation or callable (agent, type, allocation) -> number, optional
        What allocations are worth. By default the mechanism's own ``value``, else by the form of
        types and allocations: one item, quantities, or candidates with rewards.
    prior : Prior, optional
        For the Bayesian notions.
    properties : iterable of str, optional
        Names from ``PROPERTIES``; all by default.
    epsilon : number
        The gain from a lie that ``dsic`` and ``bic`` put up with.
    feasible, alternatives : callable, optional
        ``feasible(allocation, agents)`` and ``alternatives(agents)``; see :class:`Mechanism`.
    value_of_names : "additive", "unit demand" or callable (names, type, allocation) -> number
        What an allocation is worth to one owner of several names, for ``false_name_proof``: the
        sum of what it is worth to each, the most of these, or what the function says of a tuple of
        agents. By default the mechanism's own ``value_of_names``; else shares and quantities add
        up, and outcomes that are the same for all count once.
    expected_failures : mapping from name to reason, optional
        Properties that must fail; one that does not is reported as unexpected.
    witnesses : iterable of Witness or of lines of JSON, optional
        Counterexamples found before: tried first.
    seed : int
        For searches, and for a mechanism that takes ``rng``. One that draws finitely is judged in
        expectation over its draws, see :class:`InExpectation`. Where it does not, and where a
        property is about each draw, what holds with the seed is checked with the seven after it.
    effort : Effort, optional
        Budgets, in counts.
    tolerance : number
        For floats, relative to the largest payment or value seen: a slack below minus this is
        refuted, one between that and 0 ``ambiguous``, but for 2⁻⁴², which rounding may explain.
        Slacks are computed exactly from the rationals that floats stand for. Exact numbers know
        no tolerance.
    progress : callable, optional
        Called with (property, done, total).

    Returns
    -------
    MechanismReport
        A finding a property. What the mechanism does wrong in itself, such as raising or
        returning NaN, is reported for the profile at which it does so.

    Raises
    ------
    InvalidInputError
        For arguments that cannot be used; never for what the mechanism does when it runs.

    Examples
    --------
    >>> from theory.incentives import FiniteTypes
    >>> def first_price(bids):
    ...     winner = bids.index(max(bids))
    ...     return winner, [bids[i] if i == winner else 0 for i in range(len(bids))]
    >>> report = check_mechanism(first_price, types=FiniteTypes(range(4)), agents=2)
    >>> report["dsic"].status.value, report.witness.story
    ('refuted', 'agent 0 of type 1 gains 1 by reporting 0 when agent 1 reports 0')
    """
    setting = make_setting(
        mechanism,
        types=types,
        agents=agents,
        values=values,
        prior=prior,
        epsilon=epsilon,
        feasible=feasible,
        alternatives=alternatives,
        value_of_names=value_of_names,
        seed=seed,
    )
    asked = select_properties(properties)
    expected = read_expected_failures(expected_failures, asked)
    allowed = at_least_zero(tolerance, "tolerance")
    earlier = read_earlier_witnesses(witnesses)
    spending = read_effort(effort)
    tell = progress or (lambda name, done, total: None)
    began = seconds()
    with global_random_state(seed):  # secret randomness leads to the same report each time
        run = _Run(
            setting=setting,
            table=tabulate(setting, tell) if setting.finite else None,
            effort=spending,
            tolerance=allowed,
            earlier=earlier,
            progress=tell,
        )
        values_known(setting)
        drawn = _Drawn(_OtherSeeds(run))
        findings = tuple(
            drawn.finding(prop, run.finding(prop, expected.get(prop.name, ""))) for prop in asked
        )
    took = seconds() - began
    faults = tuple(dict.fromkeys((*setting.faults, *drawn.faults)))
    return MechanismReport(setting.name, about(setting), findings, faults, took)


@dataclass(slots=True)
class _Run:
    """One check under way."""

    setting: Setting
    table: Table | None
    effort: Effort
    tolerance: Fraction
    earlier: list[tuple[str, Instance]]
    """Witnesses of earlier checks: the names of their properties, and where these failed."""
    progress: Progress

    def finding(self, prop: Property, expected: str) -> PropertyFinding:
        began = seconds()
        inapplicable = prop.why_inapplicable(self.setting)
        seen = Judged() if inapplicable else self._judge(prop)
        self.progress(prop.name, seen.instances, seen.instances)
        status, strength, reason = self._verdict(prop, seen, inapplicable)
        basis = "" if status is Status.VACUOUS else prop.basis(self.setting)
        reason = f"{reason}; {basis}" if basis else reason
        witness = None
        if status is Status.REFUTED and seen.smallest is not None:
            try:
                witness = witness_of(
                    prop, self.setting, seen.smallest, _minimality(prop, seen), self.tolerance
                )
            except OutcomeAtFault as unjudged:  # a mechanism that turns out to be random only now
                status, strength = Status.AMBIGUOUS, Strength.TESTED
                reason = f"what fails could not be run again: {unjudged.fault}"
        return PropertyFinding(
            property=prop.name,
            statement=prop.statement,
            status=status,
            strength=strength,
            scope=self._scope(seen),
            reason=reason,
            slack=seen.least,
            witness=witness,
            slacks=seen.slacks,
            gap=seen.gap,
            rechecked=seen.rechecked,
            tolerance=-self.setting.limit(self.tolerance) if seen.instances else Fraction(0),
            expected=expected,
            seconds=seconds() - began,
        )

    def _judge(self, prop: Property) -> Judged:
        def tell(done: int, total: int) -> None:
            self.progress(prop.name, done, total)

        named = [instance for name, instance in self.earlier if name == prop.name]
        fitting = (instance for instance in named if prop.shape.fits(self.setting, instance))
        earlier = [native(prop.shape, self.setting, instance) for instance in fitting]
        if self.table is None:
            return search(
                prop, self.setting, self.effort, self.tolerance, earlier=earlier, progress=tell
            )
        seen = judge(
            prop,
            self.setting,
            self.table,
            effort=self.effort,
            tolerance=self.tolerance,
            earlier=earlier,
            progress=tell,
        )
        if seen.smallest is not None and not seen.exhausted:
            trials = self.effort.shrinks
            seen.smallest = shrink(prop, self.setting, seen.smallest, trials, self.tolerance)
        if seen.smallest is not None:
            seen.withdrawn = not fails_again(prop, self.setting, seen.smallest, self.tolerance)
            seen.smallest = None if seen.withdrawn else seen.smallest
        return seen

    def _verdict(
        self, prop: Property, seen: Judged, inapplicable: str
    ) -> tuple[Status, Strength, str]:
        whole = Strength.CERTIFIED if self.setting.inexact else Strength.EXACT
        if inapplicable:
            return Status.VACUOUS, Strength.TESTED, inapplicable
        moody = next((fault for fault in self._faults(seen) if fault.random), None)
        if seen.smallest is not None and not prop.exhaustible:
            return Status.REFUTED, Strength.TESTED, "runs at the witness differ"
        if seen.smallest is not None and moody:
            reason = f"fails at the witness, time and again, but elsewhere: {moody}"
            return Status.REFUTED, Strength.TESTED, reason
        if seen.smallest is not None:
            return Status.REFUTED, whole, "fails at the witness, confirmed in exact arithmetic"
        if seen.withdrawn:
            why = moody or "a profile of it cannot be judged any more"
            reason = f"what fails does not fail again when it is run again: {why}"
            return Status.AMBIGUOUS, Strength.TESTED, reason
        if seen.gap:
            problem = f"two computations of the slacks differ by {seen.gap}"
            return Status.AMBIGUOUS, Strength.TESTED, problem
        if not seen.met:
            why = "none of them could be judged" if seen.unjudged else "none met the hypotheses"
            reason = f"of {seen.instances:,} instances {why}{self._first_fault(seen)}"
            return Status.VACUOUS, Strength.TESTED, reason
        silent = prop.why_vacuous(self.setting)
        if silent:
            return Status.VACUOUS, Strength.TESTED, silent
        if seen.doubtful:
            reason = "a slack below 0 is more than rounding explains, and within the tolerance"
            return Status.AMBIGUOUS, Strength.TESTED, reason
        if seen.least is not None and seen.least < 0:
            reason = f"the least slack, {float(seen.least):.3g}, is what rounding may explain"
            return Status.HOLDS, Strength.TESTED, reason
        if seen.unjudged:
            missed = f"{seen.unjudged:,} could not be judged{self._first_fault(seen)}"
            return Status.HOLDS, Strength.TESTED, f"no instance fails; {missed}"
        if moody:
            reason = "no instance fails, but the mechanism is not deterministic"
            return Status.HOLDS, Strength.TESTED, reason
        if seen.exhausted and prop.exhaustible and not self.setting.seeded:
            return Status.HOLDS, whole, "every instance was judged"
        if seen.exhausted:
            seeded = self.setting.seeded
            said = f"with seed {self.setting.seed}" if seeded else "as far as repeating can say"
            return Status.HOLDS, Strength.TESTED, f"every instance was judged, {said}"
        return Status.HOLDS, Strength.TESTED, "no instance that was tried fails"

    def _faults(self, seen: Judged) -> list[Fault]:
        """Return the faults with as many reports as the property was judged at."""
        faults = self.setting.faults
        elsewhere = self.setting.is_elsewhere
        return [f for f in faults if not elsewhere(f) or len(f.reports) in seen.elsewhere]

    def _first_fault(self, seen: Judged) -> str:
        """Return what is wrong with the first profile at fault, as the end of a sentence."""
        faults = self._faults(seen)
        return f": {faults[0]}" if seen.unjudged and faults else ""

    def _scope(self, seen: Judged) -> Scope:
        spaces = ", ".join(dict.fromkeys(repr(space) for space in self.setting.spaces))
        return Scope(
            family=about(self.setting),
            instances=seen.instances,
            met_hypotheses=seen.met,
            nontrivial=seen.nontrivial,
            sizes=spaces,
            seed=None if seen.exhausted else self.setting.seed,
            exhausted=seen.exhausted and not seen.unjudged,
        )


class _Drawn:
    """The same check in expectation, where a mechanism takes a generator and draws finitely."""

    def __init__(self, others: _OtherSeeds) -> None:
        self._others, self._first = others, others.first
        self._run: _Run | None = None
        self._why_not = ""
        if self._first.setting.seeded:
            self._prepare(InExpectation(self._first.setting.mechanism))

    def _prepare(self, mechanism: InExpectation) -> None:
        setting = replace(self._first.setting.fresh(), mechanism=mechanism)
        for reports in setting.some_profiles():
            setting.keep(reports, setting.call(reports))
            if mechanism.refused:
                break
        profiles = prod(len(setting.types(i)) for i in range(setting.agents))
        if not mechanism.refused and setting.finite and profiles * mechanism.branches > _WAYS:
            ways = f"{profiles:,} profiles with up to {mechanism.branches:,} ways to draw each"
            mechanism.refused = f"{ways}, more than {_WAYS:,} in all"
        if mechanism.refused:
            self._why_not = mechanism.refused
            return
        table = tabulate(setting, self._first.progress) if setting.finite else None
        effort = self._first.effort
        if table is None:
            samples = max(min(effort.samples, _LEAST), effort.samples // mechanism.branches)
            effort = replace(effort, samples=samples, starts=effort.starts // mechanism.branches)
        self._run = replace(self._first, setting=setting, table=table, effort=effort)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What was found wrong with other seeds, and with draws that could be gone through."""
        drawn = self._run.setting.faults if self._run is not None else ()
        return (*self._others.faults, *(f for f in drawn if f.random or not self._refused))

    @property
    def _refused(self) -> str:
        """Why nothing is said in expectation; empty where something is."""
        if self._run is None:
            return self._why_not
        moody = next((str(fault) for fault in self._run.setting.faults if fault.random), "")
        return str(self._run.setting.mechanism.refused) or moody

    def finding(self, prop: Property, found: PropertyFinding) -> PropertyFinding:
        """Return the finding in expectation, with what the seeds say beside it."""
        found = self._others.finding(prop, found)
        if not self._first.setting.seeded or not prop.draws:
            return found
        if self._run is not None and not self._refused:
            mean = self._run.finding(prop, found.expected)
            if mean.status is found.status is Status.VACUOUS:
                return found
            if not self._refused:
                aside = f"draw by draw: {found.reason}"
                if found.witness is not None:
                    seed = found.witness.setting.seed
                    aside = f"not for each draw: with seed {seed} {found.witness.story}"
                reason = f"{prop.draws}: {mean.reason}; {aside}"
                return replace(mean, reason=reason)
        reason = f"{found.reason}; seed by seed, not in expectation: {self._refused}"
        return replace(found, reason=reason)


class _OtherSeeds:
    """The same check with the seeds that come next, where a mechanism takes a generator."""

    def __init__(self, run: _Run) -> None:
        self.first = run
        self._runs: list[_Run] = []

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What was found wrong with these seeds."""
        return tuple(fault for run in self._runs for fault in run.setting.faults)

    def finding(self, prop: Property, found: PropertyFinding) -> PropertyFinding:
        """Return the finding with the first seed that is worse than what was found, if one is."""
        setting = self.first.setting
        if not setting.seeded or found.status is not Status.HOLDS:
            return found
        for k in range(_SEEDS):
            other = self._run(k).finding(prop, found.expected)
            if other.status in {Status.REFUTED, Status.AMBIGUOUS}:
                reason = f"with seed {self._run(k).setting.seed}: {other.reason}"
                return replace(other, reason=reason)
        after = f"seeds {setting.seed + 1} to {setting.seed + _SEEDS}"
        return replace(found, reason=f"{found.reason}; nor does any instance fail with {after}")

    def _run(self, k: int) -> _Run:
        """Return the check with a later seed; a search spends all of them as much as with one."""
        while len(self._runs) <= k:
            first, seed = self.first, self.first.setting.seed + len(self._runs) + 1
            setting = replace(first.setting.fresh(), seed=seed)
            table = tabulate(setting, first.progress) if setting.finite else None
            effort = first.effort
            if table is None:
                counts = (max(1, n // _SEEDS) for n in (effort.samples, effort.starts))
                effort = replace(effort, samples=next(counts), starts=next(counts))
            self._runs.append(replace(first, setting=setting, table=table, effort=effort))
        return self._runs[k]


def _minimality(prop: Property, seen: Judged) -> str:
    return prop.minimality if seen.exhausted else "found by search; a smaller one may exist"


def values_known(setting: Setting) -> None:
    """Raise where values= is needed and was not passed: where no outcome says how it is valued."""
    unknown: InvalidInputError | None = None
    for reports in setting.some_profiles():
        try:
            record = setting.record(reports)
            setting.valuation(reports[0], record.support[0][0])
        except OutcomeAtFault:
            continue
        except NumberError:  # of a winner that is a truth value: findings say so
            return
        except InvalidInputError as error:
            unknown = unknown or error
        else:
            return
    if unknown is not None:
        raise unknown


def about(setting: Setting) -> str:
    """Return agents, types and values in words."""
    kinds = list(dict.fromkeys(repr(space) for space in setting.spaces))
    values = f", {setting.passed_values!r}" if setting.passed_values is not None else ""
    prior = f", {setting.prior!r}" if setting.prior is not None else ""
    epsilon = f", ε = {show(setting.epsilon)}" if setting.epsilon else ""
    count = f"{setting.agents} agent{'s' if setting.agents > 1 else ''}"
    return f"{count} with types {' and '.join(kinds)}{values}{prior}{epsilon}"
