"""A language model behind a server: its scores are those of the law that it draws from."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import exp, fsum, inf, log
from typing import Any

import numpy as np
import pytest
from fake_server import Asked, FakeServer, completed, refuses
from hypothesis import given, settings
from hypothesis import strategies as st
from protocol_cases import check_embedder, check_language_model
from scipy.stats import chi2
from tiny_law import END, MERGED, PLAIN, TinyLaw

from llm_adapters.errors import (
    BudgetSpentError,
    CallError,
    MissingCapabilityError,
    TransientError,
)
from llm_adapters.openai_api import Endpoint, OpenAIEmbedder, OpenAIModel
from llm_adapters.session import Budget, Retries, Session
from mechanisms.language_models import checked_log_prob, checked_sample
from theory.errors import InvalidInputError, MechproofError

PATH = "/completions"
MOST = 3
FALSE_ALARM = 1e-9
Behaviour = Callable[[Asked], Any]


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


@pytest.fixture
def endpoint(server: FakeServer) -> Iterator[Endpoint]:
    with Endpoint(server.url, "tiny") as running:
        yield running


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def model_of(endpoint: Endpoint, **settings: Any) -> OpenAIModel:
    given: dict[str, Any] = {"end": END, "max_tokens": MOST, "template": "Q {}:".format}
    given["session"] = Session(retries=Retries(attempts=2, first=0.0))
    return OpenAIModel(endpoint, **(given | settings))


def chi_square(replies: tuple[str, ...], law: dict[str, Fraction]) -> float:
    """Return the probability of counts that fit as badly as these; the law is not estimated."""
    counts = Counter(replies)
    assert set(counts) <= set(law)
    total = sum(law.values())
    parts = []
    for reply, chance in law.items():
        expected = float(chance / total) * len(replies)
        assert expected > 5
        parts.append((counts[reply] - expected) ** 2 / expected)
    return float(chi2.sf(sum(parts), len(law) - 1))


# --- the law


def test_it_keeps_the_protocol(endpoint: Endpoint) -> None:
    check_language_model(model_of(endpoint), "ab", draws=100)


@pytest.mark.parametrize("prompt", ["x", "", "ab é", "<end>"])
def test_scores_are_those_of_the_law(endpoint: Endpoint, prompt: str) -> None:
    law = dict(PLAIN.texts(f"Q {prompt}:", MOST))
    found = model_of(endpoint).log_prob(prompt, list(law))
    exact = [log(chance) for chance in law.values()]
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12)
    assert abs(fsum(map(exp, found)) - 1) < 1e-12
    assert len(law) == 18  # counted by hand


def test_what_is_never_drawn_scores_minus_infinity(endpoint: Endpoint, server: FakeServer) -> None:
    never = ["aaaa", "éé", "z", f"a{END}", END, f"{END}a"]
    assert list(model_of(endpoint).log_prob("x", never)) == [-inf] * len(never)
    assert all(body["prompt"].count(END) == 1 for body in server.bodies(PATH))


def test_a_reply_may_follow_the_prompt_itself(endpoint: Endpoint) -> None:
    model = model_of(endpoint, template=None)
    found = model.log_prob("ab", ["a", ""])
    np.testing.assert_allclose(np.exp(found), [3 / 5 * 2 / 8, 1 / 5])
    with pytest.raises(CallError, match="no token before"):
        model.log_prob("", ["a"])


@pytest.mark.parametrize("seed", range(2))
def test_draws_come_as_often_as_their_scores_say(endpoint: Endpoint, seed: int) -> None:
    law = dict(PLAIN.texts("Q x:", 2))
    drawn = model_of(endpoint, max_tokens=2).sample("x", 1500, rng(seed))
    assert chi_square(drawn.replies, law) > FALSE_ALARM
    exact = [log(law[reply]) for reply in drawn.replies]
    np.testing.assert_allclose(drawn.log_probs, exact, rtol=0, atol=1e-12)


def test_the_test_of_draws_can_fail(endpoint: Endpoint) -> None:
    law = dict(PLAIN.texts("Q x:", 2))
    other = dict(PLAIN.texts("Q a:", 2)) | {"a": law["a"] * 2}
    drawn = model_of(endpoint, max_tokens=2).sample("x", 1500, rng())
    assert (
        chi_square(drawn.replies, other | {y: law[y] for y in law if y not in other}) < FALSE_ALARM
    )


def test_texts_drawn_as_other_tokens_are_drawn_again() -> None:
    with FakeServer(law=MERGED) as server, Endpoint(server.url, "tiny") as endpoint:
        model = model_of(endpoint, max_tokens=2)
        law = dict(MERGED.texts("Q x:", 2))
        kept = sum(law.values())
        assert 0.5 < kept < 1
        drawn = model.sample("x", 600, rng(1))
        assert chi_square(drawn.replies, law) > FALSE_ALARM
        scores = model.log_prob("x", list(law))
        np.testing.assert_allclose(scores, [log(p) for p in law.values()], rtol=0, atol=1e-12)
        np.testing.assert_allclose(fsum(np.exp(scores)), float(kept), rtol=1e-12)
        assert len([body for body in server.bodies(PATH) if "echo" not in body]) > 1


def test_a_text_may_end_replies() -> None:
    """Where replies stop at a full stop, a token that runs across it is drawn again."""
    law = TinyLaw({"": {"a": 3, "b": 2, ".": 2, ".b": 1}, "b": {"a": 1, ".": 1}})

    def stops(asked: Asked) -> Any:
        answer = completed(asked.body, law)
        if asked.body.get("echo"):
            return answer
        for choice in answer["choices"]:
            before, stop, _ = choice["text"].partition(".")
            choice |= {"text": before, "finish_reason": "stop" if stop else "length"}
            tokens = choice["logprobs"]["tokens"]
            number = next((i + 1 for i, token in enumerate(tokens) if "." in token), len(tokens))
            for name in ("tokens", "token_logprobs", "text_offset"):
                choice["logprobs"][name] = choice["logprobs"][name][:number]
        return answer

    with FakeServer(stops, law=law) as server, Endpoint(server.url, "tiny") as endpoint:
        model = model_of(endpoint, end=".", max_tokens=2)
        exact = {"": Fraction(2, 8), "a": Fraction(3, 8) * Fraction(2, 8), "b": Fraction(1, 4) / 2}
        exact |= {"aa": Fraction(9, 64), "ab": Fraction(6, 64), "ba": Fraction(1, 4) / 2}
        found = model.log_prob("x", list(exact))
        np.testing.assert_allclose(np.exp(found), [float(p) for p in exact.values()])
        drawn = model.sample("x", 2000, rng(2))
        assert chi_square(drawn.replies, exact) > FALSE_ALARM
        assert server.bodies(PATH)[-1]["prompt"].endswith(".")


@pytest.mark.parametrize(("prompt", "reply"), [("a", "ba"), ("xa", "b")])
def test_a_reply_that_begins_inside_a_token_has_no_score(prompt: str, reply: str) -> None:
    with FakeServer(law=MERGED) as server, Endpoint(server.url, "tiny") as endpoint:
        model = model_of(endpoint, template=None)
        with pytest.raises(MissingCapabilityError, match="the reply begins inside a token"):
            model.log_prob(prompt, [reply])
        drawn = model.sample(prompt, 60, rng())
        assert not any(one.startswith("b") for one in drawn.replies)


def test_a_reply_that_ends_inside_a_token_has_no_score() -> None:
    law = TinyLaw({"": {"a": 1, ".": 1, "a.": 1}})
    with (
        FakeServer(law=law) as server,
        Endpoint(server.url, "tiny") as endpoint,
        pytest.raises(MissingCapabilityError, match="the reply ends inside a token"),
    ):
        model_of(endpoint, end=".").log_prob("x", ["a"])


# --- what is sent


def test_what_is_sent(server: FakeServer, endpoint: Endpoint) -> None:
    model = model_of(endpoint, extra={"top_k": -1, "user": "me"})
    model.sample("x", 2, rng())
    draw, score = server.bodies(PATH)[0], server.bodies(PATH)[-1]
    assert 0 <= draw.pop("seed") < 2**31
    common = {"model": "tiny", "logprobs": 1, "temperature": 1.0, "top_p": 1.0}
    common |= {"top_k": -1, "user": "me"}
    assert draw == common | {"prompt": "Q x:", "max_tokens": MOST, "n": 2, "stop": [END]}
    assert score.pop("prompt").startswith("Q x:")
    assert score == common | {"max_tokens": 0, "echo": True}


def test_equal_replies_are_scored_once(server: FakeServer, endpoint: Endpoint) -> None:
    with Session() as session:
        model = model_of(endpoint, session=session, agent="baker")
        assert model.log_prob("x", ["a", "b", "a"])[0] == model.log_prob("x", ["a"])[0]
        assert session.usage["baker"].calls == 3


def test_one_request_for_all_draws(server: FakeServer, endpoint: Endpoint) -> None:
    model_of(endpoint).sample("x", 50, rng())
    assert [body["n"] for body in server.bodies(PATH) if "echo" not in body] == [50]


def ignores_n(asked: Asked) -> Any:
    return completed({**asked.body, "n": 1}, PLAIN)


def refuses_n(asked: Asked) -> Any:
    if "n" in asked.body:
        return refuses(400, "only one", param="n")
    return completed(asked.body, PLAIN)


@pytest.mark.parametrize(("behave", "first"), [(ignores_n, 5), (refuses_n, 6)])
def test_servers_without_n_are_asked_for_each_draw(
    server: FakeServer, endpoint: Endpoint, behave: Behaviour, first: int, tmp_path: Any
) -> None:
    server.behave = behave
    path = tmp_path / "run"
    with Session(record=path) as session:
        drawn = model_of(endpoint, session=session).sample("x", 5, rng(4))
    draws = [body for body in server.bodies(PATH) if "echo" not in body]
    assert len(draws) == first
    assert len({body["seed"] for body in draws}) == 5
    assert len(set(drawn.replies)) > 1
    nowhere = Endpoint("http://127.0.0.1:9", "tiny", known_as=server.url)
    with nowhere, Session(replay=path) as session:
        again = model_of(nowhere, session=session).sample("x", 5, rng(4))
    assert again.replies == drawn.replies
    assert (again.log_probs == drawn.log_probs).all()
    law = dict(PLAIN.texts("Q x:", 1))
    many = model_of(endpoint, max_tokens=1).sample("x", 100, rng(5))
    assert chi_square(many.replies, law) > FALSE_ALARM


def test_servers_that_must_generate_are_let(server: FakeServer, endpoint: Endpoint) -> None:
    def generates(asked: Asked) -> Any:
        if asked.body["max_tokens"] < 1:
            return refuses(400, "max_tokens must be at least 1, got 0")
        return None

    server.behave = generates
    model = model_of(endpoint)
    law = dict(PLAIN.texts("Q x:", MOST))
    found = model.log_prob("x", list(law))
    np.testing.assert_allclose(found, [log(p) for p in law.values()], rtol=0, atol=1e-12)


# --- servers that cannot, or speak of two laws


def changed(change: Callable[[dict[str, Any]], Any], *, echo: bool) -> Behaviour:
    """Return a behaviour that is the usual one but for a change to choices."""

    def behave(asked: Asked) -> Any:
        answer = completed(asked.body, PLAIN)
        if bool(asked.body.get("echo")) is echo:
            for choice in answer["choices"]:
                change(choice)
        return answer

    return behave


def sets(name: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda choice: choice.update({name: value})


def sets_logprobs(name: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda choice: choice["logprobs"].update({name: value})


def sets_last_of(name: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    def change(choice: dict[str, Any]) -> None:
        if choice["logprobs"][name]:
            choice["logprobs"][name][-1] = value

    return change


def sets_last(value: Any) -> Callable[[dict[str, Any]], Any]:
    return sets_last_of("token_logprobs", value)


LACKING = [
    (sets("logprobs", None), "no log-probabilities"),
    (lambda choice: choice.pop("logprobs"), "no log-probabilities"),
    (sets("logprobs", {"content": []}), "no log-probabilities"),
    (sets_logprobs("token_logprobs", None), "token_logprobs"),
    (sets_logprobs("text_offset", None), "text_offset"),
]
NONSENSE = [
    (sets_last(None), "null"),
    (sets_last(float("nan")), "nan"),
    (sets_last(0.5), "0.5"),
    (sets_last("-1"), "'-1'"),
    (sets_last(True), "True"),
    (sets_logprobs("tokens", ["a"] * 9), "9 tokens"),
    (sets_logprobs("token_logprobs", []), "0 log-probabilities"),
    (lambda choice: choice["logprobs"]["text_offset"].reverse(), "places"),
    (sets_last_of("text_offset", None), "places"),
    (sets_last_of("tokens", 7), "not text"),
]


@pytest.mark.parametrize("echo", [False, True], ids=["drawing", "scoring"])
@pytest.mark.parametrize(("change", "told"), LACKING + NONSENSE)
def test_log_probabilities_that_are_none(
    server: FakeServer, endpoint: Endpoint, change: Any, told: str, echo: bool
) -> None:
    server.behave = changed(change, echo=echo)
    model = model_of(endpoint)
    asks = (lambda: model.log_prob("x", ["ab"])) if echo else lambda: model.sample("x", 20, rng())
    with pytest.raises(CallError, match=told) as caught:
        asks()
    lacking = (change, told) in LACKING
    assert isinstance(caught.value, MissingCapabilityError) is lacking
    assert not isinstance(caught.value, TransientError)


def test_rounding_above_zero_is_zero(server: FakeServer, endpoint: Endpoint) -> None:
    server.behave = changed(
        lambda choice: choice["logprobs"].update(
            token_logprobs=[None] + [1e-7] * (len(choice["logprobs"]["tokens"]) - 1)
        ),
        echo=True,
    )
    assert list(model_of(endpoint).log_prob("x", ["ab"])) == [0.0]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda choice: choice.update(text=choice["text"][4:]), "echo"),
        (sets("text", ""), "echo"),
        (sets("text", None), "echo"),
        (
            lambda choice: choice["logprobs"].update(
                tokens=["▁" + token for token in choice["logprobs"]["tokens"]]
            ),
            "do not fit",
        ),
        (
            lambda choice: choice["logprobs"].update(
                text_offset=[2 * place for place in choice["logprobs"]["text_offset"]]
            ),
            "do not fit|inside",
        ),
    ],
)
def test_servers_that_cannot_score(
    server: FakeServer, endpoint: Endpoint, change: Any, told: str
) -> None:
    server.behave = changed(change, echo=True)
    with pytest.raises(MissingCapabilityError, match=told):
        model_of(endpoint).log_prob("x", ["ab"])


@pytest.mark.parametrize("name", ["echo", "logprobs", "stop", "seed", "temperature"])
def test_what_the_server_refuses_is_named(
    server: FakeServer, endpoint: Endpoint, name: str
) -> None:
    server.behave = lambda asked: refuses(400, "no", param=name)
    with pytest.raises(MissingCapabilityError, match=f"take {name} "):
        model_of(endpoint).sample("x", 2, rng())
    assert len(server.asked) == 1


def test_the_characters_of_a_torn_token(server: FakeServer, endpoint: Endpoint) -> None:
    """A character of two tokens, as servers write them: their places are one."""

    def torn(choice: dict[str, Any]) -> None:
        found = choice["logprobs"]
        for at in range(len(found["tokens"]) - 1, -1, -1):
            if found["tokens"][at] == "é":
                found["tokens"][at : at + 1] = ["bytes:\\xc3", "bytes:\\xa9"]
                found["text_offset"][at : at + 1] = [found["text_offset"][at]] * 2
                found["token_logprobs"][at : at + 1] = [found["token_logprobs"][at], 0.0]

    server.behave = changed(torn, echo=True)
    model = model_of(endpoint, max_tokens=4)
    found = model.log_prob("x", ["aé", "éb", "é"])
    server.behave = None
    again = model_of(endpoint, max_tokens=4).log_prob("x", ["aé", "éb", "é"])
    np.testing.assert_allclose(found, again)
    server.behave = changed(torn, echo=True)
    with pytest.raises(MissingCapabilityError, match="inside"):
        model_of(endpoint, template=lambda prompt: f"{prompt}é").log_prob("x", ["éa"])


@pytest.mark.parametrize(
    ("finish", "told"), [("content_filter", "content_filter"), (None, "None"), ("abort", "abort")]
)
def test_replies_that_end_for_other_reasons(
    server: FakeServer, endpoint: Endpoint, finish: Any, told: str
) -> None:
    server.behave = changed(sets("finish_reason", finish), echo=False)
    with pytest.raises(CallError, match=told):
        model_of(endpoint).sample("x", 2, rng())


def test_replies_cut_by_something_else(server: FakeServer, endpoint: Endpoint) -> None:
    server.behave = changed(sets("finish_reason", "length"), echo=False)
    with pytest.raises(CallError, match="cut a reply after"):
        model_of(endpoint, max_tokens=9).sample("x", 5, rng())


def test_more_replies_than_were_asked_for(server: FakeServer, endpoint: Endpoint) -> None:
    server.behave = lambda asked: completed({**asked.body, "n": 3}, PLAIN)
    with pytest.raises(CallError, match="3 choices when asked for 2"):
        model_of(endpoint).sample("x", 2, rng())


def test_replies_that_never_come_as_their_tokens(server: FakeServer, endpoint: Endpoint) -> None:
    server.behave = changed(lambda choice: choice.update(text=choice["text"] + "b"), echo=False)
    with pytest.raises(CallError, match="0 of 2 replies"):
        model_of(endpoint).sample("x", 2, rng())
    assert len(server.asked) < 100


def test_a_server_that_draws_from_another_law_than_it_scores(
    server: FakeServer, endpoint: Endpoint
) -> None:
    """Its log-probabilities, when it draws, are those after a temperature of 1/4."""
    cold = TinyLaw(
        {last: {name: w**4 for name, w in row.items()} for last, row in PLAIN.odds.items()}
    )

    def two_laws(asked: Asked) -> Any:
        return completed(asked.body, PLAIN if asked.body.get("echo") else cold)

    server.behave = two_laws
    with pytest.raises(CallError, match="when it draws it and"):
        model_of(endpoint, max_tokens=6).sample("x", 40, rng())


def test_a_server_that_always_gives_its_likeliest_reply(
    server: FakeServer, endpoint: Endpoint
) -> None:
    server.behave = lambda asked: completed(asked.body, PLAIN, greedy=True)
    with pytest.raises(CallError, match="drew one reply 40 times"):
        model_of(endpoint, max_tokens=6).sample("x", 40, rng())


def test_a_sure_reply_may_come_every_time() -> None:
    sure = TinyLaw({"": {"a": 1}, "a": {END: 1}})
    with FakeServer(law=sure) as server, Endpoint(server.url, "tiny") as endpoint:
        drawn = model_of(endpoint).sample("x", 40, rng())
    assert set(drawn.replies) == {"a"}
    assert not drawn.log_probs.any()


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": 0.7},
        {"temperature": 0},
        {"top_p": 0.9},
        {"extra": {"top_k": 20}},
        {"extra": {"min_p": 0.05}},
        {"extra": {"repetition_penalty": 1.1}},
        {"extra": {"presence_penalty": -1}},
        {"extra": {"logit_bias": {"5": -100}}},
        {"extra": {"response_format": {"type": "json_object"}}},
    ],
    ids=str,
)
def test_other_laws_are_refused_by_name(endpoint: Endpoint, settings: dict[str, Any]) -> None:
    name = next(iter(settings.get("extra", settings)))
    with pytest.raises(MissingCapabilityError, match=f"under {name}"):
        model_of(endpoint, **settings)


def test_what_turns_other_laws_off_is_taken(endpoint: Endpoint) -> None:
    off = {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0, "logit_bias": {}, "user": "x"}
    assert model_of(endpoint, temperature=1, top_p=1, extra=off)


# --- accounts, arguments


def test_the_budget_stops_before_it_is_exceeded(server: FakeServer, endpoint: Endpoint) -> None:
    with Session(budget=Budget(tokens=1000)) as session, pytest.raises(BudgetSpentError):
        model_of(endpoint, session=session, max_tokens=60).sample("x", 100, rng())
    assert server.asked == []


def test_failures_in_between_are_made_good(server: FakeServer, endpoint: Endpoint) -> None:
    plain = model_of(endpoint).sample("x", 4, rng())
    server.script(refuses(503, "busy"), refuses(429, "slow", code="rate"))
    with Session(retries=Retries(first=0.0)) as session:
        again = model_of(endpoint, session=session).sample("x", 4, rng())
        assert session.total.retries == 2
    assert again.replies == plain.replies


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("end", ""),
        ("end", None),
        ("end", 7),
        ("max_tokens", 0),
        ("max_tokens", True),
        ("template", "Q: {}"),
        ("tolerance", -1),
        ("tolerance", float("nan")),
        ("temperature", "1"),
        ("temperature", float("nan")),
        ("top_p", True),
        ("agent", ""),
        ("session", 7),
        ("extra", {"prompt": "x"}),
        ("extra", {"temperature": 1}),
        ("extra", {"n": 2}),
    ],
)
def test_wrong_arguments_are_refused(endpoint: Endpoint, name: str, value: Any) -> None:
    given = {"end": END, name: value}
    with pytest.raises(InvalidInputError):
        inspect.unwrap(OpenAIModel.__init__)(OpenAIModel.__new__(OpenAIModel), endpoint, **given)


def test_wrong_questions_cost_nothing(server: FakeServer, endpoint: Endpoint) -> None:
    model = model_of(endpoint)
    sample = inspect.unwrap(OpenAIModel.sample)
    for prompt, n, generator in (
        (None, 1, rng()),
        ("x", -1, rng()),
        ("x", True, rng()),
        ("x", 1.0, rng()),
        ("x", 10**9, rng()),
        ("x", 1, None),
    ):
        with pytest.raises(InvalidInputError):
            sample(model, prompt, n, generator)
    for replies in ("ab", [None], 7):
        with pytest.raises(InvalidInputError):
            inspect.unwrap(OpenAIModel.log_prob)(model, "x", replies)
    broken: Any = lambda prompt: None  # noqa: E731
    with pytest.raises(MechproofError):
        model_of(endpoint, template=broken).sample("x", 1, rng())
    assert len(model.sample("x", 0, rng())) == 0
    assert model.log_prob("x", []).shape == (0,)
    assert server.asked == []


# --- anything may come back

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tokens", "token_logprobs", "text_offset", "text", "index"]), inner
        )
    ),
    max_leaves=8,
)


@given(st.data())
@settings(max_examples=30)
def test_whatever_comes_back_is_an_answer_or_one_of_our_errors(data: st.DataObject) -> None:
    """One part of a right answer is replaced by something else."""

    def behave(asked: Asked) -> Any:
        answer: dict[str, Any] = json.loads(json.dumps(completed(asked.body, PLAIN)))
        if bool(asked.body.get("echo")) is echo:
            place: Any = answer
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
        return answer

    echo = data.draw(st.booleans())
    paths: list[list[Any]] = [["choices"], ["usage"], ["choices", 0]]
    paths += [["choices", 0, name] for name in ("text", "logprobs", "finish_reason", "index")]
    for name in ("tokens", "token_logprobs", "text_offset"):
        paths += [["choices", 0, "logprobs", name]]
    path = data.draw(st.sampled_from(paths))
    value = data.draw(JSON)
    _SHARED.behave = behave
    with Endpoint(_SHARED.url, "tiny") as endpoint:
        model = model_of(endpoint, session=Session(retries=Retries(attempts=2, first=0.0)))
        try:
            drawn = checked_sample(model, "x", 1, rng())
            scores = checked_log_prob(model, "x", ["ab"])
        except CallError:
            return
    law = dict(PLAIN.texts("Q x:", MOST))
    assert drawn.replies[0] in law
    if path[0] == "usage" or not echo:
        assert scores[0] == pytest.approx(log(law["ab"]))


@pytest.fixture(scope="module", autouse=True)
def _shared() -> Iterator[None]:
    global _SHARED
    with FakeServer() as _SHARED:
        yield


_SHARED: FakeServer


# --- embeddings


def embeds(asked: Asked) -> Any:
    """Give each text a vector of its letters, the last text first."""
    rows = [
        {"index": i, "embedding": [len(text), sum(map(ord, text)) % 97, 1]}
        for i, text in enumerate(asked.body["input"])
    ]
    return {"data": rows[::-1], "usage": {"prompt_tokens": 2}}


@pytest.mark.parametrize("batch", [1, 2, 64])
def test_embedders_keep_the_protocol(server: FakeServer, endpoint: Endpoint, batch: int) -> None:
    server.behave = embeds
    check_embedder(OpenAIEmbedder(endpoint, batch=batch))
    assert max(len(body["input"]) for body in server.bodies("/embeddings")) <= batch
    assert {body["encoding_format"] for body in server.bodies("/embeddings")} == {"float"}


ROW = {"index": 0, "embedding": [1.0, 2.0]}


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        [ROW],
        [ROW, ROW],
        [ROW, {"index": 1, "embedding": []}],
        [ROW, {"index": 1, "embedding": [1.0]}],
        [ROW, {"index": 1, "embedding": [1.0, None]}],
        [ROW, {"index": 1, "embedding": [1.0, float("nan")]}],
        [ROW, {"index": 1, "embedding": [1.0, float("inf")]}],
        [ROW, {"index": 1, "embedding": [1.0, True]}],
        [ROW, {"index": 1, "embedding": "AACAPw=="}],
        [ROW, {"index": 2, "embedding": [1.0, 2.0]}],
        [ROW, 7],
    ],
)
def test_vectors_that_are_none(server: FakeServer, endpoint: Endpoint, data: Any) -> None:
    server.script({"data": data})
    with pytest.raises(CallError):
        OpenAIEmbedder(endpoint).embed(["a", "b"])


def test_vectors_of_several_dimensions(server: FakeServer, endpoint: Endpoint) -> None:
    server.script({"data": [ROW]}, {"data": [{"index": 0, "embedding": [1.0]}]})
    with pytest.raises(CallError, match="several dimensions"):
        OpenAIEmbedder(endpoint, batch=1).embed(["a", "b"])


@pytest.mark.parametrize("texts", ["text", [None], 7])
def test_what_are_no_texts(server: FakeServer, endpoint: Endpoint, texts: Any) -> None:
    with pytest.raises(InvalidInputError):
        inspect.unwrap(OpenAIEmbedder.embed)(OpenAIEmbedder(endpoint), texts)
    assert server.asked == []
