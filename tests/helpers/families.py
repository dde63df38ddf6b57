"""Small families for the tests of the search: sequences, partitions, random trees of choices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from theory.claims import Budget, CheckContext
from theory.search import Draw, Family, Trial

Tree = tuple[Any, ...]
"""A tree of choices: a leaf has no branches."""

TREES: st.SearchStrategy[Tree] = st.recursive(
    st.just(()), lambda children: st.lists(children, min_size=1, max_size=4).map(tuple)
)


@dataclass(frozen=True)
class Walk:
    """Builds the path that the choices take through a tree."""

    tree: Tree

    def __call__(self, draw: Draw, level: int) -> tuple[int, ...]:
        path: list[int] = []
        node = self.tree
        while node:
            path.append(draw.index(len(node)))
            node = node[path[-1]]
        return tuple(path)


def leaves(tree: Tree, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    if not tree:
        yield path
    for branch, child in enumerate(tree):
        yield from leaves(child, (*path, branch))


def total(instance: tuple[int, ...]) -> tuple[int, ...]:
    return (sum(instance),)


def family_of(tree: Tree) -> Family[tuple[int, ...]]:
    return Family("paths through a tree", "trees", (1,), Walk(tree), total)


def digits(draw: Draw, length: int) -> tuple[int, ...]:
    return tuple(draw.index(10) for _ in range(length))


def number(instance: tuple[int, ...]) -> int:
    return int("".join(map(str, instance)))


DIGITS: Family[tuple[int, ...]] = Family("digits", "length", (1, 2, 3), digits, total)


def context(seed: int = 0, **counts: int) -> CheckContext:
    budget = {"exhaustive": 1000, "samples": 100, "shrinks": 1000, "size": 2}
    return CheckContext(seed=seed, budget=Budget(**{**budget, **counts}))


def always_holds(_instance: object) -> Trial:
    return Trial()
