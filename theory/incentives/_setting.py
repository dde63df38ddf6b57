"""A mechanism with its agents, types and values: everything a property is judged on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any

from theory.errors import InvalidInputError, MechproofError
from theory.incentives._mechanism import (
    Vectorised,
    mechanism_name,
    outcome_function,
    report_array,
)
from theory.incentives._outcome import Lottery, Outcome
from theory.incentives._prior import Prior
from theory.incentives._reading import Number, key_of, number, plain, shown
from theory.incentives._types import TypeSpace
from theory.incentives._values import Given, Valuation, inferred

__all__ = ["Fault", "Record", "Setting", "Unjudged"]

Profile = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """An outcome as it was read: allocations with probabilities, exact payments."""

    support: tuple[tuple[Any, Number], ...]
    payments: tuple[Number, ...]
    inexact: bool
    """Whether a probability or payment came as a float."""

    def __str__(self) -> str:
        given = ", ".join(
            f"{shown(a)} with {shown(p)}" if p != 1 else f"{shown(a)}" for a, p in self.support
        )
        return f"allocation {given}; payments {shown(self.payments)}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A profile at which the mechanism cannot be judged, and why."""

    reports: Profile
    problem: str
    random: bool = False
    """Whether the same reports led to different outcomes."""

    def __str__(self) -> str:
        return f"at reports {shown(self.reports)}: {self.problem}" if self.reports else self.problem


