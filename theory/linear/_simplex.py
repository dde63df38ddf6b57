"""The primal simplex method over the rationals, in two phases, with the lexicographic rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from theory.linear._form import Dictionary, StandardForm
from theory.linear._guess import guess_basis

__all__ = ["Outcome", "simplex"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """Where the method stopped.

    Attributes
    ----------
    dictionary : Dictionary
        Optimal, unless it shows a contradiction or ``rising`` is given.
    rising : int or None
        A column that can grow for ever at a gain.
    pivots : int
    """

    dictionary: Dictionary
    rising: int | None
    pivots: int


def simplex(form: StandardForm, *, guided: bool = True) -> Outcome:
    """Solve ``form`` exactly.

    A guided run lets float64 suggest the basis to start from. The suggestion is only that: every
    decision about the answer is taken in integers.
    """
    dictionary = form.dictionary()
    if guided and dictionary.contradiction is None:
        dictionary = form.dictionary(guess_basis(dictionary))
    pivots = 0
    if not dictionary.feasible and dictionary.contradiction is None:
        dictionary, pivots = _phase_one(dictionary)
    if dictionary.contradiction is not None:
        return Outcome(dictionary=dictionary, rising=None, pivots=pivots)
    dictionary, rising, more = _descend(dictionary)
    return Outcome(dictionary=dictionary, rising=rising, pivots=pivots + more)


def _phase_one(dictionary: Dictionary) -> tuple[Dictionary, int]:
    """Return a dictionary that is feasible or shows a contradiction.

    One more column, the excess, enters every row with coefficient -1 and is minimised. Where it
    stays positive, its row becomes the contradiction once another column takes its place.
    """
    form = dictionary.form
    excess = len(form.cost)
    basics = [j for j in dictionary.basis if j not in form.fixed]
    extended = replace(
        form,
        matrix=[[*row, -sum(row[j] for j in basics)] for row in form.matrix],
        cost=[*([0] * excess), 1],
    )
    basis = list(dictionary.basis)
    basis[int(np.argmin(dictionary.rhs))] = excess
    end, _, pivots = _descend(extended.dictionary(basis))
    return form.dictionary(j for j in end.basis if j != excess), pivots + 1


def _descend(dictionary: Dictionary) -> tuple[Dictionary, int | None, int]:
    """Pivot from a feasible dictionary until no column gains, or one gains without bound.

    The column of least reduced cost enters. The ratio test breaks ties lexicographically, in the
    columns of the first basis, so that no basis returns (Dantzig, Orden and Wolfe, 1955).
    """
    form = dictionary.form
    first = [j for j in dictionary.basis if j not in form.fixed]
    pivots = 0
    while True:
        gains = [(dictionary.costs[j], j) for j in form.movable if dictionary.costs[j] < 0]
        if not gains:
            return dictionary, None, pivots
        _, entering = min(gains)
        rows = [i for i, a in enumerate(dictionary.entries[:, entering]) if a > 0]
        if not rows:
            return dictionary, entering, pivots
        _, leaving = min((_ratios(dictionary, i, entering, first), i) for i in rows)
        basis = list(dictionary.basis)
        basis[leaving] = entering
        dictionary = form.dictionary(basis)
        pivots += 1


def _ratios(dictionary: Dictionary, row: int, entering: int, first: list[int]) -> list[Fraction]:
    entries = dictionary.entries[row]
    pivot = entries[entering]
    return [Fraction(v, pivot) for v in (dictionary.rhs[row], *entries[first])]
