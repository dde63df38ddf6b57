"""What actions have earned over a history, kept from call to call."""

from __future__ import annotations

import numpy as np

from mechanisms.learners import History
from theory.actions import Listed, mean_features
from theory.shapes import Bool, Float64, Row

__all__ = ["Gains", "Totals"]


class Totals:
    """The weighted totals of listed actions: the sum over rounds s of w_s r_s(i).

    It grows with one history, and starts afresh with another.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._history: History | None = None
        self._seen = 0
        self._sums = np.zeros(size)

    def of(self, history: History) -> Row:
        """Return the totals of all rounds so far."""
        if history is not self._history or len(history) < self._seen:
            self._history, self._seen, self._sums = history, 0, np.zeros(self._size)
        for each in history.since(self._seen):
            self._sums = self._sums + each.weight * np.asarray(each.observation, dtype=np.float64)
        self._seen = len(history)
        return self._sums


class Gains:
    """For each action i the rewards of all actions j, in rounds weighted with the share of i.

    Row i is the sum over rounds s of w_s x_s(i) r_s(j). The move of i to j would have gained entry
    (i, j) less entry (i, i); the diagonal adds up to what was earned.
    """

    def __init__(self, size: int) -> None:
        self._actions = Listed(size)
        self._history: History | None = None
        self._seen = 0
        self._rows = np.zeros((size, size))
        self._played = np.zeros(size, dtype=bool)

    def of(
        self, history: History
    ) -> tuple[Float64[np.ndarray, "actions actions"], Bool[np.ndarray, " actions"]]:
        """Return the rows of all actions, and which of the actions were ever played."""
        if history is not self._history or len(history) < self._seen:
            self._history, self._seen = history, 0
            self._rows, self._played = np.zeros_like(self._rows), np.zeros_like(self._played)
        for each in history.since(self._seen):
            shares = each.weight * mean_features(self._actions, each.play)
            self._rows = self._rows + np.outer(shares, np.asarray(each.observation))
            self._played = self._played | (shares > 0)
        self._seen = len(history)
        return self._rows, self._played
