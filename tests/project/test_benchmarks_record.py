"""What a run leaves is read back, and shown in a table, a page and a plot."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from benchmark_fakes import kept
from msgspec.structs import replace

from benchmarks.harness.plot import draw, series
from benchmarks.harness.record import (
    Climb,
    Climbed,
    Grown,
    Judged,
    Kept,
    Side,
    append,
    latest,
    read,
    this_run,
)
from benchmarks.harness.table import BEGIN, END, as_markdown, as_text, check_page, in_page, seconds
from dev import ROOT
from theory.errors import InvalidInputError

OLD, NEW = "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"


def grown() -> Kept:
    result = Grown(
        id="topic.growth",
        issue=9,
        work="by size",
        ours={10: 0.1, 20: 0.2, 40: 0.4},
        exponent=[1.0, 0.9, 1.1],
        note="not installed: apeer",
        peer_name="a peer",
    )
    return Kept(kept().run, result)


def climbed() -> Kept:
    climbs = [Climb("ours", "22 items", 40.0, "23 items: refused")]
    return Kept(kept().run, Climbed(id="topic.ladder", issue=4, work="climb", climbs=climbs))


def test_every_kind_of_line_is_read_back(tmp_path: Path) -> None:
    path, lines = tmp_path / "runs.jsonl", [kept(), grown(), climbed()]
    for line in lines:
        append(path, line)
    assert read(path) == lines
    assert path.read_bytes().count(b"\n") == 3


def test_a_line_cut_short_costs_that_line(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    for line in (kept("topic.one"), kept("topic.two")):
        append(path, line)
    path.write_bytes(path.read_bytes()[:-40])
    assert [each.result.id for each in read(path)] == ["topic.one"]
    append(path, kept("topic.three"))
    assert [each.result.id for each in read(path)] == ["topic.one", "topic.three"]


@pytest.mark.parametrize(
    "line",
    [
        *(b"{}", b"[1]", b"\xff\xfe", b'{"run": 1, "result": 2}', b'{"result": {"type": "x"}}'),
        msgspec.json.encode(replace(kept(), format=2)),
    ],
)
def test_a_line_that_is_none_of_ours_is_named_and_the_file_stays(
    line: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "runs.jsonl"
    append(path, kept())
    path.write_bytes(path.read_bytes() + line + b"\n")
    before = path.read_bytes()
    for use in (read, lambda path: append(path, kept())):
        with pytest.raises(InvalidInputError, match="has a line 2 that is none of ours"):
            use(path)
    assert path.read_bytes() == before


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read(tmp_path / "runs.jsonl")


def test_the_newest_line_of_each_row_counts() -> None:
    lines = [kept("topic.a", NEW, 1.0), kept("topic.b", OLD, 2.0), kept("topic.a", OLD, 3.0)]
    assert latest(lines) == lines[:2]
    quick = replace(lines[0], run=replace(lines[0].run, quick=True))
    assert latest([lines[2], quick]) == [lines[2]]
    assert latest([quick]) == [quick]


def test_a_run_says_what_it_ran_on() -> None:
    run = this_run()
    assert run.processors >= 1
    assert "numpy" in run.versions
    assert run.commit
    assert run.date.endswith("+00:00")


def test_the_table_shows_times_ratios_and_targets() -> None:
    text = as_text([kept(), grown(), climbed()])
    (line,) = [line for line in text.splitlines() if line.startswith("topic.row")]
    for cell in ("250 ms", "2 s (3)", "a peer", "10 s (3)", "5 (3.75 to 7.5)"):
        assert f"  {cell}" in line
    assert "at most 3 s: 2, reached" in line
    assert "100 ms at 10, 400 ms at 40  1.00 (0.90 to 1.10)" in text
    assert "topic.growth: not installed: apeer" in text
    assert re.search(r"ours: 22 items \(40 s\) +23 items: refused", text)
    assert "Targets: 1; 1 reached, 0 not, 0 not measured" in text


def test_what_was_missed_open_or_estimated_is_marked() -> None:
    assert "at most 3 s: 4, NOT reached" in as_text([kept(seconds=2.0)])
    wrong = kept(status="differs", note="answers differ: by one")
    assert "topic.row: NOT TIMED: answers differ: by one" in as_text([wrong])
    result = grown().result
    open_one = Kept(
        kept().run,
        Grown(
            id="a.b", issue=9, work="w", ours={}, targets=[Judged("exponent at most 1", None, None)]
        ),
    )
    assert "exponent at most 1: not measured" in as_text([open_one])
    assert result.note in as_markdown([grown()])
    line = kept()
    about = Side("a peer", [10.0], estimated=True)
    assert "≈ 10 s (1)" in as_text([Kept(line.run, replace(line.result, peer=about))])


def test_the_page_has_a_row_for_each_and_escapes_bars() -> None:
    page = as_markdown([kept(), kept("topic.other"), grown(), climbed()])
    rows = [line for line in page.splitlines() if line.startswith("| 2 |")]
    assert len(rows) == 2
    assert all("some \\| work" in row for row in rows)
    tables = [line for line in page.splitlines() if line.startswith("|---")]
    assert len(tables) == 3
    for line in page.splitlines():
        if line.startswith("| 2 |"):
            assert line.replace("\\|", "").count("|") == tables[0].count("|")
    for told in ("2026-01-01", "0123456789", "a machine", "numpy 2.0", "peer 7.8"):
        assert told in page


def test_the_table_goes_into_its_place(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    assert in_page(path, "T") == f"{BEGIN}\n\nT\n\n{END}\n"
    path.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    assert in_page(path, "new") == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"


@pytest.mark.parametrize("text", ["", BEGIN, END + BEGIN, BEGIN + END + BEGIN + END])
def test_a_page_without_a_place_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match="has no place for the table"):
        check_page(path)


def test_the_page_in_the_docs_has_its_place() -> None:
    check_page(ROOT / "docs" / "benchmarks.md")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, ""), (61.2, "61.2 s"), (0.25, "250 ms"), (2.5e-5, "25 µs"), (3e-8, "30 ns")],
)
def test_seconds_are_shown_in_their_unit(value: float | None, shown: str) -> None:
    assert seconds(value) == shown


def test_a_plot_has_a_line_a_row_over_the_runs(tmp_path: Path) -> None:
    lines = [
        kept("topic.a", NEW, 1.0),
        kept("topic.a", OLD, 3.0),
        kept("other.b", OLD, 2.0),
        grown(),
        Kept(this_run(quick=True), kept("topic.a").result),
    ]
    found = series(lines)
    assert set(found) == {"topic", "other"}
    assert [value for _, value in found["topic"]["a"]] == [6.0, 2.0]
    path = tmp_path / "plot.png"
    draw(lines, path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_machines_are_not_joined_by_a_line() -> None:
    found = series([kept("topic.a"), kept("topic.a", NEW, machine="another")])
    assert set(found["topic"]) == {"a, a machine", "a, another"}


def test_a_plot_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="nothing to show"):
        draw([grown()], tmp_path / "plot.png")
    assert not (tmp_path / "plot.png").exists()
