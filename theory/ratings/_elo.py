"""Elo ratings of games between two players or more, and their average over random orders.

Expected score of A against B: 1 / (1 + 10^((R_B - R_A) / 400)). After a game with score S, both
ratings move by K (S - E), computed from the ratings *before* the game, so that their sum stays the
same. In a free-for-all of n players each pair is a game with K / (n - 1). The result depends on the
order of the games; the average over random orders does not.
Source: bazaar, appendix B; Elo (1978).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, NumberError
from theory.ratings._recheck import check_elo
from theory.ratings._runs import History
from theory.shared.arguments import (
    instance_of,
    read_count,
    read_finite,
    read_generator,
    read_tuple,
    refusing,
)
from theory.shared.shapes import Float64, Int64
from theory.verdicts import Table

__all__ = [
    "DEFAULT_K",
    "DEFAULT_START",
    "AverageRatings",
    "Elo",
    "Game",
    "average_ratings",
    "elo_ratings",
    "expected_score",
    "rate_in_orders",
    "update_ratings",
]

DEFAULT_K: Final = 32.0
DEFAULT_START: Final = 1500.0


@refusing
@dataclass(frozen=True, slots=True)
class Game:
    """A game between two players; ``score`` is 1 if ``first`` won, 1/2 for a draw, else 0."""

    first: Hashable
    second: Hashable
    score: Fraction | float | int

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise InvalidInputError("second", self.second, "is also first", "name two players")
        if self.score not in (0, 0.5, 1):
            raise NumberError("score", self.score, "is not 0, 1/2 or 1", "give the first's score")


@refusing
def expected_score(rating: Any, opponent: Any) -> Any:
    """Return the score expected of ``rating`` against ``opponent``: 1 / (1 + 10^(d / 400)).

    d is the opponent's rating less one's own. Floats, arrays and symbols go in; the same kind
    comes out.

    Examples
    --------
    >>> expected_score(1500.0, 1500.0)
    0.5
    """
    try:
        with np.errstate(over="ignore"):
            return 1 / (1 + 10 ** ((opponent - rating) / 400))
    except OverflowError:  # Python floats raise where arrays go to infinity
        return 0.0


@refusing
@dataclass(frozen=True, kw_only=True)
class Elo:
    """Elo ratings of free-for-alls: R_i' = R_i + K / (n - 1) Σ_j (S_ij - E_ij).

    All n ratings are those before the game; for two players this is :func:`update_ratings`.

    Examples
    --------
    >>> from theory.ratings import average_over_orders
    >>> average_over_orders([{"a": 3, "b": 2, "c": 1}], Elo()).value
    (1516.0, 1500.0, 1484.0)
    """

    k: float = DEFAULT_K
    start_at: float = DEFAULT_START

    def __post_init__(self) -> None:
        read_finite("k", self.k)
        read_finite("start_at", self.start_at)

    @property
    def name(self) -> str:
        """What the ratings are called."""
        return "Elo"

    @property
    def scale(self) -> float:
        """The unit of the ratings."""
        return 400.0

    def start(self, runs: int, players: int) -> np.ndarray:
        """Return the ratings before the first game."""
        return np.full((runs, players, 1), float(self.start_at))

    def advance(self, seated: np.ndarray, groups: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return the ratings after a game of the players best first; there is no certificate."""
        ratings, level = seated[..., 0], np.repeat(np.arange(len(groups)), groups)
        scores = (1 + np.sign(level - level[:, np.newaxis])) / 2
        gains = scores - expected_score(ratings[:, :, np.newaxis], ratings[:, np.newaxis, :])
        share = self.k / (len(level) - 1)
        after = ratings + share * gains.sum(axis=2)  # a player scores 1/2 of 1/2 against itself
        return after[..., np.newaxis], np.zeros((len(ratings), 0))

    def values(self, state: np.ndarray) -> np.ndarray:
        """Return the ratings."""
        return np.asarray(state[..., 0])

    def gap(self, history: History, final: np.ndarray) -> float:
        """Return the largest difference from plain loops over games and pairs."""
        games = [(order, groups) for order, groups, _ in history]
        found = [float(player[0]) for player in final]
        return check_elo(games, found, k=float(self.k), start=float(self.start_at))


@refusing
def update_ratings(first: Any, second: Any, score: Any, k: Any) -> tuple[Any, Any]:
    """Return both ratings after a game, R' = R + K (S - E), each from the ratings before it.

    Floats, arrays, balls and symbols go in; the same kind comes out.

    Examples
    --------
    >>> update_ratings(1500.0, 1500.0, 1, 32)
    (1516.0, 1484.0)
    """
    first_gain = k * (score - expected_score(first, second))
    second_gain = k * ((1 - score) - expected_score(second, first))
    return first + first_gain, second + second_gain


