"""The auction as it is defined, in any kind of number that adds, multiplies and divides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["DefinedOutcome", "auction_by_definition"]

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class DefinedOutcome:
    """What the auction does, one entry a candidate or an agent; ``allocation_without`` are rows."""

    allocation: list[Any]
    allocation_without: list[list[Any]]
    expected_rewards: list[Any]
    payments: list[Any]
    utilities: list[Any]
    reward_gains: list[Any]
    utility_gains: list[Any]


def auction_by_definition(
    odds: Rows, weights: Sequence[Any], rewards: Rows, log: Callable[[Any], Any], *, offset: bool
) -> DefinedOutcome:
    r"""Return the auction of equations (8) to (10), money in units of :math:`\tau`.

    Parameters
    ----------
    odds : rows, one an agent
        :math:`e^{r_{ij}/\tau}`.
    weights : row
        :math:`\rho_j`.
    rewards : rows
        :math:`r_{ij}/\tau`, in whatever kind of number money is to be.
    log : callable
        The logarithm of what odds and weights add up to.
    offset : bool
        Whether agent i is given the offset (13), less the logarithm of what there is without it.
    """
    others = _products_of_others(odds, weights)
    together = [o * rest for o, rest in zip(odds[0], others[0], strict=True)]
    law = _normalise(together)
    laws = [_normalise(rest) for rest in others]
    expected = [_mean(law, row) for row in rewards]
    outside = [_mean(rest, row) for rest, row in zip(laws, rewards, strict=True)]
    total = sum(together)
    if offset:
        utilities = [log(total / sum(rest)) for rest in others]
    else:
        utilities = [log(total)] * len(others)
    return DefinedOutcome(
        allocation=law,
        allocation_without=laws,
        expected_rewards=expected,
        payments=[e - u for e, u in zip(expected, utilities, strict=True)],
        utilities=utilities,
        reward_gains=[e - o for e, o in zip(expected, outside, strict=True)],
        utility_gains=[u - o for u, o in zip(utilities, outside, strict=True)],
    )


def _products_of_others(odds: Rows, weights: Sequence[Any]) -> list[list[Any]]:
    """Return, of each agent, weights times the odds of all others, by products from both ends."""
    before: list[list[Any]] = [list(weights)]
    for row in odds[:-1]:
        before.append([a * o for a, o in zip(before[-1], row, strict=True)])
    after: list[list[Any]] = [before[-1]]
    tail = list(odds[-1])
    for i in range(len(odds) - 2, -1, -1):
        after.append([a * o for a, o in zip(before[i], tail, strict=True)])
        tail = [a * o for a, o in zip(tail, odds[i], strict=True)]
    return after[::-1]


def _normalise(weights: Sequence[Any]) -> list[Any]:
    total = sum(weights)
    return [weight / total for weight in weights]


def _mean(law: Sequence[Any], values: Sequence[Any]) -> Any:
    return sum(p * v for p, v in zip(law, values, strict=True))
