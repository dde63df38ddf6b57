"""Incentive curves: against formulas by hand, against whole checks, and as they are drawn."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import examples

from mechproof.report.incentives import draw_incentive_curve
from theory.errors import ExactnessError, InvalidInputError
from theory.incentives import (
    Box,
    DrawnTypes,
    FiniteTypes,
    IncentiveCurve,
    Rewards,
    Simplex,
    check_mechanism,
    incentive_curve,
)

Bids = Sequence[Any]
UNIT = st.fractions(0, 1, max_denominator=60)
SVG = "{http://www.w3.org/2000/svg}"


def first_price(bids: Bids) -> tuple[int, list[Any]]:
    winner = bids.index(max(bids))
    return winner, [bid if i == winner else 0 for i, bid in enumerate(bids)]


def second_price(bids: Bids) -> tuple[int, list[Any]]:
    winner, price = bids.index(max(bids)), sorted(bids)[-2]
    return winner, [price if i == winner else 0 for i in range(len(bids))]


@given(agent=st.integers(0, 1), truth=UNIT, other=UNIT)
@settings(max_examples=examples(20))
def test_first_price_is_worth_the_margin_of_a_winning_bid(
    agent: int, truth: Fraction, other: Fraction
) -> None:
    curve = incentive_curve(
        first_price, agent=agent, type=truth, others=[other], types=Box(0, 1), points=31
    )
    assert {Fraction(k, 30) for k in range(31)} | {truth, other} == set(curve.reports)
    assert list(curve.reports) == sorted(curve.reports)
    for report, utility in zip(curve.reports, curve.utilities, strict=True):
        wins = report > other or (report == other and agent == 0)
        assert utility == (truth - report if wins else 0)
    if truth > other and agent == 0:
        assert (curve.best_lie, curve.gain) == (other, truth - other)


@given(truth=UNIT, others=st.lists(UNIT, min_size=1, max_size=3), scale=st.integers(2, 9))
@settings(max_examples=examples(20))
def test_no_lie_pays_in_a_second_price_auction_in_any_unit(
    truth: Fraction, others: list[Fraction], scale: int
) -> None:
    one, many = (
        incentive_curve(
            second_price,
            agent=0,
            type=k * truth,
            others=[k * bid for bid in others],
            types=Box(0, k),
            points=11,
        )
        for k in (1, scale)
    )
    assert one.gain == 0
    assert min(one.slacks) == 0
    assert one.truthful == max(0, truth - max(others))
    assert many.reports == tuple(scale * report for report in one.reports)
    assert many.utilities == tuple(scale * utility for utility in one.utilities)


@pytest.mark.parametrize("rule", [first_price, second_price])
def test_curves_over_all_profiles_are_the_table_of_a_check(rule: Any) -> None:
    types = FiniteTypes(range(4))
    finding = check_mechanism(rule, types=types, agents=2, properties=["dsic"])["dsic"]
    assert finding.slacks is not None
    for agent in (0, 1):
        for truth in range(4):
            for other in range(4):
                curve = incentive_curve(rule, agent=agent, type=truth, others=[other], types=types)
                lies = [s for r, s in zip(curve.reports, curve.slacks, strict=True) if r != truth]
                position = (truth, other) if agent == 0 else (other, truth)
                assert min(lies) == finding.slacks.at(agent, position)


def test_the_best_lie_is_the_one_nearest_to_the_truth_of_those_worth_most() -> None:
    def flat(bids: Bids) -> tuple[int, list[int]]:
        return 0, [1 if bids[0] == 2 else 0]

    curve = incentive_curve(flat, agent=0, type=2, others=[], types=FiniteTypes([5, 2, 1, 0]))
    assert (curve.reports, curve.best_lie, curve.gain) == ((0, 1, 2, 5), 1, 1)
    alone = incentive_curve(flat, agent=0, type=2, others=[], types=FiniteTypes([2]))
    assert (alone.best_lie, alone.gain, alone.verdict) == (None, 0, "there is no other report")


def test_a_report_that_cannot_be_judged_is_left_out_and_named() -> None:
    def moody(bids: Bids) -> tuple[int, list[Any]]:
        if bids[0] == 1:
            raise RuntimeError("not today")
        return 0, [random.random() if bids[0] == 2 else 0]

    curve = incentive_curve(moody, agent=0, type=3, others=[], types=FiniteTypes(range(5)))
    assert curve.reports == (0, 3, 4)
    assert [fault.reports for fault in curve.faults] == [(1,), (2,)]
    assert "left out at reports (1,): raised RuntimeError: not today" in str(curve)
    assert "not deterministic" in curve._repr_html_()
    with pytest.raises(InvalidInputError, match=r"not today.*fix the mechanism there first"):
        incentive_curve(moody, agent=0, type=1, others=[], types=FiniteTypes(range(5)))


def test_types_differ_between_agents_and_values_are_taken() -> None:
    def pick(reports: Bids) -> tuple[int, list[int]]:
        return reports[1], [0, 0]

    def value(agent: int, type: Any, allocation: Any) -> int:
        del agent
        return -abs(type - allocation)

    spaces = [FiniteTypes(["left", "right"]), FiniteTypes([0, 3, 4])]
    curve = incentive_curve(pick, agent=1, type=3, others=["left"], types=spaces, values=value)
    assert (curve.reports, curve.utilities) == ((0, 3, 4), (-3, 0, -1))


REAL: dict[str, Any] = {"agent": 0, "type": Fraction(1, 2), "others": [1], "types": Box(0, 1)}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"type": 0.5}, ExactnessError, "type is a float"),
        ({"others": [0.5]}, ExactnessError, "others is a float"),
        ({"type": 2}, InvalidInputError, "type is no type of agent 0"),
        ({"others": [2]}, InvalidInputError, "others is no type of agent 1"),
        ({"agent": 2}, InvalidInputError, "give an index from 0 to 1"),
        ({"agent": True}, InvalidInputError, "agent is no agent"),
        ({"types": [Box(0, 1)] * 3}, InvalidInputError, "others are 1 reports.*give 2"),
        ({"types": []}, InvalidInputError, "types are not type spaces"),
        (
            {"types": Box([0, 0], [1, 1]), "type": (0, 1), "others": [(0, 1)]},
            InvalidInputError,
            "types are not numbers.*assert_holds_at judges one lie",
        ),
        (
            {"types": Simplex(2), "type": (0, 1), "others": [(0, 1)], "values": Rewards()},
            InvalidInputError,
            "types are not numbers",
        ),
        ({"types": DrawnTypes(st.just(1)), "type": 1}, InvalidInputError, "types are not numbers"),
        ({"types": FiniteTypes([1, "a"]), "type": 1}, InvalidInputError, "types are not numbers"),
    ],
    ids=lambda part: ", ".join(part) if isinstance(part, dict) else "",
)
def test_slips_are_told(change: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        incentive_curve(first_price, **{**REAL, **change})


@pytest.fixture
def curve() -> IncentiveCurve:
    third = Fraction(1, 3)
    return incentive_curve(
        first_price, agent=0, type=Fraction(3, 4), others=[third], types=Box(0, 1)
    )


def test_the_text_is_short_and_marks_the_truth_and_the_best_lie(curve: IncentiveCurve) -> None:
    lines = str(curve).splitlines()
    assert lines[0] == "first_price: agent 0 of type 3/4 when agent 1 reports 1/3"
    assert lines[-1] == "the best lie, 1/3, gains 5/12"
    assert len(lines) < 24
    (lie,) = (line.split() for line in lines if "best lie  " in line)
    assert lie[:3] == ["1/3", "5/12", "-5/12"]
    (truth,) = (line.split() for line in lines if " truth " in line)
    assert truth[:4] == ["3/4", "0", "0", "truth"]
    assert len(lie[-1]) > len(truth[-1]) > 0
    assert "<td>best lie</td>" in curve._repr_html_()


def test_floats_are_written_short() -> None:
    def paid(bids: Bids) -> tuple[int, list[float]]:
        return 0, [0.1 * float(bids[0])]

    curve = incentive_curve(paid, agent=0, type=2, others=[], types=FiniteTypes([1, 2, 3]))
    assert curve.verdict == "the best lie, 1, gains 0.1"


def uses(root: ElementTree.Element) -> list[tuple[float, float]]:
    """Return where the longest line of markers has them."""
    lines = [group for group in root.iter(f"{SVG}g") if "line2d" in group.get("id", "")]
    longest = max((line.findall(f".//{SVG}use") for line in lines), key=len)
    return [(float(use.attrib["x"]), float(use.attrib["y"])) for use in longest]


def test_the_picture_holds_every_report_at_its_height(
    curve: IncentiveCurve, tmp_path: Path
) -> None:
    draw_incentive_curve(curve, tmp_path / "curve.svg")
    source = (tmp_path / "curve.svg").read_text("utf-8")
    marked = {curve.truth, curve.best_lie}
    points = [
        (float(r), float(s))
        for r, s in zip(curve.reports, curve.slacks, strict=True)
        if r not in marked
    ]
    drawn = uses(ElementTree.fromstring(source))
    assert len(drawn) == len(points) > 190
    (x0, y0), (x1, y1) = points[0], points[-1]
    (left, low), (right, high) = drawn[0], drawn[-1]
    assert y0 < y1
    assert low > high, "the picture stands on its head"
    for (x, y), (across, up) in zip(points, drawn, strict=True):
        assert across == pytest.approx(left + (right - left) * (x - x0) / (x1 - x0), abs=0.01)
        assert up == pytest.approx(low + (high - low) * (y - y0) / (y1 - y0), abs=0.01)
    for said in (curve.title, curve.verdict, "report of agent 0", "the truth", "the best lie"):
        assert f">{said}<" in source
    draw_incentive_curve(curve, str(tmp_path / "again.svg"))
    assert (tmp_path / "again.svg").read_text("utf-8") == source


def test_a_truthful_curve_and_one_with_no_lie_are_drawn(tmp_path: Path) -> None:
    for types in (FiniteTypes(range(3)), FiniteTypes([2])):
        curve = incentive_curve(second_price, agent=0, type=2, others=[2], types=types)
        draw_incentive_curve(curve, tmp_path / "curve.PNG")
        assert (tmp_path / "curve.PNG").read_bytes().startswith(b"\x89PNG")
        draw_incentive_curve(curve, tmp_path / "curve.svg")
        source = (tmp_path / "curve.svg").read_text("utf-8")
        assert ">the truth<" in source
        assert not re.search(">the best lie<", source)


def test_a_file_that_cannot_be_drawn_is_told(curve: IncentiveCurve, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"path names no kind of picture.*\.svg or \.png"):
        draw_incentive_curve(curve, tmp_path / "curve.gif")
    with pytest.raises(InvalidInputError, match="path cannot be written"):
        draw_incentive_curve(curve, tmp_path / "nowhere" / "curve.svg")
