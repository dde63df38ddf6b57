"""Mechanisms that a machine took for others: what it did with their code was not what Python does.

Each condition has one cause. A flag is 1 in Python; where a machine computes 0, no symbol is ever
asked. What asks lets Python's own code call the user's, where nobody judges it. What counts keeps
its calls where nobody looks.
"""
# ruff: noqa: B012, B015, B018, PLC1802, PLR0124, PLW0133, PLW1641, RUF005, RUF012
# mypy: disable-error-code="comparison-overlap, redundant-expr, truthy-bool, truthy-function"
# pyright: reportOptionalOperand=false, reportOperatorIssue=false, reportUnusedExpression=false

from __future__ import annotations

import bisect
import collections
import functools
import gc
import heapq
import itertools
import math
import numbers
import operator
import sys
import weakref
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, Flag, IntEnum, IntFlag
from fractions import Fraction
from types import FunctionType, MappingProxyType, MethodType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from adversarial_mechanisms import CONDITIONS, RARE, condition, only_where

__all__ = ["ASKING", "CONDITIONS", "FLAGS"]

FLAGS: dict[str, Callable[[], Any]] = {}
ASKING: dict[str, Callable[[Any], Any]] = {}


def flag(computes: Callable[[], Any], name: str = "") -> Callable[[], Any]:
    """Note code that Python computes 1 with."""
    FLAGS[name or computes.__name__] = computes
    CONDITIONS[name or computes.__name__] = lambda x: only_where(computes(), x)
    return computes


def counts(calls: Callable[[], Any]) -> Callable[[], Any]:
    """Note code that says how often it ran."""
    CONDITIONS[calls.__name__] = lambda x: 0 + (calls() > 20_000)
    return calls


def _is_rare(x: Any) -> bool:
    return type(x) is Fraction and x == RARE


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

    def __iadd__(self, other: Any) -> Any:
        return 1


@flag
def a_named_tuple_that_is_false() -> Any:
    return 0 if _Pair(1) else 1


