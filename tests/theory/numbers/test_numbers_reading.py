"""Which kind of number comes out of a text, a float or an array; and what is no number."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from theory.errors import (
    ExactnessError,
    NumberError,
    ShapeError,
)
from theory.numbers import (
    Balls,
    ClosedForms,
    Exact,
    Floats,
    Numbers,
    as_numbers,
    log,
    rational,
    sqrt,
)

# --- Which kind -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], Exact),
        ([Fraction(1, 2), "1/3", Decimal("0.1"), np.int8(4)], Exact),
        (np.array(["1/2", "0.25"]), Exact),
        (np.array([1, 2], dtype=np.uint8), Exact),
        ([[1, "1/2"], [3, 4]], Exact),
        ([0.5, 1], Floats),
        ([np.float32(0.5), 2**53], Floats),
        (np.array([0.5], dtype=np.float32), Floats),
        (np.array([1, 0.5], dtype=object), Floats),
        ([log(2), 1], ClosedForms),
        ([["1/2", sqrt(2)]], ClosedForms),
        ([arb(2), 1], Balls),
        (0.5, Floats),
        ("1/2", Exact),
        ([], Exact),
    ],
)
def test_the_kind_is_found(values: object, kind: type[Numbers]) -> None:
    found = as_numbers(values)
    assert type(found) is kind
    assert found.shape == np.array(values, dtype=object).shape
    assert as_numbers(found) is found


def test_what_is_read_is_what_was_written() -> None:
    assert as_numbers(["0.1", Decimal("0.2"), 3]).scalars() == [Fraction(1, 10), Fraction(1, 5), 3]
    floats = as_numbers(np.array([0.1, 0.2], dtype=np.float32)).scalars()
    assert floats == [float(np.float32(0.1)), float(np.float32(0.2))]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([0.5, Fraction(1, 2)], ExactnessError, r"u\[1\] stands beside floats"),
        ([0.5, Fraction(1)], ExactnessError, r"u\[1\] stands beside floats"),
        (["1/2", 0.5], ExactnessError, r"u\[0\] stands beside floats"),
        ([Decimal("0.1"), 0.5], ExactnessError, r"u\[0\] stands beside floats"),
        ([np.float32(0.5), "1"], ExactnessError, r"u\[1\] stands beside floats"),
        ([2**53 + 1, 0.5], ExactnessError, r"u\[0\] stands beside floats"),
        ([10**400, 0.5], ExactnessError, r"u\[0\] stands beside floats"),
        ([log(2), 0.5], ExactnessError, r"u\[1\] is a float"),
        ([arb(2), 0.5], ExactnessError, r"u\[1\] is a float"),
        ([arb(2), log(2)], NumberError, r"u\[0\] is not a number"),
        ([True, 0.5], NumberError, r"u\[0\] is not a number"),
        ([[1, 2], [3, True]], NumberError, r"u\[1, 1\] is not a number"),
        ([None, 0.5], NumberError, r"u\[0\] is not a number"),
        ([1, None], NumberError, r"u\[1\] is not a number"),
        (np.array([True, False]), NumberError, r"u\[0\] is not a number"),
        (np.array([1 + 2j]), NumberError, r"u\[0\] is not a number"),
        ([1j, 1], NumberError, r"u\[0\] is not a number"),
        ([[1.0, 2.0], [float("nan"), 0]], NumberError, r"u\[1, 0\] is not finite"),
        (np.array([1.0, -np.inf]), NumberError, r"u\[1\] is not finite"),
        (float("inf"), NumberError, "u is not finite"),
        ([[1, 2], [3]], ShapeError, "u has rows of different lengths"),
        ([np.ones((1,) * 64).tolist()], ShapeError, "u has more than 64 axes"),
        ([[1, 2], 3], ShapeError, "u has rows of different lengths"),
        ([[[1, 2], [3, 4]], [[5, 6]]], ShapeError, "u has rows of different lengths"),
        ([np.array([1, 2]), np.array([3])], ShapeError, "u has rows of different lengths"),
        ({1, 2}, NumberError, "u is not a number"),
        ((v for v in [1, 2]), NumberError, "u is not a number"),
        ([Exact.of([1]), Exact.of([2])], NumberError, "is not a number"),
    ],
)
def test_nothing_is_cast_silently(values: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        as_numbers(values, "u")
    assert type(caught.value) is error


# --- Reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("1/3", Fraction(1, 3)),
        (" 2 ", Fraction(2)),
        ("-4/6", Fraction(-2, 3)),
        ("+.5E2", Fraction(50)),
        ("5.", Fraction(5)),
        ("-0", Fraction(0)),
        ("007", Fraction(7)),
        ("1e-00001", Fraction(1, 10)),
        ("1e4000", Fraction(10) ** 4000),
        ("\t1.50\n", Fraction(3, 2)),
        (np.str_("1/4"), Fraction(1, 4)),
        (np.int8(-3), Fraction(-3)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (Decimal("1.10"), Fraction(11, 10)),
        (Decimal("-1E+2"), Fraction(-100)),
        (Fraction(2, 7), Fraction(2, 7)),
    ],
)
def test_numbers_are_read_as_written(written: object, value: Fraction) -> None:
    assert rational(written) == value
    assert type(rational(written)) is Fraction


def test_integers_may_have_any_number_of_digits() -> None:
    assert rational(10**5000) == 10**5000


@given(st.fractions(), st.decimals(allow_nan=False, allow_infinity=False, places=12))
def test_reading_agrees_with_python(fraction: Fraction, number: Decimal) -> None:
    assert rational(str(fraction)) == fraction
    assert rational(str(number)) == rational(number) == Fraction(number)


@pytest.mark.parametrize(
    "written",
    [
        *("", " ", "1 / 2", "1 2", "1\x00", "1\u00a0", "½", "٣", "−1", "nan", "inf", "-Infinity"),
        *("0x10", "0b1", "1_000", "1,5", "1/2/3", "1/-2", "1/0.5", "1e3/2", "--1", "1e", "e3", "."),
    ],
)
def test_other_text_is_not_a_number(written: str) -> None:
    with pytest.raises(NumberError, match="price is not a number as we read them"):
        rational(written, "price")


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("1/0", NumberError, "has a zero denominator"),
        ("1e5000", NumberError, "has an exponent beyond 4000"),
        ("1e-5000", NumberError, "has an exponent beyond 4000"),
        ("1e" + "9" * 3000, NumberError, "has an exponent beyond 4000"),
        (Decimal("1E+999999"), NumberError, "has an exponent beyond 4000"),
        ("1" * 4001, NumberError, "has more than 4000 digits"),
        (Decimal("NaN"), NumberError, "is not a number"),
        (Decimal("-Infinity"), NumberError, "is not a number"),
        (0.5, ExactnessError, "is a float"),
        (float("nan"), ExactnessError, "is a float"),
        (np.float64(1.0), ExactnessError, "is a float"),
        (np.float32(1.0), ExactnessError, "is a float"),
        (True, NumberError, "is not a number"),
        (np.True_, NumberError, "is not a number"),
        (None, NumberError, "is not a number"),
        (1j, NumberError, "is not a number"),
        (b"1", NumberError, "is not a number"),
        ([1], NumberError, "is not a number"),
        (np.array(3), NumberError, "is not a number"),
        (np.array([1, 2]), NumberError, "is not a number"),
        (log(2), NumberError, "is not a number"),
    ],
    ids=lambda v: str(v)[:20],
)
def test_other_things_are_not_rationals(
    value: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        rational(value, "price")
    assert type(caught.value) is error
    assert str(caught.value).startswith("price ")


def test_an_error_about_a_number_too_long_to_print_is_still_readable() -> None:
    with pytest.raises(NumberError, match="a number of about 5,001 digits"):
        log(-(10**5000))
