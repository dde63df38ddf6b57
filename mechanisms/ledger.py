"""One ledger for every mechanism that moves money; nothing appears in it and nothing vanishes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from threading import RLock
from typing import Any

from mechanisms._statement import (
    Account,
    Amount,
    Entry,
    LedgerStatement,
    amount_text,
    unknown_account,
)
from mechanisms.amounts import as_safe_number, copy_amount, is_float, read
from mechanisms.participants import plain
from theory.errors import InvalidInputError, MechproofError

__all__ = [
    "Account",
    "Amount",
    "ConservationError",
    "Entry",
    "Ledger",
    "LedgerStatement",
    "OverdraftError",
]


class OverdraftError(InvalidInputError):
    """A payment that would take an account below its floor; nothing was moved."""

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


class ConservationError(MechproofError):
    """Balances that do not follow from the log of entries."""


class _Books:
    """Balances by the opening balances and the log, and by nothing else."""

    def __init__(self, opening: Mapping[str, Fraction]) -> None:
        self.balances = dict(opening)
        self._followed = 0

    def follow(self, entries: Sequence[Entry]) -> None:
        """Carry over the entries that are new."""
        for entry in entries[self._followed :]:
            self.balances[entry.payer] -= Fraction(entry.amount)
            self.balances[entry.payee] += Fraction(entry.amount)
        self._followed = len(entries)


class Ledger:
    """Accounts by name, payments between them, and the log of all payments.

    Credits are conserved: an entry of the log takes from one account what it gives to another, and
    after every payment all balances are compared with those that the log gives. Numbers are exact.
    Where the balances are floats, so are the amounts, and none is above 2^960, so that their sums
    are floats too. They are added without rounding; a balance is shown as the largest float that is
    not above it, so that what an account is shown to have it can pay.

    All that is handed out is new: nothing that is done to a balance, an amount or an entry changes
    the ledger. What comes in is read once, as a number of a plain kind and of no more than 4,000
    digits. Threads may share a ledger: each call has it alone, and :meth:`alone` several together.

    Parameters
    ----------
    balances : mapping from str to number
        What each account starts with. Integers, fractions, text, or floats: one kind for all, but
        that whole numbers may stand among floats.
    floors : mapping from str to number or None, optional
        How far an account may go down: 0 where nothing is said, any distance for None.

    Raises
    ------
    InvalidInputError
        For an account that starts below its floor, a name that is not text, or what is no mapping.
    UnknownNameError
        For the floor of an account that there is not.
    ExactnessError, NumberError
        For numbers of two kinds, NaN, infinity, and floats above 2^960.

    Examples
    --------
    >>> ledger = Ledger({"buyer": 5, "press": 0})
    >>> print(ledger.transfer("buyer", "press", "3/2", "the report"))
    1. buyer pays press 3/2 for the report
    >>> ledger.transfer("buyer", "press", 4)
    Traceback (most recent call last):
    ...
    mechanisms.ledger.OverdraftError: amount is more than buyer can pay (got '4'): it has 7/2
    >>> print(ledger)
    Payments
       from   to     amount  for
    ─  ─────  ─────  ──────  ──────────
    1  buyer  press  3/2     the report
    <BLANKLINE>
    Accounts
    account  opening  closing
    ───────  ───────  ───────
    buyer    5        7/2
    press    0        3/2
    """

    def __init__(
        self, balances: Mapping[str, object], floors: Mapping[str, object] | None = None
    ) -> None:
        _require_mapping("balances", balances)
        _require_mapping("floors", {} if floors is None else floors)
        self._floats = any(map(is_float, balances.values()))
        self._opening = {
            _name(name): self._read(value, f"balance of {name}") for name, value in balances.items()
        }
        self._floors: dict[str, Fraction | None] = dict.fromkeys(self._opening, Fraction(0))
        for name, floor in (floors or {}).items():
            account = self._require_account("floors", name)
            self._floors[account] = None if floor is None else self._read(floor, f"floor of {name}")
        for name, balance in self._opening.items():
            least = self._floors[name]
            if least is not None and balance < least:
                raise InvalidInputError(
                    f"balance of {name}",
                    self._shown(balance),
                    f"is below its floor, {self._shown(least)}",
                    "raise the balance or lower the floor",
                )
        self._balances = dict(self._opening)
        self._entries: list[Entry] = []  # as nobody else sees them: copies are handed out
        self._books = _Books(self._opening)
        self._lock = RLock()

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock; a copy has its own."""
        with self._lock:
            state = self.__dict__ | {
                "_balances": dict(self._balances),
                "_entries": list(self._entries),
            }
        del state["_lock"], state["_books"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._books = _Books(self._opening)
        self._books.follow(self._entries)
        self._lock = RLock()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep all other threads from the ledger, so that several calls see one state of it.

        Examples
        --------
        >>> ledger = Ledger({"buyer": 5, "press": 0})
        >>> with ledger.alone():
        ...     ledger.require("buyer", [2, 3])
        ...     for price in (2, 3):
        ...         print(ledger.transfer("buyer", "press", price))
        1. buyer pays press 2
        2. buyer pays press 3
        """
        with self._lock:
            yield

    @property
    def accounts(self) -> tuple[str, ...]:
        """The names of the accounts."""
        return tuple(self._opening)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All payments, in order."""
        with self._lock:
            return self._shown_from(0)

    def balance(self, account: str) -> Amount:
        """Return what an account holds, floats rounded down.

        Raises
        ------
        UnknownNameError
            When there is no such account.
        """
        name = self._require_account("account", account)
        with self._lock:
            return self._shown(self._balances[name])

    def available(self, account: str) -> Amount | None:
        """Return how much an account can pay, floats rounded down; None where it has no floor.

        Raises
        ------
        UnknownNameError
            When there is no such account.
        """
        name = self._require_account("account", account)
        floor = self._floors[name]
        with self._lock:
            return None if floor is None else self._shown(self._balances[name] - floor)

    def floor(self, account: str) -> Amount | None:
        """Return how far an account may go down, floats rounded down; None for any distance.

        Raises
        ------
        UnknownNameError
            When there is no such account.
        """
        floor = self._floors[self._require_account("account", account)]
        return None if floor is None else self._shown(floor)

    def amount(self, value: object, argument: str = "amount") -> Amount:
        """Read a number as the kind that this ledger holds.

        Raises
        ------
        ExactnessError, NumberError
            For a number of another kind, NaN, infinity, and floats above 2^960.
        InvalidInputError
            For a negative number.
        """
        return self._shown(self._amount(value, argument))

    def require(self, account: str, amounts: Sequence[object], memo: str = "") -> None:
        """Refuse amounts that the account cannot pay one after the other.

        Raises
        ------
        OverdraftError
            When paying all of them would take the account below its floor.
        UnknownNameError, ExactnessError, NumberError, InvalidInputError
            As for :meth:`transfer`, and for amounts that are no list.
        """
        name = self._require_account("account", account)
        if isinstance(amounts, str) or not isinstance(amounts, Iterable):
            raise InvalidInputError("amounts", amounts, "are no list", "give a list, even of one")
        total = sum((self._amount(amount, "amount") for amount in amounts), Fraction(0))
        with self._lock:
            self._check(name, total, memo)

    def transfer(self, payer: str, payee: str, amount: object, memo: str = "") -> Entry:
        """Move an amount from one account to another, all of it or nothing.

        Raises
        ------
        OverdraftError
            When it would take the payer below its floor.
        UnknownNameError
            For an account that there is not.
        InvalidInputError
            For a negative amount, a payer who is the payee, or a memo that is not text.
        ExactnessError, NumberError
            For a number of another kind than the ledger's, NaN, infinity, and floats above 2^960.
        ConservationError
            When balances do not follow from the log, which is a fault of the ledger.

        Notes
        -----
        O(accounts): the new entry is carried over from the log, and all balances compared.
        """
        giver, taker, paid, purpose = self.check_transfer(payer, payee, amount, memo)
        with self._lock:
            self._check(giver, paid, purpose)
            number = len(self._entries) + 1
            self._entries.append(Entry(number, giver, taker, self._shown(paid), purpose))
            self._balances[giver] -= paid
            self._balances[taker] += paid
            self._books.follow(self._entries)
            self._compare(self._books)
            return self._shown_from(number - 1)[0]

    def check_transfer(
        self, payer: str, payee: str, amount: object, memo: str = ""
    ) -> tuple[str, str, Fraction, str]:
        """Return a payment as it would be made, whatever the payer has.

        Raises
        ------
        UnknownNameError, InvalidInputError, ExactnessError, NumberError
            As for :meth:`transfer`.
        """
        giver = self._require_account("payer", payer)
        taker = self._require_account("payee", payee)
        if giver == taker:
            raise InvalidInputError("payee", payee, "is the payer too", "name two accounts")
        purpose = plain(memo)
        if purpose is None:
            raise InvalidInputError("memo", memo, "is not text", 'say what is paid, or give ""')
        return giver, taker, self._amount(amount, "amount"), purpose

    def audit(self) -> None:
        """Recompute every balance from the whole log and compare.

        Raises
        ------
        ConservationError
            When a balance is not what the log says.

        Notes
        -----
        O(accounts + entries).
        """
        with self._lock:
            books = _Books(self._opening)
            books.follow(self._entries)
            self._compare(books)

    def statement(self, since: int = 0) -> LedgerStatement:
        """Return accounts and payments after the first ``since`` entries, audited as a whole.

        Raises
        ------
        InvalidInputError
            When there are not so many entries.
        ConservationError
            As for :meth:`audit`.
        """
        with self._lock:
            if type(since) is not int or not 0 <= since <= len(self._entries):
                fix = f"give an integer from 0 to {len(self._entries)}"
                raise InvalidInputError("since", since, "is no number of entries", fix)
            self.audit()
            then = _Books(self._opening)
            then.follow(self._entries[:since])
            accounts = tuple(
                Account(
                    name, self._shown(then.balances[name]), self.balance(name), self.floor(name)
                )
                for name in self._opening
            )
            return LedgerStatement(accounts, self._shown_from(since))

    def __str__(self) -> str:
        return str(self.statement())

    def _repr_html_(self) -> str:
        return self.statement()._repr_html_()

    def _compare(self, books: _Books) -> None:
        for name, balance in self._balances.items():
            if balance != books.balances[name]:
                raise ConservationError(
                    f"{name} has {amount_text(self._shown(balance))}, but by the log of payments "
                    f"it has {amount_text(self._shown(books.balances[name]))}"
                )

    def _check(self, account: str, total: Fraction, memo: str) -> None:
        """Refuse what takes an account below its floor."""
        floor = self._floors[account]
        if floor is not None and self._balances[account] - total < floor:
            held, least = self._shown(self._balances[account]), self._shown(floor)
            wanted = -self._shown(-total)  # rounded up, so that it is seen to be too much
            raise OverdraftError(account, held, least, wanted, memo)

    def _amount(self, value: object, argument: str) -> Fraction:
        number = self._read(value, argument)
        if number < 0:
            raise InvalidInputError(argument, value, "is negative", "give a number of at least 0")
        return number

    def _shown_from(self, since: int) -> tuple[Entry, ...]:
        return tuple(replace(e, amount=copy_amount(e.amount)) for e in self._entries[since:])

    def _require_account(self, argument: str, name: object) -> str:
        account = plain(name)
        if account is None or account not in self._opening:
            raise unknown_account(argument, name, self.accounts)
        return account

    def _read(self, value: object, argument: str) -> Fraction:
        return read(value, argument, floats=self._floats)

    def _shown(self, number: Fraction) -> Amount:
        return as_safe_number(number, floats=self._floats)


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
