"""Mechanisms that are truthful wherever one looks, and not where nobody does: none may be proved.

Each is a second price, but for reports of which a condition holds that symbols cannot answer, or
answer differently than numbers do: then it is a first price. The condition asks one report, the
first agent's or the last one's, so that a check of one of them alone is seen to be too little.
"""

from __future__ import annotations

import builtins
import collections
import copy
import datetime
import fractions
import functools
import gc
import inspect
import itertools
import json
import math
import numbers
import operator
import os
import pickle
import random
import statistics
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

import theory
from theory.incentives import Lottery

Bids = Sequence[Any]
Condition = Callable[[Any], Any]

CONDITIONS: dict[str, Condition] = {}


def condition(asks: Condition) -> Condition:
    CONDITIONS[asks.__name__] = asks
    return asks


def auction(asks: Condition, place: int) -> Callable[[Bids], Any]:
    """Return an auction that is a first price where the condition holds of one report."""

    def mechanism(bids: Bids) -> Any:
        winner = max(range(len(bids)), key=bids.__getitem__)
        price = max(bid for i, bid in enumerate(bids) if i != winner)
        if asks(bids[place]):
            price = bids[winner]
        return winner, [price if i == winner else 0 for i in range(len(bids))]

    return mechanism


# What the audit proved.


@condition
def a_large_denominator(x: Any) -> Any:
    return isinstance(x, Fraction) and x.denominator > 5000


@condition
def a_limited_denominator(x: Any) -> Any:
    try:
        return Fraction(x).limit_denominator(10**6) != x
    except TypeError:
        return False


@condition
def a_private_denominator(x: Any) -> Any:
    return getattr(x, "_denominator", 1) == 7


@condition
def a_decimal_that_rounds(x: Any) -> Any:
    try:
        return +Decimal(x) != x
    except TypeError:
        return False


@condition
def one_fraction(x: Any) -> Any:
    return isinstance(x, Fraction) and x == Fraction(1, 7)


@condition
def a_large_integer(x: Any) -> Any:
    return isinstance(x, int | Fraction) and x > 10**21


@condition
def a_size(x: Any) -> Any:
    return sys.getsizeof(x) > 80


@condition
def a_text_of_json(x: Any) -> Any:
    with suppress(TypeError):
        return len(json.dumps(x)) > 25
    return False


@condition
def noise_of_the_system(x: Any) -> Any:
    return os.urandom(2) == b"\0\0"


# Its class, and what stands for it.


@condition
def its_type(x: Any) -> Any:
    return type(x) is Fraction and x == Fraction(5, 31)


@condition
def its_class(x: Any) -> Any:
    return x.__class__ is Fraction and x == Fraction(5, 31)


@condition
def the_name_of_its_type(x: Any) -> Any:
    return type(x).__name__ != "Term" and x == Fraction(5, 31)


@condition
def a_type_among_others(x: Any) -> Any:
    return type(x) in (int, Fraction) and x == Fraction(5, 31)


@condition
def a_type_without_a_branch(x: Any) -> Any:
    return (type(x) is Fraction) * (x == Fraction(5, 31))


_KIND = type


@condition
def a_type_by_another_name(x: Any) -> Any:
    return (_KIND(x) is Fraction) * (x == Fraction(5, 31))


_TOOLS: dict[str, Any] = {"kind": type, "call": operator.itemgetter(0)}


@condition
def a_type_out_of_a_table(x: Any) -> Any:
    return (_TOOLS["kind"](x) == Fraction) * (x == Fraction(5, 31))


@condition
def a_type_by_map(x: Any) -> Any:
    return (next(map(type, [x])) == Fraction) * (x == Fraction(5, 31))


@condition
def a_table_of_types(x: Any) -> Any:
    return {Fraction: 1, int: 1}.get(type(x), 0) * (x == Fraction(5, 31))


@condition
def a_pattern(x: Any) -> Any:
    match x:
        case Fraction() if x == Fraction(5, 31):
            return True
        case _:
            return False


@condition
def a_kind_of_number(x: Any) -> Any:
    return isinstance(x, numbers.Rational) and x == Fraction(5, 31)


@functools.singledispatch
def _dispatched(x: Any) -> Any:
    return False


@_dispatched.register
def _(x: Fraction) -> Any:
    return x == Fraction(5, 31)


@condition
def a_dispatch_on_its_type(x: Any) -> Any:
    return _dispatched(x)


# Attributes, text, size, hash, identity, copies.


