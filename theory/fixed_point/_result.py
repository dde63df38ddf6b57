"""A fixed point and what is known of it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from theory.errors import LimitError
from theory.shared.text import count_text, integer_text, number_text
from theory.verdicts import Table

if TYPE_CHECKING:
    from theory.actions import SparseStrategy

__all__ = ["FixedPoint"]

_DENSE_LIMIT: Final = 10**7
_SHOWN: Final = 12


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FixedPoint:
    r"""A distribution x with Qx = x, up to the measured residual.

    Attributes
    ----------
    support : tuple of int
        The indices with positive probability, in order.
    weights : float64 array, or tuple of Fraction where exact
        Their probabilities.
    size : int
        The number of indices.
    gap : float or Fraction
        The residual :math:`\|Qx - x\|_1`, recomputed from the moves by code that shares
        nothing with the solver; 0 where exact.
    method : str
        "gth", "highs" or "cvxpy".
    sources, touched : int
        How many indices a single move leaves, and how many are touched at all.
    unique : bool
        Whether there is no other fixed point: the chain has one closed class.
    arithmetic : str
        "exact", where all numbers are rational, or "float64".
    """

    support: tuple[int, ...]
    weights: Any
    size: int
    gap: float | Fraction
    method: str
    sources: int
    touched: int
    unique: bool
    arithmetic: str

    @property
    def strategy(self) -> SparseStrategy:
        """The distribution as a strategy, in float64."""
        from theory.actions import SparseStrategy

        return SparseStrategy(self.support, np.asarray(self.weights, np.float64), self.size)

    def probability(self, index: int) -> float | Fraction:
        """Return the probability of one index; 0 outside the support."""
        at, exact = bisect_left(self.support, index), self.arithmetic == "exact"
        if at < len(self.support) and self.support[at] == index:
            return self.weights[at] if exact else float(self.weights[at])
        return Fraction(0) if exact else 0.0

    def dense(self) -> np.ndarray:
        """Return the probabilities of all indices, float64 or Fractions in an object array.

        Raises
        ------
        LimitError
            When there are more than 10^7 indices.
        """
        if self.size > _DENSE_LIMIT:
            problem = f"is too large to list, the limit is {_DENSE_LIMIT:,}"
            raise LimitError("size", self.size, problem, "use support and weights")
        if self.arithmetic == "exact":
            row = np.full(self.size, Fraction(0), dtype=object)
        else:
            row = np.zeros(self.size)
        row[list(self.support)] = self.weights
        return row

    def _table(self) -> Table:
        left = "the only one" if self.unique else "one of several"
        count = f"{len(self.support):,} of {count_text(self.size)} indices"
        order = sorted(range(len(self.support)), key=lambda n: -self.weights[n])
        rows = [
            (integer_text(self.support[n]), number_text(self.weights[n]))
            for n in sorted(order[:_SHOWN])
        ]
        if len(order) > _SHOWN:
            rest = sum(self.weights[n] for n in order[_SHOWN:])
            rows.append((f"{len(order) - _SHOWN:,} more", number_text(rest)))
        return Table(
            caption=f"Fixed point on {count} ({left}), by {self.method}: "
            f"residual {number_text(self.gap)}",
            columns=("index", "probability"),
            rows=tuple(rows),
        )

    def __str__(self) -> str:
        return str(self._table())

    def __repr__(self) -> str:
        return (
            f"FixedPoint({len(self.support):,} of {count_text(self.size)} indices, "
            f"residual {number_text(self.gap)}, by {self.method})"
        )

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()
