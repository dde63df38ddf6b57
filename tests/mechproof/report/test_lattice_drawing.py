"""Lattices of sets as SVG: nothing runs over a set, nothing overlaps and nothing is lost."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from lattice_pictures import EVIDENCE, GAME, MARKS, Nodes, Steps, families, full, grown
from sweeps import examples

from mechproof.report.lattice import lattice
from theory.verdicts import LatticeDiagram, LatticeNode


@dataclass(frozen=True)
class Frame:
    """A rectangle that was drawn."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Frame) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, point: complex, slack: float = 0.2) -> bool:
        return (
            self.left + slack < point.real < self.right - slack
            and self.top + slack < point.imag < self.bottom - slack
        )


@dataclass(frozen=True)
class Picture:
    """What a reader of the SVG sees: frames by their sets, lines as points, tags, texts."""

    sets: dict[str, Frame]
    edges: list[list[complex]]
    ways: list[list[complex]]
    tags: list[Frame]
    root: ElementTree.Element

    def of_class(self, kind: str) -> list[ElementTree.Element]:
        return [e for e in self.root.iter() if e.get("class") == kind]

    def texts(self, kind: str) -> list[str]:
        found = ("".join(element.itertext()) for element in self.of_class(kind))
        return [re.sub(r"^[●○◆ ]*", "", text).strip() for text in found]

    def crossings(self, line: list[complex]) -> list[str]:
        """Return the sets that a line runs through."""
        return [name for name, frame in self.sets.items() if any(map(frame.holds, line))]


def drawn(diagram: LatticeDiagram) -> Picture:
    root = ElementTree.fromstring(f"<figure>{lattice(diagram)}</figure>")
    rects = [e for e in root.iter("rect") if e.get("class") in {"ring", "box"}]
    outer = [k for k in range(len(rects)) if k == 0 or rects[k - 1].get("class") == "box"]
    order = [diagram.nodes[k].name for layer in diagram.layers for k in layer]
    return Picture(
        dict(zip(order, (frame(rects[k]) for k in outer), strict=True)),
        [walk(e.attrib["d"]) for e in root.iter("path") if e.get("class") == "edge"],
        [walk(e.attrib["d"]) for e in root.iter("path") if e.get("class") == "way"],
        [frame(e) for e in root.iter("rect") if e.get("class") == "tag"],
        root,
    )


def frame(rect: ElementTree.Element) -> Frame:
    left, top, width, height = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
    return Frame(left, top, left + width, top + height)


def walk(path: str) -> list[complex]:
    """Return points along a path of straight lines and cubic curves, a pixel or so apart."""
    points: list[complex] = []
    for letter, rest in re.findall(r"([MLC])([^MLC]*)", path):
        xs = [float(x) for x in rest.split()]
        ends = [complex(x, y) for x, y in zip(xs[::2], xs[1::2], strict=True)]
        if letter == "M":
            points += ends
            continue
        a, d = points[-1], ends[-1]
        b, c = ends[:2] if letter == "C" else (a + (d - a) / 3, d + (a - d) / 3)
        for k in range(1, 401):
            t, u = k / 400, 1 - k / 400
            points.append(u**3 * a + 3 * u * u * t * b + 3 * u * t * t * c + t**3 * d)
    return points


PICTURES = [
    GAME,
    EVIDENCE,
    *map(full, range(1, 6)),
    LatticeDiagram(caption="", nodes=(LatticeNode((), ""),)),
]


@pytest.mark.parametrize("diagram", PICTURES, ids=range(len(PICTURES)))
def test_known_pictures_are_tidy(diagram: LatticeDiagram) -> None:
    check_tidy(diagram)


@settings(max_examples=examples(50))
@given(families())
def test_any_picture_is_tidy(family: tuple[Nodes, Steps]) -> None:
    check_tidy(grown(family))


def check_tidy(diagram: LatticeDiagram) -> None:
    """No frame meets another, and no line runs through one or leaves the picture."""
    picture = drawn(diagram)
    frames = [*picture.sets.values(), *picture.tags]
    assert not any(a.meets(b) for a, b in combinations(frames, 2))
    lines = [*picture.edges, *picture.ways]
    assert not any(picture.crossings(line) for line in lines)
    (svg,) = picture.root.findall("svg")
    left, top, width, height = map(float, svg.attrib["viewBox"].split())
    for shown in frames:
        assert left <= shown.left < shown.right <= left + width
        assert top <= shown.top < shown.bottom <= top + height
    assert all(left <= point.real <= left + width for line in lines for point in line)


