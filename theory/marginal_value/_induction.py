"""Backward induction, set by set or layer by layer, and the same for inextensible sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from math import lcm
from typing import Final

import numpy as np

from theory.marginal_value._game import MarginalValueGame
from theory.marginal_value._layers import Best, Layers
from theory.marginal_value._moves import Family, Moves
from theory.marginal_value._reward_comparison import mark_best_rewarded, reward_signs
from theory.marginal_value._sets import order
from theory.numbers import Exact
from theory.shared.shapes import Bool, Int64

__all__ = ["best_moves", "equilibrium_moves", "inextensible_sets"]

FEW: Final = 1 << 6
"""An exact game of at most so many sets is solved in Python's integers: arrays only cost there.

So is one whose moves are a list of at most twice as many, set by set, however many sets there are.
"""


def equilibrium_moves(game: MarginalValueGame, *, most_first: bool) -> Int64[np.ndarray, " n"]:
    """Return the position of the set that the next player takes each set to; itself for null."""
    rank = order(game.sets, len(game.items), most_first=most_first)
    whole = _IntegerGame.of(game)
    if whole is not None:
        return whole.equilibrium_moves(rank, most_first=most_first)
    if not _in_layers(game):
        return _set_by_set(game, rank, most_first=most_first)
    follow = np.arange(len(game.sets), dtype=np.int64)
    layers = Layers(game, rank)
    best = Best(layers)
    for size in range(len(game.items), -1, -1):
        at = layers.at(size)
        found, signs = best.above(at)
        go = (signs > 0) | ((signs == 0) & most_first)
        follow[at[go]] = found[go]
        end = at.copy()
        end[go] = layers.end[found[go]]
        layers.settle(at, end)
        best.include(at)
    return follow


def inextensible_sets(game: MarginalValueGame) -> Bool[np.ndarray, " n"]:
    """Say which sets are inextensible under strict extension (volition, Definition 4.3).

    T extends S when a move leads from S to the larger T and u_T(a_T) - u_T(a_S) - p(T minus S) > 0.
    S is refuted when some inextensible set extends it, and inextensible when all sets that extend
    it are refuted.
    """
    whole = _IntegerGame.of(game)
    if whole is not None:
        return whole.inextensible_sets()
    size = len(game.sets)
    inextensible, refuted = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    if not _in_layers(game):
        for place in range(size - 1, -1, -1):
            extending = _extending_sets(game, place)
            refuted[place] = inextensible[extending].any()
            inextensible[place] = refuted[extending].all()
        return inextensible
    layers = Layers(game, order(game.sets, len(game.items)))
    by_inextensible, by_unrefuted = Best(layers), Best(layers)
    for items in range(len(game.items), -1, -1):
        at = layers.at(items)
        refuted[at] = by_inextensible.above(at)[1] > 0
        inextensible[at] = by_unrefuted.above(at)[1] <= 0
        layers.settle(at, at)
        by_inextensible.include(at[inextensible[at]])
        by_unrefuted.include(at[~refuted[at]])
    return inextensible


def _in_layers(game: MarginalValueGame) -> bool:
    return game.prices.additive and not isinstance(game.moves, Family)


class _IntegerGame:
    """A small exact game in Python's integers over one denominator.

    ``taken[s][f]`` is u_F(a_S), by the positions of S and F. ``price`` says what newly revealed
    items cost, None where that is infinite.
    """

    def __init__(self, game: MarginalValueGame, utilities: Exact, amounts: Exact) -> None:
        unit = lcm(utilities.denominator, amounts.denominator)
        factor = unit // utilities.denominator
        rows = [[u * factor for u in row] for row in utilities.numerators.tolist()]
        self.taken: list[list[int]] = [rows[x] for x in game.picked.tolist()]
        self.sets: list[int] = game.sets.tolist()
        self.place = {mask: s for s, mask in enumerate(self.sets)}
        self.moves = game.moves
        factor = unit // amounts.denominator
        costs = [amount * factor for amount in amounts.numerators.tolist()]
        told = zip(game.prices.sets.tolist(), costs, game.prices.finite.tolist(), strict=True)
        self.costs: dict[int, int | None] = {s: c if finite else None for s, c, finite in told}
        self.price = cache(self._sum) if game.prices.additive else self.costs.__getitem__

    @classmethod
    def of(cls, game: MarginalValueGame) -> _IntegerGame | None:
        """Return a game in integers, or None where it is large or its numbers are not rational."""
        u, p = game.utilities, game.prices.amounts
        listed = isinstance(game.moves, Family) and len(game.moves.masks) <= 2 * FEW
        if len(game.sets) > FEW and not listed:
            return None
        if not isinstance(u, Exact) or not isinstance(p, Exact):
            return None
        return cls(game, u, p)

    def equilibrium_moves(
        self, rank: Int64[np.ndarray, " n"], *, most_first: bool
    ) -> Int64[np.ndarray, " n"]:
        """Return the position of the set that the next player takes each set to."""
        taken, ranks = self.taken, rank.tolist()
        follow = list(range(len(taken)))
        end = follow.copy()
        for s in reversed(range(len(taken))):
            best, most = -1, 0
            for t, price in self._after(s):
                f = end[t]
                reward = taken[t][f] - taken[s][f] - price
                if best < 0 or reward > most or (reward == most and ranks[t] < ranks[best]):
                    best, most = t, reward
            if best >= 0 and (most > 0 or (most == 0 and most_first)):
                follow[s], end[s] = best, end[best]
        return np.array(follow, dtype=np.int64)

    def inextensible_sets(self) -> Bool[np.ndarray, " n"]:
        """Say which sets are inextensible under strict extension."""
        taken, size = self.taken, len(self.taken)
        inextensible, refuted = [False] * size, [False] * size
        for s in reversed(range(size)):
            pays = [t for t, price in self._after(s) if taken[t][t] - taken[s][t] > price]
            refuted[s] = any(inextensible[t] for t in pays)
            inextensible[s] = all(refuted[t] for t in pays)
        return np.array(inextensible, dtype=bool)

    def _after(self, s: int) -> Iterator[tuple[int, int]]:
        """Yield the position of each larger set that one move leads to, and its finite price."""
        revealed = self.sets[s]
        if self.moves is Moves.SUBSETS:
            found: Iterable[int] = [t for t in self.sets[s + 1 :] if t & revealed == revealed]
        elif self.moves is Moves.SINGLE_ITEMS:
            found = [revealed | bit for bit in self.costs if not revealed & bit]
        else:
            found = {revealed | mask for mask in self.moves.masks} - {revealed}
        for t in found:
            price = self.price(t & ~revealed)
            if price is not None:
                yield self.place[t], price

    def _sum(self, new: int) -> int | None:
        """Return the price of items whose prices add."""
        total = 0
        for bit, cost in self.costs.items():
            if new & bit:
                if cost is None:
                    return None
                total += cost
        return total


def _extending_sets(game: MarginalValueGame, place: int) -> Int64[np.ndarray, " k"]:
    targets = game.after(place)
    signs = reward_signs(game, np.full_like(targets, place), targets, targets)
    return np.asarray(targets[signs > 0])


def _set_by_set(
    game: MarginalValueGame, rank: Int64[np.ndarray, " n"], *, most_first: bool
) -> Int64[np.ndarray, " n"]:
    follow = np.arange(len(game.sets), dtype=np.int64)
    end = follow.copy()
    for place in range(len(follow) - 1, -1, -1):
        best, sign = best_moves(game, place, end)
        if sign > 0 or (sign == 0 and most_first and len(best)):
            follow[place] = best[rank[best].argmin()]
            end[place] = end[follow[place]]
    return follow


def best_moves(
    game: MarginalValueGame, place: int, end: Int64[np.ndarray, " n"]
) -> tuple[Int64[np.ndarray, " k"], int]:
    """Return the best sets to go on to, given what each ends at, and the sign of their reward."""
    targets = game.after(place)
    if not len(targets):
        return targets, -1
    marks, top = mark_best_rewarded(game, place, targets, end[targets])
    best = targets[top : top + 1]
    sign = reward_signs(game, np.full_like(best, place), best, end[best])
    return targets[marks], int(sign[0])
