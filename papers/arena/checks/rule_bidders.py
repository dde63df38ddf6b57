"""arena, section 4: what rule bidders and overestimating bidders pay and earn, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mechanisms.ascending import paper_items
from papers.arena.printed import ORDERS
from theory.ascending import (
    TIE_RULES,
    AuctionLaw,
    EstimateRule,
    Item,
    LimitRule,
    TieRule,
    exact_auction,
)
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "BUDGETS",
    "CURSES",
    "IDENTICAL",
    "LIMITS",
    "PLAYS",
    "STARTS",
    "UNIFORM",
    "BoundOnProfits",
    "CurseAtBudgets",
    "Identical",
    "OrderEffect",
    "PriceOfEstimates",
    "PriceOfThree",
    "PriceOfTwo",
    "SeatsAlike",
    "build_identical",
    "identical_size",
    "show_identical",
    "show_setting",
]

Auction = Callable[..., AuctionLaw]
RIVALS: Final = 3


# --- two bidders with a limit


@dataclass(frozen=True)
class Limited:
    """Bidders with a limit of bids on one item."""

    limit: int
    start: int

    def __str__(self) -> str:
        return f"start {self.start}, at most {self.limit} bids each"


def _limited_size(case: Limited) -> tuple[int, ...]:
    return (case.start,)


def _build_limited(draw: Draw, limit: int) -> Limited:
    return Limited(limit, draw.choice((1, 2, 3, 1000)))


LIMITS: Family[Limited] = Family(
    description="two bidders with a limit of bids on one item, starts 1, 2, 3 and 1000",
    level_name="limit",
    levels=tuple(range(1, 9)),
    build=_build_limited,
    size=_limited_size,
)


@dataclass(frozen=True)
class PriceOfTwo:
    """Two rule bidders pay (1 + 0.2 (K - 1)) s, and each wins with probability 1/2."""

    auction: Auction = exact_auction

    def __call__(self, case: Limited) -> Trial:
        """Compare the law with the formula."""
        item = Item("item", case.start, 2 * case.start)
        (law,) = self.auction([item], [LimitRule(case.limit)] * 2, 10 * case.start).items
        price = (1 + Fraction(2, 10) * (case.limit - 1)) * case.start
        failure = ""
        if law.prices != {price: 1}:
            failure = f"the law of the price is {_law_text(law.prices)}, not {price}."
        elif law.winners != {0: Fraction(1, 2), 1: Fraction(1, 2)}:
            failure = f"the seats win with probabilities {_law_text(law.winners)}."
        return Trial(nontrivial=case.limit > 1, failure=failure)


def _build_start(draw: Draw, start: int) -> Limited:
    del draw
    return Limited(4, start)


STARTS: Family[Limited] = Family(
    description="three bidders with 4 bids on one item, starts 1, 2, 3 and 1000",
    level_name="start",
    levels=(1, 2, 3, 1000),
    build=_build_start,
    size=_limited_size,
)

THREE: Final = ((14, Fraction(1, 8)), (15, Fraction(5, 8)), (16, Fraction(1, 4)))
"""The law of the price, in tenths of the start."""


@dataclass(frozen=True)
class PriceOfThree:
    """Three rule bidders with 4 bids pay 1.4 s, 1.5 s, 1.6 s in 1, 5, 2 cases of 8."""

    law: tuple[tuple[int, Fraction], ...] = THREE
    auction: Auction = exact_auction

    def __call__(self, case: Limited) -> Trial:
        """Compare the law with the printed one, and its mean with 121/80."""
        item = Item("item", case.start, 2 * case.start)
        (law,) = self.auction([item], [LimitRule(case.limit)] * 3, 10 * case.start).items
        wanted = {Fraction(tenths, 10) * case.start: chance for tenths, chance in self.law}
        mean = sum((price * chance for price, chance in law.prices.items()), Fraction(0))
        failure = ""
        if law.prices != wanted:
            failure = f"the law of the price is {_law_text(law.prices)}."
        elif mean != Fraction(121, 80) * case.start:
            failure = f"the mean price is {mean}."
        return Trial(failure=failure)


def _law_text(law: Any) -> str:
    return ", ".join(f"{key}: {chance}" for key, chance in law.items())


# --- identical bidders in their seats


@dataclass(frozen=True)
class Identical:
    """Identical rule bidders, by starts, budget and limit; increments are the start."""

    bidders: int
    starts: tuple[int, ...]
    budget: int
    limit: int

    def __str__(self) -> str:
        starts = ", ".join(map(str, self.starts))
        return (
            f"{self.bidders} bidders with budget {self.budget} and {self.limit} bids an item, "
            f"items that start at {starts}"
        )


def build_identical(draw: Draw, items: int) -> Identical:
    """Choose bidders, starts, a budget and a limit."""
    bidders = draw.choice((2, 3))
    starts = tuple(draw.choice((1, 2)) for _ in range(items))
    return Identical(bidders, starts, draw.integer(1, 4), draw.choice((1, 2, 3)))


def identical_size(case: Identical) -> tuple[int, ...]:
    """Return fewer bidders first, then smaller numbers."""
    return (case.bidders, case.budget + case.limit + sum(case.starts))


IDENTICAL: Family[Identical] = Family(
    description="2 or 3 identical rule bidders, starts 1 or 2, budgets 1 to 4, 1 to 3 bids an item",
    level_name="items",
    levels=(1, 2, 3),
    build=build_identical,
    size=identical_size,
)

UNIFORM: Final = TieRule("uniform by seat", TIE_RULES["uniform"].law, reads="nothing")
"""Uniform, without the promise that seats are alike: the solver then keeps every seat apart."""


@dataclass(frozen=True)
class SeatsAlike:
    """Identical bidders have equal expected profits in every seat, whatever a tie rule draws."""

    ties: TieRule
    auction: Auction = exact_auction

    def __call__(self, case: Identical) -> Trial:
        """Compare the exact profits of the seats."""
        profits = self.law(case).profits
        text = ", ".join(map(str, profits))
        failure = f"the expected profits by seat are {text}." if len(set(profits)) > 1 else ""
        return Trial(nontrivial=any(profits), failure=failure)

    def law(self, case: Identical) -> AuctionLaw:
        """Return the exact law of a case."""
        items = [Item(f"item {n}", s, 2 * s) for n, s in enumerate(case.starts, 1)]
        rules = [LimitRule(case.limit)] * case.bidders
        return self.auction(items, rules, case.budget, ties=self.ties, increment=1)


def show_identical(case: Identical) -> Exhibit:
    """Work a case out under both tie rules, then the ten items of the paper."""
    rows = []
    for name, ties in (("redrawn", TIE_RULES["redrawn"]), ("uniform", UNIFORM)):
        law = SeatsAlike(ties).law(case)
        for seat, (profit, won) in enumerate(zip(law.profits, law.items_won, strict=True)):
            rows.append((name, str(seat), str(profit), str(won)))
    table = Table(
        caption="Expected profit and items by seat",
        columns=("ties", "seat", "profit", "items"),
        rows=tuple(rows),
    )
    return Exhibit(summary=str(case), tables=(table,))


# --- any play of rules, for the bound


def _play_size(play: tuple[Identical, str, int]) -> tuple[int, ...]:
    return identical_size(play[0])


def _build_play(draw: Draw, items: int) -> tuple[Identical, str, int]:
    return build_identical(draw, items), draw.choice(("uniform", "redrawn")), draw.index(2)


PLAYS: Family[Any] = Family(
    description=f"{IDENTICAL.description}; ties uniform or redrawn; limits, or estimates of 2.2 s",
    level_name="items",
    levels=(1, 2, 3),
    build=_build_play,
    size=_play_size,
)


@dataclass(frozen=True)
class BoundOnProfits:
    """The sum of profits is the sum of 2 s - p over what is sold, at most the sum of starts."""

    auction: Auction = exact_auction

    def __call__(self, play: tuple[Identical, str, int]) -> Trial:
        """Check accounts, the bound, and payments against budgets, outcome by outcome."""
        case, ties, estimates = play
        rule = EstimateRule("1/10") if estimates else LimitRule(case.limit)
        items = [Item(f"item {n}", s, 2 * s) for n, s in enumerate(case.starts, 1)]
        law = self.auction(
            items, [rule] * case.bidders, case.budget, ties=ties, increment=Fraction(1, 5)
        )
        surplus = Fraction(0)
        cheap = False
        for item, of in zip(items, law.items, strict=True):
            surplus += sum((2 * item.start - p) * c for p, c in of.prices.items())
            cheap = cheap or any(price < item.start for price in of.prices)
        total = sum(law.profits, Fraction(0))
        most = sum(item.start for item in items)
        failures = {
            f"profits sum to {total}, what is sold leaves {surplus}": total != surplus,
            f"profits sum to {total}, the starts to {most}": total > most,
            "an item is sold below its start": cheap,
            "payments exceed the budgets": max(law.revenue_law()) > case.bidders * case.budget,
        }
        broken = "; ".join(name for name, failed in failures.items() if failed)
        return Trial(nontrivial=total > 0, failure=f"{broken}." if broken else "")


# --- overestimating bidders


@dataclass(frozen=True)
class Estimates:
    """Bidders with a common estimate, its relative error in percent."""

    bidders: int
    percent: int
    strict: bool

    def __str__(self) -> str:
        sign = "<" if self.strict else "≤"
        return f"{self.bidders} bidders, bid {sign} {100 + self.percent}% of the true value"


def _estimates_size(case: Estimates) -> tuple[int, ...]:
    return case.percent, case.strict


def _build_estimates(draw: Draw, bidders: int) -> Estimates:
    return Estimates(bidders, draw.choice((0, 5, 10, 15, 20)), bool(draw.index(2)))


CURSES: Family[Estimates] = Family(
    description="common estimates of 100% to 120% of the true value 2 s, bid up to or below it",
    level_name="bidders",
    levels=(2, 3, 4),
    build=_build_estimates,
    size=_estimates_size,
)


@dataclass(frozen=True)
class PriceOfEstimates:
    """Minimal raises end at the estimate, or one increment below it for a strict rule."""

    auction: Auction = exact_auction

    def __call__(self, case: Estimates) -> Trial:
        """Compare the law of the price with the formula: increments s/10, value 2 s."""
        rules = [EstimateRule(Fraction(case.percent, 100), case.strict)] * case.bidders
        (law,) = self.auction([Item("item", 10, 20)], rules, 1000).items
        price = 20 + Fraction(case.percent, 5) - case.strict
        failure = ""
        if law.prices != {price: 1}:
            failure = f"with s = 10 the law of the price is {_law_text(law.prices)}, not {price}."
        return Trial(nontrivial=case.percent > 0, failure=failure)


# --- Table 1 at the budgets of the paper


@dataclass(frozen=True)
class TableCase:
    """Three bidders on the items of Table 1."""

    budget: int
    order: str

    def __str__(self) -> str:
        return f"budget ${self.budget:,}, {self.order} order"

    def profit(self, auction: Auction, rule: Any) -> Fraction:
        """Return the expected profit of each of three identical bidders."""
        profit: Fraction = auction(paper_items(self.order), [rule] * RIVALS, self.budget).profits[0]
        return profit


def _table_size(case: TableCase) -> tuple[int, ...]:
    return (ORDERS.index(case.order),)


def _build_table(draw: Draw, thousands: int) -> TableCase:
    return TableCase(1000 * thousands, draw.choice(ORDERS[1:]))


BUDGETS: Family[TableCase] = Family(
    description="three identical bidders on Table 1, ascending and descending, $10,000 to $40,000",
    level_name="thousands",
    levels=(10, 20, 40),
    build=_build_table,
    size=_table_size,
)

BY_ORDER: Final = {10_000: 1, 20_000: -1, 40_000: 0}
"""The sign of what rule bidders earn more if the dear items are sold first; 0 for below $1."""


@dataclass(frozen=True)
class OrderEffect:
    """Rule bidders earn more in descending order at $10,000, less at $20,000, the same later."""

    signs: tuple[tuple[int, int], ...] = tuple(BY_ORDER.items())
    auction: Auction = exact_auction

    def __call__(self, case: TableCase) -> Trial:
        """Compare the profits of both orders."""
        rule = LimitRule(4)
        down = TableCase(case.budget, "descending").profit(self.auction, rule)
        up = TableCase(case.budget, "ascending").profit(self.auction, rule)
        sign = dict(self.signs)[case.budget]
        right = abs(down - up) < 1 if sign == 0 else sign * (down - up) > 1
        failure = f"descending {float(down):.2f}, ascending {float(up):.2f}."
        return Trial(nontrivial=sign != 0, failure="" if right else failure)


@dataclass(frozen=True)
class CurseAtBudgets:
    """Bidders up to 2.2 s earn at $10,000 and $20,000, and lose $2,000 each at $40,000."""

    over: Fraction = Fraction(1, 10)
    auction: Auction = exact_auction

    def __call__(self, case: TableCase) -> Trial:
        """Check the sign of the exact profit, or its amount."""
        profit = case.profit(self.auction, EstimateRule(self.over))
        right = profit == -2000 if case.budget == 40_000 else profit > 0
        return Trial(failure="" if right else f"each earns {float(profit):.2f}.")


def show_setting(case: TableCase) -> Exhibit:
    """Show the law of a case for rule bidders."""
    law = exact_auction(paper_items(case.order), [LimitRule(4)] * RIVALS, case.budget)
    return Exhibit(summary=str(case), tables=(law.table(),))
