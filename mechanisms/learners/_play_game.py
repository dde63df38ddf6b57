"""Learners that play a game with each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mechanisms.learners._best_response import BestResponse
from mechanisms.learners._blum_mansour import BlumMansour
from mechanisms.learners._errors import LearnerError, attach_record
from mechanisms.learners._hedge import Hedge
from mechanisms.learners._listed_rule import ListedRule
from mechanisms.learners._player_recorder import PlayerRecorder, check_payoffs
from mechanisms.learners._protocol import Learner
from mechanisms.learners._regret_matching import RegretMatching
from mechanisms.learners._run import Run
from mechanisms.learners.arguments import LARGEST_COUNT
from theory.actions import ActionSet, BilinearGame, ListedActions
from theory.errors import InvalidInputError, MechproofError
from theory.normal_form import NormalFormGame
from theory.shared.arguments import read_count
from theory.shared.shapes import Float64

__all__ = ["contract_axes", "payoff_matrices", "play_game"]


# --- Games of two players with listed actions, led round by round or compiled as a whole

Matrices = tuple[np.ndarray, np.ndarray]
"""What each player earns: rows are the other's actions, columns the own."""

_PLAYING, _TELLING = "when asked to play", "when told its rewards"
_FLOAT64 = np.dtype(np.float64)
_COMPILED = (Hedge, BestResponse, RegretMatching, BlumMansour)


def compilable(recorders: list[PlayerRecorder]) -> bool:
    """Return whether the learners can play a whole game in one kernel."""
    return all(recorder.dense and _rule(recorder) is not None for recorder in recorders)


def play_compiled(recorders: list[PlayerRecorder], forms: Matrices, rounds: int) -> None:
    """Play the whole game in one kernel, with learners that can.

    Raises
    ------
    InvalidInputError
        When one refuses its rewards, which were checked before: someone changed its range.
    """
    from mechanisms.learners import _kernels
    from theory.shared.compiling import cheapest

    states = tuple(rule.state for rule in map(_rule, recorders) if rule is not None)
    plays, rewards = tuple(s.plays for s in recorders), tuple(s.observations for s in recorders)
    ends = tuple(s.ends for s in recorders)
    work = rounds * (
        forms[0].size + sum(rule.work for rule in map(_rule, recorders) if rule is not None)
    )
    played = cheapest(_kernels.play_rounds, work)(states, forms, ends, plays, rewards)
    for recorder in recorders:
        recorder.told = played
    if played < rounds:
        problem = f"pays in round {played + 1} what a learner refuses"
        fix = "leave the reward_range of learners as they were made"
        raise InvalidInputError("game", ends, problem, fix)


def play_matrices(recorders: list[PlayerRecorder], forms: Matrices) -> None:
    """Lead the learners through the game, with one array of plays for each.

    Raises
    ------
    LearnerError
        When a learner raises, or plays what is no mixed strategy.
    """
    from mechanisms.learners import _kernels
    from theory.shared.compiling import cheapest

    first, second = recorders
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
                who, x = first, first.check_play(x, t)
                who, y = second, second.check_play(y, t)
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
        raise who.blame(error, t, where) from error


def _rule(recorder: PlayerRecorder) -> ListedRule | None:
    """Return the compiled rule of a learner that ships, not of one that derives from it."""
    learner: Any = recorder.learner
    rule = learner._rule if type(learner) in _COMPILED else None
    return rule if isinstance(rule, ListedRule) else None


# --- Learners that play a game with each other

Observation = Callable[[int, list[np.ndarray]], np.ndarray]
"""Returns what a player observes, from its index and the mean features of all plays."""


def play_game(
    game: NormalFormGame | BilinearGame,
    learners: Sequence[Learner],
    rounds: int,
    *,
    compiled: bool | None = None,
) -> Run:
    """Let learners play a game against each other, each told its expected rewards.

    In each round all learners play mixed strategies at the same time; then each is told what every
    one of its actions would have earned against the mixed strategies of the others.

    Parameters
    ----------
    game : NormalFormGame or BilinearGame
        Exact payoffs become float64.
    learners : sequence of Learner
        One a player, all different objects, none of which has played before.
    rounds : int
    compiled : bool, optional
        Whether the whole game runs as one kernel, which two learners of listed actions can do:
        :class:`Hedge`, :class:`BestResponse`, :class:`RegretMatching`, :class:`BlumMansour`. By
        default it does if they can. The kernel is compiled once the rounds are worth it, and the
        plays are the same to the last bit.

    Raises
    ------
    InvalidInputError
        For another number of learners than players, for one learner given for two players, for
        learners of other numbers of actions, for payoffs outside the range that a learner was made
        for, and for ``compiled`` where that cannot be.
    LearnerError
        When a learner raises, or plays what is no mixed strategy. It has the run so far as
        ``record``, and so have the errors of ours that a learner raises in a round, which name it
        in a note and stay what they are otherwise.

    Notes
    -----
    A round of two listed players costs O(N_1 N_2) and the steps of the learners; of more players,
    O(profiles) for each. Between other sets a round costs the mean features of the plays.

    Examples
    --------
    >>> game = NormalFormGame.zero_sum([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    >>> from mechanisms.learners import RegretMatching
    >>> learners = [RegretMatching(3), RegretMatching(3, reward_range=(-1.0, 0.0))]
    >>> run = play_game(game, learners, 1000)
    >>> run.players[0].plays.mean(axis=0).round(3)
    array([0.333, 0.333, 0.333])
    >>> bool(run.regret(0).external.gain <= (1000 * 2) ** 0.5)
    True
    """
    total = read_count("rounds", rounds, most=LARGEST_COUNT)
    recorders = _recorders(game, learners, total)
    matrices = payoff_matrices(game)
    if matrices is not None:
        for recorder, form in zip(recorders, matrices, strict=True):
            check_payoffs(recorder, float(form.min()), float(form.max()))
        if compiled and not compilable(recorders):
            problem = "cannot run compiled"
            fix = "leave it out, or use two learners that have kernels"
            raise InvalidInputError("compiled", compiled, problem, fix)
        lead = _play_listed
        if compiled is not False and compilable(recorders):
            lead = play_compiled
        _record_on_error(game, recorders, lambda: lead(recorders, matrices, total))
        return _finish_run(game, recorders, total)
    if compiled:
        fix = "leave it out; two players with listed actions can"
        raise InvalidInputError("compiled", compiled, "cannot run compiled", fix)
    observed = _prepare_observations(game, recorders)
    _record_on_error(game, recorders, lambda: _play(recorders, observed, total))
    return _finish_run(game, recorders, total)


