"""The statistics of many runs of the experiment."""

from __future__ import annotations

import inspect
import math
import statistics
from typing import Any

import numpy as np
import pytest

from mechanisms.advertising import (
    clustered_mean,
    fit_line,
    trim_outliers,
)
from theory.errors import InvalidInputError, ShapeError


def test_a_mean_has_the_interval_of_its_clusters() -> None:
    values = np.random.default_rng(0).normal(size=(6, 5)) + np.arange(6.0)[:, np.newaxis]
    found = clustered_mean(values)
    means = [statistics.fmean(row) for row in values.tolist()]
    half = 2.570581835636314 * statistics.stdev(means) / math.sqrt(6)
    assert found.value == pytest.approx(statistics.fmean(means))
    assert found.high - found.value == pytest.approx(half, rel=1e-9)
    assert (found.observations, found.clusters) == (30, 6)
    every = values.ravel().tolist()
    naive = 2.045229642132703 * statistics.stdev(every) / math.sqrt(30)
    assert found.naive_high - found.value == pytest.approx(naive, rel=1e-9)


def test_repeating_what_a_cluster_says_tells_nothing_new() -> None:
    values = np.random.default_rng(1).normal(size=(8, 3))
    once, often = clustered_mean(values), clustered_mean(np.tile(values, (1, 9)))
    assert (often.low, often.high) == pytest.approx((once.low, once.high))
    assert often.naive_high - often.naive_low < (once.naive_high - once.naive_low) / 2
    y = values**2
    first, second = (
        fit_line(np.tile(values, (1, n)), np.tile(y, (1, n)), np.random.default_rng(0))
        for n in (1, 9)
    )
    assert second.slope.low == pytest.approx(first.slope.low)


def test_intervals_cover_as_often_as_they_say() -> None:
    rng = np.random.default_rng(3)
    clustered = naive = 0
    for _ in range(400):
        values = rng.normal(size=(12, 1)) + 0.3 * rng.normal(size=(12, 10))
        found = clustered_mean(values)
        clustered += found.low <= 0 <= found.high
        naive += found.naive_low <= 0 <= found.naive_high
    assert 0.92 <= clustered / 400 <= 0.98
    assert naive / 400 < 0.7


def test_undefined_values_are_left_out() -> None:
    values = np.array([[1.0, math.nan], [2.0, 4.0], [math.nan, math.nan]])
    found = clustered_mean(values)
    assert (found.value, found.observations, found.clusters) == (pytest.approx(7 / 3), 3, 2)
    nothing = clustered_mean(np.full((2, 2), math.nan))
    assert math.isnan(nothing.value)
    assert nothing.observations == 0
    alone = clustered_mean(np.array([[1.0, 3.0]]))
    assert alone.value == 2
    assert math.isnan(alone.low)
    assert str(alone) == "2"


def test_a_line_is_that_of_the_standard_library() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(10, 7)) * 1e-3 + 5e4
    y = 3 * x + rng.normal(size=x.shape) * 1e-3
    found = fit_line(x, y, rng)
    slope, intercept = statistics.linear_regression(x.ravel().tolist(), y.ravel().tolist())
    r = statistics.correlation(x.ravel().tolist(), y.ravel().tolist())
    assert found.slope.value == pytest.approx(slope, rel=1e-6)
    assert found.intercept == pytest.approx(intercept, rel=1e-3)
    assert found.correlation.value == pytest.approx(r, rel=1e-6)
    assert found.r_squared.value == pytest.approx(r * r, rel=1e-6)
    assert found.correlation.low < r < found.correlation.high
    assert "R²" in str(found)
    assert "R²" in found._repr_html_()


def test_a_line_moves_with_its_points() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(9, 4)), rng.normal(size=(9, 4))
    first = fit_line(x, y, np.random.default_rng(0))
    moved = fit_line(8 * x, 2 - 4 * y, np.random.default_rng(0))
    assert moved.slope.value == pytest.approx(-first.slope.value / 2)
    assert moved.slope.low == pytest.approx(-first.slope.high / 2)
    assert moved.correlation.value == pytest.approx(-first.correlation.value)
    assert moved.r_squared.value == pytest.approx(first.r_squared.value)


def test_a_line_through_points_that_do_not_vary_is_none() -> None:
    x, y = np.full((3, 4), 0.1), np.arange(12.0).reshape(3, 4)
    for found in (
        fit_line(x, y, np.random.default_rng(0)),
        fit_line(np.full((3, 4), math.nan), y, np.random.default_rng(0)),
    ):
        assert math.isnan(found.slope.value)
        assert math.isnan(found.correlation.value)
    flat = fit_line(y, x, np.random.default_rng(0))
    assert flat.slope.value == pytest.approx(0, abs=1e-15)
    assert math.isnan(flat.correlation.value)


@pytest.mark.parametrize("unit", [1e-15, 1.0, 1e12])
def test_outer_percentiles_are_cut_in_both_and_no_more(unit: float) -> None:
    rng = np.random.default_rng(6)
    x, y = rng.permutation(1001.0 * np.arange(1001)), rng.permutation(np.arange(1001.0))
    kept_x, kept_y = trim_outliers(unit * x, unit * y, 0.5)
    inside = (x >= 5 * 1001) & (x <= 995 * 1001) & (y >= 5) & (y <= 995)
    assert np.array_equal(~np.isnan(kept_x), inside)
    assert np.array_equal(np.isnan(kept_x), np.isnan(kept_y))
    assert np.array_equal(trim_outliers(unit * x, y, 0)[0], unit * x)


def test_wrong_statistics_are_refused() -> None:
    good = np.ones((2, 2))
    with pytest.raises(ShapeError, match="y has shape"):
        fit_line(good, np.ones((2, 3)), np.random.default_rng(0))
    with pytest.raises(InvalidInputError, match="infinite"):
        clustered_mean(np.array([[math.inf, 1.0]]))
    for wrong in ([[1.0]], np.ones((2, 2), dtype=np.int64), np.float64(1)):
        given: Any = wrong
        with pytest.raises(InvalidInputError, match="values is no array of clusters"):
            inspect.unwrap(clustered_mean)(given)
    for percent in (50, -1, True):
        with pytest.raises(InvalidInputError, match="percent is no such percentile"):
            trim_outliers(good, good, percent)
