"""A mechanism with its agents and types: run once a profile, with all that came of it kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any, Self

from theory.incentives._mechanism import (
    Vectorised,
    is_seeded,
    mechanism_name,
    outcome_function,
    report_array,
    rule_of,
)
from theory.incentives._reading import Number, key_of, original
from theory.incentives._record import (
    EvaluationCache,
    Fault,
    OutcomeAtFault,
    Profile,
    Record,
    message,
    read,
)
from theory.incentives._types import TypeSpace, are_plain

__all__ = ["EvaluatedMechanism"]


@dataclass(frozen=True, eq=False)
class EvaluatedMechanism:
    """A mechanism, the types of its agents, and the outcomes that were computed so far.

    Attributes
    ----------
    mechanism : object
        As the user gave it.
    spaces : tuple of TypeSpace
        One an agent.
    seed : int
        What the generator is made from, where the mechanism takes one.
    """

    mechanism: Any
    spaces: tuple[TypeSpace, ...]
    seed: int = field(default=0, kw_only=True)
    _memory: EvaluationCache = field(default_factory=EvaluationCache, repr=False, kw_only=True)

    @property
    def agents(self) -> int:
        """How many agents there are."""
        return len(self.spaces)

    @cached_property
    def name(self) -> str:
        """What to call the mechanism, which is asked once."""
        return mechanism_name(self.mechanism)

    @cached_property
    def seeded(self) -> bool:
        """Whether the mechanism takes a generator, and so is judged for one seed."""
        return is_seeded(rule_of(self.mechanism))

    @property
    def finite(self) -> bool:
        """Whether every agent has finitely many types."""
        return all(space.members is not None for space in self.spaces)

    def types(self, agent: int) -> tuple[Any, ...]:
        """Return the listed types of an agent."""
        return self.spaces[agent].members or ()

    @cached_property
    def _told(self) -> Callable[[Any], Any]:
        """What tells types and reports apart: themselves, where equal ones are the same."""
        return (lambda told: told) if all(map(are_plain, self.spaces)) else key_of

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What was found wrong so far with as many reports as it takes, in the order of calls."""
        records, taken = self._memory.records.values(), self.taken
        profiles = (r for r in records if isinstance(r, Fault) and len(r.reports) in taken)
        return tuple(dict.fromkeys((*profiles, *self._memory.faults)))

    @property
    def taken(self) -> set[int]:
        """How many reports the mechanism takes: one an agent, and what something came of so far."""
        known = self._memory.records.values()
        others = (len(r.payments) for r in known if isinstance(r, Record))
        moody = (len(r.reports) for r in known if isinstance(r, Fault) and r.random)
        return {self.agents, *others, *moody}

    def is_elsewhere(self, fault: Fault) -> bool:
        """Whether a fault is one of more or fewer reports than there are agents."""
        return len(fault.reports) not in (0, self.agents)

    @property
    def known(self) -> tuple[Profile, ...]:
        """The reports whose outcome is known, in the order of calls."""
        return tuple(map(original, self._memory.records))

    @property
    def inexact(self) -> bool:
        """Whether any number so far came as a float."""
        return self._memory.float_epsilon() > 0

    def limit(self, tolerance: Fraction, agents: Iterable[int] = ()) -> Fraction:
        """Return the slack of these agents, or of all, below which a property is refuted.

        It is 0, but where floats came in: then minus the tolerance, or what rounding explains
        where that is more.
        """
        float_epsilon = self._memory.float_epsilon(agents)
        if not float_epsilon:
            return Fraction(0)
        return min(-tolerance * self._memory.largest(agents), -self.rounding(agents))

    def rounding(self, agents: Iterable[int] = ()) -> Fraction:
        """Return the slack of these agents, sign aside, that rounding may explain: 1,024 epsilons.

        In float64 that is 2⁻⁴² of the largest payment or value.
        """
        return 1024 * Fraction(self._memory.float_epsilon(agents)) * self._memory.largest(agents)

    def fresh(self) -> Self:
        """Return the same, knowing of no outcome."""
        made = replace(self, _memory=EvaluationCache())
        vars(made)["_rule"] = self._rule  # which is the same, and takes long to find
        return made

    def record(self, reports: Profile) -> Record:
        """Return the outcome of a profile, computed once.

        Raises
        ------
        OutcomeAtFault
            Where the mechanism raises there, or returns what cannot be read.
        """
        key = self._told(reports)
        known = self._memory.records.get(key)
        if known is None:
            known = self.call(reports)
            self._keep(key, known)
            if len(reports) != self.agents:  # tables repeat those of all agents
                self.repeats(reports)
                known = self._memory.records[key]
        if isinstance(known, Fault):
            raise OutcomeAtFault(known)
        return known

    @cached_property
    def _rule(self) -> Callable[[Profile], Any]:
        return outcome_function(self.mechanism, self.seed)

    def call(self, reports: Profile) -> Record | Fault:
        """Run the mechanism, whatever is known of the profile."""
        try:
            returned = self._rule(reports)
        except Exception as error:  # whatever a user's mechanism raises is a fault of its own
            return Fault(reports, f"raised {message(error)}")
        return read(reports, returned)

    def see(self, agent: int, numbers: Iterable[Number], float_epsilon: float) -> None:
        """Take note of payments or values that were computed elsewhere."""
        self._memory.see(agent, numbers, float_epsilon)

    def keep(self, reports: Profile, record: Record | Fault) -> None:
        """Take what was found out about a profile elsewhere."""
        self._keep(self._told(reports), record)

    def _keep(self, key: Any, record: Record | Fault) -> None:
        self._memory.records[key] = record
        if isinstance(record, Record):
            self._memory.see_record(record, self.agents)

    def blame(self, fault: Fault) -> None:
        """Take note of a fault that no profile explains."""
        self._memory.faults[fault] = None

    def together(self, profiles: Iterable[Profile]) -> None:
        """Run several profiles in one call, where the mechanism takes arrays."""
        wanted = [p for p in profiles if self._told(p) not in self._memory.records]
        if not wanted or not isinstance(self.mechanism, Vectorised):
            return
        try:
            rows = self.mechanism.outcomes(report_array(wanted))
        except Exception:  # one profile may be to blame: each is run by itself when it is needed
            return
        for reports, *returned in zip(wanted, *(part.tolist() for part in rows), strict=True):
            self.keep(reports, read(reports, returned))

    def repeats(self, reports: Profile) -> bool:
        """Run the mechanism again; where the outcome differs the profile is at fault.

        Floats of an array function may differ by rounding: it ran on many profiles at once before.
        """
        key = self._told(reports)
        known = self._memory.records.get(key)
        if isinstance(known, Fault):
            return not known.random
        if known is None:
            return True
        again = self.call(reports)
        if isinstance(again, Fault) or not self.is_same(known, again):
            problem = f"the same reports led to {known}, and when called again to {again}"
            self._memory.records[key] = Fault(reports, f"not deterministic: {problem}", random=True)
            return False
        return True

    def is_same(self, known: Record, again: Record) -> bool:
        """Whether two outcomes are one, in an array function but for the rounding of floats."""
        if known.told == again.told:
            return True
        rounding = self.rounding()
        if not rounding or not isinstance(self.mechanism, Vectorised):
            return False
        pairs = zip(_numbers(known), _numbers(again), strict=True)
        return all(abs(Fraction(a - b)) <= rounding for a, b in pairs)

    def some_profiles(self) -> Iterator[Profile]:
        """Yield a few profiles, those of small numbers first."""
        sides = [space.members or space.grid(1) for space in self.spaces]
        return islice(product(*sides), 64)


def _numbers(record: Record) -> tuple[Number, ...]:
    """Return the shares and payments of an array function."""
    ((shares, _),) = record.support
    return (*shares, *record.payments)
