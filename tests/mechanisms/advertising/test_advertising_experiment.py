"""One instance of the experiment against fractions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from advertising_models import Unlisted, Wrong, rows, toy
from reference import advertising as oracle

from mechanisms.advertising import (
    EXPLICIT,
    GENERATORS,
    READINGS,
    ByQuestion,
    GeneratorResult,
    Instance,
    InstanceResult,
    Models,
    advertising_prompt,
    context_prompt,
    explicit_model,
    instances,
    mentions,
    optimum,
    reply_laws,
    run_instance,
    sizes_up_to,
)
from mechanisms.language_models import DecodedModel, LanguageModelError, TableModel
from mechanisms.protocols import Sampled
from theory.errors import InvalidInputError, UnknownNameError

INSTANCE = instances()[0]
PROMPTS = {
    "context-aware": context_prompt(INSTANCE.query, INSTANCE.advertisers),
    "reference": INSTANCE.query,
}


class Recording:
    """Passes on what a model draws, and remembers it."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.drawn: list[Sampled] = []

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        self.drawn.append(self.model.sample(prompt, n, rng))
        return self.drawn[-1]

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Any:
        return self.model.log_prob(prompt, replies)


def law(model: Any, prompt: str) -> dict[str, Fraction]:
    return {reply: Fraction(p) for reply, p in model.law(prompt).items()}


def own_laws(model: Any, instance: Instance = INSTANCE) -> list[dict[str, Fraction]]:
    return [law(model, advertising_prompt(instance.query, one)) for one in instance.advertisers]


def sharp() -> DecodedModel:
    """The toy at half the temperature, so that laws that are drawn from are rational, too."""
    return DecodedModel(toy(), temperature=Fraction(1, 2))


# --- one instance


@pytest.mark.parametrize("draws", [toy, sharp])
def test_every_number_is_that_of_the_definition(draws: Any) -> None:
    speaks, recording = toy(), Recording(draws())
    record = run_instance(
        INSTANCE, Models(speaks, recording), 7, rng=np.random.default_rng(5), tau=1.0
    )
    ref, own = law(speaks, INSTANCE.query), own_laws(speaks)
    best = oracle.optimum(ref, own)
    drawn = {one.prompt: one.replies for one in recording.drawn}
    assert len(drawn) == 4
    assert record.normalised
    for generator in GENERATORS:
        course, prompt = record.courses[generator], PROMPTS[generator]
        gen = law(recording.model, prompt)
        for k, M in enumerate(course.sizes.tolist()):
            replies = drawn[prompt][:M]
            found = oracle.auction(replies, ref, gen, own)
            logs = [math.log(best[y]) for y in replies]
            expected = math.fsum(float(p) * x for p, x in zip(found["p"], logs, strict=True))
            assert course.log_probs[k] == pytest.approx(expected, abs=1e-12)
            assert course.returned_log_probs[k] == pytest.approx(logs[course.returned[k]])
            assert course.payments[k] == pytest.approx(found["paid"], abs=1e-12)
            assert course.payments_without_offset[k] == pytest.approx(found["bare"], abs=1e-12)
            for i, advertiser in enumerate(INSTANCE.advertisers):
                own_reward = found["rewards"][i]
                assert course.expected_rewards[k, i] == pytest.approx(own_reward, abs=1e-12)
                same = course.reward_gains["same"][k, i]
                assert same == pytest.approx(own_reward - found["out"][i], abs=1e-12)
                named = [advertiser.name in y for y in replies]
                assert course.mentioned[k, i] == pytest.approx(
                    float(sum(p for p, n in zip(found["p"], named, strict=True) if n))
                )
                q, r = found["q"][i], [math.log(own[i][y] / ref[y]) for y in replies]
                kept = [(float(x), y) for x, y, n in zip(q, r, named, strict=True) if not n]
                got = course.reward_gains["unmentioned"][k, i]
                if kept:
                    mean = math.fsum(x * y for x, y in kept) / math.fsum(x for x, _ in kept)
                    assert got == pytest.approx(own_reward - mean, abs=1e-12)
                else:
                    assert math.isnan(got)
                rest = INSTANCE.advertisers[1 - i : 2 - i]
                other = prompt if generator == "reference" else context_prompt(INSTANCE.query, rest)
                redrawn, law_of = drawn[other][:M], law(recording.model, other)
                left = oracle.softmax(oracle.weights(redrawn, ref, law_of, own, without=i))
                stays = math.fsum(
                    float(x) * math.log(own[i][y] / ref[y])
                    for x, y in zip(left, redrawn, strict=True)
                )
                got = course.reward_gains["redrawn"][k, i]
                assert got == pytest.approx(own_reward - stays, abs=1e-12)
        assert course.reply == drawn[prompt][int(course.returned[-1])]
        assert (course.returned < course.sizes).all()


