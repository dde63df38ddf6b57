"""A float64 run of Lemke's method, and the exact solution at the basis where it ends.

The run uses nothing but elementwise operations of IEEE 754, so that the basis is the same on every
machine. Nothing of it is trusted: an answer is one that the exact solution confirms.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from theory.errors import LimitError
from theory.linear.scale import in_floats

__all__ = ["guess_basis", "solved_at"]

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
