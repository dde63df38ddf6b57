"""Where a listed learner keeps what it knows: one array of float64 that compiled code reads.

The first numbers are those named here; then come the N probabilities of the next play, N numbers
for the round at hand, what each action has earned, and what else the kind of learner needs.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from theory.shared.shapes import Row

__all__ = [
    "ANYTIME",
    "BEST_RESPONSE",
    "BLUM_MANSOUR",
    "FLOOR",
    "HEADER",
    "HEDGE",
    "KIND",
    "LOW",
    "RATE",
    "REGRET_MATCHING",
    "RESIDUAL",
    "ROUNDS",
    "SIZE",
    "SLACK",
    "SPREAD",
    "TIES",
    "WIDTH",
    "new_state",
]

KIND: Final = 0
SIZE: Final = 1
ROUNDS: Final = 2
"""How many rounds were observed."""
LOW: Final = 3
WIDTH: Final = 4
RATE: Final = 5
"""The step size of the first round."""
ANYTIME: Final = 6
SPREAD: Final = 7
"""The sum over rounds of the largest less the smallest reward."""
RESIDUAL: Final = 8
HEADER: Final = 9

HEDGE: Final = 0
BEST_RESPONSE: Final = 1
REGRET_MATCHING: Final = 2
BLUM_MANSOUR: Final = 3

SLACK: Final = 1e-9
"""How far rewards may be outside their range, and plays off a distribution."""
TIES: Final = 1e-12
"""Sums of rewards tie within this share of the spread: float64 cannot tell them apart for sure."""
FLOOR: Final = 1e-30
"""The least weight of an action in Blum and Mansour's copies, relative to the best one's."""


def new_state(
    kind: int, size: int, low: float, width: float, *, rate: float = 1.0, anytime: bool = False
) -> Row:
    """Return what a learner knows before the first round."""
    rows = 3 * size if kind == BLUM_MANSOUR else 1
    state = np.zeros(HEADER + (2 + rows) * size)
    state[:HEADER] = kind, size, 0, low, width, rate, anytime, 0, 0
    state[HEADER : HEADER + size] = 1 / size
    if kind == BEST_RESPONSE:
        state[HEADER : HEADER + size] = 0
        state[HEADER] = 1
    return state
