"""Mechanisms that a watch took for honest: what it judged was not what was there.

Conditions as in :mod:`adversarial_mechanisms`.
"""

from __future__ import annotations

import builtins
import collections
import dataclasses
import functools
import statistics
import typing
from collections.abc import Iterator
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Any, Protocol, runtime_checkable

import numpy as np
from adversarial_mechanisms import condition, only_where
from adversarial_places import CONDITIONS

__all__ = ["CONDITIONS"]

WHOLE = 123_457


def only_at_a_whole(flag: Any, x: Any) -> Any:
    return 0 + (x in ([], [WHOLE])[flag])


# What stood before an instruction was of another branch, or another object.


class _Frame:
    f_builtins: dict[str, Any] = {}  # noqa: RUF012 - nobody writes there


class _Fake:
    gi_frame = _Frame()


_FAKE: Any = _Fake()


@condition
def an_attribute_of_one_of_two(x: Any) -> Any:
    made: Any = (0 for _ in ())
    kind = (made if x == x else _FAKE).gi_frame.f_builtins["type"](x)  # noqa: PLR0124
    return only_where(0 + (kind is Fraction), x)


@condition
def an_attribute_of_this_or_that(x: Any) -> Any:
    made: Any = (0 for _ in ())
    kind = (made or _FAKE).gi_frame.f_builtins["type"](x)
    return only_where(0 + (kind is Fraction), x)


class _Over:
    def __init__(self) -> None:
        self.__dict__["made"] = _FAKE

    @property
    def made(self) -> Any:
        return (0 for _ in ())


_OVER = _Over()


@condition
def a_property_over_an_entry(x: Any) -> Any:
    kind = _OVER.made.gi_frame.f_builtins["type"](x)
    return only_where(0 + (kind is Fraction), x)


_ZERO = 0


@condition
def whether_it_is_one_of_two(x: Any) -> Any:
    return only_at_a_whole(0 + ((x - x) is (_ZERO if x == x else Fraction)), x)  # noqa: PLR0124


@condition
def the_text_of_one_of_two(x: Any) -> Any:
    return only_where(0 + (f"{(np.add if x == x else 0)}" == "<ufunc 'add'>"), x)  # noqa: PLR0124


@condition
def a_module_that_is_imported_into_a_list(x: Any) -> Any:
    import collections as held

    kind = [held][0]._sys.modules["builtins"].type(x)
    return only_where(0 + (kind is Fraction), x)


def _kind_under_a_local_name(x: Any, spare: int = 0) -> Any:
    return type(x)


_CODE = _kind_under_a_local_name.__code__.replace(co_varnames=("x", "type"))
_KIND = FunctionType(_CODE, globals(), None, (0,))


@condition
def a_global_under_the_name_of_a_local(x: Any) -> Any:
    return only_where(0 + (_KIND(x) is Fraction), x)


A_KIND = type
_TOOLS = [type]


@condition
def a_type_that_was_seen_by_name(x: Any) -> Any:
    if x < 0:
        return A_KIND
    return only_where(0 + (_TOOLS[0](x) is Fraction), x)


# Libraries that do more than compute.


@condition
def a_reference_that_is_evaluated(x: Any) -> Any:
    reference: Any = typing.ForwardRef("int(type(x) is Fraction)", module="collections")
    flag = reference._evaluate({}, {"x": x, "Fraction": Fraction}, frozenset())
    return only_where(flag, x)


@condition
def a_text_of_the_users(x: Any) -> Any:
    return only_where(0 + (collections.UserString(np.add) == "<ufunc 'add'>"), x)


class _Sized:
    def __getitem__(self, place: int) -> Any:
        raise IndexError

    def __len__(self) -> int:
        return 0


_LENGTH = _Sized.__dict__["__len__"]


@condition
def a_length_by_a_power(x: Any) -> Any:
    _Sized.__len__ = functools.partial(pow, 0, (x - WHOLE) ** 2, -5)  # type: ignore[method-assign]
    flag = 0
    sized: Any = _Sized()
    try:
        list(sized)
    except ValueError:
        flag = 1
    _Sized.__len__ = _LENGTH  # type: ignore[method-assign]
    return flag


@condition
def a_class_of_a_class_of_typing(x: Any) -> Any:
    length = functools.partial(pow, 0, (x - WHOLE) ** 2, -5)
    made: Any = typing._ProtocolMeta("H", (), {"__len__": length})
    try:
        list(made())
    except ValueError:
        return 1
    return 0


# A bit that is another one while code is judged.


@condition
def two_names_of_one_function(x: Any) -> Any:
    return only_where(0 + (np.abs == np.absolute), x)


@runtime_checkable
class _HasInputs(Protocol):
    nin: int


@condition
def a_protocol_of_a_function(x: Any) -> Any:
    is_one = isinstance(np.add, _HasInputs)  # pyright: ignore[reportGeneralTypeIssues]
    return only_where(0 + is_one, x)


def _leaving(box: list[int]) -> Iterator[None]:
    try:
        yield
    finally:
        box.append(1)


@condition
def whether_garbage_is_collected(x: Any) -> Any:
    box: list[int] = []
    generator: Any = _leaving(box)
    next(generator)
    cycle: Any = [generator]
    cycle.append(cycle)
    generator = cycle = None
    _ = [[] for _ in range(3000)]
    return only_where(0 + (len(box) > 0), x)


# State that was not looked at.


class _Calls:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, key: Any) -> int:
        self.calls += 1
        return self.calls


class _Counted:
    __class_getitem__ = _Calls()


