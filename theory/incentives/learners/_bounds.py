"""Measured regret against what is stated of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite

from theory.errors import InvalidInputError
from theory.incentives.learners._judging import Judged
from theory.incentives.learners._learner import Bound, LearnerFactory
from theory.incentives.learners._playing import Played
from theory.incentives.learners._regret import exact_regret, regrets
from theory.incentives.learners._shrinking import shrunk
from theory.incentives.learners._witness import LearnerWitness
from theory.verdicts import Status, Strength

__all__ = ["Measured", "bound_of", "judge_regret", "measure"]


@dataclass(frozen=True)
class Measured:
    """Regret of one kind in one game; ``bound`` None where none is stated."""

    played: Played
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


def measure(games: Sequence[Played], kind: str, bound: Bound | None) -> list[Measured]:
    """Return the regret of the games that were played to their end.

    Without a bound these are the longest ones alone, since regret grows with the rounds.
    """
    whole = [played for played in games if played.whole]
    if bound is None:
        longest = max((played.game.rounds for played in whole), default=0)
        whole = [played for played in whole if played.game.rounds == longest]
    return [
        Measured(
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
    measured: Sequence[Measured],
    kind: str,
    bound: Bound | None,
    tolerance: float,
) -> Judged:
    """Ask that regret is at most its bound, in every game.

    It may be above by ``tolerance`` a round, since a play may be off a distribution by so much;
    where it is above at all, the finding is ambiguous. What is above by more is made smaller, and
    confirmed in fractions by other code. Without a bound regret is measured only.
    """
    if not measured:
        return Judged(Status.VACUOUS, "No game was played to its end.", 0, 0)
    worst = max(measured, key=lambda each: each.ratio)
    nontrivial = sum(each.regret > 0 for each in measured)
    if bound is None:
        reason = f"No bound is stated. It is at most {worst.ratio:.4g} a round: {worst}."
        return Judged(Status.MEASURED, reason, len(measured), nontrivial)
    reason = f"The largest share of the bound is {worst.ratio:.4g}: {worst}."
    over = [each for each in measured if each.regret > (each.bound or 0)]

    def fails(played: Played) -> bool:
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
        return Judged(status, reason, len(measured), nontrivial)
    witness = _witness(*shrunk(make, smallest, fails, tolerance), kind, bound)
    return Judged(Status.REFUTED, reason, len(measured), nontrivial, witness, Strength.EXACT)


def _witness(played: Played, minimality: str, kind: str, bound: Bound) -> LearnerWitness:
    regret = float(exact_regret(kind, played.plays, played.rewards))
    most = bound_of(kind, bound, played.game.rounds, played.game.actions)
    return LearnerWitness.of(
        played, f"{kind} regret is {regret:.4g}, above its bound of {most:.4g}", minimality
    )
