"""From a linear program to its standard form, and from an outcome back to a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from theory.linear._form import StandardForm
from theory.linear._program import LinearProgram
from theory.linear._simplex import Outcome
from theory.linear._solution import Certificate, Status
from theory.linear.scale import coprime

__all__ = ["Translation", "translate"]

Vector = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """A program, its standard form, and how to come back.

    The columns of the form are the variables, the negative parts of the free ones, and the slacks.
    Its row i is ``factors[i]`` times constraint i; its cost is ``cost_factor`` times the objective.
    """

    program: LinearProgram
    form: StandardForm
    factors: Vector
    cost_factor: Fraction

    def certificate(self, outcome: Outcome) -> Certificate:
        """Return what ``outcome`` says about the program."""
        last = outcome.dictionary
        slacks = slice(self.form.slack, self.form.slack + len(self.factors))
        if last.contradiction is not None:
            combination = last.contradiction[slacks]
            farkas = coprime(f * k for f, k in zip(combination, self.factors, strict=True))
            return Certificate(status=Status.INFEASIBLE, farkas=farkas)
        values = zip(last.basis, last.rhs, strict=True)
        x = self._point({j: Fraction(b, last.denominator) for j, b in values})
        if outcome.rising is not None:
            column = zip(last.basis, last.entries[:, outcome.rising], strict=True)
            moves = {j: Fraction(-a) for j, a in column}
            moves[outcome.rising] = Fraction(last.denominator)
            return Certificate(status=Status.UNBOUNDED, x=x, ray=coprime(self._point(moves)))
        y = tuple(
            Fraction(-d, last.denominator) * k / self.cost_factor
            for d, k in zip(last.costs[slacks], self.factors, strict=True)
        )
        value = sum((c * v for c, v in zip(self.program.objective, x, strict=True)), Fraction(0))
        return Certificate(status=Status.OPTIMAL, value=value, x=x, y=y)

    def _point(self, columns: Mapping[int, Fraction]) -> Vector:
        variables = len(self.program.objective)
        point = [columns.get(j, Fraction(0)) for j in range(variables)]
        for column, j in enumerate(_free(self.program), start=variables):
            point[j] -= columns.get(column, Fraction(0))
        return tuple(point)


def translate(program: LinearProgram) -> Translation:
    """Write ``program`` in integers: rows as "<=" or "=", a slack each, free variables split."""
    free = _free(program)
    rows = len(program.constraints)
    slack = len(program.objective) + len(free)
    factors, matrix, rhs = [], [], []
    for i, row in enumerate(program.constraints):
        factor = _common_denominator((*row.coefficients, row.bound))
        factor *= -1 if row.sense == ">=" else 1
        body = [a.numerator * (factor // a.denominator) for a in row.coefficients]
        unit = [int(i == k) for k in range(rows)]
        factors.append(Fraction(factor))
        matrix.append([*body, *(-body[j] for j in free), *unit])
        rhs.append(int(row.bound * factor))
    cost_factor = _common_denominator(program.objective)
    cost_factor *= -1 if program.direction == "maximise" else 1
    cost = [int(c * cost_factor) for c in program.objective]
    senses = (row.sense for row in program.constraints)
    form = StandardForm(
        matrix=matrix,
        rhs=rhs,
        cost=[*cost, *(-cost[j] for j in free), *([0] * rows)],
        slack=slack,
        fixed=frozenset(slack + i for i, sense in enumerate(senses) if sense == "="),
    )
    return Translation(
        program=program, form=form, factors=tuple(factors), cost_factor=Fraction(cost_factor)
    )


def _free(program: LinearProgram) -> list[int]:
    return [j for j, free in enumerate(program.free) if free]


def _common_denominator(values: Vector) -> int:
    return lcm(*(v.denominator for v in values))
