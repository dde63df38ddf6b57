"""What a learning rule must be able to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from theory.shared.shapes import Float64

__all__ = ["Bound", "Learner", "LearnerFactory"]


@runtime_checkable
class Learner(Protocol):
    """Plays a round, learns what each action would have earned, and plays the next."""

    def play(self) -> Any:
        """Return the probability of each action; asked once a round."""
        ...

    def observe(self, rewards: Float64[np.ndarray, " actions"]) -> None:
        """Take note of the rewards of all actions in the round just played."""
        ...


LearnerFactory = Callable[[int, int, int], Any]
"""Makes a new :class:`Learner` from the number of actions, the number of rounds, and a seed."""

Bound = Callable[[int, int], float]
"""Says how large regret may be after a number of rounds T with a number of actions N."""
