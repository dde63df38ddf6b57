"""Runs of the demos with the real local model, replayed without it.

To record one anew, where a prompt has changed: remove its file, then `mechproof demo NAME --seed N
--record tests/records/NAME.jsonl` with the local model, and read the transcript.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from math import exp, log
from pathlib import Path
from typing import Any

import pytest
from local_language_model import local_file, local_weights

from dev import ROOT
from llm_adapters.local import Weights
from mechanisms.ascending import AuctionResult
from mechproof.demos import DemoResult, demos, run
from mechproof.demos.marginal_value import MarginalValueDemo
from mechproof.demos.market import MarketDemo
from mechproof.demos.passages import BUDGET, WORLD

__all__ = ["local_file", "local_weights"]

RECORDS = ROOT / "tests" / "records"
SEEDS = {"inspection": 1, "market": 4}
"""Where it is not 0."""

QUICKER: dict[str, dict[str, Any]] = {
    "softmax-auction": {"queries": 1, "candidates": 3},
    "arena": {"kind": "none"},
    "market": {"hops": 0},
}
"""What the local model plays in each run of the tests."""


def record_of(name: str) -> Path:
    return RECORDS / f"{name}.jsonl"


def lines_of(name: str) -> list[dict[str, Any]]:
    lines = map(json.loads, record_of(name).read_text("utf-8").splitlines())
    return [line for line in lines if "request" in line]


@pytest.fixture(scope="module")
def replayed() -> dict[str, DemoResult]:
    return {name: run(name, seed=SEEDS.get(name, 0), replay=record_of(name)) for name in demos()}


@pytest.mark.parametrize("name", demos())
def test_every_answer_is_used_once_and_the_calls_are_those_recorded(
    name: str, replayed: dict[str, DemoResult]
) -> None:
    lines = lines_of(name)
    found = replayed[name]
    assert found.usage_total.calls == len(lines)
    by_agent = Counter(line["agent"] for line in lines)
    assert {agent: used.calls for agent, used in found.usage.items()} == by_agent
    assert found.usage_total.input_tokens == sum(line["tokens"][0] for line in lines)
    assert record_of(name).stat().st_size < 100_000


@pytest.mark.parametrize("name", demos())
def test_no_host_and_no_path_is_in_a_record(name: str) -> None:
    text = record_of(name).read_text("utf-8")
    assert "http" not in text
    assert str(Path.home()) not in text
    assert "/tmp" not in text


def test_a_replay_repeats_the_transcript(replayed: dict[str, DemoResult]) -> None:
    again = run("marginal-value", seed=0, replay=record_of("marginal-value"))
    assert again.text == replayed["marginal-value"].text


def test_the_auction_on_real_candidates(replayed: dict[str, DemoResult]) -> None:
    """Allocation and payments again, by plain formulas, from the record alone."""
    lines = lines_of("softmax-auction")
    drawn = [line for line in lines if line["method"] == "sample"]
    rounds = replayed["softmax-auction"].outcome
    assert len(rounds) == len(drawn) == 3
    for one, draw in zip(rounds, drawn, strict=True):
        names = [firm.name for firm in one.candidates.instance.advertisers]
        assert list(one.candidates.replies) == draw["answer"]["replies"]
        log_gen = draw["answer"]["log_probs"]
        assert one.candidates.log_gen.tolist() == log_gen
        scores = {name: _scores(lines, name, one.candidates.replies) for name in names}
        log_ref = one.candidates.log_ref.tolist()
        rewards = [[a - b for a, b in zip(scores[name], log_ref, strict=True)] for name in names]
        assert one.candidates.rewards.tolist() == rewards
        tau = float(one.outcome.tau)
        base = [a - b for a, b in zip(log_ref, log_gen, strict=True)]
        p = _law(base, rewards, tau)
        assert one.outcome.allocation.tolist() == pytest.approx(p, abs=1e-12)
        assert sum(one.outcome.allocation) == pytest.approx(1)
        for i in (0, 1):
            q = _law(base, [rewards[1 - i]], tau)
            pays = tau * sum(a * log(a / b) for a, b in zip(p, q, strict=True) if a > 0)
            assert one.outcome.payments[i] == pytest.approx(pays, abs=1e-9)


def _law(base: list[float], rewards: list[list[float]], tau: float) -> list[float]:
    logs = [b + sum(row[j] for row in rewards) / tau for j, b in enumerate(base)]
    weights = [exp(x - max(logs)) for x in logs]
    return [w / sum(weights) for w in weights]


def _scores(lines: list[dict[str, Any]], agent: str, replies: tuple[str, ...]) -> list[float]:
    (line,) = (each for each in lines if each["agent"] == agent)
    asked = line["request"]["replies"]
    known = dict(zip(asked, line["answer"]["log_probs"], strict=True))
    return [known[reply] for reply in replies]


def test_truth_is_best_on_real_candidates(replayed: dict[str, DemoResult]) -> None:
    """The claim of the issue: no lie pays, and the weights of the wrong law change the law."""
    for one in replayed["softmax-auction"].outcome:
        assert one.truthful
        assert all(lies.best <= lies.tolerance for lies in one.lies)
        assert (one.candidates.log_own != one.candidates.log_gen).all()
        assert one.laws.error > 1e-3
        assert one.laws.limit < 1e-9
    broken = replayed["softmax-auction"].outcome[0].broken
    assert all(lies.pays for searches in broken.values() for lies in searches)


@pytest.mark.parametrize("name", ["inspection", "recursive-inspection"])
def test_a_real_buyer_spends_within_its_budget_and_forgets(
    name: str, replayed: dict[str, DemoResult]
) -> None:
    found = replayed[name].outcome
    assert 0 < found.record.spending <= found.case.budget
    accounts = found.record.statement.accounts
    assert sum(Fraction(a.closing) for a in accounts) == found.case.budget
    assert found.forgotten
    assert found.leaked == ()
    assert found.record.decision in found.case.options
    last = lines_of(name)[-1]
    told = " ".join(m["content"] for m in last["request"]["messages"])
    assert not any(str(found.case.offer(each).content) in told for each in found.forgotten)


def test_real_informants_are_paid_by_the_judges_final_belief(
    replayed: dict[str, DemoResult],
) -> None:
    found: MarginalValueDemo = replayed["marginal-value"].outcome
    record = found.record
    assert record.moves
    for n, (reward, price) in enumerate(zip(record.rewards, record.prices, strict=True), 1):
        gained = found.expected(record.actions[n]) - found.expected(record.actions[n - 1])
        assert float(reward) == pytest.approx(float(gained - price))
    assert sum(Fraction(a.closing) for a in record.statement.accounts) == 0


def test_real_bidders_have_bid_what_the_record_says(replayed: dict[str, DemoResult]) -> None:
    """Each answer to a call for a bid is a move, or a failed bid; and the accounts hold."""
    found: AuctionResult = replayed["arena"].outcome
    said: list[tuple[str, str]] = []
    for line in lines_of("arena"):
        fields = line["request"]["schema"]
        if "withdraw" in json.dumps(fields):
            said.append((line["agent"], str(json.loads(line["answer"]["text"])["bid"])))
    for name in ("Ann", "Bob"):
        bids = [bid for who, bid in said if who == name]
        moves = [move for move in found.moves if move.bidder == name]
        assert len(bids) == len(moves) + sum(each.bidder == name for each in found.failed)
        made = [str(move.amount) for move in moves if move.amount is not None]
        assert [bid for bid in bids if bid != "withdraw"] == made
    assert found.audit() == ()
    assert sum(found.won.values()) > 0
    assert len(found.beliefs) >= len(found.sales)


def test_a_real_buyer_of_passages_gets_what_it_said_and_no_text_that_it_did_not_pay(
    replayed: dict[str, DemoResult],
) -> None:
    """Verdicts as they stand in the record, beside payments; texts beside what was paid until then.

    Where an answer was asked for again the last one counts.
    """
    found: MarketDemo = replayed["market"].outcome
    assert found.leaks == ()
    assert found.forgotten
    inquiries = [*found.result.inquiry.every()]
    paid: dict[str, Fraction] = {}
    last: dict[str, list[str]] = {}
    for line in lines_of("market"):
        told = " ".join(message["content"] for message in line["request"]["messages"])
        (question,) = (one for one in inquiries if f'The question: "{one.question}"' in told)
        fields = json.loads(line["request"]["schema"])["properties"]
        if "offer 1" in fields:
            said = json.loads(line["answer"]["text"])
            names = [offer.name for offer in question.offers]
            last[question.place] = [
                names[int(label.split()[1]) - 1] for label, it in said.items() if it == "buy"
            ]
            continue
        for each in question.bought:
            paid.setdefault(each.name, Fraction(each.price))
        for passage in WORLD.passages:
            assert (passage.text in told) is (f"{passage.owner}: {passage.name}" in paid)
    for one in inquiries:
        assert [each.name for each in one.bought] in (last.get(one.place, []), [])
    assert 0 < sum(paid.values()) == found.result.spent <= BUDGET
    assert found.result.ledger.balance("Ann") == BUDGET - found.result.spent


@pytest.mark.llm
@pytest.mark.parametrize("name", demos())
def test_the_local_model_plays(
    name: str, local_weights: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mechproof.local_model.weights", lambda: local_weights)
    record = tmp_path / "record.jsonl"
    options = QUICKER.get(name, {})
    found = run(name, record=record, **options)
    monkeypatch.setattr("mechproof.local_model.weights", pytest.fail)
    assert run(name, replay=record, **options).text == found.text
    assert run(name, replay=record, **options).usage == found.usage
