"""Sets of actions and their softmax laws against a list of all actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import erf, exp, isclose, log, sqrt
from random import Random
from typing import Any

import learning_cases
import numpy as np
import pytest
from reference import softmax

from theory.actions import (
    ActionSet,
    Allocations,
    BilinearGame,
    Features,
    ListedActions,
    Paths,
    SoftmaxStrategy,
    SparseStrategy,
    Subsets,
    blotto,
    mean_features,
)

Case = tuple[ActionSet, dict[Any, list[Any]]]


# --- sets drawn at random, each with the list of its actions in order


def listed(rng: Random) -> Case:
    size = rng.randint(1, 5)
    return ListedActions(size), softmax.listed(size)


def rows(rng: Random) -> Case:
    """Rows of few values, some of them equal."""
    dimension = rng.randint(1, 4)
    matrix = [[rng.randint(-2, 2) for _ in range(dimension)] for _ in range(rng.randint(1, 5))]
    matrix += matrix[: rng.randint(0, 2)]
    return Features(np.array(matrix, dtype=float)), dict(enumerate(matrix))


def subsets(rng: Random) -> Case:
    n = rng.randint(1, 6)
    k = rng.randint(1, n)
    return Subsets(n, k), softmax.subsets(n, k)


def paths(rng: Random) -> Case:
    """Edges in no order, each on a path from 0 to the last node, some of them twice."""
    last = rng.randint(1, 4)
    pairs = [(i, j) for i in range(last + 1) for j in range(i + 1, last + 1)]
    drawn = [pair for pair in pairs for _ in range(rng.choice((0, 1, 1, 1, 1, 2)))]
    used = {n for route in softmax.routes(drawn, 0, last) for n in route}
    edges = [drawn[n] for n in used] or [(0, last)]
    rng.shuffle(edges)
    table = softmax.paths(edges, 0, last)
    if len(set(edges)) == len(edges):
        table = {softmax.nodes(edges, 0, route): row for route, row in table.items()}
    return Paths(edges, 0, last), table


def allocations(rng: Random) -> Case:
    fields, troops = rng.randint(1, 3), rng.randint(1, 4)
    return Allocations(fields, troops), softmax.allocations(fields, troops)


KINDS: list[Callable[[Random], Case]] = [listed, rows, subsets, paths, allocations]
each_kind = pytest.mark.parametrize("draw", KINDS, ids=lambda draw: draw.__name__)


def directions(rng: Random, dimension: int) -> Iterator[list[float]]:
    """Zero, equal, tied, any, and of a size that overflows exponentials."""
    yield [0.0] * dimension
    yield [float(rng.randint(-3, 3))] * dimension
    yield [float(rng.randint(-1, 1)) for _ in range(dimension)]
    yield [rng.uniform(-3, 3) for _ in range(dimension)]
    yield [float(rng.randint(-2, 2)) * 1000 for _ in range(dimension)]


def drawn(draw: Callable[[Random], Case], seed: int, number: int = 30) -> Iterator[Any]:
    rng = Random(seed)
    for _ in range(number):
        actions, table = draw(rng)
        for z in directions(rng, actions.dimension):
            yield actions, table, z


def close(found: Any, wanted: Any, scale: float = 1.0) -> bool:
    return bool(np.allclose(found, wanted, rtol=0, atol=1e-14 * scale))


# --- every set


@each_kind
def test_sizes_members_and_features(draw: Callable[[Random], Case]) -> None:
    rng = Random(1)
    for _ in range(40):
        actions, table = draw(rng)
        assert actions.size == len(table)
        assert actions.dimension == len(next(iter(table.values())))
        assert all(action in actions for action in table)
        assert np.array_equal(actions.features(list(table)), list(table.values()))
        for foreign in (-1, len(table), (), (0, 0, 0, 0, 9), "a", None):
            assert (foreign in actions) == (foreign in table)


@each_kind
def test_the_best_action_is_the_first(draw: Callable[[Random], Case]) -> None:
    """In the order of the list, which is lexicographic."""
    ties = 0
    for actions, table, z in drawn(draw, 2):
        exact = [round(w) for w in z]
        tied = softmax.best(table, exact)
        ties += len(tied) > 1
        assert actions.best(np.array(exact, dtype=float)) == tied[0]
        assert actions.best(np.array(z)) in softmax.best(table, z)
    assert ties > 25


@each_kind
def test_extremes(draw: Callable[[Random], Case]) -> None:
    for actions, table, z in drawn(draw, 3):
        scale = 1 + max(map(abs, z))
        assert close(actions.extremes(np.array(z)), softmax.extremes(table, z), scale)


@each_kind
def test_partition_functions(draw: Callable[[Random], Case]) -> None:
    for actions, table, z in drawn(draw, 4):
        Z = np.array([z, [-w for w in z], [w / 7 for w in z]])
        wanted = [softmax.log_partition(table, row) for row in Z.tolist()]
        assert close(actions.log_partition(Z), wanted, 1 + max(map(abs, z)))


@each_kind
def test_mean_features(draw: Callable[[Random], Case]) -> None:
    for actions, table, z in drawn(draw, 5):
        wanted = softmax.mean(table, z)
        scale = 1 + max(map(abs, z))
        strategy = SoftmaxStrategy(actions, np.array(z))
        assert close(actions.mean(np.array(z)), wanted, scale)
        assert close(strategy.features(actions), wanted, scale)
        assert close(mean_features(actions, strategy), wanted, scale)


@each_kind
def test_probabilities(draw: Callable[[Random], Case]) -> None:
    for actions, table, z in drawn(draw, 6, 30):
        strategy = SoftmaxStrategy(actions, np.array(z))
        for action, probability in softmax.law(table, z).items():
            assert close(strategy.probability(action), probability, 1 + max(map(abs, z)))


@each_kind
def test_sparse_strategies(draw: Callable[[Random], Case]) -> None:
    rng = Random(7)
    for _ in range(40):
        actions, table = draw(rng)
        weights = [float(w) for w in learning_cases.law(rng, len(table))]
        weighted = dict(zip(table, weights, strict=True))
        strategy = SparseStrategy.of({a: w for a, w in weighted.items() if w}, len(table))
        assert [strategy.probability(a) for a in table] == weights
        wanted = [
            sum(weighted[a] * row[n] for a, row in table.items()) for n in range(actions.dimension)
        ]
        assert close(strategy.features(actions), wanted, 4)
        assert close(mean_features(actions, strategy), wanted, 4)


@each_kind
def test_draws_follow_the_law(draw: Callable[[Random], Case]) -> None:
    """Pearson's statistic over all cells of all cases is within 5 deviations of its mean."""
    draws = 2000
    statistic, degrees = 0.0, 0
    for actions, table, z in drawn(draw, 8, 8):
        law = softmax.law(table, z)
        found = actions.sample(np.array(z), np.random.default_rng(degrees), draws)
        counts = {action: found.count(action) for action in table}
        assert sum(counts.values()) == draws
        assert all(counts[a] == 0 for a in table if law[a] < 1e-12)
        cells = [a for a in table if law[a] * draws >= 10]
        statistic += sum((counts[a] - draws * law[a]) ** 2 / (draws * law[a]) for a in cells)
        degrees += len(cells) - 1
    assert degrees > 40
    assert abs(statistic - degrees) < 5 * sqrt(2 * degrees)


