"""Run checks in several processes; outlive a worker that dies, and leave none behind.

Progress comes back through a queue that every worker is given when it starts.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.queues import Queue
from queue import Empty
from threading import Thread

from mechproof.run import DIED, ClaimResult, Task, Watcher, run_task

__all__ = ["run_in_pool"]

Event = tuple[str, int, int]
Job = tuple[Task, bytes]

_SECONDS_BETWEEN_LOOKS = 0.05
_events: Queue[Event] | None = None


def run_in_pool(jobs: Sequence[Job], processes: int, watcher: Watcher) -> list[ClaimResult]:
    """Run every task in a pool and return the results in the order of the tasks.

    A worker that dies takes its pool with it. The checks that were lost are then run again, each
    in a pool of its own, so that the one that kills its worker is named and the others are run.
    """
    results = _round(jobs, processes, watcher)
    for task, pickled in jobs:
        if task.claim.id not in results:
            alone = _round([(task, pickled)], 1, watcher)
            if task.claim.id not in alone:
                alone[task.claim.id] = task.failed(DIED)
                watcher.finished(alone[task.claim.id])
            results |= alone
    return [results[task.claim.id] for task, _ in jobs]


def _round(jobs: Sequence[Job], processes: int, watcher: Watcher) -> dict[str, ClaimResult]:
    """Run tasks in one pool; the answer lacks those that were lost with a dead worker."""
    context = multiprocessing.get_context("spawn")
    events: Queue[Event] = context.Queue()
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(
        min(processes, len(jobs)), mp_context=context, initializer=_connect, initargs=(events,)
    )
    results: dict[str, ClaimResult] = {}
    try:
        waiting = _submit(executor, jobs)
        while waiting:
            done, _ = wait(waiting, _SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
            _pass_on(events, watcher)
            for future in done:
                result = _result(future, waiting.pop(future))
                if result is not None:
                    results[result.claim.id] = result
                    watcher.finished(result)
        executor.shutdown()
    except BaseException:
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        executor.shutdown(cancel_futures=True)
        raise
    finally:
        events.close()
        events.join_thread()
    return results


def _submit(executor: ProcessPoolExecutor, jobs: Sequence[Job]) -> dict[Future[ClaimResult], Task]:
    waiting: dict[Future[ClaimResult], Task] = {}
    with _interrupts_held():
        for task, pickled in jobs:
            try:
                waiting[executor.submit(_work, pickled)] = task
            except BrokenProcessPool:
                break
    return waiting


def _result(future: Future[ClaimResult], task: Task) -> ClaimResult | None:
    try:
        return future.result()
    except BrokenProcessPool:
        return None
    except Exception as error:
        return task.failed(f"the check or its finding cannot be sent between processes ({error})")


def _pass_on(events: Queue[Event], watcher: Watcher) -> None:
    while True:
        try:
            watcher.progress(*events.get_nowait())
        except Empty:
            return


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold back Ctrl-C while workers start: they inherit that and leave it to this process."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _connect(events: Queue[Event]) -> None:
    global _events  # noqa: PLW0603 - a worker is told where to report when it starts
    events.cancel_join_thread()
    _events = events
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(pickled: bytes) -> ClaimResult:
    return run_task(pickle.loads(pickled), _send)


def _send(claim_id: str, done: int, total: int) -> None:
    if _events is not None:
        _events.put((claim_id, done, total))
