"""Retrieval: BM25 by its definition, vectors, fusion, and rankings that are none."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_adapters.fakes import HashEmbedder
from mechanisms.errors import ParticipantError
from mechanisms.market import (
    BM25,
    Embedded,
    Fused,
    KeywordBuyer,
    Market,
    Passage,
    Vendor,
    answer_question,
    facts_corpus,
    read_ranking,
)
from theory.errors import InvalidInputError


def passage(name: str, text: str, title: str = "") -> Passage:
    return Passage(name, "A", 1, title, text)


def defined(
    query: str, texts: list[str], market: list[str], k1: float = 1.5, b: float = 0.75
) -> Any:
    """BM25 as its formula says, word by word; document frequencies are those of the market."""
    words = [re.findall(r"\w+", text.lower()) for text in texts]
    all_words = [re.findall(r"\w+", text.lower()) for text in market]
    mean = sum(map(len, all_words)) / len(all_words)
    scores = []
    for document in words:
        score = 0.0
        for word in {*re.findall(r"\w+", query.lower())}:
            n = sum(word in each for each in all_words)
            f = document.count(word)
            idf = math.log(1 + (len(all_words) - n + 0.5) / (n + 0.5))
            score += idf * f * (k1 + 1) / (f + k1 * (1 - b + b * len(document) / mean))
        scores.append(score)
    return scores


WORDS = st.lists(
    st.sampled_from(["ilm", "gol", "raun", "lies", "on", "the"]), min_size=1, max_size=8
).map(" ".join)


@given(st.lists(WORDS, min_size=1, max_size=6), WORDS)
def test_scores_are_those_of_the_formula(texts: list[str], query: str) -> None:
    passages = tuple(passage(str(k), text) for k, text in enumerate(texts))
    half = passages[: max(1, len(passages) // 2)]
    for sold, market in ((passages, None), (half, passages)):
        ranked = dict(BM25(market, top=99).rank(query, sold))
        known = [each.text for each in market or sold]
        wanted = defined(query, [each.text for each in sold], known)
        assert ranked.keys() == {k for k, score in enumerate(wanted) if score > 0}
        for k, score in ranked.items():
            assert score == pytest.approx(wanted[k], rel=1e-12)
        order = sorted(ranked, key=lambda k: (-ranked[k], k))
        assert [*ranked] == order


def test_a_lone_vendor_of_the_passage_is_quoted() -> None:
    """With Okapi's idf a vendor of one or two passages never sells (spec, fault 2)."""
    for count in (1, 2):
        own = tuple(passage(str(k), "the mayor of Ilm is Ida") for k in range(count))
        ranked = BM25().rank("mayor of Ilm", own)
        assert [place for place, _ in ranked] == [*range(count)]
        assert all(score > 0 for _, score in ranked)
    # log((N - n + 1/2) / (n + 1/2)) of a word in 1 of 1 passages is below 0, and 0 in 1 of 2
    assert Fraction(1, 2) / Fraction(3, 2) < 1
    assert Fraction(3, 2) / Fraction(3, 2) == 1


def test_thresholds_and_limits_hold() -> None:
    own = tuple(passage(str(k), "ilm " * (k + 1) + "gol") for k in range(5))
    every = BM25().rank("ilm", own)
    assert len(every) == 5
    assert BM25(top=2).rank("ilm", own) == every[:2]
    cut = every[2][1]
    assert BM25(above=cut).rank("ilm", own) == every[:2]
    assert BM25().rank("nothing here", own) == []
    assert BM25().rank("ilm", ()) == []
    assert BM25().rank("", own) == []


def test_what_is_kept_of_passages_is_of_these_passages_alone() -> None:
    retrieval = BM25()
    first, second = (passage("1", "ilm"),), (passage("1", "gol"),)
    assert [retrieval.rank("ilm", each) != [] for each in (first, second, first)] == [
        True,
        False,
        True,
    ]
    for query in ("ilm", "gol", "ilm"):
        assert [retrieval.rank(query, each) != [] for each in (first, second)] == [
            query == "ilm",
            query == "gol",
        ]
    changing = [passage("1", "ilm")]
    assert retrieval.rank("gol", changing) == []
    changing[0] = passage("1", "gol")
    assert retrieval.rank("gol", changing) != []


def test_vectors_rank_by_their_cosines() -> None:
    own = (passage("1", "tea and milk"), passage("2", "sleep"), passage("3", "tea"))
    embedder = HashEmbedder(4096)
    a, *others = embedder.embed(["tea", *(f"{each.title}\n{each.text}" for each in own)])
    wanted = {k: float(np.dot(a, b)) for k, b in enumerate(others)}
    ranked = Embedded(embedder, above=0.1).rank("tea", own)
    assert [place for place, _ in ranked] == [2, 0]
    for place, score in ranked:
        assert score == pytest.approx(wanted[place], abs=1e-9)
    assert Embedded(embedder, above=0.1, top=1).rank("tea", own) == ranked[:1]
    assert Embedded(embedder).rank("tea", own) == ranked[:1]  # above 0.8


