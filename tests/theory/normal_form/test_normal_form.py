from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction
from inspect import unwrap
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from normal_form_games import chicken, games, joint_of, mixed, tensors

from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    NumberError,
    ProbabilityError,
    ShapeError,
    UnknownNameError,
)
from theory.normal_form import NormalFormGame, to_nfg
from theory.normal_form._tables import bimatrix_table
from theory.numbers import Exact, Floats, log

PAYOFFS = {
    "no player": ([], InvalidInputError, "has no player"),
    "text": ("1", InvalidInputError, "is no list of arrays"),
    "one matrix for two players": ([[1, 2], [3, 4]], ShapeError, "one array of 2 axes"),
    "two shapes": ([[[1, 2]], [[1], [2]]], ShapeError, "like the others"),
    "ragged": ([[[1, 2], [3]], [[1, 2], [3, 4]]], ShapeError, "different lengths"),
    "no actions": ([np.zeros((0, 2)), np.zeros((0, 2))], InvalidInputError, "without any"),
    "no actions, one player": ([[]], InvalidInputError, "without any"),
    "NaN": ([[1.0, float("nan")]], NumberError, "payoffs[0][1]"),
    "infinity": ([[1.0, float("inf")]], NumberError, "is not finite"),
    "decimal NaN": ([[1, Decimal("NaN")]], NumberError, "is not a number"),
    "bool": ([[True, 1]], NumberError, "is not a number"),
    "None": ([[None, 1]], NumberError, "is not a number"),
    "complex": ([[1j, 1]], NumberError, "is not a number"),
    "text in it": ([["one", 1]], NumberError, "as we read them"),
    "fraction beside a float": ([[0.5, Fraction(1, 3)]], ExactnessError, "beside floats"),
    "fractions for one player": ([[["1/2"]], [[0.5]]], ExactnessError, "payoffs[0]"),
    "integer beyond float64": ([[[2**53 + 1]], [[0.5]]], ExactnessError, "payoffs[0]"),
    "closed forms": ([[log(2), 1]], ExactnessError, "neither rational nor float64"),
    "many players": ([[1]] * 40, LimitError, "more than 32"),
    "many payoffs": ([np.broadcast_to(0.0, (10**4, 10**4))] * 2, LimitError, "67,108,864"),
}  # fmt: skip


