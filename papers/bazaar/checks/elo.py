"""bazaar, appendix B: Elo ratings, and their average over random orders of the games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from typing import Any, Final

import numpy as np

from theory.checks import ForAll
from theory.claims import CheckContext
from theory.numbers.balls import ball, enclosing_interval
from theory.ratings import AverageRatings, Game, average_ratings, elo_ratings, update_ratings
from theory.search import Draw, Family, SearchResult, Trial, search
from theory.verdicts import Counterexample, Exhibit, Finding, Status, Strength, Table

__all__ = ["RESULTS", "EloCheck"]

Update = Callable[[Any, Any, Any, Any], tuple[Any, Any]]
PAIRS = ((0, 1), (0, 2), (1, 2))
NAMES = "ABC"
SCORES = (1, 0, Fraction(1, 2))
START, K = Fraction(1500), Fraction(32)
ROUNDING = Fraction(1, 10**9)
"""How far float64 ratings may lie from certified ones."""


@dataclass(frozen=True)
class Results:
    """Games among three players in the order played: (first, second, score of the first)."""

    games: tuple[tuple[int, int, Any], ...]

    def __str__(self) -> str:
        words = {1: "beats", 0: "loses to"}
        return ", ".join(
            f"{'ABC'[a]} {words.get(s, 'draws with')} {'ABC'[b]}" for a, b, s in self.games
        )


def _build_results(draw: Draw, games: int) -> Results:
    return Results(tuple((*draw.choice(PAIRS), draw.choice(SCORES)) for _ in range(games)))


def _players(results: Results) -> tuple[int, ...]:
    return (len({player for a, b, _ in results.games for player in (a, b)}),)


RESULTS: Family[Results] = Family(
    description="games among three players in every order, each won, drawn or lost",
    level_name="games",
    levels=(1, 2, 3),
    build=_build_results,
    size=_players,
)


def certified_ratings(results: Results, update: Update, k: Fraction = K) -> list[Any]:
    """Return the final ratings of the three players as balls, every step enclosed."""
    ratings = [ball(START)] * 3
    for a, b, score in results.games:
        ratings[a], ratings[b] = update(ratings[a], ratings[b], ball(Fraction(score)), ball(k))
    return ratings


@dataclass(frozen=True)
class EloLaws:
    """What the update must do on every sequence of games, in certified arithmetic."""

    update: Update = update_ratings

    def __call__(self, results: Results) -> Trial:
        """Check conservation, direction, symmetry and agreement with float64."""
        ratings = certified_ratings(results, self.update)
        earlier = certified_ratings(Results(results.games[:-1]), self.update)
        a, b, score = results.games[-1]
        moves = _printed_moves(earlier[a], earlier[b], score)
        swapped = Results(tuple((y, x, 1 - s) for x, y, s in results.games))
        floats = elo_ratings([Game(x, y, s) for x, y, s in results.games])
        laws = {
            "the sum of the ratings is constant": _near(sum(ratings), ball(3 * START)),
            "each rating moves by K (S - E), from the ratings before the game": (
                _near(ratings[a], earlier[a] + moves[0])
                and _near(ratings[b], earlier[b] + moves[1])
            ),
            "the winner does not fall": score != 1 or not ratings[a] < earlier[a],
            "naming the players of each game the other way round changes nothing": all(
                _near(x, y)
                for x, y in zip(ratings, certified_ratings(swapped, self.update), strict=True)
            ),
            "float64 agrees": all(
                _near(ratings[p], ball(Fraction(floats[p]))) for p in range(3) if p in floats
            ),
        }
        broken = [law for law, kept in laws.items() if not kept]
        failure = f"Broken: {'; '.join(broken)}." if broken else ""
        return Trial(nontrivial=len(results.games) > 1, failure=failure)


def _printed_moves(first: Any, second: Any, score: Any) -> tuple[Any, Any]:
    """K (S - E) for both players, transcribed from the paper with exponentials."""
    tenfold = ball(Fraction(10)).log() / 400
    e_first = 1 / (1 + ((second - first) * tenfold).exp())
    e_second = 1 / (1 + ((first - second) * tenfold).exp())
    s = ball(Fraction(score))
    return ball(K) * (s - e_first), ball(K) * (1 - s - e_second)


def _near(value: Any, target: Any) -> bool:
    distance = enclosing_interval(value - target)
    return distance.lower >= -ROUNDING and distance.upper <= ROUNDING


@dataclass(frozen=True)
class OrderIsIrrelevant:
    """The opposite of what the paper says: reversing the games changes no rating."""

    update: Update = update_ratings

    def __call__(self, results: Results) -> Trial:
        """Fail where a rating provably differs between the order and its reverse."""
        backwards = Results(results.games[::-1])
        pairs = zip(
            certified_ratings(results, self.update),
            certified_ratings(backwards, self.update),
            strict=True,
        )
        differ = [
            f"{NAMES[player]} {float(x):.3f} or {float(y):.3f}"
            for player, (x, y) in enumerate(pairs)
            if x != y
        ]
        return Trial(nontrivial=backwards != results, failure=", ".join(differ))


GAMES: Final = (
    Game("A", "B", 1),
    Game("B", "C", 1),
    Game("C", "A", 1),
    Game("A", "C", Fraction(1, 2)),
)
"""Games on which the average over random orders is compared with that over all orders."""

STANDARD_ERRORS: Final = 6


@dataclass(frozen=True)
class EloCheck:
    """Laws of the update, dependence on the order, and averages that a seed reproduces."""

    update: Update = update_ratings

    def __call__(self, context: CheckContext) -> Finding:
        """Search for a broken law, then for games whose order matters, then average."""
        finding = ForAll(RESULTS, EloLaws(self.update), arithmetic=Strength.CERTIFIED)(
            context.stage(0, 2)
        )
        if finding.status is not Status.HOLDS:
            return finding
        order = search(RESULTS, OrderIsIrrelevant(self.update), context.stage(1, 2))
        sampled = average_ratings(GAMES, context.generator())
        again = average_ratings(GAMES, context.generator())
        exact = _over_all_orders()
        failures = {
            "the sum of the ratings is not identically constant": not is_conserved(self.update),
            "no games were found whose order matters": order.smallest is None,
            "the same seed gave two averages": sampled != again,
            "mean or deviation over random orders is far from that over all orders": (
                _largest_error(sampled, exact) > STANDARD_ERRORS
            ),
            "the sum of the averaged ratings is not constant": sampled.drift > float(ROUNDING),
        }
        broken = "; ".join(name for name, failed in failures.items() if failed)
        table = _comparison(sampled, exact)
        return replace(
            finding,
            scope=replace(finding.scope, seed=context.seed),
            status=Status.REFUTED if broken else Status.HOLDS,
            reason=broken or f"{finding.reason} SymPy reduces the change of the sum to zero.",
            evidence=(_order_matters(order), table),
            counterexample=_broken_average(broken, table) if broken else None,
            tolerances={
                "float64 against certified ratings": str(ROUNDING),
                "average over random orders": f"{STANDARD_ERRORS} standard errors",
            },
        )


def is_conserved(update: Update) -> bool:
    """Whether SymPy reduces the change of the ratings' sum to zero, for symbolic ratings."""
    from sympy import simplify, symbols

    first, second, score, k = symbols("a b s k", real=True)
    after = update(first, second, score, k)
    return bool(simplify(after[0] + after[1] - first - second) == 0)


