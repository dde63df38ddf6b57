"""Functions that Python runs, its own and ours, and what is judged before it runs them."""

from __future__ import annotations

import abc
import collections
import functools
import itertools
import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    UnionType,
)
from typing import TYPE_CHECKING, Any, Final, no_type_check

import numpy as np

from theory.incentives.proving._allowed_code import (
    ALLOWED,
    CALLED,
    CHANGING,
    CHANGING_METHODS,
    CONTAINERS,
    GOING_THROUGH,
    ITERATORS,
    LOOKING,
    MAKING,
    MAKING_METHODS,
    OF_TABLES,
    PLAIN,
    SETS,
    SORTING,
    SYMBOL,
    TAKING_ALL,
    UFUNCS,
    UNORDERED,
    methods_of,
    why_refused,
)
from theory.incentives.proving._classes import (
    descends,
    is_a_class,
    is_named_tuple,
)
from theory.incentives.proving._code_owner import (
    is_of_a_library,
    words,
)
from theory.incentives.proving._object_kinds import ABSENT, CHANGEABLE, NUMBERS
from theory.incentives.proving._operations import MOST_DIGITS
from theory.incentives.proving._run_by_python import ByPython, PausedTracing

if TYPE_CHECKING:
    from theory.incentives.proving._machine import Frame

__all__ = ["Natives", "is_theorys"]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""


