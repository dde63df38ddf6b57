"""Give a document the types of a problem, and say exactly where it does not fit."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, reduce
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from mechproof.names import unknown_name
from mechproof.problems.reading import DocumentError, WrittenNumber, child
from theory.errors import LimitError, NumberError
from theory.numbers import rational

__all__ = ["Record", "check_digits", "typed"]

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


def typed(document: Any, wanted: type[T]) -> T:
    """Return the document as a ``wanted``, its numbers as fractions.

    Raises
    ------
    DocumentError
        With the path of the first thing that does not fit.
    """
    try:
        return _convert(document, wanted)
    except msgspec.ValidationError as error:
        steps = _steps(document, wanted, str(error))
        raise DocumentError(
            _message(error, wanted, steps), path=reduce(child, steps, "$")
        ) from error


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


def _convert(document: Any, wanted: type[T]) -> T:
    digits = _Digits("long numbers")

    def number(kind: type, value: Any) -> Fraction:
        if kind is not Fraction:
            raise NotImplementedError(kind)  # how a hook of msgspec declines a type
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
    here = list(_single(_described(wanted)))
    for step in steps:
        here = [inner for each in here for inner in _inside(each, step)]
    tables = (each for each in here if isinstance(each, inspect.StructType))
    return [field.encode_name for table in tables for field in table.fields]


@cache
def _described(wanted: type) -> inspect.Type:
    return inspect.type_info(wanted)


def _inside(outer: inspect.Type, step: str | int) -> Iterator[inspect.Type]:
    """Yield the types that an entry may have."""
    if isinstance(outer, inspect.StructType):
        for field in outer.fields:
            if field.encode_name == step:
                yield from _single(field.type)
    elif isinstance(outer, inspect.DictType):
        yield from _single(outer.value_type)
    elif isinstance(outer, inspect.TupleType) and isinstance(step, int):
        yield from _single(outer.item_types[step])
    elif isinstance(outer, inspect.VarTupleType | inspect.ListType):
        yield from _single(outer.item_type)


def _single(kind: inspect.Type) -> Iterator[inspect.Type]:
    """Yield the alternatives of a union one by one, each without what annotates it."""
    if isinstance(kind, inspect.UnionType):
        for each in kind.types:
            yield from _single(each)
    elif isinstance(kind, inspect.Metadata):
        yield from _single(kind.type)
    else:
        yield kind


def _steps(document: Any, wanted: type, failure: str) -> list[str | int]:
    """Return the keys that lead to the failure; msgspec hides those of tables behind ``[...]``."""
    placed = _PLACED.fullmatch(failure)
    steps: list[str | int] = []
    here = document
    try:
        for step in _STEP.finditer(placed[2] if placed else ""):
            if step["field"] is not None:
                key: str | int = step["field"]
            elif step["index"] is not None:
                key = int(step["index"])
            else:
                key = _failing_key(document, wanted, failure, steps, here)
                document = _replaced(document, steps, {key: here[key]})
            steps.append(key)
            here = here[key]
    except (LookupError, TypeError):
        return []  # not a place, but the odd name of a field
    return steps


def _failing_key(
    document: Any, wanted: type, failure: str, steps: list[str | int], table: dict[str, Any]
) -> str:
    """Return the key of the first entry that fails, by bisection on how many entries are kept."""
    keys = list(table)

    def fails(count: int) -> bool:
        kept = {key: table[key] for key in keys[:count]}
        try:
            _convert(_replaced(document, steps, kept), wanted)
        except msgspec.ValidationError as error:
            return str(error) == failure
        return False

    return keys[bisect_left(range(1, len(keys)), True, key=fails)]


def _replaced(document: Any, steps: list[str | int], value: Any) -> Any:
    if not steps:
        return value
    copied = document.copy()
    copied[steps[0]] = _replaced(document[steps[0]], steps[1:], value)
    return copied
