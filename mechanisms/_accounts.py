"""The accounts of a ledger: what they begin with, how far down they may go, what the log says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from mechanisms._statement import Amount, Entry, amount_text, unknown_account
from mechanisms.amounts import as_safe_number, copy_amount, is_float, read
from mechanisms.ledger_store import write_opening
from mechanisms.participants import plain
from theory.errors import InvalidInputError, MechproofError

__all__ = [
    "Accounts",
    "Books",
    "ConservationError",
    "OverdraftError",
    "Payment",
    "copy_entries",
]

Payment = tuple[str, str, Fraction, str]
"""Payer, payee, amount and memo, as they were read."""


class ConservationError(MechproofError):
    """Balances that do not follow from the log of entries."""


class OverdraftError(InvalidInputError):
    """A payment that would take an account below its floor; nothing was moved."""

    __module__ = "mechanisms.ledger"  # where it is found

    def __init__(
        self, account: str, balance: Amount, floor: Amount, amount: Amount, memo: str
    ) -> None:
        purpose = f" for {memo}" if memo else ""
        keeps = f" and must keep {amount_text(floor)}" if floor else ""
        problem = f"is more than {account} can pay{purpose}"
        super().__init__("amount", amount, problem, f"it has {amount_text(balance)}{keeps}")
        self.account = account
        self.balance = balance
        self.floor = floor
        self.amount = amount
        self.memo = memo


class Books:
    """Balances by the opening balances and the log, and by nothing else."""

    def __init__(self, opening: Mapping[str, Fraction]) -> None:
        self.balances = dict(opening)
        self.entries = 0

    def follow(self, entries: Iterable[Entry]) -> None:
        """Carry over entries, which must be the next ones."""
        for entry in entries:
            if entry.number != self.entries + 1:
                due = f"where entry {self.entries + 1} is due"
                raise ConservationError(f"the log has entry {entry.number} {due}")
            for name in (entry.payer, entry.payee):
                if name not in self.balances:
                    raise ConservationError(f"entry {entry.number} is of no account: {name}")
            amount = entry.amount
            paid = amount if type(amount) is Fraction else Fraction(amount)
            self.balances[entry.payer] -= paid
            self.balances[entry.payee] += paid
            self.entries += 1


class Accounts:
    """Accounts by name, and what may be said of them; nothing here changes.

    Parameters
    ----------
    balances, floors : mapping
        As for :class:`~mechanisms.ledger.Ledger`, which says what is refused.

    Attributes
    ----------
    opening : dict from str to Fraction
    floors : dict from str to Fraction or None
    floats : bool
        Whether numbers are shown as floats.
    """

    def __init__(self, balances: Mapping[str, object], floors: Mapping[str, object] | None) -> None:
        _require_mapping("balances", balances)
        _require_mapping("floors", {} if floors is None else floors)
        self.floats = any(map(is_float, balances.values()))
        self.opening = {
            _name(name): self.read(value, f"balance of {name}") for name, value in balances.items()
        }
        self.floors: dict[str, Fraction | None] = dict.fromkeys(self.opening, Fraction(0))
        for name, floor in (floors or {}).items():
            account = self.account("floors", name)
            self.floors[account] = None if floor is None else self.read(floor, f"floor of {name}")
        for name, balance in self.opening.items():
            least = self.floors[name]
            if least is not None and balance < least:
                raise InvalidInputError(
                    f"balance of {name}",
                    self.shown(balance),
                    f"is below its floor, {self.shown(least)}",
                    "raise the balance or lower the floor",
                )

    def written(self) -> str:
        """Return the text with which a store of these accounts begins."""
        return write_opening(
            {name: self.shown(held) for name, held in self.opening.items()},
            {name: self.floor(name) for name in self.opening},
            floats=self.floats,
        )

    def account(self, argument: str, name: object) -> str:
        """Return the name of an account that there is."""
        account = plain(name)
        if account is None or account not in self.opening:
            raise unknown_account(argument, name, tuple(self.opening))
        return account

    def floor(self, account: str) -> Amount | None:
        """Return how far an account may go down, floats rounded down; None for any distance."""
        floor = self.floors[account]
        return None if floor is None else self.shown(floor)

    def payment(self, payer: object, payee: object, amount: object, memo: object = "") -> Payment:
        """Return a payment as it would be made, whatever the payer has."""
        giver = self.account("payer", payer)
        taker = self.account("payee", payee)
        if giver == taker:
            raise InvalidInputError("payee", payee, "is the payer too", "name two accounts")
        purpose = plain(memo)
        if purpose is None:
            raise InvalidInputError("memo", memo, "is not text", 'say what is paid, or give ""')
        return giver, taker, self.amount(amount, "amount"), purpose

    def amount(self, value: object, argument: str) -> Fraction:
        """Return a number that is not negative."""
        number = self.read(value, argument)
        if number < 0:
            raise InvalidInputError(argument, value, "is negative", "give a number of at least 0")
        return number

    def read(self, value: object, argument: str) -> Fraction:
        """Return a number of the kind of these accounts."""
        return read(value, argument, floats=self.floats)

    def shown(self, number: Fraction) -> Amount:
        """Return a number as it is handed out: a new object, floats rounded down."""
        return as_safe_number(number, floats=self.floats)


def _require_mapping(argument: str, numbers: object) -> None:
    if not isinstance(numbers, Mapping):
        raise InvalidInputError(
            argument, numbers, "are no mapping", 'give numbers by account, such as {"buyer": 5}'
        )


def _name(name: object) -> str:
    account = plain(name)
    if not account:
        raise InvalidInputError("accounts", name, "is no name", "give text, such as 'buyer'")
    return account


def copy_entries(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return entries whose amounts nobody else holds."""
    return tuple(
        Entry(each.number, each.payer, each.payee, copy_amount(each.amount), each.memo)
        for each in entries
    )
