"""The command ``mechproof sweep``, as a user meets it, and its bar."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from pathlib import Path

import pytest
from click.testing import Result
from documents import refused
from documents import run as run_command

from mechproof.progress import TimeLeft, estimating
from mechproof.sweep import load_sweep
from mechproof.sweep.file import EXAMPLE

PRODUCT = """\
check = "sweep_checks:product"
[axes]
x = [-1, 0, "1/2"]
y = [1, 2]
[constants]
scale = 3
[plot]
x = "x"
y = "y"
value = "slack"
"""
COUNTED = 'check = "sweep_checks:counted"\n[axes]\nx = [1, 2, 3]\n[constants]\nfolder = "{}"\n'


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    Path("sweep.toml").write_text(PRODUCT, encoding="utf-8")
    Path("counted.toml").write_text(COUNTED.format(tmp_path.as_posix()), encoding="utf-8")


def run(*arguments: str) -> Result:
    """Run the command; sweep files may name the checks of the tests, which stand elsewhere."""
    allowed = ("--allow-package", "sweep_checks") if arguments[0] == "sweep" else ()
    return run_command(*arguments, *allowed)


def files() -> set[str]:
    return {path.name for path in Path().iterdir()} - {"sweep.toml", "counted.toml"}


def test_a_sweep_is_printed_kept_written_and_drawn() -> None:
    wanted = ("--results", "r.jsonl", "--csv", "t.csv", "--plot", "p.svg")
    result = run("sweep", "sweep.toml", "--jobs", "1", *wanted)
    assert result.exit_code == 0, result.output
    lines = result.stdout.split("\n")
    assert lines[0] == "sweep_checks:product: 6 cells, scale = 3"
    assert lines[1].split() == ["x", "y", "slack", "sign"]
    assert lines[-2].split() == ["1/2", "2", "3", "plus"]
    assert result.stderr.splitlines()[-1] == "sweep: 6 of 6"
    with open("t.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["slack"] for row in rows] == ["-3", "-6", "0", "0", "3/2", "3"]
    assert [row.values is not None for row in load_sweep("r.jsonl").rows] == [True] * 6
    assert "−6" in Path("p.svg").read_text(encoding="utf-8")
    assert files() == {"r.jsonl", "t.csv", "p.svg"}


def test_a_cell_that_fails_is_status_1_and_is_run_again_on_request() -> None:
    again = ("sweep", "counted.toml", "--jobs", "1", "--results", "r.jsonl")
    result = run(*again, "--csv", "t.csv")
    assert result.exit_code == 1
    assert "3 cells, 1 with an error" in result.stdout
    assert "error at x = 2" in result.stdout
    assert "ValueError: not yet" in result.stdout
    assert "ValueError: not yet" in Path("t.csv").read_text(encoding="utf-8")
    Path("mended").touch()
    assert run(*again).exit_code == 1
    assert Path("calls").read_text(encoding="utf-8").split() == ["1", "2", "3"]
    result = run(*again, "--retry-errors")
    assert result.exit_code == 0, result.output
    assert Path("calls").read_text(encoding="utf-8").split() == ["1", "2", "3", "2"]
    assert load_sweep("r.jsonl").column("value") == (1, 2, 3)


def test_seeds_reach_the_check() -> None:
    text = 'check = "sweep_checks:noise"\n[axes]\nx = [1, 2]\n'
    Path("noise.toml").write_text(text, encoding="utf-8")
    printed = [run("sweep", "noise.toml", "--jobs", "1", "--seed", s).stdout for s in "1123"]
    assert printed[0] == printed[1]
    assert len(set(printed)) == 3


def test_ctrl_c_says_how_to_go_on() -> None:
    text = 'check = "sweep_checks:interrupted"\n[axes]\nx = [1, 2, 3]\n'
    Path("stop.toml").write_text(text, encoding="utf-8")
    result = run("sweep", "stop.toml", "--jobs", "1", "--results", "r.jsonl")
    assert result.exit_code == 130
    assert "r.jsonl; the same command goes on from there" in result.stderr
    assert load_sweep("r.jsonl").column("value") == (1,)
    result = run("sweep", "stop.toml", "--jobs", "1")
    assert result.exit_code == 130
    assert "nothing is kept without --results" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.toml"], ["none.toml: cannot be read"]),
        (["sweep.toml", "--plot", "p.gif"], ["--plot", ".svg or .png"]),
        (["sweep.toml", "--plot", "nowhere/p.png"], ["--plot", "cannot be written"]),
        (["counted.toml", "--plot", "p.png"], ["--plot", "[plot]"]),
        (["sweep.toml", "--csv", "."], ["--csv", "is a folder"]),
        (["sweep.toml", "--csv", "sweep.toml"], ["FILE and --csv", "the same file"]),
        (["sweep.toml", "--csv", "a", "--results", "./a"], ["--results and --csv", "same file"]),
        (["sweep.toml", "--retry-errors"], ["--retry-errors", "--results"]),
        (["sweep.toml", "--csv", ""], ["--csv", "is empty"]),
        (["sweep.toml", "--results", "sweep.toml"], ["FILE and --results"]),
        (["sweep.toml", "--results", "counted.toml"], ["is no results file"]),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(arguments: list[str], words: list[str]) -> None:
    said = refused(run("sweep", *arguments, "--jobs", "1"))
    for word in words:
        assert word in said
    assert not files()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("sweep_checks:product", "sweep_checks:produkt", ["did you mean 'product'"]),
        ("sweep_checks:product", "no_such:f", ["fails to import"]),
        ("y = [1, 2]", "z = [1, 2]", ["sweep.toml: $.plot.y", "'y'"]),
        ("scale = 3", "skale = 3", ["skale"]),
        ("scale = 3", "", []),
        ('value = "slack"', 'value = "slack"\nwhere = { scale = 4 }', ["scale", "known are 3"]),
        ('y = "y"', 'y = "x"', ["is x, too"]),
        ("scale = 3", "scale = 3\nother = [1]", ["$.constants.other"]),
    ],
)
def test_a_wrong_file_is_refused_before_any_work(old: str, new: str, words: list[str]) -> None:
    text = PRODUCT.replace(old, new)
    assert text != PRODUCT
    Path("sweep.toml").write_text(text, encoding="utf-8")
    result = run("sweep", "sweep.toml", "--jobs", "1", "--plot", "p.png", "--csv", "t.csv")
    if words:
        said = refused(result)
        for word in words:
            assert word in said
        assert not files()
    else:
        assert result.exit_code == 0, "the constant has a default"


def test_a_value_that_cannot_be_drawn_is_told_after_the_rows_are_kept() -> None:
    text = PRODUCT.replace('value = "slack"', 'value = "sign"')
    Path("sweep.toml").write_text(text, encoding="utf-8")
    result = run("sweep", "sweep.toml", "--jobs", "1", "--plot", "p.png", "--csv", "t.csv")
    assert result.exit_code == 2
    assert "is text" in result.stderr
    assert "6 cells" in result.stdout
    assert files() == {"t.csv"}


def test_nothing_is_drawn_where_every_cell_failed() -> None:
    text = PRODUCT.replace(":product", ":reciprocal").replace("scale = 3", "")
    text = text.replace("[constants]\n", "").replace("y = [1, 2]", "y = [0]")
    Path("sweep.toml").write_text(text, encoding="utf-8")
    result = run("sweep", "sweep.toml", "--jobs", "1", "--plot", "p.png")
    assert result.exit_code == 1
    assert "no picture, for the check failed in every cell" in result.stderr
    assert "3 cells, 3 with an error" in result.stdout
    assert not files()


def test_the_example_says_what_it_is_and_runs() -> None:
    printed = run("example", "sweep")
    assert printed.stdout == EXAMPLE
    as_json = json.loads(run("example", "sweep", "--format", "json").stdout)
    assert as_json == tomllib.loads(EXAMPLE)
    text = EXAMPLE.replace("[1, 2, 3]", "[1, 2]").replace("by = 0.5", "by = 1")
    Path("example.toml").write_text(text, encoding="utf-8")
    result = run("sweep", "example.toml", "--jobs", "1", "--plot", "p.svg")
    assert result.exit_code == 0, result.output
    assert "mechproof.sweep.examples:auction: 24 cells, top = 3" in result.stdout
    said = Path("p.svg").read_text(encoding="utf-8")
    assert "bic.slack of mechproof.sweep.examples:auction, share = 1" in said


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_time_left_goes_by_what_was_done_here() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    told = []
    for clock.now, done in ((100, 900), (110, 900), (120, 910), (160, 920), (161, 1000)):
        told.append(left.after(done, 1000))
    assert told == ["", "", "about 3 min left", "about 4 min left", ""]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.01, "1 s"),
        (42, "42 s"),
        (99, "99 s"),
        (3000, "50 min"),
        (7260, "2 h 1 min"),
        (2e5, "2.3 days"),
    ],
)
def test_times_in_words(seconds: float, words: str) -> None:
    clock = Clock()
    left = TimeLeft(clock)
    left.after(0, 2)
    clock.now = seconds
    assert left.after(1, 2) == f"about {words} left"


def test_lines_and_bar_tell_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with estimating("sweep") as progress:
        for done in (0, 1, 1000, 1001, 9999, 10_000):
            progress(done, 10_000)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0] == "sweep: 0 of 10,000"
    assert re.fullmatch(r"sweep: 1,000 of 10,000, about \d+ s left", lines[1])
    assert lines[-1] == "sweep: 10,000 of 10,000"
    assert len(lines) == 4
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", "80")):
        monkeypatch.setenv(name, value)
    with estimating("sweep") as progress:
        progress(0, 10)
        progress(4, 10)
    drawn = capsys.readouterr().err
    assert "4/10" in drawn
    assert "left" in drawn


def test_memory_that_ends_is_said_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(path: Path) -> None:
        raise MemoryError

    monkeypatch.setattr("mechproof.sweep.file.read_sweep", exhausted)
    done = run_command("sweep", str(tmp_path / "x.toml"))
    assert done.exit_code == 2
    assert done.stderr == "mechproof: this takes more memory than there is: ask for less\n"
