"""Several calls at once, on threads that end with them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from threading import Condition, Thread
from typing import Generic, TypeVar

__all__ = ["Batch", "Halted"]

T = TypeVar("T")

_LOOK = 1.0  # seconds: where a wait cannot be interrupted, it ends as often as this


class Halted(Exception):  # noqa: N818 - nobody sees it
    """A call of a batch that is not made, or not made again, since another one failed."""


class Batch(Generic[T]):
    """Tasks 0 to n - 1 on several threads; the first failure halts the rest.

    Parameters
    ----------
    size : int
        n.
    work : callable
        ``work(i)`` does task i. It may raise Halted once ``halted`` is true.
    changed : threading.Condition
        Notified whenever something changes that ``work`` may wait for.
    """

    def __init__(self, size: int, work: Callable[[int], T], changed: Condition) -> None:
        self.results: dict[int, T] = {}
        self.errors: dict[int, BaseException] = {}
        self.halted = False
        self._work = work
        self._changed = changed
        self._queue = deque(range(size))
        self._running = 0
        self._workers: list[Thread] = []

    def run(self, threads: int, cancelled: Callable[[], bool], grace: float) -> None:
        """Start threads and wait until all is done, or what was begun when something failed.

        Once ``cancelled()`` is true, it waits for ``grace`` seconds at most.
        """
        for i in range(min(threads, len(self._queue))):
            worker = Thread(target=self._serve, name=f"mechproof call {i}", daemon=True)
            with self._changed:
                self._running += 1
            try:
                worker.start()
            except BaseException:
                with self._changed:
                    self._running -= 1
                raise
            self._workers.append(worker)
        if self._wait(None, cancelled):
            self._join()
        else:
            self.finish(grace)

    def finish(self, grace: float) -> None:
        """Begin nothing more, and wait for what is under way, so many seconds at most."""
        self.halt()
        if self._wait(grace):
            self._join()

    def _join(self) -> None:
        for worker in self._workers:
            worker.join()

    def halt(self) -> None:
        """Let nothing new begin."""
        with self._changed:
            self.halted = True
            self._changed.notify_all()

    def _wait(self, seconds: float | None, until: Callable[[], bool] = lambda: False) -> bool:
        """Wait until no task is under way, so long at most; say whether that is so."""
        end = None if seconds is None else time.monotonic() + seconds
        with self._changed:
            while self._running and not until():
                left = _LOOK if end is None else min(_LOOK, end - time.monotonic())
                if left <= 0:
                    return False
                self._changed.wait(left)
            return not self._running

    def _serve(self) -> None:
        try:
            while (task := self._next()) is not None:
                self._do(task)
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _next(self) -> int | None:
        with self._changed:
            return None if self.halted or not self._queue else self._queue.popleft()

    def _do(self, task: int) -> None:
        try:
            result = self._work(task)
        except Halted:
            return
        except BaseException as error:
            with self._changed:
                self.errors[task] = error
            self.halt()
        else:
            self.results[task] = result
