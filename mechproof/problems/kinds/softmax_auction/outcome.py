"""The outcome of the softmax auction at given reports: exact where the odds are rational."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from math import prod
from typing import Final

from mechproof.problems.kinds.softmax_auction.amounts import AuctionNumbers
from mechproof.problems.kinds.softmax_auction.enclosures import enclosed_outcome, in_money
from mechproof.problems.kinds.softmax_auction.reports import Reports
from theory.numbers import ClosedForm

__all__ = ["outcome_of"]

_EXACT_REWARDS: Final = 64
"""How many rewards there may be, of all agents together, in an answer in closed forms."""
_EXACT_BITS: Final = 64
"""How long numerator and denominator of their odds may be."""


def outcome_of(reports: Reports, tau: Fraction, *, offset: bool) -> AuctionNumbers:
    """Run the auction: in rationals where all odds are short and rational, else in balls."""
    exact = _solve_exactly(reports, tau, offset=offset)
    return enclosed_outcome(reports, tau, offset=offset) if exact is None else exact


def _solve_exactly(reports: Reports, tau: Fraction, *, offset: bool) -> AuctionNumbers | None:
    if len(reports.scaled) * len(reports.log_ratios) > _EXACT_REWARDS:
        return None
    odds = [[_odds(x) for x in row] for row in reports.scaled]
    ratios = [Fraction(0) if x is None else _odds(x) for x in reports.log_ratios]
    if any(x is None for x in chain(ratios, *odds)):
        return None
    from mechanisms.softmax_auction import exact_auction

    found = exact_auction(odds, ratios, tau=tau, offset=offset)
    return AuctionNumbers(
        exact=True,
        reports=in_money(reports, tau),
        allocation=found.allocation,
        rewards=found.expected_rewards,
        payments=found.payments,
        utilities=found.utilities,
        without=[r - g for r, g in zip(found.expected_rewards, found.reward_gains, strict=True)],
        reward_gains=found.reward_gains,
        utility_gains=found.utility_gains,
        revenue=found.revenue,
    )


def _odds(logarithm: ClosedForm) -> Fraction | None:
    """Return exp of the number, or None where that is irrational, or longer than is of use."""
    if logarithm.rational_part or logarithm.roots:
        return None
    size = 0
    for base, power in logarithm.logs.items():
        if power.denominator != 1:
            return None
        size += abs(power.numerator) * max(
            base.numerator.bit_length(), base.denominator.bit_length()
        )
    if size > _EXACT_BITS:
        return None
    return prod(
        (base**power.numerator for base, power in logarithm.logs.items()), start=Fraction(1)
    )
