"""Regret against its definitions: every deviation tried, in Fractions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import learning_cases
import numpy as np
import pytest
from reference import regret as oracle
from reference import softmax

from theory.actions import (
    ActionSet,
    Allocations,
    Features,
    ListedActions,
    Paths,
    SoftmaxStrategy,
    SparseStrategy,
    Subsets,
)
from theory.regret import Regret, regret, regret_on, regret_series, regret_series_on

Rows = list[list[Any]]


def as_map(moves: Mapping[Any, Any], size: int) -> tuple[int, ...]:
    return tuple(moves.get(a, a) for a in range(size))


def agrees_exactly(found: Regret, plays: Rows, rewards: Rows) -> None:
    size = len(plays[0])
    assert (found.rounds, found.size, found.arithmetic) == (len(plays), size, "exact")
    assert found.earned == oracle.earned(plays, rewards)
    assert (found.external.gain, found.external.action) == oracle.external(plays, rewards)
    gain, pair = oracle.internal(plays, rewards)
    assert found.internal.gain == found.internal.upper == gain
    if pair is None:
        assert found.internal.source == found.internal.target
    else:
        assert (found.internal.source, found.internal.target) == pair
    assert found.swap.map is not None
    move = as_map(found.swap.map, size)
    assert found.swap.gain == found.swap.upper == oracle.swap(plays, rewards)[0]
    assert oracle.gain(plays, rewards, move) == found.swap.gain
    wanted = oracle.conditional(plays, rewards)
    assert [c.action for c in found.conditionals] == list(wanted)
    for c in found.conditionals:
        weight, reply, rate = wanted[c.action]
        assert (c.weight, c.gain, c.per_weight) == (weight, weight * rate, rate)
        assert c.best_reply == move[c.action] == (reply if rate > 0 else c.action)
    assert (found.gap, found.holds) == (0, True)


@pytest.mark.parametrize(("sizes", "number"), [((1, 2, 3), 200), ((4,), 20), ((5,), 2)])
def test_exact_regret(sizes: tuple[int, ...], number: int) -> None:
    rng = Random(sum(sizes))
    for _ in range(number):
        plays, rewards = learning_cases.history(rng, sizes, 5)
        agrees_exactly(regret(plays, rewards), plays, rewards)


def test_text_and_integers_are_exact() -> None:
    rng = Random(1)
    for _ in range(100):
        plays, rewards = learning_cases.history(rng, (1, 2, 3), 4)
        texts = [[str(x) for x in row] for row in plays]
        whole = [[int(6 * x) for x in row] for row in rewards]
        agrees_exactly(regret(texts, whole), plays, [[Fraction(x) for x in row] for row in whole])


def test_a_witness_that_gains_nothing_names_no_move() -> None:
    """Each told action is its own best reply in all of these."""
    rng = Random(2)
    for _ in range(100):
        _, rewards = learning_cases.history(rng, (1, 2, 3, 4), 4)
        best = [[int(a == row.index(max(row))) for a in range(len(row))] for row in rewards]
        found = regret(best, rewards)
        assert (found.internal.gain, found.swap.gain, found.swap.map) == (0, 0, {})
        assert found.external.gain <= 0


# --- floats


def near(found: Any, wanted: Any) -> bool:
    return bool(abs(found - wanted) <= 1e-12)


def agrees_nearly(
    found: Regret, plays: Rows, rewards: Rows, names: list[Any] | None = None
) -> None:
    """``names`` are the actions in order, where they are no numbers."""
    size = len(plays[0])
    order = list(range(size)) if names is None else names
    place = {name: n for n, name in enumerate(order)}
    assert found.arithmetic == "float64"
    assert found.holds
    assert near(found.earned, oracle.earned(plays, rewards))
    external, internal = oracle.external(plays, rewards)[0], oracle.internal(plays, rewards)[0]
    assert near(found.external.gain, external)
    constant = oracle.constant(size, place[found.external.action])
    assert near(oracle.gain(plays, rewards, constant), external)
    assert near(found.internal.gain, internal)
    single = oracle.single(size, place[found.internal.source], place[found.internal.target])
    assert near(oracle.gain(plays, rewards, single), internal)
    swap = sum(weight * rate for weight, _, rate in oracle.conditional(plays, rewards).values())
    if found.swap.map is None:
        assert found.swap.gain - 1e-12 <= swap <= found.swap.upper + 1e-12
    else:
        assert near(found.swap.gain, swap)
        move = as_map({place[i]: place[j] for i, j in found.swap.map.items()}, size)
        assert near(oracle.gain(plays, rewards, move), swap)


def floats(rows: Rows) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in rows])


def test_float_regret() -> None:
    rng = Random(3)
    for _ in range(200):
        plays, rewards = learning_cases.history(rng, (1, 2, 3, 4, 5), 5)
        found = regret(floats(plays), floats(rewards))
        agrees_nearly(found, plays, rewards)
        wanted = oracle.conditional(plays, rewards)
        assert [c.action for c in found.conditionals] == list(wanted)
        for c in found.conditionals:
            weight, _, rate = wanted[c.action]
            assert near(c.weight, weight)
            assert near(c.gain, weight * rate)


def test_sparse_plays_are_the_same_plays() -> None:
    rng = Random(4)
    for _ in range(100):
        plays, rewards = learning_cases.history(rng, (1, 2, 3, 4, 5), 5)
        agrees_nearly(regret([sparse(row) for row in plays], floats(rewards)), plays, rewards)


def sparse(row: list[Any], names: list[Any] | None = None) -> SparseStrategy:
    order = range(len(row)) if names is None else names
    return SparseStrategy.of(
        {name: float(x) for name, x in zip(order, row, strict=True) if x}, len(row)
    )


def test_series_are_the_regrets_of_the_first_rounds() -> None:
    rng = Random(5)
    for _ in range(60):
        plays, rewards = learning_cases.history(rng, (1, 2, 3, 4), 6)
        ends = [t for t in range(1, len(plays) + 1) if rng.randrange(3)] or [len(plays)]
        found = [
            regret_series(floats(plays), floats(rewards)),
            regret_series(floats(plays), floats(rewards), ends),
            regret_series_on(
                ListedActions(len(plays[0])), [sparse(row) for row in plays], floats(rewards), ends
            ),
        ]
        for series, rounds in zip(found, (range(1, len(plays) + 1), ends, ends), strict=True):
            assert list(series.rounds) == list(rounds)
            assert series.external is not None
            assert series.internal is not None
            assert series.swap is not None
            for n, t in enumerate(rounds):
                past = plays[:t], rewards[:t]
                assert near(series.external[n], oracle.external(*past)[0])
                assert near(series.internal[n], oracle.internal(*past)[0])
                swap = sum(w * rate for w, _, rate in oracle.conditional(*past).values())
                assert near(series.swap[n], swap)
            assert series.gap <= series.tolerance


# --- sets of actions


def listed(rng: Random) -> tuple[ActionSet, dict[Any, list[Any]]]:
    size = rng.randint(1, 5)
    return ListedActions(size), softmax.listed(size)


def rows(rng: Random) -> tuple[ActionSet, dict[Any, list[Any]]]:
    matrix = [[rng.randint(-2, 2) for _ in range(3)] for _ in range(rng.randint(1, 5))]
    matrix += matrix[: rng.randint(0, 2)]
    return Features(np.array(matrix, dtype=float)), dict(enumerate(matrix))


def subsets(rng: Random) -> tuple[ActionSet, dict[Any, list[Any]]]:
    n = rng.randint(1, 4)
    k = rng.randint(1, n)
    return Subsets(n, k), softmax.subsets(n, k)


def paths(rng: Random) -> tuple[ActionSet, dict[Any, list[Any]]]:
    edges = [(0, 1), (1, 3), (0, 2), (2, 3), (1, 2), (0, 3)][: rng.choice((2, 4, 5, 6))]
    table = softmax.paths(edges, 0, 3)
    return Paths(edges, 0, 3), {softmax.nodes(edges, 0, r): row for r, row in table.items()}


def allocations(rng: Random) -> tuple[ActionSet, dict[Any, list[Any]]]:
    fields, troops = rng.randint(1, 3), rng.randint(1, 2)
    return Allocations(fields, troops), softmax.allocations(fields, troops)


@pytest.mark.parametrize("swap", [True, False])
@pytest.mark.parametrize(
    "draw", [listed, rows, subsets, paths, allocations], ids=lambda draw: draw.__name__
)
def test_regret_on_sets_of_actions(
    draw: Callable[[Random], tuple[ActionSet, dict[Any, list[Any]]]], swap: bool
) -> None:
    rng = Random(6)
    for _ in range(25):
        actions, table = draw(rng)
        names, rounds = list(table), rng.randint(1, 5)
        observations = [learning_cases.numbers(rng, actions.dimension) for _ in range(rounds)]
        rewards = [
            [sum(f * w for f, w in zip(row, z, strict=True)) for row in table.values()]
            for z in observations
        ]
        plays = [learning_cases.law(rng, len(table)) for _ in range(rounds)]
        given = [sparse(row, names) for row in plays]
        found = regret_on(actions, given, floats(observations), swap=swap)
        agrees_nearly(found, plays, rewards, names)
        if swap:
            assert found.swap.known
        assert found.internal.known


@pytest.mark.parametrize("draw", [listed, rows, subsets, paths, allocations])
def test_regret_of_softmax_play(
    draw: Callable[[Random], tuple[ActionSet, dict[Any, list[Any]]]],
) -> None:
    """Where the law is too large to go through, the truth is within what is said."""
    rng = Random(7)
    for _ in range(20):
        actions, table = draw(rng)
        rounds = rng.randint(1, 4)
        observations = [learning_cases.numbers(rng, actions.dimension) for _ in range(rounds)]
        scores = [learning_cases.numbers(rng, actions.dimension) for _ in range(rounds)]
        rewards = [list(softmax.scores(table, z).values()) for z in floats(observations).tolist()]
        plays = [list(softmax.law(table, z).values()) for z in floats(scores).tolist()]
        given = [SoftmaxStrategy(actions, z) for z in floats(scores)]
        found = regret_on(actions, given, floats(observations))
        assert near(found.external.gain, oracle.external(plays, rewards)[0])
        internal = oracle.internal(plays, rewards)[0]
        assert found.internal.gain - 1e-12 <= internal <= found.internal.upper + 1e-12
        swap = sum(w * rate for w, _, rate in oracle.conditional(plays, rewards).values())
        assert found.swap.gain - 1e-12 <= swap <= found.swap.upper + 1e-12


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1e-6, 1e-3])
def test_small_rewards_are_confirmed(scale: float) -> None:
    """Of plays whose weights are rounded in another way by another order of summing."""
    plays = np.array([[1 / 4, 3 / 4], [5 / 6, 1 / 6], [5 / 6, 1 / 6]])
    assert regret(plays, np.full((3, 2), scale)).holds


def test_a_planted_fault_is_seen() -> None:
    """The comparison fails on rewards that are off by a hair."""
    plays, rewards = [[Fraction(1, 2)] * 2], [[Fraction(0), Fraction(1)]]
    off = [[Fraction(0), Fraction(1) + Fraction(1, 10**9)]]
    with pytest.raises(AssertionError):
        agrees_exactly(regret(plays, rewards), plays, off)
    with pytest.raises(AssertionError):
        agrees_nearly(regret(floats(plays), floats(rewards)), plays, off)
