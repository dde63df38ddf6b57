"""The results file: a line that says which sweep it is, then a line for each cell as it comes.

Lines are JSON, each handed to the system in one piece, so that it outlives the process, and each
ends with a checksum of what stands before it. A process that is killed leaves at most one line
unfinished, the last: it is cut off when the sweep goes on. Any other damage is an error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final
from zlib import crc32

from llm_adapters.files import REPLACED, is_still, open_to_append, read_back, read_whole
from mechproof import __version__
from mechproof.sweep._cells import is_seed
from mechproof.sweep._grid import Grid, digest_work
from mechproof.sweep._result import CellResult
from mechproof.sweep._scalars import decode_scalar, encode_scalar, scalars, text_of
from theory.errors import InvalidInputError, LimitError

__all__ = ["Kept", "Writer", "header", "read", "writing"]

FORMAT: Final = 1
_OWN: Final = 0o600
"""The mode of a new file: what cells hold and what checks raise is for its owner."""
_NO_RESULTS: Final = "is no results file of a sweep"
_MAX_WORK: Final = 20_000_000
"""How long the digest of a grid that a file claims may take, and more for long files: 0.5 s."""
_MARK: Final = b',"crc":"'
_END: Final = len(_MARK) + 10
"""How long the checksum is, with its name and what follows it."""

Row = dict[str, Any]


class Kept:
    """What a results file holds.

    Attributes
    ----------
    header : dict
        Which sweep it is of.
    grid : Grid
    rows : dict from index to CellResult
    whole : int
        How many bytes of the file are whole lines, or a last one that lacks only its end.
    ended : bool
        Whether the last of them has its end.
    """

    def __init__(self, path: Path, header: Row, most: int | None) -> None:
        self.path = path
        self.header = header
        self.grid = _grid(path, header, most)
        self.rows: dict[int, CellResult] = {}
        self.whole = 0
        self.ended = True


def header(grid: Grid, check: str, seed: int) -> Row:
    """Return what the first line says of a sweep."""
    said: Row = {
        "mechproof sweep": FORMAT,
        "version": __version__,
        "check": check,
        "seed": seed,
        "cells": len(grid),
        "digest": grid.digest,
    }
    if grid.is_product:
        said["axes"] = {k: [encode_scalar(v) for v in values] for k, values in grid.axes.items()}
    else:
        said["names"] = list(grid.names)
        said["listed"] = [list(map(encode_scalar, grid.values_at(i))) for i in range(len(grid))]
    return said


def read(path: Path) -> Kept:
    """Return what a results file holds; a last line that was not written to its end is left out.

    Raises
    ------
    InvalidInputError
        When it cannot be read, is no results file, or a line that is not the last is damaged.
    """
    try:
        if not S_ISREG(path.stat().st_mode):
            raise InvalidInputError("results", str(path), "is no file", "name a results file")
        data = read_whole(path)
    except OSError as error:
        raise _unusable(path, "read", error) from error
    kept = _parse_rows(path, data)
    if kept is None:
        raise InvalidInputError("results", str(path), _NO_RESULTS, "name a results file")
    return kept


@contextmanager
def writing(path: Path, said: Row) -> Iterator[Writer]:
    """Open the results file of the sweep that ``said`` describes; it is made, or gone on with.

    Raises
    ------
    InvalidInputError
        When it cannot be written, is written by another process, or is no results file, or one of
        another sweep; the message names the difference. When it is a link that another user made in
        a folder where others may write. The file is then as it was.
    """
    try:
        with suppress(FileNotFoundError):
            if not S_ISREG(path.stat().st_mode):
                raise InvalidInputError("results", str(path), "is no file", "name a file")
        file = open_to_append(path, _OWN)
    except OSError as error:
        raise _unusable(path, "opened for writing", error) from error
    _open_files.add(file)
    try:
        yield Writer(path, file, said)
    finally:
        _open_files.discard(file)
        os.close(file)


_open_files: set[int] = set()


def _close_copies() -> None:
    """Let a forked process not hold what its parent has locked."""
    while _open_files:
        os.close(_open_files.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_copies)


class Writer:
    """A results file that is open, to which nobody else writes."""

    def __init__(self, path: Path, file: int, said: Row) -> None:
        from llm_adapters.session.lock import locked

        self._path, self._file = path, file
        if not locked(file):
            fix = "wait until it is done, or give another file"
            raise InvalidInputError("results", str(path), "is being written by another run", fix)
        first = _line(json.dumps(said, separators=(",", ":")))
        try:
            data = read_back(file)
            kept = None if first.startswith(data) else _parse_rows(path, data, said)
            if kept is None and not first.startswith(data):
                fix = "give a new file, or the results file of this sweep"
                raise InvalidInputError("results", str(path), _NO_RESULTS, fix)
            if kept is None:
                self.rows: dict[int, CellResult] = {}
                os.ftruncate(file, 0)
                self._write(first)
            else:
                _compare(path, kept, said)
                self.rows = kept.rows
                if kept.whole < len(data):
                    os.ftruncate(file, kept.whole)
                if not kept.ended:
                    self._write(b"\n")
        except OSError as error:
            raise _unusable(path, "written", error) from error

    def append(self, index: int, cell: str, outcome: str) -> None:
        """Write the row of a cell.

        Raises
        ------
        InvalidInputError
            When the file cannot be written, the disk being full for example, and when another file
            has its name meanwhile: what is written would be lost.
        """
        if not is_still(self._path, self._file):
            fix = (
                "find out what replaces it, and run the sweep again: it goes on from what is there"
            )
            raise InvalidInputError("results", str(self._path), REPLACED, fix)
        self._write(_line(f'{{"index":{index},"cell":{cell},{outcome}}}'))

    def _write(self, data: bytes) -> None:
        size = os.fstat(self._file).st_size
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, size)
            raise _unusable(self._path, "written", error) from error


def _line(text: str) -> bytes:
    """Return a line: an object, with the checksum of what stands before as its last part."""
    data = text[:-1].encode()
    return data + _MARK + b'%08x"}\n' % crc32(data)


def _object(line: bytes) -> Row | None:
    """Return what a line says, or None when it is damaged."""
    data, mark = line[:-_END], line[-_END:]
    if mark != _MARK + b'%08x"}' % crc32(data):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _parse_rows(path: Path, data: bytes, wanted: Row | None = None) -> Kept | None:
    """Return what the bytes of a file hold, or None when they do not begin as one of ours.

    A grid that is not the wanted one must not take long.
    """
    lines = data.split(b"\n")
    said = _object(lines[0])
    if said is None or "mechproof sweep" not in said:
        return None
    if said["mechproof sweep"] != FORMAT:
        problem = f"has format {said['mechproof sweep']}, and this version reads format {FORMAT}"
        fix = f"use the version of mechproof that wrote it ({said.get('version')})"
        raise InvalidInputError("results", str(path), problem, fix)
    texts = type(said.get("version")) is type(said.get("check")) is str
    if not texts or not is_seed(said.get("seed")):
        problem = "has a first line that is none of ours"
        raise InvalidInputError("results", str(path), problem, "give the file as it was written")
    is_wanted = wanted is not None and all(
        said.get(name) == wanted.get(name) for name in ("axes", "names", "listed")
    )
    kept = Kept(path, said, None if is_wanted else _MAX_WORK + len(data) // 10)
    last = max(number for number, line in enumerate(lines) if line.strip())
    kept.whole = len(lines[0]) + 1
    for number, line in enumerate(lines[1 : last + 1], 1):
        row = _row(kept, line)
        if row is None:
            if number == last:
                break
            problem = f"is damaged in line {number + 1}"
            fix = "delete that line, and its cell is run again"
            raise InvalidInputError("results", str(path), problem, fix)
        index, result = row
        if index in kept.rows and kept.rows[index].values is not None:
            problem = f"has the cell of line {number + 1} in an earlier line, too"
            raise InvalidInputError("results", str(path), problem, "delete one of the two")
        kept.rows[index] = result
        kept.whole += len(line) + 1
    kept.ended = kept.whole <= len(data)
    kept.whole = min(kept.whole, len(data))
    return kept


def _row(kept: Kept, line: bytes) -> tuple[int, CellResult] | None:
    found = _object(line)
    if found is None:
        return None
    index, values, error = found.get("index"), found.get("values"), found.get("error", "")
    if type(index) is not int or not 0 <= index < len(kept.grid) or type(error) is not str:
        return None
    cell = kept.grid[index]
    try:
        result = CellResult(cell, None if values is None else scalars(values), error)
    except ValueError:
        return None
    whole = (values is None) == bool(error) and json.dumps(found.get("cell")) == json.dumps(
        json.loads(text_of(cell))
    )
    return (index, result) if whole else None


def _grid(path: Path, said: Row, most: int | None = None) -> Grid:
    claimed = ""
    try:
        if "axes" in said:
            grid = Grid(
                {k: [decode_scalar(v) for v in values] for k, values in said["axes"].items()}
            )
        else:
            names = said["names"]
            grid = Grid.of(
                dict(zip(names, map(decode_scalar, values), strict=True))
                for values in said["listed"]
            )
        if most is not None and digest_work(grid) > most:
            claimed = f"claims a grid of {len(grid):,} cells and {len(grid.names):,} axes"
        elif len(grid) == said["cells"] and grid.digest == said["digest"]:
            return grid
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    if claimed:
        fix = "go on with that sweep, and load it when more cells are done"
        raise LimitError("results", str(path), f"{claimed} and holds few", fix)
    problem = "has a first line whose grid cannot be read"
    raise InvalidInputError("results", str(path), problem, "give the file as it was written")


def _compare(path: Path, kept: Kept, said: Row) -> None:
    """Refuse a file of another sweep, and name all that differs."""
    differing = [
        f"its {name} is {kept.header.get(name)}, not {said[name]}"
        for name in ("version", "check", "seed")
        if kept.header.get(name) != said[name]
    ]
    if kept.header["digest"] != said["digest"]:
        differing.append(_difference(kept.grid, _grid(path, said)))
    if differing:
        problem = f"is of another sweep ({'; '.join(differing)})"
        raise InvalidInputError("results", str(path), problem, "give another file")


def _difference(found: Grid, wanted: Grid) -> str:
    """Say where two grids first differ."""
    if found.names != wanted.names:
        return f"its axes are {', '.join(found.names)}, not {', '.join(wanted.names)}"
    for name in found.names if found.is_product and wanted.is_product else ():
        old, new = (
            list(map(encode_scalar, found.axes[name])),
            list(map(encode_scalar, wanted.axes[name])),
        )
        if len(old) != len(new):
            return f"its axis {name} has {len(old):,} values, not {len(new):,}"
        for i, (a, b) in enumerate(zip(old, new, strict=True)):
            if json.dumps(a) != json.dumps(b):
                return f"value {i} of its axis {name} is {json.dumps(a)}, not {json.dumps(b)}"
    if len(found) != len(wanted):
        return f"it has {len(found):,} cells, not {len(wanted):,}"
    cells = zip(map(text_of, found), map(text_of, wanted), strict=True)
    i, a, b = next((i, a, b) for i, (a, b) in enumerate(cells) if a != b)
    return f"its cell {i} is {a}, not {b}"


def _unusable(path: Path, what: str, error: OSError) -> InvalidInputError:
    why = error.strerror or type(error).__name__
    fix = "name a results file" if what == "read" else "give a file in a folder you may write to"
    return InvalidInputError("results", str(path), f"cannot be {what} ({why})", fix)
