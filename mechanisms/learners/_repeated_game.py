"""A repeated game, stepped: all players mix at the same time, then each hears what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from json import loads
from typing import Any

import numpy as np

from mechanisms.learners._play_game import contract_axes, payoff_matrices
from mechanisms.learners._player_recorder import (
    ALONE,
    PlayerRecorder,
    real_array,
    residual_and_gap,
    rounded_law,
)
from mechanisms.learners._protocol import Learner
from mechanisms.learners._run import PlayerRun, Run
from mechanisms.learners.arguments import LARGEST_COUNT
from mechanisms.participants import plain
from mechanisms.play import AnswerType, Ask, Choice, IllegalAnswerError, Steps, rules
from mechanisms.play.answers import describe_briefly
from theory.actions import ListedActions, SoftmaxStrategy, SparseStrategy
from theory.errors import InvalidInputError, nearest
from theory.normal_form import NormalFormGame
from theory.shared.arguments import instance_of, read_count, read_tuple
from theory.shared.compiling import cheapest
from theory.shared.printable import one_line

__all__ = ["Feedback", "LearnerPlayer", "MixedStrategy", "name_learners", "repeated_game"]

Rewards = Callable[[Sequence[np.ndarray]], Sequence[np.ndarray]]
"""Returns what each action of each player is expected to earn, from all mixed strategies."""


@dataclass(frozen=True)
class Feedback:
    """What a player is told: what each of its actions would have earned in the last round.

    Attributes
    ----------
    round : int
        How many rounds were played.
    rewards : tuple of float
        One an action, expected against the mixed strategies of the others; none before any round.
    """

    round: int
    rewards: tuple[float, ...] = ()

    def __str__(self) -> str:
        if not self.round:
            return "no round was played yet"
        earned = ", ".join(f"{reward:g}" for reward in self.rewards)
        return f"in round {self.round} your actions would have earned {earned}"


@dataclass(frozen=True)
class MixedStrategy(AnswerType[tuple[float, ...]]):
    """A probability for each action, as float64; or the name of one action, which is then certain.

    Entries below 0 by no more than rounding become 0, and the rest is scaled to sum to 1.

    Parameters
    ----------
    actions : tuple of str
        Their names.

    Examples
    --------
    >>> answer = MixedStrategy(("yield", "dare"))
    >>> answer.read("[0.25, 0.75]"), answer.read("dare")
    ((0.25, 0.75), (0.0, 1.0))
    >>> answer.read([0.5, 0.6])
    Traceback (most recent call last):
    ...
    mechanisms.play.answers.IllegalAnswerError: [0.5, 0.6] is no mixed strategy: say 2 \
