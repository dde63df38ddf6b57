"""What code may use where it is proved. All else ends the proof by name.

The lists are of what computes with values and does nothing else. They say what may be used, and not
what may not: whoever finds a new way to tell a symbol from a number finds it refused.
"""

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
from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CellType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    GenericAlias,
    MappingProxyType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    SimpleNamespace,
    TracebackType,
)
from typing import Any, Final

import numpy as np

from theory.incentives._mechanism import Traced, Vectorised
from theory.incentives._outcome import Lottery, Outcome
from theory.incentives._types import Box, FiniteTypes, Product, Reals, Simplex
from theory.incentives.proving._whose import is_librarys, is_of_a_library, unchecked, words
from theory.proofs import Term, Tracer

__all__ = [
    "CHANGED",
    "ERRORS",
    "LOOKING",
    "NUMPY",
    "PLAIN",
    "SEEN_ERRORS",
    "is_one",
    "refused",
    "refused_attribute",
    "refused_member",
    "refused_routine",
]

PLAIN: Final = frozenset({int, float, complex, bool, str, bytes, type(None), type(...), Fraction})
"""The kinds of constants: nothing can be hidden in one, and what it does is known."""


_BUILTINS: Final = words(
    """
    abs all any bool callable dict divmod enumerate filter float frozenset int isinstance iter len
    list map max min next object property range reversed round set slice sorted staticmethod
    classmethod sum super tuple zip
    """
)
_OPERATORS: Final = words(
    """
    abs add and_ concat contains countOf eq floordiv ge getitem gt indexOf itemgetter le lt mul ne
    neg not_ or_ pos pow setitem sub truediv truth xor iadd isub imul itruediv matmul
    """
)
_MATHEMATICS: Final = frozenset(name for name in vars(math) if not name.startswith("_"))
_ITERATION: Final = frozenset(
    name for name in vars(itertools) if not name.startswith("_") and name != "tee"
)


def _of(module: ModuleType, names: frozenset[str]) -> Iterator[Any]:
    return (getattr(module, name) for name in sorted(names) if hasattr(module, name))


_NOT_GIVEN: Final = vars(dataclasses)["_HAS_DEFAULT_FACTORY"]
"""What dataclasses take for an argument that was not given."""

_LIBRARY: Final[tuple[Any, ...]] = (
    *_of(builtins, _BUILTINS),
    *_of(operator, _OPERATORS),
    *_of(math, _MATHEMATICS),
    *_of(itertools, _ITERATION),
    *_of(heapq, words("heapify heappop heappush heappushpop heapreplace nlargest nsmallest")),
    *_of(bisect, words("bisect bisect_left bisect_right insort insort_left insort_right")),
    *_of(statistics, words("median median_low median_high")),
    *_of(collections, words("Counter OrderedDict defaultdict deque")),
    *_of(functools, words("cmp_to_key partial reduce")),
    dataclasses.replace,
    fractions.Fraction,
    typing.Any,
    typing.cast,
    _NOT_GIVEN,
    Outcome,
    Lottery,
    Box,
    FiniteTypes,
    Product,
    Reals,
    Simplex,
)
"""Functions and classes of Python, and of ours, that compute with values and do nothing else."""

_ALLOWED: Final = {id(thing): thing for thing in _LIBRARY}

CHANGED: Final = (*(thing for thing in _LIBRARY if getattr(thing, "__dict__", None) is not None),)
"""What code may use of Python's and ours that has entries of its own, which it could change."""

LOOKING: Final[tuple[Any, ...]] = (isinstance,)
"""What tells the kind of a number that is no symbol: numbers out of arrays have several."""

_ABSTRACT: Final = frozenset(
    vars(collections.abc)[name] for name in collections.abc.__all__
) | frozenset(vars(numbers)[name] for name in numbers.__all__)
"""Classes that have no objects of their own."""

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

SEEN_ERRORS: Final = frozenset({StopIteration, GeneratorExit, KeyError, ZeroDivisionError})
"""What compiled code raises about values alone; without arrays also those of index and value."""

_MODULES: Final = frozenset(
    {
        math,
        itertools,
        operator,
        heapq,
        bisect,
        statistics,
        collections,
        dataclasses,
        functools,
        fractions,
        typing,
        np,
    }
)

NUMPY: Final = words(
    """
    abs absolute add all amax amin any append arange argmax argmin argsort array array_equal
    asarray atleast_1d atleast_2d broadcast_to ceil clip column_stack concatenate count_nonzero
    cumprod cumsum delete diag diff divide dot equal exp expand_dims eye fill_diagonal
    flatnonzero flip floor full full_like greater greater_equal hstack identity inner insert
    less less_equal lexsort log logical_and logical_not logical_or logical_xor logaddexp matmul
    max maximum mean median meshgrid min minimum multiply negative nonzero not_equal ones
    ones_like outer power prod put_along_axis ravel repeat reshape roll searchsorted shape sign
    size sort sqrt square squeeze stack subtract sum take take_along_axis tensordot tile trace
    transpose tril triu true_divide unique vdot vstack where zeros zeros_like
    """
)
"""The functions of NumPy that compute and do nothing else; they are followed by these names."""

