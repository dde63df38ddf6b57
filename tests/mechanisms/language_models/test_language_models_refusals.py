"""What language models refuse, and what they are refused for."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from inspect import unwrap
from typing import Any

import numpy as np
import pytest
from language_model_cases import (
    ASKED,
    BRANDS,
    TEXTS,
    TOPICS,
    instructed,
    models,
    table,
    told,
    words,
)

from mechanisms.language_models import (
    DecodedModel,
    InstructedModel,
    InstructedTable,
    LanguageModelError,
    MixtureModel,
    NGramModel,
    PromptedModel,
    TableModel,
    TiltedModel,
    checked_log_prob,
    checked_sample,
)
from mechanisms.language_models.explicit import Explicit
from mechanisms.protocols import Sampled
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    MechproofError,
    NumberError,
    UnknownNameError,
)

RNG = np.random.default_rng(0)
NAN, INF = float("nan"), float("inf")


def made(kind: Any) -> Callable[..., Any]:
    """Make an object without the tests' own check of types in the way."""

    def make(*args: Any, **options: Any) -> Any:
        self = object.__new__(kind)
        unwrap(kind.__init__)(self, *args, **options)
        return self

    return make


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({}, InvalidInputError, "no prompts"),
        ([], InvalidInputError, "no prompts"),
        ({"a": {}}, InvalidInputError, "table['a']"),
        ({"a": ["b"]}, InvalidInputError, "table['a']"),
        ({1: {"b": 1}}, InvalidInputError, "prompt"),
        ({"a": {2: 1}}, InvalidInputError, "not text"),
        ({"a": {"b": 0}}, InvalidInputError, "no weights"),
        ({"a": {"b": -1, "c": 2}}, InvalidInputError, "no weights"),
        ({"a": {"b": 0.0}}, InvalidInputError, "no weights"),
        ({"a": {"b": -1e-9, "c": 2.0}}, InvalidInputError, "no weights"),
        ({"a": {"b": NAN}}, InvalidInputError, "finite"),
        ({"a": {"b": INF}}, InvalidInputError, "finite"),
        ({"a": {"b": 1.0, "c": 10**400}}, InvalidInputError, "finite"),
        ({"a": {"b": 0.5, "c": Fraction(1, 2)}}, InvalidInputError, "mixes"),
        ({"a": {"b": 0.5, "c": "1/2"}}, InvalidInputError, "mixes"),
        ({"a": {"b": True}}, NumberError, "not a number"),
        ({"a": {"b": None}}, NumberError, "not a number"),
        ({"a": {"b": "much"}}, NumberError, "not a number"),
    ],
)
def test_tables(given: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        made(TableModel)(given)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "options", "kind"),
    [
        ([], {}, InvalidInputError),
        ("a text", {}, InvalidInputError),
        ([""], {}, InvalidInputError),
        (["a", " \n"], {}, InvalidInputError),
        ([3], {}, InvalidInputError),
        (5, {}, InvalidInputError),
        (["a"], {"order": 0}, InvalidInputError),
        (["a"], {"order": 9}, LimitError),
        (["a"], {"order": True}, InvalidInputError),
        (["a"], {"order": 2.0}, InvalidInputError),
        (["a"], {"longest": 0}, InvalidInputError),
        (["a"], {"longest": 10**30}, LimitError),
        (["a b " * 600_000], {}, LimitError),
    ],
)
def test_texts(texts: Any, options: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        unwrap(NGramModel.train.__func__)(NGramModel, texts, **options)


@pytest.mark.parametrize("model", models().values(), ids=models())
@pytest.mark.parametrize(
    ("prompt", "n", "rng", "kind"),
    [
        (3, 1, RNG, InvalidInputError),
        (None, 1, RNG, InvalidInputError),
        (ASKED, -1, RNG, InvalidInputError),
        (ASKED, True, RNG, InvalidInputError),
        (ASKED, 1.0, RNG, InvalidInputError),
        (ASKED, "1", RNG, InvalidInputError),
        (ASKED, 10**8, RNG, LimitError),
        (ASKED, 10**400, RNG, LimitError),
        (ASKED, 1, None, InvalidInputError),
        (ASKED, 1, 5, InvalidInputError),
    ],
)
def test_what_is_asked(model: Any, prompt: Any, n: Any, rng: Any, kind: type[Exception]) -> None:
    if isinstance(model, PromptedModel):
        return
    with pytest.raises(kind):
        unwrap(type(model).sample)(model, prompt, n, rng)


@pytest.mark.parametrize("replies", ["text", None, 3, [3], [None], {"a"}])
def test_what_is_scored(replies: Any) -> None:
    for model in (table(), MixtureModel([table()], [1])):
        with pytest.raises(InvalidInputError, match="replies"):
            unwrap(type(model).log_prob)(model, ASKED, replies)


def test_unknown_prompts() -> None:
    for model in (table(), DecodedModel(table(), 0.5), MixtureModel([table()], [1])):
        with pytest.raises(UnknownNameError, match="How do I sleep"):
            model.sample("How do I sleep", 1, RNG)
        with pytest.raises(UnknownNameError):
            model.log_prob("Unheard of", [])
        with pytest.raises(UnknownNameError):
            model.law("Unheard of")
    with pytest.raises(UnknownNameError):
        checked_sample(table(), "Unheard of", 1, RNG)


@pytest.mark.parametrize("temperature", [-1, -1e-300, NAN, INF, None, True, "hot", [1]])
def test_temperatures(temperature: Any) -> None:
    with pytest.raises(InvalidInputError, match="temperature"):
        DecodedModel(table(), temperature)


@pytest.mark.parametrize("top_p", [0, -0.1, 1.0000001, NAN, INF, None, True, "all", [1]])
def test_top_p(top_p: Any) -> None:
    with pytest.raises(InvalidInputError, match="top_p"):
        DecodedModel(table(), 1, top_p)


def test_laws_that_are_not_known() -> None:
    mixed = MixtureModel([table(), words()], [1, 1])
    for given in (mixed, None, "model"):
        with pytest.raises(InvalidInputError):
            DecodedModel(given)
        with pytest.raises(InvalidInputError):
            TiltedModel(given, [])
    with pytest.raises(InvalidInputError, match="law"):
        PromptedModel(mixed, str).reply_law("")
    with pytest.raises(InvalidInputError, match="decode"):
        DecodedModel(TiltedModel(words(), []), 0.5).law("")


def test_laws_that_are_too_long() -> None:
    long = NGramModel.train()
    for model in (
        long,
        DecodedModel(long, 0.9, 0.99),
        TiltedModel(long, []),
        MixtureModel([long], [1]),
    ):
        with pytest.raises(LimitError, match="100,000"):
            model.law("")
    endless = NGramModel.train(["a b a c a d b c d b a"], longest=2000)
    with pytest.raises(LimitError, match=r"inf|about"):
        endless.law("")
    with pytest.raises(LimitError, match="100,000"):
        TableModel({"": {str(k): 1 for k in range(100_001)}}).law("")
    with pytest.raises(LimitError, match="steps"):
        TiltedModel(NGramModel.train(longest=10_000), []).log_partition("")


@pytest.mark.parametrize(
    ("given", "weights", "words"),
    [
        ([], [], "no models"),
        ([None], [1], "language model"),
        ([table()], [], "one a model"),
        ([table()], [1, 2], "one a model"),
        ([table()], "1", "one a model"),
        ([table()], [0], "no weights"),
        ([table(), table()], [1, 0], "has a 0"),
        ([table(), table()], [1, -1], "no weights"),
        ([table(), table()], [0.5, NAN], "finite"),
    ],
)
def test_mixtures(given: Any, weights: Any, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        made(MixtureModel)(given, weights)


@pytest.mark.parametrize(
    ("parts", "powers", "words"),
    [
        ("models", None, "sequence"),
        ([words()], [], "one a model"),
        ([words()], "1", "one a model"),
        ([words()], [NAN], "finite"),
        ([words()], [None], "not a number"),
        ([words()], [True], "not a number"),
    ],
)
def test_tilts(parts: Any, powers: Any, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        made(TiltedModel)(globals()["words"](), parts, powers)


def test_tilts_without_a_law() -> None:
    cut = DecodedModel(words(), 1, "1/3")
    other = NGramModel.train(["Something else."], longest=8)
    for model, problem in (
        (TiltedModel(words(), [other]), "no reply"),
        (TiltedModel(words(), [table()]), "kinds"),
        (TiltedModel(words(), [words(longest=7)]), "lengths"),
        (TiltedModel(words(), [cut], [-1]), "negative"),
        (TiltedModel(table(), [DecodedModel(table(), 0)], [-1]), "negative"),
        (TiltedModel(table(), [TableModel({ASKED: {"?": 1}})]), "no reply"),
        (TiltedModel(table(), [TableModel({ASKED: {"?": 1.0}})]), "no reply"),
    ):
        with pytest.raises(InvalidInputError, match=problem):
            model.log_partition(ASKED)


@pytest.mark.parametrize("kind", [InstructedModel, InstructedTable])
@pytest.mark.parametrize(
    ("brands", "topics", "options", "error"),
    [
        (None, None, {}, InvalidInputError),
        ({"": "pans"}, None, {}, InvalidInputError),
        ({"Pan": " "}, None, {}, InvalidInputError),
        ({3: "pans"}, None, {}, InvalidInputError),
        (BRANDS, {}, {}, InvalidInputError),
        (BRANDS, [], {}, InvalidInputError),
        (BRANDS, {"a": []}, {}, InvalidInputError),
        (BRANDS, {"a": ["  "]}, {}, InvalidInputError),
        (BRANDS, {1: ["b"]}, {}, InvalidInputError),
        (BRANDS, TOPICS, {"named": 0}, InvalidInputError),
        (BRANDS, TOPICS, {"unnamed": -1}, InvalidInputError),
        (BRANDS, TOPICS, {"named": 0.5}, ExactnessError),
        (BRANDS, TOPICS, {"named": None}, NumberError),
    ],
)
def test_instructions(
    kind: Any, brands: Any, topics: Any, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        made(kind)(brands, topics, **options)


def test_instructions_beyond_limits() -> None:
    for options in ({"order": 1}, {"order": 9}, {"longest": 0}):
        with pytest.raises(InvalidInputError):
            instructed(**({"longest": 5} | options))
    with pytest.raises(LimitError, match="brands"):
        InstructedTable({f"Firm{k}": "things" for k in range(15)})
    with pytest.raises(InvalidInputError, match="answers"):
        InstructedTable(BRANDS, answers=0)
    assert len(InstructedTable({}, TOPICS).law("")) == 6


def test_what_is_prompted() -> None:
    with pytest.raises(InvalidInputError, match="model"):
        made(PromptedModel)(None, str)
    with pytest.raises(InvalidInputError, match="rewrite"):
        made(PromptedModel)(table(), "text")
    with pytest.raises(InvalidInputError, match="rewrite"):
        PromptedModel(table(), lambda _: None).sample("", 1, RNG)  # type: ignore[arg-type,return-value]
    with pytest.raises(InvalidInputError, match="prompt"):
        unwrap(PromptedModel.sample)(told(table()), 3, 1, RNG)


def test_sampled_has_a_number_for_each_reply() -> None:
    make = made(Sampled)
    for prompt, replies, logs in (
        (3, (), np.zeros(0)),
        ("", ["a"], np.zeros(1)),
        ("", (3,), np.zeros(1)),
        ("", ("a",), [0.0]),
        ("", ("a",), np.zeros(1, np.float32)),
        ("", ("a",), np.zeros(1, np.int64)),
        ("", ("a",), np.zeros(2)),
        ("", ("a",), np.zeros((1, 1))),
    ):
        with pytest.raises(InvalidInputError):
            make(prompt, replies, logs)


class Scripted:
    """Answers whatever it was given to answer, or raises it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def _answered(self) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Any:
        return self._answered()

    def log_prob(self, prompt: str, replies: Any) -> Any:
        return self._answered()


def drawn(*logs: float, prompt: str = "?") -> Sampled:
    return Sampled(prompt, tuple("ab"[: len(logs)]), np.array(logs, float))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "None"),
        (("a", "b"), "returned"),
        (drawn(-1), "1 replies when asked for 2"),
        (drawn(-1, NAN), "nan"),
        (drawn(-1, 1e-9), "'b' the log-probability 1e-09"),
        (drawn(-1, INF), "inf"),
        (drawn(-1, -INF), "-inf"),
        (drawn(-1, -1, prompt="!"), "'!'"),
        (ValueError("broken"), "broken"),
        (ZeroDivisionError(), "ZeroDivisionError"),
    ],
)
def test_nonsense_is_put_down_to_who_said_it(answer: Any, words: str) -> None:
    for name, called in ((None, "Scripted"), ("the oracle", "the oracle")):
        with pytest.raises(LanguageModelError) as caught:
            checked_sample(Scripted(answer), "?", 2, RNG, name=name)
        assert str(caught.value).startswith(called)
        assert words in str(caught.value)
        assert caught.value.participant == called


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "None"),
        ([-1.0, -1.0], "returned"),
        (np.zeros(2, np.float32), "float64"),
        (np.zeros(3), "shape (3,)"),
        (np.zeros((2, 1)), "shape (2, 1)"),
        (np.array([0, NAN]), "nan"),
        (np.array([0, 0.1]), "'b'"),
        (RuntimeError("broken"), "broken"),
    ],
)
def test_nonsense_scores_are_put_down_to_who_gave_them(answer: Any, words: str) -> None:
    with pytest.raises(LanguageModelError) as caught:
        checked_log_prob(Scripted(answer), "?", ["a", "b"])
    assert str(caught.value).startswith("Scripted")
    assert words in str(caught.value)


def test_our_own_errors_and_interrupts_pass() -> None:
    ours = MechproofError("out of budget")
    for error in (ours, KeyboardInterrupt()):
        with pytest.raises(type(error)) as caught:
            checked_sample(Scripted(error), "?", 2, RNG)
        assert caught.value is error
    with pytest.raises(InvalidInputError, match="model"):
        unwrap(checked_sample)(object(), "?", 2, RNG)
    with pytest.raises(InvalidInputError, match="name"):
        unwrap(checked_sample)(table(), ASKED, 2, RNG, name=3)
    for n in (-1, 10**9):
        with pytest.raises(InvalidInputError):
            checked_sample(table(), ASKED, n, RNG)


def test_a_law_is_whatever_a_model_says_it_is() -> None:
    class Odd(Explicit):
        def reply_law(self, prompt: str) -> Any:
            return table().reply_law(ASKED)

    assert Odd().law("anything") == table().law(ASKED)
    assert len(TEXTS) == 5


class Careless:
    """Draws like a table, and scores as it is made to."""

    def __init__(self, scores: Any) -> None:
        self.scores = scores

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        return Sampled(prompt, ("a",) * n, np.zeros(n))

    def log_prob(self, prompt: str, replies: Any) -> Any:
        return self.scores(len(replies))


@pytest.mark.parametrize(
    "scores",
    [
        np.ones,
        lambda n: np.zeros(1 + (n == 1)),
        lambda n: np.full(n, NAN),
        lambda n: None,
    ],
)
def test_models_within_models_are_not_taken_at_their_word(scores: Any) -> None:
    table = TableModel({"?": {"a": 1, "b": 1}})
    mixture = MixtureModel([Careless(scores), table], ["1/2", "1/2"])
    with pytest.raises(LanguageModelError, match="Careless"):
        mixture.log_prob("?", ["a", "b", "a"])
    with pytest.raises(LanguageModelError, match="Careless"):
        mixture.sample("?", 20, np.random.default_rng(0))
    with pytest.raises(LanguageModelError, match="Careless"):
        PromptedModel(Careless(scores), str.upper).log_prob("?", ["a"])


@pytest.mark.parametrize("kind", [np.float64, np.float32, float])
def test_weights_in_floats_are_the_rationals_they_stand_for(kind: Any) -> None:
    model = TableModel({"?": {"a": kind(1e30), "b": kind(1e30), "c": kind(2e30)}})
    law = model.law("?")
    assert sum(law.values()) == pytest.approx(1, abs=1e-15)
    assert law["a"] == law["b"] == pytest.approx(0.25, abs=1e-15)
