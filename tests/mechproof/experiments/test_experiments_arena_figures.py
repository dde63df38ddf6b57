"""The figures of the arena: the points in the files are those of the results."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from mechanisms.ascending import Item
from mechproof.experiments import arena
from mechproof.report import arena as draw

SVG = "{http://www.w3.org/2000/svg}"
ITEMS = [Item("Vase", 10, 20), Item("Bowl", 20, 40)]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> arena.ArenaReport:
    out = tmp_path_factory.mktemp("run")
    lineups = {"three": ["rule", "estimate", "careful"]}
    return arena.run(out, lineups, budgets=[35], orders=["descending"], games=6, items=ITEMS)


def points(file: Path, name: str) -> list[tuple[float, float]]:
    """Return where the marks of a name stand in a picture."""
    found = []
    for group in ElementTree.parse(file).iter(f"{SVG}g"):
        if group.get("id") == name:
            found += [
                (float(use.get("x", "nan")), float(use.get("y", "nan")))
                for use in group.iter(f"{SVG}use")
            ]
    return found


def test_every_figure_is_written_in_two_forms(report: arena.ArenaReport) -> None:
    assert {path.name for path in report.figures} == {
        f"{name}.{kind}" for name in draw.DRAWINGS for kind in ("svg", "png")
    }
    assert all(path.stat().st_size > 1_000 for path in report.figures)


def test_profits_stand_where_they_are(report: arena.ArenaReport) -> None:
    """Means and expected profits lie on one scale."""
    [cell] = report.results.cells
    found = report.results.mean_profits(cell)
    assert found is not None
    assert cell.exact is not None
    file = report.folder / "profits.svg"
    places, values = [], []
    for name in map(str, found.players):
        [(x, _)] = points(file, f"{cell}: {name}")
        [(exact_x, _)] = points(file, f"{cell}: exact {name}")
        places += [x, exact_x]
        values += [float(found.of(name)), float(cell.exact[name])]
    slope, start = np.polyfit(values, places, 1)
    assert slope > 0
    assert places == pytest.approx(slope * np.array(values) + start, abs=0.05)


def test_paths_have_every_bid_of_the_first_game(report: arena.ArenaReport) -> None:
    row = report.results.rows[0]
    file = report.folder / "paths.svg"
    for number, item in enumerate(row["items"]):
        for name in row["seats"]:
            bids = [
                Fraction(amount)
                for where, _, who, amount, _ in row["moves"]
                if where == number and who == name and amount is not None
            ]
            heights = [-y for _, y in points(file, f"{item['name']}: {name}")]
            assert len(heights) == len(bids)
            assert heights == sorted(heights)
            assert bids == sorted(bids)


def test_niches_count_what_was_won(report: arena.ArenaReport) -> None:
    text = (report.folder / "niches.svg").read_text()
    winners = {item["winner"] for row in report.results.rows for item in row["items"]}
    assert {name for name in winners if name} <= set(re.findall(r'id="([^"]+)"', text))
