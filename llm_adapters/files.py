"""Opening files to write to: no link that somebody else planted is followed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO, Final

from theory.errors import InvalidInputError
from theory.shared.links import refuse_foreign_links

__all__ = [
    "is_still",
    "open_to_append",
    "read_back",
    "read_path",
    "read_small",
    "read_whole",
    "real_path",
]

_SMALL: Final = 100_000
_MOST_LINES: Final = 3_000_000
"""The most lines of a record, or of results."""
_LARGE: Final = 1 << 29
"""The most bytes of a record, or of the results of a sweep or an experiment."""


def read_path(argument: str, path: Any, fix: str = "give the name of a file") -> Path:
    """Return a path that a file or folder may have.

    Raises
    ------
    InvalidInputError
        For what is no path, for an empty one, and for one with a null character.
    """
    if not isinstance(path, str | os.PathLike) or "\0" in str(path) or not str(path):
        raise InvalidInputError(argument, path, "is not a path", fix)
    return Path(path)


def real_path(path: Path) -> Path:
    """Return the path of the file itself, where ``path`` may be a link to it.

    Raises
    ------
    OSError
        Where a link on the way stands in a folder where others may write, and was made neither by
        the user nor by the owner of that folder: whoever planted it chose the file. Also where
        links lead in a circle.
    """
    refuse_foreign_links(os.fspath(path))
    real = Path(os.path.realpath(path))
    if real.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    return real


def open_to_append(path: Path, mode: int) -> int:
    """Open a file to read and to append to; a new one gets ``mode``, less what the user masks.

    Raises
    ------
    OSError
        As :func:`real_path`, and where it cannot be opened or is no regular file.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
    flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    file = os.open(real_path(path), flags, mode)
    if not S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "it is no regular file")
    return file


def read_back(file: int) -> bytes:
    """Return all that an open file holds, whatever has its name by now.

    No more is read than the file has bytes: what the system makes up, as in ``/proc``, has none,
    and some of it is waited for for ever.

    Raises
    ------
    OSError
        Where it cannot be read, or is larger than any of ours.
    """
    size = os.fstat(file).st_size
    if size > _LARGE:
        raise OSError(errno.EFBIG, f"it has more than {_LARGE:,} bytes")
    with open(file, "rb", closefd=False) as stream:
        stream.seek(0)
        data = stream.read(size)
    if data.count(b"\n") > _MOST_LINES:
        raise OSError(errno.EFBIG, f"it has more than {_MOST_LINES:,} lines")
    return data


def read_whole(path: Path) -> bytes:
    """Return all that a file holds; the rest is as in :func:`read_back`.

    Raises
    ------
    OSError
        As :func:`read_back`, and where it is no regular file.
    """
    with _open_to_read(path) as file:
        return read_back(file.fileno())


def read_small(path: Path, most: int = _SMALL) -> bytes:
    """Return what a file of settings holds, or another one of at most so many bytes.

    Raises
    ------
    OSError
        Where it cannot be read, is no regular file, or is larger.
    """
    with _open_to_read(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes")
    return content


@contextmanager
def _open_to_read(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file; a pipe is not waited for."""
    at_once = getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | at_once)) as file:
        if not S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        yield file


def is_still(path: Path, file: int) -> bool:
    """Whether the file at ``path`` is the one that is open."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except OSError:
        return False
