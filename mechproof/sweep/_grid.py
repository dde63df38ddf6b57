"""A grid: the cells of a sweep, each a choice of one value for every axis."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from keyword import iskeyword
from types import MappingProxyType
from typing import Any, Final, NoReturn, overload

from mechproof.sweep._scalars import Scalar, dump_scalar, scalar
from theory.errors import InvalidInputError, LimitError
from theory.shared.arguments import refusing
from theory.shared.printable import printed_line
from theory.shared.text import count_text

__all__ = ["MAX_CELLS", "Cell", "Grid", "check_cells", "digest_work"]

Cell = dict[str, Scalar]

MAX_CELLS: Final = 10_000_000
"""The most cells of a grid."""
_MAX_WRITTEN: Final = 1 << 31
"""The most characters that all cells of a grid may take, each written out."""


@refusing
class Grid(Sequence[Cell]):
    r"""The cells of a sweep, in a fixed order: the product of axes, or a list of one's own.

    A product :math:`X_1 \times \dots \times X_k` runs through the last axis fastest. Cells are made
    when they are asked for, so that a large product costs no memory.

    Parameters
    ----------
    axes : mapping from name to iterable of scalars
        The values of each parameter. A scalar is an ``int``, ``Fraction``, ``Decimal``, ``float``,
        ``str``, ``bool`` or None; scalars of NumPy are taken as what they hold.

    Raises
    ------
    InvalidInputError
        For an axis without values or with two that are equal (1 and 1.0 are), for a value that is
        no scalar or not a number, for values without an order (a set), and for a name that cannot
        name an argument.
    LimitError
        For more than ``MAX_CELLS`` cells, or values that do not end.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from mechproof.sweep import Grid
    >>> grid = Grid({"agents": [2, 3], "reserve": [Fraction(0), Fraction(1, 2)]})
    >>> len(grid), grid[3]
    (4, {'agents': 3, 'reserve': Fraction(1, 2)})
    >>> Grid.of([{"agents": 2, "reserve": 0}, {"agents": 3, "reserve": 1}])
    Grid of 2 cells: agents, reserve
    """

    __slots__ = ("_listed", "axes", "names")

    axes: Mapping[str, tuple[Scalar, ...]]
    """The values of each name, in the order in which the cells come to them."""
    names: tuple[str, ...]

    def __init__(self, axes: Mapping[str, Iterable[Any]]) -> None:
        if not isinstance(axes, Mapping):
            fix = "give a mapping from names to values, or use Grid.of for a list of cells"
            raise InvalidInputError("axes", axes, "is no mapping", fix)
        self.names = _names(axes, "axes")
        self.axes = MappingProxyType({name: _values(name, axes[name]) for name in self.names})
        self._listed: tuple[tuple[Scalar, ...], ...] | None = None
        check_cells(map(len, self.axes.values()))

    @classmethod
    def of(cls, cells: Iterable[Mapping[str, Any]]) -> Grid:
        """Return the grid of these cells, in this order.

        Parameters
        ----------
        cells : iterable of mappings from name to scalar
            All with the same names.

        Raises
        ------
        InvalidInputError
            When there is none, two are equal, or one has other names than the first or holds what
            is no scalar; the message names the cell.
        LimitError
            For more than ``MAX_CELLS`` cells.
        """
        if isinstance(cells, Mapping | str | bytes | Set) or not isinstance(cells, Iterable):
            fix = "give a list of mappings from names to scalars"
            raise InvalidInputError("cells", cells, "is no list of cells", fix)
        names: tuple[str, ...] = ()
        seen: dict[tuple[Scalar, ...], int] = {}
        for i, cell in enumerate(cells):
            if i == MAX_CELLS:
                _too_many("cells", f"are more than {MAX_CELLS:,}")
            if not isinstance(cell, Mapping):
                fix = "give a mapping from names to scalars"
                raise InvalidInputError(f"cell {i}", cell, "is no mapping", fix)
            names = names or _names(cell, f"cell {i}")
            if set(cell) != set(names):
                fix = f"give it the names of cell 0: {', '.join(names)}"
                raise InvalidInputError(f"cell {i}", cell, "has other names than cell 0", fix)
            values = tuple(_value(f"cell {i}", name, cell[name]) for name in names)
            if values in seen:
                problem = f"is equal to cell {seen[values]}"
                raise InvalidInputError(f"cell {i}", dict(cell), problem, "give each cell once")
            seen[values] = i
        if not seen:
            raise InvalidInputError("cells", [], "are none", "give at least one cell")
        grid = cls.__new__(cls)
        grid.names = names
        grid._listed = tuple(seen)
        columns = zip(*grid._listed, strict=True)
        axes = {k: tuple(dict.fromkeys(v)) for k, v in zip(names, columns, strict=True)}
        grid.axes = MappingProxyType(axes)
        return grid

    @property
    def is_product(self) -> bool:
        """Whether it was given by its axes, not as a list of cells."""
        return self._listed is None

    def __len__(self) -> int:
        if self._listed is not None:
            return len(self._listed)
        return math.prod(map(len, self.axes.values()))

    def values_at(self, index: int) -> tuple[Scalar, ...]:
        """Return the values of a cell in the order of the names."""
        if not 0 <= index < len(self):
            raise IndexError(f"there is no cell {index}: the grid has {len(self)}")
        if self._listed is not None:
            return self._listed[index]
        found = []
        for values in reversed(tuple(self.axes.values())):
            index, place = divmod(index, len(values))
            found.append(values[place])
        return tuple(reversed(found))

    @overload
    def __getitem__(self, index: int) -> Cell: ...
    @overload
    def __getitem__(self, index: slice) -> list[Cell]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        return dict(zip(self.names, self.values_at(place), strict=True))

    def __iter__(self) -> Iterator[Cell]:
        return (self[i] for i in range(len(self)))

    @property
    def digest(self) -> str:
        """A fingerprint of the cells and their order: SHA-256.

        Raises
        ------
        LimitError
            For cells that take more than 2,147,483,648 characters, each written out.
        """
        found = hashlib.sha256(",".join(self.names).encode() + b"\n")
        cells: Iterable[Iterable[str]]
        if self._listed is None:
            axes = [[dump_scalar(v) for v in a] for a in self.axes.values()]
            if sum(len(self) // len(a) * sum(map(len, a)) for a in axes) > _MAX_WRITTEN:
                problem = f"make cells of more than {_MAX_WRITTEN:,} characters"
                raise LimitError("axes", f"{len(self):,} cells", problem, "give shorter values")
            cells = itertools.product(*axes)
        else:
            cells = (map(dump_scalar, values) for values in self._listed)
        for cell in cells:
            found.update(",".join(cell).encode() + b"\n")
        return found.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grid):
            return NotImplemented
        return self is other or (len(self) == len(other) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash((self.names, len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (dict(self.axes), None if self._listed is None else [*self]))

    @printed_line
    def __repr__(self) -> str:
        if self._listed is None:
            axes = " x ".join(f"{name} ({len(values):,})" for name, values in self.axes.items())
        else:
            axes = ", ".join(self.names)
        return f"Grid of {len(self):,} cell{'s' if len(self) > 1 else ''}: {axes}"


def check_cells(lengths: Iterable[int]) -> None:
    """Refuse axes of these lengths where their product has too many cells.

    Raises
    ------
    LimitError
        For more than ``MAX_CELLS``.
    """
    cells = math.prod(lengths)  # may be more than len() can say
    if cells > MAX_CELLS:
        _too_many("axes", f"make {count_text(cells)} cells")


def digest_work(grid: Grid) -> int:
    """Return how long the digest of a product takes: names and characters / 100 of all cells.

    A list is as long as what it was read from; its work is 0.
    """
    if not grid.is_product:
        return 0
    sizes = [
        (len(values), sum(len(dump_scalar(v)) for v in values)) for values in grid.axes.values()
    ]
    characters = sum(len(grid) // count * length for count, length in sizes)
    return len(grid) * len(sizes) + characters // 100


def _again(axes: dict[str, Any], cells: list[Cell] | None) -> Grid:
    return Grid(axes) if cells is None else Grid.of(cells)


def _names(given: Mapping[Any, Any], argument: str) -> tuple[str, ...]:
    if not given:
        raise InvalidInputError(argument, dict(given), "is empty", "name at least one axis")
    for name in given:
        if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
            fix = "name it as an argument of the check is named: letters, digits and _"
            raise InvalidInputError(argument, name, "is no name of an axis", fix)
    return tuple(map(str.__str__, given))


def _values(name: str, given: Any) -> tuple[Scalar, ...]:
    axis = f"axis {name}"
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InvalidInputError(axis, given, "is no list of values", "give a list or tuple")
    if isinstance(given, Set) and not isinstance(given, Sequence):
        fix = "sort it: a sweep is resumed only with its cells in the same order"
        raise InvalidInputError(axis, given, "has no order", fix)
    if isinstance(given, range) and given[MAX_CELLS:]:
        _too_many(axis, f"has more than {MAX_CELLS:,} values")
    seen: dict[Scalar, int] = {}
    for i, value in enumerate(itertools.islice(given, MAX_CELLS + 1)):
        if i == MAX_CELLS:
            _too_many(axis, f"has more than {MAX_CELLS:,} values")
        plain = _value(axis, f"value {i}", value)
        if plain in seen:
            problem = f"has value {i} twice: it is equal to value {seen[plain]}"
            raise InvalidInputError(axis, value, problem, "give each value once")
        seen[plain] = i
    if not seen:
        raise InvalidInputError(axis, given, "has no values", "give at least one")
    return tuple(seen)


def _value(argument: str, place: str, given: object) -> Scalar:
    try:
        value = scalar(given)
    except TypeError as error:
        fix = "give an int, Fraction, Decimal, float, str, bool or None"
        raise InvalidInputError(f"{argument}, {place},", given, str(error), fix) from error
    if (isinstance(value, Decimal) and value.is_nan()) or value != value:  # noqa: PLR0124 - NaN
        fix = "leave it out, or use None"
        raise InvalidInputError(f"{argument}, {place},", given, "is not a number", fix)
    return value


def _too_many(argument: str, problem: str) -> NoReturn:
    fix = f"give at most {MAX_CELLS:,}, in several sweeps"
    raise LimitError(argument, MAX_CELLS, problem, fix)
