"""The file of a record: who may write it, what is no file, and a full disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from session_runs import HEADER, lines, never, openings, recorded

from dev import ROOT
from llm_adapters.errors import (
    RecordError,
)
from llm_adapters.session import Call, Request, Session


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
    with pytest.raises(RecordError, match=r"cannot be written .Permission denied"):
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
        env={**os.environ, "PYTHONPATH": str(ROOT)},
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
