"""Mixed strategies of every kind, and what they come to in features."""

from __future__ import annotations

import numpy as np

from theory.actions._arguments import as_float64
from theory.actions._protocol import ActionSet, is_indexed
from theory.actions._softmax import SoftmaxStrategy
from theory.actions.sparse import SparseStrategy, probability_row
from theory.errors import InvalidInputError
from theory.shared.arguments import refusing
from theory.shared.shapes import Float64, Row

__all__ = ["Strategy", "mean_features"]

Strategy = Row | SparseStrategy | SoftmaxStrategy
"""A mixed strategy: N probabilities, a few of them, or a law that is never written out."""


@refusing
def mean_features(actions: ActionSet, strategy: Strategy) -> Float64[np.ndarray, " dimension"]:
    """Return sum_a x(a) phi(a) for a mixed strategy x of any kind.

    Parameters
    ----------
    actions : ActionSet
        The actions with their features phi.
    strategy : float64 array of N probabilities, SparseStrategy or SoftmaxStrategy
        Arrays are for sets whose actions are 0..N-1.

    Raises
    ------
    ProbabilityError
        When an array holds no probabilities.
    ShapeError
        When the strategy is over another number of actions.
    InvalidInputError
        When an array is given for a set that is not listed, or the strategy plays actions that the
        set does not have.

    Notes
    -----
    O(N d) for an array, O(k d) for k actions that are played, and one ``mean`` of the set for a
    softmax.

    Examples
    --------
    >>> import numpy as np
    >>> from theory.actions import Features, SparseStrategy
    >>> actions = Features(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))
    >>> mean_features(actions, SparseStrategy.of({0: 0.5, 2: 0.5}, 3))
    array([0.5, 1. ])
    >>> mean_features(actions, np.array([0.5, 0.0, 0.5]))
    array([0.5, 1. ])
    """
    if isinstance(strategy, SparseStrategy | SoftmaxStrategy):
        return strategy.features(actions)
    row = as_float64("strategy", strategy, 1)
    if not is_indexed(actions):
        problem = "is an array, and the actions are no integers 0..N-1"
        raise InvalidInputError("strategy", strategy, problem, "give a SparseStrategy")
    return actions.average(probability_row("strategy", row, actions.size))