class Natives(ByPython):
    """What of Python's is called, and with what."""

    current: Frame | None
    """The call that goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.given_back: dict[int, tuple[Any, Any]] = {}
        """What stands for functions of the user's where Python calls them."""
        self.entered = False
        """Whether the run is within the function that it is about."""

    def routine(
        self, frame: Frame | None, function: Any, given: Any, named: Any, *, trusted: bool
    ) -> Any:
        """Call a function of compiled code, or a method of an object of Python's."""
        if function is len and len(given) == 1 and not named and frame is not None:
            found = self.special(frame, given[0], "__len__")
            return self.native(frame, len, given, named) if found is ABSENT else found
        if id(function) in ALLOWED:
            return self.native(frame, function, given, named)
        owner = function.__self__
        name = function.__name__
        held = owner is None or type(owner) is ModuleType or is_a_class(owner)
        if frame is not None and trusted and (held or self.is_data(owner)):
            return self.native(frame, function, given, named, trusted=True)
        if owner is None or type(owner) is ModuleType:
            return self.refuse(f"asks for {why_refused(function)}")
        if is_a_class(owner):
            maker = (owner is itertools.chain and name == "from_iterable") or (
                id(owner) in ALLOWED and name == "fromkeys"
            )
            if maker:
                if owner is itertools.chain:
                    given = tuple(self.make(self._each(frame, part)) for part in given)
                return self.make(self.native(frame, function, given, named))
            if name == "__init__":
                return None
            return self.refuse(f"calls the method {name} of the class {owner.__name__}")
        return self._method(frame, owner, function, given, named)

    def unbound(self, frame: Frame | None, function: Any, given: Any, named: Any) -> Any:
        """Call a method of a class of Python's with its object."""
        if not given:
            raise TypeError(f"{function.__name__} needs an argument")
        name, owner = function.__name__, given[0]
        if function.__objclass__ is object and not is_of_a_library(type(owner)):
            if name == "__setattr__" and len(given) == 3 and frame is not None:
                return self.write(frame, *given)
            if name == "__init__":
                return None
        if not descends(type(owner), function.__objclass__):
            raise TypeError(f"{name} is not a method of a {type(owner).__name__}")
        return self._method(frame, owner, function, given, named)

    def _method(
        self, frame: Frame | None, owner: Any, function: Any, given: Any, named: Any
    ) -> Any:
        """Call a method of an object of Python's; one of a class is given the object, too."""
        kind, name = type(owner), function.__name__
        if id(owner) in UFUNCS and name in {"reduce", "accumulate", "outer"}:
            return self.numpy(frame, name, function, given, named)
        known = name in methods_of(kind) or (is_named_tuple(kind) and name in {"count", "index"})
        if name == "__init__" and (kind is super or not is_of_a_library(kind)):
            base = function.__objclass__  # of object and of errors, it writes nothing that is read
            if base is not object and not descends(base, BaseException):
                self.refuse(f"calls the method __init__ of a {base.__name__}, which writes")
            return None
        if kind is super:
            return self.refuse(f"calls {name} of a class before")
        if id(kind) == id(set) and name == "pop":
            self.refuse("asks for the method pop of a set, which depends on what was taken before")
        if not known:
            return self.refuse(f"calls the method {name} of a {kind.__name__}, which tells more")
        if name in CHANGING_METHODS and id(kind) not in ITERATORS | {id(frozenset), id(tuple)}:
            self.change(owner)
        with self.unwritten((*given, *named.values())):
            found = self.native(frame, function, given, named, of=owner)
        if kind is np.ndarray:
            if name == "argsort":
                self.refuse_ties(named)
            self.come_of(found, (owner, *given))
            if name in CHANGING_METHODS:
                self.settle(owner)
        inside = kind is np.ndarray and owner.ndim == 0  # then it is what the array holds
        return self.make(found) if name in MAKING_METHODS and not inside else found

    def native(
        self,
        frame: Frame | None,
        function: Any,
        given: Any,
        named: Any,
        of: Any = None,
        *,
        trusted: bool = False,
    ) -> Any:
        """Return what a function of Python's or ours does with what is given."""
        self.entered = True
        if id(function) in CHANGING:
            if not given:
                self.refuse("gives by its name what a function changes")
            if id(type(given[0])) not in ITERATORS:
                self.change(given[0])
        if not trusted:
            self._judge(function, given, named, of)
        given, named = self._wrap_functions(function, given, named, of)
        if id(function) in _AT_ONCE or of is not None:
            for part in (*given, of):
                self.refuse_long(part)
        calls = any(map(self._is_given_back, (*given, *named.values())))
        if id(function) in GOING_THROUGH:
            sized = function is list or function is tuple or function is sorted
            given = tuple(self._gone_through(frame, part, sized=sized) for part in given)
        name = getattr(function, "__name__", "")
        if function is itertools.starmap and len(given) == 2:
            given = (given[0], self.make(self._each(frame, given[1])))
        if _makes_a_table(function):
            given = tuple(self._pairs(frame, part) for part in given)
        if not calls and (id(function) in TAKING_ALL or (of is not None and name in _DRAWING)):
            given = tuple(self._take_rest(frame, part) for part in given)
        passed = (part for part in (*given, *named.values(), of) if not self._is_given_back(part))
        data = False not in [self.is_data(part) for part in passed]
        sorting = id(function) in SORTING or (type(of) is list and function.__name__ == "sort")
        if sorting and (calls or not data):
            named = {**named, "key": self._key(named.get("key"))}
        if data and not (calls or trusted or is_theorys(function)):
            found = function(*given, **named)
        else:
            found = self.under_watch(function, given, named)
        if id(found) in self.given_back:
            found = self.given_back[id(found)][1]
        if function is sum and id(type(found)) in CHANGEABLE:
            return self.make(found) if found is not named.get("start", given[-1]) else found
        new = data or calls or (is_a_class(function) and function is not reversed)
        return self.make(found) if id(function) in MAKING and new else found

    def _wrap_functions(self, function: Any, given: Any, named: Any, of: Any) -> tuple[Any, Any]:
        """Return what is given with stand-ins for the functions that Python calls."""
        which: Any = {*range(len(given)), *named}
        if of is not None:
            which = {"key"} if type(of) is list else ()
        elif id(function) in ALLOWED and not is_theorys(function):
            which = CALLED.get(id(function), ())
        stand_in = self._stand_in if id(function) in CALLED or of is not None else self._callable
        made = (stand_in(part) if at in which else part for at, part in enumerate(given))
        entries = named.items()
        return tuple(made), {x: stand_in(y) if x in which else y for x, y in entries}

    def _gone_through(self, frame: Frame | None, part: Any, *, sized: bool) -> Any:
        """Return an iterator over an object of the user's; anything else as it is.

        What makes a list asks the object for its length, too.
        """
        if id(type(part)) in PLAIN or self.own_in_class(type(part), "__iter__") is None:
            return part
        found = self.iterate(frame, part)
        if sized:
            self.special(frame, part, "__len__")
        return found

    def _each(self, frame: Frame | None, thing: Any) -> Iterator[Any]:
        """Yield what is in an object, each part judged: it is gone through, too."""
        for part in self.draw(frame, thing):
            self.is_data(part)
            self.gone_through(part)
            yield part

    def _is_given_back(self, part: object) -> bool:
        return id(part) in self.given_back

    def _take_rest(self, frame: Frame | None, part: Any) -> Any:
        """Return all that is left of an iterator, which a function takes whole."""
        return list(self.draw(frame, part)) if id(type(part)) in ITERATORS else part

    def _key(self, key: Any) -> Callable[[Any], Any]:
        """Return a key that has objects of the user's compared step by step."""

        def order(thing: Any) -> Any:
            value = thing if key is None else key(thing)
            return value if self.is_data(value) else Ordered(self, value)

        return order

    def _judge(self, function: Any, given: Any, named: Any, of: Any) -> None:
        """Refuse what a function of Python's tells beyond values, of what it is given."""
        if function is operator.getitem or type(function) is operator.itemgetter:
            for part in given:
                if type(part) is collections.defaultdict:
                    self.refuse("asks a table with defaults by a function, which may fill it")
        if id(function) in LOOKING:
            self.look("asks for the kind of an object")
            if function is isinstance and given and id(type(given[0])) == SYMBOL:
                given[0].__class__  # noqa: B018 - the symbol notices
            if function is isinstance and len(given) == 2:
                self._judge_kinds(*given)
        reads = function is int or function is float or function is Fraction
        if reads and any(type(part) is str and len(part) > MOST_DIGITS for part in given):
            self.refuse("reads a number of many digits, which a setting may forbid")
        unordered = (id(function) in UNORDERED and "key" not in named) or id(type(of)) in SETS
        for part in (*given, *named.values(), of):
            if not unordered or (id(function) in SORTING and not is_all_ordered(part)):
                (self.gone_through if of is None else self.require_order)(part)
        if _makes_a_table(function):
            for part in given:
                if not is_a_class(part) and not is_of_a_library(type(part)):
                    self.refuse("takes an object of its own for a table")
        if id(function) == id(iter) and len(given) == 2:
            self.refuse("goes on with a function until it says so")
        starts = (*given, *named.values()) if function is itertools.count else ()
        if any(type(part) is bool for part in starts):
            self.refuse("counts from a truth value, which a step of 1 makes an integer")

    def _judge_kinds(self, thing: Any, kinds: Any) -> None:
        """Refuse to ask a class for its kind that keeps answers about objects of the user's."""
        for kind in kinds if type(kinds) is tuple else (kinds,):
            if type(kind) is tuple:
                self._judge_kinds(thing, kind)
            elif type(kind) is UnionType:
                self._judge_kinds(thing, kind.__args__)
            elif is_a_class(kind) and descends(type(kind), abc.ABCMeta):
                hook = self.own_in_class(kind, "__subclasshook__")
                if hook is not None or not (
                    is_of_a_library(type(thing)) or descends(type(thing), kind)
                ):
                    self.refuse(f"asks {kind.__name__} for its kind, which keeps what it answered")

    def _pairs(self, frame: Frame | None, thing: Any) -> Any:
        """Return what a table is made of: a set may not stand for a key and a value."""
        found = self._take_rest(frame, thing)
        if type(found) in {list, tuple, collections.deque}:
            for part in found:
                self.require_order(part)
        return found

    def _callable(self, thing: Any) -> Any:
        """Return what stands for a function where Python calls it: it is then run step by step."""
        kind = type(thing)
        if any(id(kind) in kinds for kinds in (PLAIN, CONTAINERS, ITERATORS, {SYMBOL})):
            return thing
        called = is_a_class(thing) or any(kind is each for each in _FUNCTIONS)
        if not called and self.own_in_class(kind, "__call__") is None:
            return thing
        return self._stand_in(thing)

    def _stand_in(self, thing: Any) -> Any:
        """Return what Python calls in the place of a function."""
        if thing is None:
            return None

        @no_type_check  # a frame of its own would be taken for code of the user's
        def run(*given: Any, **named: Any) -> Any:
            with PausedTracing():
                return self.call(self.current, thing, given, named)

        self.given_back[id(run)] = (run, thing)
        return run


