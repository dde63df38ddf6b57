"""The search for certificates, by exact linear programs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement

from theory.errors import LimitError
from theory.linear import Status, minimise
from theory.proofs._certificate import Certificate
from theory.proofs._obligation import Obligation
from theory.proofs._points import solve
from theory.proofs._polynomial import Polynomial

__all__ = ["certify"]

Parts = tuple[tuple[Fraction, tuple[Polynomial, ...]], ...]


def certify(obligation: Obligation) -> Certificate | None:
    """Return a certificate with products of up to two assumed polynomials, or None.

    Sums without products come first; where everything is linear there is one of these, or the
    obligation is false. For n conditions the products of two need a linear program with n² columns.
    """
    linear = all(condition.polynomial.degree <= 1 for condition in obligation.negation)
    for degree in (1,) if linear else (1, 2):
        for wanted in (_goal, _contradiction):
            parts = wanted(obligation, degree)
            if parts is not None:
                return Certificate(obligation, parts)
    return None


def _goal(obligation: Obligation, degree: int) -> Parts | None:
    """Write the goal as a combination, of least sum."""
    if obligation.goal is None:
        return None
    factors = _factors([c.polynomial for c in obligation.assumed], degree)
    return _combination(obligation.goal, factors, [])


def _contradiction(obligation: Obligation, degree: int) -> Parts | None:
    """Write zero as a combination in which products above zero have coefficients of sum 1."""
    strict = {c.polynomial for c in obligation.assumed if c.strict}
    if not obligation.assumed:
        return None
    factors = _factors([c.polynomial for c in obligation.assumed], degree)
    above = [int(strict.issuperset(f)) for f in factors]
    return _combination(Polynomial(obligation.names, ()), factors, above)


def _factors(assumed: Sequence[Polynomial], degree: int) -> list[tuple[Polynomial, ...]]:
    each = list(dict.fromkeys(assumed))
    return [f for n in range(degree + 1) for f in combinations_with_replacement(each, n)]


def _combination(
    goal: Polynomial, factors: Sequence[tuple[Polynomial, ...]], above: Sequence[int]
) -> Parts | None:
    """Return coefficients of least sum; those marked ``above`` sum to 1."""
    products = [_product(goal.names, f) for f in factors]
    columns = [dict(product.terms) for product in products]
    target = dict(goal.terms)
    monomials = sorted(set(target).union(*columns))
    rows = [
        ([column.get(m, Fraction(0)) for column in columns], "=", target.get(m, Fraction(0)))
        for m in monomials
    ]
    if above:
        rows.append(([Fraction(mark) for mark in above], "=", Fraction(1)))
    try:
        solution = solve(minimise([1] * len(products), rows))
    except LimitError:
        return None
    if solution.status is not Status.OPTIMAL or solution.x is None:
        return None
    return tuple((c, f) for c, f in zip(solution.x, factors, strict=True) if c)


def _product(names: tuple[str, ...], factors: Sequence[Polynomial]) -> Polynomial:
    total = Polynomial.of(names, {(0,) * len(names): Fraction(1)})
    for factor in factors:
        total = total * factor
    return total
