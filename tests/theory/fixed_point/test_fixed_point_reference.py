"""Fixed points of mixtures of maps against all stationary laws in Fractions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import learning_cases
import numpy as np
import pytest
from reference import fixed_points

from theory.fixed_point import MapMixture, fixed_point, fixed_point_residual

F = Fraction
Maps = tuple[int, dict[tuple[int, int], Fraction], dict[int, Fraction]]
METHODS = ["gth", "highs", "cvxpy"]


def drawn(seed: int, number: int, largest: int = 5) -> Iterator[tuple[Random, Maps]]:
    """Half of the mixtures have constant maps."""
    rng = Random(seed)
    for turn in range(number):
        size = rng.randint(1, largest)
        yield rng, (size, *learning_cases.maps(rng, size, turn % 2 == 1))


def floats(maps: Maps) -> MapMixture:
    size, moves, constants = maps
    return MapMixture.of(
        size,
        moves={pair: float(w) for pair, w in moves.items()},
        constants={j: float(w) for j, w in constants.items()},
    ).as_floats()


def dense(strategy: Any, size: int) -> list[Any]:
    """A fixed point's law over all actions."""
    weights = dict(zip(strategy.support, strategy.weights, strict=True))
    return [weights.get(i, 0) for i in range(size)]


# --- exact


def test_exact_fixed_points_are_the_chosen_laws() -> None:
    several = 0
    for rng, (size, moves, constants) in drawn(1, 300):
        P = fixed_points.matrix(size, moves, constants)
        maps = MapMixture.of(size, moves=moves, constants=constants)
        found = fixed_point(maps)
        assert dense(found, size) == fixed_points.chosen(P)
        assert all(type(w) is Fraction for w in found.weights)
        assert found.gap == 0
        assert found.unique == (len(fixed_points.closed_classes(P)) == 1)
        several += not found.unique
        start = rng.randrange(size)
        assert dense(fixed_point(maps, start=start), size) == fixed_points.chosen(P, start)
    assert several > 40


def test_every_class_is_found_from_within() -> None:
    for _, (size, moves, constants) in drawn(2, 200):
        P = fixed_points.matrix(size, moves, constants)
        maps = MapMixture.of(size, moves=moves, constants=constants)
        for states, law in zip(
            fixed_points.closed_classes(P), fixed_points.extreme_laws(P), strict=True
        ):
            for start in states:
                assert dense(fixed_point(maps, start=start), size) == law


def test_exact_residuals_of_any_law() -> None:
    for rng, (size, moves, constants) in drawn(3, 400):
        P = fixed_points.matrix(size, moves, constants)
        maps = MapMixture.of(size, moves=moves, constants=constants)
        law = learning_cases.law(rng, size)
        residual = fixed_point_residual(maps, law)
        assert residual == fixed_points.residual(P, law)
        assert type(residual) is Fraction
        assert (residual == 0) == fixed_points.is_mixture(P, law)


def test_stochastic_matrices_are_mixtures_of_maps() -> None:
    rng = Random(4)
    for _ in range(300):
        size = rng.randint(1, 5)
        P = [learning_cases.law(rng, size) for _ in range(size)]
        found = fixed_point(MapMixture.from_matrix(P))
        assert dense(found, size) == fixed_points.chosen(P)


# --- floats


@pytest.mark.parametrize("method", METHODS)
def test_float_fixed_points_stay_and_are_the_chosen_laws(method: str) -> None:
    if method == "cvxpy":
        pytest.importorskip("cvxpy")
    number = {"gth": 250, "highs": 50, "cvxpy": 8}[method]
    for _, maps in drawn(5, number):
        size, moves, constants = maps
        P = fixed_points.matrix(size, moves, constants)
        found = fixed_point(floats(maps), method=method)
        law = dense(found, size)
        tolerance = 1e-14 if method == "gth" else 1e-7
        assert min(law) >= 0
        assert abs(sum(law) - 1) <= 1e-12
        assert found.gap <= tolerance
        assert abs(float(fixed_points.residual(P, law)) - found.gap) <= 1e-14
        if method == "gth":
            assert np.allclose(law, [float(x) for x in fixed_points.chosen(P)], rtol=1e-12, atol=0)


