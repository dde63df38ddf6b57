"""Which functions a sweep file may name: the file is data, and must not choose what else is run.

A file may name functions of modules that lie in the current folder, each a file ``NAME.py``, of the
packages ``theory`` and ``mechanisms``, and of the examples of sweeps. Functions of packages, those
in the current folder too, it may name where the command line says so: a folder may have come with
the file. The same goes for modules beside mechproof itself, such as the tools of a checkout, which
start programs. Functions of the standard library and built-ins it may not name, and what counts is
where a function was defined, not under which name a module has it. No part of a name may begin with
``_``: so it leads to nothing private, and not to what Python keeps in a function or a class. Nor
does a name lead from a module into another one that it does not spell out.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from inspect import getmro
from types import FunctionType, MethodType, ModuleType, WrapperDescriptorType
from typing import Any, Final

from mechproof.hidden_packages import HOME, refuse_hidden, search_here
from theory.errors import InvalidInputError

__all__ = ["Permitted"]

_COMPUTING: Final = frozenset({"mechanisms", "theory"})
"""Packages of ours that compute from their arguments, and open, import and start nothing."""
_EXAMPLES: Final = "mechproof.sweep.examples"
_STANDARD: Final = "of the standard library"
_DEEPEST: Final = 20
_FIX: Final = "name a function that a module of the current folder defines, a file NAME.py"


class Permitted:
    """Says of modules and functions whether a file may name them.

    Parameters
    ----------
    packages : iterable of str
        Packages and modules that whoever runs the command allows beside the modules of the current
        folder.

    Raises
    ------
    InvalidInputError
        For a name that is no package, or one of the standard library.
    HiddenPackageError
        Where a folder or a file of somebody else's hides ``theory`` or ``mechanisms``.
    """

    def __init__(self, packages: Iterable[str] = ()) -> None:
        search_here()
        refuse_hidden(*sorted(_COMPUTING))
        self._here = os.getcwd()
        self._allowed = frozenset(packages)
        for package in sorted(self._allowed):
            if _is_standard(package):
                fix = f"{_FIX}, and let that call what it needs"
                raise InvalidInputError("--allow-package", package, f"is {_STANDARD}", fix)
            if not package.isidentifier() or _location(package) is None:
                fix = "give the name of an installed package, such as numpy"
                raise InvalidInputError("--allow-package", package, "is no package", fix)

    def module(self, argument: str, given: str, name: str) -> None:
        """Refuse a private name, and a module that may not be named; nothing is imported for that.

        A module that is not there is let through: importing it says so.

        Raises
        ------
        InvalidInputError
            It names ``argument`` and what was ``given``, and says how to allow the package.
        """
        if any(part.startswith("_") for part in _steps(given).split(".")):
            raise InvalidInputError(argument, given, "has a part that begins with _", _FIX)
        if f"{_steps(given)}.".startswith("theory.shared."):
            raise InvalidInputError(argument, given, "is there for other modules alone", _FIX)
        top = name.partition(".")[0]
        if self._permits(name) or (top.isidentifier() and _location(top) is None):
            return
        raise self._refusal(argument, given, f"names a module {self._kind(name)}", name)

    def value(self, argument: str, given: str, value: Any) -> None:
        """Refuse a module that is not spelt out, and what is defined where the file may not look.

        Raises
        ------
        InvalidInputError
            As :meth:`module`.
        """
        if isinstance(value, ModuleType):
            if not _steps(given).startswith(f"{value.__name__}."):
                problem = f"leads into a module {self._kind(value.__name__)}"
                raise InvalidInputError(argument, given, problem, _FIX)
        elif callable(value):
            home = self._home(value, 0)
            if home is None:
                return
            where = f"in {home}, {self._kind(home)}" if home else "in no module"
            raise self._refusal(argument, given, f"is defined {where}", home)

    def _refusal(self, argument: str, given: str, problem: str, name: str) -> InvalidInputError:
        top = name.partition(".")[0]
        open_to = top.isidentifier() and not _is_standard(top)
        more = f", or allow the package by --allow-package {top}" if open_to else ""
        return InvalidInputError(argument, given, problem, _FIX + more)

    def _permits(self, name: str) -> bool:
        top = name.partition(".")[0]
        if _is_standard(top):
            return False
        if top in self._allowed or top in _COMPUTING or name == _EXAMPLES:
            return True
        return top == name and _is_module_in(self._here, top) and not _is_module_in(HOME, top)

    def _kind(self, name: str) -> str:
        top = name.partition(".")[0]
        if _is_standard(top):
            return _STANDARD
        own = top == name and _is_module_in(
            self._here, top
        )  # and refused: where one stands mechproof is, too
        return "beside mechproof itself" if own else f"of the package {top}"

    def _home(self, value: Any, depth: int) -> str | None:
        """Return None for what is permitted, else the module in which the code that runs stands.

        The code is that of the function under partial functions and bound methods, of the methods
        that make an instance of a class, or that an instance is called by.
        """
        if depth > _DEEPEST:
            return ""
        if isinstance(value, functools.partial):
            return self._home(value.func, depth + 1)
        if isinstance(value, MethodType):
            return self._home(value.__func__, depth + 1)
        if isinstance(value, type):
            return self._home_of_class(value, depth)
        home: str | None
        if isinstance(value, FunctionType):
            home = str(value.__globals__.get("__name__") or "")
            if self._permits(home):
                return None
        elif not isinstance(call := type(value).__call__, WrapperDescriptorType):
            home = self._home(call, depth + 1)
            if home is None:
                return None
        else:
            home = _module_of(value)
            if self._permits(home) and not hasattr(value, "__wrapped__"):
                return None  # compiled, in a module that may be named
        if "__wrapped__" in getattr(value, "__dict__", {}):  # a decorator of another module
            return self._home(vars(value)["__wrapped__"], depth + 1)
        return home

    def _home_of_class(self, kind: type, depth: int) -> str | None:
        for owner, name in ((type(kind), "__call__"), (kind, "__new__"), (kind, "__init__")):
            made = getattr(owner, name)
            plain = made in (type.__call__, object.__new__, object.__init__)
            home = None if plain else self._home(made, depth + 1)
            if home is not None:
                return home
        return None if self._permits(kind.__module__) else kind.__module__


def _is_standard(top: str) -> bool:
    return top in sys.stdlib_module_names or top in sys.builtin_module_names


def _is_module_in(folder: str, top: str) -> bool:
    """Whether the module of this name is a file ``NAME.py`` that lies in a folder."""
    home, file = os.path.split(_location(top) or "")
    try:
        return file == f"{top}.py" and os.path.samefile(home, folder)
    except OSError:
        return False


def _steps(given: str) -> str:
    """Return all parts of a name, with dots between them."""
    return given.replace(":", ".")


def _module_of(value: Any) -> str:
    """Return the module of the compiled code that a call runs: it may be that of a base class."""
    owner = getattr(value, "__self__", None)
    if owner is None or isinstance(owner, ModuleType):
        name = getattr(value, "__module__", None)
        if isinstance(name, str) and type(value).__module__ == "builtins":
            return name
        owner, method = value, "__call__"
    else:
        method = getattr(value, "__name__", "")
    kinds = (*(getmro(owner) if isinstance(owner, type) else ()), *getmro(type(owner)))
    return next((kind.__module__ for kind in kinds if method in vars(kind)), "")


def _location(top: str) -> str | None:
    """Return the file of a module or the folder of a package; None where there is neither."""
    try:
        spec = find_spec(top)
    except (ImportError, ValueError, AttributeError):
        return ""
    if spec is None:
        return None
    if spec.submodule_search_locations is not None:
        return next(iter(spec.submodule_search_locations), "")
    return spec.origin or ""
