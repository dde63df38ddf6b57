"""Pages and pictures: whatever a text says, nothing in them runs, and nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.dom import minidom
from xml.etree import ElementTree

import hostile_texts
import matplotlib as mpl
import pytest
from documents import run
from hostile_texts import IN_LATEX, PLAIN, TEXTS

from mechanisms.ascending import Item, RuleBidder
from mechanisms.learners import Hedge, play_game
from mechproof.demos import DemoResult
from mechproof.experiments import arena
from mechproof.report import draw
from mechproof.report.figure import picture
from mechproof.report.heat_map import heat_map_svg
from mechproof.report.html import page
from mechproof.report.lattice import lattice
from mechproof.report.learning import draw_regret
from mechproof.report.text import to_html, to_unicode
from mechproof.report.tree import tree
from mechproof.run import verify
from mechproof.sweep import CellResult, Grid, SweepResult
from theory.claims import Budget, CheckContext
from theory.normal_form import NormalFormGame
from theory.shared.printable import printable
from theory.verdicts import Bars, Table

TAGS = frozenset(
    re.findall(
        r"\w+",
        "html head meta title style body header main section article footer p h1 h2 h3 b br i em a"
        " code span ul li div dl dt dd table caption thead tbody tr th td figure figcaption pre"
        " math mi mo mn mrow mtext msub msup msubsup msqrt mspace mfrac mstyle mtable mtr mtd mover"
        " munder munderover mroot menclose mpadded mphantom"
        " svg desc path rect circle text tspan g defs use clippath pattern image",
    )
)
LABELS = tuple(text for text in TEXTS if len(text) < 100)
CONTEXT = CheckContext(seed=0, budget=Budget(exhaustive=1, samples=1, shrinks=1, size=1))
ORDERS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]"
)


class Elements(HTMLParser):
    """All elements of a page with their attributes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)


def assert_harmless(source: str) -> None:
    """Nothing runs, nothing is fetched, nothing gives orders; pictures and formulas are XML."""
    source.encode()
    assert not ORDERS.search(source)
    for tag, attributes in Elements(source).found:
        assert tag in TAGS
        for name, value in attributes:
            assert not name.startswith("on"), (tag, name)
            assert name not in {"srcdoc", "action", "formaction", "srcset", "background", "data"}
            if name.rpartition(":")[2] in {"href", "src"}:
                inline = tag == "image" and (value or "").startswith("data:image/png;base64,")
                assert (value or "").startswith("#") or inline, (tag, name, value)
            if name == "style" or tag == "style":
                assert not re.search(r"expression|@import|url\((?!#)", value or "")
    for kind in ("svg", "math"):
        parts = re.findall(rf"<{kind}[ >].*?</{kind}>", source, flags=re.DOTALL)
        for part in parts:
            ElementTree.fromstring(re.sub(r"\s(xlink:href)=", " href=", part))


