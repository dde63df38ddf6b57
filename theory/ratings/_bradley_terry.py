"""Bradley-Terry strengths by maximum likelihood, where they exist."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Final

import numpy as np

from theory.errors import InvalidInputError
from theory.ratings._games import PlayedGames, Scores, read_games
from theory.ratings._recheck import check_strengths
from theory.ratings._results import StrengthRatings
from theory.ratings._sequential import read_level
from theory.shared.arguments import refusing

__all__ = ["bradley_terry", "climb", "connections", "require_maximum"]

_STEPS: Final = 200
_HALVINGS: Final = 50
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
    pairs = played.pairs()
    first, second = (np.array([pair[k] for pair in pairs]) for k in (1, 2))
    scores = np.array([float(pair[3]) for pair in pairs])
    count = len(played.players)
    won = np.zeros((1, count, count))
    np.add.at(won[0], (first, second), scores)
    np.add.at(won[0], (second, first), 1 - scores)
    require_maximum(played, won[0], "rate with trueskill_ratings, or with resampled_strengths")
    [strengths] = climb(won)
    inverse = np.linalg.pinv(_information(won, strengths[np.newaxis])[0], hermitian=True)
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
        gap=check_strengths([(a, b, float(s), 1.0) for _, a, b, s in pairs], strengths.tolist()),
        tolerance=_TOLERANCE * len(pairs),
    )


def require_maximum(played: PlayedGames, won: np.ndarray, otherwise: str) -> None:
    """Refuse games that have no strengths of largest likelihood, naming who never wins."""
    reach = connections(won[np.newaxis])[0]
    if reach.all():
        return
    weak = reach[np.argmin(reach.sum(axis=1))]  # who reaches fewest is reached by all of them
    names = [name for name, each in zip(played.players, weak, strict=True) if each]
    told = [repr(name) if isinstance(name, str) else str(name) for name in names[:8]]
    shown = ", ".join(told) + (", …" if len(names) > 8 else "")
    raise InvalidInputError(
        "games",
        f"{len(played.scores)} games",
        f"have no strengths of largest likelihood: none of {shown} beats or ties any other player",
        f"add games, or {otherwise}",
    )


def connections(won: np.ndarray) -> np.ndarray:
    """Return who reaches whom through wins and ties, in each tournament.

    ``won`` holds tournaments × players × opponents: wins of each over each, a tie being half of one
    for both. Strengths of largest likelihood exist exactly where all reach all.
    """
    reach = (won > 0) | np.eye(won.shape[-1], dtype=bool)
    for _ in range(won.shape[-1].bit_length()):
        reach = np.matmul(reach, reach)
    return np.asarray(reach)


def climb(won: np.ndarray) -> np.ndarray:
    """Return the strengths of largest likelihood of each tournament, which must have some.

    Newton's method, with steps halved until the likelihood grows; all tournaments advance together.
    """
    from scipy.special import log_expit

    def likelihood(at: np.ndarray) -> np.ndarray:
        lead = at[:, :, np.newaxis] - at[:, np.newaxis, :]
        return np.asarray((won * log_expit(lead)).sum(axis=(1, 2)))

    runs, count, _ = won.shape
    strengths = np.zeros((runs, count))
    best = likelihood(strengths)
    slack = 1e-13 * won.sum(axis=(1, 2))
    for _ in range(_STEPS):
        step = np.linalg.solve(
            _information(won, strengths) + 1 / count, _gradient(won, strengths)[..., np.newaxis]
        )[..., 0]
        found = likelihood(strengths + step)
        for _ in range(_HALVINGS):
            worse = found < best - slack
            if not worse.any():
                break
            step[worse] /= 2
            found[worse] = likelihood(strengths + step)[worse]
        strengths, best = strengths + step, np.maximum(best, found)
        if np.abs(step).max() < 1e-13:
            break
    return np.asarray(strengths - strengths.mean(axis=1, keepdims=True))


def _expected(strengths: np.ndarray) -> np.ndarray:
    """Return the probability that each beats each."""
    from scipy.special import expit

    return np.asarray(expit(strengths[:, :, np.newaxis] - strengths[:, np.newaxis, :]))


def _gradient(won: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    met = won + won.transpose(0, 2, 1)
    return np.asarray((won - met * _expected(strengths)).sum(axis=2))


def _information(won: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """Return the Fisher information of the strengths."""
    chance = _expected(strengths)
    weight = (won + won.transpose(0, 2, 1)) * chance * (1 - chance)
    found = -weight
    players = np.arange(won.shape[1])
    found[:, players, players] += weight.sum(axis=2)
    return np.asarray(found)
