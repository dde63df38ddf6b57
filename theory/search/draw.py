"""Choices: how a family builds an instance, and how the choices made are played back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NoReturn, TypeVar

import numpy as np

from theory.errors import InvalidInputError

__all__ = ["Draw", "DrawRejected"]

T = TypeVar("T")


class DrawRejected(Exception):  # noqa: N818  # it is a signal to the search, not an error
    """The choices made so far lead to no instance of the family."""


class Draw:
    """A source of choices for a family's ``build``.

    It plays back the choices it is given, each as the index of an option, and makes further ones
    itself: at random with a generator, otherwise always the first option. Options should stand in
    order of simplicity, the simplest first.
    """

    def __init__(
        self, choices: Sequence[int] = (), generator: np.random.Generator | None = None
    ) -> None:
        self._given = choices
        self._known = len(choices)
        self._integers = None if generator is None else generator.integers
        self.choices: list[int] = []
        self.arities: list[int] = []

    def index(self, count: int) -> int:
        """Choose one of 0, 1, …, count - 1, where 0 is the simplest."""
        if count < 1:
            raise InvalidInputError("count", count, "leaves nothing to choose", "offer an option")
        position = len(self.choices)
        if position < self._known:
            chosen = self._given[position]
            if chosen >= count:
                chosen = count - 1
        elif self._integers is not None:
            chosen = int(self._integers(count))
        else:
            chosen = 0
        self.choices.append(chosen)
        self.arities.append(count)
        return chosen

    def choice(self, options: Sequence[T]) -> T:
        """Choose one of ``options``; the first is the simplest."""
        return options[self.index(len(options))]

    def integer(self, low: int, high: int) -> int:
        """Choose an integer between ``low`` and ``high``; the nearest to zero is the simplest.

        Of two that are equally near, the positive one is simpler.
        """
        if low > high:
            raise InvalidInputError("low", low, f"is above high = {high}", "swap them")
        return self.choice(_by_distance(low, high))

    def partition(self, size: int) -> list[int]:
        """Choose a partition of ``size`` things, as labels; one block is the simplest."""
        labels: list[int] = []
        for _ in range(size):
            labels.append(self.index(max(labels, default=-1) + 2))
        return labels

    def reject(self) -> NoReturn:
        """Give up: these choices lead to no instance."""
        raise DrawRejected


@lru_cache(maxsize=256)
def _by_distance(low: int, high: int) -> tuple[int, ...]:
    """Return the integers between two, the nearest to zero first, of two as near the positive."""
    return tuple(sorted(range(low, high + 1), key=lambda n: (abs(n), n < 0)))
