"""Tables: rows of text under a caption, for a terminal and for a page."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from theory.shared.printable import escape, printable

__all__ = ["ShownAsTable", "Table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Evidence as rows of text, with numbers written exactly.

    Cells are kept as they are given; where they are shown, characters that give orders to a
    terminal or a page are written out.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        cells = [[printable(cell) for cell in row] for row in (self.columns, *self.rows)]
        widths = [max(len(row[j]) for row in cells) for j in range(len(self.columns))]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
        lines.insert(1, "  ".join("─" * w for w in widths))
        caption = printable(self.caption)
        return "\n".join([caption, *(line.rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(c)}</th>" for c in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in self.rows
        )
        return (
            f"<table><caption>{escape(self.caption)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


class ShownAsTable:
    """What is shown by its table, in a terminal and in a notebook."""

    __slots__ = ()

    @abstractmethod
    def table(self) -> Table:
        """Return the table."""
        raise NotImplementedError

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
