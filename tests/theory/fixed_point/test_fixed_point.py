"""Fixed points: which one is returned, how near, and on what."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from theory.actions import SparseStrategy
from theory.fixed_point import MapMixture, fixed_point, fixed_point_residual

F = Fraction


def cycle_like(k: int, rng: np.random.Generator, extra: int) -> MapMixture:
    sources = np.concatenate((np.arange(k), rng.integers(0, k, extra)))
    targets = np.concatenate(((np.arange(k) + 1) % k, rng.integers(0, k, extra)))
    weights = rng.random(len(sources)) * 10.0 ** rng.integers(-6, 1, len(sources))
    return MapMixture.from_arrays(k, sources, targets, weights / weights.sum())


def by_least_squares(maps: MapMixture) -> np.ndarray:
    """Solve the balance equations as they stand; good to a few digits."""
    k = maps.size
    rates = np.zeros((k, k))
    np.add.at(rates, (maps.moves.sources, maps.moves.targets), maps.moves.weights)
    for j, w in zip(*maps.constants, strict=True):
        rates[:, j] += w
    balance = np.vstack(((rates - np.diag(rates.sum(axis=1))).T, np.ones(k)))
    return np.linalg.lstsq(balance, np.append(np.zeros(k), 1.0))[0]


def in_fractions(maps: MapMixture) -> MapMixture:
    moves: dict[tuple[int, int], Fraction] = {}
    for i, j, w in zip(*(row.tolist() for row in maps.moves), strict=True):
        moves[i, j] = moves.get((i, j), F(0)) + F(w)
    total = max(sum(moves.values()), F(1))
    return MapMixture.of(maps.size, {pair: w / total for pair, w in moves.items()})


# --- which one


@pytest.mark.parametrize("e", [1e-10, 1e-16, 1e-200, 1e-300, 5e-324])
def test_nearly_decoupled_chains(e: float) -> None:
    found = fixed_point(MapMixture.from_matrix([[1 - e, e], [2 * e, 1 - 2 * e]]))
    assert np.allclose(found.weights, [2 / 3, 1 / 3], rtol=1e-15, atol=0)
    assert found.gap <= e
    assert found.unique


def test_a_linear_program_is_far_off_where_the_residual_is_small() -> None:
    """Why elimination is the default: the solver calls any law optimal here."""
    e = 1e-10
    maps = MapMixture.from_matrix([[1 - e, e], [2 * e, 1 - 2 * e]])
    found = fixed_point(maps, method="highs")
    assert found.gap <= 1e-9
    assert abs(found.probability(0) - 2 / 3) > 0.1


def test_an_index_that_no_move_leaves_is_absorbing() -> None:
    maps = MapMixture.of(3, {(1, 2): F(1, 2)})
    assert fixed_point(maps).support == (0,)
    assert fixed_point(maps, start=1).support == (2,)
    assert fixed_point_residual(maps, {1: 1}) == 1
    assert not fixed_point(maps).unique
    assert fixed_point(maps).sources == 1
    assert fixed_point(maps).touched == 2


@pytest.mark.parametrize("kind", [F, float])
def test_the_lowest_class_is_chosen(kind: type) -> None:
    half = kind(F(1, 8))
    pairs = [(1, 4), (4, 1), (0, 2), (2, 3), (3, 2), (5, 1), (5, 2)]
    maps = MapMixture.of(6, dict.fromkeys(pairs, half))
    assert fixed_point(maps).support == (1, 4)
    assert fixed_point(maps, start=0).support == (2, 3)
    assert fixed_point(maps, start=3).support == (2, 3)
    assert fixed_point(maps, start=5).support == (1, 4)
    assert not fixed_point(maps).unique
    joined = MapMixture.of(6, dict.fromkeys([*pairs, (4, 2)], half))
    assert fixed_point(joined).support == (2, 3)
    assert fixed_point(joined).unique


def test_the_lowest_untouched_index_beats_a_class_above_it() -> None:
    maps = MapMixture.of(10**18, {(0, 3): 0.25, (3, 5): 0.25, (5, 3): 0.5})
    assert fixed_point(maps).support == (1,)
    assert fixed_point(maps, start=0).support == (3, 5)
    assert fixed_point(maps, start=10**17).support == (10**17,)


@pytest.mark.parametrize("kind", [F, float])
def test_constant_maps_leave_one_class(kind: type) -> None:
    maps = MapMixture.of(9, {(7, 8): kind(F(1, 4)), (2, 3): kind(F(1, 4))}, {7: kind(F(1, 2))})
    found = fixed_point(maps)
    assert found.support == (7, 8)
    assert [float(w) for w in found.weights] == pytest.approx([2 / 3, 1 / 3], abs=1e-15)
    assert found.unique
    assert fixed_point(maps, start=0).support == (7, 8)
    only = fixed_point(MapMixture.of(10**30, {}, {10**29: kind(F(1, 2))}))
    assert only.support == (10**29,)
    assert only.unique


def test_nothing_moves() -> None:
    for maps in (MapMixture.of(4), MapMixture.from_arrays(4, [2], [2], [1.0])):
        assert fixed_point(maps).support == (0,)
        assert fixed_point(maps, start=3).support == (3,)
        assert fixed_point(maps, method="highs").support == (0,)
        assert not fixed_point(maps).unique
    assert fixed_point(MapMixture.of(1)).unique


@pytest.mark.parametrize("k", [2, 3, 17, 300])
def test_periodic_cycles(k: int) -> None:
    """All weight on the cycle: powers of Q never settle, the fixed point is uniform."""
    P = np.roll(np.eye(k), 1, axis=1)
    found = fixed_point(MapMixture.from_matrix(P))
    assert np.allclose(found.weights, 1 / k, rtol=1e-14, atol=0)
    assert found.gap <= 1e-15
    exact = fixed_point(MapMixture.of(k, {(i, (i + 1) % k): F(i + 1, k * k) for i in range(k)}))
    harmonic = sum(F(1, i + 1) for i in range(k))
    assert exact.weights == tuple(1 / (i + 1) / harmonic for i in map(F, range(k)))
    assert exact.gap == 0


# --- how near


@pytest.mark.parametrize("k", [2, 5, 30, 120, 400])
@pytest.mark.parametrize("seed", range(3))
def test_dense_chains(k: int, seed: int) -> None:
    P = np.random.default_rng([seed, k]).random((k, k))
    P /= P.sum(axis=1, keepdims=True)
    maps = MapMixture.from_matrix(P)
    found = fixed_point(maps)
    assert found.gap <= 1e-14
    assert np.abs(found.dense() @ P - found.dense()).sum() <= 1e-14
    assert np.abs(by_least_squares(maps) - found.dense()).max() <= 1e-9


@pytest.mark.parametrize(("k", "extra"), [(10, 5), (60, 30), (200, 100), (200, 1500), (3000, 900)])
def test_cycle_like_chains(k: int, extra: int) -> None:
    maps = cycle_like(k, np.random.default_rng(k + extra), extra)
    found = fixed_point(maps)
    assert len(found.support) == k
    assert found.unique
    assert found.gap <= 1e-14
    assert abs(found.weights.sum() - 1) <= 1e-12


@pytest.mark.parametrize(("k", "extra", "seed"), [(6, 8, 0), (12, 10, 1), (25, 60, 2), (40, 20, 3)])
def test_floats_have_the_digits_of_fractions(k: int, extra: int, seed: int) -> None:
    maps = cycle_like(k, np.random.default_rng(seed), extra)
    exact = fixed_point(in_fractions(maps))
    assert exact.gap == 0
    found = fixed_point(maps)
    assert found.support == exact.support
    assert np.allclose(found.weights, [float(w) for w in exact.weights], rtol=1e-13, atol=0)


@pytest.mark.parametrize("method", ["highs", "cvxpy"])
@pytest.mark.parametrize("jumping", [False, True])
def test_linear_programs_agree_with_elimination(method: str, jumping: bool) -> None:
    rng = np.random.default_rng(int(jumping))
    for k in (2, 7, 25):
        pairs = [(i, j) for i in range(k) for j in range(k) if rng.random() < 0.4 or j == i + 1]
        pairs.append((k - 1, 0))
        sources, targets = np.array(pairs).T
        weights = rng.random(len(pairs)) + 0.1
        weights *= (0.5 if jumping else 1.0) / weights.sum()
        jumps = {"constants": [0, k - 1], "constant_weights": [0.2, 0.3]} if jumping else {}
        maps = MapMixture.from_arrays(k, sources, targets, weights, **jumps)
        found, program = fixed_point(maps), fixed_point(maps, method=method)
        assert np.abs(found.dense() - program.dense()).max() <= 1e-6
        assert program.gap <= 1e-7
        assert program.method == method
        assert program.unique


def test_weights_below_what_float64_resolves() -> None:
    """0 is left 10^200 times more easily than 1, and 1 than 2."""
    maps = MapMixture.of(3, {(0, 1): 0.5, (1, 2): 1e-200, (1, 0): 1e-300, (2, 1): 5e-324})
    found = fixed_point(maps)
    assert np.isfinite(found.weights).all()
    assert found.probability(2) == 1.0
    assert found.gap <= 1e-15
    chain = {(i, i + 1): 0.01 for i in range(40)} | {(i + 1, i): 1e-150 for i in range(40)}
    assert fixed_point(MapMixture.of(41, chain)).probability(40) == 1.0
    away = {(i, i + 1): 1e-150 for i in range(40)} | {(i + 1, i): 0.01 for i in range(40)}
    assert fixed_point(MapMixture.of(41, away)).probability(0) == 1.0


def test_a_way_back_whose_weight_underflows() -> None:
    """From 1 on, 0 is reached with weight 10^-400: all but nothing of the mass is in 1."""
    maps = MapMixture.of(3, {(0, 1): 0.4, (1, 2): 1e-200, (2, 1): 0.5, (2, 0): 1e-200})
    found = fixed_point(maps)
    assert found.probability(1) == 1.0
    assert found.probability(2) == pytest.approx(2e-200)
    assert found.gap <= 1e-16


# --- on what


def test_indices_of_any_size() -> None:
    a, b = 10**40, 10**40 + 7
    for half in (F(1, 2), 0.5):
        maps = MapMixture.of(10**50, {(a, b): half, (b, a): half / 2})
        found = fixed_point(maps, start=a)
        assert found.support == (a, b)
        assert [float(w) for w in found.weights] == pytest.approx([1 / 3, 2 / 3], abs=1e-15)
        assert fixed_point(maps).support == (0,)
        assert fixed_point_residual(maps, found) <= 1e-16
    program = fixed_point(MapMixture.of(10**50, {(a, b): 0.5, (b, a): 0.25}), method="highs")
    assert program.support == (a, b)


def test_repeated_moves_add_up() -> None:
    maps = MapMixture.from_arrays(2, [0, 1, 0, 1], [1, 0, 1, 1], [0.1, 0.3, 0.2, 0.4])
    assert fixed_point(maps).weights.tolist() == pytest.approx([0.5, 0.5], abs=1e-15)
    assert len(maps.moves.weights) == 3


def test_arrays_are_copied() -> None:
    weights = np.array([0.5, 0.25])
    maps = MapMixture.from_arrays(2, [0, 1], [1, 0], weights)
    weights[:] = 0
    assert maps.moves.weights.tolist() == [0.5, 0.25]
    with pytest.raises(ValueError, match="read-only"):
        maps.moves.weights[0] = 0


# --- residual and application


def test_the_residual_is_that_of_the_definition() -> None:
    rng = np.random.default_rng(5)
    for k in (2, 5, 40):
        maps = MapMixture.from_arrays(
            k,
            rng.integers(0, k, 3 * k),
            rng.integers(0, k, 3 * k),
            rng.dirichlet(np.ones(3 * k)) * 0.6,
            constants=rng.integers(0, k, 2),
            constant_weights=[0.1, 0.2],
        )
        x = rng.dirichlet(np.ones(k))
        moved = maps.apply(x)
        assert sum(moved.values()) == pytest.approx(1)
        wanted = sum(abs(moved.get(i, 0.0) - x[i]) for i in range(k))
        assert fixed_point_residual(maps, x) == pytest.approx(wanted, abs=1e-15)
        for few in ({0: 0.5, k - 1: 0.5}, {0: 1.0}, {1: 0.25, 0: 0.75}):
            moved = maps.apply(few)
            wanted = sum(abs(moved.get(i, 0.0) - few.get(i, 0.0)) for i in range(k))
            assert fixed_point_residual(maps, few) == pytest.approx(wanted, abs=1e-15)
            step = 10**15
            spread = MapMixture.from_arrays(
                k * step,
                maps.moves.sources * step,
                maps.moves.targets * step,
                maps.moves.weights,
                constants=maps.constants.targets * step,
                constant_weights=maps.constants.weights,
            )
            apart = {i * step: p for i, p in few.items()}
            assert fixed_point_residual(spread, apart) == pytest.approx(wanted, abs=1e-15)


def test_a_wrong_law_has_a_residual() -> None:
    maps = MapMixture.of(3, {(0, 1): F(1, 4), (1, 2): F(1, 4), (2, 0): F(1, 2)})
    found = fixed_point(maps)
    assert found.weights == (F(2, 5), F(2, 5), F(1, 5))
    assert fixed_point_residual(maps, {0: F(2, 5), 1: F(1, 5), 2: F(2, 5)}) == F(3, 10)
    swapped = found.strategy.dense()[::-1]
    assert fixed_point_residual(maps.as_floats(), swapped) > 0.1


def test_a_law_may_be_written_in_many_ways() -> None:
    maps = MapMixture.of(4, {(0, 1): 0.5, (1, 0): 0.25})
    ways: list[Any] = [
        {0: 0.25, 1: 0.75},
        [0.25, 0.75, 0, 0],
        np.array([0.25, 0.75, 0, 0]),
        SparseStrategy.of({1: 0.75, 0: 0.25}, 4),
    ]
    assert [fixed_point_residual(maps, way) for way in ways] == [0.125] * 4
    assert [maps.apply(way) for way in ways] == [{0: 0.3125, 1: 0.6875}] * 4
    assert fixed_point_residual(maps, {2: 1}) == 0


# --- what is shown


def test_results_are_strategies() -> None:
    found = fixed_point(MapMixture.of(5, {(1, 2): "1/3", (2, 1): "1/6"}), start=2)
    assert found.strategy.actions == (1, 2)
    assert found.strategy.weights.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert found.probability(1) == F(1, 3)
    assert found.probability(4) == 0
    assert found.dense().tolist() == [0, F(1, 3), F(2, 3), 0, 0]


def test_text_says_what_matters() -> None:
    found = fixed_point(MapMixture.of(5, {(1, 2): "1/3", (2, 1): "1/6"}), start=2)
    assert str(found).splitlines()[0] == (
        "Fixed point on 2 of 5 indices (one of several), by gth: residual 0"
    )
    assert "1/3" in str(found)
    assert "<td>2/3</td>" in found._repr_html_()
    many = fixed_point(MapMixture.from_matrix(np.full((40, 40), 1 / 40)))
    assert "28 more" in str(many)
    assert "the only one" in str(many)
    maps = MapMixture.of(10**6, {(1, 2): 0.5}, {3: 0.25})
    assert str(maps) == "1 move and 1 constant map of 1,000,000 indices, 3 touched (float64)"
