"""What code that is proved may use: what computes with values and does nothing else."""

from __future__ import annotations

import abc
import bisect
import builtins
import collections
import collections.abc
import dataclasses
import fractions
import functools
import heapq
import itertools
import math
import numbers
import operator
import statistics
import typing
from collections.abc import Iterable, Iterator
from enum import Enum, EnumMeta
from fractions import Fraction
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    ModuleType,
    NotImplementedType,
)
from typing import Any, Final

import numpy as np

from theory.incentives._outcome import Lottery, Outcome
from theory.incentives._types import Box, FiniteTypes, Product, Reals, Simplex
from theory.incentives.proving._code_owner import is_librarys, is_of_a_library, words
from theory.proofs import Term

__all__ = [
    "ALLOWED",
    "CALLED",
    "CHANGING",
    "CHANGING_METHODS",
    "CONTAINERS",
    "ERRORS",
    "GOING_THROUGH",
    "ITERATORS",
    "LOOKING",
    "MAKING",
    "MAKING_METHODS",
    "METHODS",
    "NUMPY",
    "OF_TABLES",
    "PLAIN",
    "SEEN_ERRORS",
    "SETS",
    "SORTING",
    "STEPPING",
    "SYMBOL",
    "TAKING_ALL",
    "UFUNCS",
    "UNORDERED",
    "is_plain",
    "why_member_is_refused",
    "why_refused",
]

_PLAIN: Final = (
    int,
    float,
    bool,
    str,
    type(None),
    type(...),
    NotImplementedType,
    Fraction,
)

# Classes are known by their identity: what is asked of the class of symbols is noticed.


def _ids(things: Iterable[Any]) -> frozenset[int]:
    return frozenset(map(id, things))


PLAIN: Final = _ids(_PLAIN)
"""The kinds of constants: nothing can be hidden in one, and what it does is known."""

SETS: Final = _ids((set, frozenset))
_VIEWS: Final[tuple[type, ...]] = (type({}.keys()), type({}.values()), type({}.items()))
_DICTS: Final = (
    dict,
    collections.Counter,
    collections.defaultdict,
)
VIEWS: Final = _ids(_VIEWS)
"""What shows the entries of a table, of which it does not say which table that is."""

CONTAINERS: Final = _ids(
    (list, tuple, set, frozenset, range, slice, collections.deque, *_DICTS, *_VIEWS)
)
"""The kinds of containers whose rules are Python's own."""

_GONE_THROUGH: Final[tuple[Any, ...]] = (
    *([], (), {}, range(0), collections.deque()),
    *({}.values(), {}.items(), np.zeros(1)),
)
ITERATORS: Final = _ids(
    (
        GeneratorType,
        *(type(iter(each)) for each in _GONE_THROUGH),
        *map(type, (iter(set()), iter(range(2**70)), iter(""), iter("é"))),
        *(type(reversed(each)) for each in _GONE_THROUGH[:-1] if type(each) is not tuple),
        reversed,
        *(enumerate, filter, map, reversed, zip),
        *(thing for thing in vars(itertools).values() if isinstance(thing, type)),
    )
)
"""What is used up as it is gone through."""

STEPPING: Final = _ids((GeneratorType, *(type(iter(each)) for each in _GONE_THROUGH)))
"""Iterators that run no code, or code that the machine runs, as they go on."""

_BUILTINS: Final = words(
    """
    abs all any bool callable dict divmod enumerate filter float frozenset int isinstance iter len
    list map max min next object range reversed round set slice sorted sum tuple zip
    """
)
_OPERATORS: Final = words(
    """
    abs add and_ concat contains countOf eq floordiv ge getitem gt indexOf itemgetter le lt mul ne
    neg not_ or_ pos pow sub truediv truth xor matmul
    """
)
_ITERATION: Final = frozenset(
    name for name in vars(itertools) if not name.startswith("_") and name != "tee"
)


def _of(module: Any, names: frozenset[str]) -> Iterator[Any]:
    return (vars(module)[name] for name in sorted(names) if name in vars(module))


