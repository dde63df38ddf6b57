"""Values compared by what they hold, whatever they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cached_property
from inspect import isroutine
from types import NoneType
from typing import Any, Final

import numpy as np

__all__ = ["content"]

_PLAIN: Final = frozenset({str, bytes, int, bool, Fraction, NoneType})
_WRITTEN: Final = frozenset({float, complex, Decimal})
"""Kinds of which equal values may be written differently, such as 1.0 and 1.00."""


def _by_name(known: Any) -> Hashable:
    """Return the name of a function or class: one that is made again is the same."""
    return str(getattr(known, "__qualname__", known))


def content(value: object, called: Callable[[Any], Hashable] = _by_name) -> Hashable:
    """Return something hashable that is the same for two values that hold the same.

    Mappings in their order, sets, sequences, arrays and objects are compared part by part, together
    with their kinds and attributes; NaN is itself. Functions and classes are what ``called`` says,
    by default their names.

    Raises
    ------
    TypeError
        For an object that cannot say what it holds, such as a generator.
    RecursionError
        For a value that holds itself.

    Examples
    --------
    >>> content({"a": [1, 2]}) == content({"a": [1, 2]})
    True
    >>> content([1]) == content([True])
    False
    """

    def held(part: object) -> Hashable:
        return content(part, called)

    kind = type(value)
    name = called(kind)
    if kind in _PLAIN:
        return name, value
    if kind in _WRITTEN:
        return name, str(value)
    if isinstance(value, np.generic):
        return name, held(value.item())
    if isinstance(value, Enum):
        return name, value.name, held(value.value)
    if isinstance(value, type) or isroutine(value):
        return name, called(value)
    if isinstance(value, np.ndarray):
        entries = held(value.ravel().tolist())
        return name, value.shape, str(value.dtype), entries, held(_attributes(value))
    if kind is dict or kind is list or kind is tuple or kind is set or kind is frozenset:
        return name, _entries(value, held)
    return name, _reduced_content(value, held)


def _entries(value: Any, held: Callable[[object], Hashable]) -> Hashable:
    """Return the contents of the entries of a container, in their order if they have one."""
    if isinstance(value, Mapping):
        return tuple((held(k), held(v)) for k, v in value.items())
    entries = map(held, value)
    return frozenset(entries) if isinstance(value, Set) else tuple(entries)


def _reduced_content(value: Any, held: Callable[[object], Hashable]) -> Hashable:
    """Return the content of what pickle would write; of a container without that, its entries."""
    kind = type(value)
    try:
        reduced = value.__reduce_ex__(4)
    except TypeError:
        if isinstance(value, Mapping | Sequence | Set):
            return _entries(value, held), held(_attributes(value))
        raise
    if isinstance(reduced, str):
        return reduced
    make, arguments, *state = reduced
    parts = [
        _drop_cached(kind, list(each) if isinstance(each, Iterator) else each) for each in state
    ]
    if isinstance(value, set | frozenset):  # written in any order
        arguments = frozenset(value)
    own: Any = kind
    if (own.__reduce_ex__, own.__reduce__) != (object.__reduce_ex__, object.__reduce__):
        parts.append(_attributes(value))  # a kind that writes itself may leave them out
    return held(make), held(arguments), tuple(map(held, parts))


def _drop_cached(kind: type, state: Any) -> Any:
    """Return a state without what its kind remembers of what follows from the rest."""
    if type(state) is not dict or not all(isinstance(name, str) for name in state):
        return state
    kept = (k for k in state if not isinstance(getattr(kind, k, None), cached_property))
    return {k: state[k] for k in kept}


def _attributes(value: object) -> dict[str, Any]:
    return getattr(value, "__dict__", {})
