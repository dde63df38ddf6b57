"""A history of mixed play on a set of actions that may be too large to list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from theory.actions import (
    Action,
    ActionSet,
    IndexedActionSet,
    SoftmaxStrategy,
    SparseStrategy,
    mean_features,
)
from theory.errors import InvalidInputError, NumberError, ShapeError, UnknownNameError
from theory.regret._reading import is_list
from theory.shared.shapes import Float64, Int64
from theory.shared.text import count_text

__all__ = ["History", "read_history_on"]

_WRITTEN: Final = 1 << 22
"""Probabilities of implicit plays that are written out, over all rounds."""

_CELLS: Final = 1 << 20
_HUGE: Final = 1e290


@dataclass(frozen=True, eq=False)
class History:
    """What was played, by action, and what was observed.

    Attributes
    ----------
    plays : sequence of strategies
        As they were given, rows as arrays.
    observations : array of shape (T, d)
        z_t, so that action a earned <phi(a), z_t> in round t.
    sources : sequence of actions
        All that were played: integers in rising order, others as they first came.
    starts, rounds, weights : arrays
        Action ``sources[s]`` was played in ``rounds[starts[s]:starts[s + 1]]``, which rise, with
        these probabilities.
    implicit : bool
        Whether some play is a law over too many actions to go through; it is not among these.
    """

    actions: ActionSet
    plays: Sequence[Any]
    observations: Float64[np.ndarray, "rounds dimension"]
    sources: Sequence[Action] | Int64[np.ndarray, " sources"]
    starts: Int64[np.ndarray, " ends"]
    rounds: Int64[np.ndarray, " entries"]
    weights: Float64[np.ndarray, " entries"]
    implicit: bool

    def features(self, picks: Int64[np.ndarray, " picks"]) -> Float64[np.ndarray, "picks d"]:
        """Return phi of some of the sources."""
        sources: Any = self.sources
        if isinstance(sources, np.ndarray):
            sources = sources[picks]
            return self.actions.features(sources)
        return self.actions.features([sources[s] for s in picks.tolist()])

    def names(self, picks: Int64[np.ndarray, " picks"]) -> list[Any]:
        """Return some of the sources as actions."""
        sources: Any = self.sources
        if isinstance(sources, np.ndarray):
            return list(sources[picks].tolist())
        return [sources[s] for s in picks.tolist()]

    def played(self, picks: Int64[np.ndarray, " picks"], last: int) -> Float64[np.ndarray, "k t"]:
        """Return x_t(i) of some of the sources in the first ``last`` rounds."""
        x = np.zeros((len(picks), last))
        for row, s in zip(x, picks.tolist(), strict=True):
            part = slice(self.starts[s], self.starts[s + 1])
            rounds, weights = self.rounds[part], self.weights[part]
            row[rounds[rounds < last]] = weights[rounds < last]
        return x

    def chunks(self, last: int) -> Iterable[Int64[np.ndarray, " picks"]]:
        """Yield the sources that were played by then, few enough at a time to be lean."""
        first = self.rounds[self.starts[:-1]]
        seen = np.flatnonzero(first < last)
        step = max(1, _CELLS // max(last, self.actions.dimension))
        for start in range(0, len(seen), step):
            yield seen[start : start + step]

    @cached_property
    def peaks(self) -> Float64[np.ndarray, " rounds"]:
        """max_a <phi(a), z_t> of every round, as the solver computes it."""
        from theory.regret._best_replies import best_values  # which no recheck may load

        return best_values(self.actions, self.observations)

    @cached_property
    def earned(self) -> Float64[np.ndarray, " rounds"]:
        """<x_t, r_t> of every round."""
        means = (mean_features(self.actions, play) for play in self.plays)
        return np.array([m @ z for m, z in zip(means, self.observations, strict=True)])


def read_history_on(actions: Any, plays: Any, observations: Any) -> History:
    """Read a history; every play must be a strategy on ``actions``, one for each observation."""
    if not isinstance(actions, ActionSet):
        fix = "give theory.actions.ListedActions(N), Features(matrix) or another set"
        raise InvalidInputError("actions", actions, "is no action set", fix)
    z = _observations(observations, actions.dimension)
    fix = "give one strategy a round"
    if not is_list(plays):
        raise InvalidInputError("plays", plays, "is no list of strategies", fix)
    listed = [_row(actions, play, t) for t, play in enumerate(plays)]
    if len(listed) != len(z):
        problem = f"are {len(listed)} where there are {len(z)} observations"
        raise ShapeError("plays", len(listed), problem, fix)
    written = actions.size * len(z) <= _WRITTEN and isinstance(actions, IndexedActionSet)
    support = [_support(actions, play, t, written) for t, play in enumerate(listed)]
    known = [s for s in support if s is not None]
    indexed = all(isinstance(played, np.ndarray) for played, _ in known)
    sources, places = _index_actions(known) if indexed else _first_seen(actions, known)
    weights = np.concatenate([w for _, w in known]) if known else np.zeros(0)
    lengths = [0 if s is None else len(s[1]) for s in support]
    rounds = np.repeat(np.arange(len(z)), lengths)
    order = np.argsort(places, kind="stable")
    counts = np.bincount(places, minlength=len(sources))
    return History(
        actions=actions,
        plays=listed,
        observations=z,
        sources=sources,
        starts=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        rounds=rounds[order],
        weights=weights[order],
        implicit=len(known) < len(listed),
    )


def _observations(given: Any, dimension: int) -> Float64[np.ndarray, "rounds dimension"]:
    fix = f"give one row of {dimension} numbers a round"
    try:
        z = np.asarray(given)
    except ValueError:
        raise ShapeError("observations", given, "have rows of different lengths", fix) from None
    if z.dtype.kind not in "iuf" and z.size:
        raise NumberError("observations", given, "are not real numbers", fix)
    if z.ndim != 2 or z.shape[1] != dimension or not len(z):
        raise ShapeError("observations", z.shape, "do not fit the actions", fix)
    z = z.astype(np.float64, copy=False)
    if not np.isfinite(z).all():
        t, k = map(int, np.argwhere(~np.isfinite(z))[0])
        raise NumberError(f"observations[{t}, {k}]", float(z[t, k]), "is not finite", fix)
    if float(np.abs(z).max()) * z.size > _HUGE:
        largest = float(np.abs(z).max())
        raise NumberError("observations", largest, "is too large to add up", "scale them")
    return z


def _row(actions: ActionSet, play: Any, t: int) -> Any:
    """Return a play, probabilities that are written out as an array."""
    if isinstance(play, SparseStrategy | SoftmaxStrategy):
        return play
    if not isinstance(actions, IndexedActionSet):
        fix = "give a sparse strategy: actions of this set are not numbered"
        raise InvalidInputError(f"plays[{t}]", play, "is no strategy on the set", fix)
    try:
        row = np.asarray(play)
    except ValueError:
        row = np.zeros((0, 0))
    if row.ndim != 1 or len(row) != actions.size or row.dtype.kind not in "iuf":
        fix = f"give {actions.size:,} probabilities, or a sparse strategy"
        raise ShapeError(f"plays[{t}]", play, "is no strategy on the set", fix)
    return row.astype(np.float64, copy=False)


def _support(
    actions: ActionSet, play: Any, t: int, written: bool
) -> tuple[Any, Float64[np.ndarray, " k"]] | None:
    """Return the actions that were played with their weights; None for too many of them."""
    if isinstance(play, SparseStrategy):
        return _read_sparse(actions, play, t)
    if not isinstance(play, SoftmaxStrategy):
        return _read_dense(play, t)
    if play.actions is not actions and play.actions != actions:
        problem = "is a law on another set of actions"
        raise InvalidInputError(f"plays[{t}]", play, problem, "play on the given set")
    return _read_dense(play.dense(), t) if written else None


def _read_sparse(
    actions: ActionSet, play: SparseStrategy, t: int
) -> tuple[Any, Float64[np.ndarray, " k"]]:
    if play.size != actions.size:
        sizes = count_text(play.size), count_text(actions.size)
        problem = f"is over {sizes[0]} actions where the set has {sizes[1]}"
        raise ShapeError(f"plays[{t}]", play, problem, "play on the given set")
    weights = np.asarray(play.weights)
    if isinstance(actions, IndexedActionSet):
        try:
            played = np.array(play.actions)
        except ValueError:
            played = np.array(play.actions, dtype=object)
        if played.ndim == 1 and played.dtype.kind == "i":
            return played[weights > 0].astype(np.int64, copy=False), weights[weights > 0]
        raise _unknown(play.actions[0], t)
    return [a for a, w in zip(play.actions, weights, strict=True) if w > 0], weights[weights > 0]


def _read_dense(row: Float64[np.ndarray, " n"], t: int) -> tuple[Any, Float64[np.ndarray, " k"]]:
    from theory.actions.sparse import probability_row

    probability_row(f"plays[{t}]", row, len(row))
    played = np.flatnonzero(row)
    return played, row[played]


def _index_actions(known: list[Any]) -> tuple[Any, Int64[np.ndarray, " entries"]]:
    if not known:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.unique(np.concatenate([played for played, _ in known]), return_inverse=True)


def _first_seen(actions: ActionSet, known: list[Any]) -> tuple[Any, Int64[np.ndarray, " entries"]]:
    number: dict[Action, int] = {}
    places = []
    for t, (played, _) in enumerate(known):
        for action in played:
            if action not in number:
                if action not in actions:
                    raise _unknown(action, t)
                number[action] = len(number)
            places.append(number[action])
    return list(number), np.array(places, dtype=np.int64)


def _unknown(action: Action, t: int) -> UnknownNameError:
    return UnknownNameError(
        f"plays[{t}]", action, "is no action of the set", "play actions that the set contains"
    )
