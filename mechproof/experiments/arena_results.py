"""What the games of the arena say: profits with intervals, ratings, the noise floor, behaviour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np

from mechproof.experiments._arena_rows import record_of
from mechproof.experiments._rows import Row
from mechproof.experiments.arena_counts import BeliefCount, count_beliefs, usage_of
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
    Scores,
    StrengthRatings,
    average_over_orders,
    bradley_terry,
    mean_scores,
    shuffled_floor,
)
from theory.verdicts import Table

__all__ = ["ArenaResults", "Cell", "Standing", "budget_text"]

T = TypeVar("T")

_RUNS: Final = 1_000
"""How often games are resampled, and the places in them given away at random."""
_ORDERS: Final = 50
"""Over how many orders of the games TrueSkill is averaged."""
_WHICH: Final = ("lineup", "budget", "order")


def budget_text(budget: str) -> str:
    """Return a budget for readers: 20,000, or a fraction as it is."""
    amount = Fraction(budget)
    return f"{amount.numerator:,}" if amount.denominator == 1 else str(amount)


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
        return f"{self.lineup}, {budget_text(self.budget)}, {self.order}"

    def has(self, row: Row) -> bool:
        """Whether a game is of this setting."""
        return (row["lineup"], row["budget"], row["order"]) == (
            self.lineup,
            self.budget,
            self.order,
        )


@dataclass(frozen=True)
class Standing:
    """What the games of a setting say of one bidder; None where they do not suffice.

    Attributes
    ----------
    bidder : str
    games : int
    profit : number or None
        The mean.
    interval : pair of float or None
        Student's, 95%.
    exact : Fraction or None
        The expected profit.
    items : Fraction
        Won in a game, on average.
    failed : Fraction
        F / (C + F) of bids.
    trueskill, bradley_terry, elo : float or None
    """

    bidder: str
    games: int
    profit: Fraction | float | None
    interval: tuple[float, float] | None
    exact: Fraction | None
    items: Fraction
    failed: Fraction
    trueskill: float | None
    bradley_terry: float | None
    elo: float | None

    def cells(self) -> tuple[str, ...]:
        """Return a row of the table of a setting."""
        low, high = self.interval or (None, None)
        return (
            self.bidder,
            str(self.games),
            *(_written(each, ",.0f") for each in (self.profit, low, high, self.exact)),
            f"{float(self.items):.2f}",
            f"{float(self.failed):.2%}",
            _written(self.trueskill, ".1f"),
            _written(self.bradley_terry, "+.2f"),
            _written(self.elo, ".0f"),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the same as data, fractions as text."""
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {k: str(v) if isinstance(v, Fraction) else v for k, v in found.items()}


