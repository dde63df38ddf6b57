"""A value over two axes of a sweep: a grid of numbers that prints, and that becomes a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isinf, isnan
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from mechproof.unknown_names import unknown_name
from theory.errors import InvalidInputError
from theory.verdicts import Table

if TYPE_CHECKING:
    from mechproof.sweep._result import CellResult

__all__ = ["FAILED", "MISSING", "NO_VALUE", "HeatMap", "chosen_axes", "heat_map_of", "short"]

FAILED: Final = "failed"
NO_VALUE: Final = "no value"
MISSING: Final = "not run"
_MARKS: Final = {FAILED: "error", NO_VALUE: "none", MISSING: ""}
_DIGITS: Final = 8
_SHOWN: Final = 12

Number = int | Fraction | Decimal | float


@dataclass(frozen=True)
class HeatMap:
    r"""A value over two axes.

    Attributes
    ----------
    x, y, value : str
        The axes across and upwards, and what is shown.
    columns, rows : tuple
        The values of the two axes: numbers ascending, others as they come.
    cells : tuple of tuples
        A number for each row and column; or "failed" where the check raised, "no value" where the
        check gave none of this name, or None, or a NaN; "not run" where the sweep has no such cell.
    where : tuple of pairs
        The other axes, and the values at which they are fixed.
    check : str
        What was run in each cell.

    Examples
    --------
    >>> shown = HeatMap("x", "y", "slack", (0, 1), (1, 2), ((0, -1), (Fraction(1, 3), "failed")))
    >>> print(shown)
    slack
    y \ x  0    1
    ─────  ───  ─────
    1      0    -1
    2      1/3  error
    """

    x: str
    y: str
    value: str
    columns: tuple[Any, ...]
    rows: tuple[Any, ...]
    cells: tuple[tuple[Any, ...], ...]
    where: tuple[tuple[str, Any], ...] = ()
    check: str = ""

    @property
    def title(self) -> str:
        """What is shown, of which check, and at which values of the other axes."""
        fixed = ", ".join(f"{name} = {write_scalar(value)}" for name, value in self.where)
        of = f"{self.value} of {self.check}" if self.check else self.value
        return f"{of}, {fixed}" if fixed else of

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers of the cells that have one."""
        return tuple(cell for row in self.cells for cell in row if not isinstance(cell, str))

    @property
    def is_slack(self) -> bool:
        """Whether what is shown is called slack, as in ``dsic.slack``."""
        return self.value.rpartition(".")[2] == "slack"

    @property
    def about_zero(self) -> bool:
        """Whether it matters on which side of 0 a number lies: it is a slack, or some are below."""
        return self.is_slack or any(v < 0 for v in self.numbers)

    def count(self, mark: str) -> int:
        """Return how many cells are "failed", have "no value", or were "not run"."""
        return sum(cell == mark for row in self.cells for cell in row if isinstance(cell, str))

    def draw(self, path: str | PathLike[str]) -> None:
        """Draw it to a file whose name ends with .svg or .png.

        Where it matters on which side of 0 a number lies, colours diverge about 0, orange below and
        blue above, both scaled alike. Numbers stand in the cells of small maps, exactly where that
        is short. Cells without a number are hatched.

        Raises
        ------
        InvalidInputError
            For another ending, or a file that cannot be written.
        """
        from mechproof.report.heat_map import draw_heat_map

        draw_heat_map(self, path)

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        from mechproof.report.heat_map import heat_map_svg

        return heat_map_svg(self)

    def _table(self) -> Table:
        return Table(
            caption=self.title,
            columns=(f"{self.y} \\ {self.x}", *map(write_scalar, self.columns)),
            rows=tuple(
                (write_scalar(name), *(_MARKS[c] if isinstance(c, str) else short(c) for c in row))
                for name, row in zip(self.rows, self.cells, strict=True)
            ),
        )


def short(number: Number) -> str:
    """Return a number exactly where that takes at most eight characters, else in four digits.

    Examples
    --------
    >>> short(Fraction(1, 3)), short(Fraction(123_456_789, 10**9)), short(0.1 + 0.2)
    ('1/3', '0.1235', '0.3')
    """
    if not isinstance(number, float):
        text = write_scalar(number)
        if len(text) <= _DIGITS:
            return text
    nearest = as_float(number)
    if isinf(nearest) and isinstance(number, int | Fraction):
        above, below = number.as_integer_ratio()
        return f"{Decimal(above) / Decimal(below):.3e}"
    return f"{nearest:.4g}"


