"""The log of a ledger in a file, which outlives the process and a power cut.

The file is a journal (:mod:`llm_adapters.journal`) of JSON: a line with the opening, then a line
for each batch of entries. Each entry stands beside its hash, so that a change is found, and named
by the first entry that it touches. Who changes all hashes after it, too, is found by the head
alone, if that is kept elsewhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from threading import Lock
from typing import Any, Final

from llm_adapters.files import read_path
from llm_adapters.journal import OWN, Journal, Lines, whole_lines
from mechanisms.ledger_store import (
    Batch,
    MemoryStore,
    StoreError,
    chain_batch,
    chain_opening,
    entry_from_json,
    entry_to_json,
    require_opening,
)

__all__ = ["FileStore"]

_FIRST: Final = b'{"mechproof ledger":1}\n'
_FIX: Final = "take a copy of the file from before, and find out what has changed it"

_Line = tuple[str, str] | tuple[Batch, list[str]]
"""The opening or a batch, with the hashes that stand beside it."""


class FileStore:
    """Keeps the log of a ledger in a file; see :class:`~mechanisms.ledger_store.EntryStore`.

    A batch is one line, and on the disk before :meth:`append` returns. A line that a killed process
    left unfinished is cut off when the file is opened. One process at a time has the file.

    Parameters
    ----------
    path : path
        A file of such a log, or one that does not exist yet, which only its owner may read.

    Raises
    ------
    StoreError
        For a file that is none, is damaged, was changed, cannot be written, or is open in another
        process. The error of a changed file names the first entry whose hash does not fit.
    InvalidInputError
        For what is no path.

    Notes
    -----
    Opening is O(entries) in time and memory; appending is O(entries of the batch), and waits for
    the disk.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mechanisms.ledger import Ledger
    >>> with TemporaryDirectory() as folder:
    ...     for attempt in range(2):  # the second time in a process that knows nothing of the first
    ...         with FileStore(f"{folder}/books") as store:
    ...             ledger = Ledger({"Ann": 5, "Bob": 0}, store=store)
    ...             print(ledger.transfer("Ann", "Bob", 2, key="order 17"))
    1. Ann pays Bob 2
    1. Ann pays Bob 2
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = read_path("path", path)
        self._memory = MemoryStore()
        self._opening: str | None = None
        self._head = ""
        self._guard = Lock()
        self._behind = False  # the file may hold what the memory does not
        self._journal = Journal(self._path, OWN, self._refusal, durable=True)
        try:
            lines = self._parse(self._journal.read())
            for line in lines.found:
                self._take(line)
            self._journal.begin(lines, _FIRST)
        except BaseException:
            self._journal.close()
            raise

    def size(self) -> int:
        """Return how many entries the log has."""
        return self._memory.size()

    def head(self) -> str:
        """Return the hash of the last entry; without one, that of the opening."""
        return self._memory.head()

    def begin(self, opening: str) -> None:
        """Begin the log, or see that it began so."""
        with self._guard:
            require_opening(str(self._path), self._opening, opening)
            if self._opening is None:
                self._write((opening, chain_opening(opening)))

    def append(self, batch: Batch) -> Batch:
        """Write a batch to the end of the log, and force it to the disk."""
        with self._guard:
            kept = self._memory.accept(batch, str(self._path))
            if kept is not None:
                return kept
            self._write((batch, chain_batch(self._head, batch)))
            return batch

    def find(self, key: str) -> Batch | None:
        """Return the batch under a key."""
        return self._memory.find(key)

    def read(self, since: int = 0) -> Sequence[Batch]:
        """Return the batches that follow the first entries."""
        return self._memory.read(since)

    def close(self) -> None:
        """Let go of the file, so that it may be opened again."""
        with self._guard:
            self._journal.close()

    def __enter__(self) -> FileStore:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the file."""
        self.close()

    def _write(self, line: _Line) -> None:
        if self._behind:
            fix = "open it anew, and go on from what is there"
            raise self._refusal("was interrupted while it was written", fix)
        self._behind = True
        try:
            self._journal.append(_line_bytes(line))
        except StoreError:  # and the file is as it was
            self._behind = False
            raise
        self._take(line)
        self._behind = False

    def _parse(self, data: bytes) -> Lines[_Line]:
        if _FIRST.startswith(data):  # nothing, or a header that was not written to its end
            return Lines([], len(data) if data == _FIRST else 0)
        if not data.startswith(_FIRST):
            fix = "give the name of a new file, or of a ledger"
            raise self._refusal("is no file of a ledger", fix)
        return whole_lines(data, _read_line, lambda n: self._refuse_damage(f"line {n}"), header=1)

    def _take(self, line: _Line) -> None:
        """Take over a line that stands in the file, if its hashes fit."""
        first, written = line
        if isinstance(first, str):
            if self._opening is not None or written != chain_opening(first):
                raise self._refuse_damage("the opening")
            self._opening, self._head = first, chain_opening(first)
            self._memory.begin(first)
            return
        for entry, fits, given in zip(
            first.entries, chain_batch(self._head, first), written, strict=True
        ):
            if fits != given:
                raise self._refuse_damage(f"entry {entry.number}")
        self._head = written[-1]
        if self._memory.append(first) is not first:
            raise self._refuse_damage(f"entry {first.entries[0].number}")

    def _refuse_damage(self, what: str) -> StoreError:
        return self._refusal(f"was changed: {what} is not as it was written", _FIX)

    def _refusal(self, problem: str, fix: str) -> StoreError:
        return StoreError(str(self._path), problem, fix)


def _line_bytes(line: _Line) -> bytes:
    first, hashes = line
    said: dict[str, Any]
    if isinstance(first, str):
        said = {"opening": first, "hash": hashes}
    else:
        rows = [[*entry_to_json(e), h] for e, h in zip(first.entries, hashes, strict=True)]
        said = {"key": first.key, "entries": rows}
    return json.dumps(said, separators=(",", ":"), allow_nan=False).encode()


def _read_line(data: bytes) -> _Line | None:
    """Return what a line holds; None where it is not as it was written."""
    try:
        said: Any = json.loads(data)
        line: _Line
        if "opening" in said:
            line = said["opening"], said["hash"]
            texts = [*line]
        else:
            rows = said["entries"]
            line = (
                Batch(tuple(entry_from_json(r[:-1]) for r in rows), said["key"]),
                [row[-1] for row in rows],
            )
            texts = [said["key"], *line[1]] if rows else [None]
        whole = all(type(text) is str for text in texts) and _line_bytes(line) == data
        return line if whole else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, ZeroDivisionError):
        return None
