"""Equilibria checked a second time, by what a player could gain by another move, just once.

Nothing here is shared with the solver: it runs move by move over all sets at once, or, where any
set of items is a move and prices add, axis by axis over the cube of all sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from theory._shapes import Bool, Int64
from theory.numbers import ClosedForm, Exact, Floats
from theory.numbers.balls import enclosing_interval

if TYPE_CHECKING:
    from theory.marginal_value._game import MarginalValueGame

__all__ = ["largest_gain"]


def largest_gain(game: MarginalValueGame, follow: Int64[np.ndarray, " n"]) -> Fraction | float:
    """Return the most that a player gains at any set by one other move, or the judge by an action.

    ``follow[s]`` is the position of the set that the next player takes set s to. A deviation is
    followed by the moves that ``follow`` says. O(items x sets x actions) where any set of items is
    a move and prices add, else O(moves x sets).
    """
    end = follow
    while (end != follow[end]).any():
        end = follow[end]
    u, p, unit = _plain(game)
    judge = (u.max(axis=0) - u[game.picked, np.arange(len(end))]).max()
    whole_cube = game.prices.additive and len(game.sets) == 1 << len(game.items)
    if str(game.moves) == "any set of items" and whole_cube and u.dtype != object:
        gains = _gains_on_cube(game, follow, end, u, p)
    else:
        gains = _gains_by_move(game, follow, end, u)
    return _bound(max(judge, gains.max()), unit)


def _plain(game: MarginalValueGame) -> tuple[Any, Any, int]:
    """Return utilities and item prices as arrays, and what integers are to be divided by."""
    u, p = game.utilities, game.prices.amounts
    if isinstance(u, Floats) and isinstance(p, Floats):
        return u.values, p.values, 1
    if isinstance(u, Exact) and isinstance(p, Exact):
        unit = lcm(u.denominator, p.denominator)
        a = u.numerators.astype(object) * (unit // u.denominator)
        b = p.numerators.astype(object) * (unit // p.denominator)
        if abs(a).max() * 4 + abs(b).sum() * 2 < 2**62:
            a, b = a.astype(np.int64), b.astype(np.int64)
        return a, b, unit
    return np.array(u.scalars(), dtype=object), np.array(p.scalars(), dtype=object), 1


def _gains_on_cube(
    game: MarginalValueGame,
    follow: Int64[np.ndarray, " n"],
    end: Int64[np.ndarray, " n"],
    u: Any,
    p: Any,
) -> Any:
    """Return the gain at each set by the best move, the null move included."""
    items, states, picked = len(game.items), np.arange(len(end)), game.picked
    total = np.zeros(len(end), dtype=u.dtype)
    for j in range(items):
        total[states >> j & 1 == 1] += p[j]
    best = np.empty(len(end), dtype=u.dtype)
    for x in np.unique(picked):
        most = u[picked, end] - u[x, end] - total
        for j in np.flatnonzero(game.prices.finite).tolist():
            halves = most.reshape(-1, 2, 1 << j)  # without item j, and with it
            np.maximum(halves[:, 0], halves[:, 1], out=halves[:, 0])
        best[picked == x] = most[picked == x]
    chosen = u[picked[follow], end] - u[picked, end] - total[follow]
    return best - chosen


def _gains_by_move(
    game: MarginalValueGame,
    follow: Int64[np.ndarray, " n"],
    end: Int64[np.ndarray, " n"],
    u: Any,
) -> Any:
    """Return the largest gain at each set, move by move."""
    sets, picked = game.sets, game.picked
    prices: dict[int, Any] = {}

    def price(new: Int64[np.ndarray, " k"]) -> Any:
        for mask in set(new.tolist()) - prices.keys():
            prices[mask] = game.prices.price(mask)
        return [prices[mask] for mask in new.tolist()]

    scale = _plain(game)[2]
    zero = u[0, 0] - u[0, 0]
    chosen = u[picked[follow], end] - u[picked, end]
    chosen = chosen - _scaled(price(sets[follow] & ~sets), scale, u.dtype)
    gains = zero - chosen  # the null move
    for states, revealed in _moves(game):
        new = price(sets[revealed] & ~sets[states])
        finite = np.array([c != np.inf for c in new], dtype=bool)
        s, t = states[finite], revealed[finite]
        costs = [c for c, keep in zip(new, finite.tolist(), strict=True) if keep]
        reward = u[picked[t], end[t]] - u[picked[s], end[t]] - _scaled(costs, scale, u.dtype)
        gains[s] = np.maximum(gains[s], reward - chosen[s])
    return gains


def _moves(
    game: MarginalValueGame,
) -> Iterator[tuple[Int64[np.ndarray, " k"], Int64[np.ndarray, " k"]]]:
    """Yield for each move the sets that it adds to, and those that come of it, by position."""
    kind, sets = str(game.moves), game.sets
    listed: Any = game.moves
    if kind == "any set of items":
        masks = sets.tolist()
    elif kind == "one item at a time":
        masks = [1 << j for j in range(len(game.items))]
    else:
        masks = list(listed.masks)
    for mask in masks:
        adds: Bool[np.ndarray, " n"] = (sets | mask) != sets
        if kind == "any set of items":
            adds &= sets & mask == 0
        states = np.flatnonzero(adds)
        yield states, np.searchsorted(sets, sets[states] | mask)


def _scaled(amounts: list[Any], unit: int, dtype: Any) -> Any:
    if dtype == np.float64:
        return np.array(amounts, dtype=np.float64)
    found = np.empty(len(amounts), dtype=object)
    found[:] = [a * unit for a in amounts]
    if all(isinstance(a, Fraction) for a in found):
        found[:] = [int(a) for a in found]
        return found.astype(dtype)
    return found


def _bound(gain: Any, unit: int) -> Fraction | float:
    """Return a rational bound, or a float where all is float64."""
    if isinstance(gain, ClosedForm):
        rational = gain.as_rational()
        return gain.enclosure().upper if rational is None else rational
    if isinstance(gain, float | np.floating):
        return float(gain)
    if isinstance(gain, int | np.integer | Fraction):
        return Fraction(gain if isinstance(gain, Fraction) else int(gain)) / unit
    return enclosing_interval(gain).upper
