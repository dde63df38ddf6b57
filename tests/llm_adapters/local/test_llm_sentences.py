"""The real model of sentences: its published numbers, meanings, and what retrieval makes of it."""

from __future__ import annotations

import socket
from typing import Any

import numpy as np
import pytest
from local_language_model import absent

from llm_adapters.errors import MissingPackageError
from llm_adapters.local import SentenceEmbedder
from mechanisms.market import BM25, Cascade, Embedded, fixed_corpus
from mechproof.local_model import MINILM, LocalModelError, sentence_embedder, state

pytestmark = pytest.mark.llm

PUBLISHED = (0.0676569, 0.0634959, 0.0487131, 0.0793050, 0.0374480)
"""The first of the vector that the makers of the model show for "This is an example sentence"."""


@pytest.fixture(scope="module")
def embedder() -> SentenceEmbedder:
    try:
        made = sentence_embedder()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(socket.socket, "connect", _refused)
            patch.setattr(socket, "getaddrinfo", _refused)
            made.embed(["x"])
    except (LocalModelError, MissingPackageError) as error:
        return absent(str(error))
    found: SentenceEmbedder = made
    return found


def _refused(*_: Any, **__: Any) -> Any:
    raise AssertionError("loading the model asks the network")


def test_the_vector_is_the_published_one(embedder: SentenceEmbedder) -> None:
    [vector] = embedder.embed(["This is an example sentence"])
    assert vector[:5] == pytest.approx(PUBLISHED, abs=2e-6)
    assert (len(vector), np.linalg.norm(vector)) == (384, pytest.approx(1))
    assert state(model=MINILM).whole


def test_a_text_has_its_vector_whatever_stands_beside_it(embedder: SentenceEmbedder) -> None:
    texts = ["Ilm", "Ida Ro is mayor of Ilm. " * 30, "", "leeks " * 400]
    together = embedder.embed(texts)
    for text, vector in zip(texts, together, strict=True):
        assert embedder.embed([text])[0] == pytest.approx(vector, abs=1e-5)
    assert embedder.embed(["leeks " * 300])[0] == pytest.approx(together[3], abs=1e-5)  # cut


def test_like_meanings_are_near(embedder: SentenceEmbedder) -> None:
    asked, said, other = embedder.embed(
        ["Who leads the town of Ilm?", "Ida Ro is mayor of Ilm.", "Leeks boil for ten minutes."]
    )
    assert asked @ said > 0.5
    assert asked @ other < 0.2


def test_questions_of_the_fixed_corpus_find_their_passages(embedder: SentenceEmbedder) -> None:
    corpus = fixed_corpus()
    stages = Cascade([BM25(corpus.passages, above=0.5), Embedded(embedder, above=0.4)])
    for question in corpus.questions[:10]:
        found = stages.rank(str(question), corpus.passages)
        needed = corpus.needs(question)[0]
        assert any(needed in corpus.passages[place].states for place, _ in found)
