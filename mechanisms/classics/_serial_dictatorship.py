"""Houses without money: agents choose in random order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import Any, Final

from theory.errors import LimitError, ShapeError
from theory.incentives import Lottery, Outcome
from theory.shared.arguments import read_count

__all__ = ["MAX_DICTATORS", "RandomSerialDictatorship"]

MAX_DICTATORS: Final = 8
"""The most agents whose orders, 8! = 40,320, are gone through."""

Assignment = tuple[int | None, ...]


@dataclass(frozen=True)
class RandomSerialDictatorship:
    """Agents take, in an order drawn evenly, the house that they like best of those that are left.

    A report is a utility for each house, of which only the ranking counts; among equal utilities
    the lowest index comes first. Nobody pays. Who comes when no house is left gets none.

    The allocation is a :class:`~theory.incentives.Lottery` over assignments, each a tuple of
    houses by agent, ``None`` for none.

    Parameters
    ----------
    houses : int
        How many there are, at least 1.

    Raises
    ------
    InvalidInputError
        Where ``houses`` is not an integer of at least 1.

    Notes
    -----
    O(agents! agents houses). Truthful, anonymous, and Pareto efficient after the draw
    (Abdulkadiroğlu and Sönmez, 1998); it does not look for the largest sum of utilities.

    Examples
    --------
    >>> result = RandomSerialDictatorship(2).outcome([(3, 1), (2, 1)])
    >>> print(result.allocation)
    (0, 1) with 1/2, (1, 0) with 1/2
    """

    houses: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "houses", read_count("houses", self.houses))

    def outcome(self, reports: Sequence[Sequence[Any]]) -> Outcome:
        """Return a lottery over assignments, and payments of 0.

        Raises
        ------
        ShapeError
            For a report that has not one utility a house.
        LimitError
            For more than ``MAX_DICTATORS`` agents.
        """
        self._check(reports)
        agents = len(reports)
        drawn = Counter(self._serve(reports, order) for order in permutations(range(agents)))
        orders = factorial(agents)
        lottery = Lottery((a, Fraction(times, orders)) for a, times in drawn.items())
        return Outcome(lottery, (0,) * agents)

    def value(self, agent: int, kind: Sequence[Any], allocation: Assignment) -> Any:
        """Return the utility of the agent's house, 0 without one."""
        house = allocation[agent]
        return 0 if house is None else kind[house]

    def feasible(self, allocation: Assignment, agents: int) -> bool:
        """Whether no two agents share a house."""
        given = [house for house in allocation if house is not None]
        distinct = len(set(given)) == len(given)
        return distinct and len(allocation) == agents and set(given) <= set(range(self.houses))

    def alternatives(self, agents: int) -> Iterator[Assignment]:
        """Return every assignment in which none goes without while a house is left."""
        places = (*range(self.houses), *[None] * (agents - self.houses))
        return iter(dict.fromkeys(permutations(places, agents)))

    def _serve(self, reports: Sequence[Sequence[Any]], order: Sequence[int]) -> Assignment:
        left = list(range(self.houses))
        served: list[int | None] = [None] * len(reports)
        for i in order[: self.houses]:
            house = max(left, key=reports[i].__getitem__)
            left.remove(house)
            served[i] = house
        return tuple(served)

    def _check(self, reports: Sequence[Sequence[Any]]) -> None:
        if len(reports) > MAX_DICTATORS:
            problem = f"are {len(reports)} agents, above the limit of {MAX_DICTATORS}"
            raise LimitError("reports", len(reports), problem, "give fewer agents")
        for i, report in enumerate(reports):
            if len(report) != self.houses:
                problem = f"has {len(report)} utilities for {self.houses} houses"
                raise ShapeError(f"reports[{i}]", report, problem, "give one utility a house")
