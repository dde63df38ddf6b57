"""Reading the arguments of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from llm_adapters.session._usage import Prices
from llm_adapters.session.request import Call
from theory.errors import InvalidInputError

__all__ = ["calls_of", "read_instance", "read_prices"]

T = TypeVar("T")


def read_instance(name: str, value: T | None, kind: type[T]) -> T:
    """Return an object of a kind, a default one for None."""
    if value is not None and not isinstance(value, kind):
        raise InvalidInputError(name, value, "is of another kind", f"give {kind.__name__}(...)")
    return kind() if value is None else value


def read_prices(prices: Any) -> dict[str, Prices]:
    """Return prices by model, as a dict of their own."""
    fix = "give a dict from names of models to Prices(input, output)"
    if prices is not None and not isinstance(prices, Mapping):
        raise InvalidInputError("prices", prices, "are not a mapping", fix)
    for model, price in (prices or {}).items():
        if not isinstance(model, str) or not isinstance(price, Prices):
            raise InvalidInputError("prices", {model: price}, "are not prices of a model", fix)
    return dict(prices or {})


def calls_of(calls: Any) -> list[Call]:
    """Return calls as a list of their own."""
    fix = "give a list of Call"
    if not isinstance(calls, Sequence):
        raise InvalidInputError("calls", calls, "are not a sequence", fix)
    for call in calls:
        if not isinstance(call, Call):
            raise InvalidInputError("calls", call, "hold something that is not a Call", fix)
    return list(calls)
