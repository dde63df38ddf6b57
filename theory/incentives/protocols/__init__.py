"""Mechanisms that run in steps: whether money is conserved, who could know what, and the end.

:func:`check_protocol` runs a mechanism on cases and seeds and reads of each run a
:class:`ProtocolRun`: who was told what, who did what, what was paid. Whatever has these attributes
can be checked; nothing here knows any particular mechanism.
"""

from theory.incentives.protocols._check import PROTOCOL_PROPERTIES, ProtocolReport, check_protocol
from theory.incentives.protocols._judging import RunWitness
from theory.incentives.protocols._record import (
    Granted,
    Moved,
    Paid,
    ProtocolRun,
    RunRecord,
    Step,
    Told,
)

__all__ = [
    "PROTOCOL_PROPERTIES",
    "Granted",
    "Moved",
    "Paid",
    "ProtocolReport",
    "ProtocolRun",
    "RunRecord",
    "RunWitness",
    "Step",
    "Told",
    "check_protocol",
]
