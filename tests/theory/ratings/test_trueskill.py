"""TrueSkill against grids, against what is printed, and against the laws of a rating."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_python import outcomes
from reference import ratings as reference
from sweeps import examples

from theory.errors import InvalidInputError, LimitError
from theory.ratings import TrueSkill, average_over_orders, trueskill_ratings
from theory.ratings import _trueskill as solver

PLAYERS = "abcdef"
Game = dict[str, int]
games = st.lists(
    st.lists(st.sampled_from(PLAYERS), min_size=2, max_size=5, unique=True).flatmap(
        lambda seated: st.fixed_dictionaries({p: st.integers(0, 3) for p in seated})
    ),
    min_size=1,
    max_size=4,
)
UP, DOWN = {"a": 1, "b": 2, "c": 3}, {"a": 3, "b": 2, "c": 1}


def moments(
    played: Sequence[Any], model: TrueSkill | None = None
) -> dict[Any, tuple[float, float]]:
    found = trueskill_ratings(played, model)
    assert found.holds, found.doubt
    pairs = zip(found.value, found.sigma, strict=True)
    return dict(zip(found.players, pairs, strict=True))


def assert_near(
    a: dict[Any, tuple[float, float]],
    b: dict[Any, tuple[float, float]],
    within: float = 1e-8,
) -> None:
    assert a.keys() == b.keys()
    assert all(abs(x - y) <= within for p in a for x, y in zip(a[p], b[p], strict=True)), (a, b)


# --- against a grid

STILL = TrueSkill(tau=0)
MARGIN = reference.draw_margin(0.10, 25 / 6)


def test_the_margin_of_a_draw_has_the_probability_of_a_draw() -> None:
    between = reference.NormalDist(0, math.sqrt(2) * STILL.beta)
    assert math.isclose(2 * between.cdf(STILL.draw_margin) - 1, 0.10)


@pytest.mark.parametrize("drawn", [False, True])
def test_two_players_have_the_moments_of_the_posterior(drawn: bool) -> None:
    found = moments([{"a": 1, "b": 1 if drawn else 0}], STILL)
    prior = (STILL.mu, STILL.sigma)
    expected = reference.two_players([prior, prior], STILL.beta, MARGIN, drawn=drawn)
    assert_near(found, dict(zip("ab", expected, strict=True)), 1e-7)


def test_two_players_of_different_priors_have_the_moments_of_the_posterior() -> None:
    """After a game between a and c, b meets a, then c: c's prior is no longer a's."""
    first = moments([{"a": 1, "c": 0}], STILL)
    for rival in "ac":
        both = [first[rival], (STILL.mu, STILL.sigma)]
        expected = reference.two_players(both, STILL.beta, MARGIN, drawn=False)
        found = moments([{"a": 1, "c": 0}, {rival: 1, "b": 0}], STILL)
        assert_near(
            {p: found[p] for p in (rival, "b")},
            dict(zip((rival, "b"), expected, strict=True)),
            1e-7,
        )


@pytest.mark.parametrize("losers_tie", [False, True])
def test_three_players_are_near_the_posterior_which_is_approximated(losers_tie: bool) -> None:
    """Expectation propagation is not exact from three players on; its error is a few hundredths."""
    chain = TrueSkill(tau=0, ties="chain")
    found = moments([{"a": 2, "b": 1, "c": 1 if losers_tie else 0}], chain)
    prior = (STILL.mu, STILL.sigma)
    expected = reference.three_players([prior] * 3, STILL.beta, MARGIN, losers_tie=losers_tie)
    assert_near(found, dict(zip("abc", expected, strict=True)), 0.05)
    assert abs(expected[1][0] - expected[2][0]) > 1e-3, (
        "the published model tells tied players apart"
    )


def test_tied_players_have_the_moments_of_the_mixture_of_their_orders() -> None:
    """Three players tie at the top and two below: 12 chains, with their players by name."""
    before: list[Game] = [{"a": 2, "b": 1, "d": 0}, {"c": 1, "e": 0}]
    last = {"a": 2, "b": 2, "c": 2, "d": 1, "e": 1}
    mixed = moments([*before, last])
    each = [
        moments([*before, {p: last[p] for p in (*top, *rest)}], TrueSkill(ties="chain"))
        for top in permutations("abc")
        for rest in permutations("de")
    ]
    prior = moments(before)
    assert max(abs(prior[p][0] - prior["a"][0]) for p in "abc") > 1
    for p in last:
        means = [found[p][0] for found in each]
        variance = np.mean([found[p][1] ** 2 for found in each]) + np.var(means)
        assert math.isclose(mixed[p][0], float(np.mean(means)), rel_tol=1e-10)
        assert math.isclose(mixed[p][1], math.sqrt(variance), rel_tol=1e-10)


# --- what was published


def test_the_order_of_games_moves_ratings_as_was_computed_with_the_library() -> None:
    """Five games of each of two opposite rankings, one after the other and in turns."""
    turns = [game for pair in zip([UP] * 5, [DOWN] * 5, strict=True) for game in pair]
    for played, printed in (
        ([UP] * 5 + [DOWN] * 5, (28.90, 25.00, 21.10)),
        ([DOWN] * 5 + [UP] * 5, (21.10, 25.00, 28.90)),
        (turns, (25.48, 25.00, 24.52)),
    ):
        assert tuple(round(v, 2) for v in trueskill_ratings(played).value) == printed


def test_losers_who_tie_differ_in_the_published_chain_and_not_in_ours() -> None:
    played = [{"a": 2, "b": 1, "c": 1}]
    chain = trueskill_ratings(played, TrueSkill(ties="chain")).value
    assert tuple(round(v, 4) for v in chain) == (30.1093, 22.4427, 22.4480)
    alike = trueskill_ratings(played).value
    assert abs(alike[1] - alike[2]) < 1e-10


# --- laws


@settings(max_examples=examples(15), deadline=None)
@given(games, st.permutations(PLAYERS))
def test_seats_and_names_do_not_matter(played: list[Game], names: list[str]) -> None:
    renamed = dict(zip(PLAYERS, names, strict=True))
    moved = [{renamed[p]: s for p, s in reversed(game.items())} for game in played]
    expected = {renamed[str(p)]: m for p, m in moments(played).items()}
    assert_near(moments(moved), expected)


@settings(max_examples=examples(15), deadline=None)
@given(games, st.integers(-5, 5), st.integers(1, 7))
def test_only_the_ranks_of_the_scores_matter(played: list[Game], add: int, times: int) -> None:
    assert_near(
        moments([{p: times * s + add for p, s in g.items()} for g in played]), moments(played), 0
    )


@settings(max_examples=examples(15), deadline=None)
@given(games, st.floats(0.1, 50), st.floats(-100, 100))
def test_a_change_of_units_changes_the_units(played: list[Game], unit: float, shift: float) -> None:
    model = TrueSkill(mu=25 * unit + shift, sigma=25 / 3 * unit, beta=25 / 6 * unit, tau=unit / 12)
    expected = {p: (m * unit + shift, s * unit) for p, (m, s) in moments(played).items()}
    assert_near(moments(played, model), expected, 1e-8 * max(1, unit))


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(2, 5), st.integers(1, 2))
def test_players_with_the_same_results_have_the_same_rating(players: int, rounds: int) -> None:
    found = moments([dict.fromkeys(PLAYERS[:players], 7)] * rounds)
    assert len({round(m, 9) for m, _ in found.values()}) == 1
    assert math.isclose(next(iter(found.values()))[0], 25)


@settings(max_examples=examples(15), deadline=None)
@given(games)
def test_reversed_results_are_mirrored(played: list[Game]) -> None:
    mirrored = [{p: -s for p, s in game.items()} for game in played]
    expected = {p: (50 - m, s) for p, (m, s) in moments(mirrored).items()}
    assert_near(moments(played), expected)


@settings(max_examples=examples(15), deadline=None)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=5), st.data())
def test_a_better_place_in_the_last_game_is_a_better_rating(scores: list[int], data: Any) -> None:
    before = [{"a": 1, "b": 0}, {"b": 1, "c": 1}]
    played = dict(zip(PLAYERS, scores, strict=False))
    improved = played | {"a": scores[0] + data.draw(st.integers(1, 4))}
    assert moments([*before, improved])["a"][0] >= moments([*before, played])["a"][0] - 1e-9


def test_a_better_place_in_any_of_two_games_is_a_better_rating() -> None:
    """All pairs of rankings of three, and every exchange of a with who is just ahead of it."""

    def last(orders: Sequence[Sequence[str]]) -> float:
        played: list[Any] = [dict(zip(order, (3, 2, 1), strict=True)) for order in orders]
        return float(trueskill_ratings(played).of("a"))

    for pair in product(permutations("abc"), repeat=2):
        for number, order in enumerate(pair):
            place = order.index("a")
            if place:
                better = [*order[: place - 1], "a", order[place - 1], *order[place + 1 :]]
                improved = [better if k == number else each for k, each in enumerate(pair)]
                assert last(improved) > last(pair) + 0.5


def test_without_ties_both_rules_are_one() -> None:
    played: list[Any] = [
        dict(zip(order, (4, 3, 2, 1), strict=True)) for order in permutations("abcd")
    ][:6]
    assert_near(moments(played), moments(played, TrueSkill(ties="chain")), 1e-10)


def test_idle_time_is_more_drift() -> None:
    """Nothing is known of a skill but by games, so the drift of a game is added to the prior."""
    still = TrueSkill(tau=0, sigma=math.hypot(25 / 3, 2))
    assert_near(moments([UP], TrueSkill(tau=2)), moments([UP], still), 1e-10)


def test_tiny_and_huge_models_are_rated() -> None:
    for draw in (1e-4, 0.5, 0.99):
        for sigma in (1e-3, 1e3):
            model = TrueSkill(draw_probability=draw, sigma=sigma)
            played: list[Game] = [{"a": 3, "b": 3, "c": 1}, {"c": 2, "a": 2}, {"b": 0, "c": 5}] * 3
            found = trueskill_ratings(played, model)
            assert found.holds, (draw, sigma, found.doubt)
            assert np.isfinite(found.value).all()
            assert min(found.sigma) > 0


def test_surprises_far_out_stay_finite() -> None:
    model = TrueSkill(beta=0.01, sigma=100, tau=0)
    found = trueskill_ratings([{"a": 1, "b": 0}] * 20 + [{"b": 1, "a": 0}], model)
    assert np.isfinite(found.value).all()
    assert found.holds, found.doubt


# --- the gap


def test_the_gap_sees_a_wrong_site_and_a_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[Game] = [{"a": 2, "b": 1, "c": 0}, {"c": 1, "b": 1, "a": 0}]
    assert trueskill_ratings(played).holds
    propagate = solver._propagate
    for faulty_game in (0, 1):
        for part in range(3):
            calls = []

            def faulty(
                *given: Any, part: int = part, at: int = faulty_game, calls: list[int] = calls
            ) -> Any:
                found = list(propagate(*given))
                if len(calls) == at:
                    found[part] = found[part].copy()
                    found[part][0, -1] *= 1 + 1e-4  # of the last player, or the last site
                calls.append(0)
                return tuple(found)

            monkeypatch.setattr(solver, "_propagate", faulty)
            found = trueskill_ratings(played)
            assert not found.holds, (faulty_game, part)
            assert "do not trust" in str(found)


def test_sweeps_that_stop_early_leave_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_SWEEPS", 2)
    assert not trueskill_ratings([{"a": 3, "b": 2, "c": 1, "d": 0}]).holds


# --- orders


def test_every_order_is_gone_through_where_there_are_few() -> None:
    played: list[Game] = [UP, DOWN, {"a": 1, "b": 1, "c": 0}]
    alone = [trueskill_ratings(order).value for order in permutations(played)]
    found = average_over_orders(played)
    assert found.exact
    assert found.orders == 6
    assert found.holds
    for p in range(3):
        each = [values[p] for values in alone]
        assert math.isclose(found.value[p], float(np.mean(each)))
        assert math.isclose(found.lowest[p], min(each))
        assert math.isclose(found.highest[p], max(each))
        assert math.isclose(found.deviation[p], float(np.std(each)))
    assert all(low == high for low, high in found.interval)


def test_drawn_orders_cover_the_mean_over_all_orders() -> None:
    played: list[Game] = [UP, DOWN, UP, {"a": 1, "b": 1, "c": 0}, {"b": 3, "c": 1}]
    whole = average_over_orders(played)
    assert whole.exact
    missed = 0
    for seed in range(20):
        drawn = average_over_orders(played, rng=np.random.default_rng(seed), orders=60)
        assert not drawn.exact
        low, high = drawn.interval[0]
        missed += not low <= whole.value[0] <= high
    assert missed <= 4, "of 20 intervals of 95%, 1 is expected to miss"


def test_the_order_matters_and_the_average_does_not_know_it() -> None:
    found = average_over_orders([UP] * 3 + [DOWN] * 3)
    assert found.spread < 1e-9, "the games are balanced"
    assert found.highest[0] - found.lowest[0] > 4


# --- bad input


REFUSED = {
    "trueskill_ratings([])": "games is empty",
    "trueskill_ratings('ab')": "games is one text",
    "trueskill_ratings([{'a': 1}])": "games[0] has fewer than two players",
    "trueskill_ratings([{'a': 1, 'b': 0}, ['a', 'b']])": "games[1] is no mapping",
    "trueskill_ratings([{'a': 1, 'b': 0}], 3)": "model is not a TrueSkill",
    "mean_scores([{'a': 1, 'b': 0}], rng, interval='normal')": "interval is unknown",
    "bradley_terry([3])": "games[0] is no mapping",
    "TrueSkill(ties='none')": "ties is unknown",
} | {
    f"trueskill_ratings([{{'a': 1, 'b': 0}}, {{'a': 1, 'b': {score}}}])": "['b'] is no score"
    for score in ("nan", "inf", "True", "'3'", "None")
}


def test_bad_games_are_refused() -> None:
    setup = """