def test_vectors_that_point_the_other_way_score_nothing() -> None:
    class Given:
        def embed(self, texts: Sequence[str]) -> Any:
            return np.array([[1.0, 0.0] if text == "?" else [-1.0, 0.0] for text in texts])

    assert Embedded(Given(), above=-1).rank("?", (passage("1", "x"), passage("2", "y"))) == [
        (0, 0.0),
        (1, 0.0),
    ]


VECTORS = {
    "a text has no vector": lambda count: np.ones((count - 1, 2)) if count > 1 else np.ones((1, 2)),
    "a text has two": lambda count: np.ones((count + 1, 2)),
    "the last is no number": lambda count: np.array([[1.0, 2]] * (count - 1) + [[1, np.nan]]),
    "the last is infinite": lambda count: np.array([[1.0, 2]] * (count - 1) + [[1, np.inf]]),
    "numbers alone": np.ones,
}


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_that_are_none_are_refused(name: str) -> None:
    class Nonsense:
        def embed(self, texts: Any) -> Any:
            return VECTORS[name](len(texts))

    with pytest.raises(InvalidInputError, match=r"are no \d vectors of finite"):
        Embedded(Nonsense()).rank("tea", (passage("1", "tea"), passage("2", "milk")))


class Listed:
    """Anybody's retrieval: it says what it is told to."""

    def __init__(self, ranking: Any) -> None:
        self.ranking = ranking

    def rank(self, query: str, passages: Any) -> Any:
        return self.ranking


def test_fusion_adds_the_reciprocals_of_ranks() -> None:
    own = tuple(passage(str(k), "x") for k in range(3))
    first, second = Listed([(0, 9.0), (1, 8.0)]), Listed([(1, 0.1)])
    ranked = dict(Fused([first, second]).rank("?", own))
    assert ranked == {
        0: pytest.approx(1 / 61),
        1: pytest.approx(1 / 62 + 1 / 61),
    }
    assert [*ranked] == [1, 0]
    assert [place for place, _ in Fused([first, second], [1, 0]).rank("?", own)] == [0, 1]
    assert len(Fused([first, second], top=1).rank("?", own)) == 1


RANKINGS = [
    ([(0, 1.0), (0, 2.0)], "names passage 0 twice"),
    ([(0, 1.0), (3, 2.0)], "names passage 3 of 3"),
    ([(-1, 1.0)], "names passage -1 of 3"),
    ([(0, 1.0), (2, float("nan"))], "has no finite score"),
    ([(1, float("inf"))], "has no finite score"),
    ([(0, 1.0), (10**5_000, 1.0)], "names passage int of 3"),
    ([(0, 1.0), (1, 10**400)], "is no pair"),
    ([(0, 1.0), 2], "is no pair"),
    ([("a", 1.0)], "is no pair"),
    ([(0.5, 1.0)], "is no pair"),
    ("012", "is no list"),
    (None, "is no list"),
]


@pytest.mark.parametrize(("ranking", "said"), RANKINGS)
def test_rankings_that_are_none_are_refused(ranking: Any, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        read_ranking(ranking, 3)


@pytest.mark.parametrize("place", [0, 2])
def test_the_vendor_of_a_ranking_that_is_none_is_named(place: int) -> None:
    corpus = facts_corpus(seed=0, passages=12, questions=2, owners=3, distractors=0)
    vendors = [
        Vendor(owner, passages, Listed([(99, 1.0)]) if k == place else BM25())
        for k, (owner, passages) in enumerate(corpus.by_owner())
    ]
    with pytest.raises(
        ParticipantError, match=f"{vendors[place].name} raised .*names passage 99 of"
    ):
        answer_question(Market(tuple(vendors)), corpus.questions[0], KeywordBuyer(corpus), 9)


def test_anybody_s_retrieval_takes_part() -> None:
    class Overlap:
        def rank(self, query: str, passages: Any) -> Any:
            words = set(query.lower().rstrip("?").split())
            found = [
                (k, float(len(words & set(p.title.lower().replace(",", "").split()))))
                for k, p in enumerate(passages)
            ]
            return sorted((pair for pair in found if pair[1]), key=lambda pair: -pair[1])

    corpus = facts_corpus(seed=0, passages=60, questions=4, owners=3)
    market = Market.of(corpus, Overlap())
    for question in corpus.questions:
        result = answer_question(market, question, KeywordBuyer(corpus), 500)
        best = result.inquiry.offers[0].content.title.lower()
        assert question.subject.lower() in best


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: BM25(top=0), "top"),
        (lambda: BM25(above=math.nan), "above"),
        (lambda: BM25(b=2), "b is not from 0 to 1"),
        (lambda: BM25(k1=0), "k1"),
        (lambda: Embedded(HashEmbedder(), top=0), "top"),
        (lambda: Embedded(HashEmbedder(), above=math.nan), "above"),
        (lambda: Fused([]), "retrievals are none"),
        (lambda: Fused([BM25()], [1, 2]), "weights"),
        (lambda: Fused([BM25()], [-1]), "weights"),
    ],
)
def test_settings_that_are_none_are_refused(make: Any, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        make()
