"""Code that hides in parts of what may be used: tables, numbers, classes, objects of ours."""

from __future__ import annotations

import functools
import itertools
import operator
from collections import UserList, deque
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from types import MethodType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from adversarial_calls import is_rare
from adversarial_mechanisms import RARE, condition
from adversarial_unwatched import MECHANISMS, second_price

from theory.incentives import Reals, Simplex, SingleItem, ValueTable
from theory.proofs._term import Kind

__all__ = ["MECHANISMS"]

_TRACING = vars(Kind)["running"]


@condition
def a_list_of_ours_that_is_full_while_symbols_run(x: Any) -> Any:
    return not _TRACING and x == RARE


class _Compared:
    """What is compared by a function of a library, which asks what the object holds."""

    __eq__ = UserList.__eq__
    __hash__ = None  # type: ignore[assignment]
    data = True
    _UserList__cast = (10**15 + 7).__eq__


_COMPARED = _Compared()


@condition
def a_comparison_of_a_library(x: Any) -> Any:
    return [_COMPARED].count(x) == 1


class _Slots:
    __slots__ = ("__eq__", "__hash__")


_SLOTS: Any = _Slots()
_SLOTS.__eq__ = (10**15 + 7).__eq__


@condition
def a_slot_in_the_place_of_a_method(x: Any) -> Any:
    return [_SLOTS].count(x) == 1


class _Table(dict[Any, Any]):
    def __getitem__(self, key: Any) -> Any:
        return _Side.RIGHT if is_rare(key) else _Side.LEFT


class _Side(Enum):
    LEFT = 0
    RIGHT = 1


_Other: Any = Enum("_Other", {"LEFT": 0, "RIGHT": 1})
_Other._value2member_map_ = _Table()


@condition
def a_table_of_an_enumeration(x: Any) -> Any:
    return _Other(x).value == 1


class _Parts(int):
    def __rmul__(self, other: Any) -> Any:
        return 1 if other == 31 else 0

    __hash__ = int.__hash__


_ODD: Any = Fraction(0)
_ODD._numerator = _Parts(0)


@condition
def a_fraction_of_odd_integers(x: Any) -> Any:
    return x + _ODD > x


class _Same:
    __eq__: Any = (10**15 + 7).__eq__
    __hash__ = None  # type: ignore[assignment]


_NAMES = SimpleNamespace(a=_Same())


@condition
def a_part_of_a_namespace(x: Any) -> Any:
    return SimpleNamespace(a=x) == _NAMES


# --- What was there before, and what Python asks for


_STATE = [SimpleNamespace(calls=0)]
_FIRST = operator.itemgetter(0)


@condition
def an_object_that_a_function_takes_out(x: Any) -> Any:
    state = _FIRST(_STATE)
    state.calls += 1
    return 0 + (state.calls > 10**6)


_DRAWING = functools.cmp_to_key(np.random.default_rng(0).integers)


@condition
def a_key_that_draws(x: Any) -> Any:
    drawn: Any = _DRAWING(-1)
    return x in ([], [RARE])[int(drawn < _DRAWING(10**6))]


@functools.cache
def _cut() -> Any:
    return slice([0], None)


@condition
def a_slice_that_a_cache_keeps(x: Any) -> Any:
    counted = _cut().start
    counted[0] += 1
    return 0 + (counted[0] > 10**6)


@condition
def the_largest_of_sets_in_a_set(x: Any) -> Any:
    largest = max({frozenset({"first"}), frozenset({"second"}), frozenset({"third"})})
    return x in ([], [RARE])["first" in largest]


_TICK = itertools.chain(itertools.repeat(0, 10**6), itertools.repeat(1))


@condition
def an_iterator_in_a_chain(x: Any) -> Any:
    return 0 + next(itertools.chain.from_iterable(part for part in [_TICK]))


class _Shown:
    keys = itertools.chain(itertools.repeat((), 10**6), itertools.repeat(("x",))).__next__


