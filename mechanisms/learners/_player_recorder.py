"""A player at the table: its learner, and the record of what it played and was told."""

from __future__ import annotations

from math import inf, isfinite, nan
from typing import Any, Final

import numpy as np

from mechanisms.learners._errors import LearnerError
from mechanisms.learners._listed_state import SLACK
from mechanisms.learners._protocol import Learner
from mechanisms.learners._run import PlayerRun
from mechanisms.participants import describe_object
from theory.actions import (
    ActionSet,
    IndexedActionSet,
    ListedActions,
    SoftmaxStrategy,
    SparseStrategy,
    mean_features,
)
from theory.errors import InvalidInputError, LimitError, MechproofError
from theory.shared.shapes import Float64, Row
from theory.shared.text import count_text

__all__ = [
    "ALONE",
    "DENSE",
    "RECORD",
    "PlayerRecorder",
    "check_payoffs",
    "real_array",
    "residual_and_gap",
    "rounded_law",
    "stated_range",
]

ALONE: Final = "the learner"
"""The name of a player with no other at the table."""
RECORD: Final = 250_000_000
"""How many numbers an array of a record may have: 2 GB."""
DENSE: Final = 25_000_000
"""Up to how many numbers plays are kept in one array; above, they are kept as they came."""


class PlayerRecorder:
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
        self.name = name
        self.title = "learner" if name == ALONE else f"learner of {name}"
        if not isinstance(learner, Learner) or isinstance(learner, type):
            fix = "give an object with methods play() and observe(rewards)"
            raise InvalidInputError(self.title, learner, "is no learner", fix)
        size = getattr(learner, "size", None)
        if actions is not None and type(size) is int and size != actions.size:
            has = count_text(actions.size)
            problem = f"is made for {count_text(size)} actions, and the set has {has}"
            fix = f"make it for {has}"
            raise InvalidInputError(self.title, learner, problem, fix)
        played = getattr(learner, "rounds_played", 0)
        if isinstance(played, int) and played > 0:
            problem = f"has played {played:,} round{'' if played == 1 else 's'} before"
            raise InvalidInputError(self.title, learner, problem, "make a new one")
        self.learner, self.actions, self.rounds = learner, actions, rounds
        self.plays: Any = []
        self.observations: Any = []
        self.told = 0
        self.ends = (-inf, inf)
        self._indexed = isinstance(actions, IndexedActionSet)
        if actions is None:
            return
        if rounds * actions.dimension > RECORD:
            problem = f"of {actions.dimension:,} numbers each cannot be kept"
            fix = "play fewer rounds, or write actions by few features"
            raise LimitError("rounds", rounds, problem, fix)
        self.observations = np.zeros((rounds, actions.dimension))
        if isinstance(actions, ListedActions) and rounds * actions.size <= DENSE:
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
            raise self.blame(error, t, "when asked to play") from error
        if self.actions is not None:
            play = self.check_play(play, t)
        elif isinstance(play, np.ndarray):
            play = play.copy()
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
        if self.ends != (-inf, inf):
            observation = np.clip(observation, *self.ends)
        if self.actions is None:
            self.observations.append(observation)
        else:
            self.observations[t] = observation
            told = self.observations[t].copy()
        try:
            self.learner.observe(told)
        except BaseException as error:
            raise self.blame(error, t, "when told its rewards") from error
        self.told = t + 1

    def finish(self, rounds: int) -> PlayerRun:
        """Return the record of the first ``rounds`` rounds."""
        plays, observations = self.plays[:rounds], self.observations[:rounds]
        for array in (plays, observations):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        residual, oracle_gap = residual_and_gap(self.learner)
        return PlayerRun(
            name=self.name,
            learner=self.learner,
            actions=self.actions,
            plays=plays if self.dense else tuple(plays),
            observations=observations if self.actions is not None else tuple(observations),
            residual=residual,
            oracle_gap=oracle_gap,
        )

    def blame(self, error: BaseException, t: int, where: str) -> BaseException:
        """Return an error that names the learner and the round; errors of ours stay what they are.

        ``KeyboardInterrupt`` stays, too, since it comes from who runs the program.
        """
        if isinstance(error, MechproofError):
            error.add_note(f"raised by the {self.title} in round {t + 1}, {where}")
        if isinstance(error, MechproofError | KeyboardInterrupt):
            return error
        return self.make_error(f"raised {describe_object(error)} {where}", t, "fix it")

    def make_error(self, problem: str, t: int, fix: str) -> LearnerError:
        """Return the error of a learner in round ``t``."""
        return LearnerError(f"the {self.title}", f"{problem} in round {t + 1}", fix)

    def check_play(self, play: Any, t: int) -> Any:
        """Return a play that can be kept and measured: a copy of an array, or a strategy.

        Entries below 0 by no more than rounding become 0, and the rest is scaled to sum to 1.

        Raises
        ------
        LearnerError
            For what is no mixed strategy of the set.
        """
        actions = self.actions
        assert actions is not None
        fix = f"play a mixed strategy over {count_text(actions.size)} actions"
        shown: object = play
        if isinstance(play, SparseStrategy):
            if play.size == actions.size and all(action in actions for action in play.actions):
                return play.dense() if self.dense else play
        elif isinstance(play, SoftmaxStrategy):
            if play.actions is actions or play.actions == actions:
                return np.asarray(play) if self.dense else play
        else:
            row = real_array(play)
            if row is None or row.shape != (actions.size,) or not self._indexed:
                shown = play
            elif (law := rounded_law(row)) is not None:
                return law
            else:
                shown = row
        raise self.make_error(
            f"plays {describe_object(shown)}, no mixed strategy of its set,", t, fix
        )


