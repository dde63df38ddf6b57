"""The local model over a table: the protocols, chat, vectors, copies, what is refused."""

from __future__ import annotations

import copy
import inspect
import sys
from math import inf, nan
from pathlib import Path
from types import ModuleType
from typing import Any

import local_toy as toy
import pytest
from jaxtyping import TypeCheckError
from local_toy import NEVER, SETTINGS, engine_of, fails, rng
from plain_decoding import plain_law
from protocol_cases import check_chat_model, check_embedder, check_language_model

from llm_adapters.errors import (
    MissingPackageError,
)
from llm_adapters.local import (
    Decoding,
    LocalChat,
    LocalEmbedder,
    LocalModel,
    Weights,
    _sequences,
    _weights,
)
from llm_adapters.local._sequences import score_sequences
from llm_adapters.session import Session
from mechanisms.protocols import Message
from theory.errors import InvalidInputError


@pytest.mark.parametrize("kind", ["model", "chat", "embedder"])
def test_the_protocols(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    weights = toy.toy_weights(monkeypatch)
    if kind == "model":
        for settings in SETTINGS:
            check_language_model(LocalModel(weights, max_tokens=3, **settings), "a\nb")
    elif kind == "chat":
        chat = LocalChat(weights, max_tokens=3, temperature=1.2)
        conversations = [[Message("user", "a")], [Message("system", "b"), Message("user", "a")]]
        check_chat_model(chat, conversations=conversations, schema=None, varied=True)
    else:
        check_embedder(LocalEmbedder(weights))


def test_a_greedy_chat_takes_the_greatest(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch)
    text, engine = weights.loaded.text, engine_of(weights.loaded)
    tokens = list(text.conversation([Message("user", "ab")]))
    said: list[int] = []
    while len(said) < 6:
        law = plain_law(engine.logits(tokens + said).tolist(), never=NEVER)
        said.append(max(law, key=lambda token: law[token]))
        if said[-1] == toy.END_ID:
            said.pop()
            break
    chat = LocalChat(weights, max_tokens=6)
    for seed in range(3):
        assert chat.chat([Message("user", "ab")], rng(seed)) == text.decode(said)
    assert chat.temperature == 0
    assert chat.for_agent("x").temperature == 0


def test_a_schema_is_put_into_the_last_message(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch, template="strict")
    monkeypatch.setattr(toy.ToyEngine, "context", None)
    messages = [Message("user", "ab")]
    LocalChat(weights, max_tokens=2).chat(messages, rng(), schema={"b": "ab"})
    spelled = weights.loaded.text.decode(engine_of(weights.loaded).begun[-1])
    assert spelled.endswith(f"a\nbab{toy.END}\n{toy.START}")  # all of it that the toy can read
    assert spelled.startswith(f"{toy.START}ab\n\n")
    assert messages == [Message("user", "ab")]
    for wrong in ({"b": object()}, {"b": {1, 2}}):
        with pytest.raises(InvalidInputError, match="schema"):
            LocalChat(weights, max_tokens=2).chat(messages, rng(), schema=wrong)


def test_chat_and_vectors_are_replayed_without_a_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run(session: Session, weights: Weights) -> Any:
        chat = LocalChat(weights, max_tokens=5, temperature=1.5, session=session, agent="one")
        embedder = LocalEmbedder(weights, session=session).for_agent("two")
        assert (chat.agent, embedder.agent) == ("one", "two")
        said = [chat.chat([Message("user", "a")], rng(seed)) for seed in range(6)]
        return said, embedder.embed(["ab", "", "b"]).tolist(), embedder.embed([]).shape

    with Session(record=tmp_path / "r") as session:
        before = run(session, toy.toy_weights(monkeypatch))
        assert {agent: used.calls for agent, used in session.usage.items()} == {"one": 6, "two": 2}
    assert len(set(before[0])) > 1
    assert before[1:] == ([[1, 4], [1, 0], [1, 3]], (0, 2))
    monkeypatch.setattr(_weights, "load", fails)
    with Session(replay=tmp_path / "r") as session:
        assert run(session, Weights("toy")) == before


def test_copies_share_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch)
    with Session() as session:
        faces: tuple[Any, ...] = (
            LocalModel(weights, session=session),
            LocalChat(weights, session=session),
            LocalEmbedder(weights, session=session),
        )
        for one in faces:
            twin: Any = copy.deepcopy([one, weights])
            assert twin[0].weights is twin[1] is weights
            assert twin[0].session is session


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        ("source", ["", None, 3, b"model"]),
        ("gguf_file", ["", 3]),
        ("name", ["", 3]),
        ("threads", [0, -1, 1.5, True, 10**6]),
        ("unpacked", ["", 3]),
        ("download", [1, "yes", None]),
        ("device", ["", None]),
    ],
)
def test_weights_of_the_wrong_kind(argument: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(InvalidInputError, match=argument):
            inspect.unwrap(Weights.__init__)(
                object.__new__(Weights), **{"source": "toy", argument: value}
            )


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        ("weights", [None, "toy.gguf"]),
        ("max_tokens", [0, -1, 2.0, True, None, 10**9]),
        ("temperature", [-1, nan, inf, "1", None, True]),
        ("top_p", [0, 1.5, nan, "1", True]),
        ("top_k", [-1, 0.5, True, "1"]),
        ("session", ["a record", 1]),
        ("agent", ["", None, 1]),
    ],
)
@pytest.mark.parametrize("kind", [LocalModel, LocalChat])
def test_faces_of_the_wrong_kind(kind: Any, argument: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises((InvalidInputError, TypeCheckError)) as caught:
            inspect.unwrap(kind.__init__)(
                object.__new__(kind), **{"weights": Weights("toy"), argument: value}
            )
        if isinstance(caught.value, InvalidInputError):
            assert caught.value.argument == argument


def test_a_language_model_at_temperature_0_is_refused_and_a_chat_is_not() -> None:
    with pytest.raises(InvalidInputError, match="LocalChat"):
        LocalModel(Weights("toy"), temperature=0)
    assert LocalChat(Weights("toy"), temperature=0.0).temperature == 0
    with pytest.raises(InvalidInputError, match="system"):
        inspect.unwrap(LocalModel.__init__)(
            object.__new__(LocalModel), weights=Weights("toy"), system=3
        )


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for package in ("torch", "transformers"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "torch", ModuleType("torch"))
            patch.setitem(sys.modules, package, None)
            with pytest.raises(MissingPackageError, match=rf"{package}: pip .*'torch>="):
                LocalModel(Weights(tmp_path / "toy.gguf")).log_prob("a", ["b"])


def test_names_tell_weights_apart() -> None:
    names = {
        "models/tiny.gguf": {},
        "models/tiny": {},
        "owner/tiny": {"gguf_file": "tiny.gguf"},
        "elsewhere": {"name": "tiny"},
    }
    for source, options in names.items():
        assert Weights(source, **options).name == "tiny"
    assert Weights("owner/tiny", gguf_file="tiny.Q4.gguf").name == "tiny.Q4"


def test_scoring_in_small_batches_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    made = toy.loaded()
    asked = [(toy.A,) * (i % 5) for i in range(70)]
    whole = score_sequences(made.engine, made.symbols, [toy.A], 5, Decoding(), sequences=asked)
    monkeypatch.setattr(_sequences, "_LOGITS_AT_ONCE", 30)
    small = score_sequences(made.engine, made.symbols, [toy.A], 5, Decoding(), sequences=asked)
    assert whole.tolist() == small.tolist()
