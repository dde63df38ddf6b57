"""Ratings checked again from the games, by code that no solver uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import exp, fsum, inf, isnan, log, pi, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

__all__ = ["check_elo", "check_means", "check_strengths", "check_trueskill"]

_UNIT = log(10) / 400

Listings = Mapping[tuple[int, ...], Sequence[tuple[float, ...]]]
"""For each order of the players, best first: precision and shift of the site of each neighbour."""

Moments = dict[int, tuple[float, float]]


def check_trueskill(
    prior: tuple[float, float, float, float, float],
    games: Sequence[tuple[tuple[int, ...], Listings]],
    means: Sequence[float],
    deviations: Sequence[float],
    *,
    chain: bool,
) -> float:
    """Return the largest error of TrueSkill's moments, in points of skill.

    The sites are the certificate. The joint law of the differences is computed from them in
    covariance form; each difference must have the moments of its cavity law within its bounds, and
    the skills that follow, game by game from the prior, must be those that were found.
    """
    mu, sigma, beta, tau, draw = prior
    margin = NormalDist().inv_cdf((draw + 1) / 2) * sqrt(2) * beta
    known = dict.fromkeys(range(len(means)), (mu, sigma * sigma))
    worst = 0.0
    for groups, listings in games:
        level = [g for g, size in enumerate(groups) for _ in range(size)]
        ties = [a == b for a, b in pairwise(level)]
        first = next(iter(listings))
        parts = [[p for p, at in zip(first, level, strict=True) if at == g] for g in set(level)]
        wanted = {sum(each, ()) for each in product(*map(permutations, parts))}
        if set(listings) != ({first} if chain else wanted):
            return inf
        found = []
        for order, sites in listings.items():
            gap, moments = _after_game(known, order, ties, sites, noise=(beta, tau, margin))
            worst = max(worst, gap)
            found.append(moments)
        for player in first:
            mean = fsum(each[player][0] for each in found) / len(found)
            square = fsum(v + (m - mean) ** 2 for m, v in (each[player] for each in found))
            known[player] = (mean, square / len(found))
    for player, (mean, variance) in known.items():
        off = (means[player] - mean, deviations[player] - sqrt(variance))
        worst = max(worst, *(inf if isnan(x) else abs(x) for x in off))
    return worst


def _after_game(
    known: Moments,
    order: tuple[int, ...],
    ties: Sequence[bool],
    sites: Sequence[tuple[float, ...]],
    *,
    noise: tuple[float, float, float],
) -> tuple[float, Moments]:
    beta, tau, margin = noise
    signs = np.eye(len(order))[:-1] - np.eye(len(order))[1:]
    skill = np.array([known[p][1] + tau * tau for p in order])
    centre = np.array([known[p][0] for p in order])
    precision, shift = np.array(sites).T
    covariance = (signs * (skill + beta * beta)) @ signs.T
    worst = 0.0
    for k, drawn in enumerate(ties):
        others = np.arange(len(ties)) != k
        cavity_mean, cavity = _joint(covariance, signs @ centre, precision * others, shift * others)
        mean, variance = cavity_mean[k], cavity[k, k]
        weight = 1 + variance * precision[k]
        fitted = _within(mean, variance, margin, drawn=drawn)
        off = fitted[0] - (mean + variance * shift[k]) / weight, fitted[1] - sqrt(variance / weight)
        worst = max(worst, *(inf if isnan(x) else abs(x) for x in off))
    middle, _ = _joint(covariance, signs @ centre, precision, shift)
    pull = signs.T @ (shift - precision * middle)
    system = np.eye(len(ties)) + covariance * precision
    shrink = np.einsum(
        "ka,kl,la->a", signs, precision[:, np.newaxis] * np.linalg.inv(system), signs
    )
    means, variances = centre + skill * pull, skill - skill**2 * shrink
    moments = zip(means.tolist(), variances.tolist(), strict=True)
    return float(worst), dict(zip(order, moments, strict=True))


def _joint(
    covariance: np.ndarray, centre: np.ndarray, precision: np.ndarray, shift: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and covariance of differences with sites."""
    system = np.eye(len(centre)) + covariance * precision
    mean = np.linalg.solve(system, centre + covariance @ shift)
    return mean, np.linalg.solve(system, covariance)


