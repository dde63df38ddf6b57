"""Bidders that follow a rule."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from mechanisms.ascending._questions import Call, Lot
from theory.ascending import EstimateRule, LimitRule
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.numbers import rational
from theory.shared.arguments import read_count, refusing

__all__ = [
    "Bidder",
    "BudgetAwareBidder",
    "CallbackBidder",
    "Estimator",
    "RuleBidder",
    "best_bundle",
]


@runtime_checkable
class Bidder(Protocol):
    """Bids in an ascending auction.

    A bidder may also have ``over``, by what share its estimates are too high; ``modules``, of
    "plan", "replan" and "beliefs"; and then ``plan(view)``, which returns a :class:`Plan` or a
    mapping with "priorities" and "text", and ``recount(view)``, which returns :class:`Beliefs` or a
    mapping with "money", "profits" and "won". One that can be called is called with each
    :class:`~mechanisms.play.Ask` in place of all these.
    """

    @property
    def name(self) -> str:
        """The name of the bidder, and of its account."""
        ...

    def bid(self, call: Call) -> object:
        """Return a bid of at least ``call.least``, or None to withdraw from the item."""
        ...


@dataclass
class RuleBidder:
    """Raises by the least amount, a fixed number of times an item (arena, section 4.1).

    It looks at no estimate.

    Attributes
    ----------
    name : str
    limit : int
        The most bids on one item; 4 in the authors' program, whatever the budget.
    choose : str or None
        With "profit" it bids only on the dearest items that its money suffices for at their
        starting prices, with "items" on the cheapest. The authors' program has this part of the
        rule, switched off.

    Examples
    --------
    >>> from mechanisms.ascending import Item, run_auction
    >>> result = run_auction([Item("Vase", 10, 20)], [RuleBidder("Ann"), RuleBidder("Bob")], 100)
    >>> result.sales[0].price  # 1.6 times the start, whoever wins
    Fraction(16, 1)
    """

    name: str
    limit: int = 4
    choose: str | None = None

    def __post_init__(self) -> None:
        read_count("limit", self.limit)
        if self.choose not in (None, "profit", "items"):
            fix = nearest(str(self.choose), ("profit", "items"))
            raise UnknownNameError("choose", self.choose, "is no way to choose", fix)

    @property
    def rule(self) -> LimitRule:
        """Return the rule for :func:`theory.ascending.exact_auction`.

        Raises
        ------
        InvalidInputError
            For a bidder that chooses items.
        """
        if self.choose is not None:
            fix = "give choose=None"
            raise InvalidInputError("choose", self.choose, "is not in the exact law", fix)
        return LimitRule(self.limit)

    def bid(self, call: Call) -> Fraction | None:
        """Return the least bid, so long as it may and can."""
        if call.made >= self.limit or call.least > call.money:
            return None
        if not call.made and self.choose is not None and not self._chosen(call):
            return None
        return call.least

    def _chosen(self, call: Call) -> bool:
        """Whether the item is among those that it sets out to buy with what it has."""
        here = Lot(call.item, call.start, call.estimate)
        lots = sorted(
            (here, *call.coming), key=lambda lot: lot.start, reverse=self.choose == "profit"
        )
        left = call.money
        for lot in lots:
            if lot.start > left:
                continue
            left -= lot.start
            if lot is here:
                return True
        return False


@dataclass
class Estimator:
    """Raises by the least amount up to a share of what it expects the item to be worth.

    With a true estimate this is straightforward bidding.

    Attributes
    ----------
    name : str
    over : number
        By what share of the value its estimates are too high.
    share : number
        The share of its estimate up to which it bids.
    strict : bool
        Whether it stops just before that price.

    Examples
    --------
    >>> from mechanisms.ascending import Item, run_auction
    >>> bidders = [Estimator(name, over="1/10") for name in ("Ann", "Bob", "Cy")]
    >>> result = run_auction([Item("Vase", 10, 20)], bidders, 100)
    >>> result.sales[0].price, sum(result.profits.values())  # the winner's curse
    (Fraction(22, 1), Fraction(-2, 1))
    """

    name: str
    over: Any = 0
    share: Any = 1
    strict: bool = False
    _share: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._share = Fraction(rational(self.share, "share"))

    @property
    def rule(self) -> EstimateRule:
        """Return the rule for :func:`theory.ascending.exact_auction`, where values are common."""
        over = Fraction(rational(self.over, "over"))
        return EstimateRule(over=self._share * (1 + over) - 1, strict=self.strict)

    def bid(self, call: Call) -> Fraction | None:
        """Return the least bid while it is within the limit."""
        limit = self._share * call.estimate
        within = call.least < limit if self.strict else call.least <= limit
        return call.least if within and call.least <= call.money else None


@dataclass
class BudgetAwareBidder:
    """Raises by the least amount while the item is worth the money that later items would miss.

    It expects each item to come to be sold for a multiple of its starting price. Let V(m) be the
    most that its estimates of items to come, less those prices, add up to for at most m. It bids b
    while

        estimate - b + V(money - b) >= V(money).

    Attributes
    ----------
    name : str
    over : number
        By what share of the value its estimates are too high.
    expects : number
        The price of an item to come, over its start: 121/80, which is what three rule bidders pay.
    """

    name: str
    over: Any = 0
    expects: Any = Fraction(121, 80)
    _expects: Fraction = field(init=False, repr=False, compare=False)
    _asked: tuple[tuple[Lot, ...], list[Fraction], list[Fraction]] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        self._expects = Fraction(rational(self.expects, "expects"))
        if self._expects <= 0:
            fix = "give a number above 0"
            raise InvalidInputError("expects", self.expects, "is not positive", fix)

    def bid(self, call: Call) -> Fraction | None:
        """Return the least bid while winning with it is better than keeping the money."""
        if call.least > call.money:
            return None
        keeps = self._later(call.coming, call.money)
        wins = call.estimate - call.least + self._later(call.coming, call.money - call.least)
        return call.least if wins >= keeps else None

    def _later(self, lots: tuple[Lot, ...], money: Fraction) -> Fraction:
        if self._asked is None or self._asked[0] != lots:
            offers = [(lot.start * self._expects, lot.estimate) for lot in lots]
            costs, gains = best_bundle(offers)
            self._asked = lots, costs, gains
        _, costs, gains = self._asked
        return gains[bisect_right(costs, money) - 1]


@refusing
def best_bundle(
    offers: Sequence[tuple[Fraction, Fraction]],
) -> tuple[list[Fraction], list[Fraction]]:
    """Return the most that offers gain, by what they cost: the frontier of the knapsack.

    Parameters
    ----------
    offers : sequence of (cost, worth)
        Exact numbers; costs above 0.

    Returns
    -------
    costs, gains : lists
        With money from ``costs[k]`` on and below ``costs[k + 1]`` one gains ``gains[k]``, the worth
        less the cost of the best bundle. Both increase; the first entry is 0 for 0.

    Notes
    -----
    Exact; up to 2^n bundles for n offers, far fewer where costs are alike.

    Examples
    --------
    >>> costs, gains = best_bundle([(Fraction(2), Fraction(5)), (Fraction(3), Fraction(4))])
    >>> print(*costs), print(*gains)
    0 2 5
    0 3 4
    (None, None)
    """
    frontier = {Fraction(0): Fraction(0)}
    for cost, worth in offers:
        if cost <= 0:
            raise InvalidInputError("cost of an offer", cost, "is not positive", "leave it out")
        if worth <= cost:
            continue
        merged = dict(frontier)
        for spent, gain in frontier.items():
            total = spent + cost
            merged[total] = max(merged.get(total, Fraction(0)), gain + worth - cost)
        frontier, best = {}, Fraction(-1)
        for spent in sorted(merged):
            if merged[spent] > best:
                frontier[spent] = best = merged[spent]
    return list(frontier), list(frontier.values())


@dataclass
class CallbackBidder:
    """Asks a function for its bids: a person, a program, another library.

    Attributes
    ----------
    name : str
    function : callable
        Takes a :class:`Call`, and returns a bid, or None to withdraw.
    over : number
        By what share of the value its estimates are too high.
    """

    name: str
    function: Callable[[Call], object]
    over: Any = 0

    def bid(self, call: Call) -> object:
        """Return what the function returns."""
        return self.function(call)
