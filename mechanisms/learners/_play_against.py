"""A learner against rewards that are scripted, or that react to its plays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mechanisms.learners._action_arguments import read_actions
from mechanisms.learners._errors import OpponentError, attach_record
from mechanisms.learners._player_recorder import ALONE, PlayerRecorder, real_array, stated_range
from mechanisms.learners._protocol import Learner
from mechanisms.learners._run import Run
from mechanisms.learners.arguments import LARGEST_COUNT
from mechanisms.participants import describe_object
from theory.actions import ActionSet, ListedActions
from theory.errors import InvalidInputError, MechproofError, NumberError, ShapeError
from theory.shared.arguments import read_count

__all__ = ["play_against"]

_NAME = "the opponent"


def play_against(
    learner: Learner,
    opponent: Any,
    rounds: int,
    *,
    actions: int | ActionSet | None,
) -> Run:
    """Let a learner play against given rewards, or against an opponent who answers its plays.

    Parameters
    ----------
    learner : Learner
        One that has not played before.
    opponent : array of shape (T, N) or (T, d), or callable
        The rewards of each round, of which the first ``rounds`` are used; or a function from the
        play of a round to its rewards, which may remember: what the factories of
        ``theory.incentives.learners.ADVERSARIES`` make, for one. It is given the probabilities of
        listed actions, and the strategy itself of other sets.
    rounds : int
    actions : int, ActionSet or None
        What is played. With None, for learners with an oracle of their own, the opponent is a
        function, and neither plays nor answers are looked at.

    Raises
    ------
    InvalidInputError
        For a learner of another number of actions, for scripted rewards of another shape, too few
        of them, or outside the range of a learner of listed actions. Those of other sets are looked
        at round by round; the error then has the run so far as ``record``.
    OpponentError
        When the opponent raises, or answers with what are no finite rewards that the learner takes.
    LearnerError
        When the learner raises, or plays what is no mixed strategy. Both hold the run so far as
        ``record``.

    Examples
    --------
    >>> from mechanisms.learners import BestResponse
    >>> run = play_against(
    ...     BestResponse(2), lambda play: 1 - play, 100, actions=2
    ... )
    >>> print(run.regret().external.gain)
    50.0
    """
    total = read_count("rounds", rounds, most=LARGEST_COUNT)
    chosen = None if actions is None else read_actions(actions)
    recorder = PlayerRecorder(ALONE, learner, chosen, total)
    answer = opponent if callable(opponent) else _check_script(opponent, recorder)
    try:
        for t in range(total):
            play = recorder.play(t)
            rewards = _ask_opponent(answer, recorder, play, t)
            _tell(recorder, rewards, t, scripted=answer is not opponent)
    except MechproofError as error:
        attach_record(error, _finish_run(recorder, opponent, recorder.told))
        raise
    return _finish_run(recorder, opponent, total)


def _check_script(script: Any, recorder: PlayerRecorder) -> Callable[[Any], Any]:
    """Check all rewards beforehand, and return them one by one."""
    rounds, actions = recorder.rounds, recorder.actions
    if actions is None:
        fix = "give a function from plays to what is observed"
        raise InvalidInputError("opponent", script, "is no function", fix)
    fix = f"give an array of at least {rounds} x {actions.dimension} finite numbers"
    rows = real_array(script)
    if rows is None:
        raise NumberError("opponent", script, "is no array of real numbers, and no function", fix)
    if rows.ndim != 2 or rows.shape[1] != actions.dimension or len(rows) < rounds:
        raise ShapeError("opponent", script, f"has shape {rows.shape}", fix)
    if not np.isfinite(rows[:rounds]).all():
        raise NumberError("opponent", script, "has rewards that are not finite", fix)
    if isinstance(actions, ListedActions):
        low, high = stated_range(recorder)
        bad = np.argwhere((rows[:rounds] < low) | (rows[:rounds] > high))
        if len(bad):
            t, action = bad[0].tolist()
            learner: Any = recorder.learner
            stated = learner.reward_range
            problem = (
                f"rewards action {action} with {rows[t, action]:.9g} in round {t + 1}, and "
                f"{describe_object(learner)} is made for [{stated[0]:g}, {stated[1]:g}]"
            )
            fix = "scale the rewards, or make the learner with their reward_range"
            raise InvalidInputError("opponent", script, problem, fix)
    rest = iter(rows)
    return lambda play: next(rest)


def _ask_opponent(answer: Callable[[Any], Any], recorder: PlayerRecorder, play: Any, t: int) -> Any:
    where, fix = f"in round {t + 1}", "return one finite number an action, or a feature"
    shown = play.copy() if isinstance(play, np.ndarray) else play
    if isinstance(recorder.actions, ListedActions):
        shown = np.array(play, dtype=np.float64)
    try:
        rewards = answer(shown)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise OpponentError(_NAME, f"raised {describe_object(error)} {where}", "fix it") from error
    if recorder.actions is None:
        return rewards
    row = real_array(rewards)
    if row is None or row.shape != (recorder.actions.dimension,) or not np.isfinite(row).all():
        raise OpponentError(_NAME, f"answers {describe_object(rewards)} {where}", fix)
    return row


def _tell(recorder: PlayerRecorder, rewards: Any, t: int, *, scripted: bool) -> None:
    try:
        recorder.observe(t, rewards)
    except InvalidInputError as error:
        if scripted:
            raise
        problem = f"answers what the learner refuses in round {t + 1}: {error}"
        raise OpponentError(_NAME, problem, "stay within its range") from error


def _finish_run(recorder: PlayerRecorder, opponent: Any, rounds: int) -> Run:
    name = "scripted rewards"
    if callable(opponent):
        name = getattr(opponent, "__qualname__", type(opponent).__name__).split(".")[0]
    return Run(
        f"{type(recorder.learner).__name__} against {name}", (recorder.finish(rounds),), rounds
    )
