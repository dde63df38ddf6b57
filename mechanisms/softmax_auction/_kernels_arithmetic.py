"""Arithmetic of the compiled auction: exponentials without loss, and sums as pairs of numbers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from theory.shared.compiling import fused_kernel, kernel, unordered_kernel

__all__ = [
    "ALL_BITS",
    "EPS",
    "FLUSHED",
    "LARGEST",
    "SERIES",
    "STEEP",
    "STEEP_BITS",
    "TILE",
    "add",
    "bits_of",
    "divide_pair",
    "exp",
    "phi",
    "sum_columns",
    "two_sum",
]

LARGEST: Final = 1e280
FLUSHED: Final = -700.0
"""Weights whose logarithm is below are 0."""
STEEP: Final = 600.0
"""Rows with larger exponents are computed from scores."""
STEEP_BITS: Final = int(np.float64(STEEP).view(np.int64))
ALL_BITS: Final = 2**63 - 1
_COLUMNS: Final = 16384
TILE: Final = 2048
EPS: Final = 2.0**-52
_TO_BITS: Final = 1.4426950408889634
_LOG2: Final = 0.6931471805599453
_LOG2_HEAD, _LOG2_TAIL = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_ROUND: Final = 6755399441055744.0
"""1.5 * 2^52: adding it rounds to an integer, which the last bits of the sum then hold."""
SERIES: Final = (
    0.16666666666666666,
    0.041666666666663264,
    0.008333333333333071,
    0.0013888888897950404,
    0.00019841269848239044,
    2.480154959261754e-05,
    2.7557290221651144e-06,
    2.760752631396004e-07,
    2.5090724566175848e-08,
)
"""(exp(f) - 1 - f) / f^2 for |f| <= log(2) / 2, to 1e-15: 1/2, then these, fitted at Chebyshev's
nodes with the first two held."""
_C1, _C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9 = SERIES


@unordered_kernel
def add(a: Any, b: Any) -> Any:
    return a + b


@kernel
def bits_of(x: Any) -> Any:
    """Return an integer that grows with x where x >= 0, and is negative where x < 0."""
    return np.float64(x).view(np.int64)


@fused_kernel
def _series(f: Any) -> Any:
    q = _C9
    q = q * f + _C8
    q = q * f + _C7
    q = q * f + _C6
    q = q * f + _C5
    q = q * f + _C4
    q = q * f + _C3
    q = q * f + _C2
    q = q * f + _C1
    return q * f + 0.5


@fused_kernel
def phi(x: Any) -> Any:
    """Return exp(x) - 1 - x for x <= 700, right in relation to itself, however small it is.

    Where products are not fused into sums, errors are like those of an x that is off by half of its
    last bit, which :func:`_bound_errors` counts with those of computing x in float64.
    """
    low = max(x, FLUSHED)
    t = low * _TO_BITS + _ROUND
    f = low - (t - _ROUND) * _LOG2
    s = np.int64((np.float64(t).view(np.int64) + 1023) << 52).view(np.float64)
    g = s * f
    return (g * f) * _series(f) + ((g - x) + (s - 1.0))


@fused_kernel
def exp(x: Any) -> Any:
    """Return exp(x) for x in [-700, 700]."""
    t = x * _TO_BITS + _ROUND
    k = t - _ROUND
    f = (x - k * _LOG2_HEAD) - k * _LOG2_TAIL
    s = np.int64((np.float64(t).view(np.int64) + 1023) << 52).view(np.float64)
    g = s * f
    return s + (g + (g * f) * _series(f))


@kernel
def two_sum(a: Any, b: Any) -> Any:
    """Return a + b rounded, and what was rounded off (Knuth)."""
    s = a + b
    z = s - a
    return s, (a - (s - z)) + (b - z)


@kernel
def divide_pair(high: Any, low: Any, tau: Any, per: Any) -> Any:
    """Return (high + low) / tau as a pair, ``per`` being 1 / tau; products after Dekker."""
    q = high * per
    q1 = np.int64(np.float64(q).view(np.int64) & -134217728).view(np.float64)
    t1 = np.int64(np.float64(tau).view(np.int64) & -134217728).view(np.float64)
    q2, t2 = q - q1, tau - t1
    product = q * tau
    missing = ((q1 * t1 - product) + q1 * t2 + q2 * t1) + q2 * t2
    rest = ((high - product) - missing + low) * per
    s = q + rest
    return s, rest - (s - q)


@kernel
def sum_columns(table: Any, begin: Any, end: Any, high: Any, low: Any) -> None:
    """Write the sum of each column over some rows as a pair; three rows at a time."""
    columns = len(high)
    for a in range(0, columns, _COLUMNS):
        b = min(a + _COLUMNS, columns)
        upper, lower = high[a:b], low[a:b]
        row = table[begin, a:b]
        for j in range(b - a):
            upper[j] = row[j]
            lower[j] = 0.0
        i = begin + 1
        while i + 3 <= end:
            first, second, third = table[i, a:b], table[i + 1, a:b], table[i + 2, a:b]
            for j in range(b - a):
                s, e = two_sum(upper[j], first[j])
                t, f = two_sum(s, second[j])
                u, g = two_sum(t, third[j])
                upper[j] = u
                lower[j] += (e + f) + g
            i += 3
        while i < end:
            row = table[i, a:b]
            for j in range(b - a):
                s, e = two_sum(upper[j], row[j])
                upper[j] = s
                lower[j] += e
            i += 1
