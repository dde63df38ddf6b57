"""Damage to the file of a record: an error or harmless, never a wrong answer."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from session_runs import HEADER, Service, lines, openings, recorded
from sweeps import examples

from llm_adapters.errors import (
    RecordError,
)
from llm_adapters.session import Session
from llm_adapters.session._lines import read_line
from llm_adapters.session._record import parse


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


@pytest.mark.parametrize(
    "parts",
    [
        '"occurrence":0,"tokens":[1,2],"attempts":1e999',
        '"occurrence":0,"tokens":[1,2],"attempts":2.5',
        '"occurrence":0,"tokens":[1,2],"attempts":0',
        '"occurrence":0,"tokens":[1,2],"attempts":"3"',
        '"occurrence":0,"tokens":[1,2],"attempts":true',
        '"occurrence":1e999,"tokens":[1,2]',
        '"occurrence":-1,"tokens":[1,2]',
        '"occurrence":"0","tokens":[1,2]',
        '"occurrence":0,"tokens":[1,2],"lost":[-5,0]',
        '"occurrence":0,"tokens":[1,2],"lost":[0,1.5]',
        '"occurrence":0,"tokens":[1,2],"lost":[NaN,0]',
        '"occurrence":0,"tokens":[1,2],"lost":[0]',
        '"occurrence":0,"tokens":[1,2],"lost":5',
        f'"occurrence":0,"tokens":[1,{10**4_200}]',
        f'"occurrence":0,"tokens":[1,2],"attempts":{10**4_200}',
    ],
)
def test_sealed_lines_with_counts_that_are_none_are_damaged(parts: str, tmp_path: Path) -> None:
    request = Service().call(0).request
    unsealed = b"{" + request.key + b',"answer":{"text":"x"},' + parts.encode()
    line = unsealed + b',"check":"%08x"}' % crc32(unsealed)
    assert read_line(line) is None
    with pytest.raises(RecordError, match=r"^line 2 of .* is damaged"):
        parse(tmp_path, HEADER + b"\n" + line + b"\n" + line + b"\n")


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
        '{"agent":"a","model":"m","method":"c","request":{},"occurrence":0,"lacks":{"problem":1,"fix":"x"}',
        '{"agent":"a","model":"m","method":"c","request":{},"occurrence":0,"lacks":{"problem":"x","fix":[]}',
    ],
)
def test_a_line_that_says_nonsense_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "record"
    path.write_bytes(HEADER + sealed(text))
    with pytest.raises(RecordError, match=r"line 2 of .* is damaged"):
        Session(replay=path)
