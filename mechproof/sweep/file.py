"""Sweep files: a check by name, what it is swept over, and how to draw what comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mechproof.object_by_name import load_named
from mechproof.problems.format.reading import (
    MAX_BYTES,
    DocumentError,
    WrittenNumber,
    child,
    decode_text,
    locate_errors,
    read_json,
    read_toml,
    refuse_endless,
)
from mechproof.problems.format.typed import Record, convert_document
from mechproof.problems.shared.counting import by_length, check_count
from mechproof.sweep._allowed_functions import Permitted
from mechproof.sweep._grid import Grid, check_cells
from mechproof.sweep.heat_map import chosen_axes
from mechproof.unknown_names import unknown_name
from theory.errors import InvalidInputError, LimitError
from theory.numbers import rational

__all__ = ["EXAMPLE", "Plot", "SweepFile", "load_check", "read_sweep"]

_MOST_STEPS: Final = 1_000_000

Value = int | Fraction | float | str | bool


class Plot(Record, frozen=True, kw_only=True):
    """Which value a heat map shows over which two axes, and what others are fixed at."""

    x: str
    y: str
    value: str
    where: dict[str, Any] = msgspec.field(default_factory=dict)


class _Steps(Record, frozen=True, kw_only=True, rename={"start": "from"}):
    """An axis in equal steps: from, from + by, …, as far as to."""

    start: Fraction
    to: Fraction
    by: Fraction

    @property
    def count(self) -> int:
        """How many values there are."""
        return (self.to - self.start) // self.by + 1

    @property
    def values(self) -> list[int | Fraction]:
        """All of them."""
        common = lcm(self.start.denominator, self.by.denominator)
        first, step = int(self.start * common), int(self.by * common)
        return [_simplify(Fraction(first + k * step, common)) for k in range(self.count)]


class _Written(Record, frozen=True, kw_only=True):
    """A sweep file as it is written."""

    check: str
    axes: Annotated[dict[str, Any], Meta(min_length=1)]
    constants: dict[str, Any] = msgspec.field(default_factory=dict)
    floats: tuple[str, ...] = ()
    plot: Plot | UnsetType = UNSET


@dataclass(frozen=True)
class SweepFile:
    """What a sweep file asks for.

    Attributes
    ----------
    check : str
        ``module:function``.
    grid : Grid
        Constants are axes of one value, so that a results file knows them.
    plot : Plot or None
    """

    check: str
    grid: Grid
    plot: Plot | None


def read_sweep(path: Path) -> SweepFile:
    """Read a sweep file: TOML, or JSON where its name ends with .json.

    Decimals are read as written, 0.1 as 1/10; text of the form "p/q" is a fraction. Those of the
    axes and constants that ``floats`` lists become float64.

    Raises
    ------
    DocumentError
        When it cannot be read, or is no sweep; the message names the path in it, or the line.
    """
    try:
        refuse_endless(path)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise DocumentError(f"cannot be read ({error.strerror})") from error
    text = decode_text(data)
    document = read_json(text) if path.suffix.lower() == ".json" else read_toml(text)
    if not isinstance(document, dict):
        raise DocumentError("is not a table of the fields of a sweep", path="$")
    written = convert_document(document, _Written)
    known = [*written.axes, *written.constants]
    for k, name in enumerate(written.floats):
        if name not in known:
            wrong = str(unknown_name("float", name, known))
            raise DocumentError(wrong, path=child("$.floats", k))
    axes = _axes(written.axes)
    for name, given in written.constants.items():
        place = child("$.constants", name)
        if name in axes:
            raise DocumentError("is an axis, too: leave out one of the two", path=place)
        axes[name] = [_value(given, place)]
    for name in written.floats:
        section = "$.constants" if name in written.constants else "$.axes"
        with locate_errors(child(section, name)):
            axes[name] = [_float(value, name) for value in axes[name]]
    with locate_errors("$.axes"):
        grid = Grid(axes)
    plot = None if isinstance(written.plot, UnsetType) else _plot(written.plot, grid.axes)
    return SweepFile(written.check, grid, plot)


def load_check(name: str, packages: Iterable[str] = ()) -> Callable[..., Any]:
    """Return the function of ``module:function``, where a file may name it.

    It may where the function is defined in a file ``module.py`` of the current folder (not that of
    the sweep file), in ``theory``, ``mechanisms`` or ``mechproof.sweep.examples``, or in one of
    ``packages``. Packages in the current folder are none of its modules, nor is what is beside
    mechproof itself. No part of the name begins with ``_``. A module that may not be named is not
    imported.

    Raises
    ------
    InvalidInputError
        When the name has another form, the module does not import, what is named is no function, or
        one that a file may not name; when ``packages`` has what is no package, or is of the
        standard library.
    UnknownNameError
        When the module has nothing of that name.
    """
    found = load_named(name, "check", "a function", Permitted(packages))
    if not callable(found):
        raise InvalidInputError("check", name, "cannot be called", "name a function")
    check: Callable[..., Any] = found
    return check


def _axes(given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the values of all axes, counted before there are any."""
    read = {name: _axis(axis, child("$.axes", name)) for name, axis in given.items()}
    with locate_errors("$.axes"):
        check_cells(
            axis.count if isinstance(axis, _Steps) else max(1, len(axis)) for axis in read.values()
        )
    return {name: axis.values if isinstance(axis, _Steps) else axis for name, axis in read.items()}


