"""Kinds of objects: which are plain data, which are a user's, and which the run itself made."""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Collection
from enum import Enum
from fractions import Fraction
from math import gcd
from numbers import Complex, Integral, Number, Rational, Real
from types import (
    CellType,
    FunctionType,
    MethodType,
    UnionType,
)
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from theory.incentives.proving._allowed_code import (
    CONTAINERS,
    ITERATORS,
    PLAIN,
    SYMBOL,
    UFUNCS,
    VIEWS,
    why_refused,
)
from theory.incentives.proving._classes import (
    descends,
    is_a_class,
    is_named_tuple,
    mro,
    own_attributes,
    why_class_is_refused,
)
from theory.incentives.proving._code_owner import is_of_a_library

if TYPE_CHECKING:
    from theory.incentives.proving._machine import Frame

__all__ = [
    "ABSENT",
    "CHANGEABLE",
    "KNOWN",
    "LONGEST",
    "NUMBERS",
    "ObjectKinds",
    "base_array",
]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""

ABSENT: Final = object()
"""Stands for what is not there."""

_NUMERIC: Final = (Number, Complex, Real, Rational, Integral)
"""What a number asks whether another object passes for one; an answer may be kept for each."""

CHANGEABLE: Final = frozenset(
    map(
        id,
        (
            *(list, dict, set, collections.deque, collections.Counter),
            collections.defaultdict,
        ),
    )
)
"""The kinds of containers of Python's that can be changed."""

LONGEST: Final = 100_000
"""How much may be gone through in one step."""

NUMBERS: Final = frozenset(map(id, (int, float, bool, Fraction)))
"""The kinds of numbers whose rules are Python's own."""


