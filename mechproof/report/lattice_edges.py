"""How lines run between the sets of a lattice, and where the labels of its steps stand on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mechproof.report.box import Box
from mechproof.report.lattice_layout import GAP, TAG_GAP, Row, tag_size
from theory.verdicts import LatticeDiagram

__all__ = ["HEAD", "Way", "Ways", "ways"]

HEAD = 10.0
"""The length of the head of an arrow."""

_LANE = 24.0

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Way:
    """A line down to a larger set, as the ends of its bends; between two bends it is upright."""

    bends: tuple[tuple[Point, Point], ...]

    def across(self, y: float) -> float:
        """Return where the last bend is at a height: x runs as 3t^2 - 2t^3 while y runs as t."""
        (x, top), (to, bottom) = self.bends[-1]
        t = (y - top) / (bottom - top)
        return x + (to - x) * t * t * (3 - 2 * t)


@dataclass(frozen=True, slots=True)
class Ways:
    """The lines of the covers that are no steps, those of the steps, and the tag of each step.

    The line of a step ends where its head begins.
    """

    covers: list[Way]
    steps: list[Way]
    tags: list[Box]


@dataclass(frozen=True, slots=True)
class _Stop:
    """Where a line leaves, passes a row or arrives, and over what room it may be shifted."""

    x: float
    top: float
    bottom: float
    room: float


def ways(diagram: LatticeDiagram, rows: Sequence[Row]) -> Ways:
    """Lead the lines, and put a tag on each step.

    A line passes a row half way between two boxes, or beside all of them; a tag has its height
    between two rows to itself. So no line crosses a box, and no text another.
    """
    row_of = {k: number for number, row in enumerate(rows) for k in row.boxes}
    covers = [pair for pair in diagram.covers if pair not in diagram.ends]
    lines = _side_by_side(
        [
            list(_stops(rows[row_of[k] : row_of[end] + 1], k, end, is_step))
            for pairs, is_step in ((covers, False), (diagram.ends, True))
            for k, end in pairs
        ]
    )
    steps = lines[len(covers) :]
    tags = []
    tops = [row.tags_top for row in rows]
    for step, (_, end), way in zip(diagram.steps, diagram.ends, steps, strict=True):
        width, height = tag_size(step)
        y = tops[row_of[end]] + height / 2
        tops[row_of[end]] += height + TAG_GAP
        tags.append(Box(way.across(y) - width / 2, y, width, height))
    return Ways(lines[: len(covers)], steps, tags)


def _stops(rows: Sequence[Row], k: int, end: int, is_step: bool) -> Iterator[_Stop]:
    """Yield where a line stops from the first of some rows to the last, nearly straight down."""
    first, last = rows[0].boxes[k], rows[-1].boxes[end]
    yield _Stop(first.middle, first.bottom, first.bottom, first.width if is_step else 0)
    for row in rows[1:-1]:
        t = ((row.top + row.bottom) / 2 - first.bottom) / (last.top - first.bottom)
        gap = _gap(row, first.middle + (last.middle - first.middle) * t)
        yield _Stop(gap, row.top, row.bottom, GAP)
    top = last.top - (HEAD if is_step else 0)
    yield _Stop(last.middle, top, top, last.width if is_step else 0)


def _gap(row: Row, x: float) -> float:
    """Return where the gap of a row is that comes nearest to x."""
    boxes = list(row.boxes.values())
    inner = [(a.right + b.left) / 2 for a, b in pairwise(boxes)]
    gaps = [boxes[0].left - GAP / 2, *inner, boxes[-1].right + GAP / 2]
    return min(gaps, key=lambda gap: abs(gap - x))


def _side_by_side(lines: Sequence[Sequence[_Stop]]) -> list[Way]:
    """Shift lines that stop at one place, in the order of where they come from and go to."""
    places: dict[tuple[float, float], list[tuple[float, int, int]]] = defaultdict(list)
    for n, stops in enumerate(lines):
        for m, stop in enumerate(stops):
            if stop.room:
                around = sum(beside.x for beside in stops[max(m - 1, 0) : m + 2])
                places[stop.x, stop.top].append((around, n, m))
    xs = [[stop.x for stop in stops] for stops in lines]
    for members in places.values():
        for rank, (_, n, m) in enumerate(sorted(members)):
            lane = min(_LANE, lines[n][m].room / len(members))
            xs[n][m] += lane * (rank - (len(members) - 1) / 2)
    return [
        Way(
            tuple(
                ((x, stop.bottom), (to, following.top))
                for (x, stop), (to, following) in pairwise(zip(across, stops, strict=True))
            )
        )
        for across, stops in zip(xs, lines, strict=True)
    ]
