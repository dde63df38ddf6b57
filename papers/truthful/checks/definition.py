"""The softmax auction that the library runs, on rationals and over symbols.

A reward r is given as its odds exp(r/τ), so that with rational odds every probability is rational
and all money is τ times a combination of logarithms of rationals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from mechanisms import softmax_auction
from mechanisms.softmax_auction.definition import auction_by_definition
from papers.truthful.checks.logs import LogSum
from theory.numbers.closed_form import log

__all__ = ["Auction", "AuctionRun", "exact_auction", "traced_auction"]

MONEY = ("expected_rewards", "utilities", "payments", "reward_gains", "utility_gains")


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


def exact_auction(
    odds: Sequence[Sequence[Fraction]],
    weights: Sequence[Fraction] | None = None,
    *,
    tau: Fraction = Fraction(1),
    offset: bool = True,
) -> Auction:
    """Return what the library computes in rationals and closed forms.

    Examples
    --------
    >>> outcome = exact_auction([[Fraction(2), Fraction(1)]])
    >>> print(*outcome.allocation, outcome.payments[0])
    2/3 1/3 5/3·log(2) - log(3)
    """
    rows = tuple(map(tuple, odds))
    rewards, found = _solve_once(rows, None if weights is None else tuple(weights), tau, offset)
    return Auction(
        allocation=list(found.allocation),
        allocation_without=[list(row) for row in found.allocation_without],
        rewards=[list(row) for row in rewards],
        **{name: list(getattr(found, name)) for name in MONEY},
    )


@lru_cache(maxsize=1 << 13)
def _solve_once(
    odds: tuple[tuple[Fraction, ...], ...],
    weights: tuple[Fraction, ...] | None,
    tau: Fraction,
    offset: bool,
) -> tuple[tuple[tuple[Any, ...], ...], Any]:
    """Solve an auction once: one claim after the other asks for those of the small families."""
    rewards = tuple(tuple(tau * log(o) for o in row) for row in odds)
    return rewards, softmax_auction.exact_auction(odds, weights, tau=tau, offset=offset)


def traced_auction(
    odds: Sequence[Sequence[Any]],
    weights: Sequence[Any] | None = None,
    *,
    tau: Any = 1,
    offset: bool = True,
) -> Auction:
    """Run the library's definition over traced terms; money becomes formal sums of logarithms."""
    ratios = [Fraction(1)] * len(odds[0]) if weights is None else weights
    logs = [[LogSum.log(o) for o in row] for row in odds]
    found = auction_by_definition(odds, ratios, logs, LogSum.log, offset=offset)
    return Auction(
        allocation=found.allocation,
        allocation_without=found.allocation_without,
        rewards=[[tau * r for r in row] for row in logs],
        **{name: [tau * value for value in getattr(found, name)] for name in MONEY},
    )
