"""Regrets judged again: reported deviations round by round, and better ones by another sum.

Nothing here knows the matrix of earnings that the solver works with.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import fsum, lcm
from operator import mul
from typing import Any, Final

import numpy as np

from theory._shapes import Float64
from theory.regret._result import Number, Regret

__all__ = ["off_weight", "recheck_exact", "recheck_floats", "relations"]

_BUDGET: Final = 1 << 28
"""Products spent on looking for better replies in float64."""

_EPSILON: Final = 2.0**-52


def recheck_exact(found: Regret, plays: list[list[Any]], rewards: list[list[Any]]) -> Regret:
    """Return the regret with its gap: 0 where every number and every deviation is right."""
    steps = list(zip(plays, rewards, strict=True))
    n, moves = found.size, dict(found.swap.map or {})
    i, j, k = found.internal.source, found.internal.target, found.external.action
    earned = external = internal = swapped = Fraction(0)
    for x, r in steps:
        own = sum(map(mul, x, r), Fraction(0))
        earned += own
        external += r[k] - own
        internal += x[i] * (r[j] - r[i])
        swapped += sum((x[a] * (r[b] - r[a]) for a, b in moves.items()), Fraction(0))
    weights, gains, lead = _integer_gains(plays, rewards)
    played = {a: (weights[a], gains[a]) for a in range(n) if weights[a]}
    claimed = {c.action: (c.weight, c.gain) for c in found.conditionals}
    zero = (Fraction(0), Fraction(0))
    apart = [
        found.earned - earned,
        found.external.gain - external,
        found.external.gain - (lead - earned),
        found.internal.gain - internal,
        found.internal.gain - max(gain for _, gain in played.values()),
        found.swap.gain - swapped,
        found.swap.gain - sum((gain for _, gain in played.values()), Fraction(0)),
    ]
    for a in {*played, *claimed}:
        (w, g), (v, h) = played.get(a, zero), claimed.get(a, zero)
        apart += [w - v, g - h]
    for c in found.conditionals:
        apart.append(
            c.gain - sum((x[c.action] * (r[c.best_reply] - r[c.action]) for x, r in steps))
        )
    gap = max(Fraction(relations(found)), *(abs(Fraction(v)) for v in apart))
    return replace(found, recheck=gap, rechecked=len(played), tolerance=Fraction(0))


def _integer_gains(
    plays: list[list[Any]], rewards: list[list[Any]]
) -> tuple[list[Fraction], list[Fraction], Fraction]:
    """Return each action's weight and best gain, and the best total, over whole numbers."""
    d = lcm(*(v.denominator for row in plays for v in row))
    e = lcm(*(v.denominator for row in rewards for v in row))
    xs = [[int(v * d) for v in column] for column in zip(*plays, strict=True)]
    rs = [[int(v * e) for v in column] for column in zip(*rewards, strict=True)]
    gains = []
    for a, x in enumerate(xs):
        when = [t for t, w in enumerate(x) if w]
        w, own = [x[t] for t in when], [rs[a][t] for t in when]
        best = max(sum(p * (r[t] - q) for p, q, t in zip(w, own, when, strict=True)) for r in rs)
        gains.append(Fraction(best, d * e))
    return [Fraction(sum(x), d) for x in xs], gains, Fraction(max(map(sum, rs)), e)


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
    tolerance = 4 * (rounds + n) * _EPSILON * scale
    return replace(found, recheck=float(gap), rechecked=len(chosen), tolerance=tolerance)


def _columns(a: Float64[np.ndarray, "rounds actions"]) -> Any:
    return (a[:, k] for k in range(a.shape[1]))


def relations(found: Regret, drift: float = 0.0) -> Number:
    """Return by how much more than ``drift`` the three regrets break what holds between them.

    external <= swap, internal <= swap <= N internal, external <= (N - 1) internal, where any of
    them may be known between bounds only. ``drift`` is what plays in float64 that miss one by a
    little can do to external regret.
    """
    e, internal, swap = found.external.gain, found.internal, found.swap
    n = found.size if found.kind == "exact" else min(found.size, 10**300)
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
