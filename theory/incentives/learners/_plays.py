"""What can be asked of plays alone: that they are distributions, and that the seed decides them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from theory.incentives.learners._judging import Judged
from theory.incentives.learners._playing import Played
from theory.incentives.learners._witness import LearnerWitness
from theory.verdicts import Status, Strength

__all__ = ["Twice", "judge_distribution", "judge_seeds"]


@dataclass(frozen=True)
class Twice:
    """A game, its rewards once more, and the shared generators that moved meanwhile."""

    once: Played
    again: Played
    moved: tuple[str, ...]

    @property
    def reproduced(self) -> bool:
        """Whether the learner did the same, to the last bit."""
        return np.array_equal(self.once.plays, self.again.plays)


def judge_distribution(games: Sequence[Played], tolerance: float) -> Judged:
    """Ask that every play is a list of N finite numbers that are at least 0 and sum to 1.

    Each may be below 0, and the sum off 1, by ``tolerance``. A game ends with the first play that
    is no distribution, and no other property is judged by it.
    """
    asked = [game for game in games if not game.fault]
    improper = min((game for game in asked if game.improper), key=lambda g: g.size, default=None)
    if improper is None:
        if not asked:
            return Judged(Status.VACUOUS, "No game was played to its end.", 0, 0)
        reason = f"Every play is a distribution, up to {tolerance:g}."
        return Judged(Status.HOLDS, reason, len(asked), len(asked))
    problem = f"in round {len(improper.plays) + 1} it {improper.improper}"
    witness = LearnerWitness.of(improper, problem, "the earliest round in which it happens")
    return Judged(
        Status.REFUTED,
        "Some play is no distribution.",
        len(asked),
        len(asked),
        witness,
        Strength.EXACT,
    )


def judge_seeds(games: Sequence[Twice]) -> Judged:
    """Ask that the seed decides all plays, and that the shared generators are left alone.

    Each game is played twice with the same rewards, while the generators of ``random`` and
    ``numpy.random`` stand in different states.
    """
    if not games:
        return Judged(Status.VACUOUS, "No game was played.", 0, 0)
    failing = [game for game in games if game.moved or not game.reproduced]
    if not failing:
        reason = "The same seed gives the same plays, whatever the state of shared generators."
        return Judged(Status.HOLDS, reason, len(games), len(games))
    smallest = min(failing, key=lambda game: (game.reproduced, game.once.size))
    return Judged(
        Status.REFUTED,
        "The seed does not decide the plays alone.",
        len(games),
        len(games),
        _unseeded(smallest),
        Strength.EXACT,
    )


def _unseeded(game: Twice) -> LearnerWitness:
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
