"""The law of the smooth internal oracle over listed actions: the limit of many draws."""

from __future__ import annotations

from math import log

import numpy as np

from theory.fixed_point import MapMixture, fixed_point
from theory.shared.shapes import Float64, Row

__all__ = ["ExpectedMaps"]


class ExpectedMaps:
    r"""What each map would have gained, and the matrix of their mixture, O(N^2) a round.

    ``gains[i, j]`` is \sum_s x_s(i) (r_s(j) - r_s(i)), and ``lead[j]`` is
    \sum_s r_s(j) - f_s(x_s).
    """

    def __init__(self, size: int, constants: bool) -> None:
        self.gains = np.zeros((size, size))
        self.lead = np.zeros(size)
        self._constants = constants

    def add(self, play: Row, rewards: Row) -> None:
        """Count a round."""
        self.gains += np.outer(play, rewards) - (play * rewards)[:, np.newaxis]
        self.lead += rewards - play @ rewards

    def fixed_point(self, rate: float) -> tuple[Row, float]:
        """Return the strategy of the next round, and by how much it is no fixed point."""
        found = fixed_point(MapMixture.from_matrix(self.mixture(rate)))
        play = found.dense()
        play.flags.writeable = False
        return play, float(found.gap)

    def mixture(self, rate: float) -> Float64[np.ndarray, "actions actions"]:
        """Return the row-stochastic matrix Q: what Q gives j of the probability that i has.

        A move weighs exp(rate gain) and the identity 1; with constant maps, which have half of the
        prior, these are divided by N (N - 1) + 1, and a constant map weighs exp(rate lead) / N.
        """
        N = len(self.lead)
        logs = rate * self.gains
        np.fill_diagonal(logs, -np.inf)
        leads = rate * self.lead + log(N * (N - 1) + 1) - log(N)
        top = max(0.0, float(logs.max()), float(leads.max()) if self._constants else 0.0)
        weights = np.exp(logs - top)
        total = float(weights.sum()) + np.exp(-top)
        if self._constants:
            fixed = np.exp(leads - top)
            weights += fixed
            total += float(fixed.sum())
            np.fill_diagonal(weights, 0.0)
        weights /= total
        np.fill_diagonal(weights, np.maximum(0.0, 1 - weights.sum(axis=1)))
        return weights
