"""The search for certificates, by exact linear programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, islice

from theory.errors import LimitError
from theory.linear import Status, minimise
from theory.proofs._certificate import Certificate
from theory.proofs._obligation import Obligation
from theory.proofs._points import solve
from theory.proofs._polynomial import Polynomial

__all__ = ["certify"]

Factors = tuple[Polynomial, ...]
Parts = tuple[tuple[Fraction, Factors], ...]


def certify(obligation: Obligation) -> Certificate | None:
    """Return a certificate with products of up to two assumed polynomials, and squares, or None.

    Sums without products come first; where everything is linear there is one of these, or the
    obligation is false. For n conditions the products of two need a linear program with n² columns.
    A goal of degree 2 that nowhere is below zero is a sum of squares. Last come squares of symbols,
    of their sums and of their differences: alone, and times such products, up to the degree of what
    is shown.
    """
    linear = all(condition.polynomial.degree <= 1 for condition in obligation.negation)
    for parts in islice(_attempts(obligation), 2 if linear else None):
        if parts is not None:
            return Certificate(obligation, parts)
    return None


def _attempts(obligation: Obligation) -> Iterator[Parts | None]:
    assumed = list(dict.fromkeys(condition.polynomial for condition in obligation.assumed))
    sums, products = _sums(assumed), _products(assumed)
    for factors in (sums, products):
        yield _goal(obligation, factors)
        yield _contradiction(obligation, factors)
    yield _sum_of_squares(obligation.goal)
    factors = [*products, *_times_squares(obligation, products)]
    yield _goal(obligation, factors)
    yield _contradiction(obligation, factors)


def _goal(obligation: Obligation, factors: Sequence[Factors]) -> Parts | None:
    """Write the goal as a combination, of least sum."""
    if obligation.goal is None:
        return None
    return _combination(obligation.goal, factors, [])


def _contradiction(obligation: Obligation, factors: Sequence[Factors]) -> Parts | None:
    """Write zero as a combination in which products above zero have coefficients of sum 1."""
    strict = {c.polynomial for c in obligation.assumed if c.strict}
    if not obligation.assumed:
        return None
    above = [int(strict.issuperset(f)) for f in factors]
    return _combination(Polynomial(obligation.names, ()), factors, above)


def _sums(assumed: Sequence[Polynomial]) -> list[Factors]:
    return [(), *((polynomial,) for polynomial in assumed)]


def _products(assumed: Sequence[Polynomial]) -> list[Factors]:
    return [*_sums(assumed), *combinations_with_replacement(assumed, 2)]


def _times_squares(obligation: Obligation, products: Sequence[Factors]) -> list[Factors]:
    """Return products times a square of a symbol, a sum of two or a difference."""
    shown = [condition.polynomial for condition in obligation.negation]
    degree = max(polynomial.degree for polynomial in shown)
    used = dict.fromkeys(name for polynomial in shown for name in polynomial.used)
    symbols = [_symbol(obligation.names, name) for name in used]
    pairs = [root for a, b in combinations(symbols, 2) for root in (a + -b, a + b)]
    fit = [f for f in products if sum(factor.degree for factor in f) + 2 <= degree]
    return [(root, root, *factors) for root in (*symbols, *pairs) for factors in fit]


def _sum_of_squares(goal: Polynomial | None) -> Parts | None:
    """Write a goal of degree 2 as a sum of squares, completing one symbol after the other."""
    if goal is None or goal.degree != 2:
        return None
    rest, names, parts = goal, goal.names, []
    for name in goal.used:
        symbol = _symbol(names, name)
        ((one, _),) = symbol.terms
        own = {e: c for e, c in rest.terms if e[names.index(name)]}
        lead = own.get(tuple(2 * n for n in one), Fraction(0))
        if not own:
            continue
        if lead <= 0:
            return None
        halves = {tuple(n - k for n, k in zip(e, one, strict=True)): c for e, c in own.items()}
        root = Polynomial.of(names, {e: c / (1 + (e != one)) / lead for e, c in halves.items()})
        parts.append((lead, (root, root)))
        rest = rest + Polynomial.of(names, {(0,) * len(names): -lead}) * root * root
    left = sum((c for _, c in rest.terms), start=Fraction(0))
    return None if left < 0 else (*parts, (left, ()))


def _symbol(names: tuple[str, ...], name: str) -> Polynomial:
    return Polynomial.of(names, {tuple(int(each == name) for each in names): Fraction(1)})


def _combination(
    goal: Polynomial, factors: Sequence[Factors], above: Sequence[int]
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
