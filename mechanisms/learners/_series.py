"""Regret round by round beside what is proven of it, and gaps of equilibrium."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mechanisms.learners._bounds import RegretBound, regret_bound
from theory.errors import InvalidInputError
from theory.regret import internal_regret_warning
from theory.shared.printable import escape
from theory.shared.shapes import Float64, Int64
from theory.verdicts import Table

__all__ = ["BoundedSeries", "GapSeries", "bound_series"]

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
    warning : str
        What to keep in mind where internal regret says nothing by itself; else empty.
    """

    name: str
    kind: str
    rounds: Int64[np.ndarray, " k"]
    regret: Float64[np.ndarray, " k"]
    bound: Float64[np.ndarray, " k"]
    ratio: Float64[np.ndarray, " k"]
    proven: RegretBound | None = None
    why_not: str = ""
    warning: str = ""

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

    @property
    def broken(self) -> bool:
        """Whether regret is above what is said to hold pathwise: then that is not true."""
        pathwise = self.proven is not None and self.proven.holds == "pathwise"
        return pathwise and bool((self.ratio > 1 + 1e-9).any())

    def details(self) -> tuple[str, ...]:
        """Return what is to be said beside the table."""
        stated = self.why_not if self.proven is None else str(self.proven)
        false = "Regret is above what the learner says is proven of it." if self.broken else ""
        return tuple(filter(None, (stated, false, self.warning)))

    def __str__(self) -> str:
        return "\n".join([str(self.table()), *self.details()])

    def _repr_html_(self) -> str:
        details = "".join(f"<pre>{escape(text)}</pre>" for text in self.details())
        return self.table()._repr_html_() + details


class GapSeries(NamedTuple):
    """How far the average play is from equilibrium after each number of rounds.

    Attributes
    ----------
    title : str
    rounds : int64 array of shape (k,)
    cce, ce : float64 arrays of shape (k,)
        The largest average external and internal regret of a player, at least 0.
    warning : str
        What to keep in mind where internal regret says nothing by itself; else empty.
    """

    title: str
    rounds: Int64[np.ndarray, " k"]
    cce: Float64[np.ndarray, " k"]
    ce: Float64[np.ndarray, " k"]
    warning: str = ""

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
        return "\n".join(filter(None, (str(self.table()), self.warning)))

    def _repr_html_(self) -> str:
        warning = f"<p>{escape(self.warning)}</p>" if self.warning else ""
        return f"{self.table()._repr_html_()}{warning}"


def bound_series(
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
    warning = ""
    if kind == "internal" and len(rounds):
        warning = internal_regret_warning(own.actions.size, int(rounds[-1]))
    return BoundedSeries(own.name, kind, rounds, values, bounds, ratio, proven, why_not, warning)


def _spread(count: int) -> list[int]:
    places = np.linspace(0, count - 1, _SHOWN).round()
    return sorted({int(place) for place in places}) if count else []
