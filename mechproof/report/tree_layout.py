"""Where the nodes of a tree stand in a picture that runs from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mechproof.report.box import LINE, PAD, Box, in_lines, symbols_width, text_width
from theory.verdicts import DiagramNode, TreeDiagram

__all__ = ["CURVE", "Place", "boxes"]

CURVE = 30.0
"""How far an edge takes to turn."""

_MARGIN, _GAP = 3.0, 10.0


@dataclass(frozen=True, slots=True)
class Place(Box):
    """A node, and where the edge to it turns."""

    turn: float


def boxes(diagram: TreeDiagram) -> list[Place]:
    """Place every node.

    Ends stand in rows of equal height, every other node half way between its first and its last
    child, nodes of equal depth in one column. The rows are as high as the fullest node needs, so
    that neither boxes nor the moves above the edges overlap.
    """
    nodes = diagram.nodes
    depths = [0] * len(nodes)
    for k, node in enumerate(nodes[1:], 1):
        depths[k] = depths[node.parent] + 1
    labels = [in_lines(node.label) for node in nodes]
    widths = [2 * PAD + text_width(label) for label in labels]
    heights = [LINE * len(label) + 2 * _MARGIN for label in labels]
    above = [LINE * len(in_lines(node.edge)) + _MARGIN for node in nodes]
    rows, firsts, lasts = _rows(diagram.children)
    row = max(
        max(
            (max(height / 2, over) + _GAP / 2) / (at - first + 0.5),
            (height / 2 + _GAP / 2) / (last - at + 0.5),
        )
        for height, over, at, first, last in zip(heights, above, rows, firsts, lasts, strict=True)
    )
    lefts, turns = _columns(depths, widths, list(map(_edge_width, nodes)))
    return [
        Place(lefts[d], (rows[k] + 0.5) * row, widths[k], heights[k], turns[d])
        for k, d in enumerate(depths)
    ]


def _rows(children: Sequence[Sequence[int]]) -> tuple[list[float], list[float], list[float]]:
    """Return the row of each node, and of the first and the last end below it."""
    rows, firsts, lasts = ([0.0] * len(children) for _ in range(3))
    ends = [k for k, below in enumerate(children) if not below]
    for row, k in enumerate(ends):
        rows[k] = firsts[k] = lasts[k] = row
    for k in reversed(range(len(children))):
        if children[k]:
            first, last = children[k][0], children[k][-1]
            rows[k] = (rows[first] + rows[last]) / 2
            firsts[k], lasts[k] = firsts[first], lasts[last]
    return rows, firsts, lasts


def _columns(
    depths: Sequence[int], widths: Sequence[float], edges: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Return the left end of each column, and the right end of the one before it."""
    box, edge = ([0.0] * (max(depths) + 1) for _ in range(2))
    for k, depth in enumerate(depths):
        box[depth] = max(box[depth], widths[k])
        edge[depth] = max(edge[depth], edges[k])
    lefts, turns = [_MARGIN], [0.0]
    for depth in range(1, len(box)):
        turns.append(lefts[-1] + box[depth - 1])
        lefts.append(turns[-1] + CURVE + edge[depth])
    return lefts, turns


def _edge_width(node: DiagramNode) -> float:
    return text_width(in_lines(node.edge)) + symbols_width(node.marks) + PAD
