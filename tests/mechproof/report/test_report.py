"""Reports: what they say is what was found, in valid JSON, sound HTML and a narrow terminal."""

from __future__ import annotations

import html
import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import sample_broken as broken
import sample_claims as sample
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

import mechproof
from mechproof.files import check_writable, write_whole
from mechproof.registry import load
from mechproof.report import draw, explain, table
from mechproof.report import html as page
from mechproof.report import json as machine
from mechproof.report.grid import Grid, numeric_columns
from mechproof.report.text import to_html, to_unicode
from mechproof.run import RunResult, verify
from theory.errors import InvalidInputError
from theory.verdicts import Bars, DiagramNode, Evidence, Status, Strength, TreeDiagram

SCHEMA = json.loads(
    files("mechproof").joinpath("schemas/verify-1.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)
CLAIMS = (*sample.CLAIMS, broken.RAISES, broken.UNEXPECTED)


@pytest.fixture(scope="module")
def run() -> RunResult:
    return verify(CLAIMS)


@pytest.fixture
def document(run: RunResult) -> Any:
    return json.loads(machine.render(run))


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_json_follows_its_schema_and_says_what_was_found(run: RunResult, document: Any) -> None:
    VALIDATOR.validate(document)
    assert document["agrees"] is False
    assert document["tool"]["version"] == mechproof.__version__
    for claim, result in zip(document["claims"], run.results, strict=True):
        assert claim["id"] == result.claim.id
        assert claim["expected_status"] == result.claim.expected
        assert claim["agrees"] is result.agrees
        assert (claim["status"] is None) == (result.finding is None)
    refuted = next(c for c in document["claims"] if c["id"] == "sample.primes")
    assert refuted["counterexample"]["tables"][0]["rows"] == [["40", "1681", "41", "41"]]
    assert len(refuted["counterexample"]["story"]) == 2
    (tree,) = refuted["counterexample"]["diagrams"]
    assert [node["parent"] for node in tree["nodes"]] == [None, 0, 0]
    assert tree["nodes"][1]["marks"] == ["sceptic"]
    assert tree["legend"][0] == {"mark": "believer", "meaning": "takes it on trust"}
    assert refuted["corrections"] == ["sample.primes.c1"]
    assert refuted["scope"]["exhausted"] is True


def test_two_runs_differ_in_seconds_only(document: Any) -> None:
    def timeless(report: Any) -> Any:
        for claim in report["claims"]:
            assert claim.pop("seconds") >= 0
        return report

    again = json.loads(machine.render(verify(CLAIMS, jobs=2)))
    for report in (document, again):
        timeless(report)
        for claim in report["claims"]:
            claim["error"] = claim["error"] and claim["error"].partition(" (at ")[0]
    assert document == again


@pytest.mark.parametrize("key", sorted(SCHEMA["$defs"]["claim"]["required"]))
def test_the_schema_refuses_a_claim_without_one_of_its_fields(key: str, document: Any) -> None:
    del document["claims"][0][key]
    with pytest.raises(ValidationError):
        VALIDATOR.validate(document)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("status", "true"),
        ("strength", "certain"),
        ("status", None),
        ("error", "raised"),
        ("scope", None),
        ("id", "nodot"),
        ("evidence", [{"type": "picture"}]),
        ("evidence", [{"type": "tree", "caption": "", "nodes": [], "legend": []}]),
        ("counterexample", {"summary": "", "minimality": "", "tables": []}),
        ("seconds", -1),
    ],
)
def test_the_schema_refuses_wrong_values(key: str, value: object, document: Any) -> None:
    document["claims"][0][key] = value
    with pytest.raises(ValidationError):
        VALIDATOR.validate(document)


@pytest.mark.parametrize("key", ["parent", "move", "label", "group", "marks"])
def test_the_schema_refuses_a_tree_without_one_of_its_fields(key: str, document: Any) -> None:
    refuted = next(c for c in document["claims"] if c["id"] == "sample.primes")
    del refuted["counterexample"]["diagrams"][0]["nodes"][1][key]
    with pytest.raises(ValidationError):
        VALIDATOR.validate(document)


def with_evidence(*evidence: Evidence) -> RunResult:
    run = verify(sample.CLAIMS[:1])
    (result,) = run.results
    assert result.finding is not None
    finding = replace(result.finding, evidence=evidence)
    return replace(run, results=(replace(result, finding=finding),))


