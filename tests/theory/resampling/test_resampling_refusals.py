"""What the law of a resampled reply refuses, in our words."""

from __future__ import annotations

from fractions import Fraction
from inspect import unwrap
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    NumberError,
    ProbabilityError,
    ShapeError,
)
from theory.resampling import (
    certified_law,
    convergence,
    deviation_enclosure,
    first_order_term,
    resampling_law,
    total_variation_bound,
)

HALVES = [Fraction(1, 2)] * 2
NEAR = np.array([0.5, 0.5])

MODELS: list[tuple[Any, Any, type[Exception], str]] = [
    ([], [], ShapeError, "generator"),
    ([Fraction(1, 2)], [1], ProbabilityError, "sum to one"),
    ([0.5, 0.6], [1.0, 1.0], ProbabilityError, "sum to one"),
    ([2, -1], [1, 1], ProbabilityError, "negative"),
    (HALVES, [1], ShapeError, "2 replies"),
    (HALVES, [[1, 1]], ShapeError, "2 replies"),
    (NEAR, [1.0], ShapeError, "2 replies"),
    (HALVES, [1, -1], InvalidInputError, r"weights\[1\] is negative"),
    (NEAR, [1.0, -1.0], InvalidInputError, r"weights\[1\] is negative"),
    (NEAR, [1.0, inf], NumberError, "weights"),
    (NEAR, [1.0, nan], NumberError, "weights"),
    (HALVES, [1.0, 2.0], ExactnessError, "another kind"),
    (NEAR, [1, 2], ExactnessError, "another kind"),
    (HALVES, [0, 0], ProbabilityError, "no reply can be returned"),
    ([1, 0], [0, 5], ProbabilityError, "no reply can be returned"),
    (np.array([1.0, 0.0]), [0.0, 5.0], ProbabilityError, "no reply can be returned"),
    (HALVES, [True, True], NumberError, "not a number"),
    (HALVES, ["x", 1], NumberError, "number"),
    (HALVES, None, NumberError, "number"),
]


@pytest.mark.parametrize(("generator", "weights", "error", "words"), MODELS)
def test_models(generator: Any, weights: Any, error: type[Exception], words: str) -> None:
    for call in (
        lambda: resampling_law(generator, weights, 2),
        lambda: first_order_term(generator, weights),
        lambda: total_variation_bound(generator, weights, 2),
        lambda: convergence(generator, weights, [1, 2]),
    ):
        with pytest.raises(error, match=words):
            call()


@pytest.mark.parametrize("candidates", [0, -1, True, 1.0, "2", None, 10**9 + 1, nan])
@pytest.mark.parametrize(
    "function", [resampling_law, total_variation_bound, certified_law, deviation_enclosure]
)
def test_candidates(function: Any, candidates: Any) -> None:
    with pytest.raises(InvalidInputError, match="candidates"):
        unwrap(function)(HALVES, [1, 2], candidates)


@pytest.mark.parametrize(
    ("weights", "error"),
    [
        ([nan, 0.0], InvalidInputError),
        ([inf, 0.0], InvalidInputError),
        ([1e10, 0.0], InvalidInputError),
        ([-inf, -inf], ProbabilityError),
        (["x", 0.0], InvalidInputError),
        ([0.0], ShapeError),
        ([0.0, -1e5], LimitError),
    ],
)
def test_logarithms(weights: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="weights"):
        resampling_law(NEAR, weights, 2, logarithms=True)


def test_exact_numbers_are_no_logarithms() -> None:
    with pytest.raises(ExactnessError, match="logarithms"):
        resampling_law(HALVES, [0.0, 1.0], 2, logarithms=True)


def test_limits_are_stated() -> None:
    with pytest.raises(LimitError, match="4,096 sums"):
        resampling_law(HALVES, [1, 2], 10**6)
    apart = [Fraction(1, 16**k) for k in range(6)]
    with pytest.raises(LimitError, match="4,096 sums"):
        resampling_law([Fraction(1, 6)] * 6, apart, 12)
    with pytest.raises(LimitError, match="balls"):
        certified_law([Fraction(1, 900)] * 900, range(1, 901), 2, relative=Fraction(1, 10**190))


@pytest.mark.parametrize("relative", [0, 1, -1, Fraction(1, 10**300)])
def test_widths(relative: Any) -> None:
    with pytest.raises(InvalidInputError, match="relative"):
        certified_law(HALVES, [1, 2], 2, relative=relative)


@pytest.mark.parametrize("function", [certified_law, deviation_enclosure])
def test_exact_functions_refuse_floats(function: Any) -> None:
    with pytest.raises(ExactnessError, match="float64"):
        function(NEAR, [1.0, 2.0], 2)


@pytest.mark.parametrize("terms", [0, 17, True])
def test_terms(terms: Any) -> None:
    with pytest.raises(InvalidInputError, match="terms"):
        deviation_enclosure(HALVES, [1, 2], 2, terms=terms)


def test_too_many_candidates_are_not_said_to_be_none() -> None:
    """1e12 of them are beyond the limit, which the message names; "draw one" is for 0."""
    with pytest.raises(
        LimitError, match=r"candidates is above 1,000,000,000.*give at most"
    ) as many:
        resampling_law(HALVES, [1, 2], 10**12)
    assert "at least one" not in str(many.value)
    with pytest.raises(InvalidInputError, match="at least 1") as none:
        resampling_law(HALVES, [1, 2], 0)
    assert not isinstance(none.value, LimitError)


def test_no_number_of_candidates() -> None:
    with pytest.raises(InvalidInputError, match="no list of numbers"):
        convergence(HALVES, [1, 2], [])


def test_extremes_give_numbers_or_an_error_of_ours() -> None:
    with pytest.raises(InvalidInputError, match="full precision"):
        resampling_law(np.array([5e-324, 1.0]), np.array([1e300, 1e-300]), 5)
    found = resampling_law(np.array([1e-300, 1.0]), np.array([1e300, 1e-300]), 10**9)
    assert found.law[1] == pytest.approx(1)
    with pytest.raises(InvalidInputError, match="no list of numbers"):
        unwrap(convergence)([0.5, 0.5], [1.0, 3.0], 5)
    with pytest.raises(InvalidInputError, match="terms"):
        unwrap(deviation_enclosure)(["1/2", "1/2"], [1, 3], 5, terms=1.5)


def test_a_bound_in_floats_is_not_below_the_distance() -> None:
    g, w = np.array([2.0**-38, 1 - 2.0**-38]), np.array([1.25e-41, 141647.2])
    found = resampling_law(g, w, 1)
    assert found.total_variation <= found.bound <= found.total_variation * 1.01
