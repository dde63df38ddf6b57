"""What is asked of objects, one operation at a time: done where its rules are known, else refused."""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from itertools import groupby, islice
from types import (
    CellType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    SimpleNamespace,
    UnionType,
    WrapperDescriptorType,
)
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from theory.incentives.proving._allowed import (
    BASES,
    CONTAINERS,
    ERRORS,
    ITERATORS,
    NOT_GIVEN,
    PLAIN,
    SETS,
    SYMBOL,
    is_known_kind,
    methods_of,
    refused,
    refused_member,
)
from theory.incentives.proving._whose import is_of_a_library, words

if TYPE_CHECKING:
    from theory.incentives.proving._machine import Frame

__all__ = ["Operations"]

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

_SEQUENCES: Final = frozenset({id(tuple), id(list), id(str), id(range), id(bytes)})
_CHANGED: Final = frozenset(
    map(
        id,
        (
            *(list, dict, set, collections.deque, collections.OrderedDict, collections.Counter),
            *(collections.defaultdict, np.ndarray, SimpleNamespace),
        ),
    )
)
"""The kinds of objects of Python's that can be changed."""

_NUMBERS: Final = frozenset(map(id, (int, float, bool, complex, Fraction)))
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

_SPECIAL: Final = words(
    """
    __init__ __post_init__ __new__ __call__ __len__ __getitem__ __setitem__ __contains__ __iter__
    __next__ __missing__ __setattr__ __eq__ __lt__ __le__ __gt__ __ge__ __add__ __sub__ __mul__
    """
)
"""Attributes between double underscores that code may ask for: it is no question of a kind."""

ABSENT: Final = object()


