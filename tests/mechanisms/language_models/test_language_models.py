"""Language models that are known exactly: laws, draws and scores of all of them agree."""

from __future__ import annotations

import pickle
from fractions import Fraction
from math import inf, log
from typing import Any

import numpy as np
import pytest
from language_model_cases import (
    ASKED,
    SHORT,
    TEXTS,
    TOLD,
    exact,
    instructed,
    models,
    table,
    told,
    total,
    unlikely,
    words,
)
from reference import auction as oracle

from mechanisms.language_models import (
    DecodedModel,
    Explicit,
    ExplicitModel,
    InstructedModel,
    InstructedTable,
    MixtureModel,
    NGramModel,
    PromptedModel,
    TableModel,
    advice,
    checked_log_prob,
    checked_sample,
    question_of,
)
from mechanisms.language_models._odds import Odds, log_of, log_ratio
from mechanisms.protocols import LanguageModel, Sampled

NAMES = list(models())
EXACT = {"table", "pairs", "singles", "triples", "cut", "mixture", "instructed", "told"}
EXACT |= {"instructed table"}


@pytest.fixture(scope="module")
def every() -> dict[str, Any]:
    return models()


@pytest.mark.parametrize("name", NAMES)
def test_laws_draws_and_scores_agree(every: dict[str, Any], name: str) -> None:
    model = every[name]
    assert isinstance(model, LanguageModel)
    assert isinstance(model, ExplicitModel)
    law = model.law(ASKED)
    assert exact(law) == (name in EXACT)
    assert min(law.values()) > 0
    if exact(law):
        assert total(law) == 1
    else:
        assert total(law) == pytest.approx(1, abs=1e-12)
    scores = model.log_prob(ASKED, list(law))
    np.testing.assert_allclose(scores, [log(p) for p in law.values()], rtol=1e-13, atol=1e-14)
    assert (scores <= 0).all()
    drawn = checked_sample(model, ASKED, 5000, np.random.default_rng(1))
    assert np.array_equal(model.log_prob(ASKED, drawn.replies), drawn.log_probs)
    assert not unlikely(drawn.replies, law)
    again = model.sample(ASKED, 5000, np.random.default_rng(1))
    assert again.replies == drawn.replies
    assert np.array_equal(again.log_probs, drawn.log_probs)
    assert model.sample(ASKED, 5000, np.random.default_rng(2)).replies != drawn.replies
    assert model.sample(ASKED, 0, np.random.default_rng(1)).log_probs.shape == (0,)
    assert model.log_prob(ASKED, []).shape == (0,)


def test_another_law_is_found_out(every: dict[str, Any]) -> None:
    law = every["pairs"].law(ASKED)
    for name in ("cooled", "both"):
        assert unlikely(every[name].sample(ASKED, 5000, np.random.default_rng(1)).replies, law)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_else_is_possible(every: dict[str, Any], name: str) -> None:
    model = every[name]
    reply = max(model.law(ASKED), key=len)
    strange = [
        reply + " ",
        " " + reply,
        reply.replace(" ", "  ") + "\n",
        reply.upper() + "!",
        "xyz",
    ]
    assert (model.log_prob(ASKED, strange) == -inf).all()
    assert (model.log_prob(ASKED, ["Impossible."]) == -inf).all()


@pytest.mark.parametrize(("order", "longest"), [(1, 2), (2, 1), (2, 6), (3, 9), (8, 12)])
def test_words_are_counted_as_they_should_be(order: int, longest: int) -> None:
    law = NGramModel.train(TEXTS, order=order, longest=longest).law("")
    tree = oracle.counted(TEXTS, order, longest)
    wanted: dict[str, Fraction] = {}
    for reply in oracle.replies(tree, longest):
        chance = Fraction(1)
        for place, word in enumerate(reply):
            chance *= tree[reply[:place]][word]
        if len(reply) < longest:
            chance *= tree[reply][oracle.END]
        wanted[" ".join(reply)] = chance
    assert law == wanted


def test_texts_twice_are_the_texts() -> None:
    once, twice = (NGramModel.train(TEXTS * k, longest=SHORT).law("") for k in (1, 2))
    assert once == twice
    assert NGramModel.train(TEXTS[::-1], longest=SHORT).law("") == once