class ObjectKinds:
    """What is known of objects; what has to be called for it, the machine calls."""

    looked: str
    met_arrays: bool

    def __init__(self) -> None:
        self.looked = ""
        self.met_arrays = False
        self.floats: dict[int, np.ndarray] = {}
        """Arrays of symbols in the place of floats."""
        self.walked: dict[int, set[Any]] = {}
        """Sets that the run goes through, and may not change any more."""
        self._made: dict[int, Any] = {}
        self._judged: dict[int, tuple[type, str]] = {}
        self._seen: dict[int, tuple[Any, Any]] = {}
        self._named: dict[tuple[int, Any], tuple[Any, Any]] = {}
        self._found: dict[tuple[int, str], tuple[type, Any]] = {}
        self._functions: dict[int, tuple[Any, ...]] = {}
        self._tables: dict[int, Any] = {}

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

    def refuse_work(self, problem: str) -> Any:
        """End the proof: one step of the code takes too long, whoever runs it."""
        raise NotImplementedError

    def refuse_long(self, thing: Any) -> None:
        """End the proof where a range is gone through that is too long, in one step."""
        if type(thing) is range and thing[:LONGEST] != thing:
            self.refuse_work(f"goes through all of {thing!r} in one step, which takes too long")

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
        self._made, self.floats, self.walked = {}, {}, {}

    def keeps(self, problem: str) -> NoReturn:
        """End the proof: what the code changes was there before."""
        self.refuse(f"{problem}: it keeps something from call to call")
        raise AssertionError

    def change(self, thing: Any) -> None:
        """End the proof where the run did not make what is about to be changed."""
        if type(thing) is np.ndarray:
            self.met_arrays = True
            thing = base_array(thing)
        if not self.is_made(thing):
            self.keeps(f"changes a {type(thing).__name__} that was there before")
        if id(thing) in self.walked:
            self.refuse("changes a set that it goes through, whose order is not promised")

    def see(self, thing: Any) -> None:
        """Note what is in a container that was there before, and must stay as it is."""
        if not self.is_made(thing) and id(thing) not in self._seen:
            self._seen[id(thing)] = thing, _list_contents(thing)

    def see_name(self, table: Any, name: Any, value: Any) -> Any:
        """Note what stands under a name of a table that was there before; return it."""
        if not self.is_made(table):
            self._named.setdefault((id(table), name), (table, value))
        return value

    def asked_by_name(self, things: Collection[Any]) -> list[tuple[dict[Any, Any], Any, Any]]:
        """Return table, name and thing where the code asked for one of these by its name."""
        named = [(table, name, found) for (_, name), (table, found) in self._named.items()]
        return [
            each
            for each in named
            if type(each[0]) is dict and any(each[2] is thing for thing in things)
        ]

    def see_function(self, function: Any) -> None:
        """Note what a function that was there before is made of."""
        if not self.is_made(function):
            self._functions.setdefault(id(function), (function, *_made_of(function)))
            if function.__kwdefaults__:
                self.see(function.__kwdefaults__)

    def changed(self) -> str:
        """Return what has changed since the code was seen to ask for it; empty for nothing."""
        for (_, name), (kind, before) in self._found.items():
            now = next((vars(base)[name] for base in mro(kind) if name in vars(base)), ABSENT)
            if now is not before:
                return f"{name} of {kind.__name__}, which it asks for,"
        for function, *before in self._functions.values():
            if any(a is not b for a, b in zip(before, _made_of(function), strict=True)):
                return f"the function {function.__name__}, which it asks for,"
        for thing, before in self._seen.values():
            if not _is_same(_list_contents(thing), before):
                return f"a {type(thing).__name__} that it asks for"
        for (_, name), (table, before) in self._named.items():
            known = table.get(name, ABSENT) if type(table) is dict else _content_of(table, name)
            if known is not before:
                return f"{name}, which it asks for,"
        return ""

    # --- Kinds

    def is_data(self, thing: Any) -> bool:
        """Whether all of a value is plain: numbers, texts, symbols, and containers of these.

        What is used up when it is gone through must be of this run; what no rule knows is refused.
        """
        kind = type(thing)
        here = id(kind)
        if here in PLAIN or here == SYMBOL:
            if kind is Fraction:
                self.refuse_parts(thing)
            return True
        if here in CONTAINERS:
            return self._are_data(thing)
        if here in ITERATORS:
            if not self.is_made(thing):
                self.keeps(f"goes on with a {kind.__name__} that was there before")
            return False
        if here == id(np.ndarray):
            self.met_arrays = True
            self.see(thing)
            if thing.dtype.kind not in "biufcO":
                self.refuse("uses an array of texts, times or records")
            if thing.dtype.hasobject:
                for entry in thing.ravel().tolist():
                    if type(entry) is Fraction:
                        self.refuse_parts(entry)
                    if id(type(entry)) not in PLAIN and id(type(entry)) != SYMBOL:
                        self.refuse(f"has an array of a {type(entry).__name__}")
            return True
        if descends(kind, np.generic):
            self.met_arrays = True
            fine = descends(kind, np.number) or descends(kind, np.bool_)
            if not fine or not is_of_a_library(kind):
                self.refuse(f"uses a {kind.__name__}, a number with rules of its own")
            return True
        self.judge(thing)
        if kind is MethodType:
            self.refuse_odd_method(thing)
        if not is_a_class(thing) and is_of_a_library(kind):
            self._judge_parts(thing)
        if is_named_tuple(kind):
            return False not in [self.is_data(part) for part in tuple.__iter__(thing)]
        return False

    def _judge_parts(self, thing: Any) -> None:
        """Judge what an object of a library's holds, which its methods may ask."""
        kind = type(thing)
        if kind is operator.itemgetter:
            parts: list[Any] = list(thing.__reduce__()[1])
        elif kind.__module__.startswith("theory.incentives"):
            entries = own_attributes(thing)
            if entries is None:
                self.refuse(f"uses a {kind.__name__} whose names have rules of their own")
            slots = [n for base in mro(kind) for n in vars(base).get("__slots__", ())]
            parts = [*(entries or {}).values()]
            parts += [getattr(thing, name) for name in slots if hasattr(thing, name)]
        else:
            return
        if False in [self.is_data(part) or type(part) is FunctionType for part in parts]:
            self.refuse(f"uses a {kind.__name__} that holds what no trace sees into")

    def refuse_odd_method(self, method: MethodType) -> None:
        """End the proof where a method is of what is no function: two are compared by these."""
        if type(method.__func__) is not FunctionType:
            self.refuse(f"uses a method of a {type(method.__func__).__name__}")

    def refuse_parts(self, number: Any) -> None:
        """End the proof where a fraction is not one of integers of Python's, in lowest terms."""
        above, below = number._numerator, number._denominator
        if type(above) is not int or type(below) is not int:
            self.refuse("uses a fraction that is made of numbers with rules of their own")
        if below < 1 or gcd(above, below) != 1:
            self.refuse("uses a fraction that is not in lowest terms, which no number equals")

    def refuse_names(self, thing: Any, table: Any) -> None:
        """End the proof where a table of names has others than texts, which are compared."""
        if id(table) in self._tables:
            return
        if type(table) is not dict or not all(type(name) is str for name in table):
            self.refuse(f"uses a {type(thing).__name__} whose names have rules of their own")
        if not self.is_made(thing):
            self._tables[id(table)] = table

    def refuse_entries(self, thing: Any) -> None:
        """End the proof where a container of Python's has attributes, which its methods ask for."""
        if type(thing).__dictoffset__ and vars(thing):
            self.refuse(f"uses a {type(thing).__name__} with attributes of its own")

    def look_into(self, thing: object) -> None:
        """Note what is in a container; refuse a view of a table that nobody saw to be made."""
        if id(type(thing)) in CHANGEABLE:
            self.see(thing)
        if id(type(thing)) in VIEWS and not self.is_made(thing):
            self.refuse("uses a view of a table that was made before")

    def _are_data(self, thing: Any) -> bool:
        kind = type(thing)
        self.look_into(thing)
        if kind is range:
            return True
        if kind is slice:
            return False not in [
                self.is_data(part) for part in (thing.start, thing.stop, thing.step)
            ]
        if descends(kind, dict):
            self.refuse_entries(thing)
            if kind is collections.defaultdict and not self._is_data_factory(thing):
                return False
            parts = [*dict.keys(thing), *dict.values(thing)]
        else:
            parts = list(thing)
        return False not in [self.is_data(part) for part in parts]

    def _is_data_factory(self, table: Any) -> bool:
        """Whether a table with defaults makes plain ones; one that was there before has none."""
        factory = table.default_factory
        if factory is None:
            return True
        plain = any(factory is kind for kind in (list, dict, set, int, float, tuple))
        if not plain and type(factory) is not FunctionType:
            self.refuse("uses a table whose defaults no trace sees")
        if not self.is_made(table):
            self.refuse("uses a table with defaults that was there before")
        return plain

    def judge(self, thing: Any) -> None:
        """Refuse an object whose rules are not known."""
        kind = type(thing)
        if is_a_class(thing):
            told = why_refused(thing) if is_of_a_library(thing) else ""
            if told:
                self.refuse(f"asks for {told}")
            if not is_of_a_library(thing):
                self.judge_class(thing)
        elif kind is UnionType:
            for each in thing.__args__:
                if not is_a_class(each) or type(type(each)) is not type:
                    self.refuse("uses a union of what are no classes")
                if not is_of_a_library(each):
                    self.judge_class(each)
        elif not is_of_a_library(kind):
            self.judge_class(kind)
        elif not (
            id(kind) in KNOWN
            or (kind is np.ufunc and id(thing) in UFUNCS)
            or kind.__module__.startswith("theory.incentives")
            or descends(kind, BaseException)
        ):
            self.refuse(f"uses a {kind.__name__}, into which a trace does not see")

    def judge_class(self, kind: type) -> None:
        """Refuse a class with rules of its own for being looked at, or for being a number."""
        known = self._judged.get(id(kind))
        if known is None:
            told = why_class_is_refused(kind)
            if not told and not descends(kind, Enum):
                declared = any(self.under_watch(issubclass, (kind, each), {}) for each in _NUMERIC)
                told = f"uses the class {kind.__name__}, which passes for a number" * declared
            known = self._judged[id(kind)] = (kind, told)
        if known[1]:
            self.refuse(known[1])

    def in_class(self, kind: type, name: str) -> Any:
        """Return what a class has by a name, of its own or of those before it; else ABSENT."""
        found = next((vars(base)[name] for base in mro(kind) if name in vars(base)), ABSENT)
        self._found.setdefault((id(kind), name), (kind, found))
        return found

    def own_in_class(self, kind: type, name: str) -> Any:
        """Return what the user's part of a class has by a name; None where it has none."""
        if is_of_a_library(kind):
            return None
        self.judge_class(kind)
        self.in_class(kind, name)
        for base in mro(kind):
            if name in vars(base):
                if not is_of_a_library(base):
                    return vars(base)[name]
                plain = base is object or base is tuple or descends(base, BaseException)
                if plain or descends(base, Enum) or name == "__init__":
                    return None
                return self.refuse(f"asks for {name} of {base.__name__}")
        return None

    def special(self, frame: Frame | None, thing: Any, name: str, *given: Any) -> Any:
        """Return what a special method of an object's class returns; ``ABSENT`` if it has none."""
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
        return self.refuse(f"calls a {kind.__name__} as a method, into which a trace does not see")


