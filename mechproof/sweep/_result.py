"""What a sweep found: a row a cell, as text, CSV, data frames and heat maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from mechproof.sweep._grid import Grid, Scalar
from mechproof.sweep._heat_map import HeatMap, heat_map_of
from mechproof.sweep._tables import (
    Columns,
    as_csv,
    as_pandas,
    as_polars,
    as_table,
    column_of,
    columns_of,
    is_brief,
    shortened,
)
from theory.verdicts import Table

__all__ = ["CellResult", "SweepResult"]

_ENDS: Final = 10
_SHOWN_ERRORS: Final = 5


@dataclass(frozen=True)
class CellResult:
    """What came of one cell.

    Attributes
    ----------
    cell : mapping of str to scalar
        The arguments of the check.
    values : mapping of str to scalar, or None
        What the check returned; None where it raised.
    error : str
        What it raised, and where; empty where it did not.
    """

    cell: Mapping[str, Scalar]
    values: Mapping[str, Scalar] | None
    error: str = ""


@dataclass(frozen=True)
class SweepResult:
    """What came of every cell of a grid, in grid order.

    It does not depend on how many processes there were, which executor, in which order cells were
    run, or whether the sweep was interrupted and gone on with.

    Attributes
    ----------
    grid : Grid
    rows : tuple of CellResult
        One a cell, in grid order; of an unfinished sweep only those that were run.
    check : str
        What was run.
    """

    grid: Grid
    rows: tuple[CellResult, ...]
    check: str = ""

    @property
    def errors(self) -> tuple[CellResult, ...]:
        """The cells in which the check raised, or its process died."""
        return tuple(row for row in self.rows if row.error)

    @property
    def axes(self) -> dict[str, tuple[Scalar, ...]]:
        """Each axis with its values, in the order in which they first appear in the grid."""
        seen: dict[str, dict[tuple[bool, Scalar], Scalar]] = {n: {} for n in self.grid.names}
        for cell in self.grid:
            for name, value in cell.items():
                seen[name].setdefault((isinstance(value, bool), value), value)
        return {name: tuple(values.values()) for name, values in seen.items()}

    def column(self, name: str) -> tuple[Scalar, ...]:
        """Return an axis, a value, or "error", for all rows.

        None stands where the check raised or gave no value of this name.

        Raises
        ------
        UnknownNameError
            For a name that there is not.
        """
        return column_of(self._columns(), name)

    def table(self) -> Table:
        """Return all rows as text, with numbers written exactly."""
        columns = self._columns()
        if not self.errors:
            del columns["error"]
        return as_table(columns, self._caption())

    def to_csv(self) -> str:
        """Return all rows as comma-separated values, with numbers written exactly.

        Fractions are written as 1/3, None as nothing; the last column is the error.
        """
        return as_csv(self._columns())

    def to_pandas(self, *, exact: bool = True) -> Any:
        """Return all rows as a pandas ``DataFrame``.

        Integers, floats, truth values and text have columns of their kind, with missing values
        where the check raised. Columns with fractions have the kind ``object`` and hold
        ``fractions.Fraction``, so that sums and comparisons stay exact; with ``exact=False`` they
        are float64.

        Raises
        ------
        InvalidInputError
            Where pandas is not installed: ``pip install 'mechproof[pandas]'``.
        """
        return as_pandas(self._columns(), exact=exact)

    def to_polars(self, *, exact: bool = True) -> Any:
        """Return all rows as a polars ``DataFrame``.

        As ``to_pandas``, but polars has no exact fractions: their columns are text, such as 1/3;
        with ``exact=False`` they are float64.

        Raises
        ------
        InvalidInputError
            Where polars is not installed: ``pip install 'mechproof[polars]'``.
        """
        return as_polars(self._columns(), exact=exact)

    def heat_map(
        self, x: str, y: str, value: str, where: Mapping[str, Scalar] | None = None
    ) -> HeatMap:
        """Return a value over two axes; ``print`` it, or ``draw`` it to a file.

        Axes other than ``x`` and ``y`` that have more than one value are fixed by ``where``.

        Raises
        ------
        InvalidInputError
            For an axis that is neither shown nor fixed, or fixed at what it has not; for a value
            that is text.
        UnknownNameError
            For a name that there is not.
        """
        return heat_map_of(
            self.rows, self.axes, x=x, y=y, value=value, where=where, check=self.check
        )

    def __str__(self) -> str:
        return "\n".join([str(self._shown()), *self._notes()])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(line)}</p>" for line in self._notes())
        return self._shown()._repr_html_() + notes

    def _columns(self) -> Columns:
        return columns_of(self.grid.names, self.rows)

    def _shown(self) -> Table:
        """Return the first and the last rows; long text and what is the same everywhere is left out."""
        same: dict[str, Scalar] = {}
        if len(self.grid) > 1:
            same = {name: values[0] for name, values in self.axes.items() if len(values) == 1}
        columns = {n: c for n, c in self._columns().items() if n not in same and is_brief(c)}
        columns.pop("error", None)
        fixed = "".join(f", {name} = {value}" for name, value in same.items())
        return shortened(as_table(columns, self._caption() + fixed), _ENDS)

    def _caption(self) -> str:
        done, total = len(self.rows), len(self.grid)
        cells = f"{total:,} {'cell' if total == 1 else 'cells'}"
        if done < total:
            cells = f"{done:,} of {cells}"
        of = f"{self.check}: " if self.check else ""
        failed = f", {len(self.errors):,} with an error" if self.errors else ""
        return f"{of}{cells}{failed}"

    def _notes(self) -> list[str]:
        """Return what is not shown, and a line for each of the first cells with an error."""
        columns = self._columns()
        del columns["error"]
        long = [name for name, column in columns.items() if not is_brief(column)]
        lines = [f"not shown, but in table(): {', '.join(long)}"] if long else []
        for row in self.errors[:_SHOWN_ERRORS]:
            cell = ", ".join(f"{name} = {value}" for name, value in row.cell.items())
            lines.append(f"error at {cell}: {row.error}")
        if len(self.errors) > _SHOWN_ERRORS:
            lines.append(f"and {len(self.errors) - _SHOWN_ERRORS:,} more in result.errors")
        return lines
