"""The commands verify, explain and claims, as a user meets them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import mechproof
from dev import ROOT
from mechproof.cli import main
from mechproof.registry import load
from mechproof.report import table
from mechproof.run import RunResult

SAMPLE = ("--module", "sample_claims", "--paper", "sample", "--jobs", "1")
IN_TWO = (*SAMPLE[:-1], "2")
BROKEN = ("--module", "sample_broken", "--jobs", "1")
SLEEPY = """
import sample_broken as b
CLAIMS = (b.SOUND[0], b.SLEEPS)
"""


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
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["claim", "status", "strength", "instances", "seconds", "ok"]
    ids = ["sample.squares", "sample.primes", "sample.primes.c1", "sample.mean"]
    assert [line.split()[0] for line in lines[2:6]] == ids
    assert lines[6:8] == ["", "sample.primes is refuted " + "─" * 55]
    assert lines[-1] == "4 claims (2 hold, 1 refuted, 1 measured): every one as expected"
    assert result.stderr == ""
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


@pytest.mark.parametrize("name", ["", ".", "..x", ".sample_claims", "a\0b"])
def test_a_name_that_no_module_has_is_unknown(name: str) -> None:
    refused(run("verify", "--module", name), "--module is unknown")


def test_a_package_that_fails_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "failing_package").mkdir()
    (tmp_path / "failing_package" / "__init__.py").write_text("1 / 0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    told = "module fails to import: ZeroDivisionError"
    refused(run("verify", "--module", "failing_package.claims"), told)


@pytest.mark.parametrize("bad", [["--seed", "-1"], ["--jobs", "0"], ["--seed", "x"], ["--what"]])
def test_wrong_options_are_status_2(bad: Sequence[str]) -> None:
    result = run("verify", *SAMPLE, *bad)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


@pytest.mark.parametrize("option", ["--json", "--html", "--smtlib"])
def test_a_name_that_is_too_long_is_refused_by_its_option(option: str) -> None:
    refused(run("verify", *SAMPLE, option, "x" * 300), f"{option} cannot be", "too long")


def test_a_path_that_cannot_be_written_stops_the_run_before_it_starts(tmp_path: Path) -> None:
    report, page = tmp_path / "report.json", tmp_path / "no" / "report.html"
    refused(run("verify", *SAMPLE, "--json", str(report), "--html", str(page)), "--html")
    refused(run("verify", *SAMPLE, "--json", str(tmp_path)), "--json", "is a folder")
    assert not list(tmp_path.iterdir())


def test_an_error_of_ours_is_status_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(result: RunResult, **options: object) -> str:
        raise RuntimeError("bug")

    monkeypatch.setattr("mechproof.report.table.details", broken)
    result = run("verify", *SAMPLE)
    assert result.exit_code == 2
    assert "this is an error in mechproof itself" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no broken pipes")
@pytest.mark.parametrize("arguments", [("claims",), ("verify", *SAMPLE), ("verify", *IN_TWO)])
def test_a_reader_that_goes_away_is_no_disagreement(arguments: Sequence[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        command(*arguments),
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(ROOT / "tests" / "helpers"),
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
        env={**environment(ROOT / "tests" / "helpers"), "PYTHONIOENCODING": "latin-1"},
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
    source = (ROOT / "tests" / "helpers" / "sample_claims.py").read_text(encoding="utf-8")
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


def assert_comes_first(claim_id: str, process: subprocess.Popen[str]) -> None:
    """Read the heading and the first row, while other claims are still being computed."""
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    assert lines[0].split()[0] == "claim"
    assert lines[2].split()[:5] == [claim_id, "holds", "exact", "300", "all"]
    assert process.poll() is None


HEEDING_INTERRUPTS = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)
"""Runs a program that heeds SIGINT even where these tests run in the background, which does not."""


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups")
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_is_status_130_and_leaves_nothing_behind(tmp_path: Path, jobs: int) -> None:
    (tmp_path / "sleepy.py").write_text(SLEEPY, encoding="utf-8")
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
        env=environment(ROOT / "tests" / "helpers"),
        start_new_session=True,
    )
    with process:
        assert_comes_first("sample.squares", process)
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
    (tmp_path / "sleepy.py").write_text(SLEEPY, encoding="utf-8")
    chosen = ("--claim", "sample.squares", "--claim", "broken.sleeps")
    process = subprocess.Popen(
        command("verify", "--module", "sleepy", "--jobs", "2", *chosen),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env=environment(ROOT / "tests" / "helpers"),
    )
    with process:
        assert_comes_first("sample.squares", process)
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


AWARE = """
import sys
import sample_claims as s
from dataclasses import replace

