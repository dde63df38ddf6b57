"""Which moves are rewarded best, and which rewards are above 0, by the tie rule for float64.

Two float64 rewards tie when rounding may explain their difference, measured by the numbers that
entered these two (see :mod:`theory.shared.rounding`). What both have in common, the same utility or
the prices of the same items, cancels and does not count. Other kinds of number are compared as they
are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theory.numbers import Floats, Numbers
from theory.shared.rounding import signs
from theory.shared.shapes import Bool, Int64, Places

if TYPE_CHECKING:
    from theory.marginal_value._game import MarginalValueGame

__all__ = ["lead_signs", "mark_best_rewarded", "reward_signs"]


def reward_signs(
    game: MarginalValueGame, start: Places, revealed: Places, end: Places
) -> Int64[np.ndarray, " k"]:
    """Return the signs of the rewards of moves; arguments as for ``game.rewards``."""
    if not isinstance(game.utilities, Floats):
        return game.rewards(start, revealed, end).signs()
    gain, size = _gains(game, game.picked[revealed], game.picked[start], end)
    new = game.sets[revealed] & ~game.sets[start]
    price, paid = _prices(game, new)
    return signs(Floats(gain - price), size + paid)


def lead_signs(
    game: MarginalValueGame,
    start: Places,
    taken: Places,
    first: tuple[Places, Places],
    second: tuple[Places, Places],
) -> Int64[np.ndarray, " k"]:
    """Return the signs of the rewards of first moves less those of second ones; float64 only.

    Both start at the same sets, of actions ``taken``, and are given as what is revealed and what
    the game ends at.
    """
    (one, end), (other, other_end) = first, second
    u, of = _tables(game)
    a, b = game.picked[one], game.picked[other]
    gain, size = _gains(game, a, taken, end)
    less, less_size = _gains(game, b, taken, other_end)
    apart, same = np.where(a == b, 0.0, u[a, end] - u[b, end]), end == other_end
    lead = np.where(same, apart, gain - less)
    size = np.where(same, np.where(a == b, 0.0, of[a, end]), size)
    less_size = np.where(same, np.where(a == b, 0.0, of[b, end]), less_size)
    shared = game.sets[one] & game.sets[other] if game.prices.additive else game.sets[start]
    price, paid = _prices(game, game.sets[one] & ~shared)
    less_price, less_paid = _prices(game, game.sets[other] & ~shared)
    sizes = np.maximum(size + paid, less_size + less_paid)
    return signs(Floats(lead - (price - less_price)), sizes)


def mark_best_rewarded(
    game: MarginalValueGame, start: int, revealed: Places, end: Places
) -> tuple[Bool[np.ndarray, " k"], int]:
    """Mark all moves from one set that are rewarded best, and return the number of one of them."""
    whence = np.full_like(revealed, start)
    rewards: Numbers = game.rewards(whence, revealed, end)
    if not isinstance(rewards, Floats):
        marks = rewards[:, np.newaxis].maximisers()[:, 0]
        return marks, int(marks.argmax())
    taken = game.picked[whence]
    top = int(rewards.values.argmax())
    leads = np.zeros_like(revealed)
    for _ in revealed:
        against = np.full_like(revealed, revealed[top]), np.full_like(end, end[top])
        leads = lead_signs(game, whence, taken, (revealed, end), against)
        if not (leads > 0).any():
            break
        top = int(np.flatnonzero(leads > 0)[rewards.values[leads > 0].argmax()])
    return np.asarray(leads >= 0), top


def _tables(game: MarginalValueGame) -> tuple[np.ndarray, np.ndarray]:
    utilities: Any = game.utilities
    return utilities.values, game.sizes.values


def _gains(
    game: MarginalValueGame, after: Places, before: Places, end: Places
) -> tuple[np.ndarray, np.ndarray]:
    """Return u_F of one action less that of another, and its size; both 0 for the same action."""
    u, of = _tables(game)
    same = after == before
    gain = np.where(same, 0.0, u[after, end] - u[before, end])
    return gain, np.where(same, 0.0, of[after, end] + of[before, end])


def _prices(game: MarginalValueGame, new: Places) -> tuple[np.ndarray, np.ndarray]:
    """Return the finite prices of newly revealed sets, and their sizes."""
    amounts: Any = game.prices.of_sets(new)
    sizes: Any = game.prices.sizes.of_sets(new)
    return amounts.values, sizes.values