_NOT_GIVEN: Final = vars(dataclasses)["_HAS_DEFAULT_FACTORY"]
"""What dataclasses take for an argument that was not given."""

_OF_COUNTERS: Final = words("elements most_common subtract total update copy fromkeys __missing__")
_LIBRARY: Final[tuple[Any, ...]] = (
    *_of(builtins, _BUILTINS),
    *_of(operator, _OPERATORS),
    *_of(math, frozenset(name for name in vars(math) if not name.startswith("_"))),
    *_of(itertools, _ITERATION),
    *_of(heapq, words("heapify heappop heappush heappushpop heapreplace nlargest nsmallest")),
    *_of(bisect, words("bisect bisect_left bisect_right insort insort_left insort_right")),
    *_of(statistics, words("median median_low median_high")),
    *_of(collections, words("Counter defaultdict deque")),
    *_of(collections.Counter, _OF_COUNTERS),
    *_of(functools, words("partial reduce")),
    dataclasses.replace,
    fractions.Fraction,
    typing.cast,
    Outcome,
    Lottery,
    Box,
    FiniteTypes,
    Product,
    Reals,
    Simplex,
)
"""Functions and classes of Python, and of ours, that compute with values and do nothing else."""

ALLOWED: Final = {id(thing): thing for thing in _LIBRARY}

CHANGING: Final = _ids(
    (
        *_of(heapq, words("heapify heappop heappush heappushpop heapreplace")),
        *_of(bisect, words("insort insort_left insort_right")),
        np.fill_diagonal,
        np.put_along_axis,
        *_of(collections.Counter, words("update subtract")),
        next,
    )
)
"""Functions that change what they are given first."""

_CALLED: Final[tuple[tuple[frozenset[int | str], tuple[Any, ...]], ...]] = (
    (frozenset({0}), (map, filter, functools.reduce, itertools.filterfalse, itertools.starmap)),
    (frozenset({0}), (itertools.takewhile, itertools.dropwhile)),
    (frozenset({1, "func"}), (itertools.accumulate,)),
    (frozenset({1, "key"}), (itertools.groupby,)),
    (frozenset({2, "key"}), (heapq.nlargest, heapq.nsmallest)),
    (frozenset({"key"}), (sorted, min, max, bisect.bisect_left, bisect.bisect_right)),
    (frozenset({"key"}), (bisect.insort_left, bisect.insort_right)),
)
CALLED: Final = {id(function): which for which, functions in _CALLED for function in functions}
"""Which arguments, by place or name, a function of Python's calls; it calls no others."""

GOING_THROUGH: Final = _ids(
    (
        enumerate,
        zip,
        iter,
        map,
        filter,
        any,
        all,
        functools.reduce,
        list,
        tuple,
        set,
        frozenset,
        sorted,
        min,
        max,
        sum,
        collections.deque,
    )
)
"""What goes through what it is given, also step by step."""

LOOKING: Final = _ids((isinstance, callable))
"""What tells the kind of a number that is no symbol: numbers out of arrays have several."""

MAKING: Final = _ids(
    (
        *(list, dict, set, frozenset, zip, map, filter, enumerate, reversed, sorted, iter, object),
        *_of(collections, words("Counter defaultdict deque")),
        *_of(itertools, _ITERATION),
        *_of(heapq, words("nlargest nsmallest")),
    )
)
"""What makes a new object each time."""

OF_TABLES: Final = _ids((dict, *_of(collections, words("Counter defaultdict"))))
"""What asks what it is given for keys."""

SORTING: Final = _ids((sorted, min, max))
"""What compares what it is given, or keys of it."""

TAKING_ALL: Final = _ids(
    (
        *(list, tuple, dict, set, frozenset, sorted, min, max, sum),
        *_of(collections, words("Counter deque")),
    )
)
"""What goes through all of an iterator at once."""

UNORDERED: Final = _ids((len, set, frozenset, sorted, min, max, isinstance))
"""What comes to the same in whatever order a set is gone through, without a key."""

