"""The figures of bazaar: what stands in the files is what the results say."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from mechproof.experiments import bazaar
from mechproof.experiments.bazaar_results import CLASSES

SVG = "{http://www.w3.org/2000/svg}"


def drawn(name: str, out: Path, **changed: Any) -> bazaar.BazaarReport:
    return bazaar.run(name, out, **{"questions": 6, **changed})


def groups(file: Path, name: str) -> list[ElementTree.Element]:
    return [each for each in ElementTree.parse(file).iter(f"{SVG}g") if each.get("id") == name]


def points(file: Path, name: str) -> list[tuple[float, float]]:
    """Return where the marks of a name stand in a picture."""
    marks = [use for group in groups(file, name) for use in group.iter(f"{SVG}use")]
    return [(float(use.get("x", "nan")), float(use.get("y", "nan"))) for use in marks]


def corners(group: ElementTree.Element) -> list[tuple[float, float]]:
    """Return where a path goes, corner by corner."""
    [path] = group.iter(f"{SVG}path")
    numbers = [float(x) for x in re.findall(r"-?[0-9.]+(?:e-?[0-9]+)?", path.get("d", ""))]
    return [*zip(numbers[::2], numbers[1::2], strict=True)]


def width(file: Path, name: str) -> float:
    """Return how wide a bar is."""
    [group] = groups(file, name)
    across = [x for x, _ in corners(group)]
    return max(across) - min(across)


def on_one_scale(places: list[float], values: list[float]) -> bool:
    """Whether places are a line through values, up to what a file rounds."""
    line = np.polyfit(values, places, 1)
    return bool(np.abs(np.polyval(line, values) - places).max() < 0.01)


def test_copies_are_drawn_as_they_are_bought(tmp_path: Path) -> None:
    report = drawn("rational-choice", tmp_path)
    assert {path.name for path in report.figures} == {
        f"{name}.{kind}" for name in ("rational", "copies") for kind in ("svg", "png")
    }
    for title, same in (("one price", True), ("two prices", False)):
        widths, shares = [], []
        for name in report.results.buyers:
            found = report.results.copies(name, same=same)
            for what, share in found.items():
                bar = f"{title}: {name}, {what}"
                if what == "rational":
                    rational = width(tmp_path / "rational.svg", f"rational, {title}: {name}")
                    assert (rational > 1) == (share.value > 0)
                else:
                    widths.append(width(tmp_path / "copies.svg", bar))
                    shares.append(share.value)
        assert on_one_scale(widths, shares)


def test_demand_stands_where_it_is(tmp_path: Path) -> None:
    report = drawn("demand", tmp_path, buyers=["ideal", "logit:5"], gold_prices=[0, 10, 20, 40])
    results = report.results
    parts = results.parts_named("gold price")
    places, values = [], []
    for what in ("gold", "another"):
        for buyer in results.buyers:
            marks = points(tmp_path / "demand.svg", f"{what}: {buyer}")
            places += [y for _, y in marks]
            values += [results.demand(buyer, part)[what].value for part in parts]
    assert len({*values}) > 2
    assert on_one_scale(places, values)


def test_positions_ratings_and_wins_stand_where_they_are(tmp_path: Path) -> None:
    results = drawn("position", tmp_path / "position", buyers=["logit:9", "ideal"]).results
    places, values = [], []
    for buyer, found in results.positions.items():
        for k, each in enumerate(found.by_position, 1):
            [(_, y)] = points(tmp_path / "position/positions.svg", f"{buyer}: {k}")
            places.append(y)
            values.append(each.value)
    assert len({*values}) > 2
    assert on_one_scale(places, values)
    results = drawn("models", tmp_path / "models", budgets=[12], questions=20).results
    rated = results.ratings()
    assert len({*rated.strengths.value}) > 2
    assert len({*rated.elo.mean}) > 2
    marks = {
        (what, player): points(tmp_path / "models/ratings.svg", f"{what}: {player}")
        for what in ("strength", "elo")
        for player in rated.counts
    }
    told = {("strength", player): rated.points(player)[0] for player in rated.counts}
    told |= {("elo", player): mean for player, (mean, _) in rated.elo_points.items()}
    assert on_one_scale([marks[each][0][1] for each in told], [*told.values()])
    for first, second in permutations(results.summaries, 2):
        [shown] = groups(tmp_path / "models/matrix.svg", f"{first} : {second}")
        score = results.score(first, second)
        assert score is not None
        assert "".join(shown.itertext()).strip() == f"{100 * score:.0f}"


def test_inspection_and_the_baseline_have_theirs(tmp_path: Path) -> None:
    given: dict[str, Any] = {"gold_prices": [10, 30], "budgets": [25], "questions": 20}
    report = drawn("inspection", tmp_path / "a", buyers=["ideal", "logit:4"], **given)
    names = {path.stem for path in report.figures}
    assert names == {"changes", "spending", "ratings", "prices", "tree"}
    heights, values, steps, counts = [], [], [], []
    for buyer in report.results.buyers:
        for kind in CLASSES:
            bars = groups(tmp_path / "a/changes.svg", f"{buyer}: {kind}")
            for bar, price in zip(bars, ("10", "30"), strict=True):
                (_, foot), _, (_, head), *_ = corners(bar)
                heights.append(foot - head)
                values.append(report.results.changes(buyer, [price])[kind].value)
        for outcome, told in (("won", "with inspection"), ("lost", "titles alone")):
            [line] = groups(tmp_path / "a/spending.svg", f"{buyer}: {told}")
            steps.append(corners(line)[0][1] - corners(line)[-1][1])
            own = [c for c in report.results.comparisons if c.first.buyer == c.second.buyer]
            won = [c for c in own if c.first.buyer == buyer and c.outcome == outcome]
            counts.append(float(len(won)))
    assert len({*values}) > 4
    assert len({*counts}) > 2
    assert on_one_scale(heights, values)
    assert on_one_scale(steps, counts)
    report = drawn("keyword-baseline", tmp_path / "b", budgets=[5, 25])
    assert {path.stem for path in report.figures} == {"ratings", "wins", "prices", "tree"}
    for (a, b), found in report.results.pairs.items():
        won = sum(each.outcome == "won" for each in found)
        assert (width(tmp_path / "b/wins.svg", f"{a} : {b}, won") > 1) == (won > 0)
    row = max(report.results.rows, key=lambda each: len(each["inquiries"]))
    for each in row["inquiries"]:
        [shown] = groups(tmp_path / "b/tree.svg", each["place"])
        assert each["question"][:20] in " ".join(shown.itertext())


@pytest.mark.parametrize("name", ["rational-choice"])
def test_drawing_again_gives_the_same_files(name: str, tmp_path: Path) -> None:
    files = drawn(name, tmp_path, questions=2).figures
    before = [path.read_bytes() for path in files]
    assert [path.read_bytes() for path in drawn(name, tmp_path, questions=2).figures] == before
