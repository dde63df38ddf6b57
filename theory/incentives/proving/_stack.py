"""Values on the stack: what the machine keeps of its own, and how Python's are compared with them.

Python tells its tracing which instruction comes next, and not what lies on the stack. So the
stack is read where CPython keeps it, from 3.11 to 3.13, at the depth that the machine has there.
"""

from __future__ import annotations

import collections
import ctypes
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from fractions import Fraction
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
)
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory.incentives.proving._allowed_code import ITERATORS, PLAIN
from theory.incentives.proving._classes import descends, is_a_class, own_attributes
from theory.incentives.proving._code_owner import is_of_a_library
from theory.incentives.proving._object_kinds import CHANGEABLE, base_array
from theory.proofs import Term

if TYPE_CHECKING:
    from theory.incentives.proving._arrays import Arrays

__all__ = [
    "NULL",
    "StackValues",
    "count_variables",
    "is_null",
    "is_readable",
    "pop_many",
    "read_stack",
    "watch_instructions",
]

RUNS_FOREIGN_CODE: Final = True
"""What is asked of symbols here, the code asks that is run."""

_INNER: Final = 24
"""Where a frame says where CPython keeps what runs, in bytes."""

_VALUES: Final = 72
"""Where local variables and then the stack begin there."""

_DEEPEST: Final = 1
_WIDEST: Final = 64
"""How far into a container, and how many of its members, values are compared."""


class _Empty:
    """Stands for what is not there."""


NULL: Final = _Empty()
"""Stands on a stack where there is no ``self``."""


def is_null(stack: list[Any], place: int) -> bool:
    """Whether nothing lies at a place of a stack, counted from its end."""
    return len(stack) >= -place and stack[place] is NULL


def pop_many(stack: list[Any], count: int) -> list[Any]:
    """Take things off the end of a stack; return them in the order in which they lay there."""
    found = stack[len(stack) - count :]
    del stack[len(stack) - count :]
    return found


def _at(place: int) -> int:
    return ctypes.c_void_p.from_address(place).value or 0


def count_variables(code: CodeType) -> int:
    """Return how many variables of a function lie before its stack."""
    own = set(code.co_varnames)
    cells = [name for name in code.co_cellvars if name not in own]
    return len(code.co_varnames) + len(cells) + len(code.co_freevars)


def read_stack(frame: FrameType, begin: int, depth: int, count: int) -> list[Any]:
    """Return what lies on top of a stack of some depth, the last first; fewer where it is lower.

    The stack begins after so many variables; see :func:`count_variables`.
    """
    inner = _at(id(frame) + _INNER)
    places = range(depth - 1, max(depth - 1 - count, -1), -1)
    held = [_at(inner + _VALUES + 8 * (begin + place)) for place in places]
    return [ctypes.cast(each, ctypes.py_object).value if each else NULL for each in held]


def is_readable() -> bool:
    """Whether this interpreter keeps stacks where they are read: tried once, on a known one."""
    if not _READABLE:
        _READABLE.append(_try_to_read())
    return _READABLE[0]


_READABLE: Final[list[bool]] = []


def _try_to_read() -> bool:
    known = sys.implementation.name == "cpython" and sys.version_info[:2] in _VERSIONS
    threads = sysconfig.get_config_var("Py_GIL_DISABLED")
    debug = hasattr(sys, "gettotalrefcount") or hasattr(sys, "getobjects")
    if not known or ctypes.sizeof(ctypes.c_void_p) != 8 or threads or debug:
        return False
    marks = object(), object()
    found: list[bool] = []

    probe: Any = lambda first, second: (first, second)  # noqa: E731 - types of it cannot be checked

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code is probe.__code__ and event == "line":
            inner = _at(id(frame) + _INNER)
            local = [_at(inner + _VALUES + 8 * place) for place in range(2)]
            found.append(local == [id(marks[0]), id(marks[1])])
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        probe(*marks)
    finally:
        sys.settrace(before)
    return bool(found) and all(found)


@contextmanager
def watch_instructions(
    codes: Iterable[CodeType], tell: Callable[[CodeType, int], object]
) -> Iterator[None]:
    """Have Python tell of each instruction of some code, from 3.12 on: tracing tells it before."""
    if sys.version_info < (3, 12):
        yield
        return
    told = [*codes]
    monitoring = sys.monitoring
    tool = next(each for each in range(5, -1, -1) if monitoring.get_tool(each) is None)
    monitoring.use_tool_id(tool, __name__)
    monitoring.register_callback(tool, monitoring.events.INSTRUCTION, tell)
    try:
        for code in told:
            monitoring.set_local_events(tool, code, monitoring.events.INSTRUCTION)
        yield
    finally:
        for code in told:
            monitoring.set_local_events(tool, code, 0)
        monitoring.register_callback(tool, monitoring.events.INSTRUCTION, None)
        monitoring.free_tool_id(tool)


_VERSIONS: Final = {(3, 11), (3, 12), (3, 13)}


