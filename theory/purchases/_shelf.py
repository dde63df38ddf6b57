"""Passages on sale: prices, what they state, and what that is worth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from theory.errors import InvalidInputError, ShapeError
from theory.numbers import rational
from theory.shared.arguments import read_tuple, refusing

__all__ = ["Shelf", "read_shelf"]


@dataclass(frozen=True)
class Shelf:
    """Passages with prices, what they state with which probability, and what that is worth.

    Attributes
    ----------
    prices : tuple of Fraction
        One a passage, at least 0.
    chances : tuple of tuple of Fraction
        Row k has the probability that passage k states each fact, independently of the others.
    worths : tuple of Fraction
        What each fact is worth to the buyer, once, at least 0.
    budget : Fraction or None
        The most that may be spent.
    """

    prices: tuple[Fraction, ...]
    chances: tuple[tuple[Fraction, ...], ...]
    worths: tuple[Fraction, ...]
    budget: Fraction | None = None

    def missed(self, chosen: Iterable[int], fact: int) -> Fraction:
        """Return the probability that none of some passages states a fact."""
        return prod((1 - self.chances[place][fact] for place in chosen), start=Fraction(1))


@refusing
def read_shelf(
    prices: Iterable[object],
    chances: Iterable[Iterable[object]],
    worths: Iterable[object],
    budget: object = None,
) -> Shelf:
    """Return a shelf whose numbers were checked.

    Raises
    ------
    InvalidInputError, NumberError, ShapeError
        For negative prices, worths or budgets, for what are no probabilities, and for a row of
        ``chances`` that has not one entry a fact.
    """
    read = [_amounts("prices", prices), _amounts("worths", worths)]
    given = read_tuple("chances", chances, "give a row of probabilities a passage")
    if len(given) != len(read[0]):
        problem = f"have {len(given)} rows, for {len(read[0])} passages"
        raise ShapeError("chances", chances, problem, "give a row a passage")
    rows = []
    for place, row in enumerate(given):
        name = f"chances[{place}]"
        numbers = _amounts(name, row)
        if len(numbers) != len(read[1]):
            problem = f"has {len(numbers)} entries, for {len(read[1])} facts"
            raise ShapeError(name, row, problem, "give one a fact")
        if any(number > 1 for number in numbers):
            raise InvalidInputError(name, row, "is above 1", "give probabilities")
        rows.append(numbers)
    limit = None if budget is None else _amounts("budget", (budget,))[0]
    return Shelf(read[0], tuple(rows), read[1], limit)


def _amounts(name: str, given: Any) -> tuple[Fraction, ...]:
    numbers = read_tuple(name, given, "give a list of numbers")
    read = tuple(Fraction(rational(number, name)) for number in numbers)
    if any(number < 0 for number in read):
        raise InvalidInputError(name, given, "is negative", "give at least 0")
    return read
