"""What plays must not depend on: where zero is, the unit of payoffs, the names of actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import examples

from mechanisms.learners import FTPL, BestResponse, BlumMansour, Hedge, RegretMatching
from theory.actions import Features

Make = Callable[..., Any]

FREE: dict[str, Make] = {
    "hedge": Hedge,
    "hedge fixed": lambda n, **o: Hedge(n, rounds=20, **o),
    "regret matching": RegretMatching,
    "copies": BlumMansour,
    "copies fixed": lambda n, **o: BlumMansour(n, rate=3.0, **o),
}
ALL: dict[str, Make] = {
    **FREE,
    "best response": BestResponse,
    "ftpl": lambda n, **o: FTPL(n, rng=np.random.default_rng(7), samples=3, **o),
    "ftpl normal": lambda n, **o: FTPL(n, rng=np.random.default_rng(7), noise="normal", **o),
    "hedge on a set": lambda n, **o: Hedge(Features(np.eye(n)), **o),
}

histories = st.integers(1, 5).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, 16), min_size=n, max_size=n), min_size=1, max_size=25
    )
)


def played(learner: Any, rewards: np.ndarray) -> np.ndarray:
    plays = []
    for row in rewards:
        plays.append(np.array(learner.play()))
        learner.observe(row)
    return np.array(plays)


def sixteenths(history: list[list[int]]) -> np.ndarray:
    return np.array(history, dtype=np.float64) / 16


@pytest.mark.parametrize("name", ALL)
@given(history=histories, low=st.integers(-40, 40), width=st.sampled_from([0.25, 1.0, 3.0, 1e6]))
@settings(max_examples=examples(20))
def test_payoffs_of_another_range_are_played_as_those_in_the_unit_interval(
    name: str, history: list[list[int]], low: int, width: float
) -> None:
    rewards = sixteenths(history)
    n = rewards.shape[1]
    expected = played(ALL[name](n), rewards)
    other = played(ALL[name](n, reward_range=(low / 8, low / 8 + width)), low / 8 + width * rewards)
    np.testing.assert_allclose(other, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("name", FREE)
@given(history=histories, shifts=st.lists(st.integers(-8, 8), min_size=25, max_size=25))
@settings(max_examples=examples(20))
def test_a_shift_of_all_rewards_of_a_round_changes_nothing(
    name: str, history: list[list[int]], shifts: list[int]
) -> None:
    rewards = sixteenths(history)
    rounds, n = rewards.shape
    shifted = rewards + np.array(shifts[:rounds])[:, np.newaxis] / 16
    make = FREE[name]
    expected = played(make(n, reward_range=(-1.0, 2.0)), rewards)
    np.testing.assert_array_equal(played(make(n, reward_range=(-1.0, 2.0)), shifted), expected)


@pytest.mark.parametrize("name", FREE)
@given(history=histories, data=st.data())
@settings(max_examples=examples(20))
def test_plays_go_with_the_names_of_actions(
    name: str, history: list[list[int]], data: st.DataObject
) -> None:
    rewards = sixteenths(history)
    n = rewards.shape[1]
    order = np.array(data.draw(st.permutations(range(n))))
    expected = played(FREE[name](n), rewards)[:, order]
    np.testing.assert_allclose(
        played(FREE[name](n), rewards[:, order]), expected, rtol=0, atol=1e-9
    )


def test_best_response_does_not_know_names_where_there_are_ties() -> None:
    """By design: it plays the first of the leaders."""
    np.testing.assert_array_equal(BestResponse(2).play(), [1, 0])
    rewards = np.array([[0.0, 0.5, 1.0], [0.25, 1.0, 0.5]])
    order = [2, 0, 1]
    plain, other = played(BestResponse(3), rewards), played(BestResponse(3), rewards[:, order])
    np.testing.assert_array_equal(other[1], plain[1][order])
    assert (other[0] != plain[0][order]).any()


@given(history=histories, scale=st.sampled_from([1.0, 0.5, 0.1, 1e-3, 1e-9]))
@settings(max_examples=examples(40))
def test_regret_matching_knows_no_scale(history: list[list[int]], scale: float) -> None:
    rewards = sixteenths(history)
    n = rewards.shape[1]
    expected = played(RegretMatching(n), rewards)
    np.testing.assert_allclose(
        played(RegretMatching(n), scale * rewards), expected, rtol=0, atol=1e-7
    )


def test_hedge_does_know_it() -> None:
    rewards = np.array([[0.0, 1.0]] * 3)
    assert played(Hedge(2), rewards)[2, 1] > played(Hedge(2), rewards / 2)[2, 1] + 0.01


@pytest.mark.parametrize("name", FREE)
def test_two_actions_that_earn_the_same_are_played_alike(name: str) -> None:
    rewards = np.random.default_rng(0).integers(0, 9, (30, 3)) / 8
    twice = rewards[:, [0, 1, 2, 2]]
    plays = played(FREE[name](4), twice)
    np.testing.assert_allclose(plays[:, 2], plays[:, 3], atol=1e-12)


def test_hedge_on_average_rewards_of_the_past_has_no_memory_of_their_order() -> None:
    rewards = np.random.default_rng(0).integers(0, 9, (30, 4)) / 8
    one, other = Hedge(4), Hedge(4)
    played(one, rewards)
    played(other, rewards[::-1])
    np.testing.assert_allclose(one.play(), other.play(), atol=1e-12)
