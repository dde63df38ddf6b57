"""Rows of a long run, written one by one in a known order, so that it can go on where it stopped.

A folder holds the settings of one run and files of JSON Lines. Whatever the number of processes,
rows are written in the order of the tasks: a file that is not finished is the beginning of the one
that would have been, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any, Final

from llm_adapters.files import read_small, real_path
from llm_adapters.journal import Journal, Lines, Refusal, whole_lines
from mechproof.files import check_writable, write_whole
from theory.errors import InvalidInputError

__all__ = ["Appender", "appending", "claim_folder"]

Row = dict[str, Any]
Fits = Callable[[Row], bool]

_SETTINGS: Final = "settings.json"
_MOST_NAMED: Final = 4
_LONGEST: Final = 60
"""The most characters of a setting that are shown where it differs."""


def _fits_always(row: Row) -> bool:
    del row
    return True


def claim_folder(out: Path, settings: Row) -> None:
    """Make ``out`` the folder of the run with these settings, or find that it is already.

    Raises
    ------
    InvalidInputError
        When it cannot be made or written to, holds a run with other settings, which are named, or
        rows without any settings.
    """
    try:
        real_path(out).mkdir(parents=True, exist_ok=True)
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


@contextmanager
def appending(
    path: Path, keys: Sequence[Row] = (), fits: Fits = _fits_always
) -> Iterator[Appender]:
    """Give a function that adds a row to the file, whole and at once, and has those that are there.

    A last line that was not written whole is cut off; a file that does not begin as one of these
    rows stays as it is.

    Parameters
    ----------
    path : Path
        A file that need not exist.
    keys : sequence of dict
        What each row must begin with, in the order of the rows.
    fits : callable
        Whether a row holds what it should besides.

    Raises
    ------
    InvalidInputError
        When the file cannot be written to, is no regular file, or grows otherwise: two runs share
        the folder. For a line other than the last that is no row, or a row that is not the one
        expected there.
    """
    with Journal(path, 0o666, _refusal(path)) as journal:
        yield Appender(path, journal, keys, fits)


class Appender:
    """A file of rows that is open, to which nobody else writes.

    Attributes
    ----------
    rows : list of dict
        All that it holds.
    """

    def __init__(self, path: Path, journal: Journal, keys: Sequence[Row], fits: Fits) -> None:
        self._journal = journal
        lines = _read_rows(path, journal.read(), keys, fits)
        journal.begin(lines)
        self.rows = lines.found

    def __call__(self, row: Row) -> None:
        """Add a row.

        Raises
        ------
        InvalidInputError
            When another file has its name meanwhile, or another run has written to it.
        """
        self._journal.append(_write_row(row))
        self.rows.append(row)


def _read_rows(path: Path, content: bytes, keys: Sequence[Row], fits: Fits) -> Lines[Row]:
    """Return the rows that are whole, each of them the one that belongs there."""
    lines = whole_lines(
        content,
        partial(_row, fits=fits),
        lambda number: _explain_damage(path, number, "is no row"),
        header=0,
    )
    for number, row in enumerate(lines.found, 1):
        expected = keys[number - 1] if number <= len(keys) else None
        if expected is None or any(row.get(k) != v for k, v in expected.items()):
            raise _explain_damage(path, number, "is not the row that belongs there")
    if content and not lines.found:
        begun = _write_row(keys[0])[:-1] + b"," if keys else b""
        if not (begun.startswith(content) or (begun and content.startswith(begun))):
            raise _explain_damage(path, 1, "is no row")
    return lines


def _explain_damage(path: Path, number: int, what: str) -> InvalidInputError:
    fix = f"delete that line and those after it, or all of {path.name}"
    problem = f"line {number} of {path.name} {what}"
    return InvalidInputError("out", str(path.parent), problem, fix)


def _refusal(path: Path) -> Refusal:
    return lambda problem, fix: InvalidInputError(
        "out", str(path.parent), f"{path.name} {problem}", fix
    )


def _write_row(row: Row) -> bytes:
    text = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode(errors="backslashreplace")  # half a surrogate pair, as JSON writes it


def _row(line: bytes, fits: Fits = _fits_always) -> Row | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and fits(row) else None


def _read(path: Path) -> bytes:
    try:
        return read_small(path)
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
        named = [
            f"{k} {_short(found.get(k))}, not {_short(settings.get(k))}"
            for k in differing[:_MOST_NAMED]
        ]
        more = "" if len(differing) <= _MOST_NAMED else ", and more"
        problem = f"holds a run with other settings ({'; '.join(named)}{more})"
        fix = "give another folder, or the settings of that run"
        raise InvalidInputError("out", str(out), problem, fix)


def _short(setting: object) -> str:
    return shorten(str(setting), _LONGEST, placeholder=" …")