def _written(number: Fraction | float | None, form: str) -> str:
    return "" if number is None else format(float(number), form)


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

    @cached_property
    def _known(self) -> dict[tuple[str, str], Any]:
        return {}

    def _once(self, what: str, cell: Cell | None, compute: Callable[[list[Scores]], T]) -> T | None:
        """Return what is computed from the games of a setting, the first time; None without any."""
        key = what, "" if cell is None else str(cell)
        if key not in self._known:
            games = self._scores(cell)
            self._known[key] = compute(games) if games else None
        found: T | None = self._known[key]
        return found

    def mean_profits(self, cell: Cell | None = None) -> MeanScores | None:
        """Return mean profits with intervals; None for fewer than two games."""

        def compute(games: list[Scores]) -> MeanScores | None:
            if len(games) < 2:
                return None
            return mean_scores(games, self._rng(), resamples=_RUNS, interval="student")

        return self._once("profits", cell, compute)

    def trueskill(self, cell: Cell | None = None) -> OrderAverage | None:
        """Return TrueSkill ratings by profit, averaged over orders of the games."""
        return self._once(
            "trueskill",
            cell,
            lambda games: average_over_orders(games, rng=self._rng(), orders=_ORDERS),
        )

    def elo(self, cell: Cell | None = None) -> OrderAverage | None:
        """Return Elo ratings by profit, averaged over orders of the games."""
        return self._once(
            "elo",
            cell,
            lambda games: average_over_orders(games, Elo(), rng=self._rng(), orders=_ORDERS),
        )

    def strengths(self, cell: Cell | None = None) -> StrengthRatings | None:
        """Return Bradley-Terry strengths; None where somebody is never beaten, or never wins."""

        def compute(games: list[Scores]) -> StrengthRatings | None:
            try:
                return bradley_terry(games)
            except InvalidInputError:
                return None

        return self._once("strengths", cell, compute)

    def floor(self, cell: Cell | None = None) -> NoiseFloor | None:
        """Return how far TrueSkill sets identical bidders apart in these games."""
        return self._once(
            "floor", cell, lambda games: shuffled_floor(games, self._rng(), runs=_RUNS)
        )

    @cached_property
    def records(self) -> tuple[AuctionRecord, ...]:
        """The rated games, as measures of behaviour read them."""
        return tuple(map(record_of, self.rated))

    def tables(self) -> tuple[Table, ...]:
        """Return a table a setting, one of all games, and one of what the bidders did."""
        found = [self._table(cell) for cell in self.cells]
        if len(self.cells) > 1:
            found.append(self._table(None))
        if self.records:
            found.append(self._behaviour())
        return (*found, self._usage()) if any(row["usage"] for row in self.rows) else tuple(found)

    def standings(self, cell: Cell | None = None) -> tuple[Standing, ...]:
        """Return what the games of a setting say of each bidder, the highest mean profit first."""
        rows = self.games(cell)
        profits, skills = self.mean_profits(cell), self.trueskill(cell)
        strengths, elo = self.strengths(cell), self.elo(cell)
        won, failed, moves = Counter[str](), Counter[str](), Counter[str]()
        for row in rows:
            won.update(row["won"])
            failed.update(name for _, _, name, _ in row["failed"])
            moves.update(name for _, _, name, _, _ in row["moves"])
        played = Counter(name for row in rows for name in row["seats"])
        earned = {
            name: sum(Fraction(row["profits"].get(name, 0)) for row in rows) / count
            for name, count in played.items()
        }
        ranked = sorted(played, key=lambda name: -earned[name])
        names = map(str, ranked if profits is None else profits.ranking)
        ends = {} if profits is None else dict(zip(profits.players, profits.interval, strict=True))
        return tuple(
            Standing(
                bidder=name,
                games=played[name],
                profit=earned[name] if profits is None else profits.of(name),
                interval=ends.get(name),
                exact=None if cell is None or cell.exact is None else cell.exact[name],
                items=Fraction(won[name], played[name]),
                failed=Fraction(failed[name], max(1, failed[name] + moves[name])),
                trueskill=None if skills is None else float(skills.of(name)),
                bradley_terry=None if strengths is None else float(strengths.of(name)),
                elo=None if elo is None else float(elo.of(name)),
            )
            for name in names
        )

    def _behaviour(self) -> Table:
        """Return how bidders raise, fail and believe, over all rated games."""
        failed, beliefs = failed_bids(self.records), count_beliefs(self.rated)
        raises: dict[str, list[Increment]] = {}
        for record in self.records:
            for each in bid_increments(record, "start"):
                if not each.first:
                    raises.setdefault(each.bidder, []).append(each)
        rows = []
        for name, found in failed.items():
            shares = [each.share for each in raises.get(name, ())]
            mean = sum(shares, Fraction(0)) / len(shares) if shares else None
            own = [record for record in self.records if name in record.bidders]
            fidelity = priority_fidelity(own, name)
            said = beliefs.get(name, BeliefCount())
            rows.append(
                (
                    name,
                    f"{found.failed} of {found.failed + found.correct}",
                    "" if mean is None else f"{float(mean):.2f}",
                    f"{said.wrong} of {said.stated}" if said.stated else "",
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

    def _usage(self) -> Table:
        """Return what was asked of models and persons."""
        rows = [
            (
                name,
                str(asked.games),
                f"{asked.used.calls or asked.answers:,}",
                f"{(asked.used.calls or asked.answers) / asked.games:,.1f}",
                f"{asked.used.retries:,}",
                f"{asked.used.input_tokens:,}",
                f"{asked.used.output_tokens:,}",
                f"{float(asked.used.money):,.4f}",
                f"{asked.used.failures:,}",
            )
            for name, asked in usage_of(self.rows).items()
        ]
        return Table(
            caption="What was asked",
            columns=(
                *("bidder", "games", "calls", "a game", "retries", "tokens in", "tokens out"),
                *("money", "unusable"),
            ),
            rows=tuple(rows),
        )

    def to_json(self) -> dict[str, Any]:
        """Return what the tables say as data: exact numbers as text, others as numbers."""
        cells: list[Cell | None] = [*self.cells]
        if len(cells) > 1:
            cells.append(None)
        return {
            "settings": [self._cell_json(cell) for cell in cells],
            "usage": {
                name: {
                    "games": asked.games,
                    "answers": asked.answers,
                    "calls": asked.used.calls,
                    "retries": asked.used.retries,
                    "input_tokens": asked.used.input_tokens,
                    "output_tokens": asked.used.output_tokens,
                    "money": str(asked.used.money),
                    "unusable": asked.used.failures,
                }
                for name, asked in usage_of(self.rows).items()
            },
        }

    def _cell_json(self, cell: Cell | None) -> dict[str, Any]:
        floor, skills = self.floor(cell), self.trueskill(cell)
        which = None if cell is None else {k: getattr(cell, k) for k in _WHICH}
        return {
            **(which or dict.fromkeys(_WHICH)),
            "games": len(self.games(cell)),
            "unrated": len(self._played(cell)) - len(self.games(cell)),
            "trueskill_spread": None if skills is None else float(skills.spread),
            "spread_of_identical_bidders": None if floor is None else float(floor.value),
            "bidders": [one.to_json() for one in self.standings(cell)],
        }

    def _is_balanced(self, cell: Cell) -> bool:
        """Whether everybody has sat in each seat equally often in the rated games."""
        rows = self.games(cell)
        seats = Counter((name, k) for row in rows for k, name in enumerate(row["seats"]))
        places = {name for row in rows for name in row["seats"]}
        return len({seats[name, k] for name in places for k in range(len(places))}) <= 1

    def _played(self, cell: Cell | None) -> list[Row]:
        return [row for row in self.rows if cell is None or cell.has(row)]

    def _table(self, cell: Cell | None) -> Table:
        rows = self.games(cell)
        left_out = len(self._played(cell)) - len(rows)
        more = f", {left_out} not rated, since an answer was missing" if left_out else ""
        what = "all settings" if cell is None else str(cell)
        return Table(
            caption=f"{what}: {_games(len(rows))}{more}{self._floor_text(cell)}",
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
            rows=tuple(one.cells() for one in self.standings(cell)),
        )

    def _floor_text(self, cell: Cell | None) -> str:
        floor, skills = self.floor(cell), self.trueskill(cell)
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
        uneven = [cell for cell in self.cells if not self._is_balanced(cell)]
        if uneven:
            yield (
                "Not all bidders have sat in each seat equally often: the number of games is no "
                "multiple of the number of bidders."
            )
        missing = Counter(name for row in self.rows for name in row["unanswered"])
        for name, count in missing.items():
            rated = "which is" if count == 1 else "which are"
            yield f"{name} gave no answer in {_games(count)}, {rated} not rated."


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count:,} games"


def _pair(bids: float | None, wins: float | None) -> str:
    """Write two correlations, "-" where one is not defined; nothing where neither is."""
    if bids is None and wins is None:
        return ""
    return ", ".join("-" if each is None else f"{each:.2f}" for each in (bids, wins))