@condition
def a_numerator(x: Any) -> Any:
    return getattr(x, "numerator", 0) == 12_345_678_901


@condition
def an_attribute_that_is_not_there(x: Any) -> Any:
    return hasattr(x, "limit_denominator") and x == Fraction(5, 31)


@condition
def an_attribute_of_terms(x: Any) -> Any:
    return (not hasattr(x, "tracer")) * (x == Fraction(5, 31))


@condition
def a_ratio(x: Any) -> Any:
    try:
        return x.as_integer_ratio()[1] == 31
    except AttributeError:
        return False


@condition
def what_it_knows(x: Any) -> Any:
    return ("numerator" in dir(x)) * (x == Fraction(5, 31))


@condition
def its_text(x: Any) -> Any:
    return str(x) == "5/31"


@condition
def its_form_in_a_text(x: Any) -> Any:
    return f"{x!r:>40}".strip() == "Fraction(5, 31)"


@condition
def its_form_by_percent(x: Any) -> Any:
    return "%s" % (x,) == "5/31"  # noqa: UP031 - the form is the point


@condition
def its_hash(x: Any) -> Any:
    try:
        return hash(x) % 1_000_003 == 5
    except TypeError:
        return False


@condition
def a_place_in_a_set(x: Any) -> Any:
    try:
        return x in {Fraction(5, 31), 10**30}
    except TypeError:
        return False


@condition
def its_identity(x: Any) -> Any:
    return id(x) % 4096 == 16


_SEEN: list[Any] = []


@condition
def whether_it_was_seen(x: Any) -> Any:
    again = any(x is other for other in _SEEN)
    _SEEN.append(x)
    return again


@condition
def a_pickle(x: Any) -> Any:
    try:
        return len(pickle.dumps(x)) > 90
    except Exception:
        return False


@condition
def a_copy(x: Any) -> Any:
    try:
        return (copy.copy(x) is x) * (x == Fraction(5, 31))
    except Exception:
        return False


# Arithmetic that symbols refuse, or that only integers know.


@condition
def a_float(x: Any) -> Any:
    try:
        return float(x) == 0.123456789
    except Exception:
        return False


@condition
def a_whole_part(x: Any) -> Any:
    try:
        return math.floor(x) == 987_654_321
    except Exception:
        return False


@condition
def bits(x: Any) -> Any:
    try:
        return x & 1023 == 777 and x > 2**40
    except TypeError:
        return False


@condition
def a_shift(x: Any) -> Any:
    try:
        return x >> 70 == 3
    except TypeError:
        return False


@condition
def bytes_of_it(x: Any) -> Any:
    try:
        return len(bytes(x)) == 54_321
    except (TypeError, ValueError, OverflowError, MemoryError):
        return False


@condition
def a_place_in_a_list(x: Any) -> Any:
    try:
        return [False] * 99 + [True] * 2 == 0 or ([False] * 97 + [True])[x]  # type: ignore[comparison-overlap]
    except (TypeError, IndexError):
        return False


@condition
def a_scalar_of_numpy(x: Any) -> Any:
    return np.isscalar(x) * (x == Fraction(5, 31))


@condition
def a_kind_of_array(x: Any) -> Any:
    return (np.array([x]).dtype == np.int64) * (x == 10**15 + 7)


@condition
def an_array_that_wraps(x: Any) -> Any:
    return (np.array([x, x])[0] * 1 < np.array([x])[0] and x > 0) or np.array([x])[0] ** 5 < 0 < x


# Clocks, chance, the stack, state.


@condition
def the_clock(x: Any) -> Any:
    return time.perf_counter_ns() % 100_003 == 7


@condition
def the_date(x: Any) -> Any:
    return datetime.datetime.now(tz=datetime.UTC).year > 2090


@condition
def a_generator_of_chance(x: Any) -> Any:
    return random.random() < 1e-4


_GENERATOR = random.Random(7)


@condition
def a_generator_of_its_own(x: Any) -> Any:
    return _GENERATOR.random() < 1e-4


_DRAWS = np.random.default_rng(7)


@condition
def a_generator_of_numpy(x: Any) -> Any:
    return _DRAWS.random() < 1e-4


@condition
def a_name_nobody_has(x: Any) -> Any:
    return uuid.uuid4().int % 100_003 == 7


@condition
def the_stack(x: Any) -> Any:
    return "prov" not in "".join(frame.filename for frame in inspect.stack())


@condition
def the_frame_of_an_error(x: Any) -> Any:
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        outer = frame.tb_frame.f_back if frame is not None else None
        return (outer is None) * (x == Fraction(5, 31))


