"""Under noise a model sees perturbed totals and nothing else: no true number stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from learning_chats import Leader, gives_away, shown

from llm_adapters.fakes import RuleChat
from llm_adapters.players import ChatOracle
from mechanisms.learners import FTPL, History
from mechanisms.protocols import Message

NAMES = ["rock", "paper", "scissors"]


class Careless(ChatOracle):
    """Shows the true rewards of the last round beside the perturbed totals."""

    def __init__(self, rule: Any) -> None:
        super().__init__(RuleChat(rule), NAMES, digits=6)

    def smooth_best_response(
        self, history: History, *, rate: float, rng: np.random.Generator, n: int = 1
    ) -> list[int]:
        last = [each.observation for each in history.since(len(history) - 1)] if history else []
        self.situation = f"Rewards of the last round: {last}"
        return super().smooth_best_response(history, rate=rate, rng=rng, n=n)


class Honest(ChatOracle):
    """Shows true totals, noise or not."""

    def smooth_best_response(
        self, history: History, *, rate: float, rng: np.random.Generator, n: int = 1
    ) -> list[int]:
        return [self.best_response(history) for _ in range(n)]


def overheard(oracle: ChatOracle, rule: Leader) -> tuple[list[str], list[float]]:
    """Let FTPL play with an oracle; return all prompts, and all true numbers of the play."""
    rng = np.random.default_rng(7)
    learner = FTPL(oracle, rng=np.random.default_rng(8), rounds=40, samples=2)
    true: list[float] = []
    sums = np.zeros(3)
    for _ in range(40):
        learner.play()
        rewards = rng.random(3)
        learner.observe(rewards)
        sums = sums + rewards
        true += [*rewards.tolist(), *sums.tolist(), *np.diff(rewards).tolist()]
        true += np.diff(sums).tolist()
    return rule.asked, true


def test_no_true_number_is_shown() -> None:
    rule = Leader()
    prompts, true = overheard(ChatOracle(RuleChat(rule), NAMES), rule)
    assert len(prompts) == 2 * 2 * 40
    assert gives_away(prompts, true, 4) == []


def test_nor_when_an_answer_is_asked_for_again() -> None:
    class Slow(Leader):
        def __call__(self, messages: Sequence[Message], schema: Any) -> str:
            answer = super().__call__(messages, schema)
            return answer if len(messages) > 4 else "Let me think."

    rule = Slow()
    oracle = ChatOracle(RuleChat(rule), NAMES)
    prompts, true = overheard(oracle, rule)
    assert len(prompts) > 500
    assert gives_away(prompts, true, 4) == []
    assert oracle.failures == 0


def test_true_numbers_would_be_found() -> None:
    for kind in (Careless, lambda rule: Honest(RuleChat(rule), NAMES)):
        rule = Leader()
        prompts, true = overheard(kind(rule), rule)
        assert len(gives_away(prompts, true, 4)) > 100


def test_the_noise_of_one_answer_says_nothing_of_another() -> None:
    """Differences of what was shown are differences of noises: not one reward can be read off."""
    rule = Leader()
    oracle = ChatOracle(RuleChat(rule), NAMES, digits=9)
    history, rng = History(), np.random.default_rng(0)
    before, apart = np.zeros(3), []
    for _ in range(60):
        oracle.smooth_best_response(history, rate=0.5, rng=rng)
        points = np.array(list(shown(rule.asked[-1]).values()))
        rewards = rng.random(3)
        apart.append(points - before - rewards)
        history.append(np.ones(3) / 3, rewards)
        before = points
    assert np.abs(np.array(apart)).min() > 1e-6
    assert np.array(apart).std() > 1
