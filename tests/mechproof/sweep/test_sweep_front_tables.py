"""The rows of a sweep as text, CSV and data frames."""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from io import StringIO
from typing import Any

import pytest

from mechproof.sweep import CellResult, Grid, SweepResult
from theory.errors import InvalidInputError, UnknownNameError

HUGE = 10**5000
THIRD = Fraction(1, 3)


def result(*values: Mapping[str, Any] | str, check: str = "m:f") -> SweepResult:
    """Return a sweep over as many cells; text is an error."""
    grid = Grid({"x": range(len(values)), "c": ["same"]})
    rows = tuple(
        CellResult(cell, None, v) if isinstance(v, str) else CellResult(cell, v)
        for cell, v in zip(grid, values, strict=True)
    )
    return SweepResult(grid, rows, check)


def columns(**lists: list[Any]) -> SweepResult:
    rows = zip(*lists.values(), strict=True)
    return result(*(dict(zip(lists, row, strict=True)) for row in rows))


def test_the_names_of_values_are_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = result({f"v{i}": i for i in range(50)}, {"late": 1})
    names, asked = found.value_names, []
    monkeypatch.setattr(
        SweepResult, "value_names", property(lambda self: asked.append(self) or names)
    )
    assert len(found.to_csv().splitlines()[0].split(",")) == 2 + 51 + 1
    assert len(asked) == 1


def test_the_table_is_exact_and_names_errors() -> None:
    found = result({"v": THIRD, "w": None}, "ValueError: no (at f.py:3)", {"v": 0.1, "u": True})
    table = found.table()
    assert table.columns == ("x", "c", "v", "w", "u", "error")
    assert table.rows == (
        ("0", "same", "1/3", "", "", ""),
        ("1", "same", "", "", "", "ValueError: no (at f.py:3)"),
        ("2", "same", "0.1", "", "True", ""),
    )
    assert result({"v": 1}).table().columns == ("x", "c", "v")


def test_no_value_is_hidden_by_the_errors() -> None:
    found = columns(error=[1, 2], raised=[3, 4], raised_2=[5, 6])
    lines = found.to_csv().replace('"', "").splitlines()
    assert lines == ["x,c,error,raised,raised_2,raised_3", "0,same,1,3,5,", "1,same,2,4,6,"]


def test_halves_of_surrogate_pairs_are_written_so_that_files_can_hold_them() -> None:
    found = columns(text=["a\ud800"])
    assert found.to_csv().encode().splitlines()[1] == rb'0,"same","a\ud800",'
    assert found.to_polars()["text"].to_list() == [r"a\ud800"]
    assert found.to_pandas()["text"].to_list() == [r"a\ud800"]


def test_what_is_shown_is_short() -> None:
    long = "a" * 41
    found = result(*({"v": k, "story": long} for k in range(30)))
    lines = str(found).split("\n")
    assert lines[0] == "m:f: 30 cells, c = same"
    assert lines[1].split() == ["x", "v"]
    assert [line.split()[0] for line in lines[3:-1]] == [
        *map(str, range(10)),
        "…",
        *map(str, range(20, 30)),
    ]
    assert lines[-1] == "not shown, but in table(): story"
    assert long in str(found.table())


def test_the_first_errors_are_told_with_their_cells() -> None:
    text = str(result(*(f"Error {k}" for k in range(7))))
    assert "7 cells, 7 with an error" in text
    assert "error at x = 4: Error 4" in text
    assert "Error 5" not in text
    assert text.endswith("and 2 more in result.errors")


def test_an_unfinished_sweep_says_so() -> None:
    whole = result({"v": 1}, {"v": 2}, {"v": 3})
    part = SweepResult(whole.grid, whole.rows[:1], "m:f")
    assert str(part).startswith("m:f: 1 of 3 cells")
    assert not part.complete
    assert str(result({"v": 1})).startswith("m:f: 1 cell\n")
    none = str(SweepResult(whole.grid, (), "m:f")).split("\n")
    assert none[:2] == ["m:f: 0 of 3 cells, c = same", "x"]


def test_a_value_that_is_none_everywhere_is_left_to_the_table() -> None:
    found = result({"v": 1, "w": None}, {"v": 2, "w": None})
    assert str(found).split("\n")[1].split() == ["x", "v"]
    assert found.table().columns == ("x", "c", "v", "w")


