"""Sets of items as bit masks: item j stands for the bit 2^j."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.shared.shapes import Int64

__all__ = ["Names", "bits", "mask_of", "names_of", "order", "set_text"]

Names = tuple[str, ...]
"""Some items, in the order in which the game lists them."""


def names_of(mask: int, items: Names) -> Names:
    """Return the items of a set."""
    return tuple(name for j, name in enumerate(items) if mask >> j & 1)


def mask_of(names: object, items: Names, argument: str) -> int:
    """Return the set of these items; a name that is none of them raises."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidInputError(
            argument, names, "is not a collection of items", "give a tuple or a set of names"
        )
    mask = 0
    for name in names:
        if name not in items:
            raise UnknownNameError(argument, name, "is not an item", nearest(name, items))
        mask |= 1 << items.index(name)
    return mask


def set_text(names: Sequence[str]) -> str:
    """Write a set of items."""
    return "{" + ", ".join(names) + "}" if names else "∅"


def bits(masks: Int64[np.ndarray, " n"], items: int) -> Int64[np.ndarray, "items n"]:
    """Return for each item and set whether the item is in the set, as 0 or 1."""
    return masks >> np.arange(items, dtype=np.int64)[:, np.newaxis] & 1


def order(
    masks: Int64[np.ndarray, " n"], items: int, *, most_first: bool = False
) -> Int64[np.ndarray, " n"]:
    """Return the rank of each set: fewest items first (or most), then those of early items."""
    present = bits(masks, items)
    sizes = present.sum(axis=0)
    ranks = np.empty_like(masks)
    keys = (*-present[::-1], -sizes if most_first else sizes)
    ranks[np.lexsort(keys)] = np.arange(len(masks), dtype=np.int64)
    return ranks
