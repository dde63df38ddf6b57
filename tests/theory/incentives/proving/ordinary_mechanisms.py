"""Second prices in the styles that people write: each must keep its proof."""

from __future__ import annotations

import bisect
import functools
import heapq
import itertools
import operator
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, ClassVar

import numpy as np
from numpy import zeros

from theory.incentives import Outcome

__all__ = ["ORDINARY"]

ORDINARY: dict[str, Any] = {}


def ordinary(mechanism: Any) -> Any:
    ORDINARY[mechanism.__name__] = mechanism
    return mechanism


def charged(winner: int, price: Any, agents: int) -> tuple[int, list[Any]]:
    return winner, [price if i == winner else 0 for i in range(agents)]


# Classes


class Bidder:
    def __init__(self, agent: int, bid: Any) -> None:
        self.agent, self.bid, self.paid = agent, bid, 0

    def __lt__(self, other: Bidder) -> Any:
        return self.bid < other.bid

    def charge(self, price: Any) -> None:
        self.paid += price


@ordinary
def objects_that_are_sorted(bids: Any) -> Any:
    bidders = [Bidder(i, bid) for i, bid in enumerate(bids)]
    bidders.sort(reverse=True)
    return charged(bidders[0].agent, bidders[1].bid, len(bids))


@ordinary
def objects_that_are_charged(bids: Any) -> Any:
    bidders = [Bidder(i, bid) for i, bid in enumerate(bids)]
    first, second = sorted(bidders, key=lambda bidder: bidder.bid, reverse=True)[:2]
    first.charge(second.bid)
    return first.agent, [bidder.paid for bidder in bidders]


@dataclass(order=True)
class Bid:
    amount: Any
    agent: int = field(compare=False)


@ordinary
def dataclasses_in_order(bids: Any) -> Any:
    first, second = sorted((Bid(bid, i) for i, bid in enumerate(bids)), reverse=True)[:2]
    return charged(first.agent, second.amount, len(bids))


@dataclass(frozen=True)
class Sale:
    winner: int
    price: Any

    def payments(self, agents: int) -> list[Any]:
        return charged(self.winner, self.price, agents)[1]


@ordinary
def a_dataclass_that_is_replaced(bids: Any) -> Any:
    sale = Sale(max(range(len(bids)), key=bids.__getitem__), 0)
    sale = replace(sale, price=max(bids[: sale.winner] + bids[sale.winner + 1 :]))
    return sale.winner, sale.payments(len(bids))


@ordinary
def dataclasses_that_are_compared(bids: Any) -> Any:
    """From Python 3.13 on, their equality asks first whether both are one object."""
    offers = [Bid(bid, i) for i, bid in enumerate(bids)]
    best = Bid(max(bids), -1)
    winner = next(offer.agent for offer in offers if offer == best)
    return charged(
        winner, max(offer.amount for offer in offers if offer.agent != winner), len(bids)
    )


class Auction(ABC):
    @abstractmethod
    def price(self, bids: Any, winner: int) -> Any: ...

    def outcome(self, bids: Any) -> Any:
        winner = bids.index(max(bids))
        return charged(winner, self.price(bids, winner), len(bids))


class SecondPrice(Auction):
    rank: ClassVar[int] = 2

    def __init__(self, least: int = 0) -> None:
        super().__init__()
        self.least = least

    def price(self, bids: Any, winner: int) -> Any:
        return max(bids[:winner] + bids[winner + 1 :])


class ByRank:
    @property
    def rank(self) -> int:
        return SecondPrice.rank

    @staticmethod
    def ordered(bids: Any) -> Any:
        return sorted(bids)

    @classmethod
    def price(cls, bids: Any) -> Any:
        return cls.ordered(bids)[-cls().rank]

    def __call__(self, bids: Any) -> Any:
        return charged(bids.index(max(bids)), ByRank.price(bids), len(bids))


ORDINARY["an abstract class"] = SecondPrice()
ORDINARY["properties and methods of classes"] = ByRank()


