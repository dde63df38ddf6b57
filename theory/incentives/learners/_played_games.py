"""Games of a learner against an adversary, or against rewards that are given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import methodcaller
from typing import Any

import numpy as np

from theory.errors import InvalidInputError
from theory.incentives._checklist import describe_exception, write_short
from theory.incentives.learners._adversaries import Adversary
from theory.incentives.learners._learner import LearnerFactory
from theory.shared.shapes import Float64

__all__ = ["Game", "PlayedGame", "play", "replay"]


@dataclass(frozen=True, slots=True)
class Game:
    """How large a game is, and the seed of the learner."""

    actions: int
    rounds: int
    seed: int
    adversary: str

    def __str__(self) -> str:
        size = f"{self.actions} actions, {self.rounds} round{'' if self.rounds == 1 else 's'}"
        return f"{self.adversary}, {size}, seed {self.seed}"


@dataclass(frozen=True)
class PlayedGame:
    """A game as far as it went.

    Attributes
    ----------
    plays, rewards : arrays of rounds x actions
        All rounds whose play was a distribution.
    improper : str
        What is wrong with the play of the next round; empty where the game was played to its end.
    fault : str
        What was raised instead of the next round.
    """

    game: Game
    plays: Float64[np.ndarray, "rounds actions"]
    rewards: Float64[np.ndarray, "rounds actions"]
    improper: str = ""
    fault: str = ""

    @property
    def whole(self) -> bool:
        """Whether every play was a distribution."""
        return not self.improper and not self.fault

    @property
    def size(self) -> tuple[int, int, int]:
        """What is smaller is easier to read: rounds played, actions, rounds planned."""
        return len(self.plays), self.game.actions, self.game.rounds


def play(make: LearnerFactory, game: Game, adversary: Adversary, tolerance: float) -> PlayedGame:
    """Play a game to its end, or until the learner does something wrong.

    Raises
    ------
    InvalidInputError
        When the adversary sets no rewards; and whatever it raises.
    """
    return _play_rounds(make, game, adversary, game.rounds, tolerance)


def replay(
    make: LearnerFactory,
    game: Game,
    rewards: Float64[np.ndarray, "rounds actions"],
    tolerance: float,
) -> PlayedGame:
    """Play the rounds of a game whose rewards are given, whatever the play."""
    rows = iter(rewards)
    return _play_rounds(make, game, lambda _: next(rows), len(rewards), tolerance)


def _play_rounds(
    make: LearnerFactory, game: Game, adversary: Adversary, rounds: int, tolerance: float
) -> PlayedGame:
    plays, rewards = np.empty((rounds, game.actions)), np.empty((rounds, game.actions))
    done, improper = 0, ""
    learner, fault = _ask_learner(make, game.actions, game.rounds, game.seed)
    while done < rounds and not fault:
        raw, fault = _ask_learner(methodcaller("play"), learner)
        if fault:
            break
        plays[done], improper = _distribution(raw, game.actions, tolerance)
        if improper:
            break
        rewards[done] = _rewards(adversary(plays[done].copy()), game)
        done += 1
        _, fault = _ask_learner(methodcaller("observe", rewards[done - 1].copy()), learner)
    return PlayedGame(game, plays[:done], rewards[:done], improper, fault)


def _ask_learner(method: Callable[..., Any], *arguments: object) -> tuple[Any, str]:
    """Return what a learner answers, and what it raises instead."""
    try:
        return method(*arguments), ""
    except (Exception, SystemExit) as error:
        return None, describe_exception(error)


def _distribution(
    raw: Any, actions: int, tolerance: float
) -> tuple[Float64[np.ndarray, " actions"], str]:
    """Return a play as an array, and what keeps it from being a distribution."""
    nothing = np.zeros(actions)
    try:
        x = np.array(raw, dtype=np.float64)
    except (TypeError, ValueError):
        return nothing, f"plays {write_short(raw)}, which is no list of numbers"
    if x.shape != (actions,):
        return nothing, f"plays {write_short(raw)}, of shape {x.shape} and not ({actions},)"
    if not np.isfinite(x).all():
        return nothing, f"plays {_row(x)}, which is not finite"
    if x.min() < -tolerance:
        return x, f"plays {_row(x)}, with a probability below 0"
    if abs(x.sum() - 1) > tolerance:
        return x, f"plays {_row(x)}, with sum {x.sum():.9g}"
    return x, ""


def _rewards(rewards: Any, game: Game) -> Float64[np.ndarray, " actions"]:
    row = np.array(rewards, dtype=np.float64)
    if row.shape != (game.actions,) or not ((row >= 0) & (row <= 1)).all():
        fix = f"return {game.actions} numbers in [0, 1]"
        raise InvalidInputError(f"rewards of {game.adversary}", rewards, "are no rewards", fix)
    return row


def _row(x: Float64[np.ndarray, " actions"]) -> str:
    return ", ".join(f"{p:.6g}" for p in x)
