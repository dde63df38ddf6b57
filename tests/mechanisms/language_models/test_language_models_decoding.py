"""Temperature and top-p: the law that they leave, and the one that is not it."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf
from typing import Any

import numpy as np
import pytest
from language_model_cases import ASKED, models, table, total, unlikely, words
from reference import auction as oracle

from mechanisms.language_models import DecodedModel, NGramModel, TableModel

LAWS = {name: model for name, model in models().items() if hasattr(model, "reply_law")}
LAWS = {name: model for name, model in LAWS.items() if name != "tilted"}


@pytest.mark.parametrize("model", LAWS.values(), ids=LAWS)
def test_one_and_one_change_nothing(model: Any) -> None:
    for same in (DecodedModel(model), DecodedModel(model, 1, 1), DecodedModel(model, "1", "1.0")):
        assert same.law(ASKED) == model.law(ASKED)
        mine, theirs = (one.sample(ASKED, 50, np.random.default_rng(0)) for one in (same, model))
        assert mine.replies == theirs.replies
        assert np.array_equal(mine.log_probs, theirs.log_probs)


@pytest.mark.parametrize("model", LAWS.values(), ids=LAWS)
def test_the_limit_of_low_temperatures(model: Any) -> None:
    coldest = DecodedModel(model, 0).law(ASKED)
    assert float(total(coldest)) == pytest.approx(1)
    for temperature in (1e-3, 1e-300, 5e-324):
        cold = DecodedModel(model, temperature)
        scores = dict(zip(coldest, cold.log_prob(ASKED, list(coldest)), strict=True))
        for reply, p in coldest.items():
            assert exp(scores[reply]) == pytest.approx(float(p), rel=1e-9)
        drawn = cold.sample(ASKED, 20, np.random.default_rng(0))
        assert set(drawn.replies) <= set(coldest)
        assert (drawn.log_probs > -inf).all()


@pytest.mark.parametrize("temperature", [1e-5, 1e-300])
def test_cold_replies_stay_possible(temperature: float) -> None:
    scores = DecodedModel(table(), temperature).log_prob(ASKED, ["Now.", "Never.", "Impossible."])
    assert scores[0] == 0
    assert -inf < scores[1] < -1e4
    assert scores[2] == -inf


def test_high_temperatures_even_out() -> None:
    hot = DecodedModel(table(), 1e300).law(ASKED)
    assert list(hot.values()) == pytest.approx([1 / 3] * 3)


def test_temperatures_are_powers() -> None:
    model = TableModel({"": {"a": "1/2", "b": "1/3", "c": "1/6"}})
    assert (
        DecodedModel(model, "1/2").law("")
        == DecodedModel(model, 0.5).law("")
        == {
            "a": Fraction(9, 14),
            "b": Fraction(4, 14),
            "c": Fraction(1, 14),
        }
    )
    twice = DecodedModel(DecodedModel(model, "1/2"), "1/3").law("")
    assert twice == DecodedModel(model, "1/6").law("")
    back = DecodedModel(DecodedModel(model, 0.8), 1.25).law("")
    assert list(back.values()) == pytest.approx([1 / 2, 1 / 3, 1 / 6], rel=1e-14)
    fine = DecodedModel(model, 1 + 1e-9).law("")
    assert list(fine.values()) == pytest.approx([1 / 2, 1 / 3, 1 / 6], rel=1e-8)
    assert list(fine.values()) != [float(p) for p in model.law("").values()]


@pytest.mark.parametrize(
    ("top_p", "kept"),
    [
        ("1/1000", "a"),
        ("4/10", "a"),
        ("0.41", "ab"),
        ("7/10", "ab"),
        ("701/1000", "abc"),
        ("99/100", "abcd"),
        (1, "abcd"),
    ],
)
def test_top_p_keeps_the_fewest(top_p: Any, kept: str) -> None:
    model = TableModel({"": {"d": "1/10", "a": "4/10", "b": "3/10", "c": "2/10"}})
    law = DecodedModel(model, 1, top_p).law("")
    assert set(law) == set(kept)
    mass = sum(model.law("")[reply] for reply in kept)
    assert all(law[reply] == model.law("")[reply] / mass for reply in kept)
    refused = [reply for reply in "abcd" if reply not in kept]
    assert (DecodedModel(model, 1, top_p).log_prob("", refused) == -inf).all()


def test_of_equals_the_first_are_kept() -> None:
    model = TableModel({"": {"z": 1, "a": 1, "m": 1}})
    assert list(DecodedModel(model, 1, "2/3").law("")) == ["z", "a"]
    assert list(DecodedModel(model, 1, "1/3").law("")) == ["z"]
    floats = TableModel({"": {"z": 1.0, "a": 1.0, "m": 1.0}})
    assert list(DecodedModel(floats, 1, 0.5).law("")) == ["z", "a"]
    assert DecodedModel(TableModel({"": {"b": 1, "a": 2, "c": 2}}), 0).law("") == {
        "a": Fraction(1, 2),
        "c": Fraction(1, 2),
    }
    counted = NGramModel.train(["b x", "a x", "c x"])
    assert list(DecodedModel(counted, 1, "1/3").law("")) == ["b x"]


def test_a_float_is_the_rational_that_it_stands_for() -> None:
    model = TableModel({"": {"a": "9/10", "b": "1/10"}})
    assert set(DecodedModel(model, 1, "0.9").law("")) == {"a"}
    assert set(DecodedModel(model, 1, 0.9).law("")) == {"a", "b"}


def test_word_by_word_is_neither_the_raw_probability_nor_in_proportion_to_it() -> None:
    model = NGramModel.train(["a x", "a y", "a z", "b x", "b x y"])
    cut = DecodedModel(model, 1, "2/3")
    law, raw = cut.law(""), model.law("")
    ratios = {law[reply] / raw[reply] for reply in law}
    assert len(ratios) > 1
    assert law["b x"] / raw["b x"] == Fraction(3, 2)
    naive = {reply: raw[reply] / sum(raw[one] for one in law) for reply in law}
    assert total(naive) == total(law) == 1
    assert naive != law
    drawn = cut.sample("", 20_000, np.random.default_rng(0))
    assert not unlikely(drawn.replies, law)
    assert unlikely(drawn.replies, naive)
    assert not np.allclose(drawn.log_probs, model.log_prob("", drawn.replies), atol=0.1)


def test_the_wrong_weights_of_naive_sampling_miss_the_model() -> None:
    """Weights of the raw model for a tempered sample do not restore the model; right ones do."""
    model = words()
    cooled = DecodedModel(model, "1/2")
    raw, law = model.law(""), cooled.law("")
    right = {reply: law[reply] * (raw[reply] / law[reply]) for reply in law}
    assert right == raw
    wrong = {reply: law[reply] * (raw[reply] / raw[reply]) for reply in law}
    assert wrong == law != raw


@pytest.mark.parametrize(("temperature", "top_p"), [("1/2", 1), (1, "4/5"), ("1/3", "1/2")])
def test_rows_are_decoded_as_listed(temperature: Any, top_p: Any) -> None:
    row = {"a": Fraction(3, 10), "b": Fraction(3, 10), "c": Fraction(1, 5), "d": Fraction(1, 5)}
    wanted = oracle.decoded(row, Fraction(temperature), Fraction(top_p))
    found = DecodedModel(TableModel({"": row}), temperature, top_p).law("")
    assert set(found) == set(wanted)
    assert all(abs(float(found[one]) - float(wanted[one])) < 1e-15 for one in found)
