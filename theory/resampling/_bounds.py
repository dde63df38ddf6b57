"""What is known of the law for every number of candidates without computing it."""

from __future__ import annotations

from fractions import Fraction
from math import comb, fsum, lcm
from typing import Any

import numpy as np

from theory.errors import ExactnessError, InvalidInputError
from theory.resampling._reading import ExactModel, FloatModel, model_of, read_candidates
from theory.shared.arguments import refusing

__all__ = ["deviation_enclosure", "first_order_term", "limit_of", "total_variation_bound"]

Model = ExactModel | FloatModel

_ROUNDING = 2.0**-47
"""What rounding takes off W, and off sums of it, in relation to them; with room to spare."""


@refusing
def first_order_term(generator: object, weights: object, *, logarithms: bool = False) -> Any:
    r"""Return the limit of M (pi_M - pi)(y) where every weight that can be drawn is positive.

    With the limit pi in proportion to generator times weight, and W = pi/generator, it is
    pi(y) (E_pi[W] - W(y)): replies that the generator draws too rarely come up short. It sums to 0.

    Parameters
    ----------
    generator, weights, logarithms
        As for :func:`resampling_law`.

    Returns
    -------
    tuple of Fraction, or float64 array

    Examples
    --------
    >>> [str(x) for x in first_order_term(["1/2", "1/2"], [1, 3])]
    ['3/16', '-3/16']
    """
    model = model_of(generator, weights, logarithms=logarithms)
    limit, relative = limit_of(model)
    if isinstance(model, ExactModel):
        mean = sum((p * w for p, w in zip(limit, relative, strict=True)), Fraction(0))
        return tuple(p * (mean - w) for p, w in zip(limit, relative, strict=True))
    gaps = relative - 1
    return limit * (fsum(limit * gaps) - gaps)


@refusing
def total_variation_bound(
    generator: object, weights: object, candidates: int, *, logarithms: bool = False
) -> Any:
    r"""Return a bound on the total variation between the law for M candidates and its limit.

    The bound E_pi[(W - 1)^+ / (M - 1 + W)] <= E_pi[(W - 1)^+]/M holds for every M >= 1, with
    W = pi/generator. For M = 1 it is the distance itself where every weight is positive. In float64
    it is raised by what rounding may have taken off.

    Parameters
    ----------
    generator, weights, candidates, logarithms
        As for :func:`resampling_law`.

    Returns
    -------
    Fraction or float

    Notes
    -----
    By Jensen's inequality P(y)/pi(y) = M E[1/(W(y) + S)] >= M/(W(y) + M - 1), where S is the sum of
    M - 1 weights, and the distance is the sum of the shortfalls. It is not assumed that all weights
    are positive: then P sums to less than one, and conditioning on success only raises it.

    Examples
    --------
    >>> total_variation_bound(["1/2", "1/2"], [1, 3], 10)
    Fraction(1, 28)
    """
    count = read_candidates(candidates)
    return bound_of(model_of(generator, weights, logarithms=logarithms), count)


def bound_of(model: Model, candidates: int) -> Any:
    """Return the bound for what has been read."""
    limit, relative = limit_of(model)
    if isinstance(model, ExactModel):
        return sum(
            (
                p * (w - 1) / (candidates - 1 + w)
                for p, w in zip(limit, relative, strict=True)
                if w > 1
            ),
            Fraction(0),
        )
    share = limit / np.maximum(candidates - 1 + relative, 1e-300)
    return fsum(share * np.maximum(relative - 1, 0)) + _ROUNDING * fsum(share * relative)


@refusing
def deviation_enclosure(
    generator: object, weights: object, candidates: int, *, terms: int = 3
) -> tuple[tuple[Fraction, Fraction], ...]:
    r"""Enclose P(y)/pi(y) - 1 between two polynomials in moments of the weights, exactly.

    Let X = (W(y) + S)/M and delta = X - 1. For every k >= 1

        sum_{j < 2k} (-1)^j E[delta^j] - 1 <= P(y)/pi(y) - 1
                                           <= the same + (M/W(y)) E[delta^{2k}],

    since 1/X = sum_{j < 2k} (-delta)^j + delta^{2k}/X and X >= W(y)/M. As E[delta^{2k}] is of the
    order of M^{-k}, three terms prove M (P/pi - 1) -> E_pi[W] - W(y), with a remainder of order
    1/M, also where some weights are 0.

    Parameters
    ----------
    generator, weights, candidates
        As for :func:`resampling_law`, exact.
    terms : int
        k, from 1 on.

    Returns
    -------
    tuple of (Fraction, Fraction)
        A reply each, of the law before it is conditioned on success; (-1, -1) where pi(y) = 0.

    Examples
    --------
    >>> low, high = deviation_enclosure(["1/2", "1/2"], [1, 3], 1000)[0]
    >>> f"{float(1000 * low):.5f} {float(1000 * high):.5f}"
    '0.75056 0.75103'
    """
    count = read_candidates(candidates)
    model = model_of(generator, weights, logarithms=False)
    if isinstance(model, FloatModel):
        raise ExactnessError("generator", generator, "is in float64", "give it in fractions")
    if type(terms) is not int or not 1 <= terms <= 16:
        raise InvalidInputError("terms", terms, "is not between 1 and 16", "3 are enough")
    limit, relative = limit_of(model)
    order = 2 * terms
    scale = lcm(*(w.denominator for w in relative))
    whole = lcm(*(g.denominator for g in model.generator))
    gaps = [int((w - 1) * scale) for w in relative]
    counts = [int(g * whole) for g in model.generator]
    # All moments of scale (W - 1) are integers once the j-th is multiplied by whole^j.
    single = [1] + [
        whole ** (j - 1) * sum(n * a**j for n, a in zip(counts, gaps, strict=True))
        for j in range(1, order + 1)
    ]
    others = _moments_of_sum(single, count - 1)
    found = []
    for p, w, gap in zip(limit, relative, gaps, strict=True):
        if not p:
            found.append((Fraction(-1), Fraction(-1)))
            continue
        own = gap * whole
        moments = [
            sum(comb(j, i) * own ** (j - i) * others[i] for i in range(j + 1))
            for j in range(order + 1)
        ]
        unit = scale * whole * count
        low = Fraction(
            sum((-1) ** j * moments[j] * unit ** (order - j) for j in range(1, order)), unit**order
        )
        found.append((low, low + count / w * Fraction(moments[order], unit**order)))
    return tuple(found)


def _moments_of_sum(single: list[int], count: int) -> list[int]:
    """Return the moments of a sum of independent copies, by doubling."""
    total = [1] + [0] * (len(single) - 1)
    power = single
    while count:
        if count & 1:
            total = _add_moments(total, power)
        power = _add_moments(power, power)
        count >>= 1
    return total


def _add_moments(first: list[int], second: list[int]) -> list[int]:
    """Return the moments of the sum of two independent variables."""
    return [
        sum(comb(j, i) * first[i] * second[j - i] for i in range(j + 1)) for j in range(len(first))
    ]


def limit_of(model: Model) -> tuple[Any, Any]:
    """Return the limit pi and W = pi/generator, 0 where nothing is drawn."""
    if isinstance(model, ExactModel):
        return model.limit, model.relative
    scaled = model.scaled
    mean = fsum(model.masses * scaled)
    relative = np.where(model.positive, scaled[np.maximum(model.classes, 0)] / mean, 0.0)
    return model.generator * relative, relative
