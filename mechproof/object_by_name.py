"""What stands under a name ``module:name``."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from mechproof.code_location import raised_at
from mechproof.hidden_packages import search_here
from mechproof.unknown_names import unknown_name
from theory.errors import InvalidInputError, MechproofError

__all__ = ["NameGuard", "load_named", "make_named"]


@runtime_checkable
class NameGuard(Protocol):
    """Raises where a module must not be imported, or a value not be named."""

    def module(self, argument: str, given: str, name: str, /) -> None:
        """Refuse a module before it is imported."""

    def value(self, argument: str, given: str, value: Any, /) -> None:
        """Refuse a value on the way to what is named."""


def load_named(name: str, argument: str, what: str, guard: NameGuard | None = None) -> Any:
    """Return what ``module:name`` names; the current directory is searched first.

    Without ``guard`` anything may be named: the name is the user's own, from the command line.

    Parameters
    ----------
    name : str
        A module and, after the colon, a name in it, with dots for names in names.
    argument, what : str
        Where the name was given, and what it should name: "a function".
    guard : NameGuard, optional
        What may be named, where the name stands in a file.

    Raises
    ------
    InvalidInputError
        When the name has another form, or the module does not import; a module that ends the
        program when it is imported is one that does not. Whatever ``guard`` refuses.
    UnknownNameError
        When the module has nothing of that name.
    """
    module_name, colon, path = name.partition(":")
    if not (module_name and colon and path):
        fix = f'name {what} as "module:name"'
        raise InvalidInputError(argument, name, f"does not name {what}", fix)
    search_here()
    if guard is not None:
        guard.module(argument, name, module_name)
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        fix = f"give a module that can be imported from {Path.cwd().name or 'here'}, or fix it"
        problem = f"fails to import: {raised_at(error)}"
        raise InvalidInputError(argument, name, problem, fix) from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise unknown_name(argument, part, [n for n in dir(found) if not n.startswith("_")])
        found = getattr(found, part)
        if guard is not None:
            guard.value(argument, name, found)
    return found


def make_named(name: str, argument: str, what: str, make: Callable[[Any], Any]) -> Any:
    """Return ``make(found)`` of what ``module:name`` names; it is the user's own.

    Raises
    ------
    InvalidInputError
        As :func:`load_named`, and when ``make`` raises; errors of ours are passed on.
    """
    found = load_named(name, argument, what)
    try:
        return make(found)
    except MechproofError:
        raise
    except (Exception, SystemExit) as error:
        problem, fix = f"cannot be made: {raised_at(error)}", f"name {what}, or what makes it"
        raise InvalidInputError(argument, name, problem, fix) from error
