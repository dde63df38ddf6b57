"""What a seller has to sell."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from llm_adapters.players._arguments import read_text
from llm_adapters.players._quoting import money
from mechanisms.amounts import is_float, read
from mechanisms.ledger import Amount
from theory.errors import InvalidInputError

__all__ = ["Document"]


@dataclass(frozen=True)
class Document:
    """A text, and the bounds of its price.

    Attributes
    ----------
    name : str
        Under which it is offered. Names are taken once for all sellers of a market, so begin it
        with the seller's.
    text : str
        What the buyer gets.
    reserve, ceiling : number
        The least and the most that may be asked for it; at least 0. Where one of them is a float
        its prices are floats, else fractions.

    Raises
    ------
    InvalidInputError, NumberError, ExactnessError
        For other kinds, a negative reserve, and a ceiling below it.

    Examples
    --------
    >>> report = Document("mill: report", "Rice is unhealthy.", reserve=1, ceiling="5/2")
    >>> print(report.ceiling)
    5/2
    """

    name: str
    text: str
    reserve: Any
    ceiling: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", read_text("name", self.name))
        object.__setattr__(self, "text", read_text("text", self.text))
        floats = is_float(self.reserve) or is_float(self.ceiling)
        least = read(self.reserve, "reserve", floats=floats)
        most = read(self.ceiling, "ceiling", floats=floats)
        if least < 0:
            fix = "give a number of at least 0"
            raise InvalidInputError("reserve", self.reserve, "is negative", fix)
        if most < least:
            fix = f"give at least {money(least)}"
            raise InvalidInputError("ceiling", self.ceiling, "is below the reserve", fix)
        object.__setattr__(self, "reserve", float(least) if floats else least)
        object.__setattr__(self, "ceiling", float(most) if floats else most)

    def price(self, named: Fraction) -> Amount | None:
        """Return a price that was named as one of this document's; None where it is out of bounds.

        A bound is shown rounded, so what it was shown as stands for it.
        """
        for bound in (self.reserve, self.ceiling):
            if money(named) == money(bound).removeprefix("about "):
                kept: Amount = bound
                return kept
        price: Amount = float(named) if isinstance(self.reserve, float) else named
        return price if self.reserve <= price <= self.ceiling else None
