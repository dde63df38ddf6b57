"""Log E exp(x), E x and their difference of a row, compiled; x = (m - r) / tau.

A row whose exponents leave the range of float64 is computed from scores in place of weights.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mechanisms.softmax_auction._kernels_arithmetic import (
    EPS,
    LARGEST,
    STEEP,
    STEEP_BITS,
    TILE,
    add,
    bits_of,
    divide_pair,
    exp,
    phi,
    two_sum,
)
from theory.shared.compiling import fused_kernel, kernel

__all__ = ["conclude_sums", "moments_of", "sweep_row", "sweep_two_rows"]


@fused_kernel
def sweep_row(
    table: Any, i: Any, weights: Any, total: Any, top: Any, per: Any, found: Any, at: Any
) -> None:
    """Write, of row i, a pair near its mean, S, D and whether exponents are too steep.

    Sums are taken in tiles, so that few numbers are added up one by one.
    """
    row = table[i]
    size = len(weights)
    base = row[top]
    mean = 0.0
    for j in range(size):
        mean = add(mean, weights[j] * (row[j] - base))
    middle, rest = two_sum(base, mean / total)
    sum_phi = 0.0
    sum_x = 0.0
    steepest = np.int64(0)
    for a in range(0, size, TILE):
        b = min(a + TILE, size)
        now, law = table[i, a:b], weights[a:b]
        s = 0.0
        d = 0.0
        for j in range(b - a):
            x = ((middle - now[j]) + rest) * per
            w = law[j]
            s = add(s, w * phi(x))
            d = add(d, w * x)
            steepest = max(steepest, bits_of(x))
        sum_phi += s
        sum_x += d
    found[0, at], found[1, at] = middle, rest
    found[2, at] = sum_phi
    found[3, at] = sum_x
    found[4, at] = steepest > STEEP_BITS


@fused_kernel
def sweep_two_rows(
    table: Any, first: Any, agents: Any, weights: Any, total: Any, top: Any, per: Any, found: Any
) -> None:
    """Sweep an even number of rows as :func:`sweep_row` does, two at a time.

    The two that come after are read meanwhile for their means, so that memory and arithmetic are
    busy at once.
    """
    size = len(weights)
    ahead_one = 0.0
    ahead_two = 0.0
    row, other = table[first], table[first + 1]
    base_one, base_two = row[top], other[top]
    for j in range(size):
        ahead_one = add(ahead_one, weights[j] * (row[j] - base_one))
        ahead_two = add(ahead_two, weights[j] * (other[j] - base_two))
    for i in range(0, agents, 2):
        upper, upper_rest = two_sum(base_one, ahead_one / total)
        lower, lower_rest = two_sum(base_two, ahead_two / total)
        after = first + min(i + 2, agents - 2)
        base_one, base_two = table[after, top], table[after + 1, top]
        ahead_one = 0.0
        ahead_two = 0.0
        phi_one = 0.0
        phi_two = 0.0
        x_one = 0.0
        x_two = 0.0
        steepest = np.int64(0)
        for a in range(0, size, TILE):
            b = min(a + TILE, size)
            one, two = table[first + i, a:b], table[first + i + 1, a:b]
            next_one, next_two, law = table[after, a:b], table[after + 1, a:b], weights[a:b]
            s = 0.0
            d = 0.0
            e = 0.0
            t = 0.0
            f = 0.0
            g = 0.0
            for j in range(b - a):
                w = law[j]
                x = ((upper - one[j]) + upper_rest) * per
                y = ((lower - two[j]) + lower_rest) * per
                s = add(s, w * phi(x))
                d = add(d, w * x)
                e = add(e, w * (next_one[j] - base_one))
                t = add(t, w * phi(y))
                f = add(f, w * y)
                g = add(g, w * (next_two[j] - base_two))
                steepest = max(steepest, bits_of(x), bits_of(y))
            ahead_one += e
            ahead_two += g
            phi_one += s
            phi_two += t
            x_one += d
            x_two += f
        found[0, i], found[0, i + 1] = upper, lower
        found[1, i], found[1, i + 1] = upper_rest, lower_rest
        found[2, i], found[2, i + 1] = phi_one, phi_two
        found[3, i], found[3, i + 1] = x_one, x_two
        found[4, i] = found[4, i + 1] = steepest > STEEP_BITS


@kernel
def conclude_sums(s: Any, d: Any, total: Any) -> Any:
    """Return log E exp(x), E x, their difference and what its last steps may have lost.

    It is given S and D. Where S + D = t is small, log(1 + t) - t is a series, so that S is not lost
    beside D.
    """
    t, mean = (s + d) / total, d / total
    log_mean = math.log1p(t) if t > -1.0 else np.nan
    if abs(t) < 1e-4:
        rest = t * t * (0.5 - t * (1 / 3 - t * (0.25 - t * 0.2)))
        difference = max(s / total - rest, 0.0)
        return log_mean, mean, difference, 4 * EPS * (difference + t * t)
    difference = max(log_mean - mean, 0.0)
    return log_mean, mean, difference, 4 * EPS * (difference + abs(mean))


@kernel
def _exponent(middle: Any, rest: Any, reward: Any, tau: Any) -> Any:
    """Return (middle + rest - reward) / tau as a pair."""
    s, e = two_sum(middle, -reward)
    s, e = two_sum(s, e + rest)
    return divide_pair(s, e, tau, 1.0 / tau)


@kernel
def _from_scores(
    row: Any, scores: Any, weights: Any, total: Any, middle: Any, rest: Any, tau: Any
) -> Any:
    """Return what :func:`conclude_sums` does, for exponents of any size, from scores."""
    high, low = scores
    size = len(row)
    peak, peak_rest = -np.inf, 0.0
    for j in range(size):
        if high[j] > -np.inf:
            x, x_rest = _exponent(middle, rest, row[j], tau)
            c, c_rest = two_sum(high[j], x)
            c, c_rest = two_sum(c, c_rest + (x_rest + low[j]))
            if c > peak or (c == peak and c_rest > peak_rest):
                peak, peak_rest = c, c_rest
    d = 0.0
    moderate = peak <= STEEP
    found = 0.0
    for j in range(size):
        if high[j] == -np.inf:
            continue
        x, x_rest = _exponent(middle, rest, row[j], tau)
        w = weights[j]
        d += w * x
        if moderate and w > 0 and abs(x) <= STEEP:
            f = phi(x) if abs(x) <= 1.0 else (exp(x) - 1.0) - x
            found += w * (f + (f + x) * x_rest)
            continue
        c, c_rest = two_sum(high[j], x)
        c, c_rest = two_sum(c, c_rest + (x_rest + low[j]))
        if moderate:
            value = math.exp(c) * (1.0 + c_rest)
            found += value - (w + w * x if w > 0 else 0.0)
        else:
            s, e = two_sum(c, -peak)
            found += math.exp(s + (e + (c_rest - peak_rest)))
    if moderate:
        return conclude_sums(found, d, total)
    mean, log_mean = d / total, peak + (peak_rest + (math.log(found) - math.log(total)))
    difference = max(log_mean - mean, 0.0)
    return log_mean, mean, difference, 4 * EPS * (difference + abs(mean))


@kernel
def _in_range(row: Any, tau: Any) -> Any:
    largest = 0.0
    for j in range(len(row)):
        largest = max(largest, abs(row[j]))
    return largest <= LARGEST and largest / abs(tau) <= LARGEST


@kernel
def moments_of(row: Any, scores: Any, weights: Any, total: Any, tau: Any, swept: Any) -> Any:
    """Return whether scores were needed, and what :func:`conclude_sums` does; x = (m - r) / tau.

    None is finite where exponents leave the range of float64 altogether.
    """
    middle, rest, s, d, steep = swept
    found = conclude_sums(s, d, total)
    if steep == 0 and abs(found[0]) <= LARGEST:
        return False, found
    if not _in_range(row, tau):
        return True, (np.nan, np.nan, np.nan, np.nan)
    return True, _from_scores(row, scores, weights, total, middle, rest, tau)
