"""The law of the reply for a given number of candidates, rechecked."""

from __future__ import annotations

from fractions import Fraction
from math import expm1, fsum, lcm, log, log1p
from typing import Any, Final

import numpy as np

from theory.divergence import kl_divergence, surprise, total_variation
from theory.errors import LimitError
from theory.resampling._bounds import bound_of
from theory.resampling._integral import integrals
from theory.resampling._reading import ExactModel, FloatModel, model_of, read_candidates
from theory.resampling._recheck import recheck_exact, recheck_float
from theory.resampling._result import ResamplingLaw
from theory.shared.arguments import refusing
from theory.shared.shapes import Float64

__all__ = ["resampling_law"]


# --- The exact law, through the law of the sum of the other candidates' weights

MAX_SUMS: Final = 1 << 12
"""The most values that the sum of the other candidates' weights may take."""


def exact_returns(model: ExactModel, candidates: int) -> tuple[list[Fraction], int]:
    """Return P(y is returned) for every reply, and how many sums there were.

    P(y) = M g(y) w(y) E[1/(w(y) + S)], S the sum of the weights of M - 1 candidates. The law of S
    groups the multisets of candidates by their sum; it is built candidate by candidate in integers.
    O(M sums classes) operations on integers.
    """
    masses: dict[Fraction, Fraction] = {}
    for g, w in zip(model.generator, model.weights, strict=True):
        if g:
            masses[w] = masses.get(w, Fraction(0)) + g
    if len(masses) == 1:
        return list(model.generator), 1
    if candidates > MAX_SUMS:
        raise _too_many(candidates)
    scale = lcm(*(w.denominator for w in masses))
    whole = lcm(*(g.denominator for g in masses.values()))
    steps = [(int(w * scale), int(g * whole)) for w, g in masses.items()]
    sums = {0: 1}
    for _ in range(candidates - 1):
        further: dict[int, int] = {}
        for total, count in sums.items():
            for step, mass in steps:
                further[total + step] = further.get(total + step, 0) + count * mass
        sums = further
        if len(sums) > MAX_SUMS:
            raise _too_many(candidates)
    ordered = sorted(sums.items())
    power = whole ** (candidates - 1)
    means: dict[Fraction, Fraction] = {Fraction(0): Fraction(0)}
    for w in masses:
        if w:
            own = int(w * scale)
            means[w] = Fraction(candidates * own, power) * _sum(ordered, own)
    return [g * means[w] for g, w in zip(model.generator, model.weights, strict=True)], len(sums)


def _sum(terms: list[tuple[int, int]], own: int) -> Fraction:
    """Return the sum of count/(own + total), halves first so that numbers grow late."""
    if len(terms) == 1:
        total, count = terms[0]
        return Fraction(count, own + total)
    middle = len(terms) // 2
    return _sum(terms[:middle], own) + _sum(terms[middle:], own)


def _too_many(candidates: int) -> LimitError:
    return LimitError(
        "candidates",
        candidates,
        f"lead to more than {MAX_SUMS:,} sums of weights",
        "draw fewer, or give generator and weights in float64",
    )


# --- The law of the reply for a given number of candidates, rechecked

_ULP: Final = 2.0**-53
_PANEL_TOLERANCE: Final = 1e-10


@refusing
def resampling_law(
    generator: object, weights: object, candidates: int, *, logarithms: bool = False
) -> ResamplingLaw:
    r"""Return the law of the reply that is drawn from M candidates in proportion to its weight.

    Candidates y_1, ..., y_M are drawn independently from ``generator``, repeats included; y_j is
    returned with probability w(y_j) / sum_k w(y_k). The law is averaged over the candidates.

    Where all weights drawn are 0 nothing can be returned (the auction refuses such a draw). The law
    is conditional on the contrary, which is also what is returned by who draws M candidates afresh
    until it can be: ``failure`` says how likely a draw is to be of no use.

    Parameters
    ----------
    generator : sequence of numbers, one a reply
        A law: integers, fractions and text such as "1/3" are exact, floats are float64.
    weights : sequence of numbers, one a reply
        At least 0, up to a common factor, in the same kind. For the limit to be pi they must be in
        proportion to pi/generator, with the generator that is really drawn from. Weights of replies
        that are never drawn do not matter.
    candidates : int
        M >= 1.
    logarithms : bool
        Whether ``weights`` are natural logarithms in float64, -inf for weight 0.

    Returns
    -------
    ResamplingLaw

    Raises
    ------
    ProbabilityError
        For a generator that is no law, or weights that are 0 wherever it is not.
    InvalidInputError
        For negative or infinite weights, M below 1, and float64 probabilities below 2^-1021.
    ExactnessError
        For numbers of two kinds.
    LimitError
        Exact: when the sum of M - 1 weights takes more than 4,096 values. In float64: when weights
        span more than some 11,000 powers of e, or there are more than 2^28 exponentials to compute.

    Notes
    -----
    Exact laws come from the law of the sum of the other candidates' weights; float64 ones from
    P(y) = M g(y) w(y) times the integral of exp(-s w(y)) E_g[exp(-s w)]^(M - 1) over s > 0, in
    O(replies x nodes) with some 6 nodes a factor e between the least weight and M times the mean.
    Distances to the limit are computed from P/limit - 1 without cancellation.

    References
    ----------
    Trefethen and Weideman (2014), The exponentially convergent trapezoidal rule, Theorem 5.1.

    Examples
    --------
    >>> law = resampling_law(["1/2", "1/2"], [1, 3], 2)
    >>> [str(p) for p in law.law], str(law.total_variation)
    (['3/8', '5/8'], '1/8')
    >>> many = resampling_law([0.5, 0.5], [1.0, 3.0], 10**6)
    >>> f"{many.total_variation:.10g}"
    '1.875001406e-07'
    """
    count = read_candidates(candidates)
    model = model_of(generator, weights, logarithms=logarithms)
    if isinstance(model, ExactModel):
        return _exact_law(model, count)
    return _float(model, count)


