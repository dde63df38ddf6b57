"""Elo ratings against plain Python, and the laws that pin them down."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import examples

from theory.errors import InvalidInputError, NumberError
from theory.ratings import (
    AverageRatings,
    Game,
    average_ratings,
    elo_ratings,
    expected_score,
    rate_in_orders,
    update_ratings,
)

WIN, DRAW, LOSS = 1, Fraction(1, 2), 0

games = st.lists(
    st.builds(
        lambda pair, score: Game(pair[0], pair[1], score),
        st.permutations("abcd"),
        st.sampled_from([WIN, DRAW, LOSS]),
    ),
    min_size=1,
    max_size=12,
)


def plainly(played: Sequence[Game], k: float = 32.0, start: float = 1500.0) -> dict[str, float]:
    """Elo by the book, one game at a time."""
    ratings: dict[str, float] = {}
    for game in played:
        a, b = str(game.first), str(game.second)
        ra, rb = ratings.get(a, start), ratings.get(b, start)
        expected = 1.0 / (1.0 + 10.0 ** ((rb - ra) / 400.0))
        change = k * (float(game.score) - expected)
        ratings[a], ratings[b] = ra + change, rb - change
    return ratings


def close(a: dict[str, float], b: dict[str, float], within: float = 1e-8) -> bool:
    return a.keys() == b.keys() and all(isclose(a[p], b[p], rel_tol=0, abs_tol=within) for p in a)


def rated(played: Sequence[Game], k: float = 32.0, start: float = 1500.0) -> dict[str, float]:
    return {str(p): r for p, r in elo_ratings(played, k=k, start=start).items()}


# --- one game


@pytest.mark.parametrize(
    ("difference", "expected"),
    # 10^(1/4) = 1.7783, 10^(1/2) = 3.1623: the table of expected scores in Elo's book, to 0.01
    [(0, 0.50), (100, 0.64), (200, 0.76), (400, 0.91), (-100, 0.36), (-400, 0.09), (800, 0.99)],
)
def test_expected_scores_are_those_of_the_book(difference: float, expected: float) -> None:
    assert round(expected_score(1500.0 + difference, 1500.0), 2) == expected


def test_400_points_are_odds_of_ten_to_one() -> None:
    assert isclose(expected_score(1900.0, 1500.0), 10 / 11)


@given(st.floats(-3000, 3000), st.floats(-3000, 3000))
def test_expected_scores_of_both_sum_to_one(a: float, b: float) -> None:
    assert isclose(expected_score(a, b) + expected_score(b, a), 1.0)


def test_expected_scores_at_extremes_are_zero_and_one() -> None:
    assert expected_score(0.0, 1e9) == 0.0
    assert expected_score(1e9, 0.0) == 1.0
    both = expected_score(np.array([0.0, 1e9]), np.array([1e9, 0.0]))
    assert both.tolist() == [0.0, 1.0]
    assert expected_score(np.float64(0.0), np.float64(1e9)) == 0.0
    assert update_ratings(0.0, 1e9, 1, 32) == (32.0, 1e9 - 32)
    assert update_ratings(0.0, 1e9, 0, 32) == (0.0, 1e9)


def test_one_game_between_equals() -> None:
    assert rated([Game("a", "b", WIN)]) == {"a": 1516.0, "b": 1484.0}
    assert rated([Game("a", "b", LOSS)]) == {"a": 1484.0, "b": 1516.0}
    assert rated([Game("a", "b", DRAW)]) == {"a": 1500.0, "b": 1500.0}


@given(st.floats(0, 100), st.sampled_from([WIN, DRAW, LOSS]))
def test_k_scales_the_change_of_one_game(k: float, score: Fraction | int) -> None:
    one = rated([Game("a", "b", score)], k=1.0)["a"] - 1500
    assert isclose(rated([Game("a", "b", score)], k=k)["a"] - 1500, k * one, abs_tol=1e-9)


@given(st.floats(1000, 2000), st.floats(1000, 2000))
def test_the_underdog_gains_more_by_winning(a: float, b: float) -> None:
    low, high = sorted([a, b])
    assert update_ratings(low, high, 1, 32)[0] - low >= update_ratings(high, low, 1, 32)[0] - high
    assert update_ratings(low, high, 1, 32)[0] >= low


# --- several games


@given(games)
def test_ratings_are_those_of_plain_python(played: list[Game]) -> None:
    assert close(rated(played), plainly(played))


@given(games, st.sampled_from([0.0, 1.0, 32.0, 400.0]))
def test_the_sum_of_the_ratings_is_conserved(played: list[Game], k: float) -> None:
    found = rated(played, k=k)
    assert isclose(sum(found.values()), 1500.0 * len(found), abs_tol=1e-7)


@given(games)
def test_players_may_have_any_names(played: list[Game]) -> None:
    renamed = [Game(("x", str(g.first)), ("x", str(g.second)), g.score) for g in played]
    assert elo_ratings(renamed) == {("x", name): r for name, r in rated(played).items()}


@given(games, st.integers(-1000, 1000))
def test_a_shift_of_the_start_shifts_every_rating(played: list[Game], by: int) -> None:
    shifted = {p: r - by for p, r in rated(played, start=1500.0 + by).items()}
    assert close(shifted, rated(played))


@given(games)
def test_naming_the_players_the_other_way_round_changes_nothing(played: list[Game]) -> None:
    reversed_names = [Game(g.second, g.first, 1 - g.score) for g in played]
    assert close(rated(reversed_names), rated(played))


@given(games)
def test_k_of_zero_changes_nothing(played: list[Game]) -> None:
    assert set(rated(played, k=0.0).values()) == {1500.0}


def test_the_order_of_the_games_matters() -> None:
    played = [Game("a", "b", WIN), Game("b", "c", WIN), Game("c", "a", WIN)]
    assert not close(rated(played), rated(played[::-1]), within=1e-3)


def test_games_of_strangers_can_be_rated_in_any_order() -> None:
    played = [Game("a", "b", WIN), Game("c", "d", DRAW), Game("e", "f", LOSS)]
    assert all(close(rated(order), rated(played)) for order in permutations(played))


def test_a_win_in_place_of_a_draw_can_lower_a_rating_if_k_is_huge() -> None:
    """b stands at 1553 when it beats a; at 1500 a is expected to lose, at 2000 to win.

    By hand with K = 1000: 1500 - 1000 / (1 + 10^(53/400)) = 1076, 2000 - 1000 / (1 + 10^(-447/400))
    = 1071. With K = 32 a win counts as it should.
    """

    def last(score: Fraction | int, k: float) -> float:
        played = [Game("b", "d", WIN), Game("b", "e", DRAW), Game("a", "c", score)]
        return rated([*played, Game("b", "a", WIN)], k=k)["a"]

    assert (round(last(DRAW, 1000)), round(last(WIN, 1000))) == (1076, 1071)
    assert last(WIN, 32) > last(DRAW, 32) + 15


def test_a_huge_k_stays_finite() -> None:
    played = [Game("a", "b", WIN), Game("b", "c", WIN), Game("c", "a", WIN)] * 10
    found = rated(played, k=1e6)
    assert close(found, plainly_without_overflow(played, k=1e6), within=1e-3)
    assert isclose(sum(found.values()), 4500.0, abs_tol=1e-2)


def plainly_without_overflow(played: Sequence[Game], k: float) -> dict[str, float]:
    ratings = dict.fromkeys("abc", 1500.0)
    for game in played:
        a, b = str(game.first), str(game.second)
        exponent = min((ratings[b] - ratings[a]) / 400.0, 300.0)
        change = k * (float(game.score) - 1.0 / (1.0 + 10.0**exponent))
        ratings[a], ratings[b] = ratings[a] + change, ratings[b] - change
    return ratings


# --- averages over orders

CIRCLE = [Game("a", "b", WIN), Game("b", "c", WIN), Game("c", "a", WIN), Game("a", "c", DRAW)]


@settings(max_examples=examples(20))
@given(games, st.integers(1, 5))
def test_each_order_is_rated_as_it_would_be_alone(played: list[Game], seed: int) -> None:
    names = sorted({str(p) for g in played for p in (g.first, g.second)})
    orders = np.array([np.random.default_rng(seed + i).permutation(len(played)) for i in range(4)])
    together = rate_in_orders(
        np.array([names.index(str(g.first)) for g in played]),
        np.array([names.index(str(g.second)) for g in played]),
        np.array([float(g.score) for g in played]),
        orders,
        start=np.full(len(names), 1500.0),
    )
    for order, row in zip(orders, together, strict=True):
        alone = plainly([played[int(j)] for j in order])
        assert close(dict(zip(names, row.tolist(), strict=True)), alone)


def test_the_average_is_near_that_over_all_orders() -> None:
    everything = [plainly(order) for order in permutations(CIRCLE)]
    found = average_ratings(CIRCLE, np.random.default_rng(0), orders=4000)
    for player, mean, deviation in zip(found.players, found.mean, found.deviation, strict=True):
        exact = [ratings[str(player)] for ratings in everything]
        assert abs(mean - np.mean(exact)) < 5 * np.std(exact) / 4000**0.5
        assert abs(deviation / np.std(exact) - 1) < 0.1
    assert found.drift < 1e-8
    assert (found.orders, found.games) == (4000, 4)


def test_the_average_depends_on_the_generator_alone() -> None:
    runs = []
    for noise in (1, 2):
        random.seed(noise)
        np.random.seed(noise)  # noqa: NPY002  # the global state that must not matter
        runs.append(average_ratings(CIRCLE, np.random.default_rng(7), orders=50))
    assert runs[0] == runs[1]
    assert runs[0] != average_ratings(CIRCLE, np.random.default_rng(8), orders=50)
    generator = np.random.default_rng(7)
    assert average_ratings(CIRCLE, generator, orders=50) == runs[0]
    assert average_ratings(CIRCLE, generator, orders=50) != runs[0], "the generator moves on"


def test_one_game_has_no_deviation() -> None:
    found = average_ratings([Game("a", "b", WIN)], np.random.default_rng(0), orders=10)
    assert found == AverageRatings(("a", "b"), (1516.0, 1484.0), (0.0, 0.0), 10, 1, 0.0)


def test_the_table_ranks_the_players() -> None:
    found = average_ratings(
        [Game("<b>", "a", LOSS), Game("a", "c", WIN)], np.random.default_rng(0), orders=20
    )
    table = found.table()
    assert table.rows[0][0] == "a"
    assert {row[0] for row in table.rows} == {"a", "<b>", "c"}
    means = [float(row[1]) for row in table.rows]
    assert means == sorted(means, reverse=True)
    assert "sum of ratings constant within" in str(found)
    assert "&lt;b&gt;" in found._repr_html_()


# --- bad input


def test_bad_games_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="second is also first"):
        Game("a", "a", WIN)
    for score in (2, -1, 0.25, float("nan"), Fraction(1, 3)):
        with pytest.raises(NumberError, match="score"):
            Game("a", "b", score)


def test_bad_settings_are_refused() -> None:
    played = [Game("a", "b", WIN)]
    with pytest.raises(InvalidInputError, match="games is empty"):
        elo_ratings([])
    with pytest.raises(InvalidInputError, match="games is empty"):
        average_ratings([], np.random.default_rng(0))
    for bad in (float("nan"), float("inf")):
        with pytest.raises(NumberError, match="k is not finite"):
            elo_ratings(played, k=bad)
        with pytest.raises(NumberError, match="start is not finite"):
            average_ratings(played, np.random.default_rng(0), start=bad)
    with pytest.raises(InvalidInputError, match="orders"):
        average_ratings(played, np.random.default_rng(0), orders=0)
