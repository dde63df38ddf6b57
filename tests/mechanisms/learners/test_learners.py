"""Learners over listed actions and over sets: what they play, and what they refuse."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from fractions import Fraction
from inspect import unwrap
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from reference import learners as oracle

from mechanisms.learners import (
    FTPL,
    BestResponse,
    BlumMansour,
    CallableOracle,
    Hedge,
    InternalFTPL,
    Learner,
    RegretMatching,
)
from theory.actions import Features, ListedActions, SoftmaxStrategy, SparseStrategy, Subsets
from theory.errors import InvalidInputError, LimitError, NumberError, ShapeError, UnknownNameError

Make = Callable[[int], Any]

LISTED: dict[str, Make] = {
    "hedge": Hedge,
    "hedge fixed": lambda n: Hedge(n, rounds=50),
    "best response": BestResponse,
    "regret matching": RegretMatching,
    "copies": BlumMansour,
    "copies fixed": lambda n: BlumMansour(n, rounds=50),
}
PLAIN: dict[str, Callable[[Any, int], Any]] = {
    "hedge": lambda r, n: oracle.hedge(r, oracle.hedge_anytime(n)),
    "hedge fixed": lambda r, n: oracle.hedge(r, oracle.hedge_rate(n, 50)),
    "best response": lambda r, n: oracle.best_response(r),
    "regret matching": lambda r, n: oracle.regret_matching(r),
    "copies": lambda r, n: oracle.blum_mansour(r, oracle.copies_anytime(n)),
    "copies fixed": lambda r, n: oracle.blum_mansour(r, oracle.copies_rate(n, 50)),
}


def rewards_of(seed: int, rounds: int, size: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 17, (rounds, size)) / 16


def played(learner: Any, rewards: Any) -> np.ndarray:
    plays = []
    for row in rewards:
        plays.append(np.array(learner.play()))
        learner.observe(row)
    return np.array(plays)


def made(cls: Any, *arguments: Any, **options: Any) -> Any:
    """Make a learner without the check of types that tests wrap around."""
    learner = cls.__new__(cls)
    unwrap(cls.__init__)(learner, *arguments, **options)
    return learner


@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_plays_are_those_of_plain_python(name: str, size: int) -> None:
    rewards = rewards_of(size, 50, size)
    expected = list(PLAIN[name](rewards.tolist(), size)) if size > 1 else [[1.0]] * 50
    np.testing.assert_allclose(played(LISTED[name](size), rewards), expected, rtol=0, atol=2e-9)


def test_regret_matching_in_fractions() -> None:
    rewards = rewards_of(3, 7, 4)
    exact = oracle.regret_matching([[Fraction(x) for x in row] for row in rewards.tolist()])
    expected = np.array([[float(p) for p in play] for play in exact])
    np.testing.assert_allclose(played(RegretMatching(4), rewards), expected, rtol=0, atol=1e-9)


def test_a_regret_that_is_zero_but_for_rounding_is_none() -> None:
    """Uniform play over 3 earns 1/3, which float64 does not hold; then all regrets cancel."""
    learner = RegretMatching(3)
    for action in (0, 1, 2):
        learner.observe(np.eye(3)[action] * 0.1 + 0.7)
    learner.observe(np.full(3, 0.3))
    plays = played(RegretMatching(3), [[0.3, 0.3, 0.3]] * 4)
    np.testing.assert_array_equal(plays, np.full((4, 3), 1 / 3))


@pytest.mark.parametrize("name", LISTED)
def test_plays_given_away_are_not_changed_and_changing_them_changes_nothing(name: str) -> None:
    learner, twin = LISTED[name](3), LISTED[name](3)
    rewards = rewards_of(0, 20, 3)
    for row in rewards:
        play, before = learner.play(), np.array(learner.play())
        learner.observe(row)
        np.testing.assert_array_equal(play, before)
        play[:] = nan
        told = row.copy()
        twin.observe(told)
        told[:] = nan
        np.testing.assert_array_equal(learner.play(), twin.play())


@pytest.mark.parametrize("name", LISTED)
def test_copies_and_pickles_go_on_alone(name: str) -> None:
    learner, rewards = LISTED[name](3), rewards_of(1, 20, 3)
    played(learner, rewards[:10])
    twins = [copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))]
    if not name.endswith("fixed"):
        assert "object at" not in repr(learner)
    expected = played(learner, rewards[10:])
    for twin in twins:
        np.testing.assert_array_equal(played(twin, rewards[10:]), expected)


def test_the_fixed_point_of_the_copies_is_one() -> None:
    learner = BlumMansour(40, rate=30.0)
    rng = np.random.default_rng(0)
    for _ in range(200):
        learner.observe((rng.random(40) < 0.1).astype(np.float64))
        assert abs(learner.play().sum() - 1) < 1e-12
    assert 0 < learner.residual < 1e-13


def test_the_copies_stay_well_where_exponentials_underflow() -> None:
    learner = BlumMansour(3, rate=500.0)
    for t in range(400):
        learner.observe(np.eye(3)[t // 100 % 3])
        play = learner.play()
        assert np.isfinite(play).all()
        assert play.min() >= 0
    assert learner.residual < 1e-14


def test_hedge_on_a_set_is_hedge_on_its_list() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.random((6, 3)) / 3
    actions = Features(matrix)
    wide, listed = Hedge(actions, rounds=30), Hedge(6, rounds=30)
    for _ in range(30):
        strategy = wide.play()
        assert isinstance(strategy, SoftmaxStrategy)
        np.testing.assert_allclose(np.asarray(strategy), listed.play(), atol=1e-12)
        z = rng.random(3)
        wide.observe(z)
        listed.observe(matrix @ z)
    assert isinstance(Hedge(ListedActions(3)).play(), np.ndarray)


def test_best_response_on_a_set_and_with_an_oracle() -> None:
    learner: Any = BestResponse(Subsets(5, 2), reward_range=(0.0, 2.0))
    assert learner.play().actions == ((0, 1),)
    learner.observe(np.array([0, 1, 0, 1, 0.5]))
    assert learner.play().actions == ((1, 3),)
    assert learner.oracle_gap == 0
    asked = CallableOracle(
        lambda history: 0, size=2, payoff=lambda action, r: r[action], rivals=[0, 1]
    )
    fooled: Any = BestResponse(asked)
    fooled.observe([0.25, 1.0])
    assert fooled.play().actions == (0,)
    assert fooled.oracle_gap == 0.75


# --- FTPL


@pytest.mark.parametrize("noise", ["gumbel", "normal", "exponential", "uniform"])
def test_ftpl_draws_leaders_under_noise(noise: str) -> None:
    """The law is found by drawing: from numpy, argmax of sums and noise."""
    learner = FTPL(3, rng=np.random.default_rng(0), samples=4_000, noise=noise, rate=1.0)
    rewards = np.array([[0.0, 0.5, 1.0], [0.25, 0.0, 0.5]])
    for row in rewards:
        learner.observe(row)
    rng = np.random.default_rng(1)
    drawn = {
        "gumbel": rng.gumbel,
        "normal": rng.standard_normal,
        "exponential": rng.standard_exponential,
        "uniform": rng.random,
    }[noise](size=(200_000, 3))
    leaders = (rewards.sum(axis=0) + drawn).argmax(axis=1)
    law = np.bincount(leaders, minlength=3) / len(leaders)
    np.testing.assert_allclose(np.asarray(learner.play()), law, atol=0.03)


def test_ftpl_is_hedge_on_average() -> None:
    rewards = rewards_of(2, 10, 4)
    hedge = played(Hedge(4, rounds=10), rewards)
    options: dict[str, Any] = {"samples": 40_000, "rounds": 10}
    drawn = played(FTPL(4, rng=np.random.default_rng(3), **options), rewards)
    np.testing.assert_allclose(drawn, hedge, atol=0.012)
    assert (drawn != hedge).any()


def test_the_play_of_a_round_is_drawn_once_and_anew_in_the_next() -> None:
    learner = FTPL(1000, rng=np.random.default_rng(0))
    first = learner.play()
    assert learner.play() is first
    assert isinstance(first, SparseStrategy)
    seen = {first.actions}
    for _ in range(20):
        learner.observe(np.zeros(1000))
        seen.add(learner.play().actions)
    assert len(seen) > 15


def test_ftpl_plays_sets_that_cannot_be_listed() -> None:
    actions = Subsets(60, 30)
    for noise in ("gumbel", "normal"):
        learner = FTPL(
            actions,
            rng=np.random.default_rng(0),
            samples=5,
            noise=noise,
            rate=40.0,
            reward_range=(0.0, 30.0),
        )
        for _ in range(40):
            learner.observe((np.arange(60) % 2).astype(np.float64))
        play = learner.play()
        assert play.size == actions.size
        assert play.features(actions)[1::2].mean() > 0.8


def test_ftpl_asks_an_oracle_that_is_given() -> None:
    def smooth(history: Any, rate: float, rng: np.random.Generator) -> int:
        return len(history) % 2

    learner = FTPL(CallableOracle(lambda h: 0, size=2, smooth=smooth), rng=np.random.default_rng(0))
    assert learner.play().actions == (0,)
    learner.observe("anything")
    assert learner.play().actions == (1,)


# --- bad input


@pytest.mark.parametrize("cls", [Hedge, BestResponse, RegretMatching, BlumMansour])
@pytest.mark.parametrize("actions", [0, -1, True, 2.0, "3", None])
def test_a_number_of_actions_must_be_one(cls: Any, actions: Any) -> None:
    with pytest.raises(InvalidInputError, match="actions"):
        made(cls, actions)


@pytest.mark.parametrize("cls", [Hedge, BlumMansour])
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"rounds": 0}, "rounds is not a count"),
        ({"rounds": True}, "rounds is not a count"),
        ({"rounds": 10.0}, "rounds is not a count"),
        ({"rate": 0.0}, "rate is not positive"),
        ({"rate": -1.0}, "rate is not positive"),
        ({"rate": nan}, "rate is not finite"),
        ({"rate": inf}, "rate is not finite"),
        ({"rate": "fast"}, "rate is not a number"),
        ({"rounds": 5, "rate": 0.1}, "rate is given beside rounds=5"),
    ],
)
def test_step_sizes_must_make_sense(cls: Any, options: dict[str, Any], text: str) -> None:
    for actions in (1, 3):
        with pytest.raises(InvalidInputError, match=text):
            made(cls, actions, **options)


@pytest.mark.parametrize("cls", [Hedge, BestResponse, RegretMatching, BlumMansour])
@pytest.mark.parametrize(
    "reward_range",
    [(1.0, 0.0), (0.0, 0.0), (0.0, nan), (-inf, inf), (0.0,), 1.0, "01", (0, "1"), (0, 1e-310)],
)
def test_a_range_must_be_one(cls: Any, reward_range: Any) -> None:
    with pytest.raises(InvalidInputError, match="reward_range"):
        made(cls, 2, reward_range=reward_range)


@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize(
    ("rewards", "kind", "text"),
    [
        ([0.0, 1.1, 0.0], InvalidInputError, "of action 1 are 1.1, outside"),
        ([0.0, 0.0, -0.1], InvalidInputError, "of action 2 are -0.1, outside"),
        ([nan, 0.0, 0.0], NumberError, "of action 0 are nan"),
        ([0.0, inf, 0.0], NumberError, "of action 1 are inf"),
        ([0.0, 0.0], ShapeError, r"have shape \(2,\)"),
        ([[0.0, 0.0, 0.0]], ShapeError, r"have shape \(1, 3\)"),
        (0.5, ShapeError, r"have shape \(\)"),
        ([], ShapeError, r"have shape \(0,\)"),
        ("abc", NumberError, "no list of numbers"),
        (None, NumberError, "no list of numbers"),
        ([True, False, True], NumberError, "no list of numbers"),
        ([[1], [2, 3], []], NumberError, "no list of numbers"),
    ],
)
def test_rewards_that_are_none_are_refused_and_forgotten(
    name: str, rewards: Any, kind: type[Exception], text: str
) -> None:
    learner, twin = LISTED[name](3), LISTED[name](3)
    first, second = rewards_of(0, 2, 3)
    learner.observe(first)
    with pytest.raises(kind, match=text):
        learner.observe(rewards)
    learner.observe(second)
    played(twin, [first, second])
    np.testing.assert_array_equal(learner.play(), twin.play())


@pytest.mark.parametrize("name", LISTED)
def test_rewards_may_be_off_by_rounding_and_of_any_kind(name: str) -> None:
    plays = []
    for row in (
        np.array([0.0, 1.0, 0.0]),
        [0, 1, 0],
        (0.0, 1.0, 0.0),
        np.array([0, 1, 0], dtype=np.int8),
        np.array([[0.0, 9.0], [1.0, 9.0], [0.0, 9.0]])[:, 0],
        np.array([0.0, 1.0, 0.0], dtype=">f8"),
        np.array([-1e-10, 1 + 1e-10, 0.0]),
    ):
        learner = LISTED[name](3)
        learner.observe(row)
        plays.append(learner.play())
    for play in plays:
        np.testing.assert_allclose(play, plays[0], atol=1e-8)


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"noise": "gumble"}, UnknownNameError, "did you mean 'gumbel'"),
        ({"noise": None}, UnknownNameError, "noise"),
        ({"rounds": 3, "rate": 1.0}, InvalidInputError, "beside rounds=3"),
        ({"reward_range": (1.0, 0.0)}, InvalidInputError, "reward_range"),
        ({"actions": 0}, InvalidInputError, "actions"),
        ({"actions": object()}, InvalidInputError, "is no set of actions"),
    ],
)
def test_ftpl_refuses(options: dict[str, Any], kind: type[Exception], text: str) -> None:
    arguments = {"actions": 3, "rng": np.random.default_rng(0), **options}
    with pytest.raises(kind, match=text):
        made(FTPL, arguments.pop("actions"), **arguments)


def test_an_oracle_has_a_noise_of_its_own() -> None:
    asked = CallableOracle(lambda h: 0, size=2)
    with pytest.raises(InvalidInputError, match="is given beside an oracle"):
        FTPL(asked, rng=np.random.default_rng(0), noise="normal")


def test_copies_for_more_actions_than_fit_are_refused_at_once() -> None:
    with pytest.raises(LimitError, match="above 5,000"):
        BlumMansour(5_001)


@pytest.mark.parametrize("make", [*LISTED.values(), lambda n: FTPL(n, rng=np.random.default_rng())])
def test_all_are_learners(make: Make) -> None:
    assert isinstance(make(2), Learner)
    np.testing.assert_array_equal(np.array(make(1).play()), [1.0])


def test_learners_say_how_they_were_made() -> None:
    assert repr(Hedge(3)) == "Hedge(3)"
    assert repr(Hedge(2, rate=0.5, reward_range=(0.0, 5.0))) == (
        "Hedge(2, rate=0.5, reward_range=(0, 5))"
    )
    assert repr(FTPL(2, rng=np.random.default_rng(), samples=3, noise="normal")) == (
        "FTPL(2, samples=3, noise='normal')"
    )
    assert repr(InternalFTPL(3)) == "InternalFTPL(3)"
    sampled = InternalFTPL(3, rng=np.random.default_rng(), samples=8)
    assert repr(sampled) == "InternalFTPL(3, samples=8)"
    assert repr(RegretMatching(4)) == "RegretMatching(4)"
    assert "Subsets" in repr(BestResponse(Subsets(4, 2)))
