"""How answers move when the question does: relabel, shift, scale; one set written as another."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest
from action_sets import CASES, COMPLETE, DIAMOND, ROWS, TWINS

from theory.actions import ActionSet, Allocations, Features, ListedActions, Paths, Subsets


def normal(dimension: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=dimension)


def same_laws(left: ActionSet, right: ActionSet, z: np.ndarray, other: np.ndarray) -> None:
    """Two sets with the same sums and extremes at z and at the other vector."""
    assert left.size == right.size
    sums = left.log_partition(z[None])[0]
    assert sums == pytest.approx(right.log_partition(other[None])[0], rel=1e-12, abs=1e-12)
    assert left.extremes(z) == pytest.approx(right.extremes(other), rel=1e-12)


# --- relabelling


@pytest.mark.parametrize("seed", range(4))
def test_items_of_subsets_may_be_permuted(seed: int) -> None:
    order = np.random.default_rng(seed).permutation(9)
    actions, z = Subsets(9, 4), normal(9, seed)
    same_laws(actions, actions, z, z[order])
    np.testing.assert_allclose(actions.mean(z[order]), actions.mean(z)[order], rtol=1e-12)
    moved: Any = actions.best(z[order])
    assert tuple(sorted(order[list(moved)].tolist())) == actions.best(z)


@pytest.mark.parametrize("seed", range(4))
def test_fields_may_be_permuted(seed: int) -> None:
    order = np.random.default_rng(seed).permutation(4)
    actions = Allocations(4, 6)
    z = normal(actions.dimension, seed).reshape(4, 7)
    moved = z[order].ravel()
    same_laws(actions, actions, z.ravel(), moved)
    expected = actions.mean(z.ravel()).reshape(4, 7)[order].ravel()
    np.testing.assert_allclose(actions.mean(moved), expected, rtol=1e-11)
    best: Any = actions.best(z.ravel())
    assert actions.best(moved) == tuple(best[f] for f in order)


@pytest.mark.parametrize(("edges", "ends"), [(DIAMOND, ("s", "t")), (COMPLETE, (0, 5))])
def test_edges_and_nodes_may_be_renamed(edges: list[Any], ends: tuple[Any, Any]) -> None:
    order = np.random.default_rng(3).permutation(len(edges))
    names = {node: f"node {node}" for edge in edges for node in edge}
    renamed = [tuple(names[node] for node in edges[e]) for e in order]
    actions = Paths(edges, *ends)
    other = Paths(renamed, *(names[end] for end in ends))  # type: ignore[arg-type]
    z = normal(len(edges))
    same_laws(actions, other, z, z[order])
    np.testing.assert_allclose(other.mean(z[order]), actions.mean(z)[order], rtol=1e-12)
    best: Any = actions.best(z)
    assert other.best(z[order]) == tuple(names[node] for node in best)


@pytest.mark.parametrize("edges", [DIAMOND, TWINS])
def test_graphs_may_be_walked_backwards(edges: list[Any]) -> None:
    backwards = [(head, tail) for tail, head in edges]
    z = normal(len(edges))
    same_laws(Paths(edges, "s", "t"), Paths(backwards, "t", "s"), z, z)
    forth, back = Paths(edges, "s", "t").mean(z), Paths(backwards, "t", "s").mean(z)
    np.testing.assert_allclose(forth, back, rtol=1e-12)


def test_rows_may_be_permuted() -> None:
    rng = np.random.default_rng(1)
    matrix, order = rng.normal(size=(40, 5)), rng.permutation(40)
    z = normal(5)
    actions, other = Features(matrix), Features(matrix[order])
    same_laws(actions, other, z, z)
    np.testing.assert_allclose(actions.mean(z), other.mean(z), rtol=1e-12)
    assert order[other.best(z)] == actions.best(z)


# --- shifts


@pytest.mark.parametrize("shift", [-1e6, -2.5, 3.0, 1e6])
@pytest.mark.parametrize(
    ("actions", "worth"),
    [(ListedActions(5), 1), (Subsets(7, 3), 3), (Allocations(3, 4), 3)],
    ids=["listed", "subsets", "allocations"],
)
def test_a_constant_shifts_values_and_leaves_laws(
    actions: ActionSet, worth: int, shift: float
) -> None:
    """Where every action has ``worth`` features."""
    z = normal(actions.dimension)
    moved = z + shift
    close = {"rtol": 0, "atol": 1e-8}
    sums = actions.log_partition(np.stack([z, moved]))
    np.testing.assert_allclose(sums[1], sums[0] + worth * shift, **close)
    np.testing.assert_allclose(
        actions.extremes(moved), np.array(actions.extremes(z)) + worth * shift, **close
    )
    np.testing.assert_allclose(actions.mean(moved), actions.mean(z), **close)
    draws = [actions.sample(v, np.random.default_rng(0), 50) for v in (z, moved)]
    assert draws[0] == draws[1]


def test_a_column_of_ones_shifts_values_and_leaves_laws() -> None:
    actions = Features(np.column_stack([np.array(ROWS), np.ones(len(ROWS))]))
    z = np.append(normal(3), 0.0)
    moved = z + np.array([0, 0, 0, 1e6])
    sums = actions.log_partition(np.stack([z, moved]))
    assert sums[1] == pytest.approx(sums[0] + 1e6, abs=1e-8)
    np.testing.assert_allclose(actions.probabilities(moved), actions.probabilities(z), rtol=1e-8)


def test_potentials_shift_paths_and_leave_laws() -> None:
    """Moving worth from a node's edges out to its edges in changes no path between the ends."""
    actions = Paths(COMPLETE, 0, 5)
    z, potential = normal(actions.dimension), 1000 * normal(6, 1)
    moved = z + np.array([potential[tail] - potential[head] for tail, head in COMPLETE])
    sums = actions.log_partition(np.stack([z, moved]))
    assert sums[1] == pytest.approx(sums[0] + potential[0] - potential[5], abs=1e-9)
    np.testing.assert_allclose(actions.mean(moved), actions.mean(z), atol=1e-10)
    assert actions.best(moved) == actions.best(z)