class Name(Enum):
    ANN = 0
    BOB = 1


@ordinary
def members_as_keys(bids: Any) -> Any:
    offers = {name: bids[name.value] for name in Name}
    best = max(offers, key=lambda name: offers[name])
    return charged(best.value, offers[Name.ANN if best is Name.BOB else Name.BOB], 2)


# Ways through the bids


@ordinary
def a_generator(bids: Any) -> Any:
    def others(winner: int) -> Iterator[Any]:
        for i, bid in enumerate(bids):
            if i != winner:
                yield bid

    winner = max(range(len(bids)), key=lambda i: bids[i])
    return charged(winner, max(others(winner)), len(bids))


@ordinary
def a_loop(bids: Any) -> Any:
    left = list(bids)
    winner, i = 0, 1
    while i < len(left):
        if left[i] > left[winner]:
            winner = i
        i += 1
    left.pop(winner)
    return charged(winner, max(left), len(bids))


@ordinary
def two_steps_of_an_iterator(bids: Any) -> Any:
    bid = iter(bids)
    first, second = next(bid), next(bid)
    return (0, [second, 0]) if first >= second else (1, [0, first])


@ordinary
def an_error_that_is_caught(bids: Any) -> Any:
    try:
        above = [bid > max(bids[:i] + bids[i + 1 :]) for i, bid in enumerate(bids)]
        winner = above.index(True)
    except ValueError:
        winner = 0
    return charged(winner, sorted(bids)[-2], len(bids))


@ordinary
def a_last_step_in_any_case(bids: Any) -> Any:
    try:
        winner = bids.index(max(bids))
    finally:
        price = sorted(bids)[-2]
    return charged(winner, price, len(bids))


@ordinary
def a_pattern_of_a_sequence(bids: Any) -> Any:
    match sorted(bids):
        case [*_, price, best]:
            return charged(bids.index(best), price, len(bids))


@ordinary
def a_recursion(bids: Any) -> Any:
    def best(of: Any) -> Any:
        if len(of) == 1:
            return of[0]
        rest = best(of[1:])
        return of[0] if of[0] >= rest else rest

    return charged(bids.index(best(list(bids))), sorted(bids)[-2], len(bids))


# Functions of functions


