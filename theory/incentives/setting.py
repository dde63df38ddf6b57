"""A mechanism with its agents, types and values: everything a property is judged on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any, Final

from theory.errors import InvalidInputError, MechproofError
from theory.incentives._evaluation import EvaluatedMechanism
from theory.incentives._prior import Prior
from theory.incentives._reading import (
    Number,
    is_vector,
    key_of,
    number,
    original,
    plain,
    show,
)
from theory.incentives._record import (
    Fault,
    OutcomeAtFault,
    Profile,
    Record,
    message,
)
from theory.incentives._types import TypeSpace
from theory.incentives._values import (
    UNIT_DEMAND,
    Names,
    Rewards,
    Valuation,
    ValueFunction,
    ValueTable,
    infer_valuation,
    values_add_up,
)

__all__ = ["Fault", "OutcomeAtFault", "Profile", "Record", "Setting", "SingleAlternative"]

_RIVALS: Final = 16
"""How fine a grid of alternatives is."""
_LISTED: Final = 1_000_000
"""How many alternatives may be listed."""


@contextmanager
def _blame_alternatives(function: object) -> Iterator[None]:
    """Say that it is alternatives= that raises, whatever it raises."""
    try:
        yield
    except MechproofError:
        raise
    except Exception as error:  # a user's function may raise anything
        fix = "have it return a list of allocations, or a space such as Reals()"
        problem = f"raises {message(error)}"
        raise InvalidInputError("alternatives", function, problem, fix) from error


@dataclass(frozen=True)
class SingleAlternative:
    """A function of the number of agents that lists one alternative of a space that has no list."""

    alternative: Any

    def __call__(self, agents: int) -> tuple[Any, ...]:
        """Return the alternative."""
        return (self.alternative,)


@dataclass(frozen=True, eq=False)
class Setting(EvaluatedMechanism):
    """What a check is about: an evaluated mechanism, what its allocations are worth and allowed.

    Attributes
    ----------
    passed_values : Valuation or None
        What was passed as values; None to go by the form of types and allocations.
    """

    passed_values: Valuation | None = None
    prior: Prior | None = None
    epsilon: Fraction = Fraction(0)
    passed_feasible: Callable[[Any, int], bool] | None = None
    passed_alternatives: Callable[[int], Iterable[Any] | TypeSpace] | None = None
    passed_value_of_names: Names | None = None
    """What several names of one owner are worth together, as it was passed."""

    def value(self, agent: int, type: Any, allocation: Any) -> Number:
        """Return v_i(t, o), exactly.

        Raises
        ------
        OutcomeAtFault
            Where the valuation raises or returns no finite number.
        """
        key = (agent, self._told(type), key_of(allocation))
        known = self._memory.values.get(key)
        if known is None:
            known = self._memory.values[key] = self._value(agent, type, allocation)
        return known

    def _value(self, agent: int, type: Any, allocation: Any) -> Number:
        try:
            valuation = self.valuation(type, allocation)
            found, float_epsilon = number(
                self._ask(valuation.value, agent, type, allocation), "value"
            )
        except Exception as error:  # a user's function, or an allocation that fits no type
            what = f"the value of {show(allocation)} to agent {agent} of type {show(type)}"
            raise self._leave_unjudged(Fault((), f"{what}: {message(error)}")) from error
        if agent < self.agents and type in self.spaces[agent]:
            self._memory.see(agent, [found], float_epsilon)
        return found

    def revalues(self) -> bool:
        """Whether every value that is remembered comes out again, asked for in another order."""
        for (agent, type, allocation), known in reversed(self._memory.values.items()):
            if self._value(agent, original(type), original(allocation)) != known:
                return False
        return True

    def _leave_unjudged(self, fault: Fault) -> OutcomeAtFault:
        self.blame(fault)
        return OutcomeAtFault(fault)

    def valuation(self, type: Any, allocation: Any) -> Valuation:
        """Return what values allocations: as given, the mechanism's own, or by their form."""
        if self.passed_values is not None:
            return self.passed_values
        own = getattr(self.mechanism, "value", None)
        return ValueFunction(own) if callable(own) else infer_valuation(type, allocation)

    @property
    def value_of_names(self) -> Names | None:
        """What several names are worth together: as passed, or as the mechanism declares it."""
        own: Names | None = getattr(self.mechanism, "value_of_names", None)
        return own if self.passed_value_of_names is None else self.passed_value_of_names

    def worth_of_names(self, names: tuple[int, ...], type: Any, record: Record) -> Number:
        """Return what an outcome is worth to one owner of several names, the own one first.

        By default shares and quantities add up, and any other allocation is worth what it is to the
        first name.
        """
        return sum((p * self._of_names(names, type, a) for a, p in record.support), start=0)

    def _of_names(self, names: tuple[int, ...], type: Any, allocation: Any) -> Number:
        declared = self.value_of_names
        if callable(declared):
            try:
                return number(self._ask(declared, names, type, allocation), "value_of_names")[0]
            except Exception as error:
                what = f"the value of {show(allocation)} to names {show(names)}"
                problem = f"{what} of type {show(type)}: {message(error)}"
                raise self._leave_unjudged(Fault((), problem)) from error
        if declared is None and not values_add_up(self.valuation(type, allocation)):
            return self.value(names[0], type, allocation)
        owner = isinstance(self.valuation(type, allocation), ValueTable)  # no table is a name's
        whose = names[:1] * len(names) if owner else names
        each = [self.value(i, type, allocation) for i in whose]
        return max(each) if declared == UNIT_DEMAND else sum(each)

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

    @property
    def feasible(self) -> Callable[..., Any] | None:
        """What says which allocations are feasible: as passed, or the mechanism's own."""
        if self.passed_feasible is not None:
            return self.passed_feasible
        own: Callable[..., Any] | None = getattr(self.mechanism, "feasible", None)
        return own if callable(own) else None

    @property
    def says_what_is_feasible(self) -> bool:
        """Whether something passed, or the mechanism, says it; the form of allocations does not."""
        return self.passed_values is not None or self.feasible is not None

    def _violation(self, reports: Profile, allocation: Any) -> Number:
        known = self.feasible
        agents = len(reports)
        try:
            if known is not None:
                return 0 if self._ask(known, allocation, agents) else 1
            return max(
                self._violation_of(each, report, allocation, agents)
                for each, report in self._valuations(reports, allocation)
            )
        except Exception as error:
            problem = f"whether {show(allocation)} is feasible: {message(error)}"
            raise self._leave_unjudged(Fault(reports, problem)) from error

    def _valuations(self, reports: Profile, allocation: Any) -> list[tuple[Valuation, Any]]:
        """Return what values an allocation, with a report of whom it does: once where all agree."""
        known = [(self.valuation(report, allocation), report) for report in reports]
        self._memory.valuations |= {type(valuation): valuation for valuation, _ in known}
        lengths = {len(report) if type(report) is tuple else None for report in reports}
        alike = len(lengths) == 1 and all(space == self.spaces[0] for space in self.spaces)
        return known[:1] if alike else known

    def _violation_of(
        self, valuation: Valuation, report: Any, allocation: Any, agents: int
    ) -> Number:
        found = self._ask(valuation.violation, allocation, agents)
        if isinstance(valuation, Rewards) and valuation.beyond(allocation, len(report)):
            return 1
        return number(found, "violation")[0]

    def alternatives(self) -> tuple[Any, ...] | None:
        """Return the allocations that efficiency compares with, or None where none are listed.

        Where nothing lists them (``rivals_said_by`` is empty), those that come of some profile of
        finite types. Of a space that has no list those of a grid, where types are searched, too.
        """
        rivals = self.rivals
        if not isinstance(rivals, TypeSpace):
            return rivals
        return rivals.members or (None if self.finite else rivals.grid(_RIVALS))

    @property
    def rivals(self) -> TypeSpace | tuple[Any, ...] | None:
        """What efficiency compares with: a list of allocations or a space of them."""
        return self._compared[1]

    @property
    def compares_some(self) -> bool:
        """Whether efficiency compares with some alternatives of a space that has no list."""
        found = self.rivals
        if isinstance(found, TypeSpace):
            return found.members is None
        return isinstance(self.passed_alternatives, SingleAlternative)

    @property
    def rivals_said_by(self) -> str:
        """Who lists the allocations that efficiency compares with; empty where nobody does."""
        return self._compared[0]

    @cached_property
    def _compared(self) -> tuple[str, TypeSpace | tuple[Any, ...] | None]:
        own: Callable[[int], Iterable[Any]] | None = getattr(self.mechanism, "alternatives", None)
        known = own if self.passed_alternatives is None else self.passed_alternatives
        if known is not None:
            if not callable(known):
                fix = "make it a method that takes the number of agents"
                raise InvalidInputError("alternatives", known, "of the mechanism is none", fix)
            found = self._list(known)
            by = "the mechanism" if self.passed_alternatives is None else "alternatives="
            if isinstance(found, TypeSpace):
                return by, found
            if isinstance(found, str | bytes) or not isinstance(found, Iterable):
                fix = "have it return a list of allocations, or a space such as Reals()"
                raise InvalidInputError("alternatives", found, "is no list", fix)
            with _blame_alternatives(known):
                listed = tuple(map(plain, islice(found, _LISTED + 1)))
            if len(listed) > _LISTED:
                fix = "list fewer, or return a space such as Reals()"
                raise InvalidInputError("alternatives", found, f"are more than {_LISTED:,}", fix)
            return by, listed
        valuation = self.usual_valuation if self.passed_values is None else self.passed_values
        if isinstance(valuation, Rewards):
            said: Iterable[Any] | None = self._candidates()
        else:
            said = None if valuation is None else self._list(valuation.alternatives)
        if said is not None:
            return f"the values ({valuation!r})", tuple(said)
        return "", self._range()

    def _ask(self, function: Callable[..., Any], *given: Any) -> Any:
        """Return what a function says that the user may have written."""
        return function(*given)

    def _list(self, function: Callable[[int], Any]) -> Any:
        """Return the allocations that a function lists which the user may have written."""
        with _blame_alternatives(function):
            return self._ask(function, self.agents)

    def _candidates(self) -> range | None:
        """Return the candidates, where all types of all agents have rewards for as many."""
        types = [t for space in self.spaces for t in space.members or space.grid(1)]
        counts = {len(t) if isinstance(t, tuple) else None for t in types}
        (count,) = counts if len(counts) == 1 else (None,)
        return None if count is None else range(count)

    @cached_property
    def usual_valuation(self) -> Valuation | None:
        """What values the first allocation that can be valued; None where nothing can."""
        for reports in self.some_profiles():
            try:
                return self.valuation(reports[0], self.record(reports).support[0][0])
            except (OutcomeAtFault, MechproofError):
                continue
        return None

    @property
    def valuations(self) -> tuple[Valuation, ...]:
        """What said so far whether outcomes can be carried out, each kind once; else the usual."""
        usual = () if self.usual_valuation is None else (self.usual_valuation,)
        return tuple(self._memory.valuations.values()) or usual

    @property
    def guessed_rivals(self) -> tuple[Any, ...] | None:
        """The alternatives where nobody declared them: the form of one outcome gave them."""
        own = getattr(self.mechanism, "alternatives", None)
        if any(each is not None for each in (self.passed_alternatives, own, self.passed_values)):
            return None
        return self.rivals if self.rivals_said_by and isinstance(self.rivals, tuple) else None

    @property
    def unforeseen(self) -> list[Any]:
        """One allocation that came of reports and is none of those guessed, if there is one.

        A law over candidates is foreseen: it is worth no more than the best of them.
        """
        if self.guessed_rivals is None:
            return []
        foreseen = {*map(key_of, self.guessed_rivals)}
        for told, record in list(self._memory.records.items()):
            if isinstance(record, Fault) or len(record.payments) != self.agents:
                continue
            for key, (allocation, _) in zip(record.keys, record.support, strict=True):
                known = key in foreseen or self._is_law(allocation, len(foreseen))
                if not known and self._can_value(original(told), allocation):
                    return [allocation]
        return []

    def _is_law(self, allocation: Any, candidates: int) -> bool:
        valuation = self.usual_valuation
        if not isinstance(valuation, Rewards) or not is_vector(allocation):
            return False
        missed = valuation.violation(allocation, self.agents)
        return len(allocation) == candidates and missed <= self.rounding()

    def _can_value(self, types: Profile, allocation: Any) -> bool:
        try:
            return all(self.value(i, t, allocation) is not None for i, t in enumerate(types))
        except OutcomeAtFault:
            return False

    def _range(self) -> tuple[Any, ...] | None:
        if not self.finite:
            return None
        seen: dict[Any, Any] = {}
        for reports in product(*map(self.types, range(self.agents))):
            try:
                seen |= {key_of(a): a for a, _ in self.record(reports).support}
            except OutcomeAtFault:
                continue
        return tuple(seen.values())
