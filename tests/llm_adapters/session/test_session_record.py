"""A record: what is written of calls, and how it is read."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from session_runs import HEADER, Service, busy, lines, never, openings, recorded, request

from llm_adapters.errors import (
    BudgetSpentError,
    CallError,
    MissingAnswerError,
    MissingCapabilityError,
)
from llm_adapters.session import Answer, Budget, Call, Request, Session

# --- what is written


def test_a_line_is_json_and_says_all(tmp_path: Path) -> None:
    path = tmp_path / "record"
    recorded(path, 1)
    header, line = lines(path)
    assert header == HEADER
    data = json.loads(line)
    assert data.pop("check") == f"{crc32(line[: line.rindex(b',')]):08x}"
    assert data == {
        "agent": "buyer",
        "model": "small",
        "method": "chat",
        "request": {"i": 0},
        "occurrence": 0,
        "answer": {"text": "answer 0"},
        "tokens": [3, 4],
    }


def test_the_same_run_writes_the_same_lines(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    recorded(first, 20)
    recorded(second, 20, concurrency=1)
    assert sorted(lines(first)) == sorted(lines(second))
    assert [json.loads(line)["request"]["i"] for line in lines(second)[1:]] == list(range(20))


def test_occurrences_are_numbered_in_the_order_of_the_calls(tmp_path: Path) -> None:
    """The third of four equal requests is answered first, and still is the third."""
    path = tmp_path / "record"
    third = threading.Event()

    def make(n: int) -> Callable[[float], Answer]:
        def attempt(seconds: float) -> Answer:
            if n == 2:
                third.set()
            assert third.wait(10)
            return Answer({"n": n})

        return attempt

    with Session(record=path, concurrency=4) as session:
        session.call_many([Call(request(), make(n)) for n in range(4)])
    with Session(replay=path) as session:
        found = session.call_many([Call(request(), never) for _ in range(4)])
    assert [answer.body["n"] for answer in found] == [0, 1, 2, 3]


def test_a_failed_call_leaves_its_number_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "record"
    service = Service({0: [CallError("no", "none")]})
    with Session(record=path) as session:
        with pytest.raises(CallError):
            session.call_many([service.call(0), service.call(0)])
        session.call_many([service.call(0)])
    with Session(replay=path) as session:
        assert session.call(request(), never).body == {"text": "answer 0"}


def test_recorded_answers_are_used_first_and_count(tmp_path: Path) -> None:
    path = tmp_path / "record"
    service = Service({1: [busy(), busy(spent=True)]})
    options: dict[str, Any] = {"pause": lambda seconds: None, "budget": Budget(tokens=1000)}
    with Session(record=path, **options) as session:
        session.call_many([service.call(i, at_most=(5, 5)) for i in range(3)])
        used = session.usage
    again = Service()
    with Session(record=path, **options) as session:
        answers = session.call_many([again.call(i, at_most=(5, 5)) for i in range(4)])
        assert session.total.calls == used["buyer"].calls + 1
    assert again.asked == [3]
    assert [answer.body["text"] for answer in answers] == [f"answer {i}" for i in range(4)]
    assert (answers[1].input_tokens, answers[1].output_tokens) == (3, 4)
    with Session(replay=path) as session:
        session.call_many([again.call(i) for i in range(3)])
        assert session.usage == used


def test_a_budget_is_for_the_whole_run(tmp_path: Path) -> None:
    path = tmp_path / "record"
    recorded(path, 3)
    again = Service()
    with (
        Session(record=path, budget=Budget(calls=4), concurrency=1) as session,
        pytest.raises(BudgetSpentError, match=r"4 of 4 calls are made: .* from the record"),
    ):
        session.call_many([again.call(i) for i in range(6)])
    assert again.asked == [3]
    with Session(replay=path, budget=Budget(calls=2)) as session, pytest.raises(BudgetSpentError):
        session.call_many([again.call(i) for i in range(3)])
    with Session(replay=path, budget=Budget(calls=4)) as session, pytest.raises(BudgetSpentError):
        session.call_many([again.call(i) for i in range(6)])


def lacking() -> MissingCapabilityError:
    return MissingCapabilityError("the server has no schemas", "ask in words")


def ask_twice(session: Session, service: Service) -> None:
    """Ask for what the server lacks, then in another way."""
    first = service.call(0)
    with pytest.raises(MissingCapabilityError, match="the server has no schemas: ask in words"):
        session.call(first.request, first.make)
    second = service.call(1)
    session.call(second.request, second.make)
    session.call(first.request, first.make)


def test_what_a_model_lacks_is_met_again_in_a_replay(tmp_path: Path) -> None:
    path = tmp_path / "record"
    service = Service({0: [lacking()]})
    with Session(record=path) as session:
        ask_twice(session, service)
        used = session.usage
    assert service.asked == [0, 1, 0]
    for opened in openings(path):
        again = Service()
        with opened() as session:
            ask_twice(session, again)
            assert session.usage == used
        assert again.asked == []


def test_what_a_model_lacks_is_asked_again_where_the_run_ended_with_it(tmp_path: Path) -> None:
    path = tmp_path / "record"
    for failures in ({0: [lacking()]}, {}):
        service = Service(failures)
        with Session(record=path) as session:
            try:
                session.call_many([service.call(0)])
            except MissingCapabilityError:
                assert failures
        assert service.asked == [0]
    assert len(lines(path)) == 2


def test_what_a_model_lacks_ends_a_run_whatever_is_still_answered(tmp_path: Path) -> None:
    path = tmp_path / "record"
    both, lacks = threading.Barrier(2), threading.Event()

    def during(i: int) -> None:
        both.wait(10)
        while i == 1 and session.total.calls - session._gate._active < 1:
            lacks.wait(0.001)  # until the other one has come to its end

    service = Service({0: [lacking()]}, during)
    with Session(record=path, concurrency=2) as session, pytest.raises(MissingCapabilityError):
        session.call_many([service.call(i) for i in range(2)])
    assert [b'"answer 1"' in line for line in lines(path)] == [False, True]
    again = Service()
    with Session(record=path) as session:
        session.call_many([again.call(i) for i in range(2)])
    assert again.asked == [0]


# --- what is read


def test_a_replay_makes_no_call_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "record"
    recorded(path)
    path.chmod(0o400)
    before = path.read_bytes()
    with Session(replay=path) as session:
        found = session.call_many([Call(request(i), never) for i in range(5)])
        assert session.replaying
        assert session.total.tokens == 35
        with pytest.raises(MissingAnswerError):
            session.call(request(99), never)
        assert isinstance(session.failure, MissingAnswerError)
    assert [answer.body["text"] for answer in found] == [f"answer {i}" for i in range(5)]
    assert path.read_bytes() == before


def test_keys_in_another_order_are_the_same_request(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        session.call(request(0, top={"b": 1, "a": [2]}, z=1), lambda seconds: Answer({"n": 1}))
    with Session(replay=path) as session:
        same = Request("buyer", "small", "chat", {"z": 1, "top": {"a": (2,), "b": 1}, "i": 0})
        assert session.call(same, never).body == {"n": 1}
    assert same == request(0, top={"b": 1, "a": [2]}, z=1)
    assert hash(same) == hash(request(0, top={"b": 1, "a": [2]}, z=1))


LONG = "word " * 1000

DIFFERENT = [
    (request(agent="seller"), 'agent \\("buyer" in the record, "seller" now\\)'),
    (Request("buyer", "big", "chat", request().body), 'model \\("small" in the record, "big" now'),
    (Request("buyer", "small", "embed", request().body), "method \\("),
    (request(temperature=1.0), "body.temperature \\(nothing in the record, 1.0 now\\)"),
    (request(0.0), "body.i \\(0 in the record, 0.0 now\\)"),
    (request(False), "body.i \\(0 in the record, false now\\)"),
    (request("0"), 'body.i \\(0 in the record, "0" now\\)'),
]


@pytest.mark.parametrize(("asked", "told"), DIFFERENT)
def test_a_missing_answer_names_the_field_that_differs(
    tmp_path: Path, asked: Request, told: str
) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        for known in (request(), request("another", agent="stranger", list=[1, {"x": 2}])):
            session.call(known, lambda seconds: Answer({}))
    with (
        Session(replay=path) as session,
        pytest.raises(MissingAnswerError, match=f"the nearest .* differs in {told}[^;]*: run"),
    ):
        session.call(asked, never)


def test_a_missing_answer_shows_where_long_texts_part(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        for text in ("other", LONG + "ends so" + LONG, "short"):
            session.call(request(messages=[{"content": text}]), lambda seconds: Answer({}))
    with Session(replay=path) as session, pytest.raises(MissingAnswerError) as told:
        session.call(request(messages=[{"content": LONG + "ends otherwise"}]), never)
    assert "body.messages[0].content (…" in str(told.value)
    assert "ends so" in str(told.value)
    assert "ends otherwise" in str(told.value)
    assert len(str(told.value)) < 500


def test_a_missing_answer_counts_occurrences_and_knows_an_empty_record(tmp_path: Path) -> None:
    path = tmp_path / "record"
    recorded(path, 1)
    with Session(replay=path) as session:
        session.call(request(), never)
        with pytest.raises(MissingAnswerError, match="for the 2nd time, and recorded 1 time: run"):
            session.call(request(), never)
    path.write_bytes(HEADER)
    with Session(replay=path) as session, pytest.raises(MissingAnswerError, match="it is empty"):
        session.call(request(), never)
