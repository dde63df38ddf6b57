"""Several calls at once, on threads that end with them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

from llm_adapters.session._attempt_gate import AttemptGate, AttemptNotMade

__all__ = ["Batch"]

T = TypeVar("T")

_LOOK = 1.0  # seconds: where a wait cannot be interrupted, it ends as often as this


class Batch(Generic[T]):
    """Tasks 0 to n - 1 on several threads; the first failure halts the rest.

    Parameters
    ----------
    size : int
        n.
    work : callable
        ``work(i)`` does task i. It may raise AttemptNotMade once ``halted`` is true.
    gate : AttemptGate
        Says when the session is cancelled: tasks under way are then waited for no longer than its
        grace.
    """

    def __init__(self, size: int, work: Callable[[int], T], gate: AttemptGate) -> None:
        self.results: dict[int, T] = {}
        self.errors: dict[int, BaseException] = {}
        self.halted = False
        self._work = work
        self._gate = gate
        self._changed = gate.changed
        self._queue = deque(range(size))
        self._running = 0
        self._workers: list[Thread] = []

    def run(self, threads: int) -> None:
        """Start threads, and wait until all is done, or what was begun when something failed."""
        for i in range(min(threads, len(self._queue))):
            worker = Thread(target=self._serve, name=f"mechproof call {i}", daemon=True)
            with self._changed:
                self._running += 1
            try:
                worker.start()
            except RuntimeError:  # the system allows no more threads
                with self._changed:
                    self._running -= 1
                if not self._workers:
                    raise
                break
            self._workers.append(worker)
        self.finish()

    def finish(self) -> None:
        """Wait for what is under way; once the session is cancelled, no longer than its grace."""
        with self._changed:
            while self._running:
                left = self._gate.grace_left() if self._gate.cancelled else _LOOK
                if left <= 0:
                    return
                self._changed.wait(min(left, _LOOK))
        for worker in self._workers:
            worker.join()

    def halt(self) -> None:
        """Let nothing new begin."""
        with self._changed:
            self.halted = True
            self._changed.notify_all()

    def _serve(self) -> None:
        try:
            while (task := self._take_next()) is not None:
                self._do(task)
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _take_next(self) -> int | None:
        with self._changed:
            return None if self.halted or not self._queue else self._queue.popleft()

    def _do(self, task: int) -> None:
        try:
            result = self._work(task)
        except AttemptNotMade:
            return
        except BaseException as error:
            with self._changed:
                self.errors[task] = error
            self.halt()
        else:
            self.results[task] = result
