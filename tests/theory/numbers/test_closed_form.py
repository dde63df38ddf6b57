"""Logarithms and square roots of rationals: what is equal is equal, and signs are certain."""

from __future__ import annotations

from fractions import Fraction
from operator import mul, truediv
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.reals import SMALL, combination

from theory._recheck import enclose_log, enclose_sqrt
from theory.errors import ExactnessError, NumberError
from theory.numbers import ClosedForm, ClosedForms, Exact, log, sqrt

small = st.fractions(-3, 3, max_denominator=6)
positive = st.fractions(Fraction(1, 50), 50, max_denominator=50)
naturals = st.integers(1, 400)
Terms = list[tuple[Fraction, Fraction]]


def terms(of: Any) -> Any:
    return st.lists(st.tuples(small, of), max_size=4)


closed_forms = st.tuples(small, terms(positive), terms(naturals.map(Fraction)))


def written(constant: Fraction, logs: Terms, roots: Terms) -> ClosedForm:
    total = ClosedForm(constant)
    for c, a in logs:
        total = total + c * log(a)
    for d, b in roots:
        total = total + sqrt(b) * d
    return total


# --- Equality -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (log(4), 2 * log(2)),
        (log(6), log(2) + log(3)),
        (log("1/2"), -log(2)),
        (log("8/27"), 3 * log(2) - 3 * log(3)),
        (log(1000), 3 * log(10)),
        (log(1), 0),
        (sqrt(8), 2 * sqrt(2)),
        (sqrt("1/2"), sqrt(2) / 2),
        (sqrt(9), 3),
        (sqrt("4/9"), Fraction(2, 3)),
        (sqrt(0), 0),
        (sqrt(17**2 * 19), 17 * sqrt(19)),
        (sqrt(2 * 10007**2) - sqrt(2), 10006 * sqrt(2)),
        (1 - log(2), log("1/2") + 1),
        (log(3**400) - 400 * log(3), 0),
        (log(10**3000 + 1) * 2, log((10**3000 + 1) ** 2)),
    ],
)
def test_what_is_equal_is_equal(left: ClosedForm, right: ClosedForm | Fraction | int) -> None:
    assert left == right
    assert (left != right) is False
    assert not left < right
    assert left <= right
    assert (left - right).sign() == 0
    assert (left - right).as_rational() == 0
    assert str(left - right) == "0"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (sqrt(2) + sqrt(3), sqrt(10)),
        (sqrt(2) * Fraction(1414213562373095, 10**15), Fraction(2)),
        (log(2) + log(3), log(7)),
        (log(3), Fraction(1)),
        (3 * log(2) - 2 * log(3), 0),
        (log(2), sqrt("12/25")),
        (log(10**3000 + 1), 3000 * log(10)),
    ],
)
def test_what_differs_differs(left: ClosedForm, right: ClosedForm | Fraction | int) -> None:
    assert left != right
    assert (left < right) is not (left > right)


@pytest.mark.parametrize("bits", [0, 1 << 20])
@given(st.integers(1, 3), terms(positive), st.integers(1, 10**4))
def test_logarithms_cancel_whichever_way_it_is_decided(
    bits: int, times: int, logs: Terms, near: int
) -> None:
    """By products of integers, and by a base of coprime ones; the last logarithm may be another."""
    number = written(Fraction(0), logs, [])
    split = [(c * times, Fraction(a.numerator)) for c, a in logs]
    split += [(-c * times, Fraction(a.denominator)) for c, a in logs]
    with patch("theory.numbers.closed_form._SHORT", bits):
        assert (times * number - written(Fraction(0), split, [])).is_zero()
        apart = times * number - written(
            Fraction(0), [*split, (Fraction(1), 1 + Fraction(1, near))], []
        )
        assert not apart.is_zero()
        assert apart.as_rational() is None