def _axis(given: Any, path: str) -> list[Any] | _Steps:
    if isinstance(given, dict):
        return _steps(given, path)
    if not isinstance(given, list):
        fix = "give a list of values, or { from = …, to = …, by = … }"
        raise DocumentError(f"is no axis: {fix}", path=path)
    return [_value(value, child(path, k)) for k, value in enumerate(given)]


def _steps(given: dict[str, Any], path: str) -> _Steps:
    try:
        steps = convert_document(given, _Steps)
    except DocumentError as error:
        place = path + (error.path or "$").removeprefix("$")
        raise DocumentError(error.message, path=place) from error
    with locate_errors(path):
        if steps.by <= 0:
            fix = "give a step above 0"
            raise InvalidInputError("by", steps.by, "is no step", fix)
        if steps.count < 1:
            raise InvalidInputError("to", steps.to, "is below from", "give the higher end")
        if steps.count > _MOST_STEPS:
            fix = f"at most {_MOST_STEPS:,}: give a larger by"
            raise LimitError("axis", steps.count, "has too many values", fix)
    ends = (steps.start, steps.by, steps.to)
    bits = sum(max(map(int.bit_length, end.as_integer_ratio())) for end in ends)
    what, fix = "values, by their length", "give a larger by, or round from and by"
    check_count(path, what, by_length(steps.count, bits), _MOST_STEPS, fix)
    return steps


def _value(given: Any, path: str) -> Any:
    """Return a scalar as it is meant: decimals and text p/q as exact numbers."""
    with locate_errors(path):
        if isinstance(given, WrittenNumber):
            return _simplify(rational(given.text))
        if isinstance(given, str):
            return _simplify(rational(given)) if _is_fraction(given) else given
    if given is None or isinstance(given, bool | int):
        return given
    wrong = f"is a {type(given).__name__}: give a number, text, true or false"
    raise DocumentError(wrong, path=path)


def _is_fraction(text: str) -> bool:
    over, slash, under = text.partition("/")
    return bool(slash) and over.lstrip("+-").isdecimal() and under.isdecimal() and text.isascii()


def _simplify(number: Fraction) -> int | Fraction:
    return number.numerator if number.denominator == 1 else number


def _float(value: Any, name: str) -> float:
    if isinstance(value, bool | str) or value is None:
        fix = "take it from floats"
        raise InvalidInputError(name, value, "is no number that could be a float", fix)
    try:
        return float(value)
    except OverflowError as error:
        fix = "give one below 10^308"
        raise InvalidInputError(name, value, "is too large for a float", fix) from error


def _plot(plot: Plot, axes: Mapping[str, tuple[Any, ...]]) -> Plot:
    for field in ("x", "y"):
        name = getattr(plot, field)
        if name not in axes:
            raise DocumentError(str(unknown_name(field, name, axes)), path=f"$.plot.{field}")
    where = {}
    for name, given in plot.where.items():
        place = child("$.plot.where", name)
        value = _value(given, place)
        if name not in axes:
            raise DocumentError(str(unknown_name("axis", name, axes)), path=place)
        is_float = isinstance(axes[name][0], float)
        with locate_errors(place):
            where[name] = _float(value, name) if is_float else value
    with locate_errors("$.plot"):
        chosen_axes(axes, plot.x, plot.y, where)
    return msgspec.structs.replace(plot, where=where)


EXAMPLE: Final = """\
# The incentive slack of auctions of one item over the reserve price and the number of bidders: what
# an agent loses by its best lie. Below 0 the lie pays.
#
#   mechproof example sweep > sweep.toml
#   mechproof sweep sweep.toml --results slack.jsonl --csv slack.csv --plot slack.png
#
# The same command goes on where it was stopped.

# The function that is called in every cell with the axes and constants as arguments; yours may
# stand in a file module.py of the folder where the command is run. It returns a number, names with
# values, or a report. Functions of packages need the option --allow-package NAME.
check = "mechproof.sweep.examples:auction"

# Axes and constants that the check wants as float64; all other numbers are exact.
# floats = ["rate"]

# Every combination is a cell. 0.1 is 1/10, and "1/3" a fraction. An axis is a list of values, or
# goes from here to there in equal steps.
[axes]
bidders = [1, 2, 3]
reserve = { from = 0, to = 3, by = 0.5 }
share = [0, "1/2", 1]

# What is the same in all cells.
[constants]
top = 3

# The picture of --plot. Axes that it does not show are fixed.
[plot]
x = "reserve"
y = "bidders"
value = "bic.slack"
where = { share = 1 }
"""
