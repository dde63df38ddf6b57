"""An executor that somebody else made, and somebody else shuts down."""

from __future__ import annotations

import time
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import nullcontext
from functools import partial
from threading import Lock
from typing import Any, Final

from mechproof.executing._dask import client_of, submit_call
from mechproof.executing._messages import Batch, BatchLost, Ended, Settled, Work
from mechproof.executing._process_pool import interrupts_held
from mechproof.executing._processors import usable_cpus
from mechproof.executing._worker import do_batch
from mechproof.executing._worker_pool import WorkerPool

__all__ = ["ExecutorPool"]

_BETWEEN_QUESTIONS: Final = 10.0


class ExecutorPool(WorkerPool):
    """The workers of any executor of ``concurrent.futures`` or like it.

    What a batch gives is heard when the whole of it is done.

    Parameters
    ----------
    work : callable
    executor : Executor
    """

    takes_others_along = True

    def __init__(self, work: Work, executor: Executor) -> None:
        super().__init__()
        self._work = work
        self._executor = executor
        self._futures: dict[Future[Any], int] = {}
        self._lock = Lock()
        self._closing = False
        self._works = False
        self._size = 1
        self._ask_again = 0.0

    def size(self) -> int:
        """Return how many workers the executor has, where it says so; a cluster is asked at times.

        Nothing but how much is given out at once depends on it.
        """
        own = getattr(self._executor, "_max_workers", None)
        if type(own) is int:
            return own
        if time.monotonic() >= self._ask_again:
            self._size = _on_a_cluster(self._executor) or usable_cpus()
            self._ask_again = time.monotonic() + _BETWEEN_QUESTIONS
        return self._size

    def start(self, number: int, batch: Batch) -> None:
        """Submit a batch."""
        processes = isinstance(self._executor, ProcessPoolExecutor)
        try:
            with interrupts_held() if processes else nullcontext():
                future = self._submit(batch, bound=processes)
        except Exception as error:
            self.inbox.put(BatchLost(number, error))
            return
        with self._lock:
            self._futures[future] = number
        future.add_done_callback(partial(self._over, number))

    def _submit(self, batch: Batch, *, bound: bool) -> Future[Any]:
        if client_of(self._executor) is not None:
            return submit_call(self._executor, do_batch, self._work, batch, bound=bound)
        return self._executor.submit(do_batch, self._work, batch, bound=bound)

    def wind_down(self) -> None:
        """Cancel batches that have not begun, where an executor can tell which these are.

        A future of a cluster can be cancelled while it runs, so there all that was given out is
        waited for.
        """
        self._closing = True
        if isinstance(self._executor, ProcessPoolExecutor | ThreadPoolExecutor):
            self._cancel()

    def end(self) -> None:
        """Do nothing: the executor is not ours."""

    def kill(self) -> None:
        """Cancel what can be cancelled, and wait for nothing."""
        self._closing = True
        self._cancel()

    def _cancel(self) -> None:
        with self._lock:
            futures = list(self._futures)
        for future in futures:
            future.cancel()

    def _over(self, number: int, future: Future[Any]) -> None:
        with self._lock:
            self._futures.pop(future, None)
        try:
            done, seconds = future.result()
        except CancelledError as error:
            self.inbox.put(
                Ended(number) if self._closing else BatchLost(number, _was_cancelled(error))
            )
        except BrokenExecutor as error:
            self.inbox.put(BatchLost(number, error))
        except BaseException as error:
            died = type(error).__name__ == "KilledWorker"  # Dask's
            told = "" if died else f"{type(error).__name__}: {error}"
            if told and not self._works:  # it is not about this batch
                self.inbox.put(BatchLost(number, RuntimeError(told)))
            else:
                self.inbox.put(Ended(number, lost=told))
        else:
            self._works = True
            for index, outcome in done:
                self.inbox.put(Settled(number, index, outcome))
            self.inbox.put(Ended(number, seconds))


def _on_a_cluster(executor: Executor) -> int:
    """Return how many threads the cluster of a Dask executor has; 0 for other executors."""
    client = client_of(executor)
    try:
        return sum(client.nthreads().values()) if client is not None else 0
    except Exception:
        return 0


def _was_cancelled(error: CancelledError) -> Exception:
    text = "its batches were cancelled: was it shut down, or did its cluster go away?"
    gone = RuntimeError(text)
    gone.__cause__ = error
    return gone
