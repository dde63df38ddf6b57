r"""Draws from the law of the smooth internal oracle, without listing its maps.

The maps are the identity, the N (N - 1) moves i -> j, and with constants the N maps of everything
to one j. With independent standard Gumbel noise on each, the best map is i -> j with a probability
proportional to exp(h D(i, j)), which is 1 for all maps of an action that was never played. Rows
that were played are drawn by rejection: one is proposed with an upper bound on its weight, weighed
only then, and kept with the ratio of the two. Whatever the bounds, what is kept has the right law;
they only decide how many rows are weighed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import inf, log

import numpy as np

from mechanisms.learners._played_rows import PlayedRows
from theory.actions import Action, ActionSet, Features, ListedActions
from theory.shared.shapes import Float64, Int64, Row

__all__ = ["RewardTotals", "SampledMaps", "draw_maps", "uniform"]

_TRIES, _BATCH = 100, 1_000
"""How often a set that is not numbered is asked for other actions, and for how many at once."""


@dataclass(frozen=True)
class SampledMaps:
    """Maps, and how often each was drawn.

    Attributes
    ----------
    moves : dict
        (i, j): how often the map that moves i to j was drawn.
    constants : dict
        j: how often the map of everything to j was drawn.
    identity : int
        How often the identity was drawn.
    """

    moves: dict[tuple[Action, Action], int]
    constants: dict[Action, int]
    identity: int = 0

    @classmethod
    def count(cls, drawn: Iterable[tuple[Action | None, Action | None]]) -> SampledMaps:
        """Return how often each was drawn: (i, j), (None, j) for a constant map, (None, None)."""
        counts = Counter(drawn)
        identity = counts.pop((None, None), 0)
        moves = {(i, j): n for (i, j), n in counts.items() if i is not None and j is not None}
        constants = {j: n for (i, j), n in counts.items() if i is None and j is not None}
        return cls(moves, constants, identity)

    @property
    def number(self) -> int:
        """How many maps were drawn."""
        return sum(self.moves.values()) + sum(self.constants.values()) + self.identity


@dataclass(frozen=True, eq=False)
class RewardTotals:
    """The sum of all rewards, as a vector, and what the plays have earned of them."""

    z: Row
    earned: float


def draw_maps(
    actions: ActionSet,
    rows: PlayedRows,
    totals: RewardTotals | None,
    *,
    rate: float,
    rng: np.random.Generator,
    n: int,
) -> SampledMaps:
    """Return n independent draws; where totals are given, constant maps have half of the prior.

    A move and the identity have the prior 1 / (N (N - 1) + 1), or half of it, and a constant map
    1 / (2N).
    """
    if actions.size == 1:
        return SampledMaps({}, {}, n)
    identity, unplayed, constant, of_rows = _kinds(actions, rows, totals, rate=rate, rng=rng, n=n)
    moves: Counter[tuple[Action, Action]] = Counter()
    draw = partial(uniform, actions, rng)
    for source, target in zip(
        _draws(unplayed, draw, rows.__contains__), draw(unplayed), strict=True
    ):
        other = target if target != source else _draws(1, draw, source.__eq__)[0]
        moves[source, other] += 1
    for row, number in of_rows.items():
        source, z = rows.labels[row], rate * rows.vectors[row]
        targets = _draw_other_actions(actions, z, source, rng, number)
        identity += number - len(targets)
        moves.update((source, target) for target in targets)
    constants: list[Action] = []
    if totals is not None and constant:
        constants = actions.sample(rate * totals.z, rng, constant)
    return SampledMaps(dict(moves), dict(Counter(constants)), identity)


def uniform(actions: ActionSet, rng: np.random.Generator, n: int) -> list[Action]:
    """Return n independent uniform draws of actions."""
    if n == 0:
        return []
    if isinstance(actions, ListedActions | Features):
        return list(rng.integers(actions.size, size=n).tolist())
    return actions.sample(np.zeros(actions.dimension), rng, n)


def _kinds(
    actions: ActionSet,
    rows: PlayedRows,
    totals: RewardTotals | None,
    *,
    rate: float,
    rng: np.random.Generator,
    n: int,
) -> tuple[int, int, int, dict[int, int]]:
    """Return how many draws are the identity, of unplayed actions, constant, and of which rows."""
    size, counts = actions.size, np.zeros(3 + len(rows), dtype=np.int64)
    idle = size - len(rows)
    fixed = np.array([0.0, log(idle * (size - 1)) if idle else -inf, -inf])
    if totals is not None:
        log_all = actions.log_partition(rate * totals.z[np.newaxis])[0] - rate * totals.earned
        fixed[2] = log(size * (size - 1) + 1) - log(size) + log_all
    missing = n
    while missing:
        bounds = rows.log_bounds(rate)
        logs = np.concatenate([fixed, bounds])
        heights = np.cumsum(np.exp(logs - logs.max()))
        drawn = np.searchsorted(heights[:-1], rng.random(missing) * heights[-1], side="right")
        of_rows = drawn[drawn >= 3] - 3
        kept = np.concatenate(
            [drawn[drawn < 3], 3 + _thin_proposals(rows, of_rows, bounds, rate, rng)]
        )
        np.add.at(counts, kept, 1)
        missing -= len(kept)
    found = np.flatnonzero(counts[3:])
    by_row = dict(zip(found.tolist(), counts[3 + found].tolist(), strict=True))
    return int(counts[0]), int(counts[1]), int(counts[2]), by_row


def _thin_proposals(
    rows: PlayedRows,
    proposed: Int64[np.ndarray, " proposed"],
    bounds: Row,
    rate: float,
    rng: np.random.Generator,
) -> Int64[np.ndarray, " kept"]:
    """Keep each proposed row with the ratio of its weight to the bound it was proposed with."""
    known = rows.mark_weighed(rate)
    rows.weigh(np.unique(proposed[~known[proposed]]), rate)
    ratios = np.exp(rows.log_weights(proposed) - bounds[proposed])
    return np.asarray(proposed[rng.random(len(proposed)) < ratios])


def _draw_other_actions(
    actions: ActionSet,
    z: Float64[np.ndarray, " features"],
    source: Action,
    rng: np.random.Generator,
    n: int,
) -> list[Action]:
    """Return n draws from the softmax law given that they are not ``source``.

    Sets that are not numbered are asked again until they answer otherwise, with a limit: what is
    left then, of a row all but none of whose weight is elsewhere, counts as the identity.
    """
    if isinstance(actions, ListedActions | Features) and isinstance(source, int):
        rewards = actions.rewards(z)
        rewards[source] = -inf
        heights = np.cumsum(np.exp(rewards - rewards.max()))
        return list(np.searchsorted(heights[:-1], rng.random(n) * heights[-1], "right").tolist())
    found: list[Action] = []
    for attempt in range(_TRIES):
        drawn = actions.sample(z, rng, max(n, _BATCH) if attempt else n)
        found += [action for action in drawn if action != source]
        if len(found) >= n:
            return found[:n]
    return found


def _draws(
    n: int, draw: Callable[[int], list[Action]], refused: Callable[[Action], object]
) -> list[Action]:
    """Return n draws of what is not refused."""
    found: list[Action] = []
    while len(found) < n:
        found += [action for action in draw(n - len(found)) if refused(action) is not True]
    return found
