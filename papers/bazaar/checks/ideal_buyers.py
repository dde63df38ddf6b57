"""What an ideal buyer does in the experiments of bazaar that can be computed without a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from mechanisms.market import Corpus, IdealBuyer
from papers.bazaar.checks.purchase_rules import Shelf
from theory.search import Draw, Family, Trial

__all__ = ["COPIES", "SHELVES", "BudgetIsKnapsack", "OneCopyIsBought"]

MOST: Final = 6
"""The largest budget that is played."""


def _shelf_size(case: Shelf) -> tuple[int, ...]:
    return (sum(case.prices) + case.worth, sum(map(len, case.facts)))


def _build_copies(draw: Draw, copies: int) -> Shelf:
    prices = tuple(draw.integer(1, 3) for _ in range(copies))
    return Shelf(prices, ((0,),) * copies, 1, draw.integer(1, 3), sum(prices))


COPIES: Family[Shelf] = Family(
    description="passages at 1 to 3 that state one fact in other words, worth 1 to 3",
    level_name="copies",
    levels=(1, 2, 3),
    build=_build_copies,
    size=_shelf_size,
)


@dataclass(frozen=True)
class OneCopyIsBought:
    """Of passages that say the same the cheapest is bought if it is worth more, and no other."""

    buyer: Callable[[Corpus], Any] = IdealBuyer

    def __call__(self, case: Shelf) -> Trial:
        """Play the market; non-trivial where there are copies and one is worth buying."""
        worth, spent = case.play(self.buyer)
        least = min(case.prices)
        wanted = least if case.worth > least else 0
        failure = ""
        if spent != wanted or worth != (case.worth if wanted else 0):
            failure = f"{spent} is spent, not {wanted}."
        return Trial(nontrivial=len(case.prices) > 1 and wanted > 0, failure=failure)


def _build_shelf(draw: Draw, passages: int) -> Shelf:
    counts = [draw.integer(1, 2) for _ in range(passages)]
    ends = [sum(counts[: n + 1]) for n in range(passages)]
    facts = tuple(tuple(range(e - n, e)) for e, n in zip(ends, counts, strict=True))
    prices = tuple(draw.integer(1, 3) for _ in range(passages))
    return Shelf(prices, facts, ends[-1], 2, MOST)


SHELVES: Family[Shelf] = Family(
    description=f"passages of 1 or 2 facts of their own worth 2 each, at 1 to 3, budgets to {MOST}",
    level_name="passages",
    levels=(1, 2),
    build=_build_shelf,
    size=_shelf_size,
)


@dataclass(frozen=True)
class BudgetIsKnapsack:
    """By budget an ideal buyer gains the value of a knapsack, which never falls."""

    buyer: Callable[[Corpus], Any] = IdealBuyer

    def __call__(self, case: Shelf) -> Trial:
        """Play the market at each budget; non-trivial where the gain takes three values or more."""
        gains: list[Fraction] = []
        for budget in range(MOST + 1):
            worth, spent = replace(case, budget=budget).play(self.buyer)
            gains.append(worth - spent)
        best = [0] * (MOST + 1)
        for price, facts in zip(case.prices, case.facts, strict=True):
            for money in range(MOST, price - 1, -1):
                best[money] = max(best[money], best[money - price] + 2 * len(facts) - price)
        failure = ""
        for budget, (found, wanted) in enumerate(zip(gains, best, strict=True)):
            if found != wanted and not failure:
                failure = f"with {budget} to spend {found} is gained, not {wanted}."
        if gains != sorted(gains):
            failure = failure or "with more to spend less is gained."
        return Trial(nontrivial=len({*gains}) > 2, failure=failure)
