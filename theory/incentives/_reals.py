"""Real types without bounds on one side or both."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError
from theory.incentives._reading import is_number
from theory.numbers import rational

__all__ = ["Reals"]

_SPREAD: Final = 8
"""Where there is no bound, searches begin within this distance of the other bound, or of 0."""


class Reals:
    """All real numbers, or those from ``low`` up, down from ``high``, or between the two.

    A proof (:func:`prove_mechanism`) is about all of them. A search tries small integers, and draws
    from a law with heavy tails.

    Parameters
    ----------
    low, high : number, optional
        Bounds that belong to the space, exact; no bound where left out.

    Raises
    ------
    ExactnessError, NumberError
        For a bound that is a float, or no number.
    InvalidInputError
        Where ``low`` is above ``high``.

    Examples
    --------
    >>> Reals(low=0).grid(3)
    (Fraction(0, 1), Fraction(1, 1), Fraction(2, 1), Fraction(3, 1))
    >>> -5 in Reals(), -5 in Reals(low=0)
    (True, False)
    """

    members: tuple[Any, ...] | None = None

    def __init__(self, low: Any = None, high: Any = None) -> None:
        self.low = None if low is None else rational(low, "low")
        self.high = None if high is None else rational(high, "high")
        if self.low is not None and self.high is not None and self.low > self.high:
            problem = f"is above high, {self.high}"
            raise InvalidInputError("low", str(self.low), problem, "swap them")

    @property
    def near(self) -> tuple[Fraction, Fraction]:
        """The ends of the interval where searches begin: the bounds, where there are two."""
        if self.low is not None:
            return self.low, self.low + 2 * _SPREAD if self.high is None else self.high
        if self.high is not None:
            return self.high - 2 * _SPREAD, self.high
        return Fraction(-_SPREAD), Fraction(_SPREAD)

    def grid(self, steps: int) -> tuple[Any, ...]:
        """Return whole steps from the bound, or from 0 to both sides; with two bounds a lattice."""
        if self.low is not None and self.high is not None:
            sides = range(steps + 1) if self.low < self.high else range(1)
            return tuple(self.low + (self.high - self.low) * Fraction(k, steps) for k in sides)
        if self.low is not None:
            return tuple(self.low + k for k in range(steps + 1))
        if self.high is not None:
            return tuple(self.high - k for k in range(steps + 1))
        return tuple(Fraction(k) for k in range(-(steps // 2), (steps + 1) // 2 + 1))

    def draw(self, generator: np.random.Generator) -> Any:
        """Return a type: uniform between two bounds, else of a size drawn first."""
        low, high = self.near
        part = Fraction(float(generator.random()))
        if self.low is not None and self.high is not None:
            return low + (high - low) * part
        size = Fraction(2) ** int(generator.integers(-3, 8))
        if self.low is None and self.high is None:
            return size * (2 * part - 1)
        return high - size * part if self.low is None else low + size * part

    def round(self, value: Any, denominator: int) -> Any:
        """Return the nearest type with a denominator of at most ``denominator``, or a bound."""
        return self.clip(Fraction(value).limit_denominator(denominator))

    def clip(self, value: Fraction) -> Fraction:
        """Return the nearest number of the space."""
        if self.low is not None and value < self.low:
            return self.low
        return self.high if self.high is not None and value > self.high else value

    def __contains__(self, value: object) -> bool:
        if not is_number(value):
            return False
        number: Any = value
        return bool(
            (self.low is None or number >= self.low) and (self.high is None or number <= self.high)
        )

    def __repr__(self) -> str:
        if self.low is None and self.high is None:
            return "ℝ"
        left = "(−∞" if self.low is None else f"[{self.low}"
        return f"{left}, {'∞)' if self.high is None else f'{self.high}]'}"
