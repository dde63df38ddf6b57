"""Divergences between laws: definitions in plain Python, relations, refusals."""

from __future__ import annotations

from fractions import Fraction
from inspect import unwrap
from math import inf, log, nan
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import examples

from theory.divergence import gibbs_law, kl_divergence, surprise, total_variation
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NumberError,
    ProbabilityError,
    ShapeError,
)
from theory.numbers import ClosedForm
from theory.numbers.balls import ball
from theory.proofs import Tracer

WEIGHTS = st.lists(st.integers(0, 6), min_size=1, max_size=5).filter(any)


def law(weights: list[int]) -> list[Fraction]:
    return [Fraction(w, sum(weights)) for w in weights]


def floats(values: Any) -> np.ndarray:
    return np.array([float(v) for v in values])


@settings(max_examples=examples(40))
@given(WEIGHTS, st.data())
def test_exact_and_float64_agree_with_the_definition(first: list[int], data: Any) -> None:
    second = data.draw(st.lists(st.integers(0, 6), min_size=len(first), max_size=len(first)))
    if not any(second):
        second[0] = 1
    p, q = law(first), law(second)
    exact, near = kl_divergence(p, q), kl_divergence(floats(p), floats(q))
    if any(a and not b for a, b in zip(p, q, strict=True)):
        assert exact == near == inf
    else:
        assert isinstance(exact, ClosedForm)
        expected = sum(float(a) * log(a / b) for a, b in zip(p, q, strict=True) if a)
        assert float(exact) == pytest.approx(expected, abs=1e-13)
        assert near == pytest.approx(expected, abs=1e-13)
        assert exact >= 0
        assert (exact == 0) == (p == q)
    variation = total_variation(p, q)
    assert variation == max(
        sum(((a - b) for a, b, k in zip(p, q, range(9), strict=False) if m >> k & 1), Fraction(0))
        for m in range(1 << len(p))
    )
    assert total_variation(floats(p), floats(q)) == pytest.approx(float(variation), abs=1e-15)
    if exact != inf:  # Pinsker
        assert 2 * float(variation) ** 2 <= float(exact) + 1e-15


@settings(max_examples=examples(25))
@given(st.lists(st.integers(1, 9), min_size=2, max_size=5), st.randoms())
def test_relabelling_and_merging(weights: list[int], random: Any) -> None:
    p, q = law(weights), law([*weights[1:], weights[0]])
    order = list(range(len(p)))
    random.shuffle(order)
    assert kl_divergence([p[k] for k in order], [q[k] for k in order]) == kl_divergence(p, q)
    whole = kl_divergence(p, q)
    merged = kl_divergence([p[0] + p[1], *p[2:]], [q[0] + q[1], *q[2:]])
    assert float(merged) <= float(whole)
    assert total_variation([p[0] + p[1], *p[2:]], [q[0] + q[1], *q[2:]]) <= total_variation(p, q)


@pytest.mark.parametrize("apart", [1e-3, 1e-7, 1e-12, 3e-15])
def test_laws_that_hardly_differ_keep_all_digits(apart: float) -> None:
    q = np.array([0.25 - apart, 0.25 + apart, 0.5])
    p = np.array([0.25, 0.25, 0.5])
    with mpmath.workdps(60):
        first, second = ([mpmath.mpf(x) for x in row.tolist()] for row in (p, q))
        total = sum(second)
        expected = sum(a * mpmath.log(a * total / b) for a, b in zip(first, second, strict=True))
    found = kl_divergence(p, q)
    assert abs(float(found) - float(expected)) <= 1e-15 * float(expected)


def test_float64_laws_are_divided_by_their_sums() -> None:
    p, q = np.array([0.2, 0.8]), np.array([0.3, 0.7])
    assert kl_divergence(p * (1 + 4e-10), q * (1 - 3e-10)) == pytest.approx(
        kl_divergence(p, q), rel=1e-12
    )
    assert float(kl_divergence(p * (1 + 4e-10), p)) <= 1e-30


@pytest.mark.parametrize("q", [5e-324, 1e-300, 1e-20])
def test_extreme_ratios(q: float) -> None:
    small = np.array([q, 1 - q])
    half = np.array([0.5, 0.5])
    expected = 0.5 * (log(0.5) - log(q)) + 0.5 * log(0.5 / (1 - q))
    assert kl_divergence(half, small) == pytest.approx(expected, rel=1e-14)
    assert kl_divergence(small, half) == pytest.approx(log(2), rel=1e-14, abs=1e-14)


