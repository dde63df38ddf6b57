"""The law of a row, compiled: its weights and their scores, before and after tilting by a reward.

Weights w with the sum P stand for p = w / P. Scores are logarithms of weights, as pairs of numbers
whose sum is right to about 100 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mechanisms.softmax_auction._kernels_arithmetic import (
    ALL_BITS,
    FLUSHED,
    LARGEST,
    TILE,
    add,
    bits_of,
    divide_pair,
    exp,
    two_sum,
)
from theory.shared.compiling import fused_kernel, kernel

__all__ = ["ALLOCATION", "LOG_GEN", "LOG_REF", "MONEY", "RANGE", "REWARDS", "tilt", "weigh"]

REWARDS, LOG_REF, LOG_GEN, ALLOCATION, RANGE, MONEY = 1, 2, 3, 4, 5, 6
"""What a kernel found wrong, its answer otherwise being 0."""


@kernel
def _find_fault(totals: Any, ref: Any, gen: Any) -> Any:
    """Return what is wrong with numbers, 0 if nothing is."""
    wrong = 0
    for j in range(len(totals)):
        wrong += not abs(totals[j]) <= LARGEST
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
def weigh(tau: Any, ref: Any, gen: Any, high: Any, low: Any, weights: Any) -> Any:
    """Turn totals into scores, the best of them 0, and into weights.

    Return what is wrong (0 if nothing is), the sum of the weights, how many possible candidates
    have weight 0, tau times the score that was subtracted as a pair, without log rho, what else
    was subtracted, in units of tau: log rho of that candidate, and what rounding hid; and the best
    candidate.
    """
    size = len(weights)
    weighted = len(ref) > 0
    nothing = (0.0, 0, 0.0, 0.0, 0.0, 0)
    wrong = _find_fault(high, ref, gen)
    if wrong:
        return wrong, nothing
    per = 1.0 / tau
    best = np.int64(-ALL_BITS)
    for j in range(size):
        score = high[j] * per
        if weighted:
            score += ref[j] - gen[j]
        weights[j] = score
        best = max(best, bits_of(score) ^ ((bits_of(score) >> 63) & ALL_BITS))
    highest = np.int64(best ^ ((best >> 63) & ALL_BITS)).view(np.float64)
    top = 0
    while top < size - 1 and weights[top] != highest:
        top += 1
    base, rest = high[top], low[top]
    log_rho = 0.0
    for j in range(size):
        s, e = two_sum(high[j], -base)
        s, e = divide_pair(s, e + (low[j] - rest), tau, per)
        high[j] = s
        low[j] = e
        wrong += not abs(s) <= LARGEST
    if wrong or not abs(base * per) <= LARGEST:
        return RANGE, nothing
    if weighted:
        ref_top, gen_top = ref[top], gen[top]
        log_rho = ref_top - gen_top
        for j in range(size):
            if ref[j] == -np.inf:
                high[j] = -np.inf
                low[j] = 0.0
                continue
            a, e = two_sum(ref[j], -ref_top)
            b, f = two_sum(gen[j], -gen_top)
            c, g = two_sum(a, -b)
            s, h = two_sum(high[j], c)
            rest_j = low[j] + (h + (g + (e - f)))
            high[j], low[j] = two_sum(s, rest_j)
    ahead = np.int64(0)
    for j in range(size):
        ahead = max(ahead, bits_of(high[j]))
    if ahead > 0:
        hidden, top = _normalise_scores(high, low)
        log_rho += hidden
    total, vanished = _exponentiate_scores(high, low, weights)
    return 0, (total, vanished, base, rest, log_rho, top)


@kernel
def _normalise_scores(high: Any, low: Any) -> Any:
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
            s, e = two_sum(high[j], -best)
            high[j], low[j] = two_sum(s, e + (low[j] - rest))
    return best + rest, top


@fused_kernel
def _exponentiate_scores(high: Any, low: Any, weights: Any) -> Any:
    """Write weights of scores that are at most about 0; return their sum and how many vanished."""
    vanished = 0
    total = 0.0
    size = len(weights)
    for a in range(0, size, TILE):
        b = min(a + TILE, size)
        upper, lower, law = high[a:b], low[a:b], weights[a:b]
        part = 0.0
        for j in range(b - a):
            s = upper[j]
            value = exp(max(s, FLUSHED))
            value = value + value * lower[j]
            law[j] = value if s > FLUSHED else 0.0
        for j in range(b - a):
            part = add(part, law[j])
        for j in range(b - a):
            vanished += (upper[j] <= FLUSHED) & (upper[j] > -np.inf)
        total += part
    return total, vanished


@kernel
def tilt(row: Any, tau: Any, middle: Any, scores: Any, tilted: Any, weights: Any) -> Any:
    """Write the scores and weights of the law proportional to p exp(-r / tau).

    Return the sum of the weights, how many vanished, and the best candidate. ``middle`` is any
    number; rounding is least where it is near the rewards.
    """
    high, low = scores
    upper, lower = tilted
    per = 1.0 / tau
    for j in range(len(row)):
        s, e = two_sum(middle, -row[j])
        x, x_rest = divide_pair(s, e, tau, per)
        c, c_rest = two_sum(high[j], x)
        upper[j], lower[j] = two_sum(c, c_rest + (x_rest + low[j]))
        if high[j] == -np.inf:
            upper[j], lower[j] = -np.inf, 0.0
    _, top = _normalise_scores(upper, lower)
    total, vanished = _exponentiate_scores(upper, lower, weights)
    return total, vanished, top