# --- scaling


@pytest.mark.parametrize("name", CASES)
def test_scales_leave_the_best_and_sharpen_laws(name: str) -> None:
    actions = CASES[name].actions
    z = normal(actions.dimension)
    low, high = actions.extremes(z)
    for scale in (2.0, 1024.0, 2.0**20):
        assert actions.best(scale * z) == actions.best(z)
        assert actions.extremes(scale * z) == (scale * low, scale * high)
        soft = actions.log_partition(scale * z[None])[0] / scale
        assert high - 1e-9 <= soft <= high + log(actions.size) / scale + 1e-9
        assert soft == pytest.approx(high, abs=log(actions.size) / scale + 1e-9)
    ends = actions.mean(2.0**20 * z) @ z
    assert ends == pytest.approx(high, abs=1e-6)
    assert actions.extremes(-z) == (-high, -low)


@pytest.mark.parametrize("name", CASES)
def test_without_rewards_all_actions_are_alike(name: str) -> None:
    actions, plain = CASES[name]
    sums = actions.log_partition(np.zeros((2, actions.dimension)))
    np.testing.assert_allclose(sums, log(actions.size), atol=1e-14)
    uniform = np.mean(list(plain.values()), axis=0)
    np.testing.assert_allclose(actions.mean(np.zeros(actions.dimension)), uniform, atol=1e-14)


# --- one set as another


def grid(n: int, k: int) -> tuple[list[Any], list[int | None]]:
    """Subsets as paths: at (i, j), i items are decided and j taken; the item of an edge, if any."""
    edges: list[Any] = []
    items: list[int | None] = []
    for i in range(n):
        for j in range(max(0, k - n + i), min(i, k) + 1):
            if k - j <= n - i - 1:
                edges.append(((i, j), (i + 1, j)))
                items.append(None)
            if j < k:
                edges.append(((i, j), (i + 1, j + 1)))
                items.append(i)
    return edges, items


