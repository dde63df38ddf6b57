"""Planted faults in the textbook mechanisms; see __init__.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mechanisms.classics import (
    AllPay,
    FirstPrice,
    MedianVoting,
    MultiUnitVCG,
    PostedPrice,
    SecondPrice,
)
from papers.classics import CLAIMS
from theory.claims import Check
from theory.incentives import Outcome, Reals

__all__ = ["MUTANTS", "PROOF_MUTANTS"]

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


def the_last_number_is_treated_otherwise(reports: Any, allocation: Any, payments: Any) -> Any:
    """The same of the last agent, where there are three."""
    number = int(len(reports) > 2 and isinstance(reports[-1], int | Fraction))
    return allocation, (*payments[:-1], payments[-1] + number)


@dataclass(frozen=True)
class OtherwiseForThree:
    """One mechanism for two agents, and another one for three."""

    two: Any
    three: Any

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        found: Outcome = (self.two if len(reports) < 3 else self.three).outcome(reports)
        return found


def the_last_pays_a_bid_above_two(reports: Any, winner: Any, payments: Any) -> Any:
    last = len(reports) - 1
    return winner, [*payments[:-1], reports[-1] if winner == last > 1 else payments[-1]]


def the_last_gets_a_coin(reports: Any, winner: Any, payments: Any) -> Any:
    return winner, [*payments[:-1], payments[-1] - (len(reports) > 2) * (reports[-1] < -7)]


def the_last_unit_costs_its_bid(reports: Any, units: Any, payments: Any) -> Any:
    third = len(reports) > 2 and units[-1] == 1
    return units, [*payments[:-1], reports[-1] if third else payments[-1]]


def the_last_of_three_decides(reports: Any, middle: Any, payments: Any) -> Any:
    return (reports[-1] if len(reports) > 2 and reports[-1] > 5 else middle), payments


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


MUTANTS: dict[str, dict[str, Check]] = {
    "classics.posted-price": of(
        "classics.posted-price",
        high_bids_pay_themselves=SingleItemChanged(PostedPrice(1), bids_above_two_pay_them),
        losers_pay=SingleItemChanged(PostedPrice(1), losers_pay_a_little),
        hand_outs=SingleItemChanged(PostedPrice(1), a_coin_is_handed_out),
        the_last_gets_a_coin=SingleItemChanged(PostedPrice(1), the_last_gets_a_coin),
    ),
    "classics.first-price": of(
        "classics.first-price",
        truthful=SecondPrice(),
        truthful_for_three=OtherwiseForThree(FirstPrice(), PostedPrice(1)),
    ),
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
        the_last_pays_its_bid=SingleItemChanged(SecondPrice(), the_last_pays_a_bid_above_two),
    ),
    "classics.second-price.reserve": of(
        "classics.second-price.reserve",
        high_bids_pay_themselves=SingleItemChanged(SecondPrice(1), bids_above_two_pay_them),
    ),
    "classics.second-price.unsold": of(
        "classics.second-price.unsold",
        sold=SecondPrice(),
        sold_to_three=OtherwiseForThree(SecondPrice(1), SecondPrice()),
    ),
    "classics.all-pay": of(
        "classics.all-pay",
        only_the_winner_pays=SecondPrice(),
        only_the_winner_of_three_pays=OtherwiseForThree(AllPay(), SecondPrice()),
    ),
    "classics.multi-unit": of(
        "classics.multi-unit",
        own_bids=Changed(MultiUnitVCG(2), units_at_the_own_bid),
        by_name=Changed(MultiUnitVCG(2), a_third_unit_for_nothing),
        the_last_unit_at_its_bid=Changed(MultiUnitVCG(2), the_last_unit_costs_its_bid),
    ),
    "classics.median": of(
        "classics.median",
        pulled=VotingChanged(MedianVoting(Reals()), pulled_to_zero),
        mean=VotingChanged(MedianVoting(Reals()), the_mean_of_the_ends),
        the_last_of_three=VotingChanged(MedianVoting(Reals()), the_last_of_three_decides),
    ),
}

PROOF_MUTANTS: dict[str, dict[str, Check]] = {
    claim_id: {
        "two_faced": replace(
            CHECKS[claim_id],
            mechanism=kind(original, numbers_are_treated_otherwise),
            agents=(2,),  # enough: it is the first one that is treated otherwise
        )
    }
    for claim_id, kind, original in (
        ("classics.posted-price", SingleItemChanged, PostedPrice(1)),
        ("classics.first-price.rest", SingleItemChanged, FirstPrice()),
        ("classics.second-price", SingleItemChanged, SecondPrice()),
        ("classics.second-price.reserve", SingleItemChanged, SecondPrice(1)),
        ("classics.multi-unit", Changed, MultiUnitVCG(2)),
        ("classics.median", VotingChanged, MedianVoting(Reals())),
    )
}
PROOF_MUTANTS["classics.posted-price"]["two_faced_to_the_last"] = replace(
    CHECKS["classics.posted-price"],
    mechanism=SingleItemChanged(PostedPrice(1), the_last_number_is_treated_otherwise),
)
PROOF_MUTANTS["classics.median"]["two_faced_to_the_last"] = replace(
    CHECKS["classics.median"],
    mechanism=VotingChanged(MedianVoting(Reals()), the_last_number_is_treated_otherwise),
    properties=("no_positive_transfers",),
)
"""They must lose the proof."""
