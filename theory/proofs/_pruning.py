"""Which answers of a comparison the hypotheses and the answers so far leave open."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from theory.errors import InvalidInputError, LimitError
from theory.proofs._obligation import Obligation
from theory.proofs._points import relaxed_point
from theory.proofs._polynomial import Condition, Polynomial

__all__ = ["Pruning"]

Point = dict[str, Fraction]


class Pruning:
    """The branches of one traced run, of which those that cannot be reached are cut.

    A rational point that satisfies the path so far shows a branch open; where none is known, an
    exact linear program over the linear conditions finds one, or shows that the branch cannot be
    reached. Each cut is kept as an obligation, so that a solver proves it anew.
    """

    def __init__(self, given: Sequence[Condition]) -> None:
        self.given = tuple(given)
        self.cuts: list[Obligation] = []
        self._points: list[Point] = []
        self._known: dict[tuple[int, Polynomial], bool | None] = {}
        self._children: dict[tuple[int, Condition], int] = {}
        self._reached: list[Point] = []
        self._node = 0

    def restart(self) -> None:
        """Go back to the start of the run."""
        self._node, self._reached = 0, list(self._points)

    def forced(self, path: Sequence[Condition], above: Condition) -> bool | None:
        """Return the only answer that can be reached, or None where both can."""
        key = (self._node, above.polynomial)
        if key not in self._known:
            self._known[key] = self._settle(path, above)
        return self._known[key]

    def follow(self, answer: Condition) -> None:
        """Go down a branch that is open."""
        self._node = self._children.setdefault((self._node, answer), len(self._children) + 1)
        self._reached = [point for point in self._reached if answer.holds(point)]

    def _settle(self, path: Sequence[Condition], above: Condition) -> bool | None:
        open_sides = [self._open(path, side) for side in (above, above.negated)]
        if not any(open_sides):
            raise InvalidInputError(
                "hypotheses",
                " and ".join(map(str, self.given)),
                "contradict each other",
                "assume what can hold",
            )
        return None if all(open_sides) else open_sides[0]

    def _open(self, path: Sequence[Condition], side: Condition) -> bool:
        if any(side.holds(point) for point in self._reached):
            return True
        conditions = (*self.given, *path, side)
        try:
            point = relaxed_point(conditions)
        except LimitError:
            return True
        if point is None:
            self.cuts.append(Obligation(conditions, None))
            return False
        if all(condition.holds(point) for condition in conditions):
            self._points.append(point)
            self._reached.append(point)
        return True
