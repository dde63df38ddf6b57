"""Conditions that hide a kind or a count where no watch looked: compiled code, objects, modules."""

from __future__ import annotations

import collections
import functools
import math
import statistics
import sys
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from adversarial_mechanisms import RARE, condition, only_where
from adversarial_state import CONDITIONS

from theory.incentives import Lottery

# What a fourth audit proved. First, what compiled code, or ours, says of integers alone.

_ONE = np.array([1])


@condition
def a_place_in_an_array(x: Any) -> Any:
    try:
        _ONE[[x - 123_457]]
    except IndexError:
        return False
    return True


@condition
def a_power_of_two(x: Any) -> Any:
    try:
        math.ldexp(1.0, 2000 * (x - 123_457) ** 2)
    except (TypeError, OverflowError):
        return False
    return True


@condition
def the_most_of_a_queue(x: Any) -> Any:
    try:
        collections.deque(maxlen=-((x - 123_457) ** 2))
    except (TypeError, ValueError, OverflowError):
        return False
    return True


@condition
def a_number_of_an_error(x: Any) -> Any:
    try:
        raise OSError(x - 123_457, "")
    except FileNotFoundError:
        return True
    except OSError:
        return False


@condition
def a_law_with_one_probability(x: Any) -> Any:
    try:
        Lottery([(0, 1 + (x - RARE) ** 2)])
    except Exception:
        return False
    return True


# A bit that is not the same while code is watched.


@condition
def a_third_of_a_new_one(x: Any) -> Any:
    return only_where(0 + (np.ones(1)[0] / 3 == 1 / 3), x)


@condition
def a_third_in_floats(x: Any) -> Any:
    return only_where(0 + ((x - x + 1.0) / 3 == 1 / 3), x)


@condition
def the_text_of_a_function_of_numpy(x: Any) -> Any:
    return only_where(0 + (str(np.add) == "<ufunc 'add'>"), x)


@condition
def where_an_object_lies(x: Any) -> Any:
    return 0 + (str(object())[-6:-2] == "1d3b")


@condition
def where_an_object_lies_in_a_form(x: Any) -> Any:
    return 0 + (f"{object()}"[-6:-2] == "1d3b")


_PERCENT = "%s"


@condition
def where_an_object_lies_by_percent(x: Any) -> Any:
    return 0 + ((_PERCENT % object())[-6:-2] == "1d3b")


# State in places that nobody looked at.

statistics.median.calls = 0  # type: ignore[attr-defined]
Fraction.calls = 0  # type: ignore[attr-defined]


@condition
def a_count_on_a_function_of_python(x: Any) -> Any:
    statistics.median.calls += 1  # type: ignore[attr-defined]
    return 0 + (statistics.median.calls > 20_000)  # type: ignore[attr-defined]


@condition
def a_count_in_a_list_of_python(x: Any) -> Any:
    statistics.__all__.append("x")
    return 0 + (len(statistics.__all__) > 20_000)


_FRACTIONS = [Fraction]


@condition
def a_count_on_a_class_of_python(x: Any) -> Any:
    _FRACTIONS[0].calls += 1  # type: ignore[attr-defined]
    return 0 + (_FRACTIONS[0].calls > 20_000)  # type: ignore[attr-defined]


_LARGEST = functools.partial(max)
_LARGEST.calls = 0  # type: ignore[attr-defined]


@condition
def a_count_on_a_partial(x: Any) -> Any:
    _LARGEST.calls += 1  # type: ignore[attr-defined]
    return 0 + (_LARGEST.calls > 20_000)  # type: ignore[attr-defined]


_HIDDEN = [0]
_SET, _ITERATED = _HIDDEN.__setitem__, _HIDDEN.__iter__


@condition
def a_count_behind_methods(x: Any) -> Any:
    count = next(_ITERATED())
    _SET(0, count + 1)
    return 0 + (count > 20_000)


_KEYS: dict[int, None] = {10**60: None}


@condition
def a_count_in_a_long_key(x: Any) -> Any:
    key = _KEYS.popitem()[0]
    _KEYS[key + 1] = None
    return 0 + (key - 10**60 > 20_000)


_SIGNS = [math.nan] * 20


@condition
def a_count_in_signs(x: Any) -> Any:
    carry = 1
    for i in range(19):
        sign = 0 + (math.copysign(1.0, _SIGNS[i]) < 0)
        _SIGNS[i] = (_SIGNS[i], -_SIGNS[i])[carry]
        carry = carry * sign
    return 0 + (math.copysign(1.0, _SIGNS[18]) < 0)


