"""The outcome of a profile as it was read, or the fault in it; the cache of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Any

from theory.errors import InvalidInputError, MechproofError
from theory.incentives._outcome import Lottery, Outcome
from theory.incentives._reading import (
    FLOAT64,
    Number,
    freeze_allocation,
    key_of,
    number,
    show,
)
from theory.incentives._values import Valuation
from theory.shared.printable import printed_line

__all__ = [
    "EvaluationCache",
    "Fault",
    "OutcomeAtFault",
    "Profile",
    "Record",
    "message",
    "read",
]

Profile = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """An outcome as it was read: allocations with probabilities, exact payments."""

    support: tuple[tuple[Any, Number], ...]
    payments: tuple[Number, ...]
    float_epsilons: tuple[float, ...] = ()
    """How coarse each agent's numbers are: 0 where they are exact, else the floats' epsilon."""
    largest: tuple[Number, ...] = ()
    """Where payments are expected ones: the largest of each agent that is drawn, sign aside."""
    keys: tuple[Any, ...] = field(default=(), repr=False)
    """What told the allocations from equal ones when they were read."""

    @property
    def told(self) -> tuple[Any, ...]:
        """What is equal for the same outcome, however coarse its numbers are."""
        return self.keys, tuple(p for _, p in self.support), self.payments

    @printed_line
    def __str__(self) -> str:
        given = ", ".join(
            f"{show(a)} with {show(p)}" if p != 1 else f"{show(a)}" for a, p in self.support
        )
        paid = "expected payments" if self.largest else "payments"
        return f"allocation {given}; {paid} {show(self.payments)}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A profile at which the mechanism cannot be judged, and why."""

    reports: Profile
    problem: str
    random: bool = False
    """Whether the same reports led to different outcomes."""

    @printed_line
    def __str__(self) -> str:
        return f"at reports {show(self.reports)}: {self.problem}" if self.reports else self.problem


class OutcomeAtFault(Exception):  # noqa: N818 - not an error of the user's call; caught by the battery
    """Raised where an instance needs an outcome that is at fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


def read(reports: Profile, returned: Any) -> Record | Fault:
    """Read what a mechanism returned; whatever goes wrong in that is a fault of the profile."""
    kind = type(returned)  # what it says of its class may raise
    if kind is Record or kind is Fault:  # of a mechanism in expectation
        found: Record | Fault = returned
        return found
    try:
        return _outcome(returned, len(reports))
    except MechproofError as error:
        return Fault(reports, str(error))
    except Exception as error:  # what was returned may do anything when it is looked at
        return Fault(reports, f"cannot be read, raises {message(error)}")


def message(error: Exception) -> str:
    """Return an exception's kind and the first line of what it says."""
    kind = type(error).__name__
    try:
        written = str(error).strip().splitlines()
    except Exception:  # a user's exception may not even be able to speak
        return kind
    return f"{kind}: {written[0][:200]}" if written else kind


def _outcome(returned: Any, agents: int) -> Record:
    if isinstance(returned, Outcome):
        allocation, paid = returned.allocation, returned.payments
    elif isinstance(returned, tuple | list) and len(returned) == 2:
        allocation, paid = returned
    else:
        fix = "return a pair (allocation, payments)"
        raise InvalidInputError("outcome", returned, "is not an outcome", fix)
    payments = _payments(paid, agents)
    support, float_epsilon = _support(allocation)
    amounts = tuple(p for p, _ in payments)
    float_epsilons = tuple(max(float_epsilon, own) for _, own in payments)
    return Record(support, amounts, float_epsilons, keys=tuple(key_of(a) for a, _ in support))


def _payments(paid: Any, agents: int) -> list[tuple[Number, float]]:
    if isinstance(paid, str | bytes | Mapping | Set) or not hasattr(paid, "__iter__"):
        fix = "return a sequence with one payment an agent"
        raise InvalidInputError("payments", paid, "are not a sequence", fix)
    amounts = list(islice(paid, agents + 1))  # it may have no end
    if len(amounts) != agents:
        fix = f"return one payment an agent, {agents} in all"
        many = f"more than {agents}" if len(amounts) > agents else len(amounts)
        raise InvalidInputError("payments", paid, f"are {many}", fix)
    return [number(p, f"payments[{i}]") for i, p in enumerate(amounts)]


def _support(allocation: Any) -> tuple[tuple[tuple[Any, Number], ...], float]:
    if not isinstance(allocation, Lottery):
        whole, float_epsilon = freeze_allocation(allocation)
        return ((whole, 1),), float_epsilon
    parts = [(*freeze_allocation(a), p) for a, p in allocation.support]
    coarsest = max(float_epsilon for _, float_epsilon, _ in parts)
    return tuple((a, p) for a, _, p in parts), max(coarsest, FLOAT64 * allocation.inexact)


class EvaluationCache:
    """Outcomes by reports, values by (agent, type, allocation), faults that no profile explains.

    For each agent, and under ``None`` for all of them: the largest number, and the epsilon of the
    coarsest floats among its payments and values.
    """

    def __init__(self) -> None:
        self.records: dict[Profile, Record | Fault] = {}
        self.values: dict[tuple[int, Any, Any], Number] = {}
        self.faults: dict[Fault, None] = {}
        self.valuations: dict[type[Valuation], Valuation] = {}
        """By kind, what said whether outcomes that were judged can be carried out."""
        self._largest: dict[int | None, Number] = {}
        self._float_epsilons: dict[int | None, float] = {}

    def see(self, agent: int | None, numbers: Iterable[Number], float_epsilon: float) -> None:
        """Note numbers of an agent, or of all of them, and how coarse they are."""
        largest = self._largest.get(agent, 0)
        self._largest[agent] = max([largest, *(n if n >= 0 else -n for n in numbers)])
        self._float_epsilons[agent] = max(self._float_epsilons.get(agent, 0.0), float_epsilon)

    def see_record(self, record: Record, agents: int) -> None:
        """Note the payments of an outcome; those of more reports than agents count for all."""
        amounts = record.largest or record.payments
        for i, (paid, float_epsilon) in enumerate(zip(amounts, record.float_epsilons, strict=True)):
            self.see(i if i < agents else None, [paid], float_epsilon)

    def float_epsilon(self, agents: Iterable[int] = ()) -> float:
        """Return the epsilon of the coarsest floats of some agents, by default of all; 0: exact."""
        return max((self._float_epsilons.get(i, 0.0) for i in self._look_up(agents)), default=0.0)

    def largest(self, agents: Iterable[int] = ()) -> Fraction:
        """Return the largest number of some agents, by default of all, sign aside."""
        known = self._look_up(agents)
        return Fraction(max((self._largest.get(i, 0) for i in known), default=0))

    def _look_up(self, agents: Iterable[int]) -> list[int | None]:
        chosen = list(agents)
        return [*chosen, None] if chosen else list(self._largest)
