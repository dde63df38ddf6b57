"""`python -m benchmarks`: what it prints, keeps and refuses, and the processes that it starts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from benchmark_fakes import Clock, Processes, how
from msgspec import structs

from benchmarks.harness import Bench, Growth, Ladder, Row, same
from benchmarks.harness.alone import do_alone, in_a_process
from benchmarks.harness.command import main
from benchmarks.harness.record import Run, read, this_run
from benchmarks.harness.table import BEGIN, END
from theory.errors import LimitError

CLOCK = Clock()


def benches() -> Mapping[str, Bench]:
    clock = CLOCK
    beside = {"peer": clock.work("peer", [3.0]), "peer_name": "a peer", "agree": same}
    found: list[Bench] = [
        Row(id="good.row", issue=2, work="good work", ours=clock.work("ours", [1.0]), **beside),
        Row(
            id="good.long",
            issue=3,
            work="long work",
            ours=clock.work("ours", [1.0]),
            quick=False,
        ),
        Row(id="bad.row", issue=4, work="bad work", ours=clock.work("ours", [1.0], 5), **beside),
    ]
    return {bench.id: bench for bench in found}


def run(*arguments: str) -> int:
    return main(arguments, benches, lambda quick: how(CLOCK, Processes(), quick=quick))


def test_it_prints_a_table_and_keeps_a_line_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "runs.jsonl"
    assert run("--only", "good", "--keep", str(path)) == 0
    shown = capsys.readouterr().out
    assert "good.row" in shown
    assert "good.long" in shown
    assert [each.result.id for each in read(path)] == ["good.row", "good.long"]
    assert run("--only", "good.row", "--keep", str(path), "--quick") == 0
    assert [each.run.quick for each in read(path)] == [False, False, True]


def test_answers_that_differ_are_an_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--only", "bad") == 1
    assert "NOT TIMED: answers differ: ours 5, theirs 0" in capsys.readouterr().out


def test_a_quick_run_leaves_out_what_is_long(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--only", "good", "--quick") == 0
    assert "good.long" not in capsys.readouterr().out


def test_rows_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["good.row", "good.long", "bad.row"]


def test_what_was_kept_is_shown_without_measuring(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, page, plot = tmp_path / "runs.jsonl", tmp_path / "page.md", tmp_path / "plot.png"
    run("--keep", str(kept))
    with kept.open("ab") as file:
        file.write(b'{"run": ')
    page.write_text(f"before\n{BEGIN}{END}\n", encoding="utf-8")
    capsys.readouterr()
    assert run("--read", str(kept), "--only", "good.row") == 0
    shown = capsys.readouterr()
    assert not shown.err
    assert "good.long" not in shown.out
    assert run("--read", str(kept), "--markdown", str(page), "--plot", str(plot)) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    for work in ("good work", "long work", "bad work"):
        assert text.count(work) == 1
    assert plot.exists()
    assert len(read(kept)) == 3


def test_a_page_holds_the_latest_of_every_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, page = str(tmp_path / "runs.jsonl"), tmp_path / "page.md"

    def measure(day: int, *words: str) -> str:
        def on_that_day(quick: bool = False) -> Run:
            return structs.replace(this_run(quick), date=f"2026-01-0{day}", commit=f"of-{day}")

        monkeypatch.setattr("benchmarks.harness.command.this_run", on_that_day)
        run("--keep", kept, "--markdown", str(page), *words)
        return page.read_text(encoding="utf-8")

    first = measure(1, "--only", "good.row", "--quick")
    assert "good work quick |" in first
    assert "[1]" not in first
    whole = measure(2)
    assert "quick" not in whole
    assert "of-1" not in whole
    one = measure(3, "--only", "bad.row")
    assert "good work [1] |" in one
    assert "long work [1] |" in one
    assert "[2] 2026-01-03, commit of-3" in one
    assert re.search(r"bad work .* \[2\] \|", one)
    assert measure(4, "--only", "good.row", "--quick") == one
    capsys.readouterr()
    gone = {name: bench for name, bench in benches().items() if name != "good.long"}
    assert main(["--read", kept, "--markdown", str(page)], lambda: gone) == 0
    assert "note: good.long is no row any more" in capsys.readouterr().err
    assert "long work" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--only", "good.rwo"], "did you mean 'good.row'?"),
        (["--only", ""], "is no row and no topic"),
        (["--keep", "{folder}"], "is a folder"),
        (["--keep", "{folder}/none/runs.jsonl"], "--keep"),
        (["--markdown", "{folder}/page.md"], "has no place for the table"),
        (["--plot", "{folder}/none/plot.png"], "--plot"),
        (["--read", "{folder}/none.jsonl"], "cannot be read"),
        (["--only", "good", "--markdown", "{folder}/new.md"], "would lose the rows"),
        (["--quick", "--markdown", "{folder}/new.md"], "would lose the rows"),
        (["--read", "{folder}/a", "--keep", "{folder}/b"], "which measures nothing"),
        (
            ["--read", "{folder}/a", "--only", "good", "--markdown", "{folder}/new.md"],
            "a page holds every row",
        ),
    ],
)
def test_a_wrong_use_is_told_before_anything_is_measured(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "page.md").write_text("no place\n", encoding="utf-8")
    assert run(*(word.format(folder=tmp_path) for word in words)) == 2
    shown = capsys.readouterr()
    assert told in shown.err
    assert "[1/" not in shown.err
    assert shown.out == ""
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == "no place\n"
    assert not (tmp_path / "new.md").exists()


def test_an_interrupted_run_keeps_what_was_measured(tmp_path: Path) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    path = tmp_path / "runs.jsonl"

    def stopped() -> Mapping[str, Bench]:
        return {**benches(), "z.z": Row(id="z.z", issue=9, work="w", ours=interrupted)}

    assert main(["--keep", str(path)], stopped, lambda quick: how(CLOCK)) == 130
    assert len(read(path)) == 3


def test_one_call_is_told_in_one_line() -> None:
    clock = Clock()
    bench = Row(id="a.b", issue=2, work="w", ours=clock.work("ours", [2.5, 9.0]))
    told = json.loads(do_alone(bench, "ours", clock))
    assert told["seconds"] == 2.5
    assert told["megabytes"] > 1
    assert (told["problem"], told["refused"]) == ("", False)


def test_a_refusal_and_a_failure_of_one_call_are_told_apart() -> None:
    def refuses() -> None:
        raise LimitError("n", 9, "is beyond 4", "give less")

    def fails() -> None:
        raise ValueError("no")

    told = []
    for work in (refuses, fails):
        bench = Row(id="a.b", issue=2, work="w", ours=work)
        told.append(json.loads(do_alone(bench, "ours")))
    assert [each["refused"] for each in told] == [True, False]
    assert "is beyond 4" in told[0]["problem"]
    assert told[1]["problem"] == "ValueError: no"


def test_one_step_of_a_ladder_is_done_alone() -> None:
    done: list[str] = []
    bench = Ladder(
        id="a.b",
        issue=3,
        work="w",
        methods=("ours", "by: hand"),
        steps=lambda method: iter([(n, lambda n=n: done.append(method + n)) for n in "123"]),
    )
    assert json.loads(do_alone(bench, "by: hand:1"))["problem"] == ""
    assert done == ["by: hand2"]
    assert "has no step" in json.loads(do_alone(bench, "ours:3"))["problem"]


def test_growth_is_not_measured_alone() -> None:
    bench = Growth(id="a.b", issue=3, work="w", sizes=(1, 2, 3), ours=lambda n: list)
    assert "one process" in json.loads(do_alone(bench, "ours"))["problem"]


def test_a_process_of_its_own_answers() -> None:
    found = in_a_process("marginal-value.histories", "ours", 100.0)
    assert found.problem == ""
    assert found.seconds is not None
    assert found.process is not None
    assert 0 < found.seconds < found.process


def test_a_process_that_has_no_such_row_says_so() -> None:
    found = in_a_process("marginal-value.nothing", "ours", 100.0)
    assert found.seconds is None
    assert re.search("is no row and no topic", found.problem)


def test_a_process_that_is_late_is_killed() -> None:
    found = in_a_process("marginal-value.histories", "ours", 0.001)
    assert found.late
    assert found.seconds is None
