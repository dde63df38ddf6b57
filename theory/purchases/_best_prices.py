"""The prices that earn a seller the most from a population of ideal buyers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, Final

from theory.errors import InvalidInputError, LimitError, ShapeError
from theory.numbers import rational
from theory.purchases._best_set import BestSet, best_set
from theory.purchases._recheck_prices import check_best_prices
from theory.purchases._shelf import read_shelf
from theory.shared.arguments import instance_of, read_tuple, refusing

__all__ = ["MAX_PURCHASES", "BestPrices", "Customer", "best_prices"]

MAX_PURCHASES: Final = 20_000
"""How many purchases may be looked at: vectors of prices times customers."""
_MAX_SETS: Final = 2_000_000
"""How many sets of passages may be compared in all of them."""


@refusing
@dataclass(frozen=True)
class Customer:
    """An ideal buyer, and how many there are of it.

    Attributes
    ----------
    worths : sequence of numbers
        What each fact is worth to it, once.
    budget : number, optional
        None for no limit.
    weight : number
        Above 0.
    """

    worths: Any
    budget: Any = None
    weight: Any = 1

    def __post_init__(self) -> None:
        worths = read_tuple("worths", self.worths, "give a number a fact")
        shelf = read_shelf((), (), worths, self.budget)
        weight = Fraction(rational(self.weight, "weight"))
        if weight <= 0:
            raise InvalidInputError("weight", self.weight, "is not above 0", "give a number")
        for name, value in (
            ("worths", shelf.worths),
            ("budget", shelf.budget),
            ("weight", weight),
        ):
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class BestPrices:
    """A price a passage, of those allowed, with the greatest revenue.

    Attributes
    ----------
    chances : tuple of tuple of Fraction
    customers : tuple of Customer
    menus : tuple of tuple of Fraction
        The prices that each passage may have, ascending.
    prices : tuple of Fraction
        Of equal ones the first in the order of the menus.
    revenue : Fraction
        From all customers, each counted with its weight.
    purchases : tuple of BestSet
        What each customer buys at these prices.
    """

    chances: tuple[tuple[Fraction, ...], ...]
    customers: tuple[Customer, ...]
    menus: tuple[tuple[Fraction, ...], ...]
    prices: tuple[Fraction, ...]
    revenue: Fraction
    purchases: tuple[BestSet, ...]

    @property
    def gain(self) -> Fraction:
        """What all customers gain, with their weights."""
        pairs = zip(self.customers, self.purchases, strict=True)
        return sum((each.weight * found.gain for each, found in pairs), Fraction(0))

    @cached_property
    def gap(self) -> Fraction:
        """What other prices would earn more, or by how much the revenue is not so, at most."""
        return check_best_prices(
            self.chances,
            [(each.worths, each.budget, each.weight) for each in self.customers],
            self.menus,
            self.prices,
            self.revenue,
        )

    def __str__(self) -> str:
        prices = ", ".join(map(str, self.prices))
        return f"prices {prices}: revenue {self.revenue}, customers gain {self.gain}"


@refusing
def best_prices(
    chances: Iterable[Iterable[object]],
    customers: Iterable[Customer],
    menus: Iterable[Iterable[object]],
) -> BestPrices:
    """Return the prices with the greatest revenue, where each customer buys its :func:`best_set`.

    So a customer that is indifferent spends the less.

    Parameters
    ----------
    chances : sequence of rows
        One a passage: with which probability it states each fact.
    customers : sequence of Customer
    menus : sequence of sequences
        For each passage the prices that it may have.

    Raises
    ------
    InvalidInputError, NumberError, ShapeError
        As :func:`best_set`, and for no customers, an empty menu, or rows that do not fit.
    LimitError
        For more than 20,000 purchases, at all prices and of all customers, or two million sets to
        compare in them.

    Notes
    -----
    Depth first over the passages. With some prices fixed, a customer pays at most its budget, what
    the most valuable set is worth to it, and the sum of the fixed prices and the greatest others;
    where the sum of that does not exceed the best revenue, the rest is not looked at. The gap goes
    through all prices.

    Examples
    --------
    Two copies of a fact: the cheaper one is bought, so that one price must do for all customers.

    >>> crowd = [Customer([5]), Customer([3], weight=2)]
    >>> print(best_prices([[1], [1]], crowd, [range(1, 6)] * 2))
    prices 2, 2: revenue 6, customers gain 5
    """
    rows = tuple(read_tuple("chances", chances, "give a row of probabilities a passage"))
    came = read_tuple("customers", customers, "give a list of Customer")
    for each in came:
        instance_of("customers", each, Customer, "give Customer(worths, budget)")
    if not came:
        raise InvalidInputError("customers", customers, "are none", "give at least one")
    shelves = [read_shelf([0] * len(rows), rows, each.worths) for each in came]
    lists = _read_menus(menus, len(rows))
    _check_counts(lists, len(came))
    read = shelves[0].chances
    free = [0] * len(rows)  # then all is bought that is worth something
    ceilings = [best_set(free, read, each.worths).worth for each in came]
    best = Fraction(-1), tuple[Fraction, ...]()
    stack = [tuple[Fraction, ...]()]
    while stack:
        fixed = stack.pop()
        if _bound(fixed, lists, came, ceilings) <= best[0]:
            continue
        if len(fixed) < len(lists):
            stack.extend((*fixed, price) for price in reversed(lists[len(fixed)]))
            continue
        paid = (each.weight * _buys(fixed, read, each).price for each in came)
        revenue = sum(paid, Fraction(0))
        if revenue > best[0]:
            best = revenue, fixed
    bought = tuple(_buys(best[1], read, each) for each in came)
    return BestPrices(read, came, lists, best[1], best[0], bought)


def _check_counts(menus: Sequence[Sequence[Fraction]], customers: int) -> None:
    purchases = prod(map(len, menus)) * customers
    for count, most, what in (
        (purchases, MAX_PURCHASES, "purchases"),
        (purchases << len(menus), _MAX_SETS, "sets"),
    ):
        if count > most:
            problem = f"come to more than the limit of {most:,} {what} at all prices"
            raise LimitError("menus", count, problem, "give fewer passages, prices or customers")


def _buys(prices: Sequence[Fraction], chances: Any, customer: Customer) -> BestSet:
    return best_set(prices, chances, customer.worths, customer.budget)


def _read_menus(menus: Any, passages: int) -> tuple[tuple[Fraction, ...], ...]:
    given = read_tuple("menus", menus, "give a list of prices a passage")
    if len(given) != passages:
        problem = f"are {len(given)}, for {passages} passages"
        raise ShapeError("menus", menus, problem, "give one a passage")
    lists = []
    for place, menu in enumerate(given):
        name = f"menus[{place}]"
        read = read_shelf((), (), read_tuple(name, menu, "give a list of prices")).worths
        if not read:
            raise InvalidInputError(name, menu, "has no price", "give at least one")
        lists.append(tuple(sorted({*read})))
    return tuple(lists)


def _bound(
    fixed: Sequence[Fraction],
    menus: Sequence[Sequence[Fraction]],
    customers: Sequence[Customer],
    ceilings: Sequence[Fraction],
) -> Fraction:
    """Return at least what can be earned with these prices of the first passages."""
    most = sum(fixed, sum((menu[-1] for menu in menus[len(fixed) :]), Fraction(0)))
    bound = Fraction(0)
    for each, ceiling in zip(customers, ceilings, strict=True):
        pays = min(most, ceiling)
        bound += each.weight * (pays if each.budget is None else min(pays, each.budget))
    return bound
