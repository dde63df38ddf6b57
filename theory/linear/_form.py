"""A linear program in standard form, over the integers, and its exact dictionary at a basis."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = ["Dictionary", "StandardForm"]


@dataclass(frozen=True, kw_only=True)
class StandardForm:
    """Minimise cost · z subject to matrix z = rhs and z ≥ 0, with z_j = 0 where j is fixed.

    Attributes
    ----------
    matrix : rows by columns of int
    rhs, cost : list of int
    slack : int
        Where the slacks begin: one column a row, together the identity. Those of equality rows are
        fixed at zero; they are there so that every dictionary shows how its rows arose.
    fixed : frozenset of int
        The columns that stay at zero.
    """

    matrix: list[list[int]]
    rhs: list[int]
    cost: list[int]
    slack: int
    fixed: frozenset[int]

    @cached_property
    def movable(self) -> list[int]:
        """The columns that are not fixed."""
        return [j for j in range(len(self.cost)) if j not in self.fixed]

    def dictionary(self, preferred: Iterable[int] = ()) -> Dictionary:
        """Return the dictionary at the basis that takes independent columns in a fixed order.

        Preferred columns come first, then slacks, then the others, and fixed columns last; a fixed
        column is basic only in a row that vanishes on all others. Takes one exact elimination.
        """
        from flint import fmpz_mat

        rows, columns = len(self.matrix), len(self.cost)
        wanted = (*preferred, *range(self.slack, self.slack + rows), *self.movable)
        movable = [j for j in wanted if j not in self.fixed]
        order = list(dict.fromkeys([*movable, *sorted(self.fixed)]))
        table = [
            (*(row[j] for j in order), b) for row, b in zip(self.matrix, self.rhs, strict=True)
        ]
        reduced, denominator, _ = fmpz_mat(rows, columns + 1, [v for r in table for v in r]).rref()
        sign = 1 if denominator > 0 else -1
        flat = np.array([sign * int(v) for v in reduced.entries()], dtype=object)
        solved = flat.reshape(rows, columns + 1)
        entries = np.empty((rows, columns), dtype=object)
        entries[:, order] = solved[:, :-1]
        return Dictionary(
            form=self,
            basis=tuple(order[j] for j in (solved != 0).argmax(axis=1)),
            entries=entries,
            rhs=solved[:, -1],
            denominator=sign * int(denominator),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Dictionary:
    """The rows of a standard form solved for its basic columns, over one common denominator d > 0.

    Row i reads z[basis[i]] + Σ_j (entries[i, j] / d) z_j = rhs[i] / d, with j not basic.
    """

    form: StandardForm
    basis: tuple[int, ...]
    entries: np.ndarray
    rhs: np.ndarray
    denominator: int

    @cached_property
    def costs(self) -> np.ndarray:
        """Reduced costs times the denominator."""
        cost = self.form.cost
        total = np.array([c * self.denominator for c in cost], dtype=object)
        for row, j in zip(self.entries, self.basis, strict=True):
            if cost[j]:
                total -= cost[j] * row
        return total

    @cached_property
    def contradiction(self) -> np.ndarray | None:
        """A row that no z ≥ 0 satisfies, if one can be seen.

        Its right-hand side is negative, and no entry in a movable column is.
        """
        for row, b in zip(self.entries, self.rhs, strict=True):
            negative: np.ndarray = row if b < 0 else -row
            if b and (negative[self.form.movable] >= 0).all():
                return negative
        return None

    @cached_property
    def feasible(self) -> bool:
        """Whether setting the columns outside the basis to zero gives a solution."""
        return self.contradiction is None and all(b >= 0 for b in self.rhs)
