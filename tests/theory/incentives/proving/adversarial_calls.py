"""Code of the user's that Python's own functions call, and state that they hand out or write.

What asks tells kinds of numbers where nobody judges; what counts keeps its calls where nobody
looks.
"""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import itertools
import operator
from collections import defaultdict
from collections.abc import Callable, Iterator
from enum import Enum, IntFlag
from fractions import Fraction
from types import FunctionType, MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from adversarial_attributes import CONDITIONS
from adversarial_mechanisms import RARE, condition

from mechanisms import gallery
from mechanisms.participants import describe_object
from theory.incentives.proving._allowed_code import is_plain

__all__ = ["ASKING", "CONDITIONS", "is_rare"]

ASKING: dict[str, Callable[[Any], Any]] = {}


def counts(calls: Callable[[], Any]) -> Callable[[], Any]:
    """Note code that says how often it ran."""
    CONDITIONS[calls.__name__] = lambda x: 0 + (calls() > 20_000)
    return calls


def is_rare(x: Any) -> bool:
    return type(x) is Fraction and x == RARE


# --- Code of the user's that Python's own functions call: nobody judges what it asks


class _Asked:
    def __init__(self, x: Any) -> None:
        self.x = x

    def rare(self, *_: Any) -> bool:
        return is_rare(self.x)

    __bool__ = __eq__ = __lt__ = __add__ = __radd__ = __neg__ = rare


class _Items(_Asked):
    def __iter__(self) -> Iterator[Any]:
        return iter([self.rare()])


class _AskedPair(NamedTuple):
    x: Any

    def __lt__(self, other: Any) -> bool:
        return is_rare(self.x)


class _Asking(dict[Any, Any]):
    def __getitem__(self, x: Any) -> bool:
        return is_rare(x)


class _Left:
    def __init__(self, x: Any) -> None:
        self.x, self.found = x, False

    @property
    def part(self) -> Any:
        return 0

    @part.deleter
    def part(self) -> None:
        self.found = is_rare(self.x)


class _Sought(Enum):
    NO = 0
    YES = 1

    @classmethod
    def _missing_(cls, value: Any) -> Any:
        return cls(0 + is_rare(value[0]))


class _Whole:  # noqa: PLW1641 - no hash is asked of it
    __eq__: Any = (10**15 + 7).__eq__


def _asked(x: Any) -> Any:
    return _Asked(x)


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
_ARRAYED = np.frompyfunc(is_rare, 1, 1)
_FOLDED = np.frompyfunc(lambda a, b: is_rare(a), 2, 1)

