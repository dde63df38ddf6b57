"""volition, Example 6.1: a cheap refutation and a dear defence keep the best from being said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from theory.claims import CheckContext
from theory.marginal_value import (
    Equilibrium,
    MarginalValueGame,
    Shortfall,
    equilibrium,
    lattice,
    shortfall,
)
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = ["NATURAL", "PRICES", "CheapRefutation", "PrintedNumbers"]

Items = tuple[str, ...]
View = tuple[int, int]
"""Expected utility of action 0 and of action 1."""

Views = Mapping[Items, View]

FOR_0, FOR_1 = (1, 0), (0, 1)
EVERYTHING = ("I1", "I2", "I3")

PRINTED: dict[Items, View] = {(): FOR_0, ("I1",): FOR_1, ("I1", "I2"): FOR_0, EVERYTHING: FOR_1}
"""What the example prints; K is taken to be the three items."""

NATURAL: dict[Items, View] = {
    ("I2",): FOR_0,
    ("I3",): FOR_0,
    ("I1", "I3"): FOR_1,
    ("I2", "I3"): FOR_0,
}
"""I2 and I3 say nothing without I1, and I3 agrees with I1."""

PRICES = {"I1": Fraction(1, 10), "I2": Fraction(1, 10), "I3": Fraction(100)}

Solver = Callable[[MarginalValueGame], Equilibrium]


def game_of(open_views: Views, prices: Mapping[str, Fraction]) -> MarginalValueGame:
    """Return the game with the printed views and these others."""
    return MarginalValueGame.of(EVERYTHING, {**PRINTED, **open_views}, dict(prices))


def completions(values: Sequence[View]) -> Iterator[Views]:
    """Yield every way to fill in the views that are not printed."""
    for chosen in product(values, repeat=len(NATURAL)):
        yield dict(zip(NATURAL, chosen, strict=True))


def concludes_as_printed(found: Equilibrium, report: Shortfall) -> bool:
    """Say whether I1 is best to reveal and nothing is revealed."""
    return not found.revealed and report.best == ("I1",)


@dataclass(frozen=True)
class CheapRefutation:
    """The example under the natural completion; and the same for every completion by 0 and 1."""

    prices: Mapping[str, Fraction] = field(default_factory=PRICES.copy)
    views: Views = field(default_factory=NATURAL.copy)
    solve: Solver = equilibrium

    def __call__(self, context: CheckContext) -> Finding:
        """Solve the game, and compare what is revealed with what is best."""
        context.progress(1, 1)
        game = game_of(self.views, self.prices)
        found = self.solve(game)
        report = shortfall(found)
        missed: Any = report.shortfall
        refuted = found.play([("I1",)]).revealed == ("I1", "I2")
        holds = concludes_as_printed(found, report) and refuted and missed == Fraction(9, 10)
        exhibit = Exhibit(
            summary=(
                f"{_set(found.revealed)} is revealed and {_set(report.best)} would be best, by "
                f"{missed}; revealing I1 {'is' if refuted else 'is not'} answered by I2."
            ),
            tables=(found.table(), found.play([("I1",)]).table(), report.table(), self._all()),
            diagrams=(lattice(found, [("I1",)], "What follows if I1 is revealed"),),
        )
        return _make_finding(
            exhibit, Status.HOLDS if holds else Status.REFUTED, "one completion", 1
        )

    def _all(self) -> Table:
        rows = []
        for views in completions((FOR_0, FOR_1)):
            found = self.solve(game_of(views, self.prices))
            report = shortfall(found)
            rows.append(
                (
                    *("1" if view == FOR_1 else "0" for view in views.values()),
                    _set(found.revealed),
                    _set(report.best),
                    str(report.shortfall),
                    str(report.bound),
                )
            )
        return Table(
            caption="Every completion in which each set says 0 or 1, as the printed ones do",
            columns=(*map(_set, NATURAL), "revealed", "best", "shortfall", "bound"),
            rows=tuple(rows),
        )


@dataclass(frozen=True)
class PrintedNumbers:
    """Whether the printed numbers decide the example, the stakes in other sets being open."""

    prices: Mapping[str, Fraction] = field(default_factory=PRICES.copy)
    values: Sequence[View] = (FOR_0, (0, 100), (0, 200))
    solve: Solver = equilibrium

    def __call__(self, context: CheckContext) -> Finding:
        """Solve the game of every completion."""
        kept: list[Equilibrium] = []
        lost: list[Equilibrium] = []
        every = list(completions(self.values))
        for number, views in enumerate(every):
            context.progress(number, len(every))
            found = self.solve(game_of(views, self.prices))
            (kept if concludes_as_printed(found, shortfall(found)) else lost).append(found)
        status = Status.HOLDS if kept else Status.REFUTED
        reason = f"The conclusion holds for {len(kept)} of {len(every)} completions."
        if kept and lost:
            status = Status.ILL_POSED
            low = [found for found in (*kept, *lost) if _stakes(found) <= self.prices["I3"]]
            reason += (
                f" With {_views(lost[0])} {_set(lost[0].revealed)} is revealed. It holds for "
                f"{sum(_stakes(found) <= self.prices['I3'] for found in kept)} of {len(low)} in "
                "which no more is at stake than I3 costs."
            )
        shown = [found[0] for found in (kept, lost) if found]
        exhibit = Exhibit(
            summary=reason,
            tables=tuple(found.table() for found in shown),
            diagrams=tuple(lattice(found) for found in shown),
        )
        return _make_finding(exhibit, status, "completions of the printed numbers", len(every))


def _make_finding(exhibit: Exhibit, status: Status, family: str, count: int) -> Finding:
    broken = Counterexample(exhibit=exhibit, minimality="the only instance")
    return Finding(
        status=status,
        strength=Strength.EXACT,
        scope=Scope(
            family=family,
            instances=count,
            met_hypotheses=count,
            nontrivial=count,
            sizes="three items",
            exhausted=True,
        ),
        reason=exhibit.summary,
        evidence=() if status is Status.REFUTED else exhibit.details,
        counterexample=broken if status is Status.REFUTED else None,
    )


def _set(names: Sequence[str]) -> str:
    return "{" + ", ".join(names) + "}" if names else "∅"


def _stakes(found: Equilibrium) -> Any:
    return max(max(row) for row in found.game.utilities.scalars())


def _views(found: Equilibrium) -> str:
    game = found.game
    columns = list(zip(*game.utilities.scalars(), strict=True))
    views = [(names, columns[game.place(names)]) for names in NATURAL]
    return ", ".join(f"({u}, {v}) at {_set(names)}" for names, (u, v) in views)
