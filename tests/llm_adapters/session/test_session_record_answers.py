"""Whole lines of a record whose answers make no sense: an error, never a law that no model has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import local_toy as toy
import numpy as np
import pytest
from fake_server import FakeServer
from language_model_cases import ASKED, table
from session_runs import lines, openings, recorded
from tiny_law import END

from llm_adapters.errors import CallError, MissingAnswerError, RecordError, UnreadableError
from llm_adapters.fakes import HashEmbedder, RuleChat
from llm_adapters.local import LocalChat, LocalEmbedder, LocalModel, Weights
from llm_adapters.openai_api import Endpoint, OpenAIChat, OpenAIEmbedder, OpenAIModel
from llm_adapters.session import (
    Answer,
    RecordedChat,
    RecordedEmbedder,
    RecordedModel,
    Session,
)
from llm_adapters.session._lines import read_line
from llm_adapters.structured import checked_chat, checked_embed
from mechanisms.language_models import checked_log_prob, checked_sample
from mechanisms.protocols import Message

FOUR = ["sample", "score", "chat", "embed"]
Use = Callable[[Session], object]


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def drawn(model: Any, prompt: str = ASKED, n: int = 3) -> object:
    return checked_sample(model, prompt, n, rng())


def scored(model: Any, prompt: str = ASKED, reply: str = "Now.") -> object:
    return checked_log_prob(model, prompt, [reply, ""])


def said(chat: Any) -> object:
    try:
        return checked_chat(chat, [Message("user", "a")], rng())
    except UnreadableError as error:  # of a text that was cut, for example
        return error


def embedded(embedder: Any, n: int = 2) -> object:
    return checked_embed(embedder, ["a", "b"][:n])


def recorded_uses() -> dict[str, Use]:
    chat = RuleChat(lambda messages, schema: "Yes.")
    return {
        "sample": lambda s: drawn(RecordedModel(table(), s, name="m")),
        "no sample": lambda s: drawn(RecordedModel(table(), s, name="m"), n=0),
        "score": lambda s: scored(RecordedModel(table(), s, name="m")),
        "chat": lambda s: said(RecordedChat(chat, s, name="m")),
        "embed": lambda s: embedded(RecordedEmbedder(HashEmbedder(3), s, name="m")),
        "embed nothing": lambda s: embedded(RecordedEmbedder(HashEmbedder(3), s, name="m"), n=0),
    }


def openai_uses(url: str) -> dict[str, Use]:
    def model(session: Session) -> OpenAIModel:
        return OpenAIModel(
            Endpoint(url, known_as="s"),
            end=END,
            max_tokens=3,
            template="Q {}:".format,
            session=session,
        )

    end = Endpoint(url, "tiny", known_as="s")
    return {
        "sample": lambda s: drawn(model(s), "a", 2),
        "score": lambda s: scored(model(s), "a", "b"),
        "chat": lambda s: said(OpenAIChat(end, session=s)),
        "embed": lambda s: embedded(OpenAIEmbedder(end, session=s)),
    }


def local_uses(weights: Weights) -> dict[str, Use]:
    return {
        "sample": lambda s: drawn(LocalModel(weights, max_tokens=3, session=s), "a"),
        "score": lambda s: scored(LocalModel(weights, max_tokens=3, session=s), "a", "b"),
        "chat": lambda s: said(LocalChat(weights, max_tokens=3, session=s)),
        "embed": lambda s: embedded(LocalEmbedder(weights, session=s)),
    }


ODD: tuple[Any, ...] = (
    *(None, True, 7, -1, 0.5, float("inf"), -float("inf"), -(10**400), 10**30, "", "x", "-1"),
    *([], [None], ["x"], [0.5], [-1.0], [-1.0] * 9, [[]], [[1.0]], {}, {"x": 1}, [{}]),
)


def odd(data: Any) -> Iterator[Any]:
    """Yield JSON with one thing wrong: something else in any place, too much or too little."""
    yield from ODD
    if isinstance(data, dict):
        for name, item in data.items():
            yield {key: other for key, other in data.items() if key != name}
            for other in odd(item):
                yield data | {name: other}
    if isinstance(data, list):
        for place in {0, len(data) - 1} if data else ():
            item = data[place]
            yield data[:place] + data[place + 1 :]
            yield data[: place + 1] + data[place:]
            for other in odd(item):
                yield [*data[:place], other, *data[place + 1 :]]


def forge(path: Path, place: int, body: Any) -> bytes:
    """Return the file with another answer in a line, which is whole."""
    old = lines(path)
    entry = read_line(old[place].rstrip(b"\n"))
    assert entry is not None
    assert isinstance(entry.outcome, Answer)
    new = replace(entry, outcome=replace(entry.outcome, body=body)).line() + b"\n"
    return b"".join([*old[:place], new, *old[place + 1 :]])


def check(path: Path, use: Use) -> None:
    """Replay with every odd answer: it is refused by its line, or what is said makes sense."""
    with Session(record=path) as session:
        use(session)
    forged = path.with_suffix(".forged")
    for place in range(1, len(lines(path))):
        told: list[str] = []
        whole = json.loads(lines(path)[place])["answer"]
        for body in odd(whole):
            if not isinstance(body, dict) or body == whole:
                continue
            forged.write_bytes(forge(path, place, body))
            with Session(replay=forged) as session:
                try:
                    use(session)
                except RecordError as error:
                    told.append(str(error))
                except (MissingAnswerError, CallError):
                    pass  # another text is asked about, or the server draws from another law
        assert len(told) > 5
        assert all(f"line {place + 1} of {forged} does not answer" in one for one in told)


@pytest.mark.parametrize("name", recorded_uses())
def test_odd_answers_to_any_model_are_refused(tmp_path: Path, name: str) -> None:
    check(tmp_path / "record", recorded_uses()[name])


@pytest.mark.parametrize("name", FOUR)
def test_odd_answers_of_a_server_are_refused(server: FakeServer, tmp_path: Path, name: str) -> None:
    check(tmp_path / "record", openai_uses(server.url)[name])


@pytest.mark.parametrize("name", FOUR)
def test_odd_answers_of_a_local_model_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    check(tmp_path / "record", local_uses(toy.toy_weights(monkeypatch))[name])


@pytest.mark.parametrize(
    "tokens", [(toy.VOCABULARY,), (2**31 - 1,), (toy.B,), (toy.A, toy.END_ID), (toy.START_ID,)]
)
def test_tokens_that_do_not_spell_a_reply_are_not_scored_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tokens: tuple[int, ...]
) -> None:
    path = tmp_path / "record"
    weights = toy.toy_weights(monkeypatch, toy.table_of(A=9, B=8))
    right = LocalModel(weights, max_tokens=1).log_prob("c", ["b", "a"])
    with Session(record=path) as session:
        LocalModel(weights, max_tokens=1, session=session).sample("a", 1, rng())
    body = {"replies": ["a"], "log_probs": [-1.0], "tokens": [list(tokens)]}
    path.write_bytes(forge(path, 1, body))
    with Session(record=path) as session:
        weights = toy.toy_weights(monkeypatch, toy.table_of(A=9, B=8))
        model = LocalModel(weights, max_tokens=1, session=session)
        assert model.sample("a", 1, rng()).replies == ("a",)
        np.testing.assert_array_equal(model.log_prob("c", ["b", "a"]), right)


@pytest.mark.parametrize(
    ("method", "body", "told"),
    [
        ("score", {"log_probs": [-1.0, 7.0]}, "small gives '' the log-probability 7.0"),
        ("score", {"log_probs": [-1.0]}, r"log-probabilities of shape \(1,\) for 2 replies"),
        ("sample", {"replies": ["a"] * 3, "log_probs": [-1.0, -1.0, 5.0]}, "log-probability 5.0"),
        ("sample", {"replies": "abc", "log_probs": [-1.0] * 3}, "got `str`"),
        ("sample", {"replies": ["a"] * 3, "log_probs": [-1.0, -1.0, None]}, "got `null`"),
        ("sample", {"replies": ["a"] * 3, "log_probs": [-1.0, -1.0, float("-inf")]}, "drew 'a'"),
        ("sample", {"replies": ["a"] * 2, "log_probs": [-1.0] * 2}, "gave 2 replies when asked"),
    ],
)
@pytest.mark.parametrize("way", [0, 1], ids=["record", "replay"])
def test_an_odd_answer_is_told_by_its_line_and_costs_nothing(
    tmp_path: Path, method: str, body: Any, told: str, way: int
) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        model = RecordedModel(table(), session, name="small")
        drawn(model)
        scored(model)
    place = {"sample": 1, "score": 2}[method]
    path.write_bytes(forge(path, place, body))
    before = path.read_bytes()
    use: Callable[[Any], object] = drawn if method == "sample" else scored
    with openings(path)[way]() as session:
        for _ in range(2):
            with pytest.raises(RecordError, match=f"line {place + 1} of .*{told}.*: take the line"):
                use(RecordedModel(table(), session, name="small"))
            assert session.total.calls == 0
            assert isinstance(session.failure, RecordError)
    assert path.read_bytes() == before


def test_an_odd_answer_among_several_is_found_before_any_call(tmp_path: Path) -> None:
    path = tmp_path / "record"
    service = recorded(path, 3, concurrency=1)
    path.write_bytes(forge(path, 3, {"text": 5}))
    asked = len(service.asked)
    calls = [replace(service.call(i), read=lambda body: body["text"].lower()) for i in range(4)]
    with Session(record=path) as session:
        with pytest.raises(RecordError, match=r"line 4 of .* \(AttributeError: 'int' object"):
            session.call_many(calls)
        assert len(service.asked) == asked
        [answer] = session.call_many(calls[:1])
    assert answer.body["text"] == "answer 0"
