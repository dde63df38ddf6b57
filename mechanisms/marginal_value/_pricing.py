"""The price of what a move newly reveals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf

from mechanisms.ledger import Amount
from theory.errors import InvalidInputError, NumberError
from theory.marginal_value import Prices
from theory.numbers import Exact, Floats

__all__ = ["PriceFunction", "prices_by_item", "read_price"]

PriceFunction = Callable[[frozenset[str]], object]
"""Is asked for the price of some items."""


def prices_by_item(
    prices: Mapping[str, object], items: tuple[str, ...], like: Exact | Floats
) -> dict[str, Amount]:
    """Return the price of each item, infinity included, as numbers like ``like``.

    Raises
    ------
    InvalidInputError, UnknownNameError, NumberError
        For items without a price, prices without an item, and what is no price.
    """
    if not isinstance(prices, Mapping):
        raise InvalidInputError("prices", prices, "are none", "give a price for each item, by name")
    read = Prices.by_item(prices, items, like)  # one for each item and no other
    if not isinstance(read.amounts, Exact | Floats):  # the first that cannot be paid is named
        return {name: read_price(prices[name], name, like) for name in items}
    amounts = zip(items, read.amounts.scalars(), read.finite.tolist(), strict=True)
    return {name: amount if finite else inf for name, amount, finite in amounts}


def read_price(price: object, name: str, like: Exact | Floats) -> Amount:
    """Return one price as a number like ``like``; infinity is one.

    Raises
    ------
    InvalidInputError
        For what is no price, or cannot be paid.
    """
    read = Prices.by_item({name: price}, (name,), like)
    if not isinstance(read.amounts, Exact | Floats):
        raise NumberError(f"price of {name}", price, "cannot be paid", "give a rational or a float")
    found: Amount = read.price(1)
    return found
