"""Reading one number."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing._grammar import SPOKEN, Item, Step, read_whole
from llm_adapters.parsing._numbers import amount_at, checked_share, ends_of, probability_at
from llm_adapters.parsing._phrases import Phrases, check_around, of_numbers
from llm_adapters.parsing._tokens import Text, read_text
from theory.errors import InvalidInputError
from theory.numbers import rational

__all__ = ["read_amount", "read_probability"]

_BID: Final = of_numbers("bid|offer|price|amount|answer", "bid|offer|pay")
_BELIEF: Final = of_numbers("probability|chance|likelihood|estimate|p|answer")
_BIDDING: Final = SPOKEN | {"bid", "offer", "price", "amount", "pay"}
_BELIEVING: Final = SPOKEN | {"probability", "chance", "likelihood", "estimate", "p"}
_NOT_AROUND: Final = frozenset("()[],")
"""In accounts (5) is minus 5, and a comma at the end breaks off the number."""


def read_amount(text: str, *, least: Any = 0, most: Any = None) -> Fraction:
    """Read one amount, exactly as it is written.

    The text must be one number and nothing else, apart from a sign, a currency, emphasis, quotes
    and a few phrases that change nothing ("My bid is", "I would pay", "Bid:"). Without a verb, a
    colon or an equals sign, as in "Bid 5", the number may be a name, and is not read; nor is "# 5".
    The decimal point is a point; commas may stand between groups of three digits. "1.500" is not
    read: in half of the world it is 1500, so write 1.5 or 1.50. "0.125" and "1500.125" are read.
    Numbers in words, ranges, percentages, fractions, units such as "million", words such as "about"
    or "at most", questions with or without their mark, and the word "value" are not read either:
    what something is worth need not be what is bid for it.

    Parameters
    ----------
    text : str
    least : number
        The least amount that makes sense.
    most : number, optional
        The largest one.

    Returns
    -------
    Fraction
        Whatever the currency.

    Raises
    ------
    UnreadableError
        Where there is no number, or more than one, or one that is out of bounds; where it is
        written in another way, such as "1.500,50"; and where anything else is said.
    InvalidInputError
        Where the bounds are no exact numbers, or cross.

    Notes
    -----
    The work is linear in the length of the text.

    Examples
    --------
    >>> read_amount("My bid is **$1,500.50**.")
    Fraction(3001, 2)
    >>> read_amount("$10-15")
    Traceback (most recent call last):
    ...
    llm_adapters.errors.UnreadableError: the text is not just one amount: '$10-15', at '-': answer \
with one number and nothing else
    """
    low = rational(least, "least")
    high = None if most is None else rational(most, "most")
    if high is not None and high < low:
        raise InvalidInputError("most", most, "is below the least", f"give at least {low}")
    fix = "answer with one number and nothing else"
    given = read_text(text, (), fix)
    ends = ends_of(given)
    value: Fraction = _read_one(
        given,
        lambda index: amount_at(given, ends, index),
        _BIDDING,
        _BID,
        wanted="one amount",
        fix=fix,
    ).value
    if value < low:
        raise UnreadableError(f"the amount is below {low}: {given.quoted_at(0)}", fix)
    if high is not None and value > high:
        raise UnreadableError(f"the amount is above {high}: {given.quoted_at(0)}", fix)
    return value


def read_probability(text: str) -> Fraction:
    """Read one probability, exactly as it is written: 0.3, 30% or 3/10.

    The text must be one number from 0 to 1 and nothing else, apart from what :func:`read_amount`
    allows around it. A percentage needs its sign, or the word "percent". 50/50 and 30/70 are not
    read: they need not be fractions.

    Raises
    ------
    UnreadableError
        Where there is no number, or more than one, or one that is out of bounds, and where anything
        else is said.

    Examples
    --------
    >>> read_probability("Probability: 30%")
    Fraction(3, 10)
    """
    fix = "answer with one number from 0 to 1 and nothing else"
    given = read_text(text, (), fix)
    ends = ends_of(given)
    item = _read_one(
        given,
        lambda index: probability_at(given, ends, index),
        _BELIEVING,
        _BELIEF,
        wanted="one probability",
        fix=fix,
    )
    return checked_share(given, item)


def _read_one(
    text: Text,
    numbers: Callable[[int], list[tuple[Fraction, int]]],
    words: frozenset[str],
    phrases: Phrases,
    *,
    wanted: str,
    fix: str,
) -> Item:
    def rule(state: str, index: int) -> list[Step]:
        if not state:
            found = numbers(index)
            if found:
                return [Step("read", end, Item(value, index, end)) for value, end in found]
        token = text.tokens[index]
        mark = token.kind in {"newline", "rule"} or (token.kind == "bullet" and token.text != "-")
        if state and token.text in ":=":  # "Bid 1:" is the name of a bid, not a bid of 1
            return []
        harmless = mark or (token.decor and token.text not in _NOT_AROUND)
        return [Step(state, index + 1)] if harmless or token.folded in words else []

    items = read_whole(text, rule, begin="", ends={"read"}, wanted=wanted, fix=fix)
    check_around(text, items, phrases, wanted=wanted, fix=fix)
    if _is_numbered(text, items[0]):
        raise UnreadableError(f"the number may be a name: {text.quoted_at(items[0].begin)}", fix)
    return items[0]


def _is_numbered(text: Text, item: Item) -> bool:
    """Whether the mark of a heading stands directly before a number: "# 5"."""
    at = item.begin - 1
    while at >= 0 and text.tokens[at].decor:
        at -= 1
    return at >= 0 and text.tokens[at].text.startswith("#")
