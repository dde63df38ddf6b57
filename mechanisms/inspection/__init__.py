"""The inspection protocols of volition, section 5, run over abstract buyers and sellers.

:func:`inspect_once` is Algorithm 1, :func:`inspect_recursively` Algorithm 2 with a bound on its
depth. Anything with the methods of :class:`~mechanisms.protocols.Buyer` or
:class:`~mechanisms.protocols.Seller` takes part. :class:`BayesianBuyer` among :func:`sellers_in` a
state does what :mod:`theory.inspection` computes. :func:`watch_inspection` notes a run down for
:func:`~theory.incentives.protocols.check_protocol`.
"""

from mechanisms.inspection._bayesian import BayesianBuyer
from mechanisms.inspection._questions import Offers, Purchases, Shown, ToDecide, ToInspect
from mechanisms.inspection._record import InspectionRecord, Level, inspection_record
from mechanisms.inspection._rules import MAX_BREADTH, MAX_DEPTH, Inspected, inspection
from mechanisms.inspection._run import inspect_once, inspect_recursively
from mechanisms.inspection._tables import TableSeller, sellers_in
from mechanisms.inspection._watch_inspection import watch_inspection

__all__ = [
    "MAX_BREADTH",
    "MAX_DEPTH",
    "BayesianBuyer",
    "Inspected",
    "InspectionRecord",
    "Level",
    "Offers",
    "Purchases",
    "Shown",
    "TableSeller",
    "ToDecide",
    "ToInspect",
    "inspect_once",
    "inspect_recursively",
    "inspection",
    "inspection_record",
    "sellers_in",
    "watch_inspection",
]
