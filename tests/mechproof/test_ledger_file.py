"""A ledger's log in a file: whole lines, one process, the disk, and what was changed."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dev import ROOT
from mechanisms.ledger import Ledger
from mechanisms.ledger_store import StoreError
from mechproof.ledger_file import FileStore
from theory.errors import InvalidInputError

F = Fraction


def books(store: FileStore) -> Ledger:
    return Ledger({"ann": 5, "bob": "1/2", "pool": 0}, {"pool": None}, store)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with three batches: two entries, one, and two."""
    with FileStore(tmp_path / "books") as store:
        book = books(store)
        book.pay([("ann", "bob", 1, "rent"), ("ann", "pool", "1/3")], key="order 1")
        book.transfer("bob", "ann", 1)
        book.pay([("pool", "bob", 2), ("pool", "ann", 1)], key="order 2")
    return tmp_path / "books"


def heads(path: Path) -> list[str]:
    """The head after each line, from the file itself."""
    lines = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    return [line["hash"] if "hash" in line else line["entries"][-1][-1] for line in lines]


def test_a_ledger_in_a_file_is_one_in_memory(tmp_path: Path) -> None:
    generator = Random(1)
    memory = Ledger({"ann": 5, "bob": "1/2", "pool": 0}, {"pool": None})
    for round_ in range(4):
        with FileStore(tmp_path / "books") as store:
            book = books(store)
            for k in range(5):
                payer, payee = generator.sample(["ann", "bob", "pool"], 2)
                amount = F(generator.randrange(3), generator.randrange(1, 4))
                key = generator.choice(["", f"{round_}/{k}"])
                for each in (memory, book):
                    try:
                        each.transfer(payer, payee, amount, "é\n", key=key)
                    except InvalidInputError:
                        continue
            assert (book.head, str(book)) == (memory.head, str(memory))
            book.audit()


def test_only_its_owner_may_read_it(path: Path) -> None:
    assert path.stat().st_mode & 0o077 == 0


# --- killed amid a line


def test_a_file_that_is_cut_off_anywhere_holds_whole_batches(path: Path) -> None:
    whole = path.read_bytes()
    ends = [n + 1 for n, byte in enumerate(whole) if byte == ord("\n")]
    due = [0, 0, 2, 3, 5]  # entries after the header, the opening and each batch
    places = {at for end in (0, *ends) for at in range(end - 3, end + 4)}
    for cut in sorted((places | {*range(0, len(whole), 11)}) & {*range(len(whole) + 1)}):
        path.write_bytes(whole[:cut])
        with FileStore(path) as store:
            book = books(store)
            lines = sum(cut >= end - 1 for end in ends)  # a line may lack its end alone
            size = due[lines - 1] if lines else 0
            assert len(book.entries) == size
            if size >= 2:
                book.pay([("ann", "bob", 1, "rent"), ("ann", "pool", "1/3")], key="order 1")
                assert len(book.entries) == size
            book.transfer("ann", "bob", 1)
        with FileStore(path) as store:
            assert len(books(store).entries) == size + 1


# --- changed


