"""arena, appendices A and B: the log against the rules, Table 2 against itself."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from papers.arena.printed import (
    LISTING_1,
    LISTING_BUDGETS,
    LISTING_PROFITS,
    TABLE_1,
    TABLE_2,
    LoggedItem,
)
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = ["LOG", "MEANS", "LogFollowsRules", "MeansAreConsistent", "ProfitsReplay", "show_logged"]

GAMES: Final = 4
STARTS: Final = 30_000
INCREMENT: Final = Fraction(1, 10)


def _logged_size(item: LoggedItem) -> tuple[int, ...]:
    return (len(item.rounds),)


def _build_logged(draw: Draw, number: int) -> LoggedItem:
    del draw
    return LISTING_1[number - 1]


LOG: Family[LoggedItem] = Family(
    description="the three items of Listing 1",
    level_name="item",
    levels=(1, 2, 3),
    build=_build_logged,
    size=_logged_size,
)


def breaches_of(item: LoggedItem, budgets: dict[int, int], starts: dict[str, int]) -> list[str]:
    """Return what in the log of an item goes against the rules, in order."""
    found = []
    if starts.get(item.name) != item.start:
        found.append(f"it starts at {item.start}, in Table 1 at {starts.get(item.name)}")
    standing, leader = 0, 0
    withdrawn: set[int] = set()
    for number, entries in enumerate(item.rounds, 1):
        asked = set(budgets) - withdrawn - {leader}
        least = standing + INCREMENT * item.start if standing else item.start
        named = {bidder for bidder, _ in entries}
        found += [f"round {number}: no entry of bidder {b}" for b in sorted(asked - named)]
        high, first = standing, leader
        for bidder, bid in entries:
            if bidder == leader:
                found.append(f"round {number}: bidder {bidder} leads and bids")
            elif bidder in withdrawn:
                found.append(f"round {number}: bidder {bidder} had withdrawn")
            if bid is None:
                withdrawn.add(bidder)
                continue
            if bid < least:
                found.append(f"round {number}: bidder {bidder} bids {bid}, the least is {least}")
            if bid > budgets[bidder]:
                found.append(
                    f"round {number}: bidder {bidder} bids {bid} with a budget of {budgets[bidder]}"
                )
            if bid > high:
                high, first = bid, bidder
        standing, leader = high, first
    if (item.winner, item.price) != (leader, standing):
        found.append(f"sold to {item.winner} at {item.price}, {leader} leads at {standing}")
    return found


@dataclass(frozen=True)
class LogFollowsRules:
    """Every entry of the log is allowed, and every bidder who is asked has one."""

    budgets: tuple[tuple[int, int], ...] = tuple(LISTING_BUDGETS.items())
    starts: tuple[tuple[str, int], ...] = tuple(TABLE_1.items())

    def __call__(self, item: LoggedItem) -> Trial:
        """List what is not allowed."""
        breaches = breaches_of(item, dict(self.budgets), dict(self.starts))
        return Trial(failure=f"{'; '.join(breaches)}." if breaches else "")


def show_logged(item: LoggedItem) -> Exhibit:
    """Show the rounds of an item, and its breaches."""
    rows = tuple(
        (str(number), str(bidder), "withdraws" if bid is None else str(bid))
        for number, entries in enumerate(item.rounds, 1)
        for bidder, bid in entries
    )
    log = Table(caption="As printed", columns=("round", "bidder", "bid"), rows=rows)
    breaches = breaches_of(item, LISTING_BUDGETS, TABLE_1)
    summary = f"{item.name}, start {item.start}, sold to bidder {item.winner} at {item.price}"
    return Exhibit(summary=summary, story=tuple(breaches), tables=(log,))


@dataclass(frozen=True)
class ProfitsReplay:
    """The winners' value less price is what the personal reports of the listing say."""

    profits: tuple[tuple[int, int], ...] = tuple(LISTING_PROFITS.items())

    def __call__(self, item: LoggedItem) -> Trial:
        """Replay the sale; each bidder wins one item, so each item is one bidder's profit."""
        profit = item.value - item.price
        printed = dict(self.profits)[item.winner]
        failure = f"bidder {item.winner} earns {profit}, printed {printed}."
        return Trial(failure=failure if profit != printed else "")


@dataclass(frozen=True)
class Means:
    """A row block of Table 2: mean profits and items of the three players, as printed."""

    order: str
    cells: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        cells = "; ".join(f"{name} {profit}, {items}" for name, profit, items in self.cells)
        return f"{self.order}: {cells}"


def _means_size(means: Means) -> tuple[int, ...]:
    return (list(TABLE_2).index(means.order),)


def _build_means(draw: Draw, _games: int) -> Means:
    order = draw.choice(list(TABLE_2))
    cells = tuple((name, profit, items) for name, (profit, items) in TABLE_2[order].items())
    return Means(order, cells)


MEANS: Family[Means] = Family(
    description="the three orders of Table 2",
    level_name="games a cell",
    levels=(GAMES,),
    build=_build_means,
    size=_means_size,
)


@dataclass(frozen=True)
class MeansAreConsistent:
    """The cells can be means over four games of ten items, within the bound on profits.

    Profits times the games are whole, items are quarters rounded to one
    place, no more than ten in all, and the profits sum to at most the sum of the starts.
    """

    games: int = GAMES
    bound: int = STARTS

    def __call__(self, means: Means) -> Trial:
        """Check each cell, then the sums."""
        broken = [
            f"{name}'s profit {profit} is no mean of {self.games} whole profits"
            for name, profit, _ in means.cells
            if (Fraction(profit) * self.games).denominator != 1
        ]
        least = Fraction(0)
        for name, _, items in means.cells:
            near = [
                quarter
                for n in range(10 * self.games + 1)
                for quarter in [Fraction(n, self.games)]
                if abs(quarter - Fraction(items)) <= Fraction(1, 20)
            ]
            if not near:
                broken.append(f"{name}'s {items} items are no mean of {self.games} whole numbers")
            least += min(near, default=Fraction(0))
        total = sum(Fraction(profit) for _, profit, _ in means.cells)
        if total > self.bound:
            broken.append(f"profits sum to {total}, above {self.bound}")
        if least > len(TABLE_1):
            broken.append(f"items sum to {least}, above {len(TABLE_1)}")
        return Trial(failure=f"{'; '.join(broken)}." if broken else "")
