"""The same law found otherwise, from what was given; nothing is shared with the solvers."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, exp, expm1, factorial, fsum, inf, log, log1p, prod
from typing import Any, Final

import numpy as np

__all__ = ["Checked", "panel_ratios", "recheck_exact", "recheck_float"]

MOST_DRAWS: Final = 2000
MOST_REPLIES: Final = 48
_POINTS: Final = 8

Checked = tuple[Any, str]
"""The largest disagreement, and how it was found."""


def by_enumeration(generator: Any, weights: Any, candidates: int) -> list[Any]:
    """Return P(y is returned) by going through every multiset of candidates."""
    returned = [0 * generator[0] for _ in generator]
    drawable = [k for k, g in enumerate(generator) if g]
    for draw in combinations_with_replacement(drawable, candidates):
        counts = {k: draw.count(k) for k in draw}
        total = sum(n * weights[k] for k, n in counts.items())
        if total == 0:
            continue
        orders = factorial(candidates) // prod(factorial(n) for n in counts.values())
        likely = orders * prod(generator[k] ** n for k, n in counts.items())
        for k, n in counts.items():
            returned[k] += likely * (n * weights[k] / total)
    return returned


def _draws(generator: Any, candidates: int) -> float:
    drawable = sum(1 for g in generator if g)
    return comb(drawable + candidates - 1, candidates) if candidates <= MOST_DRAWS else inf


def recheck_exact(
    generator: tuple[Fraction, ...], weights: tuple[Fraction, ...], candidates: int, law: Any
) -> Checked:
    """Compare an exact conditional law with enumeration or, where that is long, with panels."""
    if _draws(generator, candidates) <= MOST_DRAWS:
        returned = by_enumeration(generator, weights, candidates)
        whole = sum(returned)
        gaps = [abs(p - r / whole) for p, r in zip(law, returned, strict=True)]
        return max(gaps), "every multiset of candidates gone through"
    logs = [log(w) if w else -inf for w in weights]
    gap = _against_panels([float(g) for g in generator], logs, candidates, [float(p) for p in law])
    return max(gap, float(abs(sum(law) - 1))), _PANELS


def recheck_float(generator: Any, logs: Any, candidates: int, law: Any) -> Checked:
    """Compare a float64 conditional law, relative to its entries; and with a sum of one."""
    total = fsum(generator)
    g = [float(x) / total for x in generator]
    missing = abs(fsum(law) - 1)
    if _draws(g, candidates) <= MOST_DRAWS and min(x for x in logs if x > -inf) > -300:
        top = max(logs)
        returned = by_enumeration(g, [exp(x - top) for x in logs], candidates)
        whole = fsum(returned)
        gap = max(
            abs(p - r / whole) / (r / whole) if r else abs(p)
            for p, r in zip(law, returned, strict=True)
        )
        return max(gap, missing), "every multiset of candidates gone through"
    return max(_against_panels(g, list(logs), candidates, list(law)), missing), _PANELS


_PANELS: Final = "sum of one, and Gauss-Legendre panels"


def _against_panels(g: list[float], logs: list[float], candidates: int, law: list[float]) -> float:
    """Return the largest relative disagreement on the least, the largest and some other weights."""
    possible = sorted(
        (k for k in range(len(g)) if g[k] > 0 and logs[k] > -inf), key=logs.__getitem__
    )
    step = max(1, len(possible) // (MOST_REPLIES - 1))
    asked = sorted({*possible[::step], possible[-1]})
    failing = fsum(g[k] for k in range(len(g)) if g[k] > 0 and logs[k] == -inf)
    if failing == 0:
        success = 1.0
    else:
        some = fsum(g[k] for k in possible)
        success = -expm1(candidates * (log1p(-some) if some < 0.5 else log(failing)))
    ratios = panel_ratios(np.array(g), np.array(logs), candidates, np.array(asked))
    worst = 0.0
    for k, ratio in zip(asked, ratios.tolist(), strict=True):
        expected = g[k] * ratio / success
        if expected > 1e-290:
            worst = max(worst, abs(law[k] - expected) / expected)
    return worst


def panel_ratios(g: Any, logs: Any, candidates: int, asked: Any) -> Any:
    """Return P(y)/g(y) for the replies asked for, with eight points on each unit of log s."""
    inside = (g > 0) & (logs > -np.inf)
    top = float(logs[inside].max())
    mass, away = g[inside], logs[inside] - top
    order = np.argsort(away)
    mass, away = mass[order], away[order]
    mean = float(np.sum(mass * np.exp(away)))
    low = -log(1 + candidates * mean) - 36
    high = log(60.0) - float(away[0])
    points, sizes = np.polynomial.legendre.leggauss(_POINTS)
    found = np.zeros(len(asked))
    target = logs[asked] - top
    left = low
    with np.errstate(over="ignore", under="ignore"):
        while left < high:
            t = left + (points + 1) / 2
            scaled = np.exp(np.minimum(t[:, None] + away[None, :], 700.0))
            missing = np.sum(mass * -np.expm1(-scaled), axis=1)
            kept = np.sum(mass * np.exp(-scaled), axis=1) + float(np.sum(g[~inside]))
            safe = np.where(missing < 0.6, missing, 0.0)
            logarithm = np.where(missing < 0.6, np.log1p(-safe), np.log(np.maximum(kept, 5e-324)))
            log_own = np.minimum(t[:, None] + target[None, :], 700.0)
            powers = (candidates - 1) * logarithm
            values = np.exp(log(candidates) + log_own + powers[:, None] - np.exp(log_own))
            found += (sizes[:, None] / 2 * values).sum(axis=0)
            if powers[-1] < -60 - log(1 + candidates * mean) + float(away[0]):
                break
            left += 1.0
    return found
