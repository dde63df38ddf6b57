"""What inspection recovers on a whole shelf as titles get worse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from theory.purchases import TitleValues, title_values
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit

__all__ = [
    "SHELVES",
    "RecoveryRises",
    "RevenueIsMonotone",
    "UnsureShelf",
    "show_shelf",
]

ERRORS: Final = tuple(Fraction(k, 10) for k in (0, 1, 3, 4, 5))
"""Titles that are always right, to titles that say nothing."""
BEYOND: Final = (*ERRORS, Fraction(7, 10), Fraction(1))


@dataclass(frozen=True)
class UnsureShelf:
    """Passages that state one fact each, with a probability in quarters, or two of them."""

    prices: tuple[int, ...]
    quarters: tuple[tuple[int, ...], ...]
    worth: int
    budget: int

    def __str__(self) -> str:
        rows = "; ".join(
            f"passage {n} at {price} states {' and '.join(map(str, row))} quarters of the time"
            for n, (price, row) in enumerate(zip(self.prices, self.quarters, strict=True), 1)
        )
        return f"{rows}; facts worth {self.worth} each, {self.budget} to spend"

    def values(self, solve: Callable[..., TitleValues], errors: Any = ERRORS) -> TitleValues:
        """Return the outcomes by errors."""
        chances = [[Fraction(quarter, 4) for quarter in row] for row in self.quarters]
        worths = [self.worth] * len(self.quarters[0])
        return solve(self.prices, chances, worths, errors, self.budget)


@dataclass(frozen=True)
class RecoveryRises:
    """The share is 0 where titles are right, does not fall, and at 1/2 is that of no titles.

    ``half`` is the hypothesis that titles are wrong at most half of the time.
    """

    solve: Callable[..., TitleValues] = title_values
    half: bool = True

    def __call__(self, case: UnsureShelf) -> Trial:
        """Compare the shares; non-trivial where some, not all, of the gain is recovered."""
        found = case.values(self.solve, ERRORS if self.half else BEYOND)
        shares = [*found.shares]
        failure = ""
        if found.gap:
            failure = f"gains are off by {found.gap}."
        elif shares[0]:
            failure = f"{shares[0]} is recovered where titles are right."
        elif found.titled[len(ERRORS) - 1] != found.blind:
            failure = "titles that say nothing are not like none."
        elif shares != sorted(shares):
            told = ", ".join(map(str, shares))
            failure = f"the shares by error are {told}."
        return Trial(nontrivial=0 < shares[len(ERRORS) - 1] < 1, failure=failure)


@dataclass(frozen=True)
class RevenueIsMonotone:
    """As titles get worse, revenue never rises, or it never falls."""

    solve: Callable[..., TitleValues] = title_values

    def __call__(self, case: UnsureShelf) -> Trial:
        """Compare revenues; non-trivial where they differ."""
        revenues = [each.revenue for each in case.values(self.solve).titled]
        failure = ""
        if revenues not in (sorted(revenues), sorted(revenues, reverse=True)):
            failure = f"revenues by error are {', '.join(map(str, revenues))}."
        return Trial(nontrivial=len({*revenues}) > 1, failure=failure)


def show_shelf(case: UnsureShelf) -> Exhibit:
    """Work the outcomes out."""
    return Exhibit(summary=str(case), tables=(case.values(title_values).table(),))


def _build_shelf(draw: Draw, passages: int) -> UnsureShelf:
    facts = draw.integer(1, 3 - passages)
    quarters = tuple(tuple(draw.choice((1, 2)) for _ in range(facts)) for _ in range(passages))
    prices = tuple(draw.integer(1, 3) for _ in range(passages))
    return UnsureShelf(prices, quarters, draw.choice((4, 6)), draw.choice((6, 2)))


def _shelf_size(case: UnsureShelf) -> tuple[int, ...]:
    return (sum(map(len, case.quarters)), sum(case.prices) + case.worth + case.budget)


SHELVES: Family[UnsureShelf] = Family(
    description="a passage of up to two facts, or two of one, stated with probability 1/4 or 1/2, "
    "worth 4 or 6 each, at 1 to 3, with 2 or 6 to spend",
    level_name="passages",
    levels=(1, 2),
    build=_build_shelf,
    size=_shelf_size,
)