import numpy as np
from math import inf, nan
from theory.ratings import TrueSkill, bradley_terry, mean_scores, trueskill_ratings
rng = np.random.default_rng(0)
"""
    told = outcomes(setup, list(REFUSED))
    assert {call: text for call, text in told.items() if REFUSED[call] not in text} == {}


def test_bad_models_are_refused() -> None:
    for wrong in (
        {"sigma": 0},
        {"beta": -1},
        {"tau": -1},
        {"draw_probability": 1},
        {"mu": float("nan")},
    ):
        with pytest.raises(InvalidInputError, match=next(iter(wrong))):
            TrueSkill(**wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="excludes the ties"):
        trueskill_ratings([{"a": 1, "b": 1}], TrueSkill(draw_probability=0))
    assert trueskill_ratings([{"a": 1, "b": 0}], TrueSkill(draw_probability=0)).holds
    with pytest.raises(InvalidInputError, match="rng is missing"):
        average_over_orders([UP] * 7)
    with pytest.raises(InvalidInputError, match="level"):
        trueskill_ratings([UP], level=1.0)
    with pytest.raises(LimitError, match="5040"):
        trueskill_ratings([dict.fromkeys("abcdefg", 0)])
    assert trueskill_ratings([dict.fromkeys("abcdefg", 0)], TrueSkill(ties="chain")).holds
