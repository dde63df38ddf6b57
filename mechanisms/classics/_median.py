"""Voting on a line: the middle peak wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mechanisms.classics._parameters import number
from theory.errors import InvalidInputError
from theory.incentives import Outcome, TypeSpace

__all__ = ["MedianVoting"]


@dataclass(frozen=True)
class MedianVoting:
    """The outcome is the median of the reported peaks, the lower one where there are two.

    A type is a peak: outcome x is worth -|peak - x| to it. Nobody pays.

    Parameters
    ----------
    positions : sequence of numbers, or type space
        Where the outcome may be, and so where peaks are; numbers are read exactly. A type space,
        such as ``Reals()``, is a whole line.

    Raises
    ------
    ExactnessError, NumberError, InvalidInputError
        For positions that are floats or no numbers, and where there are none.

    Notes
    -----
    O(agents log agents). No group can gain by lying (Moulin, 1980), and the sum of distances is
    smallest. Utilities are at most 0, so it is not individually rational.

    Examples
    --------
    >>> MedianVoting(range(10)).outcome([1, 9, 4])
    Outcome(allocation=4, payments=(0, 0, 0))
    >>> from fractions import Fraction
    >>> from theory.incentives import Reals
    >>> MedianVoting(Reals()).outcome([Fraction(1, 2), -1, 4]).allocation
    Fraction(1, 2)
    """

    positions: Sequence[object] | TypeSpace

    def __post_init__(self) -> None:
        if isinstance(self.positions, TypeSpace):
            return
        read = tuple(number(x, f"positions[{k}]") for k, x in enumerate(self.positions))
        if not read:
            raise InvalidInputError("positions", read, "is empty", "give at least one")
        object.__setattr__(self, "positions", read)

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return the lower median, and payments of 0.

        Raises
        ------
        InvalidInputError
            Where nobody votes.
        """
        if not reports:
            raise InvalidInputError("reports", reports, "is empty", "give at least one peak")
        median = sorted(reports)[(len(reports) - 1) // 2]
        return Outcome(median, (0,) * len(reports))

    def value(self, agent: int, kind: Any, allocation: Any) -> Any:
        """Return minus the distance from the peak."""
        return -abs(kind - allocation)

    def feasible(self, allocation: Any, agents: int) -> bool:
        """Whether the outcome is one of the positions."""
        return allocation in self.positions

    def alternatives(self, agents: int) -> Sequence[object] | TypeSpace:
        """Return the positions."""
        return self.positions