def test_the_page_of_a_claim_that_is_hostile_holds_nothing_live(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    arguments = ("--module", "hostile_texts", "--paper", "hostile", "--jobs", "1")
    result = run("verify", *arguments, "--html", str(target))
    assert result.exit_code == 2, "one of its checks raises"
    source = target.read_text(encoding="utf-8")
    assert_harmless(source)
    assert source.count("<svg") >= 4
    assert "<style>" in source, "and only one: ours"
    assert source.count("<style") == 1
    shown = re.sub(r"<[^>]*>", "", source)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown, "what was said is shown as it was said"
    assert r"\x1b[31m" in shown


def test_no_run_breaks_the_page_of_a_notebook() -> None:
    assert_harmless(page(verify(hostile_texts.CLAIMS)))


@pytest.mark.parametrize("latex", IN_LATEX)
def test_a_formula_holds_what_is_known_and_nothing_else(latex: str) -> None:
    shown = str(to_html(f"Let ${latex}$ be."))
    assert_harmless(shown)
    assert shown.startswith("Let <math")
    assert shown.endswith("</math> be.")
    assert not ORDERS.search(to_unicode(f"Let ${latex}$ be."))


@pytest.mark.parametrize("latex", [x for x in IN_LATEX if "script" in x or "href" in x])
def test_a_formula_that_is_not_known_is_shown_as_it_is_written(latex: str) -> None:
    text = "".join(ElementTree.fromstring(str(to_html(f"${latex}$"))).itertext())
    written = {text.replace(" ", ""), text}
    assert latex in written or "<" not in text or "script" in text


@pytest.mark.parametrize(
    "latex",
    [r"x^2", r"\frac{1}{2}", r"\sqrt[3]{x}", r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", r"\hat{x}",
     r"\sum_{k=1}^n k", r"\color{red}{x}", r"\binom{n}{k}", r"\boxed{x}", r"\overline{ab}",
     r"\left\{1, 2\right.", r"\operatorname{argmax}_x f", r"\text{if } x", r"\lim_{x\to 0} x",
     r"\underbrace{x}_{y}", r"\mathbb{R}", r"a \quad b"],
)  # fmt: skip
def test_formulas_that_are_meant_are_set_as_formulas(latex: str) -> None:
    shown = str(to_html(f"${latex}$"))
    assert_harmless(shown)
    text = "".join(ElementTree.fromstring(shown).itertext())
    assert text != latex or "\\" not in latex


def picture_of_bars() -> str:
    values = (-1.0,) * len(LABELS)
    return str(draw.bars(Bars(caption="", unit="", labels=LABELS, values=values)))


def pictures() -> list[str]:
    found = hostile_texts.hostile(CONTEXT)
    return [str(tree(found.evidence[-2])), str(lattice(found.evidence[-1]))]  # type: ignore[arg-type] # as built


@pytest.mark.parametrize("made", [lambda: [picture_of_bars()], pictures])
def test_pictures_are_xml_whatever_their_labels_say(made: Callable[[], list[str]]) -> None:
    for svg in made():
        assert_harmless(svg)


def test_labels_cannot_take_markup_with_them() -> None:
    svg = picture_of_bars()
    assert svg.count("<text") == svg.count("</text>") == 2 * len(LABELS)


def sweep_of(texts: tuple[str, ...]) -> SweepResult:
    grid = Grid({"label": texts, "other": [1, 2]})
    rows = tuple(
        CellResult(cell, {"v": k, texts[0]: texts[k % len(texts)]} if k % 3 else None,
                   "" if k % 3 else texts[k % len(texts)])
        for k, cell in enumerate(grid)
    )  # fmt: skip
    return SweepResult(grid, rows, texts[0])


def shown_in_notebooks() -> list[tuple[str, Any]]:
    found = hostile_texts.hostile(CONTEXT)
    swept = sweep_of(TEXTS)
    return [
        ("finding", found),
        ("counterexample", found.counterexample),
        *((f"evidence {k}", item) for k, item in enumerate(found.evidence[-4:])),
        ("table", Table(caption=PLAIN[0], columns=PLAIN, rows=(PLAIN,))),
        ("sweep", swept),
        ("heat map", swept.heat_map("label", "other", "v")),
        ("demo", DemoResult("d", "m", "\n".join(TEXTS), None, {})),
        ("run", verify(hostile_texts.CLAIMS)),
    ]


@pytest.mark.parametrize(("name", "shown"), shown_in_notebooks())
def test_notebooks_show_nothing_live(name: str, shown: Any) -> None:
    assert_harmless(shown._repr_html_())


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_a_heat_map_of_hostile_labels_is_drawn(tmp_path: Path, suffix: str) -> None:
    for texts in (PLAIN, TEXTS[:3], TEXTS[-12:]):
        target = tmp_path / f"map.{suffix}"
        shown = sweep_of(texts).heat_map("label", "other", "v")
        replace(shown, x=texts[0], y=texts[-1], value=texts[-1], check=texts[0]).draw(target)
        if suffix == "svg":
            text = target.read_text(encoding="utf-8")
            ElementTree.fromstring(text)
            assert_harmless(re.sub(r"<(\?|!DOCTYPE)[^>]*>|<metadata>.*?</metadata>", "", text,
                                   flags=re.DOTALL))  # fmt: skip


NAMES = ("\x1b[31m", "a\x00", "\u202e", '"><script>')


@pytest.mark.parametrize("name", [*NAMES, "a\nb"])
def test_names_in_a_picture_are_printable(tmp_path: Path, name: str) -> None:
    game = NormalFormGame.bimatrix([[1, 0]], [[0, 1]], players=[name, "b"])
    draw_regret(play_game(game, [Hedge(1, rounds=3), Hedge(2, rounds=3)], 3), tmp_path / "a.svg")
    source = (tmp_path / "a.svg").read_text(encoding="utf-8")
    found = minidom.parseString(source)
    names = {group.getAttribute("id") for group in found.getElementsByTagName("g")}
    assert f"{printable(name)} external regret" in names
    assert not ORDERS.search(source)


def test_names_in_the_figures_of_an_auction_are_printable(tmp_path: Path) -> None:
    items = [Item(name, 10, 20) for name in NAMES[:2]]
    who = [RuleBidder(name, limit=k) for k, name in enumerate(NAMES[1:], 1)]
    run = arena.run(tmp_path, {PLAIN[0]: who}, budgets=[30], orders=["given"], games=3, items=items)
    for file in run.figures:
        if file.suffix == ".svg":
            source = file.read_text(encoding="utf-8")
            ElementTree.fromstring(source)
            assert not ORDERS.search(source)
            assert "<script" not in source


def test_a_label_keeps_what_is_taken_out_of_markup() -> None:
    label = ' id="text_1" font-family: x; #010203'
    svg = str(draw.bars(Bars(caption="", unit="", labels=(label,), values=(1.0,))))
    texts = [text.text for text in ElementTree.fromstring(svg).iter() if text.text]
    assert label in texts
    assert svg.count("#010203") == svg.count("font-family") == 1


def test_no_picture_is_set_by_tex(tmp_path: Path) -> None:
    text = r"\input{/etc/passwd}"
    shown = sweep_of((text, "b")).heat_map("label", "other", "v")
    with mpl.rc_context({"text.usetex": True}):
        shown.draw(tmp_path / "map.svg")
        drawn = (tmp_path / "map.svg").read_text(encoding="utf-8")
        bars = str(draw.bars(Bars(caption="", unit="", labels=(text,), values=(1.0,))))
        for source in (drawn, heat_map_svg(shown), bars):
            assert f">{text}</text>" in source


def test_every_text_of_a_picture_is_printable(tmp_path: Path) -> None:
    with picture(tmp_path / "a.svg", (3, 3)) as figure:
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], label=PLAIN[15])
        axes.set_xticks([0, 1], NAMES[:2])
        axes.set_yticks([0, 1], NAMES[2:])
        axes.set_ylabel(PLAIN[16])
        axes.set_title(PLAIN[20])
        figure.suptitle(PLAIN[17])
        figure.legend()
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert not ORDERS.search(text)
    assert r"\x1b[31mred" in text