_NUMBERS_OF_NUMPY: Final = words(
    """
    bool_ e float32 float64 inf int16 int32 int64 int8 integer intp nan newaxis number
    object_ pi floating generic
    """
)

_METHODS: Final = words(
    """
    add append appendleft clear copy count discard elements extend fromkeys get index insert items
    keys most_common move_to_end pop popitem popleft remove reverse rotate setdefault sort subtract
    total union update values intersection difference symmetric_difference isdisjoint issubset
    issuperset intersection_update difference_update
    join split strip lower upper startswith endswith replace partition removeprefix removesuffix
    all any argmax argmin argsort choose compress cumprod cumsum diagonal dot flatten item max
    mean min ndim nonzero outer prod ravel reduce accumulate repeat reshape searchsorted shape size
    squeeze sum swapaxes T take tolist trace transpose
    limit_denominator numerator denominator real start stop step fget name value func args keywords
    support inexact allocation payments is_integer default_factory maxlen cache_clear
    """
)
"""Attributes of Python's objects, and of arrays, that may be asked for."""

_SPECIAL: Final = words(
    """
    __init__ __post_init__ __new__ __call__ __len__ __getitem__ __setitem__ __contains__ __iter__
    __next__ __missing__ __setattr__
    """
)
"""Attributes between double underscores that code may ask for: it is no question of a kind."""

_HOLDERS: Final[tuple[Any, ...]] = (
    *PLAIN,
    list,
    tuple,
    dict,
    set,
    frozenset,
    range,
    slice,
    collections.deque,
    collections.OrderedDict,
    collections.Counter,
    collections.defaultdict,
    MappingProxyType,
    SimpleNamespace,
    functools.partial,
    functools.cached_property,
    type(functools.lru_cache(lambda: None)),
    type(vars(collections.namedtuple("Pair", "left right"))["left"]),
    operator.itemgetter,
    property,
    staticmethod,
    classmethod,
    MethodType,
    np.ndarray,
    Term,
    object,
    Vectorised,
    Traced,
)
"""The kinds of objects that code may keep: all that is in one can be seen."""

_HOLDERS_BY_ID: Final = frozenset(map(id, _HOLDERS))
_SEEN_THROUGH: Final[tuple[type, ...]] = (
    *(kind for kind in _HOLDERS if kind not in {Vectorised, Traced, Term}),
    np.generic,
    np.ufunc,
    np.flatiter,
    type,
    abc.ABCMeta,
    FunctionType,
    BuiltinFunctionType,
    MethodWrapperType,
    GeneratorType,
    BaseException,
    StopIteration,
    memoryview,
    bytearray,
    FrameType,
    CodeType,
    TracebackType,
    ModuleType,
    CoroutineType,
    AsyncGeneratorType,
    CellType,
    GenericAlias,
)
_TELLING: Final = (
    frozenset(name for kind in _SEEN_THROUGH for name in type.__dir__(kind))
    | words("tb_frame tb_next f_back f_locals f_globals cr_frame ag_frame random element tracer")
) - _METHODS


def refused_attribute(name: str, *, stored: bool = False) -> str:
    """Say why an attribute may not be asked for by its name alone; empty where it may."""
    if name.startswith("__") and name.endswith("__"):
        return (
            "" if name in _SPECIAL and not stored else f"{name}, which no number is known to have"
        )
    if name in _TELLING and not stored:
        return f"{name}, which no number is known to have"
    return ""


def is_one(thing: object) -> bool:
    """Whether a thing stands for itself, so that code may ask whether something `is` it."""
    return isinstance(thing, Enum | type) or type(thing) is object or thing is _NOT_GIVEN


def refused(thing: object) -> str:
    """Say why code may not use or keep an object where it is proved; empty where it may."""
    if id(thing) in _ALLOWED:
        return ""
    if isinstance(thing, ModuleType):
        return _module(thing)
    if isinstance(thing, type):
        return _class(thing)
    if isinstance(thing, FunctionType):
        thing = unchecked(thing)
        if type(thing.__globals__) is not dict:
            return "a function whose globals have rules of their own"
        own = getattr(thing, "__builtins__", None)
        if own is not vars(builtins) and own != {}:  # those of a namedtuple's are empty
            return "a function that has builtins of its own"
        if not is_of_a_library(thing):
            return ""  # it is judged where it runs
        home = thing.__globals__["__name__"]
        return f"{home}.{thing.__name__}, into which a trace does not see"
    if isinstance(thing, MethodWrapperType):
        return f"the method {thing.__name__} of an object, into which a trace does not see"
    if isinstance(thing, BuiltinFunctionType):
        return _routine(thing)
    if isinstance(thing, np.ufunc):
        return f"numpy.{thing.__name__}, which is followed only as an attribute of numpy"
    kind = type(thing)
    if id(kind) in _HOLDERS_BY_ID or isinstance(thing, Term | np.generic | Enum):
        return ""
    if kind is Tracer or isinstance(thing, BaseException) or not _is_followed(kind):
        return f"a {kind.__name__}, into which a trace does not see"
    return ""


