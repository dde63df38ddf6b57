"""A best-response oracle that asks a chat, under the learners that need one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from inspect import unwrap
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from babbling_chats import Babbler
from hypothesis import given, settings
from hypothesis import strategies as st
from learning_chats import Leader, drawn_history, named, shown
from sweeps import examples

from llm_adapters.fakes import RuleChat, ScriptedChat
from llm_adapters.players import ChatOracle, OracleReport
from llm_adapters.players._chat_oracle import decimals
from mechanisms.learners import (
    FTPL,
    OPPONENTS,
    ActionOracle,
    BestResponse,
    CallableOracle,
    History,
    Oracle,
    play_against,
    regret_bound,
)
from mechanisms.protocols import Message
from theory.actions import ListedActions
from theory.errors import InvalidInputError

NAMES = ["rock", "paper", "scissors"]


def leading(**settings: Any) -> ChatOracle:
    return ChatOracle(RuleChat(Leader()), NAMES, **settings)


def totals(history: History) -> Any:
    return sum((each.weight * each.observation for each in history), np.zeros(3))


def stubborn(messages: Sequence[Message], schema: Any) -> str:
    return named("paper")


# --- best responses


@pytest.mark.parametrize("seed", range(6))
def test_pure_answers_are_those_of_the_exact_oracle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    history, oracle, exact = drawn_history(rng, 3, 12), leading(), ActionOracle(ListedActions(3))
    assert isinstance(oracle, Oracle)
    for _ in range(3):
        assert oracle.best_response(history) == exact.best_response(history)
        for action in history.actions():
            weighted = history.weight_by(action)
            assert oracle.best_response(weighted) == exact.best_response(weighted)
        history.append(np.ones(3) / 3, rng.integers(0, 17, 3) / 16)
    move, exact_move = oracle.best_map(history), exact.best_map(history)
    assert move == exact_move
    assert oracle.gap == 0
    assert oracle.best_map(History()) is None


def test_the_prompt_says_what_actions_are() -> None:
    rule = Leader()
    actions = {"rock": "breaks scissors", "paper": "wraps rock"}
    oracle = ChatOracle(RuleChat(rule), actions, situation="A game of hands.")
    history = History()
    history.append(np.array([1.0, 0.0]), np.array([0.25, 0.5]))
    assert oracle.best_response(history) == 1
    assert "A game of hands." in rule.asked[1]
    assert "- rock: 0.250000 points (breaks scissors)\n" in rule.asked[1] + "\n"
    assert shown(rule.asked[1]) == {"rock": 0.25, "paper": 0.5}


@pytest.mark.parametrize("seed", range(4))
def test_the_gap_is_that_of_a_callable_oracle(seed: int) -> None:
    """The same answers, measured by :class:`CallableOracle` against all rivals."""
    rng = np.random.default_rng(seed)
    history = drawn_history(rng, 3, 9)
    oracle = ChatOracle(RuleChat(stubborn), NAMES)
    other = CallableOracle(
        lambda history: 1,
        size=3,
        payoff=lambda action, rewards: float(rewards[action]),
        rivals=range(3),
    )
    for _ in range(5):
        assert oracle.best_response(history) == other.best_response(history) == 1
        history.append(np.ones(3) / 3, rng.integers(0, 17, 3) / 16)
    assert oracle.gap == pytest.approx(other.gap, abs=1e-12)
    assert oracle.gap > 0
    run = play_against(BestResponse(oracle), lambda play: np.array([1.0, 0, 0]), 5, actions=3)
    assert run.players[0].oracle_gap == pytest.approx(max(oracle.gap, 4.0))


# --- noise


def test_smooth_answers_lead_under_the_same_noise() -> None:
    history, rate, n = drawn_history(np.random.default_rng(1), 3, 20), 0.3, 200
    noise = np.random.default_rng(5).gumbel(size=(n, 3))
    expected = (totals(history) + noise / rate).argmax(axis=1).tolist()
    oracle = leading(digits=12)
    answers = oracle.smooth_best_response(history, rate=rate, rng=np.random.default_rng(5), n=n)
    assert answers == expected
    assert len(set(answers)) == 3
    assert oracle.gap == 0


FAR = 32.0
"""The chi-square of a right law of three actions exceeds it with probability exp(-16) = 1e-7."""


def chi_square(oracle: Oracle, n: int = 500, rate: float = 0.8) -> float:
    """How far the frequencies of some draws are from the softmax law."""
    history = History()
    for rewards in ([0.5, 0.75, 0.25], [1.0, 0.0, 0.5], [0.25, 1.0, 0.0]):
        history.append(np.array([0.5, 0.5, 0.0]), np.array(rewards))
    weights = np.exp(rate * totals(history))
    law = weights / weights.sum()
    drawn = oracle.smooth_best_response(history, rate=rate, rng=np.random.default_rng(2), n=n)
    seen = np.bincount(np.array(drawn), minlength=3)
    return float(((seen - n * law) ** 2 / (n * law)).sum())


def last_round_noise(history: History, rate: float, rng: np.random.Generator) -> int:
    """What the papers' code does: noise on the last reward, the others as they were."""
    noise = 0.01 * rng.gumbel(size=3)
    return int((totals(history) + noise).argmax())


