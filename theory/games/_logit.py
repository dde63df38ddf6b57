"""Approximate play of a stage with any number of players: the limit of logit responses, in float64.

What is found here is a suggestion; its regrets are computed elsewhere and exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

import numpy as np

from theory.errors import LimitError
from theory.games._game import Game
from theory.games._subgames import Stage
from theory.shared.shapes import Float64

__all__ = ["WORK_LIMIT", "logit_play"]

WORK_LIMIT: Final = 1_000_000
"""The greatest product of the number of ends and the square of that of moves."""

_PRECISION: Final = 1e6
"""The weight of payoffs, which range over an interval of length 1, at which the path ends."""

_STEPS: Final = 500
_TRIES: Final = 4
_GOLDEN: Final = (5**0.5 - 1) / 2
_CLOSE: Final = 1e-9
_PLAYED: Final = 1e-4
_NEVER: Final = -100.0
_DENOMINATORS: Final = (12, 100, 10**4, 10**6, 10**9)

Laws = dict[int, tuple[Fraction, ...]]


def logit_play(game: Game, stage: Stage, values: Mapping[int, tuple[Fraction, ...]]) -> Laws:
    """Return a law of moves for each set of the stage, near an equilibrium as a rule.

    At weight w each move has a probability in proportion to exp(w u), u being what the mover
    expects, given that the play passes the move. The curve of these laws is followed from w = 0,
    by steps along its tangent and Newton's method. At the end the moves that are played are made
    exactly as good as one another, and the laws are rounded to the smallest denominators that
    keep them so. Where the curve leads nowhere, others are tried that begin with other laws.

    Raises
    ------
    LimitError
        For more than ``WORK_LIMIT`` pairs of moves and an end.

    References
    ----------
    McKelvey and Palfrey (1998), Quantal response equilibria for extensive form games. Turocy
    (2005), A dynamic homotopy interpretation of the logistic quantal response equilibrium
    correspondence.
    """
    play = _Play(game, stage, values)
    logs = play.tilt(0)
    for tilt in range(_TRIES):
        found = _equalise_played_moves(play, _follow_curve(play, play.tilt(tilt)))
        if play.gap(found) < play.gap(logs):
            logs = found
        if play.gap(logs) <= _CLOSE:
            break
    laws: Laws = {}
    for laws in _round_laws(play, np.exp(logs)):
        if play.gap(play.logs(laws)) <= _CLOSE:
            break
    return laws


class _Play:
    """The moves and ends of a stage as arrays; logs of probabilities are given one a move."""

    def __init__(
        self, game: Game, stage: Stage, values: Mapping[int, tuple[Fraction, ...]]
    ) -> None:
        self.sets: dict[int, slice] = {}
        movers: list[int] = []
        for k in stage.infosets:
            infoset = game.infosets[k]
            self.sets[k] = slice(len(movers), len(movers) + len(infoset.moves))
            movers += [infoset.player] * len(infoset.moves)
        ways = sum(h in stage.cuts or game.nodes[h].is_end for h in stage.nodes)
        if len(movers) ** 2 * ways > WORK_LIMIT:
            raise LimitError(
                "squared moves times ends of a subgame in which three players or more move",
                len(movers) ** 2 * ways,
                f"are more than the limit of {WORK_LIMIT}",
                "give a smaller game",
            )
        ends, paths, chances = _ends(game, stage, values)
        self.paths = np.zeros((len(ends), len(movers)))
        for z, path in enumerate(paths):
            for k, m in path:
                self.paths[z, self.sets[k].start + m] = 1.0
        self.chances = np.log(np.array([float(p) for p in chances]))
        worth = [_to_unit([paid[i] for paid in ends]) for i in range(len(game.players))]
        self.worth = np.array([worth[i] for i in movers])

    def judge(
        self, logs: Float64[np.ndarray, " moves"]
    ) -> tuple[Float64[np.ndarray, " moves"], Float64[np.ndarray, "moves moves"]]:
        """Return what each move's player expects, given the move, and its derivatives."""
        reach = np.where(self.paths.T > 0, self.paths @ logs + self.chances, -np.inf)
        top = reach.max(axis=1, keepdims=True)
        law = np.exp(reach - np.where(np.isfinite(top), top, 0.0))
        total = law.sum(axis=1, keepdims=True)
        law /= np.where(total > 0, total, 1.0)
        paid = law * self.worth
        expected = paid.sum(axis=1)
        paid -= expected[:, None] * law
        return expected, np.einsum("iz,zj->ij", paid, self.paths)

    def tilt(self, tilt: int) -> Float64[np.ndarray, " moves"]:
        """Return the logs that a curve begins with: those of uniform laws for a tilt of 0."""
        logs = tilt * (np.arange(self.worth.shape[0]) * _GOLDEN % 1)
        for s in self.sets.values():
            logs[s] -= np.log(np.exp(logs[s]).sum())
        return logs

    def gap(self, logs: Float64[np.ndarray, " moves"]) -> float:
        """Return the most that one move gains at one set, given that the play passes there."""
        expected, _ = self.judge(logs)
        played = np.exp(logs)
        gaps = [expected[s].max() - played[s] @ expected[s] for s in self.sets.values()]
        return float(max(gaps))

    def logs(self, laws: Laws) -> Float64[np.ndarray, " moves"]:
        """Return the logs of laws; that of 0 is finite, so that beliefs are there at every set."""
        odds = np.array([float(p) for law in laws.values() for p in law])
        return np.asarray(np.log(np.maximum(odds, np.exp(_NEVER))))


