"""More is given away than there is, or than one agent should get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, ClassVar

from theory.incentives import Outcome

__all__ = ["DoubleBooking", "FreeSamples"]


@dataclass(frozen=True)
class DoubleBooking:
    """Everyone gets their favourite room, even where it is the same one.

    A type is a vector of utilities of rooms; among equal ones the lowest index is the favourite.
    Two guests with types (2, 1), (1, 2), (3, 0) show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset({"feasible", "efficient"})

    def outcome(self, reports: Sequence[Sequence[Any]]) -> Outcome:
        """Return a room by guest, and payments of 0."""
        rooms = tuple(max(range(len(r)), key=r.__getitem__) for r in reports)
        return Outcome(rooms, (0,) * len(reports))

    def value(self, agent: int, kind: Sequence[Any], allocation: Sequence[int]) -> Any:
        """Return the utility of the guest's room."""
        return kind[allocation[agent]]

    def feasible(self, allocation: Sequence[int], agents: int) -> bool:
        """Whether no two guests share a room."""
        return len(set(allocation)) == agents

    def alternatives(self, agents: int) -> Iterator[tuple[int, ...]]:
        """Return every way to put up each guest in another of the rooms 0, ..., agents - 1."""
        return permutations(range(agents))


@dataclass(frozen=True)
class FreeSamples:
    """Each name that comes gets a free sample.

    The allocation is a vector of quantities. Two customers with types 1 and 2 show it.
    """

    breaks: ClassVar[frozenset[str]] = frozenset({"false_name_proof"})

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return a quantity of 1 for each, and payments of 0."""
        return Outcome((1,) * len(reports), (0,) * len(reports))
