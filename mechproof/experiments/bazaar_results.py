"""What the rows of an experiment of bazaar say: tables, intervals over questions, ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from math import log
from typing import Any, Final

import numpy as np

from mechanisms.advertising import Estimate
from mechproof.experiments._bazaar_choices import (
    CLASSES,
    Demand,
    Positions,
    demand_of,
    kind_of_purchase,
    mean_of,
    positions_of,
    reach_of,
    roles_bought,
)
from mechproof.experiments._bazaar_judging import OUTCOMES, Comparison, Player, player_of
from mechproof.experiments._bazaar_markets import AgainstBest, MarketSummary, Outcomes
from mechproof.experiments._bazaar_scenes import Part, Scenes
from mechproof.experiments._rows import Row
from theory.errors import InvalidInputError
from theory.ratings import (
    AverageRatings,
    Game,
    StrengthRatings,
    average_ratings,
    resampled_strengths,
)
from theory.verdicts import ShownAsTable, Table

__all__ = [
    "CLASSES",
    "BazaarRatings",
    "BazaarResults",
    "Player",
    "player_of",
    "reach_of",
]

_RESAMPLES: Final = 1_000
_ORDERS: Final = 200
_POINTS: Final = 400 / log(10)
"""What a unit of log odds is on the scale of Elo."""
_SCORE: Final = {"won": Fraction(1), "lost": Fraction(0), "tie": Fraction(1, 2)}


@dataclass(frozen=True, eq=False)
class BazaarRatings(ShownAsTable):
    """How answers compare.

    Attributes
    ----------
    counts : mapping
        Of each player, the outcomes of its comparisons.
    strengths : StrengthRatings
        By Bradley-Terry, in units of log odds; intervals are over questions.
    elo : AverageRatings
        Over orders of the comparisons; its deviation is none of a sample.
    remark : str
        Where strengths of largest likelihood do not exist.
    """

    counts: dict[Player, Counter[str]]
    strengths: StrengthRatings
    elo: AverageRatings
    remark: str

    def points(self, player: Player) -> tuple[float, float, float]:
        """Return the strength of a player and the ends of its interval, on the scale of Elo."""
        k = self.strengths.players.index(player)
        ends = (self.strengths.value[k], *self.strengths.interval[k])
        value, low, high = (1500 + _POINTS * each for each in ends)
        return value, low, high

    @cached_property
    def elo_points(self) -> dict[Any, tuple[float, float]]:
        """The mean and the deviation of Elo over orders, by player."""
        points = zip(self.elo.mean, self.elo.deviation, strict=True)
        return dict(zip(self.elo.players, points, strict=True))

    def table(self) -> Table:
        """Return a row a player, the strongest first."""
        rows = []
        for player in self.strengths.ranking:
            assert isinstance(player, Player)
            count = self.counts[player]
            other = sum(count[each] for each in OUTCOMES[3:])
            mean, deviation = self.elo_points[player]
            cells = (*(count[each] for each in OUTCOMES[:3]), other)
            points = (f"{each:.0f}" for each in self.points(player))
            rows.append((str(player), *map(str, cells), *points, f"{mean:.0f}", f"{deviation:.0f}"))
        return Table(
            caption=f"{self.strengths.games:,} answers compared; {self.strengths.method} in points "
            f"of Elo, from and to: {self.strengths.interval_of}",
            columns=(
                *("answers of", "won", "lost", "tie", "not judged"),
                *("Bradley-Terry", "from", "to", "Elo", "over orders"),
            ),
            rows=tuple(rows),
        )

    def __str__(self) -> str:
        return "\n".join([str(self.table()), *([self.remark] if self.remark else [])])


@dataclass(frozen=True, eq=False)
class BazaarResults:
    """The rows of a run, and what is computed from them.

    Attributes
    ----------
    name : str
        Which experiment.
    rows : tuple of dict
        One a question, setting and buyer.
    scenes : Scenes
    comparisons : tuple of Comparison
        Of answers in the market.
    judge : str
    seed : int
        Of resampling.
    """

    name: str
    rows: tuple[Row, ...]
    scenes: Scenes
    comparisons: tuple[Comparison, ...]
    judge: str
    seed: int

    @cached_property
    def buyers(self) -> tuple[str, ...]:
        """The names of the buyers, in order."""
        return tuple(dict.fromkeys(row["buyer"] for row in self.rows))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The settings, in order."""
        return tuple(dict.fromkeys(map(Part.of, self.rows)))

    def rows_of(self, buyer: str, *parts: Part) -> list[Row]:
        """Return the rows of a buyer in some settings, but for those that failed."""
        found = (row for part in parts for row in self._by_part.get((buyer, part), ()))
        return [row for row in found if row["failed"] is None]

    @cached_property
    def _by_part(self) -> dict[tuple[str, Part], list[Row]]:
        found: dict[tuple[str, Part], list[Row]] = {}
        for row in self.rows:
            found.setdefault((row["buyer"], Part.of(row)), []).append(row)
        return found

    @cached_property
    def outcomes(self) -> Outcomes:
        """What came of the rows of the market."""
        return Outcomes(self.scenes.corpus)

    def parts_named(self, part: str, *, inspection: bool | None = None) -> tuple[Part, ...]:
        """Return the settings of one kind."""
        named = (each for each in self.parts if each.part == part)
        return tuple(each for each in named if inspection in (None, each.inspection))

    def share(self, rows: Sequence[Row], event: Callable[[Row], bool]) -> Estimate:
        """Return in what percentage of rows something holds."""
        return mean_of(rows, [100 * event(row) for row in rows])

    # --- Two copies of one passage

    def copies(self, buyer: str, *, same: bool) -> dict[str, Estimate]:
        """Return in percent what a buyer buys of two copies, at one price or at two."""
        parts = [
            p for p in self.parts_named("copies") if (len({*p.setting.split(", ")}) == 1) == same
        ]
        rows = self.rows_of(buyer, *parts)
        if not rows:
            return {}

        def bought(row: Row) -> tuple[int, bool]:
            """Return how many copies were bought, and whether the dearer one is among them."""
            prices = [int(each) for each in row["setting"].split(", ")]
            dear = ("first", "second")[prices[1] > prices[0]]
            roles = roles_bought(row)
            return len(roles), len({*prices}) == 2 and dear in roles

        events: dict[str, Callable[[Row], bool]] = {"neither": lambda row: bought(row)[0] == 0}
        if same:
            events["one"] = lambda row: bought(row)[0] == 1
        else:
            events["the cheaper"] = lambda row: bought(row) == (1, False)
            events["the dearer"] = lambda row: bought(row) == (1, True)
        events["both"] = lambda row: bought(row)[0] == 2
        events["rational"] = lambda row: bought(row)[0] < 2 and not bought(row)[1]
        return {name: self.share(rows, event) for name, event in events.items()}

    # --- A gold passage beside two others, and orders

    def demand(self, buyer: str, part: Part) -> dict[str, Estimate]:
        """Return in percent how often gold, and another passage, is bought in a setting."""
        rows = self.rows_of(buyer, part)
        if not rows:
            return {}
        return {
            "gold": self.share(rows, lambda row: "gold" in roles_bought(row)),
            "another": self.share(rows, lambda row: bool(roles_bought(row) - {"gold"})),
        }

    @cached_property
    def demands(self) -> dict[str, Demand]:
        """The logit of each buyer, of choices under inspection."""
        parts = self.parts_named("gold price", inspection=True)
        rows = {buyer: self.rows_of(buyer, *parts) for buyer in self.buyers}
        return {buyer: demand_of(self.scenes, each) for buyer, each in rows.items() if each}

    @cached_property
    def positions(self) -> dict[str, Positions]:
        """What position does to each buyer."""
        parts = self.parts_named("order")
        rows = {buyer: self.rows_of(buyer, *parts) for buyer in self.buyers}
        return {buyer: positions_of(each, self.seed) for buyer, each in rows.items() if each}

    def changes(self, buyer: str, settings: Sequence[str]) -> dict[str, Estimate]:
        """Return by how many percentage points inspection changes the kinds of purchases.

        The prices of gold are some; questions are compared with themselves.
        """
        paired: dict[tuple[str, str], dict[bool, Row]] = {}
        for row in self.rows_of(buyer, *self.parts_named("gold price")):
            if row["setting"] in settings:
                key = row["question"], row["setting"]
                paired.setdefault(key, {})[row["inspection"]] = row
        pairs = [each for each in paired.values() if len(each) == 2]
        if not pairs:
            return {}

        read = [each[True] for each in pairs]
        kinds = [(kind_of_purchase(p[True]), kind_of_purchase(p[False])) for p in pairs]
        return {
            kind: mean_of(read, [100 * ((a == kind) - (b == kind)) for a, b in kinds])
            for kind in CLASSES
        }

    # --- The market

    @cached_property
    def summaries(self) -> dict[Player, MarketSummary]:
        """What questions in the market come to, by buyer, budget and inspection."""
        found: dict[Player, list[Row]] = {}
        for row in self.rows:
            if row["part"] == "market":
                found.setdefault(player_of(row), []).append(row)
        return {player: self.outcomes.summary(rows) for player, rows in found.items()}

    def against_best(self, player: Player) -> AgainstBest:
        """Return what a buyer chose against the best set of what was on offer."""
        rows = (row for row in self.rows if row["part"] == "market")
        return self.outcomes.against_best(row for row in rows if player_of(row) == player)

    @cached_property
    def pairs(self) -> dict[tuple[Player, Player], list[Comparison]]:
        """The comparisons of each pair of players."""
        found: dict[tuple[Player, Player], list[Comparison]] = {}
        for each in self.comparisons:
            found.setdefault((each.first, each.second), []).append(each)
        return found

    def score(self, player: Player, other: Player) -> float | None:
        """Return the share of comparisons that a player wins, a tie being half of one."""
        straight = self.pairs.get((player, other), [])
        turned = self.pairs.get((other, player), [])
        found = [_SCORE[each.outcome] for each in straight if each.outcome in _SCORE]
        found += [1 - _SCORE[each.outcome] for each in turned if each.outcome in _SCORE]
        return float(sum(found, Fraction(0)) / len(found)) if found else None

    def ratings(self) -> BazaarRatings:
        """Return how the answers compare.

        Raises
        ------
        InvalidInputError
            Where fewer than two questions have answers that were compared.
        """
        counts: dict[Player, Counter[str]] = {}
        mirror = {"won": "lost", "lost": "won"}
        games: list[dict[Player, Fraction]] = []
        clusters: list[str] = []
        duels: list[Game] = []
        for each in self.comparisons:
            first, second = (counts.setdefault(p, Counter()) for p in (each.first, each.second))
            first[each.outcome] += 1
            second[mirror.get(each.outcome, each.outcome)] += 1
            if each.outcome in _SCORE:
                score = _SCORE[each.outcome]
                games.append({each.first: score, each.second: 1 - score})
                duels.append(Game(each.first, each.second, score))
                clusters.append(each.question)
        if len({*clusters}) < 2:
            fix = "ask more questions, of at least two buyers or budgets"
            raise InvalidInputError("answers", len(games), "are too few to compare", fix)
        remark = ""

        def fit(ties: float) -> StrengthRatings:
            rng = np.random.default_rng(self.seed)
            return resampled_strengths(games, clusters, rng, resamples=_RESAMPLES, ties=ties)

        try:
            strengths = fit(0)
        except InvalidInputError as error:
            strengths = fit(0.5)
            remark = (
                f"The games {error.problem}: no fit converges. Shown are strengths with half a tie "
                "more between each two."
            )
        elo = average_ratings(duels, np.random.default_rng(self.seed), _ORDERS)
        return BazaarRatings(counts, strengths, elo, remark)

    @cached_property
    def rated(self) -> BazaarRatings | None:
        """The ratings, where there are any."""
        try:
            return self.ratings()
        except InvalidInputError:
            return None

    # --- What is shown

    def tables(self) -> tuple[Table, ...]:
        """Return the tables of the experiment."""
        from mechproof.experiments._bazaar_tables import tables_of

        return tables_of(self)

    def remarks(self) -> Iterator[str]:
        """Yield what a reader must know of the tables."""
        yield (
            "± is half of a 95% interval over questions. Without it all n questions that were "
            "asked agree; of other questions a share of up to 3/n may still differ."
        )
        if self.rated is not None and self.rated.remark:
            yield self.rated.remark
        swapped = sum(each.swapped for each in self.comparisons)
        if swapped:
            yield f"The judge preferred another answer in {swapped} pairs as the order changed."
        failed = Counter(row["buyer"] for row in self.rows if row["failed"] is not None)
        for name, count in failed.items():
            yield f"{name} failed at {count} questions."

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as data; what is not defined is None."""
        found: dict[str, Any] = {"experiment": self.name, "judge": self.judge}
        found["tables"] = [asdict(table) for table in self.tables()]
        found["comparisons"] = [
            {"first": str(first), "second": str(second), **Counter(c.outcome for c in each)}
            for (first, second), each in self.pairs.items()
        ]
        return found
