"""Noting what happens in a run, so that it can be checked by ``theory.incentives.protocols``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mechanisms._statement import Entry, LedgerStatement
from theory.incentives.protocols import (
    MessageSent,
    MoveMade,
    PaymentMade,
    RunRecord,
    SecretsGranted,
    Step,
)
from theory.shared.copying import copy_content

__all__ = ["ProtocolRecorder"]


class ProtocolRecorder:
    """Notes, in order, what participants are told and do, may know, and pay.

    Messages are copied, since who is told may change them afterwards.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.secrets: dict[str, object] = {}
        self._entered = 0

    def record_message(self, player: str, message: object) -> None:
        """Note what a participant is told."""
        self.steps.append(MessageSent(player, copy_content(message)))

    def record_move(self, player: str, move: object, hidden: str = "") -> None:
        """Note what a participant does; ``hidden`` names it where others may not know it."""
        self.steps.append(MoveMade(player, copy_content(move), hidden))

    def record_grants(self, players: Iterable[str], secrets: Iterable[str]) -> None:
        """Note who may know what from now on."""
        self.steps.append(SecretsGranted(tuple(players), tuple(secrets)))

    def record_entries(self, entries: Sequence[Entry]) -> None:
        """Note the payments of a run that are new, given all of them."""
        for entry in entries[self._entered :]:
            self.steps.append(PaymentMade(entry.payer, entry.payee, entry.amount))
        self._entered = len(entries)

    def record(self, statement: LedgerStatement, public: object, limit: int) -> RunRecord:
        """Return the run, with the payments that were not noted yet at its end."""
        self.record_entries(statement.entries)
        return RunRecord(
            steps=tuple(self.steps),
            limit=limit,
            opening={account.name: account.opening for account in statement.accounts},
            closing={account.name: account.closing for account in statement.accounts},
            floors={account.name: account.floor for account in statement.accounts},
            secrets=self.secrets,
            public=public,
        )
