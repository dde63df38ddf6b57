"""Equilibria checked a second time, by what a player could gain by another move, just once.

Nothing here is shared with the solver: it runs move by move over all sets at once, or, where any
set of items is a move and prices add, axis by axis over the cube of all sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory._shapes import Bool, Int64
from theory.numbers import ClosedForm, Exact, Floats
from theory.numbers.balls import enclosing_interval

if TYPE_CHECKING:
    from theory.marginal_value._game import MarginalValueGame

__all__ = ["largest_gain"]

_AT_ONCE: Final = 1 << 12
"""How many pairs of a move and a set are looked at together."""


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
        gains = _gains_by_move(game, follow, end, u, p)
    return _bound(max(judge, gains.max()), unit)


def _plain(game: MarginalValueGame) -> tuple[Any, Any, int]:
    """Return utilities and prices as arrays, and what integers are to be divided by."""
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
    zeros = u[0, :1] - u[0, :1], p[:1] - p[:1]  # closed forms and balls take rationals along
    rows: list[Any] = [(u + zeros[1]).scalars(), (p + zeros[0]).scalars()]
    return np.array(rows[0], dtype=object), np.array(rows[1], dtype=object), 1


def _gains_on_cube(
    game: MarginalValueGame,
    follow: Int64[np.ndarray, " n"],
    end: Int64[np.ndarray, " n"],
    u: Any,
    p: Any,
) -> Any:
    """Return the gain at each set by the best move, the null move included.

    An item whose price exceeds all that utilities and negative prices can add up to is left out:
    to reveal it is worse than to reveal nothing.
    """
    items, states, picked = len(game.items), np.arange(len(end)), game.picked
    most_possible = u.max() - u.min() - np.minimum(p, p.dtype.type(0)).sum()
    useful = np.flatnonzero(game.prices.finite & (p <= 2 * most_possible)).tolist()
    total, dear = np.zeros((2, len(end)), dtype=u.dtype)
    for j in range(items):
        target, masks = (total, states) if j in useful else (dear, follow & ~states)
        target[masks >> j & 1 == 1] += p[j]
    best = np.empty(len(end), dtype=u.dtype)
    for x in np.unique(picked):
        most = u[picked, end] - u[x, end] - total
        for j in useful:
            halves = most.reshape(-1, 2, 1 << j)  # without item j, and with it
            np.maximum(halves[:, 0], halves[:, 1], out=halves[:, 0])
        best[picked == x] = most[picked == x]
    return best - (u[picked[follow], end] - u[picked, end] - total[follow] - dear)


def _gains_by_move(
    game: MarginalValueGame,
    follow: Int64[np.ndarray, " n"],
    end: Int64[np.ndarray, " n"],
    u: Any,
    p: Any,
) -> Any:
    """Return the largest gain at each set, move by move."""
    sets, picked, table = game.sets, game.picked, game.prices.sets

    def paid(new: Int64[np.ndarray, " k"]) -> tuple[Any, Bool[np.ndarray, " k"]]:
        if not game.prices.additive:
            where = np.searchsorted(table, new)
            return p[where], game.prices.finite[where]
        costs, finite = np.full(len(new), u[0, 0] - u[0, 0], dtype=u.dtype), new >= 0
        for j, bit in enumerate(table.tolist()):
            costs[new & bit > 0] += p[j]
            finite &= (new & bit == 0) | game.prices.finite[j]
        return costs, finite

    chosen = u[picked[follow], end] - u[picked, end] - paid(sets[follow] & ~sets)[0]
    gains = -chosen  # by the null move
    for states, revealed in _moves(game):
        costs, finite = paid(sets[revealed] & ~sets[states])
        s, t = states[finite], revealed[finite]
        reward = u[picked[t], end[t]] - u[picked[s], end[t]] - costs[finite]
        np.maximum.at(gains, s, reward - chosen[s])
    return gains


def _moves(
    game: MarginalValueGame,
) -> Iterator[tuple[Int64[np.ndarray, " k"], Int64[np.ndarray, " k"]]]:
    """Yield for some moves at a time the sets that they add to, and those that come of it.

    Both are positions, one of each for a move and a set.
    """
    kind, sets = str(game.moves), game.sets
    listed: Any = game.moves
    if kind == "any set of items":
        masks = sets
    elif kind == "one item at a time":
        masks = np.array([1 << j for j in range(len(game.items))], dtype=np.int64)
    else:
        masks = np.array(listed.masks, dtype=np.int64)
    step = max(1, _AT_ONCE // len(sets))
    for start in range(0, len(masks), step):
        part = masks[start : start + step, np.newaxis]
        adds: Bool[np.ndarray, "moves n"] = (sets | part) != sets
        if kind == "any set of items":
            adds &= sets & part == 0
        which, states = np.nonzero(adds)
        yield states, np.searchsorted(sets, sets[states] | part[which, 0])


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
