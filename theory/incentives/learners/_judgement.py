"""What is found of one property of a learner."""

from __future__ import annotations

from dataclasses import dataclass

from theory.incentives.learners._witness import LearnerWitness
from theory.verdicts import Status, Strength

__all__ = ["LearnerJudgement"]


@dataclass(frozen=True)
class LearnerJudgement:
    """A status with its reason, and how many games it rests on."""

    status: Status
    reason: str
    games: int
    nontrivial: int
    witness: LearnerWitness | None = None
    strength: Strength = Strength.TESTED
    faults: tuple[str, ...] = ()
