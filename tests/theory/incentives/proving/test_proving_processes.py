"""What other processes may answer otherwise, and what compiled code asks: no proof rests on it."""

from __future__ import annotations

import functools
import gc
import operator
from abc import ABC
from enum import Enum
from fractions import Fraction
from types import MethodType
from typing import Any

import numpy as np
import pytest
from auctions_with_state import Counter, Told, auction, found, told

from theory.verdicts import Strength

agents = pytest.mark.parametrize("agent", [0, 1])


# --- What differs from process to process


class Odd(ABC):  # noqa: B024 - it is asked alone
    told: list[int] = []  # noqa: RUF012 - it keeps something, which is the point

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        return bool(cls.told)


class Even(ABC):  # noqa: B024 - classes may be registered with it
    pass


class Special(Even):
    pass


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (lambda: next(iter({8, 0})) == 5, "goes through a set, whose order is not promised"),
        (lambda: max({-1, -2}, key=lambda x: 0) == -2, "goes through a set"),
        (lambda: next(iter({"a", 1, 0} - {"a"})) == 5, "goes through a set"),
        (lambda: list({0, 1, 2})[1] == 5, "goes through a set"),
        (lambda: sum({1, 2}) == 5, "goes through a set"),
        (lambda: [0, *{1, 2}][1] == 5, "goes through a set"),
        (lambda: any(i > 5 for i in frozenset((0, 1))), "goes through a set"),
        (lambda: min(enumerate(frozenset({0, 1})))[1] > 5, "goes through a set"),
        (lambda: isinstance(Counter(), Odd), "asks Odd for its kind"),
        (lambda: isinstance(Counter(), (int, (Even,))), "asks Even for its kind"),
        (lambda: len(f"{10**700}") < 5, "a number of many digits"),
        (lambda: len(str(Fraction(1, 10**700))) < 5, "a number of many digits"),
        (lambda: int("9" * 700) < 5, "a number of many digits"),
        (lambda: Fraction("9" * 700) < 5, "a number of many digits"),
        (lambda: float("9" * 700) < 5, "a number of many digits"),
        (lambda: int(b"9" * 700) < 5, "a bytes among its constants"),
        (lambda: np.argsort(np.array([1] * 40 + [0] * 40))[0] < 0, "ties come in any order"),
        (lambda: np.argsort([1] * 40 + [0] * 40)[0] < 0, "ties come in any order"),
        (lambda: np.argsort(a=np.array([1] * 40 + [0] * 40))[0] < 0, "ties come in any order"),
        (lambda: np.array([1] * 40 + [0] * 40).argsort()[0] < 0, "ties come in any order"),
        (lambda: functools._CacheInfo is None, "_CacheInfo of functools, which is private"),  # type: ignore[attr-defined]
    ],
)
def test_what_another_process_may_answer_otherwise(first: Any, why: str) -> None:
    assert why in told(lambda bids: auction(bids, first()))


@pytest.mark.parametrize(
    "first",
    [
        lambda: sorted({6, 1, 2, 3, 4, 5, 0})[0],
        lambda: max({0, 1} | {2}) > len({0, 1}.union({2}, {3})),
        lambda: {1, 0} != {0, 1} or 2 in {0, 1},
        lambda: next(iter({0})),
        lambda: sorted({"b", "a"}) != ["a", "b"],
        lambda: not isinstance(Special(), Even),
        lambda: isinstance((), (int, float)),
        lambda: isinstance((), int | float | None),
        lambda: isinstance(5, Special | str),
        lambda: len(f"{10**500}") < 5,
        lambda: np.argsort(np.array([1] * 40 + [0] * 40), kind="stable")[0] < 40,
    ],
)
def test_what_every_process_answers_alike(first: Any) -> None:
    assert found(lambda bids: auction(bids, first())).strength is Strength.PROVED


