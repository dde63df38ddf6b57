"""Kinds of objects: which are plain data, which are a user's, and which the run itself made."""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from types import (
    CellType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    SimpleNamespace,
    UnionType,
)
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from theory.incentives.proving._allowed import (
    BASES,
    CONTAINERS,
    ERRORS,
    ITERATORS,
    PLAIN,
    SYMBOL,
    is_known_kind,
    refused,
)
from theory.incentives.proving._whose import is_of_a_library, words

if TYPE_CHECKING:
    from theory.incentives.proving._machine import Frame

__all__ = [
    "ABSENT",
    "KNOWN",
    "Kinds",
    "descends",
    "entries_of",
    "is_a_class",
    "is_named_tuple",
    "mro",
    "root",
]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""

ABSENT: Final = object()
"""Stands for what is not there."""

NUMBERS: Final = frozenset(map(id, (int, float, bool, complex, Fraction)))
"""The kinds of numbers whose rules are Python's own."""

_CHECKED: Final = words(
    """
    __class__ __del__ __getattribute__ __length_hint__ __instancecheck__ __subclasscheck__
    __sizeof__ __set_name__ __index__ __int__ __float__ __complex__ __trunc__ __floor__ __ceil__
    __subclasshook__ __array__ __array_ufunc__ __array_function__ __array_interface__
    __array_struct__ __array_priority__ __array_wrap__ __array_finalize__ __deepcopy__ __copy__
    __prepare__ __mro_entries__ __reduce__ __reduce_ex__
    """
)
"""What a class must not define: Python asks for it where it was not asked, or for a kind."""


class Kinds:
    """What is known of objects; what has to be called for it, the machine calls."""

    looked: str
    met_arrays: bool

    def __init__(self) -> None:
        self.looked = ""
        self.met_arrays = False
        self._made: dict[int, Any] = {}
        self._judged: dict[int, tuple[type, str]] = {}

    # --- What the machine does

    def call(self, frame: Frame | None, thing: Any, given: Any, named: Any) -> Any:
        """Return what a call returns."""
        raise NotImplementedError

    def under_watch(self, function: Any, given: Any, named: Any) -> Any:
        """Return what a function does, and refuse code of the user's that runs within it."""
        raise NotImplementedError

    def refuse(self, problem: str) -> Any:
        """End the proof."""
        raise NotImplementedError

    def look(self, what: str) -> None:
        """Note that code asked for what tells kinds of numbers that are no symbols."""
        raise NotImplementedError

    # --- What the run itself made

    def make(self, thing: Any) -> Any:
        """Note that the run made an object, which it may change."""
        self._made[id(thing)] = thing
        return thing

    def is_made(self, thing: object) -> bool:
        """Whether the run made an object."""
        return id(thing) in self._made

    def forget(self) -> None:
        """Forget what a run made, when it has ended."""
        self._made = {}

    def keeps(self, problem: str) -> NoReturn:
        """End the proof: what the code changes was there before."""
        self.refuse(f"{problem}: it keeps something from call to call")
        raise AssertionError

    def change(self, thing: Any) -> None:
        """End the proof where the run did not make what is about to be changed."""
        if type(thing) is np.ndarray:
            self.met_arrays = True
            thing = root(thing)
        if not self.is_made(thing):
            self.keeps(f"changes a {type(thing).__name__} that was there before")

    # --- Kinds

    def is_data(self, thing: Any) -> bool:
        """Whether all of a value is plain: numbers, texts, symbols, and containers of these.

        What is used up when it is gone through must be of this run; what no rule knows is refused.
        """
        kind = type(thing)
        here = id(kind)
        if here in PLAIN or here == SYMBOL:
            return True
        if here in CONTAINERS:
            return self._are_data(thing)
        if here in ITERATORS:
            if not self.is_made(thing):
                self.keeps(f"goes on with a {kind.__name__} that was there before")
            return False
        if here == id(np.ndarray):
            self.met_arrays = True
            if thing.dtype.kind not in "biufcO":
                self.refuse("uses an array of texts, times or records")
            return False not in [self.is_data(entry) for entry in thing.ravel().tolist()]
        if descends(kind, np.generic):
            self.met_arrays = True
            if not is_of_a_library(kind):
                self.refuse(f"uses a {kind.__name__}, a number with rules of its own")
            return True
        self.judge(thing)
        if is_named_tuple(kind):
            return False not in [self.is_data(part) for part in tuple.__iter__(thing)]
        return False

    def _are_data(self, thing: Any) -> bool:
        kind = type(thing)
        if kind is range:
            return True
        if kind is slice:
            return False not in [
                self.is_data(part) for part in (thing.start, thing.stop, thing.step)
            ]
        if hasattr(thing, "keys") and hasattr(thing, "values"):
            if kind is collections.defaultdict and thing.default_factory is not None:
                self.judge(thing.default_factory)
            parts = [*thing.keys(), *thing.values()]
        else:
            parts = list(thing)
        return False not in [self.is_data(part) for part in parts]

    def judge(self, thing: Any) -> None:
        """Refuse an object whose rules are not known."""
        kind = type(thing)
        if is_a_class(thing):
            told = refused(thing) if is_of_a_library(thing) else ""
            if told:
                self.refuse(f"asks for {told}")
            if not is_of_a_library(thing):
                self.judge_class(thing)
        elif not is_of_a_library(kind):
            self.judge_class(kind)
        elif not (
            id(kind) in KNOWN
            or kind.__module__.startswith("theory.incentives")
            or descends(kind, BaseException)
        ):
            self.refuse(f"uses a {kind.__name__}, into which a trace does not see")

    def judge_class(self, kind: type) -> None:
        """Refuse a class with rules of its own for being looked at, or for being a number."""
        known = self._judged.get(id(kind))
        if known is None:
            known = self._judged[id(kind)] = (kind, _problem(kind))
        if known[1]:
            self.refuse(known[1])

    def in_class(self, kind: type, name: str) -> Any:
        """Return what a class has by a name, of its own or of those before it; else ABSENT."""
        return next((vars(base)[name] for base in mro(kind) if name in vars(base)), ABSENT)

    def own_in_class(self, kind: type, name: str) -> Any:
        """Return what the user's part of a class has by a name; None where it has none."""
        if is_of_a_library(kind):
            return None
        self.judge_class(kind)
        for base in mro(kind):
            if name in vars(base):
                return None if is_of_a_library(base) else vars(base)[name]
        return None

    def special(self, frame: Frame | None, thing: Any, name: str, *given: Any) -> Any:
        """Return what a special method of an object's class returns; absent where there is none."""
        found = self.own_in_class(type(thing), name)
        if found is None:
            return ABSENT
        return self.call(frame, self.bind(found, thing), given, {})

    def bind(self, found: Any, thing: Any) -> Any:
        """Return what a class has, as an attribute of an object of it."""
        kind = type(found)
        if kind is FunctionType:
            return MethodType(found, thing)
        if kind is staticmethod:
            return found.__func__
        if kind is classmethod:
            return MethodType(found.__func__, thing if is_a_class(thing) else type(thing))
        return found


