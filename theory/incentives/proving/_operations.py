"""Operations on objects: each is done where its rules are known, else refused."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from itertools import count, groupby, islice
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory.incentives.proving._allowed_code import (
    CONTAINERS,
    ITERATORS,
    NOT_GIVEN,
    PLAIN,
    SETS,
    STEPPING,
    SYMBOL,
)
from theory.incentives.proving._attributes import Attributes
from theory.incentives.proving._classes import (
    compares_fields,
    descends,
    is_a_class,
    is_named_tuple,
)
from theory.incentives.proving._code_owner import is_of_a_library
from theory.incentives.proving._object_kinds import (
    ABSENT,
    CHANGEABLE,
    KNOWN,
    LONGEST,
    NUMBERS,
    base_array,
)

if TYPE_CHECKING:
    from theory.incentives.proving._machine import Frame

__all__ = ["MOST_DIGITS", "Operations"]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""

_OPERATORS: Final[dict[str, tuple[Callable[[Any, Any], Any], str]]] = {
    "+": (operator.add, "add"),
    "-": (operator.sub, "sub"),
    "*": (operator.mul, "mul"),
    "/": (operator.truediv, "truediv"),
    "//": (operator.floordiv, "floordiv"),
    "%": (operator.mod, "mod"),
    "**": (operator.pow, "pow"),
    "@": (operator.matmul, "matmul"),
    "&": (operator.and_, "and"),
    "|": (operator.or_, "or"),
    "^": (operator.xor, "xor"),
    "<<": (operator.lshift, "lshift"),
    ">>": (operator.rshift, "rshift"),
}
_IN_PLACE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    f"{sign}=": getattr(operator, f"i{name}") for sign, (_, name) in _OPERATORS.items()
}
_COMPARISONS: Final[dict[str, tuple[Callable[[Any, Any], Any], str, str]]] = {
    "<": (operator.lt, "__lt__", "__gt__"),
    "<=": (operator.le, "__le__", "__ge__"),
    ">": (operator.gt, "__gt__", "__lt__"),
    ">=": (operator.ge, "__ge__", "__le__"),
    "==": (operator.eq, "__eq__", "__eq__"),
    "!=": (operator.ne, "__ne__", "__ne__"),
}
_UNARY: Final[dict[str, tuple[Callable[[Any], Any], str]]] = {
    "-": (operator.neg, "__neg__"),
    "+": (operator.pos, "__pos__"),
    "~": (operator.invert, "__invert__"),
}

_SEQUENCES: Final = frozenset({id(tuple), id(list), id(str), id(range)})
_CHANGED: Final = CHANGEABLE | {id(np.ndarray)}
"""The kinds of objects of Python's that can be changed."""


