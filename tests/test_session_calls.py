"""Calls of a session: order, attempts, pauses, errors, threads, the end."""

from __future__ import annotations

import copy
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plain_python import outcomes
from session_runs import Service, busy, lines, request

from llm_adapters.errors import (
    CallError,
    CancelledError,
    MissingCapabilityError,
    TransientError,
)
from llm_adapters.session import Answer, Call, Prices, Retries, Session, Usage
from llm_adapters.session._batch import Batch
from theory.errors import InvalidInputError


def test_answers_come_in_the_order_of_the_calls() -> None:
    late = threading.Event()
    service = Service(during=lambda i: late.wait(5) if i == 0 else late.set() if i == 7 else None)
    with Session(concurrency=2) as session:
        answers = session.call_many([service.call(i) for i in range(8)])
    assert [answer.body["text"] for answer in answers] == [f"answer {i}" for i in range(8)]
    assert service.asked[0] == 0
    assert sorted(service.asked) == list(range(8))


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_attempts_at_a_time_than_allowed(concurrency: int) -> None:
    full = threading.Barrier(concurrency)
    service = Service(during=lambda i: full.wait(10))
    with Session(concurrency=concurrency) as session, ThreadPoolExecutor(2) as threads:
        halves = ([service.call(10 * half + i) for i in range(6)] for half in range(2))
        for future in [threads.submit(session.call_many, half) for half in halves]:
            future.result()
    assert service.most == concurrency
    assert len(service.asked) == 12


def test_no_calls_have_no_answers() -> None:
    assert Session().call_many([]) == []


def test_usage_is_accounted_to_agents() -> None:
    session = Session(prices={"small": Prices("0.5", 2)})
    service = Service({1: [busy()]}, tokens=(1000, 500))
    session.call_many([service.call(0), service.call(1, agent="seller"), service.call(2)])
    session.count_failure("seller")
    each = Fraction(1000) / 10**6 / 2 + Fraction(500) * 2 / 10**6
    buyer, seller = session.usage["buyer"], session.usage["seller"]
    assert buyer == Usage(2, 0, 2000, 1000, 2 * each)
    assert seller == Usage(2, 1, 1000, 500, each, failures=1)
    assert session.total == buyer + seller
    shown = str(session).splitlines()
    assert shown[3].split() == ["buyer", "2", "0", "2,000", "1,000", "0.003", "0"]
    assert shown[5].split() == ["all", "4", "1", "3,000", "1,500", "0.0045", "1"]
    assert "<td>seller</td>" in session._repr_html_()


# --- attempts


def test_what_can_pass_is_tried_again() -> None:
    pauses: list[float] = []
    service = Service({0: [busy(), busy()]})
    session = Session(pause=pauses.append)
    call = service.call(0)
    assert session.call(call.request, call.make).body == {"text": "answer 0"}
    assert service.asked == [0, 0, 0]
    assert session.total.calls == 3
    assert session.total.retries == 2
    assert len(pauses) == 2
    assert session.failure is None


def test_attempts_are_bounded_and_all_are_told() -> None:
    service = Service({0: [busy() for _ in range(9)]})
    session = Session(retries=Retries(attempts=3), pause=lambda seconds: None)
    call = service.call(0)
    with pytest.raises(
        CallError, match=r"call of buyer failed 3 times, .* busy: try later"
    ) as told:
        session.call(call.request, call.make)
    assert not isinstance(told.value, TransientError)
    assert told.value.attempts == ("the server is busy",) * 3
    assert service.asked == [0, 0, 0]
    assert session.failure is told.value


def test_what_cannot_pass_is_not_tried_again() -> None:
    wrong = CallError("the key is wrong", "give another")
    service = Service({0: [wrong]})
    session = Session(pause=lambda seconds: pytest.fail("it pauses"))
    call = service.call(0)
    with pytest.raises(CallError) as told:
        session.call(call.request, call.make)
    assert told.value is wrong
    assert service.asked == [0]
    assert session.failure is wrong
    assert session.call(call.request, call.make).body == {"text": "answer 0"}


