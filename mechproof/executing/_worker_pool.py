"""Pools of workers: they take batches, and put the outcomes into an inbox."""

from __future__ import annotations

from abc import ABC, abstractmethod
from queue import SimpleQueue

from mechproof.executing._messages import Batch, BatchLost, Ended, Settled, TaskNote

__all__ = ["Message", "WorkerPool"]

Message = Settled | TaskNote | Ended | BatchLost | None
"""None wakes a thread that waits for a message, and carries no news."""


class WorkerPool(ABC):
    """Workers of any kind.

    Attributes
    ----------
    takes_others_along : bool
        Whether tasks are lost with a process that has not begun them. What was lost is then tried
        again with nothing beside it, so that only a task that kills is said to have died.
    """

    takes_others_along: bool = False

    def __init__(self) -> None:
        self.inbox: SimpleQueue[Message] = SimpleQueue()

    @abstractmethod
    def size(self) -> int:
        """Return the number of workers."""

    @abstractmethod
    def start(self, number: int, batch: Batch) -> None:
        """Have a batch done; a message :class:`Ended` or :class:`BatchLost` follows in any case."""

    @abstractmethod
    def wind_down(self) -> None:
        """Take back the tasks that have not begun; those that run end soon."""

    @abstractmethod
    def end(self) -> None:
        """End the workers; no task is under way."""

    @abstractmethod
    def kill(self) -> None:
        """End at once what is under way, as far as that can be done."""
