"""What a player gains by each deviation from each recommendation."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from theory.correlated._distribution import Joint
from theory.normal_form.kinds import stack
from theory.numbers import Floats, Numbers
from theory.shapes import Int64

__all__ = ["deviation_gains"]

_CELLS: Final = 1 << 22
"""Payoffs of deviations that are held at once."""

_DENSE: Final = 4
"""Floats are multiplied as matrices where at least one profile in so many is played."""


def deviation_gains(
    joint: Joint,
    player: int,
    sources: Int64[np.ndarray, " sources"],
    labels: Int64[np.ndarray, " profiles"],
) -> Numbers:
    """Return g(i, j) with a row for each action j and a column for each i of ``sources``.

    ``sources`` are the actions that are recommended, ``labels`` their place in each profile played.
    """
    payoffs = joint.game.payoffs[player]
    dense = _DENSE * len(joint.support) >= prod(joint.game.shape)
    if dense and isinstance(payoffs, Floats) and isinstance(joint.weights, Floats):
        return Floats(_as_matrices(joint, player, sources, payoffs.values, joint.weights.values))
    return _by_profile(joint, player, sources, labels)


def _by_profile(
    joint: Joint,
    player: int,
    sources: Int64[np.ndarray, " sources"],
    labels: Int64[np.ndarray, " profiles"],
) -> Numbers:
    """Sum over the profiles played, a few rows at a time."""
    stride, count = joint.game.strides[player], joint.game.shape[player]
    payoffs = joint.game.payoffs[player]
    obeyed = payoffs[joint.support]
    others = joint.support - sources[labels] * stride
    rows = max(1, _CELLS // len(others))
    parts = []
    for start in range(0, count, rows):
        targets = np.arange(start, min(start + rows, count))[:, np.newaxis]
        gained = payoffs[others + targets * stride] - obeyed
        parts.append(gained.weighted_block_sums(joint.weights, labels, len(sources)))
    return stack(parts)


def _as_matrices(
    joint: Joint,
    player: int,
    sources: Int64[np.ndarray, " sources"],
    payoffs: np.ndarray,
    weights: np.ndarray,
) -> np.ndarray:
    """Multiply payoffs by probabilities; payoffs start at 0, so that large ones lose no digits."""
    shape = joint.game.shape
    full = np.zeros(prod(shape))
    full[joint.support] = weights
    x = np.moveaxis(full.reshape(shape), player, 0).reshape(shape[player], -1)[sources]
    low = Floats(payoffs[np.newaxis]) - Floats(payoffs.min(keepdims=True))
    u = np.moveaxis(low.values.reshape(shape), player, 0).reshape(shape[player], -1)
    earned = u @ x.T
    gains: np.ndarray = earned - earned[sources, np.arange(len(sources))]
    return gains
