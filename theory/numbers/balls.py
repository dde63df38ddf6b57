"""Certified balls: midpoint and radius, rounded so that the true value stays inside."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

import numpy as np

from theory.errors import NumberError, UndecidedError
from theory.numbers.base import Numbers, as_objects, read_each
from theory.numbers.interval import Interval
from theory.numbers.objects import ObjectNumbers
from theory.numbers.reading import rational
from theory.shared.arguments import read_count, refusing
from theory.shared.shapes import Bool

if TYPE_CHECKING:
    from flint import arb

__all__ = ["MAX_BITS", "Balls", "ball", "enclosing_interval", "refine"]

MAX_BITS: Final = 1 << 14
"""The precision, in bits, at which :func:`refine` gives up."""

T = TypeVar("T")


class Balls(ObjectNumbers):
    """An array of balls (``flint.arb``) at the working precision of the caller.

    Comparing two balls that overlap, other than equal exact numbers, raises
    :class:`~theory.errors.UndecidedError`, and so does dividing by a ball around zero.
    """

    kind: ClassVar[str] = "certified"

    @classmethod
    def of(cls, values: object, argument: str = "values") -> Balls:
        """Take nested sequences of balls and rationals; floats are refused."""
        nested = as_objects(values, argument)
        return cls.pack(read_each(nested, argument, _element), nested.shape)

    @classmethod
    def lift(cls, value: Any) -> arb:
        return ball(Fraction(value))

    def sign(self, element: Any) -> int:
        if element > 0:
            return 1
        if element < 0:
            return -1
        if element.is_zero():
            return 0
        raise UndecidedError(f"the sign of {element} is not decided; raise the precision")

    def __truediv__(self, other: Numbers, /) -> Any:
        _refuse_zeros(other)
        return super().__truediv__(other)

    def __rtruediv__(self, other: Numbers, /) -> Any:
        _refuse_zeros(self)
        return super().__rtruediv__(other)

    def maximisers(self, slack: Any = 0.0) -> Bool[np.ndarray, "rows columns"]:
        """Compare with the highest midpoint alone: doubts among the others do not matter."""
        del slack
        marks = np.zeros(self.shape, dtype=bool)
        for j, column in enumerate(self.values.T):
            top = max(range(len(column)), key=lambda i: column[i].mid())
            marks[:, j] = [
                i == top or self.sign(v - column[top]) == 0 for i, v in enumerate(column)
            ]
        return marks


def _element(value: Any, argument: str) -> arb:
    from flint import arb

    if not isinstance(value, arb):
        return ball(rational(value, argument))
    if not value.is_finite():
        raise NumberError(argument, value, "is not finite", "give a bounded ball")
    return value


def _refuse_zeros(divisors: Numbers) -> None:
    if not divisors.signs().all():
        raise ZeroDivisionError("division of balls by zero")


def ball(value: Fraction) -> arb:
    """Return the smallest ball at the working precision that contains ``value``."""
    from flint import arb, fmpq

    return arb(fmpq(value.numerator, value.denominator))


def enclosing_interval(element: arb) -> Interval:
    """Return the rational interval that a ball covers."""

    def exactly(end: Any) -> Fraction:
        mantissa, exponent = end.man_exp()
        return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)

    return Interval(exactly(element.lower()), exactly(element.upper()))


@refusing
def refine(compute: Callable[[], T], start: int = 64, limit: int = MAX_BITS) -> T:
    """Run ``compute`` at rising precision until its comparisons are decided.

    Parameters
    ----------
    compute : callable
        Builds its balls afresh at each call, at the precision then in force.
    start, limit : int
        First and last precision in bits; the precision doubles in between.

    Raises
    ------
    UndecidedError
        When the comparison is still undecided at ``limit`` bits: the two sides may be equal.

    Examples
    --------
    >>> from flint import arb
    >>> refine(lambda: Balls.of([[arb(2).sqrt()], ["1.41421356237309504"]]).maximisers().tolist())
    [[True], [False]]
    """
    from flint import ctx

    read_count("limit", limit, 2)
    read_count("start", start, 2, limit)
    bits = start
    while True:
        try:
            with ctx.workprec(bits):
                return compute()
        except UndecidedError as undecided:
            if bits >= limit:
                raise UndecidedError(f"{undecided} (tried up to {bits} bits)") from None
            bits = min(2 * bits, limit)
