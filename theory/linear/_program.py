"""Linear programs with rational data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from theory.errors import InvalidInputError, ShapeError
from theory.numbers import rational
from theory.shared.arguments import read_tuple, refusing

__all__ = ["Constraint", "Direction", "LinearProgram", "Sense", "maximise", "minimise"]

Direction = Literal["minimise", "maximise"]
Sense = Literal["<=", "=", ">="]
Row = tuple[Sequence[object], str, object]


@dataclass(frozen=True, slots=True)
class Constraint:
    """One row: ``coefficients · x`` stands in the relation ``sense`` to ``bound``."""

    coefficients: tuple[Fraction, ...]
    sense: Sense
    bound: Fraction

    def __str__(self) -> str:
        return f"{_combination(self.coefficients)} {self.sense} {self.bound}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearProgram:
    """Minimise or maximise c · x subject to constraints, with x_j ≥ 0 unless ``free[j]``.

    Build it with :func:`minimise` or :func:`maximise`, which read the numbers.

    Attributes
    ----------
    direction : "minimise" or "maximise"
    objective : tuple of Fraction, one a variable
        The vector c.
    constraints : tuple of Constraint
    free : tuple of bool, one a variable
        Which variables may be negative.
    """

    direction: Direction
    objective: tuple[Fraction, ...]
    constraints: tuple[Constraint, ...]
    free: tuple[bool, ...]

    def __str__(self) -> str:
        lines = [f"{self.direction} {_combination(self.objective)}"]
        lines += [f"  {constraint}" for constraint in self.constraints]
        signs = [f"x{j}{' free' if free else ' >= 0'}" for j, free in enumerate(self.free)]
        return "\n".join([*lines, "  " + ", ".join(signs)])


@refusing
def minimise(
    objective: Sequence[object], constraints: Iterable[Row], *, free: Iterable[int] = ()
) -> LinearProgram:
    """Return the program min c · x subject to ``constraints``.

    Parameters
    ----------
    objective : sequence of rationals
        The vector c. Rationals are integers, fractions or text such as "1/3"; never floats.
    constraints : iterable of (coefficients, sense, bound)
        Each sense is "<=", "=" or ">=".
    free : iterable of int
        Indices of the variables that may be negative; the others are at least 0.

    Raises
    ------
    ExactnessError, NumberError
        For a float, or for what is not a rational number.
    ShapeError
        For a row whose length is not the number of variables.
    InvalidInputError
        For an unknown sense, or an index in ``free`` that no variable has.

    Examples
    --------
    >>> program = minimise([1, 1], [([1, 2], ">=", "3/2"), ([3, 1], ">=", 2)])
    >>> print(program)
    minimise x0 + x1
      x0 + 2 x1 >= 3/2
      3 x0 + x1 >= 2
      x0 >= 0, x1 >= 0
    """
    return _program("minimise", objective, constraints, free)


@refusing
def maximise(
    objective: Sequence[object], constraints: Iterable[Row], *, free: Iterable[int] = ()
) -> LinearProgram:
    """Return the program max c · x subject to ``constraints``; see :func:`minimise`."""
    return _program("maximise", objective, constraints, free)


def _program(
    direction: Direction, objective: Sequence[object], rows: Iterable[Row], free: Iterable[int]
) -> LinearProgram:
    told = read_tuple("objective", objective, "give a list of numbers")
    c = tuple(rational(value, f"objective[{j}]") for j, value in enumerate(told))
    rows = read_tuple("constraints", rows, "give a list of rows")
    chosen = set(read_tuple("free", free, "give a list of numbers of variables"))
    for j in chosen:
        if not isinstance(j, int) or not 0 <= j < len(c):
            raise InvalidInputError("free", j, "names no variable", f"give 0 to {len(c) - 1}")
    return LinearProgram(
        direction=direction,
        objective=c,
        constraints=tuple(_constraint(i, row, len(c)) for i, row in enumerate(rows)),
        free=tuple(j in chosen for j in range(len(c))),
    )


def _constraint(i: int, row: Any, variables: int) -> Constraint:
    name = f"constraints[{i}]"
    if not isinstance(row, tuple | list) or len(row) != 3:
        raise InvalidInputError(name, row, "is not a row", 'give (coefficients, "<=", bound)')
    written, given, bound = row
    coefficients = read_tuple(name, written, "give a list of numbers")
    if len(coefficients) != variables:
        raise ShapeError(
            name, coefficients, f"has {len(coefficients)} coefficients", f"give {variables}"
        )
    for sense in get_args(Sense):
        if given == sense:
            return Constraint(
                tuple(rational(a, f"{name}[{j}]") for j, a in enumerate(coefficients)),
                sense,
                rational(bound, f"{name} bound"),
            )
    raise InvalidInputError(name, given, "has an unknown sense", 'give "<=", "=" or ">="')


def _combination(coefficients: tuple[Fraction, ...]) -> str:
    text = ""
    for j, a in enumerate(coefficients):
        if a:
            sign = (" - " if a < 0 else " + ") if text else ("-" if a < 0 else "")
            text += f"{sign}{'' if abs(a) == 1 else f'{abs(a)} '}x{j}"
    return text or "0"
