"""Draw a heat map of a sweep, as a picture in a file or inline."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import StringIO
from math import ceil, isfinite
from os import PathLike
from textwrap import wrap
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PatchCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from mechproof.report.figure import picture
from mechproof.report.plot_settings import settings
from mechproof.sweep.heat_map import FAILED, MISSING, NO_VALUE, HeatMap, as_float, short
from theory.shared.printable import printable

__all__ = ["draw_heat_map", "heat_map_svg"]

_INK, _FAINT = "#333333", "#999999"
_BELOW_ABOVE: Final = ("#8f3d00", "#d55e00", "#f7f7f7", "#0072b2", "#00395c")
_UPWARDS: Final = ("#f7f7f7", "#9ecae1", "#0072b2", "#00395c")
_HATCHES: Final = {FAILED: ("#e8c8c8", "xxxx"), NO_VALUE: ("#d9d9d9", "////"), MISSING: ("w", "..")}
_FEW: Final = 12
"""Numbers stand in the cells of a map of at most so many rows and columns."""
_TICKS: Final = 13
_CELL, _SMALLEST, _LARGEST = 0.62, (5.2, 3.6), (9.6, 7.6)
_FAR: Final = 1e307
_SHADES: Final = 257
"""An odd number, so that 0 has the colour in the middle."""
_LETTERS: Final = 24
_VECTORS: Final = 2_500
_LUMINANCE: Final = (0.299, 0.587, 0.114)
_DARK: Final = 0.55
_TITLE: Final = 11
"""Letters of the title an inch; wrapped by matplotlib, it would be read as mathematics."""
_TITLE_LINES: Final = 6
_NAME: Final = 40
"""Letters of the name of an axis or of a value beside the picture."""
_FARTHEST: Final = 1e307
"""Numbers beyond have the colour of this one: the picture is drawn in sums and differences."""
_WIDE: Final = 7
"""Labels across that have more letters an inch are turned."""


def draw_heat_map(shown: HeatMap, path: str | PathLike[str]) -> None:
    """Draw a heat map to a file whose name ends with .svg or .png.

    Raises
    ------
    InvalidInputError
        For another ending, or a file that cannot be written.
    """
    with picture(path, _size(shown)) as figure:
        draw(shown, figure)


def heat_map_svg(shown: HeatMap) -> str:
    """Return a heat map as an SVG element, for a page or a notebook."""
    with mpl.rc_context(settings()):
        figure = Figure(figsize=_size(shown), layout="constrained")
        draw(shown, figure)
        stream = StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
    text = re.sub(r"<metadata>.*?</metadata>", "", stream.getvalue(), flags=re.DOTALL)
    return text[text.index("<svg") :].strip()


def draw(shown: HeatMap, figure: Figure) -> None:
    """Draw a heat map on a figure."""
    axes = figure.subplots()
    heights = np.array([[_height(cell) for cell in row] for row in shown.cells])
    finite = np.clip(heights[np.isfinite(heights)], -_FARTHEST, _FARTHEST)
    colors, norm = _scale(finite, about_zero=shown.about_zero)
    shades = np.clip(heights, norm.vmin, norm.vmax)
    corners = [np.arange(n + 1) - 0.5 for n in (len(shown.columns), len(shown.rows))]
    mesh = axes.pcolormesh(
        *corners,
        np.ma.masked_invalid(shades),
        cmap=colors,
        norm=norm,
        rasterized=heights.size > _VECTORS,
    )
    _mark(shown, axes, figure)
    if max(heights.shape) <= _FEW:
        _write(shown, axes, mesh.to_rgba(shades))
    _number_axis(axes.xaxis, shown.x, shown.columns)
    _number_axis(axes.yaxis, shown.y, shown.rows)
    if (
        sum(len(label.get_text()) for label in axes.get_xticklabels())
        > _WIDE * figure.get_figwidth()
    ):
        axes.tick_params(axis="x", rotation=30)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
    if len(finite):
        failing = ": below 0 it fails" if shown.is_slack else ""
        bar = figure.colorbar(mesh, ax=axes, label=f"{_name(shown.value)}{failing}")
        bar.outline.set_visible(False)
    title = wrap(
        printable(shown.title),
        int(_TITLE * figure.get_figwidth()),
        max_lines=_TITLE_LINES,
        placeholder="…",
    )
    axes.set_title("\n".join(title), fontsize="medium")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _size(shown: HeatMap) -> tuple[float, float]:
    wanted = (2.2 + _CELL * len(shown.columns), 1.6 + _CELL * len(shown.rows))
    sizes = zip(_SMALLEST, wanted, _LARGEST, strict=True)
    width, height = (min(max(least, size), most) for least, size, most in sizes)
    return width, height


def _height(cell: Any) -> float:
    """Return a number as it is drawn: a scale has no ends beyond the largest floats."""
    value = float("nan") if isinstance(cell, str) else as_float(cell)
    return max(-_FAR, min(value, _FAR)) if isfinite(value) else value


def _scale(finite: np.ndarray, *, about_zero: bool) -> tuple[LinearSegmentedColormap, Normalize]:
    """Return colours and what they stand for; about 0 the same depth is the same size."""
    if about_zero:
        most = float(np.abs(finite).max(initial=0)) or 1.0
        return _colors(_BELOW_ABOVE), Normalize(-most, most)
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    return _colors(_UPWARDS), Normalize(low, high if high > low else low + 1)


def _colors(anchors: Sequence[str]) -> LinearSegmentedColormap:
    return LinearSegmentedColormap.from_list("mechproof", list(anchors), _SHADES)


def _mark(shown: HeatMap, axes: Axes, figure: Figure) -> None:
    """Hatch the cells without a number, and say what the hatches mean and how many there are."""
    handles = []
    for mark, (color, hatch) in _HATCHES.items():
        places = [
            (j - 0.5, i - 0.5)
            for i, row in enumerate(shown.cells)
            for j, cell in enumerate(row)
            if isinstance(cell, str) and cell == mark
        ]
        if not places:
            continue
        style: dict[str, Any] = {"facecolor": color, "edgecolor": _FAINT, "hatch": hatch}
        squares = [Rectangle(place, 1, 1) for place in places]
        axes.add_collection(PatchCollection(squares, linewidth=0, **style))
        cells = "1 cell" if len(places) == 1 else f"{len(places):,} cells"
        handles.append(Patch(label=f"{mark}: {cells}", linewidth=0, **style))
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)


def _write(shown: HeatMap, axes: Axes, colors: np.ndarray) -> None:
    """Write the numbers into their cells, light on dark colours."""
    for i, row in enumerate(shown.cells):
        for j, cell in enumerate(row):
            if not isinstance(cell, str):
                ink = _INK if colors[i, j, :3] @ _LUMINANCE > _DARK else "w"
                text = short(cell).replace("-", "−")
                axes.text(j, i, text, ha="center", va="center", color=ink, fontsize="small")


def _number_axis(axis: Axis, name: str, values: Sequence[Any]) -> None:
    places = range(0, len(values), ceil(len(values) / _TICKS))
    axis.set_ticks(places, [_label(values[k]) for k in places])
    axis.set_label_text(_name(name))


def _label(value: Any) -> str:
    if value is None or isinstance(value, str | bool):
        return _cut(str(value), _LETTERS)
    return short(value).replace("-", "−")


def _name(text: str) -> str:
    return _cut(text, _NAME)


def _cut(text: str, letters: int) -> str:
    text = printable(text)
    return text if len(text) <= letters else f"{text[: letters - 1]}…"
