"""Faults that only one agent feels, or one pair, whoever it is: posted prices with one thing wrong.

For each property there is a sound sale, and for each of three agents a sale in which the property
fails for that agent alone. A checker that looks at the first agent only, or leaves out the last
one, misses some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations, product
from typing import Any

__all__ = [
    "AGENTS",
    "OF_ONE",
    "OF_TWO",
    "SOUND",
    "DearerWithout",
    "Sale",
    "faults_of_one",
    "faults_of_two",
]

AGENTS = 3

HALF = Fraction(1, 2)
HIGH = 2
"""A bid above this is high."""

Bids = Sequence[Any]
Lot = tuple[Any, Any]
"""What an agent gets, and what it pays."""


def sold(i: int, bids: Bids, price: Any = 1) -> Lot:
    """A unit at a price for whoever bids more."""
    return (1, price) if bids[i] > price else (0, 0)


def given_away(i: int, bids: Bids) -> Lot:
    return 1, 0


def nothing(i: int, bids: Bids) -> Lot:
    return 0, 0


@dataclass(frozen=True)
class Sale:
    """Each agent has a lot of its own, and what one agent gets may be at fault."""

    lot: Callable[[int, Bids], Lot] = sold
    fault: Callable[[int, Bids], Lot] | None = None
    agent: int | None = None

    def outcome(self, bids: Bids) -> tuple[tuple[Any, ...], list[Any]]:
        said = tuple(bids)
        lots = [
            self.fault(i, said) if self.fault and i == self.agent else self.lot(i, said)
            for i in range(len(said))
        ]
        return tuple(got for got, _ in lots), [paid for _, paid in lots]

    def alternatives(self, agents: int) -> list[tuple[int, ...]]:
        """Who may be served: any of them."""
        return list(product((0, 1), repeat=agents))


# --- felt by one agent


def pays_its_own_bid(i: int, bids: Bids) -> Lot:
    return (1, bids[i]) if bids[i] > 1 else (0, 0)


def pays_a_fee_for_a_high_bid(i: int, bids: Bids) -> Lot:
    got, paid = sold(i, bids)
    return got, paid + (3 * HALF if bids[i] > HIGH else 0)


def pays_to_enter(i: int, bids: Bids) -> Lot:
    got, paid = sold(i, bids)
    return got, paid + HALF


def is_paid_to_come(i: int, bids: Bids) -> Lot:
    got, paid = sold(i, bids)
    return got, paid - 2


def gets_it_below_the_price(i: int, bids: Bids) -> Lot:
    return (0, 0) if bids[i] > 1 else (1, 0)


def owes_a_unit(i: int, bids: Bids) -> Lot:
    return (1, 1) if bids[i] > 1 else (-1, 0)


def is_served_for_a_bid_above_one(i: int, bids: Bids) -> Lot:
    return (1, 0) if bids[i] > 1 else (0, 0)


def is_paid_for_a_second_name(i: int, bids: Bids) -> Lot:
    return 0, -HALF if len(bids) > AGENTS and bids[-1] > HIGH else 0


def pays_more(i: int, bids: Bids) -> Lot:
    return sold(i, bids, Fraction(3, 2))


SOUND: dict[str, Sale] = {
    "efficient": Sale(given_away),
    "false_name_proof": Sale(nothing),
    "pairwise_strategyproof": Sale(nothing, sold, agent=1),
    "strongly_budget_balanced": Sale(nothing),
    "weakly_budget_balanced": Sale(nothing),
}
"""By property: a sale in which it holds, where that at price 1 each will not do or takes long."""

OF_ONE: dict[str, Callable[[int, Bids], Lot]] = {
    "feasible": owes_a_unit,
    "dsic": pays_its_own_bid,
    "bic": pays_its_own_bid,
    "individually_rational": pays_to_enter,
    "interim_individually_rational": pays_to_enter,
    "no_positive_transfers": is_paid_to_come,
    "weakly_budget_balanced": is_paid_to_come,
    "strongly_budget_balanced": pays_to_enter,
    "efficient": is_served_for_a_bid_above_one,
    "weakly_monotone": gets_it_below_the_price,
    "cyclically_monotone": gets_it_below_the_price,
    "payment_identity": pays_a_fee_for_a_high_bid,
    "convex_utility": pays_a_fee_for_a_high_bid,
    "anonymous": pays_more,
    "false_name_proof": is_paid_for_a_second_name,
}
"""By property: what goes wrong for the one agent."""


def faults_of_one() -> list[tuple[str, Sale]]:
    """Each property with a sale for each agent, who alone is hurt; most others get nothing."""
    return [
        (name, replace(SOUND.get(name, Sale(nothing)), fault=fault, agent=agent))
        for name, fault in OF_ONE.items()
        for agent in range(AGENTS)
    ]


# --- felt by two: a high bid of one lowers the price of another


OF_TWO = ("non_bossy", "pairwise_strategyproof")


@dataclass(frozen=True)
class PaysLessFor:
    """A high bid of one agent lowers the price of another, and changes nothing for itself."""

    by: int

    def __call__(self, i: int, bids: Bids) -> Lot:
        return sold(i, bids, HALF if bids[self.by] > HIGH else 1)


def faults_of_two() -> list[tuple[str, int, Sale]]:
    """Each property of pairs with a sale for each two agents: who moves whose price."""
    return [
        (name, by, Sale(nothing, PaysLessFor(by), agent))
        for name in OF_TWO
        for by, agent in permutations(range(AGENTS), 2)
    ]


# --- felt when one of them stays away


@dataclass(frozen=True)
class DearerWithout:
    """All pay nothing but the first, and it pays more where ``agent`` alone stays away.

    Which of two bidders bids high says what the first one pays, and is so chosen that whoever else
    of three stays away, no more is paid.
    """

    agent: int

    def outcome(self, bids: Bids) -> tuple[None, list[Any]]:
        high = [bid > HIGH for bid in bids]
        if len(high) < AGENTS:
            paid = (high[0], all(high), high[-1])[self.agent]
        else:
            first, second, third = high
            paid = (first, second and (first or third), third)[self.agent]
        return None, [int(paid), *[0] * (len(high) - 1)]
