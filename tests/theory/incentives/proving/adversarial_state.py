"""Conditions that ask clocks, chance, the stack, state, and code that passes for a library's."""

from __future__ import annotations

import builtins
import datetime
import fractions
import functools
import gc
import inspect
import itertools
import math
import operator
import os
import random
import statistics
import sys
import threading
import time
import uuid
from fractions import Fraction
from typing import Any

import numpy as np
from adversarial_mechanisms import CONDITIONS, RARE, Condition, condition

import theory

__all__ = ["CONDITIONS"]

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


# What a second audit proved: places where state and kinds can hide.

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