def test_utility_gains_are_reward_gains_less_payments() -> None:
    course = one_course()
    for reading in READINGS:
        for offset, paid in ((True, course.payments), (False, course.payments_without_offset)):
            expected = course.reward_gains[reading] - paid
            got = course.utility_gains(reading, offset=offset)
            assert np.array_equal(got, expected, equal_nan=True)


def one_course(seed: int = 0, candidates: int = 20) -> GeneratorResult:
    record = run_instance(
        INSTANCE, Models(toy(), toy()), candidates, rng=np.random.default_rng(seed)
    )
    return record.courses["context-aware"]


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    first, again, other = one_course(3), one_course(3), one_course(4)
    assert np.array_equal(first.log_probs, again.log_probs)
    assert first.reply == again.reply
    assert not np.array_equal(first.log_probs, other.log_probs)


def test_a_larger_tau_mutes_advertisers() -> None:
    models, mentioned = Models(toy(), toy()), []
    for tau in (0.5, 1.0, 4.0, 1e6):
        record = run_instance(INSTANCE, models, 200, rng=np.random.default_rng(1), tau=tau)
        mentioned.append(float(record.courses["context-aware"].mentioned[-1].sum()))
    assert mentioned == sorted(mentioned, reverse=True)
    assert mentioned[-1] == pytest.approx(6 / 105, abs=0.03), "that of the reference"


def test_an_advertiser_who_gains_nothing_pays_nothing() -> None:
    b = INSTANCE.advertisers[1]
    table = rows(INSTANCE, 90)
    table[advertising_prompt(INSTANCE.query, b)] = table[INSTANCE.query]
    model = TableModel(table)
    record = run_instance(INSTANCE, Models(model, model), 20, rng=np.random.default_rng(0))
    for course in record.courses.values():
        assert course.payments[:, 1] == pytest.approx(np.zeros(20), abs=1e-15)
        assert course.reward_gains["same"][:, 1] == pytest.approx(np.zeros(20), abs=1e-15)
    assert record.courses["context-aware"].payments[-1, 0] > 0


def test_a_model_that_lists_nothing_leaves_log_z_out() -> None:
    listing = run_instance(INSTANCE, Models(toy(), toy()), 5, rng=np.random.default_rng(2))
    plain = Unlisted()
    silent = run_instance(INSTANCE, Models(plain, plain), 5, rng=np.random.default_rng(2))
    best = optimum(INSTANCE, toy())
    assert best is not None
    assert not silent.normalised
    for generator in GENERATORS:
        shift = silent.courses[generator].log_probs - listing.courses[generator].log_probs
        assert shift == pytest.approx(np.full(5, best.log_normaliser), abs=1e-12)
    assert optimum(INSTANCE, plain) is None
    assert reply_laws(INSTANCE, Models(plain, plain), (1, 2)) is None


# --- the optimum and exact laws


def test_the_optimum_is_that_of_the_definition() -> None:
    ref, own = law(toy(), INSTANCE.query), own_laws(toy())
    best = oracle.optimum(ref, own)
    found = optimum(INSTANCE, toy())
    assert found is not None
    logs = [float(p) * math.log(p) for p in best.values()]
    assert found.expected_log_prob == pytest.approx(math.fsum(logs), abs=1e-12)
    for i, own_law in enumerate(own):
        out = oracle.optimum(ref, own, without=i)
        r = {y: math.log(own_law[y] / ref[y]) for y in ref}
        gain = math.fsum(float(best[y] - out[y]) * r[y] for y in ref)
        paid = math.fsum(float(best[y]) * math.log(best[y] / out[y]) for y in ref)
        assert found.reward_gains[i] == pytest.approx(gain, abs=1e-12)
        assert found.payments[i] == pytest.approx(paid, abs=1e-12)


