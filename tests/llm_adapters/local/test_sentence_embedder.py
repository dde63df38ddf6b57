"""Sentence vectors without a model: pooling, records, and folders that hold none."""

from __future__ import annotations

import hashlib
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from protocol_cases import check_embedder

from llm_adapters.errors import CallError, MissingPackageError
from llm_adapters.local import SentenceEmbedder, _sentence_embedder
from llm_adapters.session import Session
from mechanisms.market import Embedded, Passage, Rewritten
from theory.errors import InvalidInputError


class ToyTokenizer:
    """Tokens of a text are the lengths of its words, between two marks."""

    def __call__(self, text: str, *, truncation: bool, max_length: int) -> dict[str, list[int]]:
        assert truncation
        words = [len(word) for word in text.split()]
        return {"input_ids": [0, *words[: max_length - 2], 1]}


class ToyEngine:
    """The state of a token is (its number, 3)."""

    def means(self, texts: list[list[int]]) -> Any:
        return np.array([[np.mean(tokens), 3.0] for tokens in texts]).reshape(len(texts), 2)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> SentenceEmbedder:
    loaded = SimpleNamespace(tokenizer=ToyTokenizer(), engine=ToyEngine())
    monkeypatch.setattr(_sentence_embedder._SentenceModel, "loaded", loaded)
    return SentenceEmbedder("toy", longest=4)


def test_vectors_are_means_over_tokens_of_length_one(embedder: SentenceEmbedder) -> None:
    check_embedder(embedder)
    vectors = embedder.embed(["four", "", "four four four four"])
    for tokens, vector in zip([[0, 4, 1], [0, 1], [0, 4, 4, 1]], vectors, strict=True):
        wanted = np.array([np.mean(tokens), 3.0])
        assert vector == pytest.approx(wanted / np.linalg.norm(wanted))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert deepcopy(embedder) is embedder
    assert embedder.for_agent("Ann").embed(["four"]).tolist() == vectors[:1].tolist()


def test_a_market_is_replayed_without_the_model(
    embedder: SentenceEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = (Passage("1", "A", 1, "aa", "bb"), Passage("2", "A", 1, "aaaaaaa", "b"))

    def ranked(given: SentenceEmbedder) -> Any:
        return Rewritten(Embedded(given, above=0), str.upper).rank("aaaaaa", shelf)

    with Session(record=tmp_path / "r") as session:
        known = ranked(SentenceEmbedder("toy", longest=4, session=session))
        assert session.total.calls == 2
    monkeypatch.setattr(_sentence_embedder._SentenceModel, "loaded", None)
    with Session(replay=tmp_path / "r") as session:
        assert ranked(SentenceEmbedder("nowhere/toy", longest=4, session=session)) == known
    assert [place for place, _ in known] == [1, 0]


def test_a_file_with_another_hash_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    right = {name: hashlib.sha256(name.encode()).hexdigest() for name in "abc"}
    for wrong, said in [
        ({"a": right["a"], "b": right["a"]}, f"/b has the hash {right['b']}, not {right['a']}"),
        ({"a": right["b"], "b": right["b"]}, f"/a has the hash {right['a']}, not {right['b']}"),
        ({"a": right["a"], "c": right["c"]}, "/c cannot be read"),
    ]:
        with pytest.raises(CallError, match=said):
            SentenceEmbedder(tmp_path, sha256=wrong).embed(["x"])


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    said = "does not load|there is no package .* pip install"
    with pytest.raises((CallError, MissingPackageError), match=said):
        SentenceEmbedder(tmp_path).embed(["x"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"folder": ""}, "folder is not a path"),
        ({"folder": "a", "name": ""}, "name is empty"),
        ({"folder": "a", "longest": 2}, "longest is not a count"),
        ({"folder": "a", "threads": 0}, "threads is not a count"),
        ({"folder": "a", "agent": ""}, "agent is no name"),
    ],
)
def test_arguments_that_are_none_are_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        SentenceEmbedder(**arguments)
