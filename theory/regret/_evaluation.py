"""The regrets of the first rounds of a history on a set of any size."""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from typing import Any, Final

import numpy as np

from theory.actions import ActionSet, Features, ListedActions
from theory.errors import LimitError
from theory.regret._assembly import Row, assemble_regrets
from theory.regret._best_replies import best_replies
from theory.regret._history import History
from theory.regret._result import ExternalRegret, InternalRegret, Regret, SwapRegret
from theory.shared.shapes import Float64, Int64

__all__ = ["evaluate", "external_on", "value"]

_WORK: Final = 1 << 43
"""Products that swap regret may take: several minutes."""

_BATCH: Final = 64
"""Actions that are looked at together while bounds decide how many are."""

_ROUNDING: Final = 1e-12


def evaluate(history: History, last: int, *, swap: bool) -> Regret:
    """Return the regrets of the first ``last`` rounds, not rechecked yet."""
    shape = (last, history.actions.size)
    earned, external = external_on(history, last)
    if history.implicit:
        return _bound_unlisted(history, last, earned, external)
    if not swap:
        return _prune_actions(history, last, earned, external)
    chunks = list(history.chunks(last))
    work = sum(map(len, chunks)) * history.actions.size * history.actions.dimension
    if isinstance(history.actions, Features) and work > _WORK:
        problem = f"would take {work:,} products, and the limit is {_WORK:,}"
        raise LimitError("swap", swap, problem, "pass swap=False")
    rows = [row for picks in chunks for row in _rows(history, picks, last)]
    return assemble_regrets("float64", shape, earned, external, rows)


def external_on(history: History, last: int) -> tuple[float, ExternalRegret]:
    """Return what the first ``last`` rounds earned, and their external regret."""
    earned = fsum(history.earned[:last].tolist())
    total = history.observations[:last].sum(axis=0)
    best = history.actions.best(total)
    return earned, ExternalRegret(value(history.actions, best, total) - earned, best)


def value(actions: ActionSet, action: Any, z: Float64[np.ndarray, " d"]) -> float:
    """Return <phi(a), z>."""
    if isinstance(actions, ListedActions):
        return float(z[action])
    return float(actions.features([action])[0] @ z)


def _rows(history: History, picks: Int64[np.ndarray, " picks"], last: int) -> list[Row]:
    """Return what some of the actions earned, and what their best replies would have."""
    x = history.played(picks, last)
    vectors = x @ history.observations[:last]
    targets, better = best_replies(history.actions, vectors)
    own = _own_rewards(history, picks, vectors)
    if better is None:
        gains = vectors[np.arange(len(picks)), targets] - own
    else:
        gains = ((better - history.features(picks)) * vectors).sum(axis=1)
    listed = zip(
        history.names(picks),
        x.sum(axis=1).tolist(),
        own.tolist(),
        targets,
        gains.tolist(),
        strict=True,
    )
    return [Row(*row) for row in listed]


def _own_rewards(
    history: History, picks: Int64[np.ndarray, " picks"], vectors: Float64[np.ndarray, "picks d"]
) -> Float64[np.ndarray, " picks"]:
    if isinstance(history.actions, ListedActions):
        return vectors[np.arange(len(picks)), history.names(picks)]
    return np.asarray((history.features(picks) * vectors).sum(axis=1))


def _bound_unlisted(history: History, last: int, earned: float, external: ExternalRegret) -> Regret:
    """Return bounds: external / (N - 1) <= internal <= swap, from external to the best there was.

    Whatever map is applied to the plays, no round earns more than its best action.
    """
    low = max(0.0, external.gain)
    high = max(low, fsum(history.peaks[:last].tolist()) - earned)
    others = max(1, min(history.actions.size - 1, 10**300))
    return Regret(
        rounds=last,
        size=history.actions.size,
        arithmetic="float64",
        earned=earned,
        external=external,
        internal=InternalRegret(low / others, None, None, high),
        swap=SwapRegret(low, None, high),
        conditionals=(),
        gap=0.0,
        rechecked=0,
        tolerance=0.0,
    )


def _prune_actions(history: History, last: int, earned: float, external: ExternalRegret) -> Regret:
    """Return internal regret, from no more actions than it takes, and swap regret's bounds."""
    picks, bounds, scale = _bounds(history, last)
    slack = _ROUNDING * scale
    order = np.argsort(-bounds, kind="stable")
    found: list[tuple[int, Row]] = []
    done, best = 0, 0.0
    while done < len(order) and (done == 0 or bounds[order[done]] >= max(best - slack, slack)):
        batch = np.sort(order[done : done + _BATCH])
        rows = _rows(history, picks[batch], last)
        found += zip(batch.tolist(), rows, strict=True)
        best = max(best, *(float(row.gain) for row in rows))
        done += len(batch)
    looked = assemble_regrets(
        "float64",
        (last, history.actions.size),
        earned,
        external,
        [row for _, row in sorted(found, key=lambda pair: pair[0])],
    )
    left = np.minimum(np.maximum(bounds[order[done:]], 0.0) + slack, best)
    low = max(looked.swap.gain, external.gain)
    high = max(low, looked.swap.gain + fsum(left.tolist()))
    return replace(looked, swap=SwapRegret(low, None, high))


def _bounds(
    history: History, last: int
) -> tuple[Int64[np.ndarray, " played"], Float64[np.ndarray, " played"], float]:
    """Return the actions played, what each could gain at most, and the scale of rounding."""
    peaks = history.peaks[:last]
    picks, bounds, scale = [], [], 0.0
    for chunk in history.chunks(last):
        x = history.played(chunk, last)
        most = x @ peaks
        own = _own_rewards(history, chunk, x @ history.observations[:last])
        picks.append(chunk)
        bounds.append(most - own)
        scale += float((x @ np.abs(peaks)).sum() + np.abs(own).sum())
    return np.concatenate(picks), np.concatenate(bounds), scale
