"""Mixed strategies of a normal-form game, and what they make each action worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from theory.errors import InvalidInputError, ShapeError
from theory.normal_form.kinds import as_distribution, read_numbers
from theory.normal_form.names import number_of
from theory.numbers import Floats, Numbers

__all__ = ["expected_rewards", "mixed_strategy"]


def mixed_strategy(strategy: Any, actions: Sequence[str], argument: str) -> Numbers:
    """Return the probability of each action.

    A strategy is one number an action, a mapping from actions (the others have probability zero),
    or anything that NumPy can turn into an array.
    """
    if isinstance(strategy, Mapping):
        row: list[Any] = [0] * len(actions)
        seen: set[int] = set()
        for action, probability in strategy.items():
            at = number_of(action, actions, argument)
            if at in seen:
                raise InvalidInputError(argument, action, "is given twice", "give it once")
            seen.add(at)
            row[at] = probability
        strategy = row
    elif hasattr(strategy, "__array__") and not isinstance(strategy, np.ndarray | np.generic):
        strategy = np.asarray(strategy)
    numbers = read_numbers(strategy, argument)
    if numbers.shape != (len(actions),):
        raise ShapeError(
            argument, numbers.shape, f"does not fit {len(actions)} actions", "give one number each"
        )
    return as_distribution(numbers, argument)


def expected_rewards(
    payoffs: Numbers, shape: Sequence[int], player: int, strategies: Sequence[Numbers | None]
) -> Numbers:
    """Return what each action of ``player`` pays on average over the others' independent play.

    The others are averaged out one at a time, the last first: O(profiles) products in all but a
    geometric sum. The player's own strategy is not looked at.
    """
    if isinstance(payoffs, Floats):
        return _floats(payoffs.values.reshape(shape), player, strategies)
    dimensions = list(shape)
    for other in reversed(range(len(shape))):
        weights = strategies[other]
        if other == player or weights is None:
            continue
        places = np.arange(prod(dimensions)).reshape(dimensions)
        rows = np.moveaxis(places, other, -1).reshape(-1, dimensions.pop(other))
        payoffs = (payoffs[rows] * weights).sum()
    return payoffs


def _floats(tensor: np.ndarray, player: int, strategies: Sequence[Numbers | None]) -> Floats:
    for other in reversed(range(tensor.ndim)):
        weights = strategies[other]
        if other != player and isinstance(weights, Floats):
            tensor = np.moveaxis(tensor, other, -1) @ weights.values
    return Floats(tensor)
