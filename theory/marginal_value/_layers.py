"""Backward induction layer by layer, from the largest sets down.

Where any set of items is a move and prices add, the rewards of all moves from S to T differ from
G(x, T) = u_F(a_T) - u_F(x) - p(T), with x = a_S and F what the game ends at after T, by p(S) alone.
So the best larger set for each x is the best among the sets with one item more and what is best
above them: a maximum over supersets, O(items x sets x actions) in place of O(3^items).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Any, Final

import numpy as np

from theory._shapes import Bool, Int64
from theory.marginal_value._game import MarginalValueGame
from theory.marginal_value._moves import Moves
from theory.numbers import Exact, Floats, Numbers

__all__ = ["Layers"]

_NONE: Final = -1
_INT64: Final = 2**62

Values = Any
"""An array of float64, of integers over one denominator, or of numbers as objects."""


class Layers:
    """The arrays of a game in layers of sets of one size, settled from the top down.

    ``end`` is what the game ends at after each set has been revealed; whoever fills in a layer says
    it, and then ``worth`` has G(x, T) in row T, one column for each action x that is ever taken.
    """

    def __init__(self, game: MarginalValueGame, rank: Int64[np.ndarray, " n"]) -> None:
        self.game, self.rank = game, rank
        self.numbers = _Plain.of(game)
        self.shown, self.kind = np.unique(game.picked, return_inverse=True)
        self.end = np.arange(len(game.sets), dtype=np.int64)
        self.worth = np.zeros((len(game.sets), len(self.shown)), dtype=self.numbers.prices.dtype)
        self.bits = [int(b) for b in game.prices.sets[game.repayable]]
        self.sizes = np.bitwise_count(game.sets).astype(np.int64)

    def at(self, size: int) -> Int64[np.ndarray, " k"]:
        """Return the sets of so many items."""
        return np.flatnonzero(self.sizes == size)

    def settle(self, at: Int64[np.ndarray, " k"], end: Int64[np.ndarray, " k"]) -> None:
        """Say what the game ends at after some sets, so that moves to them have a worth."""
        self.end[at] = end
        u, taken = self.numbers.utilities, self.game.picked[at]
        own = u[taken, end] - self.numbers.prices[at]
        self.worth[at] = own[:, np.newaxis] - u[self.shown, end[:, np.newaxis]]


class Best:
    """The best of the sets that count and contain a given set, for each action; and its worth."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.found = np.full(layers.worth.shape, _NONE)
        self.worth = np.zeros_like(layers.worth)

    def above(
        self, at: Int64[np.ndarray, " k"]
    ) -> tuple[Int64[np.ndarray, " k"], Int64[np.ndarray, " k"]]:
        """Find the best larger set for the action taken at each set of a layer; -1 for none.

        All larger sets have been included. Returns also the sign of the reward for revealing it.
        """
        for bit in self.layers.bits:
            here = at[at & bit == 0]
            self._keep_better(here, self.found[here | bit], self.worth[here | bit])
        own = at, self.layers.kind[at]
        best = self.found[own]
        reward = self.worth[own] + self.layers.numbers.prices[at]
        signs = self.layers.numbers.compare(reward, best != _NONE)
        if self.layers.game.moves is Moves.SINGLE_ITEMS:  # a larger set is no move from below
            self.found[at] = _NONE
        return best, np.where(best == _NONE, -1, signs)

    def include(self, at: Int64[np.ndarray, " k"]) -> None:
        """Let sets count that have been settled."""
        sets = np.tile(at[:, np.newaxis], len(self.layers.shown))
        self._keep_better(at, sets, self.layers.worth[at])

    def _keep_better(
        self, at: Int64[np.ndarray, " k"], sets: Int64[np.ndarray, "k kinds"], worth: Values
    ) -> None:
        old, standing = self.found[at], self.worth[at]
        offered = sets != _NONE
        differ = offered & (old != _NONE) & (sets != old)
        signs = self.layers.numbers.compare(worth - standing, differ)
        better = (offered & (old == _NONE)) | (differ & (signs > 0))
        tied = differ & (signs == 0)
        if tied.any():
            better |= tied & (self.layers.rank[sets] < self.layers.rank[old])
        self.found[at] = np.where(better, sets, old)
        self.worth[at] = np.where(better, worth, standing)


@dataclass(frozen=True)
class _Plain:
    """Utilities and prices of all sets as arrays on one scale."""

    utilities: Values
    prices: Values
    like: Numbers
    slack: float

    @classmethod
    def of(cls, game: MarginalValueGame) -> _Plain:
        bits = int(game.prices.sets[game.repayable].sum())
        u, p = game.utilities, game.prices.of_items(game.sets & bits)
        if isinstance(u, Floats) and isinstance(p, Floats):
            return cls(u.values, p.values, u, game.slack)
        if isinstance(u, Exact) and isinstance(p, Exact):
            unit = lcm(u.denominator, p.denominator)
            rows = [(u.numerators, unit // u.denominator), (p.numerators, unit // p.denominator)]
            largest = sum(4 * factor * max(1, int(abs(a).max())) for a, factor in rows)
            kind = np.int64 if largest < _INT64 else object
            scaled = [a.astype(kind) * factor for a, factor in rows]
            return cls(scaled[0], scaled[1], u, 0.0)
        lifted: Any = (u + (p[:1] - p[:1]), p + (u[0, :1] - u[0, :1]))
        return cls(lifted[0].values, lifted[1].values, lifted[0], 0.0)

    def compare(
        self, values: Values, where: Bool[np.ndarray, "..."] | None = None
    ) -> Int64[np.ndarray, "..."]:
        """Return the sign of each value, 0 within the slack; only those at ``where`` matter."""
        if isinstance(self.like, Floats):
            return np.asarray((values > self.slack).astype(np.int64) - (values < -self.slack))
        if isinstance(self.like, Exact):
            return np.asarray((values > 0).astype(np.int64) - (values < 0))
        kind: Any = type(self.like)
        asked = np.ones(values.shape, dtype=bool) if where is None else where
        signs = np.zeros(values.shape, dtype=np.int64)
        signs[asked] = kind(values[asked]).signs()
        return signs
