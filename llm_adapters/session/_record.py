"""A record: a file of requests and their answers, read at first and appended to.

Each line is handed to the system in one piece as soon as its answer has come, so that it outlives
the process. What a process that was killed left unfinished can only be the last line: it is cut off
when the run goes on. (After a power cut more may be missing, as with any file that is not forced to
the disk.) Anything else that is not as it was written is an error.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from threading import Lock
from typing import Final

from llm_adapters.errors import RecordError
from llm_adapters.files import REPLACED, is_still, open_to_append, read_back, read_whole
from llm_adapters.session._lines import HEADER, Entry, header_problem, read_line
from llm_adapters.session.lock import locked
from llm_adapters.session.request import Request

__all__ = ["Record", "Writer", "parse", "read_record"]

_FIRST: Final = HEADER + b"\n"
_ROOM: Final = 2**16
_SHOWN: Final = 300
_FIX: Final = "take the line out, and its call is made again; or take a copy of the file"
_OWN: Final = 0o600
"""The mode of a new record: what people asked and models said is for its owner."""


class Record:
    """What a file held, by request and occurrence."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: dict[tuple[bytes, int], Entry] = {}
        self.whole = 0
        """How many bytes of the file are whole lines, or one that only lacks its end."""
        self.unended = False
        """Whether that last line lacks its end."""

    def find(self, request: Request, occurrence: int) -> Entry | None:
        """Return the answer to the request when it is made after so many of the same."""
        return self.entries.get((request.key, occurrence))

    def nonsense(self, entry: Entry, error: Exception) -> RecordError:
        """Return what to raise for a whole line that does not answer its request."""
        number = list(self.entries).index((entry.request.key, entry.occurrence)) + 2
        said = str(error).removesuffix(f": {getattr(error, 'fix', '')}")
        said = f"{type(error).__name__}: {said}"[:_SHOWN]
        problem = f"line {number} of {self.path} does not answer its request ({said})"
        return RecordError(problem, _FIX)


def read_record(path: Path) -> Record:
    """Return what a record holds; a last line that was not written to its end is left out.

    Raises
    ------
    RecordError
        Where there is no such file, where it is no record, and where a line is damaged.
    """
    try:
        if not S_ISREG(path.stat().st_mode):
            raise RecordError(f"{path} is not a file", "give the name of a record")
        data = read_whole(path)
    except OSError as error:
        raise _unusable(path, "read", error) from error
    return parse(path, data)


def parse(path: Path, data: bytes) -> Record:
    """Return what the bytes of a record hold; the rest is as in :func:`read_record`."""
    record = Record(path)
    if _FIRST.startswith(data):  # nothing, or a header that was not written to its end
        return record
    *lines, tail = data.split(b"\n")
    header = lines[0] if lines else tail
    problem = header_problem(header) or ("" if lines else "has no end")
    if problem:
        fix = "give the name of a new file, or of a record"
        raise RecordError(f"line 1 of {path} {problem}", fix)
    for number, line in enumerate(lines[1:], start=2):
        entry = read_line(line)
        if entry is None:
            raise RecordError(f"line {number} of {path} is damaged", _FIX)
        _keep(record, entry, number)
    record.whole = len(data) - len(tail)
    entry = read_line(tail) if tail else None
    if entry is not None:
        _keep(record, entry, len(lines) + 1)
        record.whole = len(data)
        record.unended = True
    return record


def _keep(record: Record, entry: Entry, number: int) -> None:
    place = (entry.request.key, entry.occurrence)
    if place in record.entries:
        problem = f"line {number} of {record.path} answers a request that an earlier line answers"
        raise RecordError(problem, "take one of the two out")
    record.entries[place] = entry


class Writer:
    """A record that is open for writing; nobody else writes to it.

    Parameters
    ----------
    path : pathlib.Path
        A record, which is gone on with, or a file that does not exist yet.

    Raises
    ------
    RecordError
        Where the file cannot be opened or written, is no record, is damaged, is being written by
        another session, or is a link that another user made in a folder where others may write.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._shut = ""
        try:
            self._file = open_to_append(path, _OWN)
        except OSError as error:
            raise _unusable(path, "opened for writing", error) from error
        self._close: Callable[[], object] = weakref.finalize(self, os.close, self._file)
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        if not locked(self._file):
            fix = "wait until it is done, or give another file"
            raise RecordError(f"{self.path} is being written by another session", fix)
        try:
            self.record = parse(self.path, read_back(self._file))
            if os.fstat(self._file).st_size > self.record.whole:
                os.ftruncate(self._file, self.record.whole)
            if not self.record.whole:
                self._write(_FIRST)
            elif self.record.unended:
                self._write(b"\n")
            self._probe()
        except OSError as error:
            raise _unusable(self.path, "written", error) from error

    def _probe(self) -> None:
        """See that there is room for more, before anything is paid for.

        What it writes is taken back; if the process dies in between, it is an unfinished last line.
        """
        size = os.fstat(self._file).st_size
        self._write(b" " * _ROOM)
        os.ftruncate(self._file, size)

    def check(self) -> None:
        """See that the file is still there, before a call is paid for.

        Raises
        ------
        RecordError
            Where another file has its name, or none: what is written would be lost.
        """
        if not self._shut and not is_still(self.path, self._file):
            fix = "find out what replaces it, and go on from it in a new session"
            raise RecordError(f"{self.path} {REPLACED}", fix)

    def append(self, entry: Entry) -> None:
        """Write a line, whole, so that it outlives this process.

        Raises
        ------
        RecordError
            Where the file cannot be written, the disk being full for example, and where another
            file has its name meanwhile.
        """
        line = entry.line() + b"\n"
        with self._lock:
            if self._shut:
                raise RecordError(f"{self.path} {self._shut}", "go on from it in a new session")
            self.check()
            self._write(line)

    def _write(self, data: bytes) -> None:
        size = os.fstat(self._file).st_size
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            self._shut = "could not be written"
            with suppress(OSError):
                os.ftruncate(self._file, size)
            raise _unusable(self.path, "written", error) from error

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._shut = self._shut or "is closed"
            self._close()


def _unusable(path: Path, what: str, error: OSError) -> RecordError:
    why = error.strerror or type(error).__name__
    fix = "give a file in a folder that you may write to, on a disk that has room"
    if what == "read":
        fix = "give the name of a record"
    return RecordError(f"{path} cannot be {what} ({why})", fix)