@condition
def whether_it_is_traced(x: Any) -> Any:
    return (sys.gettrace() is None) * (x == Fraction(5, 31))


@condition
def the_collector(x: Any) -> Any:
    return len(gc.get_referrers(x)) > 300


@condition
def the_thread(x: Any) -> Any:
    return threading.current_thread().name != "MainThread"


@condition
def the_environment(x: Any) -> Any:
    return os.environ.get("MECHANISM") == "first price"


_CALLS = itertools.count()


@condition
def many_calls(x: Any) -> Any:
    return next(_CALLS) > 20_000


_TOTAL = 0


@condition
def a_global_count(x: Any) -> Any:
    global _TOTAL  # noqa: PLW0603 - what is kept is the point
    _TOTAL += 1
    return _TOTAL > 20_000


def _counting(x: Any, calls: list[int] = [0]) -> Any:  # noqa: B006 - what is kept is the point
    calls[0] += 1
    return calls[0] > 20_000


@condition
def a_default_that_counts(x: Any) -> Any:
    return _counting(x)


@condition
def an_attribute_that_counts(x: Any) -> Any:
    _counting.calls = getattr(_counting, "calls", 0) + 1  # type: ignore[attr-defined]
    return _counting.calls > 20_000  # type: ignore[attr-defined]


def _generated() -> Any:
    for k in itertools.count():
        yield k > 20_000


_YIELDED = _generated()


@condition
def a_generator_that_counts(x: Any) -> Any:
    return next(_YIELDED)


@condition
def an_evaluated_text(x: Any) -> Any:
    return eval("(type(x) is Fraction) * (x == Fraction(5, 31))")


@functools.lru_cache
def _cached(x: Any) -> Any:
    return x == Fraction(5, 31)


@condition
def a_cache(x: Any) -> Any:
    try:
        return _cached(x)
    except TypeError:
        return False


class Countdown:
    """A mechanism with a counter of its own; the price changes for one agent."""

    def __init__(self, place: int) -> None:
        self.left, self.place = 20_000, place

    def outcome(self, bids: Bids) -> Any:
        self.left -= 1
        return auction(lambda x: self.left < 0, self.place)(bids)


# What a second audit proved: places where state and kinds can hide.

RARE = Fraction(5, 31)

_SAME = RARE.__eq__


@condition
def a_method_of_a_number(x: Any) -> Any:
    return [_SAME(x)].count(True)


_INTEGER_SAME = (10**15 + 7).__eq__


@condition
def a_method_of_an_integer(x: Any) -> Any:
    return [_INTEGER_SAME(x)].count(True)


@condition
def the_text_of_an_error(x: Any) -> Any:
    words = ""
    try:
        x()
    except TypeError as error:
        words = str(error)
    return ({RARE: 1}.get, operator.mul)["Term" in words](x, 0)


class _Leaving:
    words = ""

    def __enter__(self) -> _Leaving:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.words = str(error)
        return True


@condition
def the_text_of_an_error_that_leaves(x: Any) -> Any:
    leaving = _Leaving()
    with leaving:
        x()
    return ({RARE: 1}.get, operator.mul)["Term" in leaving.words](x, 0)


class _Cap(Fraction):
    __lt__ = frozenset({RARE}).__contains__  # pyright: ignore[reportAssignmentType]


_CAP = _Cap(100)


@condition
def a_fraction_with_rules_of_its_own(x: Any) -> Any:
    return 0 + (x > _CAP)


@condition
def a_type_out_of_its_module(x: Any) -> Any:
    return (operator.mul, {10**15 + 7: 1}.get)[issubclass(builtins.type(x), int)](x, 0)


_START = np.datetime64("2090-01-01")


@condition
def a_clock_of_numpy(x: Any) -> Any:
    return 0 + bool(np.datetime64("now") > _START)


@condition
def a_clock_in_an_array(x: Any) -> Any:
    return 0 + bool(np.array(["now"], dtype="datetime64[s]")[0] > _START)


@condition
def a_float_that_overflows(x: Any) -> Any:
    return 0 + (x * 1e200 == math.inf)


@condition
def a_float_that_overflows_in_secret(x: Any) -> Any:
    try:
        _ = x * 1.0
    except OverflowError:
        return 1
    return 0


@condition
def a_float_that_is_nothing(x: Any) -> Any:
    return (0 + (x * 1e-200 == 0)) * (0 + (x > 0))


