"""Checks a certificate against the program, in plain fractions, knowing nothing of the solver."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from theory.errors import InvalidInputError, ShapeError
from theory.linear._program import LinearProgram, Sense
from theory.linear._solution import Certificate, Check, Status
from theory.numbers.reading import require_exact
from theory.shared.arguments import instance_of

__all__ = ["recheck"]

Vector = tuple[Fraction, ...]
Condition = tuple[bool, Fraction, str]
"""Whether it holds, the amount by which it fails, and its name."""


def recheck(program: LinearProgram, certificate: Certificate) -> Check:
    """Recompute every condition that ``certificate`` must meet to prove its status.

    Optimal: x and y are feasible and value = c · x = b · y. Infeasible: the conditions of Farkas'
    lemma. Unbounded: x is feasible, and the ray is a direction of the feasible set that improves
    the objective. The signs are those of :class:`Certificate`.

    Returns
    -------
    Check
        With the gap and the conditions that fail.

    Raises
    ------
    ShapeError
        For a number or vector that the status needs and that is missing or of the wrong length.
    NumberError
        For what is neither a Fraction nor an int. A float is rounded until a condition that fails
        seems to hold.
    InvalidInputError
        For what is no program, no certificate, or a status that claims nothing.

    Notes
    -----
    Takes O(rows × variables) operations on fractions.
    """
    instance_of("program", program, LinearProgram, "use maximise or minimise")
    instance_of("certificate", certificate, Certificate, "use solve(program)")
    rows, variables = len(program.constraints), len(program.objective)
    match certificate.status:
        case Status.OPTIMAL:
            x = _vector("x", certificate.x, variables)
            y = _vector("y", certificate.y, rows)
            if certificate.value is None:
                raise ShapeError("value", None, "is missing", "give the optimal value")
            require_exact(certificate.value, "value")
            reached = [certificate.value, _dot(program.objective, x), _dot(_bounds(program), y)]
            apart = max(reached) - min(reached)
            conditions = [*_primal(program, x), *_dual(program, y)]
            conditions.append((apart == 0, apart, "value = c·x = b·y"))
        case Status.INFEASIBLE:
            conditions = [*_farkas(program, _vector("farkas", certificate.farkas, rows))]
        case Status.UNBOUNDED:
            conditions = [
                *_primal(program, _vector("x", certificate.x, variables)),
                *_ray(program, _vector("ray", certificate.ray, variables)),
            ]
        case _:
            fix = "give one of Status"
            raise InvalidInputError("status", certificate.status, "claims nothing", fix)
    failed = sorted(((amount, name) for holds, amount, name in conditions if not holds))[::-1]
    return Check(
        gap=failed[0][0] if failed else Fraction(0),
        failures=tuple(f"{name} fails by {amount}" for amount, name in failed),
    )


def _primal(program: LinearProgram, x: Vector) -> Iterator[Condition]:
    for i, row in enumerate(program.constraints):
        yield _compare_with_zero(
            _dot(row.coefficients, x) - row.bound, row.sense, f"constraint {i}"
        )
    for j, value in enumerate(x):
        if not program.free[j]:
            yield _compare_with_zero(value, ">=", f"x{j} >= 0")


def _dual(program: LinearProgram, y: Vector) -> Iterator[Condition]:
    sign = _towards_less(program)
    for i, row in enumerate(program.constraints):
        if row.sense != "=":
            yield _compare_with_zero(sign * y[i], row.sense, f"sign of y{i}")
    for j, cost in enumerate(program.objective):
        reduced = sign * (cost - _column(program, j, y))
        yield _compare_with_zero(reduced, "=" if program.free[j] else ">=", f"reduced cost of x{j}")


def _farkas(program: LinearProgram, f: Vector) -> Iterator[Condition]:
    for i, row in enumerate(program.constraints):
        if row.sense != "=":
            yield _compare_with_zero(-f[i], row.sense, f"sign of f{i}")
    for j, free in enumerate(program.free):
        yield _compare_with_zero(_column(program, j, f), "=" if free else ">=", f"Aᵀf at x{j}")
    yield _negative(_dot(_bounds(program), f), "b·f < 0")


def _ray(program: LinearProgram, ray: Vector) -> Iterator[Condition]:
    for i, row in enumerate(program.constraints):
        yield _compare_with_zero(_dot(row.coefficients, ray), row.sense, f"ray in constraint {i}")
    for j, value in enumerate(ray):
        if not program.free[j]:
            yield _compare_with_zero(value, ">=", f"ray at x{j}")
    yield _negative(_towards_less(program) * _dot(program.objective, ray), "ray improves c·x")


def _compare_with_zero(value: Fraction, sense: Sense, name: str) -> Condition:
    """Compare ``value`` with zero."""
    below, above = max(-value, Fraction(0)), max(value, Fraction(0))
    amount = {"<=": above, ">=": below, "=": abs(value)}[sense]
    return amount == 0, amount, name


def _negative(value: Fraction, name: str) -> Condition:
    return value < 0, max(value, Fraction(0)), name


def _towards_less(program: LinearProgram) -> int:
    return 1 if program.direction == "minimise" else -1


def _bounds(program: LinearProgram) -> Vector:
    return tuple(row.bound for row in program.constraints)


def _column(program: LinearProgram, j: int, multipliers: Vector) -> Fraction:
    return _dot(tuple(row.coefficients[j] for row in program.constraints), multipliers)


def _dot(a: Vector, b: Vector) -> Fraction:
    return sum((p * q for p, q in zip(a, b, strict=True) if p and q), Fraction(0))


def _vector(name: str, given: Vector | None, length: int) -> Vector:
    entries = () if given is None else tuple(given)  # read once: it may have others each time
    if given is None or len(entries) != length:
        raise ShapeError(name, given, "is missing or of the wrong length", f"give {length} entries")
    for k, each in enumerate(entries):
        require_exact(each, f"{name}{k}")
    return entries
