"""A setting whose types are terms: the definition of a property runs on it as on any other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theory.incentives._outcome import Lottery, Outcome
from theory.incentives._reading import freeze_allocation, number, plain, show
from theory.incentives._record import Fault, OutcomeAtFault, Profile, Record
from theory.incentives._values import Rewards, SingleParameter, Valuation
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._returned_values import (
    as_plain_data,
    is_our_definition,
    plain_number,
    read_outcome,
)
from theory.incentives.proving._trace_failure import Untraced, untraced_by
from theory.incentives.setting import Setting
from theory.proofs import Term, running

__all__ = ["Symbolic", "read_terms"]


@dataclass(frozen=True, eq=False)
class Symbolic(Setting):
    """The setting on one path of a traced run.

    Attributes
    ----------
    rule : callable
        What is traced: the mechanism's own code, or a declared form.
    compared : tuple
        The alternatives that efficiency compares with here: one at a time.
    guessed : tuple or None
        All alternatives, where nobody declared them and the form of one outcome gave them: then
        every allocation must be one of them.
    """

    rule: Callable[[Profile], Any] = field(default=lambda reports: None)
    compared: tuple[Any, ...] = ()
    guessed: tuple[Any, ...] | None = None
    machine: Machine = field(default_factory=lambda: Machine(exact=True), repr=False)
    _seen: dict[tuple[int, ...], tuple[Profile, Record | Fault]] = field(
        default_factory=dict, repr=False
    )

    def record(self, reports: Profile) -> Record:
        """Return the outcome of a profile, computed once a path.

        Raises
        ------
        OutcomeAtFault
            Where the mechanism raises for more or fewer reports than there are agents.
        Untraced
            Where it raises for a report of each, or returns what cannot be read exactly.
        """
        key = tuple(map(id, reports))
        if key not in self._seen:
            self._seen[key] = reports, self._run(reports)
        _, known = self._seen[key]
        if isinstance(known, Fault):
            raise OutcomeAtFault(known)
        return known

    def _run(self, reports: Profile) -> Record | Fault:
        try:
            returned = self.machine.run(self.rule, reports, then=read_outcome)
        except Untraced:
            raise
        except Exception as error:  # a user's code may do anything when it meets a term
            if len(reports) != self.agents and self.machine.is_stated:
                return Fault((), "raised")
            raise self._explain(error) from error
        try:
            found = read_terms(returned, len(reports))
            again = self._by_python(self._record_by_python, reports)
        except Exception as error:
            raise untraced_by(error) from error
        self._refuse_difference(found, again)
        if self.values_told and _has_constant(returned[0]):
            raise Untraced("an allocation is a number that is computed, whose kind values may tell")
        if self.guessed is not None:
            _among(self.guessed, found)
        return found

    def _record_by_python(self, reports: Profile) -> Record:
        return read_terms(self.rule(reports), len(reports))  # payments may be drawn

    @property
    def values_told(self) -> bool:
        """Whether functions of the user's are told allocations."""
        asked = (self.passed_values, self.passed_feasible, self.passed_value_of_names)
        own = (getattr(self.mechanism, name, None) for name in ("value", "feasible"))
        return any(each is not None for each in (*asked, *own))

    def _by_python(self, function: Callable[..., Any], *given: Any) -> Any:
        """Return what a function does when Python runs it, on the path that the machine took."""
        tracer = running()
        if tracer is None:
            return function(*given)
        with tracer.again(), self.machine.arrays():
            return self.machine.as_followed(function, *given)

    def _refuse_difference(self, found: Any, again: Any) -> None:
        if as_plain_data(found) != as_plain_data(again):
            raise Untraced("Python does something else with symbols than the machine that follows")

    def _explain(self, error: Exception) -> Untraced:
        """Return why the run ends; what the error says of symbols is not asked by the code."""
        tracer = running()
        known = None if tracer is None else tracer.refusal
        found = untraced_by(error, self.machine.where)
        if tracer is not None and known is None:
            tracer.refuse(found, instead=True)
        return found

    def _ask(self, function: Callable[..., Any], *given: Any) -> Any:
        """Return what a function of the user's says: a number or a term."""
        if is_our_definition(function):
            return function(*given)
        try:
            found = self.machine.run(function, *given, then=plain_number)
        except Untraced:
            raise
        except Exception as error:
            raise self._explain(error) from error
        self._refuse_difference(
            found, plain_number(self.machine, self._by_python(function, *given))
        )
        return found

    def repeats(self, reports: Profile) -> bool:
        """Say that a trace knows nothing of repeated calls."""
        raise Untraced("a trace says nothing of what happens when a mechanism is called again")

    def _value(self, agent: int, type: Any, allocation: Any) -> Any:
        try:
            valuation = self.valuation(type, allocation)
            return _read_exact(self._ask(valuation.value, agent, type, allocation), "value")
        except Exception as error:
            raise untraced_by(error) from error

    def value(self, agent: int, type: Any, allocation: Any) -> Any:
        """Return v_i(t, o), a term or a number."""
        return self._value(agent, type, allocation)

    def _of_names(self, names: tuple[int, ...], type: Any, allocation: Any) -> Any:
        declared = self.value_of_names
        if not callable(declared):
            return super()._of_names(names, type, allocation)
        return _read_exact(self._ask(declared, names, type, allocation), "value_of_names")

    def _violation(self, reports: Profile, allocation: Any) -> Any:
        known = self.feasible
        try:
            if known is not None:
                return 0 if self._ask(known, allocation, len(reports)) else 1
            valuations = self._valuations(reports, allocation)
            if self.passed_values is None and any(
                isinstance(v, SingleParameter) for v, _ in valuations
            ):
                raise Untraced("nothing says how much there is of quantities; pass feasible=")
            return max(
                self._violation_of(each, report, allocation, len(reports))
                for each, report in valuations
            )
        except Exception as error:
            raise untraced_by(error) from error

    def _violation_of(self, valuation: Valuation, report: Any, allocation: Any, agents: int) -> Any:
        found = self._ask(valuation.violation, allocation, agents)
        if isinstance(valuation, Rewards) and valuation.beyond(allocation, len(report)):
            return 1
        return _read_exact(found, "violation")

    def alternatives(self) -> tuple[Any, ...] | None:
        """Return the alternatives that are compared with in this run."""
        return self.compared


