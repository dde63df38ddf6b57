"""Two items sold by ascending clocks to two bidders whose budgets are known to both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from theory.errors import InvalidInputError, NumberError, UnknownNameError, nearest
from theory.numbers.reading import rational
from theory.shared.arguments import read_tuple, refusing
from theory.shared.printable import print_safely

__all__ = ["JOINT_EXITS", "ClockSale", "clock_sale"]

JOINT_EXITS: Final = ("coin", "richer", "poorer")
"""Who gets an item that both bidders leave at the same price: a fair coin, or by their budgets."""

Point = tuple[Fraction, int]
"""A number, and whether what is meant lies just below it (-1), at it (0) or just above it (1)."""


_ABOVE, _SPENT, _RICHER = 1, 2, 3
"""In which order bidders leave that want to stay at a price: just above it, with no money to go
above it, or when the other one has none."""


@dataclass(frozen=True)
class ClockSale:
    """The outcome of the two sales.

    Attributes
    ----------
    exits : tuple of (Fraction, bool)
        For each bidder the price at which it leaves the first sale, and whether it stays at this
        price and leaves just above it.
    joint : bool
        Whether both leave the first sale at the same point.
    price : Fraction
        The price of the first item.
    revenue : Fraction
        The expected sum of both prices.
    """

    exits: tuple[tuple[Fraction, bool], tuple[Fraction, bool]]
    joint: bool
    price: Fraction
    revenue: Fraction

    @print_safely
    def __str__(self) -> str:
        left = " and ".join(f"{'just above ' if later else ''}{at}" for at, later in self.exits)
        return f"exits at {left}, first price {self.price}, revenue {self.revenue}"


@refusing
def clock_sale(values: Sequence[Any], budgets: Sequence[Any], ties: str = "coin") -> ClockSale:
    """Return what selling two items of common value by ascending clocks earns.

    A clock rises from 0. Each of two bidders leaves when it wants to, and has to when its budget is
    reached; the other one pays the price at which the clock then stands. Values and budgets are
    known to both. The second item ends where one of them is at its value or its budget. In the
    first sale, let W_i(p) be what bidder i earns in all if it wins at p, and L_i(p) what it earns
    if the other one does: W_i falls and L_i does not, so i wants to stay while W_i(p) > L_i(p).
    Of the two the one that stays longer wins, at the price where the other one leaves.

    Parameters
    ----------
    values : two numbers
        What the first item and the second are worth, to either bidder.
    budgets : two numbers
        What each bidder may spend on both.
    ties : {"coin", "richer", "poorer"}
        Who gets an item that both leave at the same point; equal budgets need a coin.

    Raises
    ------
    InvalidInputError, NumberError, UnknownNameError
        For other arguments.

    Notes
    -----
    The one that leaves first loses nothing by staying on up to the other's exit, to make it pay
    more. The revenue stays the same where the second price is what the winner has left.
    Source: Benoit and Krishna (2001), section 3.

    Examples
    --------
    >>> print(clock_sale([4, 2], [3, 2]))
    exits at 2 and just above 2, first price 2, revenue 2
    >>> print(clock_sale([2, 4], [3, 2]))
    exits at 1 and 1, first price 1, revenue 5/2
    """
    first, second = _two("values", values)
    purses = _two("budgets", budgets)
    if ties not in JOINT_EXITS:
        raise UnknownNameError("ties", ties, "is not known", nearest(ties, JOINT_EXITS))
    return _Sale(first, second, purses, ties).run()


def _two(argument: str, given: Any) -> tuple[Fraction, Fraction]:
    numbers = tuple(rational(n, argument) for n in read_tuple(argument, given, "give two numbers"))
    if len(numbers) != 2:
        raise InvalidInputError(argument, given, f"has {len(numbers)} entries", "give two numbers")
    if min(numbers) < 0:
        raise NumberError(argument, given, "is negative", "give numbers of at least 0")
    return numbers[0], numbers[1]


@dataclass(frozen=True)
class _Sale:
    first: Fraction
    second: Fraction
    budgets: tuple[Fraction, Fraction]
    ties: str

    def run(self) -> ClockSale:
        exits = self._exit(0), self._exit(1)
        joint = exits[0] == exits[1]
        at, order = min(exits)
        price = at, int(order == _ABOVE)
        chance = self._chance(*((b, 0) for b in self.budgets)) if joint else exits[0] > exits[1]
        revenue = Fraction(0)
        for winner, weight in ((0, Fraction(chance)), (1, 1 - Fraction(chance))):
            if weight:
                _, last = self._last(winner, price)
                revenue += weight * (price[0] + last)
        shown = tuple((at, order > 0) for at, order in exits)
        return ClockSale((shown[0], shown[1]), joint, price[0], revenue)

    def _chance(self, mine: Point, other: Point) -> Fraction:
        """Return the chance that a bidder with a budget gets what both leave at the same point."""
        if self.ties == "coin" or mine == other:
            return Fraction(1, 2)
        return Fraction((mine > other) == (self.ties == "richer"))

    def _last(self, winner: int, price: Point) -> tuple[tuple[Fraction, Fraction], Fraction]:
        """Return the profits from the second item, and its price, after a first sale."""
        left: list[Point] = [(budget, 0) for budget in self.budgets]
        left[winner] = (left[winner][0] - price[0], -price[1])
        stay = [min((self.second, 0), amount) for amount in left]
        last = min(stay)[0]
        chance = Fraction(stay[0] > stay[1])
        if stay[0] == stay[1]:
            chance = self._chance(*left)
        surplus = self.second - last
        return (chance * surplus, (1 - chance) * surplus), last

    def _gain(self, bidder: int, price: Point) -> Fraction:
        """Return what winning at a price earns more than losing at it."""
        won, _ = self._last(bidder, price)
        lost, _ = self._last(1 - bidder, price)
        return self.first - price[0] + won[bidder] - lost[bidder]

    def _exit(self, bidder: int) -> Point:
        """Return the first point at which winning earns no more than losing, or money ends.

        Where money ends, the poorer bidder leaves before the richer one, and at this price; so do
        both where they have the same.

        The gain is linear between the prices where the order of what is left to spend changes.
        """
        mine, other = self.budgets[bidder], self.budgets[1 - bidder]
        end = min(mine, other)
        turns = {Fraction(0), end}
        amounts = (mine - other, other - mine, mine - self.second, other - self.second)
        turns.update(turn for turn in amounts if 0 < turn < end)
        corners = sorted(turns)
        for number, turn in enumerate(corners):
            if self._gain(bidder, (turn, 0)) <= 0:
                return turn, 0
            if turn == end:
                break
            above = self._gain(bidder, (turn, 1))
            if above <= 0:
                return turn, _ABOVE
            following = corners[number + 1]
            slope = (self._gain(bidder, (following, -1)) - above) / (following - turn)
            if above + slope * (following - turn) <= 0:
                return turn - above / slope, 0
        return end, _RICHER if mine > other else _SPENT
