"""Inspection protocols: an agent buys information to decide which information to buy.

An :class:`InspectionProblem` has a decision and levels of goods on offer.
:func:`recursive_inspection` and :func:`successive_inspection` are the protocols of volition,
section 3; a :class:`Protocol` is any admissible one.
"""

from theory.inspection._best_protocol import (
    BestAdmissible,
    ValueOfSignalling,
    best_admissible,
    value_of_signalling,
)
from theory.inspection._choice import best_of
from theory.inspection._enumeration import (
    MAX_PROTOCOLS,
    all_protocols,
    count_protocols,
    random_protocol,
)
from theory.inspection._game import MAX_NODES, as_behaviour, inspection_game
from theory.inspection._inspection import Inspection, evaluate
from theory.inspection._merge import merge_states
from theory.inspection._outcome import Play, ProtocolOutcome, Ties
from theory.inspection._problem import MAX_CELLS, InspectionProblem
from theory.inspection._protocol import Known, Node, Protocol
from theory.inspection._recursive import RecursiveInspection, recursive_inspection
from theory.inspection._signalling import Gain, Signal, gains_over, signal
from theory.inspection._successive import Offers, SuccessiveInspection, successive_inspection

__all__ = [
    "MAX_CELLS",
    "MAX_NODES",
    "MAX_PROTOCOLS",
    "BestAdmissible",
    "Gain",
    "Inspection",
    "InspectionProblem",
    "Known",
    "Node",
    "Offers",
    "Play",
    "Protocol",
    "ProtocolOutcome",
    "RecursiveInspection",
    "Signal",
    "SuccessiveInspection",
    "Ties",
    "ValueOfSignalling",
    "all_protocols",
    "as_behaviour",
    "best_admissible",
    "best_of",
    "count_protocols",
    "evaluate",
    "gains_over",
    "inspection_game",
    "merge_states",
    "random_protocol",
    "recursive_inspection",
    "signal",
    "successive_inspection",
    "value_of_signalling",
]