def read_terms(returned: Any, agents: int) -> Record:
    """Return an outcome as it was read, its terms as they are.

    Raises
    ------
    Untraced
        Where it is no outcome.
    """
    if isinstance(returned, Outcome):
        allocation, paid = returned.allocation, returned.payments
    elif isinstance(returned, tuple | list) and len(returned) == 2:
        allocation, paid = returned
    else:
        raise Untraced(f"returns {type(returned).__name__}, not a pair (allocation, payments)")
    payments = tuple(_read_exact(p, "payments") for p in _list_amounts(paid, agents))
    if isinstance(allocation, Lottery):
        return Record(tuple((_freeze(a), p) for a, p in allocation.support), payments)
    return Record(((_freeze(allocation), 1),), payments)


def _among(guessed: tuple[Any, ...], found: Record) -> None:
    """Raise where an allocation is none of the alternatives that one outcome gave."""
    for allocation, _ in found.support:
        if isinstance(allocation, Term) or allocation not in guessed:
            raise Untraced(
                f"nobody says which allocations there are: one outcome looked like those of "
                f"{show(guessed)}, and the code also returns {allocation}; pass alternatives="
            )


def _list_amounts(paid: Iterable[Any], agents: int) -> list[Any]:
    amounts = list(paid)
    if len(amounts) != agents:
        raise Untraced(f"returns {len(amounts)} payments for {agents} agents")
    return amounts


def _freeze(allocation: Any) -> Any:
    """Return an allocation that nobody can change any more, its terms as they are."""
    whole = plain(allocation)
    return tuple(map(_part, whole)) if isinstance(whole, tuple) else _part(whole)


def _part(part: Any) -> Any:
    known = part.known if isinstance(part, Term) else part
    if isinstance(part, Term) and known is None:
        return part
    return known if isinstance(known, tuple) else freeze_allocation(known)[0]


def _has_constant(allocation: Any) -> bool:
    """Whether a number in an allocation was computed from reports, and depends on none."""
    if isinstance(allocation, Lottery):
        return any(_has_constant(part) for part, _ in allocation.support)
    if isinstance(allocation, tuple | list | np.ndarray):
        return any(map(_has_constant, allocation))
    return isinstance(allocation, Term) and allocation.known is not None


def _read_exact(value: Any, argument: str) -> Any:
    """Return a term, or a number exactly: a float is the rational that it stands for."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    return value if isinstance(value, Term) else number(value, argument)[0]
