"""Gaps and best equilibria against their definitions and against all vertices, in Fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import learning_cases
import numpy as np
import pytest
from learning_cases import Game
from reference import polytopes
from reference import regret as oracle

from theory.correlated import (
    CorrelatedEquilibrium,
    EquilibriumGaps,
    correlated_equilibrium,
    empirical_distribution,
    equilibrium_gaps,
    nash_gap,
)
from theory.normal_form import NormalFormGame, from_nfg, to_nfg

F = Fraction
SHAPES = [(1,), (3,), (1, 1), (2, 2), (2, 3), (3, 1), (3, 3), (2, 2, 2), (1, 2, 3), (2, 1, 2, 2)]


def normal_form(game: Game, exact: bool = True) -> NormalFormGame:
    shape = oracle.shape(game)
    payoffs = [
        learning_cases.nested({a: u[p] for a, u in game.items()}, shape) for p in range(len(shape))
    ]
    if exact:
        return NormalFormGame.of(payoffs)
    return NormalFormGame.of([np.array(table, dtype=float) for table in payoffs])


def joint(rng: Random, game: Game) -> dict[tuple[int, ...], Fraction]:
    """A law over profiles with what is never played left out."""
    weights = learning_cases.law(rng, len(game))
    return {a: w for a, w in zip(game, weights, strict=True) if w}


def number(action: str) -> int:
    """Actions that are not named are called 0, 1, and so on."""
    return int(action)


# --- the game itself


@pytest.mark.parametrize("shape", SHAPES)
def test_payoffs_and_expected_rewards(shape: tuple[int, ...]) -> None:
    rng = Random(1)
    for _ in range(8):
        table = learning_cases.game(rng, shape)
        game, floats = normal_form(table), normal_form(table, exact=False)
        assert (game.shape, game.exact, floats.exact) == (shape, True, False)
        strategies = [learning_cases.law(rng, size) for size in shape]
        for player, profile in product(range(len(shape)), table):
            assert game.payoff(player, profile) == table[profile][player]
        for player in range(len(shape)):
            wanted = oracle.own_rewards(table, strategies, player)
            assert list(game.rewards(player, strategies).scalars()) == wanted
            mixed = [np.array([float(x) for x in row]) for row in strategies]
            found = list(floats.rewards(player, mixed).scalars())
            assert np.allclose(found, [float(x) for x in wanted], rtol=0, atol=1e-13)


@pytest.mark.parametrize("outcomes", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_gambit_text_comes_back(shape: tuple[int, ...], outcomes: bool) -> None:
    rng = Random(2)
    for _ in range(4):
        table = learning_cases.game(rng, shape)
        again = from_nfg(to_nfg(normal_form(table), outcomes=outcomes))
        assert again.shape == shape
        for player, profile in product(range(len(shape)), table):
            assert again.payoff(player, profile) == table[profile][player]


# --- gaps of a law


def agrees(
    found: EquilibriumGaps,
    game: Game,
    law: dict[tuple[int, ...], Fraction],
    within: float = 0,
) -> None:
    def same(one: Any, other: Any) -> bool:
        return bool(abs(one - other) <= within)

    wanted = oracle.gaps(game, law)
    assert same(found.cce, wanted["cce"])
    assert same(found.ce, wanted["ce"])
    assert same(found.swap, wanted["swap"])
    given = []
    for player, of in enumerate(found.players):
        size = oracle.shape(game)[player]
        gaps = oracle.player_gaps(game, law, player)
        assert same(of.payoff, oracle.expected(game, law, player))
        assert same(of.external.gain, gaps["external"])
        assert same(of.internal.gain, max(0, gaps["internal"]))
        assert same(of.swap.gain, gaps["swap"])
        moves = {number(i): number(j) for i, j in of.swap.map}
        for move, gain in (
            (oracle.constant(size, number(of.external.action)), of.external.gain),
            (
                oracle.single(size, number(of.internal.source), number(of.internal.target)),
                of.internal.gain,
            ),
            (tuple(moves.get(a, a) for a in range(size)), of.swap.gain),
        ):
            assert same(oracle.deviation_gain(game, law, player, move), gain)
        told = oracle.recommended(game, law, player)
        assert [number(c.action) for c in of.conditional] == list(told)
        for c in of.conditional:
            mass, reply, gain = told[number(c.action)]
            given.append(gain)
            assert same(c.probability, mass)
            assert same(c.gain, gain)
            if not within:
                assert number(c.reply) == (reply if gain else number(c.action))
                assert (number(c.action) in moves) == (gain > 0)
    assert same(found.conditional, max(given))


@pytest.mark.parametrize("shape", SHAPES)
def test_exact_gaps(shape: tuple[int, ...]) -> None:
    rng = Random(3)
    for _ in range(20):
        table = learning_cases.game(rng, shape)
        law = joint(rng, table)
        found = equilibrium_gaps(normal_form(table), law)
        assert found.arithmetic == "exact"
        agrees(found, table, law)
        assert found.recheck.gap == 0
        full = {a: law.get(a, F(0)) for a in table}
        nested = learning_cases.nested(full, shape)
        assert equilibrium_gaps(normal_form(table), nested).swap == found.swap


@pytest.mark.parametrize("shape", SHAPES)
def test_float_gaps(shape: tuple[int, ...]) -> None:
    rng = Random(4)
    for _ in range(10):
        table = learning_cases.game(rng, shape)
        law = joint(rng, table)
        floats = {a: float(w) for a, w in law.items()}
        found = equilibrium_gaps(normal_form(table, exact=False), floats)
        assert found.arithmetic == "float64"
        agrees(found, table, law, within=1e-13)
        assert found.recheck.gap <= found.tolerance


@pytest.mark.parametrize("shape", SHAPES)
def test_first_maximisers_are_named(shape: tuple[int, ...]) -> None:
    rng = Random(5)
    for _ in range(10):
        table = learning_cases.game(rng, shape)
        law = joint(rng, table)
        for player, of in enumerate(equilibrium_gaps(normal_form(table), law).players):
            size = shape[player]
            outside = [oracle.deviation_gain(table, law, player, m) for m in oracle.constants(size)]
            assert number(of.external.action) == outside.index(max(outside))
            inside = {
                pair: oracle.deviation_gain(table, law, player, m)
                for pair, m in oracle.singles(size).items()
            }
            best = max(inside.values(), default=0)
            pair = (number(of.internal.source), number(of.internal.target))
            if best > 0:
                assert pair == next(p for p, gain in inside.items() if gain == best)
            else:
                assert pair[0] == pair[1]


@pytest.mark.parametrize("shape", SHAPES)
def test_nash_gaps(shape: tuple[int, ...]) -> None:
    rng = Random(6)
    for _ in range(12):
        table = learning_cases.game(rng, shape)
        strategies = [learning_cases.law(rng, size) for size in shape]
        found = nash_gap(normal_form(table), strategies)
        wanted = oracle.nash_gaps(table, strategies)
        assert [(p.gain, number(p.reply)) for p in found.players] == wanted
        assert found.gap == max(gain for gain, _ in wanted)
        assert found.recheck.gap == 0
        mixed = [np.array([float(x) for x in row]) for row in strategies]
        near = nash_gap(normal_form(table, exact=False), mixed)
        assert abs(near.gap - found.gap) <= 1e-13
        assert near.recheck.gap <= near.tolerance


def test_average_laws_and_regret() -> None:
    """Gaps of the average law are average regrets against what the others played."""
    rng = Random(7)
    for _ in range(30):
        shape = rng.choice([(2, 2), (2, 3), (1, 3), (2, 2, 2)])
        table = learning_cases.game(rng, shape)
        rounds = rng.randint(1, 4)
        plays = [[learning_cases.law(rng, size) for _ in range(rounds)] for size in shape]
        law = oracle.average_law(plays)
        found = empirical_distribution(plays)
        assert all(found[profile] == law[profile] for profile in table)
        gaps = equilibrium_gaps(normal_form(table), found)
        for player, of in enumerate(gaps.players):
            rewards = [
                oracle.own_rewards(table, list(row), player) for row in zip(*plays, strict=True)
            ]
            assert of.external.gain == oracle.external(plays[player], rewards)[0] / rounds
            assert of.internal.gain == oracle.internal(plays[player], rewards)[0] / F(rounds)
            assert of.swap.gain == oracle.swap(plays[player], rewards)[0] / F(rounds)
        floats = empirical_distribution(
            [np.array([[float(x) for x in row] for row in mine]) for mine in plays]
        )
        assert all(abs(floats[profile] - law[profile]) <= 1e-15 for profile in table)


# --- best equilibria

TINY = [((2, 2), 14), ((2, 3), 8), ((2, 1), 5), ((3,), 5), ((2, 2, 2), 4), ((3, 3), 2)]


@pytest.mark.parametrize("concept", ["ce", "cce"])
@pytest.mark.parametrize(("shape", "times"), TINY)
def test_best_equilibria_are_best_of_all_vertices(
    concept: Any, shape: tuple[int, ...], times: int
) -> None:
    rng = Random(8)
    for _ in range(times):
        table = learning_cases.game(rng, shape)
        game = normal_form(table)
        weights = [F(rng.randint(-2, 2)) for _ in shape]
        points = polytopes.vertices(table, concept)
        for objective, of in (
            ("max_welfare", [1] * len(shape)),
            ("min_welfare", [1] * len(shape)),
            (weights, weights),
        ):
            values = [polytopes.dot(polytopes.objective(table, of), x) for x in points]
            wanted = min(values) if objective == "min_welfare" else max(values)
            found = correlated_equilibrium(game, concept=concept, objective=objective)
            assert found.value == wanted
            point = [found.distribution.get(names(profile), F(0)) for profile in table]
            assert set(found.distribution) <= set(map(names, table))
            assert polytopes.inside(table, concept, point)
            assert polytopes.dot(polytopes.objective(table, of), point) == wanted
            bound = proven(found, table, concept, of, objective == "min_welfare")
            assert bound == found.certificate.bound == wanted
            floats = correlated_equilibrium(
                normal_form(table, exact=False),
                concept=concept,
                objective=objective if isinstance(objective, str) else np.array(weights, float),
            )
            assert abs(floats.value - wanted) <= 1e-7
            assert floats.gap <= floats.tolerance


def names(profile: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(map(str, profile))


def proven(
    found: CorrelatedEquilibrium, table: Game, concept: Any, weights: Any, least: bool
) -> Fraction:
    """What the prices prove by themselves."""
    shown = {name: n for n, name in enumerate(p.player for p in found.gaps.players)}
    prices = {
        (shown[m.player], None if m.source is None else number(m.source), number(m.target)): m.price
        for m in found.certificate.multipliers
    }
    assert set(prices) <= set(polytopes.deviations(table, concept))
    if least:
        return -polytopes.dual_bound(table, concept, [-w for w in weights], prices)
    return polytopes.dual_bound(table, concept, weights, prices)


def test_a_planted_fault_is_seen() -> None:
    rng = Random(9)
    table = learning_cases.game(rng, (3, 3))
    law = {profile: F(1, 9) for profile in table}
    other = {**law, (0, 0): F(1, 9) + F(1, 10**6), (0, 1): F(1, 9) - F(1, 10**6)}
    with pytest.raises(AssertionError):
        agrees(equilibrium_gaps(normal_form(table), law), table, other)
