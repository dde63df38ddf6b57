"""arena: straightforward bidding against its best replies, in small exact instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mechanisms.ascending import paper_items
from papers.arena.printed import ORDERS
from theory.ascending import (
    AuctionSetting,
    BestReply,
    Item,
    LimitRule,
    PrivateValues,
    ProfitAndRank,
    Situation,
    Tie,
    TieRule,
    Worth,
    best_reply,
    exact_auction,
    read_setting,
)
from theory.search import Draw, DrawRejected, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "BUDGETED",
    "BUNDLES",
    "DRAINS",
    "PAIRS",
    "TIES_AND_ORDERS",
    "AheadToo",
    "BundleLoses",
    "Duel",
    "EarnsTheBudget",
    "NeverLoses",
    "NoEquilibrium",
    "WithinSlack",
    "most_profit",
    "show_bundle",
    "show_duel",
    "show_rank",
]

Reply = Callable[..., BestReply]
HALF: Final = Fraction(1, 2)


# --- two bidders with values of their own


@dataclass(frozen=True)
class Duel:
    """Two bidders; starts and increments are 1. Values are by bidder, then by item."""

    values: tuple[tuple[int, ...], tuple[int, ...]]
    budgets: tuple[int, int]
    strict: bool = False

    def __str__(self) -> str:
        values = " and ".join(str(list(of)) for of in self.values)
        rule = ", bidding below them" if self.strict else ""
        return f"values {values}{rule}, budgets {self.budgets[0]} and {self.budgets[1]}"

    def setting(self, ties: TieRule | str = "uniform") -> AuctionSetting:
        """Return the auction; the true values play no part."""
        items = [Item(f"item {n}", 1, v) for n, v in enumerate(self.values[0], 1)]
        rules = [PrivateValues(of, self.strict) for of in self.values]
        return read_setting(items, rules, self.budgets, increment=1, ties=ties)

    def straightforward(self, seat: int, ties: TieRule | str = "uniform") -> Fraction:
        """Return what a bidder earns if both raise by 1 up to their values, by the exact law."""
        items = [Item(f"item {n}", 1, v) for n, v in enumerate(self.values[seat], 1)]
        rules = [PrivateValues(of, self.strict) for of in self.values]
        return exact_auction(items, rules, self.budgets, increment=1, ties=ties).profits[seat]


def _size(case: Duel) -> tuple[int, ...]:
    return (sum(case.budgets) + sum(map(sum, case.values)), case.strict)


def _build_pair(draw: Draw, largest: int) -> Duel:
    values = draw.integer(0, largest), draw.integer(0, largest)
    if max(values) < largest:
        raise DrawRejected
    ample = largest + 2
    return Duel(((values[0],), (values[1],)), (ample, ample), bool(draw.index(2)))


PAIRS: Family[Duel] = Family(
    description="one item, private values 0 to 8, budgets that do not bind, bid ≤ or < the value",
    level_name="largest value",
    levels=tuple(range(1, 9)),
    build=_build_pair,
    size=_size,
)


def _build_budgeted(draw: Draw, largest: int) -> Duel:
    numbers = [draw.integer(1, largest) for _ in range(4)]
    if max(numbers) < largest:
        raise DrawRejected
    values = tuple(numbers[:2])
    return Duel((values, values), (numbers[2], numbers[3]))


BUDGETED: Family[Duel] = Family(
    description="two items of common values 1 to 4, two bidders with budgets of 1 to 4",
    level_name="largest number",
    levels=(1, 2, 3, 4),
    build=_build_budgeted,
    size=_size,
)


@dataclass(frozen=True)
class WithinSlack:
    """No bidder gains more than ``slack`` an item by leaving straightforward bidding alone."""

    slack: Fraction
    reply: Reply = best_reply

    def __call__(self, case: Duel) -> Trial:
        """Compare the best reply of each bidder with what the rule earns."""
        failure, gains = "", []
        for seat in (0, 1):
            best = self.reply(case.setting(), seat).value
            plain = case.straightforward(seat)
            gains.append(best - plain)
            if best - plain > self.slack * len(case.values[0]):
                failure = failure or (
                    f"bidder {seat} earns {plain} straightforwardly, {best} at best."
                )
        return Trial(nontrivial=any(gains), failure=failure)


def show_duel(case: Duel) -> Exhibit:
    """Work a case out, bidder by bidder, with the first move of the best reply."""
    rows = []
    for seat in (0, 1):
        reply = best_reply(case.setting(), seat)
        opening = next(level for now, level in reply.moves.items() if _opens(now))
        first = "withdraws" if opening is None else f"bids {1 + opening}"
        rows.append((str(seat), str(case.straightforward(seat)), str(reply.value), first))
    table = Table(
        caption="Expected profits, and the opening move of the best reply",
        columns=("bidder", "straightforward", "best reply", "on the first item it"),
        rows=tuple(rows),
    )
    return Exhibit(summary=str(case), tables=(table,))


def _opens(now: Situation) -> bool:
    return now.item == 0 and now.leader < 0


# --- tie rules and orders


@dataclass(frozen=True)
class TiesAndOrder:
    """A tie rule for two bidders, and whether the dearer item comes first.

    With probability ``share`` a tie goes to seat 0, or to the richer if ``by_budget``.
    """

    share: Fraction
    by_budget: bool
    dear_first: bool

    def __str__(self) -> str:
        favoured = "the richer" if self.by_budget else "seat 0"
        order = "dearer" if self.dear_first else "cheaper"
        return f"ties to {favoured} with probability {self.share}, the {order} item first"

    def law(self, tie: Tie) -> tuple[Fraction, Fraction]:
        """Return the law over the two tied."""
        first, second = (tie.budgets[seat] for seat in tie.tied)
        if not self.by_budget:
            return self.share, 1 - self.share
        if first == second:
            return HALF, HALF
        return (self.share, 1 - self.share) if first > second else (1 - self.share, self.share)


def _ties_size(case: TiesAndOrder) -> tuple[Fraction, ...]:
    return Fraction(case.by_budget), Fraction(case.dear_first), case.share


def _build_ties(draw: Draw, _level: int) -> TiesAndOrder:
    share = Fraction(draw.choice((2, 0, 4, 1, 3)), 4)
    return TiesAndOrder(share, bool(draw.index(2)), bool(draw.index(2)))


TIES_AND_ORDERS: Family[TiesAndOrder] = Family(
    description="ties to seat 0 or to the richer with probability 0, 1/4, ..., 1; both orders",
    level_name="bidders less 1",
    levels=(1,),
    build=_build_ties,
    size=_ties_size,
)


@dataclass(frozen=True)
class NoEquilibrium:
    """Under each tie rule and order some bidder gains more than half an increment an item.

    ``largest`` bounds the values and budgets that are searched, from the smallest sum on.
    """

    largest: int = 5
    slack: Fraction = HALF
    reply: Reply = best_reply

    def __call__(self, case: TiesAndOrder) -> Trial:
        """Search two items and two budgets for a gain."""
        ties = TieRule(str(case), case.law)
        for duel in _duels(self.largest, case.dear_first):
            for seat in (0, 1):
                best = self.reply(duel.setting(ties), seat).value
                if best - duel.straightforward(seat, ties) > 2 * self.slack:
                    return Trial()
        return Trial(failure=f"no gain with values and budgets up to {self.largest}.")


def _duels(largest: int, dear_first: bool) -> list[Duel]:
    span = range(1, largest + 1)
    found = []
    for low in span:
        for high in range(low, largest + 1):
            values = (high, low) if dear_first else (low, high)
            found += [Duel((values, values), (b, c)) for b in span for c in span]
    return sorted(found, key=lambda duel: (_size(duel), duel.values, duel.budgets))


# --- profit and rank


@dataclass(frozen=True)
class AheadToo:
    """Some reply that maximises profit also maximises the chance to be ahead."""

    reply: Reply = best_reply

    def __call__(self, case: Duel) -> Trial:
        """Compare the chance to be ahead, of the best for profit and of the best for rank."""
        setting = case.setting()
        profit, ahead = self.reply(setting, 0, objective=ProfitAndRank()).values
        best, then = self.reply(setting, 0, objective=ProfitAndRank(rank_first=True)).values
        failure = f"for profit: {profit}, ahead with probability {ahead}; for rank: {then}, {best}."
        return Trial(nontrivial=profit > 0, failure=failure if best > ahead else "")


def show_rank(case: Duel) -> Exhibit:
    """Show both objectives with their opening moves."""
    rows = []
    for name, first in (("profit", False), ("rank", True)):
        reply = best_reply(case.setting(), 0, objective=ProfitAndRank(rank_first=first))
        one, other = reply.values
        profit, ahead = (other, one) if first else (one, other)
        opening = next(level for now, level in reply.moves.items() if _opens(now))
        move = "withdraws" if opening is None else f"bids {1 + opening}"
        rows.append((name, str(profit), str(ahead), move))
    table = Table(
        caption="Bidder 0 against straightforward bidding",
        columns=("maximises", "profit", "ahead", "on the first item it"),
        rows=tuple(rows),
    )
    return Exhibit(summary=str(case), tables=(table,))


# --- bundles


@dataclass(frozen=True)
class NeverLoses:
    """With values that add, a straightforward bidder never ends with a loss."""

    law: Callable[..., Any] = exact_auction

    def __call__(self, case: Duel) -> Trial:
        """Look at the smallest profit that is possible."""
        items = [Item(f"item {n}", 1, v) for n, v in enumerate(case.values[0], 1)]
        rules = [PrivateValues(of, case.strict) for of in case.values]
        profits = self.law(items, rules, case.budgets, increment=1).profit_law(0)
        worst = min(profits)
        failure = f"bidder 0 may end with {worst}." if worst < 0 else ""
        return Trial(nontrivial=len(profits) > 1, failure=failure)


def _build_bundle(draw: Draw, worth: int) -> Duel:
    rival = draw.integer(0, 3), draw.integer(0, 3)
    return Duel(((worth, worth), rival), (6, 6))


BUNDLES: Family[Duel] = Family(
    description="two items worth 1 to 3 together and nothing alone; a rival with values 0 to 3",
    level_name="worth",
    levels=(1, 2, 3),
    build=_build_bundle,
    size=_size,
)


@dataclass(frozen=True)
class BundleLoses:
    """The opposite of exposure: bidding for a pair, item by item, never loses on average.

    On the first item bidder 0 bids up to the worth of the pair less the start of the second. On the
    second it bids up to the worth of the pair if it has won the first, and else does not bid. A
    bidder that is not ``exposed`` leaves the first item alone.
    """

    exposed: bool = True
    reply: Reply = best_reply

    def __call__(self, case: Duel) -> Trial:
        """Value the policy exactly, against a straightforward rival."""
        worth = case.values[0][0]
        pair = Worth({frozenset({0, 1}): Fraction(worth)})

        def policy(now: Situation) -> int | None:
            won = now.note == (0, frozenset({0}))
            limit = (worth - 1) * self.exposed if now.item == 0 else worth * won
            return now.least if 1 + now.least <= min(Fraction(limit), now.budgets[0]) else None

        setting = case.setting()
        value = self.reply(setting, 0, objective=pair, policy=policy).value
        return Trial(nontrivial=value != 0, failure=f"it earns {value}." if value < 0 else "")


def show_bundle(case: Duel) -> Exhibit:
    """Say what the pair is worth, what the rival wants, and how the first item is lost money."""
    worth, rival = case.values[0][0], case.values[1]
    summary = f"two items worth {worth} together, a rival with values {rival[0]} and {rival[1]}"
    story = (
        f"The first item is bought at 1 or more, for the sake of the pair. Then the rival bids up "
        f"to {rival[1]} for the second one, which is lost, or costs more than the pair leaves."
    )
    return Exhibit(summary=summary, story=(story,))


# --- the best reply to rule bidders


@dataclass(frozen=True)
class DrainCase:
    """A seat against rule bidders on Table 1."""

    budget: int
    order: str
    rivals: int = 2

    def __str__(self) -> str:
        return f"budget ${self.budget:,}, {self.order} order, {self.rivals} rule bidders"


def _drain_size(case: DrainCase) -> tuple[int, ...]:
    return case.rivals, ORDERS.index(case.order)


def _build_drain(draw: Draw, thousands: int) -> DrainCase:
    return DrainCase(1000 * thousands, draw.choice(ORDERS), draw.choice((2, 3)))


DRAINS: Family[DrainCase] = Family(
    description=(
        "one seat against two or three rule bidders on Table 1, $10,000 and $20,000, three orders"
    ),
    level_name="thousands",
    levels=(10, 20),
    build=_build_drain,
    size=_drain_size,
)


@dataclass(frozen=True)
class Drain:
    """Opens an item one increment below what the richest rival can pay, and withdraws.

    The rivals look at no estimate, so one of them pays all it has. When none can pay a start to
    come, the seat buys items at their starts, those whose sum comes closest to its budget.
    """

    setting: AuctionSetting

    def __call__(self, now: Situation) -> int | None:
        """Return the level to bid."""
        items, rivals = self.setting.items, now.budgets[1:]
        if max(rivals) < min(item.start for item in items[now.item :]):
            buys = now.item in self._affordable(now.item, now.budgets[0])
            return 0 if buys and now.least == 0 else None
        if now.least:
            return None
        return max(
            0, self.setting.top_level(now.item, 0, 1 + rivals.index(max(rivals)), max(rivals)) - 1
        )

    def _affordable(self, first: int, budget: Fraction) -> tuple[int, ...]:
        spent: dict[Fraction, tuple[int, ...]] = {Fraction(0): ()}
        for number in range(first, len(self.setting.items)):
            for paid, chosen in list(spent.items()):
                total = paid + self.setting.items[number].start
                if total <= budget:
                    spent.setdefault(total, (*chosen, number))
        return spent[max(spent)]


def most_profit(setting: AuctionSetting) -> Fraction:
    """Bound what seat 0 may earn against rivals that bid the least amount K times an item.

    A rival that has bought nothing makes all of its K bids, each at least an increment above the
    one before, and can pay them. While there is one, the seat wins no item for less than K - 1
    increments above its start; afterwards, for less than its start. Each such rival that buys an
    item is one less. The most is taken over who gets each item, within the budget.
    """
    budget = setting.budgets[0]
    bids = setting.rules[1].bids or 1  # without a limit it bids at least once
    best = {(len(setting.seats) - 1, budget): Fraction(0)}
    for item in setting.items:
        later: dict[tuple[int, Fraction], Fraction] = {}
        for (fresh, money), profit in best.items():
            dear = item.start * (1 + (bids - 1) * setting.increment)
            price = dear if fresh and dear <= budget else item.start
            won = fresh, money - price
            ends = [((fresh, money), profit), (won, profit + item.value - price)]
            if fresh:
                ends.append(((fresh - 1, money), profit))
            for end, earned in ends:
                known = later.get(end)
                if end[1] >= 0 and (known is None or earned > known):
                    later[end] = earned
        best = later
    return max(best.values())


@dataclass(frozen=True)
class EarnsTheBudget:
    """The best reply earns the budget B, or what the starts after as many items as rivals sum to.

    It is the smaller of the two: a policy earns so much, and :func:`most_profit` says that nothing
    earns more.
    """

    policy: Callable[[AuctionSetting], Callable[[Situation], int | None]] = Drain
    reply: Reply = best_reply
    bound: Callable[[AuctionSetting], Fraction] = most_profit

    def __call__(self, case: DrainCase) -> Trial:
        """Value the policy, and compare it with the bound."""
        rules = [LimitRule(4)] * (1 + case.rivals)
        setting = read_setting(paper_items(case.order), rules, case.budget)
        earned = self.reply(setting, 0, policy=self.policy(setting)).value
        starts = sum((item.start for item in setting.items[case.rivals :]), Fraction(0))
        stated, most = min(Fraction(case.budget), starts), self.bound(setting)
        same = earned == stated == most
        return Trial(failure="" if same else f"it earns {earned} of {stated}, at most {most}.")
