"""What cannot be sent to another process, down to the smallest part that cannot."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator, Mapping, Sequence, Set
from types import FunctionType, MethodType
from typing import Any

from theory.errors import InvalidInputError

__all__ = ["pickle_work"]

_DEEPEST = 50


def pickle_work(work: Any, part: Any, argument: str, otherwise: str) -> bytes:
    """Return ``work`` as bytes.

    Parameters
    ----------
    work : object
    part : object
        That of it which its user gave, under the name ``argument``.
    argument : str
    otherwise : str
        What else the user can do: "use jobs=1".

    Raises
    ------
    InvalidInputError
        When it cannot be pickled; the message names the smallest part that cannot.
    """
    try:
        return pickle.dumps(work)
    except Exception as error:
        path, value, why = _culprit(part, "it") or ("it", part, error)
        found = why if isinstance(why, str) else f"{path} is a {type(value).__name__}: {why}"
        raise InvalidInputError(
            argument,
            part,
            f"cannot be sent to another process ({' '.join(found.split())})",
            f"make it a top-level function or an instance that pickles, or {otherwise}",
        ) from error


def _culprit(value: Any, path: str, depth: int = 0) -> tuple[str, Any, str | Exception] | None:
    """Return the path of the first innermost part that cannot be pickled, it, and why."""
    try:
        pickle.dumps(value)
    except Exception as error:
        if isinstance(value, FunctionType):
            return path, value, _of_function(value, path) or error
        for name, part in _parts(value, path) if depth < _DEEPEST else ():
            found = _culprit(part, name, depth + 1)
            if found is not None:
                return found
        return path, value, error
    return None


def _of_function(function: FunctionType, path: str) -> str:
    """Say why a function is not found by its name; nothing where that is not clear."""
    place = f"{function.__code__.co_filename.rpartition('/')[2]}:{function.__code__.co_firstlineno}"
    if function.__name__ == "<lambda>":
        return f"{path} is a lambda ({place})"
    if "<locals>" in function.__qualname__:
        own = ", ".join(function.__code__.co_freevars)
        bind = f"; bind what it takes from there ({own}) with functools.partial" if own else ""
        return f"{path} is the local function {function.__name__} ({place}){bind}"
    return ""


def _parts(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, functools.partial):
        yield f"{path}.func", value.func
        yield from ((f"{path}.args[{i}]", part) for i, part in enumerate(value.args))
        yield from ((f"{path}.keywords[{k!r}]", part) for k, part in value.keywords.items())
    elif isinstance(value, MethodType):
        yield f"{path}.__self__", value.__self__
    elif isinstance(value, Mapping):
        yield from ((f"a key of {path}", key) for key in value)
        yield from ((f"{path}[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, Set | Sequence) and not isinstance(value, str | bytes):
        yield from ((f"{path}[{i}]", part) for i, part in enumerate(value))
    if not isinstance(value, type):
        yield from ((f"{path}.{k}", part) for k, part in getattr(value, "__dict__", {}).items())
        for kind in type(value).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else tuple(slots):
                if name not in {"__dict__", "__weakref__"} and hasattr(value, name):
                    yield f"{path}.{name}", getattr(value, name)