def _exact_law(model: ExactModel, count: int) -> ResamplingLaw:
    returned, sums = exact_returns(model, count)
    zero = sum(
        (g for g, w in zip(model.generator, model.weights, strict=True) if not w), Fraction(0)
    )
    failure = zero**count
    law = tuple(p / (1 - failure) for p in returned)
    limit = model.limit
    gap, how = recheck_exact(model.generator, model.weights, count, law)
    return ResamplingLaw(
        candidates=count,
        law=law,
        limit=limit,
        failure=failure,
        total_variation=total_variation(law, limit),
        kl=kl_divergence(law, limit),
        bound=bound_of(model, count),
        method="exact",
        relative_error=0.0,
        distance_error=0.0,
        gap=gap,
        rechecked=how,
        tolerance=0.0 if isinstance(gap, Fraction) else _PANEL_TOLERANCE,
        stats={"sums": sums},
    )


def _float(model: FloatModel, count: int) -> ResamplingLaw:
    found = integrals(model, count)
    place, inside = np.maximum(model.classes, 0), model.positive
    failure, success = _failure(model, count)
    generator = model.generator
    law = np.where(inside, generator * found.ratios[place] / success, 0.0)
    limit = np.where(inside, generator * (model.scaled / found.mean)[place], 0.0)
    deviations = np.where(inside, (found.deviations[place] + failure) / success, 0.0)
    doubts = np.where(inside, found.deviation_errors[place] / success, 0.0)
    logs = _logarithms(model)
    gap, how = recheck_float(generator, logs, count, law)
    relevant = inside & (law > 1e-290)
    error = float(np.max(found.relative_errors[place][relevant], initial=0.0)) + 8 * _ULP
    near = np.abs(deviations) < 1
    differences = np.where(
        near, limit * np.where(near, np.abs(deviations), 0.0), np.abs(law - limit)
    )
    unsure = np.where(near, limit * np.where(near, doubts, 0.0), error * (law + limit))
    distance = fsum(differences) / 2
    expected = np.where(inside, np.log(np.where(inside, generator, 1.0)) + logs, 0.0)
    kl = _kl(law, limit, np.where(near, deviations, np.inf), expected - _log_mean(model))
    return ResamplingLaw(
        candidates=count,
        law=law,
        limit=limit,
        failure=failure,
        total_variation=distance,
        kl=kl,
        bound=bound_of(model, count),
        method="integral",
        relative_error=error,
        distance_error=fsum(unsure) / 2 + 16 * _ULP * distance,
        gap=gap,
        rechecked=how,
        tolerance=error + _PANEL_TOLERANCE,
        stats={"nodes": found.nodes},
    )


def _failure(model: FloatModel, count: int) -> tuple[float, float]:
    """Return the probability that all weights drawn are 0, and its complement."""
    failing = model.failing
    if failing == 0:
        return 0.0, 1.0
    some = fsum(model.masses)
    power = count * (log1p(-some) if some < 0.5 else log(failing))
    return float(np.exp(power)), -expm1(power)


def _kl(
    law: Float64[np.ndarray, " n"],
    limit: Float64[np.ndarray, " n"],
    deviations: Float64[np.ndarray, " n"],
    log_limit: Float64[np.ndarray, " n"],
) -> float:
    """Return the sum of limit ((1 + d) log(1 + d) - d), each term of which is at least 0.

    Where the law is more than twice or less than half of the limit, from their logarithms.
    """
    near = (np.abs(deviations) < 0.5) & (limit > 0)
    d = np.where(near, deviations, 0.0)
    usual = limit * (1 + d) * surprise(-d / (1 + d))
    some = ~near & (law > 0)
    ratio = np.where(some, np.log(np.where(some, law, 1.0)) - log_limit, 0.0)
    terms = np.where(near, usual, law * ratio - law + limit)
    return max(0.0, fsum(terms))


def _log_mean(model: FloatModel) -> float:
    """Return the logarithm of the mean weight, in the units of the mantissas."""
    return log(fsum(model.masses * model.scaled))


def _logarithms(model: FloatModel) -> Any:
    """Return the logarithms of the weights, -inf for 0."""
    each = np.log(model.mantissas) + model.exponents * log(2)
    return np.where(model.positive, each[np.maximum(model.classes, 0)], -np.inf)
