"""The auction, compiled: one exponential a reward, and one a candidate.

With m a number near the mean p.r of a row, x = (m - r) / tau and phi(x) = exp(x) - 1 - x >= 0,

    tau KL(p || q) = tau (log1p(S + D) - D),    S = sum p phi(x),    D = sum p x,

where D is small, since m is near the mean. Nothing cancels: S is a sum of terms that are not
negative, and phi is computed without the difference that defines it. The mean is taken of what
rewards are ahead of that of the best candidate, and m is a pair of numbers, so that a base which
all rewards of a row share has no part in D. Weights w with the sum P stand for p = w / P. Scores
are logarithms of weights, as pairs of numbers whose sum is right to about 100 bits. A row whose
exponents leave the range of float64 is computed from scores instead.

All kernels stand in one file, long as it is: numba keeps compiled code by the text of one file, so
a kernel in another could change without those that call it being compiled anew.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from theory.shared.compiling import fused_kernel, kernel, unordered_kernel

__all__ = [
    "ALLOCATION",
    "BOUNDS",
    "EXPECTED",
    "LOG_GEN",
    "LOG_REF",
    "MONEY",
    "NUMBERS",
    "PAYMENTS",
    "RANGE",
    "REWARDS",
    "REWARD_GAINS",
    "SERIES",
    "UTILITIES",
    "UTILITY_GAINS",
    "allocate",
    "allocate_without",
    "pay",
    "report",
]

REWARDS, LOG_REF, LOG_GEN, ALLOCATION, RANGE, MONEY = 1, 2, 3, 4, 5, 6
"""What a kernel found wrong, its answer otherwise being 0."""
EXPECTED, PAYMENTS, UTILITIES, REWARD_GAINS, UTILITY_GAINS, BOUNDS = range(6)
NUMBERS: Final = 6

_LARGEST: Final = 1e280
_FLUSHED: Final = -700.0
"""Weights whose logarithm is below are 0."""
_STEEP: Final = 600.0
"""Rows with larger exponents are computed from scores."""
_STEEP_BITS: Final = int(np.float64(_STEEP).view(np.int64))
_ALL_BITS: Final = 2**63 - 1
_COLUMNS: Final = 16384
_TILE: Final = 2048
_EPS: Final = 2.0**-52
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
def _plus(a: Any, b: Any) -> Any:
    return a + b


@kernel
def _bits(x: Any) -> Any:
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
def _phi(x: Any) -> Any:
    """Return exp(x) - 1 - x for x <= 700, right in relation to itself, however small it is.

    Where products are not fused into sums, errors are like those of an x that is off by half of its
    last bit, which :func:`_bound` counts with those of computing x in float64.
    """
    low = max(x, _FLUSHED)
    t = low * _TO_BITS + _ROUND
    f = low - (t - _ROUND) * _LOG2
    s = np.int64((np.float64(t).view(np.int64) + 1023) << 52).view(np.float64)
    g = s * f
    return (g * f) * _series(f) + ((g - x) + (s - 1.0))


@fused_kernel
def _exp(x: Any) -> Any:
    """Return exp(x) for x in [-700, 700]."""
    t = x * _TO_BITS + _ROUND
    k = t - _ROUND
    f = (x - k * _LOG2_HEAD) - k * _LOG2_TAIL
    s = np.int64((np.float64(t).view(np.int64) + 1023) << 52).view(np.float64)
    g = s * f
    return s + (g + (g * f) * _series(f))


@kernel
def _two_sum(a: Any, b: Any) -> Any:
    """Return a + b rounded, and what was rounded off (Knuth)."""
    s = a + b
    z = s - a
    return s, (a - (s - z)) + (b - z)


@kernel
def _quotient(high: Any, low: Any, tau: Any, per: Any) -> Any:
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
def _add_up(table: Any, begin: Any, end: Any, high: Any, low: Any) -> None:
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
                s, e = _two_sum(upper[j], first[j])
                t, f = _two_sum(s, second[j])
                u, g = _two_sum(t, third[j])
                upper[j] = u
                lower[j] += (e + f) + g
            i += 3
        while i < end:
            row = table[i, a:b]
            for j in range(b - a):
                s, e = _two_sum(upper[j], row[j])
                upper[j] = s
                lower[j] += e
            i += 1


@kernel
def _check(totals: Any, ref: Any, gen: Any) -> Any:
    """Return what is wrong with numbers, 0 if nothing is."""
    wrong = 0
    for j in range(len(totals)):
        wrong += not abs(totals[j]) <= _LARGEST
    if wrong:
        return REWARDS
    possible = len(ref) == 0
    for j in range(len(ref)):
        wrong += not ref[j] <= 0.0
        possible |= ref[j] > -np.inf
    if wrong:
        return LOG_REF
    for j in range(len(gen)):
        wrong += not (gen[j] <= 0.0 and gen[j] > -np.inf)
    if wrong:
        return LOG_GEN
    return 0 if possible else ALLOCATION


@kernel
def _weigh(tau: Any, ref: Any, gen: Any, high: Any, low: Any, weights: Any) -> Any:
    """Turn totals into scores, the best of them 0, and into weights.

    Return what is wrong (0 if nothing is), the sum of the weights, how many possible candidates
    have weight 0, tau times the score that was subtracted as a pair, without log rho, what else
    was subtracted, in units of tau: log rho of that candidate, and what rounding hid; and the best
    candidate.
    """
    size = len(weights)
    weighted = len(ref) > 0
    nothing = (0.0, 0, 0.0, 0.0, 0.0, 0)
    wrong = _check(high, ref, gen)
    if wrong:
        return wrong, nothing
    per = 1.0 / tau
    best = np.int64(-_ALL_BITS)
    for j in range(size):
        score = high[j] * per
        if weighted:
            score += ref[j] - gen[j]
        weights[j] = score
        best = max(best, _bits(score) ^ ((_bits(score) >> 63) & _ALL_BITS))
    highest = np.int64(best ^ ((best >> 63) & _ALL_BITS)).view(np.float64)
    top = 0
    while top < size - 1 and weights[top] != highest:
        top += 1
    base, rest = high[top], low[top]
    log_rho = 0.0
    for j in range(size):
        s, e = _two_sum(high[j], -base)
        s, e = _quotient(s, e + (low[j] - rest), tau, per)
        high[j] = s
        low[j] = e
        wrong += not abs(s) <= _LARGEST
    if wrong or not abs(base * per) <= _LARGEST:
        return RANGE, nothing
    if weighted:
        ref_top, gen_top = ref[top], gen[top]
        log_rho = ref_top - gen_top
        for j in range(size):
            if ref[j] == -np.inf:
                high[j] = -np.inf
                low[j] = 0.0
                continue
            a, e = _two_sum(ref[j], -ref_top)
            b, f = _two_sum(gen[j], -gen_top)
            c, g = _two_sum(a, -b)
            s, h = _two_sum(high[j], c)
            rest_j = low[j] + (h + (g + (e - f)))
            high[j], low[j] = _two_sum(s, rest_j)
    ahead = np.int64(0)
    for j in range(size):
        ahead = max(ahead, _bits(high[j]))
    if ahead > 0:
        hidden, top = _lower(high, low)
        log_rho += hidden
    total, vanished = _weights_of(high, low, weights)
    return 0, (total, vanished, base, rest, log_rho, top)


@kernel
def _lower(high: Any, low: Any) -> Any:
    """Subtract the best score, which only the second halves of sums told.

    Return it, and whose it is.
    """
    top = 0
    for j in range(len(high)):
        if high[j] > high[top] or (high[j] == high[top] and low[j] > low[top]):
            top = j
    best, rest = high[top], low[top]
    for j in range(len(high)):
        if high[j] > -np.inf:
            s, e = _two_sum(high[j], -best)
            high[j], low[j] = _two_sum(s, e + (low[j] - rest))
    return best + rest, top


@fused_kernel
def _weights_of(high: Any, low: Any, weights: Any) -> Any:
    """Write weights of scores that are at most about 0; return their sum and how many vanished."""
    vanished = 0
    total = 0.0
    size = len(weights)
    for a in range(0, size, _TILE):
        b = min(a + _TILE, size)
        upper, lower, law = high[a:b], low[a:b], weights[a:b]
        part = 0.0
        for j in range(b - a):
            s = upper[j]
            value = _exp(max(s, _FLUSHED))
            value = value + value * lower[j]
            law[j] = value if s > _FLUSHED else 0.0
        for j in range(b - a):
            part = _plus(part, law[j])
        for j in range(b - a):
            vanished += (upper[j] <= _FLUSHED) & (upper[j] > -np.inf)
        total += part
    return total, vanished


@fused_kernel
def _sweep(
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
        mean = _plus(mean, weights[j] * (row[j] - base))
    middle, rest = _two_sum(base, mean / total)
    sum_phi = 0.0
    sum_x = 0.0
    steepest = np.int64(0)
    for a in range(0, size, _TILE):
        b = min(a + _TILE, size)
        now, law = table[i, a:b], weights[a:b]
        s = 0.0
        d = 0.0
        for j in range(b - a):
            x = ((middle - now[j]) + rest) * per
            w = law[j]
            s = _plus(s, w * _phi(x))
            d = _plus(d, w * x)
            steepest = max(steepest, _bits(x))
        sum_phi += s
        sum_x += d
    found[0, at], found[1, at] = middle, rest
    found[2, at] = sum_phi
    found[3, at] = sum_x
    found[4, at] = steepest > _STEEP_BITS


@fused_kernel
def _sweep_pairs(
    table: Any, first: Any, agents: Any, weights: Any, total: Any, top: Any, per: Any, found: Any
) -> None:
    """Sweep an even number of rows as :func:`_sweep` does, two at a time.

    The two that come after are read meanwhile for their means, so that memory and arithmetic are
    busy at once.
    """
    size = len(weights)
    ahead_one = 0.0
    ahead_two = 0.0
    row, other = table[first], table[first + 1]
    base_one, base_two = row[top], other[top]
    for j in range(size):
        ahead_one = _plus(ahead_one, weights[j] * (row[j] - base_one))
        ahead_two = _plus(ahead_two, weights[j] * (other[j] - base_two))
    for i in range(0, agents, 2):
        upper, upper_rest = _two_sum(base_one, ahead_one / total)
        lower, lower_rest = _two_sum(base_two, ahead_two / total)
        after = first + min(i + 2, agents - 2)
        base_one, base_two = table[after, top], table[after + 1, top]
        ahead_one = 0.0
        ahead_two = 0.0
        phi_one = 0.0
        phi_two = 0.0
        x_one = 0.0
        x_two = 0.0
        steepest = np.int64(0)
        for a in range(0, size, _TILE):
            b = min(a + _TILE, size)
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
                s = _plus(s, w * _phi(x))
                d = _plus(d, w * x)
                e = _plus(e, w * (next_one[j] - base_one))
                t = _plus(t, w * _phi(y))
                f = _plus(f, w * y)
                g = _plus(g, w * (next_two[j] - base_two))
                steepest = max(steepest, _bits(x), _bits(y))
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
        found[4, i] = found[4, i + 1] = steepest > _STEEP_BITS


@kernel
def _conclude_sums(s: Any, d: Any, total: Any) -> Any:
    """Return log E exp(x), E x, their difference and what its last steps may have lost.

    It is given S and D. Where S + D = t is small, log(1 + t) - t is a series, so that S is not lost
    beside D.
    """
    t, mean = (s + d) / total, d / total
    log_mean = math.log1p(t) if t > -1.0 else np.nan
    if abs(t) < 1e-4:
        rest = t * t * (0.5 - t * (1 / 3 - t * (0.25 - t * 0.2)))
        difference = max(s / total - rest, 0.0)
        return log_mean, mean, difference, 4 * _EPS * (difference + t * t)
    difference = max(log_mean - mean, 0.0)
    return log_mean, mean, difference, 4 * _EPS * (difference + abs(mean))


@kernel
def _exponent(middle: Any, rest: Any, reward: Any, tau: Any) -> Any:
    """Return (middle + rest - reward) / tau as a pair."""
    s, e = _two_sum(middle, -reward)
    s, e = _two_sum(s, e + rest)
    return _quotient(s, e, tau, 1.0 / tau)


@kernel
def _from_scores(
    row: Any, scores: Any, weights: Any, total: Any, middle: Any, rest: Any, tau: Any
) -> Any:
    """Return what :func:`_conclude_sums` does, for exponents of any size, from scores."""
    high, low = scores
    size = len(row)
    peak, peak_rest = -np.inf, 0.0
    for j in range(size):
        if high[j] > -np.inf:
            x, x_rest = _exponent(middle, rest, row[j], tau)
            c, c_rest = _two_sum(high[j], x)
            c, c_rest = _two_sum(c, c_rest + (x_rest + low[j]))
            if c > peak or (c == peak and c_rest > peak_rest):
                peak, peak_rest = c, c_rest
    d = 0.0
    moderate = peak <= _STEEP
    found = 0.0
    for j in range(size):
        if high[j] == -np.inf:
            continue
        x, x_rest = _exponent(middle, rest, row[j], tau)
        w = weights[j]
        d += w * x
        if moderate and w > 0 and abs(x) <= _STEEP:
            f = _phi(x) if abs(x) <= 1.0 else (_exp(x) - 1.0) - x
            found += w * (f + (f + x) * x_rest)
            continue
        c, c_rest = _two_sum(high[j], x)
        c, c_rest = _two_sum(c, c_rest + (x_rest + low[j]))
        if moderate:
            value = math.exp(c) * (1.0 + c_rest)
            found += value - (w + w * x if w > 0 else 0.0)
        else:
            s, e = _two_sum(c, -peak)
            found += math.exp(s + (e + (c_rest - peak_rest)))
    if moderate:
        return _conclude_sums(found, d, total)
    mean, log_mean = d / total, peak + (peak_rest + (math.log(found) - math.log(total)))
    difference = max(log_mean - mean, 0.0)
    return log_mean, mean, difference, 4 * _EPS * (difference + abs(mean))


@kernel
def _in_range(row: Any, tau: Any) -> Any:
    largest = 0.0
    for j in range(len(row)):
        largest = max(largest, abs(row[j]))
    return largest <= _LARGEST and largest / abs(tau) <= _LARGEST


@kernel
def _tilt(row: Any, tau: Any, middle: Any, scores: Any, tilted: Any, weights: Any) -> Any:
    """Write the scores and weights of the law proportional to p exp(-r / tau).

    Return the sum of the weights, how many vanished, and the best candidate. ``middle`` is any
    number; rounding is least where it is near the rewards.
    """
    high, low = scores
    upper, lower = tilted
    per = 1.0 / tau
    for j in range(len(row)):
        s, e = _two_sum(middle, -row[j])
        x, x_rest = _quotient(s, e, tau, per)
        c, c_rest = _two_sum(high[j], x)
        upper[j], lower[j] = _two_sum(c, c_rest + (x_rest + low[j]))
        if high[j] == -np.inf:
            upper[j], lower[j] = -np.inf, 0.0
    _, top = _lower(upper, lower)
    total, vanished = _weights_of(upper, lower, weights)
    return total, vanished, top


@kernel
def _moments(row: Any, scores: Any, weights: Any, total: Any, tau: Any, swept: Any) -> Any:
    """Return whether scores were needed, and what :func:`_conclude_sums` does; x = (m - r) / tau.

    None is finite where exponents leave the range of float64 altogether.
    """
    middle, rest, s, d, steep = swept
    found = _conclude_sums(s, d, total)
    if steep == 0 and abs(found[0]) <= _LARGEST:
        return False, found
    if not _in_range(row, tau):
        return True, (np.nan, np.nan, np.nan, np.nan)
    return True, _from_scores(row, scores, weights, total, middle, rest, tau)


@kernel
def _of(laws: Any, t: Any) -> Any:
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
        _add_up(table, first, first + agents, high, low)
        wrong, law = _weigh(tau, _of(refs, t), _of(gens, t), high, low, weights)
        if wrong:
            return wrong
        total, _, base, rest, log_rho, top = law
        common = tau * (log_rho + math.log(total))
        even = agents - agents % 2
        if even:
            _sweep_pairs(table, first, even, weights, total, top, 1.0 / tau, found)
        if even < agents:
            _sweep(table, first + even, weights, total, top, 1.0 / tau, found, even)
        for i in range(agents):
            swept = found[0, i], found[1, i], found[2, i], found[3, i], found[4, i]
            middle, off, s, d, steep = swept
            log_mean, mean, divergence, _ = _conclude_sums(s, d, total)
            if steep != 0 or not abs(log_mean) <= _LARGEST:
                _, (log_mean, mean, divergence, _) = _moments(
                    table[first + i], (high, low), weights, total, tau, swept
                )
            if not abs(log_mean) <= _LARGEST:
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
        _add_up(table, first, first + agents, high, low)
        wrong, law = _weigh(taus[t], _of(refs, t), _of(gens, t), high, low, allocation[t])
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
        _add_up(table, first, first + agents, high, low)
        _, known = _weigh(taus[t], _of(refs, t), _of(gens, t), high, low, weights)
        top = known[5]
        for i in range(agents):
            law, row = laws[t, i], table[first + i]
            total, _, _ = _tilt(row, taus[t], row[top], (high, low), (upper, lower), law)
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
        _add_up(table, first, first + agents, high, low)
        wrong, law = _weigh(tau, _of(refs, t), _of(gens, t), high, low, weights)
        if wrong:
            return wrong
        total, vanished, base, rest, log_rho, top = law
        for j in range(size):
            allocation[t, j] = weights[j] / total
        common = tau * (log_rho + math.log(total))
        blur = _weight_error(table[first : first + agents], tau, _of(refs, t), _of(gens, t))
        for i in range(agents):
            g = first + i
            row = table[g]
            _sweep(table, g, weights, total, top, 1.0 / tau, found, 0)
            swept = found[0, 0], found[1, 0], found[2, 0], found[3, 0], found[4, 0]
            middle, off = swept[0], swept[1]
            careful, moments = _moments(row, (high, low), weights, total, tau, swept)
            log_mean, mean, divergence, _ = moments
            if not abs(log_mean) <= _LARGEST:
                return RANGE
            least, most = np.inf, -np.inf
            for j in range(size):
                if high[j] > -np.inf:
                    least, most = min(least, row[j]), max(most, row[j])
            known, spread = _bound(
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
                known = tau * known + _EPS * price
                told[BOUNDS, i] = min(known, max(price, 1.01 * (most - least))) + 1e-307
            else:
                told[PAYMENTS, i] = (middle - base) - ((rest - off) + (tau * mean + common))
                told[UTILITIES, i] = base + (rest + common)
                if not abs(told[PAYMENTS, i]) < np.inf:
                    return MONEY
                told[BOUNDS, i] = (
                    min(tau * spread, 1.01 * (most - least))
                    + 1.1 * tau * (blur + _sum_error(size, careful))
                    + 4 * _EPS * (abs(middle) + abs(base) + abs(told[PAYMENTS, i]))
                    + 8 * _EPS * tau * (abs(log_rho) + abs(math.log(total)) + abs(mean))
                    + 4 * _EPS * abs(tau * log_rho)
                    + 1e-307
                )
            mass, _, peak = _tilt(row, tau, middle, (high, low), (upper, lower), tilted)
            _sweep(table, g, tilted, mass, peak, -1.0 / tau, found, 0)
            swept = found[0, 0], found[1, 0], found[2, 0], found[3, 0], found[4, 0]
            _, (_, back, divergence, _) = _moments(row, (upper, lower), tilted, mass, -tau, swept)
            gain = tau * divergence
            outside = swept[0] + (swept[1] + tau * back)
            told[UTILITY_GAINS, i] = gain if offset else told[UTILITIES, i] - outside
            told[REWARD_GAINS, i] = gain + price
    return 0


@kernel
def _weight_error(rows: Any, tau: Any, ref: Any, gen: Any) -> Any:
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
    return 5 * _EPS + (2 * agents * agents + 32) * _EPS**2 * reach + 32 * _EPS**2 * logs


@kernel
def _sum_error(size: Any, steep: Any) -> Any:
    """Bound the relative error of a sum of weights or of other terms that are not negative."""
    return _EPS * (size if steep else min(size, _TILE) + size / _TILE)


@kernel
def _bound(
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
    adding = _sum_error(size, steep)
    rounding = 1e-29 if steep else 3 * _EPS
    tilting = 2.1 * blur * share * (1 + spread)
    weighing = tilting + min(2.1 * blur * spread + tilting, 2.1 * blur) ** 2
    terms = (2 * adding + 20 * _EPS) * (share + off * off)
    drift = 2 * adding * (spread + off)
    summing = terms + drift * slope + min(terms + drift, 0.01) ** 2
    moving = rounding * (share * (2 + farthest + spread) + off * (share * (2 + spread) + spread))
    none = 1e-300
    if vanished:
        none += size * (
            math.exp(min(farthest, _STEEP) + _FLUSHED) + 1e-304 * ((most - least) / tau)
        )
    return (
        1.1 * (weighing + summing + moving) + lost + none,
        1.1 * (2.1 * blur * spread + drift + rounding * (spread + off)) + none,
    )
