"""Which texts can still become a number within bounds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Final

__all__ = ["Numeral"]

_PLACES: Final = 4
_DIGITS: Final = 15
_BEGUN: Final = re.compile(r"(-?)(?:(0|[1-9][0-9]*)(?:(\.)([0-9]*))?)?")


@dataclass(frozen=True)
class Numeral:
    """The plain decimals of JSON, without exponents, from one number to another.

    Attributes
    ----------
    least, most : int
        In units of 10^-places.
    places : int
        The most digits after the point; 0 for integers.

    Examples
    --------
    >>> chance = Numeral.within(Fraction(0), Fraction(1), exclusive=(False, False), whole=False)
    >>> [text for text in ("0", "0.25", "1.0", "1.1", "-0.1", "01", ".5") if chance.fits(text)]
    ['0', '0.25', '1.0']
    >>> [text for text in ("0.", "1.", "1.0", "2", "-", "") if chance.begins(text)]
    ['0.', '1.', '1.0', '']
    """

    least: int
    most: int
    places: int

    @classmethod
    def within(
        cls,
        low: Fraction | None,
        high: Fraction | None,
        *,
        exclusive: tuple[bool, bool],
        whole: bool,
    ) -> Numeral:
        """Return the numbers between bounds, of at most 15 digits in all.

        Four of them may stand after the point; more where a bound has more, and fewer where the
        numbers are so great that there would be too many digits.
        """
        inside = (low is None or low <= 0) and (high is None or high >= 0)
        nearest = 0 if inside else min(abs(x) for x in (low, high) if x is not None)
        nearest = min(nearest, 10**_DIGITS)
        given = [_decimals(x) for x in (low, high) if x is not None]
        room = max(0, _DIGITS - len(str(floor(nearest))))
        places = 0 if whole else min(max([_PLACES, *given]), room)
        unit, edge = 10**places, 10**_DIGITS - 1
        least, most = -edge, edge
        if low is not None:
            least = floor(low * unit) + 1 if exclusive[0] else ceil(low * unit)
        if high is not None:
            most = ceil(high * unit) - 1 if exclusive[1] else floor(high * unit)
        return cls(max(least, -edge), min(most, edge), places)

    @property
    def empty(self) -> bool:
        """Whether there is no such number."""
        return self.least > self.most

    @property
    def longest(self) -> int:
        """The most characters of one of them."""
        whole = max(abs(self.least), abs(self.most)) // 10**self.places
        return len(str(whole)) + (self.least < 0) + (self.places + 1 if self.places else 0)

    @property
    def openings(self) -> tuple[str, ...]:
        """The characters that one of them begins with."""
        return tuple(c for c in "-0123456789" if self.begins(c))

    def fits(self, text: str) -> bool:
        """Return whether a text is one of them; zero has no sign."""
        read = _BEGUN.fullmatch(text)
        if read is None or not read[2] or (read[3] and not read[4]):
            return False
        digits = read[4] or ""
        if len(digits) > self.places:
            return False
        size = int(read[2] + digits.ljust(self.places, "0"))
        low, high = self._sizes(read[1])
        return low <= size <= high

    def begins(self, text: str) -> bool:
        """Return whether one of them begins with a text, or is it."""
        read = _BEGUN.fullmatch(text)
        if read is None:
            return False
        low, high = self._sizes(read[1])
        if not text:
            return not self.empty
        if not read[2]:
            return low <= high
        if read[3]:
            digits = read[4]
            if not self.places or len(digits) > self.places:
                return False
            return _meets(int(read[2] + digits), 10 ** (self.places - len(digits)), low, high)
        most = 0 if read[2] == "0" else len(str(max(high, 0)))
        steps = (10 ** (self.places + more) for more in range(most + 1))
        return any(_meets(int(read[2]), step, low, high) for step in steps)

    def _sizes(self, sign: str) -> tuple[int, int]:
        """Return from where to where those with a sign, or without, go."""
        return (max(1, -self.most), -self.least) if sign else (max(0, self.least), self.most)


def _meets(digits: int, step: int, low: int, high: int) -> bool:
    """Return whether something from digits * step to before (digits + 1) * step is in bounds."""
    return digits * step <= high and low < (digits + 1) * step and low <= high


def _decimals(number: Fraction) -> int:
    """Return how many digits a decimal has after the point."""
    for places in range(_DIGITS):
        if (number * 10**places).denominator == 1:
            return places
    return _DIGITS
