"""Findings: the order of strengths, and what a reader sees."""

from __future__ import annotations

from itertools import product

import pytest

from theory.verdicts import (
    Bars,
    Counterexample,
    DiagramNode,
    Evidence,
    Exhibit,
    Finding,
    Scope,
    Status,
    Strength,
    Table,
    TreeDiagram,
)


def test_strengths_are_ordered_tested_certified_exact_proved() -> None:
    order = [Strength.TESTED, Strength.CERTIFIED, Strength.EXACT, Strength.PROVED]
    for (i, a), (j, b) in product(enumerate(order), repeat=2):
        assert a.reaches(b) == (i >= j)
    assert set(order) == set(Strength)


def test_statuses_are_written_as_in_the_documentation() -> None:
    assert [str(status) for status in Status] == [
        "holds",
        "refuted",
        "ill-posed",
        "vacuous",
        "ambiguous",
        "measured",
    ]


TABLE = Table(
    caption="A <table>",
    columns=("state", "p"),
    rows=(("rain & wind", "1/4"), ("dry", "3/4")),
)
TREE = TreeDiagram(
    caption="A <tree>", nodes=(DiagramNode(-1, "", "rain & wind"), DiagramNode(0, "wait", "dry"))
)
BARS = Bars(caption="Bars", unit="nats", labels=("a", "b"), values=(0.25, -1.5))
SCOPE = Scope(
    family="pairs", instances=1234, met_hypotheses=1000, nontrivial=56, sizes="n 1", exhausted=True
)


def finding(*evidence: Evidence, broken: Counterexample | None = None) -> Finding:
    return Finding(
        status=Status.REFUTED if broken else Status.HOLDS,
        strength=Strength.EXACT,
        scope=SCOPE,
        reason="since 1 < 2",
        evidence=evidence,
        counterexample=broken,
    )


def test_a_table_is_aligned() -> None:
    assert str(TABLE).splitlines() == [
        "A <table>",
        "state        p",
        "───────────  ───",
        "rain & wind  1/4",
        "dry          3/4",
    ]


def test_an_empty_table_shows_its_columns() -> None:
    empty = Table(caption="none", columns=("a", "b"), rows=())
    assert str(empty).splitlines() == ["none", "a  b", "─  ─"]


def test_html_is_escaped() -> None:
    page = TABLE._repr_html_()
    assert "<caption>A &lt;table&gt;</caption>" in page
    assert "<td>rain &amp; wind</td>" in page
    assert page.count("<tr>") == 3


def test_bars_read_as_a_table() -> None:
    assert str(BARS).splitlines()[-2:] == ["a  +0.25", "b  -1.5"]


def test_a_scope_says_how_many_and_how() -> None:
    assert str(SCOPE) == "1,234 all, 56 non-trivial"


@pytest.mark.parametrize("evidence", [(), (TABLE,), (BARS, TREE, "a remark < that")])
def test_a_finding_shows_everything(evidence: tuple[Evidence, ...]) -> None:
    shown = Exhibit(summary="x = <1>", story=("Once", "upon a <time>"), tables=(TABLE,))
    broken = Counterexample(exhibit=shown, minimality="nothing smaller")
    found = finding(*evidence, broken=broken)
    text, page = str(found), found._repr_html_()
    assert text.startswith("refuted (exact; 1,234 all, 56 non-trivial)\n\nsince 1 < 2")
    for item in evidence:
        assert str(item) in text
    assert "Counterexample: x = <1>" in text
    assert text.endswith("Minimality: nothing smaller")
    assert "x = &lt;1&gt;" in page
    assert "since 1 &lt; 2" in page
    assert "<1>" not in page
    assert page.count("<table>") == 1 + evidence.count(TABLE)


def test_a_finding_without_counterexample_names_none() -> None:
    assert "Counterexample" not in str(finding())