@settings(max_examples=examples(50))
@given(families())
def test_sets_stand_in_layers_and_lines_run_down_between_them(family: tuple[Nodes, Steps]) -> None:
    diagram = grown(family)
    picture = drawn(diagram)
    sizes = {shown.name: len(shown.items) for shown in diagram.nodes}
    for a, b in permutations(picture.sets, 2):
        if sizes[a] < sizes[b]:
            assert picture.sets[a].bottom < picture.sets[b].top
        elif sizes[a] == sizes[b]:
            assert picture.sets[a].top == picture.sets[b].top
    covers = [pair for pair in diagram.covers if pair not in diagram.ends]
    for lines, pairs, head in ((picture.edges, covers, 0), (picture.ways, diagram.ends, 10)):
        for line, (start, end) in zip(lines, pairs, strict=True):
            first = picture.sets[diagram.nodes[start].name]
            last = picture.sets[diagram.nodes[end].name]
            assert line[0].imag == pytest.approx(first.bottom, abs=0.2)
            assert line[-1].imag == pytest.approx(last.top - head, abs=0.2)
            assert first.left < line[0].real < first.right
            assert last.left < line[-1].real < last.right
            assert all(a.imag <= b.imag for a, b in pairwise(line))
    for line, tag in zip(picture.ways, picture.tags, strict=True):
        assert any(map(tag.holds, line))


def test_a_line_through_a_set_is_seen() -> None:
    picture = drawn(full(3))
    above, below = (picture.sets[name] for name in ("∅", "{I1, I2, I3}"))
    middle = (above.left + above.right) / 2
    straight = walk(f"M{middle} {above.bottom}L{middle} {below.top}")
    assert picture.crossings(straight) == ["{I2}", "{I1, I3}"]


@given(families())
@settings(max_examples=examples(50))
def test_everything_is_said_and_every_mark_is_a_border(family: tuple[Nodes, Steps]) -> None:
    diagram = grown(family)
    picture = drawn(diagram)
    order = [diagram.nodes[k] for layer in diagram.layers for k in layer]
    names = ["".join(text.split()) for text in picture.texts("name")]
    assert names == ["".join(shown.name.split()) for shown in order]
    said = ["".join(text.split()) for text in picture.texts("label")]
    labels = [shown.label for shown in order if shown.label] + [s.label for s in diagram.steps]
    assert said == ["".join(label.split()) for label in labels]
    colors = dict(zip(MARKS, ("accent", "amber", "plum"), strict=True))
    assert [e.get("style") for e in picture.of_class("ring")] == [
        f"stroke: var(--{colors[mark]})" for shown in order for mark in MARKS if mark in shown.marks
    ]
    assert [e.get("style") for e in picture.of_class("way")] == [
        f"stroke: var(--{colors[step.mark]})" for step in diagram.steps
    ]


@given(families())
@settings(max_examples=examples(50))
def test_text_has_room_in_its_frame(family: tuple[Nodes, Steps]) -> None:
    diagram = grown(family)
    picture = drawn(diagram)
    spans = [
        (float(span.attrib["x"]), float(span.attrib["y"]), "".join(span.itertext()))
        for element in (*picture.of_class("name"), *picture.of_class("label"))
        for span in element.findall("tspan")
    ]
    frames = [*picture.sets.values(), *picture.tags]
    for x, y, text in spans:
        (around,) = [shown for shown in frames if shown.holds(complex(x, y))]
        assert around.top + 10 < y < around.bottom - 3
        assert around.right - around.left >= 5 * len(text.strip())


def test_the_picture_has_a_title_a_description_and_colours_of_the_page_only() -> None:
    (svg,) = drawn(GAME).root.findall("svg")
    assert svg.findtext("title") == "Who <reveals> what"
    assert svg.findtext("desc") == (
        "8 sets, those with fewest items on top. play leads from ∅ to {I1, I2}. "
        "greedy leads from ∅ to {I1}. greedy leads from {I1} to {I1, I2, I3}."
    )
    source = str(lattice(GAME))
    assert not re.search(r"#[0-9a-fA-F]{3}|rgb\(", source)
    assert " id=" not in source
    assert lattice(GAME) == source
    legend = ["".join(item.itertext()) for item in drawn(GAME).root.findall("ul/li")]
    assert legend == ["● stable: nobody gains by revealing more", "○ play", "◆ greedy: <first>"]


def test_sixty_four_sets_can_be_drawn() -> None:
    assert len(drawn(full(6)).sets) == 64
