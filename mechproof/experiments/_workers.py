"""Do tasks in this process or in several; what comes out is handed over in their order."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from mechproof.executing import (
    Outcome,
    ProcessPool,
    Raised,
    Returned,
    TaskDied,
    Unsendable,
    WorkerDiedError,
    carry_out,
    pickle_work,
)
from theory.errors import MechproofError

__all__ = ["WorkerDiedError", "in_order"]

Bench = TypeVar("Bench")
Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD: Final = 4
"""How many tasks for each process are under way or waiting to be handed over."""


def in_order(
    set_up: Callable[[], Bench],
    work: Callable[[Bench, Task], Result],
    tasks: Sequence[Task],
    jobs: int,
) -> Iterator[Result]:
    """Yield ``work(bench, task)`` for each task; every process sets up a bench of its own, once.

    Raises
    ------
    InvalidInputError
        When ``set_up`` cannot be sent to another process.
    WorkerDiedError
        When a process dies; results before that of its task have been handed over.
    MechproofError
        Whatever the work raises, when its task is reached.
    """
    if jobs == 1 or len(tasks) <= 1:
        return _work_in_process(set_up, work, tasks)
    sent = pickle_work(set_up, set_up, "model", "use one process, or give the model as MODULE:NAME")
    return _work_in_workers(sent, work, tasks, jobs)


def _work_in_process(
    set_up: Callable[[], Bench],
    work: Callable[[Bench, Task], Result],
    tasks: Sequence[Task],
) -> Iterator[Result]:
    if tasks:
        bench = set_up()
        for task in tasks:
            yield work(bench, task)


def _work_in_workers(
    set_up: bytes, work: Callable[[Any, Task], Result], tasks: Sequence[Task], jobs: int
) -> Iterator[Result]:
    pool = ProcessPool(pickle.dumps(_OnABench(set_up, work)), min(jobs, len(tasks)))
    early: dict[int, Outcome] = {}
    due = 0
    with closing(carry_out(pool, tasks, within=_AHEAD * jobs)) as outcomes:
        for index, outcome in outcomes:
            early[index] = outcome
            while due in early:
                yield _unpack_outcome(early.pop(due))
                due += 1


def _unpack_outcome(outcome: Outcome) -> Any:
    match outcome:
        case Returned(result):
            return result
        case Raised(error):
            raise error
        case Unsendable(why):
            raise MechproofError(f"what the model gave cannot be sent between processes ({why})")
        case TaskDied():
            raise WorkerDiedError(
                "a worker process died, for want of memory perhaps: what was finished is kept, so "
                "run the same again, with fewer processes"
            )


@dataclass
class _OnABench:
    """Work on a bench, which is set up at the first task, so that what it raises is told."""

    set_up: bytes
    work: Callable[[Any, Any], Any]
    bench: Any = None

    def __call__(self, task: Any) -> Any:
        if self.bench is None:
            self.bench = pickle.loads(self.set_up)()
        return self.work(self.bench, task)