def test_nearly_decoupled_chains_keep_their_digits() -> None:
    """Weights of all sizes: every entry of the law is right to 12 digits."""
    rng = Random(6)
    for _ in range(200):
        size = rng.randint(2, 5)
        moves = {
            (i, j): 10.0 ** -rng.randint(2, 30)
            for i in range(size)
            for j in range(size)
            if i != j and (j == (i + 1) % size or rng.randrange(2))
        }
        P = fixed_points.matrix(size, {pair: F(w) for pair, w in moves.items()}, {})
        found = fixed_point(MapMixture.of(size, moves=moves))
        wanted = [float(x) for x in fixed_points.chosen(P)]
        assert np.allclose(np.array(dense(found, size), float), wanted, rtol=1e-12, atol=0)


def test_float_residuals_of_any_law() -> None:
    for rng, maps in drawn(7, 300):
        size, moves, constants = maps
        law = learning_cases.law(rng, size)
        wanted = fixed_points.residual(fixed_points.matrix(size, moves, constants), law)
        found = fixed_point_residual(floats(maps), np.array([float(x) for x in law]))
        assert abs(found - wanted) <= 1e-14


def test_arrays_and_mappings_make_the_same_mixture() -> None:
    for _, maps in drawn(8, 200):
        size, moves, constants = maps
        given = MapMixture.from_arrays(
            size,
            np.array([i for i, _ in moves], dtype=np.int64),
            np.array([j for _, j in moves], dtype=np.int64),
            np.array([float(w) for w in moves.values()]),
            constants=np.array(list(constants), dtype=np.int64),
            constant_weights=np.array([float(w) for w in constants.values()]),
        )
        one, other = fixed_point(given), fixed_point(floats(maps))
        assert one.support == other.support
        assert np.allclose(one.weights, other.weights, rtol=1e-13, atol=0)


# --- few indices among very many


@pytest.mark.parametrize("exact", [True, False])
def test_only_what_is_touched_matters(exact: bool) -> None:
    """The same maps on every 10^15th of 10^18 indices; what nothing touches stays."""
    step, far = 10**15, 10**18
    for rng, (size, moves, constants) in drawn(9, 200):
        kind = (lambda w: w) if exact else float
        maps = MapMixture.of(
            far,
            moves={(i * step, j * step): kind(w) for (i, j), w in moves.items()},
            constants={j * step: kind(w) for j, w in constants.items()},
        )
        P = fixed_points.matrix(size, moves, constants)
        start = rng.randrange(size)
        found = fixed_point(maps, start=start * step)
        wanted = {i * step: w for i, w in enumerate(fixed_points.chosen(P, start)) if w}
        assert list(found.support) == list(wanted)
        assert np.allclose([float(w) for w in found.weights], [float(w) for w in wanted.values()])
        assert found.gap <= (0 if exact else 1e-14)
        if not constants:
            assert tuple(fixed_point(maps, start=step // 2).support) == (step // 2,)
            lowest = fixed_points.chosen(P)
            wanted_support = [i * step for i, w in enumerate(lowest) if w] if lowest[0] else [1]
            assert list(fixed_point(maps).support) == wanted_support


def test_an_interrupted_chain_by_hand() -> None:
    """The rest of the weight is the identity: nothing else changes where a chain rests."""
    thirds = MapMixture.of(3, moves={(0, 1): F(1, 3), (1, 0): F(1, 6)})
    assert dense(fixed_point(thirds), 3) == [F(1, 3), F(2, 3), 0]
    assert dense(fixed_point(thirds, start=2), 3) == [0, 0, 1]
    assert not fixed_point(thirds).unique


def test_solving_on_the_sources_alone_is_seen_to_be_wrong() -> None:
    """Half of 0 goes to 1: the source by itself is no fixed point (oracles.lemma-3)."""
    maps = MapMixture.of(3, moves={(0, 1): F(1, 2)})
    assert fixed_point_residual(maps, [1, 0, 0]) == 1
    assert dense(fixed_point(maps), 3) == [0, 1, 0]
