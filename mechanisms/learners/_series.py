"""Regret round by round beside what is proven of it, and gaps of equilibrium."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mechanisms.learners._bounds import RegretBound, regret_bound
from theory._shapes import Float64, Int64
from theory.errors import InvalidInputError
from theory.verdicts import Table

__all__ = ["BoundedSeries", "GapSeries", "bounded"]

_SHOWN = 10


@dataclass(frozen=True, eq=False)
class BoundedSeries:
    """Regret of one kind, its bound, and their ratio.

    Attributes
    ----------
    name : str
        The player.
    kind : {"external", "internal", "swap"}
    rounds : int64 array of shape (k,)
        After how many rounds.
    regret, bound, ratio : float64 arrays of shape (k,)
        In sum, not on average; bound and ratio are NaN where nothing is proven, and a ratio is 0
        where there is neither regret nor a bound above 0.
    proven : RegretBound or None
        The bound after the last of the rounds.
    why_not : str
        Why nothing is proven; empty where something is.
    """

    name: str
    kind: str
    rounds: Int64[np.ndarray, " k"]
    regret: Float64[np.ndarray, " k"]
    bound: Float64[np.ndarray, " k"]
    ratio: Float64[np.ndarray, " k"]
    proven: RegretBound | None = None
    why_not: str = ""

    def table(self) -> Table:
        """Return up to ten of the rounds, the last one included."""
        rows = tuple(
            (
                f"{self.rounds[k]:,}",
                f"{self.regret[k]:.5g}",
                *(() if self.proven is None else (f"{self.bound[k]:.5g}", f"{self.ratio[k]:.3g}")),
                f"{self.regret[k] / self.rounds[k]:.4g}",
            )
            for k in _spread(len(self.rounds))
        )
        stated = () if self.proven is None else ("bound", "ratio")
        columns = ("rounds", f"{self.kind} regret", *stated, "a round")
        how = "" if self.proven is None else f", bound {self.proven.holds}"
        return Table(caption=f"{self.name}{how}", columns=columns, rows=rows)

    def __str__(self) -> str:
        last = self.why_not if self.proven is None else str(self.proven)
        return f"{self.table()}\n{last}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


class GapSeries(NamedTuple):
    """How far the average play is from equilibrium after each number of rounds.

    Attributes
    ----------
    title : str
    rounds : int64 array of shape (k,)
    cce, ce : float64 arrays of shape (k,)
        The largest average external and internal regret of a player, at least 0.
    """

    title: str
    rounds: Int64[np.ndarray, " k"]
    cce: Float64[np.ndarray, " k"]
    ce: Float64[np.ndarray, " k"]

    def table(self) -> Table:
        """Return up to ten of the rounds, the last one included."""
        return Table(
            caption=f"{self.title}: gaps of the average play",
            columns=("rounds", "coarse correlated", "correlated, single actions"),
            rows=tuple(
                (f"{self.rounds[k]:,}", f"{self.cce[k]:.4g}", f"{self.ce[k]:.4g}")
                for k in _spread(len(self.rounds))
            ),
        )

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def bounded(
    own: Any,
    kind: str,
    rounds: Int64[np.ndarray, " k"],
    values: Float64[np.ndarray, " k"],
    failure: float | None,
) -> BoundedSeries:
    """Put bounds beside the regret of a :class:`PlayerRun`."""
    bounds, proven, why_not = np.full(len(rounds), np.nan), None, ""
    try:
        for k, n in enumerate(rounds.tolist()):
            proven = regret_bound(own.learner, n, kind=kind, failure=failure, residual=own.residual)
            bounds[k] = proven.value
    except InvalidInputError as error:
        proven, why_not = None, str(error)
    ratio = np.divide(values, bounds, out=np.zeros(len(rounds)), where=(bounds != 0))
    ratio[(bounds == 0) & (values > 0)] = np.inf
    return BoundedSeries(own.name, kind, rounds, values, bounds, ratio, proven, why_not)


def _spread(count: int) -> list[int]:
    places = np.linspace(0, count - 1, _SHOWN).round()
    return sorted({int(place) for place in places}) if count else []
