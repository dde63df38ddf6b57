"""Mechanisms that are truthful wherever one looks, and not where nobody does: none may be proved.

Each is a second price, but for reports of which a condition holds that symbols cannot answer, or
answer differently than numbers do: then it is a first price. The condition asks one report, the
first agent's or the last one's, so that a check of one of them alone is seen to be too little.
"""

from __future__ import annotations

import copy
import functools
import json
import math
import numbers
import operator
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

Bids = Sequence[Any]
Condition = Callable[[Any], Any]

CONDITIONS: dict[str, Condition] = {}
RARE = Fraction(5, 31)


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


def only_where(flag: Any, x: Any) -> Any:
    return 0 + (x in ([], [RARE])[flag])


class Countdown:
    """A mechanism with a counter of its own; the price changes for one agent."""

    def __init__(self, place: int) -> None:
        self.left, self.place = 20_000, place

    def outcome(self, bids: Bids) -> Any:
        self.left -= 1
        return auction(lambda x: self.left < 0, self.place)(bids)


class Rare:
    """A mechanism that counts where two bids are a certain amount apart, and there alone."""

    def __init__(self, place: int) -> None:
        self.seen, self.place = 0, place

    def outcome(self, bids: Bids) -> Any:
        if bids[0] == bids[1] + 12_345:
            self.seen += 1
        return auction(lambda x: 0 + (self.seen > 100), self.place)(bids)


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