def _ends(
    game: Game, stage: Stage, values: Mapping[int, tuple[Fraction, ...]]
) -> tuple[list[tuple[Fraction, ...]], list[tuple[tuple[int, int], ...]], list[Fraction]]:
    """Return for each end of the stage what it pays, the moves of players, and chance's part."""
    at: dict[int, tuple[tuple[Fraction, ...], tuple[tuple[int, int], ...], Fraction]] = {}
    ends, paths, chances = [], [], []
    path: tuple[tuple[int, int], ...]
    for h in stage.nodes:
        node = game.nodes[h]
        over = h in stage.cuts
        paid, path, chance = values[h] if over else node.payoffs, (), Fraction(1)
        if h != stage.root:
            parent = game.nodes[node.parent]
            before, path, chance = at[node.parent]
            paid = tuple(a + b for a, b in zip(before, paid, strict=True))
            if parent.is_chance:
                chance *= parent.probabilities[node.move]
            else:
                path = (*path, (parent.infoset, node.move))
        at[h] = paid, path, chance
        if (over or node.is_end) and chance:
            ends.append(paid)
            paths.append(path)
            chances.append(chance)
    return ends, paths, chances


def _to_unit(paid: list[Fraction]) -> list[float]:
    """Map payoffs to the unit interval, so that units do not matter."""
    least, most = min(paid), max(paid)
    return [float((u - least) / (most - least or 1)) for u in paid]


def _follow_curve(
    play: _Play, start: Float64[np.ndarray, " moves"]
) -> Float64[np.ndarray, " moves"]:
    """Follow the curve of logit responses as far as the precision, and return the last logs."""
    point = np.append(start, 0.0)
    tangent = np.zeros(len(point))
    tangent[-1] = 1.0
    step = 0.1
    for _ in range(_STEPS):
        if point[-1] > _PRECISION or step < 1e-7:
            break
        found = _step_along(play, start, point, tangent, step)
        if found is None:
            step /= 2
        else:
            point, tangent = found
            step *= 1.5
    return point[:-1]


def _step_along(
    play: _Play,
    start: Float64[np.ndarray, " moves"],
    point: Float64[np.ndarray, " more"],
    before: Float64[np.ndarray, " more"],
    step: float,
) -> tuple[Float64[np.ndarray, " more"], Float64[np.ndarray, " more"]] | None:
    """Return the next point and the tangent that led to it; None if the step is too long."""
    try:
        ahead = _tangent(play, start, point, before)
        found = _correct_guess(play, start, point + step * ahead, ahead)
    except np.linalg.LinAlgError:
        return None
    return None if found is None or found[-1] < 0 else (found, ahead)


