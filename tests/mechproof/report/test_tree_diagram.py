"""Pictures of trees: as text, and as SVG in which nothing overlaps and nothing is lost."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechproof.report import table
from mechproof.report.table import Branches
from mechproof.report.tree import tree
from mechproof.report.tree_layout import Box, boxes, in_lines
from theory.errors import InvalidInputError, UnknownNameError
from theory.verdicts import DiagramNode, TreeDiagram

UNTOLD = "level 0, nothing bought"
GAME = TreeDiagram(
    caption="Silence is a message",
    nodes=(
        DiagramNode(-1, "", "chance"),
        DiagramNode(0, "low, 1/3", "level 1 knows low", marks=("recursive", "best")),
        DiagramNode(1, "buy nothing", "level 0", UNTOLD, ("recursive",)),
        DiagramNode(2, "a", "3"),
        DiagramNode(2, "b", "0", marks=("recursive",)),
        DiagramNode(1, "buy the report", "level 0 knows low", marks=("best",)),
        DiagramNode(5, "a", "5/2", marks=("best",)),
        DiagramNode(5, "b", "-1/2"),
        DiagramNode(0, "high, 2/3", "level 1 knows high", marks=("recursive", "best")),
        DiagramNode(8, "buy nothing", "level 0", UNTOLD, ("best", "recursive")),
        DiagramNode(9, "a", "0"),
        DiagramNode(9, "b", "1", marks=("recursive", "best")),
        DiagramNode(8, "buy the report", "level 0 knows high"),
        DiagramNode(12, "a", "-1/2"),
        DiagramNode(12, "b", "1/2"),
    ),
    legend=(("recursive", "worth 4/3"), ("best", "worth 3/2, since not to buy says <high>")),
)
DRIVER = TreeDiagram(
    caption="The absent-minded driver",
    nodes=(
        DiagramNode(-1, "", "crossing", "crossing"),
        DiagramNode(0, "exit", "0"),
        DiagramNode(0, "on", "crossing", "crossing"),
        DiagramNode(2, "exit", "4"),
        DiagramNode(2, "on", "1"),
    ),
)
WORDS = st.lists(st.text("abc<&-01", min_size=1, max_size=12), max_size=9).map(" ".join)


ROWS = st.lists(
    st.tuples(
        st.integers(0, 9),
        WORDS,
        WORDS,
        st.sampled_from(["", "", "here", "there"]),
        st.lists(st.sampled_from(["one", "two", "three"]), unique=True).map(tuple),
    ),
    max_size=15,
)
Rows = list[tuple[int, str, str, str, tuple[str, ...]]]


def grown(rows: Rows) -> TreeDiagram:
    """Return a tree with a node a row; each hangs on the path to the one before it."""
    nodes = [DiagramNode(-1, "", "the root", "here")]
    path = [0]
    for k, (depth, edge, label, group, marks) in enumerate(rows, 1):
        path = path[: 1 + depth % len(path)]
        nodes.append(DiagramNode(path[-1], edge, label, group, marks))
        path.append(k)
    legend = (("one", "the first"), ("two", "the second"), ("three", "the third"))
    return TreeDiagram(caption="any", nodes=tuple(nodes), legend=legend)


# --- as text


def test_a_game_reads_as_a_tree() -> None:
    assert str(GAME) == (
        "Silence is a message\n"
        "chance\n"
        "├─ ●○ low, 1/3: level 1 knows low\n"
        "│  ├─ ● buy nothing: level 0 {A}\n"
        "│  │  ├─ a: 3\n"
        "│  │  └─ ● b: 0\n"
        "│  └─ ○ buy the report: level 0 knows low\n"
        "│     ├─ ○ a: 5/2\n"
        "│     └─ b: -1/2\n"
        "└─ ●○ high, 2/3: level 1 knows high\n"
        "   ├─ ●○ buy nothing: level 0 {A}\n"
        "   │  ├─ a: 0\n"
        "   │  └─ ●○ b: 1\n"
        "   └─ buy the report: level 0 knows high\n"
        "      ├─ a: -1/2\n"
        "      └─ b: 1/2\n"
        "● recursive: worth 4/3\n"
        "○ best: worth 3/2, since not to buy says <high>\n"
        "{A} cannot be told apart: level 0, nothing bought"
    )


def test_long_labels_go_on_beside_the_branches() -> None:
    nodes = (
        DiagramNode(-1, "", "the root has much to say"),
        DiagramNode(0, "left", "one two three four five six"),
        DiagramNode(1, "", "end"),
        DiagramNode(0, "right", ""),
        DiagramNode(3, "", ""),
    )
    assert TreeDiagram(caption="", nodes=nodes).lines(27) == [
        "the root has much to say",
        "├─ left: one two three four",
        "│  │  five six",
        "│  └─ end",
        "└─ right",
        "   └─",
    ]


def test_a_notebook_gets_the_same_text_escaped() -> None:
    page = GAME._repr_html_()
    assert page.startswith("<pre>Silence")
    assert "says &lt;high&gt;" in page


@given(ROWS, st.integers(40, 100))
def test_text_keeps_to_the_width_and_loses_no_word(rows: Rows, width: int) -> None:
    diagram = grown(rows)
    lines = diagram.lines(width)
    depth = [0]
    for node in diagram.nodes[1:]:
        depth.append(depth[node.parent] + 1)
    assert max(map(len, lines)) <= max(width, 3 * max(depth) + 24)
    wanted = "".join(f"{node.edge}{node.label}" for node in diagram.nodes[1:])
    said = re.sub(r"[^abc<&01-]", "", "".join(lines).removeprefix("the root"))
    assert said.startswith(wanted.replace(" ", ""))


def test_only_groups_of_several_nodes_get_a_letter() -> None:
    nodes = [DiagramNode(-1, "", "root", "alone")]
    nodes += [DiagramNode(0, "", "", f"set {k % 28}") for k in range(56)]
    letters = TreeDiagram(caption="", nodes=tuple(nodes)).letters
    assert list(letters)[:2] == ["set 0", "set 1"]
    assert list(letters.values()) == [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "A1", "B1"]


def test_a_narrow_terminal_shows_the_same_tree() -> None:
    text = table.write(Branches(GAME), width=34, color=False)
    assert max(map(len, text.splitlines())) <= 34
    assert "└─ ○ buy the report: level 0" in text
    assert "○ best: worth 3/2, since not to\n  buy says <high>" in text


@pytest.mark.parametrize(
    ("nodes", "problem"),
    [
        ((), "is empty"),
        ((DiagramNode(0, "", "root"),), "is not a root"),
        ((DiagramNode(-1, "move", "root"),), "is not a root"),
        ((DiagramNode(-1, "", "root", marks=("one",)),), "is not a root"),
        ((DiagramNode(-1, "", "root"), DiagramNode(-1, "", "second root")), r"nodes\[1\]\.parent"),
        ((DiagramNode(-1, "", "root"), DiagramNode(1, "", "its own child")), r"nodes\[1\]\.parent"),
        (
            (
                *(DiagramNode(k - 1, "", "") for k in range(3)),
                *[DiagramNode(k, "", "") for k in (0, 1)],
            ),
            r"nodes\[4\]\.parent",
        ),
    ],
)
def test_nodes_that_are_no_tree_in_preorder_are_refused(
    nodes: tuple[DiagramNode, ...], problem: str
) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        TreeDiagram(caption="", nodes=nodes)


def test_a_mark_must_be_in_the_legend() -> None:
    nodes = (DiagramNode(-1, "", ""), DiagramNode(0, "", "", marks=("bets",)))
    with pytest.raises(UnknownNameError, match=r"nodes\[1\]\.marks.*did you mean 'best'"):
        TreeDiagram(caption="", nodes=nodes, legend=(("best", ""),))


@pytest.mark.parametrize("marks", [("a", "a"), tuple("abcdefg")])
def test_a_legend_is_short_and_distinct(marks: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInputError, match="legend"):
        replace(DRIVER, legend=tuple((mark, "") for mark in marks))


# --- where things stand


def overlap(a: Box, b: Box) -> bool:
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom


@given(ROWS)
def test_a_layout_is_tidy(rows: Rows) -> None:
    diagram = grown(rows)
    placed = boxes(diagram)
    assert not any(overlap(a, b) for a, b in combinations(placed, 2))
    ends = [box for box, below in zip(placed, diagram.children, strict=True) if not below]
    steps = [b.y - a.y for a, b in pairwise(ends)]
    assert steps == pytest.approx([steps[0]] * len(steps)) if steps else True
    for box, below in zip(placed, diagram.children, strict=True):
        assert box.left >= 0
        assert box.top >= 0
        if below:
            assert box.y == pytest.approx((placed[below[0]].y + placed[below[-1]].y) / 2)
        for child in below:
            assert box.right <= placed[child].turn < placed[child].left


@given(ROWS)
def test_a_move_has_room_above_its_edge(rows: Rows) -> None:
    diagram = grown(rows)
    placed = boxes(diagram)
    for a, b in pairwise(sorted(range(1, len(placed)), key=lambda k: placed[k].y)):
        if placed[a].left == placed[b].left:
            lines = len(in_lines(diagram.nodes[b].edge))
            assert placed[b].y - placed[a].y > 16 * lines
    for node, box in zip(diagram.nodes, placed, strict=True):
        characters = max(map(len, in_lines(node.edge))) + 2 * len(node.marks)
        assert box.left - box.turn >= 6 * characters


# --- as SVG


def drawn(diagram: TreeDiagram) -> tuple[ElementTree.Element, list[ElementTree.Element]]:
    """Return the picture and the lines of the legend, which must be well-formed XML."""
    root = ElementTree.fromstring(f"<figure>{tree(diagram)}</figure>")
    svg = root.find("svg")
    assert svg is not None
    return svg, root.findall("ul/li")


def texts(svg: ElementTree.Element, kinds: set[str]) -> list[str]:
    found = ("".join(e.itertext()) for e in svg.iter("text") if e.attrib["class"] in kinds)
    return [" ".join(text.split()) for text in found]


def of_class(svg: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [e for e in svg.iter() if kind in e.attrib.get("class", "").split()]


@given(ROWS)
def test_every_label_and_move_is_drawn_once(rows: Rows) -> None:
    diagram = grown(rows)
    svg, _ = drawn(diagram)

    def shown(text: str) -> str:
        return " ".join(in_lines(text)).strip()

    assert texts(svg, {"label", "end"}) == [shown(node.label) for node in diagram.nodes]
    moves = [re.sub("^[●○◆ ]*", "", text) for text in texts(svg, {"move"})]
    assert moves == [shown(node.edge) for node in diagram.nodes[1:]]


@given(ROWS)
def test_every_mark_is_a_stroke_and_every_group_is_joined(rows: Rows) -> None:
    diagram = grown(rows)
    svg, _ = drawn(diagram)
    unmarked = sum(not node.marks for node in diagram.nodes[1:])
    assert len(of_class(svg, "edge")) == unmarked
    assert len(of_class(svg, "way")) == sum(len(node.marks) for node in diagram.nodes)
    members = [node.group for node in diagram.nodes if node.group in diagram.letters]
    assert len(of_class(svg, "link")) == len(members) - len(diagram.letters)
    assert len(of_class(svg, "shared")) == len(members)
    assert texts(svg, {"letter"}) == [diagram.letters[group] for group in members]


def test_strokes_run_from_parent_to_child_in_the_colour_of_their_mark() -> None:
    svg, legend = drawn(GAME)
    placed = boxes(GAME)
    ways = of_class(svg, "way")
    expected = [
        (f"var(--{color})", node.parent, k)
        for k, node in enumerate(GAME.nodes)
        for mark, color in (("recursive", "accent"), ("best", "amber"))
        if mark in node.marks
    ]
    assert len(ways) == len(expected)
    for way, (color, start, end) in zip(ways, expected, strict=True):
        assert way.attrib["style"] == f"stroke: {color}"
        numbers = [float(x) for x in re.findall(r"-?[\d.]+", way.attrib["d"])]
        first_x, first_y, *_, last_y, last_x = numbers
        assert first_x == pytest.approx(placed[start].right, abs=0.1)
        assert last_x == pytest.approx(placed[end].left, abs=0.1)
        assert abs(first_y - placed[start].y) < 5
        assert abs(last_y - placed[end].y) < 5
    meanings = ["".join(item.itertext()) for item in legend]
    assert meanings == [
        "● recursive: worth 4/3",
        "○ best: worth 3/2, since not to buy says <high>",
        "A cannot be told apart: level 0, nothing bought",
    ]


def test_what_cannot_be_told_apart_is_joined_across_columns_too() -> None:
    (link,) = of_class(drawn(DRIVER)[0], "link")
    first, second = boxes(DRIVER)[0], boxes(DRIVER)[2]
    start_x, start_y, *_, end_x, end_y = map(float, re.findall(r"[\d.]+", link.attrib["d"]))
    assert (start_x, start_y) == pytest.approx((first.middle, first.bottom), abs=0.1)
    assert (end_x, end_y) == pytest.approx((second.middle, second.bottom), abs=0.1)


def test_the_picture_has_a_title_and_colours_of_the_page_only() -> None:
    svg, _ = drawn(GAME)
    assert svg.findtext("title") == "Silence is a message"
    assert svg.findtext("desc") == "A tree of 15 nodes, 8 of them ends, from left to right."
    source = str(tree(GAME))
    assert not re.search(r"#[0-9a-fA-F]{3}|rgb\(", source)
    assert " id=" not in source
    assert tree(GAME) == source


def test_a_mark_whose_name_says_it_all_needs_no_meaning() -> None:
    diagram = replace(DRIVER, legend=(("bold", ""),))
    assert "● bold" in diagram.lines()
    _, legend = drawn(diagram)
    assert "".join(legend[0].itertext()) == "● bold"


def test_a_root_alone_is_a_picture() -> None:
    svg, legend = drawn(TreeDiagram(caption="", nodes=(DiagramNode(-1, "", "over"),)))
    assert texts(svg, {"end"}) == ["over"]
    assert legend == []
