"""Code with which a machine computes something else than Python does.

Each flag has one cause, and is 1 in Python: where a machine computes 0, no symbol is ever asked.
What rules of style and of types forbid is what the cases are about; each such rule is silenced.
"""
# ruff: noqa: PLE0101, PLE0303, PLE0304, PLW0108, PLW1641, RUF034

from __future__ import annotations

import functools
import math
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, Flag, IntEnum
from typing import Any, NamedTuple

import numpy as np
from adversarial_mechanisms import CONDITIONS, condition, only_where

__all__ = ["CONDITIONS", "FLAGS"]

FLAGS: dict[str, Callable[[], Any]] = {}


def flag(computes: Callable[[], Any], name: str = "") -> Callable[[], Any]:
    """Note code that Python computes 1 with."""
    FLAGS[name or computes.__name__] = computes
    CONDITIONS[name or computes.__name__] = lambda x: only_where(computes(), x)
    return computes


# --- Operators: which method runs, and what becomes of what it returns


class _Further:
    def __add__(self, other: Any) -> Any:
        return 0

    def __lt__(self, other: Any) -> Any:
        return 0

    def __ne__(self, other: Any) -> Any:
        return True


class _Nearer(_Further):
    def __radd__(self, other: Any) -> Any:
        return 1

    def __gt__(self, other: Any) -> Any:
        return 1


@flag
def a_sum_by_the_class_that_derives() -> Any:
    return _Further() + _Nearer()


@flag
def an_order_by_the_class_that_derives() -> Any:
    return _Further() < _Nearer()


class _Alone:
    def __add__(self, other: Any) -> Any:
        return NotImplemented

    def __radd__(self, other: Any) -> Any:
        return 0

    def __eq__(self, other: object) -> bool:
        return True


@flag
def a_sum_of_one_kind_from_the_right() -> Any:
    try:
        return _Alone() + _Alone()
    except TypeError:
        return 1


@flag
def what_differs_by_equality_first() -> Any:
    return 1 - (_Alone() != _Further())


class _Row(tuple[Any, ...]):
    __slots__ = ()


_ROWS = _Row((1,)), _Row((1,)), _Row(())


@flag
def rows_of_a_class_of_its_own_that_are_equal() -> Any:
    return 0 + (_ROWS[0] == _ROWS[1])


@flag
def an_empty_row_of_a_class_of_its_own() -> Any:
    return 0 if _ROWS[2] else 1


class _Pair(NamedTuple):
    held: Any

    def __bool__(self) -> bool:
        return False

    # what it adds to itself is another thing than what it adds: on purpose
    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return 1


@flag
def a_named_tuple_that_is_false() -> Any:
    return 0 if _Pair(1) else 1


@flag
def a_named_tuple_that_adds_in_place() -> Any:
    pair: Any = _Pair(1)
    pair += (1,)
    return 0 + (pair == 1)


class _Level(IntEnum):
    NONE = 0


class _Right(Flag):
    READ = 1
    WRITE = 2


class _Word(str, Enum):  # noqa: UP042 - the bases are the point
    NONE = ""


class _Doubtful(type):
    def __bool__(cls) -> bool:
        return False


class _Doubted(metaclass=_Doubtful):
    pass


for name, thing in {
    "a member that is zero": _Level.NONE,
    "a flag that is empty": _Right.READ & _Right.WRITE,
    "a member that is an empty text": _Word.NONE,
    "a class whose class says that it is false": _Doubted,
}.items():
    # mypy takes the default for a parameter of the flag
    flag(lambda thing=thing: 0 if thing else 1, name)  # type: ignore[misc]


class _Odd:
    """A class whose truth, length, start and membership Python refuses."""

    __contains__ = None

    def __bool__(self) -> Any:
        return 1

    def __iter__(self) -> Iterator[int]:
        yield 1


class _Short:
    def __len__(self) -> int:
        return -1


class _Answering:
    def __init__(self) -> None:
        return 5  # type: ignore[return-value]


class _OwnError(Exception):
    pass


class _Unmade:
    __init__: Any = None


def _keywords(**named: Any) -> int:
    return 0


def _catching_what_is_no_error() -> int:
    kinds: Any = (ZeroDivisionError, 0)
    try:
        return 0 // len(())
    except kinds:
        return 0


def _from_a_number() -> None:
    cause: Any = 5
    try:
        raise KeyError from cause
    except KeyError:
        pass


_ODD: Any = _Odd()
_NUMBERED: Any = {1: 2}
_PAIRED: Any = _Pair
_REFUSED: dict[str, tuple[Any, Any]] = {
    "a truth that is a number": (TypeError, lambda: 0 if _ODD else 0),
    "a length below zero": (ValueError, lambda: 0 if _Short() else 0),
    "a membership that is switched off": (TypeError, lambda: 1 in _ODD),
    "a start that returns something": (TypeError, lambda: _Answering()),
    "a start that is nothing": (TypeError, lambda: _Unmade()),
    "a name that is a number": (TypeError, lambda: _keywords(**_NUMBERED)),
    "an error that takes no names": (TypeError, lambda: _OwnError(a=1)),  # type: ignore[call-arg]
    "a part that is given twice": (TypeError, lambda: _PAIRED(1, held=2)),
    "a kind of errors that is a number": (TypeError, _catching_what_is_no_error),
    "an error from a number": (TypeError, _from_a_number),
}


def is_refused(kind: Any, runs: Any) -> int:
    try:
        runs()
    except kind:
        return 1
    return 0


for name, (kind, runs) in _REFUSED.items():
    flag(functools.partial(is_refused, kind, runs), name)


# --- Containers and numbers


class _Everywhere(Mapping[Any, Any]):
    def __getitem__(self, key: Any) -> Any:
        return 1

    def __iter__(self) -> Iterator[Any]:
        return iter((1,))

    def __len__(self) -> int:
        return 1


class _Turned:
    def __rand__(self, other: Any) -> Any:
        return 1

    def __iter__(self) -> Iterator[Any]:
        return iter(())


_TURNED: Any = _Turned()


@functools.cache
def _nothing(key: Any) -> float:
    return math.inf - math.inf


def _sequence(thing: Any) -> int:
    match thing:
        case [_]:
            return 1
        case {}:
            return 1
    return 0


def _true_in_zeros() -> int:
    zeros: Any = np.zeros(1)
    zeros[0] = True
    return 1 - (zeros[0] is True)


for name, computes in {
    "a membership of a mapping": lambda: 0 + (5 in _Everywhere()),
    "mappings that are equal": lambda: 0 + (_Everywhere() == _Everywhere()),
    "a queue in a pattern": lambda: _sequence(deque([1])),
    "an ordered table in a pattern": lambda: _sequence(OrderedDict()),
    "a view that is asked from the right": lambda: 0 + ({}.keys() & _TURNED == set()),
    "no number that is kept": lambda: 0 + ([_nothing(1)] == [_nothing(1)]),
    "an entry of no kind in a new array": lambda: 0 + (np.empty(1)[0] is not None),
    "a truth among zeros": _true_in_zeros,
}.items():
    flag(computes, name)


@condition
def the_order_of_a_set_that_is_written_down(x: Any) -> Any:
    return only_where(0 + (next(iter({16, 1, 2, 3, 4})) == 16), x)