def _made_of(function: Any) -> tuple[Any, ...]:
    return function.__code__, function.__defaults__, function.__kwdefaults__


def _list_contents(thing: Any) -> list[Any]:
    """Return what is in a container, in its order."""
    if isinstance(thing, dict):
        return [part for entry in dict.items(thing) for part in entry]
    if isinstance(thing, np.ndarray):
        whole = thing.ravel().tolist() if thing.dtype.hasobject else thing.tobytes()
        return [thing.shape, *(whole if isinstance(whole, list) else [whole])]
    return list(thing)


def _is_same(one: Any, other: Any) -> bool:
    """Whether two lists or tuples hold the same objects, or constants of one kind and value."""
    return len(one) == len(other) and all(map(_are_one, one, other))


def _are_one(one: Any, other: Any) -> bool:
    if one is other or type(one) is not type(other):
        return one is other
    if type(one) is tuple:
        return _is_same(one, other)
    return repr(one) == repr(other) if type(one) in {bytes, int, float} else False


def _content_of(holder: Any, name: Any) -> Any:
    """Return what a cell or a slot holds."""
    if type(holder) is CellType:
        try:
            return holder.cell_contents
        except ValueError:
            return ABSENT
    slot = next((vars(b)[name] for b in type(holder).__mro__ if name in vars(b)), None)
    try:
        return slot.__get__(holder) if slot is not None else ABSENT
    except AttributeError:
        return ABSENT


def base_array(thing: object) -> Any:
    """Return the array that holds the entries of a view, and anything else as it is."""
    found: Any = thing
    while type(found) is np.ndarray and found.base is not None:
        found = found.base
    return found


KNOWN: Final = frozenset(
    map(
        id,
        (
            *(FunctionType, MethodType, type(len), type([].__len__), functools.partial, object),
            *(
                type(list.append),
                type(int.__add__),
                operator.itemgetter,
            ),
        ),
    )
)
"""The kinds of objects of Python's that code may hand on."""