def test_a_tree_may_be_evidence_of_what_holds() -> None:
    tree = TreeDiagram(
        caption="one & only", nodes=(DiagramNode(-1, "", "now"), DiagramNode(0, "wait", "then"))
    )
    run = with_evidence(tree)
    report = json.loads(machine.render(run))
    VALIDATOR.validate(report)
    (item,) = report["claims"][0]["evidence"]
    assert (item["type"], item["caption"], item["legend"]) == ("tree", "one & only", [])
    assert "one & only" in Page(page.page(run)).text
    assert "└─ wait: then" in explain.render(run)


def test_infinite_bars_are_valid_json() -> None:
    bars = Bars(caption="c", unit="u", labels=("a", "b"), values=(float("-inf"), float("nan")))
    odd = with_evidence(bars)
    report = json.loads(machine.render(odd))
    VALIDATOR.validate(report)
    assert report["claims"][0]["evidence"][0]["values"] == ["-inf", "nan"]
    assert "−inf" in page.page(odd)


class Page(HTMLParser):
    """Check the nesting of a page and collect what it shows."""

    void = frozenset({"meta", "br", "hr", "link", "img"})

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(source)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def source(run: RunResult) -> str:
    return page.page(run)


def test_the_page_is_well_formed_and_self_contained(source: str) -> None:
    read = Page(source)
    tags = {tag for tag, _ in read.seen}
    assert not tags & {"script", "link", "img", "iframe", "object"}
    assert {"math", "svg", "table", "article"} <= tags
    assert not re.search(r"@import|url\((?!#)", source)
    attributes = [pair for _, attrs in read.seen for pair in attrs.items()]
    assert all((v or "").startswith("#") for k, v in attributes if k in {"href", "src"})
    ids = [v for k, v in attributes if k == "id"]
    assert len(ids) == len(set(ids))
    assert {(v or "")[1:] for k, v in attributes if k == "href"} <= set(ids)
    assert {claim.id for claim in CLAIMS} <= set(ids)


def test_the_page_shows_what_was_found_and_escapes_it(source: str) -> None:
    text = Page(source).text
    for expected in (
        "theorem 2 & <remark>",
        "less than <none>",
        "1681 is divisible by 41",
        "every smaller n gives a prime",
        "tries n = 40 & hopes for a prime < 2000",
        "What divides <1681>",
        "41 & 41",
        "● believer: takes it on trust",
        "A cannot be told apart: a prime",
        "ZeroDivisionError: one over nothing",
        "expected refuted, found holds",
        "docs/sample.md#squares",
        "sample_claims.py:",
        "at least certified",
    ):
        assert expected in text
    assert "<remark>" not in source
    assert "$" not in text.replace("$5", "")


def test_the_page_is_the_same_every_time(run: RunResult, source: str) -> None:
    assert page.page(run) == source
    assert str(Path.cwd()) not in source


def test_a_run_shows_itself_in_a_notebook(run: RunResult, source: str) -> None:
    assert run._repr_html_() == source
    assert "sample.primes: refuted" in str(run)


def test_bars_have_the_lengths_of_their_values() -> None:
    bars = Bars(caption="", unit="", labels=("a", "b", "c"), values=(1.0, 3.0, -2.0))
    svg = draw.bars(bars)
    assert draw.bars(bars) == svg
    paths = re.findall(r'<path d="([^"]*)"[^>]*style="fill: var\((--\w+)\)', svg)
    widths = []
    for points, _ in paths:
        xs = [float(x) for x in re.findall(r"[ML] (\S+) \S+", points)]
        widths.append(max(xs) - min(xs))
    assert widths[1] / widths[0] == pytest.approx(3, rel=1e-4)
    assert widths[2] / widths[0] == pytest.approx(2, rel=1e-4)
    assert [color for _, color in paths] == ["--accent", "--accent", "--below"]
    assert re.findall(r">([^<>]+)</text>", svg) == ["a", "b", "c", "1", "3", "−2"]


def test_no_bars_no_picture_but_no_failure_either() -> None:
    assert "<svg" in draw.bars(Bars(caption="", unit="", labels=(), values=()))