class Listing(Unlisted):
    """Not one of ours, but it lists its laws."""

    def law(self, prompt: str) -> Any:
        return {reply: float(p) for reply, p in self.model.law(prompt).items()}


def test_a_model_of_ones_own_that_lists_its_laws_has_an_optimum() -> None:
    ours, own = optimum(INSTANCE, toy(), 2.0), optimum(INSTANCE, Listing(), 2.0)
    assert ours is not None
    assert own is not None
    assert own.log_normaliser == pytest.approx(ours.log_normaliser)
    assert own.payments == pytest.approx(ours.payments)
    assert reply_laws(INSTANCE, Models(Listing(), Listing()), (3,)) is not None


@pytest.mark.parametrize("draws", [toy, sharp])
def test_the_law_of_the_reply_is_that_of_all_draws(draws: Any) -> None:
    speaks, drawn = toy(), draws()
    ref, own = law(speaks, INSTANCE.query), own_laws(speaks)
    best = oracle.optimum(ref, own)
    found = reply_laws(INSTANCE, Models(speaks, drawn), (1, 2, 4))
    assert found is not None
    for generator, prompt in PROMPTS.items():
        gen = law(drawn, prompt)
        for k, M in enumerate((1, 2, 4)):
            expected = oracle.reply_law(gen, ref, own, M)
            distance = sum(abs(expected[y] - best[y]) for y in best) / 2
            kl = math.fsum(float(p) * math.log(p / best[y]) for y, p in expected.items() if p)
            logs = math.fsum(float(p) * math.log(best[y]) for y, p in expected.items())
            course = found[generator]
            assert course.total_variation[k] == pytest.approx(float(distance), abs=1e-9)
            assert course.kl[k] == pytest.approx(kl, abs=1e-9)
            assert course.log_probs[k] == pytest.approx(logs, abs=1e-9)
        assert found[generator].limit_total_variation == pytest.approx(0, abs=1e-9)


def test_what_top_p_leaves_out_stays_out_however_many_candidates() -> None:
    models = Models(toy(), DecodedModel(toy(), top_p=0.95))
    found = reply_laws(INSTANCE, models, (1, 10, 100))
    assert found is not None
    course = found["reference"]
    best = oracle.optimum(law(toy(), INSTANCE.query), own_laws(toy()))
    kept = set(models.draws.law(INSTANCE.query))  # type: ignore[attr-defined]
    missing = float(sum(p for y, p in best.items() if y not in kept))
    assert missing > 0.1
    assert course.limit_total_variation == pytest.approx(missing, abs=1e-9)
    assert (course.total_variation >= missing - 1e-9).all()
    assert course.total_variation[-1] == pytest.approx(missing, abs=0.02)


def test_runs_scatter_about_the_exact_law() -> None:
    models, logs = Models(toy(), toy()), []
    best = optimum(INSTANCE, toy())
    for seed in range(60):
        record = run_instance(
            INSTANCE, models, 4, rng=np.random.default_rng([9, seed]), optimal=best
        )
        logs.append([record.courses[g].log_probs[-1] for g in GENERATORS])
    exact = reply_laws(INSTANCE, models, (4,))
    assert exact is not None
    means, errors = np.mean(logs, axis=0), np.std(logs, axis=0) / np.sqrt(len(logs))
    expected = [exact[g].log_probs[0] for g in GENERATORS]
    assert (np.abs(means - expected) < 4.5 * errors).all()


# --- explicit models


@pytest.mark.parametrize("kind", list(EXPLICIT))
def test_explicit_models_mention_whom_they_are_told_of(kind: str) -> None:
    chosen = instances()[:1]
    model = explicit_model(kind, chosen)
    rng = np.random.default_rng(0)
    query, (a, b) = chosen[0].query, chosen[0].advertisers
    shares = {}
    for name, prompt in (
        ("neither", query),
        ("a", advertising_prompt(query, a)),
        ("both", context_prompt(query, [a, b])),
    ):
        replies = model.sample(prompt, 400, rng).replies
        shares[name] = [sum(mentions(y, one.name) for y in replies) / 400 for one in (a, b)]
    assert max(shares["neither"]) < 0.1
    assert shares["a"][0] > 0.2 > shares["a"][1]
    assert min(shares["both"]) > 0.2
    record = run_instance(chosen[0], Models(model, model), 3, rng=rng)
    assert record.normalised
    assert chosen[0].query in str(record)


