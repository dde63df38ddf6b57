"""Certified numbers: balls that hold the true value, and the intervals they are shown as."""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, ctx
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import huge_rationals

from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    NumberError,
    UndecidedError,
)
from theory.numbers import (
    Balls,
    Exact,
    Interval,
    refine,
)
from theory.numbers.balls import ball, enclosing_interval

# --- Balls ----------------------------------------------------------------------------------------


@given(st.lists(huge_rationals(), min_size=1, max_size=4), st.integers(8, 200))
def test_balls_enclose_what_exact_arithmetic_gives(values: list[Fraction], bits: int) -> None:
    with ctx.workprec(bits):
        balls, exact = Balls.of(values), Exact.of(values)
        pairs = [
            (balls + exact, exact + exact),
            (exact - balls * balls, exact - exact * exact),
            (balls.sum() * balls, exact.sum() * exact),
        ]
        for enclosed, true in pairs:
            for found, value in zip(enclosed.scalars(), true.scalars(), strict=True):
                assert value in enclosing_interval(found)


def test_a_ball_covers_its_rational_and_little_more() -> None:
    with ctx.workprec(64):
        around = enclosing_interval(ball(Fraction(1, 3)))
    assert Fraction(1, 3) in around
    assert 0 < around.width < Fraction(1, 2**60)
    assert enclosing_interval(arb(0)) == Interval(Fraction(0), Fraction(0))


def test_balls_that_overlap_are_undecided() -> None:
    third = Balls.of(["1/3"])
    with pytest.raises(UndecidedError, match="raise the precision"):
        (third - third).signs()
    with pytest.raises(UndecidedError):
        Balls.of([["1/3"], ["1/3"]]).maximisers()
    with pytest.raises(UndecidedError):
        operator.truediv(Exact.of([1]), third - third)
    assert Balls.of([["1/4"], ["1/4"]]).maximisers().all()


def test_doubts_below_the_maximum_do_not_matter() -> None:
    low = arb(2).sqrt()
    assert Balls.of([[low], [low], [2]]).maximisers().tolist() == [[False], [False], [True]]
    assert Balls.of([[2], [low], [low]]).maximisers().tolist() == [[True], [False], [False]]


def test_balls_must_be_bounded_and_exact_beside() -> None:
    with pytest.raises(NumberError, match=r"values\[1\] is not finite"):
        Balls.of([1, arb("inf")])
    with pytest.raises(ExactnessError, match=r"values\[0\] is a float"):
        Balls.of([0.5, arb(1)])


def test_refine_raises_the_precision_until_it_is_decided() -> None:
    near = Fraction("1.4142135623730950488016887242096980785696718753769480731766797379907")
    seen: list[int] = []

    def larger() -> bool:
        seen.append(ctx.prec)
        return Balls.of([[arb(2).sqrt()], [near]]).maximisers().tolist() == [[True], [False]]

    before = ctx.prec
    assert refine(larger, start=16) is (near**2 < 2)
    assert seen == [16, 32, 64, 128, 256]
    assert ctx.prec == before


def test_refine_gives_up_at_its_limit() -> None:
    seen: list[int] = []

    def equal() -> Any:
        seen.append(ctx.prec)
        return Balls.of([arb(2).sqrt() * arb(2).sqrt() - 2]).signs()

    before = ctx.prec
    with pytest.raises(UndecidedError, match="tried up to 300 bits"):
        refine(equal, start=64, limit=300)
    assert seen == [64, 128, 256, 300]
    assert ctx.prec == before


def test_refine_lets_other_errors_through_and_checks_its_limits() -> None:
    before = ctx.prec
    with pytest.raises(KeyError):
        refine(lambda: {}["missing"])
    assert ctx.prec == before
    with pytest.raises(LimitError, match="start is above 32"):
        refine(lambda: None, start=64, limit=32)


# --- Intervals ------------------------------------------------------------------------------------


@given(st.fractions(), st.fractions(), st.integers(0, 30))
def test_decimals_are_rounded_outwards(a: Fraction, b: Fraction, digits: int) -> None:
    interval = Interval(min(a, b), max(a, b))
    low, high = map(Fraction, interval.decimals(digits))
    unit = Fraction(1, 10**digits)
    assert low <= interval.lower < low + unit
    assert high - unit < interval.upper <= high
    assert all(len(t.partition(".")[2]) == digits for t in interval.decimals(digits))
    assert interval.lower in interval
    assert interval.upper in interval
    assert interval.upper + 1 not in interval


def test_an_interval_reads_well_and_is_not_empty() -> None:
    assert str(Interval(Fraction(-1, 3), Fraction(2))) == "[-0.3333333334, 2.0000000000]"
    with pytest.raises(InvalidInputError, match="Interval is empty"):
        Interval(Fraction(1), Fraction(0))


@given(*[st.fractions(-3, 3, max_denominator=4)] * 4)
def test_intervals_overlap_when_a_point_is_common(
    a: Fraction, b: Fraction, c: Fraction, d: Fraction
) -> None:
    assume(a <= b and c <= d)
    common = any(x in Interval(a, b) and x in Interval(c, d) for x in (a, b, c, d))
    assert Interval(a, b).overlaps(Interval(c, d)) is common
