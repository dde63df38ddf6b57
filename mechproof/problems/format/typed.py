"""Give a document the types of a problem, and say exactly where it does not fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, reduce
from types import UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from mechproof.problems.format.reading import DocumentError, WrittenNumber, child
from mechproof.unknown_names import unknown_name
from theory.errors import LimitError, NumberError
from theory.numbers import rational

__all__ = ["Record", "check_digits", "convert_document"]

_MAX_LONG: Final = 20_000
"""How many digits the long numbers of a problem may have together."""
_SHORT: Final = 64
"""How many bits a number may have that counts as none of the long ones."""

T = TypeVar("T")

_PLACED = re.compile(r"(?s)(.*) - at `\$([^`]*)`")
_STEP = re.compile(r"\.(?P<field>\w+)|\[(?P<index>\d+)\]|\[\.\.\.\]")
_UNKNOWN_FIELD = re.compile(r"(?s)Object contains unknown field `(.*)`")


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table with named fields and no others."""


def convert_document(document: Any, wanted: type[T]) -> T:
    """Return the document as a ``wanted``, its numbers as fractions.

    Raises
    ------
    DocumentError
        With the path of the first thing that does not fit.
    """
    read: list[Any] = []
    try:
        found: T = _convert(document, wanted, read)
    except msgspec.ValidationError as error:
        last = read[-1:] if isinstance(error.__cause__, NumberError | LimitError) else []
        steps = _steps(document, wanted, str(error), last)
        raise DocumentError(
            _message(error, wanted, steps), path=reduce(child, steps, "$")
        ) from error
    return found


def check_digits(numbers: Iterable[Fraction], argument: str) -> None:
    """Refuse numbers that are long and many.

    Sums and products of numbers are as long as all of them together, and the work grows with the
    square of that.

    Raises
    ------
    LimitError
        For more than 20,000 digits in numbers of more than 64 bits.
    """
    digits = _Digits(argument)
    for number in numbers:
        digits.add(number)


class _Digits:
    """Counts the digits of long numbers."""

    def __init__(self, argument: str) -> None:
        self._argument = argument
        self._bits = 0

    def add(self, number: Fraction) -> None:
        size = max(number.numerator.bit_length(), number.denominator.bit_length())
        if size <= _SHORT:
            return
        self._bits += size
        count = int(self._bits * 0.30103)
        if count > _MAX_LONG:
            problem = f"have more than the limit of {_MAX_LONG:,} digits together"
            raise LimitError(self._argument, f"{count:,} so far", problem, "round them first")


def _convert(document: Any, wanted: Any, read: list[Any]) -> Any:
    """Return the document as a ``wanted``; ``read`` comes to hold the last number that was read."""
    digits = _Digits("long numbers")

    def number(kind: type, value: Any) -> Fraction:
        if kind is not Fraction:
            raise NotImplementedError(kind)  # how a hook of msgspec declines a type
        read[:] = [value]
        found = rational(value.text if isinstance(value, WrittenNumber) else value)
        digits.add(found)
        return found

    return msgspec.convert(document, wanted, dec_hook=number)


def _message(error: msgspec.ValidationError, wanted: type, steps: Sequence[str | int]) -> str:
    if isinstance(error.__cause__, NumberError | LimitError):
        return str(error.__cause__)
    placed = _PLACED.fullmatch(str(error))
    message = placed[1] if placed else str(error)
    field = _UNKNOWN_FIELD.fullmatch(message)
    if field:
        return str(unknown_name("field", field[1], _fields(wanted, steps)))
    message = message.replace(f"`{WrittenNumber.__name__}`", "a decimal")
    return message[0].lower() + message[1:]


def _fields(wanted: type, steps: Sequence[str | int]) -> list[str]:
    """Return the names of the fields of the table that the steps lead to."""
    here = [wanted]
    for step in steps:
        here = [inner for each in here for inner in _types_of_entry(each, step)]
    tables = (each for kind in here for each in _alternatives(kind) if _is_table(each))
    return [field for table in tables for field in table.__struct_encode_fields__]


@cache
def _entries(table: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the types of a table by the names of its fields."""
    hints = get_type_hints(table, include_extras=True)
    names = zip(table.__struct_encode_fields__, table.__struct_fields__, strict=True)
    return {encoded: hints[name] for encoded, name in names}


def _types_of_entry(outer: Any, step: str | int) -> Iterator[Any]:
    """Yield the types that an entry may have."""
    for each in _alternatives(outer):
        origin, inner = get_origin(each), get_args(each)
        if _is_table(each) and step in _entries(each):
            yield _entries(each)[str(step)]
        elif origin is dict and isinstance(step, str):
            yield inner[1]
        elif origin in (tuple, list) and isinstance(step, int):
            yield inner[0] if origin is list or inner[1:] == (...,) else inner[step]


def _alternatives(kind: Any) -> Iterator[Any]:
    """Yield the alternatives of a union one by one, each without what annotates it."""
    if get_origin(kind) in (Union, UnionType):
        for each in get_args(kind):
            yield from _alternatives(each)
    elif get_origin(kind) is Annotated:
        yield from _alternatives(get_args(kind)[0])
    else:
        yield kind


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _steps(document: Any, wanted: type, failure: str, last: Sequence[Any]) -> list[str | int]:
    """Return the keys that lead to the failure; msgspec hides those of tables behind ``[...]``.

    ``last`` holds the number that was read last, where it was a number that failed.
    """
    placed = _PLACED.fullmatch(failure)
    if placed is None:
        return []
    steps: list[str | int | None] = [
        step["field"] or (int(step["index"]) if step["index"] else None)
        for step in _STEP.finditer(placed[2])
    ]

    def fails(value: Any, kinds: Iterable[Any]) -> bool:
        if last:
            return value is last[0]
        for kind in kinds:
            try:
                _convert(value, kind, [])
            except msgspec.ValidationError as error:
                if str(error) == placed[1]:
                    return True
        return False

    def find(value: Any, kinds: list[Any], left: list[str | int | None]) -> list[str | int] | None:
        """Return the keys from a value on, in the order in which msgspec goes through entries."""
        if not left:
            return [] if fails(value, kinds) else None
        step, *later = left
        for key in list(value) if step is None else [step]:
            try:
                entry = value[key]
            except (LookupError, TypeError):
                continue  # not a place, but the odd name of a field; or another kind of entry
            inner = [each for kind in kinds for each in _types_of_entry(kind, key)]
            rest = find(entry, inner, later)
            if rest is not None:
                return [key, *rest]
        return None

    return find(document, [wanted], steps) or []
