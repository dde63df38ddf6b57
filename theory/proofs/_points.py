"""Rational points that satisfy conditions, by exact linear programs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

from theory.linear import Status, maximise
from theory.linear import solve as solve_anew
from theory.proofs._polynomial import Condition, Polynomial
from theory.shared.arguments import refusing

__all__ = ["point_of", "relaxed_point", "solve"]

Point = dict[str, Fraction]

solve: Final = lru_cache(maxsize=1 << 12)(solve_anew)
"""The linear programs solved last: one property of a mechanism asks what another one asked."""


@refusing
def point_of(conditions: Sequence[Condition]) -> Point | None:
    """Return a rational point at which all conditions hold, inside where there is an inside.

    Where all conditions are linear, None says that there is no such point. Others are left out of
    the linear program, and None says that its solution does not satisfy them.

    Raises
    ------
    LimitError
        Where the linear program is larger than ``theory.linear.MAX_ENTRIES``.

    Examples
    --------
    >>> u = Polynomial.of(("u",), {(1,): Fraction(1)})
    >>> point_of([Condition(u, strict=True)])
    {'u': Fraction(1, 1)}
    >>> point_of([Condition(u, strict=True), Condition(-u, strict=False)]) is None
    True
    """
    for inside in (True, False):
        point = relaxed_point(conditions, inside=inside)
        if point is not None and all(condition.holds(point) for condition in conditions):
            return point
    return None


def relaxed_point(conditions: Sequence[Condition], *, inside: bool = False) -> Point | None:
    """Return a point at which the linear conditions hold; None where they contradict each other.

    The least slack, up to 1, of the strict conditions is maximised; of all of them where the point
    shall lie ``inside``, and then None says that there is no inside.

    Raises
    ------
    LimitError
        Where the linear program is larger than ``theory.linear.MAX_ENTRIES``.
    """
    linear = [c for c in conditions if c.polynomial.degree <= 1]
    names = conditions[0].polynomial.names if conditions else ()
    used = sorted({j for c in linear for e, _ in c.polynomial.terms for j, n in enumerate(e) if n})
    rows = []
    for condition in linear:
        coefficients, constant = _row(condition.polynomial, used)
        slack = -1 if condition.strict or inside else 0
        rows.append(([*coefficients, Fraction(slack)], ">=", -constant))
    rows.append(([Fraction(0)] * len(used) + [Fraction(1)], "<=", Fraction(1)))
    program = maximise([0] * len(used) + [1], rows, free=range(len(used) + 1))
    solution = solve(program)
    if solution.status is not Status.OPTIMAL or solution.x is None or solution.x[-1] <= 0:
        return None
    point = dict.fromkeys(names, Fraction(0))
    point.update((names[j], x) for j, x in zip(used, solution.x[:-1], strict=True))
    return point


def _row(polynomial: Polynomial, used: Sequence[int]) -> tuple[list[Fraction], Fraction]:
    terms = {next((j for j, n in enumerate(e) if n), -1): c for e, c in polynomial.terms}
    return [terms.get(j, Fraction(0)) for j in used], terms.get(-1, Fraction(0))
