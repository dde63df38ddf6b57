"""Small action sets of every kind beside plain lists of their actions, and vectors z for them."""

from __future__ import annotations

from inspect import isfunction, unwrap
from typing import Any, NamedTuple

import numpy as np
import pytest
from reference import softmax as oracle

from theory.actions import ActionSet, Allocations, Features, ListedActions, Paths, Subsets


class Case(NamedTuple):
    actions: ActionSet
    plain: dict[Any, Any]
    """Each action, in order, with its features."""


DIAMOND = [("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("a", "b")]
TWINS = [("s", "t"), ("s", "t"), ("s", "a"), ("a", "t"), ("a", "t")]
COMPLETE = [(i, j) for i in range(6) for j in range(i + 1, 6)][::-1]
ROWS = [[0.5, -1, 0], [1, 1, 0.25], [0.5, -1, 0], [0, 0, 0], [-2, 0.125, 3], [1, 1, 0.25]]


def listed(size: int) -> Case:
    return Case(ListedActions(size), oracle.listed(size))


def features(rows: Any) -> Case:
    return Case(Features(np.array(rows, np.float64)), dict(enumerate(rows)))


def subsets(n: int, k: int) -> Case:
    return Case(Subsets(n, k), oracle.subsets(n, k))


def allocations(fields: int, troops: int) -> Case:
    return Case(Allocations(fields, troops), oracle.allocations(fields, troops))


def paths(edges: Any, source: Any, sink: Any) -> Case:
    plain = oracle.paths(edges, source, sink)
    if len(set(edges)) == len(edges):
        plain = {oracle.nodes(edges, source, route): row for route, row in plain.items()}
    return Case(Paths(edges, source, sink), plain)


CASES = {
    "listed": listed(5),
    "one listed": listed(1),
    "rows": features(ROWS),
    "one row": features([[2.0, -1.0]]),
    "one column": features([[1.0], [0.0], [1.0]]),
    "subsets": subsets(6, 3),
    "single items": subsets(5, 1),
    "all but one": subsets(5, 4),
    "all items": subsets(4, 4),
    "one item": subsets(1, 1),
    "allocations": allocations(3, 4),
    "two fields": allocations(2, 6),
    "one field": allocations(1, 5),
    "one troop": allocations(4, 1),
    "diamond": paths(DIAMOND, "s", "t"),
    "twins": paths(TWINS, "s", "t"),
    "complete": paths(COMPLETE, 0, 5),
    "one path": paths([("s", "a"), ("a", "t")], "s", "t"),
}


def vectors(dimension: int, seed: int) -> list[np.ndarray]:
    """Zero, ties, multiples of 1/8, and values as far apart as a million either way.

    All are multiples of 1/8, so that rewards are exact in float64 and ties are ties.
    """
    rng = np.random.default_rng(seed)
    return [
        np.zeros(dimension),
        np.full(dimension, -1.5),
        rng.integers(-1, 2, dimension) * 1.0,
        rng.integers(-40, 41, dimension) / 8,
        rng.integers(-(10**6), 10**6, dimension) * 1.0,
        rng.integers(-8, 9, dimension) / 8 + 1e6,
        rng.integers(-8, 9, dimension) / 8 - 1e6,
    ]


def without_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the checks of annotations off action sets, which tests would hear before ours."""
    for kind in (ListedActions, Features, Subsets, Paths, Allocations):
        for name, method in list(vars(kind).items()):
            if isfunction(method):
                monkeypatch.setattr(kind, name, unwrap(method))
