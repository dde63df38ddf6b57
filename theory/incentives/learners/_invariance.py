"""Invariance of plays: to a shift of all rewards, to their scale, to the names of actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from theory._shapes import Float64, Int64
from theory.incentives.learners._judging import Judged
from theory.incentives.learners._learner import LearnerFactory
from theory.incentives.learners._playing import Played, replay
from theory.incentives.learners._witness import LearnerWitness
from theory.verdicts import Status

__all__ = ["Comparison", "judge_invariance", "relabelled", "scaled", "shifted"]

Plays = Float64[np.ndarray, "rounds actions"]


@dataclass(frozen=True)
class Comparison:
    """A game, and what its plays should be; ``change`` says how it came from another game."""

    change: str
    played: Played
    expected: Plays

    def difference(self, tolerance: float) -> int | None:
        """Return the index of the first round that is not as expected."""
        common = min(len(self.played.plays), len(self.expected))
        far = np.abs(self.played.plays[:common] - self.expected[:common]).max(axis=1) > tolerance
        if far.any():
            return int(np.argmax(far))
        return common if common < len(self.expected) else None


Change = Callable[[LearnerFactory, Played, float], Iterator[Comparison]]


def shifted(make: LearnerFactory, played: Played, tolerance: float) -> Iterator[Comparison]:
    """Add 1/4 to all rewards, which lie in [1/4, 3/4]: plays must stay as they are."""
    middle = _in_the_middle(make, played, tolerance)
    moved = replay(make, played.game, middle.rewards + 1 / 4, tolerance)
    yield Comparison("with all rewards 1/4 higher", moved, middle.plays)


def scaled(make: LearnerFactory, played: Played, tolerance: float) -> Iterator[Comparison]:
    """Halve all rewards, which lie in [1/4, 3/4]: plays must stay as they are."""
    middle = _in_the_middle(make, played, tolerance)
    halved = replay(make, played.game, middle.rewards / 2, tolerance)
    yield Comparison("with all rewards halved", halved, middle.plays)


def relabelled(make: LearnerFactory, played: Played, tolerance: float) -> Iterator[Comparison]:
    """Give action i the name of action i + 1, then swap the first two: plays must go with them."""
    for order in _orders(played.game.actions):
        renamed = replay(make, played.game, played.rewards[:, order], tolerance)
        names = ", ".join(map(str, order))
        yield Comparison(f"with the actions in the order {names}", renamed, played.plays[:, order])


def judge_invariance(
    make: LearnerFactory,
    games: Sequence[Played],
    change: Change,
    reproduced: bool,
    tolerance: float,
) -> Judged:
    """Ask that plays in a changed game are as expected, up to ``tolerance`` in each probability.

    The rewards are those of the battery, given beforehand. They are multiples of 1/64, so the
    changes are exact, and sums of rewards tie in the changed game where they tied before. Which of
    several leaders is played must not depend on names.
    """
    whole = [played for played in games if played.whole]
    if not reproduced:
        return Judged(
            Status.VACUOUS, "Plays that cannot be reproduced cannot be compared.", 0, 0
        )
    if not whole:
        return Judged(Status.VACUOUS, "No game was played to its end.", 0, 0)
    compared = [each for played in whole for each in change(make, played, tolerance)]
    nontrivial = sum(_varied(each.expected) for each in compared)
    found = [(each, each.difference(tolerance)) for each in compared]
    failing = [(each, t) for each, t in found if t is not None]
    if not failing:
        reason = f"Plays are as they should be, up to {tolerance:g}."
        status = Status.HOLDS if nontrivial else Status.VACUOUS
        return Judged(status, reason, len(compared), nontrivial)
    first, t = min(failing, key=lambda pair: (pair[1], pair[0].played.size))
    return Judged(
        Status.REFUTED,
        f"{len(failing)} of {len(compared)} changed games are not played as they should be.",
        len(compared),
        nontrivial,
        _witness(first, t),
    )


def _witness(compared: Comparison, t: int) -> LearnerWitness:
    due = ", ".join(f"{p:.4g}" for p in compared.expected[t])
    has = ", ".join(f"{p:.4g}" for p in compared.played.plays[t : t + 1].ravel())
    problem = f"{compared.change}, round {t + 1} plays {has or 'nothing'} and not {due}"
    minimality = "no game of the battery shows it in an earlier round"
    return LearnerWitness.of(compared.played, problem, minimality, until=t + 1)


def _in_the_middle(make: LearnerFactory, played: Played, tolerance: float) -> Played:
    return replay(make, played.game, 1 / 4 + played.rewards / 2, tolerance)


def _orders(actions: int) -> list[Int64[np.ndarray, " actions"]]:
    swap = np.arange(actions)
    swap[:2] = swap[:2][::-1]
    return [swap] if actions == 2 else [np.roll(np.arange(actions), 1), swap]


def _varied(plays: Plays) -> bool:
    """Whether the learner did anything but play one thing all the time."""
    return bool((plays != plays[0]).any())