@pytest.mark.parametrize(("payoffs", "error", "says"), PAYOFFS.values(), ids=PAYOFFS.keys())
def test_payoffs_that_are_refused(payoffs: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as caught:
        unwrap(NormalFormGame.of.__func__)(NormalFormGame, payoffs)
    assert says in str(caught.value)


NAMES = {
    "one player": ({"players": ["Ann"]}, ShapeError),
    "three players": ({"players": ["a", "b", "c"]}, ShapeError),
    "a player twice": ({"players": ["Ann", "Ann"]}, InvalidInputError),
    "one text": ({"players": "ab"}, InvalidInputError),
    "numbers": ({"players": [1, 2]}, InvalidInputError),
    "none": ({"players": 3}, InvalidInputError),
    "actions of one": ({"actions": [["a", "b"]]}, ShapeError),
    "one action": ({"actions": [["a"], ["a", "b"]]}, ShapeError),
    "an action twice": ({"actions": [["a", "a"], ["a", "b"]]}, InvalidInputError),
    "actions as text": ({"actions": ["ab", "ab"]}, InvalidInputError),
    "actions as one text": ({"actions": "ab"}, InvalidInputError),
}


@pytest.mark.parametrize(("names", "error"), NAMES.values(), ids=NAMES.keys())
def test_names_that_are_refused(names: dict[str, Any], error: type[Exception]) -> None:
    matrix = [[1, 2], [3, 4]]
    with pytest.raises(error):
        unwrap(NormalFormGame.of.__func__)(NormalFormGame, [matrix, matrix], **names)


def test_fields_that_do_not_fit() -> None:
    with pytest.raises(ShapeError, match="does not fit"):
        NormalFormGame(("a",), (("x", "y"),), Exact.of([[1, 2, 3]]))
    with pytest.raises(ShapeError, match="does not fit"):
        NormalFormGame(("a", "b"), (("x", "y"),), Exact.of([[1, 2]]))
    with pytest.raises(NumberError, match="is not finite"):
        NormalFormGame(("a",), (("x", "y"),), Floats(np.array([[1.0, np.nan]])))


def test_payoffs_keep_their_kind() -> None:
    exact = NormalFormGame.bimatrix([["1/3", 0]], [["0.1", Decimal("0.1")]])
    assert exact.exact
    assert exact.payoff(0, ["0", "0"]) == Fraction(1, 3)
    assert exact.payoff("player 2", [0, 1]) == Fraction(1, 10)
    floats = NormalFormGame.bimatrix([[0.5, 1]], [[1, 2]])
    assert not floats.exact
    assert floats.payoff(1, [0, 1]) == 2.0
    assert type(floats.payoff(1, [0, 1])) is float


def test_profiles_are_in_c_order() -> None:
    arrays = np.arange(2 * 3 * 4 * 3).reshape(3, 2, 3, 4)
    game = NormalFormGame.of(arrays)
    for profile in product(range(2), range(3), range(4)):
        assert [game.payoff(p, profile) for p in range(3)] == arrays[:, *profile].tolist()
        assert game.profile_names(game.profile(profile)) == tuple(map(str, profile))
        assert game.tensor(2)[profile] == arrays[2][profile]


def test_what_was_given_can_change_later() -> None:
    own = np.ones((2, 2))
    game = NormalFormGame.zero_sum(own)
    own[:] = 7
    assert game.payoff(0, (0, 0)) == 1
    with pytest.raises(ValueError, match="read-only"):
        game.tensor(0)[0, 0] = 7
    exact: Any = NormalFormGame.zero_sum([[1, 2], [3, 4]]).payoffs
    with pytest.raises(ValueError, match="read-only"):
        exact.numerators[0] = 7


@pytest.mark.parametrize(
    ("profile", "error"),
    [
        (["yield"], ShapeError),
        ("ab", ShapeError),
        (["yield", "swerve"], UnknownNameError),
        (["yield", 2], UnknownNameError),
        (["yield", -1], UnknownNameError),
        (["yield", True], UnknownNameError),
        (["yield", 1.0], UnknownNameError),
        (["yield", None], UnknownNameError),
    ],
)
def test_profiles_that_are_refused(profile: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        chicken().payoff(0, profile)


@pytest.mark.parametrize("player", ["Eve", 2, -1])
def test_players_that_are_refused(player: Any) -> None:
    with pytest.raises(UnknownNameError, match="player"):
        chicken().tensor(player)


def test_a_name_that_is_nearly_right() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'yield'"):
        chicken().payoff("Ann", ["yeld", "dare"])


STRATEGIES = {
    "one too few": ([[1, 0]], ShapeError),
    "no list": (None, ShapeError),
    "text": ("ab", ShapeError),
    "three actions": ([None, [1, 0, 0]], ShapeError),
    "a number": ([None, 1], ShapeError),
    "negative": ([None, [2, -1]], ProbabilityError),
    "negative float": ([None, np.array([1.5, -0.5])], ProbabilityError),
    "sum of 1/2": ([None, ["1/2", 0]], ProbabilityError),
    "sum above one": ([None, [0.5, 0.500001]], ProbabilityError),
    "NaN": ([None, [0.5, float("nan")]], NumberError),
    "NaN array": ([None, np.array([np.nan, 1])], NumberError),
    "bool": ([None, [True, False]], NumberError),
    "unknown action": ([None, {"swerve": 1}], UnknownNameError),
    "given twice": ([None, {"yield": "1/2", 0: "1/2"}], InvalidInputError),
    "None": ([[1, 0], None], NumberError),
}


@pytest.mark.parametrize(("given", "error"), STRATEGIES.values(), ids=STRATEGIES.keys())
def test_strategies_that_are_refused(given: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        unwrap(NormalFormGame.rewards)(chicken(), 0, given)


def test_strategies_of_another_kind() -> None:
    halves = NormalFormGame.zero_sum([["1/2", 0]])
    with pytest.raises(ExactnessError, match="payoffs stands beside floats"):
        halves.rewards(0, [None, [0.5, 0.5]])
    with pytest.raises(ExactnessError, match="strategies"):
        halves.as_floats().rewards(0, [None, ["1/2", "1/2"]])
    assert halves.as_floats().rewards(0, [None, [1, 0]]).scalars() == [0.5]
    assert chicken().rewards(0, [None, [0.5, 0.5]]).scalars() == [4.0, 3.5]


class Sparse:
    """What only knows how to become an array."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        del copy
        return np.array([0.0, 1.0], dtype=dtype)


def test_a_strategy_may_be_written_in_many_ways() -> None:
    ways: list[Any] = [[0, 1], (0.0, 1.0), {"dare": 1}, {1: 1}, np.array([0, 1]), Exact.of([0, 1])]
    for way in [*ways, Sparse(), np.array([0, 1], dtype=np.float32)]:
        assert list(map(float, chicken().rewards("Ann", [None, way]).scalars())) == [2, 0]


@given(mixed())
def test_rewards_are_expected_payoffs(drawn: Any) -> None:
    game, strategies = drawn
    for p, own in enumerate(game.shape):
        rewards = game.rewards(p, strategies)
        assert game.rewards(p, [*strategies[:p], None, *strategies[p + 1 :]]).scalars() == (
            rewards.scalars()
        )
        for action in range(own):
            fixed = [list(row) for row in strategies]
            fixed[p] = [Fraction(j == action) for j in range(own)]
            assert (joint_of(fixed) * tensors(game)[p]).sum() == rewards[action].item()
        floats = game.as_floats().rewards(p, [np.array(row, dtype=float) for row in strategies])
        assert np.allclose(floats.scalars(), np.array(rewards.scalars(), dtype=float), atol=1e-13)


@given(games())
def test_unit_payoffs(game: NormalFormGame) -> None:
    unit, scales = game.unit()
    for u, v, (low, width) in zip(tensors(game), tensors(unit), scales, strict=True):
        assert (u == v * width + low).all()
        assert v.min() == 0
        assert v.max() == (1 if width else 0)
    floats, _ = game.as_floats().unit()
    assert all(0 <= v.min() <= v.max() <= 1 for v in tensors(floats))


def test_ranges_beyond_float64() -> None:
    game = NormalFormGame.of([[1.7e308, -1.7e308]])
    with pytest.raises(NumberError, match="beyond float64"):
        game.unit()
    with pytest.raises(NumberError, match="beyond float64"):
        NormalFormGame.of([[10**400]]).tensor(0)


def test_shown() -> None:
    assert str(chicken()) == (
        "Chicken: Ann picks the row, Bob the column\n"
        "       yield  dare\n"
        "─────  ─────  ────\n"
        "yield  6, 6   2, 7\n"
        "dare   7, 2   0, 0"
    )
    assert "<td>7, 2</td>" in chicken()._repr_html_()
    three = NormalFormGame.of(np.arange(24).reshape(3, 2, 2, 2))
    assert "pays player 3" in str(three)
    assert len(str(NormalFormGame.zero_sum(np.ones((50, 50)))).splitlines()) < 40
    assert len(str(NormalFormGame.of(np.ones((3, 9, 9, 9)))).splitlines()) < 40
    assert "50 x 50 in all" in str(NormalFormGame.zero_sum(np.ones((50, 50))))


def test_pickled() -> None:
    assert str(pickle.loads(pickle.dumps(chicken()))) == str(chicken())


@pytest.mark.parametrize("title", [5, None, b"title", ["title"]])
def test_titles_that_are_no_text(title: Any) -> None:
    game = chicken()
    broken = object.__new__(NormalFormGame)
    for name in ("players", "actions", "payoffs"):
        object.__setattr__(broken, name, getattr(game, name))
    object.__setattr__(broken, "title", title)
    with pytest.raises(InvalidInputError, match="title is not text"):
        unwrap(NormalFormGame.__post_init__)(broken)


@pytest.mark.parametrize("game", [5, None, "NFG 1 R", NormalFormGame])
def test_only_games_are_written(game: Any) -> None:
    with pytest.raises(InvalidInputError, match="game is not a NormalFormGame"):
        unwrap(to_nfg)(game)


@pytest.mark.parametrize(
    ("rows", "columns", "cut"), [(24, 12, False), (25, 12, True), (2, 13, True)]
)
def test_a_table_is_cut_where_it_is_too_large_to_read(rows: int, columns: int, cut: bool) -> None:
    names = [str(k) for k in range(25)]
    table = bimatrix_table("game", names[:rows], names[:columns], lambda i, j: f"{i}{j}")
    assert (table.caption == f"game; {rows} x {columns} in all") is cut
    assert (table.columns[-1] == "…") is (columns > 12)
    assert (table.rows[-1][0] == "…") is (rows > 24)
