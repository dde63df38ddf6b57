"""Bilinear games: payoffs, observations and ranges, from matrices, factors and battlefields."""

from __future__ import annotations

from inspect import unwrap
from itertools import product
from typing import Any

import numpy as np
import pytest
from action_sets import CASES

from theory.actions import (
    BilinearGame,
    Features,
    ListedActions,
    SoftmaxStrategy,
    SparseStrategy,
    Subsets,
    blotto,
    mean_features,
)
from theory.errors import InvalidInputError, NumberError, ShapeError

A = np.array([[0.0, 2.0, -1.0], [3.0, 0.5, 1.0]])
B = np.array([[1.0, 0.0, 4.0], [-2.0, 0.0, 0.25]])


def test_a_bimatrix_game_pays_its_entries() -> None:
    game = BilinearGame.bimatrix(A, B)
    for a, b in product(range(2), range(3)):
        assert game.payoff(0, a, b) == A[a, b]
        assert game.payoff(1, a, b) == B[a, b]


def test_observations_are_rewards_of_own_actions() -> None:
    game = BilinearGame.bimatrix(A, B)
    x, y = np.array([0.25, 0.75]), np.array([0.5, 0.25, 0.25])
    assert game.observation(0, y).tolist() == (A @ y).tolist()
    assert game.observation(1, x).tolist() == (x @ B).tolist()
    assert game.value(0, x, y) == x @ A @ y
    assert game.value(1, x, y) == x @ B @ y
    assert game.rewards_range(1, x @ B) == (min(x @ B), max(x @ B))


def test_transposing_swaps_the_players() -> None:
    game, other = BilinearGame.bimatrix(A, B), BilinearGame.bimatrix(B.T, A.T)
    for a, b in product(range(2), range(3)):
        assert game.payoff(0, a, b) == other.payoff(1, b, a)
        assert game.payoff(1, a, b) == other.payoff(0, b, a)


def test_factors_pay_what_their_product_pays() -> None:
    rng = np.random.default_rng(0)
    U, V = rng.normal(size=(7, 2)), rng.normal(size=(5, 3))
    forms = (rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
    game = BilinearGame.low_rank(U, V, forms, offsets=(0.5, -1.0))
    for player, (form, offset) in enumerate(zip(forms, (0.5, -1.0), strict=True)):
        payoffs = U @ form @ V.T + offset
        found = [[game.payoff(player, a, b) for b in range(5)] for a in range(7)]
        np.testing.assert_allclose(found, payoffs, rtol=1e-13)
    x = SoftmaxStrategy(game.sets[0], rng.normal(size=2))
    y = SparseStrategy.of({1: 0.5, 4: 0.5}, 5)
    features = (mean_features(game.sets[0], x), mean_features(game.sets[1], y))
    payoffs = U @ forms[0] @ V.T + 0.5
    assert game.value(0, *features) == pytest.approx(np.asarray(x) @ payoffs @ np.asarray(y))
    z = game.observation(0, features[1])
    rewards = payoffs @ np.asarray(y)
    np.testing.assert_allclose(U @ z + 0.5, rewards, rtol=1e-12)
    assert game.rewards_range(0, z) == pytest.approx((rewards.min(), rewards.max()))


def test_factors_alone_make_a_zero_sum_game() -> None:
    U, V = np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[1.0, -1.0], [3.0, 0.0]])
    game, plain = BilinearGame.low_rank(U, V), BilinearGame.zero_sum(U @ V.T)
    for player, a, b in product(range(2), range(2), range(2)):
        assert game.payoff(player, a, b) == plain.payoff(player, a, b)
    assert game.payoff(0, 1, 1) == -game.payoff(1, 1, 1)


def test_games_of_listed_actions_scale_to_the_unit_interval() -> None:
    game = BilinearGame(
        (ListedActions(2), ListedActions(3)), (A, np.full((2, 3), 7.0)), (10.0, 1.0)
    )
    unit = game.scaled_to_unit()
    found = [[unit.payoff(0, a, b) for b in range(3)] for a in range(2)]
    assert found == ((A + 1) / 4).tolist()
    assert unit.payoff(1, 1, 2) == 0
    with pytest.raises(InvalidInputError, match="not listed"):
        BilinearGame.low_rank(A, B).scaled_to_unit()
    with pytest.raises(NumberError, match="range that float64 does not hold"):
        BilinearGame.zero_sum(np.array([[1.7e308, -1.7e308]])).scaled_to_unit()


def test_matrices_are_copied_and_cannot_be_changed_through_the_game() -> None:
    matrix = np.eye(2)
    game = BilinearGame.zero_sum(matrix)
    matrix[0, 0] = 99
    assert (game.payoff(0, 0, 0), game.payoff(1, 0, 0)) == (1, -1)
    assert matrix.flags.writeable
    assert not any(form.flags.writeable for form in game.forms)


@pytest.mark.parametrize("stranger", [5, None, ListedActions, "ab"])
def test_sets_that_are_none_are_refused(stranger: Any) -> None:
    init = BilinearGame.__post_init__
    game = object.__new__(BilinearGame)
    for name, value in (("sets", (stranger, ListedActions(2))), ("forms", (np.eye(2), np.eye(2)))):
        object.__setattr__(game, name, value)
    with pytest.raises(InvalidInputError, match="sets is no action set"):
        unwrap(init)(game)


def test_games_are_written_by_their_sizes() -> None:
    text = str(blotto(20, 60))
    assert text.splitlines()[1] == "player 0: about 8.84e17 actions, 1220 features"
    assert (
        repr(BilinearGame.zero_sum(A))
        == "BilinearGame(ListedActions(size=2) against ListedActions(size=3))"
    )


