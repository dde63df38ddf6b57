"""Draw pictures as inline SVG: text stays text, colours follow the page, no two runs differ."""

from __future__ import annotations

import re
from io import StringIO
from math import isfinite

from markupsafe import Markup

from mechproof.report.plot_settings import settings
from theory.shared.printable import printable
from theory.verdicts import Bars

__all__ = ["bars"]

_INK, _ABOVE, _BELOW = "#010203", "#010204", "#010205"
_PAGE_COLORS = {_INK: "currentColor", _ABOVE: "var(--accent)", _BELOW: "var(--below)"}
_WIDTH, _BAR = 7.6, 0.32
_FONT_SIZE = 10


def bars(picture: Bars) -> Markup:
    """Return horizontal bars from zero, each with its label and value."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    finite = [value if isfinite(value) else 0.0 for value in picture.values]
    shown = [f"{value:.4g}".replace("-", "−") for value in picture.values]
    with mpl.rc_context(
        settings(
            **{
                "font.family": "sans-serif",
                "font.size": _FONT_SIZE,
                "text.color": _INK,
                "ytick.color": _INK,
            }
        )
    ):
        figure = Figure(figsize=(_WIDTH, 0.2 + _BAR * len(finite)), layout="constrained")
        axes = figure.subplots()
        rows = range(len(finite))
        colors = [_ABOVE if value >= 0 else _BELOW for value in finite]
        axes.barh(rows, finite, height=0.62, color=colors, clip_on=False)
        axes.axvline(0, color=_INK, linewidth=0.8, clip_on=False)
        values = axes.twinx()
        for side, texts in ((axes, picture.labels), (values, shown)):
            side.set_ylim(len(finite) - 0.4, -0.6)
            side.set_yticks(rows, list(map(printable, texts)))
            side.tick_params(left=False, right=False, bottom=False, labelbottom=False)
            side.spines[:].set_visible(False)
            side.patch.set_visible(False)
        figure.patch.set_visible(False)
        stream = StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return Markup(_inline(stream.getvalue()))


def _inline(source: str) -> str:
    svg = source[source.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<style.*?</style>", "", svg, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", lambda found: _clean_tag(found[0]), svg).strip()


def _clean_tag(tag: str) -> str:
    """Return a tag without names and fonts, in the colours of the page; labels stand in none."""
    tag = re.sub(r' id="(?:figure|axes|patch|text|matplotlib|ytick|xtick|line2d)[\w.]*"', "", tag)
    tag = re.sub(r'font-family: [^;"<>]*;', "", tag)
    for drawn, shown in _PAGE_COLORS.items():
        tag = tag.replace(drawn, shown)
    return tag
