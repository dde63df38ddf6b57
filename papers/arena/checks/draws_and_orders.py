"""arena, section 4.1: what the authors' draw does to equal bids, and orders to rule bidders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any, Final

from theory.ascending import AuctionLaw, Item, LimitRule, exact_auction, redrawn_law
from theory.search import Draw, Family, Trial

__all__ = ["RECORDED", "SETS", "LastLeads", "OrdersAlike"]

RIVALS: Final = 3


# --- the authors' draw


@dataclass(frozen=True)
class Recorded:
    """Equal bids as they are recorded, and withdrawals that are recorded after them."""

    bids: int
    after: int

    def __str__(self) -> str:
        return f"{self.bids} equal bids, then {self.after} withdrawals"


def _build_recorded(draw: Draw, bids: int) -> Recorded:
    return Recorded(bids, draw.index(3))


def _recorded_size(case: Recorded) -> tuple[int, ...]:
    return (case.after,)


RECORDED: Family[Recorded] = Family(
    description="2 to 5 equal bids, with 0 to 2 withdrawals recorded after them",
    level_name="bids",
    levels=(2, 3, 4, 5),
    build=_build_recorded,
    size=_recorded_size,
)


@dataclass(frozen=True)
class LastLeads:
    """The last of n equal bids leads with probability 1/2, if nothing is recorded after it.

    The program is followed coin by coin: at each entry it goes through the bids until then, and the
    lead passes to each of them by a coin, the first taking it where nobody has it.
    """

    law: Callable[..., Any] = redrawn_law

    def __call__(self, case: Recorded) -> Trial:
        """Toss all coins, and compare with the law."""
        entries = [True] * case.bids + [False] * case.after
        leads: dict[int | None, Fraction] = {None: Fraction(1)}
        for recorded in range(1, len(entries) + 1):
            for place in range(min(recorded, case.bids)):
                leads = _toss(leads, place)
        law = [leads.get(place, Fraction(0)) for place in range(case.bids)]
        failure = ""
        if list(self.law(entries)) != law:
            failure = f"the law is {', '.join(map(str, self.law(entries)))}."
        elif not case.after and law[-1] != Fraction(1, 2):
            failure = f"the last leads with probability {law[-1]}."
        return Trial(failure=failure)


def _toss(leads: dict[int | None, Fraction], place: int) -> dict[int | None, Fraction]:
    after: dict[int | None, Fraction] = {}
    for leader, chance in leads.items():
        for heads in (True, False):
            now = place if leader is None or heads else leader
            after[now] = after.get(now, Fraction(0)) + chance / 2
    return after


# --- orders without budgets


@dataclass(frozen=True)
class ItemsInOrders:
    """Items that three rule bidders buy in each order, with a budget each."""

    starts: tuple[int, ...]
    limit: int
    budget: int

    def __str__(self) -> str:
        starts = ", ".join(map(str, self.starts))
        return f"starts {starts}, {self.limit} bids an item, budget {self.budget}"


def _build_set(draw: Draw, items: int) -> ItemsInOrders:
    starts = tuple(draw.integer(1, 3) for _ in range(items))
    return ItemsInOrders(starts, draw.choice((1, 2)), draw.integer(1, 36))


def _set_size(case: ItemsInOrders) -> tuple[int, ...]:
    return (sum(case.starts), case.budget, case.limit)


SETS: Family[ItemsInOrders] = Family(
    description="2 items from 1, 2 or 3 in both orders, 1 or 2 bids each, budgets 1 to 36",
    level_name="items",
    levels=(2,),
    build=_build_set,
    size=_set_size,
)


@dataclass(frozen=True)
class OrdersAlike:
    """Where no budget binds, rule bidders pay and earn the same in every order of the items."""

    bound: bool = True
    auction: Callable[..., AuctionLaw] = exact_auction

    def __call__(self, case: ItemsInOrders) -> Trial:
        """Compare the laws of prices by item, and all profits, over all orders."""
        dearest = sum(RIVALS * case.limit * start for start in case.starts)
        if self.bound and case.budget < dearest:
            return Trial.unmet()
        laws = []
        for order in permutations(range(len(case.starts))):
            items = [Item(f"item {n}", case.starts[n], 2 * case.starts[n]) for n in order]
            law = self.auction(items, [LimitRule(case.limit)] * RIVALS, case.budget, increment=1)
            prices = {item.name: dict(of.prices) for item, of in zip(items, law.items, strict=True)}
            laws.append((law.profits, prices))
        profits = sorted({str(law[0][0]) for law in laws})
        failure = f"profits are {' and '.join(profits)} by the order." if len(profits) > 1 else ""
        if not failure and any(law != laws[0] for law in laws):
            failure = "the law of a price depends on the order."
        return Trial(nontrivial=len(set(case.starts)) > 1, failure=failure)
