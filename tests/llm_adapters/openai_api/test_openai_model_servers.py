"""Servers that cannot score, or speak of two laws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fake_server import Asked, FakeServer, completed, refuses
from openai_models import model_of, rng
from tiny_law import END, PLAIN, TinyLaw

from llm_adapters.errors import (
    CallError,
    MissingCapabilityError,
    TransientError,
)
from llm_adapters.openai_api import Endpoint

Behaviour = Callable[[Asked], Any]


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
