"""Objects of the user's own, named on a command line."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from theory.errors import InvalidInputError

__all__ = ["import_own"]


def import_own(name: str, argument: str, made: Callable[[Any], Any]) -> Any:
    """Return ``made(found)`` of the object that MODULE:NAME names.

    The folder in which the command is run is looked in, too.

    Raises
    ------
    InvalidInputError
        When there is none of this name, or ``made`` raises.
    """
    module_name, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return made(getattr(importlib.import_module(module_name), attribute))
    except Exception as error:
        problem = f"cannot be made ({type(error).__name__}: {error})"
        fix = "name an object, or what makes one, as MODULE:NAME"
        raise InvalidInputError(argument, name, problem, fix) from error
