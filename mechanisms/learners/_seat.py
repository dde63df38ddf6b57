"""A player at the table: its learner, and the record of what it played and was told."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from mechanisms._participants import described
from mechanisms.learners._errors import LearnerError
from mechanisms.learners._protocol import Learner
from mechanisms.learners._run import PlayerRun
from mechanisms.learners._state import SLACK
from theory._shapes import Float64, Row
from theory.actions import ActionSet, Listed, SoftmaxStrategy, SparseStrategy, mean_features
from theory.errors import InvalidInputError, LimitError, MechproofError

__all__ = ["DENSE", "RECORD", "Seat", "check_payoffs"]

RECORD: Final = 250_000_000
"""How many numbers an array of a record may have: 2 GB."""
DENSE: Final = 25_000_000
"""Up to how many numbers plays are kept in one array; above, they are kept as they came."""


class Seat:
    """One player of a run.

    Parameters
    ----------
    name : str
    learner : Learner
    actions : ActionSet or None
        None where strategies and observations are not looked at.
    rounds : int

    Raises
    ------
    InvalidInputError
        For what does not play and observe, and for a learner of another number of actions.
    LimitError
        Where the record of what was observed would take more than 2 GB.
    """

    def __init__(self, name: str, learner: Any, actions: ActionSet | None, rounds: int) -> None:
        if not isinstance(learner, Learner) or isinstance(learner, type):
            fix = "give an object with methods play() and observe(rewards)"
            raise InvalidInputError(f"learner of {name}", learner, "is no learner", fix)
        size = getattr(learner, "size", None)
        if actions is not None and type(size) is int and size != actions.size:
            problem = f"is made for {size} actions, and the set has {actions.size}"
            fix = f"make it for {actions.size}"
            raise InvalidInputError(f"learner of {name}", learner, problem, fix)
        played = getattr(learner, "rounds_played", 0)
        if played:
            problem = f"has played {played:,} round{'' if played == 1 else 's'} before"
            raise InvalidInputError(f"learner of {name}", learner, problem, "make a new one")
        self.name, self.learner, self.actions, self.rounds = name, learner, actions, rounds
        self.plays: Any = []
        self.observations: Any = []
        self.told = 0
        if actions is None:
            return
        if rounds * actions.dimension > RECORD:
            problem = f"of {actions.dimension:,} numbers each cannot be kept"
            fix = "play fewer rounds, or write actions by few features"
            raise LimitError("rounds", rounds, problem, fix)
        self.observations = np.zeros((rounds, actions.dimension))
        if isinstance(actions, Listed) and rounds * actions.size <= DENSE:
            self.plays = np.zeros((rounds, actions.size))

    @property
    def dense(self) -> bool:
        """Whether plays are the rows of one array."""
        return isinstance(self.plays, np.ndarray)

    def play(self, t: int) -> Any:
        """Ask for the play of round ``t``, counted from 0, and keep it.

        Raises
        ------
        LearnerError
            When the learner raises, or plays what is no mixed strategy of the set.
        """
        try:
            play = self.learner.play()
        except BaseException as error:
            raise self.blamed(error, t, "when asked to play") from error
        if self.actions is not None:
            play = self.checked(play, t)
        if self.dense:
            self.plays[t] = play
        else:
            self.plays.append(play)
        return play

    def features(self, play: Any) -> Row:
        """Return the mean feature of a play."""
        assert self.actions is not None
        return mean_features(self.actions, play)

    def observe(self, t: int, observation: Any) -> None:
        """Tell what came of round ``t``, and keep it.

        Raises
        ------
        LearnerError
            When the learner raises anything but an error of ours.
        """
        told = observation
        if self.actions is None:
            self.observations.append(observation)
        else:
            self.observations[t] = observation
            told = self.observations[t].copy()
        try:
            self.learner.observe(told)
        except BaseException as error:
            raise self.blamed(error, t, "when told its rewards") from error
        self.told = t + 1

    def finished(self, rounds: int) -> PlayerRun:
        """Return the record of the first ``rounds`` rounds."""
        plays, observations = self.plays[:rounds], self.observations[:rounds]
        for array in (plays, observations):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        return PlayerRun(
            name=self.name,
            learner=self.learner,
            actions=self.actions,
            plays=plays if self.dense else tuple(plays),
            observations=observations if self.actions is not None else tuple(observations),
            residual=float(getattr(self.learner, "residual", 0.0)),
            oracle_gap=_gap(self.learner),
        )

    def blamed(self, error: BaseException, t: int, where: str) -> BaseException:
        """Return an error that names the learner and the round; errors of ours stay what they are.

        ``KeyboardInterrupt`` stays, too, since it comes from who runs the program.
        """
        if isinstance(error, MechproofError):
            error.add_note(f"raised by the learner of {self.name} in round {t + 1}, {where}")
        if isinstance(error, MechproofError | KeyboardInterrupt):
            return error
        return self.failed(f"raised {described(error)} {where}", t, "mend it")

    def failed(self, problem: str, t: int, fix: str) -> LearnerError:
        """Return the error of a learner in round ``t``."""
        return LearnerError(f"the learner of {self.name}", f"{problem} in round {t + 1}", fix)

    def checked(self, play: Any, t: int) -> Any:
        """Return a play that can be kept: a copy of an array, or a strategy.

        Raises
        ------
        LearnerError
            For what is no mixed strategy of the set.
        """
        actions = self.actions
        assert actions is not None
        fix = f"play a mixed strategy over {actions.size} actions"
        shown: object = play
        if isinstance(play, SparseStrategy):
            if play.size == actions.size and all(action in actions for action in play.actions):
                return play.dense() if self.dense else play
        elif isinstance(play, SoftmaxStrategy):
            if play.actions is actions or play.actions == actions:
                return np.asarray(play) if self.dense else play
        else:
            shown = row = _array(play)
            if row.shape != (actions.size,):
                shown = play
            elif row.min() >= -SLACK and abs(row.sum() - 1) <= SLACK:
                return row
        raise self.failed(f"plays {described(shown)}, no mixed strategy of its set,", t, fix)


def check_payoffs(seat: Seat, low: float, high: float) -> None:
    """Refuse a game whose payoffs leave the range that a learner was made for, before any play.

    Raises
    ------
    InvalidInputError
        With the range that the learner should have.
    """
    stated = getattr(seat.learner, "reward_range", None)
    if stated is None:
        return
    slack = SLACK * (stated[1] - stated[0])
    if low < stated[0] - slack or high > stated[1] + slack:
        problem = (
            f"pays {seat.name} from {low:g} to {high:g}, and its learner is made for "
            f"[{stated[0]:g}, {stated[1]:g}]"
        )
        fix = f"make the learner with reward_range=({low:g}, {high:g}), or rescale the game"
        raise InvalidInputError("game", (low, high), problem, fix)


def _array(play: Any) -> Float64[np.ndarray, "..."]:
    try:
        return np.array(play, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty((0, 0))


def _gap(learner: Any) -> float:
    oracle = getattr(learner, "oracle", None)
    return float(getattr(learner, "oracle_gap", getattr(oracle, "gap", 0.0)))
