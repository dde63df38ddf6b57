"""Solving a linear program: translate, run the simplex method, verify."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from theory.arguments import instance_of, refusing
from theory.errors import InvalidInputError, LimitError
from theory.linear._program import LinearProgram
from theory.linear._simplex import simplex
from theory.linear._solution import CertificateError, Solution
from theory.linear._translate import translate
from theory.linear._verify import verify

__all__ = ["MAX_ENTRIES", "solve"]

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
        With its certificate, which :func:`verify` has accepted: the gap is exactly 0.

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
    if pivots is not None and pivots < 0:
        raise InvalidInputError("pivots", pivots, "is below 0", "give 0 or more")
    rows = len(program.constraints)
    entries = rows * (rows + len(program.objective) + sum(program.free))
    if entries > MAX_ENTRIES:
        raise LimitError("program", entries, "has too many entries", f"stay within {MAX_ENTRIES}")
    translation = translate(program)
    outcome = simplex(translation.form, pivots=pivots)
    certificate = translation.certificate(outcome)
    check = verify(program, certificate)
    if not check.holds:
        raise CertificateError(f"the solver's certificate is {check}")
    return Solution(**asdict(certificate), check=check, pivots=outcome.pivots)