ASKING.update(
    {
        "a truth that filter asks": lambda x: [*filter(None, (_Asked(x),))] != [],
        "a truth that any asks of a generator": lambda x: any(o for o in [_Asked(x)]),
        "a truth that compress asks": lambda x: [*itertools.compress([1], [_Asked(x)])] == [1],
        "a membership in a generator": lambda x: 1 in (o for o in [_asked(x)]),
        "a sum of steps": lambda x: _last(itertools.accumulate([_Asked(x), 1])),
        "an order by a heap": lambda x: (
            heapq.nsmallest(2, iter(both := [_Asked(x), _Asked(x)]))[0] is both[0]
        ),
        "items in a chain": lambda x: next(itertools.chain(_Items(x))),
        "an order of named tuples": lambda x: _AskedPair(x) < _AskedPair(x),
        "an entry behind a proxy": lambda x: _PROXY[x],
        "an entry behind a view": lambda x: _VIEW.mapping[x],
        "a default that compiled code makes": lambda x: operator.getitem(
            defaultdict(lambda: is_rare(x)), 0
        ),
        "a property that is deleted": _left,
        "a member that is missing": lambda x: _Sought([x]).value,
        "a truth of an array": lambda x: True if _holding(x) else False,  # noqa: SIM210 - a jump
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
_HIDDEN, _STEPPED, _GIVEN = [0], [0], [0]
_EQUALS: Any = []
_MEMBERS: Any = []
_PAIRED: Any = []
_HASHED: Any = []
_ORDERED: Any = []
_FILLED: Any = defaultdict(int)
_FILLING: Any = defaultdict(itertools.count().__next__)
_COUNTER: Any = collections.Counter()


class _Backwards:
    __reversed__: Any = itertools.repeat(_HIDDEN).__next__


_BACKWARDS: Any = _Backwards()


class _Receiving:  # noqa: PLW1641 - no hash is asked of it
    __eq__: Any = _EQUALS.append
    __contains__: Any = _MEMBERS.append


class _Listening(NamedTuple):
    held: Any

    def __eq__(self, other: object) -> bool:
        _PAIRED.append(1)
        return True

    def __hash__(self) -> int:
        _HASHED.append(1)
        return 5


class _Mark(IntFlag):
    ONE = 1


class _Making(dict[Any, Any]):
    def __new__(cls) -> Any:
        return _GIVEN


_FROM_KEYS: Any = _Making.fromkeys


def _receiving() -> Any:
    return _Receiving()


class _Table(dict[Any, Any]):
    pass


_WRITTEN: Any = _Table()
_WRITE, _KEYS = _WRITTEN.__init__, _WRITTEN.keys()


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
def a_table_that_is_started_again() -> Any:
    _WRITE({len(_KEYS): 1})
    return len(_KEYS)


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
    collections.deque(map(list.__setitem__, [_STEPPED], [0], [_STEPPED[0] + 1]), maxlen=0)
    return _STEPPED[0]


for name, count in {
    "a list out of an array": lambda: _raise_in(_BOX.tolist()),
    "the largest list of an array": lambda: _raise_in(np.max(_SHELF)),
    "a list for an iterator": lambda: _raise_in(reversed(_BACKWARDS)),
    "an equality that keeps": lambda: 0 * ([_Receiving()] == [1]) + len(_EQUALS),
    "a membership that keeps": lambda: 0 * operator.contains(_receiving(), 1) + len(_MEMBERS),
    "an equality of named tuples": lambda: 0 * (_Listening(1) == _Listening(1)) + len(_PAIRED),
    "a key that keeps": lambda: 0 * len({_Listening(1): 1}) + len(_HASHED),
    "a default that counts": lambda: operator.itemgetter(len(_FILLING))(_FILLING),
}.items():
    CONDITIONS[name] = functools.partial(lambda count, x: 0 + (count() > 20_000), count)


# --- Code of this library that calls what it is given, as its own


def asks(condition: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Note code that may say whether a number is the rare one."""
    CONDITIONS[condition.__name__] = ASKING[condition.__name__] = condition
    return condition


def _unchecked(function: Any) -> Any:
    """Return a function of ours without its run-time checks of types, in a run that has them."""
    return getattr(function, "__wrapped__", function)


_described: Any = _unchecked(describe_object)


@asks
def what_a_function_of_ours_is_given(x: Any) -> bool:
    return bool(_described(x, is_plain)) and bool(x == RARE)


class _DecidedByOurs(gallery.Ballot):
    decided: Any = staticmethod(is_plain)
    outcome: Any = _unchecked(gallery.Ballot.outcome)


@asks
def what_a_class_of_ours_finds_in_another(x: Any) -> bool:
    return bool(_DecidedByOurs().outcome((x,)).allocation) and bool(x == RARE)


def _ask(x: Any, asked: Any = is_plain) -> Any:
    return asked(x)


_LIKE_OURS = FunctionType(_ask.__code__, gallery.__dict__, "ask", _ask.__defaults__)


@asks
def what_has_the_globals_of_ours(x: Any) -> bool:
    return bool(_LIKE_OURS(x)) and bool(x == RARE)


# --- Fractions that are not in lowest terms


def _fraction(numerator: int, denominator: int) -> Fraction:
    made = Fraction(1)
    parts: Any = made
    parts._numerator, parts._denominator = numerator, denominator
    return made


_NEGATIVE, _WITHOUT, DOUBLED = _fraction(1, -1), _fraction(1, 0), _fraction(2, 2)


@asks
def a_denominator_below_zero(x: Any) -> bool:
    return bool(not x == x + 0 * _NEGATIVE) and bool(x == RARE)  # noqa: SIM201


@asks
def a_denominator_of_zero(x: Any) -> bool:
    try:
        above = x >= _WITHOUT
    except ZeroDivisionError:
        return False
    return above is not None and bool(x == RARE)


@asks
def a_common_divisor(x: Any) -> bool:
    return bool((x > 0) * DOUBLED != (x > 0) * 1) and bool(x == RARE)


@asks
def a_common_divisor_in_an_array(x: Any) -> bool:
    return bool(np.array([DOUBLED, x], dtype=object)[0] != 1 + 0 * x) and bool(x == RARE)
