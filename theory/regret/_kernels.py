"""Compiled loops for regrets round by round."""

from __future__ import annotations

import numpy as np

from theory._compiled import kernel

__all__ = ["regrets_at"]


@kernel
def regrets_at(plays: np.ndarray, rewards: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return a row of external, internal and swap regret for each of the rounds ``at``.

    gains[i, j] is sum_t x_t(i) (r_t(j) - r_t(i)), totals[j] is sum_t r_t(j) - <x_t, r_t>.
    """
    n = plays.shape[1]
    found = np.empty((len(at), 3))
    gains = np.zeros((n, n))
    totals = np.zeros(n)
    k = 0
    for t in range(at[-1]):
        x, r = plays[t], rewards[t]
        earned = 0.0
        for i in range(n):
            earned += x[i] * r[i]
        for j in range(n):
            totals[j] += r[j] - earned
        for i in range(n):
            if x[i] > 0.0:
                row, weight, own = gains[i], x[i], r[i]
                for j in range(n):
                    row[j] += weight * (r[j] - own)
        if t + 1 == at[k]:
            internal = 0.0
            swap = 0.0
            for i in range(n):
                row = gains[i]
                best = 0.0
                for j in range(n):
                    best = max(best, row[j])
                internal = max(internal, best)
                swap += best
            external = totals[0]
            for j in range(n):
                external = max(external, totals[j])
            found[k, 0] = external
            found[k, 1] = internal
            found[k, 2] = swap
            k += 1
    return found
