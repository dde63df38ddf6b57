"""Planted faults in the textbook mechanisms; see mutants.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mechanisms.classics import FirstPrice, MedianVoting, MultiUnitVCG, PostedPrice, SecondPrice
from papers.classics import CLAIMS
from theory.claims import Check
from theory.incentives import Outcome, Reals

__all__ = ["CLASSIC_MUTANTS", "CLASSIC_PROOF_MUTANTS"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


def of(claim_id: str, **mechanisms: Any) -> dict[str, Check]:
    """The claim's check on each of these mechanisms, with two agents where that is enough."""
    return {
        name: replace(CHECKS[claim_id], mechanism=mechanism)
        for name, mechanism in mechanisms.items()
    }


@dataclass(frozen=True)
class Changed:
    """A mechanism whose outcome is changed afterwards."""

    original: Any
    change: Any

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        found = self.original.outcome(reports)
        return Outcome(*self.change(reports, found.allocation, tuple(found.payments)))

    def alternatives(self, agents: int) -> Any:
        return self.original.alternatives(agents)


class SingleItemChanged(Changed):
    """The same where alternatives go by the values of one item."""

    alternatives = None  # type: ignore[assignment]  # the values of one item list them


class VotingChanged(Changed):
    """The same for votes."""

    def value(self, agent: int, kind: Any, allocation: Any) -> Any:
        return self.original.value(agent, kind, allocation)


def numbers_are_treated_otherwise(reports: Any, allocation: Any, payments: Any) -> Any:
    """What is traced is the mechanism; what is run on numbers takes 1 from the first agent."""
    number = int(isinstance(reports[0], int | Fraction))
    return allocation, (payments[0] + number, *payments[1:])


def bids_above_two_pay_them(reports: Any, winner: Any, payments: Any) -> Any:
    paid = [
        r if i == winner and r > 2 else p
        for i, (r, p) in enumerate(zip(reports, payments, strict=True))
    ]
    return winner, paid


def losers_pay_a_little(reports: Any, winner: Any, payments: Any) -> Any:
    return winner, [
        p if i == winner else (r > 5) * 1
        for i, (r, p) in enumerate(zip(reports, payments, strict=True))
    ]


def last_of_three_is_forgotten(reports: Any, winner: Any, payments: Any) -> Any:
    if len(reports) < 3:
        return winner, payments
    return (None, (0, 0, 0)) if winner == 2 else (winner, payments)


def a_coin_is_handed_out(reports: Any, winner: Any, payments: Any) -> Any:
    return winner, [p - 1 if r < -7 else p for r, p in zip(reports, payments, strict=True)]


def bids_of_seven_get_nothing(reports: Any, winner: Any, payments: Any) -> Any:
    kept = winner is not None and reports[winner] != 7
    return (winner, payments) if kept else (None, (0,) * len(payments))


def units_at_the_own_bid(reports: Any, units: Any, payments: Any) -> Any:
    return units, [r if unit else 0 for r, unit in zip(reports, units, strict=True)]


def a_third_unit_for_nothing(reports: Any, units: Any, payments: Any) -> Any:
    return (units, payments) if len(reports) < 3 else ((1, 1, 0), payments)


def pulled_to_zero(reports: Any, middle: Any, payments: Any) -> Any:
    return middle / 2, payments


def the_mean_of_the_ends(reports: Any, middle: Any, payments: Any) -> Any:
    return (min(reports) + max(reports)) / 2, payments


CLASSIC_MUTANTS: dict[str, dict[str, Check]] = {
    "classics.posted-price": of(
        "classics.posted-price",
        high_bids_pay_themselves=SingleItemChanged(PostedPrice(1), bids_above_two_pay_them),
        losers_pay=SingleItemChanged(PostedPrice(1), losers_pay_a_little),
        hand_outs=SingleItemChanged(PostedPrice(1), a_coin_is_handed_out),
    ),
    "classics.first-price": of("classics.first-price", truthful=SecondPrice()),
    "classics.first-price.rest": of(
        "classics.first-price.rest",
        loses_a_bidder=SingleItemChanged(SecondPrice(), last_of_three_is_forgotten),
        one_bid_is_unlucky=SingleItemChanged(SecondPrice(), bids_of_seven_get_nothing),
    ),
    "classics.second-price": of(
        "classics.second-price",
        high_bids_pay_themselves=SingleItemChanged(SecondPrice(), bids_above_two_pay_them),
        loses_a_bidder=SingleItemChanged(SecondPrice(), last_of_three_is_forgotten),
        one_bid_is_unlucky=SingleItemChanged(SecondPrice(), bids_of_seven_get_nothing),
        hand_outs=SingleItemChanged(SecondPrice(), a_coin_is_handed_out),
    ),
    "classics.second-price.reserve": of(
        "classics.second-price.reserve",
        high_bids_pay_themselves=SingleItemChanged(SecondPrice(1), bids_above_two_pay_them),
    ),
    "classics.second-price.unsold": of("classics.second-price.unsold", sold=SecondPrice()),
    "classics.all-pay": of("classics.all-pay", only_the_winner_pays=SecondPrice()),
    "classics.multi-unit": of(
        "classics.multi-unit",
        own_bids=Changed(MultiUnitVCG(2), units_at_the_own_bid),
        by_name=Changed(MultiUnitVCG(2), a_third_unit_for_nothing),
    ),
    "classics.median": of(
        "classics.median",
        pulled=VotingChanged(MedianVoting(Reals()), pulled_to_zero),
        mean=VotingChanged(MedianVoting(Reals()), the_mean_of_the_ends),
    ),
}

CLASSIC_PROOF_MUTANTS: dict[str, dict[str, Check]] = {
    claim_id: of(claim_id, two_faced=kind(original, numbers_are_treated_otherwise))
    for claim_id, kind, original in (
        ("classics.posted-price", SingleItemChanged, PostedPrice(1)),
        ("classics.first-price.rest", SingleItemChanged, FirstPrice()),
        ("classics.second-price", SingleItemChanged, SecondPrice()),
        ("classics.second-price.reserve", SingleItemChanged, SecondPrice(1)),
        ("classics.multi-unit", Changed, MultiUnitVCG(2)),
        ("classics.median", VotingChanged, MedianVoting(Reals())),
    )
}
"""They must lose the proof."""