probabilities that sum to 1, or the name of an action
    """

    actions: tuple[str, ...]

    def read(self, given: object) -> tuple[float, ...]:
        """Return the probabilities that are given: numbers in a list or an array, or JSON."""
        text, numbers = plain(given), given
        if text is not None:
            if text.strip() in self.actions:
                return tuple(float(text.strip() == action) for action in self.actions)
            try:
                numbers = loads(text)
            except (ValueError, RecursionError):
                raise self._illegal(given) from None
        if isinstance(numbers, list | tuple):
            numbers = [float(p) if type(p) is Fraction else p for p in numbers]
        row = real_array(numbers)
        law = rounded_law(row) if row is not None and row.shape == (len(self.actions),) else None
        if law is None:
            raise self._illegal(given)
        return tuple(law.tolist())

    def write(self, answer: tuple[float, ...]) -> object:
        """Return the probabilities in a list; JSON keeps each float as it is."""
        return list(answer)

    def schema(self) -> dict[str, object]:
        """Return a list of numbers, one an action."""
        size = len(self.actions)
        return {
            "type": "array",
            "items": {"type": "number", "minimum": 0, "maximum": 1},
            "minItems": size,
            "maxItems": size,
            "description": str(self),
        }

    def __str__(self) -> str:
        return one_line("probabilities of " + ", ".join(self.actions))

    def _illegal(self, given: object) -> IllegalAnswerError:
        fix = f"say {len(self.actions)} probabilities that sum to 1, or the name of an action"
        return IllegalAnswerError(f"{describe_briefly(given)} is no mixed strategy", fix)


@dataclass(frozen=True, init=False)
class _Heard(Choice[str]):
    """What is said to the feedback of the last round: whatever it is, it stands for "heard"."""

    def __init__(self) -> None:
        super().__init__(("heard",))

    def read(self, given: object) -> str:
        """Return "heard"."""
        return self.options[0]


@rules
def repeated_game(
    game: Any, rounds: int, *, players: Iterable[str] | None = None, attempts: int = 1
) -> Steps[Run]:
    r"""Play a game in normal form again and again, as :func:`play_game` lets learners do.

    In round t all players p are asked for mixed strategies x_p at the same time. With the next
    question each hears \sum_{a_{-p}} u_p(a, a_{-p}) \prod_{q \ne p} x_q(a_q) for all of its own
    actions a, and nothing else. A last question, of the role "hear", tells what came of the last
    round; whatever is answered to it counts as "heard".

    Parameters
    ----------
    game : NormalFormGame, or one nested array a player
        Lists of payoffs as :meth:`~theory.normal_form.NormalFormGame.of` takes them; only with them
        is a run written. Exact payoffs become float64.
    rounds : int
    players : names, optional
        For payoffs in lists.
    attempts : int
        How often a mixed strategy may be tried; after that the run ends.

    Returns
    -------
    Rules
        Whose outcome is a :class:`Run`. It does not know who plays; see :func:`name_learners`.

    Raises
    ------
    InvalidInputError
        For what is no game, no count, or ``players`` beside a game that names its own.

    Notes
    -----
    A round costs the expected rewards of :func:`play_game`, to the last bit, and one step of a run
    for each player.

    Examples
    --------
    A learner in matching pennies, against a function that always shows heads:

    >>> from mechanisms.learners import Hedge
    >>> from mechanisms.play import play
    >>> pennies = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    >>> run = repeated_game(pennies, 20, players=["Ann", "Bob"])
    >>> done = play(run, {"Ann": LearnerPlayer(Hedge(2)), "Bob": lambda ask: [1, 0]}).outcome
    >>> done.player("Ann").plays[[0, 1, 19]].round(2).tolist()
    [[0.5, 0.5], [0.76, 0.24], [1.0, 0.0]]
    """
    total = read_count("rounds", rounds, most=LARGEST_COUNT)
    table = _read_game(game, players)
    rewarded = _expected_rewards(table)
    seats = tuple(zip(table.players, map(MixedStrategy, table.actions), strict=True))
    plays: list[list[np.ndarray]] = [[] for _ in seats]
    earned: list[list[np.ndarray]] = [[] for _ in seats]
    told = [Feedback(0) for _ in seats]
    for t in range(1, total + 1):
        answers = yield {
            name: Ask(name, news, mixed, "mix", attempts=attempts)
            for (name, mixed), news in zip(seats, told, strict=True)
        }
        laws = [np.array(answers[name]) for name, _ in seats]
        rewards = rewarded(laws)
        for k, (law, row) in enumerate(zip(laws, rewards, strict=True)):
            plays[k].append(law)
            earned[k].append(row)
            told[k] = Feedback(t, tuple(row.tolist()))
    yield {
        name: Ask(name, news, _Heard(), "hear", attempts=attempts)
        for (name, _), news in zip(seats, told, strict=True)
    }
    found = tuple(
        PlayerRun(
            name, None, ListedActions(len(mixed.actions)), np.array(plays[k]), np.array(earned[k])
        )
        for k, (name, mixed) in enumerate(seats)
    )
    return Run(table.title or "repeated game", found, total, table)


class LearnerPlayer:
    """A learner as a participant of a repeated game.

    It plays what the learner plays, and lets it observe what the next question tells. In a run that
    was read from a file it goes through the rounds before. So the learner must be a new one, made
    as it was then: where it plays anything else, that is an error.

    Parameters
    ----------
    learner : Learner
        One that has not played before. It stands after the run as :func:`play_game` leaves it.

    Raises
    ------
    InvalidInputError
        For what is no learner, or one that has played; and in a run, for another question than the
        one that follows on what the learner was told.
    """

    def __init__(self, learner: Learner) -> None:
        self.learner: Learner = PlayerRecorder(ALONE, learner, None, 0).learner
        self._past: list[tuple[Feedback, object]] = []

    def __call__(self, ask: Ask) -> object:
        """Let the learner observe what the question tells, and return its play."""
        told: Any = ask.view
        instance_of("view", told, Feedback, "ask it in a repeated_game")
        if told.round != len(self._past):
            raise self._astray(f"has played {len(self._past)} rounds, not {told.round}")
        if told.round:
            self.learner.observe(np.array(told.rewards))
        answer: object = "heard" if ask.role == "hear" else _row(self.learner.play())
        self._past.append((told, answer))
        return answer

    def recall(self, seat: str, asked: Sequence[tuple[Ask, object]]) -> None:
        """Go through the rounds that its seat has played in a run, and were not played by it."""
        if len(self._past) > len(asked):
            raise self._astray(f"has played {len(self._past)} rounds, and {seat} {len(asked)}")
        for n, (ask, answer) in enumerate(asked):
            if n == len(self._past):
                self(ask)
            told, played = self._past[n]
            if told != ask.view or ask.answer.read(played) != answer:
                raise self._astray(f"played otherwise than {seat} did in round {n + 1}")

    def _astray(self, problem: str) -> InvalidInputError:
        return InvalidInputError("learner", self.learner, problem, "make a new one for each run")


def name_learners(run: Run, participants: Mapping[str, Any]) -> Run:
    """Return a run of a repeated game that knows its learners, as :func:`play_game` returns it.

    Then ``series`` has bounds beside regret. A learner goes through the rounds that it has not
    played itself, as where another process has played them.

    Parameters
    ----------
    run : Run
        The outcome of :func:`repeated_game`.
    participants : mapping
        By player; each :class:`LearnerPlayer` has a learner, other participants stand for
        themselves.

    Raises
    ------
    InvalidInputError
        For what is no run of a repeated game, for no mapping with each of its players, and for a
        learner that plays otherwise than the run did.
    """
    instance_of("run", run, Run, "give the outcome of a repeated game")
    instance_of("game of the run", run.game, NormalFormGame, "give what repeated_game returns")
    instance_of("participants", participants, Mapping, "give participants by name of player")
    game: Any = run.game
    players = []
    for own, actions in zip(run.players, game.actions, strict=True):
        if own.name not in participants:
            fix = nearest(own.name, participants)
            raise InvalidInputError("participants", own.name, "is a player without one", fix)
        given = participants[own.name]
        learner = given
        if isinstance(given, LearnerPlayer):
            learner = given.learner
            given.recall(own.name, _list_asks(own, actions))
        residual, gap = residual_and_gap(learner)
        players.append(replace(own, learner=learner, residual=residual, oracle_gap=gap))
    names = " and ".join(type(own.learner).__name__ for own in players)
    return replace(run, title=game.title or names, players=tuple(players))


def _list_asks(own: PlayerRun, actions: tuple[str, ...]) -> list[tuple[Ask, object]]:
    """Return what a player was asked and answered in a run."""
    told = [Feedback(0)]
    told += [Feedback(t, tuple(row.tolist())) for t, row in enumerate(own.observations, 1)]
    mixed = MixedStrategy(actions)
    asks = [Ask(own.name, news, mixed, "mix") for news in told[:-1]]
    played = [(ask, tuple(row.tolist())) for ask, row in zip(asks, own.plays, strict=True)]
    return [*played, (Ask(own.name, told[-1], _Heard(), "hear"), "heard")]


def _row(play: Any) -> Any:
    """Return a mixed strategy of a learner as a row of probabilities, where it is a law."""
    if isinstance(play, SparseStrategy):
        return play.dense()
    return np.asarray(play) if isinstance(play, SoftmaxStrategy) else play


def _read_game(game: Any, players: Iterable[str] | None) -> NormalFormGame:
    if not isinstance(game, NormalFormGame):
        names = None if players is None else read_tuple("players", players, "give names")
        return NormalFormGame.of(game, players=names)
    if players is not None:
        fix = "leave them out"
        raise InvalidInputError("players", players, "are named by the game", fix)
    return game


def _expected_rewards(game: NormalFormGame) -> Rewards:
    """Return how rewards come from mixed strategies, with the sums of :func:`play_game`."""
    tensors = [game.tensor(k) for k in range(len(game.players))]
    ends = tuple((float(tensor.min()), float(tensor.max())) for tensor in tensors)
    forms = payoff_matrices(game)
    if forms is not None:
        return lambda laws: _weigh(forms, ends, laws)
    own_first = [np.ascontiguousarray(np.moveaxis(each, k, 0)) for k, each in enumerate(tensors)]

    def contract(laws: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        others = [[*laws[:k], *laws[k + 1 :]] for k in range(len(laws))]
        found = zip(own_first, others, ends, strict=True)
        return [np.clip(contract_axes(tensor, rest), *each) for tensor, rest, each in found]

    return contract


def _weigh(forms: Any, ends: Any, laws: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
    from mechanisms.learners import _kernels

    first, second = laws
    plays = np.empty_like(first), np.empty_like(second)
    rewards = np.empty_like(first), np.empty_like(second)
    weigh = cheapest(_kernels.weigh, 2 * forms[0].size)
    weigh(forms, ends, (first, second), plays, rewards)
    return rewards
