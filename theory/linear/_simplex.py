"""The simplex method over the rationals: dual where it can, primal with the lexicographic rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from theory.errors import LimitError
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


class _Pivots:
    """Makes exact pivots and counts them."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.done = 0

    def count(self) -> None:
        if self.done == self.most:
            problem = f"needs more than {self.most:,} exact pivots"
            raise LimitError("program", self.done, problem, "round its numbers, or allow more")
        self.done += 1

    def exchange(self, dictionary: Dictionary, row: int, entering: int) -> Dictionary:
        """Return the dictionary where a column takes the place of the basic one of a row."""
        self.count()
        basis = list(dictionary.basis)
        basis[row] = entering
        return dictionary.form.dictionary(basis)


def simplex(form: StandardForm, *, guided: bool = True, pivots: int | None = None) -> Outcome:
    """Solve ``form`` exactly, by at most so many pivots after the start.

    A guided run lets float64 suggest the basis to start from. The suggestion is only that: every
    decision about the answer is taken in integers.

    Raises
    ------
    LimitError
        Where more pivots are needed.
    """
    steps = _Pivots(pivots)
    dictionary = form.dictionary()
    if guided and dictionary.contradiction is None:
        dictionary = form.dictionary(guess_basis(dictionary))
    dictionary = _ascend(dictionary, steps)
    if not dictionary.feasible and dictionary.contradiction is None:
        dictionary = _phase_one(dictionary, steps)
    if dictionary.contradiction is not None:
        return Outcome(dictionary=dictionary, rising=None, pivots=steps.done)
    dictionary, rising = _descend(dictionary, steps)
    return Outcome(dictionary=dictionary, rising=rising, pivots=steps.done)


def _ascend(dictionary: Dictionary, steps: _Pivots) -> Dictionary:
    """Pivot while no column gains, until the dictionary is feasible or shows a contradiction.

    A start that rounding has put a little outside has but a few pivots to go by this dual method
    (Lemke, 1954), where phase one forgets the costs. It stops where a basis returns.
    """
    seen: set[frozenset[int]] = set()
    while not dictionary.feasible and dictionary.contradiction is None:
        costs, basis = dictionary.costs, frozenset(dictionary.basis)
        movable = dictionary.form.movable
        if basis in seen or any(costs[j] < 0 for j in movable):
            break
        seen.add(basis)
        leaving = int(np.argmin(dictionary.rhs))
        row = dictionary.entries[leaving]
        _, entering = min((Fraction(costs[j], -row[j]), j) for j in movable if row[j] < 0)
        dictionary = steps.exchange(dictionary, leaving, entering)
    return dictionary


def _phase_one(dictionary: Dictionary, steps: _Pivots) -> Dictionary:
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
    steps.count()
    basis = list(dictionary.basis)
    basis[int(np.argmin(dictionary.rhs))] = excess
    end, _ = _descend(extended.dictionary(basis), steps)
    return form.dictionary(j for j in end.basis if j != excess)


def _descend(dictionary: Dictionary, steps: _Pivots) -> tuple[Dictionary, int | None]:
    """Pivot from a feasible dictionary until no column gains, or one gains without bound.

    The column of least reduced cost enters. The ratio test breaks ties lexicographically, in the
    columns of the first basis, so that no basis returns (Dantzig, Orden and Wolfe, 1955).
    """
    form = dictionary.form
    first = [j for j in dictionary.basis if j not in form.fixed]
    while True:
        gains = [(dictionary.costs[j], j) for j in form.movable if dictionary.costs[j] < 0]
        if not gains:
            return dictionary, None
        _, entering = min(gains)
        rows = [i for i, a in enumerate(dictionary.entries[:, entering]) if a > 0]
        if not rows:
            return dictionary, entering
        _, leaving = min((_ratios(dictionary, i, entering, first), i) for i in rows)
        dictionary = steps.exchange(dictionary, leaving, entering)


def _ratios(dictionary: Dictionary, row: int, entering: int, first: list[int]) -> list[Fraction]:
    entries = dictionary.entries[row]
    pivot = entries[entering]
    return [Fraction(v, pivot) for v in (dictionary.rhs[row], *entries[first])]
