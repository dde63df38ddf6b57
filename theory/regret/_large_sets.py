r"""Regret on sets of actions that are too large to list."""

from __future__ import annotations

from typing import Any

from theory.actions import ActionSet
from theory.regret._evaluation import evaluate
from theory.regret._history import read_history_on
from theory.regret._recheck_large import recheck_large
from theory.regret._result import Regret
from theory.shared.arguments import refusing

__all__ = ["regret_on"]


@refusing
def regret_on(actions: ActionSet, plays: Any, observations: Any, *, swap: bool = True) -> Regret:
    r"""Return the regrets of a history on a set of any size, from d numbers a round.

    Action a has features phi(a) and earned <phi(a), z_t> in round t. With the vectors

        M_i = \sum_t x_t(i) z_t

    of the actions i that were played, the best reply wherever i was played maximises
    <phi(j), M_i>, which is one question to the set; so it is as with
    :func:`theory.regret.regret`, of whose three regrets these are the same numbers in float64.

    Parameters
    ----------
    actions : ActionSet
        The actions and their features.
    plays : sequence of T strategies
        Sparse strategies, rows of N probabilities where actions are numbered, and softmax laws. A
        law over more actions than can be gone through leaves internal and swap regret between two
        bounds: external regret and what the best action of every round would have gained.
    observations : array of shape (T, d)
        The vectors z_t.
    swap : bool
        False where internal regret is enough: an action i that was played gains no more than
        \sum_t x_t(i) (max r_t - r_t(i)) by any reply, so the actions are looked at in the order of
        these bounds, and only until none that is left can matter. Internal regret is the same;
        swap regret becomes an interval.

    Returns
    -------
    Regret
        With ``swap.map`` None, and gaps only for what was looked at, where ``swap`` is False.

    Raises
    ------
    InvalidInputError, ShapeError, ProbabilityError, NumberError, UnknownNameError
        For what is no history on this set.
    LimitError
        Where swap regret would take more than 2^43 products.

    Notes
    -----
    With P actions that were played and E probabilities above zero in all: O(E + P T d) plus P best
    replies, of O(N d) each for the rows of a matrix, which are multiplied in blocks. Memory is
    O(E + P) beside the input, and a few megabytes. The recheck follows all deviations, and asks
    for the extremes of the actions that were played most.

    Examples
    --------
    >>> import numpy as np
    >>> from theory.actions import Features, SparseStrategy
    >>> actions = Features(np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.75]]))
    >>> plays = [SparseStrategy.pure(0, 3), SparseStrategy.pure(1, 3)]
    >>> found = regret_on(actions, plays, [[0.0, 1.0], [0.0, 1.0]])
    >>> found.external.gain, found.internal.source, found.internal.target
    (1.0, 1, 0)
    """
    history = read_history_on(actions, plays, observations)
    found = evaluate(history, len(history.plays), swap=swap)
    return recheck_large(found, history)
