"""What a setting has seen so far: outcomes, values, and how large and how coarse numbers are."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from theory.incentives._reading import Number
from theory.incentives._record import Fault, Profile, Record
from theory.incentives._values import Valuation

__all__ = ["Memory"]


class Memory:
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
        self._grains: dict[int | None, float] = {}

    def see(self, agent: int | None, numbers: Iterable[Number], grain: float) -> None:
        """Note numbers of an agent, or of all of them, and how coarse they are."""
        largest = self._largest.get(agent, 0)
        self._largest[agent] = max([largest, *(n if n >= 0 else -n for n in numbers)])
        self._grains[agent] = max(self._grains.get(agent, 0.0), grain)

    def see_record(self, record: Record, agents: int) -> None:
        """Note the payments of an outcome; those of more reports than agents count for all."""
        amounts = record.largest or record.payments
        for i, (paid, grain) in enumerate(zip(amounts, record.grains, strict=True)):
            self.see(i if i < agents else None, [paid], grain)

    def grain(self, agents: Iterable[int] = ()) -> float:
        """Return the epsilon of the coarsest floats of some agents, by default of all; 0: exact."""
        return max((self._grains.get(i, 0.0) for i in self._known(agents)), default=0.0)

    def largest(self, agents: Iterable[int] = ()) -> Fraction:
        """Return the largest number of some agents, by default of all, sign aside."""
        known = self._known(agents)
        return Fraction(max((self._largest.get(i, 0) for i in known), default=0))

    def _known(self, agents: Iterable[int]) -> list[int | None]:
        chosen = list(agents)
        return [*chosen, None] if chosen else list(self._largest)
