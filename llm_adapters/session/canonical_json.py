"""JSON as requests and records hold it: one text for one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from math import inf, isnan
from typing import Any, Final

from theory.errors import InvalidInputError

__all__ = ["MAX_DEPTH", "canonical", "quote_string", "to_bytes"]

MAX_DEPTH: Final = 100
"""How deep lists and mappings may stand in each other, in requests, records and answers."""
_quote: Callable[[str], str] = encode_basestring


class _NoJSONError(Exception):
    def __init__(self, value: object, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.value = value
        self.problem = problem
        self.fix = fix
        self.path = ""


def canonical(value: object, name: str) -> str:
    """Return the one JSON text of a value: keys in order, no spaces.

    Tuples are written as lists. JSON has no infinity: it is written as 1e999, a number that any
    reader takes for infinite. Halves of surrogate pairs are joined where they stand side by side.

    Parameters
    ----------
    value : None, bool, int, float, str, or lists and mappings with str keys of these
    name : str
        What errors call it.

    Raises
    ------
    InvalidInputError
        For anything else, NaN, integers of more than 4300 digits, and what is nested more than 100
        deep; it gives the path of what cannot be written.

    Examples
    --------
    >>> canonical({"b": (1, 2.0), "a": float("-inf")}, "body")
    '{"a":-1e999,"b":[1,2.0]}'
    """
    try:
        return _text(value, 0)
    except _NoJSONError as bad:
        raise InvalidInputError(name + bad.path, bad.value, bad.problem, bad.fix) from None


def quote_string(text: str) -> str:
    """Return text as a JSON string."""
    return _quote(_join_surrogates(text))


def to_bytes(text: str) -> bytes:
    """Return canonical text in UTF-8; halves of surrogate pairs, which it has not, are escaped."""
    return text.encode("utf-8", "backslashreplace")


def _join_surrogates(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def _text(value: Any, depth: int) -> str:
    if isinstance(value, str):
        return quote_string(value)
    if value is None or value is True or value is False:
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, float):
        return _write_float(value)
    if isinstance(value, int):
        try:
            return int.__repr__(value)
        except ValueError:
            fix = "give a smaller number"
            raise _NoJSONError(value, "has more than 4300 digits", fix) from None
    if depth == MAX_DEPTH:
        raise _NoJSONError(value, f"is nested more than {MAX_DEPTH} deep", "give flatter data")
    if isinstance(value, (list, tuple)):
        return _list(value, depth)
    if isinstance(value, Mapping):
        return _write_object(value, depth)
    problem = f"is a {type(value).__name__}, which JSON does not have"
    raise _NoJSONError(value, problem, "give text, numbers, lists and mappings")


def _write_float(value: float) -> str:
    if isnan(value):
        raise _NoJSONError(value, "is NaN", "give a number")
    if value in (inf, -inf):
        return "1e999" if value > 0 else "-1e999"
    return float.__repr__(value)


def _list(value: Any, depth: int) -> str:
    parts: list[str] = []
    for item in value:
        try:
            parts.append(_text(item, depth + 1))
        except _NoJSONError as bad:
            bad.path = f"[{len(parts)}]{bad.path}"
            raise
    return f"[{','.join(parts)}]"


def _write_object(value: Mapping[Any, Any], depth: int) -> str:
    items: dict[str, Any] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise _NoJSONError(key, "is a key that is not text", "give a str")
        items[_join_surrogates(key)] = item
    if len(items) != len(value):
        raise _NoJSONError(value, "has two keys that are written alike", "give each once")
    parts: list[str] = []
    for key in sorted(items):
        try:
            parts.append(f"{_quote(key)}:{_text(items[key], depth + 1)}")
        except _NoJSONError as bad:
            bad.path = f".{key}{bad.path}"
            raise
    return f"{{{','.join(parts)}}}"
