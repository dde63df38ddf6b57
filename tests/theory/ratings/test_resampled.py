"""Strengths with intervals over clusters of games: by enumeration, by Zermelo, by what is kept."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ratings as reference
from sweeps import examples

from theory.errors import InvalidInputError
from theory.ratings import _resampled as solver
from theory.ratings import bradley_terry, resampled_strengths

Game = dict[str, int]
WON: Game = {"a": 1, "b": 0}
LOST: Game = {"a": 0, "b": 1}


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=2, max_size=6))
def test_strengths_are_those_of_all_games(scores: list[tuple[int, int, int]]) -> None:
    games: list[Any] = [dict(zip("abc", each, strict=True)) for each in scores]
    games += [{"a": 1, "b": 1}, {"b": 1, "c": 1}]
    found = resampled_strengths(games, range(len(games)), rng(), resamples=3, ties=0)
    assert found.holds, found.doubt
    np.testing.assert_allclose(found.value, bradley_terry(games).value, atol=1e-9)


def test_ties_are_games_that_were_tied() -> None:
    """With one more tie between each two, strengths are those of the games and these ties."""
    games: list[Any] = [{"a": 3, "b": 2, "c": 1}, {"a": 2, "b": 1}, {"a": 3, "c": 0}]
    with pytest.raises(InvalidInputError, match="give ties above 0"):
        resampled_strengths(games, [1, 2, 3], rng())
    found = resampled_strengths(games, [1, 2, 3], rng(), resamples=10, ties=1)
    assert found.holds
    pairs = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (0, 1, 1.0), (0, 2, 1.0)]
    pairs += [(0, 1, 0.5), (0, 2, 0.5), (1, 2, 0.5)]
    np.testing.assert_allclose(found.value, reference.strengths(pairs, 3), atol=1e-6)


def test_intervals_are_those_of_all_resampled_tournaments() -> None:
    """Three clusters of two games, won, lost and tied: all 27 draws, those with a maximum kept."""
    clusters = [[WON, WON], [LOST, LOST], [WON, LOST]]
    games = [game for cluster in clusters for game in cluster]
    found = resampled_strengths(
        games, ["x", "x", "y", "y", "z", "z"], rng(1), resamples=20_000, level=0.5
    )
    leads = []
    for drawn in product(clusters, repeat=3):
        won = sum(game["a"] for cluster in drawn for game in cluster)
        if 0 < won < 6:
            leads.append(math.log(won / (6 - won)) / 2)
    low, high = np.quantile(np.repeat(leads, 800), (0.25, 0.75))
    assert found.interval[0] == pytest.approx((low, high))
    assert found.standard_error[0] == pytest.approx(float(np.std(leads)), rel=0.02)
    missing = int(found.interval_of.split("less ")[1].split(" ")[0].replace(",", ""))
    assert missing / 20_000 == pytest.approx(2 / 27, rel=0.1)


def test_games_of_a_cluster_are_drawn_together() -> None:
    """Ten games with one outcome are one observation: the interval is that of single games."""
    outcomes = [WON, LOST, WON, WON, LOST, WON]
    many = [game for game in outcomes for _ in range(10)]
    clusters = [k for k in range(6) for _ in range(10)]
    apart = resampled_strengths(many, range(60), rng(), resamples=500)
    together = resampled_strengths(many, clusters, rng(), resamples=500)
    single = resampled_strengths(outcomes, range(6), rng(), resamples=500)
    assert together.value == pytest.approx(single.value)
    assert together.standard_error == pytest.approx(single.standard_error)
    assert together.standard_error[0] > 2 * apart.standard_error[0]


@pytest.mark.parametrize("won", [5, 50, 500])
def test_a_tournament_is_fitted_as_well_beside_an_even_one(won: int) -> None:
    even, other = np.array([[0.0, 1], [1, 0]]), np.array([[0.0, won], [1, 0]])
    for both in ([even, other], [other, even]):
        leads = [float(a - b) for a, b in solver.climb(np.array(both))]
        assert sorted(leads) == pytest.approx([0, math.log(won)])


@pytest.mark.parametrize("player", [0, 2])
def test_the_gap_sees_a_wrong_strength(player: int, monkeypatch: pytest.MonkeyPatch) -> None:
    games: list[Any] = [
        {"a": 1, "b": 0, "c": 1},
        {"a": 0, "b": 1, "c": 2},
        {"a": 1, "b": 0, "c": 0},
    ]
    assert resampled_strengths(games, [1, 2, 3], rng(), resamples=5, ties=1).holds
    climb = solver.climb

    def faulty(*given: Any) -> Any:
        found = climb(*given)
        found[:, player] += 1e-5
        found[:, player - 1] -= 1e-5
        return found

    monkeypatch.setattr(solver, "climb", faulty)
    assert not resampled_strengths(games, [1, 2, 3], rng(), resamples=5, ties=1).holds


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="are not as many as the 2 games"):
        resampled_strengths([WON, LOST], [1], rng())
    with pytest.raises(InvalidInputError, match="are fewer than two"):
        resampled_strengths([WON, LOST], [1, 1], rng())
    wrong: tuple[dict[str, Any], ...] = ({"ties": -1}, {"resamples": 0}, {"level": 1.0})
    for changed in wrong:
        with pytest.raises(InvalidInputError):
            resampled_strengths([WON, LOST], [1, 2], rng(), **changed)
