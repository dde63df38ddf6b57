"""Mechanisms of which a part runs where nobody watches."""

from __future__ import annotations

import enum
import operator
import sys
from collections import namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from adversarial_mechanisms import RARE
from adversarial_watch import CONDITIONS

from theory.incentives import Box, Lottery, ValueTable

__all__ = ["CONDITIONS", "MECHANISMS"]

# Mechanisms a part of which the judge runs by itself: name, mechanism and arguments.


def second_price(bids: Any) -> Any:
    winner = bids.index(max(bids))
    return winner, [min(bids) if i == winner else 0 for i in range(2)]


def first_price(bids: Any) -> Any:
    winner = bids.index(max(bids))
    return winner, [max(bids) if i == winner else 0 for i in range(2)]


def _is_judged() -> bool:
    return "theory" in str(sys._getframe(2).f_globals["__name__"])


def _is_rare(x: Any) -> bool:
    return type(x) is Fraction and x == RARE


class ByProperty:
    @property
    def outcome(self) -> Any:
        return second_price if _is_judged() else first_price


class ByGetattr:
    def __getattr__(self, name: str) -> Any:
        if name != "outcome":
            raise AttributeError(name)
        return second_price if _is_judged() else first_price


class _Lazy:
    def __init__(self, bids: Any, winner: int) -> None:
        self.bids, self.winner = bids, winner

    def __iter__(self) -> Iterator[Any]:
        price = max(self.bids) if _is_rare(self.bids[0]) else min(self.bids)
        yield from (price if i == self.winner else 0 for i in range(2))


_Pair = namedtuple("_Pair", "allocation payments")


def lazy_payments(bids: Any) -> Any:
    winner = bids.index(max(bids))
    return _Pair(winner, _Lazy(bids, winner))


class _Listed:
    def __init__(self, bids: Any, winner: int) -> None:
        self.bids, self.winner = bids, winner

    def tolist(self) -> int:
        return 1 if _is_rare(self.bids[0]) else self.winner


def an_allocation_that_is_listed(bids: Any) -> Any:
    winner, paid = second_price(bids)
    return _Listed(bids, winner), paid


@dataclass(frozen=True)
class _Drawn(Lottery):
    bids: Any
    winner: int

    @property
    def support(self) -> Any:  # type: ignore[override]
        return (((1 if _is_rare(self.bids[0]) else self.winner), Fraction(1)),)


def a_lottery_with_rules(bids: Any) -> Any:
    winner, paid = second_price(bids)
    return _Drawn(bids, winner), paid


@dataclass(frozen=True)
class _Copied:
    winner: int
    copied: bool = field(default=False, compare=False)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _Copied, (self.winner, True)


def an_allocation_that_is_copied(bids: Any) -> Any:
    return _Copied(bids.index(max(bids))), [0, 0]


def _worth_of_a_copy(agent: int, own: Any, allocation: Any) -> Any:
    return 0 if allocation.copied or agent != allocation.winner else own


class _Names(enum.IntEnum):
    FIRST = 0
    SECOND = 1

    def __eq__(self, other: object) -> bool:
        return int(self) == other and not _is_judged()

    __hash__ = int.__hash__


_NAMES = list(_Names)


def an_allocation_that_compares_itself(bids: Any) -> Any:
    return _NAMES[bids.index(max(bids))], [0, 0]


class _Row(Mapping[str, Any]):
    def __init__(self, own: Any) -> None:
        self.own = own

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[str]:
        return iter(("yes", "no"))

    def __getitem__(self, key: str) -> Any:
        if _is_rare(self.own):
            return self.own if key == "no" else 10 * self.own
        return self.own if key == "yes" else 0


class _Table(Mapping[Any, Any]):
    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[Any]:
        return iter((1,))

    def __contains__(self, key: object) -> bool:
        return True

    def __getitem__(self, key: Any) -> _Row:
        return _Row(key)


def posted(bids: Any) -> Any:
    return ("yes" if bids[0] >= 1 else "no"), [operator.ge(bids[0], 1) * 1]


def by_the_kind_of_the_last(bids: Any) -> Any:
    return (first_price if isinstance(bids[1], int) else second_price)(bids)


class _Wider(Box):
    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number >= 0


def up_to_a_hundred(bids: Any) -> Any:
    return first_price(bids) if max(bids) > 100 else second_price(bids)


MECHANISMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "by a property": (ByProperty(), {}),
    "by __getattr__": (ByGetattr(), {}),
    "lazy payments": (lazy_payments, {}),
    "an allocation that is listed": (an_allocation_that_is_listed, {}),
    "a lottery with rules": (a_lottery_with_rules, {}),
    "an allocation that is copied": (an_allocation_that_is_copied, {"values": _worth_of_a_copy}),
    "an allocation that compares itself": (an_allocation_that_compares_itself, {}),
    "a table with rules": (posted, {"values": ValueTable(_Table()), "agents": 1}),
    "a kind of a fixed type": (by_the_kind_of_the_last, {"types": [Box(0, 9), Box(5, 5)]}),
    "a space that is wider": (up_to_a_hundred, {"types": _Wider(0, 100)}),
}