ERRORS: Final = frozenset(
    {
        Exception,
        ArithmeticError,
        AssertionError,
        AttributeError,
        IndexError,
        KeyError,
        LookupError,
        NotImplementedError,
        OverflowError,
        RuntimeError,
        StopIteration,
        TypeError,
        ValueError,
        ZeroDivisionError,
    }
)
"""Errors that are made the same way whatever they are given."""

SEEN_ERRORS: Final = _ids((StopIteration, KeyError))
"""What compiled code raises about values alone; without arrays also of index, value and zero."""

_ABSTRACT: Final = frozenset(
    vars(collections.abc)[name] for name in collections.abc.__all__
) | frozenset(vars(numbers)[name] for name in numbers.__all__)
"""Classes that have no objects of their own."""

_MODULES: Final = frozenset(
    {
        *(math, itertools, operator, heapq, bisect, statistics, collections, dataclasses),
        *(functools, fractions, typing, np),
    }
)

NUMPY: Final = words(
    """
    abs absolute add all amax amin any append arange argmax argmin argsort array array_equal
    asarray clip concatenate count_nonzero cumsum delete diag diff divide dot equal eye
    fill_diagonal flatnonzero flip full greater greater_equal hstack less less_equal matmul max
    maximum mean min minimum multiply negative nonzero not_equal ones ones_like outer prod
    put_along_axis ravel reshape shape size sort square stack subtract sum take transpose vstack
    where zeros zeros_like
    """
)
"""The functions of NumPy that compute and do nothing else."""

UFUNCS: Final = _ids(thing for thing in _of(np, NUMPY) if isinstance(thing, np.ufunc))
"""Those of them that have ``reduce``, ``accumulate`` and ``outer``."""

_NUMBERS_OF_NUMPY: Final = words(
    "bool_ e float32 float64 inf int16 int32 int64 int8 integer intp nan newaxis number "
    "object_ pi floating generic"
)

_SIZED: Final = words("__getitem__ __len__ __contains__ __iter__")
_OF_LISTS: Final = _SIZED | words(
    "append clear copy count extend index insert pop remove reverse sort __setitem__ __delitem__"
)
_OF_DICTS: Final = _SIZED | words(
    "clear copy fromkeys get items keys pop popitem setdefault update values "
    "__setitem__ __delitem__"
)
_OF_SETS: Final = words(
    """
    __len__ __contains__ add clear copy difference difference_update discard intersection
    intersection_update isdisjoint issubset issuperset remove symmetric_difference
    symmetric_difference_update union update
    """
)
_OF_TEXTS: Final = _SIZED | words(
    """
    capitalize count endswith find index isalpha isdigit join lower lstrip partition removeprefix
    removesuffix replace rpartition rstrip split startswith strip title upper zfill
    """
)
_OF_NUMBERS: Final = words("numerator denominator real is_integer limit_denominator")
_OF_ARRAYS: Final = _SIZED | words(
    """
    T all any argmax argmin argsort copy cumsum dot fill flatten item max mean min ndim prod ravel
    reshape shape size sort sum take tolist transpose __setitem__
    """
)

METHODS: Final[dict[int, frozenset[str]]] = {
    id(kind): names
    for kinds, names in (
        ((list,), _OF_LISTS),
        ((tuple,), _SIZED | words("count index")),
        ((range,), _SIZED | words("count index start stop step")),
        ((slice,), words("start stop step")),
        ((dict,), _OF_DICTS),
        ((collections.Counter,), _OF_DICTS | _OF_COUNTERS),
        ((collections.defaultdict,), _OF_DICTS - {"__getitem__"}),
        (_VIEWS, words("__len__ __contains__ __iter__ isdisjoint mapping")),
        ((set, frozenset), _OF_SETS),
        ((str,), _OF_TEXTS),
        (
            (collections.deque,),
            _OF_LISTS | words("appendleft extendleft popleft rotate maxlen"),
        ),
        ((int, float, Fraction, bool), _OF_NUMBERS),
        ((np.ndarray,), _OF_ARRAYS),
        (tuple(map(type, map(iter, ([], (), range(0))))), words("__next__")),
        ((functools.partial,), words("func args keywords")),
    )
    for kind in kinds
}
"""What may be asked of objects of a kind."""

