"""The run of the experiment: what is kept, what is refused, and that nothing depends on how."""

from __future__ import annotations

import csv
import json
import math
import os
from inspect import unwrap
from pathlib import Path
from time import process_time
from typing import Any, cast

import numpy as np
import pytest
from advertising_models import Deadly, Unlisted, Wrong, toy
from click.testing import CliRunner, Result

from mechanisms.advertising import GENERATORS, READINGS, Models, instances, run_instance
from mechanisms.language_models import LanguageModelError
from mechproof.cli import main
from mechproof.experiments import advertising
from mechproof.experiments._workers import WorkerDiedError
from mechproof.report import advertising as report
from theory.errors import InvalidInputError, UnknownNameError

TOY = "advertising_models:toy"
SMALL = {"queries": 3, "seeds": 2, "candidates": 6}
FILES = ("settings.json", "rows.jsonl", "laws.jsonl", "table.csv", "table.txt")


def run(out: Path, **changes: Any) -> advertising.Report:
    given: dict[str, Any] = {"model": TOY, "draw": False, **SMALL, **changes}
    return cast("advertising.Report", unwrap(advertising.run)(out, **given))


def content(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    run(folder)
    return folder


def half_done(whole: Path, folder: Path, rows: bytes, laws: bytes) -> Path:
    folder.mkdir()
    (folder / "settings.json").write_bytes((whole / "settings.json").read_bytes())
    (folder / "rows.jsonl").write_bytes(rows)
    (folder / "laws.jsonl").write_bytes(laws)
    return folder


# --- resuming


def test_a_run_that_was_stopped_anywhere_ends_the_same(whole: Path, tmp_path: Path) -> None:
    rows, laws = ((whole / name).read_bytes() for name in ("rows.jsonl", "laws.jsonl"))
    first = rows.index(b"\n") + 1
    cuts = {
        "nothing yet": (b"", laws[:17]),
        "in a row": (rows[: first + 100], laws),
        "between rows": (rows[:first], laws),
        "before the end of a line": (rows[: first - 1], laws),
        "at the end": (rows[:-1], laws),
        "finished": (rows, laws),
    }
    for name, parts in cuts.items():
        folder = half_done(whole, tmp_path / name, *parts)
        run(folder)
        assert content(folder) == content(whole), name


def test_what_is_there_is_not_done_again(whole: Path, tmp_path: Path) -> None:
    rows, laws = ((whole / name).read_bytes() for name in ("rows.jsonl", "laws.jsonl"))
    folder = half_done(whole, tmp_path / "half", b"".join(rows.splitlines(True)[:4]), laws)
    told: list[tuple[int, int]] = []
    run(folder, progress=lambda done, total: told.append((done, total)))
    assert told == [(7, 9), (8, 9), (9, 9)]


def test_several_processes_write_the_same(whole: Path, tmp_path: Path) -> None:
    run(tmp_path / "two", jobs=2)
    assert content(tmp_path / "two") == content(whole)


def test_rows_depend_on_query_seed_and_number_alone(whole: Path, tmp_path: Path) -> None:
    done = run(tmp_path / "one", queries=1, seeds=1)
    (row,) = done.results.rows
    assert row == json.loads((whole / "rows.jsonl").read_text("utf-8").splitlines()[0])
    other = run(tmp_path / "other", queries=1, seeds=1, seed=1).results.rows[0]
    assert other["courses"] != row["courses"]


def test_rows_are_those_of_single_runs(whole: Path) -> None:
    rows = [json.loads(line) for line in (whole / "rows.jsonl").read_text("utf-8").splitlines()]
    assert [(row["query"], row["seed"]) for row in rows] == [
        (q, s) for q in range(3) for s in (0, 1)
    ]
    settings = advertising.Settings(model=TOY, temperature=1.0, top_p=1.0, **SMALL)
    for row in rows:
        record = run_instance(
            instances()[row["query"]],
            Models(toy(), toy()),
            6,
            rng=settings.generator(0, row["query"], row["seed"]),
        )
        for generator, course in record.courses.items():
            kept = row["courses"][generator]
            assert kept["log_probs"] == course.log_probs.tolist()
            assert kept["payments"] == course.payments.tolist()
            for reading in READINGS:
                values = np.array(kept["reward_gains"][reading], dtype=float)
                assert np.array_equal(values, course.reward_gains[reading], equal_nan=True)


# --- results


def test_results_are_means_of_rows(whole: Path) -> None:
    results = run(whole).results
    rows = [json.loads(line) for line in (whole / "rows.jsonl").read_text("utf-8").splitlines()]
    for generator in GENERATORS:
        courses = [row["courses"][generator] for row in rows]
        for k in range(6):
            for offset, name in ((True, "payments"), (False, "payments_without_offset")):
                revenue = math.fsum(sum(c[name][k]) for c in courses) / 6
                found = results.curve("revenue", generator, offset=offset)[k]
                assert found.value == pytest.approx(revenue)
                assert (found.observations, found.clusters) == (6, 3)
                gained = [math.fsum(c["reward_gains"]["redrawn"][k]) for c in courses]
                paid = [math.fsum(c[name][k]) for c in courses]
                found = results.curve("utility gain", generator, offset=offset)[k]
                assert found.value == pytest.approx((math.fsum(gained) - math.fsum(paid)) / 6)
    x, y = results.gains("context-aware", "same")
    scatter = results.scatter("context-aware", "same")
    assert x.shape == y.shape == (3, 2, 6, 2)
    assert len(scatter.x) + scatter.left_out == 3 * 2 * 2 * 2, "M = 5 and 6 alone"
    correlation = results.lines("context-aware", "same")[-1].correlation.value
    own = np.corrcoef(x[:, :, -1].ravel(), y[:, :, -1].ravel())[0, 1]
    assert correlation == pytest.approx(own)


def test_the_table_has_every_number_with_its_interval(whole: Path) -> None:
    results = run(whole).results
    with (whole / "table.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    found = {
        (r["quantity"], r["generator"], r["reading"], r["payments"], r["candidates"]): r
        for r in table
    }
    assert len(found) == len(table)
    estimate = results.curve("revenue", "reference")[3]
    row = found["revenue", "reference", "", "with offset", "4"]
    assert (float(row["mean"]), float(row["low"])) == (estimate.value, estimate.low)
    assert float(row["naive_high"]) == estimate.naive_high
    assert (row["observations"], row["queries"]) == ("6", "3")
    assert found["exact law: total_variation", "reference", "", "", "infinite"]
    assert found["log-probability", "optimum", "", "", ""]["mean"] != ""
    text = (whole / "table.txt").read_text("utf-8")
    for said in ("clustered by query", "from resampled queries", "exact law of the returned reply"):
        assert said in text
    done = run(whole)
    assert f"{done}\n" == text
    assert done._repr_html_().count("<table>") == 3


def test_a_model_that_lists_nothing_has_no_optimum(tmp_path: Path) -> None:
    done = run(tmp_path / "own", model=Unlisted(), queries=2)
    assert not done.results.normalised
    assert not done.results.listed
    assert done.results.optimum("log-probability") is None
    assert "log pi* + log Z" in str(done)
    assert "exact law" not in str(done)
    settings = json.loads((tmp_path / "own" / "settings.json").read_text("utf-8"))
    assert (settings["model"], settings["temperature"]) == ("own: Unlisted", 1.0)


def test_one_query_has_no_intervals(tmp_path: Path) -> None:
    done = run(tmp_path / "one", queries=1)
    assert "no intervals" in str(done)
    assert math.isnan(done.results.curve("revenue", "reference")[-1].low)


@pytest.mark.parametrize("model", ["ngram", "table"])
def test_our_models_run_as_the_paper_samples(model: str, tmp_path: Path) -> None:
    done = run(tmp_path / "ours", model=model, queries=2, seeds=1, candidates=22)
    settings = done.results.settings
    assert (settings.temperature, settings.top_p) == (0.8, 0.95)
    assert settings.sizes[-2:] == (21, 22)
    assert done.results.listed == (model == "table")
    assert done.results.normalised
    assert done.results.optimum("utility gain") is not None


# --- what is refused


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"candidates": 7}, "candidates 6, not 7"),
        ({"seed": 1}, "seed 0, not 1"),
        ({"tau": 2.0}, r"tau 1\.0, not 2\.0"),
        ({"temperature": 0.5}, r"temperature 1\.0, not 0\.5"),
        ({"model": "table"}, "model advertising_models:toy, not table"),
        ({"instances": instances()[1:4]}, "questions "),
    ],
)
def test_other_settings_in_the_same_folder_are_refused(
    whole: Path, change: dict[str, Any], named: str
) -> None:
    before = content(whole)
    with pytest.raises(InvalidInputError, match=f"holds a run with other settings.*{named}"):
        run(whole, **change)
    assert content(whole) == before


