"""Many auctions at once, among bidders that follow rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm, sqrt
from typing import Any, Final

import numpy as np

from mechanisms.ascending._items import Item, read_items
from mechanisms.ascending._kernels import (
    FIRST,
    LAST,
    POORER,
    REDRAWN,
    RICHER,
    UNIFORM,
    sell,
    sell_in_arrays,
)
from theory.ascending import BidRule, read_setting
from theory.errors import LimitError, UnknownNameError, nearest
from theory.shared.arguments import read_count, read_generator, read_tuple, refusing
from theory.shared.compiling import cheapest
from theory.shared.shapes import Float64, Int64
from theory.shared.text import number_text
from theory.verdicts import ShownAsTable, Table

__all__ = ["ManyAuctions", "run_many"]

_TIES: Final = {
    "uniform": UNIFORM,
    "redrawn": REDRAWN,
    "richer": RICHER,
    "poorer": POORER,
    "first": FIRST,
    "last": LAST,
}
MAX_SALES: Final = 2**28
"""How many sales of items are kept at most: games times items, 16 bytes each."""
_LARGEST: Final = 2**52
"""The most units that an amount may be: sums over 2,000 items stay in 64 bits."""
_WIDE: Final = 32
"""From how many games on arrays are faster than a loop in Python."""


@dataclass(frozen=True, eq=False)
class ManyAuctions(ShownAsTable):
    """Auctions of the same items among the same bidders, each with draws of its own.

    Attributes
    ----------
    items : tuple of Item
    budgets : tuple of Fraction
        By seat.
    unit : Fraction
        What amounts are counted in.
    winners : integer array [games, items]
        The seat that wins, -1 where an item is not sold. Columns are in the order of ``items``.
    prices : integer array [games, items]
        In units; 0 where an item is not sold.
    """

    items: tuple[Item, ...]
    budgets: tuple[Fraction, ...]
    unit: Fraction
    winners: Int64[np.ndarray, "games items"]
    prices: Int64[np.ndarray, "games items"]

    @property
    def games(self) -> int:
        """How many there are."""
        return len(self.winners)

    @property
    def profits(self) -> Int64[np.ndarray, "games seats"]:
        """What each seat earns in each game, in units: values less prices of what it wins."""
        values = np.array([int(item.value / self.unit) for item in self.items])
        gains = np.where(self.winners >= 0, values - self.prices, 0)
        seats = range(len(self.budgets))
        return np.stack([(gains * (self.winners == seat)).sum(1) for seat in seats], axis=1)

    @property
    def mean_profits(self) -> tuple[Fraction, ...]:
        """The mean profit of each seat, exactly."""
        return tuple(self.unit * _sum(column) / self.games for column in self.profits.T)

    @property
    def standard_errors(self) -> Float64[np.ndarray, " seats"]:
        """The standard error of each mean; NaN for one game."""
        if self.games < 2:
            return np.full(len(self.budgets), np.nan)
        deviations: Float64[np.ndarray, " seats"] = self.profits.std(0, ddof=1)
        return deviations * float(self.unit) / sqrt(self.games)

    @property
    def revenue(self) -> Fraction:
        """The mean sum of prices."""
        return self.unit * _sum(self.prices) / self.games

    def table(self) -> Table:
        """Return the means, a row a seat."""
        errors = self.standard_errors
        rows = tuple(
            (
                str(seat),
                number_text(self.budgets[seat]),
                f"{float(self.mean_profits[seat]):.2f}",
                f"{errors[seat]:.2f}",
                f"{(self.winners == seat).sum() / self.games:.4f}",
            )
            for seat in range(len(self.budgets))
        )
        unsold = (self.winners < 0).sum() / self.games
        return Table(
            caption=(
                f"{self.games:,} games of {len(self.items)} items: mean revenue "
                f"{float(self.revenue):.2f}, {unsold:.4f} unsold"
            ),
            columns=("seat", "budget", "mean profit", "standard error", "items won"),
            rows=rows,
        )


@refusing
def run_many(
    items: Iterable[Item],
    rules: Sequence[BidRule],
    budgets: Any,
    games: int,
    *,
    rng: np.random.Generator,
    ties: str = "uniform",
    increment: Any = Fraction(1, 10),
    order: str = "given",
) -> ManyAuctions:
    """Run many auctions among bidders that follow rules, each with draws of its own.

    The law of each is that of :func:`theory.ascending.exact_auction`, and of the stepped
    :func:`ascending_auction`.

    Parameters
    ----------
    items : iterable of Item
    rules : sequence
        One a seat, as ``theory.ascending`` has them; a bidder has its own as ``bidder.rule``.
    budgets : number, or one a seat
    games : int
        At least 1.
    rng : numpy.random.Generator
    ties : str
        A name of :data:`theory.ascending.TIE_RULES`.
    increment : number
        As a share of the start.
    order : str
        "given", or "random": each order equally likely, for each game anew.

    Raises
    ------
    InvalidInputError, NumberError, UnknownNameError
        For arguments that make no auction.
    LimitError
        For amounts of more than 2^52 units, and more than ``MAX_SALES`` sales of items.

    Notes
    -----
    Exact in whole numbers. The result is the same, to the bit, whether it is computed by Python, by
    arrays, or compiled: that depends on the number of games and on what was compiled before.

    Examples
    --------
    >>> import numpy as np
    >>> from mechanisms.ascending import paper_items
    >>> from theory.ascending import LimitRule
    >>> many = run_many(
    ...     paper_items(), [LimitRule(4)] * 3, 60_000, 400, rng=np.random.default_rng(0)
    ... )
    >>> print(many)
    400 games of 10 items: mean revenue 45395.50, 0.0000 unsold
    seat  budget  mean profit  standard error  items won
    ────  ──────  ───────────  ──────────────  ─────────
    0     60000   4810.00      120.96          3.3300
    1     60000   4867.75      129.16          3.3075
    2     60000   4926.75      126.46          3.3625
    """
    listed = read_items(items)
    if ties not in tuple(_TIES):
        raise UnknownNameError("ties", ties, "is not known", nearest(str(ties), _TIES))
    if order not in ("given", "random"):
        fix = nearest(str(order), ("given", "random"))
        raise UnknownNameError("order", order, "is not known", fix)
    setting = read_setting(
        listed, read_tuple("rules", rules), budgets, ties=ties, increment=increment
    )
    count = read_count("games", games)
    if count * len(listed) > MAX_SALES:
        fix = f"give at most {MAX_SALES // len(listed):,}, and go on with the same generator"
        raise LimitError("games", count, f"of {len(listed):,} items are too many to keep", fix)
    seeds = read_generator(rng).integers(1, 2**62, count)
    amounts = [*setting.budgets]
    for item in setting.items:
        amounts += [item.start, item.value, item.start * setting.increment]
    unit = _common_unit(amounts)
    largest = max(int(amount / unit) for amount in amounts)
    if largest > _LARGEST:
        fix = "give amounts that are multiples of a larger unit"
        raise LimitError("items", f"{largest:,} units", "are too fine to count", fix)

    def units(numbers: Iterable[Fraction]) -> Int64[np.ndarray, " _"]:
        return np.array([int(number / unit) for number in numbers], np.int64)

    starts = units(item.start for item in setting.items)
    steps = units(item.start * setting.increment for item in setting.items)
    most = max(setting.budgets, default=Fraction(0))
    tops = [[setting.top_level(n, 0, i, most) for i in setting.seats] for n in range(len(listed))]
    ceilings = np.array(
        [
            [int(setting.price(n, 0, top) / unit) if top >= 0 else -1 for top in row]
            for n, row in enumerate(tops)
        ],
        np.int64,
    )
    limits = np.array([_LARGEST if bids is None else bids for bids, _ in setting.reach], np.int64)
    winners = np.empty((count, len(listed)), np.int64)
    prices = np.empty((count, len(listed)), np.int64)
    compute = cheapest(sell, 15 * count * len(listed) * len(setting.rules))
    if compute is sell and count >= _WIDE:
        compute = sell_in_arrays
    compute(
        starts,
        steps,
        ceilings,
        limits,
        units(setting.budgets),
        _TIES[ties],
        order == "random",
        seeds,
        winners,
        prices,
    )
    return ManyAuctions(listed, setting.budgets, unit, winners, prices)


def _sum(numbers: Int64[np.ndarray, "..."]) -> int:
    """Return the sum of up to 2^31 numbers, exactly, where 64 bits may not hold it."""
    return (int((numbers >> 32).sum()) << 32) + int((numbers & (2**32 - 1)).sum())


def _common_unit(amounts: Sequence[Fraction]) -> Fraction:
    """Return the largest amount of which all are multiples."""
    whole = lcm(*(amount.denominator for amount in amounts))
    return Fraction(gcd(*(int(amount * whole) for amount in amounts)) or 1, whole)
