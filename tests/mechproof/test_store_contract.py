"""The contract of a ledger's store: ours keep it, and each planted fault is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mechanisms.ledger_store import (
    Batch,
    EntryStore,
    KeyReuseError,
    MemoryStore,
    StaleBatchError,
    StoreError,
    chain_batch,
    chain_opening,
    head_of,
)
from mechproof.ledger_file import FileStore
from mechproof.testing import check_entry_store


def test_a_store_in_memory_keeps_it() -> None:
    kept: dict[str, EntryStore] = {}
    check_entry_store(lambda name: kept.setdefault(name, MemoryStore()))


def test_a_file_keeps_it(tmp_path: Path) -> None:
    check_entry_store(lambda name: FileStore(tmp_path / name))


# --- planted faults: all are stores in memory that can be opened again


class Faulty(MemoryStore):
    """A store whose name is opened by copying; what is planted is in the classes below."""

    def opened_again(self) -> Faulty:
        """What opening the name again gives."""
        return self

    def text(self) -> str:
        """The opening."""
        assert self._opening is not None
        return self._opening


class LosesLastOfBatch(Faulty):
    def append(self, batch: Batch) -> Batch:
        kept = super().append(batch)
        if len(batch.entries) > 1:
            self._batches[-1] = Batch(batch.entries[:-1], batch.key)
        return kept


class LosesLastOfLaterBatch(Faulty):
    def append(self, batch: Batch) -> Batch:
        kept = super().append(batch)
        if len(batch.entries) > 1 and batch.entries[0].number > 1:
            self._batches[-1] = Batch(batch.entries[:-1], batch.key)
        return kept


class AppendsHalf(Faulty):
    """Writes entry by entry, until one cannot be written."""

    def append(self, batch: Batch) -> Batch:
        if type(batch) is Batch and len(batch.entries) > 1 and not batch.key:
            for entry in batch.entries:
                super().append(Batch((entry,)))
            return batch
        return super().append(batch)


class WritesUntilItFails(Faulty):
    """Leaves behind what it had written of a batch that it refuses."""

    def append(self, batch: Batch) -> Batch:
        try:
            return super().append(batch)
        except (KeyReuseError, StaleBatchError):
            raise
        except StoreError:
            if type(batch) is Batch and len(batch.entries) > 1:
                self._batches.append(Batch(batch.entries[:1]))
            raise


class ForgetsKeys(Faulty):
    def opened_again(self) -> Faulty:
        self._batches = [Batch(batch.entries) for batch in self._batches]
        self._keys.clear()
        return self


class ForgetsFirstKey(Faulty):
    def opened_again(self) -> Faulty:
        if self._batches:
            self._batches[0] = Batch(self._batches[0].entries)
            self._keys.clear()
            self._indexed = 0
        return self


class KeysByPrefix(Faulty):
    def find(self, key: str) -> Batch | None:
        if not key:
            return None
        return next((b for b in self._batches if b.key and b.key.startswith(key)), None)


class KeysByTheirBeginning(Faulty):
    def find(self, key: str) -> Batch | None:
        return next((b for b in self._batches if b.key and key.startswith(b.key)), None)


class KeysWithoutCase(Faulty):
    def find(self, key: str) -> Batch | None:
        return next((b for b in self._batches if key and b.key.lower() == key.lower()), None)


class KeysStripped(Faulty):
    def find(self, key: str) -> Batch | None:
        return next((b for b in self._batches if key and b.key.strip() == key.strip()), None)


class EmptyIsAKey(Faulty):
    def find(self, key: str) -> Batch | None:
        return next((b for b in self._batches if b.key == key), None)

    def accept(self, batch: Batch, store: str = "the store") -> Batch | None:
        if type(batch) is Batch and batch.key == "":
            return self.find("")
        return super().accept(batch, store)


class IgnoresKeys(Faulty):
    def accept(self, batch: Batch, store: str = "the store") -> Batch | None:
        return super().accept(replace(batch, key=""), store) if type(batch) is Batch else None


class ComparesAmountsAlone(Faulty):
    def accept(self, batch: Batch, store: str = "the store") -> Batch | None:
        kept = self.find(batch.key) if type(batch) is Batch else None
        if kept and [e.amount for e in kept.entries] == [e.amount for e in batch.entries]:
            return kept
        return super().accept(batch, store)


class ComparesFirstEntryAlone(Faulty):
    def accept(self, batch: Batch, store: str = "the store") -> Batch | None:
        kept = self.find(batch.key) if type(batch) is Batch else None
        if kept and replace(kept.entries[0], number=0) == replace(batch.entries[0], number=0):
            return kept
        return super().accept(batch, store)


class ComparesNumbersToo(Faulty):
    def accept(self, batch: Batch, store: str = "the store") -> Batch | None:
        kept = self.find(batch.key) if type(batch) is Batch else None
        if kept and kept != batch:
            raise KeyError(batch.key)
        return super().accept(batch, store)


class ReturnsWhatIsGiven(Faulty):
    def append(self, batch: Batch) -> Batch:
        super().append(batch)
        return batch


class TakesAnyNumber(Faulty):
    def append(self, batch: Batch) -> Batch:
        if type(batch) is Batch and batch.entries:
            first = self.size() + 1
            batch = Batch(
                tuple(replace(e, number=k) for k, e in enumerate(batch.entries, first)), batch.key
            )
        return super().append(batch)


class TakesGaps(Faulty):
    def accept(self, batch: Batch, store: str = "the store") -> Batch | None:
        if type(batch) is Batch and batch.entries and batch.entries[0].number > self.size() + 1:
            return None
        return super().accept(batch, store)


class TakesAnyOpening(Faulty):
    def begin(self, opening: str) -> None:
        if self._opening is None:
            super().begin(opening)


class NewOpeningEachTime(Faulty):
    def opened_again(self) -> Faulty:
        self._opening = None
        return self


class BeginsByItself(Faulty):
    def append(self, batch: Batch) -> Batch:
        if self._opening is None:
            self._opening = ""
        return super().append(batch)


class HeadOfFirstEntry(Faulty):
    def head(self) -> str:
        return head_of(self.text(), [Batch(b.entries[:1], b.key) for b in self._batches[:1]])


class HeadOfLastEntry(Faulty):
    def head(self) -> str:
        return head_of(self.text(), self._batches[-1:])


class HeadWithoutKeys(Faulty):
    def head(self) -> str:
        return head_of(self.text(), [Batch(batch.entries) for batch in self._batches])


class HeadWithoutMemos(Faulty):
    def head(self) -> str:
        plain = [Batch(tuple(replace(e, memo="") for e in b.entries), b.key) for b in self._batches]
        return head_of(self.text(), plain)


class HeadOfFirstOfBatch(Faulty):
    def head(self) -> str:
        head = chain_opening(self.text())
        for batch in self._batches:
            head = chain_batch(head, batch)[0]
        return head


class HeadFromBeginning(Faulty):
    """Hashes anew when it is opened again, and leaves out the opening."""

    def opened_again(self) -> Faulty:
        self._hash, self._hashed = chain_opening(""), 0
        return self


class LosesLastBatch(Faulty):
    def opened_again(self) -> Faulty:
        del self._batches[-1:]
        self._keys.clear()
        self._indexed = 0
        return self


class ForgetsHowToGoOn(Faulty):
    """Numbers from 1 again when it is opened again."""

    def opened_again(self) -> Faulty:
        again = type(self)()
        again._opening = self._opening
        return again


class ReadsAllAlways(Faulty):
    def read(self, since: int = 0) -> Sequence[Batch]:
        return list(self._batches)


class ReadsOneTooMany(Faulty):
    def read(self, since: int = 0) -> Sequence[Batch]:
        return super().read(max(since - 1, 0))


class ReadsBackwards(Faulty):
    def read(self, since: int = 0) -> Sequence[Batch]:
        return list(super().read(since))[::-1]


class ShownAmounts(Faulty):
    """Keeps amounts as floats, as a column of numbers would."""

    def append(self, batch: Batch) -> Batch:
        kept = super().append(batch)
        if kept is batch:
            entries = (replace(e, amount=float(min(e.amount, 2**1000))) for e in batch.entries)
            self._batches[-1] = Batch(tuple(entries), batch.key)
        return kept


class RoundsFloats(Faulty):
    def append(self, batch: Batch) -> Batch:
        kept = super().append(batch)
        entries = (
            replace(e, amount=float(f"{e.amount:.15g}")) if type(e.amount) is float else e
            for e in batch.entries
        )
        if kept is batch:
            self._batches[-1] = Batch(tuple(entries), batch.key)
        return kept


class CutsTexts(Faulty):
    """Keeps the first line of a memo."""

    def append(self, batch: Batch) -> Batch:
        kept = super().append(batch)
        if kept is batch:
            entries = (replace(e, memo=e.memo.split("\n")[0]) for e in batch.entries)
            self._batches[-1] = Batch(tuple(entries), batch.key)
        return kept


class NoLock(Faulty):
    """Looks, and writes later, so that two may write the same number."""

    def append(self, batch: Batch) -> Batch:
        from time import sleep

        kept = self.accept(batch)
        if kept is None:
            sleep(0.002)
            self._batches.append(batch)
        return kept or batch


FAULTY = list(Faulty.__subclasses__())


@pytest.mark.parametrize("kind", FAULTY, ids=lambda kind: kind.__name__)
def test_a_planted_fault_is_found(kind: type[Faulty]) -> None:
    kept: dict[str, Faulty] = {}

    def opened(name: str) -> EntryStore:
        kept[name] = kept[name].opened_again() if name in kept else kind()
        return kept[name]

    with pytest.raises(AssertionError, match=r"^the store fails \d+ of 12 checks\nnot “"):
        check_entry_store(opened)


def test_what_is_planted_in_nothing_is_no_fault() -> None:
    kept: dict[str, Faulty] = {}
    check_entry_store(lambda name: kept.setdefault(name, Faulty()).opened_again())


def test_all_that_is_wrong_is_named() -> None:
    with pytest.raises(AssertionError) as caught:
        check_entry_store(lambda name: HeadWithoutKeys())
    said = str(caught.value)
    assert "not “a log begins once”: another opening, after the store is opened again," in said
    assert "not “the head follows from the whole log, after each batch”: head is " in said
    assert all(len(line) < 800 for line in said.splitlines())


@pytest.mark.parametrize("broken", [lambda: 3, lambda: None, lambda: 1 / 0])
def test_what_is_no_store_fails_each_check_or_raises(broken: Callable[[], Any]) -> None:
    with pytest.raises((AssertionError, ZeroDivisionError)):
        check_entry_store(lambda name: broken())