class Unjudged(Exception):  # noqa: N818 - not an error of the user's call; caught by the battery
    """Raised where an instance needs an outcome that is at fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


class Memory:
    """What a setting has seen so far."""

    def __init__(self) -> None:
        self.records: dict[Profile, Record | Fault] = {}
        self.values: dict[tuple[int, Any, Any], Number] = {}
        self.inexact = False
        self.largest: Number = 0

    def see(self, numbers: Iterable[Number], *, inexact: bool) -> None:
        """Note how large numbers are, and whether one came as a float."""
        self.inexact |= inexact
        self.largest = max([self.largest, *(n if n >= 0 else -n for n in numbers)])


@dataclass(frozen=True, eq=False)
class Setting:
    """What a check is about, with the outcomes that were computed so far.

    Attributes
    ----------
    mechanism : object
        As the user gave it.
    spaces : tuple of TypeSpace
        One an agent.
    given : Valuation or None
        What was passed as values; None to go by the form of types and allocations.
    """

    mechanism: Any
    spaces: tuple[TypeSpace, ...]
    given: Valuation | None = None
    prior: Prior | None = None
    epsilon: Fraction = Fraction(0)
    seed: int = 0
    is_feasible: Callable[[Any, int], bool] | None = None
    listed: Callable[[int], Iterable[Any]] | None = None
    _memory: Memory = field(default_factory=Memory, repr=False)

    @property
    def agents(self) -> int:
        """How many agents there are."""
        return len(self.spaces)

    @property
    def name(self) -> str:
        """What to call the mechanism."""
        return mechanism_name(self.mechanism)

    @property
    def finite(self) -> bool:
        """Whether every agent has finitely many types."""
        return all(space.members is not None for space in self.spaces)

    def types(self, agent: int) -> tuple[Any, ...]:
        """Return the listed types of an agent."""
        return self.spaces[agent].members or ()

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What was found wrong so far with reports of all agents, in the order of calls."""
        records = self._memory.records.items()
        return tuple(r for k, r in records if isinstance(r, Fault) and len(k) == self.agents)

    @property
    def inexact(self) -> bool:
        """Whether any number so far came as a float."""
        return self._memory.inexact

    @property
    def scale(self) -> Fraction:
        """The largest payment or value so far, sign aside: what tolerances are relative to."""
        return Fraction(self._memory.largest)

    def limit(self, tolerance: Fraction) -> Fraction:
        """Return the slack below which a property is refuted: 0, but where floats came in."""
        return -tolerance * self.scale if self.inexact else Fraction(0)

    def fresh(self) -> Setting:
        """Return the same setting, knowing of no outcome."""
        return replace(self, _memory=Memory())

    def record(self, reports: Profile) -> Record:
        """Return the outcome of a profile, computed once.

        Raises
        ------
        Unjudged
            Where the mechanism raises there, or returns what cannot be read.
        """
        known = self._memory.records.get(reports)
        if known is None:
            known = self.call(reports)
            self.keep(reports, known)
        if isinstance(known, Fault):
            raise Unjudged(known)
        return known

    @cached_property
    def _rule(self) -> Callable[[Profile], Any]:
        return outcome_function(self.mechanism, self.seed)

    def call(self, reports: Profile) -> Record | Fault:
        """Run the mechanism, whatever is known of the profile."""
        try:
            returned = self._rule(reports)
        except Exception as error:  # whatever a user's mechanism raises is a fault of its own
            return Fault(reports, f"raised {type(error).__name__}: {_short(error)}")
        return self._read(reports, returned)

    @staticmethod
    def _read(reports: Profile, returned: Any) -> Record | Fault:
        try:
            return read_outcome(returned, len(reports))
        except MechproofError as error:
            return Fault(reports, str(error))

    def see(self, numbers: Iterable[Number], *, inexact: bool) -> None:
        """Take note of payments or values that were computed elsewhere."""
        self._memory.see(numbers, inexact=inexact)

    def keep(self, reports: Profile, record: Record | Fault) -> None:
        """Take what was found out about a profile elsewhere."""
        self._memory.records[reports] = record
        if isinstance(record, Record):
            self._memory.see(record.payments, inexact=record.inexact)

    def together(self, profiles: Iterable[Profile]) -> None:
        """Run several profiles in one call, where the mechanism takes arrays."""
        wanted = [p for p in profiles if p not in self._memory.records]
        if not wanted or not isinstance(self.mechanism, Vectorised):
            return
        try:
            rows = self.mechanism.outcomes(report_array(wanted))
        except Exception:  # one profile may be to blame: each is run by itself when it is needed
            return
        for reports, *returned in zip(wanted, *(part.tolist() for part in rows), strict=True):
            self.keep(reports, self._read(reports, returned))

    def repeats(self, reports: Profile) -> bool:
        """Run the mechanism again; where the outcome differs the profile is at fault."""
        known = self._memory.records.get(reports)
        if isinstance(known, Fault):
            return not known.random
        if known is None:
            return True
        again = self.call(reports)
        if isinstance(again, Fault) or (again.support, again.payments) != (
            known.support,
            known.payments,
        ):
            problem = f"the same reports led to {known}, and when called again to {again}"
            self._memory.records[reports] = Fault(
                reports, f"not deterministic: {problem}", random=True
            )
            return False
        return True

    def value(self, agent: int, type: Any, allocation: Any) -> Number:
        """Return v_i(t, o), exactly.

        Raises
        ------
        Unjudged
            Where the valuation raises or returns no finite number.
        """
        key = (agent, type, allocation)
        try:
            known = self._memory.values.get(key)
        except TypeError:  # an allocation that is not hashable is valued each time
            return self._valued(agent, type, allocation)
        if known is None:
            known = self._memory.values[key] = self._valued(agent, type, allocation)
        return known

    def _valued(self, agent: int, type: Any, allocation: Any) -> Number:
        try:
            valuation = self.valuation(type, allocation)
            found, inexact = number(valuation.value(agent, type, allocation), "value")
            self._memory.see([found], inexact=inexact)
            return found
        except Exception as error:  # a user's function, or an allocation that fits no type
            what = f"the value of {shown(allocation)} to agent {agent} of type {shown(type)}"
            raise Unjudged(Fault((), f"{what}: {_short(error)}")) from error

    def valuation(self, type: Any, allocation: Any) -> Valuation:
        """Return what values allocations: as given, the mechanism's own, or by their form."""
        if self.given is not None:
            return self.given
        own = getattr(self.mechanism, "value", None)
        return Given(own) if callable(own) else inferred(type, allocation)

    def worth(self, agent: int, type: Any, record: Record) -> Number:
        """Return the expected value of an outcome's allocation to a type."""
        if len(record.support) == 1:
            return self.value(agent, type, record.support[0][0])
        return sum((p * self.value(agent, type, a) for a, p in record.support), start=0)

    def utility(self, agent: int, type: Any, reports: Profile) -> Number:
        """Return u_i(t, r) = v_i(t, allocation(r)) - p_i(r)."""
        record = self.record(reports)
        return self.worth(agent, type, record) - record.payments[agent]

    def violation(self, reports: Profile) -> Number:
        """Return by how much an allocation that can come of these reports is not feasible."""
        record = self.record(reports)
        return max(self._violation(reports, allocation) for allocation, _ in record.support)

    def _violation(self, reports: Profile, allocation: Any) -> Number:
        own = getattr(self.mechanism, "feasible", None)
        known = self.is_feasible or (own if callable(own) else None)
        agents = len(reports)
        try:
            if known is not None:
                return 0 if known(allocation, agents) else 1
            found = self.valuation(reports[0], allocation).violation(allocation, agents)
            return number(found, "violation")[0]
        except Exception as error:
            problem = f"whether {shown(allocation)} is feasible: {_short(error)}"
            raise Unjudged(Fault(reports, problem)) from error

    def alternatives(self) -> tuple[Any, ...] | None:
        """Return the allocations that efficiency compares with, or None where none are listed.

        Where nothing lists them, those that come of some profile of finite types.
        """
        return self._alternatives

    @cached_property
    def _alternatives(self) -> tuple[Any, ...] | None:
        own: Callable[[int], Iterable[Any]] | None = getattr(self.mechanism, "alternatives", None)
        known = self.listed or own
        if known is not None:
            return tuple(map(plain, known(self.agents)))
        for reports in self.some_profiles():
            try:
                allocation = self.record(reports).support[0][0]
                listed = self.valuation(reports[0], allocation).alternatives(self.agents)
            except (Unjudged, MechproofError):
                continue
            if listed is not None:
                return tuple(listed)
            break
        return tuple(self._range()) if self.finite else None

    def some_profiles(self) -> Iterator[Profile]:
        """Yield a few profiles, those of small numbers first."""
        sides = [space.members or space.grid(1) for space in self.spaces]
        return islice(product(*sides), 64)

    def _range(self) -> list[Any]:
        seen: dict[Any, Any] = {}
        for reports in product(*map(self.types, range(self.agents))):
            try:
                seen |= {key_of(a): a for a, _ in self.record(reports).support}
            except Unjudged:
                continue
        return list(seen.values())