def test_surprise_against_more_digits() -> None:
    t = np.concatenate([np.geomspace(1e-300, 1e300, 301), -np.geomspace(1e-300, 0.999999, 301)])
    with mpmath.workdps(700):
        expected = [float(mpmath.mpf(x) - mpmath.log(1 + mpmath.mpf(x))) for x in t.tolist()]
    assert np.allclose(surprise(t), expected, rtol=2e-15, atol=0)


def test_gibbs_law_in_every_kind_of_number() -> None:
    exact = gibbs_law([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [1, 3, 0])
    assert exact == [Fraction(1, 3), Fraction(2, 3), 0]
    assert gibbs_law([1, 2], [1, 1]) == [Fraction(1, 3), Fraction(2, 3)]
    near = gibbs_law(np.array([0.5, 1 / 3, 1 / 6]), np.array([1e300, 3e300, 0]))
    assert near == pytest.approx([1 / 3, 2 / 3, 0], rel=1e-15)
    balls = gibbs_law(
        [ball(Fraction(1)), ball(Fraction(1))], [ball(Fraction(1)), ball(Fraction(3))]
    )
    assert all(b.contains(ball(Fraction(n, 4))) for b, n in zip(balls, (1, 3), strict=True))
    trace = Tracer(positive=["a", "b"])
    first = gibbs_law([trace["a"], trace["b"]], [trace["b"], trace["a"]])[0]
    assert str(first) == "1/2"


@pytest.mark.parametrize("factor", [5e-324, 1.0, 1.7e308])
def test_gibbs_law_of_floats_at_both_ends_of_their_range(factor: float) -> None:
    reference = np.array([0.3, 0.7])
    assert gibbs_law(reference, np.full(2, factor)) == pytest.approx(reference, rel=1e-15)


BAD: list[tuple[Any, type[Exception], str]] = [
    ([], ShapeError, "sequence"),
    (np.zeros((0,)), ShapeError, "sequence"),
    ([[1]], ShapeError, "sequence"),
    (3, ShapeError, "sequence"),
    ([1, 1], ProbabilityError, "sum to one"),
    ([0.5, 0.6], ProbabilityError, "sum to one"),
    ([2, -1], ProbabilityError, "negative"),
    ([1.5, -0.5], ProbabilityError, "negative"),
    ([nan, 1.0], NumberError, "p"),
    ([inf, 1.0], NumberError, "p"),
    ([True, False], NumberError, "not a number"),
    (["x", 1], NumberError, "number"),
    ([None], NumberError, "number"),
    ([ball(Fraction(1))], ExactnessError, "certified"),
]


@pytest.mark.parametrize(("law", "error", "words"), BAD)
@pytest.mark.parametrize("function", [kl_divergence, total_variation])
def test_what_is_no_law_is_refused(
    function: Any, law: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        unwrap(function)(law, [Fraction(1)])


@pytest.mark.parametrize("function", [kl_divergence, total_variation])
def test_laws_that_do_not_fit_are_refused(function: Any) -> None:
    with pytest.raises(ShapeError, match="2 replies"):
        function([Fraction(1, 2)] * 2, [Fraction(1)])
    with pytest.raises(ExactnessError, match="another kind"):
        function([Fraction(1, 2)] * 2, [0.5, 0.5])


@pytest.mark.parametrize(
    ("reference", "factors", "error"),
    [
        ([], [], ShapeError),
        ([1], [1, 2], ShapeError),
        ([1, -1], [1, 1], InvalidInputError),
        ([1, 1], [Fraction(-1), 1], InvalidInputError),
        ([1.0, nan], [1, 1], InvalidInputError),
        ([True, True], [1, 1], InvalidInputError),
        ([1, 0], [0, 1], ProbabilityError),
        (np.array([1.0, 0.0]), np.array([0.0, 1.0]), ProbabilityError),
        (np.array([1.0, inf]), np.array([1.0, 1.0]), InvalidInputError),
        (np.array([1.0, -1.0]), np.array([1.0, 1.0]), InvalidInputError),
        (np.ones((2, 2)), np.ones((2, 2)), ShapeError),
    ],
)
def test_gibbs_law_refuses(reference: Any, factors: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        unwrap(gibbs_law)(reference, factors)


@pytest.mark.parametrize("least", [1e-300, 3e-16, 1e-12, 1e-9, 1e-3, 0.2])
def test_kl_keeps_its_digits_where_the_second_law_is_small(least: float) -> None:
    found = kl_divergence(np.array([0.5, 0.5]), np.array([least, 1 - least]))
    exact = kl_divergence(["1/2", "1/2"], [Fraction(least), 1 - Fraction(least)])
    assert float(found) == pytest.approx(float(exact), rel=1e-14)
