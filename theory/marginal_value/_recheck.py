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

from theory.numbers import ClosedForm, Exact, Floats
from theory.numbers.balls import enclosing_interval
from theory.shared.rounding import largest_share
from theory.shared.shapes import Bool, Int64

if TYPE_CHECKING:
    from theory.marginal_value._game import MarginalValueGame

__all__ = ["gain_and_share", "largest_gain"]

_AT_ONCE: Final = 1 << 12
"""How many pairs of a move and a set are looked at together."""


def largest_gain(game: MarginalValueGame, follow: Int64[np.ndarray, " n"]) -> Fraction | float:
    """Return the most that a player gains at any set by one other move, or the judge by an action.

    ``follow[s]`` is the position of the set that the next player takes set s to. A deviation is
    followed by the moves that ``follow`` says. O(items x sets x actions) where any set of items is
    a move and prices add, else O(moves x sets).
    """
    return gain_and_share(game, follow)[0]


def gain_and_share(
    game: MarginalValueGame, follow: Int64[np.ndarray, " n"]
) -> tuple[Fraction | float, float]:
    """Return the same, and for floats the largest gain as a share of the numbers it is made from.

    What other actions and moves are worth does not count for that share, which is 0 for all other
    kinds of number.
    """
    end = follow
    while (end != follow[end]).any():
        end = follow[end]
    u, p, unit = _take_arrays(game)
    own = u[game.picked, np.arange(len(end))]
    judge = u.max(axis=0) - own
    whole_cube = game.prices.additive and len(game.sets) == 1 << len(game.items)
    are_integers = isinstance(game.utilities, Exact) and isinstance(game.prices.amounts, Exact)
    plain = u.dtype != object or are_integers
    if str(game.moves) == "any set of items" and whole_cube and plain:
        gains, share = _gains_on_cube(game, follow, end, u, p)
    else:
        gains, share = _gains_by_move(game, follow, end, u, p)
    if isinstance(u[0, 0], float | np.floating):
        share = max(share, largest_share(judge, np.abs(u.max(axis=0)) + np.abs(own)))
    return _bound_gain(max(judge.max(), gains.max()), unit), share


def _take_arrays(game: MarginalValueGame) -> tuple[Any, Any, int]:
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
) -> tuple[Any, float]:
    """Return the gain at each set by the best move, the null move included, and their share.

    Each item's price is taken off where the item is, so that it never meets what it is not paid
    beside. An item of infinite price is left out.
    """
    states, picked, floats = np.arange(len(end)), game.picked, u.dtype == np.float64
    payable = np.flatnonzero(game.prices.finite).tolist()
    new = follow & ~states

    def paid(p: Any) -> Any:
        costs = np.zeros(len(end), dtype=u.dtype)
        for j in payable:
            costs[new >> j & 1 == 1] += p[j]
        return costs

    def best_offers(of: Any) -> tuple[Any, Any]:
        """Return the best move's worth at each set; where ``of`` is given also what made it."""
        best, sizes = np.empty((2, len(end)), dtype=u.dtype)
        for x in np.unique(picked):
            most = u[picked, end] - u[x, end]
            size = most if of is None else of[picked, end] + of[x, end]
            for j in payable:
                halves = most.reshape(-1, 2, 1 << j)  # without item j, and with it
                offered = halves[:, 1] - p[j]
                better = offered > halves[:, 0]
                halves[:, 0] = np.where(better, offered, halves[:, 0])
                if of is not None:
                    lengths = size.reshape(-1, 2, 1 << j)
                    lengths[:, 0] = np.where(better, lengths[:, 1] + abs(p[j]), lengths[:, 0])
            best[picked == x], sizes[picked == x] = most[picked == x], size[picked == x]
        return best, sizes

    gains = best_offers(None)[0] - (u[picked[follow], end] - u[picked, end] - paid(p))
    if not floats or (gains <= 0).all():
        return gains, 0.0
    of: Any = game.sizes.values
    chosen = of[picked[follow], end] + of[picked, end] + paid(abs(p))
    return gains, largest_share(np.maximum(gains, 0.0), np.maximum(best_offers(of)[1], chosen))


def _gains_by_move(
    game: MarginalValueGame,
    follow: Int64[np.ndarray, " n"],
    end: Int64[np.ndarray, " n"],
    u: Any,
    p: Any,
) -> tuple[Any, float]:
    """Return the largest gain at each set, move by move, and the largest share of any gain."""
    sets, picked, table = game.sets, game.picked, game.prices.sets

    def price_sets(new: Int64[np.ndarray, " k"], p: Any) -> tuple[Any, Bool[np.ndarray, " k"]]:
        if not game.prices.additive:
            where = np.searchsorted(table, new)
            return p[where], game.prices.finite[where]
        costs, finite = np.full(len(new), u[0, 0] - u[0, 0], dtype=u.dtype), new >= 0
        for j, bit in enumerate(table.tolist()):
            costs[new & bit > 0] += p[j]
            finite &= (new & bit == 0) | game.prices.finite[j]
        return costs, finite

    def size(s: Int64[np.ndarray, " k"], t: Int64[np.ndarray, " k"]) -> Any:
        of: Any = game.sizes.values
        return (
            of[picked[t], end[t]]
            + of[picked[s], end[t]]
            + price_sets(sets[t] & ~sets[s], abs(p))[0]
        )

    def share_of(gains: Any, s: Int64[np.ndarray, " k"], t: Int64[np.ndarray, " k"]) -> float:
        """Return the largest share of gains by moves from ``s`` to ``t``: 0 where none gains."""
        if u.dtype != np.float64 or (gains <= 0).all():
            return 0.0
        some = ~(gains <= 0)
        s, t = s[some], t[some]
        return largest_share(gains[some], np.maximum(size(s, t), size(s, follow[s])))

    chosen = u[picked[follow], end] - u[picked, end] - price_sets(sets[follow] & ~sets, p)[0]
    gains = -chosen  # by the null move
    share = share_of(gains, np.arange(len(sets)), follow)
    for states, revealed in _moves(game):
        costs, finite = price_sets(sets[revealed] & ~sets[states], p)
        s, t = states[finite], revealed[finite]
        more = u[picked[t], end[t]] - u[picked[s], end[t]] - costs[finite] - chosen[s]
        np.maximum.at(gains, s, more)
        share = max(share, share_of(more, s, t))
    return gains, share


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


def _bound_gain(gain: Any, unit: int) -> Fraction | float:
    """Return a rational bound, or a float where all is float64."""
    if isinstance(gain, ClosedForm):
        rational = gain.as_rational()
        return gain.enclosure().upper if rational is None else rational
    if isinstance(gain, float | np.floating):
        return float(gain)
    if isinstance(gain, int | np.integer | Fraction):
        return Fraction(gain if isinstance(gain, Fraction) else int(gain)) / unit
    return enclosing_interval(gain).upper