def read_outcome(returned: Any, agents: int) -> Record:
    """Read what a mechanism returned for a number of agents.

    Raises
    ------
    InvalidInputError
        Where it is not an allocation and one finite payment an agent.
    """
    if isinstance(returned, Outcome):
        allocation, paid = returned.allocation, returned.payments
    elif isinstance(returned, tuple | list) and len(returned) == 2:
        allocation, paid = returned
    else:
        fix = "return a pair (allocation, payments)"
        raise InvalidInputError("outcome", returned, "is not an outcome", fix)
    try:
        amounts = list(paid)
    except TypeError:
        fix = "return a sequence with one payment an agent"
        raise InvalidInputError("payments", paid, "are not a sequence", fix) from None
    if len(amounts) != agents:
        fix = f"return one payment an agent, {agents} in all"
        raise InvalidInputError("payments", paid, f"are {len(amounts)}", fix)
    payments = [number(p, f"payments[{i}]") for i, p in enumerate(amounts)]
    inexact = any(flag for _, flag in payments)
    if isinstance(allocation, Lottery):
        read = [(*_allocation(a), p) for a, p in allocation.support]
        support: tuple[tuple[Any, Number], ...] = tuple((a, p) for a, _, p in read)
        inexact |= allocation.inexact or any(flag for _, flag, _ in read)
    else:
        settled, flag = _allocation(allocation)
        support, inexact = ((settled, 1),), inexact or flag
    return Record(support, tuple(p for p, _ in payments), inexact)


def _allocation(allocation: Any) -> tuple[Any, bool]:
    settled = plain(allocation)
    if isinstance(settled, float):
        return number(settled, "allocation")
    if isinstance(settled, tuple) and any(isinstance(x, float) for x in settled):
        read = [
            number(x, f"allocation[{i}]") if isinstance(x, float) else (x, False)
            for i, x in enumerate(settled)
        ]
        return tuple(x for x, _ in read), True
    return settled, False


def _short(error: Exception) -> str:
    written = str(error).splitlines() or [type(error).__name__]
    return written[0][:200]
