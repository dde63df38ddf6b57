"""What grows round by round with a history, so that no call passes over all rounds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import numpy as np

from mechanisms.learners._history import History, Round
from theory.actions import ActionSet
from theory.shared.shapes import Row

__all__ = ["HistoryMemory", "RewardSum"]

K = TypeVar("K")


class HistoryMemory(ABC, Generic[K]):
    """Something that grows with one history, and starts afresh with another."""

    def __init__(self, actions: ActionSet) -> None:
        self._actions = actions
        self._history: History | None = None
        self._seen = 0
        self._value = self._empty()

    def of(self, history: History) -> K:
        """Return it for all rounds so far."""
        if history is not self._history or len(history) < self._seen:
            self._history, self._seen, self._value = history, 0, self._empty()
        for each in history.since(self._seen):
            self._value = self._with(self._value, each)
        self._seen = len(history)
        return self._value

    @abstractmethod
    def _empty(self) -> K: ...

    @abstractmethod
    def _with(self, value: K, each: Round) -> K: ...


class RewardSum(HistoryMemory[Row]):
    r"""The weighted sum of the rewards, \sum_s w_s r_s."""

    def _empty(self) -> Row:
        return np.zeros(self._actions.dimension)

    def _with(self, value: Row, each: Round) -> Row:
        return np.asarray(value + each.weight * each.observation)
