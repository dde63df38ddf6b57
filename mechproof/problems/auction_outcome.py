"""The outcome of the softmax auction at given reports: exact where the odds are rational."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Final

from mechproof.problems.auction_amounts import Outcome
from mechproof.problems.auction_enclosures import enclosed_outcome, in_money
from mechproof.problems.auction_reports import Reports
from theory.numbers import ClosedForm, log

__all__ = ["outcome_of"]

_EXACT_REWARDS: Final = 64
"""How many rewards there may be, of all agents together, in an answer in closed forms."""
_EXACT_BITS: Final = 64
"""How long numerator and denominator of their odds may be."""


def outcome_of(reports: Reports, tau: Fraction, *, offset: bool) -> Outcome:
    """Run the auction: in rationals where all odds are short and rational, else in balls."""
    exact = _exact(reports, tau, offset=offset)
    return enclosed_outcome(reports, tau, offset=offset) if exact is None else exact


def _exact(reports: Reports, tau: Fraction, *, offset: bool) -> Outcome | None:
    if len(reports.scaled) * len(reports.log_ratios) > _EXACT_REWARDS:
        return None
    odds = [[_odds(x) for x in row] for row in reports.scaled]
    ratios = [Fraction(0) if x is None else _odds(x) for x in reports.log_ratios]
    weights = list[Fraction]()
    for ratio, *column in zip(ratios, *odds, strict=True):
        if ratio is None or None in column:
            return None
        weights.append(ratio * prod((x for x in column if x), start=Fraction(1)))
    total = sum(weights)
    rewards = list[ClosedForm]()
    without = list[ClosedForm]()
    utilities = list[ClosedForm]()
    for scaled, own in zip(reports.scaled, odds, strict=True):
        others = [w / x for w, x in zip(weights, own, strict=True) if x is not None]
        rewards.append(_mean(weights, scaled) * tau)
        without.append(_mean(others, scaled) * tau)
        utilities.append(log(total / sum(others) if offset else total) * tau)
    payments = [r - u for r, u in zip(rewards, utilities, strict=True)]
    return Outcome(
        exact=True,
        reports=in_money(reports, tau),
        allocation=[w / total for w in weights],
        rewards=rewards,
        payments=payments,
        utilities=utilities,
        without=without,
        reward_gains=[r - w for r, w in zip(rewards, without, strict=True)],
        utility_gains=[u - w for u, w in zip(utilities, without, strict=True)],
        revenue=sum(payments, start=ClosedForm(Fraction(0))),
    )


def _mean(weights: Sequence[Fraction], values: Sequence[ClosedForm]) -> ClosedForm:
    total = sum(weights)
    terms = (value * (w / total) for w, value in zip(weights, values, strict=True))
    return sum(terms, start=ClosedForm(Fraction(0)))


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
