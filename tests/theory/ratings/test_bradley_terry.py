"""Bradley-Terry strengths against Zermelo's iteration, by hand, and by the laws of likelihood."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ratings as reference
from sweeps import examples

from theory.errors import InvalidInputError
from theory.ratings import Scores, bradley_terry
from theory.ratings import _bradley_terry as solver

Game = dict[str, int]
games = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=2, max_size=4, unique=True).flatmap(
        lambda seated: st.fixed_dictionaries({p: st.integers(0, 2) for p in seated})
    ),
    min_size=1,
    max_size=8,
)


def pairs_of(played: Sequence[Scores]) -> tuple[list[str], list[tuple[int, int, float]]]:
    names = list(dict.fromkeys(p for game in played for p in game))
    pairs = [
        (names.index(a), names.index(b), 0.5 if game[a] == game[b] else float(game[a] > game[b]))
        for game in played
        for i, a in enumerate(game)
        for b in list(game)[i + 1 :]
    ]
    return names, pairs


def connected(names: list[str], pairs: list[tuple[int, int, float]]) -> bool:
    """Whether each player reaches each other through wins and ties, by Warshall's algorithm."""
    count = range(len(names))
    reach = [[i == j for j in count] for i in count]
    for a, b, score in pairs:
        reach[a][b] |= score > 0
        reach[b][a] |= score < 1
    for k in count:
        for i in count:
            for j in count:
                reach[i][j] |= reach[i][k] and reach[k][j]
    return all(map(all, reach))


@settings(max_examples=examples(100), deadline=None)
@given(games)
def test_strengths_are_those_of_zermelo_exactly_where_they_exist(played: list[Game]) -> None:
    names, pairs = pairs_of(played)
    if not connected(names, pairs):
        with pytest.raises(InvalidInputError, match="no strengths of largest likelihood"):
            bradley_terry(played)
        return
    found = bradley_terry(played)
    assert found.holds, found.doubt
    assert math.isclose(sum(found.value), 0, abs_tol=1e-9)
    expected = reference.strengths(pairs, len(names))
    assert np.abs(np.subtract(found.value, expected)).max() < 1e-6


def test_two_players_by_hand() -> None:
    """Three wins of four: odds 3, so log 3 apart; information of the lead 4 · 3/16."""
    found = bradley_terry([{"a": 1, "b": 0}] * 3 + [{"b": 1, "a": 0}])
    assert math.isclose(found.of("a") - found.of("b"), math.log(3))
    assert math.isclose(found.standard_error[0], math.sqrt(4 / 3) / 2)
    reach = (found.interval[0][1] - found.interval[0][0]) / 2
    assert math.isclose(reach, 1.959963984540054 * math.sqrt(4 / 3) / 2)


def test_ties_count_as_half_a_win() -> None:
    tied = bradley_terry([{"a": 1, "b": 1}, {"a": 1, "b": 0}] * 2)
    split = bradley_terry([{"a": 1, "b": 0}] * 3 + [{"a": 0, "b": 1}])
    np.testing.assert_allclose(tied.value, split.value, atol=1e-9)


def test_games_of_more_players_are_no_independent_pairs() -> None:
    """The same pairs as games of two have narrower intervals than as games of four."""
    orders = list(permutations("abcd"))[::5]
    together: list[Scores] = [dict(zip(o, (4, 3, 2, 1), strict=True)) for o in orders] * 3
    apart: list[Scores] = [
        {a: g[a], b: g[b]} for g in together for i, a in enumerate(g) for b in list(g)[i + 1 :]
    ]
    whole, single = bradley_terry(together), bradley_terry(apart)
    assert dict(zip(whole.players, whole.value, strict=True)) == pytest.approx(
        dict(zip(single.players, single.value, strict=True))
    )
    assert max(whole.standard_error) > 1.1 * max(single.standard_error)


@settings(max_examples=examples(30), deadline=None)
@given(games, st.permutations("abcd"), st.integers(2, 3))
def test_order_names_and_repetition_change_nothing(
    played: list[Game], names: list[str], times: int
) -> None:
    played = [*played, *({"a": 1, "b": 1}, {"b": 1, "c": 1}, {"c": 1, "d": 1})]
    renamed = dict(zip("abcd", names, strict=True))
    moved = [{renamed[p]: s for p, s in reversed(g.items())} for g in reversed(played * times)]
    before, after = bradley_terry(played), bradley_terry(moved)
    for player in "abcd":
        assert math.isclose(before.of(player), after.of(renamed[player]), abs_tol=1e-7)


@settings(max_examples=examples(30), deadline=None)
@given(games)
def test_one_more_win_never_lowers_a_player(played: list[Game]) -> None:
    played = [*played, *({"a": 1, "b": 1}, {"b": 1, "c": 1}, {"c": 1, "d": 1})]
    more = bradley_terry([*played, {"a": 1, "d": 0}])
    assert more.of("a") > bradley_terry(played).of("a") - 1e-9


def test_intervals_cover_the_strengths_that_made_the_games() -> None:
    rng = np.random.default_rng(0)
    true = np.array([0.6, 0.0, -0.6])
    covered = 0
    for _ in range(60):
        noise = rng.gumbel(size=(40, 3))  # the largest of strength plus noise follows Luce's rule
        played: list[Any] = [dict(zip("abc", row, strict=True)) for row in (true + noise).tolist()]
        found = bradley_terry(played)
        low, high = found.interval[found.players.index("a")]
        covered += low <= 0.6 <= high
    assert covered >= 51, "of 60 intervals of 95%, 57 are expected to cover"


def test_a_missing_maximum_names_who_never_wins() -> None:
    played = [{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 0}]
    with pytest.raises(InvalidInputError, match="none of 'b', 'c' beats or ties any other"):
        bradley_terry(played)
    with pytest.raises(InvalidInputError, match=r"none of ('d', 'e'|'a', 'b') beats"):
        bradley_terry([{"a": 1, "b": 1}, {"d": 1, "e": 1}])


@pytest.mark.parametrize("player", [0, 2])
def test_the_gap_sees_a_wrong_strength(player: int, monkeypatch: pytest.MonkeyPatch) -> None:
    played = [{"a": 1, "b": 0, "c": 1}, {"a": 0, "b": 1, "c": 2}, {"a": 1, "b": 0, "c": 0}]
    assert bradley_terry(played).holds
    climb = solver.climb

    def faulty(*given: Any) -> Any:
        found = climb(*given)
        found[:, player] += 1e-5
        found[:, player - 1] -= 1e-5
        return found

    monkeypatch.setattr(solver, "climb", faulty)
    assert not bradley_terry(played).holds


def test_lopsided_games_are_fitted() -> None:
    found = bradley_terry([{"a": 1, "b": 0}] * 100_00 + [{"b": 1, "a": 0}])
    assert math.isclose(found.of("a") - found.of("b"), math.log(1e4), rel_tol=1e-9)
    assert found.holds