_OF_SCALARS: Final = _OF_ARRAYS | _OF_NUMBERS
"""What may be asked of numbers of NumPy's."""

CHANGING_METHODS: Final = words(
    """
    append appendleft clear extend extendleft insert pop popitem popleft remove reverse rotate sort
    setdefault update subtract add discard difference_update intersection_update
    symmetric_difference_update fill __setitem__ __delitem__ __next__
    """
)
"""Methods that change their object."""

MAKING_METHODS: Final = words(
    """
    copy difference elements intersection items keys most_common split symmetric_difference tolist
    union values __iter__ fromkeys
    """
)
"""Methods that return a new object each time."""


def methods_of(kind: type) -> frozenset[str]:
    """Return what may be asked of objects of a kind."""
    known = METHODS.get(id(kind))
    if known is None and np.generic in type.mro(kind):
        return _OF_SCALARS
    return known or frozenset()


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a text, None, or a tuple, frozen set or slice of such."""
    kind = type(value)
    if kind is Fraction:
        return type(value._numerator) is int and type(value._denominator) is int
    if id(kind) in PLAIN:
        return True
    if id(kind) == id(tuple) or id(kind) == id(frozenset):
        return all(map(is_plain, value))
    if kind is slice:
        return all(map(is_plain, (value.start, value.stop, value.step)))
    return False


def why_refused(thing: object) -> str:
    """Say why code may not use a function, a class or a module; empty where it may."""
    if id(thing) in ALLOWED:
        return ""
    if isinstance(thing, ModuleType):
        return _module(thing)
    if isinstance(thing, type):
        return _class(thing)
    if isinstance(thing, FunctionType):
        if not is_of_a_library(thing):
            return ""
        home = thing.__globals__["__name__"]
        return f"{home}.{thing.__name__}, into which a trace does not see"
    if isinstance(thing, BuiltinFunctionType):
        home = str(getattr(thing, "__module__", None) or "")
        if home == "builtins":
            return f"{thing.__name__}, which does more than compute with values"
        return f"{home}.{thing.__name__}, into which a trace does not see".removeprefix(".")
    return f"a {type(thing).__name__}, into which a trace does not see"


def _class(kind: type) -> str:
    """Say why a class may not be used."""
    if not is_of_a_library(kind) or kind in ERRORS or kind in _ABSTRACT:
        return ""
    if kind.__module__ == "numpy" and kind.__name__ in _NUMBERS_OF_NUMPY:
        return ""
    return f"{kind.__name__}, of which it is not known that it only computes"


def _module(module: ModuleType) -> str:
    name = module.__name__
    if name.startswith("numpy.random") or name in {"random", "secrets"}:
        return f"{name}, which draws at random"
    if name == "builtins":
        return "the module builtins, whose functions tell more than values"
    if module in _MODULES or not is_librarys(name) or name == "enum":
        return ""
    return f"{name}, into which a trace does not see"


def why_member_is_refused(module: ModuleType, name: str, found: object) -> str:
    """Say why code may not use what a module has by a name; empty where it may."""
    told = _module(module)
    if told:
        return told
    if module is np:
        if name in NUMPY or name in _NUMBERS_OF_NUMPY:
            return ""
        if name == "random":
            return "numpy.random, which draws at random"
        return f"numpy.{name}, of which it is not known that it only computes"
    if not is_librarys(module.__name__):
        return ""  # it is judged where it is used
    if name.startswith("_"):
        return f"{name} of {module.__name__}, which is private to it"
    return "" if id(type(found)) in PLAIN else why_refused(found)


def is_known_kind(meta: type) -> bool:
    """Whether a class of classes is one whose rules are known."""
    return any(meta is known for known in _KINDS)


_KINDS: Final = (type, abc.ABCMeta, EnumMeta, type(typing.Protocol))

BASES: Final = (
    *(object, Enum, abc.ABC, typing.Generic, typing.Protocol, BaseException),
    *ERRORS,
)
"""What a class may derive from."""

NOT_GIVEN: Final = _NOT_GIVEN
SYMBOL: Final = id(Term)
