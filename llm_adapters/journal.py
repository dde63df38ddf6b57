"""A journal: a file of whole lines that one process appends to, and goes on with after a crash.

Each line is handed to the system in one piece, so that it outlives the process. What a process that
was killed left unfinished can only be the last line, without its end: it is cut off when the
journal is gone on with. (After a power cut more may be missing, but not of a durable journal, which
is forced to the disk.) Anything else that is not as it was written is an error, and the file stays
as it is.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final, Generic, TypeVar

from llm_adapters.files import is_still, open_to_append, read_back, read_whole, real_path

__all__ = ["OWN", "Journal", "Lines", "Refusal", "read_journal", "whole_lines"]

OWN: Final = 0o600
"""The mode of a new file for its owner alone."""
_ROOM: Final = 2**16
_FAR: Final = 2**62
"""Beyond the end of any file, since Windows lets nobody read what is locked."""

T = TypeVar("T")
Refusal = Callable[[str, str], Exception]
"""The error to raise for what is wrong with a file, as a clause, and its fix."""


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        """Lock the file if nobody else has; say whether that worked."""
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        """Lock the file if nobody else has; say whether that worked."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _force(file: int) -> None:
    """Have the system write all of a file to the disk, and macOS the disk keep it."""
    full = None if sys.platform == "win32" else getattr(fcntl, "F_FULLFSYNC", None)
    if full is None:
        os.fsync(file)
    else:
        fcntl.fcntl(file, full)


def _force_folder(path: Path) -> None:
    """Have the system keep the name of a new file, too; Windows does so by itself."""
    if sys.platform != "win32":
        folder = os.open(real_path(path).parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@dataclass(frozen=True)
class Lines(Generic[T]):
    """What the whole lines of a journal hold.

    Attributes
    ----------
    found : list
        What was read of each line.
    size : int
        How many bytes they take; what follows was not written to its end.
    unended : bool
        Whether the last of them lacks only its end.
    """

    found: list[T]
    size: int
    unended: bool = False


def whole_lines(
    data: bytes, read: Callable[[bytes], T | None], damaged: Callable[[int], Exception], header: int
) -> Lines[T]:
    """Return what the lines hold.

    Parameters
    ----------
    data : bytes
        All that the file holds.
    read : callable
        What a line holds, or None where it is not as it was written.
    damaged : callable
        The error to raise for the line of that number, counted from 1.
    header : int
        How many lines at the beginning are read elsewhere.

    Raises
    ------
    Exception
        ``damaged(number)`` for a line that has its end and is not as it was written.
    """
    *lines, tail = data.split(b"\n")
    found = list[T]()
    for number, line in enumerate(lines[header:], header + 1):
        one = read(line)
        if one is None:
            raise damaged(number)
        found.append(one)
    last = read(tail) if tail and len(lines) >= header else None
    if last is None:
        return Lines(found, len(data) - len(tail))
    return Lines([*found, last], len(data), unended=True)


def read_journal(path: Path, refuse: Refusal) -> bytes:
    """Return all that a journal holds.

    Raises
    ------
    Exception
        What ``refuse`` gives where the file cannot be read.
    """
    with _refuse_errors(refuse, "read", "give the name of a file that is there and may be read"):
        return read_whole(path)


class Journal:
    """A journal that is open to append to; nobody else writes to it, no forked process either.

    Parameters
    ----------
    path : pathlib.Path
        A journal, which is gone on with, or a file that does not exist yet.
    mode : int
        Of a new file, less what the user masks.
    refuse : callable
        What to raise. Every method raises what it gives where the file cannot be used.
    durable : bool
        Whether a line is on the disk before :meth:`append` returns, and outlives a power cut.

    Raises
    ------
    Exception
        What ``refuse`` gives where the file cannot be opened, is no regular file, is being written
        by another process, or is a link that another user made in a folder where others may write.
    """

    def __init__(self, path: Path, mode: int, refuse: Refusal, *, durable: bool = False) -> None:
        self._path, self._refuse, self._durable = path, refuse, durable
        self._guard = Lock()
        self._shut = ""
        self._size = 0
        with self._blame_write():
            self._file = open_to_append(path, mode)
        self._close: Callable[[], object] = weakref.finalize(self, os.close, self._file)
        _open.add(self)
        try:
            with self._blame_write():
                mine = _lock(self._file)
            if not mine:
                fix = "wait until that one is done, or give another file"
                raise refuse("is being written by another process", fix)
            if durable:
                with self._blame_write():
                    _force_folder(path)
        except BaseException:
            self.close()
            raise

    def read(self) -> bytes:
        """Return all that the open file holds, whatever has its name by now."""
        with self._blame_write():
            return read_back(self._file)

    def begin(self, lines: Lines[T], header: bytes = b"") -> None:
        """Cut off what is not whole, and end the last line; a new file begins with ``header``."""
        with self._blame_write():
            self._cut(lines.size)
        if not lines.size:
            self._write(header)
        elif lines.unended:
            self._write(b"\n")

    def reserve(self) -> None:
        """See that there is room for more.

        What this writes is taken back; if the process dies in between, it is an unfinished last
        line.
        """
        size = self._size
        self._write(b" " * _ROOM)
        with self._blame_write():
            self._cut(size)

    def check(self) -> None:
        """See that what is appended will be kept: the file is open, and still has its name."""
        if self._shut:
            raise self._refuse(self._shut, "open it anew, and go on from what is there")
        if not is_still(self._path, self._file):
            problem = "is no longer the file that was opened: it was replaced or removed meanwhile"
            raise self._refuse(problem, "find out what replaces it, then go on from what is there")

    def append(self, line: bytes) -> None:
        """Write a line, whole, or nothing."""
        with self._guard:
            self.check()
            with self._blame_write():
                grown = os.fstat(self._file).st_size != self._size
            if grown:  # where another system ignores the lock
                problem = "is written by another process, too"
                raise self._refuse(problem, "wait until that one is done, then go on")
            self._write(line + b"\n")

    def close(self) -> None:
        """Let go of the file."""
        with self._guard:
            self._shut = self._shut or "is closed"
            self._close()

    def __enter__(self) -> Journal:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the file."""
        self.close()

    def _cut(self, size: int) -> None:
        if os.fstat(self._file).st_size > size:
            os.ftruncate(self._file, size)
        self._size = size

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        with self._blame_write():
            try:
                while rest:
                    rest = rest[os.write(self._file, rest) :]
                if self._durable:
                    _force(self._file)
            except OSError:
                self._shut = "could not be written"
                with suppress(OSError):
                    self._cut(self._size)
                raise
        self._size += len(data)

    def _blame_write(self) -> AbstractContextManager[None]:
        fix = "give a file in a folder that you may write to, on a disk that has room"
        return _refuse_errors(self._refuse, "written", fix)

    def _forget(self) -> None:
        """Let a forked process not hold what its parent has locked."""
        self._guard = Lock()
        self._shut = "was opened by the process that this one was forked from"
        self._close()


_open = weakref.WeakSet[Journal]()


def _forget_all() -> None:
    for journal in list(_open):
        journal._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


@contextmanager
def _refuse_errors(refuse: Refusal, what: str, fix: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise refuse(f"cannot be {what} ({why})", fix) from error
