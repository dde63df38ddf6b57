"""Processes of our own: each has a pipe and a thread that waits for it.

Nothing is shared between workers, so that one that is killed, in the middle of a message even,
takes nothing with it but the task it was at. The next batch gets a new process in its place.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Final

from mechproof.executing._messages import (
    Batch,
    BatchLost,
    Ended,
    ExecutorGoneError,
    Outcome,
    Settled,
    TaskNote,
    Unsendable,
)
from mechproof.executing._worker import DONE, NOTE, OURS, READY, SAFE_PATH, SETTLED, work_for
from mechproof.executing._worker_pool import WorkerPool

__all__ = ["ProcessPool", "interrupts_held"]

_BETWEEN_LOOKS: Final = 1.0
"""Seconds after which a silent worker is looked at: a child of its own may hold its pipe open."""
_GRACE: Final = 5.0
_STARTS: Final = 3
"""How often in a row a process may be killed while it starts."""
_starting: Final = Lock()


class ProcessPool(WorkerPool):
    """Up to ``jobs`` processes, which start when there is work for them.

    Parameters
    ----------
    work : bytes
        What is called with each task, pickled.
    jobs : int
    """

    def __init__(self, work: bytes, jobs: int) -> None:
        super().__init__()
        self._work = work
        self._jobs = jobs
        self._given: SimpleQueue[tuple[int, Batch] | None] = SimpleQueue()
        self._lock = Lock()
        self._workers: set[_Worker] = set()
        self._threads: list[Thread] = []
        self._under_way = 0
        self._closed = False

    def size(self) -> int:
        """Return how many processes there may be."""
        return self._jobs

    def start(self, number: int, batch: Batch) -> None:
        """Give a batch to whoever is free."""
        with self._lock:
            self._under_way += 1
            if len(self._threads) < min(self._jobs, self._under_way):
                self._threads.append(Thread(target=self._serve, daemon=True))
                self._threads[-1].start()
        self._given.put((number, batch))

    def wind_down(self) -> None:
        """Take back the batches in the queue, and ask workers to end after their task."""
        while True:
            try:
                given = self._given.get_nowait()
            except Empty:
                break
            if given is not None:
                self._put_ended(given[0])
        with self._lock:
            for worker in self._workers:
                worker.send(None)

    def end(self) -> None:
        """Let all processes end, and wait for them."""
        for _ in self._threads:
            self._given.put(None)
        for thread in self._threads:
            thread.join()

    def kill(self) -> None:
        """End all processes."""
        with self._lock:
            self._closed = True
            for worker in self._workers:
                worker.process.kill()
        self.wind_down()
        self.end()

    def _serve(self) -> None:
        """Wait for one worker after the other; this is what each thread does."""
        with interrupts_held():
            worker = None
            while (given := self._given.get()) is not None:
                number, batch = given
                if worker is not None and not worker.process.is_alive():
                    self._bury(worker)
                    worker = None
                try:
                    worker = worker or self._start()
                    alive = worker is not None and self._do(worker, number, batch)
                except Exception as error:
                    self.inbox.put(BatchLost(number, error))
                    alive = False
                if not alive:
                    self._bury(worker)
                    worker = None
            self._bury(worker)

    def _start(self) -> _Worker | None:
        """Return a new worker that is ready, or None when we are closed."""
        code = 0
        for _ in range(_STARTS):
            with self._lock:
                if self._closed:
                    return None
                worker = _Worker(self._work)
                self._workers.add(worker)
            message = worker.hear()
            if message is not None and message[0] == READY:
                return worker
            self._bury(worker)
            if message is not None:
                raise ExecutorGoneError(f"a worker process cannot load the work: {message[1]}")
            code = worker.process.exitcode or 0
            if code > 0:
                break
        if self._closed:
            return None
        if code <= 0:
            problem = f"{_STARTS} worker processes in a row ended while they started"
            raise ExecutorGoneError(f"{problem} (status {code}), for want of memory perhaps")
        raise ExecutorGoneError(
            f"the worker processes cannot start (status {code}): a program that uses several is a "
            "file, and starts its work under `if __name__ == '__main__':`; else use one process"
        )

    def _do(self, worker: _Worker, number: int, batch: Batch) -> bool:
        """Have a batch done, and pass on what is heard; say whether the worker lives."""
        worker.send(batch)
        while (message := worker.hear()) is not None:
            kind, *said = message
            if kind == SETTLED:
                for index, data in said[0]:
                    self.inbox.put(Settled(number, index, _outcome(data)))
            elif kind == NOTE:
                self.inbox.put(TaskNote(said[0]))
            elif kind == DONE:
                self._put_ended(number, said[0])
                return True
        self._put_ended(number, lost="")
        return False

    def _put_ended(self, number: int, seconds: float = 0.0, lost: str | None = None) -> None:
        with self._lock:
            self._under_way -= 1
        self.inbox.put(Ended(number, seconds, lost))

    def _bury(self, worker: _Worker | None) -> None:
        if worker is not None:
            worker.end()
            with self._lock:
                self._workers.discard(worker)


class _Worker:
    """A process and the pipe to it."""

    def __init__(self, work: bytes) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._sending = Lock()
        self.process = context.Process(target=work_for, args=(theirs, work))
        try:
            with _not_from_here():
                self.process.start()
        except BaseException:
            self._pipe.close()
            raise
        finally:
            theirs.close()

    def send(self, message: Any) -> None:
        """Send a message; a process that is not there any more hears nothing."""
        with self._sending:
            try:
                self._pipe.send(message)
            except OSError:
                return

    def hear(self) -> tuple[Any, ...] | None:
        """Return the next message, or None when the process has ended."""
        try:
            while not self._pipe.poll(_BETWEEN_LOOKS):
                if not self.process.is_alive() and not self._pipe.poll():
                    return None
            found: tuple[Any, ...] = self._pipe.recv()
        except (EOFError, OSError):
            return None
        return found

    def end(self) -> None:
        """Ask the process to end, and see that it does."""
        self.send(None)
        self.process.join(_GRACE)
        for end in (self.process.terminate, self.process.kill):
            if self.process.is_alive():
                end()
                self.process.join(_GRACE)
        self._pipe.close()


def _outcome(data: bytes) -> Outcome:
    try:
        found: Outcome = pickle.loads(data)
    except Exception as error:
        return Unsendable(str(error))
    return found


@contextmanager
def _not_from_here() -> Iterator[None]:
    """Let no Python that starts meanwhile look for modules in the current folder first.

    multiprocessing starts it by ``python -c``, which does, and tells it our search path afterwards.
    """
    with _starting:
        if os.environ.get(SAFE_PATH):
            yield
            return
        os.environ[SAFE_PATH] = OURS
        try:
            yield
        finally:
            os.environ.pop(SAFE_PATH, None)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back Ctrl-C in this thread: the processes that it starts inherit that.

    The process that multiprocessing keeps for shared resources is started before: it lifts this.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    with _not_from_here():
        resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
