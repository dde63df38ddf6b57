"""The file of a record: what is written, what is read, and what is refused."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from session_runs import Service, busy, lines, request
from sweeps import examples

from llm_adapters.errors import (
    BudgetSpentError,
    CallError,
    MissingAnswerError,
    MissingCapabilityError,
    RecordError,
)
from llm_adapters.session import Answer, Budget, Call, Request, Session
from llm_adapters.session._json import canonical
from llm_adapters.session._lines import Entry
from llm_adapters.session._record import Writer, parse
from theory.errors import InvalidInputError

HEADER = b'{"format":"mechproof record","version":1}\n'


def never(seconds: float) -> Answer:
    raise AssertionError("a call was made")


def openings(path: Path) -> list[Callable[[], Session]]:
    """The two ways in which a session reads a record."""
    return [lambda: Session(record=path), lambda: Session(replay=path)]


def recorded(path: Path, n: int = 5, **options: Any) -> Service:
    service = Service()
    with Session(record=path, **options) as session:
        session.call_many([service.call(i) for i in range(n)])
    return service


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
        while i == 1 and session.total.calls - session._turns._active < 1:
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


# --- values


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=()), max_size=5), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=examples(40))
@given(st.dictionaries(st.text(max_size=4), JSON, max_size=3), JSON)
def test_whatever_json_holds_comes_back_as_it_was_given(
    tmp_path_factory: pytest.TempPathFactory, body: dict[str, Any], value: Any
) -> None:
    path = tmp_path_factory.mktemp("values") / "record"
    asked = Request("a\ud800", "m\u2028", "\x00", body) if not bad_names(body) else request()
    with Session(record=path) as session:
        given_now = session.call(asked, lambda seconds: Answer({"value": value}))
    with Session(replay=path) as session:
        found = session.call(asked, never)
    assert same(found.body, given_now.body)
    assert found.text == given_now.text
    if not has_halves(value):
        assert same(found.body["value"], value)


def bad_names(body: dict[str, Any]) -> bool:
    try:
        Request("a", "m", "x", body)
    except InvalidInputError:
        return True
    return False


def has_halves(value: Any) -> bool:
    return (
        "\\ud" in json.dumps(value, ensure_ascii=False).encode("ascii", "backslashreplace").decode()
    )


def same(one: Any, two: Any) -> bool:
    """Whether two values are the same, types and the signs of zeros included."""
    if type(one) is not type(two):
        return False
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, float):
        return one == two and math.copysign(1, one) == math.copysign(1, two)
    return bool(one == two)


def test_halves_of_surrogate_pairs_are_joined_or_kept() -> None:
    assert Answer({"t": "\ud83d\ude00"}).body == {"t": "\U0001f600"}
    assert Answer({"t": "a\ud83d"}).body == {"t": "a\ud83d"}
    assert request("\ud83d\ude00") == request("\U0001f600")


def test_infinities_are_numbers_that_are_too_large(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        session.call(request(), lambda seconds: Answer({"p": [-math.inf, math.inf, -0.0]}))
    assert b'"p":[-1e999,1e999,-0.0]' in lines(path)[1]
    with Session(replay=path) as session:
        assert session.call(request(), never).body["p"] == [-math.inf, math.inf, 0.0]


DEEP: Any = []
for _ in range(101):
    DEEP = [DEEP]

NOT_JSON = [
    ({"p": [0.5, math.nan]}, r"body\.p\[1\] is NaN"),
    ({"p": np.float64("nan")}, r"body\.p is NaN"),
    ({"a": {"b": {1, 2}}}, r"body\.a\.b is a set"),
    ({"a": [b"x"]}, r"body\.a\[0\] is a bytes"),
    ({"a": np.int64(3)}, r"body\.a is a int64"),
    ({"a": np.zeros(2)}, r"body\.a is a ndarray"),
    ({"a": {1: 2}}, r"body\.a is a key that is not text"),
    ({"a": {"\ud83d\ude00": 1, "\U0001f600": 2}}, r"body\.a has two keys that are written alike"),
    ({"a": 10**5000}, r"body\.a has more than 4300 digits"),
    ({"a": DEEP}, r"body\.a(\[0\])+ is nested more than 100 deep"),
]


@pytest.mark.parametrize(("body", "told"), NOT_JSON)
def test_what_json_does_not_have_is_refused_by_its_place(body: dict[str, Any], told: str) -> None:
    for make in (lambda: Answer(body), lambda: Request("a", "m", "chat", body)):
        with pytest.raises(InvalidInputError, match=told):
            make()


def test_a_circle_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["again"] = [circle]
    with pytest.raises(InvalidInputError, match="nested more than 100 deep"):
        Answer(circle)


def test_an_answer_that_cannot_be_written_is_an_error_of_the_call(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session, pytest.raises(InvalidInputError, match="is NaN"):
        session.call(request(), lambda seconds: Answer({"p": math.nan}))
    assert len(lines(path)) == 1


def test_answers_are_copies() -> None:
    body = {"list": [1]}
    answer, asked = Answer(body), Request("a", "m", "chat", body)
    body["list"].append(2)
    assert answer.body == asked.body == {"list": [1]}


def test_canonical_text_agrees_with_the_standard_library() -> None:
    value = {"b": [1, 2.5, True, None, 'é\n"\\\x01\x7f\u2028'], "a": {"z": {}, "y": []}, "é": 1e-7}
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical(value, "value") == written


def test_huge_texts(tmp_path: Path) -> None:
    path = tmp_path / "record"
    text = "ä\n" * 700_000
    with Session(record=path) as session:
        session.call(request(text), lambda seconds: Answer({"text": text}))
    with Session(replay=path) as session:
        assert session.call(request(text), never).body == {"text": text}
        with pytest.raises(MissingAnswerError) as told:
            session.call(request(text + "!"), never)
    assert len(str(told.value)) < 1000


# --- damage


def run_again(path: Path, n: int = 5) -> list[int]:
    """Go on from a record, and return what was asked anew; all answers must be right."""
    again = Service()
    with Session(record=path, concurrency=1) as session:
        found = session.call_many([again.call(i, note="é") for i in range(n)])
    assert [answer.body["text"] for answer in found] == [f"answer {i}" for i in range(n)]
    return again.asked


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "record"
    run_again(path, 4)
    return path.read_bytes()


def test_one_wrong_byte_is_never_a_wrong_answer(tmp_path: Path, whole: bytes) -> None:
    rng = np.random.default_rng(0)
    for place in range(len(whole) - 1):
        for byte in {whole[place] ^ (1 << int(rng.integers(8))), 0, 10, 34} - {whole[place]}:
            damaged = whole[:place] + bytes([byte]) + whole[place + 1 :]
            number = whole[:place].count(b"\n") + 1
            told = f"^line {number} of .* (is damaged|is not the header|is of version|has no end)"
            with pytest.raises(RecordError, match=told):
                parse(tmp_path, damaged)


def test_a_wrong_byte_stops_a_session_and_the_file_stays(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "record"
    for place in range(3, len(whole) - 1, 53):
        damaged = whole[:place] + b"\0" + whole[place + 1 :]
        path.write_bytes(damaged)
        for opened in openings(path):
            with pytest.raises(RecordError, match=r"^line "):
                opened()
        assert path.read_bytes() == damaged


def test_a_wrong_byte_at_the_end_costs_the_last_call(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "record"
    for byte in (0, 34, 125, 255):
        path.write_bytes(whole[:-1] + bytes([byte]))
        assert run_again(path, 4) == [3]
        assert path.read_bytes() == whole


def test_a_file_cut_anywhere_loses_the_cut_line_alone(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "record"
    ends = [sum(map(len, whole.splitlines(keepends=True)[: n + 1])) for n in range(5)]
    near = {end + by for end in ends for by in (-2, -1, 0, 1)}
    for length in sorted(near | set(range(0, len(whole), 11))):
        if length > len(whole):
            continue
        path.write_bytes(whole[:length])
        kept = sum(length >= end - 1 for end in ends[1:])
        assert run_again(path, 4) == list(range(kept, 4)), length
        assert path.read_bytes() == whole


@settings(max_examples=examples(50), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_damage_is_an_error_or_harmless(
    tmp_path: Path, whole: bytes, data: st.DataObject
) -> None:
    path = tmp_path / "record"
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 60)))
    put = data.draw(st.binary(max_size=20) | st.just(whole[start:end] * 2) | st.just(b"\n"))
    path.write_bytes(whole[:start] + put + whole[end:])
    try:
        asked = run_again(path, 4)
    except RecordError:
        return
    assert set(asked) <= set(range(4))


def test_a_line_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "record"
    recorded(path, 2)
    path.write_bytes(path.read_bytes() + lines(path)[1])
    with pytest.raises(RecordError, match=r"line 4 of .* answers a request that an earlier line"):
        Session(replay=path)


def test_lines_in_another_order_are_the_same_record(tmp_path: Path) -> None:
    path = tmp_path / "record"
    run_again(path)
    first, *rest = lines(path)
    path.write_bytes(first + b"".join(reversed(rest)))
    assert run_again(path) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"# Read me\n\nThis is no record.\n", "line 1 of .* is not the header of a record"),
        (b"one line", "line 1 of .* is not the header"),
        (b"\n", "line 1 of .* is not the header"),
        (HEADER.replace(b"1", b"2"), "line 1 of .* is of version 2, which this version"),
        (HEADER + b"\n", "line 2 of .* is damaged"),
        (HEADER + b"{}\n", "line 2 of .* is damaged"),
    ],
)
def test_other_files_are_refused_and_left_alone(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "record"
    path.write_bytes(content)
    for opened in openings(path):
        with pytest.raises(RecordError, match=told):
            opened()
    assert path.read_bytes() == content


def sealed(text: str) -> bytes:
    """A line that is whole, whatever it says."""
    start = text.encode()
    return start + f',"check":"{crc32(start):08x}"}}\n'.encode()


@pytest.mark.parametrize(
    "text",
    [
        "[1",
        '{"a":1',
        '{"agent":"a","model":"m","method":"c","request":{},"occurrence":0,"answer":{}',
        '{"agent":"","model":"m","method":"c","request":{},"occurrence":0,"answer":{},"tokens":[1,2]',
        '{"agent":"a","model":"m","method":"c","request":{},"occurrence":"x","answer":{},"tokens":[1,2]',
        '{"agent":"a","model":"m","method":"c","request":{},"occurrence":0,"answer":{},"tokens":[1,-2]',
        '{"agent":"a","model":"m","method":"c","request":{},"occurrence":0,"answer":{},"tokens":[1,2],"lost":3',
        '{"agent":"a","model":"m","method":"c","request":{"p":NaN},"occurrence":0,"answer":{},"tokens":[1,2]',
        '{"agent":"a","model":"m","method":"c","request":{},"occurrence":0,"lacks":"x"',
    ],
)
def test_a_line_that_says_nonsense_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "record"
    path.write_bytes(HEADER + sealed(text))
    with pytest.raises(RecordError, match=r"line 2 of .* is damaged"):
        Session(replay=path)


# --- files


def test_two_writers_at_once_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        session.call_many([Service().call(0)])
        with pytest.raises(RecordError, match="is being written by another session: wait"):
            Session(record=path)
        with Session(replay=path) as reader:
            assert reader.call(request(), never).body == {"text": "answer 0"}
    Session(record=path).close()


def test_what_comes_after_the_end_is_written_nowhere(tmp_path: Path) -> None:
    """Not even into a file that got the number of the closed one."""
    writer = Writer(tmp_path / "record")
    writer.close()
    other = os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT)
    try:
        with pytest.raises(RecordError, match="record is closed: go on from it in a new session"):
            writer.append(Entry(request(), 0, Answer({})))
        assert os.fstat(other).st_size == 0
    finally:
        os.close(other)
    assert lines(tmp_path / "record") == [HEADER]


def test_a_session_that_nobody_closed_lets_go_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "record"
    for _ in range(3):
        Session(record=path)
    assert lines(path) == [HEADER]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
    for path in (tmp_path, tmp_path / "missing" / "record", pipe):
        for opened in openings(path):
            with pytest.raises(RecordError, match=str(path)):
                opened()


def test_a_replay_of_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"record cannot be read .No such file"):
        Session(replay=tmp_path / "record")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_what_may_not_be_written_is_refused_before_any_call(tmp_path: Path) -> None:
    path = tmp_path / "record"
    recorded(path)
    path.chmod(0o400)
    with pytest.raises(RecordError, match=r"cannot be opened for writing .Permission denied"):
        Session(record=path)


FULL = """
import resource, sys
from llm_adapters.session import *
from llm_adapters.errors import RecordError

