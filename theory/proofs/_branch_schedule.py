"""Which way a run takes at each open comparison, and the ways of the run after it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["BranchSchedule"]


class BranchSchedule:
    """The answers of one run to its open comparisons: first those given, then always yes.

    Examples
    --------
    >>> schedule, seen = BranchSchedule(), []
    >>> while schedule is not None:
    ...     seen.append((schedule.next(), schedule.next()))
    ...     schedule = schedule.successor()
    >>> seen
    [(True, True), (True, False), (False, True), (False, False)]
    """

    def __init__(self, given: Sequence[bool] = ()) -> None:
        self.given = tuple(given)
        self._answers: list[bool] = []

    def next(self) -> bool:
        """Return the next answer."""
        position = len(self._answers)
        answer = self.given[position] if position < len(self.given) else True
        self._answers.append(answer)
        return answer

    def successor(self) -> BranchSchedule | None:
        """Return the answers that differ at the last yes, or None if every answer is no."""
        for position in reversed(range(len(self._answers))):
            if self._answers[position]:
                return BranchSchedule((*self._answers[:position], False))
        return None
