"""Regrets on large sets judged again, a round at a time from the plays as they were given.

The reported deviations are followed from the strategies themselves. Whether there are better ones
is asked of the set's ``extremes``, while the solver works with best actions and products.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from math import fsum
from typing import Any, Final

import numpy as np

from theory.actions import ActionSet, ListedActions, SoftmaxStrategy, SparseStrategy
from theory.regret._history import History
from theory.regret._recheck import TINY, off_weight, relations
from theory.regret._result import ExternalRegret, Number, Regret
from theory.shared.shapes import Float64

__all__ = ["recheck_external", "recheck_large"]

_BUDGET: Final = 1 << 28
_MOST: Final = 64
"""For how many actions, at most, better replies are looked for."""

_EPSILON: Final = 2.0**-52


def recheck_large(found: Regret, history: History) -> Regret:
    """Return the regret with its gap."""
    external, tolerance = recheck_external(found.earned, found.external, history)
    chosen = _choose_actions(found, history)
    apart = [external, *_swap_gaps(found, history), *_gaps(found, history, chosen)]
    drift = 1e-9 * _scale(found.external, history)[0]
    gap = max(float(relations(found, drift)), *(abs(float(v)) for v in apart))
    return replace(found, gap=gap, rechecked=len(chosen), tolerance=tolerance)


def recheck_external(
    earned: Number, external: ExternalRegret, history: History
) -> tuple[float, float]:
    """Return how far external regret is off, and what rounding explains."""
    actions, z = history.actions, history.observations
    total = fsum(
        _earned_reward(actions, play, row) for play, row in zip(history.plays, z, strict=True)
    )
    most = actions.extremes(np.array([fsum(column) for column in z.T.tolist()]))[1]
    always = fsum(float(_rewards(actions, [external.action], row)[0]) for row in z)
    apart = (earned - total, external.gain - (always - total), external.gain - (most - total))
    terms = len(z) + len(history.sources) + actions.dimension
    scale, largest = _scale(external, history)
    products = actions.dimension * (len(z) + len(history.weights) + len(history.sources))
    below = TINY * products * max(1.0, largest)
    return float(max(map(abs, apart))), 4 * (terms * _EPSILON * scale + below)


def _earned_reward(actions: ActionSet, play: Any, row: Float64[np.ndarray, " d"]) -> float:
    if isinstance(play, SoftmaxStrategy):
        return float(play.features(actions) @ row)
    names, x = _support(play)
    return fsum((x * _rewards(actions, names, row)).tolist())


def _swap_gaps(found: Regret, history: History) -> list[float]:
    """Return what the map that is reported gains, round by round, less what is claimed."""
    moves, actions, gains = found.swap.map, history.actions, []
    if moves is None:
        return []
    for play, row in zip(history.plays, history.observations, strict=True):
        names, x = _support(play)
        moved = [k for k, a in enumerate(names) if a in moves]
        if moved:
            own = _rewards(actions, [names[k] for k in moved], row)
            better = _rewards(actions, [moves[names[k]] for k in moved], row)
            gains.append(fsum((x[moved] * (better - own)).tolist()))
    return [found.swap.gain - fsum(gains)]


def _gaps(found: Regret, history: History, chosen: list[Hashable]) -> list[float]:
    """Return how far the gaps of some actions are off, and by how much they break a bound."""
    if not chosen:
        return []
    actions = history.actions
    vectors = {a: np.zeros(actions.dimension) for a in chosen}
    weights: dict[Hashable, list[float]] = {a: [] for a in chosen}
    for play, row in zip(history.plays, history.observations, strict=True):
        names, x = _support(play)
        for a, w in zip(names, x.tolist(), strict=True):
            if a in vectors:
                vectors[a] += w * row
                weights[a].append(w)
    claimed = {c.action: c for c in found.conditionals}
    apart: list[Any] = [found.internal.gain - max(c.gain for c in found.conditionals)]
    for a in chosen:
        own = float(_rewards(actions, [a], vectors[a])[0])
        gain = max(0.0, actions.extremes(vectors[a])[1] - own)
        apart.append(max(0.0, gain - found.internal.gain))
        if a in claimed:
            reply = float(_rewards(actions, [claimed[a].best_reply], vectors[a])[0])
            apart += [off_weight(claimed[a].weight, weights[a]), claimed[a].gain - gain]
            apart.append(claimed[a].gain - (reply - own))
    return apart


def _choose_actions(found: Regret, history: History) -> list[Hashable]:
    """Return the source of internal regret, and the actions that were played most."""
    if history.implicit:
        return []
    mass = np.add.reduceat(history.weights, history.starts[:-1])
    cost = min(history.actions.size, 1 << 28) * history.actions.dimension
    count = min(len(mass), _MOST, max(1, _BUDGET // cost))
    heaviest = history.names(np.argsort(-mass, kind="stable")[:count])
    return list(dict.fromkeys([found.internal.source, *heaviest]))[:count]


def _support(play: Any) -> tuple[list[Any], Float64[np.ndarray, " k"]]:
    if isinstance(play, SparseStrategy):
        return list(play.actions), np.asarray(play.weights)
    row = np.asarray(play)
    played = np.flatnonzero(row)
    return list(played.tolist()), row[played]


def _rewards(
    actions: ActionSet, names: list[Any], z: Float64[np.ndarray, " d"]
) -> Float64[np.ndarray, " k"]:
    """Return what some actions earn; unit vectors are not written out."""
    if isinstance(actions, ListedActions):
        return np.asarray(z[np.array(names)])
    return np.asarray(actions.features(names) @ z)


def _scale(external: ExternalRegret, history: History) -> tuple[float, float]:
    """Return what rounding is relative to, and the largest feature of what was played.

    The former is the sum over rounds of the largest reward there may be: the largest feature times
    the sum of |z_t|.
    """
    z = np.abs(history.observations)
    if isinstance(history.actions, ListedActions):
        return float(z.max(axis=1).sum()), 1.0
    largest = float(np.abs(history.actions.features([external.action])).max())
    for picks in history.chunks(len(z)):
        largest = max(largest, float(np.abs(history.features(picks)).max()))
    if history.implicit:
        actions, rows = history.actions, history.observations
        most = fsum(abs(actions.extremes(row)[1]) for row in rows)
        most += fsum(
            abs(_earned_reward(actions, play, row))
            for play, row in zip(history.plays, rows, strict=True)
        )
        return max(largest * float(z.sum()), most), largest
    return largest * float(z.sum()), largest