def test_folders_that_are_none_are_refused(whole: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    for out in (file, file / "below"):
        with pytest.raises(InvalidInputError, match="out cannot be made a folder"):
            run(out)
    assert file.read_text("utf-8") == "mine"
    blocked = tmp_path / "blocked"
    (blocked / "rows.jsonl").mkdir(parents=True)
    with pytest.raises(InvalidInputError, match="holds rows, but no settings"):
        run(blocked)
    (blocked / "settings.json").write_bytes((whole / "settings.json").read_bytes())
    with pytest.raises(InvalidInputError, match=r"rows\.jsonl cannot be written"):
        run(blocked)
    (blocked / "settings.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"has a settings\.json that is none of ours"):
        run(blocked)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_settings_in_a_named_pipe_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.json")
    with pytest.raises(
        InvalidInputError, match=r"settings\.json cannot be read \(it is no regular"
    ):
        run(tmp_path)


def test_settings_that_are_too_large_are_refused(whole: Path, tmp_path: Path) -> None:
    padded = (whole / "settings.json").read_bytes() + b" " * 100_000
    (tmp_path / "settings.json").write_bytes(padded)
    with pytest.raises(InvalidInputError, match=r"cannot be read \(it has more than 100,000 bytes"):
        run(tmp_path)


def test_rows_that_are_not_ours_are_refused(whole: Path, tmp_path: Path) -> None:
    rows, laws = ((whole / name).read_bytes() for name in ("rows.jsonl", "laws.jsonl"))
    lines = rows.splitlines(True)
    for name, wrong, said in (
        ("broken at the end", lines[0] + b'{"query": 0, "se\n', "line 2 of rows.jsonl is no row"),
        ("broken", lines[0] + b"{oops\n" + lines[2], "line 2 of rows.jsonl is no row"),
        ("swapped", lines[1] + lines[0], "line 1 of rows.jsonl is not the row that belongs"),
        ("too many", rows + lines[0], "line 7 of rows.jsonl is not the row that belongs"),
        ("a list", b"[1]\n" + lines[0], "line 1 of rows.jsonl is no row"),
        ("keys alone", b'{"query":0,"seed":0}\n' + lines[1], "line 1 of rows.jsonl is no row"),
        ("deep", b"[" * 100_000 + b"\n" + lines[1], "line 1 of rows.jsonl is no row"),
    ):
        folder = half_done(whole, tmp_path / name, wrong, laws)
        with pytest.raises(InvalidInputError, match=said):
            run(folder)
        assert (folder / "rows.jsonl").read_bytes() == wrong


def _changed(line: bytes, path: list[Any], value: Any) -> bytes:
    row = json.loads(line)
    inside = row
    for step in path[:-1]:
        inside = inside[step]
    if value is ...:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return json.dumps(row).encode() + b"\n"


DAMAGE: list[tuple[str, list[Any], Any]] = [
    ("laws", ["laws"], 5),
    ("laws", ["laws"], {}),
    ("laws", ["laws", GENERATORS[0]], []),
    ("laws", ["laws", GENERATORS[0], "kl"], ["1"]),
    ("laws", ["laws", GENERATORS[0], "kl", 0], float("nan")),
    ("laws", ["laws", GENERATORS[0], "kl", 0], 1e101),
    ("laws", ["laws", GENERATORS[0], "total_variation", 0], 1.00001),
    ("laws", ["laws", GENERATORS[0], "total_variation", 0], -1e-8),
    ("laws", ["laws", GENERATORS[0], "limit"], [0.0, 0.0]),
    ("laws", ["laws", GENERATORS[0], "limit", 0], 2),
    ("laws", ["laws"], ...),
    ("laws", ["optimum"], True),
    ("laws", ["optimum", "log-probability"], "0"),
    ("laws", ["optimum", "revenue"], [[1.0]]),
    ("rows", ["courses"], {}),
    ("rows", ["courses"], 7),
    ("rows", ["normalised"], 1),
    ("rows", ["courses", GENERATORS[0], "reply"], 3),
    ("rows", ["courses", GENERATORS[0], "reply"], ...),
    ("rows", ["courses", GENERATORS[1], "log_probs"], [0.5] * 1_000_000),
    ("rows", ["courses", GENERATORS[1], "log_probs", 0], "0.5"),
    ("rows", ["courses", GENERATORS[1], "log_probs", 0], None),
    ("rows", ["courses", GENERATORS[1], "log_probs", 0], float("inf")),
    ("rows", ["courses", GENERATORS[1], "payments", 0, 0], 10**400),
    ("rows", ["courses", GENERATORS[1], "payments", 0, 0], -1.7e308),
    ("rows", ["courses", GENERATORS[1], "reward_gains", READINGS[0], 0, 0], 1e308),
    ("rows", ["courses", GENERATORS[1], "mentioned", 0], 0.5),
    ("rows", ["courses", GENERATORS[1], "reward_gains"], []),
    ("rows", ["courses", GENERATORS[1], "reward_gains", READINGS[0]], ...),
]


@pytest.mark.parametrize(("name", "path", "value"), DAMAGE)
def test_rows_of_other_shapes_are_refused(
    name: str, path: list[Any], value: Any, whole: Path, tmp_path: Path
) -> None:
    kept = {n: (whole / f"{n}.jsonl").read_bytes().splitlines(True) for n in ("rows", "laws")}
    kept[name][0] = _changed(kept[name][0], path, value)
    folder = half_done(whole, tmp_path / "a", b"".join(kept["rows"]), b"".join(kept["laws"]))
    start = process_time()
    with pytest.raises(InvalidInputError, match=rf"line 1 of {name}\.jsonl is no row"):
        run(folder)
    assert process_time() - start < 5


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_model_that_answers_nonsense_is_named_and_rows_are_kept(
    jobs: int, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with pytest.raises(LanguageModelError, match=r"^Wrong gives .* the log-probability 0\.5"):
        run(out, model=Wrong(), jobs=jobs)
    run(tmp_path / "right", model=Unlisted())
    kept = (out / "rows.jsonl").read_bytes()
    assert kept.count(b"\n") == 2
    assert (tmp_path / "right" / "rows.jsonl").read_bytes().startswith(kept)


@pytest.mark.slow
def test_a_worker_that_dies_is_told_and_rows_are_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(WorkerDiedError, match="a worker process died"):
        run(out, model=Deadly(), jobs=2, seeds=4)
    assert (out / "laws.jsonl").read_bytes().count(b"\n") == 3
    assert (out / "rows.jsonl").read_bytes().count(b"\n") <= 4


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"queries": 0}, "queries is not a count"),
        ({"seeds": True}, "seeds is not a count"),
        ({"queries": 51}, "queries are more than there are"),
        ({"seed": -1}, "seed is not a count"),
        ({"tau": 0.0}, "tau is no such number"),
        ({"tau": 10**400}, "tau is no such number"),
        ({"tau": 1e-320}, "tau is no such number"),
        ({"tau": 1e308}, "tau is no such number"),
        ({"model": None}, "model is no language model"),
        ({"instances": [3]}, "instances are no instances"),
        ({"instances": "ab"}, "instances are no instances"),
        ({"progress": None}, "progress cannot be called"),
        ({"temperature": float("nan")}, "temperature is no such number"),
        ({"top_p": 1.5}, "top_p is no such number"),
        ({"jobs": 0}, "jobs is no number of processes"),
        ({"queues": 3}, "run is no setting"),
        ({"model": "advertising_models"}, "model is unknown"),
        ({"model": "nowhere:toy"}, "model fails to import"),
        ({"model": "advertising_models:rows"}, "model cannot be made"),
        ({"model": "advertising_models:instances"}, "model is no language model"),
        ({"model": Unlisted(), "top_p": 0.5}, "model"),
        ({"instances": instances()[:2]}, "queries are more than there are"),
    ],
)
def test_settings_that_are_none_are_refused_before_a_folder_is_made(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        run(tmp_path / "out", **change)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_no_path_is_refused() -> None:
    for out in (None, "", 3):
        with pytest.raises(InvalidInputError, match="out is not a path"):
            unwrap(advertising.run)(out, model=TOY, **SMALL)


def test_own_instances_are_counted(tmp_path: Path) -> None:
    chosen = instances()[2:4]
    done = advertising.run(
        tmp_path / "out", model=TOY, instances=chosen, seeds=1, candidates=2, draw=False
    )
    assert done.results.settings.queries == 2


# --- the command


def command(*arguments: str) -> Result:
    small = [f"--{name}={value}" for name, value in SMALL.items()]
    line = ["experiment", "advertising", *small, *arguments]
    return CliRunner().invoke(main, line, prog_name="mechproof")


def test_the_command_writes_all(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(report.DRAWINGS) == 7
    monkeypatch.setattr(report, "DRAWINGS", report.DRAWINGS[2:3])
    out = tmp_path / "out"
    result = command("--out", str(out), "--model", TOY, "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert "95% intervals" in result.stdout
    assert result.stderr.splitlines()[0] == "advertising: 0 of 9"
    assert result.stderr.splitlines()[-1] == "advertising: 9 of 9"
    assert content(out) == content(whole)
    figures = sorted(path.name for path in out.iterdir() if path.suffix in {".png", ".svg"})
    assert figures == ["figure-3-revenue.png", "figure-3-revenue.svg"]


def test_the_command_tells_errors_in_a_line(tmp_path: Path) -> None:
    for arguments, said in (
        (("--out", str(tmp_path / "a"), "--model", "advertising_models:Wrong"), "Wrong gives"),
        (("--out", str(tmp_path / "b"), "--model", "llama"), "model is unknown"),
        (("--out", str(tmp_path / "b"), "--model", TOY, "--tau", "nan"), "tau is no such number"),
    ):
        result = command(*arguments, "--jobs", "1")
        assert result.exit_code == 2
        assert "Traceback" not in result.output
        assert said in result.stderr.splitlines()[-1]
    assert command().exit_code == 2
    assert isinstance(UnknownNameError("a", "b", "c", "d"), InvalidInputError)
