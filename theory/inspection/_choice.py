"""The choice that both protocols share: the best option in each block of what is known."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from theory.inspection._knowledge import Labels2D
from theory.inspection._outcome import Ties
from theory.numbers import Floats, Numbers
from theory.shared.arguments import instance_of, refusing
from theory.shared.rounding import tied_best
from theory.shared.shapes import Bool, Int64

__all__ = ["best_marks", "best_of", "best_options", "states_by_row"]

_FEW: Final = 1 << 10
"""Arrays of at most so many cells are kept."""


def best_options(
    options: Numbers, p: Numbers, known: Labels2D, ties: Ties
) -> tuple[Labels2D, Labels2D]:
    """Return, by row and state, the option x that maximises E[payoff of x | block of the state].

    The second array says how many options do so.

    ``options`` holds payoffs by option and then row and state, flat; ``p`` is by state. Of several
    best options the first is taken, or the last where ties go to most goods.
    """
    rows, states = known.shape
    weighted = options * p[states_by_row(rows, states)]
    labels = (known + states * np.arange(rows)[:, np.newaxis]).ravel()
    marks = best_marks(weighted, labels, rows * states)
    best = marks.argmax(axis=0)
    if ties is Ties.MOST_GOODS:
        best = len(marks) - 1 - marks[::-1].argmax(axis=0)
    count = marks.sum(axis=0, dtype=np.int64)
    return best[labels].reshape(rows, states), count[labels].reshape(rows, states)


def states_by_row(rows: int, states: int) -> Int64[np.ndarray, " cells"]:
    """Return the numbers of the states, once for each row; not to be written to."""
    return (_kept if rows * states <= _FEW else _tile_states)(rows, states)


def _tile_states(rows: int, states: int) -> Int64[np.ndarray, " cells"]:
    found = np.tile(np.arange(states, dtype=np.int64), rows)
    found.flags.writeable = False
    return found


_kept = lru_cache(maxsize=256)(_tile_states)


@refusing
def best_of(weighted: Numbers) -> Int64[np.ndarray, " best"]:
    """Return the numbers of all options with the largest sum of probability times payoff.

    ``weighted`` holds the products by option and state; sums are over all its states, and tie as
    those of the protocols do.
    """
    instance_of("weighted", weighted, Numbers, "use theory.numbers.as_numbers")
    states = weighted.shape[1]
    return np.flatnonzero(best_marks(weighted, np.zeros(states, dtype=np.int64), 1))


def best_marks(
    weighted: Numbers, labels: Int64[np.ndarray, " n"], count: int
) -> Bool[np.ndarray, "options count"]:
    """Mark, in each block, every option with the largest sum of probability times payoff.

    float64 sums tie by the rule of all of ``theory``: what other options are worth does not count.
    """
    sums = weighted.block_sums(labels, count)
    if not isinstance(sums, Floats) or not isinstance(weighted, Floats):
        return sums.maximisers()
    sizes = Floats(np.abs(weighted.values)).block_sums(labels, count).values
    return tied_best(sums.values, sizes, np.bincount(labels, minlength=count))