def _within(mean: float, variance: float, margin: float, *, drawn: bool) -> tuple[float, float]:
    """Return mean and standard deviation of N(mean, variance) within the bounds of a result."""
    from scipy.special import log_ndtr

    width = sqrt(variance)
    if not drawn:
        t = (mean - margin) / width
        v = exp(-t * t / 2 - log(2 * pi) / 2 - log_ndtr(t))
        return mean + width * v, width * sqrt(max(0.0, 1 - v * (v + t)))
    t = -abs(mean) / width  # of a negative mean, its mirror image
    low, high = t - margin / width, t + margin / width
    if high - low < 1:  # where the formulas cancel: Simpson's rule about the middle of the interval
        x = np.linspace(-1, 1, 201) * margin / width
        simpson = np.where(np.arange(201) % 2, 4.0, 2.0) * np.exp(-x * (t + x / 2))
        simpson[[0, -1]] /= 2
        v = float((simpson * x).sum() / simpson.sum())
        rest = float((simpson * (x - v) ** 2).sum() / simpson.sum())
        return mean + width * (t + v) * (1 if mean > 0 else -1), width * sqrt(rest)
    mass = log_ndtr(high) + np.log1p(-np.exp(log_ndtr(low) - log_ndtr(high)))
    a, b = (exp(-x * x / 2 - log(2 * pi) / 2 - mass) for x in (low, high))
    v = a - b
    rest = 1 + low * a - high * b - v * v
    return mean + width * (v if mean > 0 else -v), width * sqrt(max(0.0, rest))


def check_elo(
    games: Sequence[tuple[tuple[int, ...], tuple[int, ...]]],
    found: Sequence[float],
    *,
    k: float,
    start: float,
) -> float:
    """Return the largest difference from Elo ratings by plain loops over games and pairs."""
    ratings = [start] * len(found)
    for order, groups in games:
        level = [g for g, size in enumerate(groups) for _ in range(size)]
        share = k / (len(order) - 1)
        gains = []
        for i, player in enumerate(order):
            gain = 0.0
            for j, other in enumerate(order):
                if i != j:
                    score = (1 + (level[i] < level[j]) - (level[i] > level[j])) / 2
                    odds = exp(max(-700.0, min(700.0, (ratings[other] - ratings[player]) * _UNIT)))
                    gain += share * (score - 1 / (1 + odds))
            gains.append(gain)
        for player, gain in zip(order, gains, strict=True):
            ratings[player] += gain
    return max(abs(a - b) for a, b in zip(ratings, found, strict=True))


def check_strengths(
    pairs: Sequence[tuple[int, int, float, float]], strengths: Sequence[float]
) -> float:
    """Return the largest entry of the gradient of the Bradley-Terry likelihood, and of the mean.

    ``pairs`` are (player, opponent, wins of the player, games), where a tie is half a win.
    """
    terms: list[list[float]] = [[] for _ in strengths]
    for a, b, wins, games in pairs:
        odds = exp(max(-700.0, min(700.0, strengths[b] - strengths[a])))
        terms[a] += [wins, -games / (1 + odds)]
        terms[b] += [games - wins, -games / (1 + 1 / odds)]
    level = abs(fsum(strengths)) / len(strengths)
    return max(level, *(abs(fsum(each)) for each in terms))


def check_means(games: Sequence[Mapping[int, Any]], means: Sequence[Any]) -> float:
    """Return the largest difference from means summed in rationals, game by game."""
    worst = Fraction(0)
    for player, mean in enumerate(means):
        total, count = Fraction(0), 0
        for game in games:
            if player in game:
                total, count = total + Fraction(game[player]), count + 1
        worst = max(worst, abs(Fraction(mean) - total / count))
    return float(worst)
