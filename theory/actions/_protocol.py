"""What a set of actions can do, whatever its size."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, Protocol, TypeGuard, runtime_checkable

import numpy as np

from theory.errors import InvalidInputError
from theory.shared.shapes import Float64

__all__ = ["Action", "ActionSet", "IndexedActionSet", "is_indexed", "read_action_set"]

_METHODS: Final = (
    "features",
    "best",
    "extremes",
    "log_partition",
    "mean",
    "sample",
    "choose_perturbed",
)

Action = Hashable
"""An action: an int in 0..N-1 for sets that are listed, a tuple for the others."""


@runtime_checkable
class ActionSet(Protocol):
    """A finite set of actions a with features phi(a) in R^d.

    Whatever happens in a round is a vector z in R^d: action a earns <phi(a), z>, perhaps plus a
    constant. So a set of 10^30 actions can be asked for its best action, or for a draw from the
    law proportional to exp <phi(a), z>, as long as these are small computations in d numbers.

    Every method reads z once: it must be finite, of shape (d,), and no larger than leaves sums of
    rewards finite in float64.
    """

    @property
    def size(self) -> int:
        """The number of actions, exactly."""
        ...

    @property
    def dimension(self) -> int:
        """The number d of features."""
        ...

    def __contains__(self, action: Any) -> bool: ...

    def features(self, actions: Sequence[Action]) -> Float64[np.ndarray, "k dimension"]:
        """Return phi(a), one row for each of ``actions``.

        Raises
        ------
        InvalidInputError
            When one of them is no action of this set.
        """
        ...

    def best(self, z: Float64[np.ndarray, " dimension"]) -> Action:
        """Return the first action, in the order of the set, that maximises <phi(a), z>."""
        ...

    def extremes(self, z: Float64[np.ndarray, " dimension"]) -> tuple[float, float]:
        """Return the least and the largest <phi(a), z>."""
        ...

    def log_partition(
        self, Z: Float64[np.ndarray, "batch dimension"]
    ) -> Float64[np.ndarray, " batch"]:
        """Return log sum_a exp <phi(a), z> for each row z."""
        ...

    def mean(self, z: Float64[np.ndarray, " dimension"]) -> Float64[np.ndarray, " dimension"]:
        """Return the expectation of phi under the law proportional to exp <phi(a), z>."""
        ...

    def sample(
        self, z: Float64[np.ndarray, " dimension"], rng: np.random.Generator, n: int
    ) -> list[Action]:
        """Return n independent draws from the law proportional to exp <phi(a), z>.

        It is the law of the action that maximises <phi(a), z> plus independent standard Gumbel
        noise for each action.
        """
        ...

    def choose_perturbed(
        self,
        z: Float64[np.ndarray, " dimension"],
        noise: str,
        scale: float,
        rng: np.random.Generator,
    ) -> Action:
        """Return the action that is best once noise is added.

        Parameters
        ----------
        noise : {"normal", "exponential", "uniform"}
            The law of the noise: N(0, 1), density exp(-x) on x > 0, or uniform on [0, 1).
        scale : float
            What the noise is multiplied by, above 0.

        Notes
        -----
        A set that is listed adds one noise to the reward of each action. A combinatorial one adds
        one to each entry of z, so that noises of actions that share features are dependent.
        """
        ...


@runtime_checkable
class IndexedActionSet(ActionSet, Protocol):
    """An action set whose actions are the integers 0..N-1, few enough to hold N numbers."""

    def rewards(self, z: Float64[np.ndarray, " dimension"]) -> Float64[np.ndarray, " actions"]:
        """Return <phi(a), z> for every action."""
        ...

    def probabilities(
        self, z: Float64[np.ndarray, " dimension"]
    ) -> Float64[np.ndarray, " actions"]:
        """Return the law proportional to exp <phi(a), z>."""
        ...

    def average(
        self, weights: Float64[np.ndarray, " actions"]
    ) -> Float64[np.ndarray, " dimension"]:
        """Return sum_a weights[a] phi(a)."""
        ...


def is_indexed(actions: ActionSet) -> TypeGuard[IndexedActionSet]:
    """Whether a set is an :class:`IndexedActionSet`, in a fraction of the time of isinstance."""
    return all(hasattr(actions, name) for name in ("rewards", "probabilities", "average"))


def read_action_set(argument: str, actions: Any) -> ActionSet:
    """Refuse what is no action set, in a fraction of the time of isinstance."""
    if isinstance(actions, type) or not all(hasattr(actions, name) for name in _METHODS):
        fix = "give theory.actions.ListedActions(N), Features(matrix) or another set"
        raise InvalidInputError(argument, actions, "is no action set", fix)
    found: ActionSet = actions
    return found
