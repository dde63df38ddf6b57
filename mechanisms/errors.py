"""What a mechanism raises when a participant does what it must not."""

from __future__ import annotations

from typing import Any

from theory.errors import MechproofError
from theory.shared.printable import message_text

__all__ = [
    "BudgetError",
    "BuyerError",
    "OracleError",
    "ParticipantError",
    "RevokedError",
    "SellerError",
]


class ParticipantError(MechproofError):
    """A participant raised, answered nonsense, or did what the rules forbid.

    Parameters
    ----------
    participant : str
        Its name.
    problem : str
        What it did, as a clause: "offers 'report' twice".
    fix : str
        What it should do instead, as a clause.

    Attributes
    ----------
    record
        What had happened until then, in the form of the mechanism's own result. What was paid
        stays paid.
    """

    record: Any = None

    def __init__(self, participant: str, problem: str, fix: str) -> None:
        super().__init__(participant, problem, fix)
        self.participant = participant
        self.problem = problem
        self.fix = fix

    def __str__(self) -> str:
        return message_text(f"{self.participant} {self.problem}: {self.fix}")


class SellerError(ParticipantError):
    """A seller who raises, makes more offers than allowed, or an offer that cannot stand."""


class BuyerError(ParticipantError):
    """A buyer who raises, cannot be copied, or chooses what is not on offer."""


class BudgetError(BuyerError):
    """A buyer who chooses more than it can pay for; nothing of that choice was paid."""


class OracleError(ParticipantError):
    """An oracle that raises, or answers with what is no action of its set."""


class RevokedError(MechproofError):
    """Reading what may no longer be read."""
