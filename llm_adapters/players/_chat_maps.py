r"""Best maps under noise, from best responses under noise.

The maps are the identity, the N (N - 1) moves i -> j, and with constants the N maps of everything
to one j. With noise of its own on each, the best map is the best of: the identity; for each i, the
best move of i; the best constant map. So an oracle that answers which j has the most points is
asked about each i that was played. Moves of actions that were never played gain nothing, and their
noise alone decides.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np

from mechanisms.learners.lazy_maps import SampledMaps
from theory.shared.shapes import Bool, Float64, Row

__all__ = ["Names", "drawn_maps"]


Names = Callable[[Row, np.random.Generator, int | None], int]
"""Names the action with the most points, of all or of all but one."""


def drawn_maps(
    name: Names,
    rows: Float64[np.ndarray, "actions actions"],
    played: Bool[np.ndarray, " actions"],
    totals: Row | None,
    *,
    rate: float,
    rng: np.random.Generator,
    n: int,
) -> SampledMaps:
    """Return n independent draws; where totals are given, constant maps have half of the prior.

    A move and the identity have the prior 1 / (N (N - 1) + 1), or half of it, and a constant map
    1 / (2N).
    """
    return SampledMaps.count(
        _draw_map(name, rows, played, totals, rate=rate, rng=rng) for _ in range(n)
    )


def _draw_map(
    name: Names,
    rows: Float64[np.ndarray, "actions actions"],
    played: Bool[np.ndarray, " actions"],
    totals: Row | None,
    *,
    rate: float,
    rng: np.random.Generator,
) -> tuple[int | None, int | None]:
    """Return source and target of the best map: no source for a constant one, neither for none."""
    size = len(rows)
    if size == 1:
        return None, None
    noise = rng.gumbel(size=(size, size))
    found: tuple[int | None, int | None] = None, None
    best = float(rng.gumbel())
    for i in range(size):
        if played[i]:
            j = name(rows[i] + noise[i] / rate, rng, i)
        else:
            j = int(np.where(np.arange(size) == i, -np.inf, noise[i]).argmax())
        value = rate * float(rows[i, j] - rows[i, i]) + float(noise[i, j])
        if value > best:
            best, found = value, (i, j)
    if totals is None:
        return found
    noise_of_constants = rng.gumbel(size=size)
    j = name(totals + noise_of_constants / rate, rng, None)
    gained = rate * float(totals[j] - np.trace(rows)) + log((size * (size - 1) + 1) / size)
    return (None, j) if gained + float(noise_of_constants[j]) > best else found
