"""Sweep files: what is read from them, and what a wrong one gets told."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from mechproof.problems.format.reading import DocumentError
from mechproof.sweep.file import EXAMPLE, SweepFile, load_check, read_sweep
from theory.errors import InvalidInputError, UnknownNameError


def read(tmp_path: Path, text: str, name: str = "sweep.toml") -> SweepFile:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_sweep(path)


def axes(tmp_path: Path, text: str) -> dict[str, tuple[Any, ...]]:
    return dict(read(tmp_path, f'check = "m:f"\n{text}').grid.axes)


def test_numbers_are_read_as_written(tmp_path: Path) -> None:
    found = axes(tmp_path, '[axes]\nx = [1, 0.1, "1/3", 2.0, "-4/2", 1e-3]')
    expected = (1, Fraction(1, 10), Fraction(1, 3), 2, -2, Fraction(1, 1000))
    assert found["x"] == expected
    assert [type(v) for v in found["x"]] == [int, Fraction, Fraction, int, int, Fraction]


def test_text_and_truth_values_stay_what_they_are(tmp_path: Path) -> None:
    found = axes(tmp_path, '[axes]\nx = ["first/second", "0.5", "", "1 / 3"]\ny = [true, false]')
    assert found["x"] == ("first/second", "0.5", "", "1 / 3")
    assert [v is True for v in found["y"]] == [True, False]


def test_steps_are_exact_and_end_where_they_are_told(tmp_path: Path) -> None:
    found = axes(tmp_path, "[axes]\nx = { from = 0, to = 1, by = 0.1 }\ny={from=1,to=4,by=2}")
    assert found["x"] == tuple(Fraction(k, 10) for k in range(11))
    assert found["y"] == (1, 3)


def test_floats_are_made_only_where_asked(tmp_path: Path) -> None:
    found = axes(tmp_path, 'floats = ["x", "c"]\n[axes]\nx=[0.1,1]\ny=[0.1]\n[constants]\nc=0.5')
    assert found == {"x": (0.1, 1.0), "y": (Fraction(1, 10),), "c": (0.5,)}
    assert [type(v) for v in (*found["x"], *found["c"])] == [float] * 3


def test_constants_are_axes_of_one_value(tmp_path: Path) -> None:
    found = read(tmp_path, 'check = "m:f"\n[axes]\nx = [1, 2]\n[constants]\ntop = 3')
    assert list(found.grid) == [{"x": 1, "top": 3}, {"x": 2, "top": 3}]


def test_json_says_the_same(tmp_path: Path) -> None:
    document = {"check": "m:f", "axes": {"x": [1, 0.1, "1/3", None]}, "plot": None}
    del document["plot"]
    found = read(tmp_path, json.dumps(document), "sweep.json")
    assert found.grid.axes["x"] == (1, Fraction(1, 10), Fraction(1, 3), None)


@pytest.mark.parametrize(
    ("start", "by", "count"), [("0", "1/3", 9), ("-1/2", "1/7", 20), ("1e20", "0.1", 3)]
)
def test_steps_are_from_and_multiples_of_by(
    start: str, by: str, count: int, tmp_path: Path
) -> None:
    wanted = [Fraction(start) + k * Fraction(by) for k in range(count)]
    for to in (wanted[-1], wanted[-1] + Fraction(by) / 2):
        steps = f'x = {{ from = "{start}", to = "{to}", by = "{by}" }}'
        assert list(axes(tmp_path, f"[axes]\n{steps}")["x"]) == wanted


def test_many_short_steps_and_few_long_ones_are_read(tmp_path: Path) -> None:
    text = (
        "[axes]\nx = { from = 0, to = 1, by = 1e-5 }\n"
        'y = { from = 0, to = "1e-3990", by = "3e-3991" }'
    )
    assert [len(axis) for axis in axes(tmp_path, text).values()] == [100_001, 4]


def test_the_example_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, EXAMPLE)
    assert len(found.grid) == 3 * 7 * 3
    assert callable(load_check(found.check))
    assert found.plot is not None
    assert found.plot.where == {"share": 1}


def test_where_is_read_as_its_axis_is(tmp_path: Path) -> None:
    text = (
        'check = "m:f"\nfloats = ["c"]\n[axes]\na=[1]\nb=[1]\nc=[0.1,0.2]\nd=["1/2",1]\n'
        '[plot]\nx="a"\ny="b"\nvalue="v"\nwhere = { c = 0.1, d = "1/2" }'
    )
    plot = read(tmp_path, text).plot
    assert plot is not None
    assert plot.where == {"c": 0.1, "d": Fraction(1, 2)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["$", "check"]),
        ("check = 3\n[axes]\nx=[1]", ["$.check", "str"]),
        ('check = "m:f"', ["$", "axes"]),
        ('check = "m:f"\n[axes]', ["$.axes"]),
        ('check = "m:f"\naxes = 3', ["$.axes"]),
        ('check = "m:f"\n[axes]\nx = 3', ["$.axes.x", "is no axis", "give a list"]),
        ('check = "m:f"\n[axes]\nx = []', ["$.axes", "x", "has no values"]),
        ('check = "m:f"\n[axes]\nx = [1, 1.0]', ["$.axes", "twice"]),
        ('check = "m:f"\n[axes]\nx = [[1]]', ["$.axes.x[0]", "is a list"]),
        ('check = "m:f"\n[axes]\nx = [nan]', ["$.axes.x[0]", "nan"]),
        ('check = "m:f"\n[axes]\nx = [inf]', ["$.axes.x[0]", "inf"]),
        ('check = "m:f"\n[axes]\nx = ["1/0"]', ["$.axes.x[0]", "zero denominator"]),
        ('check = "m:f"\n[axes]\nx = [2020-01-01]', ["$.axes.x[0]", "is a date"]),
        ('check = "m:f"\n[axes]\n"a b" = [1]', ["a b", "is no name of an axis"]),
        ('check = "m:f"\n[axes]\nx = {from=0,to=1}', ["$.axes.x", "by"]),
        ('check = "m:f"\n[axes]\nx = {from=0,to=1,by=0}', ["$.axes.x", "is no step"]),
        ('check = "m:f"\n[axes]\nx = {from=0,to=1,by="a"}', ["$.axes.x.by", "is not a number"]),
        ('check = "m:f"\n[axes]\nx = {from=1,to=0,by=1}', ["$.axes.x", "is below from"]),
        ('check = "m:f"\n[axes]\nx = {from=0,to=1,by=1e-9}', ["$.axes.x", "too many", "larger by"]),
        ('check = "m:f"\n[axes]\nx = {from=0,to=1,by=1,down=1}', ["$.axes.x", "down"]),
        ('check = "m:f"\nfloat = ["x"]\n[axes]\nx = [1]', ["float", "did you mean 'floats'?"]),
        ('check = "m:f"\nfloats = ["y"]\n[axes]\nxy = [1]', ["$.floats[0]", "unknown"]),
        ('check = "m:f"\nfloats = ["x"]\n[axes]\nx = ["a"]', ["$.axes.x", "is no number"]),
        ('check = "m:f"\nfloats = ["x"]\n[axes]\nx = [1e999]', ["$.axes.x", "too large"]),
        ('check = "m:f"\n[axes]\nx=[1]\n[constants]\nx=2', ["$.constants.x", "is an axis, too"]),
        ('check = "m:f"\n[axes]\nx=[1]\n[constants]\nc=[2]', ["$.constants.c", "is a list"]),
        ('check = "m:f"\n[axes]\nx=[1]\n[plot]\nx="x"\ny="z"\nvalue="v"', ["$.plot.y", "'z'"]),
        ('check = "m:f"\n[axes]\nx=[1]\n[plot]\nx="x"', ["$.plot", "y"]),
        (
            'check = "m:f"\n[axes]\nx=[1]\ny=[1]\n[plot]\nx="x"\ny="y"\nvalue="v"\nwhere={z=1}',
            ["$.plot.where.z", "unknown"],
        ),
        (
            'check = "m:f"\n[axes]\nx=[1]\ny=[1]\nz=[1,2]\n[plot]\nx="x"\ny="y"\nvalue="v"',
            ["$.plot", "'z'", "neither shown nor fixed"],
        ),
        ("check = ", ["line 1, column"]),
    ],
)
def test_a_wrong_file_is_told_where(text: str, words: list[str], tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as error:
        read(tmp_path, text)
    for word in words:
        assert word in str(error.value)


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="cannot be read"):
        read_sweep(tmp_path / "none.toml")
    with pytest.raises(DocumentError, match="cannot be read"):
        read_sweep(tmp_path)
    (tmp_path / "sweep.toml").write_bytes(b"check = '\xff'")
    with pytest.raises(DocumentError, match="is not UTF-8"):
        read_sweep(tmp_path / "sweep.toml")
    (tmp_path / "sweep.json").write_text("[]", encoding="utf-8")
    with pytest.raises(DocumentError, match="is not a table"):
        read_sweep(tmp_path / "sweep.json")


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("sweep_checks", InvalidInputError, "does not name a function"),
        (":product", InvalidInputError, "does not name a function"),
        ("sweep_checks:", InvalidInputError, "does not name a function"),
        ("no_such_module:f", InvalidInputError, "fails to import"),
        ("sweep_checks:produkt", UnknownNameError, "did you mean 'product'"),
        ("sweep_checks:NUMBER", InvalidInputError, "cannot be called"),
    ],
)
def test_a_check_that_is_none(name: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        load_check(name, ["sweep_checks"])


def test_a_module_that_ends_the_program_is_said_and_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ends_the_program.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError, match="fails to import: SystemExit"):
        load_check("ends_the_program:check")


def test_a_check_of_this_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "checks_of_this_folder.py").write_text(
        "class Mine:\n    def check(x):\n        return -x\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["elsewhere"])
    monkeypatch.setattr("sys.modules", dict(__import__("sys").modules))
    assert load_check("checks_of_this_folder:Mine.check")(2) == -2
