"""Executors that are lent: what is lost with a process, and futures of Dask, which must end."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from mechproof.executing import ExecutorPool, Returned, Sizes, TaskDied, carry_out
from mechproof.executing._dask import client_of, submit_call


class KilledWorker(Exception):  # noqa: N818 - Dask's name
    """What Dask says of a task with which a worker died."""


class Prefetching(Executor):
    """Holds what it is given until it is asked to settle; with the task 3 all that is held dies."""

    _max_workers = 2

    def __init__(self) -> None:
        self.held: list[tuple[Future[Any], Any, Any, Any]] = []
        self.most = 0

    def submit(self, fn: Any, /, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.held.append((future, fn, given, named))
        self.most = max(self.most, len(self.held))
        return future

    def settle(self) -> None:
        held, self.held = self.held, []
        fatal = any(task == 3 for _, _, (_, batch), _ in held for _, task in batch)
        for future, fn, given, named in held:
            if fatal:
                future.set_exception(KilledWorker())
            else:
                future.set_result(fn(*given, **named))


def test_who_was_beside_a_killer_is_not_blamed() -> None:
    executor = Prefetching()
    pool = ExecutorPool(lambda task: task, executor)
    news = pool.inbox

    class Inbox:
        put = news.put

        def get(self, timeout: float | None = None) -> Any:
            if news.empty():
                executor.settle()
            return news.get(timeout=timeout)

    setattr(pool, "inbox", Inbox())  # noqa: B010 - it is no SimpleQueue
    outcomes = dict(carry_out(pool, list(range(8)), sizes=Sizes(2)))
    assert isinstance(outcomes.pop(3), TaskDied)
    assert outcomes == {k: Returned(k) for k in (0, 1, 2, 4, 5, 6, 7)}
    assert executor.most > 1, "nothing was beside anything, so this shows nothing"


class Theirs:
    """A future of Dask that comes to an error, a cancellation or a result."""

    def __init__(self, end: Any) -> None:
        self.end = end
        self.was_cancelled = isinstance(end, asyncio.CancelledError)

    def __await__(self) -> Generator[None, None, Any]:
        yield
        if isinstance(self.end, BaseException):
            raise self.end
        return self.end

    def cancelled(self) -> bool:
        return self.was_cancelled

    def cancel(self) -> None:
        self.was_cancelled = True


class Client:
    """Gives futures that end so, and runs what its loop is told when ``turn`` is called."""

    def __init__(self, end: Any) -> None:
        self.loop = self
        self.theirs = Theirs(end)
        self.calls: list[tuple[Any, ...]] = []
        self.asked: dict[str, Any] = {}

    def submit(self, *given: Any, **options: Any) -> Theirs:
        self.asked = options
        return self.theirs

    def add_callback(self, *call: Any) -> None:
        self.calls.append(call)

    def turn(self) -> None:
        for function, *given in self.calls:
            asyncio.run(function(*given))


class Lent(Executor):
    """As Dask's."""

    _shutdown = False

    def __init__(self, end: Any = 7) -> None:
        self._client = Client(end)
        self._kwargs = {"retries": 2}


Lent.__module__ = "distributed.cfexecutor"


def test_a_future_of_dask_ends_as_its_task_does() -> None:
    lent = Lent(7)
    future = submit_call(lent, pow, 2, 3)
    assert not future.done()
    lent._client.turn()
    assert future.result() == 7
    assert lent._client.asked == {"retries": 2, "pure": False}
    lost = Lent(KilledWorker("gone"))
    future = submit_call(lost, pow, 2, 3)
    lost._client.turn()
    with pytest.raises(KilledWorker):
        future.result(timeout=0)
    dropped = Lent(asyncio.CancelledError())
    future = submit_call(dropped, pow, 2, 3)
    dropped._client.turn()
    with pytest.raises(CancelledError):
        future.result(timeout=0)


def test_a_cancelled_future_cancels_the_task_and_a_late_answer_is_dropped() -> None:
    lent = Lent(7)
    future = submit_call(lent, pow, 2, 3)
    assert future.cancel()
    assert lent._client.theirs.cancelled()
    lent._client.turn()
    assert future.cancelled()


def test_what_is_shut_down_takes_nothing_and_others_are_not_taken_for_dask() -> None:
    lent = Lent()
    lent._shutdown = True
    with pytest.raises(RuntimeError, match="after shutdown"):
        submit_call(lent, pow, 2, 3)
    assert client_of(lent) is lent._client
    with ThreadPoolExecutor(1) as threads:
        assert client_of(threads) is None