def _is_followed(kind: type) -> bool:
    """Whether the objects of a class are seen through: it is the user's, or of our incentives."""
    return not is_of_a_library(kind) or kind.__module__.startswith("theory.")


def _class(kind: type) -> str:
    """Say why a class may not be used by its name."""
    if not is_of_a_library(kind) or kind in ERRORS:
        return ""
    if kind.__module__ == "numpy" and kind.__name__ in _NUMBERS_OF_NUMPY:
        return ""
    if kind in _ABSTRACT:
        return ""  # what `isinstance` asks of a symbol, the symbol notices
    return f"{kind.__name__}, of which it is not known that it only computes"


def _module(module: ModuleType) -> str:
    """Say why a module may not be used; those that are not Python's are followed."""
    name = module.__name__
    if name.startswith("numpy.random") or name in {"random", "secrets"}:
        return f"{name}, which draws at random"
    if module is builtins:
        return "the module builtins, whose functions tell more than values"
    if module in _MODULES or not is_librarys(name) or name == "enum":
        return ""
    return f"{name}, into which a trace does not see"


def _routine(function: Any) -> str:
    """Say why a function of compiled code may not be used: a method of a container may."""
    owner = getattr(function, "__self__", None)
    name = str(getattr(function, "__name__", function))
    if owner is None or isinstance(owner, ModuleType):
        home = str(getattr(function, "__module__", None) or getattr(owner, "__name__", ""))
        if home == "builtins":
            return f"{name}, which does more than compute with values"
        if home.partition(".")[0] == "numpy" and name in NUMPY:
            return f"numpy.{name}, which is followed only as an attribute of numpy"
        return f"{home}.{name}, into which a trace does not see".removeprefix(".")
    if isinstance(owner, int | float | Fraction | complex):
        return "a method of numbers, which tells kinds"
    kind = owner if isinstance(owner, type) else type(owner)
    known = id(kind) in _HOLDERS_BY_ID or isinstance(owner, np.generic | np.ufunc)
    if known and (name in _METHODS or name in _SPECIAL):
        return ""
    return f"the method {name} of a {kind.__name__}, which tells more than a value"


_POPPED: Final = "the method pop of a set, which depends on what was taken before"


def refused_routine(function: Any) -> str:
    """Say why a function of compiled code may not be called, as it is about to be."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, set) and function.__name__ == "pop":
        return _POPPED
    if id(function) in _ALLOWED or isinstance(owner, int | float | complex | Fraction):
        return ""
    name = getattr(function, "__name__", "")
    home = str(getattr(function, "__module__", "") or "")
    if home.partition(".")[0] == "numpy":
        return ""  # by name, where it is loaded
    if isinstance(owner, Iterator | GeneratorType) and name in {"send", "__next__"}:
        return ""
    return "" if name in _INSIDE else _routine(function)


_INSIDE: Final = words("__build_class__ __import__ __new__ __init__ __setattr__")


def refused_member(home: object, name: str) -> str:
    """Say why code may not use what a module or a class has by a name; empty where it may."""
    if isinstance(home, ModuleType):
        return _member_of_module(home, name)
    if any(home is kind for kind in (int, float, complex, bool, Fraction, object)):
        return f"{getattr(home, '__name__', home)}.{name}, a method of numbers, which tells kinds"
    if home is set and name == "pop":
        return _POPPED
    if isinstance(home, type):
        found = vars(home).get(name)
        told = isinstance(found, FunctionType | staticmethod | classmethod | property)
        return "" if found is None or told or name in _METHODS | _SPECIAL else refused(found)
    return ""


def _member_of_module(home: ModuleType, name: str) -> str:
    if home is np:
        if name in NUMPY or name in _NUMBERS_OF_NUMPY:
            return ""
        if name == "random":
            return "numpy.random, which draws at random"
        return f"numpy.{name}, of which it is not known that it only computes"
    found = vars(home).get(name)
    told = "" if found is None else refused(found)
    if told or not is_librarys(home.__name__) or id(found) in _ALLOWED or type(found) in PLAIN:
        return told
    known = isinstance(found, type | ModuleType)
    return "" if known else f"{home.__name__}.{name}, which others can change"