def _over_all_orders() -> dict[Any, tuple[float, float]]:
    everything = [elo_ratings(order) for order in permutations(GAMES)]
    by_player = {p: [ratings[p] for ratings in everything] for p in everything[0]}
    return {p: (float(np.mean(r)), float(np.std(r))) for p, r in by_player.items()}


def _largest_error(sampled: AverageRatings, exact: dict[Any, tuple[float, float]]) -> float:
    """Return the largest error of a mean or a deviation, in standard errors of each."""
    errors: list[float] = []
    for p, m, d in zip(sampled.players, sampled.mean, sampled.deviation, strict=True):
        mean, deviation = exact[p]
        unit = deviation / sampled.orders**0.5
        errors += [abs(m - mean) / unit, abs(d - deviation) / (unit / 2**0.5)]
    return max(errors)


def _comparison(sampled: AverageRatings, exact: dict[Any, tuple[float, float]]) -> Table:
    rows = zip(sampled.players, sampled.mean, sampled.deviation, strict=True)
    return Table(
        caption=f"Mean and deviation over {sampled.orders} random orders, and over all orders, "
        f"of {sampled.games} games",
        columns=("player", "mean", "deviation", "mean over all", "deviation over all"),
        rows=tuple((str(p), *(f"{v:.3f}" for v in (m, d, *exact[p]))) for p, m, d in rows),
    )


def _order_matters(found: SearchResult[Results]) -> str:
    if found.smallest is None:
        return "No games were found whose order matters."
    return (
        f"Order matters: {found.smallest.instance}, and the reverse, end at {found.failure} "
        f"({found.minimality})."
    )


def _broken_average(reason: str, table: Table) -> Counterexample:
    return Counterexample(
        exhibit=Exhibit(summary=reason, tables=(table,)), minimality="one set of games"
    )
