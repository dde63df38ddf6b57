"""Saying where a kernel found something wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

import numpy as np

from mechanisms.softmax_auction._reading import LARGEST, Queries, place
from theory.errors import LimitError, NumberError, ProbabilityError
from theory.shared.compiling import cheapest, machine_code

__all__ = ["SMALL", "run"]

SMALL: Final = 4_096
"""Up to so many rewards a call is computed without liberties, and so maybe without a compiler."""
_STEPS: Final = 40
"""About how many microseconds plain Python takes for a reward."""


def run(kernel: Callable[..., Any], queries: Queries, *arguments: Any) -> None:
    """Run a kernel over queries; raise what it found wrong.

    Whether the kernel may take liberties, which change last bits, depends on the number of rewards
    alone.

    Raises
    ------
    NumberError
        For rewards or log-probabilities that are not finite.
    ProbabilityError
        For log-probabilities above 0, a candidate that its generator cannot draw, and candidates
        that are all impossible under the reference.
    LimitError
        For rewards, or rewards over tau, whose sums may leave the range of float64, and for tau
        times log-probabilities where they are paid.
    """
    rewards, tau, log_ref, log_gen, _ = queries
    small = rewards.size <= SMALL
    compute = cheapest(kernel, _STEPS * rewards.size) if small else machine_code(kernel)
    wrong = compute(rewards.reshape(-1, rewards.shape[2]), tau, log_ref, log_gen, *arguments)
    if wrong:
        from mechanisms.softmax_auction import _kernels_laws as laws

        if not np.isfinite(rewards).all():
            _refuse_rewards(queries)
        if wrong == laws.LOG_REF:
            _refuse_log("log_ref", log_ref, ~(log_ref <= 0), queries.batch)
        if wrong == laws.LOG_GEN:
            wrong_gen = ~((log_gen <= 0) & (log_gen > -np.inf))
            _refuse_log("log_gen", log_gen, wrong_gen, queries.batch)
        if wrong == laws.ALLOCATION:
            problem, fix = "has no possible candidate", "give a candidate that the reference knows"
            raise ProbabilityError("log_ref", -np.inf, problem, fix)
        if wrong == laws.MONEY:
            _refuse_money(queries)
        _refuse_range(rewards)


def _refuse_rewards(queries: Queries) -> NoReturn:
    shaped = queries.rewards.reshape(*queries.batch, *queries.rewards.shape[1:])
    where = tuple(np.argwhere(~np.isfinite(shaped))[0])
    value = float(shaped[where])
    raise NumberError(place("rewards", where), value, "is not finite", "give a number")


def _refuse_log(
    argument: str, logs: np.ndarray, wrong: np.ndarray, batch: tuple[int, ...]
) -> NoReturn:
    row, column = np.argwhere(wrong)[0]
    value = float(logs[row, column])
    at = np.unravel_index(row, batch) if len(logs) > 1 else ()
    where = place(argument, (*at, column))
    if np.isnan(value):
        raise NumberError(where, value, "is not a number", "give logarithms of probabilities")
    if value > 0:
        fix = "give logarithms of probabilities, which are at most 0"
        raise ProbabilityError(where, value, "is above 0", fix)
    fix = "score candidates under the law that really drew them"
    raise ProbabilityError(where, value, "is a candidate that its generator cannot draw", fix)


def _refuse_money(queries: Queries) -> NoReturn:
    """Without the offset, tau times a log-probability is money that somebody pays."""
    tau = float(queries.tau.max())
    problem = "times log_ref - log_gen is a payment beyond float64"
    fix = "scale rewards and tau together, or pay with the offset"
    raise LimitError("tau", tau, problem, fix)


def _refuse_range(rewards: np.ndarray) -> NoReturn:
    largest = float(np.abs(rewards).max())
    problem = f"or its quotient by tau, may not be summed below {LARGEST:g} in float64"
    fix = "scale rewards and tau together, or use certified_auction"
    raise LimitError("the largest reward", largest, problem, fix)
