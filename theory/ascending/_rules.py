"""Bidders that follow a rule: they raise by the least amount, up to a limit, or withdraw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from theory.ascending._items import Item
from theory.errors import InvalidInputError, NumberError
from theory.numbers.reading import rational
from theory.shared.arguments import read_count, read_tuple, refusing

__all__ = ["BidRule", "EstimateRule", "LimitRule", "PrivateValues"]


@runtime_checkable
class BidRule(Protocol):
    """A bidder that bids the least allowed amount while its rule and its budget permit it.

    Two bidders whose rules are equal are treated alike.
    """

    @property
    def bids(self) -> int | None:
        """How many bids it makes on an item at most; None for any number."""

    def ceiling(self, position: int, item: Item) -> tuple[Fraction | None, bool]:
        """Return the most it bids on the item at a position, and whether it stays below that."""
        ...


@refusing
@dataclass(frozen=True)
class LimitRule:
    """Bids the least allowed amount at most ``limit`` times on each item.

    It looks at no estimate. ``limit=None`` is for any number of bids: only the budget ends them.
    Source: arena, section 4.1, "rule bidder"; the authors' code has ``limit=4``.
    """

    limit: int | None = 4

    def __post_init__(self) -> None:
        if self.limit is not None:
            object.__setattr__(self, "limit", read_count("limit", self.limit))

    @property
    def bids(self) -> int | None:
        """How many bids it makes on an item at most."""
        return self.limit

    def ceiling(self, position: int, item: Item) -> tuple[Fraction | None, bool]:
        """Return that there is no ceiling."""
        del position, item
        return None, False


@refusing
@dataclass(frozen=True)
class EstimateRule:
    """Bids the least allowed amount b while b <= (1 + over) v, or < with ``strict``.

    v is the true value of the item, so ``over`` is the common relative error of the estimates.
    """

    over: Any = Fraction(0)
    strict: bool = False

    def __post_init__(self) -> None:
        over = rational(self.over, "over")
        if over < -1:
            raise NumberError("over", self.over, "makes estimates negative", "give at least -1")
        object.__setattr__(self, "over", over)

    @property
    def bids(self) -> int | None:
        """Return that the number of bids has no limit."""
        return None

    def ceiling(self, position: int, item: Item) -> tuple[Fraction | None, bool]:
        """Return the estimate."""
        del position
        return (1 + self.over) * item.value, self.strict


@refusing
@dataclass(frozen=True)
class PrivateValues:
    """Bids the least allowed amount while it is at most one's own value of the item.

    ``values`` are by position in the sequence of items.
    """

    values: Sequence[Any]
    strict: bool = False

    def __post_init__(self) -> None:
        given = read_tuple("values", self.values, "give one amount an item")
        object.__setattr__(self, "values", tuple(rational(v, "values") for v in given))

    @property
    def bids(self) -> int | None:
        """Return that the number of bids has no limit."""
        return None

    def ceiling(self, position: int, item: Item) -> tuple[Fraction | None, bool]:
        """Return the value at this position."""
        if position >= len(self.values):
            fix = f"give a value for {item.name}, too"
            raise InvalidInputError("values", self.values, "is shorter than the items", fix)
        value: Fraction = self.values[position]
        return value, self.strict