def test_the_first_entry_that_was_changed_is_named(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    for n, first in ((2, 1), (3, 3), (4, 4)):
        for k, row in enumerate(json.loads(lines[n])["entries"]):
            for part, other in ((1, "eve"), (2, "eve"), (3, "1/7"), (4, "more"), (5, "0" * 64)):
                line = json.loads(lines[n])
                assert row[part] != other
                line["entries"][k][part] = other
                changed = json.dumps(line, separators=(",", ":")) + "\n"
                path.write_text("".join([*lines[:n], changed, *lines[n + 1 :]]))
                named = f"was changed: entry {first + k} is not as it was written"
                with pytest.raises(StoreError, match=named):
                    FileStore(path)


def test_what_else_was_changed_is_found(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    key = lines[2].replace("order 1", "order 9")
    opening = lines[1].replace(r"\"5\"", r"\"6\"")
    assert key != lines[2]
    assert opening != lines[1]
    parts = json.loads(lines[2])
    halves = [
        json.dumps(parts | {"entries": [row]}, separators=(",", ":")) + "\n"
        for row in parts["entries"]
    ]
    for changed, named in (
        ([*lines[:2], key, *lines[3:]], "entry 1"),
        ([lines[0], opening, *lines[2:]], "the opening"),
        ([*lines[:2], *lines[3:]], "entry 3"),  # left out
        ([*lines[:2], lines[3], lines[2], lines[4]], "entry 3"),  # in another order
        ([*lines[:3], lines[2], *lines[3:]], "entry 1"),  # twice
        ([*lines[:2], *halves, *lines[3:]], "entry 1"),  # taken apart
        ([lines[0], *lines[2:]], "entry 1"),
        ([*lines[:2], *lines[1:]], "the opening"),
        ([*lines, "\n"], "line 6"),
        ([*lines[:4], lines[4][:-9] + "\n"], "line 5"),
        ([*lines[:3], lines[3].replace(",", ", ", 1), *lines[4:]], "line 4"),
        ([*lines[:3], '{"key":"","entries":[]}\n'], "line 4"),
        ([*lines[:3], '{"key":3,"entries":[]}\n'], "line 4"),
        ([*lines[:3], "[" * 100_000 + "\n"], "line 4"),
        ([*lines[:3], "NaN\n"], "line 4"),
    ):
        path.write_text("".join(changed))
        with pytest.raises(StoreError, match=f"was changed: {named} is not as it was written"):
            FileStore(path)
        assert path.read_text() == "".join(changed)


def test_any_byte_that_was_changed_is_found(path: Path) -> None:
    whole = path.read_bytes()
    for place in range(0, len(whole) - 1, 3):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(bytes(changed))
        with pytest.raises(StoreError):
            FileStore(path)


def test_what_was_cut_off_at_the_end_is_found_by_the_head(path: Path) -> None:
    """And by nothing else, nor what was written anew from a changed entry on."""
    due = heads(path)
    with FileStore(path) as store:
        assert store.head() == due[-1]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    with FileStore(path) as store:
        assert store.head() == due[-2]


@pytest.mark.parametrize("content", [b"a diary\n", b"a diary", b'{"mechproof ledger":2}\n', b"{\n"])
def test_what_is_no_ledger_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "diary").write_bytes(content)
    with pytest.raises(StoreError, match="diary is no file of a ledger: give the name of a new"):
        FileStore(tmp_path / "diary")
    assert (tmp_path / "diary").read_bytes() == content


@pytest.mark.parametrize("given", ["", "a\0b"])
def test_what_is_no_path(given: str) -> None:
    with pytest.raises(InvalidInputError, match="path is not a path"):
        FileStore(given)


def test_a_folder_and_a_file_in_no_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere" / "books"):
        with pytest.raises(StoreError, match="cannot be written"):
            FileStore(path)


# --- one process at a time


def test_a_second_process_is_refused_by_name_until_the_first_is_done(path: Path) -> None:
    program = (
        "import sys; from mechproof.ledger_file import FileStore;"
        "print(FileStore(sys.argv[1]).size())"
    )
    command = [sys.executable, "-c", program, str(path)]
    with FileStore(path) as store:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "StoreError" in done.stderr
        assert "books is being written by another process: wait until" in done.stderr
        with pytest.raises(StoreError, match="is being written by another process"):
            FileStore(path)
        books(store).transfer("ann", "bob", 1)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "6\n"


def test_a_closed_file_is_not_written(path: Path) -> None:
    store = FileStore(path)
    book = books(store)
    store.close()
    with pytest.raises(StoreError, match="books is closed: open it anew"):
        book.transfer("ann", "bob", 1)
    assert book.balance("ann") == F(17, 3)


# --- the disk


def test_a_batch_is_on_the_disk_before_it_counts(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[int] = []
    with FileStore(path) as store:
        book = books(store)
        monkeypatch.setattr(os, "fsync", lambda file: forced.append(os.fstat(file).st_size))
        for _ in range(2):
            book.transfer("ann", "bob", 1)
            assert forced.pop() == path.stat().st_size
            assert not forced


def test_a_new_file_has_its_name_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: forced.append(os.fstat(file).st_ino))
    FileStore(tmp_path / "new").close()
    assert tmp_path.stat().st_ino in forced


def full(*_: Any) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_what_the_disk_does_not_take_is_not_paid(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    whole = path.read_bytes()
    with FileStore(path) as store:
        book = books(store)
        before = str(book)
        monkeypatch.setattr(os, call, full)
        with pytest.raises(StoreError, match=r"books cannot be written .No space left on device."):
            book.transfer("ann", "bob", 1, key="new")
        monkeypatch.undo()
        assert (str(book), book.paid("new")) == (before, ())
        assert path.read_bytes() == whole
        with pytest.raises(StoreError, match="could not be written: open it anew"):
            book.transfer("ann", "bob", 1, key="new")
    with FileStore(path) as store:
        assert books(store).transfer("ann", "bob", 1, key="new").number == 6


def test_who_is_interrupted_amid_writing_does_not_write_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in the file may not be known here: written again, it would stand there twice."""
    with FileStore(path) as store:
        book = books(store)

        def interrupted(*_: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(store, "_take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            book.transfer("ann", "bob", 1, key="new")
        monkeypatch.undo()
        with pytest.raises(StoreError, match="was interrupted while it was written: open it anew"):
            book.transfer("ann", "bob", 1, key="new")
    with FileStore(path) as store:
        assert books(store).transfer("ann", "bob", 1, key="new").number == 6
        assert store.size() == 6


# --- kill -9

PAYING = """
import os, signal, sys
from mechanisms.ledger import Ledger
from mechproof.ledger_file import FileStore

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

store = FileStore(sys.argv[1])
ledger = Ledger({"ann": 5, "bob": 0}, store=store)
write, sync, moment = os.write, os.fsync, sys.argv[2]
if moment == "before":
    os.write = die
elif moment == "amid":
    os.write = lambda file, data: (write(file, data[: len(data) // 2]), die())
elif moment == "written":
    os.fsync = die
elif moment == "after":
    os.fsync = lambda file: (sync(file), die())
ledger.pay([("ann", "bob", 1, "a"), ("ann", "bob", 2, "b")], key="order")
os.write, os.fsync = write, sync
print(ledger.balance("ann"), len(ledger.entries))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("moments", [["before", "amid"], ["amid", "written"], ["after", "after"]])
def test_whoever_is_killed_amid_a_payment_pays_once(tmp_path: Path, moments: list[str]) -> None:
    command = [sys.executable, "-c", PAYING, str(tmp_path / "books")]
    for n, moment in enumerate(moments):
        done = subprocess.run([*command, moment], cwd=ROOT, capture_output=True, check=False)
        paid_before = n and "after" in moments[:n]
        assert done.returncode == (0 if paid_before else -9), done.stderr
    done = subprocess.run([*command, "never"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "2 2\n"