made = []

def make(seconds):
    made.append(1)
    return Answer({"text": "x" * 1000})

def cap(limit):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

def run(name, first, later):
    made.clear()
    session = None
    try:
        cap(first)
        with Session(record=name) as session:
            cap(later)
            for i in range(9):
                session.call(Request("a", "m", "chat", {"i": i}), make)
    except RecordError as error:
        cap(resource.RLIM_INFINITY)
        print(len(made), error)
    if session:
        try:
            session.call(Request("a", "m", "chat", {"i": "next"}), make)
        except RecordError as error:
            print(len(made), type(session.failure).__name__)

run("fresh", 20, 20)
run("small", 1000, 1000)
run("grown", resource.RLIM_INFINITY, 5000)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are Unix")
def test_a_full_disk_is_told_before_any_call_or_ends_the_run_whole(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    fresh, small, grown, after = done.stdout.splitlines()
    assert fresh.startswith("0 fresh cannot be written (File too large): give a file in a folder")
    assert small.startswith("0 small cannot be written")
    assert grown.startswith("5 grown cannot be written (File too large)")
    assert after == "5 RecordError"
    assert (tmp_path / "fresh").read_bytes() == b""
    assert lines(tmp_path / "small") == [HEADER]
    with Session(replay=tmp_path / "grown") as session:
        session.call_many([Call(Request("a", "m", "chat", {"i": i}), never) for i in range(4)])
