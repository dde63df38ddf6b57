"""A tree or a lattice for a terminal, in as many columns as there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from theory.verdicts import Diagram

__all__ = ["Branches"]


@dataclass(frozen=True, slots=True)
class Branches:
    """A picture in characters under its caption."""

    diagram: Diagram

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        yield Text(self.diagram.caption, style="italic")
        yield Text("\n".join(self.diagram.lines(options.max_width)))