class Operations(Attributes):
    """Arithmetic, comparison, containers, iteration and texts."""

    # --- Arithmetic and comparison

    def binary(self, frame: Frame, sign: str, left: Any, right: Any) -> Any:
        """Return what an operator makes of two values."""
        in_place = sign.endswith("=")
        plain = sign.removesuffix("=")
        kinds = id(type(left)), id(type(right))
        fast = all(kind in NUMBERS or kind == SYMBOL for kind in kinds)
        if fast:
            for number in (left, right):
                if type(number) is Fraction:
                    self.refuse_parts(number)
            return _OPERATORS[plain][0](left, right)
        if plain == "%" and kinds[0] == id(str):
            for part in right if kinds[1] == id(tuple) else (right,):
                self.text(frame, part, "", str)
            return left % right
        if self._has_own_rules(left) or self._has_own_rules(right):
            return self._by_methods(frame, sign, left, right)
        if frame.ours or (plain == "|" and is_a_class(right) and is_a_class(left)):
            for each in (left, right):
                if is_a_class(each) and not is_of_a_library(each):
                    self.judge_class(each)
            return _OPERATORS[plain][0](left, right)
        data = self.is_data(left) & self.is_data(right)
        if in_place and kinds[0] in _CHANGED:
            if kinds[0] not in SETS:
                self.require_order(right)
            if isinstance(left, dict) and not isinstance(right, dict):
                self.refuse("updates a table by what is no table")
            self.change(left)
            return self._watch(frame, _IN_PLACE[sign], (left, right), data=data)
        found = self._watch(frame, _OPERATORS[plain][0], (left, right), data=data)
        if data and id(type(found)) in _CHANGED:
            self.make(found)
            self.come_of(found, (left, right))
        return found

    def come_of(self, found: Any, things: Any) -> None:
        """Note which arrays stand for arrays of floats, as those do that they were made of."""
        raise NotImplementedError

    def as_float(self, value: Any) -> Any:
        """Return what an array of floats makes of a value."""
        raise NotImplementedError

    def _watch(
        self, frame: Frame, function: Callable[..., Any], given: tuple[Any, ...], *, data: bool
    ) -> Any:
        """Return what an operation does, under watch where objects of the user's are in it."""
        return function(*given) if data else self.under_watch(function, given, {})

    def _has_own_rules(self, thing: Any) -> bool:
        kind = type(thing)
        here = id(kind)
        if here in PLAIN or here == SYMBOL or here in CONTAINERS or is_of_a_library(kind):
            return False
        self.judge(thing)
        return not is_named_tuple(kind) and not is_a_class(thing) and not descends(kind, Enum)

    def _by_methods(self, frame: Frame, sign: str, left: Any, right: Any) -> Any:
        name = _OPERATORS[sign.removesuffix("=")][1]
        tried = [(left, f"__{name}__", right), (right, f"__r{name}__", left)]
        if type(left) is type(right):
            tried.pop()
        elif descends(type(right), type(left)):
            tried.reverse()
        if sign.endswith("="):
            tried.insert(0, (left, f"__i{name}__", right))
        for thing, method, other in tried:
            found = self.special(frame, thing, method, other)
            if found is not ABSENT and found is not NotImplemented:
                return found
        raise TypeError(f"unsupported operand types for {sign}")

    def compare(self, frame: Frame, sign: str, left: Any, right: Any) -> Any:
        """Return what a comparison says."""
        function, name, mirrored = _COMPARISONS[sign]
        kinds = id(type(left)), id(type(right))
        if all(kind in PLAIN or kind == SYMBOL for kind in kinds):
            for number in (left, right):
                if type(number) is Fraction:
                    self.refuse_parts(number)
            return function(left, right)
        if self._has_own_rules(left) or self._has_own_rules(right):
            tried = [(left, name, right), (right, mirrored, left)]
            if type(left) is not type(right) and descends(type(right), type(left)):
                tried.reverse()
            for thing, method, other in tried:
                found = self.special(frame, thing, method, other)
                if found is not ABSENT and found is not NotImplemented:
                    return found
            if sign == "!=":
                return not self.truth(frame, self.compare(frame, "==", left, right))
            if sign == "==":
                return left is right
            raise TypeError(f"{sign} is not supported between such objects")
        data = self.is_data(left) & self.is_data(right)
        return self._watch(frame, function, (left, right), data=data)

    def contains(self, frame: Frame, container: Any, member: Any) -> bool:
        """Whether something is in a container."""
        if self._has_own_rules(container):
            found = self.special(frame, container, "__contains__", member)
            if found is not ABSENT:
                return self.truth(frame, found)
            if id(type(container)) in ITERATORS:
                container = self.iterate(frame, container)
            else:
                return self._is_drawn(frame, container, member)
        if is_a_class(container):
            return self._is_drawn(frame, container, member)
        data = self.is_data(container) & self.is_data(member)
        if type(member) is not int and type(member) is not bool:
            self.refuse_long(container)  # Python asks one after the other
        return bool(self._watch(frame, operator.contains, (container, member), data=data))

    def _is_drawn(self, frame: Frame, container: Any, member: Any) -> bool:
        """Whether an object that is gone through comes to something: no further than to it."""
        return any(self.contains(frame, (part,), member) for part in self.draw(frame, container))

    def unary(self, frame: Frame, sign: str, thing: Any) -> Any:
        """Return what an operator makes of a value."""
        function, name = _UNARY[sign]
        if self._has_own_rules(thing):
            found = self.special(frame, thing, name)
            if found is ABSENT:
                raise TypeError(f"bad operand type for {sign}")
            return found
        data = self.is_data(thing)
        found = self._watch(frame, function, (thing,), data=data)
        return self.make(found) if data and id(type(found)) in _CHANGED else found

    def truth(self, frame: Frame, thing: Any) -> bool:
        """Whether something counts as true."""
        kind = type(thing)
        here = id(kind)
        if kind is bool:
            return bool(thing)
        self.look_into(thing)
        if here in PLAIN or here == SYMBOL or here in CONTAINERS:
            return bool(thing)
        if descends(kind, np.generic) or here == id(np.ndarray):
            return bool(self._watch(frame, bool, (thing,), data=self.is_data(thing)))
        self.judge(thing)
        if is_a_class(thing) or kind is FunctionType or is_named_tuple(kind):
            return bool(tuple.__len__(thing)) if is_named_tuple(kind) else True
        for name in ("__bool__", "__len__"):
            found = self.special(frame, thing, name)
            if found is ABSENT:
                continue
            if id(type(found)) != SYMBOL:
                fits = type(found) is bool if name == "__bool__" else hasattr(found, "__index__")
                if not fits:
                    raise TypeError(f"{name} returns a {type(found).__name__}")
                if found < 0:
                    raise ValueError(f"{name} should return >= 0")
            return self.truth(frame, found)
        if not is_of_a_library(kind) or id(kind) in KNOWN:
            return True
        return bool(thing)

    def is_one(self, frame: Frame, left: Any, right: Any) -> bool:
        """Whether two things are one object, which no number tells."""
        if frame.ours or compares_fields(frame.code.code, type(left)):
            return left is right
        for thing in (left, right):
            if thing is None or thing is ... or thing is NotImplemented or thing is NOT_GIVEN:
                return left is right
            if thing is True or thing is False:
                self.look("asks whether something is a truth value of Python's")
                return left is right
        for thing in (left, right):
            kind = type(thing)
            here = id(kind)
            telling = here in PLAIN or here == SYMBOL or here in {id(tuple), id(frozenset)}
            if telling or descends(kind, np.generic) or kind is MethodType:
                self.refuse("asks whether two objects are one (`is`), which no value tells")
            fine = here in CONTAINERS or kind is FunctionType or kind is object or is_a_class(thing)
            if not fine and not descends(kind, Enum):
                self.refuse("asks whether an object is another, of which a copy may be asked")
            if here not in CONTAINERS:
                self.judge(thing)
        return left is right

    def matches(self, thing: Any, kinds: tuple[type, ...]) -> bool:
        """Whether something is of the kind of a pattern."""
        here = id(type(thing))
        if here in CONTAINERS:
            return any(type(thing) is kind for kind in kinds)
        if here in PLAIN or here == SYMBOL:
            return False
        return bool(self.refuse(f"matches a {type(thing).__name__} with a pattern"))

    # --- Containers

    def subscript(self, frame: Frame, thing: Any, key: Any) -> Any:
        """Return an entry of a container."""
        kind = type(thing)
        here = id(kind)
        self.look_into(thing)
        if kind is np.ndarray:
            self.see(thing)
        if here in _SEQUENCES:
            if type(key) is int:
                return thing[key]
            if not self.is_data(key):
                self.refuse("asks for an entry by an object of its own")
            found = thing[key]
            return self.make(found) if kind is list and type(key) is slice else found
        if kind is collections.defaultdict:
            return self._of_table(frame, thing, key)
        if here in CONTAINERS or kind is np.ndarray or descends(kind, np.generic):
            data = self.is_data(key) and self._has_data_keys(thing)
            if kind is np.ndarray:
                self.met_arrays = True
            return self._watch(frame, operator.getitem, (thing, key), data=data)
        if is_a_class(thing) and descends(thing, Enum):
            self.judge_class(thing)
            if type(key) is not str:
                self.refuse("asks an enumeration for a member by what is no text")
            return vars(thing)["_member_map_"][key]
        if is_named_tuple(kind) and self.own_in_class(kind, "__getitem__") is None:
            self.judge_class(kind)
            return tuple.__getitem__(thing, key)
        found = self.special(frame, thing, "__getitem__", key)
        if found is not ABSENT:
            return found
        if here in PLAIN or here == SYMBOL:
            raise TypeError(f"{kind.__name__!r} object is not subscriptable")
        if frame.ours:
            return thing[key]
        return self.refuse(f"asks for an entry of a {kind.__name__}")

    def _has_data_keys(self, thing: Any) -> bool:
        """Whether nothing of the user's is compared with a key where a table is asked for it."""
        if descends(type(thing), dict):
            self.refuse_entries(thing)
        keys = dict.keys(thing) if descends(type(thing), dict) else ()
        return False not in [self.is_data(key) for key in keys]

    def _of_table(self, frame: Frame, table: Any, key: Any) -> Any:
        """Return an entry of a table with defaults, made where it is missing."""
        data = self.is_data(key) and self._has_data_keys(table)
        if self._watch(frame, operator.contains, (table, key), data=data):
            return table.get(key)
        if table.default_factory is None:
            raise KeyError(key)
        self.change(table)
        made = self.call(frame, table.default_factory, (), {})
        self._watch(frame, operator.setitem, (table, key, made), data=data)
        return made

    def set_subscript(self, frame: Frame, thing: Any, key: Any, value: Any) -> None:
        """Write an entry of a container that the run made."""
        if id(type(thing)) in _CHANGED:
            data = self.is_data(key) and self._has_data_keys(thing)
            self.change(thing)
            if type(thing) is np.ndarray or type(key) is slice:
                data &= self.is_data(value)
                self.require_order(value)
            if id(base_array(thing)) in self.floats:
                value = self.as_float(value)
            self._watch(frame, operator.setitem, (thing, key, value), data=data)
            return
        if self.special(frame, thing, "__setitem__", key, value) is ABSENT:
            raise TypeError(f"{type(thing).__name__!r} object does not support item assignment")

    def delete_subscript(self, frame: Frame, thing: Any, key: Any) -> None:
        """Remove an entry of a container that the run made."""
        if id(type(thing)) in _CHANGED:
            data = self.is_data(key) and self._has_data_keys(thing)
            self.change(thing)
            self._watch(frame, operator.delitem, (thing, key), data=data)
            return
        if self.special(frame, thing, "__delitem__", key) is ABSENT:
            raise TypeError(f"{type(thing).__name__!r} object does not support item deletion")

    def add(self, frame: Frame, members: set[Any], member: Any) -> None:
        """Put a member into a set that the run made."""
        data = self.is_data(member) and self.is_data(members)
        self._watch(frame, set.add, (members, member), data=data)

    def entries(self, thing: Any) -> Mapping[Any, Any]:
        """Return a table whose entries are passed on or copied."""
        if id(type(thing)) in CONTAINERS and descends(type(thing), dict):
            data = self._has_data_keys(thing)
            items = dict.items(thing)
            made: dict[Any, Any] = dict(items) if data else self.under_watch(dict, (items,), {})
            return made
        found: Mapping[Any, Any] = self.refuse(f"takes a {type(thing).__name__} for a table")
        return found

    # --- Iteration

    def iterate(self, frame: Frame | None, thing: Any) -> Iterator[Any]:
        """Return an iterator over an object."""
        kind = type(thing)
        here = id(kind)
        if here in ITERATORS:
            self.is_data(thing)
            found: Iterator[Any] = iter(thing)
            return found
        if here in SETS or here in CONTAINERS:
            self.look_into(thing)
            self.gone_through(thing)
            return self.make(iter(thing))  # type: ignore[no-any-return]
        if here == id(str):
            return self.make(iter(thing))  # type: ignore[no-any-return]
        if kind is np.ndarray:
            self.is_data(thing)
            return self.make(iter(thing))  # type: ignore[no-any-return]
        if is_a_class(thing) and descends(thing, Enum):
            self.judge_class(thing)
            return self.make(iter(list(thing)))  # type: ignore[no-any-return]
        if is_named_tuple(kind) and self.own_in_class(kind, "__iter__") is None:
            self.judge_class(kind)
            return self.make(tuple.__iter__(thing))  # type: ignore[no-any-return]
        if here in PLAIN or here == SYMBOL:
            raise TypeError(f"{kind.__name__!r} object is not iterable")
        found = self.special(frame, thing, "__iter__")
        if found is not ABSENT and id(type(found)) in ITERATORS:
            return self.iterate(frame, found)
        if frame is not None and frame.ours:
            return self.make(iter(thing))  # type: ignore[no-any-return]
        told: Iterator[Any] = self.refuse(f"goes through a {kind.__name__}")
        return told

    def draw(self, frame: Frame | None, thing: Any) -> Iterator[Any]:
        """Yield what is in an object."""
        self.refuse_long(thing)
        iterator, done = self.iterate(frame, thing), object()
        for place in count():
            if (found := self.take_next(iterator, done)) is done:
                return
            if place == LONGEST:
                self.refuse_work(f"goes through more than {LONGEST:,} things in one step")
            yield found

    def take_next(self, iterator: Any, done: object) -> Any:
        """Return what comes next in an iterator that the run made."""
        if id(type(iterator)) in STEPPING:
            found: Any = next(iterator, done)
        else:
            found = self.under_watch(next, (iterator, done), {})
        if type(iterator) is groupby and found is not done:
            self.make(found[1])
        return found

    def send(self, iterator: Iterator[Any]) -> Any:
        """Return what comes next in an iterator; raise StopIteration at the end."""
        if id(type(iterator)) in STEPPING:
            return next(iterator)
        return self.under_watch(next, (iterator,), {})

    def require_order(self, thing: Any) -> None:
        """Refuse a set where its order tells: how it came to be, and in which process."""
        if id(type(thing)) in SETS and len(thing) > 1:
            self.refuse("goes through a set, whose order is not promised: use sorted(...) of it")

    def gone_through(self, thing: Any) -> None:
        """Refuse a set where its order tells; one of at most one member may not change later.

        What an iterator meets of a new member depends on where the hashes of both put them.
        """
        self.require_order(thing)
        if type(thing) is set:
            self.walked[id(thing)] = thing

    def unpack(self, frame: Frame, thing: Any, count: int) -> list[Any]:
        """Return as many values as are asked for."""
        found = list(islice(self.draw(frame, thing), count + 1))
        if len(found) != count:
            many = "too many" if len(found) > count else "not enough"
            raise ValueError(f"{many} values to unpack (expected {count})")
        return found

    # --- Texts

    def text(self, frame: Frame, thing: Any, form: Any, how: Any) -> str:
        """Return the text of a number, a text or a truth value."""
        if id(type(thing)) == SYMBOL:
            return format(thing)  # the symbol notices
        if id(type(thing)) not in PLAIN:
            self.refuse("makes a text of an object, which may tell where it lies")
        if type(thing) in {int, float}:
            self.look("makes a text of a number")
        if type(thing) in {bool, int, float} and form.endswith("n"):
            self.refuse("writes a number as is usual at a place (`n`), which a setting says")
        parts = (thing.numerator, thing.denominator) if type(thing) in {int, Fraction} else ()
        if any(abs(part) >= 10**MOST_DIGITS for part in parts):
            self.refuse("makes a text of a number of many digits, which a setting may forbid")
        return format(thing if how is None else how(thing), form)


MOST_DIGITS: Final = 600
"""Digits of an integer that is written and read whatever is set: the least limit is 640."""
