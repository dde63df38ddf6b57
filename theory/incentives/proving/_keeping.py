"""What a mechanism keeps from call to call: everything that its code can reach and change."""

from __future__ import annotations

import decimal
import functools
import gc
import random
import sys
from array import array
from collections import deque
from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from dataclasses import dataclass
from fractions import Fraction
from types import (
    BuiltinMethodType,
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final

import numpy as np

from theory.incentives.proving._forbidden import forbidden, is_librarys
from theory.incentives.proving._watching import is_followed
from theory.proofs import Term, Tracer

__all__ = ["Kept", "kept_by", "what_changed"]


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept, by where; and what code holds that no proof may rest on, empty for nothing."""

    entries: dict[str, object]
    forbidden: str


_MOST: Final = 20_000
"""The most objects that are looked at."""

_PLAIN: Final = (int, float, complex, str, bytes, type(None), bool)
_VIEWS: Final = (MappingProxyType, KeysView, ValuesView, ItemsView, slice)
"""What shows another object, which is reached through it alone."""

_LRU: Final = type(functools.lru_cache(lambda: None))


def kept_by(*roots: Any) -> Kept:
    """Return all that is kept by what code can reach, by where it is.

    Followed are closures, defaults, the globals that code names, attributes of objects and classes,
    and containers. An iterator or a generator of Python's is forbidden: to read it is to change it.
    What libraries keep is not followed.
    """
    entries: dict[str, object] = {}
    seen: dict[int, Any] = {}  # kept, so that no identity is given twice
    waiting: deque[tuple[str, Any, bool]] = deque(("", root, False) for root in roots)
    held = ""

    def note(where: str, what: object) -> None:
        while where in entries:
            where += "'"
        entries[where] = what

    while waiting and len(seen) < _MOST:
        where, thing, judged = waiting.popleft()
        if type(thing) in _PLAIN:
            note(where, (type(thing), thing))
            continue
        note(where, id(thing))
        if id(thing) in seen or isinstance(thing, Term | Tracer):
            continue
        seen[id(thing)] = thing
        told = forbidden(thing) if judged else ""
        if told and not held:
            held = f"{where.strip()} holds {told}"
        if not held and isinstance(thing, Iterator) and is_librarys(type(thing).__module__):
            held = f"{where.strip()} holds a {type(thing).__name__}, which changes as it is read"
        inner = _inner(thing)
        if inner is not None:
            note(f"the state of {where}", inner)
        if isinstance(thing, dict):
            note(f"the order of {where}", tuple(map(_short, thing)))
        named = isinstance(thing, FunctionType | CellType | MethodType)  # judged where it is used
        for name, part in _parts(thing):
            waiting.append((f"{where}{name}", part, not named))
    if waiting and not held:
        held = f"more than {_MOST:,} objects, the limit"
    note("the context of decimals", repr(decimal.getcontext()))
    return Kept(entries, held)


def what_changed(before: Kept, after: Kept) -> str:
    """Return where something is kept that changed; empty where nothing did."""
    first, second = before.entries, after.entries
    for where in (*first, *second):
        if where not in first or where not in second or first[where] != second[where]:
            return where.strip()
    return ""


def _inner(thing: Any) -> object:
    """Return what cannot be walked over: what an array holds, where a random generator stands."""
    if isinstance(thing, _LRU):
        info = thing.cache_info()
        return info.misses, info.currsize
    if isinstance(thing, np.ndarray | np.generic):
        return tuple(map(id, thing.ravel())) if thing.dtype.hasobject else thing.tobytes()
    if isinstance(thing, bytearray | array | memoryview):
        return bytes(thing)
    if isinstance(thing, Fraction):
        return thing.numerator, thing.denominator
    if isinstance(thing, int | float | complex | str | bytes):
        return repr(thing)
    if isinstance(thing, BaseException):
        return repr((thing.__reduce__(), getattr(thing, "errno", None)))
    if isinstance(thing, random.Random):
        return thing.getstate()
    if isinstance(thing, np.random.Generator):
        return repr(thing.bit_generator.state)
    if isinstance(thing, decimal.Context):
        return repr(thing)
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
        yield from (("", part) for part in gc.get_referents(thing))
    elif isinstance(thing, BaseException):
        yield ".args", thing.args
    elif isinstance(thing, functools.partial):
        yield from (("", part) for part in (thing.func, thing.args, thing.keywords))
    elif isinstance(thing, CellType):
        yield from _content(thing)
    elif isinstance(thing, dict):
        for key, value in list(thing.items()):
            yield f"[{_short(key)}]", value
    elif isinstance(thing, list | tuple | deque):
        yield from ((f"[{k}]", part) for k, part in enumerate(list(thing)))
    elif isinstance(thing, set | frozenset):
        yield "'s length", len(thing)
        yield from ((f" with {_short(part)}", part) for part in list(thing))
    elif isinstance(thing, ModuleType):
        if not is_librarys(thing.__name__):
            yield from ((f".{name}", part) for name, part in list(vars(thing).items()))
    elif isinstance(thing, property):
        yield from (("", part) for part in (thing.fget, thing.fset, thing.fdel))
    elif isinstance(thing, staticmethod | classmethod):
        yield "", thing.__func__
    elif isinstance(thing, np.ndarray) and thing.dtype.hasobject:
        yield from ((f"[{k}]", part) for k, part in enumerate(thing.ravel().tolist()))
    elif isinstance(thing, _VIEWS):
        yield from (("", part) for part in gc.get_referents(thing))


def _parts(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yield what an object holds, with what to call it."""
    yield from _contents(thing)
    if isinstance(thing, type):
        if not is_librarys(thing.__module__):
            yield from ((f".{n}", p) for n, p in list(vars(thing).items()) if _tells(n, p))
            yield from (("", base) for base in thing.__bases__)
            if not is_librarys(type(thing).__module__):
                yield "", type(thing)
        return
    if isinstance(thing, FunctionType | ModuleType):
        return
    own = getattr(thing, "__dict__", None)
    if isinstance(own, dict):
        yield from ((f".{name}", part) for name, part in list(own.items()))
    if not isinstance(thing, CodeType) and not is_librarys(type(thing).__module__):
        for kind in type(thing).__mro__:
            for name, slot in list(vars(kind).items()):
                if isinstance(slot, MemberDescriptorType):
                    try:
                        yield f".{name}", slot.__get__(thing)
                    except AttributeError:
                        continue
        yield "", type(thing)


def _parts_of_function(function: FunctionType) -> Iterator[tuple[str, Any]]:
    name = function.__name__
    if not is_followed(function):
        return
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    for free, cell in cells:
        yield f" {free} of {name}", cell
    yield f" defaults of {name}", function.__defaults__
    yield f" defaults of {name}", function.__kwdefaults__
    yield f" attributes of {name}", function.__dict__
    yield f" the text of {name}", function.__doc__
    for known in sorted(_names(function.__code__)):
        if known in function.__globals__:
            yield f" {known}", function.__globals__[known]
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
    return name not in {"__dict__", "__weakref__"} and not isinstance(part, GetSetDescriptorType)


def _short(value: object) -> str:
    return repr(value)[:40] if isinstance(value, _PLAIN) else f"a {type(value).__name__}"
