"""Mechanisms whose parts are read where nobody watches, or which are others to those who judge."""

from __future__ import annotations

import numbers
import sys
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np
from adversarial_calls import is_rare
from adversarial_mechanisms import RARE
from adversarial_unwatched import MECHANISMS, first_price, second_price

from theory.incentives import Box, Reals, SingleParameter

__all__ = ["MECHANISMS", "PassingForAFunction"]


def _is_judged() -> bool:
    return "theory" in str(sys._getframe(2).f_globals["__name__"])


class _Asked:
    def __init__(self, x: Any) -> None:
        self.x = x

    def rare(self) -> bool:
        return is_rare(self.x)


class _Watched:
    """A second price for those who judge, and a first price for all others."""

    @property
    def outcome(self) -> Any:
        return second_price if _is_judged() else first_price

    def __call__(self, *bids: Any) -> Any:
        return second_price(bids[-1])


class PassingForAFunction(_Watched):
    __class__ = FunctionType  # type: ignore[assignment]


def _outcome_of_module(name: str) -> Any:
    if name != "outcome":
        raise AttributeError(name)
    return second_price if _is_judged() else first_price


_MODULE = ModuleType("auction")
_MODULE.__getattr__ = _outcome_of_module  # type: ignore[method-assign]
_WATCHED = _Watched()


class _Outcome(NamedTuple):
    allocation: Any
    payments: Any

    def __iter__(self) -> Iterator[Any]:
        yield self.allocation
        yield [0 if is_rare(sum(self.payments)) else paid for paid in self.payments]


def an_outcome_with_a_way_of_its_own(bids: Any) -> Any:
    return _Outcome(*second_price(bids))


class _Paid:
    def __init__(self, bids: Any) -> None:
        self.bids, self.measured = bids, 0

    def __len__(self) -> int:
        self.measured = 1
        return 2

    def __iter__(self) -> Iterator[Any]:
        rare = self.measured and self.bids[0] == RARE
        yield from (first_price if rare else second_price)(self.bids)[1]


def payments_that_were_measured(bids: Any) -> Any:
    return second_price(bids)[0], _Paid(bids)


def _by_kind(bids: Any) -> Any:
    winner, paid = (first_price if is_rare(bids[0]) else second_price)(tuple(bids))
    amounts: Any = np.empty(2, dtype=object)
    amounts[:] = paid
    return winner, amounts


class _Valued:
    """Values of which one part is another thing for those who trace."""

    linear = False

    def value(self, agent: int, own: Any, allocation: Any) -> Any:
        return own if allocation == agent else 0

    def violation(self, allocation: Any, agents: int) -> int:
        return 0

    def alternatives(self, agents: int) -> Any:
        return range(agents)


def _is_traced() -> bool:
    return str(sys._getframe(2).f_globals["__name__"]).endswith("_symbolic")


def _rarely_spiteful(agent: int, own: Any, allocation: Any) -> Any:
    return (0 if own == RARE else own) if allocation == agent else 1 if own == RARE else 0


