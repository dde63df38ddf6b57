"""The figures of the arena: the points in the files are those of the results."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import numpy as np
import pytest

from mechanisms.ascending import Item
from mechproof.experiments import arena
from mechproof.experiments.arena_counts import count_beliefs
from mechproof.report.arena_items import group_of
from theory.ascending.measures import behaviour, bid_increments, failed_bids, increment_shares

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


def box(file: Path, name: str) -> tuple[float, float, float, float]:
    """Return the left, right, upper and lower end of a bar."""
    [group] = [each for each in ElementTree.parse(file).iter(f"{SVG}g") if each.get("id") == name]
    [path] = group.iter(f"{SVG}path")
    numbers = [float(text) for text in re.findall(r"-?[0-9.]+(?:e-?[0-9]+)?", path.get("d", ""))]
    return min(numbers[::2]), max(numbers[::2]), min(numbers[1::2]), max(numbers[1::2])


def texts(file: Path, name: str) -> list[str]:
    """Return what is written at a name."""
    groups = [each for each in ElementTree.parse(file).iter(f"{SVG}g") if each.get("id") == name]
    return [word for each in groups for word in "".join(each.itertext()).split()]


def test_every_figure_is_written_in_two_forms(report: arena.ArenaReport) -> None:
    names = ("profits", "ratings", "failures", "increments", "niches", "paths", "behaviour-35")
    assert {path.name for path in report.figures} == {
        f"{name}.{kind}" for name in names for kind in ("svg", "png")
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
    """A bar for each twentieth up to the highest price, as high as items were won there."""
    file = report.folder / "niches.svg"
    won = [
        (item["winner"], Fraction(item["price"]))
        for row in report.results.rows
        for item in row["items"]
        if item["winner"] is not None
    ]
    most = max(price for _, price in won)
    counts = Counter((name, min(19, int(20 * price / most))) for name, price in won)
    heights = {}
    for name in {name for name, _ in won}:
        for k in range(20):
            _, _, upper, lower = box(file, f"35: {name}, {k}")
            heights[name, k] = lower - upper
    unit = sum(heights.values()) / len(won)
    assert unit > 1
    for place, height in heights.items():
        assert height == pytest.approx(unit * counts[place], abs=0.01)


def test_groups_are_bidders_without_their_numbers() -> None:
    assert group_of("profit 1") == group_of("profit 12") == "profit"
    assert group_of("rule, baseline") == "rule, baseline"
    assert group_of("12") == "12"


def test_ratings_stand_where_they_are_and_the_floor_is_as_wide_as_it_is(
    report: arena.ArenaReport,
) -> None:
    [cell] = report.results.cells
    found, floor = report.results.trueskill(cell), report.results.floor(cell)
    assert found is not None
    assert floor is not None
    file = report.folder / "ratings.svg"
    places = [points(file, f"{cell}: {name}")[0][0] for name in map(str, found.players)]
    ratings = [float(found.of(name)) for name in found.players]
    slope, start = np.polyfit(ratings, places, 1)
    assert places == pytest.approx(slope * np.array(ratings) + start, abs=0.05)
    left, right, *_ = box(file, f"{cell}: floor")
    assert right - left == pytest.approx(slope * float(floor.value), rel=1e-3)


def test_increments_fill_a_bar_by_their_shares(report: arena.ArenaReport) -> None:
    file = report.folder / "increments.svg"
    record = report.results.records
    readings: tuple[Literal["standing", "start"], ...] = ("standing", "start")
    for over in readings:
        for name in record[0].bidders:
            made = [
                each for one in record for each in bid_increments(one, over) if each.bidder == name
            ]
            shares = increment_shares(made)
            ends = {label: box(file, f"{over}: {name}, {label}")[:2] for label in shares}
            whole = max(right for _, right in ends.values()) - min(
                left for left, _ in ends.values()
            )
            for label, share in shares.items():
                left, right = ends[label]
                assert right - left == pytest.approx(whole * float(share), abs=0.02)


class Teller:
    """States priorities and beliefs, some of them wrong, and bids too little the first time."""

    modules = ("plan", "replan", "beliefs")

    def __init__(self, name: str, first: int = 1) -> None:
        self.name, self.first, self.tried = name, first, False

    def bid(self, call: Any) -> object:
        if not self.tried:
            self.tried = True
            return 1
        return call.least if call.least <= call.money else None

    def plan(self, view: Any) -> object:
        later = len(view.coming) < 2
        return {"priorities": {lot.name: 3 if later else self.first for lot in view.coming}}

    def recount(self, view: Any) -> object:
        return {"money": 34, "won": {}, "profits": {}}


def test_failures_and_priorities_are_drawn_as_they_were(tmp_path: Path) -> None:
    lineups: dict[str, Any] = {"two": [Teller("Ann"), Teller("Bob", 2), "rule"]}
    report = arena.run(tmp_path, lineups, budgets=[35], orders=["descending"], games=2, items=ITEMS)
    file = tmp_path / "failures.svg"
    failed = failed_bids(report.results.records)["Ann"].rate
    assert failed
    said = count_beliefs(report.results.rated)["Ann"]
    assert said.own
    assert said.others
    expected = {
        "failed bids": failed,
        "wrong on itself": said.rate(said.own),
        "wrong on others": said.rate(said.others),
    }
    for title, rate in expected.items():
        assert rate is not None
        left, right, *_ = box(file, f"{title}: Ann")
        assert right > left
        assert texts(file, f"{title}: Ann, rate") == [f"{100 * float(rate):.2f}"]
    heat = tmp_path / "priorities-35.svg"
    assert texts(heat, "descending, Ann: 0, 0") == ["1.0"]
    assert texts(heat, "descending, Ann: 1, 1") == ["3.0", "+2.0"]
    assert texts(heat, "descending, Bob: 0, 0") == ["2.0"]
    assert texts(heat, "descending, Bob: 1, 1") == ["3.0", "+1.0"]
    assert texts(heat, "descending, Ann: 1, 0") == []


def test_behaviour_has_a_mark_for_each_item_that_was_won(report: arena.ArenaReport) -> None:
    file = report.folder / "behaviour-35.svg"
    for name in report.results.records[0].bidders:
        for item in behaviour(report.results.records, name):
            marks = points(file, f"descending, {name}: {item.item}")
            assert len(marks) == (item.profit is not None)
