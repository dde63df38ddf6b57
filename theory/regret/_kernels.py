"""Compiled loops: regrets round by round, and best replies among the rows of a matrix."""

from __future__ import annotations

import numpy as np

from theory.shared.compiling import kernel

__all__ = ["block_width", "first_maximisers", "regrets_at"]


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


@kernel
def block_width(dimension: int) -> int:
    """Return how many rows :func:`first_maximisers` takes at once: a power of two."""
    width = 32
    while width < 512 and width * dimension < 16384:
        width *= 2
    return width


@kernel
def first_maximisers(
    matrix: np.ndarray, vectors: np.ndarray, where: np.ndarray, most: np.ndarray
) -> None:
    """Raise most[q] to the largest product of vectors[q] with a row, and where[q] to the first one.

    Rows go by in blocks, transposed so that products of neighbours fill vector registers, and each
    is summed in the same order.
    """
    n, d = matrix.shape
    width = block_width(d)
    columns = np.zeros((d, width))
    rewards = np.empty(width)
    peaks = np.empty(width // 2)
    for start in range(0, n, width):
        count = min(width, n - start)
        for b in range(count):
            for k in range(d):
                columns[k, b] = matrix[start + b, k]
        for q in range(len(vectors)):
            z = vectors[q]
            for b in range(width):
                rewards[b] = 0.0
            k = 0
            while k + 4 <= d:
                z0, z1, z2, z3 = z[k], z[k + 1], z[k + 2], z[k + 3]
                c0, c1, c2, c3 = columns[k], columns[k + 1], columns[k + 2], columns[k + 3]
                for b in range(width):
                    rewards[b] += z0 * c0[b] + z1 * c1[b] + z2 * c2[b] + z3 * c3[b]
                k += 4
            while k < d:
                z0, c0 = z[k], columns[k]
                for b in range(width):
                    rewards[b] += z0 * c0[b]
                k += 1
            for b in range(count, width):
                rewards[b] = -np.inf
            half = width // 2
            for b in range(half):
                peaks[b] = rewards[b] if rewards[b] > rewards[b + half] else rewards[b + half]
            while half > 1:
                half //= 2
                for b in range(half):
                    peaks[b] = peaks[b] if peaks[b] > peaks[b + half] else peaks[b + half]
            if peaks[0] > most[q]:
                b = 0
                while rewards[b] != peaks[0]:
                    b += 1
                most[q] = peaks[0]
                where[q] = start + b