def logged(mechanism: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(mechanism)
    def around(*given: Any, **named: Any) -> Any:
        return mechanism(*given, **named)

    return around


@ordinary
@logged
def a_decorated_function(bids: Any) -> Any:
    return charged(bids.index(max(bids)), sorted(bids)[-2], len(bids))


def by_rank(rank: int, bids: Any) -> Any:
    return charged(bids.index(max(bids)), sorted(bids)[-rank], len(bids))


def ranked(rank: int) -> Callable[[Any], Any]:
    return lambda bids: by_rank(rank, bids)


ORDINARY["a partial function"] = functools.partial(by_rank, 2)
ORDINARY["a closure"] = ranked(2)


@ordinary
def a_fold(bids: Any) -> Any:
    pairs = [(bid, i) for i, bid in enumerate(bids)]
    _, winner = functools.reduce(lambda a, b: a if a[0] >= b[0] else b, pairs)
    return charged(winner, max(bid for bid, i in pairs if i != winner), len(bids))


# Containers


@ordinary
def a_heap(bids: Any) -> Any:
    heap: list[Any] = []
    for i, bid in enumerate(bids):
        heapq.heappush(heap, (-bid, i))
    _, winner = heapq.heappop(heap)
    return charged(winner, -heap[0][0], len(bids))


@ordinary
def a_list_that_stays_sorted(bids: Any) -> Any:
    rising: list[Any] = []
    for bid in bids:
        bisect.insort(rising, bid)
    return charged(bids.index(rising[-1]), rising[-2], len(bids))


@ordinary
def a_table_with_defaults(bids: Any) -> Any:
    offers: Any = defaultdict(list)
    for i, bid in enumerate(bids):
        offers["all"].append((bid, -i))
    (_, place), (price, _) = sorted(offers["all"], reverse=True)[:2]
    return charged(-place, price, len(bids))


@ordinary
def a_table_of_names(bids: Any) -> Any:
    offers = {f"agent {i}": bid for i, bid in enumerate(bids)}
    best = max(offers, key=lambda name: offers[name])
    price = max(bid for name, bid in offers.items() if name != best)
    return charged(int(best[6:]), price, len(bids))


@ordinary
def items_by_their_entry(bids: Any) -> Any:
    offers = sorted(dict(enumerate(bids)).items(), key=operator.itemgetter(1), reverse=True)
    (winner, _), (_, price) = offers[:2]
    return charged(winner, price, len(bids))


@ordinary
def a_queue(bids: Any) -> Any:
    queue = deque(sorted(bids))
    best, price = queue.pop(), queue.pop()
    return charged(bids.index(best), price, len(bids))


@ordinary
def groups_of_equal_bids(bids: Any) -> Any:
    rising = sorted(bids)
    kinds = [kind for kind, _ in itertools.groupby(rising)]
    return charged(bids.index(kinds[-1]), rising[-2], len(bids))


@ordinary
def a_chain_of_lists(bids: Any) -> Any:
    twice = list(itertools.chain.from_iterable([[bid, bid] for bid in bids]))
    return charged(bids.index(max(twice)), sorted(bids)[-2], len(bids))


@ordinary
def a_set_of_places(bids: Any) -> Any:
    winner = bids.index(max(bids))
    rest = set(range(len(bids))) - {winner}
    return charged(winner, max(bids[i] for i in rest), len(bids))


@ordinary
def an_array_of_bids(bids: Any) -> Any:
    offers = np.array(bids)
    order = np.argsort(-offers, kind="stable")
    payments = np.zeros(len(bids))
    payments[order[0]] = offers[order[1]]
    return int(order[0]), payments


@ordinary
def shares_in_an_array(bids: Any) -> Any:
    winner = bids.index(max(bids))
    shares = np.zeros(len(bids))
    shares[winner] = 1
    price = max(bids[:winner] + bids[winner + 1 :])
    return winner, [price * share for share in shares]


@ordinary
def the_highest_behind_a_mask(bids: Any) -> Any:
    offers = np.array(bids, dtype=object)
    winner = int(np.argmax(offers))
    price = np.max(offers, initial=offers.min(), where=np.arange(len(bids)) != winner)
    return charged(winner, price, len(bids))


class Bag:
    def __init__(self, held: Any) -> None:
        self.held = held

    def __len__(self) -> int:
        return len(self.held)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.held)


@ordinary
def a_container_of_its_own(bids: Any) -> Any:
    bag = Bag(bids)
    rising = sorted(bag)
    assert tuple(bag) == (*bag,) == bids
    return charged(list(bag).index(rising[-1]), rising[-2], len([*bag]))


@ordinary
def an_outcome(bids: Any) -> Any:
    winner, payments = by_rank(2, bids)
    return Outcome(winner, tuple(payments))


@ordinary
def an_array_that_is_made_by_a_name(bids: Any) -> Any:
    offers = np.array(bids)
    order = np.argsort(-offers, kind="stable")
    payments = zeros(len(bids))
    payments[order[0]] = offers[order[1]]
    return int(order[0]), payments


@ordinary
def a_choice_that_is_appended(bids: Any) -> Any:
    winner = bids.index(max(bids))
    payments: list[Any] = []
    for i in range(len(bids)):
        payments.append(max(bids[:i] + bids[i + 1 :]) if i == winner else 0)
    return winner, payments


@ordinary
def choices_as_arguments_of_methods(bids: Any) -> Any:
    winner = bids.index(max(bids))
    places = {True: 0, False: 1}
    payments = [0] * len(bids)
    payments.insert(winner if winner else 0, sorted(bids)[-2])
    payments.pop((places.get(winner == 0) and len(bids)) or -1)
    return winner, payments
