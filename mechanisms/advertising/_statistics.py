"""Means, correlations and lines, with intervals that know which observations belong together.

Runs that share a query share its reply laws and its rewards. They are no independent observations,
and an interval that takes them for such is too narrow. All intervals here are for clusters, the
first axis: what is independent is one cluster from another, whatever holds within.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan, sqrt
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, ShapeError
from theory.shared.shapes import Float64
from theory.verdicts import ShownAsTable, Table

__all__ = ["Estimate", "FittedLine", "clustered_mean", "fit_line", "trim_outliers"]

_CONFIDENCE: Final = 0.95
_RESAMPLES: Final = 2_000
_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval.

    Attributes
    ----------
    value, low, high : float
        NaN where it is not defined; the ends are NaN where there is one cluster only.
    naive_low, naive_high : float
        The ends that would be found if all observations were independent, where that is known; for
        comparison, since they promise too much.
    observations, clusters : int
        What it was computed from.
    """

    value: float
    low: float
    high: float
    observations: int
    clusters: int
    naive_low: float = nan
    naive_high: float = nan

    def __str__(self) -> str:
        if not isfinite(self.low):
            return f"{self.value:.4g}"
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True)
class FittedLine(ShownAsTable):
    """The least-squares line of y over x, and Pearson's correlation of the two.

    Attributes
    ----------
    slope, correlation, r_squared : Estimate
        NaN where x does not vary; for the latter two also where y does not.
    intercept : float
    """

    slope: Estimate
    intercept: float
    correlation: Estimate
    r_squared: Estimate

    def table(self) -> Table:
        """Return the numbers with their intervals."""
        rows = (
            ("correlation", str(self.correlation)),
            ("R²", str(self.r_squared)),
            ("slope", str(self.slope)),
            ("intercept", f"{self.intercept:.4g}"),
        )
        return Table(
            caption=f"{self.slope.observations:,} points in {self.slope.clusters} clusters, 95% "
            "intervals from resampled clusters",
            columns=("", "estimate"),
            rows=rows,
        )


def clustered_mean(values: Float64[np.ndarray, "clusters ..."]) -> Estimate:
    """Return the mean of all values that are not NaN, with an interval for clusters.

    With sums s_c and counts n_c of the clusters, N values in C clusters and mean m, the variance of
    the mean is estimated by C / (C - 1) Σ_c (s_c - m n_c)² / N², and the interval is of Student's
    law with C - 1 degrees of freedom. It holds for many clusters, or normal ones of equal sizes.

    Parameters
    ----------
    values : float64 array of shape (clusters, ...)
        NaN stands for a value that is not defined.

    Raises
    ------
    InvalidInputError
        Where values are infinite, or there are none at all.

    Notes
    -----
    Time O(values). Source: Liang and Zeger, "Longitudinal data analysis using generalized linear
    models", Biometrika, 1986, for a constant alone.

    Examples
    --------
    >>> import numpy as np
    >>> seen = np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0]])
    >>> found = clustered_mean(seen)
    >>> print(found)
    2 [-0.4841, 4.484]
    >>> found.naive_high < found.high
    True
    """
    rows = _clusters("values", values)
    defined = ~np.isnan(rows)
    counts = defined.sum(axis=1)
    N = int(counts.sum())
    kept = counts > 0
    C = int(kept.sum())
    if not N:
        return Estimate(nan, nan, nan, 0, 0)
    filled = np.where(defined, rows, 0.0)
    mean = float(filled.sum() / N)
    off = np.where(defined, rows - mean, 0.0)
    mean += float(off.sum() / N)
    low, high = _student(mean, float((off.sum(axis=1)[kept] ** 2).sum()), N, C)
    naive_low, naive_high = _student(mean, float((off**2).sum()), N, N)
    return Estimate(mean, low, high, N, C, naive_low, naive_high)


