"""A language model behind a server: its accounts, its arguments, and whatever comes back."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from math import log
from typing import Any

import pytest
from fake_server import Asked, FakeServer, completed, refuses
from hypothesis import given, settings
from hypothesis import strategies as st
from openai_models import MOST, model_of, rng
from tiny_law import END, PLAIN

from llm_adapters.errors import (
    BudgetSpentError,
    CallError,
)
from llm_adapters.openai_api import Endpoint, OpenAIModel
from llm_adapters.session import Budget, Retries, Session
from mechanisms.language_models import checked_log_prob, checked_sample
from theory.errors import InvalidInputError, MechproofError


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


@pytest.fixture(scope="module")
def shared() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


@given(st.data())
@settings(max_examples=30)
def test_whatever_comes_back_is_an_answer_or_one_of_our_errors(
    shared: FakeServer, data: st.DataObject
) -> None:
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
    shared.behave = behave
    with Endpoint(shared.url, "tiny") as endpoint:
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