@pytest.mark.parametrize(
    ("sets", "forms", "offsets", "problem"),
    [
        ((ListedActions(2),), (A, B), (0.0, 0.0), "sets is no pair"),
        ((ListedActions(2), ListedActions(3)), (A,), (0.0, 0.0), "forms is no pair"),
        ((ListedActions(2), ListedActions(3)), (A, B), (0.0,), "offsets is no pair"),
        ((ListedActions(2), ListedActions(3)), None, (0.0, 0.0), "forms is no pair"),
        ((ListedActions(3), ListedActions(2)), (A, B), (0.0, 0.0), r"form of shape \(2, 3\)"),
        ((ListedActions(2), Subsets(4, 2)), (A, B), (0.0, 0.0), r"ask for \(2, 4\)"),
        ((ListedActions(2), ListedActions(3)), (A, A * np.nan), (0.0, 0.0), "forms has entries"),
        ((ListedActions(2), ListedActions(3)), (A, A * 1j), (0.0, 0.0), "forms holds complex"),
        ((ListedActions(2), ListedActions(3)), (A[0], A), (0.0, 0.0), "forms has shape"),
        ((ListedActions(2), ListedActions(3)), (A, B), (0.0, np.inf), "offsets is not finite"),
        ((ListedActions(2), ListedActions(3)), (A, B), (True, 0.0), "offsets holds bool"),
        ((ListedActions(2), ListedActions(3)), (A, B), ("a", 0.0), "offsets holds"),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    sets: Any, forms: Any, offsets: Any, problem: str
) -> None:
    from inspect import unwrap

    game = object.__new__(BilinearGame)
    for name, value in (("sets", sets), ("forms", forms), ("offsets", offsets)):
        object.__setattr__(game, name, value)
    with pytest.raises(InvalidInputError, match=problem):
        unwrap(BilinearGame.__post_init__)(game)


def test_payoff_matrices_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="B has shape"):
        raw(BilinearGame.bimatrix)(BilinearGame, A, B.T)
    with pytest.raises(ShapeError, match="A is empty"):
        BilinearGame.zero_sum(np.zeros((0, 2)))
    with pytest.raises(ShapeError, match="V has 3 columns where U has 2"):
        BilinearGame.low_rank(np.ones((4, 2)), np.ones((4, 3)))


def raw(method: Any) -> Any:
    from inspect import unwrap

    return unwrap(method.__func__)


@pytest.mark.parametrize("player", [2, -1, "0", None, True])
def test_players_are_0_and_1(player: Any) -> None:
    game: Any = BilinearGame.bimatrix(A, B)
    row = np.zeros(3)
    from inspect import unwrap

    for name, arguments in (
        ("payoff", (0, 0)),
        ("observation", (row,)),
        ("rewards_range", (row,)),
        ("value", (row[:2], row)),
    ):
        with pytest.raises(InvalidInputError, match="player is no player"):
            unwrap(getattr(BilinearGame, name))(game, player, *arguments)


def test_features_that_do_not_fit_are_refused() -> None:
    game = BilinearGame.bimatrix(A, B)
    with pytest.raises(ShapeError, match="opponent_features has 2 entries"):
        game.observation(0, np.zeros(2))
    with pytest.raises(ShapeError, match="features1 has 3 entries"):
        game.value(0, np.zeros(3), np.zeros(3))
    with pytest.raises(NumberError, match="features2 has entries that are not finite"):
        game.value(0, np.zeros(2), np.array([0, np.nan, 0]))
    with pytest.raises(InvalidInputError, match="is no action"):
        game.payoff(0, 2, 0)


# --- Blotto


def test_blotto_splits_a_unit() -> None:
    game = blotto(3, 4, 2, [1.0, 2.0, 5.0])
    plain = (CASES["allocations"].plain, [a for a in product(range(3), repeat=3) if sum(a) == 2])
    for a, b in product(*plain):
        won = sum(v * (x > y) + v * (x == y) / 2 for v, x, y in zip((1, 2, 5), a, b, strict=True))
        assert game.payoff(0, a, b) == pytest.approx(won / 8)
        assert game.payoff(0, a, b) + game.payoff(1, a, b) == pytest.approx(1)


def test_equal_forces_of_blotto_are_in_the_same_place() -> None:
    game = blotto(3, 4)
    assert game.sets[0] == game.sets[1]
    mean = game.sets[0].mean(np.random.default_rng(0).normal(size=15))
    np.testing.assert_allclose(game.observation(0, mean), game.observation(1, mean))
    assert game.value(0, mean, mean) == pytest.approx(0.5)
    low, high = game.rewards_range(0, game.observation(0, mean))
    assert 0 <= low <= 0.5 <= high <= 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((3, 3, 0), "opponent_troops is not a count"),
        ((2, 3, 3, [1.0]), "values has 1 entries for 2 fields"),
        ((2, 3, 3, [1.0, 0.0]), "values has entries"),
        ((2, 3, 3, [1.0, -1.0]), "values has entries"),
        ((2, 3, 3, [1.0, np.nan]), "values has entries"),
        ((2, 3, 3, [1.0, np.inf]), "values has entries"),
        ((2, 3, 3, [1e308, 1e308]), "values has entries"),
    ],
)
def test_battles_that_cannot_be_fought(arguments: Any, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        blotto(*arguments)


def test_rows_may_be_features_of_either_player() -> None:
    game = BilinearGame((Features(A), Subsets(3, 2)), (np.eye(3), -np.eye(3)))
    assert game.payoff(0, 0, (0, 1)) == 2
    assert game.payoff(1, 1, (1, 2)) == -1.5
