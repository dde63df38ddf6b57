"""A person at the terminal in the experiments of the arena: asked once, stopped, gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dev import ROOT
from mechproof.cli import main

ARGUMENTS = [
    *("experiment", "arena", "--bidder", "me=person", "--budget", "10000", "--no-draw"),
    *("--order", "ascending", "--games", "2"),
]


def typed(out: Path, answers: list[str]) -> Result:
    text = "".join(f"{each}\n" for each in answers)
    return CliRunner().invoke(main, [*ARGUMENTS, "--out", str(out)], input=text)


def play(out: Path, stop_after: int | None = None, start: int = 0) -> tuple[Result, int]:
    """Answer every question with the least bid the first time, then withdraw."""
    answers = ["1000"] + ["withdraw"] * 60
    given = answers[start:] if stop_after is None else [*answers[start:stop_after], ":quit"]
    done = typed(out, given)
    return done, done.output.count("— me, to bid —")


def rows(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "games.jsonl").read_text("utf-8").splitlines()]


def test_a_person_bids_and_is_told_how_each_game_ended(tmp_path: Path) -> None:
    done, asked = play(tmp_path)
    assert done.exit_code == 0, done.output
    assert "Game 1 of 2: me, 10,000, ascending" in done.output
    assert "Game 2 of 2: me, 10,000, ascending" in done.output
    assert done.output.count("money left") == 2
    assert asked == sum(row["usage"]["me"]["answers"] for row in rows(tmp_path))
    first = next(move for move in rows(tmp_path)[0]["moves"] if move[2] == "me")
    assert first == [0, 0, "me", "1000", "bid"]
    assert all(row["unanswered"] == [] for row in rows(tmp_path))


@pytest.mark.parametrize("stop_after", [0, 1, 7, 15])
def test_a_person_who_stops_is_asked_nothing_twice(tmp_path: Path, stop_after: int) -> None:
    whole, asked = play(tmp_path / "whole")
    assert whole.exit_code == 0
    stopped, before = play(tmp_path / "part", stop_after)
    assert stopped.exit_code == 130
    assert before == stop_after + 1
    assert "the same command goes on from there" in stopped.output
    done, rest = play(tmp_path / "part", start=stop_after)
    assert done.exit_code == 0, done.output
    assert rest == asked - stop_after
    one, two = ((tmp_path / name / "games.jsonl").read_bytes() for name in ("whole", "part"))
    assert one == two


def test_what_cannot_be_bid_is_asked_again_and_is_no_failed_bid(tmp_path: Path) -> None:
    done = typed(tmp_path, ["99", "a lot", "1e9", "-1000", "1000.5", *["withdraw"] * 60])
    assert done.exit_code == 0, done.output
    assert done.output.count("That is not possible") >= 4
    assert all(row["failed"] == [] for row in rows(tmp_path))


def test_ctrl_c_at_a_question_ends_at_once_and_keeps_what_was_answered(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mechproof", *ARGUMENTS, "--out", str(tmp_path)]
    run = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert run.stdin is not None
    assert run.stdout is not None
    asked = 0
    for line in run.stdout:
        asked += "— me, to bid —" in line
        if asked == 1 and line.startswith("— me"):
            run.stdin.write("withdraw\n")
            run.stdin.flush()
        if asked == 2:
            break
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=60) == 130
    run.stdin.close()
    run.stdout.close()
    done, rest = play(tmp_path, start=1)
    assert done.exit_code == 0
    assert rest + 1 == sum(row["usage"]["me"]["answers"] for row in rows(tmp_path))
