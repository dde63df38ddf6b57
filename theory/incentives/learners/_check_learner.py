"""Checking a learning rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Final

import numpy as np

from theory.errors import InvalidInputError
from theory.incentives._checklist import PropertyChecked, look_up_name
from theory.incentives._mechanism import global_random_state
from theory.incentives.learners._adversaries import ADVERSARIES, AdversaryFactory
from theory.incentives.learners._bounds import RegretMeasurement, bound_of, judge_regret, measure
from theory.incentives.learners._invariance import (
    Change,
    compare_relabelled,
    compare_scaled,
    compare_shifted,
    judge_invariance,
)
from theory.incentives.learners._judgement import LearnerJudgement
from theory.incentives.learners._learner import Bound, LearnerFactory
from theory.incentives.learners._played_games import Game, PlayedGame, play, replay
from theory.incentives.learners._regret import REGRETS
from theory.incentives.learners._report import LearnerReport
from theory.incentives.learners._witness import LearnerWitness
from theory.shared.arguments import read_count, read_nonnegative, read_tuple
from theory.verdicts import Scope, Status, Strength

__all__ = ["LEARNER_PROPERTIES", "check_learner"]


# --- What can be asked of plays alone: that they are distributions, and that the seed decides them


@dataclass(frozen=True)
class GamePlayedTwice:
    """A game, its rewards once more, and the shared generators that moved meanwhile."""

    once: PlayedGame
    again: PlayedGame
    moved: tuple[str, ...]

    @property
    def reproduced(self) -> bool:
        """Whether the learner did the same, to the last bit."""
        return np.array_equal(self.once.plays, self.again.plays)


def judge_distribution(games: Sequence[PlayedGame], tolerance: float) -> LearnerJudgement:
    """Ask that every play is a list of N finite numbers that are at least 0 and sum to 1.

    Each may be below 0, and the sum off 1, by ``tolerance``. A game ends with the first play that
    is no distribution, and no other property is judged by it.
    """
    asked = [game for game in games if not game.fault]
    improper = min((game for game in asked if game.improper), key=lambda g: g.size, default=None)
    if improper is None:
        if not asked:
            return LearnerJudgement(Status.VACUOUS, "No game was played to its end.", 0, 0)
        reason = f"Every play is a distribution, up to {tolerance:g}."
        return LearnerJudgement(Status.HOLDS, reason, len(asked), len(asked))
    problem = f"in round {len(improper.plays) + 1} it {improper.improper}"
    witness = LearnerWitness.of(improper, problem, "the earliest round in which it happens")
    return LearnerJudgement(
        Status.REFUTED,
        "Some play is no distribution.",
        len(asked),
        len(asked),
        witness,
        Strength.EXACT,
    )


def judge_seeds(games: Sequence[GamePlayedTwice]) -> LearnerJudgement:
    """Ask that the seed decides all plays, and that the shared generators are left alone.

    Each game is played twice with the same rewards, while the generators of ``random`` and
    ``numpy.random`` stand in different states.
    """
    if not games:
        return LearnerJudgement(Status.VACUOUS, "No game was played.", 0, 0)
    failing = [game for game in games if game.moved or not game.reproduced]
    if not failing:
        reason = "The same seed gives the same plays, whatever the state of shared generators."
        return LearnerJudgement(Status.HOLDS, reason, len(games), len(games))
    smallest = min(failing, key=lambda game: (game.reproduced, game.once.size))
    return LearnerJudgement(
        Status.REFUTED,
        "The seed does not decide the plays alone.",
        len(games),
        len(games),
        _witness_unseeded(smallest),
        Strength.EXACT,
    )


def _witness_unseeded(game: GamePlayedTwice) -> LearnerWitness:
    minimality = "no smaller game of the battery shows it"
    if game.reproduced:
        moved = " and ".join(game.moved)
        problem = f"it moves the generator of {moved}, which all share"
        return LearnerWitness.of(game.once, problem, minimality)
    common = len(game.again.plays)
    same = (game.once.plays[:common] == game.again.plays).all(axis=1)
    t = common if same.all() else int(np.argmin(same))
    problem = f"asked again, it plays differently in round {t + 1}"
    return LearnerWitness.of(game.once, problem, minimality, until=t + 1)


# --- Checking a learning rule

LEARNER_PROPERTIES: Final = (
    "distribution",
    "external_regret",
    "internal_regret",
    "swap_regret",
    "shift_invariance",
    "scale_invariance",
    "relabelling",
    "seed_discipline",
)
"""What is checked, in this order; ``scale_invariance`` only where it is declared or asked for."""

_CHANGES: Final[Mapping[str, Change]] = MappingProxyType(
    {
        "shift_invariance": compare_shifted,
        "scale_invariance": compare_scaled,
        "relabelling": compare_relabelled,
    }
)


def check_learner(
    make: LearnerFactory,
    *,
    external: Bound | None = None,
    internal: Bound | None = None,
    swap: Bound | None = None,
    scale_free: bool = False,
    actions: Iterable[int] = (2, 3, 5),
    rounds: Iterable[int] = (1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 256),
    adversaries: Iterable[str] | Mapping[str, AdversaryFactory] | None = None,
    properties: Iterable[str] | None = None,
    seed: int = 0,
    seeds: int = 1,
    tolerance: float = 1e-9,
) -> LearnerReport:
    r"""Check a learning rule: its plays, its regret, what its plays depend on.

    ``make(actions, rounds, seed)`` returns a learner with ``play()``, the probability of each
    action, and ``observe(rewards)``, the rewards of all actions, in [0, 1]. It plays against every
    adversary, for every number of actions and of rounds.

    Parameters
    ----------
    make : callable
    external, internal, swap : callable, optional
        Bounds that are stated: what regret may be after T rounds with N actions, as functions
        (T, N), for sizes up to those that are played. Regret without a bound is measured.
    scale_free : bool
        Whether plays are declared not to depend on the scale of the rewards.
    actions, rounds : iterables of int
        The sizes of games; at least 2 actions.
    adversaries : names from ``ADVERSARIES``, or a mapping from names to factories
        All of ``ADVERSARIES`` unless said otherwise. They know the play of the round, so a learner
        that draws one action and plays it must be given those whose rewards do not depend on it:
        leave out "punishing".
    properties : iterable of str, optional
        Names from ``LEARNER_PROPERTIES``; all of them unless said otherwise.
    seed, seeds : int
        Learners are made with the seeds ``seed``, …, ``seed + seeds - 1``.
    tolerance : float
        How far a play may be off: a probability, or the sum of one play.

    Returns
    -------
    LearnerReport
        What holds is ``tested``. Regret above its bound is shown by a game from which nothing can
        be left out, and is confirmed in fractions. Learners that raise are among ``faults``.

    Raises
    ------
    UnknownNameError
        For a property or an adversary that there is not.
    InvalidInputError
        For sizes and seeds that are no counts, and a bound that says no number.

    Notes
    -----
    Each game is played about six times, which takes O(rounds) plays each.

    Examples
    --------
    Whoever follows the leader is led by the nose:

    >>> class Follower:
    ...     def __init__(self, actions, rounds, seed):
    ...         self.earned = np.zeros(actions)
    ...
    ...     def play(self):
    ...         leaders = self.earned == self.earned.max()
    ...         return leaders / leaders.sum()
    ...
    ...     def observe(self, rewards):
    ...         self.earned += rewards
    >>> def bound(T, N):
    ...     return np.sqrt(T * np.log(N) / 2)
    >>> report = check_learner(Follower, external=bound, actions=[2], rounds=[1, 2, 4, 8])
    >>> print(report.refuted)
    ('external_regret',)
    >>> print(report.witness)
    external regret is 1.25, above its bound of 1.02 (no round, action or reward can be left out)
    round  play 0  play 1  reward 0  reward 1
    ─────  ──────  ──────  ────────  ────────
    1      0.5     0.5     0.5       0
    2      1       0       0         1
    3      0       1       1         0
    made with actions=2, rounds=3, seed=0; rewards by the adversary “switching”
    """
    chosen = _select_properties(properties, scale_free)
    factories = _factories(adversaries)
    sizes = _counts("actions", actions, 2), _counts("rounds", rounds, 1)
    read_count("seed", seed, 0)
    read_nonnegative("tolerance", tolerance)
    numbers = range(seed, seed + read_count("seeds", seeds))
    bounds = {"external": external, "internal": internal, "swap": swap}
    for kind, (N, T) in product(REGRETS, product(*sizes)):
        bound = bounds[kind]
        if bound is not None:
            bound_of(kind, bound, T, N)
    twice = [
        _play_twice(make, Game(N, T, number, name), factory, tolerance)
        for N, T, number in product(*sizes, numbers)
        for name, factory in factories.items()
    ]
    games = [each.once for each in twice]
    measured = {kind: measure(games, kind, bounds[kind]) for kind in REGRETS}

    def judge(name: str) -> LearnerJudgement:
        if name == "distribution":
            return judge_distribution(games, tolerance)
        if name == "seed_discipline":
            return judge_seeds(twice)
        if name in _CHANGES:
            reproduced = all(each.reproduced for each in twice)
            return judge_invariance(make, games, _CHANGES[name], reproduced, tolerance)
        kind = name.removesuffix("_regret")
        return judge_regret(make, measured[kind], kind, bounds[kind], tolerance)

    text = f"{_list_numbers(sizes[0])} actions, {_list_numbers(sizes[1])} rounds, {seeds} seeds"
    found = {name: judge(name) for name in chosen}
    raised = [f"{each.game}: {each.fault}" for each in games if each.fault]
    changed = [fault for each in found.values() for fault in each.faults]
    return LearnerReport(
        findings=tuple(
            _make_finding(name, each, len(games), text, seed) for name, each in found.items()
        ),
        faults=(*raised, *changed),
        measured=tuple(_find_worst(measured, factories)),
    )


def _play_twice(
    make: LearnerFactory, game: Game, factory: AdversaryFactory, tolerance: float
) -> GamePlayedTwice:
    """Play a game, and again with the rewards that came of it."""
    rng = np.random.default_rng([game.seed, game.actions, game.rounds])
    with global_random_state(0) as moved:
        once = play(make, game, factory(game.actions, rng), tolerance)
    with global_random_state(1) as moved_again:
        again = replay(make, game, once.rewards, tolerance)
    return GamePlayedTwice(once, again, tuple(dict.fromkeys([*moved, *moved_again])))


def _select_properties(properties: Iterable[str] | None, scale_free: bool) -> list[str]:
    if properties is None:
        return [name for name in LEARNER_PROPERTIES if scale_free or name != "scale_invariance"]
    known = {name: name for name in LEARNER_PROPERTIES}
    return [
        look_up_name(known, name, "properties") for name in read_tuple("properties", properties)
    ]


def _factories(
    adversaries: Iterable[str] | Mapping[str, AdversaryFactory] | None,
) -> Mapping[str, AdversaryFactory]:
    if isinstance(adversaries, Mapping):
        return adversaries
    chosen = ADVERSARIES if adversaries is None else read_tuple("adversaries", adversaries)
    return {name: look_up_name(ADVERSARIES, name, "adversaries") for name in chosen}


def _counts(argument: str, numbers: Iterable[int], least: int) -> list[int]:
    listed = sorted({read_count(argument, number, least) for number in numbers})
    if not listed:
        raise InvalidInputError(argument, numbers, "are none", "give at least one")
    return listed


def _find_worst(
    measured: Mapping[str, Sequence[RegretMeasurement]], adversaries: Iterable[str]
) -> Iterator[RegretMeasurement]:
    """Return the games with the largest ratio, by kind of regret and adversary."""
    for kind, name in product(REGRETS, adversaries):
        games = [each for each in measured[kind] if each.played.game.adversary == name]
        if games:
            yield max(games, key=lambda each: each.ratio)


def _make_finding(
    name: str, judged: LearnerJudgement, games: int, sizes: str, seed: int
) -> PropertyChecked[LearnerWitness]:
    scope = Scope(
        family="games",
        instances=max(games, judged.games),
        met_hypotheses=judged.games,
        nontrivial=judged.nontrivial,
        sizes=sizes,
        seed=seed,
    )
    return PropertyChecked(
        property=name,
        status=judged.status,
        strength=judged.strength,
        scope=scope,
        reason=judged.reason,
        witness=judged.witness,
    )


def _list_numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
