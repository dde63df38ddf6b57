"""Partitions as sets of sets."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

Blocks = frozenset[frozenset[int]]


def blocks(labels: Sequence[Hashable]) -> Blocks:
    """The blocks of states with equal labels."""
    return frozenset(
        frozenset(w for w, other in enumerate(labels) if other == label) for label in labels
    )


def join(a: Blocks, b: Blocks) -> Blocks:
    """All non-empty intersections of a block of each."""
    return frozenset(x & y for x in a for y in b if x & y)


def meet(a: Blocks, b: Blocks) -> Blocks:
    """Both together, with what overlaps merged until nothing does."""
    merged = set(a | b)
    while True:
        overlapping = [(x, y) for x in merged for y in merged if x != y and x & y]
        if not overlapping:
            return frozenset(merged)
        x, y = overlapping[0]
        merged = (merged - {x, y}) | {x | y}


def refines(a: Blocks, b: Blocks) -> bool:
    """Whether every block of a lies inside one of b."""
    return all(any(x <= y for y in b) for x in a)
