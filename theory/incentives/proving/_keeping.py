"""What a mechanism keeps from call to call: everything that its code can reach and change."""

from __future__ import annotations

import builtins
import collections
import functools
import gc
import operator
import sys
from abc import ABCMeta
from collections import deque
from collections.abc import Iterator
from dataclasses import Field, dataclass
from enum import Enum, EnumMeta
from struct import pack
from types import (
    BuiltinMethodType,
    CellType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final, Protocol

import numpy as np

from theory.incentives.proving._allowed import CHANGED, ERRORS, NUMPY, PLAIN, refused
from theory.incentives.proving._whose import (
    is_followed,
    is_librarys,
    is_of_a_library,
    is_written_in,
    unchecked,
    words,
)
from theory.proofs import Term, Tracer

__all__ = ["Kept", "kept_by", "what_changed"]


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept, by where; and what code holds that no proof may rest on, empty for nothing."""

    entries: dict[str, object]
    forbidden: str


_MOST: Final = 20_000
"""The most objects that are looked at."""

_VIEWS: Final = (MappingProxyType, slice, range, operator.itemgetter)
"""What shows other objects, which are reached through it alone."""

_LRU: Final = type(functools.lru_cache(lambda: None))
_KINDS: Final = (type, ABCMeta, EnumMeta, type(Protocol))
"""The classes of classes whose rules are known."""

_BASES: Final = (tuple, Exception, Enum, str, int)
"""What a class may derive from, beside what has no rules; numbers only where it is an Enum."""

_SET_BY_PYTHON: Final = words(
    """
    __module__ __qualname__ __doc__ __annotations__ __dict__ __weakref__ __match_args__
    __slots__ __dataclass_fields__ __dataclass_params__ __orig_bases__ __parameters__
    __abstractmethods__ _abc_impl __firstlineno__ __static_attributes__ __annotate__
    __annotate_func__ __annotations_cache__ __type_params__ __protocol_attrs__ _is_protocol
    _is_runtime_protocol __non_callable_proto_members__ __init_subclass__
    __class_getitem__ __slotnames__ __final__ __deprecated__ _member_names_ _member_map_
    _value2member_map_ _unhashable_values_ _unhashable_values_map_ _hashable_values_
    _member_type_ _value_repr_ _use_args_ _new_member_ __new_member__ _generate_next_value_
    _sort_order_ _value_ _name_ __objclass__ _field_defaults _fields _make _replace _asdict
    __getnewargs__ __repr__ __str__ __format__ __reduce_ex__ __dir__ __replace__ __getstate__
    __setstate__
    """
)
"""What Python writes into classes, and code cannot ask for: attributes of no value, and texts."""

_CALLED_BY_PYTHON: Final = words(
    """
    __class_getitem__ __init_subclass__ __repr__ __str__ __format__ __reduce_ex__ __dir__
    __getnewargs__ __replace__ __getstate__ __setstate__
    """
)
"""Those of them that Python calls, which must be functions."""

_FUNCTIONS: Final = (
    FunctionType,
    staticmethod,
    classmethod,
    WrapperDescriptorType,
    MethodDescriptorType,
    ClassMethodDescriptorType,
    BuiltinMethodType,
)

_NEVER: Final = words(
    """
    __class__ __del__ __exit__ __aexit__ __getattribute__ __length_hint__ __instancecheck__
    __subclasscheck__ __sizeof__ __set_name__ __index__ __int__ __float__ __complex__ __trunc__
    __floor__ __ceil__ __subclasshook__ __array__ __array_ufunc__ __array_function__
    __array_interface__
    __array_struct__ __array_priority__ __array_wrap__ __array_finalize__ __deepcopy__ __copy__
    """
)
"""What a class must not define: Python calls it where nobody watches, or to ask for a kind."""


def kept_by(*roots: Any) -> Kept:
    """Return all that is kept by what code can reach, by where it is.

    Followed are closures, defaults, the globals that code names, attributes of objects and classes,
    and containers. Only objects of kinds that can be seen through may be held. What libraries keep
    is not followed.
    """
    entries: dict[str, object] = {"the library": tuple(map(_dictionary, _changeable()))}
    seen: dict[tuple[int, bool], Any] = {}  # kept, so that no identity is given twice
    waiting: deque[tuple[str, Any, bool]] = deque(("", root, True) for root in roots)
    held = ""

    def note(where: str, what: object) -> None:
        while where in entries:
            where += "'"
        entries[where] = what

    while waiting and len(seen) < _MOST:
        where, thing, judged = waiting.popleft()
        if type(thing) in PLAIN:
            note(where, _bits(thing))
            if type(thing) is str and "%" in thing and not held:
                held = f"{where.strip()} holds a text with %, which makes texts of others"
            continue
        note(where, id(thing))
        if (id(thing), judged) in seen or isinstance(thing, Term | Tracer):
            continue
        seen[id(thing), judged] = thing
        if not held:
            told = (_refused(thing) if judged else "") or _unruly(thing)
            held = f"{where.strip()} holds {told}" if told else ""
        inner = _inner(thing)
        if inner is not None:
            note(f"the state of {where}", inner)
        if isinstance(thing, dict | set | frozenset):
            note(f"the order of {where}", tuple(map(_bits, list(thing))))
            if isinstance(thing, dict):
                note(f"the entries of {where}", tuple(map(_bits, dict.__iter__(thing))))
        named = isinstance(thing, FunctionType | CellType | ModuleType)  # judged where it is used
        for name, part in _parts(thing):
            at_use = named and not name.startswith(_GIVEN)
            waiting.append((f"{where}{name}", part, not at_use))
    if waiting and not held:
        held = f"more than {_MOST:,} objects, the limit"
    return Kept(entries, held)


_GIVEN: Final = (" defaults of ", " attributes of ")


def _changeable() -> Iterator[Any]:
    """Yield the functions and classes of libraries that code may use, and the methods of these."""
    yield from CHANGED
    for kind in CHANGED:
        if isinstance(kind, type) and kind.__flags__ & 1 << 9:
            yield from (part for part in vars(kind).values() if isinstance(part, FunctionType))
    yield from (vars(np)[name] for name in sorted(NUMPY) if name in vars(np))


def _dictionary(thing: Any) -> object:
    """Return the entries that an object of a library has, but for what Python writes there."""
    own = getattr(thing, "__dict__", None) or {}
    entries = tuple(own.items())
    return tuple((name, _bits(part)) for name, part in entries if name not in _SET_BY_PYTHON)


def _bits(value: Any) -> object:
    """Return a constant as it is, the signs of its zeros and of what is no number, too."""
    kind = type(value)
    if kind is float:
        return kind, pack("d", value)
    if kind is complex:
        return kind, pack("dd", value.real, value.imag)
    return (kind, value) if kind in PLAIN else (kind, id(value))


def _refused(thing: Any) -> str:
    """Say why code may not keep an object; a module may be named, and not kept among others."""
    return f"the module {thing.__name__}" if isinstance(thing, ModuleType) else refused(thing)


def what_changed(before: Kept, after: Kept) -> str:
    """Return where something is kept that changed; empty where nothing did."""
    first, second = before.entries, after.entries
    for where in (*first, *second):
        if where not in first or where not in second or first[where] != second[where]:
            return where.strip()
    return ""


def _unruly(thing: Any) -> str:
    """Say why the rules of an object, or of a class of the user's, cannot be known."""
    if isinstance(thing, ModuleType) and type(thing) is not ModuleType:
        return f"the module {thing.__name__}, which has rules of its own"
    if not isinstance(thing, type):
        array = isinstance(thing, np.ndarray | np.generic)
        return "an array of texts, times or records" if array and _is_odd(thing) else ""
    if is_of_a_library(thing):
        return ""
    if type(thing) not in _KINDS:
        return f"the class {thing.__name__}, which has rules for classes"
    for base in thing.__mro__[1:]:
        if is_of_a_library(base) and not _is_base(base, thing):
            return f"the class {thing.__name__}, which is a kind of {base.__name__}"
    for name, part in vars(thing).items():
        ours = isinstance(part, GetSetDescriptorType)
        told = name == "__module__" and type(part) is not str
        if told or (name in {"__dict__", "__weakref__"} and not ours):
            return f"the class {thing.__name__}, which has a {name} of its own"
        library = isinstance(part, FunctionType) and is_of_a_library(part)
        if name in _SET_BY_PYTHON and not ours and not _is_pythons(name, part):
            return f"the class {thing.__name__}, which has {name} of its own"
        if name in _NEVER and not library:
            return f"the class {thing.__name__}, which has {name}"
        special = name.startswith("__") and name.endswith("__")
        if not special or (name in _SET_BY_PYTHON and name not in _CALLED_BY_PYTHON):
            continue
        if name == "__new__" and issubclass(thing, Enum):
            continue
        if part is not None and not isinstance(part, _FUNCTIONS):
            return f"the class {thing.__name__}, whose {name} is no function of Python's"
    return ""


def _is_pythons(name: str, part: Any) -> bool:
    """Whether what stands under a name of Python's is of a kind that Python writes there."""
    if name == "__dataclass_fields__":
        return type(part) is dict and all(type(field) is Field for field in part.values())
    if not name.startswith("__") or isinstance(part, _FUNCTIONS):
        return True
    return type(part) in PLAIN or is_of_a_library(type(part))


def _is_base(base: type, kind: type) -> bool:
    home = base.__module__.partition(".")[0]
    if base in ERRORS or base in {object, tuple, BaseException} or issubclass(base, Enum):
        return True
    if base in _BASES and issubclass(kind, Enum):
        return True
    if home in {"typing", "abc"} or (home == "collections" and base.__module__.endswith("abc")):
        return True
    return home == "theory"


def _is_odd(array: Any) -> bool:
    derived = isinstance(array, np.ndarray) and type(array) is not np.ndarray
    return derived or array.dtype.kind not in "biufcO"


def _inner(thing: Any) -> object:
    """Return what cannot be walked over: what an array holds, what a cache was asked."""
    if isinstance(thing, _LRU):
        info = thing.cache_info()
        return info.misses, info.currsize
    if isinstance(thing, np.ndarray | np.generic):
        whole = tuple(map(id, thing.ravel())) if thing.dtype.hasobject else thing.tobytes()
        return thing.shape, str(thing.dtype), whole
    if isinstance(thing, type | FunctionType) and is_of_a_library(thing):
        return _dictionary(thing)
    return None


def _contents(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yield what an object holds by its kind."""
    if isinstance(thing, FunctionType):
        yield from _parts_of_function(thing)
    elif isinstance(thing, MethodType):
        yield "", thing.__self__
        yield "", thing.__func__
    elif isinstance(thing, BuiltinMethodType):
        if not isinstance(thing.__self__, ModuleType | type | None):
            yield "", thing.__self__
    elif isinstance(thing, _LRU):  # what it returned before is reached through it alone
        own = thing.__dict__
        yield from ((f".{n}", part) for n, part in own.items() if n != "cache_parameters")
        held = (part for part in gc.get_referents(thing) if part is not own)
        yield from (("", part) for part in held if not isinstance(part, type))
    elif isinstance(thing, functools.partial):
        inside = (thing.func, thing.args, thing.keywords, thing.__dict__)
        yield from (("", part) for part in inside)
    elif isinstance(thing, functools.cached_property):
        own = {name: part for name, part in vars(thing).items() if name != "lock"}
        yield from ((f".{name}", part) for name, part in own.items())
    elif isinstance(thing, CellType):
        yield from _content(thing)
    elif isinstance(thing, dict):
        for key, value in list(dict.items(thing)):
            yield f"[{_short(key)}]", value
            if type(key) not in PLAIN:
                yield " with a key", key
        if isinstance(thing, collections.defaultdict):
            yield " by default", thing.default_factory
    elif isinstance(thing, list | tuple | deque):
        base: Any = next(kind for kind in (list, tuple, deque) if isinstance(thing, kind))
        yield from ((f"[{k}]", part) for k, part in enumerate(base.__iter__(thing)))
    elif isinstance(thing, set | frozenset):
        yield from ((f" with {_short(part)}", part) for part in list(thing))
    elif isinstance(thing, ModuleType):
        if not is_librarys(thing.__name__):
            named = list(vars(thing).items())
            yield from ((f".{name}", part) for name, part in named if not name.startswith("__"))
    elif isinstance(thing, property):
        yield from (("", part) for part in (thing.fget, thing.fset, thing.fdel))
    elif isinstance(thing, staticmethod | classmethod):
        yield "", thing.__func__
    elif isinstance(thing, np.ndarray) and thing.dtype.hasobject:
        yield from ((f"[{k}]", part) for k, part in enumerate(thing.ravel().tolist()))
    elif isinstance(thing, _VIEWS):
        yield from (("", part) for part in gc.get_referents(thing) if not isinstance(part, type))


def _parts(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yield what an object holds, with what to call it."""
    yield from _contents(thing)
    if isinstance(thing, type):
        if not is_of_a_library(thing):
            for name, part in list(vars(thing).items()):
                if _tells(name, part):
                    yield f".{name}", part
                elif isinstance(part, FunctionType):
                    yield from _parts_of_function(part)
            yield from (("", base) for base in thing.__bases__ if not is_of_a_library(base))
        return
    if isinstance(thing, FunctionType | ModuleType | CellType | MethodType):
        return
    own = _own(thing)
    yield from ((f".{name}", part) for name, part in own.items())
    kind = type(thing)
    if isinstance(thing, CodeType) or (is_of_a_library(kind) and not _is_theorys(kind)):
        return
    for base in kind.__mro__:
        for name, slot in list(vars(base).items()):
            if isinstance(slot, MemberDescriptorType):
                try:
                    yield f".{name}", slot.__get__(thing)
                except AttributeError:
                    continue
    if not is_of_a_library(kind):
        yield "", kind


def _own(thing: Any) -> dict[str, Any]:
    seen_elsewhere = functools.partial | _LRU | functools.cached_property
    if not type(thing).__dictoffset__ or isinstance(thing, seen_elsewhere):
        return {}
    try:
        own = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}
    return dict(own) if isinstance(own, dict) else {}


def _is_theorys(kind: type) -> bool:
    return kind.__module__.startswith("theory.") and kind is not Term


def _parts_of_function(function: FunctionType) -> Iterator[tuple[str, Any]]:
    name = function.__name__
    inner = unchecked(function)
    if inner is not function:
        yield "", inner
        return
    if not is_followed(function):  # what a decorator of a library made holds the user's
        for cell in function.__closure__ or ():
            yield from (part for part in _content(cell) if type(part[1]) not in PLAIN)
        yield from (("", part) for part in (function.__defaults__, function.__kwdefaults__) if part)
        yield f" attributes of {name}", function.__dict__
        return
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    for free, cell in cells:
        yield f" {free} of {name}", cell
    yield f" defaults of {name}", function.__defaults__
    yield f" defaults of {name}", function.__kwdefaults__
    yield f" attributes of {name}", function.__dict__
    names = _names(function.__code__)
    for known in sorted({*names, *(name.partition(".")[0] for name in names)}):
        if known in function.__globals__:
            yield f" {known}", function.__globals__[known]
        elif known in vars(builtins):
            yield f" {known}", vars(builtins)[known]
        elif isinstance(sys.modules.get(known), ModuleType):
            yield f" {known}", sys.modules[known]


def _names(code: CodeType) -> set[str]:
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*inner)


def _content(cell: CellType) -> Iterator[tuple[str, Any]]:
    try:
        yield "", cell.cell_contents
    except ValueError:  # an empty one
        return


def _tells(name: str, part: Any) -> bool:
    """Whether an entry of a class is its author's, and not Python's own."""
    fixed = GetSetDescriptorType | MemberDescriptorType | WrapperDescriptorType
    if isinstance(part, fixed | MethodDescriptorType) or name == "_abc_impl":
        return False
    function = part.__func__ if isinstance(part, staticmethod | classmethod) else part
    if isinstance(function, FunctionType):
        home = str(function.__globals__.get("__name__"))
        made = home in _DECORATING and is_of_a_library(function)
        return not (made and is_written_in(home, function.__code__))
    return not (name in _SET_BY_PYTHON and name.startswith("__"))


_DECORATING: Final = frozenset(
    {"functools", "typing", "enum", "abc", "dataclasses", "collections", "reprlib"}
)
"""Modules of Python that write special methods into the classes of others."""


def _short(value: object) -> str:
    return repr(value)[:40] if type(value) in PLAIN else f"a {type(value).__name__}"
