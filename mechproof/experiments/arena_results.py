"""What the games of the arena say: profits with intervals, ratings, the noise floor, behaviour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from mechproof.experiments._arena_rows import record_of
from mechproof.experiments._rows import Row
from theory.ascending.measures import (
    Increment,
    bid_increments,
    failed_bids,
    priority_fidelity,
)
from theory.ascending.record import AuctionRecord
from theory.errors import InvalidInputError
from theory.ratings import (
    Elo,
    MeanScores,
    NoiseFloor,
    OrderAverage,
    Ratings,
    Scores,
    StrengthRatings,
    average_over_orders,
    bradley_terry,
    mean_scores,
    shuffled_floor,
)
from theory.verdicts import Table

__all__ = ["ArenaResults", "Cell"]

_RUNS: Final = 1_000
"""How often games are resampled, and the places in them given away at random."""
_ORDERS: Final = 50
"""Over how many orders of the games TrueSkill is averaged."""


@dataclass(frozen=True)
class Cell:
    """One setting: a line-up with a budget and an order of the items.

    Attributes
    ----------
    lineup, budget, order : str
    exact : mapping or None
        The expected profit of each bidder, where all follow rules and the order is fixed.
    """

    lineup: str
    budget: str
    order: str
    exact: dict[str, Fraction] | None

    def __str__(self) -> str:
        return f"{self.lineup}, {int(Fraction(self.budget)):,}, {self.order}"

    def has(self, row: Row) -> bool:
        """Whether a game is of this setting."""
        return (row["lineup"], row["budget"], row["order"]) == (
            self.lineup,
            self.budget,
            self.order,
        )


@dataclass(frozen=True, eq=False)
class ArenaResults:
    """The games of a run, and what is computed from them.

    Attributes
    ----------
    rows : tuple of dict
        One a game.
    cells : tuple of Cell
    seed : int
        Of resampling.
    """

    rows: tuple[Row, ...]
    cells: tuple[Cell, ...]
    seed: int

    @cached_property
    def rated(self) -> tuple[Row, ...]:
        """The games in which everybody gave an answer each time."""
        return tuple(row for row in self.rows if not row["unanswered"])

    def games(self, cell: Cell | None = None) -> list[Row]:
        """Return the rated games of a setting, or all."""
        return [row for row in self.rated if cell is None or cell.has(row)]

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def _scores(self, cell: Cell | None) -> list[Scores]:
        profits = (row["profits"] for row in self.games(cell))
        return [{name: Fraction(profit) for name, profit in each.items()} for each in profits]

    def mean_profits(self, cell: Cell | None = None) -> MeanScores | None:
        """Return mean profits with intervals; None for fewer than two games."""
        games = self._scores(cell)
        return (
            mean_scores(games, self._rng(), resamples=_RUNS, interval="student")
            if len(games) > 1
            else None
        )

    def trueskill(self, cell: Cell | None = None) -> OrderAverage | None:
        """Return TrueSkill ratings by profit, averaged over orders of the games."""
        games = self._scores(cell)
        return average_over_orders(games, rng=self._rng(), orders=_ORDERS) if games else None

    def elo(self, cell: Cell | None = None) -> OrderAverage | None:
        """Return Elo ratings by profit, averaged over orders of the games."""
        games = self._scores(cell)
        if not games:
            return None
        return average_over_orders(games, Elo(), rng=self._rng(), orders=_ORDERS)

    def strengths(self, cell: Cell | None = None) -> StrengthRatings | None:
        """Return Bradley-Terry strengths; None where somebody is never beaten, or never wins."""
        games = self._scores(cell)
        try:
            return bradley_terry(games) if games else None
        except InvalidInputError:
            return None

    def floor(self, cell: Cell | None = None) -> NoiseFloor | None:
        """Return how far TrueSkill sets identical bidders apart in these games."""
        games = self._scores(cell)
        return shuffled_floor(games, self._rng(), runs=_RUNS) if games else None

    @cached_property
    def records(self) -> tuple[AuctionRecord, ...]:
        """The rated games, as measures of behaviour read them."""
        return tuple(map(record_of, self.rated))

    def tables(self) -> tuple[Table, ...]:
        """Return a table a setting, one of all games, and one of what the bidders did."""
        found = [self._table(cell) for cell in self.cells]
        if len(self.cells) > 1:
            found.append(self._table(None))
        return (*found, self._behaviour()) if self.records else tuple(found)

    def _behaviour(self) -> Table:
        """Return how bidders raise, fail and believe, over all rated games."""
        failed = failed_bids(self.records)
        raises: dict[str, list[Increment]] = {}
        for record in self.records:
            for each in bid_increments(record, "start"):
                if not each.first:
                    raises.setdefault(each.bidder, []).append(each)
        stated, wrong = Counter[str](), Counter[str]()
        for row in self.rated:
            for _, name, statements, errors in row["beliefs"]:
                stated[name] += statements or 0
                wrong[name] += len(errors)
        rows = []
        for name, found in failed.items():
            shares = [each.share for each in raises.get(name, ())]
            mean = sum(shares, Fraction(0)) / len(shares) if shares else None
            own = [record for record in self.records if name in record.bidders]
            fidelity = priority_fidelity(own, name)
            rows.append(
                (
                    name,
                    f"{found.failed} of {found.failed + found.correct}",
                    "" if mean is None else f"{float(mean):.2f}",
                    f"{wrong[name]} of {stated[name]}" if stated[name] else "",
                    _pair(fidelity.initial_bids, fidelity.initial_wins),
                    _pair(fidelity.current_bids, fidelity.current_wins),
                )
            )
        return Table(
            caption="What the bidders did",
            columns=(
                "bidder",
                "failed bids",
                "mean raise / start",
                "wrong beliefs",
                "initial priorities and bids, wins",
                "current priorities and bids, wins",
            ),
            rows=tuple(rows),
        )

    def _table(self, cell: Cell | None) -> Table:
        rows = self.games(cell)
        profits, skills = self.mean_profits(cell), self.trueskill(cell)
        strengths, elo = self.strengths(cell), self.elo(cell)
        won, failed, moves = Counter[str](), Counter[str](), Counter[str]()
        for row in rows:
            won.update(row["won"])
            failed.update(name for _, _, name, _ in row["failed"])
            moves.update(name for _, _, name, _, _ in row["moves"])
        played = Counter(name for row in rows for name in row["seats"])
        names = profits.ranking if profits is not None else tuple(played)
        cells = []
        for name in map(str, names):
            count = played[name]
            exact = None if cell is None or cell.exact is None else cell.exact[name]
            cells.append(
                (
                    name,
                    str(count),
                    *_interval(profits, name),
                    "" if exact is None else f"{float(exact):,.0f}",
                    f"{won[name] / count:.2f}",
                    f"{failed[name] / max(1, failed[name] + moves[name]):.2%}",
                    "" if skills is None else f"{float(skills.of(name)):.1f}",
                    "" if strengths is None else f"{float(strengths.of(name)):+.2f}",
                    "" if elo is None else f"{float(elo.of(name)):.0f}",
                )
            )
        played_here = [row for row in self.rows if cell is None or cell.has(row)]
        left_out = len(played_here) - len(rows)
        more = f", {left_out} not rated, since an answer was missing" if left_out else ""
        what = "all settings" if cell is None else str(cell)
        return Table(
            caption=f"{what}: {len(rows)} games{more}{self._floor_text(cell, skills)}",
            columns=(
                "bidder",
                "games",
                "mean profit",
                "from",
                "to",
                "exact",
                "items",
                "failed",
                "TrueSkill",
                "Bradley-Terry",
                "Elo",
            ),
            rows=tuple(cells),
        )

    def _floor_text(self, cell: Cell | None, skills: Ratings | None) -> str:
        floor = self.floor(cell)
        if floor is None or skills is None:
            return ""
        return (
            f"; TrueSkill spread {float(skills.spread):.1f}, of identical bidders 95% within "
            f"{floor.value:.1f}"
        )

    def remarks(self) -> Iterator[str]:
        """Yield what a reader must know of the tables."""
        yield (
            "Mean profit, with a 95% interval over games, is the measure; exact is the expected "
            "profit, computed. TrueSkill is averaged over orders of the games, and ratings whose "
            "spread identical bidders reach say nothing."
        )
        missing = Counter(name for row in self.rows for name in row["unanswered"])
        for name, count in missing.items():
            yield f"{name} gave no answer in {count} games, which are not rated."


def _pair(bids: float | None, wins: float | None) -> str:
    """Write two correlations, "-" where one is not defined; nothing where neither is."""
    if bids is None and wins is None:
        return ""
    return ", ".join("-" if each is None else f"{each:.2f}" for each in (bids, wins))


def _interval(profits: MeanScores | None, name: str) -> tuple[str, str, str]:
    if profits is None:
        return "", "", ""
    low, high = dict(zip(profits.players, profits.interval, strict=True))[name]
    return f"{float(profits.of(name)):,.0f}", f"{low:,.0f}", f"{high:,.0f}"
