"""Marks of a picture: a symbol for each, and the lines that say what they stand for."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from theory.errors import InvalidInputError, UnknownNameError, nearest

__all__ = ["Legend", "check_legend", "check_marks", "legend_lines", "symbols_of"]

Legend = tuple[tuple[str, str], ...]
"""Each mark, and what it stands for where its name does not say it."""

_SYMBOLS: Final = "●○◆◇▲△"


def symbols_of(legend: Legend) -> dict[str, str]:
    """Return a symbol for each mark, in the order of the legend."""
    return dict(zip((mark for mark, _ in legend), _SYMBOLS, strict=False))


def legend_lines(legend: Legend, width: int) -> list[str]:
    """Return a line for each mark, or more where ``width`` asks for it."""
    lines = []
    symbols = symbols_of(legend)
    for mark, meaning in legend:
        text = f"{symbols[mark]} {mark}" + (f": {meaning}" if meaning else "")
        lines += wrap(text, width, subsequent_indent="  ")
    return lines


def check_legend(legend: Legend, argument: str) -> None:
    """Raise where a legend has more marks than there are symbols, or one of them twice."""
    marks = [mark for mark, _ in legend]
    if len(marks) > len(_SYMBOLS) or len(set(marks)) < len(marks):
        raise InvalidInputError(
            argument,
            marks,
            "is too long to tell apart, or repeats a mark",
            f"give at most {len(_SYMBOLS)} distinct marks",
        )


def check_marks(marks: tuple[str, ...], legend: Legend, argument: str) -> None:
    """Raise where the legend lacks one of ``marks``."""
    known = [mark for mark, _ in legend]
    for mark in marks:
        if mark not in known:
            raise UnknownNameError(argument, mark, "is not in the legend", nearest(mark, known))