mro: Final[Callable[[type], tuple[type, ...]]] = vars(type)["__mro__"].__get__
"""The classes that a class looks a name up in; asks nobody."""


def descends(kind: type, base: type) -> bool:
    """Whether a class is another, or derives from it."""
    return any(each is base for each in mro(kind))


def is_a_class(thing: object) -> bool:
    """Whether something is a class."""
    return descends(type(thing), type)


def is_named_tuple(kind: type) -> bool:
    """Whether a class is one of named tuples."""
    if kind is tuple or not descends(kind, tuple):
        return False
    return any("_fields" in vars(base) for base in mro(kind))


def entries_of(thing: Any) -> dict[str, Any]:
    """Return the attributes that an object itself has."""
    if not type(thing).__dictoffset__:
        return {}
    found = object.__getattribute__(thing, "__dict__")
    return found if type(found) is dict else {}


def root(array: np.ndarray) -> Any:
    """Return the array that holds the entries of a view."""
    found: Any = array
    while type(found) is np.ndarray and found.base is not None:
        found = found.base
    return found


def _problem(kind: type) -> str:
    """Say why no proof may rest on objects of a class; empty where one may."""
    meta = type(kind)
    if not is_known_kind(meta):
        return f"uses the class {kind.__name__}, whose class is a {meta.__name__}"
    is_enum = descends(kind, Enum)
    for base in mro(kind):
        if is_of_a_library(base):
            known = any(base is fine for fine in BASES) or base in ERRORS or base is BaseException
            home = base.__module__
            if not known and not is_enum and not home.startswith(("theory.", "collections.abc")):
                return f"uses the class {kind.__name__}, which derives from {base.__name__}"
            if base in {int, str} and not is_enum:
                return f"uses the class {kind.__name__}, which derives from {base.__name__}"
            continue
        for name, part in vars(base).items():
            if type(name) is not str:
                return f"uses the class {kind.__name__}, which has a hidden entry"
            written = is_enum and name in {"__reduce__", "__reduce_ex__"}
            if name in _CHECKED and not written and not _is_librarys(part):
                return f"uses the class {kind.__name__}, which has {name}"
    return ""


def _is_librarys(part: object) -> bool:
    fixed = GetSetDescriptorType | MemberDescriptorType | CellType
    return isinstance(part, fixed) or (isinstance(part, FunctionType) and is_of_a_library(part))


KNOWN: Final = frozenset(
    map(
        id,
        (
            *(FunctionType, MethodType, type(len), type([].__len__), functools.partial, object),
            *(type(list.append), type(int.__add__), operator.itemgetter, np.ufunc, UnionType),
            *(type(functools.cmp_to_key(lambda a, b: 0)),),
            *(type(functools.cmp_to_key(lambda a, b: 0)(0)), SimpleNamespace, MappingProxyType),
        ),
    )
)
"""The kinds of objects of Python's that code may hand on."""
