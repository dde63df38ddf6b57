"""Whose a piece of code is: the user's, of a package, Python's own, or ours."""

from __future__ import annotations

import sys
import sysconfig
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from os.path import dirname, join
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final

import theory
from theory._frames import home

__all__ = [
    "WRITTEN",
    "Whose",
    "is_followed",
    "is_genuine",
    "is_librarys",
    "is_of_a_library",
    "is_true",
    "is_written_in",
    "unchecked",
    "whose",
    "words",
]


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


class Whose(Enum):
    """Whose a piece of code is. That of the user and of packages is judged, wherever it runs."""

    OURS = 0
    USERS = 1
    PACKAGES = 2
    PYTHONS = 3


WRITTEN: Final = frozenset({Whose.USERS, Whose.PACKAGES})
"""Whose code is followed and judged; that of Python is followed where such code calls it."""

_PATHS: Final = sysconfig.get_paths()
_INSTALLED: Final = (_PATHS["purelib"], _PATHS["platlib"])
_STANDARD: Final = (_PATHS["stdlib"], _PATHS["platstdlib"])


def _installed(name: str) -> str:
    found = find_spec(name)
    return dirname(found.origin) if found is not None and found.origin else f"<{name}>"


_MAKING: Final = (
    *(join(_installed(name), "") for name in ("sympy", "jaxtyping", "beartype")),
    "<@beartype(",
)
"""Where code stands that makes code of texts, and calls it."""

_OURS: Final = (
    join(dirname(theory.__file__), ""),
    join(_installed("numpy"), ""),
    *_MAKING,
    *(
        str(import_module(name).__file__)  # the last three run when Python finds it convenient
        for name in ("fractions", "numbers", "warnings", "weakref", "_weakrefset")
    ),
    "<frozen ",
)
_UNWATCHED: Final = frozenset({"theory", "numpy", "sympy", "jaxtyping", "beartype"})
_ROOTS: Final = _UNWATCHED | words(
    """
    fractions numbers warnings weakref _weakrefset abc importlib _collections_abc collections os
    codecs io zipimport posixpath ntpath genericpath stat site
    """
)


def whose(frame: FrameType) -> Whose:
    """Return whose the code of a frame says it is, by where it stands."""
    name = frame.f_code.co_filename
    if name == "<string>":  # as dataclasses make methods, for instance
        return _of_text(frame)
    if name.startswith(_OURS):
        return Whose.OURS
    if name.startswith(_INSTALLED):  # first, since it may lie within that of Python
        return Whose.PACKAGES
    return Whose.PYTHONS if name.startswith(_STANDARD) else Whose.USERS


def is_true(frame: FrameType, claimed: Whose) -> bool:
    """Whether code is whose it says: code of ours, and of Python, runs in its own module."""
    if claimed in WRITTEN:
        return True
    root = home(frame).partition(".")[0]
    if claimed is Whose.OURS:
        return root in _ROOTS or (frame.f_code.co_filename.startswith("<") and _is_made(frame))
    return _is_pythons(root)


def _of_text(frame: FrameType) -> Whose:
    root = home(frame).partition(".")[0]
    if not root:  # a namedtuple's methods are made so
        return Whose.OURS if _is_made(frame) else Whose.USERS
    if root in _ROOTS:
        return Whose.OURS
    return Whose.PYTHONS if _is_pythons(root) else Whose.USERS


def _is_made(frame: FrameType) -> bool:
    """Whether SymPy made the code of a text, or type checks that the process has turned on."""
    caller = frame.f_back
    if caller is None:
        return False
    if home(caller).startswith("sympy."):
        return True
    return _are_types_checked() and caller.f_code.co_filename.startswith(_MAKING)


def _are_types_checked() -> bool:
    return any(type(finder).__module__ == "jaxtyping._import_hook" for finder in sys.meta_path)


def unchecked(function: FunctionType) -> FunctionType:
    """Return what a function does, without the type checks that the process has turned on."""
    inner = function.__dict__.get("__wrapped__")
    checking = function.__globals__.get("__name__") == "jaxtyping._decorator"
    if not checking or not isinstance(inner, FunctionType) or not _are_types_checked():
        return function
    return unchecked(inner)


def _is_pythons(root: str) -> bool:
    return root in sys.stdlib_module_names and root != "__main__"


def is_followed(function: FunctionType) -> bool:
    """Whether the code of a function is of the user's or of a package, and not Python's or ours."""
    return _is_written(function.__code__)


def _is_written(code: CodeType) -> bool:
    name = code.co_filename
    if name.startswith(_OURS):
        return False
    return name.startswith(_INSTALLED) or not name.startswith(_STANDARD)


def is_librarys(module: object) -> bool:
    """Whether a module, by its name, is Python's own, or of a library that is not watched."""
    root = module.partition(".")[0] if type(module) is str else ""
    return root in _UNWATCHED or _is_pythons(root)


def is_of_a_library(thing: type | FunctionType) -> bool:
    """Whether a class or a function is a library's, and does not only say so."""
    if isinstance(thing, FunctionType):
        home = thing.__globals__.get("__name__")
        module = sys.modules.get(home) if type(home) is str else None
        return is_librarys(home) and getattr(module, "__dict__", None) is thing.__globals__
    if not thing.__flags__ & _MADE:
        return True
    return is_librarys(thing.__module__) and is_genuine(thing)


_MADE: Final = 1 << 9
"""The flag of classes that are made while a program runs, as all are that a user writes."""


def is_genuine(kind: type) -> bool:
    """Whether a class is the one that its module has by its name."""
    names = kind.__module__, kind.__qualname__
    if any(type(name) is not str for name in names):
        return False
    found: Any = sys.modules.get(names[0])
    for name in names[1].split("."):
        if not isinstance(found, ModuleType | type):
            return False
        found = vars(found).get(name)
    return found is kind


def is_written_in(module: str, code: CodeType) -> bool:
    """Whether a piece of code stands in a module of Python's, at any depth."""
    return id(code) in _codes_of(module)


@cache
def _codes_of(module: str) -> dict[int, CodeType]:
    """Return all code of a module, kept by its identity."""
    found: dict[int, CodeType] = {}
    waiting: list[Any] = list(vars(sys.modules[module]).values())
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, type) and thing.__module__ == module:
            waiting += vars(thing).values()
        elif isinstance(thing, staticmethod | classmethod):
            waiting.append(thing.__func__)
        elif isinstance(thing, FunctionType):
            waiting.append(thing.__code__)
        elif isinstance(thing, CodeType) and id(thing) not in found:
            found[id(thing)] = thing
            waiting += thing.co_consts
    return found
