"""The answers that a run is given, and those of the run after it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Turns"]


class Turns:
    """Answers to open comparisons: first those that are given, then always yes.

    Examples
    --------
    >>> turns, seen = Turns(), []
    >>> while turns is not None:
    ...     seen.append((turns.next(), turns.next()))
    ...     turns = turns.successor()
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

    def successor(self) -> Turns | None:
        """Return the answers that turn off at the last yes, or None where there was none."""
        for position in reversed(range(len(self._answers))):
            if self._answers[position]:
                return Turns((*self._answers[:position], False))
        return None
