"""What every store of a ledger's entries has to do, as checks that any store can be put to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from itertools import count
from threading import Barrier, Thread
from typing import Any, Final

from mechanisms.ledger import Entry, Ledger
from mechanisms.ledger_store import (
    Batch,
    EntryStore,
    KeyReuseError,
    StaleBatchError,
    StoreError,
    chain_opening,
    head_of,
    write_opening,
)
from theory.shared.printable import printable

__all__ = ["check_entry_store"]

OpenStore = Callable[[str], EntryStore]

OPENING: Final = write_opening(
    {"Ann": Fraction(100), "Bob": Fraction(0)},
    {"Ann": Fraction(0), "Bob": Fraction(0)},
    floats=False,
)
SHOWN: Final = 300
THREADS: Final = 4
EACH: Final = 5
"""How many batches each thread makes."""


def check_entry_store(open_store: OpenStore) -> None:
    """Check that a store of entries does what :class:`mechanisms.ledger_store.EntryStore` says.

    Parameters
    ----------
    open_store : function of a name
        Opens the store of that name: an empty one where the name is new, else what was kept under
        it. Names are short and of letters, digits and hyphens. A store with a method ``close`` is
        closed before its name is opened again.

    Raises
    ------
    AssertionError
        Which names everything that the store does otherwise.

    Examples
    --------
    >>> from mechanisms.ledger_store import MemoryStore
    >>> kept = {}
    >>> check_entry_store(lambda name: kept.setdefault(name, MemoryStore()))
    >>> check_entry_store(lambda name: MemoryStore())  # which forgets what was under the name
    Traceback (most recent call last):
    ...
    AssertionError: the store fails 7 of 12 checks
    not “a log begins once”: another opening, after the store is opened again, raises no StoreError
    ...
    """
    __tracebackhide__ = True
    names = (f"check-{number}" for number in count(1))
    failed = []
    for title, check in CHECKS.items():
        try:
            check(_Opened(open_store, next(names), lambda: next(names)))
        except Exception as error:
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            failed.append(f"not “{title}”: {kind}{error}")
    if failed:
        said = f"the store fails {len(failed)} of {len(CHECKS)} checks"
        raise AssertionError("\n".join([said, *failed]))


class _Opened:
    """A store that a check has for itself, and can open again."""

    def __init__(self, open_store: OpenStore, name: str, new_name: Callable[[], str]) -> None:
        self.open_store, self.name, self.new_name = open_store, name, new_name
        self.store: Any = open_store(name)

    def begin(self) -> EntryStore:
        """Begin the log."""
        store: EntryStore = self.store
        store.begin(OPENING)
        return store

    def again(self) -> EntryStore:
        """Close the store if it can be closed, and open it again."""
        close = getattr(self.store, "close", None)
        if callable(close):
            close()
        store = self.store = self.open_store(self.name)
        return store

    def other(self) -> _Opened:
        """Open another store."""
        return _Opened(self.open_store, self.new_name(), self.new_name)


def _batch(number: int, *amounts: Any, key: str = "", memo: str = "") -> Batch:
    entries = (
        Entry(number + k, "Ann", "Bob", amount if type(amount) is float else Fraction(amount), memo)
        for k, amount in enumerate(amounts)
    )
    return Batch(tuple(entries), key)


def _fill(opened: _Opened) -> list[Batch]:
    """Write four batches: several entries, with keys and without, with odd texts and numbers."""
    store = opened.begin()
    batches = [
        _batch(1, 1, "2/3", 3, key="order 1"),
        _batch(4, 5),
        _batch(
            5, Fraction(10**700, 7), 0, key='ke"y\n\ud800 é', memo='a\nline\u2028 "quoted" \ud800'
        ),
        _batch(7, 5, key="order 2"),
    ]
    for batch in batches:
        _require_same(store.append(batch), batch, "append returns {}, and not {}")
    return batches


def _brief(value: object) -> str:
    """Return what a value is, as far as it is short."""
    text = printable(repr(value))
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _require_same(found: object, due: object, said: str) -> None:
    if found != due:
        raise AssertionError(said.format(_brief(found), _brief(due)))


def _holds(store: EntryStore, batches: Sequence[Batch]) -> None:
    """Check all that a log tells of itself."""
    _require_same(list(store.read()), list(batches), "read returns {}, and not {}")
    _require_same(store.size(), sum(len(b.entries) for b in batches), "size is {}, and not {}")
    due = head_of(OPENING, batches)
    _require_same(store.head(), due, "head is {}, and by head_of it is {}")
    for batch in batches:
        if batch.key:
            found = f"find({batch.key!r}) returns"
            _require_same(store.find(batch.key), batch, found + " {}, and not {}")


@contextmanager
def _require_refusal(kind: type[Exception], what: str) -> Any:
    try:
        yield
    except kind:
        return
    except Exception as error:
        problem = f"{what} raises {type(error).__name__}, and no {kind.__name__}"
        raise AssertionError(problem) from error
    raise AssertionError(f"{what} raises no {kind.__name__}")


# --- the checks


def _check_empty(opened: _Opened) -> None:
    store = opened.store
    with _require_refusal(StoreError, "an entry before the log has begun"):
        store.append(_batch(1, 1))
    _holds(opened.begin(), [])
    _require_same(store.head(), chain_opening(OPENING), "head is {}, and not {}")
    _require_same(
        (store.find(""), store.find("order 1")), (None, None), "find returns {}, and not {}"
    )


def _check_opening(opened: _Opened) -> None:
    store = opened.begin()
    store.begin(OPENING)
    for batches in ([], [_batch(1, 1)]):
        for batch in batches:
            store.append(batch)
        with _require_refusal(StoreError, "another opening"):
            store.begin(OPENING.replace("100", "101"))
        store.begin(OPENING)
        _holds(store, batches)
    store = opened.again()
    with _require_refusal(StoreError, "another opening, after the store is opened again,"):
        store.begin(OPENING.replace("100", "101"))
    store.begin(OPENING)
    _holds(store, [_batch(1, 1)])


def _check_whole(opened: _Opened) -> None:
    batches = _fill(opened)
    _holds(opened.store, batches)
    kept = [entry for batch in opened.store.read() for entry in batch.entries]
    _require_same(
        {type(entry.amount) for entry in kept}, {Fraction}, "amounts are of {}, and not of {}"
    )


def _check_floats(opened: _Opened) -> None:
    store = opened.store
    store.begin(OPENING.replace("false", "true"))
    batch = _batch(1, 0.1 + 0.2, 5e-324, 2.0, 2.0**960)
    store.append(batch)
    kept = [entry.amount for entry in opened.again().read()[0].entries]
    _require_same(kept, [entry.amount for entry in batch.entries], "there are {}, and not {}")
    _require_same({type(amount) for amount in kept}, {float}, "amounts are of {}, and not of {}")


def _check_since(opened: _Opened) -> None:
    batches = _fill(opened)
    for since, due in ((0, batches), (3, batches[1:]), (4, batches[2:]), (7, [])):
        found = f"read({since}) returns"
        _require_same(list(opened.store.read(since)), due, found + " {}, and not {}")


def _check_nothing_else(opened: _Opened) -> None:
    batches = _fill(opened)
    store: Any = opened.store
    good: Any = _batch(8, 1).entries
    text: Any = "1"
    number: Any = 3
    wrong: dict[str, tuple[type[Exception], Callable[[], Any]]] = {
        "a batch without entries": (StoreError, lambda: Batch(())),
        "numbers with a hole": (StoreError, lambda: Batch((*good, *_batch(10, 1).entries))),
        "a number twice": (StoreError, lambda: Batch((*good, *good))),
        # whatever checks types may come first
        "a list of entries": (Exception, lambda: [*good]),
        "a key that is no text": (Exception, lambda: Batch(good, number)),
        "an amount that is text": (
            Exception,
            lambda: Batch((*good, Entry(9, "Ann", "Bob", text, ""))),
        ),
    }
    for what, (kind, made) in wrong.items():
        with _require_refusal(kind, what):
            store.append(made())
        _holds(store, batches)
    _holds(opened.again(), batches)


def _check_stale(opened: _Opened) -> None:
    batches = _fill(opened)
    for number in (1, 7, 9):
        with _require_refusal(StaleBatchError, f"entry {number} after entry 7"):
            opened.store.append(_batch(number, 1, key="new"))
        _holds(opened.store, batches)
        _require_same(opened.store.find("new"), None, "find returns {}, and not {}")


def _check_keys(opened: _Opened) -> None:
    batches = _fill(opened)
    for store in (opened.store, opened.again()):
        for number in (1, 4, 8, 100):
            found = f"the same again, numbered from {number}, returns"
            again = store.append(_batch(number, 1, "2/3", 3, key="order 1"))
            _require_same(again, batches[0], found + " {}, and not {}")
        first = _batch(8, 1, "2/3", 3, key="order 1").entries
        others = {
            "less under a known key": first[:2],
            "more under a known key": (*first, *_batch(11, 1).entries),
            "another amount under a known key": _batch(8, 1, "2/3", 4).entries,
            "another first amount under a known key": _batch(8, 2, "2/3", 3).entries,
            "another order under a known key": _batch(8, 3, "2/3", 1).entries,
            "another memo under a known key": _batch(8, 1, "2/3", 3, memo="x").entries,
            "another payer under a known key": tuple(
                Entry(e.number, "Bob", "Ann", e.amount, e.memo) for e in first
            ),
        }
        for what, entries in others.items():
            with _require_refusal(KeyReuseError, what):
                store.append(Batch(entries, "order 1"))
        _holds(store, batches)


def _check_unlike_keys(opened: _Opened) -> None:
    store = opened.begin()
    keys = [
        "ab",
        "a",
        "abc",
        "A",
        "a ",
        " a",
        "a\n",
        "é",
        "e\u0301",
        "a\0",
        "0",
        "",
        "",
        "%",
        "a%",
        "_",
    ]
    batches = [_batch(number, 1, key=key) for number, key in enumerate(keys, 1)]
    for batch in batches:
        _require_same(store.append(batch), batch, "append returns {}, and not {}")
    for each in (store, opened.again()):
        _holds(each, batches)
        _require_same(each.find("b"), None, "find('b') returns {}, and not {}")


def _check_head(opened: _Opened) -> None:
    batches = _fill(opened)
    other = opened.other()
    store = other.begin()
    for n, batch in enumerate(batches):
        _require_same(
            store.head(), head_of(OPENING, batches[:n]), "head is {}, and by head_of it is {}"
        )
        store.append(batch)
    _require_same(store.head(), opened.store.head(), "of two equal logs the head is {} and {}")


def _check_again(opened: _Opened) -> None:
    batches = _fill(opened)
    for number in (8, 9, 10):
        store = opened.again()
        store.begin(OPENING)
        _holds(store, batches)
        batches.append(store.append(_batch(number, number, key=f"order {number}")))
    _holds(opened.again(), batches)


def _check_several(opened: _Opened) -> None:
    """Let threads pay at once, on a second store of the name, too, if that can be open."""
    stores = [opened.begin()]
    with suppress(StoreError):
        stores.append(opened.open_store(opened.name))
    ledgers = [
        Ledger({"Ann": 100, "Bob": 0}, store=stores[n % len(stores)]) for n in range(THREADS)
    ]
    ready = Barrier(THREADS)
    raised: list[BaseException] = []

    def pay(n: int) -> None:
        try:
            ready.wait(60)
            for k in range(EACH):
                ledgers[n].transfer("Ann", "Bob", 1, key=f"{n}/{k}")
                ledgers[n].transfer("Ann", "Bob", 2, key=f"shared {k}")
        except BaseException as error:
            raised.append(error)

    threads = [Thread(target=pay, args=(n,)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]
    for store in stores:
        log = [entry for batch in store.read() for entry in batch.entries]
        due = THREADS * EACH + EACH
        _require_same([e.number for e in log], [*range(1, due + 1)], "numbers are {}, and not {}")
        _require_same(sum(entry.amount for entry in log), due + EACH, "{} was paid, and not {}")
        _holds(store, list(store.read()))
    for extra in stores[1:]:
        close = getattr(extra, "close", None)
        if callable(close):
            close()


CHECKS: Final[dict[str, Callable[[_Opened], None]]] = {
    "a new store is empty until it begins": _check_empty,
    "a log begins once": _check_opening,
    "all of a batch is kept, in order, as it was given": _check_whole,
    "floats are kept to the last bit": _check_floats,
    "what follows the first entries can be read": _check_since,
    "what is no batch leaves nothing behind": _check_nothing_else,
    "entries that do not follow the last one are stale": _check_stale,
    "under one key the same is kept once, and nothing else": _check_keys,
    "keys that differ in a character are two keys": _check_unlike_keys,
    "the head follows from the whole log, after each batch": _check_head,
    "what is opened again holds the whole log, and goes on": _check_again,
    "several ledgers lose no payment and make none twice": _check_several,
}