@each_kind
def test_small_noise_leaves_the_leader_and_large_noise_moves_it(
    draw: Callable[[Random], Case],
) -> None:
    random = np.random.default_rng(9)
    for actions, table, z in drawn(draw, 9, 12):
        tied = softmax.best(table, [round(w) for w in z])
        for noise in ("normal", "exponential", "uniform"):
            leader = actions.choose_perturbed(np.array(z).round(), noise, 1e-9, random)
            assert leader in tied
            assert actions.choose_perturbed(np.array(z), noise, 1e4, random) in actions


# --- noise by hand


def one_to_one(noise: str, x: float) -> float:
    """P(n' - n < x) for two draws of noise and x >= 0."""
    if noise == "normal":
        return (1 + erf(x / 2)) / 2
    if noise == "exponential":
        return 1 - exp(-x) / 2
    return 1 - max(0.0, 1 - x) ** 2 / 2


def two_to_one(noise: str, x: float) -> float:
    """P(s - n < x) for the sum s of two draws, and one more draw.

    Exponential: s has density s exp(-s), and n exceeds s - x with probability exp(x - s).
    """
    if noise == "normal":
        return (1 + erf(x / sqrt(6))) / 2
    if noise == "exponential":
        return 1 - (1 + x) * exp(-x) + exp(-x) * (2 * x + 1) / 4
    steps = 2000
    return sum(two_uniforms(x + (k + 0.5) / steps) for k in range(steps)) / steps


