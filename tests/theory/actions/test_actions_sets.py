"""Every method of every action set against sums over a plain list of the actions."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pytest
from action_sets import CASES, Case, vectors
from reference import softmax as oracle

from theory.actions import (
    ActionSet,
    Allocations,
    Features,
    IndexedActionSet,
    ListedActions,
    Paths,
    SoftmaxStrategy,
    Subsets,
)

NAMES = list(CASES)


def rounding(case: Case, z: np.ndarray) -> float:
    """What sums of rewards as large as these may lose: a few last digits an entry."""
    row = max(sum(map(abs, row)) for row in case.plain.values())
    return 1e-13 + 4e-16 * case.actions.dimension * row * float(np.abs(z).max())


@pytest.mark.parametrize("name", NAMES)
def test_actions_are_those_of_the_list(name: str) -> None:
    actions, plain = CASES[name]
    assert actions.size == len(plain)
    assert isinstance(actions, ActionSet)
    assert all(action in actions for action in plain)
    np.testing.assert_array_equal(actions.features(list(plain)), list(plain.values()))
    assert actions.features([]).shape == (0, actions.dimension)


@pytest.mark.parametrize("name", NAMES)
def test_best_and_extremes_are_exact(name: str) -> None:
    case = CASES[name]
    for z in vectors(case.actions.dimension, seed=1):
        assert case.actions.best(z) == oracle.best(case.plain, z.tolist())[0]
        assert case.actions.extremes(z) == oracle.extremes(case.plain, z.tolist())


@pytest.mark.parametrize("name", NAMES)
def test_laws_are_sums_over_all_actions(name: str) -> None:
    case = CASES[name]
    for z in vectors(case.actions.dimension, seed=2):
        slack = rounding(case, z)
        sums = case.actions.log_partition(np.stack([z, z / 2, -z]))
        expected = [oracle.log_partition(case.plain, row.tolist()) for row in (z, z / 2, -z)]
        np.testing.assert_allclose(sums, expected, rtol=1e-15, atol=slack)
        mean = oracle.mean(case.plain, z.tolist())
        np.testing.assert_allclose(case.actions.mean(z), mean, rtol=0, atol=10 * slack)
        strategy = SoftmaxStrategy(case.actions, z)
        for action, probability in oracle.law(case.plain, z.tolist()).items():
            assert strategy.probability(action) == pytest.approx(probability, rel=0, abs=slack)


@pytest.mark.parametrize("name", NAMES)
def test_methods_leave_what_they_are_given_alone(name: str) -> None:
    actions = CASES[name].actions
    z = np.linspace(-1, 1, actions.dimension)
    given, rng = z.copy(), np.random.default_rng(0)
    for writeable in (True, False):
        z.flags.writeable = writeable
        for method in (actions.best, actions.extremes, actions.mean):
            method(z)
        actions.sample(z, rng, 3)
        actions.choose_perturbed(z, "normal", 1.0, rng)
        actions.log_partition(z[None])
        np.testing.assert_array_equal(z, given)


@pytest.mark.parametrize("name", NAMES)
def test_no_rows_give_no_sums(name: str) -> None:
    actions = CASES[name].actions
    assert actions.log_partition(np.zeros((0, actions.dimension))).shape == (0,)


@pytest.mark.parametrize("name", ["listed", "one listed", "rows", "one row", "one column"])
def test_indexed_sets_write_out_rewards_and_laws(name: str) -> None:
    actions, plain = CASES[name]
    assert isinstance(actions, IndexedActionSet)
    for z in vectors(actions.dimension, seed=3):
        exact = list(oracle.scores(plain, z.tolist()).values())
        np.testing.assert_array_equal(actions.rewards(z), exact)
        law = list(oracle.law(plain, z.tolist()).values())
        np.testing.assert_allclose(actions.probabilities(z), law, rtol=1e-13, atol=0)
        mean = oracle.mean(plain, z.tolist())
        np.testing.assert_allclose(actions.average(np.array(law)), mean, rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", ["subsets", "allocations", "diamond", "twins", "complete"])
def test_tuples_are_not_indexed(name: str) -> None:
    assert not isinstance(CASES[name].actions, IndexedActionSet)


@pytest.mark.parametrize(
    ("actions", "stranger"),
    [
        (ListedActions(3), 3),
        (ListedActions(3), -1),
        (ListedActions(3), 1.0),
        (ListedActions(3), True),
        (ListedActions(3), "1"),
        (ListedActions(3), None),
        (CASES["rows"].actions, 6),
        (Subsets(4, 2), (1, 1)),
        (Subsets(4, 2), (2, 1)),
        (Subsets(4, 2), (1,)),
        (Subsets(4, 2), (1, 4)),
        (Subsets(4, 2), (-1, 2)),
        (Subsets(4, 2), [0, 1]),
        (Subsets(4, 2), (0.0, 1.0)),
        (Allocations(2, 3), (1, 1)),
        (Allocations(2, 3), (4, -1)),
        (Allocations(2, 3), (3,)),
        (Allocations(2, 3), (1.5, 1.5)),
        (CASES["diamond"].actions, ("s", "t")),
        (CASES["diamond"].actions, ("s", "a")),
        (CASES["diamond"].actions, ("a", "t")),
        (CASES["diamond"].actions, ("s",)),
        (CASES["diamond"].actions, ()),
        (CASES["diamond"].actions, ("s", [], "t")),
        (CASES["diamond"].actions, "sat"),
        (CASES["twins"].actions, ("s", "t")),
        (CASES["twins"].actions, (2,)),
        (CASES["twins"].actions, (3, 2)),
        (CASES["twins"].actions, (5,)),
        (CASES["twins"].actions, (True,)),
    ],
)
def test_strangers_are_no_actions(actions: ActionSet, stranger: Any) -> None:
    assert stranger not in actions


def test_sizes_are_exact_integers() -> None:
    assert Subsets(200, 60).size == comb(200, 60) > 10**50
    assert Allocations(30, 100).size == comb(129, 29) > 10**28
    ladder = [(i, i + 1) for i in range(150) for _ in range(2)]
    assert Paths(ladder, 0, 150).size == 2**150


def test_equal_sets_are_equal() -> None:
    assert ListedActions(3) == ListedActions(3) != ListedActions(4)
    assert Subsets(5, 2) == Subsets(5, 2) != Subsets(5, 3)
    assert Paths([("s", "t")], "s", "t") == Paths((("s", "t"),), "s", "t")
    assert hash(Allocations(2, 3)) == hash(Allocations(2, 3))
    assert "2 from 's' to 't'" in repr(Paths([("s", "t"), ("s", "t")], "s", "t"))


def test_rows_that_are_equal_tie_wherever_they_stand() -> None:
    rng = np.random.default_rng(5)
    for size in (7, 33, 130):
        matrix = rng.normal(size=(size, 20))
        matrix[[2, size // 2, size - 1]] = matrix[3] + 10
        z = np.abs(rng.normal(size=20))
        assert Features(matrix).best(z) == 2


def test_a_matrix_is_not_copied_and_cannot_be_changed_through_the_set() -> None:
    matrix = np.random.default_rng(0).normal(size=(50, 3))
    actions = Features(matrix)
    assert np.shares_memory(actions.matrix, matrix)
    assert matrix.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        actions.matrix[0, 0] = 1


def test_long_work_is_cut_into_chunks_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    names = ("_listed_actions", "_features", "_subsets", "_allocations", "_paths")
    sets = [
        CASES[name].actions for name in ("listed", "rows", "subsets", "allocations", "complete")
    ]
    for module, actions in zip(names, sets, strict=True):
        Z = rng.normal(size=(9, actions.dimension))
        whole = actions.log_partition(Z), actions.mean(Z[0]), actions.best(np.zeros_like(Z[0]))
        monkeypatch.setattr(f"theory.actions.{module}.ENTRIES", 7)
        np.testing.assert_allclose(actions.log_partition(Z), whole[0], rtol=1e-13)
        np.testing.assert_allclose(actions.mean(Z[0]), whole[1], rtol=1e-13)
        assert actions.best(np.zeros_like(Z[0])) == whole[2]
        assert all(action in actions for action in actions.sample(Z[0], rng, 20))