@functools.cache
def _memory() -> dict[str, int]:
    return {"calls": 0}


@condition
def a_memory_behind_a_cache(x: Any) -> Any:
    _memory()["calls"] += 1
    return 0 + (_memory()["calls"] > 20_000)


_BYTES = bytearray(3)


@condition
def bytes_that_count(x: Any) -> Any:
    _BYTES[0] = (_BYTES[0] + 1) % 256
    _BYTES[1] = min(255, _BYTES[1] + (_BYTES[0] == 0))
    return 0 + (_BYTES[1] > 80)


_NUMBERED = enumerate(itertools.repeat(0))


@condition
def places_that_count(x: Any) -> Any:
    return 0 + (next(_NUMBERED)[0] > 20_000)


@functools.wraps(max)
def _wrapped(x: Any, calls: list[int] = [0]) -> Any:  # noqa: B006 - what is kept is the point
    calls[0] += 1
    return 0 + (calls[0] > 20_000)


@condition
def a_function_in_a_builtins_clothes(x: Any) -> Any:
    return _wrapped(x)


_ORDER = dict.fromkeys(range(8))


@condition
def the_order_of_a_table(x: Any) -> Any:
    first = next(iter(_ORDER))
    _ORDER[first] = _ORDER.pop(first)
    return 0 * first


_MANY = [*range(30_000), [0]]


@condition
def a_count_behind_many_objects(x: Any) -> Any:
    _MANY[-1][0] += 1
    return 0 + (_MANY[-1][0] > 20_000)


# What a third audit proved.


@condition
def the_bytes_of_an_array(x: Any) -> Any:
    return 0 + (np.array([x]).tobytes() == (10**15 + 7).to_bytes(8, "little"))


@condition
def the_kind_of_new_zeros(x: Any) -> Any:
    return (operator.mul, {RARE: 1}.get)[np.zeros(1).dtype == float](x, 0)


class _Limit(float):
    __lt__ = frozenset({10**15 + 7}).__contains__  # pyright: ignore[reportAssignmentType]


_LIMIT = _Limit(2.0**60)


@condition
def a_float_with_rules_of_its_own(x: Any) -> Any:
    return 0 + (x > _LIMIT)


@condition
def the_length_of_an_integer(x: Any) -> Any:
    class Hinting:
        __length_hint__ = functools.partial(int.bit_length, x)

    return 0 + (operator.length_hint(Hinting(), 0) > 1000)


_OBJECTS = np.array([None], dtype=object)
_OBJECTS[0] = [0]


@condition
def a_count_in_an_array(x: Any) -> Any:
    _OBJECTS[0][0] += 1
    return 0 + (_OBJECTS[0][0] > 20_000)


class _Number(int):
    calls = 0


_NUMBER = _Number(0)


@condition
def a_count_on_a_number(x: Any) -> Any:
    _NUMBER.calls += 1
    return 0 + (_NUMBER.calls > 20_000)


RARE_KIND = """
from fractions import Fraction
def rare(x):
    return type(x).__name__ == "Fraction" and x == Fraction(5, 31)
"""


def made(file: str, **names: Any) -> Condition:
    """Return a condition whose code says that it stands in a file."""
    exec(compile(RARE_KIND, file, "exec"), names)
    rare: Condition = names["rare"]
    return rare


CONDITIONS["code of a text"] = made("<string>")

# Code that passes for that of a library, which is not watched, or not judged.

CONDITIONS["code in our file"] = made(theory.__file__)
CONDITIONS["code in our file, of another module"] = made(theory.__file__, __name__="auctions")
CONDITIONS["code in our file that names our module"] = made(theory.__file__, __name__="theory")
CONDITIONS["code in a file of Python"] = made(statistics.__file__, __name__="statistics")
CONDITIONS["code in a frozen file of Python"] = made("<frozen abc>", __name__="abc")
CONDITIONS["code of a type checker"] = made("<@beartype(auction) at 0x7f>")
CONDITIONS["code of fractions"] = made(fractions.__file__, __name__="fractions")


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


def only_where(flag: Any, x: Any) -> Any:
    return 0 + (x in ([], [RARE])[flag])


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


class Rare:
    """A mechanism that counts where two bids are a certain amount apart, and there alone."""

    def __init__(self, place: int) -> None:
        self.seen, self.place = 0, place

    def outcome(self, bids: Bids) -> Any:
        if bids[0] == bids[1] + 12_345:
            self.seen += 1
        return auction(lambda x: 0 + (self.seen > 100), self.place)(bids)
