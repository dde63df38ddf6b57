"""Knowledge as rows of labels: in each row, states with equal labels cannot be told apart.

A label is the number of the first state of its block, so that rows need no renumbering.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final

import numpy as np

from theory.shared.shapes import Labels2D

__all__ = ["Labels2D", "join_knowledge", "representatives"]

_FEW: Final = 256
"""Up to so many labels are compared one by one: sorting them only pays for more."""


def join_knowledge(first: Labels2D, second: Labels2D) -> Labels2D:
    """Return, for every pair of rows, what is known by knowing both.

    The pair of row i of the first and row j of the second becomes row i * len(second) + j.
    O(pairs x states x log states).
    """
    states = first.shape[1]
    if first.size * len(second) <= _FEW:
        pairs = [zip(a, b, strict=True) for a in first.tolist() for b in second.tolist()]
        return np.array([_first_states(each) for each in pairs], dtype=np.int64).reshape(-1, states)
    codes = first[:, np.newaxis, :] * np.int64(states) + second[np.newaxis, :, :]
    return representatives(codes.reshape(len(first) * len(second), states))


def _first_states(codes: Iterable[Hashable]) -> list[int]:
    """Replace every code by the number of the first state that carries it."""
    seen: dict[Hashable, int] = {}
    return [seen.setdefault(code, w) for w, code in enumerate(codes)]


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
