"""The information market (issue 25): retrieval beside two libraries, questions, a large market."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from time import perf_counter
from typing import Any, Final

import numpy as np

from benchmarks.harness import AtLeastTimes, AtMostSeconds, Row

PASSAGES, LARGE, WORDS, QUERIES, TOP = 5_000, 100_000, 120, 110, 30
VENDORS, EACH = 30, 200
VOCABULARY: Final = 30_000

Found = list[list[tuple[int, float]]]


@cache
def _texts(count: int) -> tuple[list[str], list[list[str]]]:
    """Return texts, and queries of words that differ; the k-th word is drawn as 1/k."""
    rng = np.random.default_rng(0)
    law = 1 / np.arange(1, VOCABULARY + 1)
    drawn = rng.choice(VOCABULARY, size=(count, WORDS), p=law / law.sum())
    asked = [rng.choice(VOCABULARY, size=8, replace=False, p=law / law.sum()) for _ in range(110)]
    texts = [" ".join([f"w{word}" for word in row]) for row in drawn]
    return texts, [[f"w{word}" for word in row] for row in asked]


@cache
def _shelf(count: int) -> tuple[Any, ...]:
    from mechanisms.market import Passage

    return tuple(Passage(str(k), "A", 1, "", text) for k, text in enumerate(_texts(count)[0]))


@cache
def _ours() -> Any:
    from mechanisms.market import BM25

    made = BM25(_shelf(PASSAGES), top=TOP)
    made.rank("", _shelf(PASSAGES))
    return made


def _rank() -> Found:
    retrieval, shelf = _ours(), _shelf(PASSAGES)
    return [retrieval.rank(" ".join(words), shelf) for words in _texts(PASSAGES)[1]]


@cache
def _rank_bm25() -> Any:
    """Return the index of rank_bm25 with an idf that is never negative, as ours."""
    from rank_bm25 import BM25Okapi

    split = [text.split() for text in _texts(PASSAGES)[0]]
    made = BM25Okapi(split, k1=1.5, b=0.75)
    having = {word: sum(word in each for each in made.doc_freqs) for word in _asked()}
    made.idf = {
        word: float(np.log1p((PASSAGES - n + 0.5) / (n + 0.5))) for word, n in having.items()
    }
    return made


def _asked() -> set[str]:
    return {word for words in _texts(PASSAGES)[1] for word in words}


def _rank_plainly() -> Found:
    found = []
    for words in _texts(PASSAGES)[1]:
        scores = _rank_bm25().get_scores(words)
        best = np.argsort(-scores, kind="stable")[:TOP]
        found.append([(int(k), float(scores[k])) for k in best if scores[k] > 0])
    return found


@cache
def _bm25s() -> Any:
    import bm25s

    made = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    made.index([text.split() for text in _texts(PASSAGES)[0]], show_progress=False)
    return made


def _rank_sparsely() -> Found:
    """Scores without the factor k1 + 1, as bm25s has them."""
    found = []
    for words in _texts(PASSAGES)[1]:
        places, scores = _bm25s().retrieve([words], k=TOP, show_progress=False)
        pairs = zip(places[0].tolist(), scores[0].tolist(), strict=True)
        found.append([(k, 2.5 * score) for k, score in pairs if score > 0])
    return found


def same_scores(ours: Found, theirs: Found) -> str:
    """Compare what is found, by its scores: equal ones stand in any order, and at the end."""
    for query, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        a, b = [score for _, score in mine], [score for _, score in other]
        if len(a) != len(b) or not np.allclose(a, b, rtol=1e-5):
            return f"other scores for query {query}"
        least = min(a, default=0) * (1 + 1e-5)
        if {k for k, score in mine if score > least} != {k for k, score in other if score > least}:
            return f"other passages for query {query}"
    return ""


@cache
def _market() -> Any:
    from mechanisms.market import IdealBuyer, Market, facts_corpus

    corpus = facts_corpus(
        0, passages=VENDORS * EACH, questions=QUERIES, owners=VENDORS, title_error="1/10"
    )
    market = Market.of(corpus)
    market.vendors[0].retrieval.rank("", market.vendors[0].passages)
    return corpus, market, IdealBuyer(corpus)


def _questions() -> int:
    """Return how many of the questions are answered."""
    from mechanisms.market import answer_question

    corpus, market, buyer = _market()
    results = [answer_question(market, each, buyer, 25, hops=2) for each in corpus.questions]
    return sum(result.answer != "not known" for result in results)


def _large() -> dict[str, float]:
    """Index a large market, and ask all queries of it."""
    from mechanisms.market import BM25

    shelf, queries = _shelf(LARGE), _texts(LARGE)[1]
    begun = perf_counter()
    retrieval = BM25(shelf, top=TOP)
    retrieval.rank("", shelf)
    indexed = perf_counter()
    found = [retrieval.rank(" ".join(words), shelf) for words in queries]
    each = (perf_counter() - indexed) / len(queries)
    index = retrieval._whole.of(shelf, lambda passages: None)
    arrays = (index.weights, index.counts.places, index.counts.often, index.counts.starts)
    return {
        "index seconds": indexed - begun,
        "index megabytes": sum(array.nbytes for array in arrays) / 1e6,
        "milliseconds a query": 1e3 * each,
        "found": float(sum(map(len, found))),
    }


def rows() -> Iterator[Row]:
    work = f"BM25, {QUERIES} questions of 8 words to {PASSAGES:,} passages of {WORDS} words"
    asked = AtMostSeconds(QUERIES * 1e-3)
    yield Row(
        id="market.retrieval",
        issue=25,
        work=f"{work}, the best {TOP}",
        ours=_rank,
        peer=_rank_plainly,
        peer_name="rank_bm25 with the idf of ours",
        needs=("rank_bm25",),
        agree=same_scores,
        target=(asked, AtLeastTimes(18)),
        prepare=lambda: (_ours(), _texts(PASSAGES)),
        repeats=5,
        cold=False,
    )
    yield Row(
        id="market.retrieval-sparse",
        issue=25,
        work=f"{work}, the best {TOP}",
        ours=_rank,
        peer=_rank_sparsely,
        peer_name="bm25s, scores in float32",
        needs=("bm25s",),
        agree=same_scores,
        target=asked,
        prepare=lambda: (_ours(), _texts(PASSAGES)),
        repeats=5,
        cold=False,
    )
    yield Row(
        id="market.questions",
        issue=25,
        work=f"{QUERIES} questions of an ideal buyer, 2 hops, {VENDORS} vendors of {EACH} passages",
        ours=_questions,
        target=AtMostSeconds(QUERIES * 5e-3),
        prepare=_market,
        repeats=3,
        cold=False,
    )
    yield Row(
        id="market.large",
        issue=25,
        work=f"{LARGE:,} passages of {WORDS} words: BM25 index, and {QUERIES} questions of 8 words",
        ours=_large,
        prepare=lambda: _shelf(LARGE),
        values=dict,
        repeats=0,
        cold=False,
        quick=False,
    )