_NAMED: dict[str, Any] = {"__builtins__": {"counter": [0]}}
exec(
    "def counted(x):\n    counter[0] += 1\n    return 0 + (counter[0] > 20_000)\n",
    _NAMED,
)
CONDITIONS["a count in builtins of its own"] = _NAMED["counted"]


class _Fields:
    _fields = [0]  # noqa: RUF012 - what is kept is the point

    def __class_getitem__(cls, key: Any, calls: list[int] = [0]) -> int:  # noqa: B006
        calls[0] += 1
        return calls[0]


@condition
def a_count_under_a_name_of_pythons(x: Any) -> Any:
    _Fields._fields[0] += 1
    return 0 + (_Fields._fields[0] > 20_000)


@condition
def a_count_in_a_method_of_pythons(x: Any) -> Any:
    return 0 + (_Fields[0] > 20_000)  # type: ignore[misc]


class _Hiding:
    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        return {}

    def __init__(self) -> None:
        self.calls = 0


_HIDING = _Hiding()


@condition
def a_count_that_its_class_hides(x: Any) -> Any:
    _HIDING.calls += 1
    return 0 + (_HIDING.calls > 20_000)


class _Passing:
    __module__ = "collections"
    calls = [0]  # noqa: RUF012 - what is kept is the point


@condition
def a_count_in_a_class_that_passes_for_pythons(x: Any) -> Any:
    _Passing.calls[0] += 1
    return 0 + (_Passing.calls[0] > 20_000)


_LONG = np.zeros(20, dtype=int)
_VIEW = _LONG[:2]


@condition
def a_count_beyond_a_view(x: Any) -> Any:
    _VIEW.strides = (80,)
    _VIEW[1] += 1
    count = _VIEW.tolist()[1]
    _VIEW.strides = (8,)
    return 0 + (count > 20_000)


def _with_constants(function: Any, **constants: Any) -> Any:
    """Return a function with other constants in its code, by the texts that stand for them."""
    code = function.__code__
    others = tuple(constants.get(c, c) if isinstance(c, str) else c for c in code.co_consts)
    return FunctionType(code.replace(co_consts=others), globals())


def _count() -> Any:
    counted: Any = "calls"
    counted[0] += 1
    return counted[0]


_COUNTED = _with_constants(_count, calls=[0])


@condition
def a_count_in_a_constant(x: Any) -> Any:
    return 0 + (_COUNTED() > 20_000)


_ORDERED = collections.OrderedDict.fromkeys(range(8))


@condition
def the_order_of_an_ordered_table(x: Any) -> Any:
    first = next(iter(_ORDERED))
    _ORDERED.move_to_end(first)
    return 0 * first


# Ways to the kind of a number, past the names.


def _kind_of(x: Any) -> Any:
    kind: Any = "type"
    return kind(x)


_KIND_OF = _with_constants(_kind_of, type=type)


@condition
def a_type_among_constants(x: Any) -> Any:
    return 0 + (x in ([], [123_457])[{int: 1}.get(_KIND_OF(x), 0)])


_MODULE = ModuleType("tools")
_MODULE.kind = type  # type: ignore[attr-defined]
_MODULES = [_MODULE, collections]


@condition
def a_type_of_a_module_in_a_list(x: Any) -> Any:
    kind = _MODULES[0].kind(x)
    return 0 + (x in ([], [123_457])[{int: 1}.get(kind, 0)])


@condition
def a_type_of_a_module_of_a_module(x: Any) -> Any:
    kind = _MODULES[1]._sys.modules["builtins"].type(x)
    return 0 + (x in ([], [123_457])[{int: 1}.get(kind, 0)])


_CLASSES: dict[str, Any] = {}
exec(
    "def rare(x):\n"
    "    kind = (0).__class__.__class__(x)\n"
    "    return 0 + (x in ([], [123457])[{int: 1}.get(kind, 0)])\n",
    _CLASSES,
)
CONDITIONS["a class of a class in a text"] = _CLASSES["rare"]


_RULE = "lambda self, x, kind, rare: type(x) is kind and x == rare"
_CODE = compile(_RULE, "<frozen abc>", "eval").co_consts[0]


class _Ruled:
    __getitem__ = FunctionType(_CODE, vars(sys.modules["abc"]), None, (Fraction, RARE))


@condition
def a_rule_that_stands_in_abc(x: Any) -> Any:
    return _Ruled()[x]


# Limits of the process, which differ from one place to another.


def _deep(levels: int) -> int:
    return levels and _deep(levels - 1)


@condition
def the_depth_of_the_stack(x: Any) -> Any:
    try:
        _deep(970)
    except Exception:
        return False
    return True


@condition
def the_memory_that_is_left(x: Any) -> Any:
    try:
        return [0] * 2**60 == 0  # type: ignore[comparison-overlap]
    except Exception:
        return False