def test_pauses_double_up_to_the_longest_and_are_spread_evenly() -> None:
    retries = Retries(first=1.0, longest=5.0)
    rng = np.random.default_rng(0)
    for attempt, most in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (5, 5.0), (2000, 5.0)):
        drawn = np.array([retries.pause(attempt, None, rng) for _ in range(400)])
        assert 0 <= drawn.min() < 0.05 * most
        assert 0.95 * most < drawn.max() <= most
        assert abs(drawn.mean() - most / 2) < 0.1 * most


def test_pauses_follow_from_the_seed_and_differ_between_requests() -> None:
    def pauses(seed: int, i: int = 0) -> list[float]:
        found: list[float] = []
        call = Service({i: [busy() for _ in range(4)]}).call(i)
        Session(seed=seed, pause=found.append).call(call.request, call.make)
        return found

    assert pauses(3) == pauses(3)
    shares = {round(pause / 2**i, 9) for i, pause in enumerate(pauses(3))}
    assert len(shares) == 4, "each pause is the same share of its most"
    assert not set(pauses(3)) & set(pauses(4))
    assert not set(pauses(3)) & set(pauses(3, i=1))


def test_the_server_says_how_long_to_wait() -> None:
    found: list[float] = []
    call = Service({0: [busy(12.0), busy(0.0), busy(-3.0), busy(float("nan"))]}).call(0)
    Session(retries=Retries(first=0.5), pause=found.append).call(call.request, call.make)
    assert 12.0 <= found[0] <= 12.5
    assert all(0 <= pause <= 4 for pause in found[1:])


@pytest.mark.parametrize("asked", [31.0, float("inf")])
def test_a_server_that_asks_for_too_long_ends_the_call(asked: float) -> None:
    service = Service({0: [busy(asked)]})
    call = service.call(0)
    session = Session(pause=lambda seconds: pytest.fail("it pauses"))
    with pytest.raises(CallError, match=r"asks to wait (31|inf) s .*: .*wait 30 s at most"):
        session.call(call.request, call.make)
    assert service.asked == [0]


def test_the_time_limit_reaches_the_attempt() -> None:
    found: list[float] = []

    def make(seconds: float) -> Answer:
        found.append(seconds)
        return Answer({})

    Session(time_limit=2.5).call(request(), make)
    assert found == [2.5]


# --- errors


def test_the_first_failure_halts_what_has_not_begun_and_keeps_what_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2)
    halted = threading.Event()
    halt = Batch.halt

    def told(batch: Any) -> None:
        halt(batch)
        halted.set()

    monkeypatch.setattr(Batch, "halt", told)

    def during(i: int) -> None:
        both.wait(10)
        if i == 1:  # still under way when the other one has failed
            assert halted.wait(10)

    wrong = CallError("the key is wrong", "give another")
    service = Service({0: [wrong]}, during)
    path = tmp_path / "record"
    with Session(record=path, concurrency=2) as session:
        before = threading.active_count()
        with pytest.raises(CallError) as raised:
            session.call_many([service.call(i) for i in range(50)])
        assert threading.active_count() == before
    assert raised.value is wrong
    assert sorted(service.asked) == [0, 1]
    assert [b'"answer 1"' in line for line in lines(path)] == [False, True]


def test_a_pause_ends_when_another_call_fails() -> None:
    wrong = CallError("the key is wrong", "give another")
    both = threading.Barrier(2)
    service = Service({0: [busy(25.0)], 1: [wrong]}, lambda i: both.wait(10))
    session = Session(concurrency=2)
    with pytest.raises(CallError) as told:
        session.call_many([service.call(0), service.call(1)])
    assert told.value is wrong
    assert sorted(service.asked) == [0, 1]


def test_of_several_failures_the_first_in_order_is_raised() -> None:
    both = threading.Barrier(2)
    errors = {i: [CallError(f"no {i}", "none")] for i in range(2)}
    service = Service(errors, lambda i: both.wait(10))
    with pytest.raises(CallError, match="no 0"):
        Session(concurrency=2).call_many([service.call(i) for i in range(2)])


