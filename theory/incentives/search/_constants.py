"""The numbers that stand in a mechanism's code: where its outcome may change, or be odd."""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import islice, product
from math import isfinite
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from theory.incentives._mechanism import rule_of
from theory.incentives.setting import Setting

__all__ = ["constants", "inside"]

_THINGS: Final = 1_000
"""The most functions, objects and containers that are looked into."""
_ENTRIES: Final = 64
"""The most entries of a container that are looked at."""
_NUMBERS: Final = 128
"""The most numbers that are read, before quotients are formed."""
_ANCHORS: Final = 24
"""The most numbers of one interval that a search begins at, the bounds included."""
_NEAR: Final = Fraction(1, 2**20)
"""A small step, in widths of the interval."""
_BITS: Final = 900
"""No number with a longer numerator or denominator is read."""

_WRITTEN: Final = re.compile(r"[+-]?\d{1,18}(/\d{1,18}|\.\d{1,18})?")
_LIBRARIES: Final = sys.stdlib_module_names | {"hypothesis", "jax", "jaxlib", "numpy", "scipy"}
_OURS: Final = "theory"


def constants(setting: Setting) -> tuple[Fraction, ...]:
    """Return the numbers in the code of a mechanism and of its values, the most telling first.

    Looked at are the constants of functions and of the code nested in them, defaults, closures,
    the module's names that they use, the functions among these, and attributes of objects and
    their classes. Nothing is run. Fractions and floats come first, each float as it is written and
    as the rational that it is; then quotients of integers that stand side by side, as 37 and 100 in
    ``Fraction(37, 100)``; integers; and all other quotients.

    Examples
    --------
    >>> from theory.incentives import Box
    >>> def rule(bids):
    ...     return None, [3 if bids[0] > 0.5 else 7]
    >>> rule.__module__ = "auctions"  # what the battery itself defines is left out
    >>> print(*constants(Setting(rule, (Box(0, 1),))))
    1/2 3/7 7/3 0 3 7
    """
    roots = [setting.mechanism, rule_of(setting.mechanism), setting.passed_values]
    runs = [[*run] for run in _runs(roots)]
    parts = [number for run in runs for number in run if number.denominator > 1]
    whole = [[number for number in run if number.denominator == 1] for run in runs]
    beside = [
        pair
        for run in whole
        for k, number in enumerate(run)
        for other in run[k + 1 : k + 3]
        for pair in ((number, other), (other, number))
    ]
    each = [number for run in whole for number in run]
    pairs = islice(product(dict.fromkeys(each), dict.fromkeys(each)), _NUMBERS * 8)
    found = [*parts, *_quotients(beside), *each, *_quotients(pairs)]
    return tuple(dict.fromkeys(found))


def inside(
    numbers: Iterable[Fraction], low: Fraction, high: Fraction
) -> tuple[tuple[Fraction, ...], ...]:
    """Return groups of points of an interval: its bounds and the numbers in it, with neighbours.

    A group is a number, the points a small step below and above it, and those halfway to the next
    number on both sides, as far as these are within the bounds.
    """
    within = (number for number in numbers if low < number < high)
    anchors = list(dict.fromkeys((low, high, *islice(within, _ANCHORS - 2))))
    ordered, step = sorted(anchors), _NEAR * (high - low)
    groups = []
    for anchor in anchors:
        at = ordered.index(anchor)
        halves = [(anchor + other) / 2 for other in ordered[max(0, at - 1) : at + 2]]
        near = (anchor, anchor - step, anchor + step, *halves)
        groups.append(tuple(dict.fromkeys(point for point in near if low <= point <= high)))
    return tuple(groups)


def _quotients(pairs: Iterable[tuple[Fraction, Fraction]]) -> list[Fraction]:
    found = (a / b for a, b in pairs if a and b)
    return [quotient for quotient in found if quotient.denominator > 1]


