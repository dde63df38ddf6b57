"""The demo of the marginal-value mechanism: moves, beliefs, payments, failures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest

from llm_adapters.fakes import RuleChat, ScriptedChat
from mechanisms.protocols import Message, Sampled
from mechproof.demos import Transcript
from mechproof.demos.bridge import CONTENTS, HYPOTHESES, PRICES, UTILITIES, bridge_rule
from mechproof.demos.marginal_value import JUDGES, MarginalValueDemo, play
from theory.errors import UnknownNameError


class _Scores:
    """Believes in the plate until it reads of rust."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        raise AssertionError("asked to draw")

    def log_prob(self, prompt: str, replies: Sequence[str]) -> np.ndarray:
        self.asked.append(prompt)
        yes = 0.05 if "rust" in prompt else 0.95 if "ten tonnes" in prompt else 0.5
        chances = {"Yes.": yes, "No.": 1 - yes}
        return np.array([log(chances[reply]) for reply in replies])


def ruled(judge: str) -> tuple[MarginalValueDemo, str]:
    text = Transcript()
    found = play(RuleChat(bridge_rule), _Scores(), text, judge=judge)
    return found, str(text)


@pytest.mark.parametrize("judge", JUDGES)
def test_who_misleads_pays_who_corrects_is_paid(judge: str) -> None:
    found, _ = ruled(judge)
    moves = [(move.informant, set(move.items)) for move in found.record.moves]
    assert moves == [("Ann", {"plate", "weight"}), ("Bob", {"rust"})]
    assert found.record.actions == ("make a detour", "cross", "make a detour")
    expected = 4 * 0.05 - 10 * 0.95  # of crossing, by the final belief
    Ann, Bob = map(float, found.record.rewards)
    assert pytest.approx(expected - 0.5) == Ann
    assert pytest.approx(-expected - 0.25) == Bob


@pytest.mark.parametrize("judge", JUDGES)
def test_rewards_telescope_and_money_is_kept(judge: str) -> None:
    found, text = ruled(judge)
    record = found.record
    first, last = (found.expected(record.actions[k]) for k in (0, -1))
    total = sum((Fraction(reward) for reward in record.rewards), Fraction(0))
    assert float(total) == pytest.approx(float(last - first - sum(record.prices)))
    assert float(sum(Fraction(a.closing) for a in record.statement.accounts)) == 0
    assert sum(record.prices) == sum(PRICES[item] for item in record.revealed)
    assert sum(found.final.probabilities.values()) == pytest.approx(1)
    assert str(record.table()) in text


@pytest.mark.parametrize("judge", JUDGES)
def test_the_transcript_tells_of_every_conversation(judge: str) -> None:
    found, text = ruled(judge)
    assert text.count("> **answer:**") == len(found.exchanges)
    assert [e.agent for e in found.exchanges].count("model") == len(found.exchanges)
    for item, content in CONTENTS.items():
        assert item in text
        assert content.split(".")[0][:40] in " ".join(text.split())
    assert "## Move 1: Ann" in text
    assert ("## The judge, given plate, weight" in text) == (judge == "chat")


def test_the_scored_judge_is_told_what_was_revealed_and_nothing_else() -> None:
    model = _Scores()
    play(RuleChat(bridge_rule), model, Transcript(), judge="scored")
    assert len(model.asked) == 3
    assert not any(CONTENTS["paint"] in prompt for prompt in model.asked)
    assert sum(CONTENTS["plate"] in prompt for prompt in model.asked) == 2


def test_a_failing_informant_ends_the_game_and_is_counted() -> None:
    text = Transcript()
    found = play(ScriptedChat(["I will not."] * 3), _Scores(), text, judge="chat")
    assert found.record.moves == ()
    assert found.record.ended_by == "Ann"
    assert found.record.rewards == ()
    assert found.failures == {"Ann": 1, "Bob": 0, "judge": 0}
    assert "Ann 1" in str(text)
    assert found.final.probabilities == dict.fromkeys(HYPOTHESES, Fraction(1, 2))


def test_a_judge_that_cannot_be_read_keeps_its_belief() -> None:
    def mute(messages: Sequence[Message], schema: Mapping[str, object] | None) -> str:
        fields: Any = (schema or {})["properties"]
        return "Hm." if "it holds" in fields else bridge_rule(messages, schema)

    text = Transcript()
    found = play(RuleChat(mute), _Scores(), text, judge="chat")
    assert set(found.record.actions) == {"make a detour"}
    assert found.failures["judge"] == 2
    assert all(b.probabilities["it holds"] == Fraction(1, 2) for b in found.beliefs)
    assert "judge 2" in str(text)


def test_another_judge_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="scored"):
        play(RuleChat(bridge_rule), _Scores(), Transcript(), judge="score")


def test_the_actions_differ_and_the_prior_is_for_the_detour() -> None:
    values = {action: sum(row.values()) for action, row in UTILITIES.items()}
    assert max(values, key=lambda action: values[action]) == "make a detour"
    assert json.loads(bridge_rule([], {"properties": {"code": {"const": "x"}}})) == {"code": "x"}
