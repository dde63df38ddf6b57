"""Ctrl-C during a single call: a paid answer is not lost, and nobody waits for ever."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from session_runs import busy, request

from llm_adapters.errors import CallError, CancelledError
from llm_adapters.session import Answer, Call, Session
from llm_adapters.session._interrupts import InterruptGuard

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "pthread_kill"), reason="signals to threads are Unix"
)


def press() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def pressing(then: Callable[[], object] = lambda: None) -> Callable[[float], Answer]:
    def make(seconds: float) -> Answer:
        press()
        then()
        return Answer({"text": "paid"}, 3, 4)

    return make


def fails(error: Exception) -> None:
    raise error


@pytest.mark.parametrize("many", [False, True])
def test_the_answer_under_way_is_recorded(tmp_path: Path, many: bool) -> None:
    path = tmp_path / "record"
    before = signal.getsignal(signal.SIGINT)
    with Session(record=path) as session:
        with pytest.raises(KeyboardInterrupt):
            session.call_many([Call(request(), pressing())]) if many else session.call(
                request(), pressing()
            )
        assert (session.total.calls, session.total.tokens) == (1, 7)
        assert isinstance(session.failure, CancelledError)
        with pytest.raises(CancelledError):
            session.call(request(1), lambda seconds: Answer({}))
    assert signal.getsignal(signal.SIGINT) is before
    with Session(replay=path) as session:
        assert session.call(request(), pressing()).body == {"text": "paid"}


def test_a_call_that_fails_then_is_not_made_again() -> None:
    with Session() as session:
        for error in (busy(), CallError("no", "never")):
            with pytest.raises(KeyboardInterrupt):
                Session().call(request(), pressing(lambda error=error: fails(error)))
        with pytest.raises(KeyboardInterrupt):
            session.call(request(), pressing(lambda: fails(busy())))
        assert session.total.calls == 1


def test_the_grace_has_an_end(tmp_path: Path) -> None:
    path = tmp_path / "record"
    hang = threading.Event()
    start = time.monotonic()
    with Session(record=path, grace=0.02) as session, pytest.raises(KeyboardInterrupt):
        session.call(request(), pressing(lambda: hang.wait(20)))
    assert time.monotonic() - start < 10
    with Session(record=path) as session:
        assert (
            session.call(request(), lambda seconds: Answer({"text": "new"})).body["text"] == "new"
        )


@pytest.mark.parametrize("grace", [0.0, 60.0])
def test_a_second_ctrl_c_and_no_grace_do_not_wait(grace: float) -> None:
    hang = threading.Event()

    def again() -> None:
        press()
        hang.wait(20)

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        Session(grace=grace).call(request(), pressing(again))
    assert time.monotonic() - start < 10
    assert not [one for one in threading.enumerate() if isinstance(one, threading.Timer)]


def test_programs_that_handle_ctrl_c_go_on_doing_so() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with Session() as session:
            assert session.call(request(), pressing()).body == {"text": "paid"}
            assert session.failure is None
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


def test_a_stray_signal_does_not_come_later(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        Session(grace=0.01).call(request(), pressing())
    time.sleep(0.03)  # a timer that nobody stopped would interrupt this


def test_waiting_costs_little() -> None:
    """What is put in place for a call, beside setting a handler; the best of seven, in turns."""
    session = Session()

    def patient() -> None:
        with InterruptGuard(session._gate):
            pass

    def handled() -> None:
        signal.signal(signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

    times: dict[Callable[[], None], list[float]] = {patient: [], handled: []}
    for each in [patient, handled] * 7:
        start = time.process_time()
        for _ in range(200):
            each()
        times[each].append(time.process_time() - start)
    assert min(times[patient]) < 10 * min(times[handled])
