"""Read a document into tables, lists and text, with every number exactly as it was written."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from theory.errors import MechproofError
from theory.numbers.reading import MAX_DIGITS

__all__ = ["DocumentError", "WrittenNumber", "at", "child", "decoded", "read_json", "read_toml"]

_TOO_LONG = f"has more than {MAX_DIGITS} digits"
_TOML_PLACE = re.compile(r"(?s)(.*) \(at (?:line (\d+), column (\d+)|end of document)\)")
_LONG_INTEGER = re.compile(rf"\d(?:_?\d){{{MAX_DIGITS},}}", re.ASCII)
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
        self.message = message
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        if self.path is not None:
            return f"{self.path}: {self.message}"
        if self.line is not None:
            return f"line {self.line}, column {self.column}: {self.message}"
        return self.message


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """The text of a number that is no integer."""

    text: str


@dataclass(frozen=True, slots=True)
class _Flaw:
    """Stands where the parser met what it cannot place, until its path is known."""

    message: str


@contextmanager
def at(path: str) -> Iterator[None]:
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


def decoded(data: bytes) -> str:
    """Return the text of UTF-8 bytes.

    Raises
    ------
    DocumentError
        When they are no such text.
    """
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
    return _checked(_parsed_json, text)


def read_toml(text: str) -> Any:
    """Read one TOML document.

    Raises
    ------
    DocumentError
        For text that is not TOML.
    """
    return _checked(_parsed_toml, text)


def _parsed_json(text: str) -> Any:
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


def _parsed_toml(text: str) -> Any:
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


def _checked(parse: Callable[[str], Any], text: str) -> Any:
    try:
        document = parse(text)
        _check(document, "$")
    except RecursionError as error:
        raise DocumentError("is nested too deeply", path="$") from error
    return document


def _check(value: Any, path: str) -> None:
    if isinstance(value, _Flaw):
        raise DocumentError(value.message, path=path)
    if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
        raise DocumentError(_TOO_LONG, path=path)
    if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise DocumentError("holds half a surrogate pair, which is no character", path=path)
    if isinstance(value, list):
        for k, entry in enumerate(value):
            _check(entry, child(path, k))
    if isinstance(value, dict):
        for key, entry in value.items():
            _check(key, child(path, key))
            _check(entry, child(path, key))
