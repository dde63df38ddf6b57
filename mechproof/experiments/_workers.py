"""Do tasks in this process or in several; what comes out is handed over in their order."""

from __future__ import annotations

import multiprocessing
import pickle
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final, TypeVar

from mechproof.pool import _end_with_parent, _interrupts_held
from theory.errors import InvalidInputError, MechproofError

__all__ = ["WorkerDiedError", "in_order"]

Bench = TypeVar("Bench")
Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD: Final = 4
"""How many tasks for each process are under way or waiting to be handed over."""

_bench: Any = None
_set_up = b""


class WorkerDiedError(MechproofError):
    """A process died while it worked; nothing is known of why."""


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
        return _here(set_up, work, tasks)
    return _there(_pickled(set_up), work, tasks, jobs)


def _here(
    set_up: Callable[[], Bench],
    work: Callable[[Bench, Task], Result],
    tasks: Sequence[Task],
) -> Iterator[Result]:
    if tasks:
        bench = set_up()
        for task in tasks:
            yield work(bench, task)


def _there(
    set_up: bytes, work: Callable[[Any, Task], Result], tasks: Sequence[Task], jobs: int
) -> Iterator[Result]:
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(
        min(jobs, len(tasks)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(set_up,),
    )
    waiting: deque[Future[Result]] = deque()
    try:
        for task in tasks:
            with _interrupts_held():
                waiting.append(executor.submit(_do, work, task))
            if len(waiting) >= _AHEAD * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        executor.shutdown()
    except BaseException as error:
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        executor.shutdown(cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise WorkerDiedError(
                "a worker process died, for want of memory perhaps: what was finished is kept, so "
                "run the same again, with fewer processes"
            ) from error
        raise


def _pickled(set_up: Callable[[], Bench]) -> bytes:
    try:
        return pickle.dumps(set_up)
    except Exception as error:
        raise InvalidInputError(
            "model",
            set_up,
            f"cannot be sent to another process ({error})",
            "use one process, or give the model as MODULE:NAME",
        ) from error


def _begin(set_up: bytes) -> None:
    from threading import Thread

    global _set_up  # noqa: PLW0603 - a worker is told what to work with when it starts
    _set_up = set_up
    Thread(target=_end_with_parent, daemon=True).start()


def _do(work: Callable[[Any, Task], Result], task: Task) -> Result:
    global _bench  # noqa: PLW0603 - set up at the first task, so that what it raises is told
    if _bench is None:
        _bench = pickle.loads(_set_up)()
    return work(_bench, task)