def spreads(fields: int, troops: int) -> tuple[list[Any], list[int]]:
    """Allocations as paths: at (f, s), s troops are left for the fields from f on."""
    edges: list[Any] = []
    features = []
    for f in range(fields):
        for s in [troops] if f == 0 else range(troops + 1):
            for t in range(s + 1) if f < fields - 1 else [s]:
                edges.append(((f, s), (f + 1, s - t)))
                features.append(f * (troops + 1) + t)
    return edges, features


@pytest.mark.parametrize(("n", "k"), [(5, 2), (40, 15), (120, 40)])
@pytest.mark.parametrize("scale", [0.0, 1.0, 50.0])
def test_subsets_are_paths_through_a_grid(n: int, k: int, scale: float) -> None:
    """Two dynamic programs that share nothing, up to 10^32 actions."""
    edges, items = grid(n, k)
    other, actions = Paths(edges, (0, 0), (n, k)), Subsets(n, k)
    z = scale * normal(n)
    moved = np.array([0.0 if item is None else z[item] for item in items])
    same_laws(actions, other, z, moved)
    taken = np.zeros(n)
    for item, flow in zip(items, other.mean(moved), strict=True):
        if item is not None:
            taken[item] += flow
    np.testing.assert_allclose(actions.mean(z), taken, rtol=0, atol=1e-11)
    assert actions.mean(z).sum() == pytest.approx(k, abs=1e-10)


@pytest.mark.parametrize(("fields", "troops"), [(3, 4), (6, 12), (26, 90)])
@pytest.mark.parametrize("scale", [0.0, 1.0, 50.0])
def test_allocations_are_paths_of_troops_left(fields: int, troops: int, scale: float) -> None:
    edges, features = spreads(fields, troops)
    other = Paths(edges, (0, troops), (fields, 0))
    actions = Allocations(fields, troops)
    z = scale * normal(actions.dimension)
    moved = z[features]
    same_laws(actions, other, z, moved)
    law = np.bincount(features, other.mean(moved), minlength=actions.dimension)
    np.testing.assert_allclose(actions.mean(z), law, rtol=0, atol=1e-11)
    counts = actions.mean(z).reshape(fields, troops + 1)
    assert (counts @ np.arange(troops + 1)).sum() == pytest.approx(troops, abs=1e-9)


@pytest.mark.parametrize(("n", "k"), [(7, 2), (60, 55)])
def test_what_is_left_out_of_a_subset_is_a_subset(n: int, k: int) -> None:
    """Leaving n - k items out at -z is taking k at z."""
    z = normal(n)
    sums = Subsets(n, k).log_partition(z[None])[0]
    rest = Subsets(n, n - k).log_partition(-z[None])[0]
    assert sums == pytest.approx(rest + z.sum(), abs=1e-10)
    np.testing.assert_allclose(Subsets(n, k).mean(z), 1 - Subsets(n, n - k).mean(-z), atol=1e-12)


def test_unit_vectors_and_single_items_are_listed_actions() -> None:
    z = np.array([0.5, 2.0, -1.0, 2.0])
    listed, rows, items = ListedActions(4), Features(np.eye(4)), Subsets(4, 1)
    edges = Paths([("s", "t")] * 4, "s", "t")
    assert (listed.best(z), rows.best(z)) == (1, 1)
    assert (items.best(z), edges.best(z)) == ((1,), (1,))
    for other in (rows, items, edges):
        same_laws(listed, other, z, z)
        np.testing.assert_allclose(other.mean(z), listed.mean(z), rtol=1e-14)
    draws = [actions.sample(z, np.random.default_rng(0), 200) for actions in (listed, rows)]
    assert draws[0] == draws[1]


def test_a_large_set_is_drawn_from_as_its_mean_says() -> None:
    """Draws among 10^32 subsets: the frequency of each item, within five deviations."""
    actions, draws = Subsets(120, 40), 600
    z = normal(120)
    drawn = actions.sample(z, np.random.default_rng(1), draws)
    assert all(action in actions for action in drawn)
    mean = actions.mean(z)
    far = np.abs(actions.features(drawn).mean(axis=0) - mean)
    assert (far <= 5 * np.sqrt(mean * (1 - mean) / draws) + 1 / draws).all()
