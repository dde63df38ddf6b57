"""arena, figures 2 and 7: what TrueSkill shows of bidders that are all the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from theory.claims import CheckContext
from theory.ratings import NoiseFloor, SkillRatings, noise_floor, trueskill_ratings
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = ["IdenticalBidders"]

BIDDERS: Final = 3
GAMES: Final = 10
APART: Final = 7.0
"""Points of skill that bidders of the same skill are apart in one tournament of twenty."""
LEAST_RUNS: Final = 2_000


@dataclass(frozen=True)
class IdenticalBidders:
    """How far apart ratings are by luck, and by the order of the games, in ten games of three."""

    floor: Callable[..., NoiseFloor] = noise_floor
    rate: Callable[..., SkillRatings] = trueskill_ratings

    def __call__(self, context: CheckContext) -> Finding:
        """Simulate tournaments of identical bidders, and rate ten balanced games in two orders."""
        runs = LEAST_RUNS + 10 * context.budget.samples
        rng = context.generator()
        floors = [self.floor(BIDDERS, games, rng=rng, runs=runs) for games in (GAMES, 60, 100)]
        first, moved = floors[0], self._by_order()
        gap = max(first.gap, *(each.gap for each in floors[1:]))
        failures = {
            f"of identical bidders 95% are at most {first.value:.2f} apart": (
                first.interval[0] <= APART
            ),
            f"the order of the games moves a rating by {moved:.2f}": moved <= APART,
            f"other code disagrees by {gap:.1e}": not all(each.holds for each in floors),
        }
        broken = "; ".join(told for told, failed in failures.items() if failed)
        table = _table(floors)
        return Finding(
            status=Status.REFUTED if broken else Status.HOLDS,
            strength=Strength.TESTED,
            scope=Scope(
                family="tournaments of three identical bidders who never tie",
                instances=runs,
                met_hypotheses=runs,
                nontrivial=runs,
                sizes=f"{GAMES} games",
                seed=context.seed,
            ),
            reason=broken
            or (
                f"After {GAMES} games 5% of tournaments are more than {first.value:.2f} points "
                f"apart ({first.interval[0]:.2f} to {first.interval[1]:.2f}); five games of each "
                f"of two opposite rankings, in two orders, differ by {moved:.2f}."
            ),
            evidence=(table,),
            counterexample=(
                Counterexample(
                    exhibit=Exhibit(summary=broken, tables=(table,)),
                    minimality="one set of tournaments",
                )
                if broken
                else None
            ),
            tolerances={"gap of TrueSkill's moments": f"{first.tolerance:.1e}"},
        )

    def _by_order(self) -> float:
        """By how much the order alone moves the first bidder: five wins and five losses."""
        up: dict[Any, int] = {"A": 3, "B": 2, "C": 1}
        down: dict[Any, int] = {"A": 1, "B": 2, "C": 3}
        ways = ([up] * 5 + [down] * 5, [down] * 5 + [up] * 5)
        one, other = (float(self.rate(games).of("A")) for games in ways)
        return abs(one - other)


def _table(floors: list[NoiseFloor]) -> Table:
    return Table(
        caption=f"TrueSkill of {BIDDERS} identical bidders, in points of skill",
        columns=("games", "deviation of a rating", "mean spread", "95% of spreads at most"),
        rows=tuple(
            (
                str(each.games),
                f"{each.deviation:.2f}",
                f"{each.mean_spread:.2f}",
                f"{each.value:.2f} ({each.interval[0]:.2f} to {each.interval[1]:.2f})",
            )
            for each in floors
        ),
    )
