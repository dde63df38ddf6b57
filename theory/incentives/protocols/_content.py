"""Values compared by what they hold, whatever they are."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from fractions import Fraction
from inspect import isroutine
from typing import Any

import numpy as np

__all__ = ["content"]

_PLAIN = (str, bytes, int, Fraction, Decimal, type(None))


def content(value: object) -> Hashable:
    """Return something hashable that is the same for two values that hold the same.

    Mappings, sets, sequences, arrays and objects are compared part by part, together with their
    kinds; NaN is itself. Functions and classes go by name.

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
    kind = type(value).__qualname__
    if isinstance(value, np.generic):
        return kind, content(value.item())
    if isinstance(value, _PLAIN):
        return kind, value
    if isinstance(value, float | complex):
        return kind, repr(value)
    if isinstance(value, type) or isroutine(value):
        return kind, str(getattr(value, "__qualname__", value))
    if isinstance(value, np.ndarray):
        return kind, value.shape, str(value.dtype), content(value.ravel().tolist())
    if isinstance(value, Mapping):
        return kind, frozenset((content(k), content(v)) for k, v in value.items())
    if isinstance(value, Set):
        return kind, frozenset(map(content, value))
    if isinstance(value, Sequence):
        return kind, tuple(map(content, value))
    reduced: Any = value.__reduce_ex__(4)  # what pickle would write
    if isinstance(reduced, str):
        return kind, reduced
    make, arguments, *state = reduced
    parts = (list(each) if isinstance(each, Iterator) else each for each in state)
    return kind, content(make), content(arguments), tuple(map(content, parts))