@given(closed_forms, positive, positive, st.integers(2, 9))
def test_a_number_written_in_two_ways_is_one_number(
    parts: tuple[Fraction, Terms, Terms], a: Fraction, b: Fraction, k: int
) -> None:
    constant, logs, roots = parts
    x = written(*parts)
    assert x + log(a * b) == log(a) + log(b) + x
    assert x + log(a**k) == x + k * log(a)
    assert x - log(a / b) == log(b) - (log(a) - x)
    assert x + sqrt(a * b**2) == sqrt(a) * b + x
    assert (x - x).is_zero()
    assert (x * a) / a == x
    assert written(constant, logs[::-1], roots[::-1]) == x


@given(closed_forms, st.integers(1, 10**40))
def test_the_slightest_change_is_seen(parts: tuple[Fraction, Terms, Terms], large: int) -> None:
    x, step = written(*parts), Fraction(1, large)
    assert x != x + step
    assert x + step > x
    assert x - step < x


# --- Value and sign -------------------------------------------------------------------------------


@given(small, terms(positive), terms(positive), st.integers(2, 300))
def test_the_enclosure_contains_the_number(
    constant: Fraction, logs: Terms, roots: Terms, bits: int
) -> None:
    true = combination(constant, logs, roots)
    found = written(constant, logs, roots).enclosure(bits)
    assert found.lower - SMALL <= true <= found.upper + SMALL
    if bits >= 64:
        assert found.width < Fraction(1, 2 ** (bits - 20))


@given(small, terms(positive), terms(positive))
def test_sign_and_float_agree_with_decimals(constant: Fraction, logs: Terms, roots: Terms) -> None:
    true, x = combination(constant, logs, roots), written(constant, logs, roots)
    if abs(true) > SMALL:
        assert x.sign() == (1 if true > 0 else -1)
        assert (x > 0) is (true > 0)
        assert abs(float(x) - float(true)) <= 2e-16 * abs(float(true))
    else:
        assert x.sign() == 0
        assert float(x) == 0


@pytest.mark.parametrize("steps", [10, 200, 4000])
def test_near_ties_of_roots(steps: int) -> None:
    """p / q runs through the convergents of sqrt(2): p^2 - 2 q^2 is 1 and -1 in turn."""
    p, q = 1, 1
    for step in range(steps):
        p, q = p + 2 * q, p + q
        if step < 20 or step == steps - 1:
            assert (sqrt(2) * q - p).sign() == (1 if p * p < 2 * q * q else -1)


@pytest.mark.parametrize("exponent", [20, 400, 2000])
def test_near_ties_of_logarithms(exponent: int) -> None:
    """x - x^2/2 < log(1 + x) < x - x^2/2 + x^3/3 for x > 0: some thousands of bits apart."""
    x = Fraction(1, 10**exponent)
    near = log(1 + x)
    assert x - x**2 / 2 < near < x - x**2 / 2 + x**3 / 3


def test_floats_are_right_to_the_last_bits_where_terms_cancel() -> None:
    x = Fraction(1, 10**50)
    assert float(log(1 + x)) == pytest.approx(1e-50, rel=1e-15)
    assert float(log(1 + x) - x) == pytest.approx(-5e-101, rel=1e-15)
    assert float(log(4) - 2 * log(2)) == 0.0


# --- Arithmetic -----------------------------------------------------------------------------------


def test_rational_numbers_are_recognised() -> None:
    assert (log(4) / 2 - log(2) + Fraction(1, 3)).as_rational() == Fraction(1, 3)
    assert (sqrt(2) * 3 - sqrt(18) + sqrt(4)).as_rational() == 2
    assert log(2).as_rational() is None
    assert (sqrt(2) - 1).as_rational() is None


def test_products_need_a_rational_factor() -> None:
    one = log(4) - 2 * log(2) + 1
    assert log(3) * one == one * log(3) == log(3)
    assert log(3) / (one + 1) == log(3) / 2
    assert sqrt(2) * ClosedForm(Fraction(0)) == 0
    with pytest.raises(NumberError, match="product has no rational factor"):
        mul(log(2), log(3))
    with pytest.raises(NumberError, match="divisor is not rational"):
        truediv(log(2), sqrt(2))
    with pytest.raises(ZeroDivisionError):
        truediv(log(2), one - 1)
    with pytest.raises(ZeroDivisionError):
        truediv(log(2), 0)


