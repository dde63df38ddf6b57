"""What is sold, and what it is worth to whom."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, Final

from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.numbers import rational
from theory.shared.arguments import instance_of, read_tuple, refusing

__all__ = [
    "Bonus",
    "Item",
    "Worths",
    "common_values",
    "interdependent_values",
    "paper_items",
    "private_values",
    "read_items",
    "sort_items",
]


@dataclass(frozen=True, slots=True)
class Item:
    """One item of an auction.

    Attributes
    ----------
    name : str
    start : Fraction
        The least opening bid, above 0.
    value : Fraction
        What the item is worth to whoever wins it, where values are common.
    reserve : Fraction or None
        The seller keeps the item for less. Bidders are not told.

    Examples
    --------
    >>> Item("Vase", start=1000, value="2000.50")
    Item(name='Vase', start=Fraction(1000, 1), value=Fraction(4001, 2), reserve=None)
    """

    name: str
    start: Any
    value: Any
    reserve: Any = None

    def __post_init__(self) -> None:
        instance_of("name of an item", self.name, str, "give text")
        if not self.name.strip():
            raise InvalidInputError("name of an item", self.name, "is empty", "name the item")
        for field in ("start", "value", "reserve"):
            given = getattr(self, field)
            if given is not None:
                number = Fraction(rational(given, f"{field} of {self.name}"))
                object.__setattr__(self, field, number)
        if self.start is None or self.start <= 0:
            fix = "give a number above 0"
            raise InvalidInputError(f"start of {self.name}", self.start, "is not positive", fix)
        if self.value is None:
            fix = "say what it is worth"
            raise InvalidInputError(f"value of {self.name}", self.value, "is missing", fix)


@dataclass(frozen=True, slots=True)
class Bonus:
    """What holding several items together is worth beyond each of them.

    Attributes
    ----------
    items : tuple of int
        The positions of the items, from 0.
    amount : Fraction
        Paid once to who holds all of them; negative for substitutes.
    bidder : str or None
        To whom it is worth so much; to anybody where nothing is said.
    """

    items: tuple[int, ...]
    amount: Any
    bidder: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", read_tuple("items of a bonus", self.items))
        if not self.items:
            raise InvalidInputError("items of a bonus", self.items, "are none", "name some")
        object.__setattr__(self, "amount", Fraction(rational(self.amount, "amount of a bonus")))


@dataclass(frozen=True, slots=True)
class Worths:
    """What each item is worth to each bidder, and what each expects before it is sold.

    Attributes
    ----------
    estimates : tuple of tuple of Fraction
        By bidder, by item: all that the bidder knows of its worth.
    values : tuple of tuple of Fraction
        By bidder, by item: what it earns who wins the item, before paying.
    bonuses : tuple of Bonus
        What bundles are worth beyond their parts.
    """

    estimates: tuple[tuple[Fraction, ...], ...]
    values: tuple[tuple[Fraction, ...], ...]
    bonuses: tuple[Bonus, ...] = ()

    def __post_init__(self) -> None:
        for field in ("estimates", "values"):
            rows = read_tuple(field, getattr(self, field), "give a row a bidder")
            object.__setattr__(self, field, tuple(_row(field, row) for row in rows))
        bonuses = read_tuple("bonuses", self.bonuses, "give a list of Bonus")
        for bonus in bonuses:
            instance_of("bonuses", bonus, Bonus, "give Bonus(items, amount)")
        object.__setattr__(self, "bonuses", bonuses)

    def bundle(self, bidder: str, seat: int, won: Iterable[int]) -> Fraction:
        """Return what a set of items is worth to a bidder: values add, and bonuses come on top."""
        held = set(won)
        worth = sum((self.values[seat][k] for k in held), Fraction(0))
        for bonus in self.bonuses:
            if bonus.bidder in (None, bidder) and held.issuperset(bonus.items):
                worth += bonus.amount
        return worth


@refusing
def common_values(
    items: Iterable[Item], bidders: Iterable[str], over: object = 0, bonuses: Iterable[Bonus] = ()
) -> Worths:
    """Return worths where an item is worth ``item.value`` to all.

    Parameters
    ----------
    over : number or mapping of numbers by bidder
        By what share of the value an estimate is too high: 1/10 in the experiments of AucArena.

    Raises
    ------
    InvalidInputError, NumberError
        For a share that is no exact number, or that is missing for a bidder.

    Examples
    --------
    >>> common_values([Item("Vase", 1000, 2000)], ["Ann"], over="1/10").estimates
    ((Fraction(2200, 1),),)
    """
    items, bidders = read_items(items), read_tuple("bidders", bidders)
    shares = over if isinstance(over, Mapping) else dict.fromkeys(bidders, over)
    estimates: list[tuple[Fraction, ...]] = []
    rows: dict[Fraction, tuple[Fraction, ...]] = {}
    for name in bidders:
        if name not in shares:
            problem, fix = "has no share", "give a share for each bidder"
            raise InvalidInputError("over", name, problem, fix)
        factor = 1 + Fraction(rational(shares[name], f"over of {name}"))
        if factor not in rows:
            rows[factor] = tuple([item.value * factor for item in items])
        estimates.append(rows[factor])
    values = tuple(item.value for item in items)
    return Worths(tuple(estimates), (values,) * len(estimates), tuple(bonuses))


@refusing
def private_values(values: Mapping[str, Sequence[object]], bonuses: Iterable[Bonus] = ()) -> Worths:
    """Return worths where each bidder knows its own value of each item, and it differs.

    Parameters
    ----------
    values : mapping
        By bidder, in the order of the bidders: a value for each item.
    """
    rows = tuple(_row(f"values of {name}", row) for name, row in values.items())
    return Worths(rows, rows, tuple(bonuses))


@refusing
def interdependent_values(
    signals: Mapping[str, Sequence[object]], weight: object, bonuses: Iterable[Bonus] = ()
) -> Worths:
    r"""Return worths that hang on what others know, too.

    Bidder i has a signal s_ij of item j, which is its estimate; the item is worth

        v_ij = (1 - w) s_ij + w \sum_{k \ne i} s_kj / (n - 1)

    to it. With w = 0 values are private, with w = (n - 1)/n they are common (Milgrom and Weber
    1982).

    Examples
    --------
    >>> interdependent_values({"Ann": [4], "Bob": [2]}, "1/2").values
    ((Fraction(3, 1),), (Fraction(3, 1),))
    """
    share = Fraction(rational(weight, "weight"))
    rows = [_row(f"signals of {name}", row) for name, row in signals.items()]
    others = len(rows) - 1
    if others < 1:
        raise InvalidInputError("signals", tuple(signals), "are of one bidder", "give two or more")
    if len({len(row) for row in rows}) > 1:
        problem, fix = "differ in length", "give each bidder one signal an item"
        raise InvalidInputError("signals", tuple(map(len, rows)), problem, fix)
    totals = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]
    values = tuple(
        tuple((1 - share) * s + share * (t - s) / others for s, t in zip(row, totals, strict=True))
        for row in rows
    )
    return Worths(tuple(rows), values, tuple(bonuses))


_ORDERS: Final[dict[str, Callable[[Item], Fraction]]] = {
    "ascending": lambda item: item.start,
    "descending": lambda item: -item.start,
}


def sort_items(items: Iterable[Item], order: str) -> tuple[Item, ...]:
    """Return items by their starting price; those of one price stay in their order.

    Parameters
    ----------
    order : str
        "ascending", "descending", or "given" for no change.
    """
    listed = read_items(items)
    if order == "given":
        return listed
    if order not in tuple(_ORDERS):
        fix = nearest(str(order), [*_ORDERS, "given"])
        raise UnknownNameError("order", order, "is no order of items", fix)
    return tuple(sorted(listed, key=_ORDERS[order]))


def paper_items(order: str = "given", table: str = "standard") -> tuple[Item, ...]:
    """Return the items of the paper.

    Parameters
    ----------
    order : str
        "given" (as in Table 1), "ascending" or "descending".
    table : str
        "standard": the ten items of arena, Table 1, two at each start of 1,000 to 5,000.
        "objectives": four dear and sixteen cheap items (arena, section 4.4), under names of ours.

    Examples
    --------
    >>> items = paper_items("descending")
    >>> items[0].name, len(items), sum(item.start for item in items)
    ('Equipment E', 10, Fraction(30000, 1))
    """
    tables = _tables()
    if table not in tuple(tables):
        fix = nearest(str(table), tables)
        raise UnknownNameError("table", table, "is no table of items", fix)
    return sort_items(tables[table], order)


@cache
def _tables() -> dict[str, tuple[Item, ...]]:
    """Return the tables of the paper, read once: items cannot be changed."""
    text = files("mechanisms.ascending").joinpath("items.toml").read_text(encoding="utf-8")
    twice = 2  # the true value in all experiments of the paper
    return {
        table: tuple(Item(name, start, twice * start) for name, start in starts.items())
        for table, starts in tomllib.loads(text).items()
    }


def read_items(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return items as a tuple; there must be some, and no two of one name."""
    listed: tuple[Item, ...] = read_tuple("items", items, "give a list of Item")
    for item in listed:
        instance_of("items", item, Item, "give Item(name, start, value)")
    if not listed:
        raise InvalidInputError("items", listed, "are none", "give at least one")
    names = [item.name for item in listed]
    if len(set(names)) < len(names):
        raise InvalidInputError("items", names, "have one name twice", "give each its own name")
    return listed


def _row(argument: str, row: object) -> tuple[Fraction, ...]:
    numbers = read_tuple(argument, row, "give a number an item")
    return tuple([n if type(n) is Fraction else Fraction(rational(n, argument)) for n in numbers])
