"""Measured regret against what is stated of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, isfinite
from typing import Final

import numpy as np

from theory.errors import InvalidInputError
from theory.incentives.learners._judgement import LearnerJudgement
from theory.incentives.learners._learner import Bound, LearnerFactory
from theory.incentives.learners._played_games import Game, PlayedGame, replay
from theory.incentives.learners._regret import exact_regret, regrets
from theory.incentives.learners._witness import LearnerWitness
from theory.shared.shapes import Float64
from theory.verdicts import Status, Strength

__all__ = ["RegretMeasurement", "bound_of", "judge_regret", "measure"]


# --- Making a game smaller as long as it still shows the same

MAX_REPLAYS: Final = 1000
"""How many smaller games are tried."""


def shrink_game(
    make: LearnerFactory, played: PlayedGame, fails: Callable[[PlayedGame], bool], tolerance: float
) -> tuple[PlayedGame, str]:
    """Return a smaller game that fails, and what is known about smaller ones.

    Rounds are left out, many at once and then one by one, then actions, then rewards are put to 0,
    each where the game that is left still fails with a new learner made for it. The rewards are
    given beforehand now, so that what an adversary did that saw the play needs no sight any more.
    """
    replays = 0

    def attempt(game: Game, rewards: Float64[np.ndarray, "rounds actions"]) -> PlayedGame | None:
        nonlocal replays
        replays += 1
        found = replay(make, game, rewards, tolerance)
        return found if found.whole and fails(found) else None

    smallest = attempt(played.game, played.rewards)
    if smallest is None:
        return played, "the learner plays differently when asked again"
    while replays < MAX_REPLAYS:
        better = None
        for game, rewards in _smaller(smallest):
            better = attempt(game, rewards)
            if better is not None or replays >= MAX_REPLAYS:
                break
        if better is None:
            break
        smallest = better
    if replays >= MAX_REPLAYS:
        return smallest, f"the smallest found in {MAX_REPLAYS} steps"
    return smallest, "no round, action or reward can be left out"


def _smaller(played: PlayedGame) -> Iterator[tuple[Game, Float64[np.ndarray, "rounds actions"]]]:
    game, rewards = played.game, played.rewards
    width = game.rounds // 2
    while width:
        for t in range(0, game.rounds, width):
            fewer = np.delete(rewards, slice(t, t + width), axis=0)
            yield replace(game, rounds=len(fewer)), fewer
        width //= 2
    for i in range(game.actions if game.actions > 2 else 0):
        yield replace(game, actions=game.actions - 1), np.delete(rewards, i, axis=1)
    for t, i in zip(*np.nonzero(rewards), strict=True):
        less = rewards.copy()
        less[t, i] = 0
        yield game, less


# --- Measured regret against what is stated of it


@dataclass(frozen=True)
class RegretMeasurement:
    """Regret of one kind in one game; ``bound`` None where none is stated."""

    played: PlayedGame
    kind: str
    regret: float
    bound: float | None

    @property
    def ratio(self) -> float:
        """Regret over its bound, or over the number of rounds where there is no bound."""
        if self.bound is None:
            return self.regret / self.played.game.rounds
        if self.bound == 0:
            return inf if self.regret > 0 else 0.0
        return self.regret / self.bound

    def __str__(self) -> str:
        if self.bound is None:
            return f"{self.regret:.4g} ({self.played.game})"
        return f"{self.regret:.4g} of {self.bound:.4g} ({self.played.game})"


def bound_of(name: str, bound: Bound, rounds: int, actions: int) -> float:
    """Return what a bound says.

    Raises
    ------
    InvalidInputError
        When it says anything but a finite number of at least 0.
    """
    value = float(bound(rounds, actions))
    if not isfinite(value) or value < 0:
        problem = f"is {value} for {rounds} rounds and {actions} actions"
        raise InvalidInputError(name, bound, problem, "return a finite number of at least 0")
    return value


def measure(games: Sequence[PlayedGame], kind: str, bound: Bound | None) -> list[RegretMeasurement]:
    """Return the regret of the games that were played to their end.

    Without a bound these are the longest ones alone, since regret grows with the rounds.
    """
    whole = [played for played in games if played.whole]
    if bound is None:
        longest = max((played.game.rounds for played in whole), default=0)
        whole = [played for played in whole if played.game.rounds == longest]
    return [
        RegretMeasurement(
            played,
            kind,
            regrets(played.plays, played.rewards)[kind],
            None
            if bound is None
            else bound_of(kind, bound, played.game.rounds, played.game.actions),
        )
        for played in whole
    ]


def judge_regret(
    make: LearnerFactory,
    measured: Sequence[RegretMeasurement],
    kind: str,
    bound: Bound | None,
    tolerance: float,
) -> LearnerJudgement:
    """Ask that regret is at most its bound, in every game.

    It may be above by ``tolerance`` a round, since a play may be off a distribution by so much;
    where it is above at all, the finding is ambiguous. What is above by more is made smaller, and
    confirmed in fractions by other code. Without a bound regret is measured only.
    """
    if not measured:
        return LearnerJudgement(Status.VACUOUS, "No game was played to its end.", 0, 0)
    worst = max(measured, key=lambda each: each.ratio)
    nontrivial = sum(each.regret > 0 for each in measured)
    if bound is None:
        reason = f"No bound is stated. It is at most {worst.ratio:.4g} a round: {worst}."
        return LearnerJudgement(Status.MEASURED, reason, len(measured), nontrivial)
    reason = f"The largest share of the bound is {worst.ratio:.4g}: {worst}."
    over = [each for each in measured if each.regret > (each.bound or 0)]

    def fails(played: PlayedGame) -> bool:
        game = played.game
        most = Fraction(bound_of(kind, bound, game.rounds, game.actions))
        if regrets(played.plays, played.rewards)[kind] <= most:
            return False
        slack = Fraction(tolerance) * game.rounds
        return exact_regret(kind, played.plays, played.rewards) > most + slack

    failing = sorted((each.played for each in over), key=lambda played: played.size)
    smallest = next((played for played in failing if fails(played)), None)
    if smallest is None:
        status = Status.AMBIGUOUS if over else Status.HOLDS
        return LearnerJudgement(status, reason, len(measured), nontrivial)
    witness = _witness(*shrink_game(make, smallest, fails, tolerance), kind, bound)
    return LearnerJudgement(
        Status.REFUTED, reason, len(measured), nontrivial, witness, Strength.EXACT
    )


def _witness(played: PlayedGame, minimality: str, kind: str, bound: Bound) -> LearnerWitness:
    regret = float(exact_regret(kind, played.plays, played.rewards))
    most = bound_of(kind, bound, played.game.rounds, played.game.actions)
    return LearnerWitness.of(
        played, f"{kind} regret is {regret:.4g}, above its bound of {most:.4g}", minimality
    )
