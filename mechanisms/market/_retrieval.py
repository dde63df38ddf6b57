"""How vendors find passages for a question: by words, by vectors, and by several ways together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from math import isfinite
from operator import index
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from mechanisms.market._corpus import Passage
from mechanisms.participants import describe_object
from mechanisms.protocols import Embedder
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of, read_count, read_finite, read_positive, read_tuple
from theory.shared.shapes import Float64, Int64

__all__ = ["BM25", "Embedded", "Fused", "Ranking", "Retrieval", "read_ranking"]

Ranking = Sequence[tuple[int, float]]
"""Positions of passages and their scores, the best first."""

_WORD: Final = re.compile(r"\w+")


@runtime_checkable
class Retrieval(Protocol):
    """Ranks passages by how well they seem to answer a question."""

    def rank(self, query: str, passages: Sequence[Passage]) -> Iterable[tuple[int, float]]:
        """Return positions of passages and scores, the best first; what does not fit is left out.

        The passages of a vendor are the same object each time, so what is computed of them can be
        kept.
        """
        ...


def read_ranking(given: object, count: int) -> tuple[tuple[int, float], ...]:
    """Return a ranking of ``count`` passages that a retrieval gave, as it is.

    Raises
    ------
    InvalidInputError
        For a position that there is not, or twice, and for a score that is no number.
    """
    read_count("count", count, 0)
    fix = "return (position, score) pairs, the best first"
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InvalidInputError("ranking", given, "is no list", fix)
    ranked: dict[int, float] = {}
    for pair in islice(given, count + 1):
        try:
            place, score = pair
            place, score = index(place), float(score)
        except (TypeError, ValueError, OverflowError):
            raise InvalidInputError("ranking", describe_object(pair), "is no pair", fix) from None
        if not 0 <= place < count:
            problem = f"names passage {describe_object(place)} of {count}, counted from 0"
            raise InvalidInputError("ranking", pair, problem, "name a position that there is")
        if place in ranked:
            raise InvalidInputError("ranking", pair, f"names passage {place} twice", "name it once")
        if not isfinite(score):
            raise InvalidInputError("ranking", pair, "has no finite score", "give a number")
        ranked[place] = score
    return tuple(ranked.items())


class BM25:
    """The words that a question and a passage share, rare ones counting more (Okapi BM25).

    A passage d of length |d| scores ``sum over words w of idf(w) f (k1 + 1) / (f + k1 (1 - b + b
    |d| / L))``, where f is how often w stands in title and text of d, and L is the mean length.
    ``idf(w) = log(1 + (N - n + 1/2) / (n + 1/2))``, n of N passages having the word: it is above 0
    for every word that there is, also in a market of one passage. N, n and L are those of the whole
    market where it is given, and of the passages that are ranked otherwise. Equal scores stand in
    the order of the passages. The first question takes O(length of all passages) time, each one
    then O(passages that share a word with it).

    Parameters
    ----------
    market : iterable of Passage, optional
        All that is on sale.
    above : float
        Only scores above it count.
    top : int
        How many passages are returned at most.
    k1, b : float
        How soon a word counts no more when it is repeated, and how much length counts.

    Examples
    --------
    >>> passages = (Passage("p1", "Ann", 2, "Ilm", "Ilm lies on the Raun."),
    ...             Passage("p2", "Ann", 2, "Gol", "Gol lies on the Raun."))
    >>> [(place, round(score, 3)) for place, score in BM25().rank("Where is Gol?", passages)]
    [(1, 0.99)]
    """

    def __init__(
        self,
        market: Iterable[Passage] | None = None,
        *,
        above: float = 0,
        top: int = 30,
        k1: float = 1.5,
        b: float = 0.75,
    ) -> None:
        self._market = None if market is None else _statistics(_read_passages(market))
        self.above, self.top = read_finite("above", above), read_count("top", top)
        self.k1, self.b = read_positive("k1", k1), read_finite("b", b)
        if not 0 <= self.b <= 1:
            raise InvalidInputError("b", b, "is not from 0 to 1", "give a share")
        self._kept = _Kept(self._index)

    def rank(self, query: str, passages: Sequence[Passage]) -> list[tuple[int, float]]:
        """Return the passages that share words with a question."""
        words = self._kept.of(passages)
        scores = np.zeros(len(passages))
        for word in sorted({*_words(query)} & words.keys()):
            places, weights = words[word]
            scores[places] += weights
        return _best(scores, self.above, self.top)

    def _index(self, passages: Sequence[Passage]) -> dict[str, tuple[Int64[Any, " n"], Any]]:
        counts = [Counter(_words(f"{passage.title} {passage.text}")) for passage in passages]
        number, having, length = self._market or _statistics(passages)
        postings: dict[str, list[tuple[int, float]]] = {}
        for place, count in enumerate(counts):
            long = self.k1 * (1 - self.b + self.b * count.total() / (length or 1))
            for word, f in count.items():
                postings.setdefault(word, []).append((place, f * (self.k1 + 1) / (f + long)))
        indexed = {}
        for word, found in postings.items():
            n = max(having.get(word, 0), len(found))  # a passage that is not in the market has it
            idf = np.log1p((max(number, n) - n + 0.5) / (n + 0.5))
            places, weights = zip(*found, strict=True)
            indexed[word] = np.array(places), idf * np.array(weights)
        return indexed


class Embedded:
    """How near the vectors of a question and a passage are: their cosine, 0 where it is negative.

    Parameters
    ----------
    embedder : Embedder
    above : float
        Only cosines above it count.
    top : int
        How many passages are returned at most.

    Examples
    --------
    >>> from llm_adapters.fakes import HashEmbedder
    >>> ilm, gol = Passage("p1", "Ann", 2, "Ilm", "a town"), Passage("p2", "Ann", 2, "Gol", "hill")
    >>> Embedded(HashEmbedder(1024), above=0.1).rank("hill Gol", (ilm, gol))
    [(1, 1.0)]
    """

    def __init__(self, embedder: Embedder, *, above: float = 0.8, top: int = 10) -> None:
        instance_of("embedder", embedder, Embedder, "give an object with embed(texts)")
        self.embedder = embedder
        self.above, self.top = read_finite("above", above), read_count("top", top)
        self._kept = _Kept(self._index)

    def rank(self, query: str, passages: Sequence[Passage]) -> list[tuple[int, float]]:
        """Return the passages that are near to a question."""
        vectors = self._kept.of(passages)
        near = vectors @ self._unit([query])[0]
        return _best(np.round(np.clip(near, 0, 1), 12), self.above, self.top)

    def _index(self, passages: Sequence[Passage]) -> Float64[Any, "n dimension"]:
        return self._unit([f"{passage.title}\n{passage.text}" for passage in passages])

    def _unit(self, texts: list[str]) -> Float64[Any, "n dimension"]:
        vectors = np.asarray(self.embedder.embed(texts), dtype=np.float64)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            problem = f"are no {len(texts)} vectors of finite numbers"
            fix = "give an embedder that returns a vector for each text"
            raise InvalidInputError("embedding", vectors, problem, fix)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.where(lengths > 0, lengths, 1)


class Fused:
    """Several retrievals together: reciprocal ranks, ``sum of weight / (60 + rank)``.

    Parameters
    ----------
    retrievals : iterable of Retrieval
    weights : iterable of float, optional
        At least 0; 1 each by default.
    top : int
        How many passages are returned at most.
    """

    def __init__(
        self,
        retrievals: Iterable[Retrieval],
        weights: Iterable[float] | None = None,
        *,
        top: int = 30,
    ) -> None:
        self.retrievals = read_tuple("retrievals", retrievals, "give a list of retrievals")
        for each in self.retrievals:
            instance_of("retrievals", each, Retrieval, "give objects with rank(query, passages)")
        if not self.retrievals:
            raise InvalidInputError("retrievals", (), "are none", "give at least one")
        given = [1.0] * len(self.retrievals) if weights is None else read_tuple("weights", weights)
        self.weights = tuple(read_finite("weights", weight) for weight in given)
        if len(self.weights) != len(self.retrievals) or min(self.weights) < 0:
            fix = "give a number of at least 0 for each retrieval"
            raise InvalidInputError("weights", self.weights, "do not fit", fix)
        self.top = read_count("top", top)

    def rank(self, query: str, passages: Sequence[Passage]) -> list[tuple[int, float]]:
        """Return what any of them finds."""
        scores = np.zeros(len(passages))
        for weight, retrieval in zip(self.weights, self.retrievals, strict=True):
            found = read_ranking(retrieval.rank(query, passages), len(passages))
            for rank, (place, _) in enumerate(found, 1):
                scores[place] += weight / (60 + rank)
        return _best(scores, 0, self.top)


class _Kept:
    """What is computed of passages, kept for as long as they are the same object."""

    def __init__(self, compute: Any) -> None:
        self._compute = compute
        self._found: dict[int, tuple[object, Any]] = {}

    def of(self, passages: Sequence[Passage]) -> Any:
        known = self._found.get(id(passages))
        if known is None or known[0] is not passages:
            known = passages, self._compute(passages)
            if isinstance(passages, tuple):  # a list may change
                self._found[id(passages)] = known
        return known[1]

    def __deepcopy__(self, memo: dict[int, object]) -> _Kept:
        return self  # a copied vendor ranks as the vendor does


def _best(scores: Float64[Any, " n"], above: float, top: int) -> list[tuple[int, float]]:
    """Return the places of the highest scores, equal ones in their order."""
    places = np.flatnonzero(scores > above)
    order = places[np.argsort(-scores[places], kind="stable")][:top]
    return [(int(place), float(scores[place])) for place in order]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _statistics(passages: Sequence[Passage]) -> tuple[int, Counter[str], float]:
    """Return the number of passages, how many have each word, and how long they are on average."""
    having: Counter[str] = Counter()
    length = 0
    for passage in passages:
        words = _words(f"{passage.title} {passage.text}")
        having.update({*words})
        length += len(words)
    return len(passages), having, length / max(1, len(passages))


def _read_passages(given: object) -> tuple[Passage, ...]:
    passages = read_tuple("market", given, "give a list of Passage")
    for passage in passages:
        instance_of("market", passage, Passage, "give a list of Passage")
    return passages