class _ByProperty(_Valued):
    @property
    def value(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().value if _is_traced() else _rarely_spiteful


class _Allowing(_Valued):
    @property
    def violation(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().violation if _is_traced() else lambda won, agents: int(won[0] == RARE)


class _Ratio(_Asked):
    """A number to Python, and another one at a rare type."""

    denominator = 1

    @property
    def numerator(self) -> int:
        return 100 * self.rare()


class _Entry(_Asked):
    ndim = 0

    def item(self) -> int:
        return 100 * self.rare()


numbers.Rational.register(_Ratio)


@dataclass
class _Shares:
    winner: int
    x: Any

    def __getitem__(self, agent: int) -> Any:
        return 0 if is_rare(self.x) else int(agent == self.winner)


def shares_by_an_object(bids: Any) -> Any:
    winner, paid = second_price(bids)
    return _Shares(winner, bids[0]), paid


@dataclass(eq=True)
class _Winner:
    winner: int


class _Written(_Winner):
    """An allocation that becomes another one where its parts are written again."""

    __slots__ = ("own", "turned")
    own: Any
    turned: int

    def __init__(self, winner: int, own: Any) -> None:
        for name, value in (("winner", winner), ("own", own), ("turned", 2)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, is_rare(self.own) if name == "turned" else value)


def an_allocation_that_is_written_again(bids: Any) -> Any:
    winner, paid = second_price(bids)
    return _Written(winner, bids[0]), paid


def _worth_of_what_is_written(agent: int, own: Any, won: Any) -> Any:
    winner = 1 - won.winner if won.turned == 1 else won.winner
    return own if agent == winner else 0


class _Members:
    """A type space that shows fewer members while it is judged."""

    @property
    def members(self) -> Any:
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_name != "prove_mechanism":
            frame = frame.f_back
        return (0, 1, 2) if frame is None else (0,)

    def grid(self, size: Any) -> Any:
        return self.members

    def draw(self, generator: Any) -> Any:
        return 0

    def round(self, value: Any, digits: Any) -> Any:
        return value

    def __contains__(self, value: Any) -> bool:
        return value in (0, 1, 2)


def at_the_price_of_the_second(bids: Any) -> Any:
    winner = 0 if bids[0] >= bids[1] else 1
    return winner, [bids[1] if i == winner else 0 for i in range(2)]


class _Ordered(type):
    @property
    def __mro__(cls) -> Any:
        return (object,)


class _OfAnOrder(metaclass=_Ordered):
    @property
    def outcome(self) -> Any:
        return second_price if _is_judged() else first_price


class _Either(_Asked):
    def __bool__(self) -> bool:
        return not self.rare()


class _Late:
    def __iter__(self) -> Iterator[int]:
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_name != "prove_mechanism":
            frame = frame.f_back
        return iter((0, 1) if frame is None else (0,))


def to_the_first(bids: Any) -> Any:
    return 0, [0 for _ in bids]


def bids_for_all(bids: Any) -> Any:
    return (bids[0], bids[1]), [0, 0]


class _Names:
    def outcome(self, bids: Any) -> Any:
        return to_the_first(bids)

    def value_of_names(self, names: Any, own: Any, allocation: Any) -> int:
        return 100 if is_rare(own) else 0


def by_the_kind_of_a_part(bids: Any) -> Any:
    whole = isinstance(bids[0][1], int)
    amounts = tuple(bid[0] for bid in bids)
    return (first_price if whole and amounts[0] == RARE else second_price)(amounts)


def _of_the_first_part(agent: int, own: Any, allocation: Any) -> Any:
    return own[0] if allocation == agent else 0


MECHANISMS.update(
    {
        "a module that answers": (_MODULE, {}),
        "a weak proxy": (weakref.proxy(_WATCHED), {}),
        "a method of an object": (MethodType(_Watched(), 0), {}),
        "an outcome with a way of its own": (an_outcome_with_a_way_of_its_own, {}),
        "payments that were measured": (payments_that_were_measured, {}),
        "a function made for arrays": (
            np.vectorize(_by_kind, otypes=[object, object], signature="(n)->(),(n)"),
            {},
        ),
        "a class that hides what it derives from": (_OfAnOrder(), {}),
        "shares by an object": (shares_by_an_object, {"values": SingleParameter()}),
        "an allocation that is written again": (
            an_allocation_that_is_written_again,
            {"values": _worth_of_what_is_written},
        ),
        "members that are shown to others": (
            at_the_price_of_the_second,
            {"types": [Reals(0), _Members()]},
        ),
        "values by a property": (second_price, {"values": _ByProperty()}),
        "a value that is a ratio": (
            second_price,
            {"values": lambda agent, own, won: own if won == agent else _Ratio(own)},
        ),
        "a value that is an entry": (
            second_price,
            {"values": lambda agent, own, won: own if won == agent else _Entry(own)},
        ),
        "alternatives that come late": (
            to_the_first,
            {"alternatives": lambda agents: _Late(), "properties": ["efficient"]},
        ),
        "an object that says what can be": (
            bids_for_all,
            {"feasible": lambda won, agents: _Either(won[0]), "properties": ["feasible"]},
        ),
        "a violation by a property": (
            bids_for_all,
            {"values": _Allowing(), "properties": ["feasible"]},
        ),
        "several names at once": (_Names(), {"properties": ["false_name_proof"]}),
        "a part that is a whole number": (
            by_the_kind_of_a_part,
            {"types": Box((0, 5), (10**6, 5)), "values": _of_the_first_part},
        ),
    }
)
