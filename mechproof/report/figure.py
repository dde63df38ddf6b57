"""A figure that becomes a picture in a file, with nothing in it that differs from run to run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter

from mechproof.files import check_writable, write_whole
from mechproof.report.plot_settings import settings
from theory.errors import InvalidInputError
from theory.shared.printable import printable

__all__ = ["picture"]


@contextmanager
def picture(path: str | PathLike[str], size: tuple[float, float]) -> Iterator[Figure]:
    """Give a figure of this size in inches, and write it whole when it has been drawn.

    Raises
    ------
    InvalidInputError
        Before anything is drawn, for a name that does not end with .svg or .png, or a file that
        cannot be written.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in {".svg", ".png"}:
        fix = "end the name with .svg or .png"
        raise InvalidInputError("path", str(path), "names no kind of picture", fix)
    check_writable(target, "path")
    with mpl.rc_context(settings(**{"path.simplify": False})):
        figure = Figure(figsize=size, layout="constrained")
        yield figure
        for artist in figure.findobj():
            artist.set_gid(printable(artist.get_gid() or "") or None)
            if isinstance(artist, Text):
                artist.set_text(printable(artist.get_text(), lines=True))
        for axes in figure.axes:
            for axis in (axes.xaxis, axes.yaxis):
                told = axis.get_major_formatter()  # writes the labels anew when it is drawn
                if isinstance(told, FuncFormatter):
                    axis.set_major_formatter(FuncFormatter(partial(_label, told)))
        drawn = BytesIO()
        metadata = {"Date": None} if kind == ".svg" else None
        figure.savefig(drawn, format=kind[1:], dpi=160, metadata=metadata)
        write_whole(target, drawn.getvalue(), "path")


def _label(told: FuncFormatter, place: Any, number: int | None = None) -> str:
    return printable(told(place, number), lines=True)
