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
    """The arrays of a game, and the best larger set by action, filled in from the top.

    ``end`` is what the game ends at after each set has been revealed; whoever fills in a layer says
    it, once the layers above are done.
    """

    def __init__(self, game: MarginalValueGame, rank: Int64[np.ndarray, " n"]) -> None:
        self.game, self.rank = game, rank
        self.numbers = _Plain.of(game)
        sets = game.sets
        self.shown, self.kind = np.unique(game.picked, return_inverse=True)
        self.end = np.arange(len(sets), dtype=np.int64)
        shape = (len(self.shown), len(sets))
        self.worth = np.zeros(shape, dtype=self.numbers.prices.dtype)
        self.bits = [int(b) for b in game.prices.sets[game.prices.finite]]
        self.sizes = np.bitwise_count(sets).astype(np.int64)

    def at(self, size: int) -> Int64[np.ndarray, " k"]:
        """Return the sets of so many items."""
        return np.flatnonzero(self.sizes == size)

    def settle(self, at: Int64[np.ndarray, " k"], end: Int64[np.ndarray, " k"]) -> None:
        """Say what the game ends at after some sets, so that moves to them have a worth."""
        self.end[at] = end
        u, chosen = self.numbers.utilities, self.game.picked[at]
        self.worth[:, at] = (
            u[chosen, end] - u[self.shown[:, np.newaxis], end] - self.numbers.prices[at]
        )


@dataclass
class Best:
    """For each action x and set, the best larger set among those that count, and its worth."""

    layers: Layers
    found: Int64[np.ndarray, "kinds n"]
    worth: Values

    @classmethod
    def of(cls, layers: Layers) -> Best:
        """Start with nothing found."""
        return cls(layers, np.full(layers.worth.shape, _NONE), np.zeros_like(layers.worth))

    def fill(
        self, at: Int64[np.ndarray, " k"], counts: Bool[np.ndarray, " n"]
    ) -> tuple[Int64[np.ndarray, " k"], Int64[np.ndarray, " k"]]:
        """Fill in a layer; all sets above it that count are settled.

        Returns for each set of the layer the best larger set for the action taken there, or -1, and
        the sign of the reward for revealing it.
        """
        layers = self.layers
        single = layers.game.moves is Moves.SINGLE_ITEMS
        found = np.full((len(layers.shown), len(at)), _NONE)
        worth = np.zeros(found.shape, dtype=layers.worth.dtype)
        for bit in layers.bits:
            here = np.flatnonzero(at & bit == 0)
            above = at[here] | bit
            next_one = np.where(counts[above], above, _NONE)
            options = [(np.broadcast_to(next_one, (len(found), len(here))), layers.worth[:, above])]
            if not single:
                options.append((self.found[:, above], self.worth[:, above]))
            for sets, values in options:
                self._keep_better(found, worth, here, sets, values)
        self.found[:, at], self.worth[:, at] = found, worth
        own = layers.kind[at], np.arange(len(at))
        reward = worth[own] + layers.numbers.prices[at]
        signs = np.where(found[own] == _NONE, -1, layers.numbers.compare(reward))
        return found[own], signs

    def _keep_better(
        self,
        found: Int64[np.ndarray, "kinds k"],
        worth: Values,
        here: Int64[np.ndarray, " r"],
        sets: Int64[np.ndarray, "kinds r"],
        values: Values,
    ) -> None:
        rank = self.layers.rank
        kinds, places = np.nonzero(sets != _NONE)
        new, old = sets[kinds, places], found[kinds, here[places]]
        signs = self.layers.numbers.compare(values[kinds, places] - worth[kinds, here[places]])
        better = (old == _NONE) | (signs > 0) | ((signs == 0) & (rank[new] < rank[old]))
        kinds, places = kinds[better], places[better]
        found[kinds, here[places]] = sets[kinds, places]
        worth[kinds, here[places]] = values[kinds, places]


@dataclass(frozen=True)
class _Plain:
    """Utilities and prices of all sets as arrays on one scale."""

    utilities: Values
    prices: Values
    like: Numbers
    slack: float

    @classmethod
    def of(cls, game: MarginalValueGame) -> _Plain:
        u, p = game.utilities, game.prices.of_items(game.sets)
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

    def compare(self, values: Values) -> Int64[np.ndarray, "..."]:
        """Return the sign of each value, 0 within the slack."""
        if isinstance(self.like, Floats):
            signs = (values > self.slack).astype(np.int64) - (values < -self.slack)
        elif isinstance(self.like, Exact):
            signs = (values > 0).astype(np.int64) - (values < 0)
        else:
            kind: Any = type(self.like)
            signs = kind(np.asarray(values, dtype=object)).signs()
        return np.asarray(signs)