class StackValues:
    """Keeps values of the machine, and compares Python's with them.

    What was there before the run is the same object in both. What the run made is of the same
    kind, and holds the same; symbols are not looked into, and neither are iterators.
    """

    def __init__(self, machine: Arrays) -> None:
        self._machine = machine
        self._before: dict[int, tuple[Any, Any]] = {}

    def keep(self, thing: Any, depth: int = 0) -> Any:
        """Return what stays of a value of the machine's."""
        kind = type(thing)
        if thing is NULL:
            return thing
        if kind is Fraction or id(kind) in PLAIN:
            return kind, thing if thing == thing else "nan"  # noqa: PLR0124 - what is no number
        if id(thing) in self._machine.as_floats:
            return Term, self._machine.as_floats[id(thing)][1]
        if any(descends(kind, base) for base in (Term, np.generic, BaseException)):
            return (kind,)
        if self._is_before(kind, thing):
            known = self._before.get(id(thing))
            if known is None:  # the run does not change it, so it is looked through once
                alone = is_a_class(thing) or kind in _WITH_IDENTITY
                kept = thing if alone else (kind, self._parts(kind, thing, depth), thing)
                known = self._before[id(thing)] = thing, kept
            return known[1]
        return kind, self._parts(kind, thing, depth)

    def is_same(self, kept: Any, thing: Any, depth: int = 0) -> bool:
        """Whether a value of Python's is what was kept of the machine's."""
        thing = self._machine.original(thing)
        if id(thing) in self._before:
            return kept is thing or (type(kept) is tuple and kept[-1] is thing)
        if type(kept) is tuple and kept[0] is Term and len(kept) == 2:
            # an array of floats holds a number where one of objects, in its place, holds any other
            return type(thing) is Term or (_is_plain(thing) and bool(thing == kept[1]))
        if type(kept) is not tuple or kept[0] is not type(thing):
            return kept is thing or (
                type(kept) is tuple and id(kept[0]) in ITERATORS and not _is_plain(thing)
            )
        if len(kept) == 1:
            return True
        if kept[0] is Fraction or _is_plain(thing):
            return bool(kept[1] == (thing if thing == thing else "nan"))  # noqa: PLR0124
        parts = _parts_of(kept[0], thing)
        return len(parts) == kept[1][0] and all(
            self.is_same(each, part, depth + 1)
            for each, part in zip(kept[1][1], parts[:_WIDEST], strict=False)
        )

    def are_same(self, kept: list[Any], found: list[Any]) -> bool:
        """Whether the values on top of a stack are those that were kept, the last first.

        A method lies there as a function and its object, where the machine has one value.
        """
        if len(kept) == 2 and len(found) == 2:
            empty = [each is NULL for each in kept]
            whole = not any(each is NULL for each in found)
            if any(empty) and whole and not all(empty):
                return self._is_method(kept[empty.index(False)], found[1], found[0])
        return all(map(self.is_same, kept, found))

    def _is_method(self, kept: Any, function: Any, this: Any) -> bool:
        if type(kept) is not tuple or len(kept) < 2:
            return False
        if kept[0] is MethodType:
            function_kept, this_kept = kept[1][1]
            return self.is_same(function_kept, function) and self.is_same(this_kept, this)
        if kept[0] is BuiltinFunctionType and type(function) is MethodDescriptorType:
            name, owner = kept[1][1]
            return name[1] == function.__name__ and self.is_same(owner, this)
        return False

    def _parts(self, kind: type, thing: Any, depth: int) -> tuple[int, list[Any]]:
        parts = _parts_of(kind, thing)
        if depth >= _DEEPEST:
            return len(parts), []
        return len(parts), [self.keep(part, depth + 1) for part in parts[:_WIDEST]]

    def _is_before(self, kind: type, thing: Any) -> bool:
        """Whether a value was there before the run, so that Python must have the same object."""
        if is_a_class(thing) or kind in _WITH_IDENTITY or descends(kind, Enum):
            return not self._machine.is_made(thing)
        changeable = id(kind) in CHANGEABLE or id(kind) in ITERATORS
        if kind is np.ndarray:
            return not self._machine.is_made(base_array(thing))
        own = not is_of_a_library(kind) and not descends(kind, tuple)
        return (changeable or own) and not self._machine.is_made(thing)


_WITH_IDENTITY: Final = {FunctionType, ModuleType}


def _is_plain(thing: Any) -> bool:
    return id(type(thing)) in PLAIN


def _parts_of(kind: type, thing: Any) -> list[Any]:
    """Return what a value holds that the run made, or that is never changed."""
    if any(descends(kind, base) for base in (tuple, list, collections.deque)):
        return list(tuple.__iter__(thing) if descends(kind, tuple) else thing)
    if descends(kind, dict):
        return [part for entry in dict.items(thing) for part in entry]
    if kind is set or kind is frozenset:
        return [len(thing)]
    if kind is FunctionType:
        return [id(thing.__code__)]
    if kind is MethodType:
        return [thing.__func__, thing.__self__]
    if kind is BuiltinFunctionType:
        owner = thing.__self__
        return [thing.__name__, id(owner) if isinstance(owner, ModuleType) else owner]
    if kind is MethodDescriptorType:
        return [thing.__name__, id(thing.__objclass__)]
    if kind is slice:
        return [thing.start, thing.stop, thing.step]
    if kind is range:
        return [len(thing), *thing[:1], *thing[-1:]]
    if kind is np.ndarray:
        return [thing.shape]
    if id(kind) in ITERATORS or is_of_a_library(kind):
        return []
    entries: Iterable[Any] = sorted((own_attributes(thing) or {}).items())
    return [part for entry in entries for part in entry]
