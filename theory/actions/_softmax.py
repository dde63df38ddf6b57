"""The softmax law of a round's rewards, as a mixed strategy that is never written out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp
from typing import Any

import numpy as np

from theory.actions._arguments import coefficients
from theory.actions._protocol import Action, ActionSet, is_indexed, read_action_set
from theory.actions.sparse import DENSE_LIMIT, same_size
from theory.errors import InvalidInputError, LimitError
from theory.shared.arguments import refusing
from theory.shared.shapes import Float64, Row
from theory.shared.text import count_text

__all__ = ["SoftmaxStrategy"]


@refusing
@dataclass(frozen=True, eq=False)
class SoftmaxStrategy:
    """The law proportional to exp <phi(a), z> on an action set of any size.

    Parameters
    ----------
    actions : ActionSet
        The actions, with their features phi.
    z : float64 array of shape (d,)
        Learning rate times the sum of the rounds' vectors, for a learner such as Hedge.

    Raises
    ------
    InvalidInputError
        When ``actions`` is no action set, or z is not finite or has another shape.

    Examples
    --------
    >>> import numpy as np
    >>> from theory.actions import ListedActions
    >>> strategy = SoftmaxStrategy(ListedActions(3), np.array([0.0, np.log(2), 0.0]))
    >>> round(strategy.probability(1), 6)
    0.5
    >>> np.asarray(strategy)
    array([0.25, 0.5 , 0.25])
    """

    actions: ActionSet
    z: Row

    def __post_init__(self) -> None:
        actions = read_action_set("actions", self.actions)
        z = coefficients(self.z, actions.dimension).copy()
        z.flags.writeable = False
        object.__setattr__(self, "z", z)

    @property
    def size(self) -> int:
        """The number of actions."""
        return self.actions.size

    @cached_property
    def _log_partition(self) -> float:
        return float(self.actions.log_partition(self.z[None, :])[0])

    def probability(self, action: Action) -> float:
        """Return the probability of ``action``.

        Raises
        ------
        InvalidInputError
            When it is not in the set.

        Notes
        -----
        It is exp(<phi(a), z> - log sum_b exp <phi(b), z>), and 1 in a set of one action. Both terms
        are rounded sums of up to d numbers as large as the rewards, so the relative error is about
        d 2^-52 times the largest sum of |phi(a)_k z_k|: nine digits hold up to about 10^6, and from
        10^15 on none does.
        """
        reward = float(self.actions.features([action])[0] @ self.z)
        return self._chance(reward)

    def _chance(self, reward: float) -> float:
        return 1.0 if self.size == 1 else exp(min(0.0, reward - self._log_partition))

    def features(self, actions: ActionSet) -> Float64[np.ndarray, " dimension"]:
        """Return the mean feature in the set ``actions``.

        Raises
        ------
        ShapeError
            When that set has another size.
        InvalidInputError
            When it is another set, and one of the two is not listed.
        """
        same_size(self.size, read_action_set("actions", actions))
        if actions is self.actions or actions == self.actions:
            return self.actions.mean(self.z)
        if is_indexed(actions) and is_indexed(self.actions):
            return actions.average(self.actions.probabilities(self.z))
        problem = "is a law on another set of actions"
        raise InvalidInputError("strategy", self, problem, f"give a strategy over {actions!r}")

    def sample(self, rng: np.random.Generator, n: int) -> list[Action]:
        """Return n independent draws."""
        return self.actions.sample(self.z, rng, n)

    def dense(self) -> Float64[np.ndarray, " actions"]:
        """Return the probabilities of all actions 0..N-1.

        Raises
        ------
        LimitError
            When there are more than 10^7 actions.
        InvalidInputError
            When the actions are no integers.
        """
        if self.size > DENSE_LIMIT:
            problem = f"is over {count_text(self.size)} actions, and the limit is {DENSE_LIMIT:,}"
            raise LimitError("strategy", self, problem, "sample it, or ask for probabilities")
        if not is_indexed(self.actions):
            problem = "plays actions that are no integers"
            raise InvalidInputError("strategy", self, problem, "ask for probabilities")
        return self.actions.probabilities(self.z)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("a softmax strategy becomes an array only by computing it")
        return self.dense() if dtype is None else self.dense().astype(dtype)

    def __repr__(self) -> str:
        return f"SoftmaxStrategy({self.actions!r})"

    def __str__(self) -> str:
        low, high = self.actions.extremes(self.z)
        return (
            f"softmax of rewards in [{low:.6g}, {high:.6g}] on {count_text(self.size)} actions; "
            f"the likeliest, {self.actions.best(self.z)}, "
            f"has probability {self._chance(high):.6g}"
        )
