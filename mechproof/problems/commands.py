"""The commands ``solve``, ``schema`` and ``example``."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.resources import files
from itertools import chain
from pathlib import Path, PurePath
from typing import Protocol, runtime_checkable

import click
import msgspec

from mechproof.problems.documents import GAMBIT, LINES, solve_text
from mechproof.problems.format import schema
from mechproof.problems.format.reading import (
    MAX_BYTES,
    DocumentError,
    decode_text,
    read_json,
    refuse_endless,
)
from mechproof.problems.kind import AnswerBase, kind_named, kinds
from mechproof.problems.limits import SolveLimits
from mechproof.problems.lines import Failure, failure, solve_line
from mechproof.terminal import complain
from mechproof.unknown_names import unknown_name
from theory.shared.printable import json_text

__all__ = ["print_example", "print_schema", "solve_command"]

_LONGEST = MAX_BYTES + 2
"""Bytes of a line that are read: more than are solved, an end of the line included."""
_PASSED_OVER = 100_000_000
"""Bytes of a line that are passed over to come to the next."""
_REPORTS = {"verify": "verify-1.schema.json"}


@runtime_checkable
class _Bytes(Protocol):
    """A file of bytes, read line by line."""

    def readline(self, size: int = -1, /) -> bytes: ...


def solve_command(file: str, file_format: str, limits: SolveLimits | None = None) -> int:
    """Print the answer to the problem in a file, or to each of its lines; return the exit status.

    ``-`` is standard input. ``file_format`` is ``auto``, ``json``, ``jsonl``, ``toml``,
    ``efg`` or ``nfg``. Each problem is solved within the allowance.
    """
    name = "standard input" if file == "-" else file
    allowed = limits or SolveLimits()
    try:
        with _open_input(file) as stream:
            return _solve(stream, file, file_format, allowed)
    except MemoryError:
        wrong = "takes more memory than there is: give a smaller problem, or allow more"
        complain(wrong, name)
        return 2
    except DocumentError as error:
        complain(error, name)
        return 2


def print_schema(kind: str) -> None:
    """Print the JSON Schema of the problems and answers of a kind, or of a report.

    Raises
    ------
    UnknownNameError
        When there is no such kind.
    """
    if kind in _REPORTS:
        published = files("mechproof").joinpath("schemas", _REPORTS[kind])
        _print(published.read_text("utf-8").rstrip("\n"))
        return
    found = kind_named(kind)
    if found is None:
        raise unknown_name("KIND", kind, [*kinds(), *_REPORTS])
    title = f"Problems of the kind {kind}, and their answers"
    types: list[type] = [found.problem, found.answer, Failure]
    constraints = {
        found.problem.__name__: found.constraint,
        found.answer.__name__: found.answer_constraint,
    }
    _print(_json(schema.document(title, types, constraints)))


def print_example(kind: str, file_format: str) -> None:
    """Print a worked example of a kind of problem or of a sweep, as ``toml`` or ``json``.

    Raises
    ------
    UnknownNameError
        When there is no such kind.
    """
    from mechproof.sweep.file import EXAMPLE

    found = kind_named(kind)
    if found is None and kind != "sweep":
        raise unknown_name("KIND", kind, [*kinds(), "sweep"])
    example = EXAMPLE if found is None else found.example
    _print(example.rstrip("\n") if file_format == "toml" else _json(tomllib.loads(example)))


def _solve(stream: _Bytes, file: str, file_format: str, allowed: SolveLimits) -> int:
    lines: Iterator[tuple[int, bytes]] = enumerate(_read(stream), start=1)
    first = next(((n, line) for n, line in lines if line.strip()), None)
    if first is None:
        raise DocumentError("is empty")
    suffix = PurePath(file).suffix.lower() if file_format == "auto" else f".{file_format}"
    if suffix in LINES:
        return _answer_lines(chain([first], lines), allowed)
    if len(first[1]) > MAX_BYTES:
        decode_text(first[1])
    if file_format == "auto" and suffix not in {".toml", *GAMBIT}:
        if file == "-" and _is_object(first[1]):
            return _answer_lines(chain([first], lines), allowed)
        begun = [first]
        for numbered in lines:
            begun.append(numbered)
            if numbered[1].strip():
                break
        if begun[-1][1].strip() and len(begun) > 1 and _is_object(first[1]):
            return _answer_lines(chain(begun, lines), allowed)
        first, *more = begun
        lines = chain(more, lines)
    size = 0
    parts = [b"\n" * (first[0] - 1)]
    for _, line in chain([first], lines):
        size += len(line)
        parts.append(line)
        if size > MAX_BYTES:
            break  # decoded() refuses it
    text = decode_text(b"".join(parts))
    with allowed.kept(_solve_as_json) as solved:
        _print(solved((text, suffix)))
    return 0


def _solve_as_json(problem: tuple[str, str]) -> str:
    return _json(msgspec.to_builtins(solve_text(*problem)))


def _answer_lines(lines: Iterable[tuple[int, bytes]], allowed: SolveLimits) -> int:
    status = 0
    with allowed.kept(_solved_line) as solved:
        for n, line in lines:
            if not line.strip():
                continue
            try:
                text = solved(line)
            except DocumentError as error:
                status = 2
                text = _in_a_line(failure(n, line, error))
            _print(text)
    return status


def _solved_line(line: bytes) -> str:
    return _in_a_line(solve_line(line))


def _in_a_line(answer: AnswerBase | Failure) -> str:
    plain = msgspec.to_builtins(answer)
    return json_text(json.dumps(plain, ensure_ascii=False, separators=(",", ":")))


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(read_json(decode_text(line)), dict)
    except DocumentError:
        return False


def _open_input(file: str) -> AbstractContextManager[_Bytes]:
    with _refuse_unreadable():
        if file != "-":
            refuse_endless(Path(file))
            return open(file, "rb")
        if sys.stdin is None:
            raise DocumentError("is closed")
        return nullcontext(sys.stdin.buffer)


def _read(stream: _Bytes) -> Iterator[bytes]:
    """Yield the lines; of one that is too long only as much as shows that it is.

    Raises
    ------
    DocumentError
        When the stream cannot be read, or has nothing but blanks or no end of a line for too long.
    """
    blank = 0
    with _refuse_unreadable():
        while line := stream.readline(_LONGEST):
            blank = 0 if line.strip() else blank + len(line)
            if blank > MAX_BYTES:
                raise DocumentError(f"has more than {MAX_BYTES:,} blank bytes in a row")
            yield line
            size = len(line)
            while len(line) == _LONGEST and not line.endswith(b"\n"):
                line = stream.readline(_LONGEST)
                size += len(line)
                if size > _PASSED_OVER:
                    raise DocumentError(f"has more than {_PASSED_OVER:,} bytes in a line")


@contextmanager
def _refuse_unreadable() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DocumentError(f"cannot be read ({error.strerror})") from error


def _json(value: object) -> str:
    return json_text(json.dumps(value, indent=2, ensure_ascii=False))


def _print(text: str) -> None:
    """Write UTF-8 whatever the terminal's encoding is, and flush."""
    click.echo(text.encode() + b"\n", nl=False)
