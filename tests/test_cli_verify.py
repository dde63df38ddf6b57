"""The commands verify, explain and claims, as a user meets them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import mechproof
from mechproof.cli import main
from mechproof.run import RunResult

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ("--module", "sample_claims", "--paper", "sample", "--jobs", "1")
BROKEN = ("--module", "sample_broken", "--jobs", "1")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="mechproof")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "mechproof", *arguments]


def environment(*paths: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, *paths)))}


def refused(result: Result, *words: str) -> None:
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output
    for word in words:
        assert word in result.stderr


def test_all_as_expected(tmp_path: Path) -> None:
    page, report = tmp_path / "report.html", tmp_path / "report.json"
    result = run("verify", *SAMPLE, "--json", str(report), "--html", str(page))
    assert result.exit_code == 0
    assert "4 claims (2 hold, 1 refuted, 1 measured): every one as expected" in result.stdout
    assert result.stderr.splitlines()[0] == "[1/4] sample.squares: holds (0.0 s)"
    assert len(result.stderr.splitlines()) == 4
    assert json.loads(report.read_text(encoding="utf-8"))["agrees"] is True
    assert "</html>" in page.read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.json"]


def test_a_disagreement_is_status_1() -> None:
    result = run("verify", *BROKEN, "--claim", "broken.unexpected")
    assert result.exit_code == 1
    assert "expected refuted, found holds" in result.stdout
    result = run("verify", *BROKEN, "--claim", "broken.weak")
    assert result.exit_code == 1
    assert "needs strength exact, reached tested" in result.stdout


def test_an_error_is_status_2_and_reported(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    result = run("verify", *BROKEN, "--paper", "broken", "--json", str(report))
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert "broken.raises: error: ZeroDivisionError" in result.stdout
    claims = json.loads(report.read_text(encoding="utf-8"))["claims"]
    assert [bool(claim["error"]) for claim in claims] == [True, False, False]


def test_unknown_names_are_one_line_with_the_nearest() -> None:
    module = ("--module", "sample_claims")
    refused(run("verify", *module, "--claim", "sample.square"), "'sample.squares'")
    refused(run("verify", *module, "--paper", "sampler"), "did you mean 'sample'")
    refused(run("verify", "--module", "sample_claim"), "did you mean 'sample_claims'")
    refused(run("verify", *module, "--profile", "ful"), "did you mean 'full'")
    refused(run("explain", "sample.square", *module), "ID is unknown", "'sample.squares'")


@pytest.mark.parametrize("bad", [["--seed", "-1"], ["--jobs", "0"], ["--seed", "x"], ["--what"]])
def test_wrong_options_are_status_2(bad: Sequence[str]) -> None:
    result = run("verify", *SAMPLE, *bad)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_a_path_that_cannot_be_written_stops_the_run_before_it_starts(tmp_path: Path) -> None:
    report, page = tmp_path / "report.json", tmp_path / "no" / "report.html"
    refused(run("verify", *SAMPLE, "--json", str(report), "--html", str(page)), "--html")
    refused(run("verify", *SAMPLE, "--json", str(tmp_path)), "--json", "is a folder")
    assert not list(tmp_path.iterdir())


def test_an_error_of_ours_is_status_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(result: RunResult, **options: object) -> str:
        raise RuntimeError("bug")

    monkeypatch.setattr("mechproof.report.table.render", broken)
    result = run("verify", *SAMPLE)
    assert result.exit_code == 2
    assert "this is an error in mechproof itself" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no broken pipes")
def test_a_reader_that_goes_away_is_no_disagreement() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        command("claims"),
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        check=False,
    )
    os.close(write)
    assert done.returncode == 141
    assert done.stderr == ""


def test_a_terminal_without_these_signs_gets_question_marks() -> None:
    done = subprocess.run(
        command("explain", "sample.primes", "--module", "sample_claims"),
        capture_output=True,
        encoding="latin-1",
        env={**environment(ROOT / "tests"), "PYTHONIOENCODING": "latin-1"},
        check=False,
    )
    assert done.returncode == 0
    assert "n² + n + 41 is prime for every n ? 0." in done.stdout


def test_the_claims_are_listed() -> None:
    result = run("claims", "--module", "sample_claims")
    assert result.exit_code == 0
    line = next(line for line in result.stdout.splitlines() if line.startswith("sample.primes "))
    assert line.split() == [
        *("sample.primes", "theorem", "sample,", "theorem", "2", "&", "<remark>", "refuted")
    ]


def test_a_claim_is_explained() -> None:
    result = run("explain", "sample.primes", "--module", "sample_claims")
    assert result.exit_code == 0
    assert "1681 is divisible by 41" in result.stdout
    assert "sample_claims.py:" in result.stdout
    assert result.stderr == ""
    assert run("explain", "broken.raises", "--module", "sample_broken").exit_code == 2


def test_help_and_version_load_nothing_heavy() -> None:
    assert run("--version").stdout.split()[-1] == mechproof.__version__
    for name in ("verify", "explain", "claims", "solve", "schema", "example"):
        assert name in run("--help").stdout
        assert run(name, "--help").exit_code == 0
    heavy = {"numpy", "rich", "jinja2", "matplotlib", "sympy", "flint", "multiprocessing"}
    script = f"import sys, mechproof.cli; print(sorted({heavy!r} & set(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert loaded.stdout.strip() == "[]"


def test_claims_of_ones_own_are_found_in_the_current_folder_by_workers_too(tmp_path: Path) -> None:
    package = tmp_path / "mypackage"
    package.mkdir()
    source = (ROOT / "tests" / "sample_claims.py").read_text(encoding="utf-8")
    (package / "claims.py").write_text(source.replace('"sample.', '"mine.'), encoding="utf-8")
    arguments = ("verify", "--module", "mypackage.claims", "--paper", "mine", "--jobs", "2")
    done = subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "every one as expected" in done.stdout


HEEDING_INTERRUPTS = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)
"""Runs a program that heeds SIGINT even where these tests run in the background, which does not."""


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups")
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_is_status_130_and_leaves_nothing_behind(tmp_path: Path, jobs: int) -> None:
    (tmp_path / "sleepy.py").write_text(
        "import sample_broken as b\nCLAIMS = (b.SOUND[0], b.SLEEPS)\n", encoding="utf-8"
    )
    (tmp_path / "out").mkdir()
    arguments = ("--module", "sleepy", "--jobs", str(jobs), "--json", "out/report.json")
    chosen = ("--claim", "sample.squares", "--claim", "broken.sleeps")
    process = subprocess.Popen(
        [sys.executable, "-c", HEEDING_INTERRUPTS, *command("verify", *arguments, *chosen)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env=environment(ROOT / "tests"),
        start_new_session=True,
    )
    with process:
        assert process.stderr is not None
        assert "sample.squares: holds" in process.stderr.readline()
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        # Ends only when no process of the group holds the pipes any more.
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "interrupted" in errors
        assert "Traceback" not in errors
        assert not list((tmp_path / "out").iterdir())


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that cannot be caught")
def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    (tmp_path / "sleepy.py").write_text(
        "import sample_broken as b\nCLAIMS = (b.SOUND[0], b.SLEEPS)\n", encoding="utf-8"
    )
    chosen = ("--claim", "sample.squares", "--claim", "broken.sleeps")
    process = subprocess.Popen(
        command("verify", "--module", "sleepy", "--jobs", "2", *chosen),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env=environment(ROOT / "tests"),
    )
    with process:
        assert process.stderr is not None
        assert "sample.squares: holds" in process.stderr.readline()
        process.kill()
        # Ends only when no worker holds the pipes any more.
        process.communicate(timeout=30)


def test_a_folder_named_papers_does_not_hide_ours(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "__init__.py").touch()
    (tmp_path / "mine.py").write_text("CLAIMS = ()\n", encoding="utf-8")
    script = "import sys; sys.path.pop(0); from mechproof.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "claims", "--module", "mine"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=environment(),
    )
    assert "volition.lemma-a1" in done.stdout


def test_two_reports_in_one_file_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "report")
    refused(run("verify", *SAMPLE, "--json", path, "--html", path), "name the same file")
