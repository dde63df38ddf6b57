"""Items that are sold one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from theory.errors import NumberError
from theory.numbers.reading import rational
from theory.shared.arguments import refusing

__all__ = ["ForSale", "Item"]


@refusing
@dataclass(frozen=True)
class Item:
    """An item: its name, its starting price, and its true value, which is common to all bidders.

    Numbers are read exactly: integers, fractions and decimals in text.

    Raises
    ------
    NumberError
        For a start that is not positive, and a negative value.

    Examples
    --------
    >>> Item("Vase", 1000, 2000)
    Item(name='Vase', start=Fraction(1000, 1), value=Fraction(2000, 1))
    """

    name: str
    start: Any
    value: Any

    def __post_init__(self) -> None:
        start, value = rational(self.start, "start"), rational(self.value, "value")
        if start <= 0:
            raise NumberError("start", self.start, "is not positive", "give a price above 0")
        if value < 0:
            raise NumberError("value", self.value, "is negative", "give a number of at least 0")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "value", value)


@runtime_checkable
class ForSale(Protocol):
    """Anything with a name, a starting price and a value."""

    @property
    def name(self) -> Any:
        """Its name."""

    @property
    def start(self) -> Any:
        """The least price."""

    @property
    def value(self) -> Any:
        """Its true value."""
