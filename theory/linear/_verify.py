"""Checks a certificate against the program, in plain fractions, knowing nothing of the solver."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from theory.errors import ShapeError
from theory.linear._program import LinearProgram, Sense
from theory.linear._solution import Certificate, Check, Status

__all__ = ["verify"]

Vector = tuple[Fraction, ...]
Failure = tuple[Fraction, str]


def verify(program: LinearProgram, certificate: Certificate) -> Check:
    """Recompute every condition that ``certificate`` must meet to prove its status.

    Optimal: x and y are feasible and value = c · x = b · y. Infeasible: the conditions of Farkas'
    lemma. Unbounded: x is feasible, and the ray is a direction of the feasible set that improves
    the objective. The signs are those of :class:`Certificate`.

    Returns
    -------
    Check
        With the largest violation, the gap and the conditions that fail.

    Raises
    ------
    ShapeError
        For a number or vector that the status needs and that is missing or of the wrong length.

    Notes
    -----
    Takes O(rows × variables) operations on fractions.
    """
    gap = Fraction(0)
    match certificate.status:
        case Status.OPTIMAL:
            x, y = _point(program, certificate), _multipliers(program, "y", certificate.y)
            if certificate.value is None:
                raise ShapeError("value", None, "is missing", "give the optimal value")
            reached = [certificate.value, _dot(program.objective, x), _dot(_bounds(program), y)]
            gap = max(reached) - min(reached)
            conditions = [*_primal(program, x), *_dual(program, y), (gap, "value = c·x = b·y")]
        case Status.INFEASIBLE:
            f = _multipliers(program, "farkas", certificate.farkas)
            conditions = [*_farkas(program, f)]
        case Status.UNBOUNDED:
            ray = _vector("ray", certificate.ray, len(program.objective))
            conditions = [*_primal(program, _point(program, certificate)), *_ray(program, ray)]
    failed = sorted((c for c in conditions if c[0] > 0), reverse=True)
    return Check(
        violation=failed[0][0] if failed else Fraction(0),
        gap=gap,
        failures=tuple(f"{condition} fails by {amount}" for amount, condition in failed),
    )


def _primal(program: LinearProgram, x: Vector) -> Iterator[Failure]:
    for i, row in enumerate(program.constraints):
        excess = _dot(row.coefficients, x) - row.bound
        yield _outside(excess, row.sense), f"constraint {i}"
    for j, value in enumerate(x):
        yield _outside(value, _domain(program, j)), f"sign of x{j}"


def _dual(program: LinearProgram, y: Vector) -> Iterator[Failure]:
    sign = 1 if program.direction == "minimise" else -1
    for i, row in enumerate(program.constraints):
        if row.sense != "=":
            yield _outside(sign * y[i], row.sense), f"sign of y{i}"
    for j, cost in enumerate(program.objective):
        reduced = sign * (cost - _column(program, j, y))
        yield _outside(reduced, _dual_sense(program, j)), f"dual constraint {j}"


def _farkas(program: LinearProgram, f: Vector) -> Iterator[Failure]:
    for i, row in enumerate(program.constraints):
        if row.sense != "=":
            yield _outside(-f[i], row.sense), f"sign of f{i}"
    for j in range(len(program.objective)):
        yield _outside(_column(program, j, f), _dual_sense(program, j)), f"Aᵀf at x{j}"
    yield _not_negative(_dot(_bounds(program), f), "b·f < 0")


def _ray(program: LinearProgram, ray: Vector) -> Iterator[Failure]:
    for i, row in enumerate(program.constraints):
        yield _outside(_dot(row.coefficients, ray), row.sense), f"ray in constraint {i}"
    for j, value in enumerate(ray):
        yield _outside(value, _domain(program, j)), f"sign of ray at x{j}"
    sign = 1 if program.direction == "minimise" else -1
    yield _not_negative(sign * _dot(program.objective, ray), "ray improves c·x")
