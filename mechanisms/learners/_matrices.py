"""Games of two players with listed actions, led round by round or compiled as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechanisms.learners._best_response import BestResponse
from mechanisms.learners._blum_mansour import BlumMansour
from mechanisms.learners._errors import LearnerError
from mechanisms.learners._hedge import Hedge
from mechanisms.learners._listed import ListedRule
from mechanisms.learners._regret_matching import RegretMatching
from mechanisms.learners._seat import Seat
from theory.errors import InvalidInputError

__all__ = ["Matrices", "compilable", "play_compiled", "play_matrices"]

Matrices = tuple[np.ndarray, np.ndarray]
"""What each player earns: rows are the other's actions, columns the own."""

_PLAYING, _TELLING = "when asked to play", "when told its rewards"
_FLOAT64 = np.dtype(np.float64)
_COMPILED = (Hedge, BestResponse, RegretMatching, BlumMansour)


def compilable(seats: list[Seat]) -> bool:
    """Return whether the learners can play a whole game in one kernel."""
    return all(seat.dense and _rule(seat) is not None for seat in seats)


def play_compiled(seats: list[Seat], forms: Matrices, rounds: int) -> None:
    """Play the whole game in one kernel, with learners that can.

    Raises
    ------
    InvalidInputError
        When one refuses its rewards, which were checked before: someone changed its range.
    """
    from mechanisms.learners import _kernels
    from theory.compiling import cheapest

    states = tuple(rule.state for rule in map(_rule, seats) if rule is not None)
    plays, rewards = tuple(s.plays for s in seats), tuple(s.observations for s in seats)
    ends = tuple(s.ends for s in seats)
    work = rounds * (
        forms[0].size + sum(rule.work for rule in map(_rule, seats) if rule is not None)
    )
    played = cheapest(_kernels.play_rounds, work)(states, forms, ends, plays, rewards)
    for seat in seats:
        seat.told = played
    if played < rounds:
        problem = f"pays in round {played + 1} what a learner refuses"
        fix = "leave the reward_range of learners as they were made"
        raise InvalidInputError("game", ends, problem, fix)


def play_matrices(seats: list[Seat], forms: Matrices) -> None:
    """Lead the learners through the game, with one array of plays for each.

    Raises
    ------
    LearnerError
        When a learner raises, or plays what is no mixed strategy.
    """
    from mechanisms.learners import _kernels
    from theory.compiling import cheapest

    first, second = seats
    ends = first.ends, second.ends
    play1, play2 = first.learner.play, second.learner.play
    observe1, observe2 = first.learner.observe, second.learner.observe
    shape1, shape2 = first.plays[0].shape, second.plays[0].shape
    settle = cheapest(_kernels.settle, len(first.plays) * 2 * forms[0].size)
    rows = zip(first.plays, second.plays, first.observations, second.observations, strict=True)
    who, where, t = first, _PLAYING, 0
    try:
        for t, (row1, row2, rewards1, rewards2) in enumerate(rows):
            who, where = first, _PLAYING
            x = play1()
            who = second
            y = play2()
            rowed = (
                type(x) is type(y) is np.ndarray
                and x.dtype is _FLOAT64
                and y.dtype is _FLOAT64
                and x.shape == shape1
                and y.shape == shape2
            )
            into = (row1, row2), (rewards1, rewards2)
            if not (rowed and settle(forms, ends, (x, y), *into)):
                who, x = first, first.checked(x, t)
                who, y = second, second.checked(y, t)
                weigh = cheapest(_kernels.weigh, 2 * forms[0].size)
                weigh(forms, ends, (x, y), *into)
            who, where = first, _TELLING
            observe1(rewards1.copy())
            who = second
            observe2(rewards2.copy())
            first.told = second.told = t + 1
    except LearnerError:
        raise
    except BaseException as error:
        raise who.blamed(error, t, where) from error


def _rule(seat: Seat) -> ListedRule | None:
    """Return the compiled rule of a learner that ships, not of one that derives from it."""
    learner: Any = seat.learner
    rule = learner._rule if type(learner) in _COMPILED else None
    return rule if isinstance(rule, ListedRule) else None
