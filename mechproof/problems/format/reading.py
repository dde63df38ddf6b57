"""Read a document into tables, lists and text, with every number exactly as it was written."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from stat import S_ISDIR, S_ISFIFO, S_ISREG
from typing import Any, Final

from mechproof.problems.format.toml_size import toml_size
from theory.errors import MechproofError
from theory.numbers.reading import MAX_DIGITS
from theory.shared.nesting import is_deeper
from theory.shared.printable import printable, shorten_message

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "DocumentError",
    "WrittenNumber",
    "check_document",
    "check_name",
    "check_texts",
    "child",
    "decode_text",
    "is_endless",
    "locate_errors",
    "read_json",
    "read_toml",
    "refuse_endless",
]

MAX_BYTES: Final = 4_000_000
"""How long the text of a document may be."""
MAX_DEPTH: Final = 200
"""How deep tables and lists may stand in each other."""
_MAX_TOML: Final = 1_000_000
"""How long a TOML text may be: reading one takes more time and memory than reading JSON."""
_MAX_BRACKETS: Final = 100
"""How deep brackets may stand in each other in TOML."""
_MAX_PARTS: Final = 50
"""How many parts a dotted key may have in TOML."""
_MAX_NESTED: Final = 20_000
"""How many tables dotted keys may ask for in TOML."""
_MAX_KEY: Final = 1_000
"""How many characters a key or a name may have: errors and answers are made of them."""

_TOO_LONG = f"has more than {MAX_DIGITS} digits"
_TOO_MUCH: Final = 10**MAX_DIGITS
_CONTAINERS: Final = frozenset({list, dict, tuple, str})
_TOML_PLACE = re.compile(r"(?s)(.*) \(at (?:line (\d+), column (\d+)|end of document)\)")
_LONG_INTEGER = re.compile(rf"\d(?:_?\d){{{MAX_DIGITS},}}", re.ASCII)
_NUMERIC = re.compile(r"[\d\s./eE+-]*", re.ASCII)
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class DocumentError(MechproofError, ValueError):
    """A document that is not a problem: what is wrong, and the path or the line where it is.

    Parameters
    ----------
    message : str
        What is wrong.
    path : str, optional
        Where, as in ``$.goods[1].price``; ``$`` is the whole document.
    line, column : int, optional
        Where, counted from 1, when the text cannot be read at all.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = shorten_message(message)
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        message = printable(self.message)
        if self.path is not None:
            return f"{printable(_cut(self.path))}: {message}"
        if self.line is not None:
            return f"line {self.line}, column {self.column}: {message}"
        return message


def _cut(path: str) -> str:
    """Return a path, the middle of a long one left out."""
    return path if len(path) <= 400 else f"{path[:200]}…{path[-150:]}"


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """The text of a number that is no integer."""

    text: str


@dataclass(frozen=True, slots=True)
class _Flaw:
    """Stands where the parser met what it cannot place, until its path is known."""

    message: str


@contextmanager
def locate_errors(path: str) -> Iterator[None]:
    """Add ``path`` to what is raised inside, unless it names its place already."""
    try:
        yield
    except DocumentError:
        raise
    except MechproofError as error:
        raise DocumentError(str(error), path=path) from error


