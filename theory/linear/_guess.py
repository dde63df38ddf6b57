"""A float64 run of the simplex method, which suggests where the exact one should start.

It uses nothing but elementwise operations of IEEE 754, so the suggestion is the same on every
machine.
"""

from __future__ import annotations

import numpy as np

from theory.linear._form import Dictionary
from theory.linear.scale import in_floats
from theory.shared.shapes import Bool, Float64

__all__ = ["guess_basis"]

_ZERO = 1e-9
_SMALL = 1e-6
"""A column whose entries are all smaller is in a unit that is too large: it would count as zero."""
_VANISHING = 1000
"""How many bits all entries of a column may lack beside their rows before it is moved up."""
_RELAX = 1e-6
_GOLDEN = (5**0.5 - 1) / 2
_PATIENCE = 20
"""Pivots tried in one phase for each row and column."""


def guess_basis(dictionary: Dictionary) -> list[int]:
    """Return columns that are likely to be an optimal basis, or to show a contradiction.

    Each row is relaxed a little, by its own amount, so that ties are rare and cycles rarer.
    """
    form = dictionary.form
    excess = len(form.cost)
    live = [i for i, j in enumerate(dictionary.basis) if j not in form.fixed]
    if not live:
        return []
    basis = [dictionary.basis[i] for i in live]
    rows = [[*dictionary.entries[i], dictionary.rhs[i]] for i in live]
    body = np.array([*in_floats([*rows, [*dictionary.costs, 0]], _VANISHING), [0.0] * (excess + 1)])
    largest = abs(body).max(axis=0)
    body /= np.where((largest > 0) & (largest < _SMALL), largest, 1.0)
    table = np.insert(body, excess, -1.0, axis=1)
    table[-2:, excess] = 0.0, 1.0
    table[:-2, -1] += _RELAX * (1 + np.arange(len(live)) * _GOLDEN % 1)
    movable = np.zeros(excess + 2, dtype=bool)
    movable[form.movable] = True
    with np.errstate(all="ignore"):
        if table[:-2, -1].min() < -_ZERO:
            _pivot(table, basis, int(table[:-2, -1].argmin()), excess)
            _descend(table, basis, -1, movable)
            if excess in basis:
                row = basis.index(excess)
                if table[row, -1] > _ZERO:
                    return [j for j in basis if j != excess]
                _pivot(table, basis, row, int(np.where(movable, abs(table[row]), 0.0).argmax()))
        _descend(table, basis, -2, movable)
    return basis


def _descend(
    table: Float64[np.ndarray, "rows columns"],
    basis: list[int],
    cost_row: int,
    movable: Bool[np.ndarray, " columns"],
) -> None:
    for _ in range(_PATIENCE * sum(table.shape)):
        column = int(np.where(movable, table[cost_row], 0.0).argmin())
        rows = np.flatnonzero(table[:-2, column] > _ZERO)
        if not (table[cost_row, column] < -_ZERO and len(rows)):
            return
        ratios = table[rows, -1] / table[rows, column]
        tied = rows[ratios <= ratios.min() + _ZERO]
        _pivot(table, basis, int(tied[table[tied, column].argmax()]), column)


def _pivot(
    table: Float64[np.ndarray, "rows columns"], basis: list[int], row: int, column: int
) -> None:
    table[row] /= table[row, column]
    others = np.flatnonzero(table[:, column])
    others = others[others != row]
    table[others] -= np.outer(table[others, column], table[row])
    table[others, column] = 0.0
    basis[row] = column
