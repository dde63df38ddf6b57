"""The internal oracle that asks a chat: the law of its maps, and the learner that plays by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp
from typing import Any

import numpy as np
import pytest
from babbling_chats import Babbler
from learning_chats import Leader, drawn_history, gives_away, named, shown
from sweeps import mostly_slow

from llm_adapters.fakes import RuleChat
from llm_adapters.players import ChatOracle
from mechanisms.learners import History, InternalFTPL, play_against
from mechanisms.protocols import Message

NAMES = ["rock", "paper", "scissors"]
FAR = {6: 46.0, 9: 52.0}
"""What a chi-square of so many degrees of freedom exceeds with a probability below 1e-7."""


def stubborn(messages: Sequence[Message], schema: Any) -> str:
    """Rock where it is on the list, else paper."""
    points = shown(messages[1].content)
    return named("rock" if "rock" in points else "paper")


def gain(history: History, i: int, j: int) -> float:
    return float(sum(s.play[i] * (s.observation[j] - s.observation[i]) for s in history))


def law(history: History, rate: float, constants: bool) -> dict[Any, float]:
    """The law of the best map under Gumbel noise, map by map."""
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    weights: dict[Any, float] = {pair: exp(rate * gain(history, *pair)) for pair in pairs}
    weights[None] = 1.0
    if constants:
        weights = {key: value / len(weights) for key, value in weights.items()}
        for j in range(3):
            lead = sum(float(s.observation[j] - s.play @ s.observation) for s in history)
            weights[j] = exp(rate * lead) / 3
    total = sum(weights.values())
    return {key: value / total for key, value in weights.items()}


def chi_square(oracle: ChatOracle, constants: bool, true_rate: float = 0.9) -> float:
    """How far the maps drawn at a rate of 0.9 are from the law at another."""
    history = History()
    for each in drawn_history(np.random.default_rng(3), 2, 6):  # an action is never played
        history.append(np.append(each.play, 0.0), np.append(each.observation, 0.5))
    n = 200
    drawn = oracle.smooth_best_maps(
        history, rate=0.9, rng=np.random.default_rng(1), n=n, constants=constants
    )
    assert drawn.number == n
    counts: dict[Any, int] = {**drawn.moves, **drawn.constants, None: drawn.identity}
    seen = Counter(counts)
    expected = law(history, true_rate, constants)
    assert set(seen) <= set(expected)
    return sum((seen[key] - n * p) ** 2 / (n * p) for key, p in expected.items())


@pytest.mark.parametrize("constants", [False, True])
def test_the_law_of_maps(constants: bool) -> None:
    oracle = ChatOracle(RuleChat(Leader()), NAMES)
    assert chi_square(oracle, constants) < FAR[9 if constants else 6]
    assert oracle.gap == 0


@pytest.mark.parametrize("constants", [False, True])
def test_another_law_would_be_seen(constants: bool) -> None:
    limit = FAR[9 if constants else 6]
    assert chi_square(ChatOracle(RuleChat(Leader()), NAMES), constants, true_rate=2.5) > limit
    assert chi_square(ChatOracle(RuleChat(stubborn), NAMES), constants) > limit


def test_maps_are_asked_about_with_noise_alone() -> None:
    rule = Leader()
    oracle = ChatOracle(RuleChat(rule), NAMES)
    history, rng, true = History(), np.random.default_rng(0), []
    for _ in range(20):
        history.append(rng.dirichlet(np.ones(3)), rng.random(3))
        rewards = np.array([each.observation for each in history])
        plays = np.array([each.play for each in history])
        true += [
            *rewards.sum(0).tolist(),
            *rewards[-1].tolist(),
            *(plays.T @ rewards).ravel().tolist(),
        ]
        oracle.smooth_best_maps(history, rate=0.5, rng=rng, n=2, constants=True)
    assert len(rule.asked) > 200
    assert gives_away(rule.asked, true, 4) == []
    oracle.best_map(history)
    assert len(gives_away(rule.asked, true, 4)) >= 9, "without noise they are shown"


@pytest.mark.parametrize("best", mostly_slow(range(3)))
def test_a_learner_finds_the_best_action(best: int) -> None:
    oracle, rng = ChatOracle(RuleChat(Leader()), NAMES), np.random.default_rng(2)
    learner = InternalFTPL(oracle, rng=rng, samples=2, constants=True, rounds=9)
    run = play_against(learner, lambda play: np.eye(3)[best], 9, actions=3)
    assert run.players[0].plays[-4:, best].mean() > 0.7


def test_it_survives_babbling() -> None:
    oracle = ChatOracle(Babbler(), NAMES)
    rng = np.random.default_rng(2)
    learner = InternalFTPL(oracle, rng=rng, samples=2, constants=True, rounds=20)
    run = play_against(learner, np.random.default_rng(3).random((20, 3)), 20, actions=3)
    assert run.rounds == 20
    assert 0 < oracle.failures < oracle.report.asked


def test_one_action_has_nothing_but_the_identity() -> None:
    oracle, history = ChatOracle(Babbler(), ["rock"]), History()
    history.append(np.ones(1), np.array([0.5]))
    drawn = oracle.smooth_best_maps(history, rate=1.0, rng=np.random.default_rng(0), n=7)
    assert (drawn.moves, drawn.constants, drawn.identity) == ({}, {}, 7)
