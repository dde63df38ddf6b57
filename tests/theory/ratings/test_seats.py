"""Seats that are dealt out evenly: counts of seats, of meetings, of orders."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.errors import InvalidInputError
from theory.ratings import balanced_seats


def seat_counts(design: tuple[tuple[int, ...], ...], players: int) -> list[list[int]]:
    """How often each player sat in each seat."""
    counts = Counter((player, seat) for game in design for seat, player in enumerate(game))
    return [[counts[p, s] for s in range(len(design[0]))] for p in range(players)]


def meeting_counts(design: tuple[tuple[int, ...], ...], players: int) -> set[int]:
    met = Counter(frozenset(pair) for game in design for pair in combinations(game, 2))
    return {met[frozenset(pair)] for pair in combinations(range(players), 2)}


@given(st.integers(2, 7), st.data())
def test_every_player_has_every_seat_equally_often(players: int, data: st.DataObject) -> None:
    seats = data.draw(st.integers(2, players))
    rounds = data.draw(st.integers(1, 4))
    design = balanced_seats(range(players), rounds * players, seats=seats)
    assert len(design) == rounds * players
    assert all(len(set(game)) == seats for game in design)
    assert seat_counts(design, players) == [[rounds] * seats] * players


@given(st.integers(2, 7), st.integers(1, 30), st.data())
def test_after_any_number_of_games_seats_differ_by_one_at_most(
    players: int, games: int, data: st.DataObject
) -> None:
    seats = data.draw(st.integers(2, players))
    design = balanced_seats(range(players), games, seats=seats)
    counts = {count for row in seat_counts(design, players) for count in row}
    assert max(counts) - min(counts) <= 1
    assert design == balanced_seats(range(players), games + 5, seats=seats)[:games]


@pytest.mark.parametrize(
    ("players", "seats", "games", "meetings"),
    [
        (7, 3, 7, 1),  # the plane of Fano
        (13, 4, 13, 1),  # a projective plane of order 3
        (4, 3, 4, 2),
        (5, 2, 10, 1),
        (6, 2, 30, 2),
        (6, 5, 6, 4),
        (5, 3, 10, 3),
        (3, 3, 6, 6),
    ],
)
def test_everyone_meets_everyone_equally_often_where_a_cyclic_design_does(
    players: int, seats: int, games: int, meetings: int
) -> None:
    assert meetings * comb(players, 2) == games * comb(seats, 2), "so many there are in all"
    assert meeting_counts(balanced_seats(range(players), games, seats=seats), players) == {meetings}


def test_where_all_sit_every_order_comes_once() -> None:
    design = balanced_seats(range(4), 24)
    assert sorted(design) == sorted(permutations(range(4)))
    assert balanced_seats(range(4), 30)[24:] == design[:6]


def test_meetings_stay_close_where_they_cannot_be_equal() -> None:
    for games in (8, 16, 24):
        counts = meeting_counts(balanced_seats(range(8), games, seats=3), 8)
        assert max(counts) - min(counts) <= 2, games


def test_a_key_deals_out_the_parts() -> None:
    names = ["a", "b", "c", "d", "e"]
    plain, dealt = balanced_seats(names, 10, seats=3), balanced_seats(names, 10, key=3, seats=3)
    assert dealt == balanced_seats(names, 10, key=3, seats=3)
    parts = dict(
        zip(
            dict.fromkeys(p for g in plain for p in g),
            dict.fromkeys(p for g in dealt for p in g),
            strict=True,
        )
    )
    assert [tuple(parts[p] for p in game) for game in plain] == list(dealt)
    assert len({balanced_seats(names, 10, key=key) for key in range(20)}) > 5


def test_bad_designs_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="name a player twice"):
        balanced_seats(["a", "b", "a"], 3)
    with pytest.raises(InvalidInputError, match="are none"):
        balanced_seats([], 3)
    assert balanced_seats(["a"], 2) == (("a",), ("a",))
    with pytest.raises(InvalidInputError, match="are more than the players"):
        balanced_seats(["a", "b"], 3, seats=3)
    with pytest.raises(InvalidInputError, match="is one text"):
        balanced_seats("abc", 3)
