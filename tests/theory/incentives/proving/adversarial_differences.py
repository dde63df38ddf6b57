"""Code for which Python and the machine that follows may mean something else.

Where they do, a harmless function stands for ``type``: with symbols both come to the same, and
with fractions the code learns what they are.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, replace
from enum import Enum
from fractions import Fraction
from operator import is_
from types import CellType, FunctionType, SimpleNamespace
from typing import Any

from adversarial_arrays import ASKING, CONDITIONS
from adversarial_mechanisms import RARE

__all__ = ["ASKING", "CONDITIONS"]


def nothing(x: Any) -> None:
    return None


def never(x: Any, y: Any) -> bool:
    return False


def learns(kind_of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Note code that may say the class of a number."""

    def is_rare(x: Any) -> bool:
        return kind_of(x) is Fraction and x == RARE

    name = kind_of.__name__
    CONDITIONS[name] = ASKING[name] = is_rare
    return kind_of


def differs(condition: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Note code that may say whether a number is the rare one."""
    CONDITIONS[condition.__name__] = ASKING[condition.__name__] = condition
    return condition


# --- What Python asks of an object that stands beside its own ones


class _Source:
    def __init__(self, kind: Any, same: Any, x: Any, other: Any) -> None:
        self.kind, self.same, self.x, self.other = kind, same, x, other

    def told(self) -> Any:
        return self.same(self.kind(self.x), self.other)

    def __iter__(self) -> Iterator[Any]:
        yield self.told()

    def keys(self) -> tuple[Any]:
        return (self.told(),)

    def items(self) -> tuple[tuple[Any, int]]:
        return ((self.told(), 1),)

    def __getitem__(self, key: Any) -> int:
        return 1

    def __ror__(self, other: Any) -> Any:
        return {False}


class _TableSource(_Source):
    def __ror__(self, other: Any) -> Any:
        return {False: 1}


class _CounterSource(_Source):
    def __radd__(self, other: Any) -> Any:
        return Counter({False: 1})


@differs
def keys_beside_an_object(x: Any) -> bool:
    list(_Source(abs, max, 1, 2))
    told: Any = {}.keys() | _Source(type, is_, x, Fraction)  # type: ignore[operator]
    return True in told and x == RARE


@differs
def a_table_that_is_updated_by_an_object(x: Any) -> bool:
    source = _TableSource(abs, max, 1, 2)
    _ = source.keys(), source[0]
    told: Any = {}
    told |= _TableSource(type, is_, x, Fraction)
    return True in told and x == RARE


@differs
def a_counter_that_is_updated_by_an_object(x: Any) -> bool:
    _CounterSource(abs, max, 1, 2).items()
    told: Any = Counter()
    told += _CounterSource(type, is_, x, Fraction)
    return True in told and x == RARE


class _Adding:
    def __init__(self, kind: Any, x: Any) -> None:
        self.kind, self.x = kind, x

    def __add__(self, other: Any) -> Any:
        return self.kind(self.x)

    def __radd__(self, other: Any) -> Any:
        return None


class _AddingAlike(_Adding):
    pass


@learns
def a_subclass_that_says_the_same(x: Any) -> Any:
    _ = _Adding(nothing, 1) + 1
    return _Adding(type, x) + _AddingAlike(nothing, 1)


class _Equal:
    def __init__(self, same: Any, kind: Any, x: Any) -> None:
        self.same, self.kind, self.x = same, kind, x

    def __eq__(self, other: object) -> Any:
        return self.same(self.kind(self.x), Fraction)

    __hash__ = None  # type: ignore[assignment]


class _Unequal:
    def __ne__(self, other: object) -> bool:
        return True


@differs
def who_is_asked_first_for_unequal(x: Any) -> bool:
    _ = _Equal(never, nothing, 1) == 1
    told = _Equal(is_, type, x) != _Unequal()
    return not told and x == RARE


# --- Names


def _plain() -> None:
    pass


_plain.__dict__["__builtins__"] = {"type": nothing}
_HIDING: Any = SimpleNamespace(**{"__class__": SimpleNamespace(**{"__class__": nothing})})


@learns
def builtins_behind_an_attribute(x: Any) -> Any:
    return _plain.__builtins__["type"](x)


@learns
def a_class_behind_an_attribute(x: Any) -> Any:
    return _HIDING.__class__.__class__(x)


class _Colour(Enum):
    RED = 1

    def __call__(self, x: Any) -> None:
        return None


_Colour.X = type  # type: ignore[attr-defined]
_Colour._member_map_["X"] = _Colour.RED


@learns
def a_member_that_the_class_does_not_have(x: Any) -> Any:
    return _Colour.X(x)  # type: ignore[attr-defined]


def _getter(kind: Any) -> Any:
    return SimpleNamespace(fset=nothing)


class _Told:
    p: Any = property(_getter, type)  # type: ignore[arg-type]


class _TellingOfAClass(_Told):
    @classmethod
    def tell(cls, x: Any) -> Any:
        return super().p.fset(x)


@learns
def a_property_of_a_class_above(x: Any) -> Any:
    return _TellingOfAClass.tell(x)


# --- Errors that one of them raises


class _Short:
    def __init__(self, length: Any) -> None:
        self.length = length

    def __len__(self) -> Any:
        return self.length


@learns
def a_length_below_zero(x: Any) -> Any:
    kind: Any = nothing
    try:
        len(_Short(-1))
    except ValueError:
        kind = type
    return kind(x)


@learns
def a_length_that_is_too_large(x: Any) -> Any:
    kind: Any = nothing
    try:
        bool(_Short(10**30))
    except OverflowError:
        kind = type
    return kind(x)


def _with_one(a: Any) -> Any:
    return a


_with_one.__defaults__ = (1, 2, type)


@learns
def more_defaults_than_arguments(x: Any) -> Any:
    try:
        kind = _with_one()  # type: ignore[call-arg]
    except ValueError:
        kind = nothing
    return kind(x)


class _Emptied:
    def above(self) -> Any:
        return super().above  # type: ignore[misc]


_Emptied.tell = FunctionType(  # type: ignore[attr-defined]
    _Emptied.above.__code__, globals(), "tell", None, (CellType(),)
)


@learns
def a_class_that_is_not_known(x: Any) -> Any:
    kind: Any = nothing
    try:
        _Emptied().tell()  # type: ignore[attr-defined]
    except ValueError:
        kind = nothing
    except (RuntimeError, NameError):  # from 3.12 on the latter
        kind = type
    return kind(x)


# --- What is gone through, and how far


class _Counted:
    def __init__(self) -> None:
        self.last = 0

    def __iter__(self) -> Iterator[int]:
        for self.last in range(5):
            yield self.last


@learns
def how_far_a_search_goes(x: Any) -> Any:
    counted = _Counted()
    1 in counted  # type: ignore[operator]  # noqa: B015
    return (None, type, None, None, nothing)[counted.last](x)  # type: ignore[misc]


@learns
def a_list_that_looks_at_itself_as_it_grows(x: Any) -> Any:
    lengths: list[int] = []
    lengths.extend(len(lengths) for _ in range(2))
    return (nothing, type)[lengths[1]](x)


class _Sized:
    def __init__(self, kind: Any, x: Any) -> None:
        self.kind, self.x, self.told = kind, x, None

    def __len__(self) -> int:
        self.told = self.kind(self.x)
        return 1

    def __iter__(self) -> Iterator[Any]:
        yield self.told


@learns
def a_length_that_a_list_asks(x: Any) -> Any:
    len(_Sized(abs, 1))
    (told,) = list(_Sized(type, x))
    return told


@learns
def a_deque_in_a_pattern(x: Any) -> Any:
    match deque([1]):
        case [_]:  # type: ignore[misc]
            kind: Any = type
        case _:
            kind = nothing
    return kind(x)


@learns
def an_ordered_table_in_a_pattern(x: Any) -> Any:
    match OrderedDict():
        case {}:
            kind: Any = type
        case _:
            kind = nothing
    return kind(x)


_KNOWN = 1


@functools.cache
def _kept(key: int) -> int:
    return _KNOWN


_kept(0)
_KNOWN = 0


@learns
def what_a_cache_has_kept(x: Any) -> Any:
    return (nothing, type)[_kept(0)](x)


# --- Classes, and what Python's own functions call: no tracing tells of these calls


def _grown() -> int:
    lengths: list[int] = []
    lengths.extend(len(lengths) for _ in range(2))
    return lengths[1]


@learns
def a_class_that_is_called(x: Any) -> Any:
    kinds: Any = (slice, type)
    return kinds[_grown()](x)


@learns
def what_a_map_calls(x: Any) -> Any:
    kinds: Any = (slice, type)
    return next(map(kinds[_grown()], [x]))


@learns
def what_a_starmap_calls(x: Any) -> Any:
    kinds: Any = (slice, type)
    return next(itertools.starmap(kinds[_grown()], [(x,)]))


@functools.lru_cache
def _warmed(key: int) -> bool:
    return _kind_by_growth(key) is None


def _kind_by_growth(x: Any) -> Any:
    kinds: Any = (nothing, type)
    return kinds[_grown()](x)


@learns
def what_a_cached_function_calls_too(x: Any) -> Any:
    _warmed(5)
    return _kind_by_growth(x)


@dataclass
class _Scaled:
    amount: Any
    scale: InitVar[int] = 0

    def __post_init__(self, scale: int) -> None:
        made: Any = self
        made.scale = scale + 1


@learns
def what_a_copy_is_made_with(x: Any) -> Any:
    kinds: Any = (None, slice, type)
    copy: Any = replace(_Scaled(0), amount=1)
    return kinds[copy.scale](x)


class _AddingBack:
    def __init__(self, told: int) -> None:
        self.told = told

    def __add__(self, other: Any) -> int:
        return self.told

    __radd__ = __add__


class _AddingBackAlike(_AddingBack):
    pass


@learns
def a_subclass_that_adds_alike(x: Any) -> Any:
    kinds: Any = (slice, type)
    return kinds[_AddingBack(1) + _AddingBackAlike(0)](x)


_plain.__dict__["__name__"] = "another"


@learns
def a_name_behind_an_attribute(x: Any) -> Any:
    kinds: Any = (slice, type)
    return kinds[_plain.__name__ == "_plain"](x)
