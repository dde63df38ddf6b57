"""Pictures of lattices of sets: as data, as text, and in reports."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files
from itertools import combinations, permutations
from typing import Any

import pytest
import sample_claims as sample
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError
from lattice_pictures import EVIDENCE, GAME, Nodes, Steps, families, full, grown

from mechproof.report import explain, table
from mechproof.report import html as page
from mechproof.report import json as machine
from mechproof.report.lattice import lattice
from mechproof.report.table import Branches
from mechproof.run import RunResult, verify
from theory.errors import InvalidInputError, LimitError, UnknownNameError
from theory.verdicts import Counterexample, Exhibit, LatticeDiagram, LatticeNode, LatticeStep

# --- as data


@given(families())
def test_a_cover_has_nothing_in_between(family: tuple[Nodes, Steps]) -> None:
    diagram = grown(family)
    sets = [set(node.items) for node in diagram.nodes]
    expected = {
        (i, j)
        for i, j in permutations(range(len(sets)), 2)
        if sets[i] < sets[j] and not any(sets[i] < other < sets[j] for other in sets)
    }
    assert len(diagram.covers) == len(set(diagram.covers))
    assert set(diagram.covers) == expected


@pytest.mark.parametrize("n", range(1, 6))
def test_neighbours_among_all_sets_differ_by_one_item(n: int) -> None:
    diagram = full(n)
    assert len(diagram.covers) == n * 2 ** (n - 1)
    assert [len(layer) for layer in diagram.layers] == [
        len(list(combinations(range(n), size))) for size in range(n + 1)
    ]


def test_the_order_of_items_does_not_tell_sets_apart() -> None:
    assert EVIDENCE.ends == ((0, 4),)
    assert [node.name for node in EVIDENCE.nodes[:3]] == ["∅", "{alibi}", "{motive, weapon}"]


def node(*items: str, marks: tuple[str, ...] = ()) -> LatticeNode:
    return LatticeNode(items, "", marks)


@pytest.mark.parametrize(
    ("nodes", "steps", "error", "problem"),
    [
        ((), (), InvalidInputError, "nodes is empty"),
        ((node("a", "a"),), (), InvalidInputError, r"nodes\[0\]\.items names an item twice"),
        ((node("a", "b"), node("b", "a")), (), InvalidInputError, r"nodes\[1\]\.items.*earlier"),
        ((node(marks=("stabel",)),), (), UnknownNameError, r"nodes\[0\]\.marks.*mean 'stable'"),
        (
            (node(), node("alibi")),
            (LatticeStep((), ("alibis",), "stable"),),
            UnknownNameError,
            r"steps\[0\]\.end is no set of the picture \(got '{alibis}'\): did you mean '{alibi}'",
        ),
        (
            (node(), node("a")),
            (LatticeStep(("b",), ("a",), "stable"),),
            UnknownNameError,
            r"steps\[0\]\.start is no set of the picture",
        ),
        (
            (node(), node("a")),
            (LatticeStep((), ("a",), "path"),),
            UnknownNameError,
            r"steps\[0\]\.mark.*known are stable",
        ),
        (
            (node("a"), node("b")),
            (LatticeStep(("a",), ("b",), "stable"),),
            InvalidInputError,
            r"steps\[0\] does not lead to a larger set",
        ),
        (
            (node(),),
            (LatticeStep((), (), "stable"),),
            InvalidInputError,
            r"steps\[0\] does not lead to a larger set",
        ),
        (
            (node(), node("a")),
            (LatticeStep((), ("a",), "stable"), LatticeStep((), ("a",), "stable", "again")),
            InvalidInputError,
            r"steps\[1\] is an earlier step again",
        ),
        (
            tuple(node(f"I{k}") for k in range(65)),
            (),
            LimitError,
            r"nodes are more than the 64 sets that can be drawn \(got 65\)",
        ),
    ],
)
def test_what_is_no_picture_is_refused(
    nodes: tuple[LatticeNode, ...],
    steps: tuple[LatticeStep, ...],
    error: type[InvalidInputError],
    problem: str,
) -> None:
    with pytest.raises(error, match=problem) as caught:
        LatticeDiagram(caption="", nodes=nodes, steps=steps, legend=(("stable", ""),))
    assert caught.type is error


@pytest.mark.parametrize("marks", [("a", "a"), tuple("abcdefg")])
def test_a_legend_is_short_and_distinct(marks: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInputError, match="legend is too long"):
        LatticeDiagram(caption="", nodes=(node(),), legend=tuple((mark, "") for mark in marks))


# --- as text


def test_a_game_reads_layer_by_layer() -> None:
    assert str(GAME) == (
        "Who <reveals> what\n"
        "0 items │ ● ∅: action 0\n"
        "1 item  │ {I1}: action 1  {I2}: action 1  {I3}: action 1\n"
        "2 items │ ● {I1, I2}: action 0  ● {I1, I3}: action 0  ● {I2, I3}: action 0\n"
        "3 items │ {I1, I2, I3}: action 1\n"
        "○ ∅ → {I1, I2}: +2\n"
        "◆ ∅ → {I1}: +3 & more\n"
        "◆ {I1} → {I1, I2, I3}\n"
        "● stable: nobody gains by revealing more\n"
        "○ play\n"
        "◆ greedy: <first>"
    )


def test_marks_stand_in_the_order_of_the_legend() -> None:
    text = str(EVIDENCE)
    assert "3 items │ ●○ {alibi, motive, weapon}: acquit\n" in text
    assert "2 items │ {motive, weapon}: convict  {weapon, witness}\n" in text
    assert "◆ ∅ → {alibi, motive, weapon}: +1\n" in text


def test_a_notebook_gets_the_same_text_escaped() -> None:
    shown = GAME._repr_html_()
    assert shown.startswith("<pre>Who &lt;reveals&gt; what\n0 items")
    assert "+3 &amp; more" in shown


@given(families(), st.integers(40, 100))
def test_text_keeps_to_the_width_and_loses_no_word(family: tuple[Nodes, Steps], width: int) -> None:
    diagram = grown(family)
    lines = diagram.lines(width)
    assert max(map(len, lines)) <= width
    said = re.sub(r"(?m)^[^│]*│|\s", "", "\n".join(lines))
    for shown in diagram.nodes:
        assert re.sub(r"\s", "", f"{shown.name}:{shown.label}").rstrip(":") in said
    for step in diagram.steps:
        assert re.sub(r"\s", "", step.label) in said


def test_a_narrow_terminal_shows_the_same_layers() -> None:
    text = table.write(Branches(GAME), width=44, color=False)
    assert max(map(len, text.splitlines())) <= 44
    assert "2 items │ ● {I1, I2}: action 0\n        │ ● {I1, I3}: action 0\n" in text


# --- in reports


@pytest.fixture(scope="module")
def run() -> RunResult:
    """A run whose only claim has one lattice as evidence and one as its counterexample."""
    run = verify(sample.CLAIMS[:1])
    (result,) = run.results
    assert result.finding is not None
    broken = Counterexample(
        exhibit=Exhibit(summary="look", diagrams=(EVIDENCE,)), minimality="nothing smaller"
    )
    finding = replace(result.finding, evidence=(GAME,), counterexample=broken)
    return replace(run, results=(replace(result, finding=finding),))


def test_lattices_are_in_the_page_and_in_the_terminal(run: RunResult) -> None:
    shown = page.page(run)
    for diagram in (GAME, EVIDENCE):
        assert str(lattice(diagram)) in shown
    text = explain.render(run)
    assert "  2 items │ {motive, weapon}: convict  {weapon, witness}" in text
    assert "◆ {I1} → {I1, I2, I3}" in text


def test_lattices_are_in_the_json_and_follow_the_schema(run: RunResult) -> None:
    (claim,) = checked(json.loads(machine.render(run)))["claims"]
    (evidence,) = claim["evidence"]
    (broken,) = claim["counterexample"]["diagrams"]
    for item, diagram in ((evidence, GAME), (broken, EVIDENCE)):
        assert item["type"] == "lattice"
        nodes = (
            LatticeNode(tuple(n["items"]), n["label"], tuple(n["marks"])) for n in item["nodes"]
        )
        steps = (
            LatticeStep(tuple(s["start"]), tuple(s["end"]), s["mark"], s["label"])
            for s in item["steps"]
        )
        legend = tuple((entry["mark"], entry["meaning"]) for entry in item["legend"])
        read = LatticeDiagram(
            caption=item["caption"], nodes=tuple(nodes), steps=tuple(steps), legend=legend
        )
        assert str(read) == str(diagram)


@pytest.mark.parametrize(
    ("part", "key"),
    [
        *(((), key) for key in ("type", "caption", "nodes", "steps", "legend")),
        *((("nodes", 0), key) for key in ("items", "label", "marks")),
        *((("steps", 0), key) for key in ("start", "end", "mark", "label")),
        *((("legend", 0), key) for key in ("mark", "meaning")),
    ],
)
def test_the_schema_refuses_a_lattice_without_one_of_its_fields(
    part: tuple[str | int, ...], key: str, run: RunResult
) -> None:
    for where in ("evidence", "diagrams"):
        document = json.loads(machine.render(run))
        (claim,) = document["claims"]
        (item,) = claim["evidence"] if where == "evidence" else claim["counterexample"]["diagrams"]
        for step in part:
            item = item[step]
        del item[key]
        with pytest.raises(ValidationError):
            checked(document)


def checked(document: Any) -> Any:
    source = files("mechproof").joinpath("schemas/verify-1.schema.json")
    Draft202012Validator(json.loads(source.read_text(encoding="utf-8"))).validate(document)
    return document