def test_the_law_is_that_of_the_exact_oracle() -> None:
    assert chi_square(ActionOracle(ListedActions(3))) < FAR
    assert chi_square(leading()) < FAR


def test_what_is_not_smooth_is_seen() -> None:
    """One that ignores the noise, noise on the last reward alone, and draws that ignore totals."""
    assert chi_square(ChatOracle(RuleChat(stubborn), NAMES)) > FAR
    last_alone = CallableOracle(lambda history: 0, size=3, smooth=last_round_noise)
    assert chi_square(last_alone) > FAR
    assert chi_square(ChatOracle(RuleChat(lambda messages, schema: ""), NAMES)) > FAR


def test_a_chat_that_ignores_the_noise_has_a_gap() -> None:
    oracle = ChatOracle(RuleChat(stubborn), NAMES)
    chi_square(oracle, n=100)
    assert oracle.report.missed > 30
    assert oracle.gap > oracle.report.mean_gap > 0


@pytest.mark.parametrize("name", ["last play", "cycle", "bandwagon"])
def test_regret_is_within_the_bound(name: str) -> None:
    rounds = 150
    learner = FTPL(leading(), rng=np.random.default_rng(3), rounds=rounds)
    opponent = OPPONENTS[name](3, np.random.default_rng(4))
    run = play_against(learner, opponent, rounds, actions=3)
    bound = regret_bound(learner, rounds, failure=1e-6)
    assert run.regret().external.gain <= bound.value
    assert run.players[0].oracle_gap == learner.oracle_gap == 0


def test_a_bad_model_breaks_the_bound() -> None:
    """So that the test above could fail: whoever always plays paper regrets 150 rounds."""
    learner = FTPL(ChatOracle(RuleChat(stubborn), NAMES), rng=np.random.default_rng(3), rounds=150)
    run = play_against(learner, lambda play: np.array([1.0, 0, 0]), 150, actions=3)
    bound = regret_bound(learner, 150, failure=1e-6)
    assert run.regret().external.gain > bound.value
    assert learner.oracle_gap > 100


# --- answers that cannot be read


def test_no_answer_draws_an_action() -> None:
    oracle = ChatOracle(RuleChat(lambda messages, schema: "rock!"), NAMES)
    history, n = drawn_history(np.random.default_rng(0), 3, 5), 600
    drawn = oracle.smooth_best_response(history, rate=1, rng=np.random.default_rng(1), n=n)
    counts = Counter(drawn)
    assert all(abs(counts[k] - n / 3) < 5 * (n * 2 / 9) ** 0.5 for k in range(3))
    assert oracle.failures == oracle.report.failures == oracle.report.asked == n
    again = oracle.smooth_best_response(history, rate=1, rng=np.random.default_rng(1), n=n)
    assert again == drawn
    assert oracle.best_response(history) == oracle.best_response(history)


