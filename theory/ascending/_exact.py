"""The exact law of a sequence of ascending auctions among bidders that follow rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any, Final

from theory.ascending._items import ForSale
from theory.ascending._rules import BidRule
from theory.ascending._setting import AuctionSetting, read_setting
from theory.ascending._states import Outcomes, StateSpace
from theory.ascending._steps import StepCount
from theory.ascending._ties import TieRule
from theory.errors import InvalidInputError, LimitError
from theory.shared.arguments import read_count, refusing
from theory.verdicts import ShownAsTable, Table

__all__ = ["MAX_TOTALS", "AuctionLaw", "ItemLaw", "exact_auction"]

MAX_TOTALS: Final = 50_000
"""How many different totals a law may have, counted from the smallest to the largest."""


@dataclass(frozen=True)
class ItemLaw:
    """The law of one item.

    Attributes
    ----------
    sales : mapping from (seat, price) to Fraction
        The probability of each winner and price.
    unsold : Fraction
        The probability that nobody bids.
    """

    sales: Mapping[tuple[int, Fraction], Fraction]
    unsold: Fraction

    @property
    def prices(self) -> dict[Fraction, Fraction]:
        """The probability of each price, ascending; with ``unsold`` they sum to one."""
        law: dict[Fraction, Fraction] = {}
        for _, price in sorted(self.sales, key=lambda sale: sale[1]):
            law[price] = Fraction(0)
        for (_, price), chance in self.sales.items():
            law[price] += chance
        return law

    @property
    def winners(self) -> dict[int, Fraction]:
        """The probability of each winner, by seat."""
        law: dict[int, Fraction] = {}
        for (seat, _), chance in sorted(self.sales.items()):
            law[seat] = law.get(seat, Fraction(0)) + chance
        return law

    @property
    def revenue(self) -> Fraction:
        """The expected payment, 0 being paid where the item stays unsold."""
        return sum((p * chance for (_, p), chance in self.sales.items()), Fraction(0))


@dataclass(frozen=True)
class AuctionLaw(ShownAsTable):
    """What becomes of an auction, exactly.

    Attributes
    ----------
    setting : AuctionSetting
        Items, rules, budgets and tie rule.
    items : tuple of ItemLaw
        The law of each item, in the order of sale.
    """

    setting: AuctionSetting
    items: tuple[ItemLaw, ...]

    @cached_property
    def profits(self) -> tuple[Fraction, ...]:
        """The expected profit of each seat: the sum of value less price over what it wins."""
        return tuple(
            self._expected(seat, lambda value, price: value - price) for seat in self.setting.seats
        )

    @cached_property
    def payments(self) -> tuple[Fraction, ...]:
        """The expected payment of each seat."""
        return tuple(self._expected(seat, lambda _, price: price) for seat in self.setting.seats)

    @cached_property
    def items_won(self) -> tuple[Fraction, ...]:
        """The expected number of items of each seat."""
        return tuple(self._expected(seat, lambda *_: Fraction(1)) for seat in self.setting.seats)

    @property
    def revenue(self) -> Fraction:
        """The expected sum of all payments."""
        return sum(self.payments, Fraction(0))

    @property
    def sold(self) -> Fraction:
        """The expected number of items that are sold."""
        return sum(self.items_won, Fraction(0))

    @refusing
    def profit_law(self, seat: int) -> dict[Fraction, Fraction]:
        """Return the law of a seat's profit, ascending.

        Raises
        ------
        InvalidInputError
            For a seat that there is not.
        LimitError
            For more than ``MAX_TOTALS`` different totals; so do the other laws of totals.
        """
        values = [item.value for item in self.setting.items]
        return self._total_law(seat, lambda number, price: values[number] - price)

    @refusing
    def items_law(self, seat: int) -> dict[int, Fraction]:
        """Return the law of the number of items that a seat wins, ascending."""
        law = self._total_law(seat, lambda number, price: Fraction(1))
        return {int(count): chance for count, chance in law.items()}

    def revenue_law(self) -> dict[Fraction, Fraction]:
        """Return the law of the sum of all payments, ascending."""
        return self._total_law(None, lambda number, price: price)

    def table(self) -> Table:
        """Return a table with a row an item, then the accounts of the seats."""
        setting = self.setting
        rows = [
            (
                item.name,
                _decimal(item.start),
                _decimal(law.revenue),
                _decimal(law.unsold, 4),
                ", ".join(_decimal(law.winners.get(s, Fraction(0)), 4) for s in setting.seats),
            )
            for item, law in zip(setting.items, self.items, strict=True)
        ]
        total = sum((item.start for item in setting.items), Fraction(0))
        unsold = len(setting.items) - self.sold
        won = ", ".join(_decimal(n, 4) for n in self.items_won)
        rows.append(("all", _decimal(total), _decimal(self.revenue), _decimal(unsold, 4), won))
        profits = ", ".join(_decimal(profit) for profit in self.profits)
        budgets = ", ".join(_decimal(budget) for budget in dict.fromkeys(setting.budgets))
        return Table(
            caption=(
                f"{len(setting.items)} items, budgets {budgets}, ties {setting.ties.name}: "
                f"expected profits {profits}"
            ),
            columns=("item", "start", "expected payment", "unsold", "won by each seat"),
            rows=tuple(rows),
        )

    def _expected(self, seat: int, gain: Callable[[Fraction, Fraction], Fraction]) -> Fraction:
        return sum(
            (
                chance * gain(item.value, price)
                for item, law in zip(self.setting.items, self.items, strict=True)
                for (winner, price), chance in law.sales.items()
                if winner == seat
            ),
            Fraction(0),
        )

    def _total_law(
        self, seat: int | None, gain: Callable[[int, Fraction], Fraction]
    ) -> dict[Fraction, Fraction]:
        """Return the law of the sum of gains over the items that a seat wins, None for any seat."""
        if seat is not None:
            seat = read_count("seat", seat, 0)
            if seat not in self.setting.seats:
                fix = f"give a seat from 0 to {len(self.setting.seats) - 1}"
                raise InvalidInputError("seat", seat, "is no seat", fix)
        return _law_of_total(StateSpace(self.setting, apart=seat), seat, gain)


@refusing
def exact_auction(
    items: Sequence[ForSale],
    rules: Sequence[BidRule],
    budgets: Any,
    *,
    ties: TieRule | str = "uniform",
    increment: Any = Fraction(1, 10),
    discounts: int = 0,
    max_steps: int | None = None,
) -> AuctionLaw:
    """Return the exact law of prices, winners, profits, items won and revenue.

    The items are sold one after the other. In a round, all bidders who neither lead nor have
    withdrawn from the item are asked at the same time: each bids the least allowed amount, which is
    the start at first and then the standing bid plus ``increment`` times the start, or withdraws.
    A bidder bids while its rule permits it and it has the money. ``ties`` says who leads after
    equal bids. The item is sold to the leader when nobody bids in a round; winners pay their bid.

    Parameters
    ----------
    items : sequence of Item
        In the order of sale; anything with a name, a start and a value.
    rules : sequence of rules
        One a seat: :class:`LimitRule`, :class:`EstimateRule`, :class:`PrivateValues`, or one's own.
    budgets : number, or one a seat
        What each may spend on all items together.
    ties : str or TieRule
        A name in ``TIE_RULES``, or any law over the tied.
    increment : number
        The increment as a share of the start, read exactly.
    discounts : int
        How often the start of an item that nobody bids on is halved.
    max_steps : int, optional
        How many steps of about a microsecond the work may come to, by the length of numbers. They
        are counted before each part of the work is done. None, as when left out, is for any number.

    Raises
    ------
    InvalidInputError, NumberError, UnknownNameError
        For arguments that make no auction.
    LimitError
        Where budgets may develop in too many ways, and for more than ``max_steps``.

    Notes
    -----
    Time grows with the number of classes of budgets, which are merged where they permit the same
    bids on all items to come. Source: arena, sections 3 and 4.1.

    Examples
    --------
    >>> from theory.ascending import Item, LimitRule
    >>> law = exact_auction([Item("Vase", 1000, 2000)], [LimitRule(4)] * 3, 5000)
    >>> {str(price): str(chance) for price, chance in law.items[0].prices.items()}
    {'1400': '1/8', '1500': '5/8', '1600': '1/4'}
    >>> print(law)
    1 items, budgets 5000.00, ties uniform: expected profits 162.50, 162.50, 162.50
    item  start    expected payment  unsold  won by each seat
    ────  ───────  ────────────────  ──────  ──────────────────────
    Vase  1000.00  1512.50           0.0000  0.3333, 0.3333, 0.3333
    all   1000.00  1512.50           0.0000  0.3333, 0.3333, 0.3333
    """
    setting = read_setting(
        items, rules, budgets, ties=ties, increment=increment, discounts=discounts
    )
    most = None if max_steps is None else read_count("max_steps", max_steps)
    space = StateSpace(setting, steps=StepCount(most))
    return AuctionLaw(setting, tuple(_item_laws(space)))


def _item_laws(space: StateSpace) -> Iterator[ItemLaw]:
    steps = space.run()
    for number in range(len(space.setting.items)):
        weights, total = next(steps)
        met: dict[Outcomes, int] = {}
        for state, weight in weights.items():
            outcomes = space.outcomes(number, state)
            met[outcomes] = met.get(outcomes, 0) + weight
        shares = sum(len(outcomes.branches) for outcomes in met) * len(space.slots)
        space.steps.add_fractions(shares, total.bit_length())
        sales: dict[tuple[int, Fraction], Fraction] = {}
        unsold = Fraction(0)
        for outcomes, weight in met.items():
            for branch in outcomes.branches:
                chance = branch.chance * Fraction(weight, total)
                if branch.slot < 0:
                    unsold += chance
                    continue
                group = space.group_of(branch.slot)
                for seat in group:
                    sale = seat, branch.price * space.unit
                    sales[sale] = sales.get(sale, Fraction(0)) + chance / len(group)
        yield ItemLaw(dict(sorted(sales.items())), unsold)


def _law_of_total(
    space: StateSpace, seat: int | None, gain: Callable[[int, Fraction], Fraction]
) -> dict[Fraction, Fraction]:
    """Return the law of a sum over items, by a polynomial whose powers are the sums."""
    gains = [
        {price: gain(number, price * space.unit) for levels in by_cut for price in levels}
        for number, by_cut in enumerate(space.prices)
    ]
    least = [min([Fraction(0), *of_item.values()]) for of_item in gains]
    most = [max([Fraction(0), *of_item.values()]) for of_item in gains]
    unit = _common_unit([g for of_item in gains for g in of_item.values()])
    count = int((sum(most, Fraction(0)) - sum(least, Fraction(0))) / unit) + 1
    if count > MAX_TOTALS:
        fix = "give amounts that are multiples of a larger unit"
        raise LimitError("items", count, f"have more than {MAX_TOTALS:,} totals", fix)
    powers = [
        {price: int((g - lowest) / unit) for price, g in of_item.items()}
        for of_item, lowest in zip(gains, least, strict=True)
    ]
    idle = [int(-lowest / unit) for lowest in least]

    def power(number: int, slot: int, price: int) -> int:
        counts = slot >= 0 and (seat is None or space.slots[slot] == seat)
        return powers[number][price] if counts else idle[number]

    *_, (_, total) = space.run()
    width = total.bit_length() + 1
    *_, (weights, _) = space.run(power, width)
    packed, mask = sum(weights.values()), (1 << width) - 1
    lowest = sum(least, Fraction(0))
    law: dict[Fraction, Fraction] = {}
    for place in range(count):
        weight = packed >> (place * width) & mask
        if weight:
            law[lowest + place * unit] = Fraction(weight, total)
    return law


def _common_unit(amounts: Sequence[Fraction]) -> Fraction:
    """Return the largest amount of which all are multiples, 1 if all are 0."""
    unit = Fraction(0)
    for amount in amounts:
        bottom = unit.denominator * amount.denominator
        unit = Fraction(gcd(int(unit * bottom), int(amount * bottom)), bottom)
    return unit or Fraction(1)


def _decimal(amount: Fraction, places: int = 2) -> str:
    """Write a number with two places, rounded; exact numbers are in the attributes."""
    scaled = round(amount * 10**places)
    whole, rest = divmod(abs(scaled), 10**places)
    return f"{'-' if scaled < 0 else ''}{whole}.{rest:0{places}}"
