"""Standard output that is full, closed or plain ASCII, and claims that are asked for by paper."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dev import ROOT
from mechproof.cli import main
from mechproof.experiments import advertising
from mechproof.problems.kind import kinds
from mechproof.registry import load

FULL = Path("/dev/full")
EARLY = ("--help", "solve -", "verify --claim bazaar.table-1")
"""Written before a command is chosen, as bytes, and a row at a time."""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="mechproof")


def redirected(arguments: str, redirection: str) -> subprocess.CompletedProcess[str]:
    """Run a command of ours below a shell, its standard input a problem."""
    program = shlex.join([sys.executable, "-m", "mechproof"])
    return subprocess.run(
        ["sh", "-c", f"{program} {arguments} {redirection}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        input=kinds()["information"].example,
        capture_output=True,
        text=True,
        check=False,
    )


def last_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line of what went wrong; before it there is progress alone."""
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "error in mechproof itself" not in done.stderr
    return done.stderr.splitlines()[-1] if done.stderr else ""


@pytest.mark.skipif(not FULL.exists(), reason="no such device")
@pytest.mark.parametrize("arguments", [*EARLY, "demo inspection --model rules"])
def test_a_full_output_is_a_line_and_a_status(arguments: str) -> None:
    done = redirected(arguments, f"> {FULL}")
    assert last_of(done).startswith("mechproof: standard output cannot be written (No space left")
    assert done.returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize("arguments", EARLY)
def test_a_closed_output_is_a_line_and_a_status(arguments: str) -> None:
    done = redirected(arguments, ">&-")
    assert last_of(done).startswith("mechproof: standard output is closed: ")
    assert done.stderr.count("\n") == 1
    assert done.returncode == 2


@pytest.mark.skipif(not FULL.exists(), reason="no such device")
@pytest.mark.parametrize("redirection", ["2>&-", f"2> {FULL}"])
def test_a_lost_error_line_changes_no_status(redirection: str) -> None:
    assert redirected("--version", redirection).returncode == 0
    for wrong in ("nonsense", "schema nonsense"):
        done = redirected(wrong, redirection)
        assert (done.returncode, done.stdout) == (2, ""), wrong


@pytest.mark.parametrize("paper", ["volition", "bazaar"])
def test_a_paper_is_explained_by_the_list_of_its_claims(paper: str) -> None:
    expected = [claim.id for claim in load().claims if claim.paper == paper]
    result = run("explain", paper)
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == expected
    assert result.stdout.splitlines()[-1].split()[-1] == str(load().claim(expected[-1]).expected)
    assert result.stderr.startswith(f"mechproof: {paper} is a paper")


def test_a_paper_in_the_place_of_a_claim_is_said_to_be_one() -> None:
    result = run("explain", "sample", "--module", "sample_claims")
    assert result.stdout.split()[0] == "sample.squares"
    result = run("explain", "volitoin")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "did you mean 'volition'?" in result.stderr
    result = run("verify", "--claim", "volition")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--claim is a paper (got 'volition'): give --paper volition" in result.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_what_a_program_prints_is_no_error_under_any_encoding(encoding: str) -> None:
    """Reports, findings and tables of all kinds, printed by a script."""
    program = (ROOT / "tests" / "installed" / "printing.py").read_text("utf-8")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        encoding=encoding,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["printed"] > 5


@pytest.mark.parametrize("done", [0, 3])
def test_an_experiment_that_is_interrupted_says_that_it_goes_on(
    done: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    command = (
        "experiment",
        "advertising",
        "--out",
        str(folder),
        "--model",
        "advertising_models:toy",
    )
    small = ("--queries", "2", "--seeds", "3", "--candidates", "2", "--jobs", "1")
    calls = []

    def record(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) > done:
            raise KeyboardInterrupt
        return whole(*arguments)

    whole = advertising._record
    with monkeypatch.context() as patch:
        patch.setattr(advertising, "_record", record)
        result = run(*command, *small)
    assert result.exit_code == 130
    assert f"what was done is in {folder}; the same command goes on from there" in result.stderr
    assert result.stderr.splitlines()[-1] == "mechproof: interrupted"
    rows = (folder / "rows.jsonl").read_text("utf-8").splitlines()
    assert len(rows) == done
