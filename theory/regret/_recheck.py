"""Regrets judged again: reported deviations round by round, and better ones by another sum.

Nothing here knows the matrix of earnings that the solver works with.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import compress
from math import fsum, lcm
from operator import mul
from typing import Any, Final

import numpy as np

from theory.regret._result import Number, Regret
from theory.shared.shapes import Float64

__all__ = ["TINY", "off_weight", "recheck_exact", "recheck_floats", "relations"]

_BUDGET: Final = 1 << 28
"""Products spent on looking for better replies in float64."""

_EPSILON: Final = 2.0**-52

TINY: Final = 2.0**-1074
"""The smallest float64 above 0: what a product that falls below all others is off by, at most."""


def recheck_exact(found: Regret, plays: list[list[Any]], rewards: list[list[Any]]) -> Regret:
    """Return the regret with its gap: 0 where every number and every deviation is right."""
    xs, d = _clear_denominators(plays)
    rs, e = _clear_denominators(rewards)
    moves = dict(found.swap.map or {})
    i, j, k = found.internal.source, found.internal.target, found.external.action
    replies = {c.action: c.best_reply for c in found.conditionals}
    followed = dict.fromkeys(replies, 0)
    earned = always = internal = swapped = 0
    for x, r in zip(xs, rs, strict=True):
        always += r[k]
        internal += x[i] * (r[j] - r[i])
        for a, w in enumerate(x):
            if w:
                own = r[a]
                earned += w * own
                if a in moves:
                    swapped += w * (r[moves[a]] - own)
                if a in replies:
                    followed[a] += w * (r[replies[a]] - own)
    unit, columns = d * e, list(zip(*rs, strict=True))
    played = {}
    for a, shares in enumerate(zip(*xs, strict=True)):
        if any(shares):
            gain = _best_gain(a, shares, columns)
            played[a] = (Fraction(sum(shares), d), Fraction(gain, unit))
    claimed = {c.action: (c.weight, c.gain) for c in found.conditionals}
    zero = (Fraction(0), Fraction(0))
    lead = Fraction(max(map(sum, columns)), e)
    apart = [
        found.earned - Fraction(earned, unit),
        found.external.gain - (Fraction(always, e) - Fraction(earned, unit)),
        found.external.gain - (lead - Fraction(earned, unit)),
        found.internal.gain - Fraction(internal, unit),
        found.internal.gain - max(gain for _, gain in played.values()),
        found.swap.gain - Fraction(swapped, unit),
        found.swap.gain - sum((gain for _, gain in played.values()), Fraction(0)),
    ]
    for a in {*played, *claimed}:
        here, there = played.get(a, zero), claimed.get(a, zero)
        apart += [here[0] - there[0], here[1] - there[1]]
    apart += [c.gain - Fraction(followed[c.action], unit) for c in found.conditionals]
    gap = max(Fraction(relations(found)), *(abs(Fraction(v)) for v in apart))
    return replace(found, gap=gap, rechecked=len(played), tolerance=Fraction(0))


def _clear_denominators(rows: list[list[Any]]) -> tuple[list[list[int]], int]:
    """Return whole numbers, and what they are to be divided by."""
    common = lcm(*{v.denominator for row in rows for v in row})
    return [[v.numerator * (common // v.denominator) for v in row] for row in rows], common


def _best_gain(a: int, shares: tuple[int, ...], columns: list[tuple[int, ...]]) -> int:
    """Return what the best reply would have gained where ``a`` was played with these shares."""
    weights = list(filter(None, shares))
    totals: list[int] = [sum(map(mul, weights, compress(c, shares))) for c in columns]
    return max(totals) - totals[a]


def recheck_floats(
    found: Regret,
    plays: Float64[np.ndarray, "rounds actions"],
    rewards: Float64[np.ndarray, "rounds actions"],
) -> Regret:
    """Return the regret with its gap; better replies to the actions played most are looked for."""
    rounds, n = plays.shape
    i, j = found.internal.source, found.internal.target
    own = [fsum((x * r).tolist()) for x, r in zip(plays, rewards, strict=True)]
    totals = [fsum(column.tolist()) for column in _columns(rewards)]
    target = np.arange(n)
    for a, b in (found.swap.map or {}).items():
        target[a] = b
    swapped = [float(x @ (r[target] - r)) for x, r in zip(plays, rewards, strict=True)]
    earned = fsum(own)
    apart = [
        found.earned - earned,
        found.external.gain - (totals[found.external.action] - earned),
        found.external.gain - (max(totals) - earned),
        found.internal.gain - fsum((plays[:, i] * (rewards[:, j] - rewards[:, i])).tolist()),
        found.internal.gain - max(c.gain for c in found.conditionals),
        found.swap.gain - fsum(swapped),
    ]
    heaviest = sorted(found.conditionals, key=lambda c: (c.action != i, -c.weight))
    chosen = heaviest[: max(1, _BUDGET // plays.size)]
    for c in chosen:
        when = np.flatnonzero(plays[:, c.action])
        x, r = plays[when, c.action], rewards[when]
        gains = np.einsum("t,tj->j", x, r - r[:, [c.action]])
        apart += [off_weight(c.weight, x.tolist()), c.gain - gains.max()]
        apart.append(c.gain - gains[c.best_reply])
    scale = fsum(np.abs(rewards).max(axis=1).tolist())
    drift = 1e-9 * scale + _EPSILON * scale * (rounds + n)
    gap = max(relations(found, drift), *map(abs, apart))
    tolerance = 4 * (rounds + n) * _EPSILON * scale + 4 * plays.size * TINY
    return replace(found, gap=float(gap), rechecked=len(chosen), tolerance=tolerance)


def _columns(a: Float64[np.ndarray, "rounds actions"]) -> Any:
    return (a[:, k] for k in range(a.shape[1]))


def relations(found: Regret, drift: float = 0.0) -> Number:
    """Return by how much more than ``drift`` the three regrets break what holds between them.

    external <= swap, internal <= swap <= N internal, external <= (N - 1) internal, where any of
    them may be known between bounds only. ``drift`` is what plays in float64 that miss one by a
    little can do to external regret.
    """
    e, internal, swap = found.external.gain, found.internal, found.swap
    n = found.size if found.arithmetic == "exact" else min(found.size, 10**300)
    broken = (
        internal.gain - internal.upper,
        swap.gain - swap.upper,
        e - swap.upper,
        internal.gain - swap.upper,
        swap.gain - n * internal.upper,
        e - (n - 1) * internal.upper,
    )
    worst, none = max(broken), e * 0
    return max(worst - drift, none) if drift else max(worst, none)


def off_weight(claimed: Any, shares: list[float]) -> float:
    """Return how far a weight is from its sum; 0 where rounding explains it.

    Weights are not on the scale of rewards, so they are judged by themselves.
    """
    off = abs(float(claimed) - fsum(shares))
    return off if off > 4 * len(shares) * _EPSILON * fsum(shares) else 0.0