def test_the_longest_name_of_a_claim_leaves_room_for_the_rest(run: RunResult) -> None:
    longest = max((claim.id for claim in load().claims), key=len)
    first = run.results[0]
    assert first.finding
    scope = replace(first.finding.scope, instances=150_000, exhausted=False)
    found = replace(
        first.finding, status=Status.ILL_POSED, strength=Strength.CERTIFIED, scope=scope
    )
    claim = replace(first.claim, id=longest, expected=Status.ILL_POSED)
    wide = replace(first, claim=claim, finding=found, seconds=140.35)
    row = table.row(wide, [wide.claim])
    assert len(row.rstrip("\n")) == 80
    assert row.split() == [longest, "ill-posed", "certified", "150,000", "sampled", "140.35", "yes"]
    assert len(table.heading([wide.claim]).splitlines()[0]) == 79


def printed(run: RunResult, *, width: int, color: bool = False) -> str:
    """What the command prints of a run."""
    claims = [result.claim for result in run.results]
    rows = "".join(table.row(result, claims, color=color) for result in run.results)
    return f"{table.heading(claims)}{rows}\n{table.details(run, width=width, color=color)}"


@pytest.mark.parametrize("width", [80, 200])
def test_the_table_fits_and_says_it_all(run: RunResult, width: int) -> None:
    text = printed(run, width=width)
    assert max(map(len, text.splitlines())) <= width
    assert all(line == line.rstrip() for line in text.splitlines())
    assert "\x1b" not in text
    assert all(re.search(rf"^ ?{re.escape(c.id)}(?!\S)", text, re.M) for c in CLAIMS)
    flat = " ".join(text.split())
    for expected in (
        "1681 is divisible by 41",
        "Minimality: every smaller n gives a prime",
        "Correction: sample.primes.c1 (holds, exact). n² + n + 41 is prime for 0 ≤ n < 40.",
        "Note: Euler only spoke",
        "broken.unexpected: expected refuted, found holds",
        "broken.raises: error: ZeroDivisionError",
        "6 claims (3 hold, 1 refuted, 1 measured, 1 raised an error): 2 not as expected",
    ):
        assert expected in flat


def test_the_table_has_colour_on_request(run: RunResult) -> None:
    colored = printed(run, width=80, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored).split() == printed(run, width=80).split()


WORDS = st.lists(st.text("abc.-123", min_size=1, max_size=9), max_size=4).map(" ".join)


@given(st.data())
def test_grids_fit_and_break_words_only_where_they_must(data: st.DataObject) -> None:
    columns = data.draw(st.integers(1, 5))
    row = st.tuples(*[WORDS] * columns)
    head, rows = data.draw(row), data.draw(st.lists(row, max_size=3))
    width = data.draw(st.integers(30, 90))
    text = table.write(Grid("", head, tuple(rows)), width=width, color=False)
    assert all(len(line) <= width for line in text.splitlines())
    cells = [cell for line in (head, *rows) for cell in line]
    longest = [max(map(len, " ".join(c).split()), default=1) for c in zip(head, *rows, strict=True)]
    if sum(longest) + 3 * columns <= width:
        assert sorted(" ".join(cells).split()) == sorted(text.replace("─", "").split())


def test_columns_of_numbers_are_told_apart() -> None:
    rows = (("1/2", "-3", "", "+18.34", "1,000"), ("x", "−4 %", "", "", "p/q"))
    assert numeric_columns(rows, 5) == [False, True, False, True, False]
    assert numeric_columns((), 2) == [False, False]


def test_a_correction_that_was_not_run_is_still_named() -> None:
    text = table.details(verify(sample.CLAIMS[1:2], known=sample.CLAIMS))
    assert "sample.primes.c1 (not run)" in text


def test_an_explanation_says_it_all() -> None:
    def explained(index: int) -> str:
        run = verify(sample.CLAIMS[index : index + 1], known=sample.CLAIMS)
        text = explain.render(run, width=80)
        assert max(map(len, text.splitlines())) <= 80
        return " ".join(text.split())

    holds, refuted, correction = map(explained, (0, 1, 2))
    for expected in (
        "For every n ≥ 1,",
        "• nothing costs more than $5",
        "so n ≠ 0.",
        "Written out in the repository: docs/sample.md#squares.",
        "holds, exact (300 all, 299 non-trivial); as expected",
        "sample_claims.py:",
    ):
        assert expected in holds
    assert "Corrected by sample.primes.c1" in refuted
    in_order = (
        "1681 is divisible by 41",
        "A believer in the formula tries n = 40 & hopes",
        "40 1681 41 41",
        "What divides <1681>",
        "├─ ○ divide: 41 & 41 {A}",
        "○ sceptic: tries > 1 divisor",
        "Minimality: every smaller n",
    )
    places = [refuted.index(text) for text in in_order]
    assert places == sorted(places)
    assert "Corrects sample.primes" in correction
    wrong = explain.render(verify([broken.UNEXPECTED]))
    assert "not as expected: expected refuted, found holds" in " ".join(wrong.split())
    assert "ZeroDivisionError" in explain.render(verify([broken.RAISES]))


