"""What learners may be given to play: a number of actions, or a set of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from mechanisms.learners.arguments import LARGEST_COUNT, at_most, reward_width
from theory.actions import ActionSet, ListedActions
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = ["listed_size", "read_actions", "write_arguments"]

_LONGEST: Final = 10**7


def read_actions(actions: Any) -> ActionSet:
    """Return a set of actions; a number N stands for 0..N-1.

    Raises
    ------
    InvalidInputError
        For anything else, and for a number below 1.
    LimitError
        For more than 10^7 listed actions.
    """
    if isinstance(actions, int | np.integer) and not isinstance(actions, bool):
        actions = ListedActions(read_count("actions", int(actions), most=LARGEST_COUNT))
    if isinstance(actions, ActionSet) and not isinstance(actions, type):
        if isinstance(actions, ListedActions):
            why = "a round goes through all; give more as an ActionSet that does not list them"
            at_most("actions", actions.size, _LONGEST, why)
        return actions
    fix = "give a number of actions, or an ActionSet"
    raise InvalidInputError("actions", actions, "is no set of actions", fix)


def listed_size(actions: Any) -> int | None:
    """Return the number of actions of a listed set, and None for another."""
    return actions.size if isinstance(actions, ListedActions) else None


def write_arguments(actions: Any, *more: str, reward_range: tuple[float, float]) -> str:
    """Write the arguments of a learner, as far as they are not left at their defaults."""
    low, width = reward_width(reward_range)
    size = listed_size(actions)
    first = repr(actions) if size is None else str(size)
    ranged = [] if (low, width) == (0, 1) else [f"reward_range=({low:g}, {low + width:g})"]
    return ", ".join([first, *more, *ranged])
