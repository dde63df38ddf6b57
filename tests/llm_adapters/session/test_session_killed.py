"""Runs that are killed half-way, and started again from their records."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from session_killed import REQUESTS, request, run
from session_runs import lines

from dev import ROOT
from llm_adapters.session import Answer, Call, Session

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kill -9 is Unix")

PLANS: dict[str, dict[str, Any]] = {
    "whole": {},
    "header": {"write": 1, "until": 20},
    "before_line": {"write": 6, "until": 0},
    "in_line": {"write": 7, "until": 100},
    "without_end": {"write": 9, "until": -1},
    "after_line": {"write": 8, "until": None},
    "alone": {"answer": 5},
    "together_in_line": {"write": 18, "until": 150},
    "together": {"answer": 17},
    "last": {"write": REQUESTS + 1, "until": -2},
}
"""How runs end: the header is the first write, and there are 12 lines before four calls at once."""


@dataclass(frozen=True)
class Runs:
    """Runs that were killed: their folder, and what was recorded and asked by then."""

    folder: Path
    kept: dict[str, set[int]]
    asked: dict[str, list[int]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("killed")
    for name, plan in PLANS.items():
        (folder / f"{name}.json").write_text(json.dumps(plan))
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, str(here / "session_killed.py"), str(folder)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "tests" / "helpers"))),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    ends = dict(line.split() for line in done.stdout.splitlines())
    assert ends.pop("whole") == "0"
    assert ends == dict.fromkeys(ends, str(int(signal.SIGKILL)))
    assert len(ends) == len(PLANS) - 1
    return Runs(
        folder,
        {name: answered((folder / f"{name}.record").read_bytes()) for name in PLANS},
        {name: billed(folder, name) for name in PLANS},
    )


def billed(folder: Path, name: str) -> list[int]:
    bill = folder / f"{name}.bill"
    return [int(line) for line in bill.read_text().splitlines()] if bill.exists() else []


def answered(data: bytes) -> set[int]:
    """Which calls a record answers: of two that are the same, by their number of occurrence."""
    found: set[int] = set()
    for line in data.split(b"\n")[1:]:
        try:
            found.add(json.loads(line)["tokens"][0])
        except ValueError:
            continue
    return found


@pytest.mark.parametrize("name", [name for name in PLANS if name != "whole"])
def test_a_killed_run_goes_on_as_if_nothing_had_happened(runs: Runs, name: str) -> None:
    path = runs.folder / f"{name}.record"
    kept, before = runs.kept[name], runs.asked[name]
    under_way = 4 if len(before) > REQUESTS // 2 else 1
    assert kept <= set(before)
    assert len(set(before) - kept) <= under_way, "an answer that was there is lost"
    answers = run(path, runs.folder / f"{name}.bill")
    assert answers == [f"It is {i}." * 30 for i in range(REQUESTS)]
    asked_again = billed(runs.folder, name)[len(before) :]
    assert sorted(asked_again) == sorted(set(range(REQUESTS)) - kept)
    assert sorted(lines(path)) == sorted(lines(runs.folder / "whole.record"))


def test_the_runs_ended_where_they_should(runs: Runs) -> None:
    """Else the test above would be of less than it says."""
    found = {name: len(kept) for name, kept in runs.kept.items()}
    together = found.pop("together")
    assert REQUESTS // 2 <= together < REQUESTS
    assert found == {
        "whole": REQUESTS,
        "header": 0,
        "before_line": 4,
        "in_line": 5,
        "without_end": 8,
        "after_line": 7,
        "alone": 4,
        "together_in_line": 16,
        "last": REQUESTS - 1,
    }
    assert runs.asked["header"] == []


def test_the_same_request_has_its_answers_in_order(runs: Runs) -> None:
    def never(seconds: float) -> Answer:
        raise AssertionError("a call was made")

    with Session(replay=runs.folder / "whole.record") as session:
        found = session.call_many([Call(request(i), never) for i in range(REQUESTS)])
    assert [answer.body["text"] for answer in found] == [
        f"It is {i}." * 30 for i in range(REQUESTS)
    ]
    assert len({request(i) for i in range(REQUESTS)}) < REQUESTS
