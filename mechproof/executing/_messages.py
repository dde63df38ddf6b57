"""What the engine hears from those who work for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from theory.errors import MechproofError

__all__ = [
    "Batch",
    "BatchLost",
    "Ended",
    "ExecutorGoneError",
    "Outcome",
    "Raised",
    "Returned",
    "Settled",
    "TaskDied",
    "TaskNote",
    "Unsendable",
    "Work",
    "WorkerDiedError",
    "settle",
]

Work = Callable[[Any], Any]
Batch = tuple[tuple[int, Any], ...]
"""Tasks with their indices."""


class WorkerDiedError(MechproofError):
    """A process died while it worked; nothing is known of why."""


class ExecutorGoneError(MechproofError):
    """Nobody is left to do the work.

    Attributes
    ----------
    under_way : tuple of int
        The tasks that were given out and have no outcome: one of them may be to blame.
    """

    under_way: tuple[int, ...] = ()


@dataclass(frozen=True)
class Returned:
    """A task is done."""

    value: Any


@dataclass(frozen=True)
class Raised:
    """A task raised."""

    error: BaseException


@dataclass(frozen=True)
class Unsendable:
    """What a task returned or raised cannot be sent between processes."""

    why: str


@dataclass(frozen=True)
class TaskDied:
    """A task was lost twice, the second time alone: with its process, or for the reason given."""

    why: str = ""


Outcome = Returned | Raised | Unsendable | TaskDied


@dataclass(frozen=True)
class Settled:
    """A task of a batch has its outcome."""

    batch: int
    index: int
    outcome: Outcome


@dataclass(frozen=True)
class TaskNote:
    """A task under way says something."""

    note: Any


@dataclass(frozen=True)
class Ended:
    """A batch is over.

    Attributes
    ----------
    batch : int
    seconds : float
        How long it took.
    lost : str or None
        Why its tasks that were not settled are lost; empty where a process died.
    """

    batch: int
    seconds: float = 0.0
    lost: str | None = None


@dataclass(frozen=True)
class BatchLost:
    """A batch was not done, and no other will be."""

    batch: int
    error: Exception


def settle(work: Work, task: Any) -> Outcome:
    """Do a task; what it raises is its outcome, but for a wish to end the program."""
    try:
        return Returned(work(task))
    except Exception as error:
        return Raised(error)
