"""The end of a session: closed, cancelled, interrupted, or without threads."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from session_runs import Service, busy, lines, request

from llm_adapters.errors import (
    CancelledError,
)
from llm_adapters.session import Answer, Session


def test_a_closed_session_makes_no_call_and_has_not_failed() -> None:
    service = Service()
    with Session() as session:
        session.call_many([service.call(0)])
    assert session.failure is None
    with pytest.raises(CancelledError, match="the session is closed: make a new one"):
        session.call_many([service.call(1)])
    assert service.asked == [0]
    session.close()


def test_cancelling_ends_pauses_and_begins_nothing_new() -> None:
    service = Service({0: [busy(25.0)]})
    session = Session()
    call = service.call(0)
    failed = threading.Event()
    service._during = lambda i: failed.set()
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(session.call, call.request, call.make)
        assert failed.wait(10)
        session.cancel()
        with pytest.raises(CancelledError, match="the run is cancelled"):
            waiting.result(10)
    assert service.asked == [0]
    assert isinstance(session.failure, CancelledError)
    with pytest.raises(CancelledError):
        session.call(call.request, call.make)


def test_a_call_that_waits_for_its_turn_hears_of_the_end() -> None:
    begun, done = threading.Event(), threading.Event()

    def during(i: int) -> None:
        begun.set()
        done.wait(10)

    service = Service(during=during)
    session = Session(concurrency=1)
    first, second = service.call(0), service.call(1)
    with ThreadPoolExecutor(2) as threads:
        running = threads.submit(session.call, first.request, first.make)
        assert begun.wait(10)
        waiting = threads.submit(session.call, second.request, second.make)
        session.cancel()
        with pytest.raises(CancelledError):
            waiting.result(10)
        done.set()
        assert running.result(10).body == {"text": "answer 0"}
    assert service.asked == [0]


def interrupts(i: int) -> None:
    if i == 2:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals to threads are Unix")
def test_ctrl_c_keeps_what_is_under_way_and_leaves_no_thread(tmp_path: Path) -> None:
    both = threading.Barrier(2)
    cancelled = threading.Event()
    path = tmp_path / "record"
    session = Session(record=path, concurrency=2)

    def during(i: int) -> None:
        if i >= 2:
            both.wait(10)
            interrupts(i)
            for _ in range(10_000):  # until the main thread has noticed
                if session.failure is None:
                    cancelled.wait(0.001)

    service = Service(during=during)
    before = threading.active_count()
    with session, pytest.raises(KeyboardInterrupt):
        session.call_many([service.call(i) for i in range(40)])
    assert threading.active_count() == before
    assert isinstance(session.failure, CancelledError)
    assert sorted(service.asked) == [0, 1, 2, 3]
    again = Service()
    with Session(record=path, concurrency=2) as resumed:
        answers = resumed.call_many([again.call(i) for i in range(40)])
    assert sorted(again.asked) == list(range(4, 40))
    assert [answer.body["text"] for answer in answers] == [f"answer {i}" for i in range(40)]


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals to threads are Unix")
def test_ctrl_c_does_not_wait_for_ever(tmp_path: Path) -> None:
    hang = threading.Event()
    both = threading.Barrier(2)

    def during(i: int) -> None:
        both.wait(10)
        interrupts(i + 2)
        hang.wait(10)

    service = Service(during=during)
    session = Session(record=tmp_path / "record", concurrency=2, grace=0.01)
    with session, pytest.raises(KeyboardInterrupt):
        session.call_many([service.call(i) for i in range(9)])
    left = [thread for thread in threading.enumerate() if thread.name.startswith("mechproof call")]
    assert len(left) == 2
    hang.set()
    for thread in left:
        thread.join(10)
    assert len(lines(tmp_path / "record")) == 1, "a closed record is written to"


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals to threads are Unix")
def test_whatever_else_interrupts_the_wait_lets_nothing_new_begin() -> None:
    """A limit of time that the caller sets by a signal, for example."""

    class TimeIsUpError(Exception):
        pass

    def ring(number: int, frame: Any) -> None:
        raise TimeIsUpError

    both, raised = threading.Barrier(2), threading.Event()

    def during(i: int) -> None:
        both.wait(10)
        if i == 0:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
        raised.wait(10)

    service = Service(during=during)
    before = signal.signal(signal.SIGUSR1, ring)
    try:
        with Session(concurrency=2) as session:
            with pytest.raises(TimeIsUpError):
                session.call_many([service.call(i) for i in range(20)])
            raised.set()
    finally:
        signal.signal(signal.SIGUSR1, before)
    for thread in threading.enumerate():
        if thread.name.startswith("mechproof call"):
            thread.join(10)
    assert sorted(service.asked) == [0, 1]


def test_ctrl_c_passes_through_a_single_call() -> None:
    def make(seconds: float) -> Answer:
        raise KeyboardInterrupt

    session = Session()
    with pytest.raises(KeyboardInterrupt):
        session.call(request(), make)
    with pytest.raises(CancelledError):
        session.call(request(), lambda seconds: Answer({}))


def test_fewer_threads_than_wanted_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start
    allowed = iter([True, False])

    def limited(thread: threading.Thread) -> None:
        if not next(allowed):
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    service = Service()
    assert len(Session(concurrency=4).call_many([service.call(i) for i in range(5)])) == 5
