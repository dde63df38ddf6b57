"""Judges that score answers with a language model: Bayes' rule, zeros, and lengths."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from inspect import unwrap
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from llm_adapters.fakes import ScriptedChat
from llm_adapters.players import ChatJudge, ScoredJudge
from llm_adapters.players._judge_prompts import question_after
from mechanisms.language_models import LanguageModelError, TableModel
from mechanisms.protocols import LanguageModel, Sampled
from theory.errors import (
    InvalidInputError,
    NumberError,
    ProbabilityError,
    ShapeError,
    UnknownNameError,
)

WORTH = {"umbrella": {"rain": 0, "dry": -1}, "none": {"rain": -4, "dry": 0}}
PRIOR = {"rain": "1/4", "dry": "3/4"}
NAMES = ["rain", "dry"]
QUESTION = "Will it rain?"
ANSWERS = {"rain": "Yes, it will.", "dry": "No."}


def beliefs(judge: ScoredJudge, *names: str) -> tuple[Any, ...]:
    return tuple(judge.belief(dict.fromkeys(names, "text")).probabilities.values())


def table(*shown: dict[str, str], rows: list[dict[str, Any]]) -> TableModel:
    prompts = [question_after(QUESTION, each) for each in ({}, *shown)]
    return TableModel(dict(zip(prompts, rows, strict=True)))


def row(rain: Any, dry: Any) -> dict[str, Any]:
    rest = 1 - Fraction(rain) - Fraction(dry)
    return {"Yes, it will.": rain, "No.": dry, "Maybe.": rest}


def scored(*rows: dict[str, Any], prior: Any = PRIOR, **settings: Any) -> ScoredJudge:
    model = table({"sky": "| text"}, rows=list(rows))
    return ScoredJudge(model, QUESTION, ANSWERS, WORTH, prior, **settings)


@pytest.mark.parametrize("seed", range(10))
def test_the_posterior_is_that_of_bayes(seed: int) -> None:
    """Against Bayes' rule in rationals, for an agent that answers what it believes.

    The agent has a prior q and a likelihood L of the items, and gives the answer of h with a
    probability proportional to its belief in h; the judge's prior is another.
    """
    rng = np.random.default_rng(seed)
    q, prior, likelihood, talk = (
        [Fraction(int(k), 40) for k in rng.integers(1, 20, size=2)] for _ in range(4)
    )
    p = [each / sum(prior) for each in prior]
    before = [each / sum(q) * talk[0] for each in q]
    belief = [a * b for a, b in zip(q, likelihood, strict=True)]
    after = [each / sum(belief) * talk[1] for each in belief]
    judge = scored(row(*before), row(*after), prior=dict(zip(NAMES, map(str, p), strict=True)))
    exact = [a * b for a, b in zip(p, likelihood, strict=True)]
    assert beliefs(judge, "sky") == pytest.approx([float(e / sum(exact)) for e in exact], rel=1e-12)
    assert beliefs(judge) == tuple(map(float, p))
    worth = judge.utilities({"sky": "text"})
    assert worth["none"] == pytest.approx(float(-4 * exact[0] / sum(exact)), rel=1e-12)


def test_what_the_model_says_anyway_does_not_count() -> None:
    """Answers as unlike in length and probability as may be, and items that change nothing."""
    rows = row("1/1000000000000", "1/2"), row("1/1000000000000", "1/2")
    assert beliefs(scored(*rows), "sky") == pytest.approx([0.25, 0.75], rel=1e-12)


def test_weight_tempers() -> None:
    rows = row("1/8", "1/2"), row("1/2", "1/8")
    odds = [a / b for a, b in (beliefs(scored(*rows, weight=w), "sky") for w in (0.5, 1, 2))]
    assert odds == pytest.approx([4 / 3, 16 / 3, 256 / 3], rel=1e-12)


def test_ruled_out() -> None:
    assert beliefs(scored(row("1/2", "1/2"), row(0, "1/2")), "sky") == (0.0, 1.0)


@pytest.mark.parametrize(
    "rows",
    [
        (row("1/2", "1/2"), row(0, 0)),
        (row(0, "1/2"), row("1/2", "1/2")),
        (row(0, 0), row(0, 0)),
    ],
)
def test_no_ratio_keeps_the_prior(rows: tuple[dict[str, Any], dict[str, Any]]) -> None:
    judge = scored(*rows)
    assert beliefs(judge, "sky") == (0.25, 0.75)
    assert beliefs(judge, "sky") == (0.25, 0.75)
    assert judge.failures == 1
    assert not judge.beliefs[-1].answered


def test_hypotheses_that_are_out_of_the_question_are_not_scored() -> None:
    sure = {"rain": 1, "dry": 0}
    judge = scored(row("1/2", 0), row("1/4", "1/2"), prior=sure)
    assert beliefs(judge, "sky") == (1.0, 0.0)
    assert judge.failures == 0


def test_extreme_scores() -> None:
    @dataclass
    class Extreme:
        after: list[float]

        def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
            raise NotImplementedError("a judge draws no replies")

        def log_prob(self, prompt: str, replies: Any) -> Any:
            return np.array([-1.0, -1.0] if "This was said" not in prompt else self.after)

    def judged(after: list[float], **settings: Any) -> tuple[Any, ...]:
        model: LanguageModel = Extreme(after)
        judge = ScoredJudge(model, QUESTION, ANSWERS, WORTH, PRIOR, **settings)
        return beliefs(judge, "sky")

    assert judged([-1e300, -1e300]) == pytest.approx((0.25, 0.75))
    assert judged([-1e6, -1e7]) == (1.0, 0.0)
    assert judged([-0.0, -inf]) == (1.0, 0.0)
    assert judged([-1e3, -1e300], weight=1e6) == (1.0, 0.0)
    with pytest.raises(LanguageModelError):
        judged([nan, -1.0])


def test_floats_are_fine() -> None:
    worth = {"x": [0.5, 1.0]}
    judge = ScoredJudge(
        TableModel({"?": {"a": 1}}), QUESTION, ANSWERS, worth, {"rain": 0.1, "dry": 0.9}
    )
    assert judge.utilities({}) == {"x": pytest.approx(0.95)}
    assert beliefs(judge) == (0.1, 0.9)


@pytest.mark.parametrize(
    "given",
    [
        {"model": object()},
        {"model": TableModel},
        {"question": " "},
        {"hypotheses": {"rain": "Yes.", "dry": "Yes."}},
        {"weight": 0},
        {"weight": -1.0},
        {"weight": nan},
        {"weight": inf},
        {"weight": 10**400},
        {"weight": True},
        {"weight": "1"},
        {"utilities": {"x": [10**400, 0]}},
        {"utilities": {"x": [inf, 0.0]}},
    ],
)
def test_bad_arguments_of_a_scored_judge(given: dict[str, Any]) -> None:
    settings: dict[str, Any] = {
        "model": TableModel({"?": {"a": 1}}),
        "question": QUESTION,
        "hypotheses": ANSWERS,
        "utilities": WORTH,
        "prior": None,
    } | given
    with pytest.raises(InvalidInputError):
        unwrap(ScoredJudge.__init__)(object.__new__(ScoredJudge), **settings)


BAD: list[tuple[dict[str, Any], type[Exception]]] = [
    ({"hypotheses": []}, InvalidInputError),
    ({"hypotheses": ["rain", "rain"]}, InvalidInputError),
    ({"hypotheses": ["rain", " "]}, InvalidInputError),
    ({"hypotheses": {"rain": "", "dry": "no rain"}}, InvalidInputError),
    ({"hypotheses": "rain"}, InvalidInputError),
    ({"hypotheses": 5}, InvalidInputError),
    ({"utilities": {}}, InvalidInputError),
    ({"utilities": [[1, 2]]}, InvalidInputError),
    ({"utilities": {"x": {"rain": 1}}}, ShapeError),
    ({"utilities": {"x": {"rain": 1, "dry": 1, "snow": 1}}}, UnknownNameError),
    ({"utilities": {"x": [1, 2, 3]}}, ShapeError),
    ({"utilities": {"x": [1, nan]}}, NumberError),
    ({"utilities": {"x": [1, "inf"]}}, InvalidInputError),
    ({"prior": {"rain": "1/2", "dry": "1/3"}}, ProbabilityError),
    ({"prior": {"rain": "3/2", "dry": "-1/2"}}, ProbabilityError),
    ({"prior": {"rain": 1}}, ShapeError),
    ({"prior": ["1/2", "1/2"]}, InvalidInputError),
    ({"prior": {"rain": nan, "dry": 1.0}}, InvalidInputError),
    ({"longest": 0}, InvalidInputError),
    ({"longest": True}, InvalidInputError),
    ({"name": ""}, InvalidInputError),
]


@pytest.mark.parametrize(("given", "error"), BAD)
@pytest.mark.parametrize("kind", [ChatJudge, ScoredJudge])
def test_bad_arguments(kind: Any, given: dict[str, Any], error: type[Exception]) -> None:
    settings = {"hypotheses": NAMES, "utilities": WORTH, "prior": PRIOR} | given
    before: list[Any] = [ScriptedChat([])]
    if kind is ScoredJudge:
        before = [TableModel({"?": {"yes": 1}}), "Rain?"]
    with pytest.raises(error):
        unwrap(kind.__init__)(object.__new__(kind), *before, **settings)
