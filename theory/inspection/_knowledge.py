"""Knowledge as rows of labels: in each row, states with equal labels cannot be told apart.

A label is the number of the first state of its block, so that rows need no renumbering.
"""

from __future__ import annotations

import numpy as np

from theory._shapes import Labels2D

__all__ = ["Labels2D", "representatives", "together"]


def together(first: Labels2D, second: Labels2D) -> Labels2D:
    """Return, for every pair of rows, what is known by knowing both.

    The pair of row i of the first and row j of the second becomes row i * len(second) + j.
    O(pairs x states x log states).
    """
    states = first.shape[1]
    codes = first[:, np.newaxis, :] * np.int64(states) + second[np.newaxis, :, :]
    return representatives(codes.reshape(len(first) * len(second), states))


def representatives(codes: Labels2D) -> Labels2D:
    """Replace every code by the number of the first state in its row that carries it."""
    order = codes.argsort(axis=1)
    ordered = np.take_along_axis(codes, order, axis=1)
    fresh = np.ones(codes.shape, dtype=bool)
    fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.minimum.reduceat(order.ravel(), np.flatnonzero(fresh))
    labels = np.empty_like(codes)
    rows = np.arange(len(codes))[:, np.newaxis]
    labels[rows, order] = first[fresh.cumsum() - 1].reshape(codes.shape)
    return labels
