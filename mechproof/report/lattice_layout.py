"""Where the sets of a lattice stand in a picture that runs from top to bottom."""

from __future__ import annotations

from dataclasses import dataclass

from mechproof.report.box import LINE, PAD, Box, in_lines, symbols_width, text_width
from mechproof.report.svg import MARGIN
from theory.verdicts import LatticeDiagram, LatticeNode, LatticeStep

__all__ = ["GAP", "RING", "TAG_GAP", "Row", "rows", "says", "tag_size"]

GAP = 28.0
"""The space between two boxes of a row."""
RING = 3.5
"""How much room the border of a mark takes inside a box."""
TAG_GAP = 4.0
"""The space below a tag."""

_EDGE, _BOLD = 4.0, 1.06
_BAND, _SLOPE = 48.0, 0.04


@dataclass(frozen=True, slots=True)
class Row:
    """The boxes of a layer by their nodes, from left to right, and where the tags above it begin.

    A tag is the box in which the label of a step stands. The tags of the steps that lead to this
    layer stand one below the other.
    """

    boxes: dict[int, Box]
    top: float
    bottom: float
    tags_top: float


def rows(diagram: LatticeDiagram) -> list[Row]:
    """Place the sets: equal boxes in a row, at equal distances in all rows, about one axis."""
    frame = RING * max(len(node.marks) for node in diagram.nodes)
    sizes = [_size(node, frame) for node in diagram.nodes]
    layers = diagram.layers
    pitch = GAP + max((sizes[k][0] for layer in layers if len(layer) > 1 for k in layer), default=0)
    band = _BAND + _SLOPE * pitch * max(map(len, layers))
    stacks = [0.0] * len(diagram.nodes)
    for step, (_, end) in zip(diagram.steps, diagram.ends, strict=True):
        stacks[end] += tag_size(step)[1] + TAG_GAP
    placed = []
    bottom = MARGIN - band
    for layer in layers:
        width, height = (max(sizes[k][side] for k in layer) for side in (0, 1))
        tags_top = bottom + band / 2
        top = bottom + band + sum(stacks[k] for k in layer)
        bottom = top + height
        left = -(pitch * (len(layer) - 1) + width) / 2
        boxes = {
            k: Box(left + pitch * place, top + height / 2, width, height)
            for place, k in enumerate(layer)
        }
        placed.append(Row(boxes, top, bottom, tags_top))
    return placed


def says(node: LatticeNode) -> tuple[list[str], list[str]]:
    """Return what a node says in short lines: its set, then its label."""
    return in_lines(node.name), in_lines(node.label) if node.label else []


def tag_size(step: LatticeStep) -> tuple[float, float]:
    """Return the width and the height of a tag."""
    lines = in_lines(step.label)
    return symbols_width((step.mark,)) + text_width(lines) + PAD, LINE * len(lines) + 2


def _size(node: LatticeNode, frame: float) -> tuple[float, float]:
    name, label = says(node)
    width = max(_BOLD * text_width(name) + symbols_width(node.marks), text_width(label or [""]))
    return width + 2 * (PAD + frame), LINE * (len(name) + len(label)) + 2 * (_EDGE + frame)
