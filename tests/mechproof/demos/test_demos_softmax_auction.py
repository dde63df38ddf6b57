"""The demo of the softmax auction: its numbers recomputed, lies that pay found, laws compared."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import Any

import numpy as np
import pytest

from llm_adapters.errors import MissingCapabilityError
from llm_adapters.players import GENERATOR, REFERENCE, ModelRoles, draw_candidates
from mechanisms.advertising import (
    Models,
    advertising_prompt,
    context_prompt,
    explicit_model,
    instances,
)
from mechanisms.language_models import DecodedModel, LanguageModelError
from mechanisms.softmax_auction import SoftmaxAuction
from mechproof.demos import Transcript
from mechproof.demos._laws import reply_laws_of
from mechproof.demos._lies import (
    PaysItsReport,
    PaysNothing,
    _utilities,
    named_lies,
    search_lies,
)
from mechproof.demos.softmax_auction import AuctionRound, choose_instances, play, require_scores
from theory.errors import InvalidInputError
from theory.incentives import Outcome
from theory.verdicts import Status

ONE = choose_instances()[:1]
WORDS = explicit_model("ngram", ONE)
MODELS = Models(WORDS, DecodedModel(WORDS, temperature=0.8, top_p=0.95))
TAU = 1.5


@pytest.fixture(scope="module")
def text() -> Transcript:
    return Transcript()


@pytest.fixture(scope="module")
def found(text: Transcript) -> AuctionRound:
    (only,) = play(
        MODELS,
        text,
        rng=np.random.default_rng(3),
        decoding="at random",
        instances=ONE,
        candidates=5,
        tau=TAU,
    )
    return only


def plainly(logs: list[float]) -> list[float]:
    top = max(logs)
    weights = [exp(x - top) for x in logs]
    return [w / sum(weights) for w in weights]


# --- numbers


def test_scores_are_those_of_the_models(found: AuctionRound) -> None:
    drawn, (instance,) = found.candidates, ONE
    prompts = [advertising_prompt(instance.query, firm) for firm in instance.advertisers]
    reference = WORDS.log_prob(instance.query, drawn.replies)
    assert (drawn.log_ref == reference).all()
    for row, prompt in zip(drawn.rewards, prompts, strict=True):
        assert np.allclose(row, WORDS.log_prob(prompt, drawn.replies) - reference, atol=1e-12)
    told = context_prompt(instance.query, instance.advertisers)
    assert (drawn.log_own == WORDS.log_prob(told, drawn.replies)).all()
    assert (drawn.log_gen == MODELS.draws.log_prob(told, drawn.replies)).all()
    assert (drawn.log_own != drawn.log_gen).any()


def test_the_auction_is_that_of_the_definition(found: AuctionRound) -> None:
    drawn, outcome = found.candidates, found.outcome
    rows = drawn.rewards.tolist()
    base = (drawn.log_ref - drawn.log_gen).tolist()

    def law(agents: Sequence[int]) -> list[float]:
        sums = [b + sum(rows[i][j] for i in agents) / TAU for j, b in enumerate(base)]
        return plainly(sums)

    p = law(range(len(rows)))
    assert np.allclose(outcome.allocation, p, atol=1e-12)
    assert abs(sum(outcome.allocation) - 1) < 1e-12
    for i in range(len(rows)):
        q = law([k for k in range(len(rows)) if k != i])
        pays = TAU * sum(a * log(a / b) for a, b in zip(p, q, strict=True))
        assert abs(outcome.payments[i] - pays) < 1e-9
        assert outcome.payments[i] >= 0
    assert 0 <= found.returned < len(drawn.replies)
    assert found.reply == drawn.replies[found.returned]
    assert not np.allclose(found.without_offset.payments, outcome.payments)


def test_the_transcript_says_what_happened(found: AuctionRound, text: Transcript) -> None:
    told = " ".join(str(text).split())
    assert ONE[0].query in told
    for reply in found.candidates.replies:
        assert " ".join(reply.split())[:40] in told
    assert f"Candidate {found.returned + 1} is drawn" in told
    assert "No lie pays" in told
    for firm, pays in zip(ONE[0].advertisers, found.outcome.payments, strict=True):
        assert firm.name in told
        assert f"{pays:.4f}" in told
    assert f"{found.outcome.revenue:.4f}" in told
    assert f"{found.laws.error:.4f}" in told


# --- lies


def test_no_lie_pays_on_the_candidates(found: AuctionRound) -> None:
    assert found.truthful
    for lies in found.lies:
        assert lies.finding.status is Status.HOLDS
        assert lies.best <= lies.tolerance < 1e-5
        assert lies.tried > 30


def test_a_lie_costs_a_divergence(found: AuctionRound) -> None:
    """Theorem 5.1: the truth is worth tau KL(p'||p) more than a lie that makes the law p'."""
    drawn = found.candidates
    p = found.outcome.allocation
    auction = SoftmaxAuction(TAU, tuple(drawn.log_ref), tuple(drawn.log_gen))
    for lies in found.lies:
        for name, lie in named_lies(drawn.rewards, lies.agent).items():
            told = drawn.rewards.copy()
            told[lies.agent] = lie
            q: Any = auction.outcome(list(told)).allocation
            cost = TAU * sum(x * log(x / y) for x, y in zip(q, p, strict=True) if x > 0)
            assert abs(lies.named[name] + cost) < 1e-8


@pytest.mark.parametrize("name", ["nothing is paid", "all pay what they report"])
def test_the_search_finds_lies_that_pay_where_payments_are_others(
    found: AuctionRound, name: str
) -> None:
    for lies in found.broken[name]:
        assert lies.pays
        assert lies.finding.status is Status.REFUTED
        assert lies.ascent > 0.1
        told = found.candidates.rewards.copy()
        told[lies.agent] = lies.report
        rule = PaysNothing if name == "nothing is paid" else PaysItsReport
        logs = (tuple(found.candidates.log_ref), tuple(found.candidates.log_gen))
        left = [_left(rule(TAU, *logs), found, lies.agent, r) for r in (told, None)]
        assert left[0] - left[1] == pytest.approx(lies.best)


def _left(rule: Any, found: AuctionRound, agent: int, reports: Any) -> float:
    true = found.candidates.rewards
    outcome: Any = rule.outcome(list(true if reports is None else reports))
    return float(np.dot(outcome.allocation, true[agent]) - outcome.payments[agent])


@dataclass(frozen=True, repr=False)
class _SlightlyWrong(SoftmaxAuction):
    """Gives back a twentieth of the payment."""

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        found: Any = super().outcome(reports)
        return Outcome(found.allocation, tuple(0.95 * paid for paid in found.payments))


def test_a_payment_that_is_slightly_wrong_is_found(found: AuctionRound) -> None:
    drawn = found.candidates
    wrong = _SlightlyWrong(TAU, tuple(drawn.log_ref), tuple(drawn.log_gen))
    rng = np.random.default_rng(0)
    assert any(search_lies(wrong, drawn.rewards, i, rng).pays for i in (0, 1))


# --- laws


def test_right_weights_lead_to_the_optimum_and_the_models_own_do_not(found: AuctionRound) -> None:
    laws = found.laws
    for law in (laws.optimum, laws.returned, laws.returned_own):
        assert abs(law.sum() - 1) < 1e-12
    assert laws.limit < 1e-12
    assert (np.diff(laws.distances) < 0).all()
    assert laws.limit_own > 1e-3
    assert abs(laws.distances_own[-1] - laws.limit_own) < 1e-3
    assert laws.error == pytest.approx(abs(laws.returned - laws.returned_own).sum() / 2)


def test_at_temperature_1_both_weights_are_the_same() -> None:
    drawn = draw_candidates(ONE[0], Models(WORDS, WORDS), 5, rng=np.random.default_rng(0))
    laws = reply_laws_of(drawn, TAU)
    assert laws.error == 0
    assert (laws.distances == laws.distances_own).all()


def test_repeats_of_a_reply_count_together() -> None:
    model = explicit_model("table", ONE)
    drawn = draw_candidates(ONE[0], Models(model, model), 60, rng=np.random.default_rng(0))
    laws = reply_laws_of(drawn, TAU)
    assert len(laws.replies) < 60
    expected = plainly(
        [
            float(drawn.log_ref[k] + drawn.rewards[:, k].sum() / TAU)
            for k in map(drawn.replies.index, laws.replies)
        ]
    )
    assert np.allclose(laws.optimum, expected, atol=1e-12)
    assert abs(laws.returned.sum() - 1) < 1e-12


# --- roles and refusals


class _Named:
    """Says by whom it was asked; as a model it counts words."""

    def __init__(self, asked: list[str], agent: str = "model") -> None:
        self.asked, self.agent = asked, agent

    def for_agent(self, agent: str) -> _Named:
        return _Named(self.asked, agent)

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Any:
        self.asked.append(f"{self.agent} draws")
        return WORDS.sample(prompt, n, rng)

    def log_prob(self, prompt: str, replies: Sequence[str]) -> np.ndarray:
        self.asked.append(f"{self.agent} scores")
        return WORDS.log_prob(prompt, replies)


def test_each_role_is_asked_by_its_name() -> None:
    asked: list[str] = []
    draw_candidates(ONE[0], Models(_Named(asked), _Named(asked)), 3, rng=np.random.default_rng(0))
    names = [firm.name for firm in ONE[0].advertisers]
    assert asked == [
        f"{GENERATOR} draws",
        f"{GENERATOR} scores",
        f"{REFERENCE} scores",
        *(f"{name} scores" for name in names),
    ]


def test_a_generator_that_scores_too_need_not_be_asked_twice() -> None:
    asked: list[str] = []
    model = _Named(asked)
    drawn = draw_candidates(ONE[0], Models(model, model), 3, rng=np.random.default_rng(0))
    assert asked.count(f"{GENERATOR} scores") == 0
    assert (drawn.log_own == drawn.log_gen).all()


def test_top_p_must_not_decide_scores() -> None:
    """What top-p leaves out for the reference is drawn by the generator: no reward is infinite."""
    cut = DecodedModel(WORDS, temperature=0.8, top_p=0.9)
    with pytest.raises(LanguageModelError, match="never gives"):
        draw_candidates(ONE[0], Models(cut, cut), 20, rng=np.random.default_rng(0))
    drawn = draw_candidates(ONE[0], Models(WORDS, cut), 20, rng=np.random.default_rng(0))
    assert np.isfinite(drawn.rewards).all()


class _Unscored:
    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Any:
        raise AssertionError("asked to draw")

    def log_prob(self, prompt: str, replies: Sequence[str]) -> np.ndarray:
        raise MissingCapabilityError("the server gives no log-probabilities", "take another")


def test_what_cannot_score_is_told_before_anything_is_drawn() -> None:
    with pytest.raises(MissingCapabilityError, match="no log-probabilities"):
        require_scores(_Unscored(), ONE[0])


@pytest.mark.parametrize("tau", [0, -1.0, inf, float("nan"), True, "1", None])
def test_a_tau_that_is_none_is_refused_before_anything_is_asked(tau: Any) -> None:
    with pytest.raises(InvalidInputError, match="tau"):
        inspect.unwrap(play)(
            Models(_Unscored(), _Unscored()),
            Transcript(),
            rng=np.random.default_rng(0),
            decoding="",
            tau=tau,
        )


@pytest.mark.parametrize("candidates", [0, -1, True, 2.0, "3", None])
def test_a_number_of_candidates_that_is_none_is_refused(candidates: Any) -> None:
    with pytest.raises(InvalidInputError, match="candidates"):
        inspect.unwrap(draw_candidates)(ONE[0], MODELS, candidates, rng=np.random.default_rng(0))


def test_what_is_no_model_and_no_instance_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInputError, match="instance"):
        inspect.unwrap(draw_candidates)("?", MODELS, 1, rng=rng)
    with pytest.raises(InvalidInputError, match="models"):
        inspect.unwrap(draw_candidates)(ONE[0], WORDS, 1, rng=rng)
    with pytest.raises(InvalidInputError, match="model"):
        inspect.unwrap(ModelRoles.__init__)(object.__new__(ModelRoles), "x", ONE[0])


def test_the_instances_are_three_of_different_topics() -> None:
    assert len({each.topic for each in choose_instances()}) == 3
    assert all(each in instances() and len(each.advertisers) == 2 for each in choose_instances())


@pytest.mark.parametrize("rule", [SoftmaxAuction, PaysNothing, PaysItsReport])
def test_ascents_follow_the_gradient(rule: type[SoftmaxAuction]) -> None:
    rng = np.random.default_rng(5)
    lies, (own, base), step = rng.normal(size=(3, 4)), rng.normal(size=(2, 4)), 1e-6
    _, found = _utilities(rule(TAU), lies, own, base)
    for j, unit in enumerate(step * np.eye(4)):
        (ahead, _), (back, _) = (
            _utilities(rule(TAU), lies + sign * unit, own, base) for sign in (1, -1)
        )
        change = ahead - back
        assert found[:, j] == pytest.approx(change / (2 * step), abs=1e-6)


def _found(auction: SoftmaxAuction, reports: list[np.ndarray]) -> Any:
    return auction.outcome(reports)


@pytest.mark.parametrize("rule", [SoftmaxAuction, PaysNothing, PaysItsReport])
def test_values_differ_as_the_utilities_of_the_rule_do(rule: type[SoftmaxAuction]) -> None:
    rng = np.random.default_rng(6)
    rewards, (ref, gen) = rng.normal(size=(2, 4)), -rng.uniform(1, 3, size=(2, 4))
    auction = rule(TAU, tuple(ref.tolist()), tuple(gen.tolist()))
    lies = np.array([rewards[0], *rng.normal(size=(3, 4))])
    base = rewards[1] / TAU + ref - gen
    values, _ = _utilities(auction, lies, rewards[0], base)
    for lie, value in zip(lies, values, strict=True):
        told, truth = (_found(auction, [one, rewards[1]]) for one in (lie, rewards[0]))
        kept = [one.allocation @ rewards[0] - one.payments[0] for one in (told, truth)]
        gain = kept[0] - kept[1]
        assert value - values[0] == pytest.approx(gain)


def test_one_candidate_is_told_as_one_and_no_lie_that_pays_is_claimed() -> None:
    text = Transcript()
    told: list[str] = []
    (one,) = play(
        MODELS,
        text,
        rng=np.random.default_rng(3),
        decoding="at random",
        instances=ONE,
        candidates=1,
        tau=TAU,
        progress=told.append,
    )
    flat = " ".join(str(text).split())
    pays = [lies.pays for searches in one.broken.values() for lies in searches]
    assert "writes 1 candidate reply." in flat
    assert "1 candidates" not in flat + " ".join(told)
    assert not all(pays)
    assert ("finds lies that pay in some of these:" in flat) == any(pays)
    assert "finds lies that pay:" not in flat
