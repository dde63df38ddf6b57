"""Draw a tree as inline SVG with its legend: text stays text, colours follow the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from markupsafe import Markup

from mechproof.report.box import LINE, PAD, Box, in_lines
from mechproof.report.svg import MARGIN, baseline, colors, drawing, key, symbols, text
from mechproof.report.tree_layout import CURVE, Place, boxes
from theory.shared.printable import printable
from theory.verdicts import TreeDiagram

__all__ = ["tree"]

_SAG, _LANE = 22.0, 4.5


def tree(diagram: TreeDiagram) -> Markup:
    """Return the tree and, below it, what its marks and letters stand for."""
    placed = boxes(diagram)
    right = max(box.right for box in placed) + MARGIN
    lows = [_sag_to(first, second) for first, second in _neighbours(diagram, placed)]
    height = max([*lows, *(box.bottom for box in placed)]) + MARGIN
    ends = sum(not below for below in diagram.children)
    says = f"A tree of {len(placed)} nodes, {ends} of them ends, from left to right."
    parts = (*_edges(diagram, placed), *_links(diagram, placed), *_nodes(diagram, placed))
    return drawing(diagram.caption, says, parts, (0, right), height) + key(
        diagram, _groups(diagram)
    )


def _edges(diagram: TreeDiagram, placed: Sequence[Place]) -> Iterator[Markup]:
    """Yield the edges, unmarked ones thin and one stroke a mark, and the moves above them."""
    inks = colors(diagram)
    for node, box in zip(diagram.nodes[1:], placed[1:], strict=True):
        start = placed[node.parent]
        marks = [mark for mark in inks if mark in node.marks]
        if not marks:
            yield Markup('<path class="edge" d="{}"/>').format(_way(start, box, 0))
        for lane, mark in enumerate(marks):
            shift = _LANE * (lane - (len(marks) - 1) / 2)
            yield Markup('<path class="way" style="stroke: {}" d="{}"/>').format(
                inks[mark], _way(start, box, shift)
            )
        lines = in_lines(node.edge)
        base = box.y - _LANE * max(1, len(marks)) / 2 - 4 - LINE * (len(lines) - 1)
        yield text("move", box.turn + CURVE, base, lines, symbols(diagram, marks))


def _way(start: Place, end: Place, shift: float) -> str:
    y, to = start.y + shift, end.y + shift
    turn, half = end.turn, end.turn + CURVE / 2
    return (
        f"M{start.right:.1f} {y:.1f}H{turn:.1f}"
        f"C{half:.1f} {y:.1f} {half:.1f} {to:.1f} {turn + CURVE:.1f} {to:.1f}H{end.left:.1f}"
    )


def _links(diagram: TreeDiagram, placed: Sequence[Box]) -> Iterator[Markup]:
    """Yield a dashed line from each node of a group to the next."""
    for first, second in _neighbours(diagram, placed):
        if first.left == second.left:
            x = first.left + min(first.width, second.width) / 2
            path = f"M{x:.1f} {first.bottom:.1f}V{second.top:.1f}"
        else:
            x, to, low = first.middle, second.middle, _sag_to(first, second)
            path = (
                f"M{x:.1f} {first.bottom:.1f}C{x:.1f} {low:.1f} {to:.1f} {low:.1f} "
                f"{to:.1f} {second.bottom:.1f}"
            )
        yield Markup('<path class="link" d="{}"/>').format(path)


def _sag_to(first: Box, second: Box) -> float:
    """Return how low the dashed line between two nodes may run: it sags where columns differ."""
    return max(first.bottom, second.bottom) + (_SAG if first.left != second.left else 0)


def _neighbours(diagram: TreeDiagram, placed: Sequence[Box]) -> Iterator[tuple[Box, Box]]:
    for group in diagram.letters:
        members = [b for n, b in zip(diagram.nodes, placed, strict=True) if n.group == group]
        yield from pairwise(members)


def _nodes(diagram: TreeDiagram, placed: Sequence[Box]) -> Iterator[Markup]:
    """Yield boxes with their labels, and the letters of groups at their corners."""
    for node, box, below in zip(diagram.nodes, placed, diagram.children, strict=True):
        letter = diagram.letters.get(node.group, "")
        boxed = bool(below or letter)
        if boxed:
            yield Markup(
                '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="6"/>'
            ).format("box shared" if letter else "box", box.left, box.top, box.width, box.height)
        lines = in_lines(node.label)
        base = baseline(box.y, len(lines))
        if boxed:
            yield text("label", box.middle, base, lines)
        else:
            yield text("end", box.left + PAD, base, lines)
        if letter:
            yield Markup(
                '<circle class="corner" cx="{0:.1f}" cy="{1:.1f}" r="8"/>'
                '<text class="letter" x="{0:.1f}" y="{2:.1f}">{3}</text>'
            ).format(box.right - 2, box.top, box.top + 3.5, letter)


def _groups(diagram: TreeDiagram) -> Iterator[Markup]:
    for group, letter in diagram.letters.items():
        yield Markup('<li><b class="shared">{}</b> cannot be told apart: {}</li>').format(
            letter, printable(group)
        )
