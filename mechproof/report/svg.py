"""What pictures have in common: text stays text, colours follow the page, a key stands below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from mechproof.report.box import LINE
from theory.shared.printable import printable
from theory.verdicts import Diagram

__all__ = ["MARGIN", "baseline", "colors", "drawing", "key", "symbols", "text"]

MARGIN = 4.0
"""The space around a picture."""

_COLORS = ("accent", "amber", "plum", "green", "below", "quiet")
_LEAST_SCALE = 0.85
_BASELINE = 4.5


def drawing(
    title: str, description: str, parts: Iterable[str], across: tuple[float, float], height: float
) -> Markup:
    """Return the picture; ``across`` is where it starts and ends from left to right."""
    left, right = across
    return Markup(
        '<svg class="diagram" viewBox="{left:.0f} 0 {w:.0f} {h:.0f}" width="{w:.0f}" '
        'height="{h:.0f}" style="min-width: {least:.0f}px">\n<title>{title}</title>\n'
        "<desc>{description}</desc>\n{parts}\n</svg>\n"
    ).format(
        left=left,
        w=right - left,
        h=height,
        least=_LEAST_SCALE * (right - left),
        title=printable(title),
        description=printable(description),
        parts=Markup("\n").join(parts),
    )


def colors(diagram: Diagram) -> dict[str, str]:
    """Return the colour of each mark."""
    return {mark: f"var(--{color})" for mark, color in zip(diagram.symbols, _COLORS, strict=False)}


def symbols(diagram: Diagram, marks: Sequence[str]) -> Markup:
    """Return the symbols of some marks in their colours, to stand before a text."""
    return Markup("").join(
        Markup('<tspan style="fill: {}">{} </tspan>').format(color, diagram.symbols[mark])
        for mark, color in colors(diagram).items()
        if mark in marks
    )


def baseline(middle: float, lines: int) -> float:
    """Return where the first of some lines stands that are centred at a height."""
    return middle + _BASELINE - LINE * (lines - 1) / 2


def text(kind: str, x: float, base: float, lines: Sequence[str], before: str = "") -> Markup:
    """Return lines of text, the first of them at ``base``."""
    spans = Markup(" ").join(
        Markup('<tspan x="{:.1f}" y="{:.1f}">{}{}</tspan>').format(
            x, base + LINE * number, before if number == 0 else "", line
        )
        for number, line in enumerate(lines)
    )
    return Markup('<text class="{}">{}</text>').format(kind, spans)


def key(diagram: Diagram, more: Iterable[str] = ()) -> Markup:
    """Return what the marks stand for, and ``more`` lines; nothing where there are none."""
    marks = [
        Markup('<li><b style="color: {}">{} {}</b>{}</li>').format(
            color,
            diagram.symbols[mark],
            printable(mark),
            f": {printable(meaning)}" if meaning else "",
        )
        for color, (mark, meaning) in zip(colors(diagram).values(), diagram.legend, strict=True)
    ]
    items = Markup("\n").join([*marks, *more])
    return Markup('<ul class="key">\n{}\n</ul>').format(items) if items else Markup("")