def _recorders(game: Any, given: Any, rounds: int) -> list[PlayerRecorder]:
    names = ["player 1", "player 2"]
    sets: list[ActionSet] = []
    if isinstance(game, NormalFormGame):
        names = list(game.players)
        sets += [ListedActions(size) for size in game.shape]
    elif isinstance(game, BilinearGame):
        sets += game.sets
    else:
        fix = "give a NormalFormGame or a BilinearGame"
        raise InvalidInputError("game", game, "is no game", fix)
    try:
        learners = list(given)
    except TypeError as error:
        raise InvalidInputError(
            "learners", given, "are no list of learners", "give one a player"
        ) from error
    if len(learners) != len(names):
        problem = f"are {len(learners)}, for {len(names)} players"
        raise InvalidInputError("learners", learners, problem, "give one a player")
    if len({id(learner) for learner in learners}) < len(learners):
        fix = "make one for each player"
        raise InvalidInputError("learners", learners, "are not all different objects", fix)
    return [
        PlayerRecorder(name, learner, actions, rounds)
        for name, learner, actions in zip(names, learners, sets, strict=True)
    ]


def payoff_matrices(game: NormalFormGame | BilinearGame) -> Matrices | None:
    """Return each player's payoffs as an array of (other's action, own action), for listed ones."""
    if isinstance(game, NormalFormGame):
        if len(game.players) != 2:
            return None
        first, second = game.tensor(0), game.tensor(1)
    elif all(isinstance(actions, ListedActions) for actions in game.sets):
        first, second = (
            form + offset for form, offset in zip(game.forms, game.offsets, strict=True)
        )
    else:
        return None
    return np.ascontiguousarray(first.T), np.ascontiguousarray(second)


def _prepare_observations(
    game: NormalFormGame | BilinearGame, recorders: list[PlayerRecorder]
) -> Observation:
    """Return how observations come from plays, and check what can be checked beforehand."""
    if isinstance(game, BilinearGame):
        listed = [isinstance(actions, ListedActions) for actions in game.sets]

        def bilinear(player: int, features: list[np.ndarray]) -> np.ndarray:
            z = game.observation(player, features[1 - player])
            return z + game.offsets[player] if listed[player] else z

        return bilinear
    tensors = []
    for k, recorder in enumerate(recorders):
        tensor = game.tensor(k)
        check_payoffs(recorder, float(tensor.min()), float(tensor.max()))
        tensors.append(np.ascontiguousarray(np.moveaxis(tensor, k, 0)))

    def expect(player: int, features: list[np.ndarray]) -> np.ndarray:
        others = features[:player] + features[player + 1 :]
        return contract_axes(tensors[player], others)

    return expect


def contract_axes(tensor: Float64[np.ndarray, "..."], others: list[np.ndarray]) -> np.ndarray:
    """Sum over all axes but the first, weighted by the strategies of their players."""
    for x in reversed(others):
        tensor = tensor @ x
    return tensor


def _play_listed(recorders: list[PlayerRecorder], forms: Matrices, rounds: int) -> None:
    if all(recorder.dense for recorder in recorders):
        play_matrices(recorders, forms)
    else:
        _play(recorders, lambda player, features: features[1 - player] @ forms[player], rounds)


def _play(recorders: list[PlayerRecorder], observed: Observation, rounds: int) -> None:
    for t in range(rounds):
        features = [recorder.features(recorder.play(t)) for recorder in recorders]
        for k, recorder in enumerate(recorders):
            recorder.observe(t, observed(k, features))


def _record_on_error(
    game: NormalFormGame | BilinearGame, recorders: list[PlayerRecorder], play: Callable[[], None]
) -> None:
    """Play, and let an error of ours hold the rounds before it."""
    try:
        play()
    except MechproofError as error:
        attach_record(
            error, _finish_run(game, recorders, min(recorder.told for recorder in recorders))
        )
        raise


def _finish_run(
    game: NormalFormGame | BilinearGame, recorders: list[PlayerRecorder], rounds: int
) -> Run:
    title = game.title if isinstance(game, NormalFormGame) else ""
    names = " and ".join(type(recorder.learner).__name__ for recorder in recorders)
    players = tuple(recorder.finish(rounds) for recorder in recorders)
    return Run(title or names, players, rounds, game)
