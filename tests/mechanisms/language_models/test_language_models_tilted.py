"""The optimum between models that count words: found without listing, compared with the list."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import exp, inf, log
from typing import Any

import numpy as np
import pytest
from language_model_cases import ASKED, TEXTS, instructed, table, told, unlikely, words

from mechanisms.advertising import advertising_prompt, instances
from mechanisms.language_models import (
    DecodedModel,
    InstructedModel,
    NGramModel,
    PromptedModel,
    TableModel,
    TiltedModel,
)


def listed(reference: Any, parts: list[Any], powers: list[Any]) -> tuple[dict[str, Any], Any]:
    """pi* and the sum that normalises it, straight from the definition."""
    base = reference.law(ASKED)
    weights = {}
    for reply, p in base.items():
        weights[reply] = p
        for part, power in zip(parts, powers, strict=True):
            weights[reply] *= (part.law(ASKED).get(reply, 0) / p) ** power
    total = sum(weights.values())
    return {reply: w / total for reply, w in weights.items() if w}, total


@cache
def cases() -> dict[str, tuple[Any, list[Any], list[Any]]]:
    firm = instructed(5)
    other = NGramModel.train((*TEXTS, TEXTS[0], "Sleep well."), order=3, longest=6)
    whole = words(longest=6)
    return {
        "one graph": (firm, [told(firm), told(firm)], [1, 1]),
        "fractions": (firm, [told(firm)], [Fraction(1, 3)]),
        "another order": (whole, [other], [1]),
        "a negative power": (firm, [told(firm)], [Fraction(-1, 2)]),
        "decoded": (whole, [DecodedModel(whole, 1, "3/5"), DecodedModel(whole, 0.7)], [1, 0.5]),
        "a power of zero": (whole, [DecodedModel(whole, 1, "3/5"), other], [0, 2]),
        "nobody": (whole, [], []),
        "tables": (table(), [table(), DecodedModel(table(), 1, "4/5")], [Fraction(1, 2), 1]),
        "exact tables": (table(), [DecodedModel(table(), "1/2"), table()], [2, -1]),
    }


@pytest.mark.parametrize("name", cases())
def test_the_optimum_is_the_listed_one(name: str) -> None:
    reference, parts, powers = cases()[name]
    wanted, total = listed(reference, parts, powers)
    model = TiltedModel(reference, parts, powers)
    law = model.law(ASKED)
    assert set(law) == set(wanted)
    if name == "exact tables":
        assert law == wanted
    replies = list(wanted)
    np.testing.assert_allclose(
        model.log_prob(ASKED, replies), [log(wanted[y]) for y in replies], rtol=1e-12, atol=1e-12
    )
    assert model.log_partition(ASKED) == pytest.approx(log(total), rel=1e-12, abs=1e-13)
    own = sum(float(p) * log(p) for p in wanted.values())
    assert model.expected_log_prob(ASKED) == pytest.approx(own, rel=1e-12, abs=1e-13)
    for part in (reference, *parts):
        scores = part.log_prob(ASKED, replies)
        mean = float(np.sum([float(wanted[y]) * s for y, s in zip(replies, scores, strict=True)]))
        assert model.expected_log_prob(ASKED, part) == pytest.approx(mean, rel=1e-12, abs=1e-13)
    drawn = model.sample(ASKED, 5000, np.random.default_rng(0))
    assert not unlikely(drawn.replies, wanted)
    assert np.array_equal(drawn.log_probs, model.log_prob(ASKED, drawn.replies))
    missing = [reply for reply in reference.law(ASKED) if reply not in wanted]
    assert (model.log_prob(ASKED, missing) == -inf).all()


def test_nobody_leaves_the_reference() -> None:
    model = TiltedModel(words(), [])
    assert model.log_partition("") == pytest.approx(0, abs=1e-14)
    replies = list(words().law(""))
    np.testing.assert_allclose(
        model.log_prob("", replies), words().log_prob("", replies), rtol=1e-12, atol=1e-14
    )


def test_one_advertiser_alone_gets_its_model() -> None:
    firm = instructed(6)
    model = TiltedModel(firm, [told(firm)])
    assert model.log_partition(ASKED) == pytest.approx(0, abs=1e-13)
    replies = list(told(firm).law(ASKED))
    np.testing.assert_allclose(
        model.log_prob(ASKED, replies), told(firm).log_prob(ASKED, replies), rtol=1e-12
    )


def test_the_same_graph_or_another_makes_no_difference() -> None:
    firm, again = instructed(6), instructed(6)
    shared = TiltedModel(firm, [told(firm)], [2])
    apart = TiltedModel(firm, [told(again)], [2])
    assert shared.log_partition(ASKED) == pytest.approx(apart.log_partition(ASKED), rel=1e-13)
    replies = list(shared.law(ASKED))
    np.testing.assert_allclose(
        shared.log_prob(ASKED, replies), apart.log_prob(ASKED, replies), rtol=1e-12
    )


def test_expectations_under_one_optimum_of_another() -> None:
    firm = instructed(6)
    one, two = TiltedModel(firm, [told(firm)], [2]), TiltedModel(firm, [told(firm)], ["1/2"])
    law = one.law(ASKED)
    scores = two.log_prob(ASKED, list(law))
    mean = float(np.sum(np.array(list(law.values())) * scores))
    assert one.expected_log_prob(ASKED, two) == pytest.approx(mean, rel=1e-12)
    assert one.expected_log_prob(ASKED, one) == pytest.approx(one.expected_log_prob(ASKED))


def test_what_the_other_never_says_is_infinitely_far() -> None:
    whole = words()
    cut = DecodedModel(whole, 1, "1/3")
    assert TiltedModel(whole, []).expected_log_prob("", cut) == -inf
    assert TiltedModel(whole, [cut]).expected_log_prob("", whole) > -inf
    only = TableModel({ASKED: {"Now.": 1}})
    assert TiltedModel(table(), []).expected_log_prob(ASKED, only) == -inf


def test_more_replies_than_can_be_listed() -> None:
    instance = instances()[7]
    model = InstructedModel({one.name: one.description for one in instance.advertisers}, order=2)
    parts = [
        PromptedModel(model, lambda query, one=one: advertising_prompt(query, one))
        for one in instance.advertisers
    ]
    optimum = TiltedModel(model, parts)
    drawn = optimum.sample(instance.query, 2000, np.random.default_rng(0))
    ref = model.log_prob(instance.query, drawn.replies)
    rewards = [part.log_prob(instance.query, drawn.replies) - ref for part in parts]
    logs = ref + sum(rewards) - optimum.log_partition(instance.query)
    np.testing.assert_allclose(drawn.log_probs, logs, rtol=1e-11)
    spread = drawn.log_probs.std() / np.sqrt(len(drawn))
    mean = optimum.expected_log_prob(instance.query)
    assert abs(drawn.log_probs.mean() - mean) < 6.2 * spread  # misses once in 10^9 times
    # E_ref[exp(r_1 + r_2)] = Z: the sums of weights of another sampler are unbiased
    plain = parts[0].sample(instance.query, 4000, np.random.default_rng(1))
    weights = np.exp(parts[1].log_prob(instance.query, plain.replies))
    weights /= np.exp(model.log_prob(instance.query, plain.replies))
    error = weights.std() / np.sqrt(len(weights))
    assert abs(weights.mean() - exp(optimum.log_partition(instance.query))) < 6.2 * error
