"""A language model behind a server: its scores are those of the law that it draws from."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, fsum, inf, log
from typing import Any

import numpy as np
import pytest
from fake_server import Asked, FakeServer, completed, refuses
from openai_models import FALSE_ALARM, MOST, PATH, chi_square, model_of, rng
from protocol_cases import check_language_model
from tiny_law import END, MERGED, PLAIN, TinyLaw

from llm_adapters.errors import (
    CallError,
    MissingCapabilityError,
)
from llm_adapters.openai_api import Endpoint
from llm_adapters.session import Session

Behaviour = Callable[[Asked], Any]


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
