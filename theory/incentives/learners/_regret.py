r"""Regret of a history of mixed play, in floats and, by other code, in fractions.

With x_t the play and r_t the rewards of round t, let M(i, j) = \sum_t x_t(i) r_t(j), what action i
would have earned had it been replaced by action j. Then

    external regret = max_j \sum_t r_t(j) - \sum_i M(i, i),
    internal regret = max_{i, j} M(i, j) - M(i, i),
    swap regret     = \sum_i max_j M(i, j) - M(i, i).

External regret is at most swap regret, and internal regret at most swap regret, which is at most N
times internal regret (Blum and Mansour, From external to internal regret, 2007).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np

from theory.shared.shapes import Float64

__all__ = ["REGRETS", "exact_regret", "regrets"]

REGRETS: Final = ("external", "internal", "swap")


def regrets(
    plays: Float64[np.ndarray, "rounds actions"], rewards: Float64[np.ndarray, "rounds actions"]
) -> dict[str, float]:
    """Return the three regrets, O(rounds actions^2)."""
    earned = plays.T @ rewards
    gain = earned - np.diag(earned)[:, np.newaxis]
    return {
        "external": float(rewards.sum(axis=0).max() - np.trace(earned)),
        "internal": float(gain.max()),
        "swap": float(gain.max(axis=1).sum()),
    }


def exact_regret(
    kind: str,
    plays: Float64[np.ndarray, "rounds actions"],
    rewards: Float64[np.ndarray, "rounds actions"],
) -> Fraction:
    """Return one of them exactly, each float being the rational that it stands for.

    Every deviation is followed round by round.
    """
    rounds = [
        (list(map(Fraction, x)), list(map(Fraction, r)))
        for x, r in zip(plays.tolist(), rewards.tolist(), strict=True)
    ]
    actions = range(plays.shape[1])

    def gain(i: int, j: int) -> Fraction:
        """Return what is gained by j wherever i was played."""
        return sum((x[i] * (r[j] - r[i]) for x, r in rounds), Fraction(0))

    if kind == "external":
        earned = sum((x[i] * r[i] for x, r in rounds for i in actions), Fraction(0))
        return max(sum((r[j] for _, r in rounds), Fraction(0)) for j in actions) - earned
    if kind == "internal":
        return max(gain(i, j) for i in actions for j in actions)
    return sum((max(gain(i, j) for j in actions) for i in actions), Fraction(0))