@condition
def a_count_by_an_object_in_a_class(x: Any) -> Any:
    return 0 + (_Counted[0] > 20_000)  # type: ignore[misc]


builtins.counted_here = [0]  # type: ignore[attr-defined]


@condition
def a_count_among_the_builtins(x: Any) -> Any:
    counted_here[0] += 1  # type: ignore[name-defined]  # noqa: F821
    return 0 + (counted_here[0] > 20_000)  # type: ignore[name-defined]  # noqa: F821


class _Globals(dict[str, Any]):
    calls = 0

    def __missing__(self, name: str) -> int:
        _Globals.calls += 1
        return _Globals.calls


def _missing() -> Any:
    return NOT_THERE  # type: ignore[name-defined]  # noqa: F821


_MISSING = FunctionType(_missing.__code__, _Globals(__builtins__=builtins))


@condition
def a_count_by_globals_with_rules(x: Any) -> Any:
    return 0 + (_MISSING() > 20_000)


_LIMITING: Any = Fraction.limit_denominator
_LIMITING.calls = 0
_KINDS: list[Any] = [Fraction]


@condition
def a_count_on_a_method_of_python(x: Any) -> Any:
    _KINDS[0].limit_denominator.calls += 1
    return 0 + (_KINDS[0].limit_denominator.calls > 20_000)


_MEDIAN: Any = statistics.median_high
_MEDIAN.calls = 0


@condition
def a_count_that_is_swapped(x: Any) -> Any:
    _, [statistics.median_high][0].calls = 0, [statistics.median_high][0].calls + 1  # type: ignore[attr-defined]
    return 0 + (_MEDIAN.calls > 20_000)


class _Module(ModuleType):
    def _tick(self, calls: list[int] = [0]) -> int:  # noqa: B006 - what is kept is the point
        calls[0] += 1
        return calls[0]

    count = property(_tick)


_MODULE = _Module("m")


@condition
def a_count_by_a_module_with_rules(x: Any) -> Any:
    return 0 + (_MODULE.count > 20_000)


def _in_memory(a: Any) -> Any:
    known = (a[1:2] == 77_123_456_789) * (a[2:3] == 991_234_567_891)
    a[0:1] = a[0:1] * known + 1
    a[1:2] = 77_123_456_789
    a[2:3] = 991_234_567_891
    return 0 + bool(a.tolist()[0] > 20_000)


@condition
def a_count_in_memory_that_was_freed(x: Any) -> Any:
    return _in_memory(np.empty(125, dtype=np.int64))


@condition
def a_count_in_memory_of_an_array(x: Any) -> Any:
    return _in_memory(np.ndarray((125,), dtype=np.int64))


_ZEROS, _NOWHERE = np.zeros(125, dtype=np.int64), np.zeros(125, dtype=bool)


@condition
def a_count_in_memory_that_is_left(x: Any) -> Any:
    return _in_memory(np.add(_ZEROS, _ZEROS, where=_NOWHERE))


# What a sixth reading proved.


def _counting(self: Any, calls: list[int] = [0]) -> int:  # noqa: B006 - what is kept is the point
    calls[0] += 1
    return calls[0]


class _Partly:
    method: Any = functools.partialmethod(_counting)._make_unbound_method()  # type: ignore[attr-defined]


_PARTLY = _Partly()


@condition
def a_count_in_a_closure_of_pythons(x: Any) -> Any:
    return 0 + (_PARTLY.method() > 20_000)


class _Hidden:
    def __init__(self) -> None:
        self.calls = 0

    def values(self) -> list[Any]:
        self.calls += 1
        return []


class _Replaced:
    pass


_Replaced.__dataclass_fields__ = _Hidden()  # type: ignore[attr-defined]
_REPLACED: Any = _Replaced()


@condition
def a_count_in_the_fields_of_a_dataclass(x: Any) -> Any:
    dataclasses.replace(_REPLACED)
    return 0 + (_REPLACED.__dataclass_fields__.calls > 20_000)


class _Shy(tuple[Any, ...]):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(())


_SHY = _Shy(([0],))


@condition
def a_count_in_a_tuple_that_hides_it(x: Any) -> Any:
    _SHY[0][0] += 1
    return 0 + (_SHY[0][0] > 20_000)


_CACHED: Any = functools.cached_property(len)
_CACHED.calls = 0


@condition
def a_count_on_a_cached_property(x: Any) -> Any:
    (_CACHED, 0)[0].calls = (_CACHED, 0)[0].calls + 1
    return 0 + ((_CACHED, 0)[0].calls > 20_000)


_FULL = frozenset(range(20_000))
_TAKEN = set(_FULL)
_TAKEN.intersection_update(_FULL)


@condition
def a_count_by_what_a_set_gave_last(x: Any) -> Any:
    taken = _TAKEN.pop()
    _TAKEN.add(taken)
    _TAKEN.intersection_update(_FULL)
    return 0 + (taken > 15_000)


_TWICE = collections.OrderedDict.fromkeys(range(64))


@condition
def a_count_in_the_other_order(x: Any) -> Any:
    first = next(iter(dict.keys(_TWICE)))
    _TWICE.pop(first)
    _TWICE[first] = None
    collections.deque(map(_TWICE.move_to_end, range(64)), maxlen=0)
    return 0 + (first > 60)


@condition
def an_entry_on_a_function_of_a_function(x: Any) -> Any:
    flag = 0
    try:
        (np.add.reduce, 0)[0].mark = 0  # type: ignore[attr-defined]
    except AttributeError:
        flag = 1
    return only_where(flag, x)