def _runs(roots: Iterable[Any]) -> Iterator[list[Fraction]]:
    """Yield the numbers in each piece of code, object or container, in the order they stand."""
    waiting, seen, left = deque(roots), dict[int, Any](), _NUMBERS
    while waiting and left > 0 and len(seen) < _THINGS:
        thing = waiting.popleft()
        if id(thing) in seen:
            continue
        seen[id(thing)] = thing  # kept, so that no other thing has its id
        run: list[Fraction] = []
        for part in islice(_parts(thing), _ENTRIES):
            numbers = _numbers(part)
            run += numbers
            if not numbers and not isinstance(part, str | bytes | int | float | None):
                waiting.append(part)
        yield run[:left]
        left -= len(run)


def _parts(thing: Any) -> Iterator[Any]:
    """Yield what a thing is made of, as far as that can be seen without running anything."""
    match thing:
        case list() | tuple() | set() | frozenset():
            yield from thing
        case dict():
            yield from thing.keys()
            yield from thing.values()
        case np.ndarray():
            yield from thing.ravel()[:_ENTRIES].tolist()
        case partial():
            yield from (thing.func, *thing.args, *thing.keywords.values())
        case MethodType():
            yield from (thing.__func__, thing.__self__)
        case FunctionType():
            yield from _of_function(thing)
        case CodeType():
            yield from thing.co_consts
        case type():
            if _is_users(thing):
                yield from vars(thing).values()
                yield from thing.__mro__[1:-1]
        case staticmethod() | classmethod():
            yield thing.__func__
        case property():
            yield thing.fget
        case ModuleType():
            return
        case _:
            yield from _of_object(thing)


def _of_function(function: FunctionType) -> Iterator[Any]:
    if not _is_users(function):
        return
    yield function.__code__
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield from vars(function).values()
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue
    names = list(_names(function.__code__))
    for name in names:
        named = function.__globals__.get(name)
        if not isinstance(named, ModuleType):
            yield named
        elif named.__name__.partition(".")[0] not in _LIBRARIES:
            yield from (vars(named)[each] for each in names if each in vars(named))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names(part)


def _of_object(thing: Any) -> Iterator[Any]:
    kind = type(thing)
    if callable(getattr(kind, "cache_info", None)):  # of functools.cache
        yield getattr(thing, "__wrapped__", None)
    if kind.__module__.partition(".")[0] in _LIBRARIES:
        return
    slots = [vars(each).get("__slots__", ()) for each in kind.__mro__]
    named = [name for each in slots for name in ([each] if isinstance(each, str) else each)]
    for name in ("__dict__", *named):
        try:
            held = object.__getattribute__(thing, name)
        except AttributeError:  # not filled, or none
            continue
        yield from held.values() if name == "__dict__" else [held]
    yield kind


def _is_users(thing: Any) -> bool:
    """Whether a function or class is neither of a library nor of the battery itself."""
    module = getattr(thing, "__module__", None)
    home = module.partition(".")[0] if isinstance(module, str) else ""
    return home != _OURS and home not in _LIBRARIES


def _numbers(part: Any) -> list[Fraction]:
    """Return a number exactly; a float as it is written, too; none of what is no number."""
    if isinstance(part, np.generic):
        part = part.item()
    match part:
        case bool():
            read = []
        case int() | Fraction():
            read = [Fraction(part)]
        case float() if isfinite(part):
            read = [Fraction(repr(float(part))), Fraction(part)]
        case Decimal() if part.is_finite() and abs(part.adjusted()) < _BITS // 4:
            read = [Fraction(part)]
        case str() if len(part) < 40 and _WRITTEN.fullmatch(part):
            top, _, bottom = part.partition("/")
            read = [Fraction(top) / int(bottom or 1)] if int(bottom or 1) else []
        case _:
            read = []
    return [n for n in dict.fromkeys(read) if max(abs(n.numerator), n.denominator) < 2**_BITS]
