"""Opponents who try to make a learner regret, without seeing its play of the round.

They are factories like those of ``theory.incentives.learners.ADVERSARIES``, of which "punishing"
alone looks at the play of the round.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from theory.shared.shapes import Row

__all__ = ["OPPONENTS", "Opponent", "OpponentFactory"]

Opponent = Callable[[np.ndarray], np.ndarray]
"""Returns rewards in [0, 1] for a play; called once a round, it may remember."""

OpponentFactory = Callable[[int, np.random.Generator], Opponent]
"""Makes an opponent from the number of actions."""


class _Blind(ABC):
    """Asks for rewards that depend on earlier plays alone."""

    def __init__(self, actions: int, rng: np.random.Generator) -> None:
        self.actions, self.rng = actions, rng
        self.round = 0
        self.last = np.full(actions, 1 / actions)
        self.total = np.zeros(actions)

    def __call__(self, play: Row) -> Row:
        rewards = self.rewards()
        self.round += 1
        self.last = np.array(play, dtype=np.float64)
        self.total += self.last
        return rewards

    @abstractmethod
    def rewards(self) -> Row:
        """Return the rewards of this round."""

    def only(self, action: int) -> Row:
        """Reward one action."""
        rewards = np.zeros(self.actions)
        rewards[action % self.actions] = 1
        return rewards


class _LastPlay(_Blind):
    """Best response to the learner's last play: rewards all but what was likeliest."""

    def rewards(self) -> Row:
        return 1 - self.only(int(self.last.argmax()))


class _Chase(_Blind):
    """Reward what comes after the likeliest action of the last play, round and round."""

    def rewards(self) -> Row:
        return self.only(int(self.last.argmax()) + 1)


class _Cycle(_Blind):
    """Reward one action after the other."""

    def rewards(self) -> Row:
        return self.only(self.round)


class _Bandwagon(_Blind):
    """Reward what was played most so far, and by half what was played most in the last round."""

    def rewards(self) -> Row:
        popular = self.only(int(self.total.argmax()))
        late = self.only(int(self.last.argmax())) / 2
        return np.asarray(np.maximum(popular, late))


class _Walk(_Blind):
    """Draws rewards that wander: each goes up or down by 1/8 or stays, within [0, 1]."""

    def __init__(self, actions: int, rng: np.random.Generator) -> None:
        super().__init__(actions, rng)
        self.level = np.full(actions, 0.5)

    def rewards(self) -> Row:
        self.level = np.clip(self.level + self.rng.integers(-1, 2, self.actions) / 8, 0, 1)
        return self.level.copy()


class _Trap(_Blind):
    """A trap for rules that make external regret small and internal regret not.

    An epoch has three parts of lengths L, L and 3L; the next has eight times the L. In the first
    two, actions 0 and 1 earn as much in sum; in the third action 1 earns 1/2 a round and the last
    action 7/8, which does not suffice for it to lead. Who trusts sums plays action 1 all along the
    third part; its external regret is next to nothing, and its internal regret is about an eighth
    of the rounds at the end of an epoch. Two actions take turns instead, part by part. (After the
    example of Stoltz and Lugosi, "Internal regret in on-line portfolio selection", Machine
    Learning 59, 2005.)
    """

    _PAYS = ((0.75, 0.5, 0.0), (0.5, 0.75, 0.0), (0.25, 0.5, 0.875))

    def rewards(self) -> Row:
        place, part = self.round, 4
        while place >= 5 * part:
            place, part = place - 5 * part, 8 * part
        phase = min(place // part, 2)
        if self.actions <= 2:
            return self.only(phase)
        rewards = np.zeros(self.actions)
        rewards[[0, 1, -1]] = self._PAYS[phase]
        return rewards


OPPONENTS: Final[Mapping[str, OpponentFactory]] = MappingProxyType(
    {
        "last play": _LastPlay,
        "chase": _Chase,
        "cycle": _Cycle,
        "bandwagon": _Bandwagon,
        "walk": _Walk,
        "trap": _Trap,
    }
)
"""Rewards are multiples of 1/8, so that sums of them are exact in float64."""
