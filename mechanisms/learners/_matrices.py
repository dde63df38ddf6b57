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

__all__ = ["Matrices", "play_compiled", "play_matrices"]

Matrices = tuple[np.ndarray, np.ndarray]
"""What each player earns: rows are the other's actions, columns the own."""

_PLAYING, _TELLING = "when asked to play", "when told its rewards"
_FLOAT64 = np.dtype(np.float64)
_COMPILED = (Hedge, BestResponse, RegretMatching, BlumMansour)


def play_compiled(seats: list[Seat], forms: Matrices, rounds: int) -> bool:
    """Play the whole game as compiled code; return False where the learners cannot."""
    rules = [_rule(seat) for seat in seats]
    first, second = rules
    if first is None or second is None or not all(seat.dense for seat in seats):
        return False
    from mechanisms.learners import _kernels

    plays, rewards = tuple(s.plays for s in seats), tuple(s.observations for s in seats)
    played = _kernels.play_rounds((first.state, second.state), forms, plays, rewards)
    assert played == rounds, "payoffs were within the range of rewards"
    return True


def play_matrices(seats: list[Seat], forms: Matrices) -> None:
    """Lead the learners through the game, with one array of plays for each.

    Raises
    ------
    LearnerError
        When a learner raises, or plays what is no mixed strategy.
    """
    from mechanisms.learners._kernels import settle

    first, second = seats
    form1, form2 = forms
    play1, play2 = first.learner.play, second.learner.play
    observe1, observe2 = first.learner.observe, second.learner.observe
    shape1, shape2 = first.plays[0].shape, second.plays[0].shape
    rows = zip(first.plays, second.plays, first.observations, second.observations, strict=True)
    who, where, t = first, _PLAYING, 0
    try:
        for t, (row1, row2, rewards1, rewards2) in enumerate(rows):
            who, where = first, _PLAYING
            x = play1()
            who = second
            y = play2()
            if type(x) is not np.ndarray or x.dtype is not _FLOAT64 or x.shape != shape1:
                x = first.checked(x, t)
            if type(y) is not np.ndarray or y.dtype is not _FLOAT64 or y.shape != shape2:
                y = second.checked(y, t)
            if not settle(form1, x, y, row1, rewards1):
                first.checked(x, t)
            if not settle(form2, y, x, row2, rewards2):
                second.checked(y, t)
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
