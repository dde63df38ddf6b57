"""Sellers with fixed offers, and those of an inspection problem in one of its states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from mechanisms.protocols import Offer, Question
from theory.errors import UnknownNameError, nearest
from theory.information import Good
from theory.inspection import InspectionProblem

__all__ = ["TableSeller", "sellers_in", "shown_values"]


@dataclass(frozen=True)
class TableSeller:
    """A seller whose offers are fixed: those of level n are ``levels[n - 1]``, or nothing."""

    name: str
    levels: Sequence[Sequence[Offer]]

    def offers(self, question: Question) -> Sequence[Offer]:
        """Return the offers of the level that is asked for."""
        return self.levels[question.level - 1] if question.level <= len(self.levels) else ()


def sellers_in(problem: InspectionProblem, state: Hashable) -> tuple[TableSeller, ...]:
    """Return one seller for each good of a problem, who offers what the good shows in a state.

    The content is the tuple of the values of the good's variables; it is offered on the good's
    level, at its price.

    Raises
    ------
    UnknownNameError
        When the problem has no such state, or gives it probability zero.
    """
    states = problem.decision.space.states
    if state not in states:
        raise UnknownNameError("state", state, "is not a possible state", nearest(state, states))
    w = list(states).index(state)
    return tuple(
        TableSeller(
            f"seller of {good.name}",
            [*[()] * n, [Offer(good.name, shown_values(good, w), good.price)]],
        )
        for n, level in enumerate(problem.levels)
        for good in level
    )


def shown_values(good: Good, state: int) -> tuple[Hashable, ...]:
    """Return the values that a good shows in the state of this number."""
    return tuple(v.values[int(v.partition.labels[state])] for v in good.variables)
