"""The rows of a sweep as columns: as a table of text, as CSV, for pandas and for polars."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from typing import Any, Final
from unicodedata import normalize

from mechproof.sweep.heat_map import as_float, write_scalar
from theory.errors import InvalidInputError
from theory.shared.extras import install_command
from theory.shared.printable import printable
from theory.verdicts import Table

__all__ = [
    "Columns",
    "as_csv",
    "as_pandas",
    "as_polars",
    "as_table",
    "is_brief",
    "shorten_table",
]

Columns = dict[str, tuple[Any, ...]]

_LONG: Final = 40
_PIECE: Final = re.compile(r"[^;\t\n]+")
_BLANK: Final = r"\s'\"\u2800\u16fe4\U00013441\U00013442\U0001d159"  # letters and signs among them
_FORMULA: Final = re.compile(rf"[{_BLANK}]*[=+@\u2212-]")  # in the form NFKD, and printable
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(/[0-9]+|\.[0-9]+)?([eE][+-]?[0-9]+)?")
_INT64: Final = 2**63
_INTEGERS_OF_FLOATS: Final = 2**53


def as_table(columns: Columns, caption: str) -> Table:
    """Return the columns as text, with numbers written exactly."""
    rows = zip(*columns.values(), strict=True)
    return Table(
        caption=caption,
        columns=tuple(columns),
        rows=tuple(tuple(map(_text, row)) for row in rows),
    )


def shorten_table(table: Table, ends: int) -> Table:
    """Return a table of at most the first and last ``ends`` rows."""
    rows = table.rows
    if len(rows) > 2 * ends + 1:
        rows = (*rows[:ends], ("…",) * len(table.columns), *rows[-ends:])
    return Table(caption=table.caption, columns=table.columns, rows=rows)


def is_brief(column: tuple[Any, ...]) -> bool:
    """Whether no text of a column is long."""
    return all(len(value) <= _LONG for value in column if isinstance(value, str))


def as_csv(columns: Columns) -> str:
    """Return the columns as comma-separated values: numbers exactly, None as nothing.

    Texts are quoted and printable. One that a spreadsheet might take for a formula, blanks and
    signs of other widths included, has an apostrophe before it, also behind a semicolon, a tab or
    a line break, where a spreadsheet of another language begins a cell. So has one that begins so
    after apostrophes or quotation marks, and taking one away gives back every printable text.
    """
    rows = (tuple(columns), *zip(*columns.values(), strict=True))
    return "".join(",".join(map(_cell, row)) + "\n" for row in rows)


def as_pandas(columns: Columns, *, exact: bool) -> Any:
    """Return a pandas DataFrame; fractions stay objects, unless they are to be floats.

    Raises
    ------
    InvalidInputError
        Where pandas is not installed.
    """
    pandas = _package("pandas")
    series = {}
    for name, column in columns.items():
        kind, values = _type_column(column, exact=exact)
        missing = any(value is None for value in values)
        if kind == "int":
            dtype: Any = "Int64" if missing else "int64"
        elif kind == "bool":
            dtype = "boolean" if missing else "bool"
        else:
            dtype = {"float": "float64", "text": "string"}.get(kind, "object")
        series[name] = pandas.Series(values, dtype=dtype)
    return pandas.DataFrame(series)


def as_polars(columns: Columns, *, exact: bool) -> Any:
    """Return a polars DataFrame; fractions become text such as 1/3, unless they are to be floats.

    Raises
    ------
    InvalidInputError
        Where polars is not installed.
    """
    polars = _package("polars")
    types = {"int": polars.Int64, "bool": polars.Boolean, "float": polars.Float64}
    series = []
    for name, column in columns.items():
        kind, values = _type_column(column, exact=exact)
        if kind not in types:
            values = [None if value is None else _text(value) for value in values]
        series.append(polars.Series(name, values, dtype=types.get(kind, polars.String)))
    return polars.DataFrame(series)


def _type_column(column: tuple[Any, ...], *, exact: bool) -> tuple[str, Sequence[Any]]:
    """Return what kind of values a column has, and the values, as floats where they are to be."""
    kinds = {type(value) for value in column if value is not None}
    if kinds == {bool}:
        return "bool", column
    if kinds and kinds <= {str}:
        return "text", [None if value is None else write_scalar(value) for value in column]
    if kinds == {int} and all(v is None or -_INT64 <= v < _INT64 for v in column):
        return "int", column
    numbers = kinds and kinds <= {int, float, Fraction, Decimal}
    if numbers and (not exact or kinds == {float} or _keep_as_floats(column)):
        return "float", [None if value is None else as_float(value) for value in column]
    return "object", column


def _keep_as_floats(column: tuple[Any, ...]) -> bool:
    """Whether there are floats, and all others are integers that float64 has exactly."""
    return any(isinstance(value, float) for value in column) and all(
        value is None
        or isinstance(value, float)
        or (isinstance(value, int) and abs(value) <= _INTEGERS_OF_FLOATS)
        for value in column
    )


def _cell(value: Any) -> str:
    if not isinstance(value, str) or not value:
        return _text(value)
    return '"' + _PIECE.sub(_harmless, printable(value, lines=True)).replace('"', '""') + '"'


def _harmless(found: re.Match[str]) -> str:
    piece = found[0]
    formula = _FORMULA.match(normalize("NFKD", piece)) and not _NUMBER.fullmatch(piece)
    return f"'{piece}" if formula else piece


def _text(value: Any) -> str:
    return "" if value is None else write_scalar(value)


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name == name
        problem = "is not installed" if absent else f"does not load ({error})"
        raise InvalidInputError("package", name, problem, install_command(name)) from error
