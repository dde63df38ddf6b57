"""What is auctioned, to whom, and how ties and unsold items are handled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from theory.ascending._items import ForSale, Item
from theory.ascending._rules import BidRule
from theory.ascending._ties import TieRule, tie_rule
from theory.errors import InvalidInputError, LimitError, NumberError
from theory.numbers.reading import rational
from theory.shared.arguments import raising, read_count, read_tuple, refusing

__all__ = ["MAX_DISCOUNTS", "MAX_LEVELS", "AuctionSetting", "read_setting"]

MAX_LEVELS: Final = 4_000
"""How many increments above its start an item's price may rise to."""

MAX_DISCOUNTS: Final = 16
"""How often the start of an unsold item may be halved."""

Ceiling = tuple[Fraction | None, bool]
"""The most that is bid, None for anything, and whether bids stay below it."""


@dataclass(frozen=True)
class AuctionSetting:
    """A sequence of items, and a rule and a budget for each seat; see :func:`read_setting`."""

    items: tuple[Item, ...]
    rules: tuple[BidRule, ...]
    budgets: tuple[Fraction, ...]
    ties: TieRule
    increment: Fraction
    discounts: int
    reach: tuple[tuple[int | None, tuple[Ceiling, ...]], ...] = field(
        init=False, repr=False, compare=False
    )
    """By seat, how many bids its rule makes on an item, and its ceiling on each."""

    def __post_init__(self) -> None:
        for name in ("items", "rules", "budgets"):
            given: object = getattr(self, name)
            if type(given) is not tuple:
                fix = "call read_setting(items, rules, budgets)"
                raise InvalidInputError(name, given, "is no tuple", fix)
        read = [_read_rule(f"rules[{n}]", rule, self.items) for n, rule in enumerate(self.rules)]
        object.__setattr__(self, "reach", tuple(read))

    @property
    def seats(self) -> range:
        """The seats, from 0."""
        return range(len(self.rules))

    def starts(self, item: int) -> tuple[Fraction, ...]:
        """Return the starting prices at which an item is offered, one after the other."""
        return tuple(self.items[item].start / 2**k for k in range(self.discounts + 1))

    def price(self, item: int, cut: int, level: int) -> Fraction:
        """Return the price ``level`` increments above the start that was halved ``cut`` times."""
        start: Fraction = self.items[item].start
        price: Fraction = start / 2**cut * (1 + level * self.increment)
        return price

    def top_level(self, item: int, cut: int, seat: int, budget: Fraction) -> int:
        """Return how many increments a seat goes to with a budget; -1 if not even to the start."""
        start = self.items[item].start / 2**cut
        ceiling, strict = self.reach[seat][1][item]
        most = budget if ceiling is None else min(budget, ceiling)
        levels = (most / start - 1) / self.increment
        top: int = levels.numerator // levels.denominator
        if strict and ceiling is not None and self.price(item, cut, top) >= ceiling:
            top -= 1
        return max(top, -1)


@refusing
def read_setting(
    items: Sequence[ForSale],
    rules: Sequence[BidRule],
    budgets: Any,
    *,
    ties: TieRule | str = "uniform",
    increment: Any = Fraction(1, 10),
    discounts: int = 0,
) -> AuctionSetting:
    """Return an auction whose numbers are read and whose seats, items and rules fit together.

    Raises
    ------
    InvalidInputError
        For no item, no bidder, two items of one name, an item with a reserve, and lists of
        different lengths; for a rule of one's own that raises, or returns anything else.
    NumberError
        For a negative budget, an increment that is not positive, and a ceiling that is no exact
        number.
    LimitError
        For budgets that allow more than ``MAX_LEVELS`` increments on an item.
    """
    given = read_tuple("items", items, "give a list of items")
    sold = tuple(Item(offered.name, offered.start, offered.value) for offered in given)
    for offered in given:
        if getattr(offered, "reserve", None) is not None:
            fix = "leave it out: the law is of auctions without reserves"
            raise InvalidInputError("items", offered.name, "has a reserve", fix)
    seated = read_tuple("rules", rules, "give a list of rules, one a seat")
    if not sold:
        raise InvalidInputError("items", items, "is empty", "give at least one item")
    if not seated:
        raise InvalidInputError("rules", rules, "is empty", "give at least one bidder's rule")
    names = [item.name for item in sold]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidInputError("items", twice[0], "is the name of two items", "name each item")
    step = rational(increment, "increment")
    if step <= 0:
        raise NumberError("increment", increment, "is not positive", "give a share of the start")
    setting = AuctionSetting(
        items=sold,
        rules=seated,
        budgets=_read_budgets(budgets, len(seated)),
        ties=tie_rule(ties),
        increment=step,
        discounts=read_count("discounts", discounts, 0, MAX_DISCOUNTS),
    )
    _require_few_levels(setting)
    return setting


def _read_rule(
    argument: str, rule: BidRule, items: Sequence[Item]
) -> tuple[int | None, tuple[Ceiling, ...]]:
    """Return what a rule says: how many bids it makes on an item, and how far it goes on each."""
    given: Any = rule
    try:
        bids = given.bids
    except Exception as error:  # a user's class may raise anything
        fix = "have it return a count, or None for any number"
        raise raising(f"bids of {argument}", rule, error, fix) from error
    if bids is not None:
        bids = read_count(f"bids of {argument}", bids, 0)
    ceilings = []
    for position, item in enumerate(items):
        name, fix = f"ceiling of {argument}", "have it return an amount or None, and a bool"
        try:
            found = given.ceiling(position, item)
        except Exception as error:  # a user's class may raise anything
            raise raising(f"{name} on {item.name}", rule, error, fix) from error
        if not isinstance(found, tuple) or len(found) != 2 or type(found[1]) is not bool:
            raise InvalidInputError(f"{name} on {item.name}", found, "is no such pair", fix)
        most, strict = found
        ceilings.append((None if most is None else rational(most, name), strict))
    return bids, tuple(ceilings)


def _read_budgets(budgets: Any, seats: int) -> tuple[Fraction, ...]:
    one_for_all = isinstance(budgets, str) or not hasattr(budgets, "__iter__")
    given = [budgets] * seats if one_for_all else read_tuple("budgets", budgets, "give amounts")
    if len(given) != seats:
        fix = f"give one budget for all, or {seats}"
        raise InvalidInputError("budgets", budgets, f"has {len(given)} entries", fix)
    read = tuple(rational(budget, "budgets") for budget in given)
    for budget in read:
        if budget < 0:
            raise NumberError("budgets", budget, "is negative", "give amounts of at least 0")
    return read


def _require_few_levels(setting: AuctionSetting) -> None:
    for number, item in enumerate(setting.items):
        for seat in setting.seats:
            bids, _ = setting.reach[seat]
            top = setting.top_level(number, setting.discounts, seat, setting.budgets[seat])
            most = top if bids is None else min(top, len(setting.seats) * bids)
            if most > MAX_LEVELS:
                raise LimitError(
                    "budgets",
                    setting.budgets[seat],
                    f"allows more than {MAX_LEVELS:,} increments on {item.name}",
                    "give a larger increment, or a rule with a limit",
                )
