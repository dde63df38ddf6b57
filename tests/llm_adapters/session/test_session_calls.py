"""Calls of a session: order, attempts, pauses, errors."""

from __future__ import annotations

import copy
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from session_runs import Service, busy, lines, request

from llm_adapters.errors import (
    CallError,
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


@pytest.mark.parametrize(("given", "least"), [(None, 120), (30, 30), (900, 900)])
def test_an_attempt_may_take_all_the_time_that_a_call_is_given(
    given: float | None, least: float
) -> None:
    """A slow server is not asked again and again for what takes it three minutes."""
    had: list[float] = []

    def make(seconds: float) -> Answer:
        had.append(seconds)
        return Answer({})

    Session(call_limit=given).call(request(), make)
    assert least - 1 < had[0] <= least


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
