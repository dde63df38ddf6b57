"""Numbers as readers write them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from theory.numbers import ClosedForm

__all__ = ["count_text", "decimal_text", "integer_text", "number_text", "short_text"]

_PLACES: Final = 10**6
_SHORT: Final = 40
"""How many characters a number takes in a message."""


def number_text(value: Any) -> str:
    """Write a number for a table; one with more digits than Python writes is rounded."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, ClosedForm) and value.as_rational() is None:
        return f"{value} ≈ {float(value):.6g}"
    try:
        return str(value)
    except ValueError:
        return _round_text(value)


def decimal_text(value: Fraction) -> str:
    """Write a number as a decimal where it is one of six places, and as a fraction otherwise.

    Examples
    --------
    >>> decimal_text(Fraction(5, 2)), decimal_text(Fraction(-1, 200)), decimal_text(Fraction(1, 3))
    ('2.5', '-0.005', '1/3')
    """
    millions = value * _PLACES
    if value.denominator == 1 or millions.denominator > 1:
        return number_text(value)
    whole, rest = divmod(abs(millions.numerator), _PLACES)
    sign = "-" if value < 0 else ""
    return f"{sign}{integer_text(whole)}.{rest:06}".rstrip("0")


def short_text(value: Any) -> str:
    """Write a number for a message; one that takes much room is rounded."""
    if isinstance(value, int | Fraction):  # to write many digits takes long
        bits = max(value.numerator.bit_length(), value.denominator.bit_length())
        if bits > 4 * _SHORT:
            return _round_text(value)
    text = number_text(value)
    return text if len(text) <= _SHORT else _round_text(value)


def _round_text(value: Any) -> str:
    try:
        return f"about {float(value):.6g}"
    except OverflowError:
        whole = int(value)
        return f"minus {count_text(-whole)}" if whole < 0 else count_text(whole)


def integer_text(value: int) -> str:
    """Write an integer in full, or rounded where Python would not write so many digits."""
    try:
        return str(value)
    except ValueError:
        return count_text(value) if value > 0 else f"minus {count_text(-value)}"


def count_text(count: int) -> str:
    """Write a count of any size so that it can be read.

    Examples
    --------
    >>> count_text(1234567), count_text(10**5000)
    ('1,234,567', 'about 1.00e5000')
    """
    if count < 10**15:
        return f"{count:,}"
    digits = int((count.bit_length() - 1) * 0.30102999566398120)
    digits += count >= 10 ** (digits + 1)
    hundredths = (count // 10 ** (digits - 3) + 5) // 10
    if hundredths == 1000:
        hundredths, digits = 100, digits + 1
    return f"about {hundredths / 100:.2f}e{digits}"
