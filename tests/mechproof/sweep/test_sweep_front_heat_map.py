"""Heat maps: what is in the grid of numbers, and what is in the picture."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from mechproof.report.heat_map import draw
from mechproof.sweep import CellResult, Grid, SweepResult
from theory.errors import InvalidInputError, UnknownNameError

SVG = "{http://www.w3.org/2000/svg}"
HUGE = 10**5000
HALF = Fraction(1, 2)


def swept(grid: Grid, check: Callable[..., Any]) -> SweepResult:
    """Return what a check gives; text is an error, "" a cell that was not run."""
    rows = []
    for cell in grid:
        found = check(**cell)
        if isinstance(found, str):
            rows += [CellResult(cell, None, found)] if found else []
        else:
            rows.append(CellResult(cell, found if isinstance(found, dict) else {"slack": found}))
    return SweepResult(grid, tuple(rows), "m:f")


PLAIN = swept(Grid({"x": [2, 0, HALF], "y": [1, 2]}), lambda x, y: x - y * y)


def picture(result: SweepResult, x: str = "x", y: str = "y", value: str = "slack") -> Figure:
    figure = Figure(layout="constrained")
    draw(result.heat_map(x, y, value), figure)
    figure.draw_without_rendering()
    return figure


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def colors(figure: Figure) -> Any:
    """Return the colours of the cells, by row from below."""
    mesh = figure.axes[0].collections[0]
    mesh.update_scalarmappable()
    return mesh.get_facecolor()


def test_numbers_ascend_and_cells_find_their_places() -> None:
    shown = PLAIN.heat_map("x", "y", "slack")
    assert (shown.columns, shown.rows) == ((0, HALF, 2), (1, 2))
    assert shown.cells == ((-1, -HALF, 1), (-4, Fraction(-7, 2), -2))
    turned = PLAIN.heat_map("y", "x", "slack")
    assert turned.cells == tuple(zip(*shown.cells, strict=True))


def test_text_stays_in_the_order_of_the_grid() -> None:
    grid = Grid({"x": ["b", "a"], "y": [True, False]})
    shown = swept(grid, lambda x, y: len(x) + y).heat_map("x", "y", "slack")
    assert (shown.columns, shown.rows) == (("b", "a"), (True, False))


def test_cells_without_a_number_say_why() -> None:
    answers: dict[int, Any] = {
        0: "ValueError",
        1: {"slack": None},
        2: {"slack": float("nan")},
        3: {"other": 1},
        4: "",
        5: {"slack": Decimal("NaN")},
        6: {"slack": True},
    }
    result = swept(Grid({"x": range(7), "y": [0]}), lambda x, y: answers[x])
    shown = result.heat_map("x", "y", "slack")
    none = "no value"
    assert shown.cells == (("failed", none, none, none, "not run", none, 1),)
    assert [shown.count(mark) for mark in ("failed", none, "not run")] == [1, 4, 1]
    assert str(shown).split("\n")[-1].split() == ["0", "error", *["none"] * 3, "none", "1"]


def test_cells_that_a_list_lacks_were_not_run() -> None:
    grid = Grid.of([{"x": 0, "y": 1}, {"x": 1, "y": 0}])
    shown = swept(grid, lambda x, y: x).heat_map("x", "y", "slack")
    assert shown.cells == (("not run", 1), (0, "not run"))


THREE = swept(
    Grid({"x": [0, 1], "y": [0, 1], "z": [1, HALF, "a"], "only": [7]}),
    lambda x, y, z, only: {"slack": len(str(z)) + x, "word": "a"},
)


def test_where_fixes_the_other_axes() -> None:
    shown = THREE.heat_map("x", "y", "slack", where={"z": Fraction(2, 4)})
    assert shown.cells == ((3, 4), (3, 4))
    assert shown.title == "slack of m:f, z = 1/2"
    assert THREE.heat_map("x", "z", "slack", where={"y": 1.0, "only": 7}).title == (
        "slack of m:f, y = 1, only = 7"
    )


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (("x", "y", "slack"), InvalidInputError, ["neither shown nor fixed", "'z'", "1, 1/2, a"]),
        (("x", "y", "slack", {"z": 3}), InvalidInputError, ["where['z']", "known are 1, 1/2"]),
        (("x", "y", "slack", {"z": []}), InvalidInputError, ["where['z']", "no value"]),
        (("x", "y", "slack", {"z": 1, "x": 0}), InvalidInputError, ["is shown", "'x'"]),
        (("x", "y", "slack", {"z": 1, "only": 8}), InvalidInputError, ["only", "known are 7"]),
        (("x", "y", "slack", {"Z": 1}), UnknownNameError, ["where", "'Z'"]),
        (("x", "y", "slack", [("z", 1)]), InvalidInputError, ["where is no mapping"]),
        (("x", "x", "slack", {"z": 1, "y": 0}), InvalidInputError, ["is x, too"]),
        (("X", "y", "slack", {"z": 1}), UnknownNameError, ["x is unknown", "'X'"]),
        (("x", None, "slack", {"z": 1}), UnknownNameError, ["y is unknown"]),
        (("x", "slack", "slack", {"z": 1}), UnknownNameError, ["y is unknown"]),
        (("x", "y", "slacks", {"z": 1}), UnknownNameError, ["did you mean 'slack'"]),
        (("x", "y", "word", {"z": 1}), InvalidInputError, ["is text", "'x': 0"]),
    ],
)
def test_what_cannot_be_shown_is_refused(
    arguments: tuple[Any, ...], kind: type[Exception], words: list[str]
) -> None:
    import inspect

    with pytest.raises(kind) as error:
        inspect.unwrap(SweepResult.heat_map)(THREE, *arguments)
    for word in words:
        assert word in str(error.value)


def test_a_sweep_that_only_failed_has_nothing_to_show() -> None:
    result = swept(Grid({"x": [0], "y": [0]}), lambda x, y: "ValueError")
    with pytest.raises(UnknownNameError, match="there are none"):
        result.heat_map("x", "y", "slack")


def test_colours_diverge_about_zero() -> None:
    """Below 0 red outweighs blue, above it the reverse, and the same depth is the same size."""
    values = [-4, -1, 0, 1, 4]
    result = swept(Grid({"x": range(5), "y": [0]}), lambda x, y: values[x])
    red, green, blue = colors(picture(result))[:, :3].T
    assert (red > blue).tolist() == [True, True, False, False, False]
    assert (red < blue).tolist() == [False, False, False, True, True]
    assert red[2] == pytest.approx(green[2], abs=0.01)
    assert red[2] == pytest.approx(blue[2], abs=0.01)
    light = np.array([red[2], green[2], blue[2]]).mean()
    assert light > 0.9
    assert (red + green + blue).argmax() == 2


def test_a_slack_diverges_about_zero_even_where_all_are_above() -> None:
    above = swept(Grid({"x": [1, 2], "y": [0]}), lambda x, y: {"slack": x, "regret": x})
    low, high = (picture(above, value=v).axes[0].collections[0] for v in ("slack", "regret"))
    assert low.get_clim() == (-2, 2)
    assert high.get_clim() == (1, 2)


@pytest.mark.parametrize("least", [-1e308, 0.0])
def test_numbers_as_far_apart_as_floats_go_are_drawn(least: float) -> None:
    picture(
        swept(Grid({"x": [0, 1], "y": [0, 1]}), lambda x, y: {"v": x * 1e308 + least}), value="v"
    )


def test_equal_numbers_have_a_scale() -> None:
    for value, ends in ((0, (-1, 1)), (5, (-5, 5))):
        same = swept(Grid({"x": [1, 2], "y": [0]}), lambda x, y, value=value: value)
        assert picture(same).axes[0].collections[0].get_clim() == ends
    regret = swept(Grid({"x": [1, 2], "y": [0]}), lambda x, y: {"regret": 3.0})
    assert picture(regret, value="regret").axes[0].collections[0].get_clim() == (3, 4)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", ["slack", "regret"])
def test_the_largest_numbers_have_a_scale(value: str) -> None:
    most = 1.7e308
    for values in ([-most, most], [5e-324, most], [most, most], [0, most]):
        swept_values = swept(Grid({"x": [0, 1], "y": [0]}), lambda x, y, v=values: {value: v[x]})
        low, high = picture(swept_values, value=value).axes[0].collections[0].get_clim()
        assert np.isfinite(high - low)
        assert low < high


@pytest.mark.filterwarnings("error")
def test_names_are_cut_where_they_are_long() -> None:
    long, name = "x" * 20_000, "v" * 20_000
    result = swept(Grid({long: [0, 1], "y": [0]}), lambda **cell: {name: cell["y"]})
    axes, bar = picture(result, long, "y", name).axes
    assert axes.get_xlabel() == "x" * 39 + "…"
    assert bar.get_ylabel() == "v" * 39 + "…"
    assert axes.get_title().endswith("…")
    assert axes.get_title().count("\n") == 5


def test_numbers_stand_in_few_cells_exactly() -> None:
    assert texts(picture(PLAIN)) == ["−1", "−1/2", "1", "−4", "−7/2", "−2"]
    odd = [Fraction(1, 123456789), 0.1 + 0.2, HUGE, -HUGE, float("inf"), 12345678, 123456789]
    result = swept(Grid({"x": range(7), "y": [0]}), lambda x, y: odd[x])
    assert texts(picture(result)) == [
        "8.1e−09",
        "0.3",
        "1.000e+5000",
        "−1.000e+5000",
        "inf",
        "12345678",
        "1.235e+08",
    ]
    many = swept(Grid({"x": range(13), "y": [0]}), lambda x, y: x)
    assert texts(picture(many)) == []


def test_dark_cells_have_light_numbers() -> None:
    values = [-9, 0, 9]
    result = swept(Grid({"x": range(3), "y": [0]}), lambda x, y: values[x])
    inks = [text.get_color() for text in picture(result).axes[0].texts]
    assert inks == ["w", "#333333", "w"]


def test_hatches_are_counted_in_the_legend() -> None:
    answers = ["ValueError", "ValueError", {"slack": None}, "", 1]
    result = swept(Grid({"x": range(5), "y": [0]}), lambda x, y: answers[x])
    figure = picture(result)
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["failed: 2 cells", "no value: 1 cell", "not run: 1 cell"]
    hatched = figure.axes[0].collections[1:]
    assert [len(marks.get_paths()) for marks in hatched] == [2, 1, 1]
    assert [marks.get_paths()[0].get_extents().x0 for marks in hatched] == [-0.5, 1.5, 2.5]
    assert len({marks.get_hatch() for marks in hatched}) == 3
    assert not picture(PLAIN).legends


def test_labels_name_the_axes_and_stay_few() -> None:
    grid = Grid({"reserve": [Fraction(k, 100) for k in range(100)], "bidders": [2, 1]})
    result = swept(grid, lambda reserve, bidders: {"bic.slack": -reserve})
    axes, bar = picture(result, "reserve", "bidders", "bic.slack").axes
    across = [label.get_text() for label in axes.get_xticklabels()]
    assert across[:3] == ["0", "2/25", "4/25"]
    assert len(across) <= 13
    assert np.unique(np.diff(axes.get_xticks())).tolist() == [8]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["1", "2"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("reserve", "bidders")
    assert bar.get_ylabel() == "bic.slack: below 0 it fails"


def test_a_picture_with_nothing_but_failures_is_drawn(tmp_path: Path) -> None:
    result = swept(Grid({"x": [0, 1], "y": [0]}), lambda x, y: {"v": 1} if x else {"slack": None})
    result.heat_map("x", "y", "slack").draw(tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 1000


def test_files(tmp_path: Path) -> None:
    shown = PLAIN.heat_map("x", "y", "slack")
    for name in ("one.svg", "two.svg", "map.png"):
        shown.draw(tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    said = [text.text for text in ElementTree.parse(tmp_path / "one.svg").iter(f"{SVG}text")]
    assert {"x", "y", "slack of m:f", "−7/2"} <= set(said)
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InvalidInputError, match="names no kind of picture"):
        shown.draw(tmp_path / "map.gif")
    with pytest.raises(InvalidInputError, match="cannot be written"):
        shown.draw(tmp_path / "nowhere" / "map.png")
    assert len(list(tmp_path.iterdir())) == 3


def test_html_is_one_svg() -> None:
    page = PLAIN.heat_map("x", "y", "slack")._repr_html_()
    assert ElementTree.fromstring(page).tag == f"{SVG}svg"
    assert page == PLAIN.heat_map("x", "y", "slack")._repr_html_()
