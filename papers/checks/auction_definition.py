"""The softmax auction on odds, in whatever kind of number they are given.

A reward r is given as its odds exp(r/τ), so that with rational odds every probability is rational
and all money is τ times a combination of logarithms of rationals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from papers.checks.auction_logs import LogSum
from theory.numbers.closed_form import log

__all__ = ["Auction", "AuctionRun", "auction_of", "exact_auction", "traced_auction"]


@dataclass(frozen=True)
class Auction:
    """What the auction does with truthful reports, and what each agent has of it.

    ``allocation`` is p, and ``allocation_without`` are the q_i, one row an agent.
    """

    allocation: list[Any]
    allocation_without: list[list[Any]]
    rewards: list[list[Any]]
    expected_rewards: list[Any]
    utilities: list[Any]
    payments: list[Any]
    reward_gains: list[Any]
    utility_gains: list[Any]


AuctionRun = Callable[..., Auction]


def auction_of(
    odds: Sequence[Sequence[Any]],
    weights: Sequence[Any],
    tau: Any,
    offset: bool,
    log: Callable[[Any], Any],
) -> Auction:
    """Return the allocation (8), the utilities (9) with the offset (13) or 0, the payments (10)."""
    count = range(len(weights))
    others = [
        [prod((row[j] for k, row in enumerate(odds) if k != i), start=weights[j]) for j in count]
        for i in range(len(odds))
    ]
    p = _normalised([prod((row[j] for row in odds), start=weights[j]) for j in count])
    q = [_normalised(row) for row in others]
    rewards = [[tau * log(o) for o in row] for row in odds]
    expected = [_mean(p, r) for r in rewards]
    staying_out = [_mean(law, r) for law, r in zip(q, rewards, strict=True)]
    utilities = [
        tau * log(sum(e * b for e, b in zip(row, rest, strict=True)))
        for row, rest in zip(odds, others, strict=True)
    ]
    if offset:
        utilities = [u - tau * log(sum(b)) for u, b in zip(utilities, others, strict=True)]
    return Auction(
        allocation=p,
        allocation_without=q,
        rewards=rewards,
        expected_rewards=expected,
        utilities=utilities,
        payments=[m - u for m, u in zip(expected, utilities, strict=True)],
        reward_gains=[m - s for m, s in zip(expected, staying_out, strict=True)],
        utility_gains=[u - s for u, s in zip(utilities, staying_out, strict=True)],
    )


def exact_auction(
    odds: Sequence[Sequence[Fraction]],
    weights: Sequence[Fraction] | None = None,
    *,
    tau: Fraction = Fraction(1),
    offset: bool = True,
) -> Auction:
    """Return the auction in rationals and closed forms.

    Examples
    --------
    >>> outcome = exact_auction([[Fraction(2), Fraction(1)]])
    >>> print(*outcome.allocation, outcome.payments[0])
    2/3 1/3 5/3·log(2) - log(3)
    """
    ratios = [Fraction(1)] * len(odds[0]) if weights is None else weights
    return auction_of(odds, ratios, tau, offset, log)


def traced_auction(
    odds: Sequence[Sequence[Any]],
    weights: Sequence[Any] | None = None,
    *,
    tau: Any = 1,
    offset: bool = True,
) -> Auction:
    """Return the auction over traced terms, with money as formal sums of logarithms."""
    ratios = [Fraction(1)] * len(odds[0]) if weights is None else weights
    return auction_of(odds, ratios, tau, offset, LogSum.log)


def _normalised(weights: Sequence[Any]) -> list[Any]:
    total = sum(weights)
    return [w / total for w in weights]


def _mean(law: Sequence[Any], values: Sequence[Any]) -> Any:
    return sum(p * v for p, v in zip(law, values, strict=True))
