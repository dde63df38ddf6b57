"""Attributes and calls for which a machine computes something else than Python does."""
# ruff: noqa: C408, PLW0108, PLW1641

from __future__ import annotations

import functools
import gc
from collections import namedtuple
from collections.abc import Iterator
from enum import Enum
from types import FunctionType, SimpleNamespace
from typing import Any

from adversarial_machine import CONDITIONS, FLAGS, flag, is_refused
from adversarial_mechanisms import condition, only_where

__all__ = ["CONDITIONS", "FLAGS"]

# --- Attributes: what a name leads to


class _Lacking:
    @property
    def part(self) -> Any:
        raise AttributeError

    def __getattr__(self, name: str) -> Any:
        return 1


class _Bound:
    def __get__(self, thing: Any, kind: Any = None) -> Any:
        return lambda *_: 1

    def __set__(self, thing: Any, value: Any) -> None:
        pass

    def __call__(self, *_: Any) -> Any:
        return 0


class _Bearer:
    __contains__: Any = _Bound()
    part: Any = _Bound()
    enabled: Any = 0

    @functools.cached_property
    def kept(self) -> list[Any]:
        return []

    def many(*these: Any) -> int:
        return 2 - len(these)


class _Derived(_Bearer):
    part = 0

    def above(self) -> Any:
        return super().part(1)

    @classmethod
    def of_class(cls) -> int:
        return super().many(0)


class _Table(dict[str, Any]):
    pass


class _Hiding:
    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        return {"enabled": 0}


class _Counting:
    __len__ = gc.isenabled


_BEARER, _OTHER, _KEEPING, _HIDING = _Bearer(), _Bearer(), _Bearer(), _Hiding()
vars(_BEARER)["part"] = lambda: 0
_OTHER.__dict__ = _Table(enabled=1)
object.__setattr__(_HIDING, "enabled", 1)
_COUNTING: Any = _Counting()
_NAMED: Any = SimpleNamespace(**{"__class__": 5})


class _Colour(Enum):
    RED = 1
    BLUE = 0


_Colour._member_map_["RED"] = _Colour.BLUE


@condition
def a_list_that_its_object_keeps(x: Any) -> Any:
    return only_where(0 + (_KEEPING.kept is _KEEPING.kept), x)


for name, computes in {
    "a property that lacks its part": lambda: (
        1 - is_refused(AttributeError, lambda: _Lacking().part)
    ),
    "a membership that is bound first": lambda: 0 + (5 in _Bearer()),
    "a part that stands over an entry": lambda: _BEARER.part(),
    "a part of the class above": lambda: _Derived().above(),
    "a method above, from a class": lambda: _Derived.of_class(),
    "entries in a table of its own class": lambda: _OTHER.enabled,
    "entries that a property hides": lambda: _HIDING.enabled,  # type: ignore[attr-defined]
    "a class under its name among entries": lambda: 0 + (_NAMED.__class__ != 5),
    "a length that compiled code says": lambda: len(_COUNTING),
    "a member that was exchanged": lambda: _Colour.RED.value,
}.items():
    flag(computes, name)


# --- Calls: what is called, and with what


class _Defaults(tuple[Any, ...]):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter((0,))


def _defaulting(value: Any = 0) -> Any:
    return value


_defaulting.__defaults__ = _Defaults((1,))


def _unnamed(value: Any) -> Any:
    return value


_unnamed.__kwdefaults__ = {"value": 0}


def _zero() -> int:
    return 0


def _twice(a: Any, b: Any) -> Any:
    return a


_TWICE: Any = FunctionType(_twice.__code__.replace(co_varnames=("a", "a")), globals())
_CODE: Any = _zero.__code__
_GENERATING: Any = FunctionType(_CODE.replace(co_flags=_CODE.co_flags | 0x20), globals())
_FRESH = [0]
_STALE = functools.lru_cache(lambda key: len(_FRESH))
_STALE(0)
_FRESH.clear()


class _Measured:
    def __init__(self) -> None:
        self.measured = 0

    def __len__(self) -> int:
        self.measured = 1
        return 1

    def __iter__(self) -> Iterator[int]:
        self.gone = 0
        for k in (0, 1):
            self.gone += 1
            yield k


@flag
def a_length_that_a_star_asks_for() -> Any:
    thing = _Measured()
    _ = [*thing]
    return thing.measured


@flag
def a_membership_that_stops_early() -> Any:
    thing = _Measured()
    _ = 0 in thing
    return 2 - thing.gone


class _Made(namedtuple("_Made", "held")):
    marked = 0

    def __init__(self, held: Any) -> None:
        self.marked = 1


class _Forging:
    def __eq__(self, other: object) -> bool:
        return True

    def __call__(self, kind: Any, parts: Any) -> Any:
        return tuple.__new__(kind, (0,))


_FORGED: Any = namedtuple("_FORGED", "held")
_FORGED.__new__.__globals__["_tuple_new"] = _Forging()


class _Names(tuple[Any, ...]):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(("b", "a"))


def _naming() -> Any:
    return _twice(a=1, b=0)


_CONSTANTS = (_Names(c) if type(c) is tuple else c for c in _naming.__code__.co_consts)
_NAMING: Any = FunctionType(_naming.__code__.replace(co_consts=tuple(_CONSTANTS)), globals())

_BARE: dict[str, Any] = {"__builtins__": {"NameError": NameError}}
exec("def bare():\n try: return 0 * len(())\n except NameError: return 1\n", _BARE)
del _BARE["__builtins__"]["NameError"]
_BARE["NameError"] = NameError

for name, computes in {
    "defaults that hide": lambda: _defaulting(),
    "a default for what has no name": lambda: is_refused(TypeError, _unnamed),
    "two names that are one": lambda: _TWICE(1, 0),
    "code that was made a generator": lambda: 0 + (_GENERATING() == 0),
    "a tuple that is made by another": lambda: 0 + (_FORGED(1).held == 0),
    "names in an order of their own": lambda: _NAMING(),
    "an answer from before": lambda: _STALE(0),
    "a function that stands in a list": lambda: [_zero].count(_zero),
    "a function that is a key": lambda: {_zero: 1}.get(_zero, 0),
    "a function that is a named entry": lambda: 0 + (dict(f=_zero)["f"] is _zero),
    "a named tuple with a start": lambda: _Made(1).marked,
    "a name that its builtins lack": _BARE["bare"],
}.items():
    flag(computes, name)
