"""Mean scores with a confidence interval: games resampled, or Student's law."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum
from typing import Any, Final, Literal

import numpy as np

from theory.errors import InvalidInputError
from theory.ratings._games import Scores, read_games
from theory.ratings._recheck import check_means
from theory.ratings._results import MeanScores
from theory.ratings._sequential import read_level
from theory.shared.arguments import read_count, read_generator, refusing

__all__ = ["mean_scores"]

_BLOCK: Final = 4_000_000


@refusing
def mean_scores(
    games: Sequence[Scores],
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    interval: Literal["bootstrap", "student"] = "bootstrap",
) -> MeanScores:
    """Return the mean score of each player over the games that it played.

    Means of exact scores are exact. "bootstrap" draws whole games with replacement, which keeps
    what the players of a game have in common, and takes percentiles of the means. "student" is
    mean ± t s / √n, for scores that are about normal; percentiles are too narrow where games are
    few. ``ahead`` is the share of resampled tournaments in which a player has the highest mean
    alone; it is drawn for both. O(resamples x games x players).

    Raises
    ------
    InvalidInputError
        For games that cannot be read; for fewer than two games of a player.

    Examples
    --------
    >>> games = [{"a": 3, "b": 1}, {"a": 1, "b": 2}, {"a": 5, "b": 0}]
    >>> print(mean_scores(games, np.random.default_rng(0), interval="student"))
    mean score after 3 games
    player  rating  from   to    ahead
    ──────  ──────  ─────  ────  ─────
    a       3.00    -1.97  7.97  0.85
    b       1.00    -1.48  3.48  0.04
    from, to: Student's interval of the mean, 95%
    """
    level = read_level(level)
    read_count("resamples", resamples)
    if interval not in ("bootstrap", "student"):
        raise InvalidInputError("interval", interval, "is unknown", 'give "bootstrap" or "student"')
    played = read_games(games)
    count = len(played.players)
    listed = [[g[p] for g in played.scores if p in g] for p in range(count)]
    for player, scores in zip(played.players, listed, strict=True):
        if len(scores) < 2:
            fix = "add games: one score has no spread"
            raise InvalidInputError("games", player, "is a player of one game", fix)
    value = tuple(map(_mean, listed))
    table = np.array([[float(g.get(p, 0)) for p in range(count)] for g in played.scores])
    there = np.array([[float(p in g) for p in range(count)] for g in played.scores])
    means = _resample(table, there, read_generator(rng), resamples)
    if interval == "student":
        ends = [_student_interval(scores, level) for scores in listed]
        how = "Student's interval of the mean"
    else:
        tails = np.nanquantile(means, ((1 - level) / 2, (1 + level) / 2), axis=0)
        ends = [(float(a), float(b)) for a, b in tails.T]
        how = f"percentiles of {resamples:,} tournaments of resampled games"
    top = np.nanmax(means, axis=1, keepdims=True)
    first = (means == top) & ((means == top).sum(axis=1, keepdims=True) == 1)
    gap = check_means(played.scores, value)
    return MeanScores(
        method="mean score",
        players=played.players,
        value=value,
        ahead=tuple(first.mean(axis=0).tolist()),
        interval=tuple(ends),
        interval_of=how,
        level=level,
        games=len(played.scores),
        gap=gap,
        tolerance=1e-12 * float(np.abs(table).max()),
    )


def _mean(scores: list[Any]) -> Any:
    """Return the mean, a Fraction where all scores are exact."""
    if any(isinstance(score, float) for score in scores):
        return fsum(map(float, scores)) / len(scores)
    return sum(map(Fraction, scores), Fraction(0)) / len(scores)


def _student_interval(scores: list[Any], level: float) -> tuple[float, float]:
    from scipy.stats import t as student

    values = np.array([float(score) for score in scores])
    n, mean = len(values), float(values.mean())
    reach = float(student.ppf((1 + level) / 2, n - 1)) * float(values.std(ddof=1)) / n**0.5
    return mean - reach, mean + reach


def _resample(
    table: np.ndarray, there: np.ndarray, rng: np.random.Generator, resamples: int
) -> np.ndarray:
    """Return the mean of each player in each resampled tournament; NaN where it does not play."""
    games = len(table)
    block = max(1, _BLOCK // games)
    found = []
    for start in range(0, resamples, block):
        drawn = rng.integers(games, size=(min(block, resamples - start), games))
        weights = np.zeros((len(drawn), games))
        np.add.at(weights, (np.arange(len(drawn))[:, np.newaxis], drawn), 1.0)
        with np.errstate(invalid="ignore"):
            found.append((weights @ table) / (weights @ there))
    return np.concatenate(found)
