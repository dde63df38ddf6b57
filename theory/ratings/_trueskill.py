"""TrueSkill for free-for-alls with ties: the moments by expectation propagation, many runs at once.

A player of skill s_i ~ N(μ_i, σ_i² + τ²) performs p_i ~ N(s_i, β²) in a game. A player that ranks
the next has p_i - p_j > ε, one that ties with it |p_i - p_j| < ε, with ε = √2 β Φ⁻¹((q+1)/2) for
the probability q of a draw between equals. The posterior of p is approximated by a normal law with
one Gaussian site for each difference; at the fixed point mean and variance of each difference are
those of its cavity law cut off at its bounds. With two players this is exact.
Source: Herbrich, Minka and Graepel, TrueSkill: A Bayesian Skill Rating System (2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from math import factorial, prod, sqrt
from typing import Final, Literal

import numpy as np

from theory.errors import InvalidInputError, LimitError
from theory.ratings._recheck import check_trueskill
from theory.ratings._runs import History
from theory.ratings._truncated import moments_above, moments_between
from theory.shared.arguments import read_finite, read_nonnegative, read_positive, refusing

__all__ = ["TrueSkill"]

_CONVERGED: Final = 1e-13
_SWEEPS: Final = 500
_MOST_LISTINGS: Final = 720


@refusing
@dataclass(frozen=True, kw_only=True)
class TrueSkill:
    """The model of skill: its prior, the noise of a game, the drift between games, and draws.

    Attributes
    ----------
    mu, sigma : float
        Mean and standard deviation of the skill of a player of whom nothing is known.
    beta : float
        Standard deviation of the performance in a game around the skill.
    tau : float
        Standard deviation of the change of skill before each game.
    draw_probability : float
        Of a game between two players of the same performance in the mean, in [0, 1).
    ties : str
        "chain" bounds the differences of neighbours in the listed order alone, as published; so
        players who tie are rated by where they are listed. "mean" has the moments of the mixture
        of all orders of those who tie, which treats them alike. Without ties the two are the same.

    Examples
    --------
    >>> TrueSkill(ties="chain").draw_margin  # doctest: +ELLIPSIS
    0.74046...
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 25.0 / 300
    draw_probability: float = 0.10
    ties: Literal["mean", "chain"] = "mean"

    def __post_init__(self) -> None:
        read_finite("mu", self.mu)
        read_positive("sigma", self.sigma)
        read_positive("beta", self.beta)
        read_nonnegative("tau", self.tau)
        if read_nonnegative("draw_probability", self.draw_probability) >= 1:
            fix = "give a probability below 1"
            raise InvalidInputError(
                "draw_probability", self.draw_probability, "is not below 1", fix
            )
        if self.ties not in ("mean", "chain"):
            raise InvalidInputError("ties", self.ties, "is unknown", 'give "mean" or "chain"')

    @property
    def name(self) -> str:
        """What the ratings are called."""
        return "TrueSkill"

    @property
    def draw_margin(self) -> float:
        """ε, by how much two performances differ at most in a draw."""
        from scipy.special import ndtri

        return float(sqrt(2) * self.beta * ndtri((self.draw_probability + 1) / 2))

    @property
    def scale(self) -> float:
        """The unit of the ratings."""
        return self.sigma

    def start(self, runs: int, players: int) -> np.ndarray:
        """Return mean and variance of each player before the first game."""
        return np.tile(np.array([self.mu, self.sigma**2]), (runs, players, 1))

    def advance(self, seated: np.ndarray, groups: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and variance of each player after a game, and the sites.

        ``seated`` is ordered by rank: runs, players best first, (mean, variance).
        """
        if max(groups) > 1 and self.draw_probability == 0:
            fix = "give a probability above 0, such as 0.1"
            raise InvalidInputError("draw_probability", 0, "excludes the ties in the games", fix)
        listings = _listings(groups, self.ties)
        level = np.repeat(np.arange(len(groups)), groups)
        drawn = (level[1:] == level[:-1]).tolist()
        runs, players = seated.shape[:2]
        listed = seated[:, listings].reshape(-1, players, 2)
        mean, variance = listed[..., 0], listed[..., 1] + self.tau**2
        spread = variance + self.beta**2
        found, left, sites = _propagate(mean, spread, drawn, self.draw_margin)
        gain = variance / spread
        moments = [mean + gain * (found - mean), variance - gain**2 * (spread - left)]
        back = np.argsort(listings, axis=1)[np.newaxis]
        means, variances = (
            np.take_along_axis(each.reshape(runs, -1, players), back, axis=2) for each in moments
        )
        after = [means.mean(axis=1), variances.mean(axis=1) + means.var(axis=1)]
        return np.stack(after, axis=-1), sites.reshape(runs, len(listings), -1, 2)

    def values(self, state: np.ndarray) -> np.ndarray:
        """Return the means."""
        return np.asarray(state[..., 0])

    def gap(self, history: History, final: np.ndarray) -> float:
        """Return how far a run is from what its sites come to by other code, and these from fit."""
        games = [
            (
                groups,
                {
                    tuple(order[place] for place in listing): [tuple(site) for site in fitted]
                    for listing, fitted in zip(
                        _listings(groups, self.ties).tolist(), sites.tolist(), strict=True
                    )
                },
            )
            for order, groups, sites in history
        ]
        means = [float(player[0]) for player in final]
        deviations = [float(player[1]) ** 0.5 for player in final]
        prior = (self.mu, self.sigma, self.beta, self.tau, self.draw_probability)
        return check_trueskill(prior, games, means, deviations, chain=self.ties == "chain")


def _listings(groups: tuple[int, ...], ties: str) -> np.ndarray:
    """Return the orders of the places to go through: one, or each within the groups that tie."""
    if ties == "chain":
        return np.arange(sum(groups))[np.newaxis]
    count = prod(map(factorial, groups))
    if count > _MOST_LISTINGS:
        fix = f'give at most {_MOST_LISTINGS}, which six tied players have, or ties="chain"'
        raise LimitError("games", count, "are the orders of the players who tie in a game", fix)
    ends = np.cumsum((0, *groups)).tolist()
    each = product(*(permutations(range(a, b)) for a, b in pairwise(ends)))
    return np.array([[place for group in listing for place in group] for listing in each])


def _propagate(
    mean: np.ndarray, spread: np.ndarray, drawn: Sequence[bool], margin: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mean and variance of the performances, and precision and shift of each site.

    Messages go down the chain and up again, with each site refitted to its cavity law on the way,
    until the moments within the bounds stay the same.
    """
    runs, players = mean.shape
    own = np.stack([1 / spread, mean / spread])  # precision, and precision times mean
    above, below = (
        np.zeros_like(own),
        np.zeros_like(own),
    )  # messages from the better and from the worse
    sites = np.zeros((runs, players - 1, 2))
    seen = np.zeros((players - 1, 2, runs))
    down = [(k, True) for k in range(players - 1)]
    for _ in range(_SWEEPS):
        moved = 0.0
        for k, going_down in down + [(k, False) for k in reversed(range(players - 1))]:
            better = own[:, :, k] + above[:, :, k]
            worse = own[:, :, k + 1] + below[:, :, k + 1]
            cavity = 1 / better[0] + 1 / worse[0]
            centre, width = better[1] / better[0] - worse[1] / worse[0], np.sqrt(cavity)
            low = (margin - centre) / width
            if drawn[k]:
                found = moments_between((-margin - centre) / width, low)
            else:
                found = moments_above(low)
            precision = (1 / found[1] - 1) / cavity
            shift = found[0] / found[1] / width + centre * precision
            sites[:, k] = np.stack([precision, shift], axis=-1)
            if going_down:
                scale = 1 + precision / better[0]
                message = precision, precision * better[1] / better[0] - shift
                above[:, :, k + 1] = message / scale
            else:
                scale = 1 + precision / worse[0]
                message = precision, precision * worse[1] / worse[0] + shift
                below[:, :, k] = message / scale
            moved = max(moved, float(np.abs(np.stack(found) - seen[k]).max()))
            seen[k] = found
        if moved < _CONVERGED:
            break
    whole = own + above + below
    return whole[1] / whole[0], 1 / whole[0], sites
