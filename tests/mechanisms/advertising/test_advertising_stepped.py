"""The advertising auction in steps: against its definition, led by models, written, paid."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from json import dumps, loads
from typing import Any

import numpy as np
import pytest
from advertising_models import toy
from advertising_runs import (
    DRAWN,
    FIRMS,
    NAMES,
    REWARDS,
    SCORES,
    SOCKS,
    audit,
    begun,
    finished,
    scored,
)
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.advertising import (
    GENERATOR,
    PLATFORM,
    REFERENCE,
    Advertiser,
    Instance,
    Models,
    advertising_auction,
    advertising_prompt,
    candidate_replies,
    context_prompt,
    instances,
    model_participants,
    run_instance,
)
from mechanisms.advertising import _run as run_module
from mechanisms.advertising.models import score
from mechanisms.language_models import TableModel
from mechanisms.ledger import Ledger
from mechanisms.play import ReplayError, play
from mechanisms.protocols import Sampled
from theory.errors import InvalidInputError, UnknownNameError

# --- what is asked, told and paid


def test_an_auction_by_hand() -> None:
    run = begun()
    assert [ask.player for ask in run.asks] == [GENERATOR]
    [ask] = run.asks
    assert (ask.view.prompt, ask.view.count) == (context_prompt(SOCKS.query, FIRMS), 3)
    run = run.answer(ask, DRAWN)
    [ask] = run.asks
    assert str(ask.view) == "How do I mend a sock?\n1. Sew.\n2. Ask Ann."
    run = run.answer(ask, SCORES)
    assert [ask.player for ask in run.asks] == list(NAMES)
    assert [ask.view.advertiser for ask in run.asks] == list(NAMES)
    told = [replace(ask.view, advertiser="") for ask in run.asks]
    assert told[0] == told[1] == told[2]
    assert told[0].replies == ("Sew.", "Ask Ann.")
    assert told[0].log_ref == tuple(SCORES)
    before = {ask.player: ask for ask in run.asks}
    for name in reversed(NAMES):
        assert run.ask(name) == before[name]
        run = run.answer(name, REWARDS[name])
    [draw] = run.draws
    assert draw.values == ("Sew.", "Ask Ann.")
    weights = [2 * math.exp(1.5 - 0.25 + 1), math.exp(1.25 - 3 + 0.5)]
    assert float(draw.weights[0]) == pytest.approx(weights[0] / sum(weights), rel=1e-14)
    run = run.answer(draw, "Ask Ann.")
    assert run.outcome.reply == "Ask Ann."
    assert run.outcome.candidates.rewards[0] == (0.0, 2.0, 0.0)
    assert audit(run) == []
    assert run.ledger.balance(PLATFORM) == pytest.approx(sum(run.outcome.payments))
    assert str(run.outcome).startswith("Ask Ann.\nadvertiser")


NUMBERS = st.floats(-20, 20, allow_nan=False)


@given(
    st.lists(st.lists(NUMBERS, min_size=2, max_size=2), min_size=3, max_size=3),
    st.floats(0.1, 10),
    st.booleans(),
)
def test_law_and_payments_are_those_of_the_definition(
    table: list[list[float]], tau: float, offset: bool
) -> None:
    run = finished(begun(tau=tau, offset=offset).seeded(1), dict(zip(NAMES, table, strict=True)))
    assert audit(run, tau, offset=offset) == []


@pytest.mark.parametrize("i", range(3))
def test_what_is_worth_the_same_everywhere_is_worth_nothing(i: int) -> None:
    """A constant on all rewards of one advertiser changes neither the law nor any payment."""
    plain = finished(begun().seeded(1)).outcome
    moved = REWARDS | {NAMES[i]: [r + 4 for r in REWARDS[NAMES[i]]]}
    other = finished(begun().seeded(1), moved).outcome
    assert other.law == pytest.approx(plain.law, rel=1e-13)
    assert other.payments == pytest.approx(plain.payments, rel=1e-12)


def test_seats_are_no_part_of_the_auction() -> None:
    turned = Instance(SOCKS.query, FIRMS[::-1])
    plain, other = (finished(begun(each).seeded(1)).outcome for each in (SOCKS, turned))
    assert other.law == pytest.approx(plain.law, rel=1e-13)
    assert other.payments[::-1] == pytest.approx(plain.payments, rel=1e-12)


@pytest.mark.parametrize(
    ("told", "firms"), [(None, FIRMS), ([], []), (["Cy", "Ann"], FIRMS[::2]), (["Bob"], FIRMS[1:2])]
)
def test_the_generator_is_told_of_whom_the_rules_say(told: Any, firms: Any) -> None:
    for rules in (advertising_auction, candidate_replies):
        [ask] = rules(SOCKS, 3, told=told).asks
        assert ask.view.prompt == context_prompt(SOCKS.query, firms)


# --- led by models


class Recording:
    """Passes on what a model is asked, and remembers it."""

    def __init__(self, model: Any, calls: list[Any]) -> None:
        self.model, self.calls = model, calls

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        self.calls.append((prompt, n))
        drawn: Sampled = self.model.sample(prompt, n, rng)
        return drawn

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Any:
        self.calls.append((prompt, tuple(replies)))
        return self.model.log_prob(prompt, replies)


@pytest.mark.parametrize("seed", range(5))
def test_models_are_asked_the_same_in_the_same_order_as_without_steps(seed: int) -> None:
    instance = instances()[seed]
    asked: list[list[Any]] = [[], []]
    one, other = (Recording(toy(), calls) for calls in asked)
    streams = np.random.default_rng(seed), np.random.default_rng(seed)
    participants = model_participants(instance, Models(one, one), streams[0])
    found = play(candidate_replies(instance, 12), participants).outcome
    drawn = other.sample(context_prompt(instance.query, instance.advertisers), 12, streams[1])
    expected = score(instance, other, drawn.replies)
    assert asked[0] == asked[1]
    assert found.replies == drawn.replies
    assert np.array_equal(np.array(found.log_gen), drawn.log_probs)
    log_ref, rewards = found.arrays()
    assert np.array_equal(log_ref, expected.log_ref)
    assert np.array_equal(rewards, expected.rewards)
    assert rewards.strides == expected.rewards.strides, "sums round by the order in memory"


@pytest.mark.parametrize("candidates", [1, 7, 60])
def test_the_experiment_has_the_bits_of_a_loop_that_asks(
    monkeypatch: pytest.MonkeyPatch, candidates: int
) -> None:
    def drawn(run: Any, told: list[str], rng: np.random.Generator) -> Any:
        firms = [firm for firm in run.instance.advertisers if firm.name in told]
        prompt = context_prompt(run.instance.query, firms)
        sampled = run.models.draws.sample(prompt, int(run.sizes[-1]), rng)
        scores = score(run.instance, run.models.speaks, sampled.replies)
        return run_module._Drawn(sampled.replies, sampled.log_probs, scores.log_ref, scores.rewards)

    def numbers() -> list[bytes]:
        found = []
        rng = np.random.default_rng(candidates)
        record = run_instance(crowded, Models(model, model), candidates, rng=rng, tau=0.7)
        for course in record.courses.values():
            for value in vars(course).values():
                arrays = value.values() if isinstance(value, dict) else [value]
                found += [np.asarray(each).tobytes() for each in arrays]
        return found

    firms = tuple(Advertiser(f"Firm {k}", f"goods {k}") for k in range(10))
    crowded = Instance(SOCKS.query, firms)
    groups = [firms, [], *([one for one in firms if one is not out] for out in firms)]
    prompts = [context_prompt(SOCKS.query, told) for told in groups]
    prompts += [advertising_prompt(SOCKS.query, one) for one in firms]
    weights = np.random.default_rng(1).integers(1, 99, (len(prompts), 80)).tolist()
    laws = ({f"reply {k}": weight for k, weight in enumerate(row)} for row in weights)
    model = TableModel(dict(zip(prompts, laws, strict=True)))
    stepped = numbers()
    monkeypatch.setattr(run_module._Run, "drawn", drawn)
    assert stepped == numbers()


@pytest.mark.parametrize("generator", ["context-aware", "reference"])
def test_the_experiment_is_about_the_auction_that_is_stepped(generator: str) -> None:
    instance, models = instances()[0], Models(toy(), toy())
    course = run_instance(instance, models, 9, rng=np.random.default_rng(4)).courses[generator]
    streams = np.random.default_rng(4).spawn(5)
    told: Any = None if generator == "context-aware" else []
    stream = streams[0] if told is None else streams[1]
    run = advertising_auction(instance, 9, told=told).seeded(0)
    outcome = play(run, model_participants(instance, models, stream)).outcome
    assert outcome.payments == pytest.approx(course.payments[-1].tolist(), rel=1e-12)
    expected = np.array(outcome.candidates.rewards) @ np.array(outcome.law)
    assert expected == pytest.approx(course.expected_rewards[-1], rel=1e-12)


# --- written, replayed, paid in books of others


def test_a_run_goes_through_three_processes_and_ends_as_in_one() -> None:
    begin = begun(tau=0.5).seeded("day")
    code = (
        "import sys, json\n"
        "from mechanisms.advertising import advertising_auction\n"
        "run = advertising_auction.read(sys.stdin.read())\n"
        "for name, value in json.loads(sys.argv[1]): run = run.answer(name, value)\n"
        "print(json.dumps([run.to_json(), str(run.outcome)]))"
    )
    answers: list[list[Any]] = [
        [[GENERATOR, DRAWN], [REFERENCE, SCORES], ["Cy", REWARDS["Cy"]]],
        [["Bob", REWARDS["Bob"]], ["Ann", REWARDS["Ann"]]],
    ]
    text, shown, alone = dumps(begin.to_json()), "", begin
    for told in answers:
        done = subprocess.run(
            [sys.executable, "-c", code, dumps(told)],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            env=dict(os.environ),
        )
        written, shown = loads(done.stdout)
        text = dumps(written)
    for name, value in answers[0] + answers[1]:
        alone = alone.answer(name, value)
    again = advertising_auction.read(text)
    assert again == alone
    assert again.outcome == alone.outcome
    assert str(alone.outcome) == shown
    assert [str(e) for e in again.ledger.entries] == [str(e) for e in alone.ledger.entries]
    assert len(alone.ledger.entries) == 3


def test_a_log_of_other_answers_does_not_replay() -> None:
    written = finished(begun().seeded(1)).to_json()
    for entry in written["log"]:
        if entry["key"] == "Bob":
            entry["value"] = [1.0, -2.0]
    with pytest.raises(ReplayError, match="step 4"):
        advertising_auction.read(written)
    with pytest.raises(InvalidInputError, match="rules are others"):
        candidate_replies.read(written)


def test_an_answer_at_the_wrong_time_is_refused() -> None:
    run = begun()
    with pytest.raises(UnknownNameError):
        run.answer("Ann", [1, 2])
    run = scored(run)
    with pytest.raises(UnknownNameError):
        run.answer(GENERATOR, DRAWN)
    with pytest.raises(UnknownNameError):
        run.answer("Bob", [1, 2]).answer("Bob", [1, 2])
    with pytest.raises(UnknownNameError, match="after the end"):
        finished(begun().seeded(1)).answer("Cy", [1, 2])


def shared(poor: str, balance: float) -> Ledger:
    return Ledger(dict.fromkeys((PLATFORM, *NAMES), 10.0) | {poor: balance})


@pytest.mark.parametrize("who", NAMES)
def test_who_cannot_pay_stays_out_and_all_is_computed_again(who: str) -> None:
    rewards = {"Ann": [0.0, 2.0], "Bob": [3.0, -1.0], "Cy": [0.5, 2.25]}
    ledger = shared(who, 0.01)
    run = finished(advertising_auction.on_ledger(ledger, "reply 1")(SOCKS, 3).seeded(1), rewards)
    i = NAMES.index(who)
    rest = {name: row for name, row in rewards.items() if name != who}
    other = finished(begun(SOCKS.without(i)).seeded(1), rest).outcome
    assert run.outcome.out == (who,)
    assert run.outcome.law == other.law
    assert [p for k, p in enumerate(run.outcome.payments) if k != i] == list(other.payments)
    assert ledger.balance(who) == 0.01
    assert str(run.outcome).count("stays out") == 1
    assert len(ledger.entries) == 2
    assert advertising_auction.read(dumps(run.to_json()), ledger).outcome == run.outcome
    assert len(ledger.entries) == 2


def test_a_platform_that_cannot_pay_returns_nothing() -> None:
    ledger = shared(PLATFORM, 0.0)
    run = advertising_auction.on_ledger(ledger)(SOCKS, 3, offset=False).seeded(1)
    run = run.answer(GENERATOR, [("Sew.", -9), ("Ask Ann.", -9), ("Sew.", -9)])
    run = run.answer(REFERENCE, [-0.1, -0.1])
    for name in NAMES:
        run = run.answer(name, REWARDS[name])
    assert run.outcome.reply is None
    assert run.outcome.payments == (0, 0, 0)
    assert ledger.entries == ()
    assert "nothing is returned" in str(run.outcome)
