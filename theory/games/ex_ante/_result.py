"""An ex-ante optimum as it is reported, its certificate checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Final

from theory.games._evaluation import reach_probabilities
from theory.games._game import Game
from theory.games._strategies import Behaviour
from theory.games.ex_ante._certificate import Certificate
from theory.games.ex_ante._recheck import check
from theory.shared.printable import escape
from theory.verdicts import Table

__all__ = ["Optimum", "Stats", "Status"]

_SHOWN: Final = 40


class Status(StrEnum):
    """How well an optimum is known."""

    EXACT = "exact"
    ENCLOSED = "enclosed within the tolerance"
    STOPPED = "stopped at the limit of cuts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How large the problem was, and what it took.

    Attributes
    ----------
    nodes, infosets : int
        Of the game.
    shared : int
        Information sets that several own histories lead to: what must be searched.
    absent_minded : int
        Information sets that a path can pass twice.
    cuts : int
        Cases that were cut in smaller ones.
    programs : int
        Linear programs solved, in floats, for the prices in the certificate.
    """

    nodes: int
    infosets: int
    shared: int
    absent_minded: int
    cuts: int
    programs: int

    def __str__(self) -> str:
        return (
            f"nodes {self.nodes:,}, information sets {self.infosets:,} ({self.shared:,} shared, "
            f"{self.absent_minded:,} absent-minded), cuts {self.cuts:,}, "
            f"linear programs {self.programs:,}"
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Optimum:
    """A strategy of a one-player game, with a certified bound on what any strategy is worth.

    Attributes
    ----------
    game : Game
    certificate : Certificate
    tolerance : Fraction
        The gap at which the search would rest; 0 where nobody is absent-minded.
    stats : Stats
    gap : Fraction
        ``bound`` less ``value``, recomputed from the game by :func:`check`.

    Raises
    ------
    CertificateError
        When the certificate does not prove its bound.
    """

    game: Game = field(repr=False)
    certificate: Certificate = field(repr=False)
    tolerance: Fraction
    stats: Stats
    gap: Fraction = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gap", check(self.game, self.certificate))

    @property
    def strategy(self) -> Behaviour:
        """The strategy; it makes the first move where no strategy can get, or chance lets none."""
        return self.certificate.strategy

    @property
    def value(self) -> Fraction:
        """What the strategy is worth: the lower end of what is known of the optimum."""
        return self.certificate.value

    @property
    def bound(self) -> Fraction:
        """What no strategy exceeds: the upper end."""
        return self.certificate.bound

    @property
    def status(self) -> Status:
        """How well the optimum is known."""
        if self.gap == 0:
            return Status.EXACT
        return Status.ENCLOSED if self.gap <= self.tolerance else Status.STOPPED

    def _head(self) -> str:
        if self.gap == 0:
            return f"optimum {self.value} (exact; certificate checked, gap 0)"
        return (
            f"optimum between {self.value} and {self.bound} ({self.status}; certificate "
            f"checked, gap {float(self.gap):.1e})"
        )

    def _table(self) -> Table:
        reached = reach_probabilities(self.game, self.strategy)
        rows = [
            (
                infoset.name,
                ", ".join(f"{m} {p}" for m, p in zip(infoset.moves, law, strict=True) if p),
            )
            for infoset, law in zip(self.game.infosets, self.strategy.probabilities, strict=True)
            if any(reached[v] for v in infoset.nodes)
        ]
        more = [(f"… {len(rows) - _SHOWN:,} more", "")] if len(rows) > _SHOWN else []
        return Table(
            caption="Strategy, at the sets that it reaches",
            columns=("information set", "moves"),
            rows=(*rows[:_SHOWN], *more),
        )

    def __str__(self) -> str:
        return "\n".join([self._head(), str(self._table()), str(self.stats)])

    def _repr_html_(self) -> str:
        head, stats = escape(self._head()), escape(str(self.stats))
        return f"<p><b>{head}</b></p>{self._table()._repr_html_()}<p>{stats}</p>"
