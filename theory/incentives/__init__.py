"""Properties of mechanisms: a finding on each, with a certificate or a smallest counterexample.

:func:`check_mechanism` finds out which properties somebody's mechanism has;
:func:`assert_mechanism` and :func:`assert_dsic` do so in tests. :func:`implementable` asks for
payments that make an allocation rule truthful, :func:`check_protocol` is for mechanisms that run
in steps and :func:`check_learner` for learning rules. :func:`prove_mechanism` proves properties for
all real types.
"""

from theory.incentives._asserts import assert_dsic, assert_holds_at, assert_mechanism
from theory.incentives._battery import check_mechanism
from theory.incentives._curve import IncentiveCurve, incentive_curve
from theory.incentives._expectation import InExpectation
from theory.incentives._finite import Effort
from theory.incentives._mechanism import Mechanism, Traced, Vectorised
from theory.incentives._outcome import Lottery, Outcome
from theory.incentives._prior import Prior
from theory.incentives._property import Instance
from theory.incentives._report import MechanismReport, PropertyFinding
from theory.incentives._types import (
    Box,
    DrawnTypes,
    FiniteTypes,
    Product,
    Reals,
    Simplex,
    TypeSpace,
)
from theory.incentives._values import Rewards, SingleItem, SingleParameter, ValueTable
from theory.incentives.allocation import Implementation, NegativeCycle, implementable
from theory.incentives.learners import LearnerReport, check_learner
from theory.incentives.properties import PROPERTIES
from theory.incentives.protocols import ProtocolReport, check_protocol
from theory.incentives.proving import Piece, Piecewise, prove_mechanism
from theory.incentives.setting import Fault
from theory.incentives.witness import Replay, Witness

__all__ = [
    "PROPERTIES",
    "Box",
    "DrawnTypes",
    "Effort",
    "Fault",
    "FiniteTypes",
    "Implementation",
    "InExpectation",
    "IncentiveCurve",
    "Instance",
    "LearnerReport",
    "Lottery",
    "Mechanism",
    "MechanismReport",
    "NegativeCycle",
    "Outcome",
    "Piece",
    "Piecewise",
    "Prior",
    "Product",
    "PropertyFinding",
    "ProtocolReport",
    "Reals",
    "Replay",
    "Rewards",
    "Simplex",
    "SingleItem",
    "SingleParameter",
    "Traced",
    "TypeSpace",
    "ValueTable",
    "Vectorised",
    "Witness",
    "assert_dsic",
    "assert_holds_at",
    "assert_mechanism",
    "check_learner",
    "check_mechanism",
    "check_protocol",
    "implementable",
    "incentive_curve",
    "prove_mechanism",
]
