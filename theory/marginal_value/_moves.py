"""Which sets of items a player may reveal, and which sets can so come to be revealed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from theory.errors import InvalidInputError, LimitError
from theory.marginal_value._sets import Names, mask_of, names_of, set_text
from theory.shared.printable import printed_line
from theory.shared.shapes import Int64

__all__ = ["MAX_SETS", "Family", "MoveSet", "Moves"]

MAX_SETS: Final = 1 << 22
"""How many revealed sets are held at once."""


class Moves(StrEnum):
    """The move sets that have a name."""

    SUBSETS = "any set of items"
    SINGLE_ITEMS = "one item at a time"


@dataclass(frozen=True)
class Family:
    """Moves listed one by one, as masks in the order given; the null move is among them."""

    items: Names
    masks: tuple[int, ...]

    @classmethod
    def of(cls, moves: Iterable[Iterable[str]], items: Names) -> Family:
        """Read moves by the names of their items."""
        if not isinstance(moves, Iterable):
            raise InvalidInputError("moves", moves, "is no list of moves", "give sets of items")
        masks = dict.fromkeys(mask_of(move, items, f"moves[{k}]") for k, move in enumerate(moves))
        if 0 not in masks:
            shown = [set_text(names_of(mask, items)) for mask in masks]
            raise InvalidInputError(
                "moves",
                shown,
                "have no null move",
                "add the empty set: a player may reveal nothing",
            )
        return cls(items, tuple(masks))

    def __iter__(self) -> Iterator[Names]:
        return (names_of(mask, self.items) for mask in self.masks)

    def unclosed(self) -> tuple[int, int] | None:
        """Return two moves whose union is no move, or None: the family is union-closed."""
        known = set(self.masks)
        pairs = ((b, a) for k, a in enumerate(self.masks) for b in self.masks[:k])
        return next((pair for pair in pairs if pair[0] | pair[1] not in known), None)

    @printed_line
    def __str__(self) -> str:
        return ", ".join(set_text(names_of(mask, self.items)) for mask in self.masks)


MoveSet = Moves | Family


def reachable(moves: MoveSet, items: int) -> Int64[np.ndarray, " n"]:
    """Return every set that some moves reveal together, in ascending order of masks."""
    if isinstance(moves, Moves):
        _check_count(1 << items, f"{items} items")
        return np.arange(1 << items, dtype=np.int64)
    found = {0}
    for mask in moves.masks:
        found |= {mask | known for known in found}
        _check_count(len(found), f"unions of {len(moves.masks)} moves")
    return np.array(sorted(found), dtype=np.int64)


def _check_count(count: int, what: str) -> None:
    if count > MAX_SETS:
        raise LimitError(
            "moves",
            count,
            f"lead to more sets than the {MAX_SETS:,} that can be held ({what})",
            "leave out items or moves",
        )
