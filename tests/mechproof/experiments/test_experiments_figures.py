"""The five figures: what is in the files."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from advertising_models import Unlisted

from mechanisms.advertising import GENERATORS, READINGS
from mechproof.experiments import advertising
from mechproof.report import advertising as draw
from theory.errors import InvalidInputError

SVG = "{http://www.w3.org/2000/svg}"
Points = list[tuple[float, float]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> advertising.Results:
    report = advertising.run(
        tmp_path_factory.mktemp("run"),
        model="advertising_models:toy",
        top_p=0.97,
        queries=4,
        seeds=3,
        candidates=8,
        draw=False,
    )
    return report.results


def lines(file: Path) -> dict[str, Points]:
    """Return the points of every line that bears a name of ours, as they stand in the picture."""
    found = {}
    for group in ElementTree.parse(file).iter(f"{SVG}g"):
        path, name = group.find(f"{SVG}path"), group.get("id", "")
        if path is not None and re.match("context-aware |reference |optimum", name):
            corners = re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", path.get("d", ""))
            found[name] = [(float(x), float(y)) for x, y in corners]
    return found


def assert_heights(drawn: dict[str, Points], values: dict[str, Any]) -> None:
    """Check that the lines of one part have their points where one map of heights puts them."""
    places = np.concatenate([[y for _, y in drawn[name]] for name in values])
    heights = np.concatenate([np.atleast_1d(v) for v in values.values()])
    slope, start = np.polyfit(heights, places, 1)
    assert slope < 0, "the picture stands on its head"
    assert places == pytest.approx(slope * heights + start, abs=0.05)


def numbers(curve: Any) -> list[float]:
    return [estimate.value for estimate in curve]


def text(file: Path) -> str:
    """Return all text of a picture, a line each."""
    return "\n".join(t.text or "" for t in ElementTree.parse(file).iter(f"{SVG}text"))


def test_figure_1_has_curves_the_optimum_and_exact_distances(
    results: advertising.Results, tmp_path: Path
) -> None:
    draw.draw_log_probability(results, tmp_path / "one.svg")
    drawn = lines(tmp_path / "one.svg")
    best = results.optimum("log-probability")
    assert best is not None
    left: dict[str, Any] = {"optimum log-probability": [best.value] * 2}
    right: dict[str, Any] = {}
    for generator in GENERATORS:
        curve = results.curve("log-probability", generator)
        left[f"{generator} log-probability"] = numbers(curve)
        exact = results.law_curve("log_probs", generator)
        left[f"{generator} exact log-probability"] = numbers(exact)
        distance = results.law_curve("total_variation", generator)
        right[f"{generator} total variation"] = numbers(distance)
        right[f"{generator} limit"] = [results.limit(generator)[0].value] * 2
    assert set(drawn) == {*left, *right}
    assert_heights(drawn, left)
    assert_heights(drawn, {name: np.log(values) for name, values in right.items()})
    across = np.array(drawn["reference log-probability"])[:, 0]
    assert np.diff(across) == pytest.approx(np.full(7, np.diff(across)[0]), abs=0.02)
    said = text(tmp_path / "one.svg")
    for label in (
        "candidates M",
        "log-probability under the optimum",
        "total variation distance to the optimum",
        "4 queries x 3 runs; 95% bands clustered by query",
        "exact expectation",
    ):
        assert label in said
    for label in (*GENERATORS, "at the optimum"):
        assert said.splitlines().count(label) == 1
    draw.draw_log_probability(results, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "one.svg").read_bytes()


@pytest.mark.parametrize("quantity", ["reward gain", "utility gain"])
def test_figures_2_and_4_have_three_readings(
    quantity: str, results: advertising.Results, tmp_path: Path
) -> None:
    function = {"reward gain": draw.draw_reward_gain, "utility gain": draw.draw_utility_gain}
    function[quantity](results, tmp_path / "gain.svg")
    drawn = lines(tmp_path / "gain.svg")
    values = {
        f"{generator} {quantity} {reading}": numbers(results.curve(quantity, generator, reading))
        for generator in GENERATORS
        for reading in READINGS
    }
    assert set(drawn) == {*values, f"optimum {quantity}"}
    assert_heights(drawn, {k: v for k, v in values.items() if np.isfinite(v).all()})
    said = text(tmp_path / "gain.svg")
    for label in (f"total {quantity}", "eq. (19)", "footnote 9", "the same candidates"):
        assert label in said


def test_figure_3_has_revenue_with_and_without_the_offset(
    results: advertising.Results, tmp_path: Path
) -> None:
    draw.draw_revenue(results, tmp_path / "revenue.svg")
    drawn = lines(tmp_path / "revenue.svg")
    for offset, name in ((True, "with offset"), (False, "without offset")):
        values = {
            f"{generator} {name}": numbers(results.curve("revenue", generator, offset=offset))
            for generator in GENERATORS
        }
        assert_heights(drawn, values)
        assert f"payments {name}" in text(tmp_path / "revenue.svg")
    assert len(drawn) == 5


@pytest.mark.parametrize("reading", ["redrawn", "same"])
def test_figure_5_has_correlations_and_lines(
    reading: str, results: advertising.Results, tmp_path: Path
) -> None:
    draw.draw_equity(results, tmp_path / "equity.svg", reading=reading)
    drawn, said = lines(tmp_path / "equity.svg"), text(tmp_path / "equity.svg")
    names = set()
    for generator in GENERATORS:
        values: dict[str, Any] = {}
        for offset, paid in ((True, "with offset"), (False, "without offset")):
            found = results.lines(generator, reading, offset=offset)
            curve = [line.correlation.value for line in found]
            name = f"{generator} correlation {paid}"
            values[name] = [v for v in curve if np.isfinite(v)]
            scatter = results.scatter(generator, reading, offset=offset)
            line = scatter.line
            names |= {name, f"{generator} line {paid}"}
            assert f"{generator}, {paid}" in said
            label = (
                f"slope {line.slope.value:.2f}, R² {line.r_squared.value:.2f}, "
                f"{len(scatter.x):,} pairs"
            )
            assert label in said
        assert_heights(drawn, values)
    assert set(drawn) == names
    for label in ("with M &gt; 4".replace("&gt;", ">"), "outer 0.5 percentiles", "reward gain"):
        assert label in said
    assert f"{GENERATORS[0]}: correlation" in said


def test_what_is_not_known_is_left_out_and_said(tmp_path: Path) -> None:
    report = advertising.run(
        tmp_path / "run",
        model=Unlisted(),
        queries=1,
        seeds=2,
        candidates=45,
        draw=False,
    )
    draw.draw_log_probability(report.results, tmp_path / "one.svg")
    assert set(lines(tmp_path / "one.svg")) == {f"{g} log-probability" for g in GENERATORS}
    said = text(tmp_path / "one.svg")
    assert "log-probability under the optimum, log Z left out" in said
    assert "no bands, which need several queries" in said
    across = [x for x, _ in lines(tmp_path / "one.svg")["reference log-probability"]]
    slope = np.polyfit(np.log(report.results.settings.sizes), across, 1)
    expected = np.polyval(slope, np.log(report.results.settings.sizes))
    assert across == pytest.approx(expected, abs=0.05), "a logarithmic axis"


@pytest.mark.parametrize(
    "function",
    [
        draw.draw_log_probability,
        draw.draw_reward_gain,
        draw.draw_revenue,
        draw.draw_utility_gain,
        partial(draw.draw_equity, reading="same"),
    ],
)
def test_other_files_are_refused(
    function: Any, results: advertising.Results, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInputError, match="names no kind of picture"):
        function(results, tmp_path / "figure.gif")
    with pytest.raises(InvalidInputError, match="cannot be written"):
        function(results, tmp_path / "nowhere" / "figure.svg")
    assert not list(tmp_path.iterdir())
