"""Learning over listed actions, a compiled step a round."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechanisms.learners._listed_state import (
    BLUM_MANSOUR,
    HEADER,
    LOW,
    RESIDUAL,
    ROUNDS,
    WIDTH,
    new_state,
)
from mechanisms.learners.arguments import LARGEST_COUNT, reward_width
from theory.errors import InvalidInputError, NumberError, ShapeError
from theory.shared.arguments import read_count
from theory.shared.compiling import cheapest
from theory.shared.shapes import Row

__all__ = ["ListedRule", "read_row"]

_FLOAT64 = np.dtype(np.float64)


class ListedRule:
    """What a listed learner knows, in one array, and the step that changes it.

    Parameters
    ----------
    kind : int
        One of those in ``_state``.
    size : int
        The number of actions N.
    rate : float
        The step size of the first round, on rewards in [0, 1].
    anytime : bool
        Whether step sizes fall as 1 / sqrt(t).
    reward_range : pair of floats
        What rewards lie in.
    """

    def __init__(
        self,
        kind: int,
        size: int,
        reward_range: tuple[float, float],
        *,
        rate: float = 1.0,
        anytime: bool = False,
    ) -> None:
        from mechanisms.learners import _kernels

        low, width = reward_width(reward_range)
        self.state = new_state(
            kind,
            read_count("actions", size, most=LARGEST_COUNT),
            low,
            width,
            rate=rate,
            anytime=anytime,
        )
        self._play = slice(HEADER, HEADER + size)
        self._shape = (size,)
        self._step = _kernels.observe
        self.work = 10 * size if kind != BLUM_MANSOUR else 3 * size**2 + size**3 // 3

    @property
    def rounds_played(self) -> int:
        """How many rounds were counted."""
        return int(self.state[ROUNDS])

    @property
    def residual(self) -> float:
        """The largest residual of a fixed point so far."""
        return float(self.state[RESIDUAL])

    def play(self) -> Row:
        """Return a copy of the next play."""
        return self.state[self._play].copy()

    def observe(self, rewards: Any) -> None:
        """Count a round.

        Raises
        ------
        InvalidInputError
            For what is no row of N finite numbers in the range; nothing is counted then.
        """
        if (
            type(rewards) is not np.ndarray
            or rewards.dtype is not _FLOAT64
            or rewards.shape != self._shape
            or not rewards.flags.c_contiguous
        ):
            rewards = read_row("rewards", rewards, self._shape[0])
        bad = cheapest(self._step, self.work)(self.state, rewards)
        if bad:
            raise self._out_of_range(rewards, bad - 1)

    def _out_of_range(self, rewards: Row, action: int) -> InvalidInputError:
        value, low = float(rewards[action]), float(self.state[LOW])
        high = low + float(self.state[WIDTH])
        if not np.isfinite(value):
            fix = "give finite numbers"
            return NumberError("rewards", rewards, f"of action {action} are {value}", fix)
        problem = f"of action {action} are {value:.9g}, outside [{low:g}, {high:g}]"
        fix = "scale them, or make the learner with their reward_range"
        return InvalidInputError("rewards", rewards, problem, fix)


def read_row(argument: str, values: Any, size: int) -> Row:
    """Return a row of N numbers as float64.

    Raises
    ------
    NumberError
        For what is no array of real numbers.
    ShapeError
        For another shape.
    """
    fix = f"give {size} numbers"
    try:
        row = np.asarray(values)
        if row.dtype.kind not in "iuf":
            raise TypeError(f"no numbers but {row.dtype}")
        row = np.ascontiguousarray(row, dtype=_FLOAT64)
    except (TypeError, ValueError) as error:
        raise NumberError(argument, values, "are no list of numbers", fix) from error
    if np.shape(values) != (size,):
        raise ShapeError(argument, values, f"have shape {np.shape(values)}", fix)
    return row
