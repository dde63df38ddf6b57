"""Where a ledger keeps its log: in memory, or in a store that anybody may write.

A log is a list of batches, each made whole or not at all. A batch may have a key: made again under
the same key, it changes nothing. Each entry has a hash over itself and all that stands before it,
so the last hash, the head, tells two logs apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from json import dumps
from threading import Lock
from typing import Any, Final, Protocol, runtime_checkable

from mechanisms._statement import Amount, Entry
from theory.errors import MechproofError
from theory.shared.arguments import read_count
from theory.shared.printable import message_text

__all__ = [
    "Batch",
    "EntryStore",
    "KeyReuseError",
    "MemoryStore",
    "StaleBatchError",
    "StoreError",
    "chain_batch",
    "chain_opening",
    "entry_from_json",
    "entry_to_json",
    "head_of",
    "require_next",
    "require_opening",
    "require_same_payments",
    "write_opening",
]


class StoreError(MechproofError):
    """What a store of entries refuses; its log is as it was."""

    def __init__(self, store: str, problem: str, fix: str) -> None:
        super().__init__(store, problem, fix)
        self.problem = problem
        self.fix = fix

    def __str__(self) -> str:
        store, problem, fix = self.args
        return message_text(f"{store} {problem}: {fix}")


class KeyReuseError(StoreError):
    """A key under which other payments stand already."""


class StaleBatchError(StoreError):
    """Entries that do not follow the last one of the log, since others have made some."""


@dataclass(frozen=True)
class Batch:
    """Entries that are made together.

    Attributes
    ----------
    entries : tuple of Entry
        At least one, with consecutive numbers.
    key : str
        What tells this batch from all others; empty where it may be made again.
    """

    entries: tuple[Entry, ...]
    key: str = ""


@runtime_checkable
class EntryStore(Protocol):
    """Keeps the log of a ledger.

    :func:`mechproof.testing.check_entry_store` finds out whether a store does what is said here.
    Ledgers of several threads, or of several processes, may use one log at the same time. Names,
    memos and keys are any text of Python's: a store whose own texts hold less writes them as JSON.
    """

    def size(self) -> int:
        """Return how many entries the log has."""
        ...

    def head(self) -> str:
        """Return the hash of the last entry; without one, that of the opening: :func:`head_of`.

        Raises
        ------
        StoreError
            Where the log has not begun.
        """
        ...

    def begin(self, opening: str) -> None:
        """Begin the log with a text that says what its accounts hold, if it has not begun.

        Raises
        ------
        StoreError
            For a log that begins with another text.
        """
        ...

    def append(self, batch: Batch) -> Batch:
        """Write a batch to the end of the log, whole or not at all, and return it.

        It is kept, whatever happens, once this returns. Where the key stands in the log with the
        same payments, nothing is written, and what stands there is returned, with its numbers.

        Raises
        ------
        KeyReuseError
            Where the key stands in the log with other payments.
        StaleBatchError
            For numbers that do not follow the last one of the log.
        StoreError
            For what is no batch of entries, before the log has begun, and where it cannot be
            written.
        """
        ...

    def find(self, key: str) -> Batch | None:
        """Return the batch under a key; None where there is none, and for the empty key."""
        ...

    def read(self, since: int = 0) -> Sequence[Batch]:
        """Return the batches that follow the first ``since`` entries, in order."""
        ...


# --- what every store does


def write_opening(
    balances: Mapping[str, Amount], floors: Mapping[str, Amount | None], *, floats: bool
) -> str:
    """Return the text with which a log begins: the kind of numbers, accounts, balances, floors.

    Examples
    --------
    >>> write_opening({"Ann": Fraction(3, 2)}, {"Ann": None}, floats=False)
    '{"accounts":{"Ann":["3/2",null]},"floats":false}'
    """
    accounts = {
        name: [_amount_to_json(held), None if (f := floors[name]) is None else _amount_to_json(f)]
        for name, held in balances.items()
    }
    return _text({"accounts": accounts, "floats": floats})


def chain_opening(opening: str) -> str:
    """Return the hash of an opening: SHA-256 of its UTF-8, in hexadecimal."""
    return sha256(opening.encode("utf-8", "surrogatepass")).hexdigest()


def chain_batch(previous: str, batch: Batch) -> list[str]:
    """Return the hash of each entry of a batch, given that of the entry before.

    The hash of an entry is SHA-256 of the previous hash and the JSON of its number, payer, payee,
    amount and memo, the key of the batch, and how many entries of the batch follow.

    Examples
    --------
    >>> batch = Batch((Entry(1, "Ann", "Bob", Fraction(3, 2), "rent"),), "order 17")
    >>> hashed = chain_opening("") + '[1,"Ann","Bob","3/2","rent","order 17",0]'
    >>> chain_batch(chain_opening(""), batch) == [sha256(hashed.encode()).hexdigest()]
    True
    """
    found = []
    for left, entry in zip(range(len(batch.entries) - 1, -1, -1), batch.entries, strict=True):
        line = _text([*entry_to_json(entry), batch.key, left])
        previous = sha256((previous + line).encode()).hexdigest()
        found.append(previous)
    return found


def head_of(opening: str, batches: Iterable[Batch]) -> str:
    """Return the head of a log: the hash of its last entry, or that of its opening.

    Notes
    -----
    O(entries).
    """
    head = chain_opening(opening)
    for batch in batches:
        head = chain_batch(head, batch)[-1]
    return head


def require_opening(store: str, known: str | None, opening: str) -> None:
    """Refuse an opening other than the one that is known; None stands for none yet.

    Raises
    ------
    StoreError
        With the name of the store.
    """
    if type(opening) is not str:
        raise StoreError(store, f"is begun with a {type(opening).__name__}", "give text")
    if known is not None and known != opening:
        problem = "begins with other accounts, balances or floors"
        raise StoreError(store, problem, "give those that it began with, or another store")


def require_same_payments(store: str, kept: Batch, batch: Batch) -> None:
    """Refuse payments that are not those which stand under their key; numbers do not count.

    Raises
    ------
    KeyReuseError
        With the name of the store.
    """
    if [_payment(each) for each in kept.entries] != [_payment(each) for each in batch.entries]:
        there = "; ".join(map(str, kept.entries))
        problem = f"has other payments under the key {batch.key!r} ({there})"
        raise KeyReuseError(store, problem, "make the same again, or give another key")


def require_next(store: str, size: int, batch: Batch) -> None:
    """Refuse what cannot be the next batch of a log of so many entries.

    Raises
    ------
    StaleBatchError, StoreError
        With the name of the store.
    """
    if type(batch) is not Batch or type(batch.key) is not str or not batch.entries:
        raise StoreError(store, "takes batches of entries", "give a Batch of at least one Entry")
    for number, entry in enumerate(batch.entries, batch.entries[0].number):
        if entry.number != number:
            problem = f"takes consecutive numbers, and not {entry.number} for {number}"
            raise StoreError(store, problem, "number entries one by one")
        parts = type(entry.payer), type(entry.payee), type(entry.memo)
        if parts != (str, str, str) or type(entry.amount) not in (Fraction, float):
            problem = f"cannot keep entry {number}"
            raise StoreError(store, problem, "give names and a memo as text, a Fraction or a float")
    if batch.entries[0].number != read_count("size", size, 0) + 1:
        problem = f"has {size} entries, which entry {batch.entries[0].number} does not follow"
        raise StaleBatchError(store, problem, "read what is new, and try again from there")


def _payment(entry: Entry) -> tuple[object, ...]:
    return entry.payer, entry.payee, entry.amount, entry.memo


# --- entries as JSON


_DECIMAL: Final = 10**600
"""Below it integers are written in decimal digits, which every interpreter reads."""
_LONGEST: Final = 3_330
"""The most characters of an integer of 4,000 decimal digits: no ledger pays more."""


def entry_to_json(entry: Entry) -> list[Any]:
    """Return the parts of an entry as JSON: fractions as text, floats as numbers.

    Examples
    --------
    >>> entry_to_json(Entry(1, "Ann", "Bob", Fraction(3, 2), "rent"))
    [1, 'Ann', 'Bob', '3/2', 'rent']
    """
    return [entry.number, entry.payer, entry.payee, _amount_to_json(entry.amount), entry.memo]


def entry_from_json(written: Sequence[Any]) -> Entry:
    """Return the entry that :func:`entry_to_json` has written.

    Raises
    ------
    ValueError, TypeError
        For anything else.
    """
    number, payer, payee, amount, memo = written
    kinds = type(number), type(payer), type(payee), type(memo)
    if kinds != (int, str, str, str):
        raise TypeError("no parts of an entry")
    return Entry(number, payer, payee, _amount_from_json(amount), memo)


def _amount_to_json(amount: Amount) -> str | float:
    if isinstance(amount, float):
        return amount
    top, bottom = amount.numerator, amount.denominator
    return _write_integer(top) if bottom == 1 else f"{_write_integer(top)}/{_write_integer(bottom)}"


def _write_integer(number: int) -> str:
    return str(number) if abs(number) < _DECIMAL else hex(number)


def _amount_from_json(written: Any) -> Amount:
    if type(written) is float:
        return written
    top, _, bottom = written.partition("/")
    if max(len(top), len(bottom)) > _LONGEST:  # before a common divisor is looked for
        raise ValueError("more digits than a ledger has")
    return Fraction(int(top, 0), int(bottom or "1", 0))


def _text(value: object) -> str:
    return dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


# --- in memory


class MemoryStore:
    """A log in the memory of this process.

    Parameters
    ----------
    opening : function, optional
        Writes the opening of a log that has begun already.

    Examples
    --------
    >>> from mechanisms.ledger import Ledger
    >>> store = MemoryStore()
    >>> ann, bob = (Ledger({"Ann": 5, "Bob": 0}, store=store) for _ in range(2))
    >>> print(ann.transfer("Ann", "Bob", 2))
    1. Ann pays Bob 2
    >>> bob.balance("Bob"), ann.head == bob.head
    (Fraction(2, 1), True)
    """

    def __init__(self, opening: Callable[[], str] | None = None) -> None:
        self._opening: str | None = None
        self._later = opening  # what it begins with, written when somebody asks
        self._batches: list[Batch] = []  # all else follows from it
        self._keys: dict[str, Batch] = {}
        self._indexed = 0  # the keys of so many batches are known
        self._hashed, self._hash = 0, ""  # so many batches are hashed: when somebody asks
        self._lock = Lock()

    @classmethod
    def copy_of(cls, store: EntryStore, opening: Callable[[], str]) -> MemoryStore:
        """Return the log of a store with this opening, to go on with apart from it."""
        made = cls(opening)
        made._batches += store.read()
        return made

    def size(self) -> int:
        """Return how many entries the log has."""
        batches = self._batches
        return batches[-1].entries[-1].number if batches else 0

    def head(self) -> str:
        """Return the hash of the last entry; without one, that of the opening."""
        with self._lock:
            opening = self._text()
            if opening is None:
                raise StoreError("the store", "has not begun", "give it to a Ledger")
            head = self._hash or chain_opening(opening)
            for batch in self._batches[self._hashed :]:
                head = chain_batch(head, batch)[-1]
            self._hashed, self._hash = len(self._batches), head
            return head

    def begin(self, opening: str) -> None:
        """Begin the log, or see that it began so."""
        with self._lock:
            require_opening("the store", self._text(), opening)
            self._opening = opening

    def append(self, batch: Batch) -> Batch:
        """Write a batch to the end of the log."""
        with self._lock:
            kept = self.accept(batch)
            if kept is None:
                self._batches.append(batch)
            return kept or batch

    def accept(self, batch: Batch, store: str = "the store") -> Batch | None:
        """Return what stands under the key of a batch; None where the batch may be written.

        Raises
        ------
        StoreError
            As :meth:`append`.
        """
        kept = self.find(batch.key) if type(batch) is Batch and batch.key else None
        if kept is not None:
            require_same_payments(store, kept, batch)
            return kept
        if self._opening is None is self._later:
            raise StoreError(store, "has not begun", "give it to a Ledger")
        require_next(store, self.size(), batch)
        return None

    def find(self, key: str) -> Batch | None:
        """Return the batch under a key."""
        for k, batch in enumerate(self._batches[self._indexed :], self._indexed):
            if batch.key:
                self._keys[batch.key] = batch
            self._indexed = k + 1  # not one more: another thread may do the same
        return self._keys.get(key)

    def read(self, since: int = 0) -> Sequence[Batch]:
        """Return the batches that follow the first entries."""
        known = read_count("since", since, 0)
        start = bisect_right(self._batches, known, key=lambda batch: batch.entries[0].number)
        return self._batches[start:]

    def _text(self) -> str | None:
        """Return the opening; None before the log has begun."""
        if self._opening is None and self._later is not None:
            self._opening = self._later()
        return self._opening

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock; a copy has its own."""
        with self._lock:
            state = self.__dict__ | {
                "_batches": list(self._batches),
                "_keys": dict(self._keys),
            }
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = Lock()