def two_uniforms(s: float) -> float:
    """P(n + n' < s) for two uniforms."""
    return s * s / 2 if s < 1 else 1 - max(0.0, 2 - s) ** 2 / 2


SHORTCUT = Paths([(0, 1), (0, 2), (1, 2)], 0, 2)


@pytest.mark.parametrize("noise", ["normal", "exponential", "uniform"])
@pytest.mark.parametrize(
    ("actions", "ahead", "wins"),
    [
        (ListedActions(2), 0, one_to_one),
        (Features(np.array([[1.0, 0.0], [0.0, 1.0]])), 0, one_to_one),
        (Subsets(2, 1), (0,), one_to_one),
        (SHORTCUT, (0, 2), two_to_one),
    ],
    ids=lambda given: type(given).__name__,
)
def test_how_often_the_leader_stays_ahead(
    noise: str, actions: ActionSet, ahead: Any, wins: Callable[[str, float], float]
) -> None:
    """Features of its own count 0.9, and the noise is scaled by 2."""
    z, draws = 0.9 * actions.features([ahead])[0], 1500
    random = np.random.default_rng(10)
    count = sum(actions.choose_perturbed(z, noise, 2.0, random) == ahead for _ in range(draws))
    assert abs(count / draws - wins(noise, 0.45)) < 4.5 * sqrt(0.25 / draws)


# --- bilinear games


def test_payoffs_of_bilinear_games() -> None:
    rng = Random(11)
    for _ in range(40):
        (left, table0), (right, table1) = rng.choice(KINDS)(rng), rng.choice(KINDS)(rng)
        forms = [
            [[rng.uniform(-1, 1) for _ in range(right.dimension)] for _ in range(left.dimension)]
            for _ in range(2)
        ]
        offsets = (rng.uniform(-1, 1), 0.0)
        game = BilinearGame((left, right), (np.array(forms[0]), np.array(forms[1])), offsets)
        laws = [learning_cases.law(rng, len(table)) for table in (table0, table1)]
        plays = [
            {a: float(w) for a, w in zip(table, law, strict=True) if w}
            for table, law in zip((table0, table1), laws, strict=True)
        ]
        means = [
            mean_features(s, SparseStrategy.of(play, s.size))
            for s, play in zip((left, right), plays, strict=True)
        ]
        for player in range(2):
            worth = partial(bilinear, forms[player], offset=offsets[player])
            payoffs = {(a, b): worth(table0[a], table1[b]) for a in table0 for b in table1}
            a, b = rng.choice(list(payoffs))
            assert isclose(game.payoff(player, a, b), payoffs[a, b], abs_tol=1e-12)
            value = sum(
                p * q * payoffs[c, d] for c, p in plays[0].items() for d, q in plays[1].items()
            )
            assert isclose(game.value(player, *means), value, abs_tol=1e-12)
            z = game.observation(player, means[1 - player])
            theirs = plays[1 - player].items()
            own = [
                sum(q * payoffs[(c, d) if player == 0 else (d, c)] for d, q in theirs)
                for c in (table0, table1)[player]
            ]
            scores = softmax.scores((table0, table1)[player], z.tolist()).values()
            assert close([score + offsets[player] for score in scores], own, 10)
            assert close(game.rewards_range(player, z), (min(own), max(own)), 10)


def bilinear(form: list[list[float]], left: list[Any], right: list[Any], offset: float) -> float:
    pairs = product(range(len(left)), range(len(right)))
    return offset + sum(left[i] * form[i][j] * right[j] for i, j in pairs)


def test_blotto() -> None:
    for fields, mine, theirs in product((1, 2, 3), (1, 2, 3), (1, 2)):
        values = [3.0, 1.0, 2.0][:fields]
        for given in (None, values):
            game = blotto(fields, mine, theirs, given)
            for a in softmax.allocations(fields, mine):
                for b in softmax.allocations(fields, theirs):
                    assert isclose(game.payoff(0, a, b), softmax.battle(a, b, given), abs_tol=1e-12)
                    assert isclose(game.payoff(1, a, b), softmax.battle(b, a, given), abs_tol=1e-12)


def test_the_law_of_a_large_set_is_never_listed() -> None:
    """Items that count as the others do are drawn as often: the mean is k / n."""
    actions = Subsets(60, 20)
    assert isclose(float(actions.log_partition(np.zeros((1, 60)))[0]), log(actions.size))
    assert close(actions.mean(np.full(60, -4.0)), np.full(60, 1 / 3))