def rounded_law(row: Row) -> Row | None:
    """Return a row as a distribution, and None where it is off one by more than rounding.

    Entries below 0 by no more than rounding become 0, and the rest is scaled to sum to 1.
    """
    if not (row.min() >= -SLACK and abs(row.sum() - 1) <= SLACK):
        return None
    if row.min() < 0 or abs(row.sum() - 1) > SLACK / 2:
        row = np.maximum(row, 0.0)
        row /= row.sum()
    return row


def residual_and_gap(learner: Any) -> tuple[float, float]:
    """Return the largest residual of a learner's fixed points, and the gap of its oracle."""
    return _number(getattr(learner, "residual", 0.0)), _gap(learner)


def check_payoffs(recorder: PlayerRecorder, low: float, high: float) -> None:
    """Refuse a game whose payoffs leave the range that a learner was made for, before any play.

    Payoffs may leave it by half of what learners allow, whose sums are rounded otherwise.

    Raises
    ------
    InvalidInputError
        With the range that the learner should have.
    """
    recorder.ends = low, high
    least, most = stated_range(recorder)
    if low < least or high > most:
        learner: Any = recorder.learner
        stated = learner.reward_range
        problem = (
            f"pays {recorder.name} from {low:g} to {high:g}, and its learner is made for "
            f"[{stated[0]:g}, {stated[1]:g}]"
        )
        fix = f"make the learner with reward_range=({low:g}, {high:g}), or rescale the game"
        raise InvalidInputError("game", (low, high), problem, fix)


def stated_range(recorder: PlayerRecorder) -> tuple[float, float]:
    """Return what rewards a learner says it takes, with half of its slack; anything if it does not.

    Raises
    ------
    InvalidInputError
        When it says what is no range.
    """
    stated = getattr(recorder.learner, "reward_range", None)
    if stated is None:
        return -inf, inf
    known = isinstance(stated, tuple | list) and len(stated) == 2
    low, high = (_number(end, nan) for end in stated) if known else (nan, nan)
    if not low < high:
        problem = f"states {describe_object(stated)} as its reward_range"
        fix = "let it be (lowest, highest), or leave it out"
        raise InvalidInputError(recorder.title, recorder.learner, problem, fix)
    slack = SLACK / 2 * (high - low)
    return (low - slack, high + slack) if isfinite(slack) else (low, high)


def real_array(numbers: Any) -> Float64[np.ndarray, "..."] | None:
    """Return a float64 copy of real numbers, and None for anything else."""
    try:
        array = np.asarray(numbers)
    except Exception:  # whatever a participant's own object raises when numpy looks at it
        return None
    return np.array(array, np.float64) if array.dtype.kind in "iuf" else None


def _number(value: Any, otherwise: float = 0.0) -> float:
    known = isinstance(value, int | float | np.integer | np.floating)
    try:
        return float(value) if known and not isinstance(value, bool) else otherwise
    except OverflowError:
        return otherwise


def _gap(learner: Any) -> float:
    oracle = getattr(learner, "oracle", None)
    return _number(getattr(learner, "oracle_gap", getattr(oracle, "gap", 0.0)))
