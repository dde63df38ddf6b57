"""bazaar, Figure 5: the deviation of Elo ratings over orders beside a standard error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, log10
from typing import Final

from theory.claims import CheckContext
from theory.ratings import AverageRatings, Game, StrengthRatings, average_ratings, bradley_terry
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = ["DeviationOverOrders"]

RECORDS: Final = ((30, 20), (1_000, 670))
"""Games, and how many of them the first of two players won."""
ORDERS: Final = 1_000
SCALE: Final = 400 / log(10)
"""Points of Elo in a unit of log strength."""
STEADY: Final = 0.1
"""By which share a mean or a deviation may differ between two draws of the orders."""
APART: Final = 4.0
"""How many standard errors of the larger record the deviation over orders is, at least."""
ROUNDING: Final = 1e-6


@dataclass(frozen=True)
class _Figures:
    """Differences of two players' ratings, in points of Elo."""

    games: int
    won: int
    mean: float
    deviation: float
    fitted: float
    error: float
    again: tuple[float, float]

    def broken(self) -> str:
        """Return what is wrong with the figures by themselves."""
        lost = self.games - self.won
        fitted = 400 * log10(self.won / lost)
        error = SCALE * (self.games / (self.won * lost)) ** 0.5
        told = f"of {self.games:,} games"
        if abs(self.fitted - fitted) > ROUNDING * fitted or abs(self.error - error) > 1e-6 * error:
            return f"the fit {told} is {self.fitted:.2f} ± {self.error:.2f}, not that of the odds."
        for name, first, second in (
            ("mean", self.mean, self.again[0]),
            ("deviation", self.deviation, self.again[1]),
        ):
            if abs(first - second) > STEADY * abs(first):
                return f"the {name} {told} is {first:.1f}, and {second:.1f} over other orders."
        return ""


@dataclass(frozen=True)
class DeviationOverOrders:
    """Mean and deviation over orders of Elo, beside the Bradley-Terry fit, of two records."""

    average: Callable[..., AverageRatings] = average_ratings
    fit: Callable[..., StrengthRatings] = bradley_terry

    def __call__(self, context: CheckContext) -> Finding:
        """Rate both records in random orders, twice, and fit both."""
        rng = context.generator()
        found = [self._figures(games, won, rng) for games, won in RECORDS]
        few, many = found
        failures = [figures.broken() for figures in found]
        if few.deviation >= few.error:
            failures.append(f"of {few.games} games the deviation is {few.deviation:.1f}.")
        if many.deviation < APART * many.error:
            failures.append(f"of {many.games:,} games the deviation is {many.deviation:.1f}.")
        if many.deviation <= few.deviation:
            failures.append("the deviation falls with more games.")
        broken = " ".join(filter(None, failures))
        table = Table(
            caption=f"Difference of two players, Elo over {ORDERS:,} orders and Bradley-Terry",
            columns=("games", "won", "mean", "deviation over orders", "fit", "standard error"),
            rows=tuple(
                (
                    f"{each.games:,}",
                    str(each.won),
                    *(f"{x:.0f}" for x in (each.mean, each.deviation, each.fitted, each.error)),
                )
                for each in found
            ),
        )
        exhibit = Exhibit(summary=broken, tables=(table,))
        return Finding(
            status=Status.REFUTED if broken else Status.MEASURED,
            strength=Strength.TESTED,
            scope=Scope(
                family="two records of games of two players, in random orders",
                instances=2 * ORDERS * len(found),
                met_hypotheses=2 * ORDERS * len(found),
                nontrivial=2 * ORDERS * len(found),
                sizes="30 and 1,000 games",
                seed=context.seed,
            ),
            reason=broken
            or " ".join(
                f"Of {each.games:,} games {each.won} are won: over orders {each.mean:.0f} with "
                f"deviation {each.deviation:.0f}, fitted {each.fitted:.0f} with standard error "
                f"{each.error:.0f}."
                for each in found
            ),
            evidence=(table,),
            counterexample=Counterexample(exhibit=exhibit, minimality="two records")
            if broken
            else None,
            tolerances={
                "fit against the logarithm of the odds": str(ROUNDING),
                "mean and deviation over two draws of the orders": str(STEADY),
            },
        )

    def _figures(self, games: int, won: int, rng: object) -> _Figures:
        records = [Game("a", "b", int(k < won)) for k in range(games)]
        rated = [self.average(records, rng, orders=ORDERS) for _ in range(2)]
        (mean, deviation), again = (
            (each.mean[0] - each.mean[1], each.deviation[0] + each.deviation[1]) for each in rated
        )
        fit = self.fit([{"a": int(k < won), "b": int(k >= won)} for k in range(games)])
        fitted = SCALE * float(fit.of("a") - fit.of("b"))
        error = SCALE * sum(fit.standard_error)  # one strength is the other's negative
        return _Figures(games, won, mean, deviation, fitted, error, again)
