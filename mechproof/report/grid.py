"""A table of text for a terminal, whose lines break between words as long as they can."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table as Lines
from rich.text import Text

__all__ = ["Grid", "numeric_columns"]

_NUMBER = re.compile(r"[+−-]?[\d.,/]+( ?%)?")
_BETWEEN_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of text under a caption."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        room = options.max_width - _BETWEEN_COLUMNS * len(self.columns)
        widths = _fit([_needs(column) for column in self._by_column()], room)
        numeric = numeric_columns(self.rows, len(self.columns))
        lines = Lines(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
        for title, width, is_numeric in zip(self.columns, widths, numeric, strict=True):
            side: Literal["left", "right"] = "right" if is_numeric else "left"
            lines.add_column(Text(title), width=width, justify=side, overflow="fold")
        for row in self.rows:
            lines.add_row(*map(Text, row))
        yield Text(self.caption, style="italic")
        yield lines

    def _by_column(self) -> Iterator[tuple[str, ...]]:
        return zip(self.columns, *self.rows, strict=True)


def numeric_columns(rows: Sequence[Sequence[str]], columns: int) -> list[bool]:
    """Say of each column whether all that it holds are numbers."""
    held = [[row[j].strip() for row in rows if row[j].strip()] for j in range(columns)]
    return [bool(cells) and all(map(_NUMBER.fullmatch, cells)) for cells in held]


def _needs(cells: Sequence[str]) -> tuple[int, int]:
    """Return the width of the longest word and of the longest cell."""
    words = [len(word) for cell in cells for word in cell.split()]
    return max(words, default=1), max(1, *map(len, cells))


def _fit(needs: Sequence[tuple[int, int]], room: int) -> list[int]:
    """Narrow the widest columns until all fit, and break words only when nothing else is left."""
    widths = [longest for _, longest in needs]
    while sum(widths) > max(room, len(widths)):
        slack = [j for j, (word, _) in enumerate(needs) if widths[j] > word]
        widest = max(slack or range(len(widths)), key=widths.__getitem__)
        widths[widest] -= 1
    return widths