@pytest.mark.parametrize(
    ("latex", "unicode"),
    [
        (r"x_0 \in \arg\max_x \mathbb{E}[U(x)]", "x₀ ∈ arg maxₓ 𝔼[U(x)]"),
        (r"E[U(x)\mid I=i] - p", "E[U(x) | I = i] − p"),
        (r"\sum_{i=1}^{n} x_i^2 \le \log 2", "∑ᵢ₌₁ⁿ xᵢ² ≤ log 2"),
        (r"\frac{a+b}{2}", "(a + b)/2"),
        (r"\frac{1}{2}x", "(1/2)x"),
        (r"P(E\mid I_1=1)=2/5", "P(E | I₁ = 1) = 2/5"),
        (r"\mathrm{KL}(p\|q)\ge 0", "KL(p‖q) ≥ 0"),
        (r"\{1,\dots,n\}", "{1, …, n}"),
        (r"U\colon\Omega\times X\to\mathbb{R}", "U: Ω × X → ℝ"),
        (r"x_{n+1}^{*}", "xₙ₊₁*"),
        (r"I^{N-1}", "I^(N−1)"),
        (r"-p", "−p"),
        (r"R'=\sqrt{2}", "R′ = √2"),
        (r"\hat{q}", "q\u0302"),
        (r"G\ne F,\quad x\ge0", "G ≠ F, x ≥ 0"),
        (r"\operatorname{argmax}_{x\in X} f", "argmax_(x∈X) f"),
        (r"10^{(R_b-R_a)/400}", "10^((R_b−Rₐ)/400)"),
    ],
)
def test_latex_reads_well_in_a_terminal(latex: str, unicode: str) -> None:
    assert to_unicode(f"if ${latex}$, then") == f"if {unicode}, then"


def test_dollars_that_are_no_mathematics() -> None:
    assert to_unicode(r"\$5 for $x$ and \$6") == "$5 for x and $6"
    assert to_unicode("one $ alone") == "one $ alone"
    assert "<math" not in to_html("one $ alone")


def test_latex_that_cannot_be_parsed_is_shown_as_it_is() -> None:
    assert to_unicode("$x_{$") == "x_{"
    assert "x_{" in to_html("$x_{$")


@given(st.text(alphabet=st.characters(exclude_categories=["C", "Z"], exclude_characters="$\\")))
def test_prose_is_left_alone(text: str) -> None:
    assert to_unicode(text) == text
    assert html.unescape(str(to_html(text))) == text
    assert not re.search(r"[<>]", str(to_html(text)))


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.json"
    target.write_text("old", encoding="utf-8")
    check_writable(target, "--json")
    assert target.read_text(encoding="utf-8") == "old"
    write_whole(target, "new é", "--json")
    assert target.read_text(encoding="utf-8") == "new é"

    def full(source: object, destination: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(InvalidInputError, match=r"--json.*No space left"):
        write_whole(target, "newer", "--json")
    assert target.read_text(encoding="utf-8") == "new é"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_nothing_takes_the_place_of_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable(pipe, "--json")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, "new é", "--json")
        assert os.read(reader, 100) == "new é".encode()
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_device_is_an_error() -> None:
    with pytest.raises(InvalidInputError, match="--json cannot be written"):
        write_whole(Path("/dev/full"), "new", "--json")
    assert not Path("/dev/full").is_file()


def test_what_cannot_be_written_is_found_out_first(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"--html.*is a folder"):
        check_writable(tmp_path, "--html")
    with pytest.raises(InvalidInputError, match=r"--html.*cannot be written \(No such file"):
        check_writable(tmp_path / "missing" / "report.html", "--html")


def test_every_status_has_a_style_and_a_meaning(source: str) -> None:
    assert set(table.STYLES) == set(Status)
    text = Page(source).text
    assert all(meaning in text for meaning in page._STATUSES.values())
    assert set(page._STATUSES) == set(Status)
    style = source.partition("<style>")[2].partition("</style>")[0]
    assert all(f".{status}" in style for status in Status)