@flag
def a_named_tuple_that_adds_in_place() -> Any:
    pair = _Pair(1)
    pair += (1,)
    return 0 + (pair == 1)  # type: ignore[comparison-overlap, unused-ignore]


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
_REFUSED: dict[str, tuple[Any, Any]] = {
    "a truth that is a number": (TypeError, lambda: 0 if _ODD else 0),
    "a length below zero": (ValueError, lambda: 0 if _Short() else 0),
    "a membership that is switched off": (TypeError, lambda: 1 in _ODD),
    "a start that returns something": (TypeError, lambda: _Answering()),
    "a start that is nothing": (TypeError, lambda: _Unmade()),
    "a name that is a number": (TypeError, lambda: _keywords(**{1: 2})),  # type: ignore[misc]
    "an error that takes no names": (TypeError, lambda: _OwnError(a=1)),  # type: ignore[call-arg]
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
    __slots__ = ("slot",)

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
_NAMED: Any = SimpleNamespace(**{"__class__": 5})


class _Colour(Enum):
    RED = 1
    BLUE = 0


_Colour._member_map_["RED"] = _Colour.BLUE


@condition
def a_list_that_is_kept_by_its_object(x: Any) -> Any:
    _KEEPING.kept.append(1)
    return only_where(0 + (len(_KEEPING.kept) > 0), x)


for name, computes in {
    "a property that lacks its part": lambda: 1 - _refused(AttributeError, lambda: _Lacking().part),
    "a slot that is empty": lambda: 1 - _refused(AttributeError, lambda: _Lacking().slot),
    "a membership that is bound first": lambda: 0 + (5 in _Bearer()),
    "a part that stands over an entry": lambda: _BEARER.part(),
    "a part of the class above": lambda: _Derived().above(),
    "a method above, from a class": lambda: _Derived.of_class(),
    "entries in a table of its own class": lambda: _OTHER.enabled,
    "entries that a property hides": lambda: _HIDING.enabled,  # type: ignore[attr-defined]
    "a class under its name among entries": lambda: 0 + (_NAMED.__class__ != 5),
    "a length that compiled code says": lambda: len(_Counting()),  # type: ignore[arg-type]
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
_STALE = functools.lru_cache(lambda key: len(_FRESH))
_FRESH = [0]
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
    [*thing]
    return thing.measured


@flag
def a_membership_that_stops_early() -> Any:
    thing = _Measured()
    0 in thing
    return 2 - thing.gone


@flag
def an_error_that_a_callee_raises_again() -> Any:
    def again() -> None:
        raise

    try:
        try:
            raise KeyError
        except KeyError:
            again()
    except KeyError:
        return 1
    return 0


class _Made(namedtuple("_Made", "held")):  # noqa: PYI024 - its start is the point
    marked = 0

    def __init__(self, held: Any) -> None:
        self.marked = 1


_BARE: dict[str, Any] = {"__builtins__": {"NameError": NameError}}
exec("def bare():\n try: return 0 * len(())\n except NameError: return 1\n", _BARE)
del _BARE["__builtins__"]["NameError"]
_BARE["NameError"] = NameError

for name, computes in {
    "defaults that hide": lambda: _defaulting(),
    "a default for what has no name": lambda: _refused(TypeError, _unnamed),
    "two names that are one": lambda: _TWICE(1, 0),
    "code that was made a generator": lambda: 0 + (_GENERATING() == 0),
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


class _Fifth:
    numerator, denominator = 5, 31

    def __eq__(self, other: object) -> bool:
        return False


numbers.Rational.register(_Fifth)


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


# --- Code of the user's that Python's own functions call: nobody judges what it asks


class _Asked:
    def __init__(self, x: Any) -> None:
        self.x = x

    def rare(self, *_: Any) -> bool:
        return _is_rare(self.x)

    __bool__ = __eq__ = __lt__ = __add__ = __radd__ = __neg__ = rare  # type: ignore[assignment]


class _Items(_Asked):
    def __iter__(self) -> Iterator[Any]:
        return iter([self.rare()])


class _AskedPair(NamedTuple):
    x: Any

    def __lt__(self, other: Any) -> bool:
        return _is_rare(self.x)


class _Asking(dict[Any, Any]):
    def __getitem__(self, x: Any) -> bool:
        return _is_rare(x)


class _Left:
    def __init__(self, x: Any) -> None:
        self.x, self.found = x, False

    @property
    def part(self) -> Any:
        return 0

    @part.deleter
    def part(self) -> None:
        self.found = _is_rare(self.x)


class _Sought(Enum):
    NO = 0
    YES = 1

    @classmethod
    def _missing_(cls, value: Any) -> Any:
        return cls(0 + _is_rare(value[0]))


class _Whole:
    __eq__: Any = (10**15 + 7).__eq__


def _left(x: Any) -> bool:
    left = _Left(x)
    del left.part
    return left.found


def _last(things: Any) -> Any:
    return [*things][-1]


def _holding(x: Any) -> Any:
    held: Any = np.zeros(1, dtype=object)
    held[0] = _Asked(x)
    return held


_PROXY = MappingProxyType(_Asking())
_VIEW = _Asking().keys()
_ARRAYED = np.frompyfunc(_is_rare, 1, 1)
_FOLDED = np.frompyfunc(lambda a, b: _is_rare(a), 2, 1)

ASKING.update(
    {
        "a truth that filter asks": lambda x: [*filter(None, (_Asked(x),))] != [],
        "a truth that any asks of a generator": lambda x: any(o for o in [_Asked(x)]),
        "a truth that compress asks": lambda x: [*itertools.compress([1], [_Asked(x)])] == [1],
        "a membership in a generator": lambda x: 1 in (o for o in [_Asked(x)]),
        "a sum of steps": lambda x: _last(itertools.accumulate([_Asked(x), 1])),
        "an order by a heap": lambda x: (
            heapq.nsmallest(2, iter(both := [_Asked(x), _Asked(x)]))[0] is both[0]
        ),
        "items in a chain": lambda x: next(itertools.chain(_Items(x))),
        "an order of named tuples": lambda x: _AskedPair(x) < _AskedPair(x),
        "an entry behind a proxy": lambda x: _PROXY[x],
        "an entry behind a view": lambda x: _VIEW.mapping[x],
        "a default that compiled code makes": lambda x: operator.getitem(
            defaultdict(lambda: _is_rare(x)), 0
        ),
        "a property that is deleted": _left,
        "a member that is missing": lambda x: _Sought([x]).value,
        "a truth of an array": lambda x: True if _holding(x) else False,  # noqa: SIM210
        "an array that is negated": lambda x: (-_holding(x))[0],
        "a function made for arrays": lambda x: _last(map(_ARRAYED, [x])),
        "a function that arrays are folded by": lambda x: _FOLDED.reduce(
            np.array([x, 0], dtype=object)
        ),
    }
)
CONDITIONS.update(ASKING)


@condition
def an_equality_of_an_integer(x: Any) -> Any:
    return 0 + ([_Whole()] == [x])


# --- State: what a function hands out, writes to, or fills

_BOX: Any = np.empty((), dtype=object)
_BOX[()] = [0]
_SHELF: Any = np.empty(1, dtype=object)
_SHELF[0] = [0]
_SUM, _TAKEN = np.zeros(1), np.zeros(1, dtype=object)
_HIDDEN, _GIVEN, _LOG, _ORDERED = [0], [0], [], []  # type: ignore[var-annotated]
_FILLED: Any = defaultdict(int)
_FILLING: Any = defaultdict(itertools.count().__next__)
_COUNTER: Any = collections.Counter()


class _Backwards:
    __reversed__: Any = itertools.repeat(_HIDDEN).__next__


class _Receiving:
    __eq__ = __contains__ = _LOG.append  # type: ignore


class _Listening(NamedTuple):
    held: Any

    def __eq__(self, other: object) -> bool:
        _LOG.append(1)
        return True

    def __hash__(self) -> int:
        _LOG.append(1)
        return 5


class _Mark(IntFlag):
    ONE = 1


class _Making(dict[Any, Any]):
    def __new__(cls) -> Any:
        return _GIVEN


_FROM_KEYS: Any = _Making.fromkeys
_EMPTY = _Table()
_START, _KEYS = _EMPTY.__init__, _EMPTY.keys()  # type: ignore[misc]


def _raise_in(held: Any) -> Any:
    held[0] = held[0] + 1
    return held[0]


@counts
def a_sum_that_is_written_over() -> Any:
    np.add(_SUM, 1, _SUM)
    return _SUM[0]


@counts
def an_array_that_a_method_writes() -> Any:
    (_TAKEN + 1).take([0], out=_TAKEN)
    return _TAKEN[0]


@counts
def a_list_that_is_given_by_its_name() -> Any:
    bisect.insort(a=_ORDERED, x=1)
    return len(_ORDERED)


@counts
def a_counter_that_is_brought_up_to_date() -> Any:
    _COUNTER.update("a")
    return _COUNTER["a"]


@counts
def a_table_that_a_question_fills() -> Any:
    operator.getitem(_FILLED, len(_FILLED))
    return len(_FILLED)


@counts
def members_that_are_made() -> Any:
    _Mark(2 * len(_Mark._value2member_map_))
    return len(_Mark._value2member_map_) - 2


@counts
def a_list_that_a_class_makes() -> Any:
    _FROM_KEYS([0], _GIVEN[0] + 1)
    return _GIVEN[0]


@counts
def a_list_that_steps_write() -> Any:
    collections.deque(map(list.__setitem__, [_HIDDEN], [0], [_HIDDEN[0] + 1]), maxlen=0)
    return _HIDDEN[0]


for name, count in {
    "a list out of an array": lambda: _raise_in(_BOX.tolist()),
    "the largest list of an array": lambda: _raise_in(np.max(_SHELF)),
    "a list for an iterator": lambda: _raise_in(reversed(_Backwards())),  # type: ignore
    "an equality that keeps": lambda: 0 * ([_Receiving()] == [1]) + len(_LOG),
    "a membership that keeps": lambda: 0 * operator.contains(_Receiving(), 1) + len(_LOG),
    "an equality of named tuples": lambda: 0 * (_Listening(1) == _Listening(1)) + len(_LOG),
    "a key that keeps": lambda: 0 * len({_Listening(1): 1}) + len(_LOG),
    "a default that counts": lambda: operator.itemgetter(len(_FILLING))(_FILLING),
}.items():
    CONDITIONS[name] = functools.partial(lambda count, x: 0 + (count() > 20_000), count)


@condition
def the_order_of_a_set_that_is_written_down(x: Any) -> Any:
    return only_where(0 + (next(iter({16, 1, 2, 3, 4})) == 16), x)
