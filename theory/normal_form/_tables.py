"""A normal-form game as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, product
from typing import Final

from theory.verdicts import Table

__all__ = ["bimatrix_table", "profile_table", "profile_text"]

_ROWS: Final = 24
_COLUMNS: Final = 12


def profile_text(profile: Sequence[str]) -> str:
    """Write a profile of actions; a single action stands for itself."""
    return profile[0] if len(profile) == 1 else f"({', '.join(profile)})"


def bimatrix_table(
    caption: str, rows: Sequence[str], columns: Sequence[str], cell: Callable[[int, int], str]
) -> Table:
    """Return a table of a two-player game; what is too large to read is cut."""
    shown = [[cell(i, j) for j in range(len(columns[:_COLUMNS]))] for i in range(len(rows[:_ROWS]))]
    wide, long = len(columns) > _COLUMNS, len(rows) > _ROWS
    body = [
        (name, *cells, *(["…"] if wide else []))
        for name, cells in zip(rows[:_ROWS], shown, strict=True)
    ]
    if long:
        body.append(("…", *([""] * (len(body[0]) - 1))))
    head = ("", *columns[:_COLUMNS], *(["…"] if wide else []))
    cut = f"; {len(rows)} x {len(columns)} in all" if wide or long else ""
    return Table(caption=caption + cut, columns=head, rows=tuple(body))


def profile_table(
    caption: str,
    players: Sequence[str],
    actions: Sequence[Sequence[str]],
    cell: Callable[[int], Sequence[str]],
) -> Table:
    """Return a table with a row for each profile, the first ones where there are many."""
    rows = [(*profile, *cell(k)) for k, profile in enumerate(islice(product(*actions), _ROWS + 1))]
    if len(rows) > _ROWS:
        rows[_ROWS] = ("…", *([""] * (len(rows[0]) - 1)))
    return Table(
        caption=caption, columns=(*players, *(f"pays {p}" for p in players)), rows=tuple(rows)
    )