class Ordered:
    """An object that stands in an order: the machine compares it."""

    __slots__ = ("calls", "thing")

    def __init__(self, calls: Natives, thing: Any) -> None:
        self.calls, self.thing = calls, thing

    def __lt__(self, other: Any) -> bool:
        return self._is("<", other)

    def __gt__(self, other: Any) -> bool:
        return self._is(">", other)

    def _is(self, sign: str, other: Any) -> bool:
        other = other.thing if type(other) is Ordered else other
        with PausedTracing():
            frame = self.calls.current
            assert frame is not None
            return self.calls.truth(frame, self.calls.compare(frame, sign, self.thing, other))


_FUNCTIONS: Final = (
    FunctionType,
    MethodType,
    BuiltinFunctionType,
    MethodWrapperType,
    MethodDescriptorType,
    functools.partial,
)


_AT_ONCE: Final = TAKING_ALL | {
    *map(id, (any, all, functools.reduce)),
    *map(id, (operator.contains, operator.countOf, operator.indexOf)),
}
"""What goes through what it is given in one step."""

_DRAWING: Final = words(
    """
    extend extendleft update join union intersection difference symmetric_difference issubset
    issuperset isdisjoint intersection_update difference_update symmetric_difference_update
    """
)
"""Methods that go through what they are given."""


def _makes_a_table(function: Any) -> bool:
    return id(function) in OF_TABLES or getattr(function, "__name__", "") == "update"


def is_all_ordered(thing: Any) -> bool:
    """Whether any two members of a set are before or after each other."""
    return id(type(thing)) not in SETS or all(map(_is_ordered, thing))


def _is_ordered(member: Any) -> bool:
    if type(member) is tuple:
        return all(map(_is_ordered, member))
    is_nan = type(member) is float and member != member  # noqa: PLR0124 - it is none
    return type(member) is str or (id(type(member)) in NUMBERS and not is_nan)


def is_theorys(function: Any) -> bool:
    """Whether a function or class is of this library."""
    home = getattr(function, "__module__", None)
    return isinstance(home, str) and home.startswith("theory.")
