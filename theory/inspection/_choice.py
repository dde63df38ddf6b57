"""The choice that both protocols share: the best option in each block of what is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.decision import TIE_TOLERANCE
from theory.inspection._course import Ties
from theory.inspection._knowledge import Labels2D
from theory.numbers import Floats, Numbers

__all__ = ["best_options", "tie_slack"]


def best_options(
    options: Numbers, p: Numbers, known: Labels2D, ties: Ties
) -> tuple[Labels2D, Labels2D]:
    """Return, by row and state, the option x that maximises E[payoff of x | block of the state].

    The second array says how many options do so.

    ``options`` holds payoffs by option and then row and state, flat; ``p`` is by state. Of several
    best options the first is taken, or the last where ties go to most goods.
    """
    rows, states = known.shape
    weights = p[np.tile(np.arange(states), rows)]
    labels = (known + states * np.arange(rows)[:, np.newaxis]).ravel()
    sums = (options * weights).block_sums(labels, rows * states)
    slack = 0.0
    if isinstance(sums, Floats):
        slack = tie_slack(options, weights.block_sums(labels, rows * states))
    marks = sums.maximisers(slack)
    best = marks.argmax(axis=0)
    if ties is Ties.MOST_GOODS:
        best = len(marks) - 1 - marks[::-1].argmax(axis=0)
    count = marks.sum(axis=0, dtype=np.int64)
    return best[labels].reshape(rows, states), count[labels].reshape(rows, states)


def tie_slack(options: Numbers, masses: Numbers) -> Any:
    """Return how far a sum over a block may be from the largest and still tie with it.

    ``masses`` holds the probability of the block, or of each of several.
    """
    if not isinstance(options, Floats) or not isinstance(masses, Floats):
        return 0.0
    return TIE_TOLERANCE * np.abs(options.values).max() * masses.values
