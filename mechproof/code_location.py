"""Where code is, as ``papers/volition/checks/legume.py:85``: never an absolute path."""

from __future__ import annotations

import functools
import inspect
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import PurePath
from types import FunctionType, MethodType

__all__ = ["Location", "locations", "raised_at"]


@dataclass(frozen=True, slots=True)
class Location:
    """A function or class that a check is made of."""

    name: str
    place: str


def locations(check: object) -> tuple[Location, ...]:
    """Return where the code of a check is.

    A function gives itself; a :func:`functools.partial`, the function under it and those it holds;
    an instance of a class, the class and every function among the fields of a dataclass.
    """
    return tuple(dict.fromkeys(_locate(check)))


def raised_at(error: BaseException) -> str:
    """Say in one line what was raised and where."""
    message = " ".join(str(error).split())
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return text
    last = frames[-1]
    return f"{text} (at {_relative(last.filename)}:{last.lineno})"


def _locate(value: object) -> Iterator[Location]:
    if isinstance(value, functools.partial):
        for part in (value.func, *value.args, *value.keywords.values()):
            yield from _locate(part)
    elif isinstance(value, MethodType):
        yield from _locate(value.__func__)
        yield from _locate(value.__self__)
    elif isinstance(value, FunctionType):
        function = inspect.unwrap(value)
        code = function.__code__
        place = f"{_relative(code.co_filename)}:{code.co_firstlineno}"
        yield Location(function.__qualname__, place)
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _locate(part)
    elif isinstance(value, type):
        yield from _locate_class(value)
    else:
        if callable(value):
            yield from _locate_class(type(value))
        if is_dataclass(value):
            for part in fields(value):
                yield from _locate(getattr(value, part.name))


def _locate_class(kind: type) -> Iterator[Location]:
    try:
        file, line = inspect.getsourcefile(kind), inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):
        return
    if file is not None:
        yield Location(kind.__qualname__, f"{_relative(file)}:{line}")


def _relative(file: str) -> str:
    path = PurePath(file)
    roots = [PurePath(root) for root in sys.path if root and path.is_relative_to(root)]
    longest = max(roots, key=lambda root: len(root.parts), default=path.parent)
    return path.relative_to(longest).as_posix()