def test_models_are_found_by_the_question() -> None:
    model = explicit_model("table", instances()[:2])
    other = instances()[7].query
    with pytest.raises(UnknownNameError, match="question that has no model"):
        model.law(other)
    with pytest.raises(UnknownNameError, match="kind is unknown"):
        explicit_model("gpt", instances()[:1])
    with pytest.raises(InvalidInputError, match="share a question"):
        explicit_model("table", [instances()[0]] * 2)
    wrong: Any = {"?": Unlisted()}
    with pytest.raises(InvalidInputError, match="has no laws"):
        ByQuestion(wrong)
    with pytest.raises(InvalidInputError, match="are no models"):
        ByQuestion({})


# --- what models do wrong


class Odd(Unlisted):
    """Scores everything with one number."""

    def __init__(self, score: float) -> None:
        super().__init__()
        self.score = score

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Any:
        return np.full(len(replies), self.score)


@pytest.mark.parametrize("score", [math.nan, 0.5, math.inf, -math.inf])
def test_nonsense_is_named(score: float) -> None:
    odd = Odd(score)
    with pytest.raises(LanguageModelError, match=r"^Odd "):
        run_instance(INSTANCE, Models(odd, toy()), 3, rng=np.random.default_rng(0))


def test_a_reply_that_an_advertiser_never_gives_is_named() -> None:
    table = rows(INSTANCE, 90)
    prompt = advertising_prompt(INSTANCE.query, INSTANCE.advertisers[1])
    table[prompt] = {**table[prompt], "Take your time.": 0}
    model = Unlisted()
    model.model = TableModel(table)
    with pytest.raises(LanguageModelError, match=r"never gives 'Take your time\.'.*finite"):
        run_instance(INSTANCE, Models(model, model), 9, rng=np.random.default_rng(0))


def test_a_reply_that_the_reference_never_gives_is_named() -> None:
    table = rows(INSTANCE, 90)
    table[INSTANCE.query] = {**table[INSTANCE.query], "Ask a friend.": 0}
    for prompt in (advertising_prompt(INSTANCE.query, one) for one in INSTANCE.advertisers):
        table[prompt] = {**table[prompt], "Ask a friend.": 0}
    models = Models(TableModel(table), toy())
    with pytest.raises(LanguageModelError, match="never does as the reference"):
        reply_laws(INSTANCE, models, (1, 2))


@pytest.mark.parametrize("tau", [0.0, -1.0, math.nan, math.inf])
def test_no_tau_is_refused(tau: float) -> None:
    with pytest.raises(InvalidInputError, match="tau"):
        run_instance(INSTANCE, Models(toy(), toy()), 3, rng=np.random.default_rng(0), tau=tau)


def test_what_is_no_model_is_refused() -> None:
    wrong: Any = "llama"
    with pytest.raises(InvalidInputError, match="draws is no language model"):
        inspect.unwrap(Models.__post_init__)(replace_unchecked(wrong))


def replace_unchecked(draws: Any) -> Models:
    models = object.__new__(Models)
    object.__setattr__(models, "speaks", toy())
    object.__setattr__(models, "draws", draws)
    return models


def test_sizes_rise_to_the_last() -> None:
    for most in range(1, 300):
        sizes = sizes_up_to(most)
        assert sizes[: min(most, 20)] == tuple(range(1, min(most, 20) + 1))
        assert sizes[-1] == most
        assert all(a < b for a, b in pairwise(sizes))
    assert len(sizes_up_to(20_480)) == 20 + 100


def test_names_are_whole_words() -> None:
    assert mentions("ASK Panmere!", "panmere")
    assert mentions("(Panmere)", "Panmere")
    assert mentions("xPanmere, Panmere", "Panmere")
    assert not mentions("Panmeres", "Panmere")
    assert not mentions("", "Panmere")
    assert mentions("The Pan & Co. way", "Pan & Co.")


def test_a_record_says_what_was_returned() -> None:
    record = run_instance(INSTANCE, Models(toy(), toy()), 2, rng=np.random.default_rng(0))
    assert "context-aware, 2 candidates: " in str(record)
    assert isinstance(replace(record, normalised=False), InstanceResult)
    assert isinstance(Wrong(), Unlisted)