def fit_line(
    x: Float64[np.ndarray, "clusters ..."],
    y: Float64[np.ndarray, "clusters ..."],
    rng: np.random.Generator,
) -> FittedLine:
    """Return the least-squares line of y over x, with intervals from resampled clusters.

    Clusters are drawn with replacement, as many as there are, 2,000 times; the interval is from the
    2.5th to the 97.5th percentile of what comes out.

    Parameters
    ----------
    x, y : float64 arrays of shape (clusters, ...)
        A pair with a NaN is left out.
    rng : numpy.random.Generator
        Draws the clusters.

    Raises
    ------
    InvalidInputError
        Where the shapes differ or values are infinite.

    Notes
    -----
    Time O(values + 2,000 clusters), memory of 2,000 times clusters numbers.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(12.0).reshape(4, 3)
    >>> line = fit_line(x, 2 * x + 1, np.random.default_rng(0))
    >>> print(f"{line.slope.value:.3f} {line.intercept:.3f} {line.r_squared.value:.3f}")
    2.000 1.000 1.000
    """
    across, up = _clusters("x", x), _clusters("y", y)
    if across.shape != up.shape:
        problem = f"has shape {y.shape} beside x of shape {x.shape}"
        raise ShapeError("y", y, problem, "give as many of the one as of the other")
    defined = ~(np.isnan(across) | np.isnan(up))
    counts = defined.sum(axis=1).astype(float)
    kept = counts > 0
    N, C = int(counts.sum()), int(kept.sum())
    if not N:
        nothing = Estimate(nan, nan, nan, 0, 0)
        return FittedLine(nothing, nan, nothing, nothing)
    centre = tuple(float(np.where(defined, v, 0.0).sum() / N) for v in (across, up))
    dx, dy = (np.where(defined, v - c, 0.0) for v, c in zip((across, up), centre, strict=True))
    scales = tuple(float(np.abs(d).max()) or 1.0 for d in (dx, dy))
    dx, dy = dx / scales[0], dy / scales[1]
    moments = np.stack(
        [counts, dx.sum(1), dy.sum(1), (dx * dx).sum(1), (dy * dy).sum(1), (dx * dy).sum(1)], axis=1
    )[kept]
    slope, correlation, intercept = _moments_line(moments.sum(axis=0))
    unit = scales[1] / scales[0]
    if C > 1:
        drawn = rng.multinomial(C, np.full(C, 1 / C), size=_RESAMPLES).astype(float) @ moments
        slopes, correlations, _ = _moments_line(drawn)
    else:
        slopes = correlations = np.array([nan])
    return FittedLine(
        slope=_estimate(slope * unit, slopes * unit, N, C),
        intercept=centre[1] + scales[1] * float(intercept) - float(slope) * unit * centre[0],
        correlation=_estimate(correlation, correlations, N, C),
        r_squared=_estimate(correlation**2, correlations**2, N, C),
    )


def trim_outliers(
    x: Float64[np.ndarray, "*shape"], y: Float64[np.ndarray, "*shape"], percent: float = 0.5
) -> tuple[Float64[np.ndarray, "*shape"], Float64[np.ndarray, "*shape"]]:
    """Return x and y with NaN in place of all pairs of which one is in the outer percentiles.

    Pairs of which x is below its ``percent`` percentile or above its 100 - ``percent`` one go, and
    so do those of which y is. Percentiles are of what is defined. What differs from a percentile by
    a billionth of their distance is kept: many values may be the same but for rounding.

    Raises
    ------
    InvalidInputError
        Where ``percent`` is not at least 0 and below 50.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = trim_outliers(np.arange(5.0), np.array([0.0, 9.0, 2.0, 1.0, 5.0]), 10.0)
    >>> print(x)
    [nan nan  2.  3. nan]
    """
    if isinstance(percent, bool) or not 0 <= percent < 50:
        fix = "give a number from 0, below 50"
        raise InvalidInputError("percent", percent, "is no such percentile", fix)
    keep = ~(np.isnan(x) | np.isnan(y))
    for values in (x, y):
        seen = values[~np.isnan(values)]
        if len(seen):
            low, high = np.percentile(seen, [percent, 100 - percent])
            room = _ROUNDING * (high - low)
            keep &= (values >= low - room) & (values <= high + room)
    return np.where(keep, x, nan), np.where(keep, y, nan)


def _clusters(argument: str, values: Any) -> np.ndarray:
    if not isinstance(values, np.ndarray) or values.dtype != np.float64 or values.ndim < 1:
        fix = "give a float64 array with an axis of clusters first"
        raise InvalidInputError(argument, values, "is no array of clusters", fix)
    if np.isinf(values).any():
        raise InvalidInputError(argument, values, "has infinite values", "leave them out")
    return values.reshape(len(values), -1)


def _student(mean: float, squares: float, N: int, clusters: int) -> tuple[float, float]:
    if clusters < 2:
        return nan, nan
    from scipy.special import stdtrit

    error = sqrt(squares * clusters / (clusters - 1)) / N
    half = float(stdtrit(clusters - 1, (1 + _CONFIDENCE) / 2)) * error
    return mean - half, mean + half


def _moments_line(moments: np.ndarray) -> tuple[Any, Any, Any]:
    """Return slope, correlation and intercept from n, Σx, Σy, Σx², Σy², Σxy along the last axis."""
    n, sx, sy, sxx, syy, sxy = np.moveaxis(moments, -1, 0)
    vx, vy, c = sxx - sx * sx / n, syy - sy * sy / n, sxy - sx * sy / n
    floor = 1e-14 * n
    vx, vy = np.where(vx > floor, vx, nan), np.where(vy > floor, vy, nan)
    slope = c / vx
    return slope, np.clip(c / np.sqrt(vx * vy), -1.0, 1.0), sy / n - slope * sx / n


def _estimate(value: Any, drawn: np.ndarray, N: int, C: int) -> Estimate:
    seen = drawn[~np.isnan(drawn)]
    tail = 100 * (1 - _CONFIDENCE) / 2
    low, high = np.percentile(seen, [tail, 100 - tail]) if len(seen) else (nan, nan)
    return Estimate(float(value), float(low), float(high), N, C)
