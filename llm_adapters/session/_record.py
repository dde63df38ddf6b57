"""A record: a journal of requests and their answers."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from llm_adapters.errors import RecordError
from llm_adapters.journal import OWN, Journal, Lines, Refusal, read_journal, whole_lines
from llm_adapters.session._lines import HEADER, Entry, header_problem, read_line
from llm_adapters.session.request import Request

__all__ = ["Record", "open_record", "parse", "read_record"]

_FIRST: Final = HEADER + b"\n"
_SHOWN: Final = 300
_FIX: Final = "take the line out, and its call is made again; or take a copy of the file"


class Record:
    """What a file held, by request and occurrence."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: dict[tuple[bytes, int], Entry] = {}

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
    return parse(path, read_journal(path, _refusal(path)))[0]


def parse(path: Path, data: bytes) -> tuple[Record, Lines[Entry]]:
    """Return what the bytes of a record hold; the rest is as in :func:`read_record`."""
    record = Record(path)
    if _FIRST.startswith(data):  # nothing, or a header that was not written to its end
        return record, Lines([], len(data) if data == _FIRST else 0)
    header, end, _ = data.partition(b"\n")
    problem = header_problem(header) or ("" if end else "has no end")
    if problem:
        fix = "give the name of a new file, or of a record"
        raise RecordError(f"line 1 of {path} {problem}", fix)
    lines = whole_lines(
        data, read_line, lambda n: RecordError(f"line {n} of {path} is damaged", _FIX), header=1
    )
    for number, entry in enumerate(lines.found, start=2):
        place = (entry.request.key, entry.occurrence)
        if place in record.entries:
            problem = f"line {number} of {path} answers a request that an earlier line answers"
            raise RecordError(problem, "take one of the two out")
        record.entries[place] = entry
    return record, lines


def open_record(path: Path) -> tuple[Record, Journal]:
    """Open a record, or a file that does not exist yet, to go on with it.

    Raises
    ------
    RecordError
        As :class:`~llm_adapters.journal.Journal`, and where the file is no record, is damaged, or
        has no room for more.
    """
    journal = Journal(path, OWN, _refusal(path))
    try:
        record, lines = parse(path, journal.read())
        journal.begin(lines, _FIRST)
        journal.reserve()
    except BaseException:
        journal.close()
        raise
    return record, journal


def _refusal(path: Path) -> Refusal:
    return lambda problem, fix: RecordError(f"{path} {problem}", fix)
