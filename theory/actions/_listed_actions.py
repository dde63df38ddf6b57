"""The actions 0..N-1, each with a reward of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.actions._arguments import ENTRIES, batch, coefficients, read_size, refuse_beyond
from theory.actions._noise import draw_noise
from theory.actions._protocol import Action
from theory.actions.listed_softmax import (
    draws,
    exponentiate_in_place,
    is_index,
    read_indices,
    read_weights,
    softmax,
)
from theory.shared.arguments import read_count
from theory.shared.shapes import Float64, Integer

__all__ = ["ListedActions"]


@dataclass(frozen=True)
class ListedActions:
    """The actions 0..N-1 with unit vectors as features, so that z is the row of their rewards.

    Parameters
    ----------
    size : int
        The number N of actions, at least 1.

    Raises
    ------
    InvalidInputError
        When ``size`` is no integer of at least 1.

    Notes
    -----
    Every method takes O(N) time, for each row of what it is given.

    Examples
    --------
    >>> import numpy as np
    >>> actions = ListedActions(3)
    >>> z = np.array([0.0, 1.0, 1.0])
    >>> actions.best(z), actions.extremes(z)
    (1, (0.0, 1.0))
    >>> np.round(actions.mean(z), 3)
    array([0.155, 0.422, 0.422])
    """

    size: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", read_count("size", self.size, 1))

    @property
    def dimension(self) -> int:
        """The number of features, N."""
        return self.size

    def __contains__(self, action: Any) -> bool:
        return is_index(action, self.size)

    def features(
        self, actions: Sequence[Action] | Integer[np.ndarray, " k"]
    ) -> Float64[np.ndarray, "k dimension"]:
        """Return the unit vectors of ``actions``, one a row."""
        refuse_beyond("actions", actions, read_size(actions) * self.size, 10**8, "numbers")
        indices = read_indices(actions, self.size)
        rows = np.zeros((len(indices), self.size))
        rows[np.arange(len(indices)), indices] = 1
        return rows

    def rewards(self, z: Float64[np.ndarray, " dimension"]) -> Float64[np.ndarray, " dimension"]:
        """Return the rewards of all actions: a copy of z."""
        return coefficients(z, self.size).copy()

    def probabilities(
        self, z: Float64[np.ndarray, " dimension"]
    ) -> Float64[np.ndarray, " dimension"]:
        """Return the law proportional to exp(z)."""
        return softmax(self.rewards(z))

    def average(
        self, weights: Float64[np.ndarray, " dimension"]
    ) -> Float64[np.ndarray, " dimension"]:
        """Return the features of a mixture: its weights."""
        return read_weights(weights, self.size).copy()

    def best(self, z: Float64[np.ndarray, " dimension"]) -> int:
        """Return the first action that earns most."""
        return int(coefficients(z, self.size).argmax())

    def extremes(self, z: Float64[np.ndarray, " dimension"]) -> tuple[float, float]:
        """Return the least and the largest reward."""
        z = coefficients(z, self.size)
        return float(z.min()), float(z.max())

    def log_partition(
        self, Z: Float64[np.ndarray, "batch dimension"]
    ) -> Float64[np.ndarray, " batch"]:
        """Return log sum_a exp z_a for each row z."""
        Z = batch(Z, self.size)
        found = np.empty(len(Z))
        step = max(1, ENTRIES // self.size)
        for start in range(0, len(Z), step):
            rows = Z[start : start + step]
            shift = rows.max(axis=1)
            terms = np.exp(rows - shift[:, None])
            found[start : start + step] = np.log(terms.sum(axis=1)) + shift
        return found

    def mean(self, z: Float64[np.ndarray, " dimension"]) -> Float64[np.ndarray, " dimension"]:
        """Return the law proportional to exp(z), which is its own mean feature."""
        return self.probabilities(z)

    def sample(
        self, z: Float64[np.ndarray, " dimension"], rng: np.random.Generator, n: int
    ) -> list[Action]:
        """Return n independent draws from the law proportional to exp(z)."""
        return draws(exponentiate_in_place(self.rewards(z)), rng, n)

    def choose_perturbed(
        self,
        z: Float64[np.ndarray, " dimension"],
        noise: str,
        scale: float,
        rng: np.random.Generator,
    ) -> int:
        """Return the action that is best once each reward has a noise of its own added."""
        z = coefficients(z, self.size)
        drawn = draw_noise(noise, scale, rng, self.size)
        drawn += z
        return int(drawn.argmax())
