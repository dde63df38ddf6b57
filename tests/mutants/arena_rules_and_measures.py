"""Planted faults in the claims on arena's rules and measures; see __init__.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mechanisms.ascending import (
    Call,
    RuleBidder,
    Terms,
    ascending_auction,
    common_values,
    private_values,
)
from mutants.arena import last_seat_bids_once_more, mutants
from papers.arena.checks.draws_and_orders import LastLeads, OrdersAlike
from papers.arena.checks.measures import MeasuresAreThese, MinimalRaisesAre
from papers.arena.checks.plays import AccountsAdd, RulesAreKept
from papers.arena.checks.rule_bidders import PriceOfThree
from papers.arena.checks.rule_plays import KeepsItsRule, NichesWiden
from theory.ascending import AuctionLaw, PrivateValues, exact_auction, redrawn_law
from theory.ascending.measures import (
    FailedBids,
    Increment,
    PriorityFidelity,
    bid_increments,
    engagements,
    failed_bids,
    priority_fidelity,
)
from theory.claims import Check

__all__ = ["MUTANTS", "REPAIRED"]


# --- auctions under other rules


@dataclass(frozen=True)
class Under:
    """The auction under other terms."""

    terms: Terms

    def __call__(self, items: Any, names: Any, budget: Any) -> Any:
        return ascending_auction(items, names, budget, terms=self.terms)


class DoubledOnDear(Terms):
    """Increments are those of the paper on the item from 10, and twice these on that from 20."""

    def step(self, start: Fraction, standing: Fraction | None) -> Fraction:
        return super().step(start, standing) * (2 if start == 20 else 1)


def last_bidder_has_less(items: Any, names: Any, budget: Any) -> Any:
    budgets = {name: budget - (name == names[-1]) for name in names}
    return ascending_auction(items, names, budgets)


def last_item_is_worth_more(items: Any, names: Any, budget: Any) -> Any:
    row = [item.value + (item is items[1]) if len(items) > 1 else item.value for item in items]
    return ascending_auction(items, names, budget, private_values(dict.fromkeys(names, row)))


def last_bidder_values_less(items: Any, names: Any, budget: Any) -> Any:
    rows = {name: [item.value - (name == names[-1]) for item in items] for name in names}
    return ascending_auction(items, names, budget, private_values(rows))


def bundle_is_worth_more(items: Any, names: Any, budget: Any) -> Any:
    from mechanisms.ascending import Bonus

    worths = replace(common_values(items, names), bonuses=(Bonus((len(items) - 1,), 1),))
    return ascending_auction(items, names, budget, worths)


# --- rule bidders that are none


class Jumper(RuleBidder):
    def bid(self, call: Call) -> Fraction | None:
        bid = super().bid(call)
        return None if bid is None else min(call.money, bid + call.step)


class OnceMoreLater(RuleBidder):
    """Makes one bid more on each item but the first."""

    def bid(self, call: Call) -> Fraction | None:
        return RuleBidder(self.name, self.limit + bool(call.sold)).bid(call)


class LastDoubts(RuleBidder):
    """The second bidder looks at its estimate."""

    def bid(self, call: Call) -> Fraction | None:
        doubts = self.name == "Bob" and call.least >= call.estimate
        return None if doubts else super().bid(call)


def undecided(name: str, choose: str) -> RuleBidder:
    del choose
    return RuleBidder(name)


# --- measures


def every_call_counts(record: Any) -> dict[str, FailedBids]:
    """As the code of arena has it."""
    found = failed_bids(record)
    return {name: FailedBids(of.failed, of.correct + of.failed) for name, of in found.items()}


def last_bidder_never_fails(record: Any) -> dict[str, FailedBids]:
    found = failed_bids(record)
    return found | {record.bidders[-1]: FailedBids(0, found[record.bidders[-1]].correct)}


def of_the_other_base(record: Any, over: str) -> tuple[Increment, ...]:
    return bid_increments(record, "start" if over == "standing" else "standing")


def raises_on_the_first_item(record: Any, over: Any) -> tuple[Increment, ...]:
    return tuple(each for each in bid_increments(record, over) if each.item == 0)


def one_bid_more_on_the_last(record: Any) -> dict[str, tuple[int, ...]]:
    return {name: (*row[:-1], row[-1] + 1) for name, row in engagements(record).items()}


def wins_for_bids(record: Any) -> PriorityFidelity:
    found = priority_fidelity(record)
    return replace(found, initial_bids=found.initial_wins, initial_wins=found.initial_bids)


# --- laws


def uniform_law(entries: Sequence[bool]) -> list[Fraction]:
    return [Fraction(1, sum(entries))] * sum(entries)


def withdrawals_do_not_count(entries: Sequence[bool]) -> tuple[Fraction, ...]:
    return redrawn_law([each for each in entries if each])


def valued_by_position(items: Any, rules: Any, budget: Any, **options: Any) -> AuctionLaw:
    values = [PrivateValues([3 + 5 * n for n in range(len(items))])] * len(rules)
    return exact_auction(items, values, budget, **options)


MUTANTS: dict[str, dict[str, Check]] = {
    "arena.auction": mutants(
        "arena.auction",
        late=RulesAreKept(Under(DoubledOnDear())),
        standing=RulesAreKept(Under(Terms(increment_of="standing"))),
        first=RulesAreKept(Under(Terms(ties="first"))),
        redrawn=RulesAreKept(Under(Terms(ties="redrawn"))),
        jumps=RulesAreKept(Under(Terms(jumps=0))),
        second=RulesAreKept(Under(Terms(pays="second"))),
        cheaper=RulesAreKept(Under(Terms(discounts=1))),
        hidden=RulesAreKept(Under(Terms(shows="price"))),
        twice=RulesAreKept(Under(Terms(attempts=2))),
        poorer=RulesAreKept(last_bidder_has_less),
    ),
    "arena.utility": mutants(
        "arena.utility",
        item=AccountsAdd(auction=last_item_is_worth_more),
        bidder=AccountsAdd(auction=last_bidder_values_less),
    ),
    "arena.utility.unsold": mutants(
        "arena.utility.unsold",
        item=AccountsAdd(each_is_sold=False, auction=last_item_is_worth_more),
        bidder=AccountsAdd(each_is_sold=False, auction=last_bidder_values_less),
        bundle=AccountsAdd(each_is_sold=False, auction=bundle_is_worth_more),
    ),
    "arena.rule-bidder": mutants(
        "arena.rule-bidder",
        later=KeepsItsRule(OnceMoreLater),
        jumps=KeepsItsRule(Jumper),
        doubts=KeepsItsRule(LastDoubts),
    ),
    "arena.rule-price.three": mutants(
        "arena.rule-price.three",
        law=PriceOfThree(((14, Fraction(1, 8)), (15, Fraction(1, 2)), (16, Fraction(3, 8)))),
        more=PriceOfThree(auction=last_seat_bids_once_more),
    ),
    "arena.ties.last": mutants(
        "arena.ties.last",
        uniform=LastLeads(uniform_law),
        after=LastLeads(withdrawals_do_not_count),
    ),
    "arena.metrics": mutants(
        "arena.metrics",
        calls=MeasuresAreThese(failures=every_call_counts),
        last=MeasuresAreThese(failures=last_bidder_never_fails),
        base=MeasuresAreThese(raises=of_the_other_base),
        item=MeasuresAreThese(raises=raises_on_the_first_item),
        bids=MeasuresAreThese(bids=one_bid_more_on_the_last),
        wins=MeasuresAreThese(fidelity=wins_for_bids),
    ),
    "arena.metrics.minimal": mutants(
        "arena.metrics.minimal", fifth=MinimalRaisesAre("standing", Fraction(1, 5))
    ),
    "arena.metrics.minimal.start": mutants(
        "arena.metrics.minimal.start",
        twentieth=MinimalRaisesAre("start", Fraction(1, 20)),
        standing=MinimalRaisesAre("standing"),
    ),
    "arena.orders": mutants(
        "arena.orders",
        bound=OrdersAlike(bound=False),
        position=OrdersAlike(auction=valued_by_position),
    ),
    "arena.niches": mutants(
        "arena.niches", less=NichesWiden(30_000, 15_000), twenty=NichesWiden(20_000, 10_000)
    ),
    "arena.niches.rules": mutants(
        "arena.niches.rules",
        same=NichesWiden(10_000, 10_000),
        undecided=NichesWiden(10_000, 30_000, undecided),
    ),
}

REPAIRED: dict[str, dict[str, Check]] = {
    "arena.utility": mutants("arena.utility", unsold=AccountsAdd(each_is_sold=False)),
    "arena.metrics.minimal": mutants("arena.metrics.minimal", start=MinimalRaisesAre("start")),
    "arena.niches": mutants("arena.niches", less=NichesWiden(10_000, 30_000)),
}
