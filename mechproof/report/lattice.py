"""Draw a lattice of sets as inline SVG with its legend: small sets on top, arrows downward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from mechproof.report.box import LINE, Box, in_lines
from mechproof.report.lattice_edges import HEAD, Way, ways
from mechproof.report.lattice_layout import RING, rows, says
from mechproof.report.svg import MARGIN, baseline, colors, drawing, key, symbols, text
from theory.verdicts import LatticeDiagram, LatticeNode

__all__ = ["lattice"]


def lattice(diagram: LatticeDiagram) -> Markup:
    """Return the lattice and, below it, what its marks stand for."""
    placed = rows(diagram)
    boxes = {k: box for row in placed for k, box in row.boxes.items()}
    led = ways(diagram, placed)
    parts = [
        *_covers(led.covers),
        *_arrows(diagram, led.steps),
        *(part for k, box in boxes.items() for part in _node(diagram, diagram.nodes[k], box)),
        *_tags(diagram, led.tags),
    ]
    xs = [x for way in (*led.covers, *led.steps) for bend in way.bends for x, _ in bend]
    xs += [x for box in (*boxes.values(), *led.tags) for x in (box.left, box.right)]
    across = (min(xs) - MARGIN, max(xs) + MARGIN)
    height = placed[-1].bottom + MARGIN
    return drawing(diagram.caption, _words(diagram), parts, across, height) + key(diagram)


def _words(diagram: LatticeDiagram) -> str:
    nodes = diagram.nodes
    arrows = [
        f"{step.mark} leads from {nodes[start].name} to {nodes[end].name}."
        for step, (start, end) in zip(diagram.steps, diagram.ends, strict=True)
    ]
    return " ".join([f"{len(nodes)} sets, those with fewest items on top.", *arrows])


def _covers(covers: Sequence[Way]) -> Iterator[Markup]:
    """Yield thin lines, straight where they pass no row."""
    for way in covers:
        (start, end), *more = way.bends
        path = _curve(way) if more else f"M{_point(start)}L{_point(end)}"
        yield Markup('<path class="edge" d="{}"/>').format(path)


def _arrows(diagram: LatticeDiagram, steps: Sequence[Way]) -> Iterator[Markup]:
    inks = colors(diagram)
    for step, way in zip(diagram.steps, steps, strict=True):
        yield Markup(
            '<path class="way" style="stroke: {ink}" d="{curve}"/>'
            '<path style="fill: {ink}" d="M{end}h{half}l-{half} {head}l-{half} -{head}z"/>'
        ).format(
            ink=inks[step.mark],
            curve=_curve(way),
            end=_point(way.bends[-1][1]),
            half=HEAD / 2,
            head=HEAD,
        )


def _curve(way: Way) -> str:
    """Return a path that is upright wherever it leaves, passes a row or arrives."""
    parts = []
    for (x, top), (to, bottom) in way.bends:
        third = (bottom - top) / 3
        bends = ((x, top + third), (to, bottom - third), (to, bottom))
        parts.append(f"{_point((x, top))}C{' '.join(map(_point, bends))}")
    return "M" + "L".join(parts)


def _point(point: tuple[float, float]) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _node(diagram: LatticeDiagram, node: LatticeNode, box: Box) -> Iterator[Markup]:
    """Yield a border for each mark around the box, then the set and the label."""
    inks = [ink for mark, ink in colors(diagram).items() if mark in node.marks]
    for ring, ink in enumerate(inks):
        yield _rectangle("ring", box, ring * RING, ink)
    yield _rectangle("box", box, len(inks) * RING)
    name, label = says(node)
    base = baseline(box.y, len(name) + len(label))
    yield text("name", box.middle, base, name, symbols(diagram, node.marks))
    if label:
        yield text("label", box.middle, base + LINE * len(name), label)


def _tags(diagram: LatticeDiagram, tags: Sequence[Box]) -> Iterator[Markup]:
    for step, box in zip(diagram.steps, tags, strict=True):
        yield _rectangle("tag", box)
        lines = in_lines(step.label)
        base = baseline(box.y, len(lines))
        yield text("label", box.middle, base, lines, symbols(diagram, (step.mark,)))


def _rectangle(kind: str, box: Box, inset: float = 0, ink: str = "") -> Markup:
    return Markup(
        '<rect class="{}"{} x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="6"/>'
    ).format(
        kind,
        Markup(' style="stroke: {}"').format(ink) if ink else "",
        box.left + inset,
        box.top + inset,
        box.width - 2 * inset,
        box.height - 2 * inset,
    )
