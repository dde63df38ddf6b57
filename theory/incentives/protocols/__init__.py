"""Mechanisms that run in steps: whether money is conserved, who could know what, and the end.

:func:`check_protocol` runs a mechanism on cases and seeds and reads of each run a
:class:`ProtocolRun`: who was told what, who did what, what was paid. Whatever has these attributes
can be checked; nothing here knows any particular mechanism.
"""

from theory.incentives.protocols._check_protocol import (
    PROTOCOL_PROPERTIES,
    ProtocolReport,
    check_protocol,
)
from theory.incentives.protocols._judgement import RunWitness
from theory.incentives.protocols._record import (
    MessageSent,
    MoveMade,
    PaymentMade,
    ProtocolRun,
    RunRecord,
    SecretsGranted,
    Step,
)

__all__ = [
    "PROTOCOL_PROPERTIES",
    "MessageSent",
    "MoveMade",
    "PaymentMade",
    "ProtocolReport",
    "ProtocolRun",
    "RunRecord",
    "RunWitness",
    "SecretsGranted",
    "Step",
    "check_protocol",
]
