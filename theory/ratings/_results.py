"""Ratings of players: value, interval, gap, and what identical players would show."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from theory.shared.printable import escape
from theory.shared.rounding import WithGap
from theory.verdicts import Table

__all__ = [
    "MeanScores",
    "NoiseFloor",
    "OrderAverage",
    "Ratings",
    "SkillRatings",
    "StrengthRatings",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class NoiseFloor(WithGap):
    """How far apart the ratings of identical players come out.

    Attributes
    ----------
    method : str
        Which rating.
    players, games, runs : int
        How many; ``runs`` is the number of simulated tournaments, or of all there are.
    level : float
        Between 0 and 1.
    value : float
        The quantile of ``level`` of the spread, which is the largest less the smallest rating.
    interval : tuple of float
        A 95% confidence interval of ``value`` by order statistics; the value itself where exact.
    deviation : float
        The standard deviation of the rating of a player.
    mean_spread : float
        The mean of the spread.
    law : float64 array
        The spreads of all runs in increasing order.
    exact : bool
        Whether every ranking of every game was gone through.
    gap : float
        The largest difference from other code in the first runs.
    tolerance : float
        What rounding may amount to in it.
    """

    method: str
    players: int
    games: int
    runs: int
    level: float
    value: float
    interval: tuple[float, float]
    deviation: float
    mean_spread: float
    law: np.ndarray
    exact: bool
    gap: float
    tolerance: float

    def share_above(self, spread: float) -> float:
        """Return in what share of the runs identical players are at least as far apart."""
        return float(np.mean(self.law >= spread - 1e-9 * max(1.0, abs(spread))))

    def __repr__(self) -> str:
        how = "exact" if self.exact else f"{self.runs:,} runs"
        return f"NoiseFloor({self.method}, {self.value:.6g} at {self.level:g}, {how})"

    def __str__(self) -> str:
        how = f"all {self.runs:,} outcomes" if self.exact else f"{self.runs:,} simulated runs"
        lines = [
            f"{self.method} of {self.players} identical players after {self.games} games ({how}):",
            f"{self.level:.0%} of spreads are at most {self.value:.4g}"
            + ("" if self.exact else f" ({self.interval[0]:.4g} to {self.interval[1]:.4g})")
            + f", the mean spread is {self.mean_spread:.4g}, the deviation of a rating "
            f"{self.deviation:.4g}.",
        ]
        return "\n".join([*lines, *([self.doubt] if self.doubt else [])])

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"


@dataclass(frozen=True, kw_only=True, eq=False)
class Ratings(WithGap):
    """The rating of each player with an interval.

    Attributes
    ----------
    method : str
        Which rating.
    players : tuple
        In the order in which they first appear in the games.
    value : tuple of numbers
        The rating of each player.
    interval : tuple of pairs of float
        Where the rating of each player lies with probability ``level``, as ``interval_of`` says.
    interval_of : str
        What the interval is, in words.
    level : float
        Between 0 and 1.
    games : int
        How many were rated.
    gap : float
        How far the values are off by other code.
    tolerance : float
        What rounding may amount to in it.
    floor : NoiseFloor, optional
        What identical players show.
    """

    method: str
    players: tuple[Hashable, ...]
    value: tuple[Any, ...]
    interval: tuple[tuple[float, float], ...]
    interval_of: str
    level: float
    games: int
    gap: float
    tolerance: float
    floor: NoiseFloor | None = None

    @property
    def spread(self) -> Any:
        """The largest rating less the smallest."""
        return max(self.value) - min(self.value)

    @property
    def ranking(self) -> tuple[Hashable, ...]:
        """The players, best first; those of one rating in the order of ``players``."""
        places = sorted(range(len(self.players)), key=lambda p: -self.value[p])
        return tuple(self.players[p] for p in places)

    def of(self, player: Hashable) -> Any:
        """Return the rating of one player."""
        return dict(zip(self.players, self.value, strict=True))[player]

    def beside(self, floor: NoiseFloor) -> Self:
        """Return the same ratings, shown beside what identical players show."""
        return replace(self, floor=floor)

    def _columns(self) -> dict[str, tuple[Any, ...]]:
        """Return further columns of the table."""
        return {}

    def table(self) -> Table:
        """Return the ratings, best first."""
        more = self._columns()
        places = sorted(range(len(self.players)), key=lambda p: -self.value[p])
        return Table(
            caption=f"{self.method} after {self.games:,} games",
            columns=("player", "rating", "from", "to", *more),
            rows=tuple(
                (
                    str(self.players[p]),
                    *(f"{float(x):.2f}" for x in (self.value[p], *self.interval[p])),
                    *(f"{float(column[p]):.2f}" for column in more.values()),
                )
                for p in places
            ),
        )

    def _remarks(self) -> list[str]:
        found = [f"from, to: {self.interval_of}, {self.level:.0%}"]
        if self.floor is not None:
            share = self.floor.share_above(float(self.spread))
            found.append(
                f"spread {float(self.spread):.2f}; of identical players {self.floor.level:.0%} of "
                f"spreads are at most {self.floor.value:.2f}, and a share of {share:.3g} is at "
                "least this one"
            )
        return [*found, *([self.doubt] if self.doubt else [])]

    def __repr__(self) -> str:
        found = ", ".join(
            f"{p!r}: {float(v):.6g}" for p, v in zip(self.players, self.value, strict=True)
        )
        return f"{type(self).__name__}({self.method}, {{{found}}})"

    def __str__(self) -> str:
        return "\n".join([str(self.table()), *self._remarks()])

    def _repr_html_(self) -> str:
        remarks = "".join(f"<p>{escape(text)}</p>" for text in self._remarks())
        return f"{self.table()._repr_html_()}{remarks}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SkillRatings(Ratings):
    """Posterior mean (``value``) and standard deviation (``sigma``) of the skill of each player."""

    sigma: tuple[float, ...]

    def _columns(self) -> dict[str, tuple[Any, ...]]:
        return {"sigma": self.sigma}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class StrengthRatings(Ratings):
    """Log strengths that sum to 0, with the standard error of each."""

    standard_error: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MeanScores(Ratings):
    """Mean scores; in which share of resampled tournaments each player is ahead of all others."""

    ahead: tuple[float, ...]

    def _columns(self) -> dict[str, tuple[Any, ...]]:
        return {"ahead": self.ahead}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OrderAverage(Ratings):
    """Ratings averaged over orders of the games.

    ``interval`` is of the mean over all orders, and the mean itself where all were gone through
    (``exact``). ``deviation``, ``lowest`` and ``highest`` are over the ``orders`` gone through.
    """

    deviation: tuple[float, ...]
    lowest: tuple[float, ...]
    highest: tuple[float, ...]
    orders: int
    exact: bool

    def _columns(self) -> dict[str, tuple[Any, ...]]:
        return {"deviation": self.deviation, "lowest": self.lowest, "highest": self.highest}
