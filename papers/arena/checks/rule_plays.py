"""arena, section 4: rule bidders in the stepped auction, over all its draws, and in niches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mechanisms.ascending import (
    Auctioned,
    Item,
    RuleBidder,
    Terms,
    ascending_auction,
    paper_items,
    run_auction,
)
from mechanisms.play import Ask, Run
from papers.arena.checks.plays import NAMES
from papers.arena.checks.rule_bidders import Identical, build_identical, identical_size
from papers.arena.printed import ORDERS
from theory.ascending import LimitRule, exact_auction
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = ["FEW", "GROUPS", "KeepsItsRule", "NichesWiden", "show_niches"]

Sales = tuple[tuple[str | None, Fraction | None], ...]


# --- a rule bidder is its rule


FEW: Family[Identical] = Family(
    description="2 or 3 identical rule bidders, starts 1 or 2, budgets 1 to 4, 1 to 3 bids an item",
    level_name="items",
    levels=(1, 2),
    build=build_identical,
    size=identical_size,
)


@dataclass(frozen=True)
class KeepsItsRule:
    """Rule bidders raise minimally, at most K times an item; the law of all of it is the exact one.

    The auction is led once for each way that its draws can come out.
    """

    bidder: Callable[[str, int], Any] = RuleBidder

    def __call__(self, case: Identical) -> Trial:
        """Look at each bid of each way, then at the law of winners and prices."""
        items = [Item(f"item {n}", s, 2 * s) for n, s in enumerate(case.starts, 1)]
        names = NAMES[: case.bidders]
        bidders = {name: self.bidder(name, case.limit) for name in names}
        law: dict[Sales, Fraction] = {}
        for chance, run in _all_ways(
            ascending_auction(items, names, case.budget, terms=Terms(increment=1)), bidders
        ):
            broken = _breach(run, case.limit)
            if broken:
                return Trial(failure=f"{broken}.")
            settled = tuple((each.winner, each.price) for each in run.outcome.settled)
            law[settled] = law.get(settled, Fraction(0)) + chance
        exact = exact_auction(
            items, [LimitRule(case.limit)] * case.bidders, case.budget, increment=1
        )
        for n, of in enumerate(exact.items):
            winners, prices = (_law_of(law, n, part) for part in (0, 1))
            wanted = {names[seat]: chance for seat, chance in of.winners.items()}
            if (winners, prices) != (wanted, of.prices):
                return Trial(failure=f"the law of item {n + 1} is not the exact one.")
        return Trial(nontrivial=len(law) > 1)


def _law_of(law: dict[Sales, Fraction], n: int, part: int) -> dict[Any, Fraction]:
    """Return the law of the winner, or of the price, of an item; what is not sold has neither."""
    found: dict[Any, Fraction] = {}
    for sales, chance in law.items():
        if sales[n][part] is not None:
            found[sales[n][part]] = found.get(sales[n][part], Fraction(0)) + chance
    return found


def _all_ways(
    run: Run[Auctioned], bidders: dict[str, Any]
) -> Iterator[tuple[Fraction, Run[Auctioned]]]:
    """Lead a run to all its ends, each with its probability."""
    open_: list[tuple[Fraction, Run[Auctioned]]] = [(Fraction(1), run)]
    while open_:
        chance, run = open_.pop()
        while not run.draws and (ask := run.ask()) is not None:
            run = run.answer(ask, bidders[ask.player].bid(ask.view))
        if run.over:
            yield chance, run
            continue
        draw = run.draws[0]
        for value, weight in zip(draw.values, draw.weights, strict=True):
            open_.append((chance * weight, run.answer(draw, value)))


def _breach(run: Run[Auctioned], limit: int) -> str:
    """Return which answer was none of a rule bidder."""
    for entry in run.log:
        request: Any = entry.request
        if not isinstance(request, Ask):
            continue
        view, bid = request.view, entry.value
        may = view.made < limit and view.least <= view.money
        if bid != (view.least if may else None):
            return f"{view.bidder} answers {bid} to {view.least} after {view.made} bids"
    return ""


# --- niches


@dataclass(frozen=True)
class Groups:
    """Two bidders for profit and two for items, who choose by their money, on 4 dear and 16 cheap.

    They sit in turn.
    """

    order: str
    seed: int

    def __str__(self) -> str:
        return f"{self.order} order, seed {self.seed}"

    def won(self, budget: int, bidder: Callable[..., Any]) -> Counter[tuple[str, bool]]:
        """Return how many items each group wins, by whether they are dear."""
        wants = ("profit", "items") * 2
        bidders = [bidder(f"{want} {n}", choose=want) for n, want in enumerate(wants)]
        items = paper_items(self.order, "objectives")
        result = run_auction(items, bidders, budget, seed=self.seed)
        return Counter(
            (sale.winner.split()[0], sale.item.start == max(item.start for item in items))
            for sale in result.sales
            if sale.winner is not None
        )

    def apart(self, budget: int, bidder: Callable[..., Any] = RuleBidder) -> Fraction:
        """Return by how much the shares of dear items among what both groups win differ."""
        won = self.won(budget, bidder)
        profit, items = (
            Fraction(won[group, True], max(1, won[group, True] + won[group, False]))
            for group in ("profit", "items")
        )
        return profit - items


def _build_groups(draw: Draw, order: int) -> Groups:
    return Groups(ORDERS[order], draw.index(SEEDS))


def _groups_size(case: Groups) -> tuple[int, ...]:
    return (case.seed,)


SEEDS: Final = 4

GROUPS: Family[Groups] = Family(
    description=f"the items of section 4.4 as given, ascending, descending; {SEEDS} seeds of draws",
    level_name="order",
    levels=tuple(range(len(ORDERS))),
    build=_build_groups,
    size=_groups_size,
)


@dataclass(frozen=True)
class NichesWiden:
    """The groups are further apart with one budget than with another."""

    wider: int
    narrower: int
    bidder: Callable[..., Any] = RuleBidder

    def __call__(self, case: Groups) -> Trial:
        """Compare the shares of dear items."""
        wide, narrow = (case.apart(b, self.bidder) for b in (self.wider, self.narrower))
        failure = f"at ${self.wider:,} the groups are {wide} apart, at ${self.narrower:,} {narrow}."
        return Trial(failure="" if wide > narrow else failure)


def show_niches(case: Groups) -> Exhibit:
    """Show what both groups win as budgets grow."""
    rows = []
    for budget in (10_000, 20_000, 30_000):
        won = case.won(budget, RuleBidder)
        counts = [str(won[g, dear]) for g in ("profit", "items") for dear in (True, False)]
        rows.append((f"{budget:,}", *counts, str(case.apart(budget))))
    table = Table(
        caption="Items won by two bidders for profit and two for items",
        columns=("budget", "profit: dear", "cheap", "items: dear", "cheap", "shares of dear apart"),
        rows=tuple(rows),
    )
    return Exhibit(summary=str(case), tables=(table,))