def test_a_foreign_error_passes_and_is_noted() -> None:
    def make(seconds: float) -> Answer:
        raise ZeroDivisionError("a bug")

    session = Session(pause=lambda seconds: pytest.fail("it pauses"))
    with pytest.raises(ZeroDivisionError):
        session.call(request(), make)
    assert isinstance(session.failure, ZeroDivisionError)
    with pytest.raises(ZeroDivisionError):
        session.call_many([Call(request(i), make) for i in range(3)])


def test_a_call_within_a_call_is_refused_rather_than_waited_for() -> None:
    session = Session(concurrency=1)

    def outer(seconds: float) -> Answer:
        return session.call(request("inner"), lambda seconds: Answer({}))

    with pytest.raises(InvalidInputError, match="made inside a call of the same session"):
        session.call(request("outer"), outer)


def test_copies_of_a_session_are_the_session() -> None:
    session = Session()
    assert copy.deepcopy({"session": session})["session"] is session
    assert copy.copy(session) is session


def test_what_a_model_lacks_is_told_and_the_run_goes_on() -> None:
    lacks = MissingCapabilityError("the server has no schemas", "ask in words")
    service = Service({0: [lacks]})
    session = Session()
    call = service.call(0)
    with pytest.raises(MissingCapabilityError):
        session.call(call.request, call.make)
    assert session.call_many([service.call(1)])[0].body == {"text": "answer 1"}
    assert session.total.calls == 2


# --- the end


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


# --- arguments

SETUP = """
from decimal import Decimal
from llm_adapters.session import *
from mechanisms.language_models import TableModel
nan, inf = float("nan"), float("inf")
r = Request("a", "m", "chat", {})
def make(seconds): return Answer({})
s = Session()
model = RecordedModel(TableModel({"?": {"a": 1}}), s, name="m")
"""

