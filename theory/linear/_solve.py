"""Solving a linear program: translate, run the simplex method, recheck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import lcm
from typing import Final

from theory.errors import LimitError
from theory.linear._form import StandardForm
from theory.linear._program import LinearProgram
from theory.linear._recheck import recheck
from theory.linear._simplex import Outcome, simplex
from theory.linear._solution import Certificate, CertificateError, Solution, Status
from theory.linear.scale import coprime
from theory.shared.arguments import instance_of, read_count, refusing

__all__ = ["MAX_ENTRIES", "solve"]


# --- From a linear program to its standard form, and from an outcome back to a certificate

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
        for column, j in enumerate(_list_free(self.program), start=variables):
            point[j] -= columns.get(column, Fraction(0))
        return tuple(point)


def translate(program: LinearProgram) -> Translation:
    """Write ``program`` in integers: rows as "<=" or "=", a slack each, free variables split."""
    free = _list_free(program)
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


def _list_free(program: LinearProgram) -> list[int]:
    return [j for j, free in enumerate(program.free) if free]


def _common_denominator(values: Vector) -> int:
    return lcm(*(v.denominator for v in values))


# --- Solving a linear program: translate, run the simplex method, recheck

MAX_ENTRIES: Final = 200_000
"""The largest tableau that :func:`solve` takes on: rows times columns, slacks included."""


@refusing
def solve(program: LinearProgram, *, pivots: int | None = None) -> Solution:
    """Return the optimum of ``program``, or a proof that it has none.

    The exact simplex method, over integers with one common denominator. It starts where a float64
    run suggests, and then trusts that run in nothing. It terminates on every program, and the
    answer is the same on every machine.

    Parameters
    ----------
    program : LinearProgram
    pivots : int, optional
        The most exact pivots to make after the start; when left out as many as it takes.

    Returns
    -------
    Solution
        With its certificate, which :func:`recheck` has accepted: the gap is exactly 0.

    Raises
    ------
    LimitError
        Where rows × columns is above ``MAX_ENTRIES``; a free variable has two columns, and each
        constraint adds a slack. Where more than ``pivots`` are needed.
    CertificateError
        Where the certificate fails its check: a defect in the solver.

    Notes
    -----
    Each exact pivot is an elimination: O(rows² × columns) products of integers whose length grows
    with the rows. After a good start none or a few are needed; in the worst case their number is
    exponential, as for every simplex method. Measured on a busy core: correlated equilibria of
    random k × k games, payoffs of one or two digits, took 0.1 to 3 s for k = 7 and 0.8 to 3 s for
    k = 10; k = 13 is near the limit, and a dense program there takes several times that.

    G. B. Dantzig, A. Orden and P. Wolfe, "The generalized simplex method for minimizing a linear
    form under linear inequality restraints", Pacific Journal of Mathematics 5 (1955).

    Examples
    --------
    >>> from theory.linear import maximise
    >>> solve(maximise([3, 2], [([1, 1], "<=", 4), ([1, 3], "<=", 6)])).value
    Fraction(12, 1)
    """
    instance_of("program", program, LinearProgram, "use maximise or minimise")
    if pivots is not None:
        read_count("pivots", pivots, 0)
    rows = len(program.constraints)
    entries = rows * (rows + len(program.objective) + sum(program.free))
    if entries > MAX_ENTRIES:
        raise LimitError("program", entries, "has too many entries", f"stay within {MAX_ENTRIES}")
    translation = translate(program)
    outcome = simplex(translation.form, pivots=pivots)
    certificate = translation.certificate(outcome)
    check = recheck(program, certificate)
    if not check.holds:
        raise CertificateError(f"the solver's certificate is {check}")
    return Solution(**asdict(certificate), gap=check.gap, pivots=outcome.pivots)
