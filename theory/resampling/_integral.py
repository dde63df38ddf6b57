r"""The law in float64 for any number of candidates, as an integral over one variable.

Since 1/x is the integral of exp(-s x),

    P(y) = M g(y) w(y) \int_0^\infty exp(-s w(y)) L(s)^{M-1} ds,   L(s) = E_g[exp(-s w)].

In t = log s the integrand is entire, and on the line Im t = a, |a| < pi/2, its absolute value
integrates to at most P(y)/cos(a). So the trapezoid rule with step h has a relative error of at most
2/(cos(a) (exp(2 pi a/h) - 1)), the same for every weight and every M (docs/proofs.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, expm1, fsum, log, log1p, log2, pi
from typing import Final

import numpy as np

from theory.divergence import surprise
from theory.errors import LimitError
from theory.resampling._reading import FloatModel
from theory.shared.shapes import Bool, Float64, Int64

__all__ = ["Integrals", "integrals", "step_error"]

PER_OCTAVE: Final = 4
"""Nodes s_k = 2^(k/4): they are known to half an ulp, and so is every product with a weight."""

MAX_NODES: Final = 1 << 16
MAX_WORK: Final = 1 << 28
_STEP: Final = log(2) / PER_OCTAVE
_ROOTS: Final = np.array([1.0, 2**0.25, 2**0.5, 2**0.75])
_ULP: Final = 2.0**-53
_LEFT_BITS: Final = 62
_LARGEST: Final = 50.0
_BLOCK: Final = 64
_TAYLOR: Final = 13


@dataclass(frozen=True, eq=False)
class Integrals:
    """By class of equal weights.

    Attributes
    ----------
    ratios : array
        P(y)/g(y), before conditioning on success.
    relative_errors : array
        Bounds on their relative errors: of the step, of the ends, and of rounding to first order.
    deviations : array
        P(y)/limit(y) - 1, computed without cancellation.
    deviation_errors : array
        Bounds on their absolute errors.
    mean : float
        The mean weight, in units in which the largest weight is in [1/2, 1).
    nodes : int
    """

    ratios: Float64[np.ndarray, " classes"]
    relative_errors: Float64[np.ndarray, " classes"]
    deviations: Float64[np.ndarray, " classes"]
    deviation_errors: Float64[np.ndarray, " classes"]
    mean: float
    nodes: int


@dataclass(frozen=True, eq=False)
class _Nodes:
    """A run of nodes: s, log L(s), and log L(s) + s E[w] >= 0 in two parts."""

    places: Int64[np.ndarray, " nodes"]
    logs: Float64[np.ndarray, " nodes"]
    above: Float64[np.ndarray, " nodes"]
    below: Float64[np.ndarray, " nodes"]


def step_error(step: float) -> float:
    """Return the bound on the relative error of the trapezoid rule, at a good angle."""
    angle = pi / 2 - step / (2 * pi)
    return 2 / (cos(angle) * expm1(2 * pi * angle / step))


def integrals(model: FloatModel, candidates: int) -> Integrals:
    """Compute all integrals on one grid. O(nodes x classes); some 6 nodes a factor e of weights.

    Raises
    ------
    LimitError
        Beyond 65,536 nodes, or 2^30 exponentials.
    """
    mean = fsum(model.masses * model.scaled)
    others = candidates - 1
    sums = np.zeros((4, len(model.masses)))
    nodes = 0
    for run in _grid(model, candidates, mean):
        nodes += len(run.places)
        for start in range(0, len(model.masses), 1 << 12):
            part = slice(start, start + (1 << 12))
            _add(sums[:, part], model, part, run, (candidates, others, mean))
    rule = step_error(_STEP) + 3 * 2.0**-_LEFT_BITS
    ratios, roundings, deviations, doubts = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        errors = np.where(ratios > 0, roundings / ratios, 0.0) + 24 * _ULP + rule
    return Integrals(
        ratios=ratios,
        relative_errors=errors,
        deviations=deviations,
        deviation_errors=doubts + rule * (2 + np.abs(deviations)),
        mean=mean,
        nodes=nodes,
    )


def _grid(model: FloatModel, candidates: int, mean: float) -> Iterator[_Nodes]:
    """Yield runs of nodes from the left end until what is left no longer matters."""
    first = -_LEFT_BITS - int(np.ceil(log2(1 + (candidates - 1) * mean)))
    last = int(np.ceil(log2(_LARGEST))) + 1 - int(model.exponents[0])
    count = PER_OCTAVE * (last - first)
    classes = len(model.masses)
    if count > MAX_NODES or count * classes > MAX_WORK:
        raise LimitError(
            "weights",
            2.0 ** float(max(-1000, model.exponents[0])),
            f"span so many orders of magnitude that {count:,} nodes for {classes:,} weights are "
            f"needed, where {MAX_NODES:,} nodes and {MAX_WORK:,} exponentials are the limit",
            "give what hardly weighs anything weight 0",
        )
    # A rule of thumb decides where to stop; what it leaves out is below exp(-50) of each integral.
    least = float(model.exponents[0] - 1) * log(2)
    enough = _LARGEST + log1p(candidates * mean) - least
    for start in range(PER_OCTAVE * first, PER_OCTAVE * last, _BLOCK):
        run = _run(model, np.arange(start, start + _BLOCK, dtype=np.int64))
        yield run
        if candidates > 1 and -(candidates - 1) * float(run.logs[-1]) > enough:
            return


def _products(
    model: FloatModel, part: slice, places: Int64[np.ndarray, " nodes"]
) -> Float64[np.ndarray, "classes nodes"]:
    """Return s w, class by node."""
    octaves, roots = places // PER_OCTAVE, _ROOTS[places % PER_OCTAVE]
    exponents = np.clip(model.exponents[part, None] + octaves, -1100, 1020)
    return np.asarray(np.ldexp(model.mantissas[part, None] * roots, exponents))


def _run(model: FloatModel, places: Int64[np.ndarray, " nodes"]) -> _Nodes:
    lost, above, left = (np.zeros(len(places)) for _ in range(3))
    for start in range(0, len(model.masses), 1 << 12):
        part = slice(start, start + (1 << 12))
        x = _products(model, part, places)
        g = model.masses[part]
        lost += g @ -np.expm1(-x)
        above += g @ _exp_remainder(x)
        left += g @ np.exp(-x)
    failing = model.failing
    near = lost < 0.5
    inside = np.where(near, lost, 0.0)
    with np.errstate(divide="ignore"):
        logs = np.where(near, np.log1p(-inside), np.log(failing + left))
    below = np.where(near, surprise(-inside), -logs - lost)
    return _Nodes(places, logs, above, below)


def _exp_remainder(x: Float64[np.ndarray, "classes nodes"]) -> Float64[np.ndarray, "classes nodes"]:
    """Return exp(-x) - 1 + x >= 0 without cancellation."""
    near = x < 0.5
    inside = np.where(near, x, 0.0)
    series = np.zeros_like(x)
    for k in range(_TAYLOR, 0, -1):
        series = (1 - series) * inside / (k + 2)
    return np.asarray(np.where(near, inside * inside / 2 * (1 - series), np.expm1(-x) + x))


def _add(
    sums: Float64[np.ndarray, "four classes"],
    model: FloatModel,
    part: slice,
    run: _Nodes,
    sizes: tuple[int, int, float],
) -> None:
    """Add a run of nodes to the four sums: ratios, their rounding, deviations, their error."""
    candidates, others, mean = sizes
    x = _products(model, part, run.places)
    s = np.ldexp(_ROOTS[run.places % PER_OCTAVE], np.clip(run.places // PER_OCTAVE, -1100, 1020))
    grain = 2 * log2(len(model.masses) + 1) + 12
    powers = others * run.logs if others else np.zeros(len(s))
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        terms = _STEP * candidates * x * np.exp(powers - x)
        terms = np.where(np.isfinite(terms), terms, 0.0)
        sums[0] += terms.sum(axis=1)
        load = np.where(np.isfinite(powers), -powers, 0.0)
        sums[1] += _ULP * (terms * (8 + 2 * np.where(terms > 0, x, 0.0) + grain * load)).sum(axis=1)
        reach = candidates * mean * s
        base = _STEP * reach * np.exp(-reach)
        curve = others * (run.above - run.below) if others else np.zeros(len(s))
        exponent = (mean * s - x) + curve
        small = np.abs(exponent) < 1
        direct = _STEP * reach * np.exp(powers - x) - base
        change = np.where(small, base * np.expm1(np.where(small, exponent, 0.0)), direct)
        change = np.where(_usable(change), change, 0.0)
        sums[2] += change.sum(axis=1)
        size = np.abs(mean * s - x) + mean * s
        size = size + others * (run.above + np.abs(run.below)) if others else size
        doubt = base * np.where(small, grain * np.where(small, size, 0.0), 0.0)
        direct_doubt = (np.abs(direct) + 2 * base) * (8 + 2 * x + reach + grain * load)
        doubt += np.where(small | ~np.isfinite(direct_doubt), 0.0, direct_doubt)
        sums[3] += _ULP * (doubt + 12 * np.abs(change)).sum(axis=1)


def _usable(values: Float64[np.ndarray, "classes nodes"]) -> Bool[np.ndarray, "classes nodes"]:
    return np.asarray(np.isfinite(values))
