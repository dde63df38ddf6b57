"""How vendors find passages for a question: by words, by vectors, and by several ways together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from itertools import islice
from math import isfinite
from operator import index
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mechanisms.market._corpus import Passage
from mechanisms.participants import describe_object
from mechanisms.protocols import Embedder
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of, read_count, read_finite, read_tuple
from theory.shared.shapes import Float64

__all__ = [
    "Cascade",
    "Embedded",
    "Fused",
    "Kept",
    "Ranking",
    "Retrieval",
    "Rewritten",
    "Titled",
    "best_places",
    "read_ranking",
]

Ranking = Sequence[tuple[int, float]]
"""Positions of passages and their scores, the best first."""


@runtime_checkable
class Titled(Protocol):
    """What can be scored: a passage, or what a buyer may read of one."""

    @property
    def title(self) -> str:
        """What may be read for nothing."""
        ...

    @property
    def text(self) -> str | None:
        """What is on sale."""
        ...


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
            if type(place) is not int or type(score) is not float:
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
        self._kept = Kept()
        self._vectors: dict[str, Any] = {}

    def rank(self, query: str, passages: Sequence[Passage]) -> list[tuple[int, float]]:
        """Return the passages that are near to a question."""
        return best_places(self.scores(query, passages), self.above, self.top)

    def scores(self, query: str, passages: Sequence[Titled]) -> Float64[Any, " n"]:
        """Return the cosine of each passage, to 12 digits, 0 where it is negative."""
        if not passages:
            return np.zeros(0)
        near = self._kept.of(passages, self._matrix) @ self._unit([query])[0]
        return np.round(np.clip(near, 0, 1), 12)

    def _matrix(self, passages: Sequence[Titled]) -> Float64[Any, "n dimension"]:
        """Return the vectors of passages; each text is embedded once."""
        texts = [f"{passage.title}\n{passage.text}" for passage in passages]
        new = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        if new:
            self._vectors.update(zip(new, self._unit(new), strict=True))
        return np.array([self._vectors[text] for text in texts])

    def _unit(self, texts: list[str]) -> Float64[Any, "n dimension"]:
        vectors = np.asarray(self.embedder.embed(texts), dtype=np.float64)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            problem = f"are no {len(texts)} vectors of finite numbers"
            fix = "give an embedder that returns a vector for each text"
            raise InvalidInputError("embedding", vectors, problem, fix)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.where(lengths > 0, lengths, 1)

    def __deepcopy__(self, memo: dict[int, object]) -> Embedded:
        return copy(self)  # it shares what is never changed


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
        self.retrievals = _read_retrievals(retrievals)
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
        return best_places(scores, 0, self.top)


class Cascade:
    """Retrievals in turn: each ranks what the one before it has left; the scores of the last count.

    That is the vendor of bazaar, section 3: ``Cascade([BM25(above=0.5), Embedded(embedder)])``
    keeps the 30 best by words of those above a threshold, and of them the 10 nearest.

    Parameters
    ----------
    retrievals : iterable of Retrieval
        The first is given the passages of a vendor, the others lists of some of them.

    Examples
    --------
    >>> from mechanisms.market import BM25
    >>> from llm_adapters.fakes import HashEmbedder
    >>> ilm, gol = Passage("p1", "Ann", 2, "Ilm", "a hill"), Passage("p2", "Ann", 2, "Gol", "hill")
    >>> found = Cascade([BM25(), Embedded(HashEmbedder(1024), above=0.1, top=1)])
    >>> found.rank("hill Gol", (ilm, gol))
    [(1, 1.0)]
    """

    def __init__(self, retrievals: Iterable[Retrieval]) -> None:
        self.retrievals = _read_retrievals(retrievals)

    def rank(self, query: str, passages: Sequence[Passage]) -> list[tuple[int, float]]:
        """Return what all of them leave."""
        places: Sequence[int] = range(len(passages))
        left, scores = passages, [0.0] * len(passages)
        for retrieval in self.retrievals:
            if not left:
                return []
            ranked = read_ranking(retrieval.rank(query, left), len(left))
            places, scores = [places[k] for k, _ in ranked], [score for _, score in ranked]
            left = [passages[place] for place in places]
        return list(zip(places, scores, strict=True))


class Rewritten:
    """A retrieval that is given another text than the question: keywords, or a made-up answer.

    With a passage that a model makes up as the answer, it is HyDE (bazaar, section 3):
    ``Rewritten(Embedded(embedder), HypotheticalPassage(model))`` of ``llm_adapters.players``. Each
    question is rewritten once, for all vendors together.

    Parameters
    ----------
    retrieval : Retrieval
    rewrite : callable
        Takes a question, and returns a text.

    Examples
    --------
    >>> from mechanisms.market import BM25
    >>> shelf = (Passage("p1", "Ann", 2, "Ilm", "It lies on the Raun."),)
    >>> [place for place, _ in Rewritten(BM25(), lambda text: "the Raun").rank("Where?", shelf)]
    [0]
    """

    def __init__(self, retrieval: Retrieval, rewrite: Callable[[str], str]) -> None:
        instance_of("retrieval", retrieval, Retrieval, "give an object with rank()")
        if not callable(rewrite):
            raise InvalidInputError("rewrite", rewrite, "cannot be called", "give a function")
        self.retrieval, self.rewrite = retrieval, rewrite
        self._texts: dict[str, str] = {}

    def rank(self, query: str, passages: Sequence[Passage]) -> Iterable[tuple[int, float]]:
        """Return what is found for the text in place of the question."""
        if query not in self._texts:
            text: Any = self.rewrite(query)
            instance_of("text that a question is rewritten to", text, str, "return text")
            self._texts[query] = text
        return self.retrieval.rank(self._texts[query], passages)


class Kept:
    """What is computed of passages, kept for as long as they are the same object."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[object, Any]] = {}

    def of(self, passages: Sequence[Titled], compute: Callable[[Any], Any]) -> Any:
        """Return what is computed of passages; of a list anew each time, since it may change."""
        known = self._found.get(id(passages))
        if known is None or known[0] is not passages:
            known = passages, compute(passages)
            if isinstance(passages, tuple):
                self._found[id(passages)] = known
        return known[1]

    def __deepcopy__(self, memo: dict[int, object]) -> Kept:
        return self  # a copied vendor ranks as the vendor does

    def __reduce__(self) -> tuple[type[Kept], tuple[()]]:
        return Kept, ()  # another process computes it anew


def best_places(scores: Float64[Any, " n"], above: float, top: int) -> list[tuple[int, float]]:
    """Return the places of the highest scores, equal ones in their order."""
    places = (scores > above).nonzero()[0]
    found = scores[places]
    if len(places) > max(1_000, 4 * top):  # what cannot be among the best is not sorted
        places = places[found >= np.partition(found, -top)[-top]]
        found = scores[places]
    order = (-found).argsort(kind="stable")[:top]
    return list(zip(places[order].tolist(), found[order].tolist(), strict=True))


def _read_retrievals(given: object) -> tuple[Any, ...]:
    retrievals = read_tuple("retrievals", given, "give a list of retrievals")
    for each in retrievals:
        instance_of("retrievals", each, Retrieval, "give objects with rank(query, passages)")
    if not retrievals:
        raise InvalidInputError("retrievals", (), "are none", "give at least one")
    return retrievals
