"""Bradley-Terry strengths whose intervals come from resampled clusters of games."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from theory.errors import InvalidInputError
from theory.ratings._bradley_terry import climb, connections, require_maximum
from theory.ratings._games import Scores, read_games
from theory.ratings._recheck import check_strengths
from theory.ratings._results import StrengthRatings
from theory.ratings._sequential import read_level
from theory.shared.arguments import (
    read_count,
    read_generator,
    read_nonnegative,
    read_tuple,
    refusing,
)

__all__ = ["resampled_strengths"]

_TOLERANCE: Final = 1e-8


@refusing
def resampled_strengths(
    games: Sequence[Scores],
    clusters: Sequence[Hashable],
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = 1_000,
    ties: float = 0,
) -> StrengthRatings:
    """Return the strengths of :func:`bradley_terry`, with intervals over clusters of games.

    Games of one cluster have something in common, such as the question that was answered: they are
    resampled together. ``interval`` holds percentiles of the strengths of ``resamples`` tournaments
    of as many clusters, drawn with replacement; ``standard_error`` is their standard deviation.
    Tournaments without strengths of largest likelihood are left out; ``interval_of`` counts them.

    Parameters
    ----------
    games : sequence of mappings
        From players to scores; of more than two players each pair is a game.
    clusters : sequence
        Of which cluster each game is.
    rng : numpy.random.Generator
    level : float
    resamples : int
    ties : float
        So many games each two players are taken to have tied besides. Above 0 strengths exist
        whoever won, also of a player who is never beaten; they are drawn towards each other.

    Returns
    -------
    StrengthRatings
        O(resamples x players³) time after O(games).

    Raises
    ------
    InvalidInputError
        For games that cannot be read, fewer than two clusters, and where strengths of largest
        likelihood do not exist.

    Examples
    --------
    >>> games = [{"a": 1, "b": 0}, {"a": 1, "b": 0}, {"a": 0, "b": 1}, {"a": 1, "b": 1}]
    >>> found = resampled_strengths(games, [1, 1, 2, 3], np.random.default_rng(0), resamples=200)
    >>> round(found.of("a"), 3), found.interval_of[:50]
    (0.255, 'percentiles of 200 tournaments of resampled cluste')
    """
    level, ties = read_level(level), read_nonnegative("ties", ties)
    read_count("resamples", resamples)
    read_generator(rng)
    played = read_games(games)
    given = read_tuple("clusters", clusters, "give the cluster of each game")
    if len(given) != len(played.scores):
        problem = f"are not as many as the {len(played.scores)} games"
        raise InvalidInputError("clusters", f"{len(given)} clusters", problem, "give one each")
    number = {name: k for k, name in enumerate(dict.fromkeys(given))}
    if len(number) < 2:
        fix = "give at least two: one has no spread"
        raise InvalidInputError("clusters", tuple(number), "are fewer than two", fix)
    count = len(played.players)
    won = np.zeros((len(number), count, count))
    for game, a, b, score in played.pairs():
        won[number[given[game]], a, b] += float(score)
        won[number[given[game]], b, a] += 1 - float(score)
    besides = ties / 2 * (1 - np.eye(count))
    total = won.sum(axis=0) + besides
    require_maximum(played, total, "give ties above 0, such as 1/2")
    [value] = climb(total[np.newaxis])
    share = np.full(len(number), 1 / len(number))
    drawn = rng.multinomial(len(number), share, size=resamples).astype(float)
    tournaments = np.tensordot(drawn, won, axes=1) + besides
    fitted = tournaments[connections(tournaments).all(axis=(1, 2))]
    if not len(fitted):
        problem = "have strengths of largest likelihood in no resampled tournament"
        fix = "give ties above 0, such as 1/2"
        raise InvalidInputError("games", f"{len(played.scores)} games", problem, fix)
    table = climb(fitted)
    low, high = np.quantile(table, ((1 - level) / 2, (1 + level) / 2), axis=0)
    missing = resamples - len(fitted)
    how = f"percentiles of {resamples:,} tournaments of resampled clusters"
    if missing:
        how += f", less {missing:,} without strengths of largest likelihood"
    pairs = [
        (a, b, float(total[a, b]), float(total[a, b] + total[b, a]))
        for a, b in combinations(range(count), 2)
    ]
    return StrengthRatings(
        method="Bradley-Terry" + (f" with {ties:g} of a tie between each two" if ties else ""),
        players=played.players,
        value=tuple(value.tolist()),
        standard_error=tuple(table.std(axis=0).tolist()),
        interval=tuple(zip(low.tolist(), high.tolist(), strict=True)),
        interval_of=how,
        level=level,
        games=len(played.scores),
        gap=check_strengths(pairs, value.tolist()),
        tolerance=_TOLERANCE * len(played.scores),
    )
