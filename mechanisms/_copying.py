"""Deep copies that share no fraction with what they are copies of."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Final, TypeVar

__all__ = ["copied"]

T = TypeVar("T")

_SHARED: Final = (type, FunctionType, BuiltinFunctionType, ModuleType)
"""What is never copied."""


def copied(content: T) -> T:
    """Return a deep copy of a content, its fractions copied too.

    ``copy.deepcopy`` passes fractions on, since nobody is to change them; but in Python they can be
    changed, and would carry what is written into one copy to all others. Fractions are found in
    tuples, lists, sets, mappings and attributes.

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = (Fraction(1, 2),)
    >>> copied(half) == half, copied(half)[0] is half[0]
    (True, False)
    """
    memo: dict[int, object] = {}
    seen: set[int] = set()
    found: list[object] = [content]
    while found:
        thing = found.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if type(thing) is Fraction:
            memo[id(thing)] = Fraction(thing)
        elif isinstance(thing, dict):
            found += [*thing.keys(), *thing.values()]
        elif isinstance(thing, tuple | list | set | frozenset):
            found += thing
        elif not isinstance(thing, _SHARED):
            found += getattr(thing, "__dict__", {}).values()
    return deepcopy(content, memo)