def test_html_is_escaped() -> None:
    page = result({"v": "<b>"}, "<i>")._repr_html_()
    assert "&lt;b&gt;" in page
    assert "&lt;i&gt;" in page
    assert "<b>" not in page


def test_csv_reads_back() -> None:
    told = 'said "no",\nthen left'
    found = result({"v": THIRD, "w": "a,b"}, told, {"v": HUGE, "w": None})
    rows = list(csv.reader(StringIO(found.to_csv(), newline="")))
    assert rows[0] == ["x", "c", "v", "w", "error"]
    assert rows[1] == ["0", "same", "1/3", "a,b", ""]
    assert rows[2] == ["1", "same", "", "", told]
    assert int(rows[3][2], 0) == HUGE
    assert "\r" not in found.to_csv()


def test_a_value_called_error_keeps_its_column() -> None:
    found = result({"error": 0.5}, "ValueError")
    assert found.table().columns == ("x", "c", "error", "raised")
    assert found.column("error") == (0.5, None)


def test_columns_by_name() -> None:
    found = result({"slack": 1}, "no")
    assert found.column("x") == (0, 1)
    assert found.column("slack") == (1, None)
    with pytest.raises(UnknownNameError, match="did you mean 'slack'"):
        found.column("slak")


KINDS = columns(
    whole=[1, 2, -3],
    hole=[1, None, 3],
    real=[0.5, None, float("inf")],
    both=[1, 0.5, 2],
    lossy=[2**53 + 1, 0.5, 1],
    exact=[THIRD, 1, None],
    decimal=[Decimal("0.10"), 1, 2],
    big=[2**63, 1, 2],
    truth=[True, False, True],
    maybe=[True, None, False],
    text=["a", None, ""],
    mixed=["a", 1, True],
    none=[None, None, None],
)


def test_pandas_has_a_kind_for_each_column() -> None:
    frame = KINDS.to_pandas()
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert kinds == {
        "x": "int64",
        "c": "string",
        "whole": "int64",
        "hole": "Int64",
        "real": "float64",
        "both": "float64",
        "lossy": "object",
        "exact": "object",
        "decimal": "object",
        "big": "object",
        "truth": "bool",
        "maybe": "boolean",
        "text": "string",
        "mixed": "object",
        "none": "object",
        "error": "string",
    }
    assert list(frame["exact"]) == [THIRD, 1, None]
    assert frame["exact"][:2].sum() == Fraction(4, 3)
    assert list(frame["lossy"]) == [2**53 + 1, 0.5, 1]
    assert frame["hole"].isna().tolist() == [False, True, False]
    assert frame["text"].isna().tolist() == [False, True, False]
    assert frame["real"].isna().tolist() == [False, True, False]


def test_polars_writes_fractions_as_text() -> None:
    frame = KINDS.to_polars()
    kinds = {name: str(kind) for name, kind in frame.schema.items()}
    text = {"c", "lossy", "exact", "decimal", "big", "text", "mixed", "none", "error"}
    assert {name for name, kind in kinds.items() if kind == "String"} == text
    assert {name for name, kind in kinds.items() if kind == "Boolean"} == {"truth", "maybe"}
    assert {name for name, kind in kinds.items() if kind == "Float64"} == {"real", "both"}
    assert frame["exact"].to_list() == ["1/3", "1", None]
    assert frame["decimal"].to_list() == ["0.10", "1", "2"]
    assert frame["mixed"].to_list() == ["a", "1", "True"]
    assert frame["hole"].to_list() == [1, None, 3]
    assert frame["real"].to_list() == [0.5, None, float("inf")]


def test_floats_are_made_on_request() -> None:
    for frame in (KINDS.to_pandas(exact=False), KINDS.to_polars(exact=False)):
        assert list(frame["exact"][:2]) == [1 / 3, 1.0]
        assert list(frame["decimal"]) == [0.1, 1.0, 2.0]
        assert list(frame["whole"]) == [1, 2, -3]
        assert list(frame["big"]) == [2.0**63, 1.0, 2.0]
    assert columns(v=[HUGE]).to_pandas(exact=False)["v"][0] == float("inf")
    assert columns(v=[-HUGE]).to_polars(exact=False)["v"][0] == float("-inf")


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InvalidInputError) as error:
        getattr(KINDS, f"to_{package}")()
    assert f"pip install '{package}>=" in str(error.value)
    assert "is not installed" in str(error.value)
