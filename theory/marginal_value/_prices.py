"""Prices of what is newly revealed: item by item, or by a function of the set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import inf, isnan
from typing import Any

import numpy as np

from theory.errors import InvalidInputError, MechproofError, NumberError, UnknownNameError, nearest
from theory.marginal_value._sets import Names, bits, names_of, set_text
from theory.numbers import Exact, Floats, Numbers, as_numbers
from theory.shared.shapes import Bool, Int64

__all__ = ["PriceFunction", "Prices"]

PriceFunction = Callable[[frozenset[str]], object]


@dataclass(frozen=True, eq=False)
class Prices:
    """Prices of sets of items; where ``finite`` is false the price is infinite.

    Additive prices are held by item: ``sets`` holds the single items. Others are held by the set
    of items that is newly revealed, in ascending order of masks.
    """

    additive: bool
    items: Names
    sets: Int64[np.ndarray, " k"]
    amounts: Numbers
    """The price of each of ``sets``; 0 where it is infinite."""
    finite: Bool[np.ndarray, " k"]

    @classmethod
    def by_item(cls, prices: Mapping[str, object], items: Names, like: Numbers) -> Prices:
        """Read a price for every item."""
        for name in prices:
            if name not in items:
                raise UnknownNameError("prices", name, "is not an item", nearest(name, items))
        for name in items:
            if name not in prices:
                raise InvalidInputError(
                    "prices", list(prices), f"have none for {name!r}", 'give one, "inf" included'
                )
        single = np.array([1 << j for j in range(len(items))], dtype=np.int64)
        named = [(f"price of {name}", prices[name]) for name in items]
        return cls(True, items, single, *_read(named, like))

    @classmethod
    def by_set(
        cls, price: PriceFunction, items: Names, sets: Iterable[int], like: Numbers
    ) -> Prices:
        """Ask a function for the price of each set of newly revealed items."""
        masks = np.array(sorted({0, *sets}), dtype=np.int64)
        named = []
        for mask in masks.tolist():
            names = names_of(mask, items)
            named.append((f"price of {set_text(names)}", _ask_price(price, names)))
        amounts, finite = _read(named, like)
        if not finite[0] or amounts[:1].signs()[0] != 0:
            where, paid = named[0]
            raise NumberError(where, paid, "is not 0", "revealing nothing has to be free")
        return cls(False, items, masks, amounts, finite)

    def of_items(self, masks: Int64[np.ndarray, " n"]) -> Numbers:
        """Return the sum of the finite prices of the items of each set; additive prices only."""
        present = bits(masks, len(self.items)).T
        floats = isinstance(self.amounts, Floats)
        each: Numbers = Floats(present.astype(np.float64)) if floats else Exact(present)
        total: Numbers = (self.amounts * each).sum()
        return total

    def exact(self) -> Prices:
        """Return float64 prices as the rationals that they are, and any others as they are."""
        if not isinstance(self.amounts, Floats):
            return self
        return replace(self, amounts=self.amounts.exact())

    @cached_property
    def sizes(self) -> Prices:
        """The absolute values, in place of the prices; float64 only."""
        amounts: Any = self.amounts
        return replace(self, amounts=Floats(np.abs(amounts.values)))

    def affordable(self, new: Int64[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """Say which sets of newly revealed items have a finite price."""
        if not self.additive:
            return np.asarray(self.finite[self._places(new)])
        dear = int(self.sets[~self.finite].sum())
        return np.asarray(new & dear == 0)

    def of_sets(self, new: Int64[np.ndarray, " n"]) -> Numbers:
        """Return the price of each set of newly revealed items, 0 where it is infinite."""
        return self.of_items(new) if self.additive else self.amounts[self._places(new)]

    def price(self, new: int) -> Any:
        """Return the price of one set of newly revealed items, ``math.inf`` where it is that."""
        one = np.array([new], dtype=np.int64)
        return self.of_sets(one).scalars()[0] if self.affordable(one)[0] else inf

    def _places(self, new: Int64[np.ndarray, " n"]) -> Int64[np.ndarray, " n"]:
        return np.searchsorted(self.sets, new)


def _ask_price(price: PriceFunction, names: Names) -> object:
    try:
        return price(frozenset(names))
    except MechproofError:
        raise
    except Exception as error:
        raise InvalidInputError(
            f"price of {set_text(names)}",
            error,
            "could not be computed",
            "give a function that knows all that can be revealed",
        ) from error


def _read(named: list[tuple[str, object]], like: Numbers) -> tuple[Numbers, Bool[np.ndarray, " k"]]:
    """Return prices as numbers that go with ``like``, and which of them are finite."""
    finite = np.array([not _is_infinite(price, name) for name, price in named], dtype=bool)
    floats = isinstance(like, Floats)
    amounts = [
        _number(price, name, floats=floats) if keep else (0.0 if floats else 0)
        for (name, price), keep in zip(named, finite.tolist(), strict=True)
    ]
    return (Floats.of(amounts, "prices") if floats else as_numbers(amounts, "prices")), finite


def _is_infinite(price: Any, argument: str) -> bool:
    """Whether a price is plus infinity; minus infinity and NaN raise."""
    if isinstance(price, str) and price.strip().lower() in ("inf", "+inf", "infinity"):
        return True
    if isinstance(price, Decimal) and not price.is_finite():
        price = float(price)
    if not isinstance(price, float | np.floating):
        return False
    if isnan(price) or price == -inf:
        raise NumberError(argument, price, "is no price", "give a number, or inf")
    return bool(price == inf)


def _number(price: Any, argument: str, *, floats: bool) -> Any:
    if not floats and type(price) in (int, Fraction):
        return price
    numbers = as_numbers(price, argument)
    if not floats and isinstance(numbers, Floats):
        raise NumberError(
            argument, price, "is a float beside exact utilities", 'write it exactly, such as "1/4"'
        )
    if floats and not isinstance(numbers, Floats):
        exact: Any = numbers.item()
        if not isinstance(numbers, Exact) or exact.denominator != 1:
            raise NumberError(
                argument, price, "is exact beside float64 utilities", "write one kind of number"
            )
        return float(exact)
    return numbers.item()