def _equations(
    play: _Play, start: Float64[np.ndarray, " moves"], point: Float64[np.ndarray, " more"]
) -> tuple[Float64[np.ndarray, " moves"], Float64[np.ndarray, "moves more"]]:
    """Return what is zero on the curve, and its derivatives."""
    logs, weight = point[:-1], point[-1]
    expected, slopes = play.judge(logs)
    wrong = logs - start - weight * expected
    matrix = np.column_stack([np.eye(len(logs)) - weight * slopes, -expected])
    for s in play.sets.values():
        wrong[s] -= wrong[s.start]
        matrix[s] -= matrix[s.start].copy()
        odds = np.exp(logs[s])
        wrong[s.start] = odds.sum() - 1
        matrix[s.start, s] = odds
    return wrong, matrix


def _tangent(
    play: _Play,
    start: Float64[np.ndarray, " moves"],
    point: Float64[np.ndarray, " more"],
    before: Float64[np.ndarray, " more"],
) -> Float64[np.ndarray, " more"]:
    _, matrix = _equations(play, start, point)
    unit = np.zeros(len(point))
    unit[-1] = 1.0
    ahead = np.linalg.solve(np.vstack([matrix, before]), unit)
    return np.asarray(ahead / np.linalg.norm(ahead))


def _correct_guess(
    play: _Play,
    start: Float64[np.ndarray, " moves"],
    guess: Float64[np.ndarray, " more"],
    ahead: Float64[np.ndarray, " more"],
) -> Float64[np.ndarray, " more"] | None:
    """Return the point of the curve that lies across from a guess, None if Newton fails."""
    point, last = guess, np.inf
    for _ in range(12):
        with np.errstate(over="ignore", invalid="ignore"):
            wrong, matrix = _equations(play, start, point)
        size = float(np.abs(wrong).max())
        if not np.isfinite(size) or size > max(10 * last, 1e3):
            return None
        if size < _CLOSE * max(1.0, float(point[-1])):
            return point
        last = size
        across = float(ahead @ (point - guess))
        point = point - np.linalg.solve(np.vstack([matrix, ahead]), np.append(wrong, across))
    return None


def _equalise_played_moves(
    play: _Play, logs: Float64[np.ndarray, " moves"]
) -> Float64[np.ndarray, " moves"]:
    """Return the logs with the moves that are played made exactly as good as one another."""
    best = np.where(np.exp(logs) > _PLAYED, logs, -np.inf)
    played = np.isfinite(best)
    heads = [s.start + int(np.argmax(best[s])) for s in play.sets.values()]
    point = logs.copy()
    for _ in range(30):
        expected, slopes = play.judge(point)
        wrong, matrix = expected.copy(), slopes.copy()
        for head, s in zip(heads, play.sets.values(), strict=True):
            wrong[s] -= expected[head]
            matrix[s] -= slopes[head]
            odds = np.where(played[s], np.exp(point[s]), 0.0)
            wrong[head] = odds.sum() - 1
            matrix[head] = 0.0
            matrix[head, s] = odds
        change = np.linalg.lstsq(matrix[np.ix_(played, played)], -wrong[played], rcond=None)[0]
        point[played] += np.clip(change, -1.0, 1.0)
        if np.abs(change).max() < 1e-14:
            break
    kept = np.where(played, point, _NEVER)
    better = np.isfinite(point).all() and play.gap(kept) <= play.gap(logs)
    return kept if better else logs


def _round_laws(play: _Play, odds: Float64[np.ndarray, " moves"]) -> Iterator[Laws]:
    """Yield the laws with denominators of at most 12, and then of more and more."""
    for denominator in _DENOMINATORS:
        laws = {}
        for k, s in play.sets.items():
            parts = [Fraction(float(p)).limit_denominator(denominator) for p in odds[s]]
            total = sum(parts)
            laws[k] = tuple(p / total for p in parts)
        yield laws
