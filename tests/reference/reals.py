"""Logarithms, square roots and scores as decimals of many digits."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction

DIGITS = 110
SMALL = Fraction(1, 10**100)
"""More than the error of what is computed here, for numbers of up to some dozens of digits."""


def decimal(value: Fraction) -> Decimal:
    """The quotient to ``DIGITS`` digits."""
    with localcontext(prec=DIGITS):
        return Decimal(value.numerator) / Decimal(value.denominator)


def combination(
    constant: Fraction,
    logs: Iterable[tuple[Fraction, Fraction]] = (),
    roots: Iterable[tuple[Fraction, Fraction]] = (),
) -> Fraction:
    """constant + sum of c log(a) + sum of d sqrt(b) over pairs (c, a) and (d, b), within SMALL."""
    with localcontext(prec=DIGITS):
        total = decimal(constant)
        for c, a in logs:
            total += decimal(c) * decimal(a).ln()
        for d, b in roots:
            total += decimal(d) * decimal(b).sqrt()
        return Fraction(total)


def score(rule: str, forecast: Fraction, occurred: bool) -> Fraction:
    """The score of a forecast of the event's probability, within SMALL."""
    x = forecast if occurred else 1 - forecast
    if rule == "brier":
        return -((1 - x) ** 2)
    if rule == "log":
        return combination(Fraction(0), logs=[(Fraction(1), x)])
    size = forecast**2 + (1 - forecast) ** 2
    return combination(Fraction(0), roots=[(x / size, size)])


def expected_score(rule: str, forecast: Fraction, belief: Fraction) -> Fraction:
    """The mean score at a belief; an outcome that is impossible counts for nothing."""
    parts = [(belief, True), (1 - belief, False)]
    return sum((q * score(rule, forecast, o) for q, o in parts if q), Fraction(0))


def divergence(rule: str, belief: Fraction, prior: Fraction) -> Fraction:
    """What forecasting the belief gains on average over forecasting the prior, by closed form.

    log: relative entropy; brier: squared distance; spherical: |q| - q.r / |r| for the vectors
    q = (belief, 1 - belief) and r = (prior, 1 - prior).
    """
    q, r = (belief, 1 - belief), (prior, 1 - prior)
    if rule == "brier":
        return (belief - prior) ** 2
    if rule == "log":
        return combination(Fraction(0), logs=[(a, a / b) for a, b in zip(q, r, strict=True) if a])
    inner, size = q[0] * r[0] + q[1] * r[1], r[0] ** 2 + r[1] ** 2
    own = q[0] ** 2 + q[1] ** 2
    return combination(Fraction(0), roots=[(Fraction(1), own), (-inner / size, size)])
