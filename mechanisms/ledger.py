"""One ledger for every mechanism that moves money; nothing appears in it and nothing vanishes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import islice
from threading import RLock
from typing import Any

from mechanisms._accounts import (
    Accounts,
    Books,
    ConservationError,
    OverdraftError,
    Payment,
    copy_entries,
)
from mechanisms._statement import Account, Amount, Entry, LedgerStatement, amount_text
from mechanisms.ledger_store import (
    Batch,
    EntryStore,
    MemoryStore,
    StaleBatchError,
    require_same_payments,
)
from mechanisms.participants import plain
from theory.errors import InvalidInputError, UnknownNameError
from theory.shared.arguments import read_tuple

__all__ = [
    "Account",
    "Amount",
    "ConservationError",
    "Entry",
    "Ledger",
    "LedgerStatement",
    "OverdraftError",
]


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

    The log is in memory, or in a store that outlives the process. Ledgers on one store, in other
    processes too, see each other's payments, and none pays what another has spent. A copy of a
    ledger goes on in memory, apart from the store.

    Parameters
    ----------
    balances : mapping from str to number
        What each account starts with. Integers, fractions, text, or floats: one kind for all, but
        that whole numbers may stand among floats.
    floors : mapping from str to number or None, optional
        How far an account may go down: 0 where nothing is said, any distance for None.
    store : EntryStore, optional
        Where the log is kept, which may have entries. It begins with these balances and floors.

    Raises
    ------
    InvalidInputError
        For an account that starts below its floor, a name that is not text, or what is no mapping.
    UnknownNameError
        For the floor of an account that there is not.
    ExactnessError, NumberError
        For numbers of two kinds, NaN, infinity, and floats above 2^960.
    StoreError
        For a store that began with other balances or floors. Every method raises it, too, where
        the store cannot be used.

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
        self,
        balances: Mapping[str, object],
        floors: Mapping[str, object] | None = None,
        store: EntryStore | None = None,
    ) -> None:
        self._accounts = Accounts(balances, floors)
        self._balances = dict(self._accounts.opening)
        self._books = Books(self._accounts.opening)
        self._store = MemoryStore(self._accounts.written) if store is None else store
        self._lock = RLock()
        if store is not None:
            store.begin(self._accounts.written())
            self._catch_up()

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock, with the log in memory; a copy has its own."""
        with self._lock:
            self._catch_up()
            log = MemoryStore.copy_of(self._store, self._accounts.written)
            state = self.__dict__ | {"_balances": dict(self._balances), "_store": log}
        del state["_lock"], state["_books"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._books = Books(self._accounts.opening)
        for batch in self._store.read():
            self._books.follow(batch.entries)
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
        return tuple(self._accounts.opening)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All payments, in order."""
        with self._lock:
            return copy_entries(self._log())

    @property
    def head(self) -> str:
        """The hash of the log, :func:`~mechanisms.ledger_store.head_of`: equal for equal logs."""
        return self._store.head()

    def paid(self, key: str) -> tuple[Entry, ...]:
        """Return the payments under a key; none where there are none."""
        kept = self._store.find(key)
        return () if kept is None else copy_entries(kept.entries)

    def places(self, since: int = 0) -> dict[str, range]:
        """Return the numbers of the entries under each key, but of the first ``since`` entries."""
        found = {}
        for batch in self._store.read(since):
            if batch.key:
                found[batch.key] = range(batch.entries[0].number, batch.entries[-1].number + 1)
        return found

    def balance(self, account: str) -> Amount:
        """Return what an account holds, floats rounded down.

        Raises
        ------
        UnknownNameError
            When there is no such account.
        """
        name = self._accounts.account("account", account)
        with self._lock:
            self._catch_up()
            return self._accounts.shown(self._balances[name])

    def available(self, account: str, after: int | None = None) -> Amount | None:
        """Return how much an account can pay, floats rounded down; None where it has no floor.

        Parameters
        ----------
        account : str
        after : int, optional
            A number of entries: how much it could pay after so many. By default, after all.

        Raises
        ------
        UnknownNameError
            When there is no such account.
        InvalidInputError
            When there are not so many entries.

        Notes
        -----
        O(1); O(entries) with ``after``.
        """
        name = self._accounts.account("account", account)
        floor = self._accounts.floors[name]
        with self._lock:
            self._catch_up()
            held = self._balances[name]
            if after is not None:
                self._require_count("after", after)
                for entry in self._log()[after:]:
                    held += Fraction(entry.amount) * ((entry.payer == name) - (entry.payee == name))
            return None if floor is None else self._accounts.shown(held - floor)

    def floor(self, account: str) -> Amount | None:
        """Return how far an account may go down, floats rounded down; None for any distance.

        Raises
        ------
        UnknownNameError
            When there is no such account.
        """
        return self._accounts.floor(self._accounts.account("account", account))

    def amount(self, value: object, argument: str = "amount") -> Amount:
        """Read a number as the kind that this ledger holds.

        Raises
        ------
        ExactnessError, NumberError
            For a number of another kind, NaN, infinity, and floats above 2^960.
        InvalidInputError
            For a negative number.
        """
        return self._accounts.shown(self._accounts.amount(value, argument))

    def require(self, account: str, amounts: Sequence[object], memo: str = "") -> None:
        """Refuse amounts that the account cannot pay one after the other.

        Raises
        ------
        OverdraftError
            When paying all of them would take the account below its floor.
        UnknownNameError, ExactnessError, NumberError, InvalidInputError
            As for :meth:`transfer`, and for amounts that are no list.
        """
        name = self._accounts.account("account", account)
        if isinstance(amounts, str) or not isinstance(amounts, Iterable):
            raise InvalidInputError("amounts", amounts, "are no list", "give a list, even of one")
        total = sum((self._accounts.amount(amount, "amount") for amount in amounts), Fraction(0))
        with self._lock:
            self._catch_up()
            self._check(name, total, memo)

    def transfer(
        self, payer: str, payee: str, amount: object, memo: str = "", *, key: str = ""
    ) -> Entry:
        """Move an amount from one account to another, all of it or nothing.

        Parameters
        ----------
        payer, payee : str
        amount : number
        memo : str
        key : str
            Under one key the same is paid once, however often it is asked for.

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
        KeyReuseError
            When something else was paid under the key.
        ConservationError
            When balances do not follow from the log, which is a fault of the ledger.

        Notes
        -----
        O(accounts): the new entry is carried over from the log, and all balances compared.
        """
        return self._enter([self._accounts.payment(payer, payee, amount, memo)], key)[0]

    def pay(self, payments: Iterable[Sequence[Any]], key: str = "") -> tuple[Entry, ...]:
        """Make several payments, all of them or none.

        Parameters
        ----------
        payments : iterable of tuples
            Payer, payee, amount and, if wanted, memo of each. No account can pay what it is paid
            here.
        key : str
            Under one key the same is paid once, however often it is asked for.

        Raises
        ------
        OverdraftError
            When all that an account is to pay would take it below its floor.
        UnknownNameError, InvalidInputError, ExactnessError, NumberError, KeyReuseError,
        ConservationError
            As for :meth:`transfer`.

        Notes
        -----
        O(accounts + payments).

        Examples
        --------
        >>> ledger = Ledger({"buyer": 5, "press": 0, "post": 0})
        >>> for attempt in range(2):
        ...     made = ledger.pay([("buyer", "press", 3), ("buyer", "post", 1)], key="order 17")
        >>> len(ledger.entries)
        2
        """
        asked = []
        for each in read_tuple("payments", payments, "give a list of payments"):
            parts = read_tuple("payment", each, "give payer, payee, amount and memo")
            if not 3 <= len(parts) <= 4:
                fix = "give payer, payee, amount and, if wanted, a memo"
                raise InvalidInputError("payment", parts, f"has {len(parts)} parts", fix)
            asked.append(self._accounts.payment(*parts))
        return self._enter(asked, key)

    def check_transfer(self, payer: str, payee: str, amount: object, memo: str = "") -> Payment:
        """Return a payment as it would be made, whatever the payer has.

        Raises
        ------
        UnknownNameError, InvalidInputError, ExactnessError, NumberError
            As for :meth:`transfer`.
        """
        return self._accounts.payment(payer, payee, amount, memo)

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
            self._catch_up()
            books = Books(self._accounts.opening)
            books.follow(self._log())
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
            self._catch_up()
            self._require_count("since", since)
            self.audit()
            log, shown = self._log(), self._accounts.shown
            then = Books(self._accounts.opening)
            then.follow(log[:since])
            accounts = tuple(
                Account(name, shown(then.balances[name]), shown(held), self.floor(name))
                for name, held in self._balances.items()
            )
            return LedgerStatement(accounts, copy_entries(log[since:]))

    def __str__(self) -> str:
        return str(self.statement())

    def _repr_html_(self) -> str:
        return self.statement()._repr_html_()

    def _enter(self, asked: Sequence[Payment], key: str) -> tuple[Entry, ...]:
        """Make payments that were read, unless they stand under their key already."""
        name = plain(key)
        if name is None:
            raise InvalidInputError("key", key, "is not text", 'give text, or ""')
        with self._lock:
            while True:
                self._catch_up()
                size = self._books.entries
                new = Batch(
                    tuple(
                        Entry(number, giver, taker, self._accounts.shown(paid), purpose)
                        for number, (giver, taker, paid, purpose) in enumerate(asked, size + 1)
                    ),
                    name,
                )
                kept = self._store.find(name) if name else None
                if kept is not None:
                    require_same_payments("the ledger", kept, new)
                    return copy_entries(kept.entries)
                if not asked:
                    return ()
                self._check_together(asked)
                try:
                    kept = self._store.append(new)
                    break
                except StaleBatchError:
                    if self._store.size() == size:  # nobody else was faster
                        raise
            if kept.entries[0].number == size + 1:
                for giver, taker, paid, _ in asked:
                    self._balances[giver] -= paid
                    self._balances[taker] += paid
                self._books.follow(kept.entries)
            self._catch_up()
            self._compare(self._books)
            return copy_entries(kept.entries)

    def _catch_up(self) -> None:
        """Carry over what others have entered in the store."""
        known, size = self._books.entries, self._store.size()
        if size == known:
            return
        for batch in self._store.read(known):
            self._require_possible(batch.entries)
            self._books.follow(batch.entries)
            for entry in batch.entries:
                self._balances[entry.payer] -= Fraction(entry.amount)
                self._balances[entry.payee] += Fraction(entry.amount)
        if not known < size <= self._books.entries:
            raise ConservationError(f"the log has {size} entries, and had {self._books.entries}")

    def _require_possible(self, entries: Sequence[Entry]) -> None:
        """Refuse a batch that no ledger with these accounts has made: whoever wrote it is another.

        Raises
        ------
        ConservationError
            For a negative amount or one of another kind, a payer who is the payee, an account that
            is taken below its floor.
        """
        try:
            read = [self._accounts.payment(e.payer, e.payee, e.amount, e.memo) for e in entries]
            self._check_together(read)
        except UnknownNameError:
            return  # which is found next, and named as it stands in the log
        except InvalidInputError as error:
            problem = f"the log has from entry {entries[0].number} on what no ledger pays"
            raise ConservationError(f"{problem}: {error}") from error

    def _log(self) -> tuple[Entry, ...]:
        """Return the entries that were carried over."""
        log = (entry for batch in self._store.read() for entry in batch.entries)
        return tuple(islice(log, self._books.entries))

    def _require_count(self, argument: str, count: object) -> None:
        size = self._books.entries
        if type(count) is not int or not 0 <= count <= size:
            fix = f"give an integer from 0 to {size}"
            raise InvalidInputError(argument, count, "is no number of entries", fix)

    def _compare(self, books: Books) -> None:
        for name, balance in self._balances.items():
            due = books.balances[name]
            if balance != due:
                held, by_log = (amount_text(self._accounts.shown(each)) for each in (balance, due))
                problem = f"{name} has {held}, but by the log of payments it has {by_log}"
                raise ConservationError(problem)

    def _check_together(self, payments: Sequence[Payment]) -> None:
        """Refuse payments that an account cannot make, those of each account added up."""
        memo = payments[0][3] if len(payments) == 1 else ""
        totals: dict[str, Fraction] = {}
        for payer, _, paid, _ in payments:
            totals[payer] = totals[payer] + paid if payer in totals else paid
        for payer, total in totals.items():
            self._check(payer, total, memo)

    def _check(self, account: str, total: Fraction, memo: str) -> None:
        """Refuse what takes an account below its floor."""
        floor = self._accounts.floors[account]
        if floor is not None and self._balances[account] - total < floor:
            shown = self._accounts.shown
            held, wanted = shown(self._balances[account]), -shown(-total)  # seen to be too much
            raise OverdraftError(account, held, shown(floor), wanted, memo)
