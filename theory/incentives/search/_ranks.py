"""Where to start from, of many places tried."""

from __future__ import annotations

import numpy as np

from theory.shared.shapes import Int64

__all__ = ["ranks"]


def ranks(places: int, count: int) -> Int64[np.ndarray, " starts"]:
    """Return at most ``count`` different ranks out of 0, ..., places - 1, in geometric progression.

    Many of the best places are among them, and some of all others, since what looks worst at first
    may lie beside what is best.
    """
    spread = np.geomspace(1, places, min(count, places))
    return np.unique(np.rint(spread).astype(np.int64)) - 1