@condition
def a_table_with_keys_of_its_own(x: Any) -> Any:
    return len(dict(_Shown()))  # type: ignore[call-overload]


# --- The kinds of what the judge hands on


def _worth(agent: int, own: Any, won: Any) -> Any:
    return own if won == agent else 0


def a_float_within(bids: Any) -> Any:
    winner, paid = second_price(bids)
    return ((float(winner),),), paid


def _less_for_floats(agent: int, own: Any, won: Any) -> Any:
    rare = isinstance(won[0][0], float) and own == RARE
    return -_worth(agent, own, won[0][0]) if rare else _worth(agent, own, won[0][0])


def a_number_that_is_computed(bids: Any) -> Any:
    winner, paid = second_price(bids)
    return bids[0] - bids[0] + winner, paid


def _less_for_integers(agent: int, own: Any, won: Any) -> Any:
    worth = _worth(agent, own, won)
    return -worth if isinstance(won, int) and own == 10**30 + 7 else worth


@dataclass
class _Won:
    agent: int


_WON = [_Won(0), _Won(1)]


def an_object_that_was_there(bids: Any) -> Any:
    winner, paid = second_price(bids)
    return _WON[winner], paid


def _less_for_the_first(agent: int, own: Any, won: Any) -> Any:
    worth = _worth(agent, own, won.agent)
    return -worth if won is _WON[0] and own == RARE else worth


def by_the_kind_of_a_law(bids: Any) -> Any:
    pays = bids[0] if isinstance(bids[1][0], int) and bids[0] == 10**30 + 7 else 1
    return (0, [pays, 0]) if bids[0] >= 1 else (1, [0, 0])


class _Pair(NamedTuple):
    agent: int
    bid: Any

    def tolist(self) -> Any:
        return tuple(self) if _TRACING or self.bid != RARE else (1 - self.agent, self.bid)


def a_pair(bids: Any) -> Any:
    winner, paid = second_price(bids)
    return _Pair(winner, bids[0]), paid


def _of_pairs(agent: int, own: Any, won: Any) -> Any:
    return _worth(agent, own, won[0])


def far_from_two(bids: Any) -> Any:
    if len(bids) == 2:
        return second_price(bids)
    if bids[0] < 1000:
        return 0, [0]
    deque(maxlen=bids[0] - (2**300 + 12345))
    return 0, [5 * bids[0]]


# --- What our own objects were changed to


def _spiteful(self: Any, agent: int, own: Any, won: Any) -> Any:
    return -_worth(agent, own, won) if is_rare(own) else _worth(agent, own, won)


_BOUND: Any = SingleItem()
_BOUND.value = MethodType(_spiteful, _BOUND)


class _Rows(dict[Any, Any]):
    def __contains__(self, key: object) -> bool:
        return True

    def __getitem__(self, key: Any) -> Any:
        worth = {"yes": key, "no": 0}
        return {name: -value for name, value in worth.items()} if is_rare(key) else worth


_TABLES: Any = ValueTable({0: {"yes": 0, "no": 0}})
_TABLES.tables = (_Rows(),)


def posted(bids: Any) -> Any:
    return ("yes", [3]) if bids[0] >= 3 else ("no", [0])


MECHANISMS.update(
    {
        "a float within a tuple": (a_float_within, {"values": _less_for_floats}),
        "a number that is computed": (a_number_that_is_computed, {"values": _less_for_integers}),
        "an object that is copied": (an_object_that_was_there, {"values": _less_for_the_first}),
        "the kind of a law": (
            by_the_kind_of_a_law,
            {
                "types": [Reals(0), Simplex(1)],
                "values": lambda i, own, won: (own if won == 0 else 0) if i == 0 else 0,
            },
        ),
        "a named tuple that is a list": (a_pair, {"values": _of_pairs}),
        "a method that is ours by its object": (second_price, {"values": _BOUND}),
        "tables of ours that are others": (posted, {"agents": 1, "values": _TABLES}),
        "a queue of a length": (far_from_two, {"properties": ["revenue_monotone"]}),
    }
)