@pytest.mark.parametrize("number", [0.5, np.float64(0.5), "1/2", None, 1j])
def test_other_numbers_do_not_mix_in(number: Any) -> None:
    for operation in (
        lambda: log(2) + number,
        lambda: number - log(2),
        lambda: log(2) * number,
        lambda: log(2) / number,
        lambda: log(2) < number,
    ):
        with pytest.raises(TypeError):
            operation()
    assert log(2) != number


def test_domains() -> None:
    for argument in (0, "-1/2"):
        with pytest.raises(NumberError, match="log is not positive"):
            log(argument)
    with pytest.raises(NumberError, match="sqrt is negative"):
        sqrt(-1)
    with pytest.raises(ExactnessError):
        log(0.5)
    with pytest.raises(ExactnessError):
        sqrt(2.0)


def test_a_closed_form_has_no_hash_since_equality_is_not_structural() -> None:
    with pytest.raises(TypeError):
        hash(log(2))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (log(2), "log(2)"),
        (-log(2), "-log(2)"),
        (1 - 2 * log(6), "1 - 2·log(6)"),
        (log(8), "3·log(2)"),  # small primes are taken out, though no other number shares them
        (Fraction(2, 5) * log(4) - Fraction(3, 5) * log("3/2"), "7/5·log(2) - 3/5·log(3)"),
        (sqrt(12) + Fraction(1, 2), "1/2 + 2·sqrt(3)"),
        (ClosedForm(Fraction(3, 4)), "3/4"),
    ],
)
def test_it_reads_well(number: ClosedForm, text: str) -> None:
    assert str(number) == text
    assert repr(number) == f"ClosedForm({text})"


def test_arrays_of_closed_forms_and_rationals() -> None:
    mixed = ClosedForms.of([[log(2), "1/2"], [sqrt(2), 1]])
    assert mixed.maximisers().tolist() == [[False, False], [True, True]]
    assert (mixed.sum() - Exact.of([1, 2])).signs().tolist() == [1, 1]
    tie = ClosedForms.of([[log(8)], [log(2) + log(4)], [2]])
    assert tie.maximisers().tolist() == [[True], [True], [False]]
    with pytest.raises(ExactnessError, match=r"u\[0, 1\] is a float"):
        ClosedForms.of([[log(2), 0.5]], "u")


# --- The enclosures that recheck them -------------------------------------------------------------


@given(st.fractions(Fraction(1, 10**9), 10**9))
def test_the_series_encloses_logarithms_and_roots(value: Fraction) -> None:
    one = Fraction(1)
    for found, true in (
        (enclose_log(value), combination(Fraction(0), logs=[(one, value)])),
        (enclose_sqrt(value), combination(Fraction(0), roots=[(one, value)])),
    ):
        assert found.lower <= true <= found.upper
        assert found.width < Fraction(1, 2**200)


@pytest.mark.parametrize("value", ["1", "4/3", "2/3", "2", "1/2", "1e300", "1e-300", "3/4", "5/4"])
def test_the_series_at_its_seams(value: str) -> None:
    true = combination(Fraction(0), logs=[(Fraction(1), Fraction(value))])
    found = enclose_log(Fraction(value))
    assert found.lower - SMALL <= true <= found.upper + SMALL
    assert found.width < Fraction(1, 2**200)


@given(st.fractions(Fraction(1, 10**6), 10**6))
def test_two_ways_to_a_logarithm_overlap(value: Fraction) -> None:
    assert enclose_log(value).overlaps(log(value).enclosure(220))
    assert enclose_sqrt(value).overlaps(sqrt(value).enclosure(220))
