"""What a sweep found: a row a cell, as text, CSV, data frames and heat maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from mechproof.sweep._check_name import program
from mechproof.sweep._grid import Grid
from mechproof.sweep._scalars import Scalar
from mechproof.sweep._tables import (
    Columns,
    as_csv,
    as_pandas,
    as_polars,
    as_table,
    is_brief,
    shorten_table,
)
from mechproof.sweep.heat_map import HeatMap, heat_map_of, write_scalar
from theory.errors import UnknownNameError, nearest
from theory.shared.printable import escape, one_line, print_safely
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
        In the order of the grid; of a sweep that is not finished, those of the cells that were run.
    check : str
        What was run at each cell.
    seed : int
    """

    grid: Grid
    rows: tuple[CellResult, ...]
    check: str = ""
    seed: int = 0

    @property
    def complete(self) -> bool:
        """Whether every cell has been run."""
        return len(self.rows) == len(self.grid)

    @property
    def errors(self) -> tuple[CellResult, ...]:
        """The rows of the cells at which the check raised, or its process died."""
        return tuple(row for row in self.rows if row.values is None)

    @property
    def value_names(self) -> tuple[str, ...]:
        """The names of the values, in the order in which they first come."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.values or ()))

    def _values(self) -> Columns:
        """Return each value at every row, by its name, in one pass over all rows."""
        columns: dict[str, list[Scalar]] = {x: [None] * len(self.rows) for x in self.value_names}
        for place, row in enumerate(self.rows):
            for name, value in (row.values or {}).items():
                columns[name][place] = value
        return {name: tuple(column) for name, column in columns.items()}

    def column(self, name: str) -> tuple[Scalar, ...]:
        """Return a parameter or a value at every row; None where a row has no value.

        Raises
        ------
        UnknownNameError
            When no cell and no value has this name.
        """
        if name in self.grid.names:
            return tuple(row.cell[name] for row in self.rows)
        names = self.value_names
        if name not in names:
            known = (*self.grid.names, *names)
            raise UnknownNameError("column", name, "is unknown", nearest(name, known))
        return tuple((row.values or {}).get(name) for row in self.rows)

    def table(self) -> Table:
        """Return all rows as text, with numbers written exactly; errors last, where there are."""
        return as_table(self._columns(errors=bool(self.errors)), self._caption())

    def to_csv(self) -> str:
        """Return all rows as comma-separated values, with numbers written exactly.

        Fractions are written as 1/3, None as nothing. A text that a spreadsheet would take for a
        formula, such as ``=1+1``, has an apostrophe before it, and so has a text that begins with
        apostrophes before that: taking one away gives it back. The last column is the error; it is
        called ``raised``, ``raised_2`` and so on where a value has that name.
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
            Where pandas is not installed.
        """
        return as_pandas(self._columns(), exact=exact)

    def to_polars(self, *, exact: bool = True) -> Any:
        """Return all rows as a polars ``DataFrame``.

        As ``to_pandas``, but polars has no exact fractions: their columns are text, such as 1/3;
        with ``exact=False`` they are float64.

        Raises
        ------
        InvalidInputError
            Where polars is not installed.
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
            self.rows, self.grid.axes, x=x, y=y, value=value, where=where, check=self._name()
        )

    @print_safely
    def __str__(self) -> str:
        return "\n".join([str(self._make_table()), *self._notes()])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(line)}</p>" for line in self._notes())
        return self._make_table()._repr_html_() + notes

    def _columns(self, *, errors: bool = True) -> Columns:
        columns = {name: self.column(name) for name in self.grid.names} | self._values()
        if errors:
            name = next(n for n in _error_names() if n not in columns)
            columns[name] = tuple(row.error for row in self.rows)
        return columns

    def _name(self) -> str:
        """Return what was run, without the name of its module where that is what is being run."""
        return self.check.removeprefix(f"{program()}:")

    def _find_varied(self) -> Columns:
        """Return the columns without errors, axes of one value and values that are None."""
        columns = self._columns(errors=False)
        if len(self.grid) == 1:
            return columns
        axes = self.grid.axes
        return {
            name: column
            for name, column in columns.items()
            if (len(axes[name]) > 1 if name in axes else any(v is not None for v in column))
        }

    def _make_table(self) -> Table:
        """Return the first and the last rows; long text and what is the same everywhere is not."""
        columns = {name: column for name, column in self._find_varied().items() if is_brief(column)}
        same = {name: v[0] for name, v in self.grid.axes.items() if name not in self._find_varied()}
        fixed = "".join(f", {name} = {write_scalar(value)}" for name, value in same.items())
        return shorten_table(as_table(columns, self._caption() + fixed), _ENDS)

    def _caption(self) -> str:
        done, total = len(self.rows), len(self.grid)
        cells = f"{total:,} {'cell' if total == 1 else 'cells'}"
        if done < total:
            cells = f"{done:,} of {cells}"
        of = f"{self._name()}: " if self.check else ""
        failed = f", {len(self.errors):,} with an error" if self.errors else ""
        return f"{of}{cells}{failed}"

    def _notes(self) -> list[str]:
        """Return what is not shown, and a line for each of the first cells with an error."""
        varied = self._find_varied()
        long = [name for name, column in varied.items() if not is_brief(column)]
        lines = [f"not shown, but in table(): {', '.join(long)}"] if long else []
        for row in self.errors[:_SHOWN_ERRORS]:
            cell = ", ".join(f"{n} = {write_scalar(v)}" for n, v in row.cell.items() if n in varied)
            lines.append(f"error at {cell}: {row.error}")
        if len(self.errors) > _SHOWN_ERRORS:
            lines.append(f"and {len(self.errors) - _SHOWN_ERRORS:,} more in result.errors")
        return list(map(one_line, lines))


def _error_names() -> Iterator[str]:
    yield from ("error", "raised")
    for number in count(2):
        yield f"raised_{number}"