@pytest.mark.parametrize(
    "text",
    ["", "rock", '{"action": "Rock"}', '{"action": ["rock"]}', '{"action": "rock", "why": 1}'],
)
def test_what_is_no_answer(text: str) -> None:
    oracle = ChatOracle(ScriptedChat([text] * 3), NAMES)
    assert oracle.best_response(History()) in range(3)
    assert oracle.failures == 1


def test_learners_survive_babbling() -> None:
    chat = Babbler()
    oracle = ChatOracle(chat, NAMES)
    learner = FTPL(oracle, rng=np.random.default_rng(0), samples=3)
    run = play_against(learner, OPPONENTS["cycle"](3, np.random.default_rng(0)), 40, actions=3)
    assert run.rounds == 40
    assert 20 < oracle.failures < 100
    assert oracle.report.asked == 120


@given(st.lists(st.text(), min_size=3, max_size=3))
@settings(max_examples=examples(30), deadline=None)
def test_any_text_at_all(texts: list[str]) -> None:
    oracle = ChatOracle(ScriptedChat(texts), NAMES)
    assert oracle.best_response(History()) in oracle
    assert oracle.failures == 1


# --- arguments and numbers


@pytest.mark.parametrize(
    "wrong",
    [
        {"chat": object()},
        {"actions": []},
        {"actions": ["rock", "rock"]},
        {"actions": "rock"},
        {"actions": {"rock": ""}},
        {"actions": [str(k) for k in range(1001)]},
        {"actions": 3},
        {"digits": 0},
        {"digits": 18},
        {"digits": True},
        {"seed": -1},
        {"name": ""},
        {"situation": "  "},
    ],
)
def test_bad_arguments(wrong: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"chat": ScriptedChat([]), "actions": NAMES} | wrong
    with pytest.raises(InvalidInputError):
        unwrap(ChatOracle.__init__)(object.__new__(ChatOracle), **arguments)


@pytest.mark.parametrize("method", ["smooth_best_response", "smooth_best_maps"])
@pytest.mark.parametrize(
    "wrong",
    [{"rate": 0}, {"rate": nan}, {"rate": -1.0}, {"rate": inf}, {"rng": 5}, {"n": -1}, {"n": 1.0}],
)
def test_bad_questions_cost_nothing(method: str, wrong: dict[str, Any]) -> None:
    chat = ScriptedChat([])
    arguments: dict[str, Any] = {"rate": 1.0, "rng": np.random.default_rng(0), "n": 1} | wrong
    with pytest.raises(InvalidInputError):
        unwrap(getattr(ChatOracle, method))(ChatOracle(chat, NAMES), History(), **arguments)
    assert chat.asked == []


def test_observations_are_checked() -> None:
    with pytest.raises(InvalidInputError, match="are from 0 to 2"):
        leading().read_observation([0.0, 1.0, 2.0], (0.0, 1.0))


numbers = st.floats(-1e12, 1e12, allow_subnormal=False)


@given(st.lists(numbers, min_size=1, max_size=6), st.integers(1, 9))
@settings(max_examples=examples(200), deadline=None)
def test_decimals_tell_numbers_apart(values: list[float], digits: int) -> None:
    row = np.array(values)
    texts = decimals(row, digits)
    read = np.array([float(text) for text in texts])
    spread = float(row.max() - row.min())
    assert not any("e" in text or (text.startswith("-") and not float(text)) for text in texts)
    step = spread * 10.0 ** (1 - digits) if spread else 10.0**-digits
    rounding = np.abs(row).max() * 1e-15
    assert np.abs(read - row).max() <= 0.5 * step + rounding
    best = read.max() == read
    assert row[best].min() >= row.max() - step - rounding


def test_report() -> None:
    assert OracleReport().mean_gap == 0
    report = OracleReport().with_answer(0.5).with_answer(0.0, failed=True)
    assert (report.asked, report.failures, report.missed, report.gap) == (2, 1, 1, 0.5)
    assert "<table>" in report._repr_html_()
    assert repr(leading()) == "ChatOracle('rock', 'paper', 'scissors', failures=0)"
