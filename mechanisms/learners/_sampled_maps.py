"""Fixed points of maps that an oracle draws: Algorithm 2 on the actions that the maps touch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from mechanisms.learners._history import History
from mechanisms.learners._oracles import Oracle
from mechanisms.learners.lazy_maps import SampledMaps
from theory.actions import Action, SparseStrategy
from theory.fixed_point import MapMixture, fixed_point
from theory.shapes import Int64

__all__ = ["SampledFixedPoints"]


class SampledFixedPoints:
    """Draws maps from the smooth internal oracle, and plays a fixed point of their average."""

    def __init__(
        self, oracle: Oracle, rng: np.random.Generator, samples: int, constants: bool
    ) -> None:
        self._oracle, self._rng = oracle, rng
        self._samples, self._constants = samples, constants
        self._history = History()
        self._last: Action | None = None

    def add(self, play: SparseStrategy, observation: Any) -> None:
        """Remember a round."""
        self._history.append(play, observation)

    def fixed_point(self, rate: float) -> tuple[SparseStrategy, float]:
        """Return the strategy of the next round, and by how much it is no fixed point."""
        maps = self._oracle.smooth_best_maps(
            self._history, rate=rate, rng=self._rng, n=self._samples, constants=self._constants
        )
        start = self._start(maps)
        index = {start: 0}

        def places(actions: Iterable[Action]) -> Int64[np.ndarray, " places"]:
            return np.array([index.setdefault(a, len(index)) for a in actions], dtype=np.int64)

        sources = places(source for source, _ in maps.moves)
        targets = places(target for _, target in maps.moves)
        fixed = places(maps.constants)
        mixture = MapMixture.from_arrays(
            len(index),
            sources,
            targets,
            np.array(list(maps.moves.values())) / maps.number,
            constants=fixed,
            constant_weights=np.array(list(maps.constants.values())) / maps.number,
        )
        found = fixed_point(mixture, start=0)
        labels = list(index)
        weights = np.array(found.weights, dtype=np.float64)
        play = SparseStrategy(
            tuple(labels[place] for place in found.support), weights, self._oracle.size
        )
        self._last = play.actions[int(weights.argmax())]
        return play, float(found.residual)

    def _start(self, maps: SampledMaps) -> Action:
        """Return the action from which the closed class is reached.

        In the first round that is one of those drawn: the oracle draws them uniformly.
        """
        if self._last is not None:
            return self._last
        if maps.constants:
            return next(iter(maps.constants))
        if maps.moves:
            return next(iter(maps.moves))[0]
        return self._oracle.best_response(self._history)
