"""An equilibrium of two players' decisions, by complementary pivoting in exact integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from theory.errors import LimitError, MechproofError
from theory.games._sequence_form import TwoPlayerForm
from theory.linear import coprime
from theory.linear.scale import in_floats

__all__ = ["WORK_LIMIT", "Weights", "equilibrium_weights"]


# --- A float64 run of Lemke's method, and the exact solution at the basis where it ends

_ZERO: Final = 1e-9
_LARGE: Final = 20
"""Bits from which on the unit of a variable is too large for ``_ZERO``."""
_RELAX: Final = 1e-7
_GOLDEN: Final = (5**0.5 - 1) / 2
_ENTRIES: Final = 50_000_000
"""How many entries of tableaux the run computes at most."""


def guess_basis(rows: Sequence[Any], covered: Sequence[bool]) -> list[int] | None:
    """Return which of w_j (as j) and z_j (as n + j) are basic where the run ends; None if it fails.

    ``rows[j]`` holds q_j and the row j of M; z0 is added where ``covered``. Each q_j is raised a
    little, by its own amount, so that ties are rare.

    Raises
    ------
    LimitError
        Where the run takes too many pivots; in integers it would too.
    """
    n = len(rows)
    table = np.zeros((n, n + 2))
    for i, (q, *entries) in enumerate(in_floats(rows, _LARGE)):
        table[i] = [*(-v for v in entries), -float(covered[i]), q]
    table[:, -1] += _RELAX * (1 + np.arange(n) * _GOLDEN % 1)
    basis, free = list(range(n)), list(range(n, 2 * n + 1))
    if not n or table[:, -1].min() >= 0:
        return basis
    row, column = int(table[:, -1].argmin()), n
    with np.errstate(all="ignore"):
        for _ in range(_ENTRIES // (n * n) + 1):
            _pivot(table, row, column)
            basis[row], free[column] = free[column], basis[row]
            if free[column] == 2 * n:
                return basis
            column = free.index((free[column] + n) % (2 * n))
            rising = np.flatnonzero(table[:, column] > _ZERO)
            if not len(rising):
                return None
            ratios = table[rising, -1] / table[rising, column]
            row = int(rising[ratios.argmin()])
    raise LimitError(
        "entries of tableaux in Lemke's method",
        _ENTRIES,
        "do not suffice: no equilibrium is at hand yet",
        "give a smaller game",
    )


def _pivot(table: Any, row: int, column: int) -> None:
    """Exchange the basic variable of a row and the free one of a column."""
    pivot = table[row, column]
    factors = table[:, column].copy()
    table[row] /= pivot
    factors[row] = 0.0
    table -= np.multiply.outer(factors, table[row])
    table[:, column] = -factors / pivot
    table[row, column] = 1 / pivot


def solved_at(
    rows: Sequence[Any], basis: Sequence[int] | None
) -> list[tuple[Fraction, Fraction]] | None:
    """Return w_j and z_j for each j, exactly, as a basis has them; None if it is no solution.

    A basis solves the problem if it holds one of w_j and z_j for each j, is regular, and leaves no
    value below zero.
    """
    from flint import fmpz, fmpz_mat

    n = len(rows)
    if basis is None or sorted(j % n for j in basis) != list(range(n)):
        return None
    chosen = sorted(basis, key=lambda j: j % n)
    entries = [
        fmpz(int(i == j) if j < n else -row[1 + j - n])
        for i, row in enumerate(rows)
        for j in chosen
    ]
    try:
        found = fmpz_mat(n, n, entries).solve(fmpz_mat(n, 1, [row[0] for row in rows]))
    except ZeroDivisionError:
        return None
    values = [Fraction(int(v.p), int(v.q)) for v in found.entries()]
    if any(v < 0 for v in values):
        return None
    zero = Fraction(0)
    return [(v, zero) if j < n else (zero, v) for j, v in zip(chosen, values, strict=True)]


# --- An equilibrium of two players' decisions, by complementary pivoting in exact integers

WORK_LIMIT: Final = 2_000_000
"""The most entries of exact tableaux that are computed for one equilibrium.

