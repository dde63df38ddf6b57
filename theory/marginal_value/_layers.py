"""Backward induction layer by layer, from the largest sets down.

Where any set of items is a move and prices add, a move from S to T is rewarded with
R(x, S, T) = u_F(a_T) - u_F(x) - p(T minus S), with x = a_S and F what the game ends at after T. For
a set between the two it differs by what the items in between cost. So the best larger set for each
x is the best among the sets with one item more and what is best above them, less the price of that
item: a maximum over supersets, O(items x sets x actions) in place of O(3^items). Prices of items
that are revealed before never enter.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Any, Final

import numpy as np

from theory.marginal_value._game import MarginalValueGame
from theory.marginal_value._moves import Moves
from theory.marginal_value._reward_comparison import lead_signs, reward_signs
from theory.numbers import Exact, Floats, Numbers
from theory.shared.rounding import rounding_share
from theory.shared.shapes import Bool, Int64

__all__ = ["Layers"]

_NONE: Final = -1
_INT64: Final = 2**62

Values = Any
"""An array of float64, of integers over one denominator, or of numbers as objects."""


class Layers:
    """The arrays of a game in layers of sets of one size, settled from the top down.

    ``end`` is what the game ends at after each set has been revealed; whoever fills in a layer says
    it, and then ``worth`` has R(x, T, T) in row T, one column for each action x that is ever taken.
    """

    def __init__(self, game: MarginalValueGame, rank: Int64[np.ndarray, " n"]) -> None:
        self.game, self.rank = game, rank
        self.numbers = _Plain.of(game)
        self.shown, self.kind = np.unique(game.picked, return_inverse=True)
        self.end = np.arange(len(game.sets), dtype=np.int64)
        self.worth = np.zeros((len(game.sets), len(self.shown)), dtype=self.numbers.prices.dtype)
        self.bits = {int(b): j for j, b in enumerate(game.prices.sets) if game.prices.finite[j]}
        self.sizes = np.bitwise_count(game.sets).astype(np.int64)

    def at(self, size: int) -> Int64[np.ndarray, " k"]:
        """Return the sets of so many items."""
        return np.flatnonzero(self.sizes == size)

    def settle(self, at: Int64[np.ndarray, " k"], end: Int64[np.ndarray, " k"]) -> None:
        """Say what the game ends at after some sets, so that moves to them have a worth."""
        self.end[at] = end
        u, taken = self.numbers.utilities, self.game.picked[at]
        self.worth[at] = u[taken, end][:, np.newaxis] - u[self.shown, end[:, np.newaxis]]


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
        for bit, j in self.layers.bits.items():
            here = at[at & bit == 0]
            price = self.layers.numbers.prices[j]
            with_it = here | bit
            offered = self.worth.take(with_it, axis=0) - price
            self._keep_better(here, self.found.take(with_it, axis=0), offered)
        own = at, self.layers.kind[at]
        best = self.found[own]
        found = self._compare(self.worth[own], best != _NONE, own, best)
        if self.layers.game.moves is Moves.SINGLE_ITEMS:  # a larger set is no move from below
            self.found[at] = _NONE
        return best, np.where(best == _NONE, -1, found)

    def include(self, at: Int64[np.ndarray, " k"]) -> None:
        """Let sets count that have been settled."""
        sets = np.tile(at[:, np.newaxis], len(self.layers.shown))
        self._keep_better(at, sets, self.layers.worth.take(at, axis=0))

    def _keep_better(
        self, at: Int64[np.ndarray, " k"], sets: Int64[np.ndarray, "k kinds"], worth: Values
    ) -> None:
        old, standing = self.found.take(at, axis=0), self.worth.take(at, axis=0)
        offered = sets != _NONE
        differ = offered & (old != _NONE) & (sets != old)
        kind = np.arange(len(self.layers.shown))
        found = self._compare(worth - standing, differ, (at[:, np.newaxis], kind), sets, old)
        better = (offered & (old == _NONE)) | (differ & (found > 0))
        tied = differ & (found == 0)
        if tied.any():
            better |= tied & (self.layers.rank[sets] < self.layers.rank[old])
        self.found[at] = np.where(better, sets, old)
        self.worth[at] = np.where(better, worth, standing)

    def _compare(
        self,
        values: Values,
        where: Bool[np.ndarray, "..."],
        own: tuple[Int64[np.ndarray, "..."], Int64[np.ndarray, "..."]],
        first: Int64[np.ndarray, "..."],
        second: Int64[np.ndarray, "..."] | None = None,
    ) -> Int64[np.ndarray, "..."]:
        """Return the sign of each value; only those at ``where`` matter.

        The values are rewards of going on to ``first``, less those of ``second`` where it is given;
        ``own`` is where from, and the number of the action taken there. Floats that rounding may
        have made of 0, or 0 of them, are decided one by one.
        """
        layers = self.layers
        found = layers.numbers.signs(values, where)
        if not isinstance(layers.numbers.like, Floats) or layers.numbers.wide < 0:
            return found
        doubt = np.nonzero(where & (np.abs(values) <= layers.numbers.wide))
        if not len(doubt[0]):
            return found

        def select(each: Int64[np.ndarray, "..."]) -> Int64[np.ndarray, " k"]:
            return np.broadcast_to(each, values.shape)[doubt]

        start, there = select(own[0]), select(first)
        if second is None:
            found[doubt] = reward_signs(layers.game, start, there, layers.end[there])
        else:
            other, taken = select(second), layers.shown[select(own[1])]
            ways = (there, layers.end[there]), (other, layers.end[other])
            found[doubt] = lead_signs(layers.game, start, taken, *ways)
        return found


@dataclass(frozen=True)
class _Plain:
    """Utilities of all sets, and prices item by item, as arrays on one scale."""

    utilities: Values
    prices: Values
    like: Numbers
    wide: float = 0.0
    """float64 only: rewards further apart than this never tie; below 0 where only equal ones do."""

    @classmethod
    def of(cls, game: MarginalValueGame) -> _Plain:
        u, p = game.utilities, game.prices.amounts
        if isinstance(u, Floats) and isinstance(p, Floats):
            most = 32 * rounding_share() * (game.sizes.values.max() + np.abs(p.values).sum())
            on_grid = _are_multiples(u.values, most) and _are_multiples(p.values, most)
            return cls(u.values, p.values, u, -1.0 if on_grid else float(most))
        if isinstance(u, Exact) and isinstance(p, Exact):
            unit = lcm(u.denominator, p.denominator)
            rows = [(u.numerators, unit // u.denominator), (p.numerators, unit // p.denominator)]
            sizes = [[abs(int(v)) for v in a.ravel().tolist()] for a, _ in rows]
            largest = 8 * (rows[0][1] * max(sizes[0]) + rows[1][1] * sum(sizes[1]))
            kind = np.int64 if largest < _INT64 else object
            scaled = [a.astype(kind) * factor for a, factor in rows]
            return cls(scaled[0], scaled[1], u)
        lifted: Any = (u + (p[:1] - p[:1]), p + (u[0, :1] - u[0, :1]))
        return cls(lifted[0].values, lifted[1].values, lifted[0])

    def signs(self, values: Values, where: Bool[np.ndarray, "..."]) -> Int64[np.ndarray, "..."]:
        """Return the sign of each value; only those at ``where`` matter."""
        if isinstance(self.like, Floats | Exact):
            return np.asarray((values > 0).astype(np.int64) - (values < 0))
        kind: Any = type(self.like)
        found = np.zeros(values.shape, dtype=np.int64)
        found[where] = kind(values[where]).signs()
        return found


def _are_multiples(values: np.ndarray, most: float) -> bool:
    """Whether floats are multiples of one power of 2 above ``most``.

    Where this holds of utilities and prices, with :attr:`_Plain.wide` for ``most``, none of their
    sums here is rounded: each is below 2^53 such units. Two different ones are a unit apart, so no
    tie rule can take them for equal.
    """
    if not 2.0**-900 < most < 2.0**900:
        return False
    scaled = values * 2.0 ** -np.ceil(np.log2(2 * most))
    return bool((scaled == np.rint(scaled)).all())