REFUSED = {
    "Session(concurrency=0)": "concurrency is not a count",
    "Session(concurrency=True)": "concurrency is not a count",
    "Session(concurrency=2.0)": "concurrency is not a count",
    "Session(time_limit=0)": "time_limit is not a time",
    "Session(time_limit=nan)": "time_limit is not a time",
    "Session(time_limit=inf)": "time_limit is not a time",
    "Session(time_limit=True)": "time_limit is not a time",
    "Session(time_limit='1')": "time_limit is not a time",
    "Session(time_limit=10**400)": "time_limit is not a time",
    "Session(grace=-1)": "grace is not a time",
    "Session(seed=-1)": "seed is not a count",
    "Session(budget=5)": "budget is of another kind",
    "Session(retries=5)": "retries is of another kind",
    "Session(prices=5)": "prices are not a mapping",
    "Session(prices={'m': 5})": "prices are not prices of a model",
    "Session(prices={5: Prices(1, 1)})": "prices are not prices of a model",
    "Session(pause=5)": "pause cannot be called",
    "Session(record=5)": "record is not a path",
    "Session(record='')": "record is not a path",
    "Session(replay='a\\0b')": "replay is not a path",
    "Session(record='a', replay='b')": "replay is given beside record",
    "s.call(5, make)": "request is not a request",
    "s.call(r, 5)": "make cannot be called",
    "s.call(r, make, at_most=5)": "at_most cannot be called",
    "s.call(r, lambda seconds: 'text')": "make returned something",
    "s.call_many([5])": "calls hold something that is not a Call",
    "s.call_many(5)": "calls are not a sequence",
    "s.count_failure('')": "agent is not a name",
    "Usage(calls=-1)": "calls is not a count",
    "Usage(failures=0.5)": "failures is not a count",
    "Usage(input_tokens=True)": "input_tokens is not a count",
    "Usage(money=-1)": "money is negative",
    "Usage(money=0.5)": "money is a float",
    "s.count_failure(5)": "agent is not a name",
    "Budget(calls=-1)": "calls is not a count",
    "Budget(calls=True)": "calls is not a count",
    "Budget(calls=1.0)": "calls is not a count",
    "Budget(tokens='5')": "tokens is not a count",
    "Budget(money=0.5)": "money is a float",
    "Budget(money=nan)": "money is a float",
    "Budget(money=-1)": "money is negative",
    "Budget(money='much')": "money is not a number",
    "Prices(0.1, 1)": "input is a float",
    "Prices(1, '-1')": "output is negative",
    "Prices(1, None)": "output is not a number",
    "Retries(attempts=0)": "attempts is not a count",
    "Retries(attempts=True)": "attempts is not a count",
    "Retries(first=-1.0)": "first is not a time",
    "Retries(first=nan)": "first is not a time",
    "Retries(longest=inf)": "longest is not a time",
    "Request('', 'm', 'chat', {})": "agent is not a name",
    "Request('a', 5, 'chat', {})": "model is not a name",
    "Request('a', 'm', None, {})": "method is not a name",
    "Request('a', 'm', 'chat', [])": "body is not a mapping",
    "Request('a', 'm', 'chat', {'Authorization': 'x'})": "body may hold a key",
    "Request('a', 'm', 'chat', {'api_key': 'x'})": "body may hold a key",
    "Answer('text')": "body is not a mapping",
    "Answer({}, -1)": "input_tokens is not a count",
    "Answer({}, 1, True)": "output_tokens is not a count",
    "Answer({}, 1, 1.5)": "output_tokens is not a count",
    "RecordedModel(None, s, name='m')": "model is missing",
    "RecordedModel(5, s, name='m')": "model does not work as LanguageModel",
    "RecordedModel(TableModel({'?': {'a': 1}}), None, name='m')": "session is not a Session",
    "RecordedModel(TableModel({'?': {'a': 1}}), s, name='')": "name is not a name",
    "RecordedModel(TableModel({'?': {'a': 1}}), s, name='m', agent=5)": "agent is not a name",
    "RecordedModel(TableModel({'?': {'a': 1}}), s, name=3)": "name is not a name",
    "RecordedModel(TableModel, s, name='m')": "model is a class",
    "model.sample('?', 1, None)": "rng is no",
    "model.sample(5, 1, None)": "prompt is no text",
    "model.log_prob('?', 'a')": "replies are no sequence",
}


def test_nonsense_is_refused_by_name_before_any_call() -> None:
    found = outcomes(SETUP, [*REFUSED, "s.total.calls", "Session(concurency=3)"])
    told = {expression: outcome.split(": ", 1) for expression, outcome in found.items()}
    for expression, start in REFUSED.items():
        kind, text = told[expression]
        assert kind.endswith("Error"), expression
        assert kind not in ("TypeError", "AttributeError", "ValueError"), (expression, text)
        assert text.startswith(start), (expression, text)
    assert found["s.total.calls"] == "value: 1", "only the one that returned a text was made"
    assert found["Session(concurency=3)"].startswith("TypeError")


COST = """
import os, tempfile, time
from llm_adapters.session import *

def make(seconds):
    return Answer({"text": "word " * 60}, 200, 60)

def cost(first, **options):
    with Session(budget=Budget(tokens=10**9), **options) as session:
        start = time.process_time()
        for i in range(first, first + 200):
            body = {"messages": [{"role": "user", "content": "word " * 200}], "seed": i}
            request = Request("a", "m", "chat", body)
            session.call(request, make, at_most=lambda: (300, 300))
        return (time.process_time() - start) / 200

def record(first):
    with tempfile.TemporaryDirectory() as folder:
        return cost(first, record=os.path.join(folder, "record"))
"""


def test_a_session_costs_far_less_than_a_millisecond_a_call() -> None:
    """In seconds of the processor, so that a busy machine counts little; the best of seven."""
    asked = [f"{way}({1000 * i})" for i in range(7) for way in ("cost", "record")]
    found = outcomes(COST, asked)
    times = {
        way: min(float(found[one][7:]) for one in asked if one.startswith(way))
        for way in ("cost", "record")
    }
    assert max(times.values()) < 0.0005, times
