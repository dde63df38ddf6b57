"""Skills after one game: the posterior by sums over a fine grid, and ratings by plain loops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from statistics import NormalDist

STANDARD = NormalDist()


def draw_margin(draw_probability: float, beta: float) -> float:
    return STANDARD.inv_cdf((draw_probability + 1) / 2) * math.sqrt(2) * beta


def two_players(
    priors: Sequence[tuple[float, float]], beta: float, margin: float, *, drawn: bool
) -> list[tuple[float, float]]:
    """Mean and deviation of both skills; the first wins or ties. Sums over a grid of skills."""

    def likelihood(a: float, b: float) -> float:
        unit = math.sqrt(2) * beta
        upper = STANDARD.cdf((a - b - margin) / unit)
        return STANDARD.cdf((a - b + margin) / unit) - upper if drawn else upper

    axes = [[m + s * (k / 20) for k in range(-160, 161)] for m, s in priors]
    weight = [math.exp(-((k / 20) ** 2) / 2) for k in range(-160, 161)]
    sums = [[0.0, 0.0], [0.0, 0.0]]
    total = 0.0
    for (a, wa), (b, wb) in product(
        zip(axes[0], weight, strict=True), zip(axes[1], weight, strict=True)
    ):
        w = wa * wb * likelihood(a, b)
        total += w
        for player, value in enumerate((a, b)):
            sums[player][0] += w * value
            sums[player][1] += w * value * value
    return [_moments(s / total, q / total) for s, q in sums]


def three_players(
    priors: Sequence[tuple[float, float]], beta: float, margin: float, *, losers_tie: bool
) -> list[tuple[float, float]]:
    """Mean and deviation of three skills; the first wins, the others are second and third or tie.

    Results bound the differences of neighbours alone, as published. Given the performance of the
    second, the first's and the third's are cut off; where those tie, the third's is a sum.
    """
    laws = [NormalDist(m, math.sqrt(s * s + beta * beta)) for m, s in priors]
    sums = [[0.0, 0.0] for _ in priors]
    total = 0.0
    cuts = 400
    for k in range(-cuts, cuts + 1):
        second = laws[1].mean + laws[1].stdev * 8 * k / cuts
        weight = laws[1].pdf(second)
        thirds: list[tuple[float, float, float]]
        if losers_tie:
            steps = 64
            width = 2 * margin / steps
            points = [second - margin + (j + 0.5) * width for j in range(steps)]
            thirds = [(laws[2].pdf(x) * width, x, x * x) for x in points]
        else:
            thirds = [_below(laws[2], second - margin)]
        for mass, mean, square in thirds:
            above = _below(NormalDist(-laws[0].mean, laws[0].stdev), -second - margin)
            w = weight * mass * above[0]
            total += w
            first = (-above[1], above[2])
            for player, (x, xx) in enumerate((first, (second, second**2), (mean, square))):
                sums[player][0] += w * x
                sums[player][1] += w * xx
    found = []
    for (mu, sigma), law, (s, q) in zip(priors, laws, sums, strict=True):
        mean, deviation = _moments(s / total, q / total)
        gain = sigma**2 / law.variance
        variance = sigma**2 - gain**2 * (law.variance - deviation**2)
        found.append((mu + gain * (mean - mu), math.sqrt(variance)))
    return found


def _below(law: NormalDist, bound: float) -> tuple[float, float, float]:
    """P(X < bound), and E[X] and E[X²] given that."""
    t = (bound - law.mean) / law.stdev
    mass = STANDARD.cdf(t)
    if mass < 1e-12:
        return 0.0, bound, bound * bound
    hazard = STANDARD.pdf(t) / mass
    mean = law.mean - law.stdev * hazard
    variance = law.variance * (1 - hazard * (hazard + t))
    return mass, mean, variance + mean * mean


def _moments(mean: float, square: float) -> tuple[float, float]:
    return mean, math.sqrt(square - mean * mean)


def strengths(
    pairs: Sequence[tuple[int, int, float]], players: int, rounds: int = 20_000
) -> list[float]:
    """Log strengths of Bradley and Terry by Zermelo's iteration: wins over expected encounters."""
    worth = [1.0] * players
    wins = [0.0] * players
    for a, b, score in pairs:
        wins[a] += score
        wins[b] += 1 - score
    for _ in range(rounds):
        met = [0.0] * players
        for a, b, _score in pairs:
            met[a] += 1 / (worth[a] + worth[b])
            met[b] += 1 / (worth[a] + worth[b])
        new = [w / m for w, m in zip(wins, met, strict=True)]
        scale = math.exp(sum(map(math.log, new)) / players)
        new = [x / scale for x in new]
        if max(abs(x / y - 1) for x, y in zip(new, worth, strict=True)) < 1e-14:
            break
        worth = new
    return [math.log(x) for x in worth]
