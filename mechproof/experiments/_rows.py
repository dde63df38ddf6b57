"""Rows of a long run, written one by one in a known order, so that it can go on where it stopped.

A folder holds the settings of one run and files of JSON Lines. Whatever the number of processes,
rows are written in the order of the tasks: a file that is not finished is the beginning of the one
that would have been, byte for byte.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from llm_adapters._files import REPLACED, is_still, open_to_append
from mechproof.files import check_writable, write_whole
from theory.errors import InvalidInputError

__all__ = ["appending", "claim_folder", "kept_rows"]

Row = dict[str, Any]

_SETTINGS: Final = "settings.json"
_MOST_NAMED: Final = 4


def claim_folder(out: Path, settings: Row) -> None:
    """Make ``out`` the folder of the run with these settings, or find that it is already.

    Raises
    ------
    InvalidInputError
        When it cannot be made or written to, holds a run with other settings, which are named, or
        rows without any settings.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or type(error).__name__
        problem = f"cannot be made a folder ({why})"
        raise InvalidInputError("out", str(out), problem, "give a folder of your own") from error
    path = out / _SETTINGS
    check_writable(path, "out")
    if path.exists():
        _compare(out, _settings_in(path), settings)
        return
    if any(out.glob("*.jsonl")):
        problem = f"holds rows, but no {_SETTINGS} that says what they are of"
        raise InvalidInputError("out", str(out), problem, "give an empty folder")
    write_whole(path, json.dumps(settings, indent=2, ensure_ascii=False) + "\n", "out")


def kept_rows(path: Path, keys: Sequence[Row], holds: frozenset[str]) -> list[Row]:
    """Return the rows that are there, having cut off a last line that was not written whole.

    Parameters
    ----------
    path : Path
        A file that need not exist.
    keys : sequence of dict
        What each row must contain, in the order of the rows.
    holds : set of str
        What each row has besides.

    Raises
    ------
    InvalidInputError
        For a line other than the last that is no row, or a row that is not the one expected there.
    """
    if not path.exists():
        return []
    content = _read(path)
    lines = content.split(b"\n")
    whole, rows = 0, []
    for number, line in enumerate(lines[:-1], 1):
        row = _row(line, holds)
        if row is None and number == len(lines) - 1 and not lines[-1]:
            break
        expected = keys[number - 1] if number <= len(keys) else None
        if row is None or expected is None or any(row.get(k) != v for k, v in expected.items()):
            what = "is no row" if row is None else "is not the row that belongs there"
            problem = f"line {number} of {path.name} {what}"
            fix = f"delete that line and those after it, or all of {path.name}"
            raise InvalidInputError("out", str(path.parent), problem, fix)
        rows.append(row)
        whole += len(line) + 1
    if whole < len(content):
        os.truncate(path, whole)
    return rows


@contextmanager
def appending(path: Path) -> Iterator[Callable[[Row], None]]:
    """Give a function that adds a row to the file, whole and at once.

    Raises
    ------
    InvalidInputError
        When the file cannot be written to, or grows otherwise: two runs share the folder.
    """
    try:
        file = os.fdopen(open_to_append(path, 0o666), "ab", buffering=0)
    except OSError as error:
        why = error.strerror or type(error).__name__
        problem = f"{path.name} cannot be written ({why})"
        fix = "give a folder that you may write to"
        raise InvalidInputError("out", str(path.parent), problem, fix) from error
    with file:
        yield _Appender(path, file)


class _Appender:
    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path, self._file = path, file
        self._size = os.fstat(file.fileno()).st_size

    def __call__(self, row: Row) -> None:
        if not is_still(self._path, self._file.fileno()):
            problem = f"{self._path.name} {REPLACED}"
            fix = "find out what replaces it, and run this again: it goes on from what is there"
            raise InvalidInputError("out", str(self._path.parent), problem, fix)
        if os.fstat(self._file.fileno()).st_size != self._size:
            problem = f"{self._path.name} is written by another run, too"
            fix = "wait for that one, then run this again"
            raise InvalidInputError("out", str(self._path.parent), problem, fix)
        line = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        written = f"{line}\n".encode()
        while written:
            sent = self._file.write(written)
            self._size += sent
            written = written[sent:]


def _row(line: bytes, holds: frozenset[str] = frozenset()) -> Row | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and holds <= row.keys() else None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        problem = f"{path.name} cannot be read ({why})"
        fix = "give a folder of your own"
        raise InvalidInputError("out", str(path.parent), problem, fix) from error


def _settings_in(path: Path) -> Row:
    found = _row(_read(path))
    if found is None:
        problem = f"has a {path.name} that is none of ours"
        raise InvalidInputError("out", str(path.parent), problem, "give an empty folder")
    return found


def _compare(out: Path, found: Row, settings: Row) -> None:
    differing = [k for k in {**found, **settings} if found.get(k) != settings.get(k)]
    if differing:
        named = [f"{k} {found.get(k)}, not {settings.get(k)}" for k in differing[:_MOST_NAMED]]
        more = "" if len(differing) <= _MOST_NAMED else ", and more"
        problem = f"holds a run with other settings ({'; '.join(named)}{more})"
        fix = "give another folder, or the settings of that run"
        raise InvalidInputError("out", str(out), problem, fix)
