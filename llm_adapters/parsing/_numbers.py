"""How numbers are written."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing._grammar import Item
from llm_adapters.parsing._quoting import quote_around
from llm_adapters.parsing._tokens import Text
from theory.errors import NumberError
from theory.numbers import rational

__all__ = ["Ends", "amount_at", "checked_share", "ends_of", "probability_at"]

_SPACE: Final = "[ \u00a0\u202f]"
_EXPONENT: Final = r"(?:[eE][+-]?[0-9]+)?"
_PLAIN: Final = rf"(?:[0-9]+(?:\.[0-9]+)?|(?<![^\W_])\.[0-9]+){_EXPONENT}"
_GROUPED: Final = r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?"
_CURRENCIES: Final = {
    "dollar": ("$", "usd", "dollar", "dollars"),
    "euro": ("€", "eur", "euro", "euros"),
    "pound": ("£", "gbp", "pound", "pounds"),
    "yen": ("¥", "jpy", "yen"),
    "rupee": ("₹", "inr", "rupee", "rupees"),
    "credit": ("credit", "credits"),
    "coin": ("coin", "coins"),
    "point": ("point", "points"),
    "token": ("token", "tokens"),
}
_CURRENCY_OF: Final = {sign: name for name, signs in _CURRENCIES.items() for sign in signs}
_THOUSANDS_OR_NOT: Final = re.compile(r"(?!0*\.)[0-9]{1,3}\.[0-9]{3}")
_UNITS: Final = "|".join(sorted(map(re.escape, _CURRENCY_OF), key=len, reverse=True))

_AMOUNT: Final = re.compile(
    rf"(?P<sign>[+-])?(?:(?P<before>[$€£¥₹]|usd|eur|gbp){_SPACE}?)?(?P<inner>[+-])?"
    rf"(?P<number>{_GROUPED}|{_PLAIN})(?:{_SPACE}?(?P<after>{_UNITS})(?![^\W_]))?",
    re.IGNORECASE,
)
_PROBABILITY: Final = re.compile(
    rf"(?P<over>[0-9]+/[0-9]+)|(?P<number>{_PLAIN})(?P<percent>{_SPACE}?(?:%|percent(?![^\W_])))?"
)

Ends = dict[int, int]
"""The index after each token, by where it ends in the text."""


def ends_of(text: Text) -> Ends:
    """Return the index after each token, by where it ends in the text."""
    return {token.end: index + 1 for index, token in enumerate(text.tokens)}


def amount_at(text: Text, ends: Ends, index: int) -> list[tuple[Fraction, int]]:
    """Return the amount that begins with a token, if there is one, and the index after it.

    Raises
    ------
    UnreadableError
        Where it has three digits after its point, and may be a thousand times as much.
    """
    match = _AMOUNT.match(text.raw, text.tokens[index].begin)
    if match is None or match.end() not in ends or (match["sign"] and match["inner"]):
        return []
    before, after = match["before"], match["after"]
    if before and after and _CURRENCY_OF[before.casefold()] != _CURRENCY_OF[after.casefold()]:
        return []
    if _THOUSANDS_OR_NOT.fullmatch(match["number"]):
        problem = f"the point may be for decimals or for thousands: {text.quoted_at(index)}"
        raise UnreadableError(problem, "write 1500 or 1.5 in place of 1.500")
    value = _value(match["number"].replace(",", ""))
    negative = "-" in {match["sign"], match["inner"]}
    return [(-value if negative else value, ends[match.end()])]


def probability_at(text: Text, ends: Ends, index: int) -> list[tuple[Fraction, int]]:
    """Return the share that begins with a token, if there is one, and the index after it.

    It may be above 1; :func:`checked_share` says so.
    """
    match = _PROBABILITY.match(text.raw, text.tokens[index].begin)
    if match is None or match.end() not in ends:
        return []
    if match["over"] and _looks_like_shares(match["over"]):
        return []
    value = _value(match["over"] or match["number"])
    if match["percent"]:
        value /= 100
    return [(value, ends[match.end()])]


def _looks_like_shares(over: str) -> bool:
    """Whether two numbers may be shares of a whole rather than a fraction: 30/70, 50/50."""
    above, below = over.split("/")
    return above == below or (len(over) < 9 and int(above) + int(below) == 100)


def checked_share(text: Text, item: Item) -> Fraction:
    """Return a number that was read as a probability.

    Raises
    ------
    UnreadableError
        Where it is above 1.
    """
    value: Fraction = item.value
    if value > 1:
        problem = f"a probability is above 1: {text.quoted_at(item.begin)}"
        raise UnreadableError(problem, 'write a number from 0 to 1, or a percentage with its "%"')
    return value


def _value(written: str) -> Fraction:
    try:
        return rational(written)
    except NumberError as error:
        raise UnreadableError(f"{quote_around(written)} {error.problem}", error.fix) from None
