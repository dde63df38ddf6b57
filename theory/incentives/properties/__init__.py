"""The properties a mechanism may have, each in a file of its own."""

from theory.incentives._property import Property
from theory.incentives.properties.anonymity import Anonymity
from theory.incentives.properties.bic import BIC
from theory.incentives.properties.convexity import ConvexUtility
from theory.incentives.properties.cyclic_monotonicity import CyclicMonotonicity
from theory.incentives.properties.determinism import Determinism
from theory.incentives.properties.dsic import DSIC
from theory.incentives.properties.efficiency import Efficiency
from theory.incentives.properties.false_names import FalseNameProof
from theory.incentives.properties.feasibility import Feasibility
from theory.incentives.properties.group import PairwiseStrategyproof
from theory.incentives.properties.individual_rationality import IndividualRationality
from theory.incentives.properties.interim_individual_rationality import InterimIR
from theory.incentives.properties.non_bossiness import NonBossiness
from theory.incentives.properties.payment_identity import PaymentIdentity
from theory.incentives.properties.revenue_monotonicity import RevenueMonotonicity
from theory.incentives.properties.strong_budget import StrongBudgetBalance
from theory.incentives.properties.transfers import NoPositiveTransfers
from theory.incentives.properties.weak_budget import WeakBudgetBalance
from theory.incentives.properties.weak_monotonicity import WeakMonotonicity

__all__ = ["PROPERTIES"]

_BATTERY: tuple[Property, ...] = (
    Determinism(),
    Feasibility(),
    DSIC(),
    BIC(),
    IndividualRationality(),
    InterimIR(),
    NoPositiveTransfers(),
    WeakBudgetBalance(),
    StrongBudgetBalance(),
    Efficiency(),
    WeakMonotonicity(),
    CyclicMonotonicity(),
    PaymentIdentity(),
    ConvexUtility(),
    Anonymity(),
    NonBossiness(),
    PairwiseStrategyproof(),
    RevenueMonotonicity(),
    FalseNameProof(),
)

PROPERTIES: dict[str, Property] = {prop.name: prop for prop in _BATTERY}
"""By name, in the order in which a battery judges them."""
