"""Invariance of plays: to a shift of all rewards, to their scale, to the names of actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from theory.incentives.learners._judgement import LearnerJudgement
from theory.incentives.learners._learner import LearnerFactory
from theory.incentives.learners._played_games import PlayedGame, replay
from theory.incentives.learners._witness import LearnerWitness
from theory.shared.shapes import Float64, Int64
from theory.verdicts import Status

__all__ = [
    "Comparison",
    "compare_relabelled",
    "compare_scaled",
    "compare_shifted",
    "judge_invariance",
]


@dataclass(frozen=True)
class Comparison:
    """A changed game, and the one whose plays it is compared with, action by action."""

    change: str
    changed: PlayedGame
    model: PlayedGame
    order: Int64[np.ndarray, " actions"]

    @property
    def expected(self) -> Float64[np.ndarray, "rounds actions"]:
        """What the plays of the changed game should be."""
        return self.model.plays[:, self.order]

    def difference(self, tolerance: float) -> int | None:
        """Return the index of the first round that is not as expected."""
        common = min(len(self.changed.plays), len(self.expected))
        off = np.abs(self.changed.plays[:common] - self.expected[:common]).max(axis=1)
        return int(np.argmax(off > tolerance)) if (off > tolerance).any() else None

    def witness(self, t: int) -> LearnerWitness:
        """Show the game up to the round of index ``t``."""
        due, has = (
            ", ".join(f"{p:.4g}" for p in row) for row in (self.expected[t], self.changed.plays[t])
        )
        problem = f"{self.change}, round {t + 1} plays {has} and not {due}"
        minimality = "no game of the battery shows it in an earlier round"
        return LearnerWitness.of(self.changed, problem, minimality, until=t + 1)


Change = Callable[[LearnerFactory, PlayedGame, float], list[Comparison]]


def compare_shifted(make: LearnerFactory, played: PlayedGame, tolerance: float) -> list[Comparison]:
    """Add 1/4 to all rewards, which lie in [1/4, 3/4]: plays must stay as they are."""
    rewards = 1 / 4 + played.rewards / 2
    change = "with 1/4 on all rewards"
    return [
        _compare_rewards(make, played, rewards, rewards + 1 / 4, change=change, tolerance=tolerance)
    ]


def compare_scaled(make: LearnerFactory, played: PlayedGame, tolerance: float) -> list[Comparison]:
    """Halve all rewards: plays must stay as they are."""
    half = played.rewards / 2
    change = "with all rewards halved"
    return [
        _compare_rewards(make, played, played.rewards, half, change=change, tolerance=tolerance)
    ]


def compare_relabelled(
    make: LearnerFactory, played: PlayedGame, tolerance: float
) -> list[Comparison]:
    """Give the actions each other's names, in two ways: plays must go with them."""
    return [
        Comparison(
            f"with the actions in the order {', '.join(map(str, order))}",
            replay(make, played.game, played.rewards[:, order], tolerance),
            played,
            order,
        )
        for order in _orders(played.game.actions)
    ]


def judge_invariance(
    make: LearnerFactory,
    games: Sequence[PlayedGame],
    change: Change,
    reproduced: bool,
    tolerance: float,
) -> LearnerJudgement:
    """Ask that plays in a changed game are as expected, up to ``tolerance`` in each probability.

    The rewards are those of the battery, given beforehand. They are multiples of 1/64, so the
    changes are exact, and what ties before ties after. Which of several leaders is played must not
    depend on names.
    """
    whole = [played for played in games if played.whole]
    if not reproduced:
        return LearnerJudgement(
            Status.VACUOUS, "Plays that cannot be reproduced cannot be compared.", 0, 0
        )
    compared = [each for played in whole for each in change(make, played, tolerance)]
    if not compared:
        return LearnerJudgement(Status.VACUOUS, "No game was played to its end.", 0, 0)
    nontrivial = sum(_has_varied(each.expected) for each in compared)
    found = ((each, each.difference(tolerance)) for each in compared)
    failing = [(each, t) for each, t in found if t is not None]
    faults = tuple(
        f"{each.change}: {game.game}: {game.fault or game.improper}"
        for each in compared
        for game in (each.changed, each.model)
        if not game.whole
    )[:1]
    if failing:
        first, t = min(failing, key=lambda pair: (pair[1], pair[0].changed.size))
        reason = (
            f"{len(failing)} of {len(compared)} changed games are not played as they should be."
        )
        witness = first.witness(t)
        return LearnerJudgement(
            Status.REFUTED, reason, len(compared), nontrivial, witness, faults=faults
        )
    status, reason = Status.HOLDS, f"Plays are as they should be, up to {tolerance:g}."
    if not nontrivial:
        status, reason = Status.VACUOUS, "The play is always the same one."
    return LearnerJudgement(status, reason, len(compared), nontrivial, faults=faults)


def _compare_rewards(
    make: LearnerFactory,
    played: PlayedGame,
    before: Float64[np.ndarray, "rounds actions"],
    after: Float64[np.ndarray, "rounds actions"],
    *,
    change: str,
    tolerance: float,
) -> Comparison:
    """Compare the plays with two sets of rewards."""
    model = replay(make, played.game, before, tolerance)
    changed = replay(make, played.game, after, tolerance)
    return Comparison(change, changed, model, np.arange(played.game.actions))


def _orders(actions: int) -> list[Int64[np.ndarray, " actions"]]:
    swap = np.arange(actions)
    swap[:2] = swap[:2][::-1]
    return [swap] if actions == 2 else [np.roll(np.arange(actions), 1), swap]


def _has_varied(plays: Float64[np.ndarray, "rounds actions"]) -> bool:
    """Whether the learner did anything but play one thing all the time."""
    return bool((plays != plays[0]).any())