class Operations:
    """Operations on objects; what is called for them, the machine calls."""

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

    def native(self, frame: Frame | None, thing: Any, given: Any, named: Any) -> Any:
        """Return what a function of Python's or ours does."""
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

    def is_data(self, thing: object) -> bool:
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
            return True
        if here == id(np.ndarray):
            self.met_arrays = True
            array: Any = thing
            if array.dtype.kind not in "biufcO":
                self.refuse("uses an array of texts, times or records")
            return all([self.is_data(entry) for entry in array.ravel().tolist()])
        if descends(kind, np.generic):
            self.met_arrays = True
            if not is_of_a_library(kind):
                self.refuse(f"uses a {kind.__name__}, a number with rules of its own")
            return True
        self.judge(thing)
        if is_named_tuple(kind):
            return all([self.is_data(part) for part in tuple.__iter__(thing)])  # type: ignore[arg-type]
        return False

    def _are_data(self, thing: Any) -> bool:
        kind = type(thing)
        if kind is range:
            return True
        if kind is slice:
            return all([self.is_data(part) for part in (thing.start, thing.stop, thing.step)])
        if hasattr(thing, "keys") and hasattr(thing, "values"):
            parts = [*thing.keys(), *thing.values()]
            made_by = thing.default_factory if kind is collections.defaultdict else None
            if made_by is not None:
                self.judge(made_by)
                if not is_a_class(made_by) or not is_of_a_library(made_by):
                    parts.append(made_by)  # it may be called: under watch, as it is no data
        else:
            parts = list(thing)
        return all([self.is_data(part) for part in parts])

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
        elif id(kind) not in _KNOWN and not kind.__module__.startswith("theory.incentives"):
            if not descends(kind, BaseException):
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
        if kind is WrapperDescriptorType and descends(type(thing), found.__objclass__):
            return found.__get__(thing)
        return found

    # --- Attributes

    def attribute(self, frame: Frame, thing: Any, name: str, *, importing: bool = False) -> Any:
        """Return an attribute of an object."""
        kind = type(thing)
        here = id(kind)
        if here == SYMBOL:
            return getattr(thing, name)  # the symbol notices
        if kind is ModuleType:
            return self._of_module(frame, thing, name, importing=importing)
        if name in methods_of(kind):
            if here in _NUMBERS or descends(kind, np.generic):
                self.look(f"asks for {name}")
            if here == id(np.ndarray):
                self.met_arrays = True
            return getattr(thing, name)
        if frame.ours:
            if is_of_a_library(kind) or is_a_class(thing):
                return getattr(thing, name)
        if is_a_class(thing):
            return self._of_class(frame, thing, name)
        if kind is super:
            return self._above(frame, thing, name)
        if kind is SimpleNamespace:
            return _found(vars(thing), name, thing)
        if kind is FunctionType and not is_of_a_library(thing):
            return _found(vars(thing), name, thing, self)
        if kind is np.ufunc and name in {"reduce", "accumulate", "outer"}:
            return getattr(thing, name)
        if here in PLAIN or here in CONTAINERS:
            if not hasattr(thing, name):
                raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
            return self.refuse(f"asks for {name} of a {kind.__name__}, which tells more than a value")
        if descends(kind, Enum) and name in {"name", "value"}:
            if self.own_in_class(kind, name) is None:
                return entries_of(thing)[f"_{name}_"]
        if is_of_a_library(kind):
            if kind.__module__.startswith("theory.incentives.") and not name.startswith("_"):
                return getattr(thing, name)
            return self.refuse(f"asks for {name} of a {kind.__name__}, which tells more than a value")
        return self._of_object(frame, thing, name)

    def _of_module(self, frame: Frame, module: ModuleType, name: str, *, importing: bool) -> Any:
        known = vars(module)
        if name not in known:
            if importing:
                raise ImportError(f"cannot import name {name!r} from {module.__name__!r}")
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        found = known[name]
        told = "" if frame.ours else refused_member(module, name, found)
        home = getattr(found, "__module__", None) if told and self.is_ours(frame) else None
        if told and not ((home is not None and _is_theorys(module)) or str(home).startswith("theory.")):
            self.refuse(f"asks for {told}")
        return found

    def is_ours(self, frame: Frame) -> bool:
        """Whether a frame runs code of this library."""
        raise NotImplementedError

    def _of_class(self, frame: Frame, kind: type, name: str) -> Any:
        if is_of_a_library(kind):
            if name in methods_of(kind) or (kind.__name__, name) in _OF_CLASSES:
                return getattr(kind, name)
            if kind is object and name in {"__setattr__", "__new__", "__init__"}:
                return getattr(kind, name)
            if kind.__module__.startswith("theory.incentives.") and not name.startswith("_"):
                return getattr(kind, name)
            return self.refuse(f"asks for {kind.__name__}.{name}, which tells more than a value")
        self.judge_class(kind)
        if descends(kind, Enum) and name in vars(kind)["_member_map_"]:
            return vars(kind)["_member_map_"][name]
        found = self.in_class(kind, name)
        if found is ABSENT:
            raise AttributeError(f"type object {kind.__name__!r} has no attribute {name!r}")
        if name.startswith("__") and name not in _SPECIAL:
            self.refuse(f"asks for {name}, which no number is known to have")
        if type(found) in {staticmethod, classmethod}:
            return self.bind(found, kind)
        if type(found) is not FunctionType and self._describes(found):
            self.refuse(f"asks for {name} of the class {kind.__name__}, which is no value")
        return found

    def _above(self, frame: Frame, above: Any, name: str) -> Any:
        this, thing = above.__thisclass__, above.__self__
        kind = thing if is_a_class(thing) else type(thing)
        self.judge_class(kind)
        order = [id(base) for base in mro(kind)]
        for base in mro(kind)[order.index(id(this)) + 1 :]:
            if name in vars(base):
                found = vars(base)[name]
                if is_of_a_library(base) and name not in {"__init__", "__setattr__", "__new__"}:
                    break
                if type(found) is property:
                    return self.call(frame, found.fget, (thing,), {})
                if type(found) in {FunctionType, staticmethod, classmethod}:
                    return self.bind(found, thing)
                if is_of_a_library(base):
                    return getattr(above, name)
                return found
        return self.refuse(f"asks for {name} of a class before, which tells more than a value")

    def _of_object(self, frame: Frame, thing: Any, name: str) -> Any:
        kind = type(thing)
        self.judge_class(kind)
        found = self.in_class(kind, name)
        own = entries_of(thing)
        if name.startswith("__") and name.endswith("__") and name not in _SPECIAL:
            if name == "__class__":
                return kind
            if name not in own:
                return self.refuse(f"asks for {name}, which no number is known to have")
        rule = type(found)
        if rule is property:
            return self.call(frame, found.fget, (thing,), {})
        if rule is MemberDescriptorType:
            return found.__get__(thing)
        if name in own:
            return own[name]
        if found is not ABSENT:
            if rule in {FunctionType, staticmethod, classmethod}:
                return self.bind(found, thing)
            if rule is functools.cached_property:
                value = self.call(frame, found.func, (thing,), {})
                if self.is_made(thing):
                    own[name] = value
                return value
            if rule is _FIELD:
                return found.__get__(thing)
            if is_named_tuple(kind) and name in {"count", "index"}:
                return getattr(thing, name)
            if self._describes(found):
                return self.refuse(f"asks for {name}, which has rules of its own")
            return found
        other = self.own_in_class(kind, "__getattr__")
        if other is not None:
            return self.call(frame, self.bind(other, thing), (name,), {})
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")

    def _describes(self, found: Any) -> bool:
        """Whether something has rules of its own for being an attribute."""
        kind = type(found)
        return any(name in vars(base) for base in mro(kind) for name in ("__get__", "__set__"))

    def set_attribute(self, frame: Frame, thing: Any, name: str, value: Any) -> None:
        """Give an object an attribute, by the rules of its class."""
        own = self.own_in_class(type(thing), "__setattr__") if self._is_object(thing) else None
        if own is not None:
            self.call(frame, self.bind(own, thing), (name, value), {})
            return
        self.write(frame, thing, name, value)

    def write(self, frame: Frame, thing: Any, name: str, value: Any) -> None:
        """Give an object that the run made an attribute."""
        if frame.ours and is_of_a_library(type(thing)):
            setattr(thing, name, value)
            return
        if not self._is_object(thing) and type(thing) is not SimpleNamespace:
            self.keeps(f"writes {name} of a {type(thing).__name__}")
        if name.startswith("__") and name.endswith("__"):
            self.refuse(f"writes {name}, which no number is known to have")
        found = self.in_class(type(thing), name)
        if type(found) is property:
            if found.fset is None:
                raise AttributeError(f"property {name!r} has no setter")
            self.call(frame, found.fset, (thing, value), {})
            return
        if not self.is_made(thing):
            self.keeps(f"writes {name} of a {type(thing).__name__} that was there before")
        if type(found) is not MemberDescriptorType and self._describes_writing(found):
            self.refuse(f"writes {name}, which has rules of its own")
        object.__setattr__(thing, name, value)

    def _describes_writing(self, found: Any) -> bool:
        return any(
            name in vars(base) for base in mro(type(found)) for name in ("__set__", "__delete__")
        )

    def delete_attribute(self, frame: Frame, thing: Any, name: str) -> None:
        """Remove an attribute of an object that the run made."""
        if not self.is_made(thing) or not self._is_object(thing):
            self.keeps(f"removes {name} of a {type(thing).__name__}")
        if self.own_in_class(type(thing), "__delattr__") is not None:
            self.refuse(f"removes {name}, which has rules of its own")
        object.__delattr__(thing, name)

    def _is_object(self, thing: Any) -> bool:
        """Whether something is an object of a class of the user's."""
        if is_a_class(thing) or is_of_a_library(type(thing)):
            return False
        self.judge_class(type(thing))
        return True

    # --- Arithmetic and comparison

    def binary(self, frame: Frame, sign: str, left: Any, right: Any) -> Any:
        """Return what an operator makes of two values."""
        in_place = sign.endswith("=")
        plain = sign.removesuffix("=")
        kinds = id(type(left)), id(type(right))
        fast = all(kind in _NUMBERS or kind == SYMBOL for kind in kinds)
        if fast:
            return _OPERATORS[plain][0](left, right)
        if plain == "%" and kinds[0] in {id(str), id(bytes)}:
            for part in right if kinds[1] == id(tuple) else (right,):
                self.text(frame, part, "", str)
            return left % right
        if self._has_own_rules(left) or self._has_own_rules(right):
            return self._by_methods(frame, sign, left, right)
        if frame.ours or (plain == "|" and is_a_class(right)):
            return _OPERATORS[plain][0](left, right)
        data = self.is_data(left) & self.is_data(right)
        if in_place and kinds[0] in _CHANGED:
            self.change(left)
            return self._watched(frame, _IN_PLACE[sign], (left, right), data=data)
        found = self._watched(frame, _OPERATORS[plain][0], (left, right), data=data)
        if id(type(found)) in _CHANGED:
            self.make(found)
        return found

    def _watched(
        self, frame: Frame, function: Callable[..., Any], given: tuple[Any, ...], *, data: bool
    ) -> Any:
        """Return what an operation does, under watch where objects of the user's are in it."""
        return function(*given) if data else self.under_watch(function, given, {})

    def under_watch(self, function: Any, given: Any, named: Any) -> Any:
        """Return what a function does, and refuse code of the user's that runs within it."""
        raise NotImplementedError

    def _has_own_rules(self, thing: Any) -> bool:
        kind = type(thing)
        here = id(kind)
        if here in PLAIN or here == SYMBOL or here in CONTAINERS or is_of_a_library(kind):
            return False
        self.judge(thing)
        return not is_named_tuple(kind) and not is_a_class(thing) and not descends(kind, Enum)

    def _by_methods(self, frame: Frame, sign: str, left: Any, right: Any) -> Any:
        name = _OPERATORS[sign.removesuffix("=")][1]
        kinds = type(left), type(right)
        tried = [(left, f"__{name}__", right), (right, f"__r{name}__", left)]
        if kinds[0] is kinds[1]:
            del tried[1]
        elif descends(kinds[1], kinds[0]):  # the other goes first where it has a rule of its own
            rules = [self.own_in_class(kind, f"__r{name}__") for kind in kinds]
            if rules[0] is not rules[1]:
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
        return self._watched(frame, function, (left, right), data=data)

    def contains(self, frame: Frame, container: Any, member: Any) -> bool:
        """Whether something is in a container."""
        if self._has_own_rules(container):
            found = self.special(frame, container, "__contains__", member)
            if found is not ABSENT:
                return self.truth(frame, found)
            if id(type(container)) in ITERATORS:
                container = self.iterated(frame, container)
            else:
                container = list(self.iterated(frame, container))
        if is_a_class(container):
            container = list(self.iterated(frame, container))
        data = self.is_data(container) & self.is_data(member)
        return bool(self._watched(frame, operator.contains, (container, member), data=data))

    def unary(self, frame: Frame, sign: str, thing: Any) -> Any:
        """Return what an operator makes of a value."""
        function, name = _UNARY[sign]
        if self._has_own_rules(thing):
            found = self.special(frame, thing, name)
            if found is ABSENT:
                raise TypeError(f"bad operand type for {sign}")
            return found
        self.is_data(thing)
        found = function(thing)
        return self.make(found) if id(type(found)) in _CHANGED else found

    def truth(self, frame: Frame, thing: Any) -> bool:
        """Whether something counts as true."""
        kind = type(thing)
        here = id(kind)
        if kind is bool:
            return bool(thing)
        if here in PLAIN or here == SYMBOL or here in CONTAINERS:
            return bool(thing)
        if descends(kind, np.generic) or here == id(np.ndarray):
            self.is_data(thing)
            return bool(thing)
        if is_a_class(thing) or kind is FunctionType or is_named_tuple(kind):
            return bool(tuple.__len__(thing)) if is_named_tuple(kind) else True
        self.judge(thing)
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
        if not is_of_a_library(kind) or id(kind) in _KNOWN:
            return True
        return bool(thing)

    def is_one(self, frame: Frame, left: Any, right: Any) -> bool:
        """Whether two things are one object, which no number tells."""
        if frame.ours:
            return left is right
        for thing in (left, right):
            if thing is None or thing is ... or thing is NotImplemented or thing is NOT_GIVEN:
                return left is right
            if thing is True or thing is False:
                return left is right
        for thing in (left, right):
            kind = type(thing)
            here = id(kind)
            telling = here in PLAIN or here == SYMBOL or here in {id(tuple), id(frozenset)}
            if telling or descends(kind, np.generic) or kind is MethodType:
                self.refuse("asks whether two objects are one (`is`), which no value tells")
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
        if here in _SEQUENCES:
            if type(key) is int:
                return thing[key]
            self.is_data(key)
            found = thing[key]
            return self.make(found) if kind is list and type(key) is slice else found
        if kind is collections.defaultdict:
            return self._of_table(frame, thing, key)
        if here in CONTAINERS or kind is np.ndarray or descends(kind, np.generic):
            data = self.is_data(key)
            if kind is np.ndarray:
                self.met_arrays = True
            return self._watched(frame, operator.getitem, (thing, key), data=data)
        if is_a_class(thing) and descends(thing, Enum):
            self.judge_class(thing)
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

    def _of_table(self, frame: Frame, table: Any, key: Any) -> Any:
        """Return an entry of a table with defaults, made where it is missing."""
        data = self.is_data(key)
        if self._watched(frame, operator.contains, (table, key), data=data):
            return table.get(key)
        if table.default_factory is None:
            raise KeyError(key)
        self.change(table)
        made = self.call(frame, table.default_factory, (), {})
        self._watched(frame, operator.setitem, (table, key, made), data=data)
        return made

    def set_subscript(self, frame: Frame, thing: Any, key: Any, value: Any) -> None:
        """Write an entry of a container that the run made."""
        if id(type(thing)) in _CHANGED:
            data = self.is_data(key)
            self.change(thing)
            if type(thing) is np.ndarray or type(key) is slice:
                data &= self.is_data(value)
            self._watched(frame, operator.setitem, (thing, key, value), data=data)
            return
        if self.special(frame, thing, "__setitem__", key, value) is ABSENT:
            raise TypeError(f"{type(thing).__name__!r} object does not support item assignment")

    def delete_subscript(self, frame: Frame, thing: Any, key: Any) -> None:
        """Remove an entry of a container that the run made."""
        if id(type(thing)) in _CHANGED:
            data = self.is_data(key)
            self.change(thing)
            self._watched(frame, operator.delitem, (thing, key), data=data)
            return
        if self.special(frame, thing, "__delitem__", key) is ABSENT:
            raise TypeError(f"{type(thing).__name__!r} object does not support item deletion")

    def add(self, frame: Frame, members: set[Any], member: Any) -> None:
        """Put a member into a set that the run made."""
        data = self.is_data(member)
        self._watched(frame, set.add, (members, member), data=data)

    def entries(self, thing: Any) -> Mapping[Any, Any]:
        """Return a table whose entries are passed on or copied."""
        if id(type(thing)) in CONTAINERS and hasattr(thing, "keys"):
            return dict(thing)
        found: Mapping[Any, Any] = self.refuse(f"takes a {type(thing).__name__} for a table")
        return found

    # --- Iteration

    def iterated(self, frame: Frame | None, thing: Any) -> Iterator[Any]:
        """Return an iterator over an object."""
        kind = type(thing)
        here = id(kind)
        if here in ITERATORS:
            self.is_data(thing)
            found: Iterator[Any] = iter(thing)
            return found
        if here in SETS or here in CONTAINERS:
            self.ordered(thing)
            return self.make(iter(thing))  # type: ignore[no-any-return]
        if here == id(str) or here == id(bytes):
            return self.make(iter(thing))  # type: ignore[no-any-return]
        if kind is np.ndarray:
            self.is_data(thing)
            return self.make(iter(list(thing)))  # type: ignore[no-any-return]
        if is_a_class(thing) and descends(thing, Enum):
            self.judge_class(thing)
            return self.make(iter(list(thing)))  # type: ignore[no-any-return,call-overload]
        if is_named_tuple(kind) and self.own_in_class(kind, "__iter__") is None:
            self.judge_class(kind)
            return self.make(tuple.__iter__(thing))  # type: ignore[no-any-return]
        if here in PLAIN or here == SYMBOL:
            raise TypeError(f"{kind.__name__!r} object is not iterable")
        found = self.special(frame, thing, "__iter__")
        if found is not ABSENT and id(type(found)) in ITERATORS:
            return self.iterated(frame, found)
        if frame is not None and frame.ours:
            return self.make(iter(thing))  # type: ignore[no-any-return]
        told: Iterator[Any] = self.refuse(f"goes through a {kind.__name__}")
        return told

    def following(self, iterator: Iterator[Any], done: object) -> Any:
        """Return what comes next in an iterator that the run made."""
        found = next(iterator, done)
        if type(iterator) is groupby and found is not done:
            self.make(found[1])
        return found

    def ordered(self, thing: Any) -> None:
        """Refuse a set whose order differs from process to process."""
        if id(type(thing)) in SETS and len(thing) > 1 and not all(map(_has_fixed_hash, thing)):
            self.refuse(
                "goes through a set of texts or objects, whose order differs from process to "
                "process"
            )

    def unpacked(self, frame: Frame, thing: Any, count: int) -> list[Any]:
        """Return as many values as are asked for."""
        found = list(islice(self.iterated(frame, thing), count + 1))
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
        return format(thing if how is None else how(thing), form)


_OF_CLASSES: Final = frozenset({("chain", "from_iterable")})
_FIELD: Final = type(vars(collections.namedtuple("_Pair", "left right"))["left"])
_KNOWN: Final = frozenset(
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


def _found(known: Mapping[str, Any], name: str, thing: Any, asking: Operations | None = None) -> Any:
    if name in known:
        return known[name]
    if asking is not None and hasattr(thing, name):
        return asking.refuse(f"asks for {name} of a {type(thing).__name__}")
    raise AttributeError(f"{type(thing).__name__!r} object has no attribute {name!r}")


def _has_fixed_hash(member: object) -> bool:
    if type(member) is tuple:
        return all(map(_has_fixed_hash, member))
    return id(type(member)) in _NUMBERS


def _is_theorys(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] == "theory"


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
    part = part.__func__ if type(part) is classmethod else part
    return isinstance(part, fixed) or (isinstance(part, FunctionType) and is_of_a_library(part))