def write_scalar(value: Any) -> str:
    r"""Return a scalar as text, exactly.

    Numbers of more than 4,300 digits are written in base 16, halves of surrogate pairs, which UTF-8
    has no word for, as in ``\ud800``.
    """
    try:
        return str(value).encode(errors="backslashreplace").decode()
    except ValueError:
        whole = Fraction(value)
        return f"{hex(whole.numerator)}" + f"/{hex(whole.denominator)}" * (whole.denominator != 1)


def as_float(number: Number) -> float:
    """Return the nearest float64, which is infinite for what is too large."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def chosen_axes(
    axes: Mapping[str, Sequence[Any]], x: Any, y: Any, where: Any = None
) -> dict[str, Any]:
    """Return the values at which all axes but ``x`` and ``y`` are fixed.

    An axis of one value needs no ``where``.

    Raises
    ------
    InvalidInputError
        For an axis that is not fixed, one that is fixed and shown, or a value that it has not.
    UnknownNameError
        For a name that is no axis.
    """
    where = {} if where is None else where
    if not isinstance(where, Mapping):
        fix = "give a mapping of axes to values"
        raise InvalidInputError("where", where, "is no mapping", fix)
    for argument, name in (("x", x), ("y", y), *(("where", name) for name in where)):
        if not isinstance(name, str) or name not in axes:
            raise unknown_name(argument, str(name), axes)
    if x == y:
        raise InvalidInputError("y", y, "is x, too", "give another axis")
    fixed = {}
    for name, values in axes.items():
        if name in (x, y):
            if name in where:
                raise InvalidInputError("where", name, "is shown", "leave it out of where")
            continue
        if name not in where and len(values) > 1:
            known = _list_values(values)
            fix = f"say at which value to fix it: where={{{name!r}: …}}, one of {known}"
            raise InvalidInputError("where", name, "is neither shown nor fixed", fix)
        wanted = where.get(name, values[0])
        if wanted not in values:
            fix = f"known are {_list_values(values)}"
            raise InvalidInputError(f"where[{name!r}]", wanted, "is no value of this axis", fix)
        fixed[name] = values[values.index(wanted)]
    return fixed


def heat_map_of(
    rows: Sequence[CellResult],
    axes: Mapping[str, Sequence[Any]],
    *,
    x: Any,
    y: Any,
    value: Any,
    where: Any,
    check: str,
) -> HeatMap:
    """Return the heat map of a value over two axes.

    Raises
    ------
    InvalidInputError
        As ``chosen_axes``; and where the value is text in some cell.
    UnknownNameError
        For a value that no cell has.
    """
    fixed = chosen_axes(axes, x, y, where)
    known = dict.fromkeys(name for row in rows for name in row.values or ())
    if not isinstance(value, str) or value not in known:
        raise unknown_name("value", str(value), known)
    columns, lines = _order_values(axes[x]), _order_values(axes[y])
    across = {v: j for j, v in enumerate(columns)}
    upwards = {v: i for i, v in enumerate(lines)}
    cells: list[list[Any]] = [[MISSING] * len(columns) for _ in lines]
    for row in rows:
        if all(row.cell[name] == at for name, at in fixed.items()):
            i, j = upwards[row.cell[y]], across[row.cell[x]]
            cells[i][j] = _show_cell(row, value)
    single = {name for name, values in axes.items() if len(values) == 1}
    named = tuple((n, v) for n, v in fixed.items() if n not in single or (where and n in where))
    grid = tuple(map(tuple, cells))
    return HeatMap(x, y, value, columns, lines, grid, where=named, check=check)


def _show_cell(row: CellResult, value: str) -> Any:
    if row.values is None:
        return FAILED
    found = row.values.get(value)
    if isinstance(found, str):
        fix = "choose a value that is a number"
        raise InvalidInputError(value, found, f"is text in the cell {dict(row.cell)}", fix)
    if found is None or _is_nan(found):
        return NO_VALUE
    return int(found) if isinstance(found, bool) else found


def _is_nan(number: Number) -> bool:
    return (
        number.is_nan()
        if isinstance(number, Decimal)
        else isinstance(number, float) and isnan(number)
    )


def _order_values(values: Sequence[Any]) -> tuple[Any, ...]:
    numbers = all(isinstance(v, Number) and not isinstance(v, bool) for v in values)
    return tuple(sorted(values)) if numbers else tuple(values)


def _list_values(values: Sequence[Any]) -> str:
    shown = ", ".join(str(value) for value in values[:_SHOWN])
    return f"{shown}, …" if len(values) > _SHOWN else shown
