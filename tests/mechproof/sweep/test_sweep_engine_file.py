"""The results file of a sweep: cut off anywhere, damaged, of another sweep, written by two."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import engine_checks as checks
import pytest

import mechproof.sweep._keeping as keeping
from mechproof.sweep import Grid, SweepResult, load_sweep, run_sweep
from mechproof.sweep._scalars import decode_scalar, encode_scalar, scalar
from theory.errors import InvalidInputError, LimitError

GRID = Grid({"x": [0, 1, Fraction(1, 2)], "y": [1, 0]})


def other(x: Any, y: Any) -> int:
    return 0


def sweep(path: Path, log: Path, **options: Any) -> SweepResult:
    return run_sweep(GRID, checks.Counting(str(log)), jobs=1, results=path, **options)


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    sweep(tmp_path / "whole", tmp_path / "whole.log")
    return tmp_path / "whole"


def test_the_file_says_what_it_holds(whole: Path) -> None:
    first, *rows = map(json.loads, whole.read_text("utf-8").splitlines())
    assert (first["mechproof sweep"], first["seed"], first["cells"]) == (1, 0, 6)
    assert first["axes"] == {"x": [0, 1, {"fraction": "1/2"}], "y": [1, 0]}
    assert first["check"] == "engine_checks:Counting"
    assert [row["index"] for row in rows] == list(range(6))
    assert rows[4]["cell"] == {"x": {"fraction": "1/2"}, "y": 1}
    assert rows[4]["values"] == {"value": {"fraction": "3/2"}}


def test_wherever_a_file_is_cut_off_at_most_the_last_cell_is_lost(
    whole: Path, tmp_path: Path
) -> None:
    """As kill -9 leaves it within a write: in the header, two rows, and at the end."""
    data, found = whole.read_bytes(), load_sweep(whole)
    path, log = tmp_path / "cut", tmp_path / "log"
    ends = [m.end() for m in re.finditer(b"\n", data)]
    first, last = range(ends[0] - 1, ends[2] + 1), range(len(data) - 4, len(data) + 1)
    for cut in [*range(0, ends[0], 40), *first, *last]:
        path.write_bytes(data[:cut])
        log.write_bytes(b"")
        kept = sum(end - 1 <= cut for end in ends[1:])
        if cut >= ends[0] - 1:
            assert load_sweep(path).rows == found.rows[:kept]
        assert sweep(path, log) == found
        assert len(log.read_text().splitlines()) == len(GRID) - kept
        assert path.read_bytes() == data


def test_what_a_power_cut_leaves_for_a_last_line_costs_one_cell(
    whole: Path, tmp_path: Path
) -> None:
    lines, found = whole.read_bytes().splitlines(True), load_sweep(whole)
    for last in (lines[-1][:30] + b"x" + lines[-1][31:-1], b"\0" * 50, b"\xff", b"{}"):
        path, log = tmp_path / "corrupt", tmp_path / "log"
        path.write_bytes(b"".join(lines[:-1]) + last)
        log.write_bytes(b"")
        assert len(load_sweep(path).rows) == 5
        assert sweep(path, log) == found
        assert log.read_text().splitlines() == ["1/2 0"]


def test_any_other_damage_is_an_error_that_names_the_line(whole: Path, tmp_path: Path) -> None:
    """Each byte of a line is changed, one at a time; a blank line is none of ours either."""
    lines = whole.read_bytes().splitlines(True)
    path, line = tmp_path / "damaged", lines[3].removesuffix(b"\n")
    wrong = [line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :] for at in range(len(line))]
    for one, after in ((one, after) for one in [*wrong, b"", b"{}"] for after in (4, 9)):
        data = b"".join([*lines[:3], one, b"\n", *lines[after:]])
        path.write_bytes(data)
        with pytest.raises(InvalidInputError, match="results is damaged in line 4"):
            load_sweep(path)
        with pytest.raises(InvalidInputError, match="results is damaged in line 4"):
            sweep(path, tmp_path / "log")
        assert path.read_bytes() == data
    assert not (tmp_path / "log").exists()


def test_a_line_that_is_taken_out_is_run_again_and_a_doubled_one_refused(
    whole: Path, tmp_path: Path
) -> None:
    lines, found = whole.read_bytes().splitlines(True), load_sweep(whole)
    path = tmp_path / "rows"
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    assert sweep(path, tmp_path / "log") == found
    assert (tmp_path / "log").read_text() == "0 0\n"
    path.write_bytes(b"".join(lines + lines[2:3]))
    with pytest.raises(InvalidInputError, match="has the cell of line 8 in an earlier line"):
        load_sweep(path)


LISTED = [{"x": 1, "y": 2}, {"x": 3, "y": 4}]


@pytest.mark.parametrize(
    ("before", "change", "said"),
    [
        ({}, {"seed": 1}, "its seed is 0, not 1"),
        ({}, {"check": other}, "its check is engine_checks:product, not .*:other"),
        (
            {"check": partial(other, y=1), "grid": Grid({"x": [1]})},
            {"check": partial(other, y=Fraction(1)), "grid": Grid({"x": [1]})},
            r'check is \S+:other\(y=1\), not \S+:other\(y=\{"fraction":"1/1"\}\)',
        ),
        ({}, {"grid": Grid({"x": [0, 1], "y": [1, 0]})}, "axis x has 3 values, not 2"),
        ({}, {"grid": Grid({"x": [0, 1, 0.5], "y": [1, 0]})}, "value 2 of its axis x is .*0.5"),
        ({}, {"grid": Grid({"x": [0, 1, Fraction(1, 2)], "y": [0, 1]})}, "value 0 of its axis y"),
        ({}, {"grid": Grid({"y": [1, 0], "x": [0]})}, "axes are x, y, not y, x"),
        ({}, {"grid": Grid.of(LISTED)}, "it has 6 cells, not 2"),
        (
            {"grid": Grid.of(LISTED)},
            {"grid": Grid.of([LISTED[0], {"x": 3, "y": 5}])},
            'cell 1 is {"x":3,"y":4}, not {"x":3,"y":5}',
        ),
        ({}, {"seed": 2, "grid": Grid.of(LISTED)}, "seed is 0, not 2; it has 6 cells"),
    ],
)
def test_a_file_of_another_sweep_is_refused_and_the_difference_named(
    before: dict[str, Any], change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows"
    given: dict[str, Any] = {"grid": GRID, "check": checks.product, "jobs": 1, "results": path}
    run_sweep(**{**given, **before})
    data = path.read_bytes()
    with pytest.raises(InvalidInputError, match=f"is of another sweep .*{said}"):
        run_sweep(**{**given, **change})
    assert path.read_bytes() == data
    assert run_sweep(**{**given, **before}) == load_sweep(path)


def test_another_version_is_refused(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = load_sweep(whole)
    monkeypatch.setattr(keeping, "__version__", "99.0")
    assert load_sweep(whole) == found
    with pytest.raises(InvalidInputError, match=r"its version is \S+, not 99\.0"):
        sweep(whole, tmp_path / "log")
    monkeypatch.setattr(keeping, "FORMAT", 2)
    with pytest.raises(InvalidInputError, match="has format 1, and this version reads format 2"):
        load_sweep(whole)


@pytest.mark.parametrize(
    "content", [b"mine", b"\n", b"[1]\n", b'{"a":1}\n', b"\xff\xfe" * 9, b"[" * 100_000, b"{}"]
)
def test_files_of_others_are_left_as_they_are(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    path.write_bytes(content)
    for use in (lambda: sweep(path, tmp_path / "log"), lambda: load_sweep(path)):
        with pytest.raises(InvalidInputError, match="is no results file of a sweep"):
            use()
    assert path.read_bytes() == content


def test_a_grid_in_the_header_that_is_none_is_refused(whole: Path) -> None:
    first, _, rest = whole.read_text("utf-8").partition("\n")
    said = json.loads(first)
    del said["crc"]
    for wrong in ({"axes": {"x": []}}, {"axes": 3}, {"cells": 7}, {"digest": ""}, {"axes": {}}):
        text = json.dumps(said | wrong, separators=(",", ":"))
        whole.write_bytes(keeping._line(text) + b"\n" + rest.encode())
        with pytest.raises(InvalidInputError, match="first line whose grid cannot be read"):
            load_sweep(whole)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"check": value} for value in (3, None, ["a"])),
        *({"version": value} for value in (1, None)),
        *({"seed": value} for value in ("0", True, 1.5, -1, 1 << 128)),
    ],
    ids=str,
)
def test_what_a_first_line_says_of_its_sweep_is_of_the_kinds_we_write(
    wrong: dict[str, Any], whole: Path, tmp_path: Path
) -> None:
    first, _, rest = whole.read_text("utf-8").partition("\n")
    said = json.loads(first)
    del said["crc"]
    whole.write_bytes(keeping._line(json.dumps(said | wrong)) + b"\n" + rest.encode())
    for read in (lambda: load_sweep(whole), lambda: sweep(whole, tmp_path / "log")):
        with pytest.raises(InvalidInputError, match="a first line that is none of ours"):
            read()


def test_the_longest_seed_is_read_back_and_no_longer_one_is_run(tmp_path: Path) -> None:
    run_sweep(GRID, other, jobs=1, results=tmp_path / "rows", seed=(1 << 128) - 1)
    assert load_sweep(tmp_path / "rows").seed == (1 << 128) - 1
    with pytest.raises(InvalidInputError, match="give an integer of at least 0, of at most 128"):
        run_sweep(GRID, other, jobs=1, seed=1 << 128)


def kept(path: Path, said: dict[str, Any]) -> Path:
    path.write_bytes(keeping._line(json.dumps(said, separators=(",", ":"))) + b"\n")
    return path


def first_line(axes: Any, cells: int, digest: str = "0" * 64) -> dict[str, Any]:
    said = keeping.header(Grid({"x": [1]}), "a", 0)
    return said | {"axes": axes, "cells": cells, "digest": digest}


LONG = hex((1 << 6_000_000) + 1)


@pytest.mark.parametrize(
    "value",
    [{"fraction": f"{LONG}/{LONG[:-1]}3"}, {"int": LONG}, {"decimal": "7" * 1_500_000}],
    ids=["fraction", "int", "decimal"],
)
def test_a_number_that_nobody_reads_is_refused_by_its_length(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows"
    start = process_time()
    with pytest.raises(InvalidInputError, match="first line whose grid cannot be read"):
        load_sweep(kept(path, first_line({"x": [value]}, 1)))
    with pytest.raises(ValueError, match="is no scalar"):
        decode_scalar(value)
    assert process_time() - start < 2


@pytest.mark.parametrize(
    "value", [1 << 400_000, Fraction(1, 1 << 40_000), Decimal("7" * 100_001)], ids=type
)
def test_a_number_that_could_not_be_read_back_is_not_kept(value: Any) -> None:
    limit = "40,000" if isinstance(value, Fraction) else "400,000"
    found = run_sweep(Grid({"x": [1]}), lambda x: value)
    assert f"is a number of more than {limit} bits" in found.rows[0].error
    with pytest.raises(InvalidInputError, match=f"is a number of more than {limit} bits"):
        Grid({"x": [value]})


def test_many_long_fractions_are_read_in_time() -> None:
    draw = Random(1)
    for bits, rows in ((400_000, 100), (40_000, 200)):
        parts = [[hex(draw.getrandbits(bits)) for _ in range(2)] for _ in range(rows)]
        start = process_time()
        for above, below in parts:
            with suppress(ValueError):
                decode_scalar({"fraction": f"{above}/{below}"})
        assert process_time() - start < 2


@pytest.mark.parametrize(
    "value", [1 - (1 << 400_000), Fraction(1 - (1 << 40_000), (1 << 40_000) - 2)], ids=type
)
def test_the_longest_numbers_are_read_back(value: Any) -> None:
    assert decode_scalar(encode_scalar(value)) == scalar(value) == value


def test_a_first_line_that_claims_many_cells_is_counted_before_work(tmp_path: Path) -> None:
    texts = ["a" * 2_000 + str(k) for k in range(1_000)]
    axes = {"x": texts, "y": texts, "z": [1, 2, 3]}
    start = process_time()
    for cells in (3_000_000, 7):
        with pytest.raises(LimitError, match="a grid of 3,000,000 cells and 3 axes and holds few"):
            load_sweep(kept(tmp_path / "rows", first_line(axes, cells)))
    assert process_time() - start < 5
    with pytest.raises(LimitError, match="make cells of more than 2,147,483,648 characters"):
        run_sweep(Grid(axes), lambda x, y, z: 1, jobs=1, results=tmp_path / "new")


MANY = {f"x{k}": [0, 1] for k in range(23)}
TEXTS = [str(k).rjust(100) for k in range(3150)]


@pytest.mark.parametrize(
    ("axes", "cells"),
    [
        (MANY, 1 << 23),
        (MANY | {f"y{k}": [0] for k in range(180)}, 1 << 23),
        ({"x": TEXTS, "y": TEXTS}, 3150**2),
        ({"x": [*range(4000)], "y": [*range(2500)]}, 10**7),
    ],
    ids=["names", "constants", "texts", "numbers"],
)
def test_axes_and_texts_count_as_work(axes: Any, cells: int, tmp_path: Path) -> None:
    path = kept(tmp_path / "rows", first_line(axes, cells))
    start = process_time()
    with pytest.raises(LimitError, match=f"results claims a grid of {cells:,} cells and "):
        load_sweep(path)
    with pytest.raises(LimitError, match="results claims a grid of"):
        sweep(path, tmp_path / "log")
    assert process_time() - start < 1


def max_of(x: int, y: int) -> int:
    return max(x, y)


def test_a_sweep_of_our_own_is_gone_on_with_and_read_when_enough_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid, path = Grid({"x": range(100), "y": range(100)}), tmp_path / "rows"

    def stop(done: int, total: int) -> None:
        if done == 10:
            raise KeyboardInterrupt

    monkeypatch.setattr(keeping, "_MAX_WORK", 15_000)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(grid, max_of, jobs=1, results=path, progress=stop)
    with pytest.raises(LimitError, match="load it when more cells are done"):
        load_sweep(path)
    found = run_sweep(grid, max_of, jobs=1, results=path)
    assert len(load_sweep(path).rows) == len(found.rows) == 10_000
