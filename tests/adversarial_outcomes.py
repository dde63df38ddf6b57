"""Mechanisms whose parts are read where nobody watches, or which are others to those who judge."""

from __future__ import annotations

import numbers
import sys
import weakref
from collections.abc import Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np
from adversarial_calls import is_rare
from adversarial_mechanisms import RARE
from adversarial_watch import MECHANISMS, first_price, second_price

from theory.incentives import Box

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
