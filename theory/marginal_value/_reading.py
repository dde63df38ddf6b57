"""The items, utilities and prices of a marginal-value game, read from what a user writes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, LimitError, ShapeError, UnknownNameError, nearest
from theory.marginal_value._moves import Family, Moves, MoveSet
from theory.marginal_value._prices import Prices
from theory.marginal_value._sets import Names, mask_of, names_of, set_text
from theory.numbers import Numbers, as_numbers
from theory.probability import check_names
from theory.shared.arguments import read_tuple
from theory.shared.shapes import Int64

__all__ = ["MAX_CELLS", "Utilities", "items_of", "named_moves", "prices_of", "table_of"]

MAX_CELLS: Final = 1 << 26
"""How many utilities, actions x revealed sets, are held at once."""

Row = Sequence[object] | Mapping[Any, object] | np.ndarray
"""The judge's expected utility of each action: in their order, or by action."""

Utilities = (
    Mapping[Any, Row] | Callable[[frozenset[str]], Row] | Sequence[Any] | np.ndarray | Numbers
)


def items_of(items: Iterable[str]) -> Names:
    """Return the names of the items, each of them once."""
    names = read_tuple("items", items)
    if not all(isinstance(name, str) for name in names):
        raise InvalidInputError("items", names, "are not all text", "name each item")
    if not names:
        raise InvalidInputError("items", names, "is empty", "give at least one item")
    check_names("items", names)
    if len(names) > 40:
        raise LimitError("items", len(names), "are more than 40", "leave some out")
    return names


def named_moves(moves: str) -> Moves:
    """Return the move set that has this name."""
    try:
        return Moves(moves)
    except ValueError:
        raise UnknownNameError(
            "moves", moves, "is no set of moves that has a name", nearest(moves, list(Moves))
        ) from None


def table_of(
    utilities: Any,
    items: Names,
    sets: Int64[np.ndarray, " n"],
    actions: Iterable[Hashable] | None,
) -> tuple[Numbers, tuple[Hashable, ...]]:
    """Return the utilities as a matrix, and the actions."""
    names = None if actions is None else read_tuple("actions", actions)
    if isinstance(utilities, np.ndarray | Numbers | list | tuple):
        matrix = as_numbers(utilities, "utilities")
        count = matrix.shape[0] if len(matrix.shape) == 2 else 0
    else:
        rows = _rows(utilities, items, sets)
        if names is None and isinstance(rows[0], Mapping):
            names = tuple(rows[0])
        lists = [
            _order_row(row, names, s, items) for row, s in zip(rows, sets.tolist(), strict=True)
        ]
        count = len(lists[0])
        for row, s in zip(lists, sets.tolist(), strict=True):
            if len(row) != count:
                where = f"utilities of {set_text(names_of(s, items))}"
                raise ShapeError(where, row, f"are not {count}", "give one for each action")
        matrix = as_numbers([list(column) for column in zip(*lists, strict=True)], "utilities")
    names = tuple(range(count)) if names is None else names
    check_names("actions", names)
    if not names:
        raise InvalidInputError("actions", names, "is empty", "give at least one action")
    wanted = (len(names), len(sets))
    if matrix.shape != wanted:
        raise ShapeError(
            "utilities",
            matrix.shape,
            f"is not of shape {wanted}",
            "give a row for each action and a column for each set that can be revealed",
        )
    if len(names) * len(sets) > MAX_CELLS:
        raise LimitError(
            "utilities", len(names) * len(sets), f"are more than {MAX_CELLS:,}", "leave items out"
        )
    return matrix, names


def _rows(utilities: Any, items: Names, sets: Int64[np.ndarray, " n"]) -> list[Any]:
    """Return the row of each set that can be revealed."""
    if callable(utilities):
        return [utilities(frozenset(names_of(s, items))) for s in sets.tolist()]
    if not isinstance(utilities, Mapping):
        raise InvalidInputError(
            "utilities",
            utilities,
            "is neither a mapping nor a function nor a matrix",
            "give a row for each set that can be revealed",
        )
    found: dict[int, Any] = {}
    for key, row in utilities.items():
        mask = mask_of(key, items, "utilities")
        if mask in found:
            raise InvalidInputError(
                "utilities", set_text(names_of(mask, items)), "is given twice", "give it once"
            )
        found[mask] = row
    for s in sets.tolist():
        if s not in found:
            where = f"utilities of {set_text(names_of(s, items))}"
            raise InvalidInputError(
                where, None, "are missing, though that set can be revealed", "give a row for it"
            )
    return [found[s] for s in sets.tolist()]


def _order_row(
    row: Any, actions: tuple[Hashable, ...] | None, mask: int, items: Names
) -> list[Any]:
    """Return a row in the order of the actions."""
    argument = f"utilities of {set_text(names_of(mask, items))}"
    if not isinstance(row, Mapping):
        if isinstance(row, str) or not isinstance(row, Iterable):
            raise InvalidInputError(argument, row, "is not a row", "give one number an action")
        return list(row)
    names = tuple(row) if actions is None else actions
    for action in row:
        if action not in names:
            raise UnknownNameError(argument, action, "is not an action", nearest(action, names))
    for action in names:
        if action not in row:
            raise InvalidInputError(argument, action, "is missing", "give each action a utility")
    return [row[action] for action in names]


def prices_of(
    prices: object, items: Names, moves: MoveSet, sets: Int64[np.ndarray, " n"], like: Numbers
) -> Prices:
    """Read prices, item by item or from a function of what is newly revealed."""
    if isinstance(prices, Mapping):
        return Prices.by_item(prices, items, like)
    if not callable(prices):
        raise InvalidInputError(
            "prices", prices, "is neither a mapping nor a function", "give each item a price"
        )
    if moves is Moves.SINGLE_ITEMS:
        raise InvalidInputError(
            "prices", prices, "is a function, while items come one by one", "give each item a price"
        )
    return Prices.by_set(prices, items, _new_sets(moves, sets), like)


def _new_sets(moves: MoveSet, sets: Int64[np.ndarray, " n"]) -> Iterable[int]:
    """Return what a move may newly reveal, and all that can be revealed from the start."""
    found: set[int] = set(sets.tolist())
    for mask in moves.masks if isinstance(moves, Family) else ():
        found.update((mask & ~sets).tolist())
    return found
