"""Bradley-Terry strengths by maximum likelihood, where they exist."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError
from theory.ratings._games import PlayedGames, Scores, read_games
from theory.ratings._recheck import check_strengths
from theory.ratings._results import StrengthRatings
from theory.ratings._sequential import read_level
from theory.shared.arguments import refusing

__all__ = ["bradley_terry"]

_STEPS: Final = 200
_TOLERANCE: Final = 1e-8


@refusing
def bradley_terry(games: Sequence[Scores], *, level: float = 0.95) -> StrengthRatings:
    """Return log strengths θ with P(i beats j) = 1 / (1 + exp(θ_j - θ_i)) of largest likelihood.

    A free-for-all counts as a game of each pair of its players; a tie counts as half a win for
    both. The strengths sum to 0. They exist, and are unique, exactly if every player can be reached
    from every other through wins or ties (Ford 1957). The order of the games does not matter.

    ``interval`` is normal. Its variance is the larger of that from the Fisher information, for
    which all pairs are independent, and that of scores summed game by game, for which games are.
    ``gap`` is the largest entry of the gradient.

    Raises
    ------
    InvalidInputError
        For games that cannot be read, and where the maximum does not exist: the message names
        players who never win against any of the others, not even by half.

    Examples
    --------
    >>> games = [{"a": 1, "b": 0}, {"a": 1, "b": 0}, {"a": 0, "b": 1}]
    >>> strengths = bradley_terry(games)
    >>> round(strengths.of("a") - strengths.of("b"), 12) == round(float(np.log(2)), 12)
    True
    """
    from scipy.special import expit

    quantile = NormalDist().inv_cdf((1 + read_level(level)) / 2)
    played = read_games(games)
    _require_maximum(played)
    pairs = played.pairs()
    first, second = (np.array([pair[k] for pair in pairs]) for k in (1, 2))
    scores = np.array([float(pair[3]) for pair in pairs])
    count = len(played.players)
    strengths = _climb(first, second, scores, count)
    inverse = np.linalg.pinv(_information(strengths, first, second), hermitian=True)
    variance = np.diagonal(inverse)
    by_game = np.zeros((len(played.scores), count))
    number = np.array([pair[0] for pair in pairs])
    surplus = scores - expit(strengths[first] - strengths[second])
    np.add.at(by_game, (number, first), surplus)
    np.add.at(by_game, (number, second), -surplus)
    clustered = np.diagonal(inverse @ by_game.T @ by_game @ inverse)
    errors = np.sqrt(np.maximum(variance, clustered))
    low, high = strengths - quantile * errors, strengths + quantile * errors
    return StrengthRatings(
        method="Bradley-Terry",
        players=played.players,
        value=tuple(strengths.tolist()),
        standard_error=tuple(errors.tolist()),
        interval=tuple(zip(low.tolist(), high.tolist(), strict=True)),
        interval_of="normal, by information or by games, whichever is wider",
        level=level,
        games=len(played.scores),
        gap=check_strengths([(a, b, float(s)) for _, a, b, s in pairs], strengths.tolist()),
        tolerance=_TOLERANCE * len(pairs),
    )


def _require_maximum(played: PlayedGames) -> None:
    """Refuse games whose graph of wins and ties is not strongly connected."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    edges = [e for _, a, b, s in played.pairs() for e in _edges(a, b, s)]
    count = len(played.players)
    above, below = (np.array([edge[k] for edge in edges]) for k in (0, 1))
    graph = csr_array((np.ones(len(edges)), (above, below)), shape=(count, count))
    parts, part = connected_components(graph, directed=True, connection="strong")
    if parts == 1:
        return
    wins = {int(part[a]) for a, b in edges if part[a] != part[b]}
    weak = next(k for k in range(parts) if k not in wins)
    names = [played.players[p] for p in range(count) if part[p] == weak]
    shown = ", ".join(repr(name) for name in names[:8]) + (", …" if len(names) > 8 else "")
    raise InvalidInputError(
        "games",
        f"{len(played.scores)} games",
        f"have no strengths of largest likelihood: none of {shown} beats or ties any other player",
        "add games, or rate with trueskill_ratings",
    )


def _edges(a: int, b: int, score: Any) -> list[tuple[int, int]]:
    return [*([(a, b)] if score > 0 else []), *([(b, a)] if score < 1 else [])]


def _information(strengths: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    from scipy.special import expit

    weight = expit(strengths[first] - strengths[second])
    weight = weight * expit(strengths[second] - strengths[first])
    found = np.zeros((len(strengths), len(strengths)))
    for a, b, sign in ((first, first, 1), (second, second, 1), (first, second, -1)):
        np.add.at(found, (a, b), sign * weight)
        if sign < 0:
            np.add.at(found, (b, a), sign * weight)
    return found


def _climb(first: np.ndarray, second: np.ndarray, scores: np.ndarray, count: int) -> np.ndarray:
    """Return the maximum by Newton's method, with steps halved until the likelihood grows."""
    from scipy.special import expit, log_expit

    def likelihood(at: np.ndarray) -> float:
        lead = at[first] - at[second]
        return float((scores * log_expit(lead) + (1 - scores) * log_expit(-lead)).sum())

    strengths = np.zeros(count)
    best = likelihood(strengths)
    for _ in range(_STEPS):
        surplus = scores - expit(strengths[first] - strengths[second])
        gradient = np.bincount(first, surplus, count) - np.bincount(second, surplus, count)
        if np.abs(gradient).max() < 1e-14 * len(scores):
            break
        step = np.linalg.pinv(_information(strengths, first, second), hermitian=True) @ gradient
        while (found := likelihood(strengths + step)) < best and np.abs(step).max() > 1e-15:
            step /= 2
        if found < best:
            break
        strengths, best = strengths + step, found
        if np.abs(step).max() < 1e-15:
            break
    return np.asarray(strengths - strengths.mean())
