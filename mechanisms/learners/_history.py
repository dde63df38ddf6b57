"""What a learner remembers: what it played, and what it was told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from theory.actions import Action, SoftmaxStrategy, SparseStrategy
from theory.errors import InvalidInputError

__all__ = ["History", "Round"]


@dataclass(frozen=True)
class Round:
    """One round: the strategy that was played, what was observed, and how much it counts."""

    play: Any
    observation: Any
    weight: float = 1.0


@dataclass(eq=False)
class History:
    """The rounds so far, in their order. All of them are kept: d numbers a round, and the plays.

    An oracle is asked for a best response to one of these: for the action that would have earned
    most over all rounds, each counted with its weight.

    Examples
    --------
    >>> history = History()
    >>> history.append(np.array([0.25, 0.75]), np.array([1.0, 0.0]))
    >>> [(given.weight, given.observation.tolist()) for given in history.weight_by(1)]
    [(0.75, [1.0, 0.0])]
    """

    _rounds: list[Round] = field(default_factory=list)

    def append(self, play: Any, observation: Any) -> None:
        """Add a round."""
        self._rounds.append(Round(play, observation))

    def __len__(self) -> int:
        return len(self._rounds)

    def __iter__(self) -> Iterator[Round]:
        return iter(self._rounds)

    def since(self, number: int) -> list[Round]:
        """Return the rounds from the one of index ``number`` on."""
        return self._rounds[number:]

    def weight_by(self, action: Action) -> History:
        r"""Return the rounds weighted with the probability that each play gave to ``action``.

        The best response j to them is the best map of that action: it maximises
        \sum_s x_s(action) r_s(j). Rounds of weight zero are left out.
        """
        shares = ((each, _probability(each.play, action)) for each in self._rounds)
        return History([replace(each, weight=each.weight * p) for each, p in shares if p > 0])

    def actions(self) -> tuple[Action, ...]:
        """Return every action that a listed or sparse play gave a positive probability."""
        return tuple(dict.fromkeys(a for each in self._rounds for a in _support(each.play)))


def _probability(play: Any, action: Action) -> float:
    if isinstance(play, SparseStrategy | SoftmaxStrategy):
        return play.probability(action)
    row = np.asarray(play)
    if type(action) is not int or not 0 <= action < len(row):
        fix = "name one of the actions 0, ..., N - 1"
        raise InvalidInputError("action", action, "is no action of a listed play", fix)
    return float(row[action])


def _support(play: Any) -> list[Action]:
    if isinstance(play, SparseStrategy):
        return [a for a, w in zip(play.actions, play.weights.tolist(), strict=True) if w > 0]
    return [int(a) for a in np.flatnonzero(np.asarray(play))]