def test_the_text_that_comes_along() -> None:
    model = NGramModel.train()
    drawn = model.sample("", 300, np.random.default_rng(0))
    assert np.array_equal(model.log_prob("", drawn.replies), drawn.log_probs)
    assert max(len(reply.split()) for reply in drawn.replies) <= 60
    texts = [line for lines in advice().values() for line in lines]
    assert (model.log_prob("", texts) > -inf).all()
    assert len(advice()) == 10
    assert all(len(lines) == 18 for lines in advice().values())
    assert all(line == " ".join(line.split()) for line in texts)


def test_a_prompt_changes_nothing_for_counted_words() -> None:
    model = words()
    assert model.law("") == model.law("ä\n\0") == model.law(ASKED)


def test_empty_prompts_and_replies() -> None:
    drawn = table().sample("", 3, np.random.default_rng(0))
    assert drawn.replies == ("", "", "")
    assert drawn.log_probs.tolist() == [0, 0, 0]
    single = words(1, 2)
    assert single.law("")[""] == Fraction(
        len(TEXTS), len(TEXTS) + sum(len(t.split()) for t in TEXTS)
    )


def test_weights_in_any_proportion() -> None:
    small = TableModel({"": {"a": 1, "b": 3}})
    large = TableModel({"": {"a": 10**400, "b": 3 * 10**400}})
    assert small.law("") == large.law("") == {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    tiny = TableModel({"": {"a": 1e-320, "b": 1e300, "c": 1e308}})
    assert tiny.log_prob("", ["a"])[0] == pytest.approx(log(1e-320) - log(1e308), rel=1e-6)


def test_logarithms_keep_their_digits() -> None:
    assert log_ratio(10**20 - 1, 10**20) == -1e-20
    assert log_ratio(1, 3**5000) == pytest.approx(-5000 * log(3), rel=1e-15)
    assert log_of(Fraction(3**5000)) == pytest.approx(5000 * log(3), rel=1e-15)
    assert Odds.of_counts([1, 10**30]).logs[1] == -1e-30
    assert Odds.of_logs([-1e300, 0.0]).logs == (-1e300, 0.0)


def test_mixtures_cover_what_their_parts_do() -> None:
    whole, cut = words(), DecodedModel(words(), 1, "1/3")
    mixed = MixtureModel([cut, whole], [9, 1])
    assert set(cut.law("")) < set(whole.law("")) == set(mixed.law(""))
    for reply, p in mixed.law("").items():
        shares = (cut.law("").get(reply, Fraction(0)), whole.law("")[reply])
        assert p == Fraction(9, 10) * shares[0] + Fraction(1, 10) * shares[1]
    assert MixtureModel([whole], [5]).law("") == whole.law("")
    assert MixtureModel([whole, whole], [1, 2]).law("") == whole.law("")
    certain = TableModel({"": {"a": 1.0}})
    same = MixtureModel([certain] * 3, [0.1, 0.2, 0.3])
    assert same.sample("", 1, np.random.default_rng(0)).log_probs[0] <= 0


def test_a_mixture_asks_each_part_for_what_it_needs() -> None:
    asked: list[int] = []

    class Watched:
        def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
            return table().sample(prompt, n, rng)

        def log_prob(self, prompt: str, replies: Any) -> np.ndarray:
            asked.append(len(replies))
            return table().log_prob(prompt, replies)

    mixed = MixtureModel([Watched(), table()], [1, 1])
    drawn = mixed.sample(ASKED, 100, np.random.default_rng(0))
    assert len(asked) == 1
    assert 20 < asked[0] < 80
    assert np.array_equal(mixed.log_prob(ASKED, drawn.replies), drawn.log_probs)


def test_what_the_prompt_says_decides_who_is_mentioned() -> None:
    model = instructed(unnamed="1/1000")

    def mentions(prompt: str, name: str) -> float:
        return float(sum(p for reply, p in model.law(prompt).items() if name in reply))

    assert 0 < mentions(ASKED, "Restly") < 0.01
    assert mentions(TOLD, "Restly") > 0.3
    assert 0 < mentions(TOLD, "Teabag") < 0.01
    assert mentions(TOLD + " And of Teabag.", "Teabag") > 0.2
    assert mentions(ASKED + "\n\nRestlyish.", "Restly") == mentions(ASKED, "Restly")
    assert set(model.law(ASKED)) == set(model.law(TOLD))
    assert any("Eat" in reply for reply in model.law("What bread?"))
    assert not any("Eat" in reply for reply in model.law(ASKED))
    unsure = model.sample("?", 500, np.random.default_rng(0)).replies
    assert any("Eat" in reply for reply in unsure)
    assert any("Sleep" in reply for reply in unsure)


def test_the_table_twin() -> None:
    model = InstructedTable({"Restly": "dark curtains"}, {"sleep": TEXTS}, answers=2, named=3)
    law, led = model.law("A dark room?"), model.law("A dark room?\n\nRestly!")
    assert list(law) == list(led)
    first, second = "Sleep in a dark room.", "Drink tea in a warm room. Read!"
    assert list(law) == [
        first,
        first + " Restly offers dark curtains.",
        second,
        second + " Restly is a good address for dark curtains.",
    ]
    assert list(law.values()) == [Fraction(w, 2001 * 5) for w in (6000, 3, 4000, 2)]
    assert list(led.values()) == [Fraction(w, 32) for w in (6, 18, 2, 6)]


def test_what_a_model_is_told_beside_the_prompt() -> None:
    model = instructed()
    assert told(model).law(ASKED) == model.law(TOLD)
    assert told(model).sample(ASKED, 1, np.random.default_rng(0)).prompt == ASKED
    assert DecodedModel(told(model), 0.5).law(ASKED) == DecodedModel(model, 0.5).law(TOLD)
    assert question_of(TOLD) == question_of("\n " + ASKED) == ASKED


def test_models_travel_between_processes() -> None:
    for model in models().values():
        model.sample(ASKED, 1, np.random.default_rng(0))
        assert pickle.loads(pickle.dumps(model)).law(ASKED) == model.law(ASKED)


@pytest.mark.parametrize("model", models().values(), ids=NAMES)
def test_models_tell_what_they_are(model: Any) -> None:
    assert len(repr(model)) < 300


@pytest.mark.parametrize("kind", [InstructedModel, InstructedTable])
def test_a_brand_gives_a_terminal_no_orders(kind: Any) -> None:
    told = repr(kind({"Pan\x1b[31m\nmere": "light pans"}))
    assert r"(Pan\x1b[31m\nmere; " in told


def test_the_longest_reply() -> None:
    endless = NGramModel.train(["a " * 50 + "b"], longest=3)
    assert list(endless.law("")) == ["a a a", "a a b", "a b"]
    assert total(endless.law("")) == 1
    assert endless.log_prob("", ["a a a a"])[0] == -inf


def test_checked_scores_are_a_copy() -> None:
    scores = checked_log_prob(table(), ASKED, ["Now.", "Impossible."])
    assert scores.tolist() == [log(0.5), -inf]
    assert isinstance(table(), Explicit)


def test_what_is_sampled_cannot_be_written_to() -> None:
    numbers = np.zeros(1)
    drawn = Sampled("", ("a",), numbers)
    numbers[0] = 5
    assert drawn.log_probs[0] == 0
    assert len(drawn) == 1
    with pytest.raises(ValueError, match="read-only"):
        drawn.log_probs[0] = 1


def test_prompted_needs_no_laws() -> None:
    class Plain:
        def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
            return Sampled(prompt, (prompt,) * n, np.zeros(n))

        def log_prob(self, prompt: str, replies: Any) -> np.ndarray:
            return np.zeros(len(replies))

    model = PromptedModel(Plain(), str.upper)
    assert model.sample("abc", 2, np.random.default_rng(0)).replies == ("ABC", "ABC")


class Stuck(np.random.Generator):
    """Draws one number for ever."""

    def __init__(self, number: float) -> None:
        super().__init__(np.random.PCG64(0))
        self.number = number

    def random(self, n: Any) -> Any:  # type: ignore[override]
        return np.full(n, self.number)


@pytest.mark.parametrize(
    ("number", "reply"), [(0.0, "a"), (0.5, "b"), (0.5 - 2**-54, "a"), (1 - 2**-53, "b")]
)
def test_what_is_impossible_is_not_drawn_at_the_ends(number: float, reply: str) -> None:
    row = {"never": 0, "a": 1, "not": 0, "b": 1, "nor": 0}
    assert TableModel({"": row}).sample("", 1, Stuck(number)).replies == (reply,)
    floats = {word: float(weight) for word, weight in row.items()}
    assert TableModel({"": floats}).sample("", 1, Stuck(number)).replies == (reply,)
    cut = DecodedModel(NGramModel.train(["x", "a", "a", "y", "b", "b", "z"]), 1, "1/2")
    assert cut.sample("", 1, Stuck(number)).replies == (reply,)