@refusing
def rate_in_orders(
    first: Int64[np.ndarray, " games"],
    second: Int64[np.ndarray, " games"],
    scores: Float64[np.ndarray, " games"],
    orders: Int64[np.ndarray, "orders games"],
    *,
    start: Float64[np.ndarray, " players"],
    k: float = DEFAULT_K,
) -> Float64[np.ndarray, "orders players"]:
    """Return the final ratings for each order of the games; all orders advance together.

    O(orders x games) time, O(orders x players) memory.
    """
    ratings = np.tile(start, (len(orders), 1))
    rows = np.arange(len(orders))
    for step in range(orders.shape[1]):
        game = orders[:, step]
        a, b = first[game], second[game]
        after = update_ratings(ratings[rows, a], ratings[rows, b], scores[game], k)
        ratings[rows, a], ratings[rows, b] = after
    return ratings


@refusing
def elo_ratings(
    games: Sequence[Game], k: float = DEFAULT_K, start: float = DEFAULT_START
) -> dict[Hashable, float]:
    """Return the ratings after the games in the order given.

    Examples
    --------
    >>> elo_ratings([Game("a", "b", 1)])
    {'a': 1516.0, 'b': 1484.0}
    """
    players, arrays = _encode_games(games, k, start)
    order = np.arange(len(games), dtype=np.int64)[np.newaxis]
    final = rate_in_orders(*arrays, order, start=_level(players, start), k=k)[0]
    return dict(zip(players, final.tolist(), strict=True))


@dataclass(frozen=True)
class AverageRatings:
    """Ratings averaged over random orders, with their standard deviation across orders.

    ``drift`` is the largest distance, over all orders, of the sum of the ratings from its constant.
    """

    players: tuple[Hashable, ...]
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    orders: int
    games: int
    drift: float

    def table(self) -> Table:
        """Return the ratings, best first."""
        rows = zip(self.mean, self.deviation, self.players, strict=True)
        ranked = sorted(rows, key=lambda row: -row[0])
        return Table(
            caption=f"Elo ratings, mean over {self.orders:,} orders of {self.games:,} games",
            columns=("player", "mean", "deviation"),
            rows=tuple((str(name), f"{m:.1f}", f"{d:.1f}") for m, d, name in ranked),
        )

    def __str__(self) -> str:
        return f"{self.table()}\nsum of ratings constant within {self.drift:.1e}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def average_ratings(
    games: Sequence[Game],
    generator: np.random.Generator,
    orders: int = 1000,
    k: float = DEFAULT_K,
    start: float = DEFAULT_START,
) -> AverageRatings:
    """Average the ratings over random orders of the games.

    Each order is a uniformly random permutation drawn from ``generator``; the same generator state
    gives the same result. Source: bazaar, section 4.2 (1000 orders).

    Raises
    ------
    InvalidInputError
        When there are no games, or fewer than one order.
    """
    read_generator(generator, "generator")
    read_count("orders", orders)
    players, arrays = _encode_games(games, k, start)
    permutations = generator.permuted(np.tile(np.arange(len(games)), (orders, 1)), axis=1)
    ratings = rate_in_orders(*arrays, permutations, start=_level(players, start), k=k)
    drift = float(np.abs(ratings.sum(axis=1) - start * len(players)).max())
    return AverageRatings(
        players,
        tuple(ratings.mean(axis=0).tolist()),
        tuple(ratings.std(axis=0).tolist()),
        orders,
        len(games),
        drift,
    )


_Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]


def _encode_games(
    games: Sequence[Game], k: float, start: float
) -> tuple[tuple[Hashable, ...], _Arrays]:
    games = read_tuple("games", games, "give a list of games")
    for game in games:
        instance_of("games", game, Game, "use Game(first, second, score)")
    if not games:
        raise InvalidInputError("games", games, "is empty", "give at least one game")
    for name, value in (("k", k), ("start", start)):
        read_finite(name, value)
    number: dict[Hashable, int] = {}
    for game in games:
        number.setdefault(game.first, len(number))
        number.setdefault(game.second, len(number))
    first = np.array([number[g.first] for g in games], dtype=np.int64)
    second = np.array([number[g.second] for g in games], dtype=np.int64)
    scores = np.array([float(g.score) for g in games])
    return tuple(number), (first, second, scores)


def _level(players: Sequence[Hashable], start: float) -> np.ndarray:
    return np.full(len(players), float(start))
