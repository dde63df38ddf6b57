"""The price of what a move newly reveals: item by item, or by a function that is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from mechanisms.ledger import Amount
from mechanisms.marginal_value._errors import PricingError
from mechanisms.marginal_value._record import in_braces
from mechanisms.participants import blame, describe_object
from theory.errors import InvalidInputError, NumberError
from theory.marginal_value import Prices
from theory.numbers import Exact, Floats

__all__ = ["PriceFunction", "Pricing", "pricing"]

PriceFunction = Callable[[frozenset[str]], object]
Pricing = Callable[[Collection[str]], Amount]


def pricing(
    prices: Mapping[str, object] | PriceFunction, items: Collection[str], like: Exact | Floats
) -> Pricing:
    """Return what gives the price of some items, infinity included, as numbers like ``like``.

    Prices by item are read now, and add. A function is asked when a price is needed.

    Raises
    ------
    InvalidInputError, UnknownNameError, NumberError
        For items without a price, prices without an item, and what is no price.
    """
    if callable(prices):
        return lambda new: _ask_price(prices, new, like)
    if not isinstance(prices, Mapping):
        raise InvalidInputError("prices", prices, "are none", "give a price for each item, by name")
    Prices.by_item(prices, tuple(items), like)  # one for each item and no other
    each = {name: _read(prices[name], name, like) for name in items}
    return lambda new: sum(each[name] for name in new)


def _ask_price(price: PriceFunction, new: Collection[str], like: Exact | Floats) -> Amount:
    """Return what a function says that some items cost."""
    who, what = "the price function", in_braces(new)
    with blame(PricingError, who, f"when asked for the price of {what}", "return a number, or inf"):
        answer = price(frozenset(new))
    try:
        return _read(answer, what, like)
    except InvalidInputError as error:
        raise PricingError(who, f"gives no price of {what}", describe_object(error, str)) from error


def _read(price: object, name: str, like: Exact | Floats) -> Amount:
    """Read one price."""
    read = Prices.by_item({name: price}, (name,), like)
    if not isinstance(read.amounts, Exact | Floats):
        raise NumberError(f"price of {name}", price, "cannot be paid", "give a rational or a float")
    found: Amount = read.price(1)
    return found