def child(path: str, key: str | int) -> str:
    """Return the path of an entry of the table or list at ``path``."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f"{path}[{json.dumps(key)}]"


def is_endless(path: Path) -> bool:
    """Whether what is there is no file: a device, or a pipe that waits for somebody to write.

    Pipes that a shell has opened, such as that of ``<(command)``, have names of the system's. What
    the system makes up while it is read, as in ``/proc``, is no file either: some of it, such as
    ``/proc/kmsg``, waits for ever.

    Raises
    ------
    OSError
        When nothing is there.
    """
    found = path.stat()
    mode = found.st_mode
    if S_ISREG(mode):
        return not found.st_size and _is_made_up(path)
    is_open = S_ISFIFO(mode) and path.absolute().parts[1:2] in (("dev",), ("proc",))
    return not (S_ISDIR(mode) or is_open)


def _is_made_up(path: Path) -> bool:
    """Whether a file lies in a file system that has no room for any."""
    return sys.platform == "linux" and not os.statvfs(path).f_blocks


def refuse_endless(path: Path) -> None:
    """Refuse what :func:`is_endless` finds.

    Raises
    ------
    DocumentError
        When it is so.
    OSError
        When nothing is there.
    """
    if is_endless(path):
        fix = "give a file, or '-' and its content on standard input"
        raise DocumentError(f"is no regular file: {fix}")


def decode_text(data: bytes) -> str:
    """Return the text of UTF-8 bytes.

    Raises
    ------
    DocumentError
        When they are no such text, or more than :data:`MAX_BYTES`.
    """
    if len(data) > MAX_BYTES:
        raise DocumentError(_too_large(f"{len(data):,}", MAX_BYTES, "bytes"))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = _place(error.object[: error.start].decode("utf-8", "replace"))
        wrong = f"is not UTF-8 text (byte 0x{error.object[error.start]:02x})"
        raise DocumentError(wrong, line=line, column=column) from error


def read_json(text: str) -> Any:
    """Read one JSON document.

    Raises
    ------
    DocumentError
        For text that is not JSON, a key written twice in one object, or half a surrogate pair.
    """
    return _check_parsed(_parsed_json, text)


def read_toml(text: str) -> Any:
    """Read one TOML document.

    Raises
    ------
    DocumentError
        For text that is not TOML.
    """
    return _check_parsed(_parsed_toml, text)


def _parsed_json(text: str) -> Any:
    _check_length(text, MAX_BYTES)
    if is_deeper(text, MAX_DEPTH):
        raise DocumentError(_too_deep(MAX_DEPTH), path="$")
    try:
        return json.loads(
            text,
            parse_int=lambda t: int(t) if len(t) <= MAX_DIGITS else _Flaw(_TOO_LONG),
            parse_float=WrittenNumber,
            parse_constant=WrittenNumber,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise DocumentError(error.msg, line=error.lineno, column=error.colno) from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Flaw:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            return _Flaw(f"has the key {json.dumps(key)} twice")
        table[key] = value
    return table


def _check_length(text: str, most: int) -> None:
    if len(text) > most:
        raise DocumentError(_too_large(f"{len(text):,}", most, "characters"), path="$")


def _parsed_toml(text: str) -> Any:
    _check_length(text, _MAX_TOML)
    size = toml_size(text, depth=_MAX_BRACKETS, parts=_MAX_PARTS)
    if size.depth > _MAX_BRACKETS:
        raise DocumentError(_too_deep(_MAX_BRACKETS), path="$")
    if size.parts > _MAX_PARTS:
        line, column = _place(text[: size.at])
        wrong = f"a key has more than {_MAX_PARTS} parts: write it flatter"
        raise DocumentError(wrong, line=line, column=column)
    if size.nested > _MAX_NESTED:
        wrong = f"has {size.nested:,} tables in dotted keys, more than the limit of {_MAX_NESTED:,}"
        raise DocumentError(f"{wrong}: write fewer dots, or JSON", path="$")
    try:
        return tomllib.loads(text, parse_float=lambda t: WrittenNumber(t.replace("_", "")))
    except tomllib.TOMLDecodeError as error:
        found = _TOML_PLACE.fullmatch(str(error))
        message = found[1] if found else str(error)
        line, column = (int(found[2]), int(found[3])) if found and found[2] else _place(text)
        raise DocumentError(message, line=line, column=column) from error
    except ValueError as error:
        found = _LONG_INTEGER.search(text)
        line, column = _place(text[: found.start()] if found else text)
        raise DocumentError(f"an integer {_TOO_LONG}", line=line, column=column) from error


def _place(before: str) -> tuple[int, int]:
    """Return the line and the column of what follows ``before``."""
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _check_parsed(parse: Callable[[str], Any], text: str) -> Any:
    try:
        document = parse(text)
    except RecursionError as error:
        raise DocumentError(_too_deep(MAX_DEPTH), path="$") from error
    except MemoryError:
        document = None
        wrong = "takes more memory than there is to be read: give a smaller problem"
    else:
        check_document(document)
        return document
    raise DocumentError(wrong, path="$")


def _too_large(size: str, most: int, unit: str) -> str:
    return f"has {size} {unit}, more than the limit of {most:,}: split it into several problems"


def _too_deep(most: int) -> str:
    return f"is nested too deeply, more than {most} levels: write it flatter"


def check_document(document: Any) -> None:
    """Refuse what no problem can hold: numbers, keys and nesting beyond the limits.

    Raises
    ------
    DocumentError
        With the path of the first thing that is refused.
    """
    found = _flaw(document, 0)
    if found is not None:
        message, steps = found
        raise DocumentError(message, path=reduce(child, reversed(steps), "$"))


def check_texts(document: dict[str, Any], but: Container[str] = ()) -> None:
    """Refuse long texts that are no numbers in all fields but some: answers repeat names.

    Raises
    ------
    DocumentError
        With the path of the first text that is refused.
    """
    found = _long_text({key: value for key, value in document.items() if key not in but})
    if found is not None:
        text, steps = found
        check_name(text, reduce(child, reversed(steps), "$"))


def _long_text(value: Any) -> tuple[str, list[str | int]] | None:
    """Return the first long text, and the steps that lead there, the last first."""
    if isinstance(value, str):
        long = len(value) > _MAX_KEY and not _NUMERIC.fullmatch(value)
        return (value, []) if long else None
    if not isinstance(value, dict | list | tuple):
        return None
    for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
        found = _long_text(entry)
        if found is not None:
            found[1].append(key)
            return found
    return None


def check_name(name: str, path: str) -> None:
    """Refuse a long name.

    Raises
    ------
    DocumentError
        For more than 1,000 characters.
    """
    if len(name) > _MAX_KEY:
        wrong = f"has a text of {len(name):,} characters ({name[:30] + '…'!r}), more than "
        raise DocumentError(f"{wrong}{_MAX_KEY:,}: give a shorter one", path=path)


def _flaw(value: Any, depth: int) -> tuple[str, list[str | int]] | None:
    """Return what is wrong, and the steps that lead there, the last first."""
    if isinstance(value, str):
        if value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value):
            return None
        return "holds half a surrogate pair, which is no character", []
    if isinstance(value, _Flaw):
        return value.message, []
    if isinstance(value, int):
        return (_TOO_LONG, []) if abs(value) >= _TOO_MUCH else None
    if not isinstance(value, dict | list | tuple):
        return None
    if depth == MAX_DEPTH:
        return _too_deep(MAX_DEPTH), []
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, entry in pairs:
        if isinstance(key, str) and len(key) > _MAX_KEY:
            shown = f"{key[:30]}…"
            wrong = f"has a key of {len(key):,} characters ({shown!r}), more than {_MAX_KEY:,}"
            return f"{wrong}: give shorter names", []
        if entry is None or (not entry and type(entry) in _CONTAINERS):
            continue
        found = _flaw(entry, depth + 1)
        if found is None and isinstance(key, str):
            found = _flaw(key, depth)
        if found is not None:
            found[1].append(key)
            return found
    return None
