"""Mean and variance of a standard normal variable that is known to lie in an interval."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from theory.shared.shapes import Float64

__all__ = ["moments_above", "moments_between"]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)

Moments = tuple[np.ndarray, np.ndarray]


def moments_above(low: Float64[np.ndarray, " n"]) -> Moments:
    """Return mean and variance of X ~ N(0, 1) given X > low.

    The mean is the inverse Mills ratio v = φ(low) / Φ(-low), the variance 1 - v (v - low). Beyond
    30, where that difference cancels, both are asymptotic series in 1/low².
    """
    from scipy.special import erfcx

    mean = sqrt(2 / pi) / erfcx(low / sqrt(2))  # 0 where erfcx overflows: nothing is cut off
    far = low > 30
    x = np.where(far, low, 30.0) ** -2.0
    excess = x * (1 - x * (2 - x * (10 - x * (74 - x * 706))))
    variance = x * (1 - x * (6 - x * (50 - x * (518 - x * 6354))))
    return (
        np.where(far, low * (1 + excess), mean),
        np.where(far, variance, 1 - mean * (mean - low)),
    )


def moments_between(low: Float64[np.ndarray, " n"], high: Float64[np.ndarray, " n"]) -> Moments:
    """Return mean and variance of X ~ N(0, 1) given low < X < high, by Gauss-Legendre quadrature.

    Nothing cancels for a narrow interval. An interval is cut where the density is below e^-40 of
    its largest value.
    """
    peak = np.clip(0.0, low, high)
    reach = np.sqrt(peak * peak + 80.0) - np.abs(peak)  # the density falls by e^-40 within it
    low, high = np.maximum(low, peak - reach), np.minimum(high, peak + reach)
    middle, half = (low + high) / 2, (high - low) / 2
    points = middle[:, np.newaxis] + half[:, np.newaxis] * _NODES
    weights = _WEIGHTS * np.exp(0.5 * (peak[:, np.newaxis] ** 2 - points * points))
    weights /= weights.sum(axis=1, keepdims=True)
    shifted = points - middle[:, np.newaxis]
    mean = (weights * shifted).sum(axis=1)
    variance = (weights * (shifted - mean[:, np.newaxis]) ** 2).sum(axis=1)
    return middle + mean, variance
