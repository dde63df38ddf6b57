"""The results file: a line that says which sweep it is, then a line for each cell as it comes.

It is a journal (:mod:`llm_adapters.journal`) whose lines are JSON, and each ends with a checksum of
what stands before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from llm_adapters.journal import OWN, Journal, Lines, Refusal, read_journal, whole_lines
from mechproof import __version__
from mechproof.sweep._cells import is_seed
from mechproof.sweep._grid import Grid, digest_work
from mechproof.sweep._result import CellResult
from mechproof.sweep._scalars import decode_scalar, encode_scalar, scalars, text_of
from theory.errors import InvalidInputError, LimitError

__all__ = ["Kept", "Writer", "header", "read", "writing"]

FORMAT: Final = 1
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
    lines : Lines
    """

    def __init__(self, path: Path, header: Row, most: int | None) -> None:
        self.path = path
        self.header = header
        self.grid = _grid(path, header, most)
        self.rows: dict[int, CellResult] = {}
        self.lines = Lines[tuple[int, CellResult]]([], 0)


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
    kept = _parse_rows(path, read_journal(path, _refusal(path)))
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
    with Journal(path, OWN, _refusal(path)) as journal:
        yield Writer(path, journal, said)


class Writer:
    """A results file that is open, to which nobody else writes."""

    def __init__(self, path: Path, journal: Journal, said: Row) -> None:
        self._journal = journal
        first = _line(json.dumps(said, separators=(",", ":"))) + b"\n"
        data = journal.read()
        if first.startswith(data):
            kept = None
            self.rows: dict[int, CellResult] = {}
        else:
            kept = _parse_rows(path, data, said)
            if kept is None:
                fix = "give a new file, or the results file of this sweep"
                raise InvalidInputError("results", str(path), _NO_RESULTS, fix)
            _compare(path, kept, said)
            self.rows = kept.rows
        journal.begin(kept.lines if kept else Lines([], 0), first)

    def append(self, index: int, cell: str, outcome: str) -> None:
        """Write the row of a cell.

        Raises
        ------
        InvalidInputError
            When the file cannot be written, the disk being full for example, and when another file
            has its name meanwhile: what is written would be lost.
        """
        self._journal.append(_line(f'{{"index":{index},"cell":{cell},{outcome}}}'))


def _line(text: str) -> bytes:
    """Return a line: an object, with the checksum of what stands before as its last part."""
    data = text[:-1].encode()
    return data + _MARK + b'%08x"}' % crc32(data)


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
    said = _object(data.partition(b"\n")[0])
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
    kept.lines = whole_lines(data, partial(_row, kept), partial(_refuse_damage, path), header=1)
    for number, (index, result) in enumerate(kept.lines.found, 2):
        if index in kept.rows and kept.rows[index].values is not None:
            problem = f"has the cell of line {number} in an earlier line, too"
            raise InvalidInputError("results", str(path), problem, "delete one of the two")
        kept.rows[index] = result
    return kept


def _refuse_damage(path: Path, number: int) -> InvalidInputError:
    problem = f"is damaged in line {number}"
    fix = "delete that line, and its cell is run again"
    return InvalidInputError("results", str(path), problem, fix)


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


def _refusal(path: Path) -> Refusal:
    return lambda problem, fix: InvalidInputError("results", str(path), problem, fix)
