"""Code with which a machine computes something else than Python does.

Each flag has one cause, and is 1 in Python: where a machine computes 0, no symbol is ever asked.
What rules of style and of types forbid is what the cases are about; each such rule is silenced.
"""
# ruff: noqa: C408, PLE0101, PLE0303, PLE0304, PLW0108, PLW1641, RUF034

from __future__ import annotations

import functools
import gc
import math
from collections import OrderedDict, deque, namedtuple
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, Flag, IntEnum
from types import FunctionType, SimpleNamespace
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


def _refused(kind: Any, runs: Any) -> int:
    try:
        runs()
    except kind:
        return 1
    return 0


for name, (kind, runs) in _REFUSED.items():
    flag(functools.partial(_refused, kind, runs), name)


# --- Attributes: what a name leads to


class _Lacking:
    @property
    def part(self) -> Any:
        raise AttributeError

    def __getattr__(self, name: str) -> Any:
        return 1


class _Bound:
    def __get__(self, thing: Any, kind: Any = None) -> Any:
        return lambda *_: 1

    def __set__(self, thing: Any, value: Any) -> None:
        pass

    def __call__(self, *_: Any) -> Any:
        return 0


class _Bearer:
    __contains__: Any = _Bound()
    part: Any = _Bound()
    enabled: Any = 0

    @functools.cached_property
    def kept(self) -> list[Any]:
        return []

    def many(*these: Any) -> int:
        return 2 - len(these)


class _Derived(_Bearer):
    part = 0

    def above(self) -> Any:
        return super().part(1)

    @classmethod
    def of_class(cls) -> int:
        return super().many(0)


class _Table(dict[str, Any]):
    pass


class _Hiding:
    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        return {"enabled": 0}


class _Counting:
    __len__ = gc.isenabled


_BEARER, _OTHER, _KEEPING, _HIDING = _Bearer(), _Bearer(), _Bearer(), _Hiding()
vars(_BEARER)["part"] = lambda: 0
_OTHER.__dict__ = _Table(enabled=1)
object.__setattr__(_HIDING, "enabled", 1)
_COUNTING: Any = _Counting()
_NAMED: Any = SimpleNamespace(**{"__class__": 5})


class _Colour(Enum):
    RED = 1
    BLUE = 0


_Colour._member_map_["RED"] = _Colour.BLUE


@condition
def a_list_that_its_object_keeps(x: Any) -> Any:
    return only_where(0 + (_KEEPING.kept is _KEEPING.kept), x)


for name, computes in {
    "a property that lacks its part": lambda: 1 - _refused(AttributeError, lambda: _Lacking().part),
    "a membership that is bound first": lambda: 0 + (5 in _Bearer()),
    "a part that stands over an entry": lambda: _BEARER.part(),
    "a part of the class above": lambda: _Derived().above(),
    "a method above, from a class": lambda: _Derived.of_class(),
    "entries in a table of its own class": lambda: _OTHER.enabled,
    "entries that a property hides": lambda: _HIDING.enabled,  # type: ignore[attr-defined]
    "a class under its name among entries": lambda: 0 + (_NAMED.__class__ != 5),
    "a length that compiled code says": lambda: len(_COUNTING),
    "a member that was exchanged": lambda: _Colour.RED.value,
}.items():
    flag(computes, name)


# --- Calls: what is called, and with what


class _Defaults(tuple[Any, ...]):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter((0,))


def _defaulting(value: Any = 0) -> Any:
    return value


_defaulting.__defaults__ = _Defaults((1,))


def _unnamed(value: Any) -> Any:
    return value


_unnamed.__kwdefaults__ = {"value": 0}


def _zero() -> int:
    return 0


def _twice(a: Any, b: Any) -> Any:
    return a


_TWICE: Any = FunctionType(_twice.__code__.replace(co_varnames=("a", "a")), globals())
_CODE: Any = _zero.__code__
_GENERATING: Any = FunctionType(_CODE.replace(co_flags=_CODE.co_flags | 0x20), globals())
_FRESH = [0]
_STALE = functools.lru_cache(lambda key: len(_FRESH))
_STALE(0)
_FRESH.clear()


class _Measured:
    def __init__(self) -> None:
        self.measured = 0

    def __len__(self) -> int:
        self.measured = 1
        return 1

    def __iter__(self) -> Iterator[int]:
        self.gone = 0
        for k in (0, 1):
            self.gone += 1
            yield k


@flag
def a_length_that_a_star_asks_for() -> Any:
    thing = _Measured()
    _ = [*thing]
    return thing.measured


@flag
def a_membership_that_stops_early() -> Any:
    thing = _Measured()
    _ = 0 in thing
    return 2 - thing.gone


class _Made(namedtuple("_Made", "held")):
    marked = 0

    def __init__(self, held: Any) -> None:
        self.marked = 1


class _Forging:
    def __eq__(self, other: object) -> bool:
        return True

    def __call__(self, kind: Any, parts: Any) -> Any:
        return tuple.__new__(kind, (0,))


_FORGED: Any = namedtuple("_FORGED", "held")
_FORGED.__new__.__globals__["_tuple_new"] = _Forging()


class _Names(tuple[Any, ...]):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(("b", "a"))


def _naming() -> Any:
    return _twice(a=1, b=0)


_CONSTANTS = (_Names(c) if type(c) is tuple else c for c in _naming.__code__.co_consts)
_NAMING: Any = FunctionType(_naming.__code__.replace(co_consts=tuple(_CONSTANTS)), globals())

_BARE: dict[str, Any] = {"__builtins__": {"NameError": NameError}}
exec("def bare():\n try: return 0 * len(())\n except NameError: return 1\n", _BARE)
del _BARE["__builtins__"]["NameError"]
_BARE["NameError"] = NameError

for name, computes in {
    "defaults that hide": lambda: _defaulting(),
    "a default for what has no name": lambda: _refused(TypeError, _unnamed),
    "two names that are one": lambda: _TWICE(1, 0),
    "code that was made a generator": lambda: 0 + (_GENERATING() == 0),
    "a tuple that is made by another": lambda: 0 + (_FORGED(1).held == 0),
    "names in an order of their own": lambda: _NAMING(),
    "an answer from before": lambda: _STALE(0),
    "a function that stands in a list": lambda: [_zero].count(_zero),
    "a function that is a key": lambda: {_zero: 1}.get(_zero, 0),
    "a function that is a named entry": lambda: 0 + (dict(f=_zero)["f"] is _zero),
    "a named tuple with a start": lambda: _Made(1).marked,
    "a name that its builtins lack": _BARE["bare"],
}.items():
    flag(computes, name)


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
