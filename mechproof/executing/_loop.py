"""The engine: give out tasks in batches, collect their outcomes, and try lost ones once more."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from queue import Empty
from typing import Any, Final

from mechproof.executing._messages import (
    BatchLost,
    Ended,
    ExecutorGoneError,
    Outcome,
    Settled,
    TaskDied,
    TaskNote,
)
from mechproof.executing._worker_pool import WorkerPool

__all__ = ["Sizes", "carry_out"]

_SECONDS_OF_A_BATCH: Final = 0.25
_LARGEST: Final = 1000
_BETWEEN_LOOKS: Final = 0.5


class Sizes:
    """How many tasks a batch has: ``fixed``, or as many as take a quarter of a second.

    No result depends on it.
    """

    def __init__(self, fixed: int | None) -> None:
        self._fixed = fixed
        self._tasks = 0
        self._seconds = 0.0

    def learn(self, tasks: int, seconds: float) -> None:
        """Hear how long a batch took; what was long ago counts less."""
        self._tasks = self._tasks // 2 + tasks
        self._seconds = self._seconds / 2 + seconds

    def next(self, left: int, workers: int) -> int:
        """Return a size which leaves something for each worker to do."""
        if self._fixed is not None:
            return self._fixed
        if not self._tasks:
            return 1
        quick = self._tasks * _SECONDS_OF_A_BATCH / max(self._seconds, 1e-9)
        return max(1, int(min(quick, left / (4 * workers), _LARGEST)))


@dataclass
class _UnderWay:
    """A batch that was given out, and which of its tasks have no outcome yet."""

    size: int
    left: set[int] = field(default_factory=set)
    alone: bool = False


def carry_out(
    pool: WorkerPool,
    tasks: Sequence[Any],
    *,
    sizes: Sizes | None = None,
    within: int | None = None,
    stopping: Callable[[], bool] = lambda: False,
    hear: Callable[[Any], None] = lambda note: None,
) -> Generator[tuple[int, Outcome]]:
    """Have a pool do all tasks, and yield the index and the outcome of each as it comes.

    A task that is lost, because its process died for instance, is done again, alone; one that is
    lost alone has died. Whoever stops listening early ends what is under way.

    Parameters
    ----------
    pool : WorkerPool
        It is sent home at the end.
    tasks : sequence
    sizes : Sizes, optional
        How many tasks a batch has; one, where nothing is said.
    within : int, optional
        No task is begun that is so many after one without outcome.
    stopping : callable
        Whether to begin nothing any more; what is under way is waited for.
    hear : callable
        Hears what the tasks say while they are under way.

    Raises
    ------
    ExecutorGoneError
        When nobody is left to do the work; what was done by then has been yielded.
    """
    try:
        yield from _Run(pool, tasks, sizes or Sizes(1), within).outcomes(stopping, hear)
        pool.end()
    except BaseException:
        pool.kill()
        raise


class _Run:
    def __init__(
        self, pool: WorkerPool, tasks: Sequence[Any], sizes: Sizes, within: int | None
    ) -> None:
        self._pool, self._tasks, self._sizes = pool, tasks, sizes
        self._fresh = 0
        self._again: deque[int] = deque()
        self._lost: set[int] = set()
        self._under_way: dict[int, _UnderWay] = {}
        self._number = 0
        self._settled = _Front(len(tasks), within)
        self._gone: Exception | None = None
        self._gone_with: set[int] = set()

    def outcomes(
        self, stopping: Callable[[], bool], hear: Callable[[Any], None]
    ) -> Iterator[tuple[int, Outcome]]:
        winding_down = False
        while True:
            if winding_down or self._gone is not None:
                pass
            elif stopping():
                winding_down = True
                self._pool.wind_down()
            else:
                self._give_out()
            if not self._under_way:
                break
            try:
                message = self._pool.inbox.get(timeout=_BETWEEN_LOOKS)
            except Empty:
                continue
            match message:
                case Settled(batch, index, outcome):
                    self._under_way[batch].left.discard(index)
                    self._settled.add(index)
                    yield index, outcome
                case TaskNote(note):
                    hear(note)
                case Ended(batch, seconds, lost):
                    ended = self._under_way.pop(batch)
                    if lost is None:
                        self._sizes.learn(ended.size - len(ended.left), seconds)
                    else:
                        yield from self._given_up(ended, lost)
                case BatchLost(batch, error):
                    self._gone_with |= self._under_way.pop(batch).left
                    self._gone = error
                    self._pool.wind_down()
        if self._gone is not None:
            gone = ExecutorGoneError(str(self._gone))
            gone.under_way = tuple(sorted(self._gone_with))
            raise gone from self._gone

    def _give_out(self) -> None:
        if any(batch.alone for batch in self._under_way.values()):
            return
        if self._again and self._pool.takes_others_along:
            if not self._under_way:
                self._start([self._again.popleft()], alone=True)
            return
        workers = self._pool.size()
        while len(self._under_way) < 2 * workers and (batch := self._take_batch(workers)):
            self._start(batch)

    def _start(self, batch: list[int], *, alone: bool = False) -> None:
        self._number += 1
        self._under_way[self._number] = _UnderWay(len(batch), set(batch), alone)
        self._pool.start(self._number, tuple((i, self._tasks[i]) for i in batch))

    def _take_batch(self, workers: int) -> list[int]:
        if self._again:
            return [self._again.popleft()]
        left = len(self._tasks) - self._fresh
        most = min(self._sizes.next(left, workers), self._settled.reach - self._fresh)
        batch = list(islice(range(self._fresh, len(self._tasks)), max(0, most)))
        self._fresh += len(batch)
        return batch

    def _given_up(self, ended: _UnderWay, why: str) -> Iterator[tuple[int, Outcome]]:
        """Put lost tasks back; yield the one that was lost alone before."""
        for index in sorted(ended.left):
            if index in self._lost:
                self._settled.add(index)
                yield index, TaskDied(why)
            else:
                self._lost.add(index)
                self._again.append(index)


class _Front:
    """How far tasks may be begun: so many after the first that has no outcome."""

    def __init__(self, tasks: int, within: int | None) -> None:
        self._tasks, self._within = tasks, within
        self._done: set[int] = set()
        self._first = 0

    @property
    def reach(self) -> int:
        """The first index that may not be begun."""
        return self._tasks if self._within is None else self._first + self._within

    def add(self, index: int) -> None:
        """Take note of an outcome."""
        if self._within is None:
            return
        self._done.add(index)
        while self._first in self._done:
            self._done.discard(self._first)
            self._first += 1
