"""Actions that are the rows of a matrix: up to millions of them, with a few features each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from theory.actions._arguments import ENTRIES, as_float64, batch, coefficients
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
from theory.errors import NumberError, ShapeError
from theory.shared.arguments import refusing
from theory.shared.shapes import Float64, Integer

__all__ = ["Features"]

_CACHED: Final = 200_000
_EPSILON: Final = float(np.finfo(np.float64).eps)


@refusing
@dataclass(frozen=True, eq=False)
class Features:
    """The actions 0..N-1 whose features are the rows of a matrix.

    Parameters
    ----------
    matrix : float64 array of shape (N, d)
        It is kept as it is, not copied, where it is contiguous; do not change it afterwards.

    Attributes
    ----------
    largest : float
        The largest absolute value in the matrix.

    Raises
    ------
    ShapeError
        When it does not have two axes, or has no rows or no columns.
    NumberError
        When it holds something that is not finite, or no real numbers.

    Notes
    -----
    A method is one pass over the matrix: a product with z in BLAS, O(N d), and at most one
    exponential and one running sum for each action. Temporaries are rows of N numbers;
    ``log_partition`` of many rows works through the matrix in chunks of at most 32 MB.

    Rewards are rounded sums, so the same row may earn a last digit more in one place of the matrix
    than in another. ``best`` therefore looks again at all actions within rounding of the maximum,
    each summed in the same way: equal rows tie, and the first one wins.

    Examples
    --------
    >>> import numpy as np
    >>> actions = Features(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))
    >>> actions.size, actions.dimension
    (3, 2)
    >>> actions.best(np.array([1.0, -1.0])), actions.best(np.array([1.0, 0.0]))
    (1, 1)
    >>> actions.extremes(np.array([1.0, -1.0]))
    (-1.0, 1.0)
    """

    matrix: Float64[np.ndarray, "actions dimension"]
    largest: float = field(init=False)

    def __post_init__(self) -> None:
        matrix = np.ascontiguousarray(as_float64("matrix", self.matrix, 2))
        if matrix.size == 0:
            problem = f"has shape {matrix.shape}"
            raise ShapeError("matrix", matrix, problem, "give at least one row and one column")
        matrix = matrix.view()
        matrix.flags.writeable = False
        largest = float(max(matrix.max(), -matrix.min()))
        if not largest < np.inf:
            problem = "has entries that are not finite"
            raise NumberError("matrix", matrix, problem, "give finite numbers")
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "largest", largest)

    @property
    def size(self) -> int:
        """The number N of rows."""
        return int(self.matrix.shape[0])

    @property
    def dimension(self) -> int:
        """The number d of columns."""
        return int(self.matrix.shape[1])

    def __repr__(self) -> str:
        return f"Features({self.size:,} actions, {self.dimension} features)"

    def __contains__(self, action: Any) -> bool:
        return is_index(action, self.size)

    def features(
        self, actions: Sequence[Action] | Integer[np.ndarray, " k"]
    ) -> Float64[np.ndarray, "k dimension"]:
        """Return the rows of ``actions``."""
        return np.asarray(self.matrix[read_indices(actions, self.size)])

    def rewards(self, z: Float64[np.ndarray, " dimension"]) -> Float64[np.ndarray, " actions"]:
        """Return <phi(a), z> for every action."""
        return np.asarray(self.matrix @ coefficients(z, self.dimension, self.largest))

    def probabilities(
        self, z: Float64[np.ndarray, " dimension"]
    ) -> Float64[np.ndarray, " actions"]:
        """Return the law proportional to exp <phi(a), z>."""
        return softmax(self.rewards(z))

    def average(
        self, weights: Float64[np.ndarray, " actions"]
    ) -> Float64[np.ndarray, " dimension"]:
        """Return the mixture of rows with these weights."""
        return self._mixture(read_weights(weights, self.size))

    def _mixture(
        self, weights: Float64[np.ndarray, " actions"]
    ) -> Float64[np.ndarray, " dimension"]:
        """Return ``weights @ matrix``, in pieces that stay in the cache."""
        step = max(1, _CACHED // self.dimension)
        mixture = weights[:step] @ self.matrix[:step]
        for start in range(step, self.size, step):
            mixture += weights[start : start + step] @ self.matrix[start : start + step]
        return np.asarray(mixture)

    def best(self, z: Float64[np.ndarray, " dimension"]) -> int:
        """Return the first action that earns most; see the notes on rounding."""
        z = coefficients(z, self.dimension, self.largest)
        rewards = self.matrix @ z
        rounding = 2 * self.dimension * _EPSILON * self.largest * float(np.abs(z).sum())
        near = np.flatnonzero(rewards >= rewards.max() - rounding)
        return int(near[0]) if len(near) == 1 else self._find_first(near, z)

    def _find_first(
        self, near: Integer[np.ndarray, " near"], z: Float64[np.ndarray, " dimension"]
    ) -> int:
        """Return the first of the actions ``near`` that earns most, each summed alike."""
        step = max(1, ENTRIES // (2 * self.dimension))
        best, most = -1, -np.inf
        for start in range(0, len(near), step):
            chosen = near[start : start + step]
            rewards = (self.matrix[chosen] * z).sum(axis=1)
            place = int(rewards.argmax())
            if rewards[place] > most:
                best, most = int(chosen[place]), float(rewards[place])
        return best

    def extremes(self, z: Float64[np.ndarray, " dimension"]) -> tuple[float, float]:
        """Return the least and the largest reward."""
        rewards = self.rewards(z)
        return float(rewards.min()), float(rewards.max())

    def log_partition(
        self, Z: Float64[np.ndarray, "batch dimension"]
    ) -> Float64[np.ndarray, " batch"]:
        """Return log sum_a exp <phi(a), z> for each row z, in chunks."""
        Z = batch(Z, self.dimension, self.largest)
        found = np.empty(len(Z))
        rows = max(1, min(len(Z), ENTRIES // min(self.size, 4096)))
        for start in range(0, len(Z), rows):
            found[start : start + rows] = self._log_partition(Z[start : start + rows])
        return found

    def _log_partition(
        self, Z: Float64[np.ndarray, "batch dimension"]
    ) -> Float64[np.ndarray, " batch"]:
        shift = np.full(len(Z), -np.inf)
        total = np.zeros(len(Z))
        step = max(1, ENTRIES // max(1, len(Z)))
        for start in range(0, self.size, step):
            rewards = Z @ self.matrix[start : start + step].T
            higher = np.maximum(shift, rewards.max(axis=1))
            rewards -= higher[:, None]
            total *= np.exp(shift - higher)
            total += np.exp(rewards, out=rewards).sum(axis=1)
            shift = higher
        return np.asarray(np.log(total) + shift)

    def mean(self, z: Float64[np.ndarray, " dimension"]) -> Float64[np.ndarray, " dimension"]:
        """Return the expectation of the rows under the law proportional to exp <phi(a), z>."""
        weights = exponentiate_in_place(self.rewards(z))
        return np.asarray(self._mixture(weights) / weights.sum())

    def sample(
        self, z: Float64[np.ndarray, " dimension"], rng: np.random.Generator, n: int
    ) -> list[Action]:
        """Return n independent draws from the law proportional to exp <phi(a), z>."""
        return draws(exponentiate_in_place(self.rewards(z)), rng, n)

    def choose_perturbed(
        self,
        z: Float64[np.ndarray, " dimension"],
        noise: str,
        scale: float,
        rng: np.random.Generator,
    ) -> int:
        """Return the action that is best once each reward has a noise of its own added."""
        rewards = self.rewards(z)
        rewards += draw_noise(noise, scale, rng, self.size)
        return int(rewards.argmax())
