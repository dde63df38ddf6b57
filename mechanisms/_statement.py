"""What a ledger shows of itself: entries, accounts, and a statement of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from theory.errors import UnknownNameError, nearest
from theory.shared.printable import printed_line
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["Account", "Amount", "Entry", "LedgerStatement", "amount_text", "unknown_account"]

Amount = Fraction | float
"""A ``Fraction`` in an exact ledger, a ``float`` in one of floats."""


@dataclass(frozen=True)
class Entry:
    """One payment; entries are numbered from 1."""

    number: int
    payer: str
    payee: str
    amount: Amount
    memo: str

    @printed_line
    def __str__(self) -> str:
        purpose = f" for {self.memo}" if self.memo else ""
        amount = amount_text(self.amount)
        return f"{self.number}. {self.payer} pays {self.payee} {amount}{purpose}"


@dataclass(frozen=True)
class Account:
    """An account at the start and at the end of a statement; ``floor`` None means no floor."""

    name: str
    opening: Amount
    closing: Amount
    floor: Amount | None

    @property
    def change(self) -> Amount:
        """Closing balance less opening balance."""
        return self.closing - self.opening


@dataclass(frozen=True)
class LedgerStatement:
    """All accounts, and the payments between opening and closing."""

    accounts: tuple[Account, ...]
    entries: tuple[Entry, ...]

    def account(self, name: str) -> Account:
        """Return one account.

        Raises
        ------
        UnknownNameError
            When there is no such account.
        """
        for account in self.accounts:
            if account.name == name:
                return account
        raise unknown_account("account", name, (account.name for account in self.accounts))

    def tables(self) -> tuple[Table, Table]:
        """Return the payments and the accounts."""
        paid = tuple(
            (str(entry.number), entry.payer, entry.payee, amount_text(entry.amount), entry.memo)
            for entry in self.entries
        )
        held = tuple(
            (a.name, amount_text(a.opening), amount_text(a.closing)) for a in self.accounts
        )
        return (
            Table(caption="Payments", columns=("", "from", "to", "amount", "for"), rows=paid),
            Table(caption="Accounts", columns=("account", "opening", "closing"), rows=held),
        )

    def __str__(self) -> str:
        paid, held = self.tables()
        return f"{paid}\n\n{held}" if self.entries else str(held)

    def _repr_html_(self) -> str:
        paid, held = self.tables()
        return (paid._repr_html_() if self.entries else "") + held._repr_html_()


def amount_text(amount: Amount) -> str:
    """Write an amount; one with more digits than Python writes is rounded, and says so."""
    return str(amount) if isinstance(amount, float) else number_text(amount)


def unknown_account(argument: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return the error for a name that no account bears."""
    return UnknownNameError(argument, name, "is not an account", nearest(name, known))
