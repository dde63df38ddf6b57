"""Whose a piece of code is: a library's that is trusted, or anybody else's, which is judged."""

from __future__ import annotations

import builtins
import sys
from collections import deque
from functools import cache
from os.path import dirname, join
from types import (
    CodeType,
    FrameType,
    FunctionType,
    ModuleType,
    NoneType,
)
from typing import Any, Final

import jaxtyping

import theory
from theory._frames import running_module

__all__ = [
    "has_plain_globals",
    "is_librarys",
    "is_of_a_library",
    "is_ours",
    "is_trusted",
    "is_written",
    "is_written_in",
    "without_type_checks",
    "words",
]


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_UNWATCHED: Final = frozenset({"theory", "numpy", "sympy", "jaxtyping", "beartype"})
_PACKAGES: Final = frozenset({"mechanisms", "papers"})
"""The packages of this library that are followed, and may use the definitions of `theory`."""


_CHECKING: Final = (
    "<@beartype(",
    "<string>",
    *(join(dirname(module.__file__ or "-"), "") for module in (theory, jaxtyping)),
)
"""Where the code stands that checks types while tests run, and what is checked."""


def _are_types_checked() -> bool:
    """Whether types of this library are checked, as they are while its tests run."""
    return bool(_CHECKED) or _look_for_checks()


def _look_for_checks() -> bool:
    for name, module in list(sys.modules.items()):
        loader = type(getattr(module, "__loader__", None))
        if name.startswith("theory.") and loader.__module__ == "jaxtyping._import_hook":
            _CHECKED.append(name)
    return bool(_CHECKED)


_CHECKED: Final[list[str]] = []


def without_type_checks(function: FunctionType) -> FunctionType:
    """Return what a function does, without the type checks that the process has turned on."""
    inner = function.__dict__.get("__wrapped__")
    checking = function.__globals__.get("__name__") == "jaxtyping._decorator"
    if not checking or not isinstance(inner, FunctionType) or not _are_types_checked():
        return function
    return without_type_checks(inner)


def _is_pythons(root: str) -> bool:
    return root in sys.stdlib_module_names and root != "__main__"


def is_librarys(module: object) -> bool:
    """Whether a module, by its name, is Python's own, or of a library that is not followed."""
    root = module.partition(".")[0] if type(module) is str else ""
    return root in _UNWATCHED or _is_pythons(root)


def _home(function: FunctionType) -> str:
    """Return the name of the module that a function runs in; empty where it only claims to."""
    home = function.__globals__.get("__name__")
    module = sys.modules.get(home) if type(home) is str else None
    return str(home) if getattr(module, "__dict__", None) is function.__globals__ else ""


def _stands_here(home: str) -> bool:
    """Whether a module stands in a folder of this library, and not only bears such a name."""
    return str(getattr(sys.modules.get(home), "__file__", "")).startswith(_ROOT)


_ROOT: Final = join(dirname(dirname(theory.__file__)), "")


def is_ours(function: FunctionType) -> bool:
    """Whether a function is of this library's mechanisms, which may use `theory`."""
    home = _home(function)
    stands = home.partition(".")[0] in _PACKAGES and _stands_here(home)
    return stands and is_written_in(home, function.__code__)


def is_of_a_library(thing: type | FunctionType) -> bool:
    """Whether a class or a function is a library's, and does not only say so."""
    if type(thing) is FunctionType:
        return is_librarys(_home(thing))
    if not _flags(thing) & _MADE or id(thing) in _NOWHERE:
        return True
    home = vars(thing).get("__module__")
    return is_librarys(home) and _is_found(thing, home, vars(type)["__qualname__"].__get__(thing))


_flags: Final[Any] = vars(type)["__flags__"].__get__
_NOWHERE: Final = frozenset(map(id, (type(reversed(deque())), type(iter(deque())))))
"""Classes of Python's that its modules do not hold by their names, from some version on."""

_MADE: Final = 1 << 9
"""The flag of classes that are made while a program runs, as all are that a user writes."""


def _is_found(thing: object, home: object, path: object) -> bool:
    """Whether a module has a thing by its name."""
    if type(home) is not str or type(path) is not str:
        return False
    found: Any = sys.modules.get(home)
    for name in path.split("."):
        if not isinstance(found, ModuleType | type):
            return False
        found = vars(found).get(name)
        if type(found) in (staticmethod, classmethod):
            found = found.__func__
        elif type(found) is property:
            found = found.fget
    return found is thing


def is_trusted(function: FunctionType) -> bool:
    """Whether a function is one that `theory` has by its name."""
    home = function.__module__
    ours = type(home) is str and home.startswith("theory.") and _stands_here(home)
    return ours and _is_found(function, home, function.__qualname__)


def has_plain_globals(function: FunctionType) -> bool:
    """Whether globals, builtins and defaults of a function are tables of Python's."""
    known = function.__globals__
    own = getattr(function, "__builtins__", None)
    given, only = function.__defaults__, function.__kwdefaults__
    exact = type(given) in {tuple, NoneType} and (only is None or _has_texts(only))
    return type(known) is dict and own is vars(builtins) and exact


_WRITTEN: Final[dict[tuple[int, int], tuple[CodeType, dict[str, Any], bool]]] = {}
"""By code and globals, which are kept, so that no others take their place."""


def _has_texts(table: Any) -> bool:
    return type(table) is dict and all(type(name) is str for name in table)


def is_written_in(module: str, code: CodeType) -> bool:
    """Whether a piece of code stands in a module, at any depth."""
    return code in _codes_of(module)


def is_written(frame: FrameType) -> bool:
    """Whether a frame runs code that is no library's: it is known by the code itself."""
    code, known = frame.f_code, frame.f_globals
    found = _WRITTEN.get((id(code), id(known)))
    if found is None:
        found = _WRITTEN[id(code), id(known)] = code, known, _is_written(frame)
    return found[2]


def _is_written(frame: FrameType) -> bool:
    module = running_module(frame)
    code = frame.f_code
    if code.co_filename.startswith(_CHECKING) and _are_types_checked():
        return False
    if not is_librarys(module):
        return True
    return code not in _codes_of(module)


@cache
def _codes_of(module: str) -> frozenset[CodeType]:
    """Return all code of a module: what its file has, and what was made for its classes."""
    known = sys.modules[module]
    spec = getattr(known, "__spec__", None)
    loader = getattr(spec, "loader", None)
    try:
        whole = loader.get_code(module)  # type: ignore[union-attr]
    except (AttributeError, ImportError):
        whole = None
    found: set[CodeType] = set()
    seen: set[int] = set()
    waiting: list[Any] = [whole, *vars(known).values()]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, type) and thing.__module__ == module:  # dataclasses make methods
            waiting += vars(thing).values()
        elif isinstance(thing, staticmethod | classmethod):
            waiting.append(thing.__func__)
        elif isinstance(thing, FunctionType):
            waiting += (thing.__code__, *vars(thing).values())
        elif isinstance(thing, CodeType):
            found.add(thing)
            waiting += thing.co_consts
    return frozenset(found)
