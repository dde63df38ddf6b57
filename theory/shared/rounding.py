"""What float64 cannot tell apart: the one rule for ties, and for gaps that are too large.

Two float64 numbers tie when they differ by no more than rounding may explain, measured by the
numbers that entered these two. What other options are worth does not count: one hopeless option
among them changes no tie between others. Every other kind of number is compared as it is.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

from theory.errors import RoundingError
from theory.numbers import Floats, Numbers
from theory.shared.shapes import Bool, Int64

__all__ = [
    "GAP_TOLERANCE",
    "TIE_TOLERANCE",
    "WithGap",
    "best_of",
    "check_gap",
    "gap_note",
    "largest_share",
    "rounding_share",
    "signs",
    "tied_best",
]

TIE_TOLERANCE: Final = 2.0**-49
"""float64 only: two numbers tie when they differ by at most this share, about 2e-15, of the larger
of the two sums of absolute values that they were made from. Sums of many terms tie somewhat
further apart; see :func:`rounding_share`."""

GAP_TOLERANCE: Final = 1e-9
"""float64 only: how large a gap may be, as a share of the numbers that it was computed from."""

_HALF_UNIT: Final = 2.0**-53
_MOST: Final = 1e-12


def rounding_share(terms: Any = 0) -> Any:
    """Return what share of the sum of absolute values of so many terms rounding may explain.

    One rounding of 2^-53 a term beside :data:`TIE_TOLERANCE`, and never more than 1e-12. Takes a
    number or an array.
    """
    return np.minimum(TIE_TOLERANCE + np.asarray(terms) * _HALF_UNIT, _MOST)


def tied_best(values: np.ndarray, sizes: np.ndarray, terms: Any = 0) -> Bool[np.ndarray, "r c"]:
    """Mark, in each column, every row that ties with the largest number of the column.

    ``sizes`` are the sums of absolute values that each number was made from, ``terms`` how many
    they were: one number, or one a column.
    """
    columns = np.arange(values.shape[1])
    best = values.argmax(axis=0)
    slack = np.maximum(sizes, sizes[best, columns]) * rounding_share(terms)
    with np.errstate(over="ignore"):  # a difference beyond float64 is no tie
        behind = values[best, columns] - values
    return np.asarray(behind <= slack)


def best_of(values: Numbers, sizes: Any, terms: Any = 0) -> Bool[np.ndarray, " options"]:
    """Mark every option of a list that ties with the best one.

    ``sizes`` and ``terms`` are as for :func:`tied_best`; only floats have a use for them.
    """
    if not isinstance(values, Floats):
        return values[:, np.newaxis].maximisers()[:, 0]
    return tied_best(values.values[:, np.newaxis], sizes[:, np.newaxis], terms)[:, 0]


def signs(values: Numbers, sizes: Any, terms: Any = 0) -> Int64[np.ndarray, "..."]:
    """Return the sign of each number; 0 for a float that rounding may have made of 0.

    ``sizes`` and ``terms`` are as for :func:`tied_best`.
    """
    if not isinstance(values, Floats):
        return values.signs()
    slack = sizes * rounding_share(terms)
    above, below = values.values > slack, values.values < -slack
    return np.asarray(above.astype(np.int64) - below)


def largest_share(gaps: Any, sizes: Any) -> float:
    """Return the largest gap as a share of its size: 0 for no gap, infinite where there is NaN."""
    found, whole = np.broadcast_arrays(np.abs(np.asarray(gaps, dtype=np.float64)), sizes)
    off = found > 0
    if not off.any() and not np.isnan(found).any():
        return 0.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shares = np.where(off, found / whole, found)
    return float(np.nan_to_num(shares, nan=np.inf).max())


def check_gap(what: str, gap: Fraction | float, share: float, exact: str) -> None:
    """Refuse a float64 answer that separate code finds to be off by more than rounding explains.

    Parameters
    ----------
    what : str
        What was computed.
    gap : number
        How far it is off.
    share : float
        The same as a share of the numbers that entered; see :func:`largest_share`.
    exact : str
        The exact alternative, as code.

    Raises
    ------
    RoundingError
        For a share above :data:`GAP_TOLERANCE`.
    """
    if not share <= GAP_TOLERANCE:
        raise RoundingError(
            f"gap of {what}",
            gap,
            f"is more than {GAP_TOLERANCE:g} of the numbers that it was computed from",
            f"solve the exact problem, {exact}, or pass any_gap=True to have this answer",
        )


def gap_note(arithmetic: str, gap: Fraction | float) -> str:
    """Return in words which numbers an answer was computed in, and what gap it has."""
    found = "0" if gap == 0 else f"{float(gap):.1e}"
    return f"{arithmetic} arithmetic, rechecked with gap {found}"


class WithGap:
    """An answer with its ``gap``, and the ``tolerance`` that rounding may amount to in it."""

    __slots__ = ()

    gap: Any
    tolerance: Any

    @property
    def holds(self) -> bool:
        """Whether the gap is 0, or no more than rounding explains."""
        return bool(self.gap <= self.tolerance)

    @property
    def doubt(self) -> str:
        """A warning where the gap is more than that; else empty."""
        if self.holds:
            return ""
        return (
            f"The recheck disagrees by {float(self.gap):.3g}, more than rounding explains "
            f"({float(self.tolerance):.3g}): do not trust these numbers."
        )
