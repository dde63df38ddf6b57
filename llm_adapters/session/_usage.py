"""What calls used, what they may use, and what tokens cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from theory.errors import NumberError
from theory.numbers import rational
from theory.shared.arguments import read_count
from theory.verdicts import Table

__all__ = ["Budget", "Prices", "Usage", "decimal", "usage_table"]

_MILLION: Final = 10**6


@dataclass(frozen=True)
class Usage:
    """What calls used.

    Attributes
    ----------
    calls : int
        Attempts that were made, and answers that were found in a record.
    retries : int
        How many of the calls were made since an earlier one had failed.
    input_tokens, output_tokens : int
        As the models say. An attempt of which it is not known what it used, since it ran out of
        time, counts with the most that it may have used, where there is a budget in tokens or
        money.
    money : fractions.Fraction
        By the prices that are known.
    failures : int
        Answers that could not be read, as counted by those who read them.

    Raises
    ------
    InvalidInputError
        For what is no count, and for money that is negative or a float.

    Examples
    --------
    >>> print(sum([Usage(calls=1), Usage(calls=2, failures=1)]))
    3 calls, 1 unreadable
    >>> Usage(calls=1, input_tokens=20) + Usage(calls=1, output_tokens=5)
    Usage(calls=2, retries=0, input_tokens=20, output_tokens=5, money=Fraction(0, 1), failures=0)
    """

    calls: int = 0
    retries: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: Fraction = Fraction(0)
    failures: int = 0

    def __post_init__(self) -> None:
        for name in ("calls", "retries", "input_tokens", "output_tokens", "failures"):
            object.__setattr__(self, name, read_count(name, getattr(self, name), 0))
        object.__setattr__(self, "money", _amount("money", self.money))

    def __radd__(self, other: object) -> Usage:
        return self if type(other) is int and other == 0 else NotImplemented

    def __add__(self, other: Usage) -> Usage:
        if not isinstance(other, Usage):
            return NotImplemented
        return Usage(
            self.calls + other.calls,
            self.retries + other.retries,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.money + other.money,
            self.failures + other.failures,
        )

    @property
    def tokens(self) -> int:
        """The tokens of input and output together."""
        return self.input_tokens + self.output_tokens

    def __str__(self) -> str:
        parts = [_count_noun(self.calls, "call")]
        if self.retries:
            parts.append(_count_noun(self.retries, "retry", "retries"))
        if self.tokens:
            parts.append(f"{self.input_tokens:,} + {self.output_tokens:,} tokens")
        if self.money:
            parts.append(f"{decimal(self.money)} in money")
        if self.failures:
            parts.append(f"{self.failures:,} unreadable")
        return ", ".join(parts)


@dataclass(frozen=True)
class Budget:
    """The most that a session may use; None where there is no limit.

    Attributes
    ----------
    calls : int or None
        Attempts: one that fails is a call, too.
    tokens : int or None
        Of input and output together.
    money : Fraction or None
        In the currency of the prices. Integers, fractions, and text such as "0.25".

    Raises
    ------
    InvalidInputError
        For what is no count, and for money that is negative or a float.

    Examples
    --------
    >>> Budget(calls=100, money="0.25").money
    Fraction(1, 4)
    """

    calls: int | None = None
    tokens: int | None = None
    money: Any = None

    def __post_init__(self) -> None:
        for name in ("calls", "tokens"):
            limit: Any = getattr(self, name)
            if limit is not None:
                object.__setattr__(self, name, read_count(name, limit, 0))
        if self.money is not None:
            object.__setattr__(self, "money", _amount("money", self.money))

    @property
    def counts_tokens(self) -> bool:
        """Whether it must be known how many tokens a call may use."""
        return self.tokens is not None or self.money is not None

    def __str__(self) -> str:
        limits = [] if self.calls is None else [_count_noun(self.calls, "call")]
        if self.tokens is not None:
            limits.append(_count_noun(self.tokens, "token"))
        if self.money is not None:
            limits.append(f"{decimal(self.money)} in money")
        return ", ".join(limits)


@dataclass(frozen=True)
class Prices:
    """What a model costs.

    Attributes
    ----------
    input, output : Fraction
        For a million tokens. Integers, fractions, and text such as "0.15".

    Raises
    ------
    NumberError
        For a float, and for what is negative or no number.

    Examples
    --------
    >>> Prices("0.15", "0.60").of(1_000_000, 500_000)
    Fraction(9, 20)
    """

    input: Any
    output: Any

    def __post_init__(self) -> None:
        for name in ("input", "output"):
            object.__setattr__(self, name, _amount(name, getattr(self, name)))

    def of(self, input_tokens: int, output_tokens: int) -> Fraction:
        """Return what so many tokens cost."""
        money: Fraction = (self.input * input_tokens + self.output * output_tokens) / _MILLION
        return money


def decimal(money: Fraction) -> str:
    """Return money as a decimal: four places, or three digits where it is less than 0.01."""
    number = Decimal(money.numerator) / Decimal(money.denominator)
    return f"{number:,.4f}" if money >= Fraction(1, 100) or not money else f"{number:.3g}"


def usage_table(caption: str, usage: Mapping[str, Usage], total: Usage) -> Table:
    """Return usage by agent, and in all, as a table."""
    return Table(
        caption=caption,
        columns=("agent", "calls", "retries", "tokens in", "tokens out", "money", "unreadable"),
        rows=tuple(
            (
                agent,
                f"{one.calls:,}",
                f"{one.retries:,}",
                f"{one.input_tokens:,}",
                f"{one.output_tokens:,}",
                decimal(one.money),
                f"{one.failures:,}",
            )
            for agent, one in [*sorted(usage.items()), ("all", total)]
        ),
    )


def _amount(name: str, value: Any) -> Fraction:
    amount = value if type(value) is Fraction else rational(value, name)
    if amount < 0:
        raise NumberError(name, value, "is negative", "give a number of at least 0")
    return amount


def _count_noun(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
