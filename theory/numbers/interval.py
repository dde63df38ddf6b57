"""Closed intervals with rational ends."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from theory.errors import InvalidInputError
from theory.shared.arguments import refusing

__all__ = ["Interval"]


@refusing
@dataclass(frozen=True, slots=True)
class Interval:
    """The set of reals x with ``lower <= x <= upper``."""

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise InvalidInputError(
                "Interval", (self.lower, self.upper), "is empty", "give lower <= upper"
            )

    @property
    def width(self) -> Fraction:
        """Length of the interval."""
        return self.upper - self.lower

    def __contains__(self, value: Fraction | int) -> bool:
        return self.lower <= value <= self.upper

    def overlaps(self, other: Interval) -> bool:
        """Whether the two intervals have a point in common."""
        return self.lower <= other.upper and other.lower <= self.upper

    def decimals(self, digits: int = 20) -> tuple[str, str]:
        """Return both ends as decimals with ``digits`` places, rounded outwards."""
        unit = 10**digits
        low = self.lower.numerator * unit // self.lower.denominator
        high = -(-self.upper.numerator * unit // self.upper.denominator)
        return _decimal(low, digits), _decimal(high, digits)

    def __str__(self) -> str:
        low, high = self.decimals(10)
        return f"[{low}, {high}]"


def _decimal(scaled: int, digits: int) -> str:
    sign, (whole, rest) = "-" if scaled < 0 else "", divmod(abs(scaled), 10**digits)
    return f"{sign}{whole}.{rest:0{digits}d}" if digits else f"{sign}{whole}"
