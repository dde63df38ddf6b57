"""The auction, compiled: one exponential a reward, and one a candidate.

With m a number near the mean p.r of a row, x = (m - r) / tau and phi(x) = exp(x) - 1 - x >= 0,

    tau KL(p || q) = tau (log1p(S + D) - D),    S = sum p phi(x),    D = sum p x,

where D is small, since m is near the mean. Nothing cancels: S is a sum of terms that are not
negative, and phi is computed without the difference that defines it. The mean is taken of what
rewards are ahead of that of the best candidate, and m is a pair of numbers, so that a base which
all rewards of a row share has no part in D. Weights w with the sum P stand for p = w / P. Scores
are logarithms of weights, as pairs of numbers whose sum is right to about 100 bits. A row whose
exponents leave the range of float64 is computed from scores instead.

The arithmetic, the laws and the moments stand in the files beside this one.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from mechanisms.softmax_auction._kernels_arithmetic import (
    EPS,
    FLUSHED,
    LARGEST,
    STEEP,
    TILE,
    sum_columns,
)
from mechanisms.softmax_auction._kernels_laws import MONEY, RANGE, tilt, weigh
from mechanisms.softmax_auction._kernels_moments import (
    conclude_sums,
    moments_of,
    sweep_row,
    sweep_two_rows,
)
from theory.shared.compiling import kernel

__all__ = [
    "BOUNDS",
    "EXPECTED",
    "NUMBERS",
    "PAYMENTS",
    "REWARD_GAINS",
    "UTILITIES",
    "UTILITY_GAINS",
    "allocate",
    "allocate_without",
    "pay",
    "report",
]

EXPECTED, PAYMENTS, UTILITIES, REWARD_GAINS, UTILITY_GAINS, BOUNDS = range(6)
NUMBERS: Final = 6


@kernel
def _row_of(laws: Any, t: Any) -> Any:
    """Return the row of query t, or the row of all."""
    return laws[t if len(laws) > 1 else 0]


@kernel
def pay(table: Any, taus: Any, refs: Any, gens: Any, offset: Any, out: Any) -> Any:
    """Write the payments of all agents in all queries; return 0, or what is wrong."""
    queries, size = len(taus), table.shape[1]
    agents = len(table) // queries
    high, low, weights = np.empty(size), np.empty(size), np.empty(size)
    found = np.empty((5, agents))
    for t in range(queries):
        tau = taus[t]
        first = t * agents
        sum_columns(table, first, first + agents, high, low)
        wrong, law = weigh(tau, _row_of(refs, t), _row_of(gens, t), high, low, weights)
        if wrong:
            return wrong
        total, _, base, rest, log_rho, top = law
        common = tau * (log_rho + math.log(total))
        even = agents - agents % 2
        if even:
            sweep_two_rows(table, first, even, weights, total, top, 1.0 / tau, found)
        if even < agents:
            sweep_row(table, first + even, weights, total, top, 1.0 / tau, found, even)
        for i in range(agents):
            swept = found[0, i], found[1, i], found[2, i], found[3, i], found[4, i]
            middle, off, s, d, steep = swept
            log_mean, mean, divergence, _ = conclude_sums(s, d, total)
            if steep != 0 or not abs(log_mean) <= LARGEST:
                _, (log_mean, mean, divergence, _) = moments_of(
                    table[first + i], (high, low), weights, total, tau, swept
                )
            if not abs(log_mean) <= LARGEST:
                return RANGE
            if offset:
                out[t, i] = tau * divergence
            else:
                out[t, i] = (middle - base) - ((rest - off) + (tau * mean + common))
                if not abs(out[t, i]) < np.inf:
                    return MONEY
    return 0


@kernel
def allocate(table: Any, taus: Any, refs: Any, gens: Any, allocation: Any) -> Any:
    """Write the law of the reply of each query; return 0, or what is wrong."""
    queries, size = len(taus), table.shape[1]
    agents = len(table) // queries
    high, low = np.empty(size), np.empty(size)
    for t in range(queries):
        first = t * agents
        sum_columns(table, first, first + agents, high, low)
        wrong, law = weigh(taus[t], _row_of(refs, t), _row_of(gens, t), high, low, allocation[t])
        if wrong:
            return wrong
        total = law[0]
        for j in range(size):
            allocation[t, j] /= total
    return 0


@kernel
def allocate_without(table: Any, taus: Any, refs: Any, gens: Any, laws: Any) -> Any:
    """Write the law of the reply with each agent away; what is wrong was found before."""
    queries, size = len(taus), table.shape[1]
    agents = len(table) // queries
    high, low, weights = np.empty(size), np.empty(size), np.empty(size)
    upper, lower = np.empty(size), np.empty(size)
    for t in range(queries):
        first = t * agents
        sum_columns(table, first, first + agents, high, low)
        _, known = weigh(taus[t], _row_of(refs, t), _row_of(gens, t), high, low, weights)
        top = known[5]
        for i in range(agents):
            law, row = laws[t, i], table[first + i]
            total, _, _ = tilt(row, taus[t], row[top], (high, low), (upper, lower), law)
            for j in range(size):
                law[j] /= total
    return 0


@kernel
def report(
    table: Any, taus: Any, refs: Any, gens: Any, offset: Any, allocation: Any, numbers: Any
) -> Any:
    """Write the law of each reply and all that agents are told; return 0, or what is wrong."""
    queries, size = len(taus), table.shape[1]
    agents = len(table) // queries
    high, low, weights = np.empty(size), np.empty(size), np.empty(size)
    upper, lower, tilted = np.empty(size), np.empty(size), np.empty(size)
    found = np.empty((5, 1))
    for t in range(queries):
        tau, told = taus[t], numbers[:, t]
        first = t * agents
        sum_columns(table, first, first + agents, high, low)
        wrong, law = weigh(tau, _row_of(refs, t), _row_of(gens, t), high, low, weights)
        if wrong:
            return wrong
        total, vanished, base, rest, log_rho, top = law
        for j in range(size):
            allocation[t, j] = weights[j] / total
        common = tau * (log_rho + math.log(total))
        blur = _error_of_weights(
            table[first : first + agents], tau, _row_of(refs, t), _row_of(gens, t)
        )
        for i in range(agents):
            g = first + i
            row = table[g]
            sweep_row(table, g, weights, total, top, 1.0 / tau, found, 0)
            swept = found[0, 0], found[1, 0], found[2, 0], found[3, 0], found[4, 0]
            middle, off = swept[0], swept[1]
            careful, moments = moments_of(row, (high, low), weights, total, tau, swept)
            log_mean, mean, divergence, _ = moments
            if not abs(log_mean) <= LARGEST:
                return RANGE
            least, most = np.inf, -np.inf
            for j in range(size):
                if high[j] > -np.inf:
                    least, most = min(least, row[j]), max(most, row[j])
            known, spread = _bound_errors(
                row,
                weights,
                total,
                (middle, off),
                tau,
                moments,
                (least, most),
                careful,
                blur,
                vanished,
            )
            price = tau * divergence
            told[EXPECTED, i] = middle + (off - tau * mean)
            if offset:
                told[PAYMENTS, i] = price
                utility = middle + (off - tau * log_mean)
                told[UTILITIES, i] = min(max(utility, least), most)
                known = tau * known + EPS * price
                told[BOUNDS, i] = min(known, max(price, 1.01 * (most - least))) + 1e-307
            else:
                told[PAYMENTS, i] = (middle - base) - ((rest - off) + (tau * mean + common))
                told[UTILITIES, i] = base + (rest + common)
                if not abs(told[PAYMENTS, i]) < np.inf:
                    return MONEY
                told[BOUNDS, i] = (
                    min(tau * spread, 1.01 * (most - least))
                    + 1.1 * tau * (blur + _error_of_sum(size, careful))
                    + 4 * EPS * (abs(middle) + abs(base) + abs(told[PAYMENTS, i]))
                    + 8 * EPS * tau * (abs(log_rho) + abs(math.log(total)) + abs(mean))
                    + 4 * EPS * abs(tau * log_rho)
                    + 1e-307
                )
            mass, _, peak = tilt(row, tau, middle, (high, low), (upper, lower), tilted)
            sweep_row(table, g, tilted, mass, peak, -1.0 / tau, found, 0)
            swept = found[0, 0], found[1, 0], found[2, 0], found[3, 0], found[4, 0]
            _, (_, back, divergence, _) = moments_of(row, (upper, lower), tilted, mass, -tau, swept)
            gain = tau * divergence
            outside = swept[0] + (swept[1] + tau * back)
            told[UTILITY_GAINS, i] = gain if offset else told[UTILITIES, i] - outside
            told[REWARD_GAINS, i] = gain + price
    return 0


@kernel
def _error_of_weights(rows: Any, tau: Any, ref: Any, gen: Any) -> Any:
    """Bound the relative error of weights, apart from that of adding them up.

    Scores are pairs, whose errors are a few squares of the rounding of what was added and divided,
    however much of it cancels.
    """
    agents, size = rows.shape
    largest, logs = 0.0, 0.0
    for i in range(agents):
        for j in range(size):
            largest = max(largest, abs(rows[i, j]))
    for j in range(len(ref)):
        if ref[j] > -np.inf:
            logs = max(logs, abs(ref[j]), abs(gen[j]))
    reach = agents * (largest / tau)
    return 5 * EPS + (2 * agents * agents + 32) * EPS**2 * reach + 32 * EPS**2 * logs


@kernel
def _error_of_sum(size: Any, steep: Any) -> Any:
    """Bound the relative error of a sum of weights or of other terms that are not negative."""
    return EPS * (size if steep else min(size, TILE) + size / TILE)


@kernel
def _bound_errors(
    row: Any,
    weights: Any,
    total: Any,
    middle: Any,
    tau: Any,
    moments: Any,
    ends: Any,
    steep: Any,
    blur: Any,
    vanished: Any,
) -> Any:
    """Bound the errors of K = log E exp(x) - E x and of E x, x being (m - r) / tau.

    Let d = E x, y = x - d, A = E|y| and T = 1 - exp(-K) = E phi(y) / E exp(y), all of the weights
    as they were computed.

    Weights: those that are right are w (1 + e) with E e = 0, abs(e) <= 2 b, where b bounds errors
    of weights. Then K is off by log(1 + C + R) - C, where C = E(e y), at most 2 b A, and R, the
    mean of e (exp(y - K) - 1 - y), is at most 2 b T (1 + A). C + R is a mean of e, too, and thus at
    most 2 b. So K is off by R and a square of C + R.

    Sums: S and D are off by s T and by g = 2 a (A + abs(d)), where a bounds errors of adding. K
    feels g only times 1 - exp(-K - d), and a square of both.

    Exponents off by e|x|: K moves by the mean of e|x| abs(exp(y - K) - 1). In y that is at most
    e T (2 + max y + A), since y (exp(y) - 1) <= (2 + max(y, 0)) phi(y).

    E x is off by 2 b A, by g, and by the mean of e|x|. Weights that are 0 are below 1e-304, and so
    are their parts of S but for exp(x). A tenth is added for what is left out.
    """
    _, mean, divergence, lost = moments
    least, most = ends
    if not blur <= 0.05:
        return np.inf, np.inf
    size = len(row)
    spread = 0.0
    for j in range(size):
        spread += weights[j] * abs(((middle[0] - row[j]) + middle[1]) / tau)
    off = abs(mean)
    spread = 1.01 * spread / total + off
    farthest = max(((middle[0] - least) + middle[1]) / tau, 0.0) + off
    share = -math.expm1(-divergence)
    slope = share + 1.3 * min(off, 1.0)
    adding = _error_of_sum(size, steep)
    rounding = 1e-29 if steep else 3 * EPS
    tilting = 2.1 * blur * share * (1 + spread)
    weighing = tilting + min(2.1 * blur * spread + tilting, 2.1 * blur) ** 2
    terms = (2 * adding + 20 * EPS) * (share + off * off)
    drift = 2 * adding * (spread + off)
    summing = terms + drift * slope + min(terms + drift, 0.01) ** 2
    moving = rounding * (share * (2 + farthest + spread) + off * (share * (2 + spread) + spread))
    none = 1e-300
    if vanished:
        none += size * (math.exp(min(farthest, STEEP) + FLUSHED) + 1e-304 * ((most - least) / tau))
    return (
        1.1 * (weighing + summing + moving) + lost + none,
        1.1 * (2.1 * blur * spread + drift + rounding * (spread + off)) + none,
    )
