"""How numbers of the softmax auction stand in an answer and in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.typed import Record
from mechproof.problems.shared.answers import Bound, Rational, four_digits, number, outwards
from theory.numbers import ClosedForm, Interval

__all__ = ["Amount", "AuctionNumbers", "Certified", "Value", "about", "middle", "write_number"]

Value = Fraction | ClosedForm | Interval


class Certified(Record, frozen=True, kw_only=True):
    """A number that is not rational, or not known to be, between certified bounds."""

    lower: Annotated[Bound, Meta(description="Decimal that is at most the number.")]
    upper: Annotated[Bound, Meta(description="Decimal that is at least the number.")]
    closed_form: Annotated[
        str | UnsetType,
        Meta(description="In exact arithmetic: the number, in logarithms of rationals."),
    ] = UNSET


Amount = Rational | Certified


@dataclass(frozen=True)
class AuctionNumbers:
    """Numbers for each candidate or agent, as they will be written.

    ``reports`` are the rewards, in money; ``without`` is what the agent expects of the reply if it
    stays out.
    """

    exact: bool
    reports: tuple[tuple[ClosedForm, ...], ...]
    allocation: Sequence[Value]
    rewards: Sequence[Value]
    payments: Sequence[Value]
    utilities: Sequence[Value]
    without: Sequence[Value]
    reward_gains: Sequence[Value]
    utility_gains: Sequence[Value]
    revenue: Value


def write_number(value: Value) -> str | Certified:
    """Write a number: "p/q" if it is known to be rational, else 30 digits, rounded outwards."""
    if isinstance(value, ClosedForm):
        found = number(value)
        if isinstance(found, str):
            return found
        return Certified(lower=found.lower, upper=found.upper, closed_form=found.closed_form)
    if isinstance(value, Fraction):
        return str(value)
    lower, upper = outwards(value)
    return Certified(lower=lower, upper=upper)


def middle(value: Value | float) -> Fraction:
    """Return a rational near a number, 0 for 0 alone."""
    if isinstance(value, ClosedForm):
        whole = value.as_rational()
        value = value.enclosure() if whole is None else whole
    return (value.lower + value.upper) / 2 if isinstance(value, Interval) else Fraction(value)


def about(value: Value | Fraction, *, times: int = 1) -> str:
    """Write a number for a sentence: four digits."""
    return four_digits(middle(value) * times)
