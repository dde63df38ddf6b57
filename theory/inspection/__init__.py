"""Inspection protocols: an agent buys information to decide which information to buy.

An :class:`InspectionProblem` has a decision and levels of goods on offer.
:func:`recursive_inspection` and :func:`successive_inspection` are the protocols of volition,
section 3; a :class:`Protocol` is any admissible one.
"""

from theory.inspection._plan import Inspection, Play, Ties, evaluate
from theory.inspection._problem import MAX_CELLS, InspectionProblem
from theory.inspection._protocol import Known, Node, Protocol
from theory.inspection._recursive import recursive_inspection

__all__ = [
    "MAX_CELLS",
    "Inspection",
    "InspectionProblem",
    "Known",
    "Node",
    "Play",
    "Protocol",
    "Ties",
    "evaluate",
    "recursive_inspection",
]
