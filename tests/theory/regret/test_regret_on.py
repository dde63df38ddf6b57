"""Regret on sets of actions of any size: against the listed one, with and without pruning."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from inspect import unwrap
from typing import Any

import numpy as np
import pytest

import theory.regret._evaluation
import theory.regret._history
from theory.actions import Features, ListedActions, Paths, SoftmaxStrategy, SparseStrategy
from theory.errors import (
    InvalidInputError,
    LimitError,
    NumberError,
    ProbabilityError,
    ShapeError,
    UnknownNameError,
)
from theory.regret import Regret, _kernels, regret, regret_on, regret_series_on
from theory.regret._best_replies import best_values
from theory.regret._history import read_history_on
from theory.regret._recheck_large import recheck_large
from theory.shared import compiling


class Named:
    """Rows of a matrix under names; a set that is known by what it can do and no more."""

    def __init__(self, matrix: np.ndarray, lies: bool = False) -> None:
        self.rows = Features(matrix)
        self.lies = lies

    @property
    def size(self) -> int:
        return self.rows.size

    @property
    def dimension(self) -> int:
        return self.rows.dimension

    def __contains__(self, action: Any) -> bool:
        return isinstance(action, tuple) and len(action) == 1 and action[0] in self.rows

    def features(self, actions: Sequence[Any]) -> np.ndarray:
        return self.rows.features([a for (a,) in actions])

    def best(self, z: np.ndarray) -> tuple[int]:
        return (self.rows.best(-z if self.lies else z),)

    def extremes(self, z: np.ndarray) -> tuple[float, float]:
        return self.rows.extremes(z)

    def log_partition(self, Z: np.ndarray) -> np.ndarray:
        return self.rows.log_partition(Z)

    def mean(self, z: np.ndarray) -> np.ndarray:
        return self.rows.mean(z)

    def sample(self, z: np.ndarray, rng: np.random.Generator, n: int) -> list[Any]:
        return [(a,) for a in self.rows.sample(z, rng, n)]

    def choose_perturbed(
        self, z: np.ndarray, noise: str, scale: float, rng: np.random.Generator
    ) -> tuple[int]:
        return (self.rows.choose_perturbed(z, noise, scale, rng),)


def sparse_history(
    seed: int, rounds: int, size: int, support: int = 4
) -> tuple[np.random.Generator, list[SparseStrategy]]:
    rng = np.random.default_rng(seed)
    draws = rng.integers(size, size=(rounds, support)).tolist()
    return rng, [SparseStrategy.empirical(row, size) for row in draws]


def assert_same(one: Regret, other: Regret, within: float = 1e-11) -> None:
    assert one.external.gain == pytest.approx(other.external.gain, abs=within)
    assert one.internal.gain == pytest.approx(other.internal.gain, abs=within)
    assert one.swap.gain == pytest.approx(other.swap.gain, abs=within)
    assert one.earned == pytest.approx(other.earned, abs=within)
    assert (one.external.action, one.internal.source, one.internal.target, one.swap.map) == (
        other.external.action,
        other.internal.source,
        other.internal.target,
        other.swap.map,
    )
    assert [c.action for c in one.conditionals] == [c.action for c in other.conditionals]
    for a, b in zip(one.conditionals, other.conditionals, strict=True):
        assert a.best_reply == b.best_reply
        assert (a.weight, a.gain) == (pytest.approx(b.weight), pytest.approx(b.gain, abs=within))


def assert_internal(one: Regret, other: Regret) -> None:
    """Products of other shapes are rounded in other ways."""
    assert one.internal.gain == pytest.approx(other.internal.gain, rel=1e-12)
    assert (one.internal.source, one.internal.target) == (
        other.internal.source,
        other.internal.target,
    )


# --- against the listed one


@pytest.mark.parametrize("seed", range(4))
def test_listed_sets_and_unit_vectors_regret_what_lists_regret(seed: int) -> None:
    rng, plays = sparse_history(seed, 60, 9)
    rewards = rng.random((60, 9))
    listed = regret(plays, rewards)
    dense = [np.asarray(play) for play in plays]
    for actions in (ListedActions(9), Features(np.eye(9))):
        for history in (plays, dense, np.array(dense), [row.tolist() for row in dense]):
            found = regret_on(actions, history, rewards)
            assert_same(found, listed)
            assert found.holds


@pytest.mark.parametrize("seed", range(4))
def test_features_regret_what_their_rewards_regret(seed: int) -> None:
    rng, plays = sparse_history(seed, 50, 3000)
    matrix, z = rng.normal(size=(3000, 7)), rng.normal(size=(50, 7))
    found = regret_on(Features(matrix), plays, z)
    assert_same(found, regret(plays, z @ matrix.T), within=1e-9)
    assert found.holds
    assert found.rechecked == 64
    assert found.gap <= 1e-11


def test_a_set_of_named_actions_is_asked_for_its_best() -> None:
    rng, plays = sparse_history(5, 40, 12)
    matrix, z = rng.normal(size=(12, 3)), rng.normal(size=(40, 3))
    named = [SparseStrategy(tuple((a,) for a in p.actions), p.weights, 12) for p in plays]
    found, rows = regret_on(Named(matrix), named, z), regret_on(Features(matrix), plays, z)
    assert (found.external.action, found.internal.source) == (
        (rows.external.action,),
        (rows.internal.source,),
    )
    assert found.swap.map == {(a,): (b,) for a, b in (rows.swap.map or {}).items()}
    assert found.swap.gain == pytest.approx(rows.swap.gain, abs=1e-12)
    assert found.holds


def test_softmax_plays_on_small_sets_are_gone_through() -> None:
    rng = np.random.default_rng(6)
    actions, z = Features(rng.normal(size=(30, 4))), rng.normal(size=(25, 4))
    laws = [SoftmaxStrategy(actions, row) for row in z]
    assert_same(regret_on(actions, laws, z), regret(laws, z @ actions.matrix.T), within=1e-10)


# --- relations


def test_relations_on_large_sets() -> None:
    rng, plays = sparse_history(7, 80, 5000)
    matrix, z = rng.normal(size=(5000, 5)), rng.normal(size=(80, 5))
    found = regret_on(Features(matrix), plays, z)
    twice = regret_on(Features(matrix), plays * 2, np.concatenate([z, z]))
    scaled = regret_on(Features(matrix * 4), plays, z)
    turned, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    rotated = regret_on(Features(matrix @ turned), plays, z @ turned)
    shifted = regret_on(
        Features(np.column_stack([matrix, np.ones(5000)])), plays, np.column_stack([z, z[:, 0]])
    )
    backwards = regret_on(
        Features(matrix[::-1]),
        [
            SparseStrategy(tuple((4999 - np.array(p.actions)).tolist()), p.weights, 5000)
            for p in plays
        ],
        z,
    )
    for other, factor in ((twice, 2), (scaled, 4), (rotated, 1), (shifted, 1), (backwards, 1)):
        assert other.external.gain == pytest.approx(factor * found.external.gain)
        assert other.internal.gain == pytest.approx(factor * found.internal.gain)
        assert other.swap.gain == pytest.approx(factor * found.swap.gain)
        assert other.holds
    assert backwards.external.action == 4999 - found.external.action


def test_equal_rows_tie_and_the_first_one_wins() -> None:
    rng = np.random.default_rng(8)
    matrix = np.tile(rng.normal(size=(7, 5)), (500, 1))
    plays = [SparseStrategy.pure(int(a), 3500) for a in rng.integers(3500, size=30)]
    found = regret_on(Features(matrix), plays, rng.normal(size=(30, 5)))
    assert found.external.action < 7
    assert found.swap.map
    assert max(found.swap.map.values()) < 7
    best = [c for c in found.conditionals if c.gain == 0]
    assert all(c.best_reply == c.action for c in best)


# --- pruning


@pytest.mark.parametrize("seed", range(6))
def test_pruned_internal_regret_is_the_full_one(seed: int) -> None:
    rng, plays = sparse_history(seed, 200, 4000, support=5)
    actions = Features(rng.random((4000, 6)))
    z = rng.random((200, 6)) * np.linspace(0, 1, 200)[:, None]
    full, pruned = regret_on(actions, plays, z), regret_on(actions, plays, z, swap=False)
    assert_internal(pruned, full)
    assert pruned.external == full.external
    assert len(pruned.conditionals) < len(full.conditionals)
    assert pruned.swap.map is None
    assert pruned.swap.gain <= full.swap.gain + 1e-12
    assert full.swap.gain <= pruned.swap.upper + 1e-12
    assert pruned.holds
    gaps = {c.action: c for c in full.conditionals}
    assert all(c.gain == pytest.approx(gaps[c.action].gain) for c in pruned.conditionals)
    assert " to " in str(pruned)


def test_pruning_looks_at_few_where_one_row_matters() -> None:
    rng, plays = sparse_history(9, 300, 2000, support=2)
    trapped = [SparseStrategy.pure(17, 2000) if t % 2 else play for t, play in enumerate(plays)]
    found = regret_on(Features(rng.random((2000, 3))), trapped, rng.random((300, 3)), swap=False)
    assert found.internal.source == 17
    assert len(found.conditionals) == theory.regret._evaluation._BATCH


def test_best_replies_are_pruned_to_nothing() -> None:
    rng = np.random.default_rng(10)
    actions, z = Features(rng.normal(size=(900, 4))), rng.normal(size=(400, 4))
    plays = [SparseStrategy.pure(actions.best(row), 900) for row in z]
    found = regret_on(actions, plays, z, swap=False)
    assert (found.internal.gain, found.internal.source) == (0.0, found.internal.target)
    assert found.external.gain < 0
    assert found.swap.upper <= 1e-9


@pytest.mark.parametrize("seen", [1, 64, 100])
def test_actions_that_are_not_looked_at_count_in_full(seen: int) -> None:
    """Each of 140 actions is played once, and the next one would have earned 1, or 0.9 later on.

    So swap regret is the sum of it all. What 64 actions at a time show is that the first ones gain
    most; the others may gain, and do gain, the most that their one round leaves.
    """
    actions = 140
    plays, rewards = np.eye(actions), np.roll(np.eye(actions), 1, axis=1)
    rewards[seen:] *= 0.9
    full = regret_on(ListedActions(actions), plays, rewards)
    found = regret_on(ListedActions(actions), plays, rewards, swap=False)
    assert full.swap.gain == pytest.approx(seen + 0.9 * (actions - seen))
    assert found.internal.gain == full.internal.gain == 1
    assert len(found.conditionals) < actions
    assert found.swap.gain <= full.swap.gain <= found.swap.upper
    assert found.swap.upper == pytest.approx(full.swap.gain)


def test_a_lower_batch_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, plays = sparse_history(11, 100, 500)
    args = Features(rng.random((500, 3))), plays, rng.random((100, 3))
    one = regret_on(*args, swap=False)
    monkeypatch.setattr(theory.regret._evaluation, "_BATCH", 3)
    other = regret_on(*args, swap=False)
    assert len(other.conditionals) < len(one.conditionals)
    assert_internal(other, one)


def test_small_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, plays = sparse_history(12, 100, 500)
    args = Features(rng.random((500, 3))), plays, rng.random((100, 3))
    one = regret_on(*args)
    monkeypatch.setattr(theory.regret._history, "_CELLS", 700)
    assert_same(regret_on(*args), one)


# --- laws that are never written out


def test_laws_over_too_many_actions_leave_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(13)
    actions, z = Features(rng.normal(size=(40, 3))), rng.normal(size=(30, 3))
    laws = [SoftmaxStrategy(actions, row) for row in np.cumsum(z, axis=0)]
    known = regret_on(actions, laws, z)
    assert known.internal.known
    assert known.swap.known
    monkeypatch.setattr(theory.regret._history, "_WRITTEN", 100)
    found = regret_on(actions, laws, z)
    assert found.external.action == known.external.action
    assert found.external.gain == pytest.approx(known.external.gain)
    assert found.internal.gain <= known.internal.gain <= found.internal.upper
    assert found.swap.gain <= known.swap.gain <= found.swap.upper
    assert not found.internal.known
    assert found.conditionals == ()
    assert found.holds
    assert "not computed" in str(found)
    assert "says nothing" in str(found)
    assert "played" not in found._repr_html_()
    mixed = [*laws[:15], *(SparseStrategy.pure(0, 40) for _ in laws[15:])]
    assert regret_on(actions, mixed, z).holds


# --- size


def test_a_million_actions_need_little_memory() -> None:
    rng, plays = sparse_history(14, 100, 10**6, support=16)
    actions, z = Features(rng.random((10**6, 20))), rng.random((100, 20))
    regret_on(Features(actions.matrix[:50]), [SparseStrategy.pure(0, 50)], z[:1])
    tracemalloc.start()
    found = regret_on(actions, plays, z, swap=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.holds
    assert peak < 40e6


# --- the recheck


def test_a_set_that_lies_about_its_best_action_is_caught() -> None:
    rng, plays = sparse_history(15, 40, 12)
    matrix, z = rng.normal(size=(12, 3)), rng.normal(size=(40, 3))
    named = [SparseStrategy(tuple((a,) for a in p.actions), p.weights, 12) for p in plays]
    found = regret_on(Named(matrix, lies=True), named, z)
    assert not found.holds
    assert "do not trust" in str(found)


def test_the_recheck_finds_what_is_wrong() -> None:
    rng, plays = sparse_history(16, 40, 30)
    actions, z = Features(rng.normal(size=(30, 3))), rng.normal(size=(40, 3))
    history = read_history_on(actions, plays, z)
    found = regret_on(actions, plays, z)
    assert recheck_large(found, history) == found
    gap, rest = found.conditionals[0], found.conditionals[1:]
    external, internal, swap = found.external, found.internal, found.swap
    assert swap.map
    wrong = [
        replace(found, earned=found.earned + 1),
        replace(found, external=replace(external, gain=external.gain - 1)),
        replace(found, external=replace(external, action=(external.action + 1) % 30)),
        replace(found, internal=replace(internal, gain=internal.gain / 2)),
        replace(found, internal=replace(internal, gain=0.0), conditionals=rest),
        replace(found, swap=replace(swap, gain=swap.gain + 1)),
        replace(found, swap=replace(swap, map=dict.fromkeys(swap.map, 0))),
        replace(found, conditionals=(replace(gap, weight=gap.weight + 1), *rest)),
        replace(found, conditionals=(replace(gap, gain=gap.gain / 2), *rest)),
        replace(found, conditionals=(replace(gap, best_reply=(gap.best_reply + 1) % 30), *rest)),
    ]
    for claim in wrong:
        assert not recheck_large(claim, history).holds


# --- bad input


PURE = [SparseStrategy.pure(0, 3), SparseStrategy.pure(1, 3)]
Z = [[0.0, 1.0], [1.0, 0.0]]
SET = Features(np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]))


@pytest.mark.parametrize(
    ("plays", "observations", "error", "says"),
    [
        ([], [], ShapeError, "observations do not fit"),
        ([], np.zeros((0, 2)), ShapeError, "observations do not fit"),
        (PURE, [[0.0], [1.0]], ShapeError, "observations do not fit"),
        (PURE, [0.0, 1.0], ShapeError, "observations do not fit"),
        (PURE, [[0.0, 1.0], [1.0]], ShapeError, "observations have rows of different lengths"),
        (PURE, [[0.0, 1.0]], ShapeError, "plays are 2 where there are 1"),
        (PURE, [[0.0, np.nan], [1.0, 0.0]], NumberError, r"observations\[0, 1\] is not finite"),
        (PURE, [[0.0, 1.0], [np.inf, 0.0]], NumberError, r"observations\[1, 0\] is not finite"),
        (PURE, [[0.0, 1.0], [1e300, 0.0]], NumberError, "too large to add up"),
        (PURE, [["a", "b"], ["c", "d"]], NumberError, "observations are not real numbers"),
        (PURE, [[True, False]] * 2, NumberError, "observations are not real numbers"),
        (5, Z, InvalidInputError, "plays is no list of strategies"),
        ("ab", Z, InvalidInputError, "plays is no list of strategies"),
        ([PURE[0], None], Z, ShapeError, r"plays\[1\] is no strategy"),
        ([PURE[0], 0], Z, ShapeError, r"plays\[1\] is no strategy"),
        ([PURE[0], [1.0, 0.0]], Z, ShapeError, r"plays\[1\] is no strategy"),
        ([PURE[0], [[1.0], [0.0, 1.0]]], Z, ShapeError, r"plays\[1\] is no strategy"),
        ([PURE[0], ["1/3"] * 3], Z, ShapeError, r"plays\[1\] is no strategy"),
        ([PURE[0], [0.5, 0.5, 0.5]], Z, ProbabilityError, r"plays\[1\] sums to 1.5"),
        ([PURE[0], [1.5, -0.5, 0.0]], Z, ProbabilityError, r"plays\[1\] has entries"),
        ([PURE[0], [np.nan, 0.5, 0.5]], Z, ProbabilityError, r"plays\[1\] has entries"),
        ([PURE[0], SparseStrategy.pure(0, 4)], Z, ShapeError, r"plays\[1\] is over 4 actions"),
        ([PURE[0], SparseStrategy.pure((0,), 3)], Z, UnknownNameError, r"plays\[1\] is no action"),
        ([PURE[0], SparseStrategy.pure("a", 3)], Z, UnknownNameError, r"plays\[1\] is no action"),
        (
            [PURE[0], SoftmaxStrategy(ListedActions(3), np.zeros(3))],
            Z,
            InvalidInputError,
            r"plays\[1\] is a law on another set",
        ),
    ],
)
def test_bad_input_is_refused_by_name(
    plays: Any, observations: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        unwrap(regret_on)(SET, plays, observations)


def test_what_is_no_action_set_is_refused() -> None:
    for wrong in (3, None, np.eye(3)):
        with pytest.raises(InvalidInputError, match="actions is no action set"):
            unwrap(regret_on)(wrong, PURE, Z)


def test_rows_are_for_sets_whose_actions_are_numbered() -> None:
    actions = Named(SET.matrix)
    with pytest.raises(InvalidInputError, match=r"plays\[0\] is no strategy on the set"):
        regret_on(actions, [[1.0, 0.0, 0.0]], [[0.0, 1.0]])
    plays = [SparseStrategy.pure((0,), 3), SparseStrategy.pure((7,), 3)]
    with pytest.raises(UnknownNameError, match=r"plays\[1\] is no action"):
        regret_on(actions, plays, Z)


def test_too_much_work_is_refused_before_it_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theory.regret._evaluation, "_WORK", 10)
    with pytest.raises(LimitError, match="pass swap=False"):
        regret_on(SET, PURE, Z)
    assert regret_on(SET, PURE, Z, swap=False).holds


@pytest.mark.parametrize(
    "actions", [ListedActions(2), Features(np.array([[1e5, 0.0], [0.0, 1e5]]))]
)
def test_the_least_observations_are_confirmed(actions: Any) -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        z = 5e-324 * rng.integers(-3, 4, (4, 2))
        plays = [SparseStrategy.of({0: p, 1: 1 - p}, 2) for p in rng.random(4)]
        assert regret_on(actions, plays, z).holds


@pytest.mark.parametrize("plays", [np.array(1.0), np.array(None, dtype=object)])
def test_a_scalar_is_no_list_of_strategies(plays: Any) -> None:
    with pytest.raises(InvalidInputError, match="plays is no list of strategies"):
        unwrap(regret_on)(ListedActions(2), plays, [[0.0, 1.0]])


@pytest.mark.slow
def test_sets_of_more_actions_than_python_writes() -> None:
    n = 15_000  # 2^n has more digits than Python writes
    actions = Paths([(i, i + 1) for i in range(n) for _ in range(2)], 0, n)
    play = SparseStrategy.empirical([tuple(range(0, 2 * n, 2))], actions.size)
    found = regret_on(actions, [play], np.ones((1, 2 * n)))
    assert "about 2.82e4515 actions" in repr(found)
    assert "about 2.82e4515 actions" in str(found)
    series = regret_series_on(actions, [play], np.ones((1, 2 * n)), [1])
    assert "about 2.82e4515 actions: external, internal, swap" in repr(series)
    assert "about 2.82e4515 actions" in str(series)


@pytest.mark.parametrize(("rows", "dimension"), [(6, 3), (40, 3), (600, 30), (513, 1)])
def test_the_work_of_best_replies_is_that_of_whole_blocks(
    rows: int, dimension: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = compiling._KERNELS[_kernels.first_maximisers]
    told: list[float] = []

    def chosen(work: float) -> Any:
        told.append(work)
        return known._plain

    monkeypatch.setattr(known, "exact", None)
    monkeypatch.setattr(known, "choose", chosen)
    best_values(Features(np.ones((rows, dimension))), np.ones((5, dimension)))
    products = 5 * max(rows, _kernels.block_width(dimension)) * dimension
    assert products <= told[0] < 20 * products