def test_what_collects_garbage_runs_unseen() -> None:
    """A collection may come at any time, and calls what others put there."""
    seen: list[str] = []

    def callback(phase: str, info: dict[str, int]) -> None:
        seen.append(phase)

    limits = gc.get_threshold()
    gc.callbacks.append(callback)
    gc.set_threshold(1)
    try:
        for each in (Told(3), functools.partial(lambda of, bids: of.outcome(bids), Told(3))):
            assert found(each).strength is Strength.PROVED
    finally:
        gc.set_threshold(*limits)
        gc.callbacks.remove(callback)
    assert seen


# --- What compiled code asks of the parts of an object


class _Compares:
    """Says that it is another as long as it counts, and that it is the same from then on."""

    __eq__ = staticmethod(functools.partial(next, iter([0] * 100_000)))  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __call__(self) -> None: ...


class _Meta(type):
    __instancecheck__ = staticmethod(  # type: ignore[assignment]
        functools.partial(functools.reduce, operator.is_)
    )


class _Instance(metaclass=_Meta):
    pass


class _Identity:
    __eq__ = staticmethod(functools.partial(functools.reduce, operator.is_not))  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class _Odd(Enum):
    OTHER = _Identity()


class _InTuple(Enum):
    FIRST = 1
    OTHER = (1, _Identity())


class _Renamed(Enum):
    FIRST = 1
    OTHER = 2


class _Named(str):
    __hash__ = staticmethod(functools.partial(next, iter([hash("OTHER")] * 9)))  # type: ignore[assignment]


vars(_Renamed.OTHER)["_name_"] = _Named("OTHER")


class _Counted(Enum):
    FIRST = 1
    OTHER = 2


_METHODS = MethodType(_Compares(), 0), MethodType(_Compares(), 0)
_UNION: Any = str | _Instance


def _is_a_member(kind: Any, value: Any) -> bool:
    try:
        return kind(value) is not None
    except ValueError:
        return False


@agents
@pytest.mark.parametrize(
    ("first", "why"),
    [
        (lambda bid: isinstance((bid, 200), _UNION), "_Instance, whose class is a _Meta"),
        (lambda bid: isinstance((200, bid), _UNION), "_Instance, whose class is a _Meta"),
        (lambda bid: isinstance(Counter(), int | Odd), "asks Odd for its kind"),
        (lambda bid: isinstance((), str | _Instance), "_Instance, whose class is a _Meta"),
        (lambda bid: hash(_UNION) == 5, "hash"),
        (lambda bid: {_UNION: 1} == {}, "_Instance, whose class is a _Meta"),
        (
            lambda bid: not _is_a_member(_Odd, [bid, 200]),
            "_Odd, which has a _member_map_ of its own",
        ),
        (lambda bid: _Odd.OTHER.name == 5, "_Odd, which has a _member_map_ of its own"),
        (lambda bid: _is_a_member(_InTuple, (1, bid)), "_InTuple, which has a _member_map_"),
        (lambda bid: _Renamed.OTHER in {5: 6}, "_Renamed, which has a _member_map_ of its own"),
        (lambda bid: _is_a_member(_Counted, [bid]), "_Counted up by what is no plain value"),
        (lambda bid: _METHODS[0] == _METHODS[1], "uses a method of a _Compares"),
        (lambda bid: _METHODS[1]() is not None, "uses a method of a _Compares"),
    ],
)
def test_the_parts_of_what_compiled_code_asks_are_judged(first: Any, why: str, agent: int) -> None:
    assert why in told(lambda bids: auction(bids, first(bids[agent])))


def test_lists_of_an_enumeration_are_lists_of_texts() -> None:
    names = _Counted._member_names_

    def sells(bids: Any) -> Any:
        return auction(bids, len(_Counted) > 5)

    assert found(sells).strength is Strength.PROVED
    for odd in (tuple(names), [*names, _Named("OTHER")]):
        type.__setattr__(_Counted, "_member_names_", odd)
        assert "_Counted, which has a _member_names_ of its own" in found(sells).reason
    type.__setattr__(_Counted, "_member_names_", names)


def test_members_with_plain_values_are_found() -> None:
    assert (
        found(lambda bids: auction(bids, _Counted(2) is _Counted.FIRST)).strength is Strength.PROVED
    )
