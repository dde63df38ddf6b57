"""Learning rules: whether plays are distributions, regret keeps its bound, and names do not matter.

:func:`check_learner` plays a :class:`Learner` against the adversaries of ``ADVERSARIES``.
"""

from theory.incentives.learners._adversaries import ADVERSARIES, Adversary, AdversaryFactory
from theory.incentives.learners._check_learner import LEARNER_PROPERTIES, check_learner
from theory.incentives.learners._learner import Bound, Learner, LearnerFactory
from theory.incentives.learners._report import LearnerReport
from theory.incentives.learners._witness import LearnerWitness

__all__ = [
    "ADVERSARIES",
    "LEARNER_PROPERTIES",
    "Adversary",
    "AdversaryFactory",
    "Bound",
    "Learner",
    "LearnerFactory",
    "LearnerReport",
    "LearnerWitness",
    "check_learner",
]