A long one counts as the square of its length in units of 512 bits, as the time it takes.
"""

Weights = list[Fraction]
"""For each sequence of a player the product of the probabilities of its moves."""


def equilibrium_weights(
    form: TwoPlayerForm, limit: int = WORK_LIMIT, *, guided: bool = True
) -> tuple[Weights, Weights]:
    """Return the sequence weights of one equilibrium.

    Weights x of one player are best against y of the other if Ex = e, x >= 0 and there is a p with
    r = E'p - Ay >= 0 and x'r = 0, where e and E say that the weights of the moves of a decision sum
    to that of the sequence before it. Both players' conditions together are a linear
    complementarity problem. At each decision the first move's x and every other move's r are solved
    for, so that p and the equations drop out. Lemke's method adds z0 to each r that is left, and
    pivots from a z0 that is large, where everybody makes first moves, to z0 = 0. Ties are broken
    lexicographically.

    A guided run first lets float64 go the way. Where the basis at its end solves the problem in
    exact numbers, that is the answer. Where it does not, the way is gone in integers.

    Raises
    ------
    LimitError
        Where the way takes too many pivots; in integers, more than ``limit`` entries of tableaux,
        see ``WORK_LIMIT``.

    Notes
    -----
    Each pivot takes O(sequences²) operations, on integers whose length grows with the sequences.
    Their number is exponential in the worst case; one to fifty times that of the sequences has been
    seen.

    The method ends. Weights are bounded whatever z0 is, so that on a ray only p and z0 grow; then
    the weights are best against payoffs of 0 for first moves and -1 for all others, which those of
    first moves alone are, and that ray is the one that the path began with.

    References
    ----------
    Lemke (1965), Bimatrix equilibrium points and mathematical programming. Koller, Megiddo and von
    Stengel (1996), Efficient computation of equilibria for extensive two-person games. Von Stengel,
    van den Elzen and Talman (2002), Computing normal form perfect equilibria for extensive
    two-person games: a start from given strategies.
    """
    program = _Program(form)
    values = solved_at(program.rows, guess_basis(program.rows, program.covered)) if guided else None
    if values is None:
        values = _Tableau(program.rows, program.covered).solve(limit)
    return program.weights(values)


class _Program:
    """The complementarity problem w = q + Mz, and what its variables are.

    Variable j belongs to the sequence ``names[j]`` of a side. Where that is the first of its
    decision, w_j is its weight and z_j its r; else z_j is its weight and w_j its r. ``rows[j]``
    holds q_j and the row j of M.
    """

    def __init__(self, form: TwoPlayerForm) -> None:
        self.form = form
        self.names = [(side, s) for side in (0, 1) for s in range(1, form.count(side))]
        first = {(k, d.sequences[0]) for k in (0, 1) for d in form.decisions[k]}
        self.covered = [name not in first for name in self.names]
        units = np.eye(len(self.names) + 1, dtype=int).astype(object)[1:]
        z = dict(zip(self.names, units, strict=True))
        weights = [self._weights(side, z) for side in (0, 1)]
        rows: dict[tuple[int, int], Any] = {}
        for side in (0, 1):
            rows |= self._rows(side, z, weights)
        self.rows = [rows[name] for name in self.names]

    def _weights(self, side: int, z: Any) -> list[Any]:
        """Return the weight of each sequence as a row of coefficients, that of 1 first."""
        one = np.zeros(len(self.names) + 1, dtype=object)
        one[0] = 1
        found = [one] * self.form.count(side)
        for decision in self.form.decisions[side]:
            start, *others = decision.sequences
            for s in others:
                found[s] = z[side, s]
            found[start] = found[decision.before] - sum(found[s] for s in others)
        return found

    def _rows(self, side: int, z: Any, weights: list[Any]) -> dict[tuple[int, int], Any]:
        """Return the weights of first moves and the r of all others, as rows of coefficients."""
        pairs = list(self.form.payoffs)
        worth = coprime(self.form.payoffs[pair][side] for pair in pairs)
        paid = [np.zeros(len(self.names) + 1, dtype=object) for _ in range(self.form.count(side))]
        for pair, u in zip(pairs, worth, strict=True):
            paid[pair[side]] += int(u) * weights[1 - side][pair[1 - side]]
        found = {}
        for decision in reversed(self.form.decisions[side]):
            start, *others = decision.sequences
            best = paid[start] + z[side, start]  # p of the decision
            found[side, start] = weights[side][start]
            for s in others:
                found[side, s] = best - paid[s]
            paid[decision.before] = paid[decision.before] + best
        return found

    def weights(self, values: list[tuple[Fraction, Fraction]]) -> tuple[Weights, Weights]:
        """Return the weights, given w and z."""
        found = ([Fraction(1)], [Fraction(1)])
        for (side, _), covered, (w, z) in zip(self.names, self.covered, values, strict=True):
            found[side].append(z if covered else w)
        return found


class _Tableau:
    """The equations w - Mz - d z0 = q, solved for a basis, over one common denominator.

    Variables are numbered: w_j is j, z_j is n + j, and z0 is 2n. Row i reads
    basis[i] + Σ_c (entries[i, c] / denominator) free[c] = entries[i, -1] / denominator.
    """

    def __init__(self, rows: list[Any], covered: list[bool]) -> None:
        n = len(rows)
        self.n = n
        self.basis = list(range(n))
        self.free = list(range(n, 2 * n + 1))
        self.entries = np.zeros((n, n + 2), dtype=object)
        for i, row in enumerate(rows):
            self.entries[i, :n] = -row[1:]
            self.entries[i, n] = -int(covered[i])
            self.entries[i, -1] = row[0]
        self.denominator = 1

    def solve(self, limit: int) -> list[tuple[Fraction, Fraction]]:
        """Return w_j and z_j for each j."""
        n = self.n
        if n and min(self.entries[:, -1]) < 0:
            worst = min(self.entries[:, -1])
            rows = [i for i in range(n) if self.entries[i, -1] == worst]
            leaving = self._pivot(rows[-1], n)
            work = 0
            while leaving != 2 * n:
                work += n * n * (1 + (self.denominator.bit_length() >> 9) ** 2)
                if work > limit:
                    raise LimitError(
                        "entries of tableaux in Lemke's method, by their length",
                        work,
                        f"are more than the limit of {limit}",
                        "give a smaller game or shorter payoffs, or a larger limit",
                    )
                entering = self.free.index((leaving + n) % (2 * n))
                leaving = self._pivot(self._row(entering), entering)
        values = dict.fromkeys(range(2 * n + 1), Fraction(0))
        for i, j in enumerate(self.basis):
            values[j] = Fraction(self.entries[i, -1], self.denominator)
        return [(values[j], values[n + j]) for j in range(n)]

    def _row(self, column: int) -> int:
        """Return the row of the lexicographically least ratio; z0 leaves as soon as it may."""
        rows = [i for i in range(self.n) if self.entries[i, column] > 0]
        if not rows:
            raise MechproofError("Lemke's method ended on a ray: a defect in the solver")
        for key in self._keys():
            ratios = {i: Fraction(key(i), self.entries[i, column]) for i in rows}
            least = min(ratios.values())
            rows = [i for i in rows if ratios[i] == least]
            if len(rows) == 1:
                break
            ends = [i for i in rows if self.basis[i] == 2 * self.n]
            if ends:
                return ends[0]
        return rows[0]

    def _keys(self) -> Iterator[Any]:
        """Yield the columns that ratios are compared in: the values, then those of each w."""
        yield lambda i: self.entries[i, -1]
        for j in range(self.n):
            if j in self.basis:
                row = self.basis.index(j)
                yield lambda i, row=row: self.denominator * (i == row)
            else:
                column = self.free.index(j)
                yield lambda i, column=column: self.entries[i, column]

    def _pivot(self, row: int, column: int) -> int:
        """Exchange a basic and a free variable, and return the one that was basic."""
        pivot, old = self.entries[row, column], self.denominator
        kept, factors = self.entries[row].copy(), self.entries[:, column].copy()
        self.entries = (self.entries * pivot - np.multiply.outer(factors, kept)) // old
        self.entries[:, column] = -factors
        self.entries[row] = kept
        self.entries[row, column] = old
        self.denominator = pivot
        if pivot < 0:
            self.entries, self.denominator = -self.entries, -pivot
        self.basis[row], self.free[column] = self.free[column], self.basis[row]
        return self.free[column]