HEAVY = {"sympy", "jax", "numba", "matplotlib", "scipy", "flint", "jinja2", "latex2mathml"}


def looks_around(context):
    found = s.squares(context)
    return replace(found, reason=" ".join(sorted(HEAVY & set(sys.modules))))


CLAIMS = (replace(s.CLAIMS[0], id="aware.loaded", check=looks_around),)
"""


def test_nothing_heavy_is_loaded_before_the_first_finding(tmp_path: Path) -> None:
    (tmp_path / "aware.py").write_text(AWARE, encoding="utf-8")
    report = tmp_path / "report.json"
    arguments = ("--module", "aware", "--claim", "aware.loaded", "--json", str(report))
    done = subprocess.run(
        command("verify", *arguments),
        cwd=tmp_path,
        env=environment(ROOT / "tests" / "helpers"),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    (claim,) = json.loads(report.read_text("utf-8"))["claims"]
    assert claim["reason"] == ""


def on_screen(drawn: str) -> list[str]:
    """Return the lines that a terminal shows in the end that is sent these characters."""
    lines, x, y = [""], 0, 0
    for token in re.findall(r"\x1b\[[\d;?]*[A-Za-z]|[\r\n]|[^\x1b\r\n]+", drawn):
        if token == "\n":
            x, y = 0, y + 1
            lines += [""] * (y == len(lines))
        elif token == "\r":
            x = 0
        elif token == "\x1b[2K":
            lines[y] = ""
        elif token.startswith("\x1b"):
            y -= int(token[2:-1]) if token.endswith("A") else 0
        else:
            lines[y] = lines[y][:x].ljust(x) + token + lines[y][x + len(token) :]
            x += len(token)
    return [line.rstrip() for line in lines]


def timeless(lines: Sequence[str]) -> list[str]:
    return sorted(re.sub(r"[ \d]{4}\.\d\d (?=(yes|NO)$)", "   0.00 ", line) for line in lines)


def read_to_the_end(stream: int) -> str:
    """Read what is written to a pipe or a terminal until nobody has it open any more."""
    data = b""
    with suppress(OSError):  # so a terminal ends
        while more := os.read(stream, 4096):
            data += more
    os.close(stream)
    return data.decode()


@cache
def piped() -> str:
    """Return what the sample prints into a pipe."""
    return run("verify", *SAMPLE).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize("arguments", [SAMPLE, IN_TWO])
@pytest.mark.parametrize("output", ["same terminal", "another terminal", "pipe"])
def test_bars_on_a_terminal_leave_the_rows_whole(
    arguments: Sequence[str], output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pty

    monkeypatch.setenv("COLUMNS", "80")
    errors = pty.openpty()
    other = {"same terminal": lambda: errors, "another terminal": pty.openpty, "pipe": os.pipe}
    rows = other[output]()
    process = subprocess.Popen(
        command("verify", *arguments),
        stdout=rows[1],
        stderr=errors[1],
        env={**environment(ROOT / "tests" / "helpers"), "TERM": "xterm"},
    )
    for end in {rows[1], errors[1]}:
        os.close(end)
    with ThreadPoolExecutor(2) as pool:  # a terminal that nobody reads is full soon
        drawn = list(pool.map(read_to_the_end, dict.fromkeys((rows[0], errors[0]))))
    assert process.wait() == 0
    assert "/4" in drawn[-1 if output == "pipe" else 0]
    shown, *rest = ([line for line in on_screen(text) if line] for text in drawn)
    assert timeless(shown) == timeless([line for line in piped().splitlines() if line])
    assert not any(rest)


def test_the_readme_shows_what_is_printed() -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    block = page.partition("## What you see\n\n```\n")[2].partition("```")[0]
    above, between, _ = block.split("…\n")
    ids = [line.split()[0] for line in above.splitlines()[2:]]
    found = mechproof.verify(*ids, jobs=1)
    claims = load().claims
    rows = "".join(table.row(result, claims) for result in found.results)
    assert timeless(above.splitlines()) == timeless((table.heading(claims) + rows).splitlines())
    story = between.partition("\n\n")[2]
    assert story.startswith("bazaar.theorem-1 is refuted")
    assert story in table.details(found)
