"""BM25: the words that a question and a passage share."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mechanisms.market._corpus import Passage
from mechanisms.market._retrieval import Kept, Titled, best_places
from theory.errors import InvalidInputError
from theory.shared.arguments import (
    instance_of,
    read_count,
    read_finite,
    read_positive,
    read_tuple,
)
from theory.shared.shapes import Float64, Int64

__all__ = ["BM25"]

_WORD: Final = re.compile(r"\w+")


class BM25:
    """The words that a question and a passage share, rare ones counting more (Okapi BM25).

    A passage d of length |d| scores ``sum over words w of idf(w) f (k1 + 1) / (f + k1 (1 - b + b
    |d| / L))``, where f is how often w stands in title and text of d, and L is the mean length.
    ``idf(w) = log(1 + (N - n + 1/2) / (n + 1/2))``, n of N passages having the word: it is above 0
    for every word that there is, also in a market of one passage. N, n and L are those of the whole
    market where it is given, and of the passages that are ranked otherwise. Equal scores stand in
    the order of the passages. The first question takes O(length of all passages) time, each one
    then O(passages + those that have each of its words); vendors of one market share that.

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
        self.above, self.top = read_finite("above", above), read_count("top", top)
        self.k1, self.b = read_positive("k1", k1), read_finite("b", b)
        if not 0 <= self.b <= 1:
            raise InvalidInputError("b", b, "is not from 0 to 1", "give a share")
        self._market = None if market is None else _read_passages(market)
        self._whole, self._places, self._own = Kept(), Kept(), Kept()

    def rank(self, query: str, passages: Sequence[Passage]) -> list[tuple[int, float]]:
        """Return the passages that share words with a question."""
        return best_places(self.scores(query, passages), self.above, self.top)

    def scores(self, query: str, passages: Sequence[Titled]) -> Float64[Any, " n"]:
        """Return the score of each passage, 0 for those that share no word."""
        index, places = self._own.of(passages, self._scorer)
        scores = index.scores(query)
        return scores if places is None else scores[places]

    def _scorer(self, passages: Sequence[Titled]) -> tuple[_Index, Int64[Any, " n"] | None]:
        """Return an index, and the places of the passages in it, None for all in their order."""
        if self._market is None:
            return self._index(_count_words(passages)), None
        whole = self._whole.of(self._market, lambda market: self._index(_count_words(market)))
        known = self._places.of(self._market, _number_by_identity)
        places = [known.get(id(each), -1) for each in passages]
        if -1 in places:
            return self._index(_count_words(passages), whole.counts), None
        return whole, np.array(places, dtype=np.int64)

    def __deepcopy__(self, memo: dict[int, object]) -> BM25:
        return copy(self)  # it shares what is never changed

    def _index(self, own: _Counts, market: _Counts | None = None) -> _Index:
        """Return what each word adds to the score of each passage that has it."""
        having = own.having
        number, length = own.number, own.length
        if market is not None:
            number, length = market.number, market.length
            known = [market.having_word(word) for word in own.words]
            # a passage that is not in the market has the word, too
            having = np.maximum(having, np.array(known, dtype=np.int64))
        idf = np.log1p((np.maximum(number, having) - having + 0.5) / (having + 0.5))
        long = self.k1 * (1 - self.b + self.b * own.lengths / (length or 1))
        f = own.often
        weights = np.repeat(idf, own.having) * f * (self.k1 + 1) / (f + long[own.places])
        return _Index(own, weights)


@dataclass(frozen=True)
class _Counts:
    """How often each word stands in each passage that has it, word by word.

    Word k stands in ``places[starts[k] : starts[k + 1]]``, in the order of the passages.
    """

    words: Mapping[str, int]
    starts: Int64[Any, " words_and_one"]
    places: Any
    often: Any
    lengths: Int64[Any, " n"]

    @property
    def number(self) -> int:
        """How many passages there are."""
        return len(self.lengths)

    @property
    def length(self) -> float:
        """How many words a passage has on average."""
        return float(self.lengths.mean()) if len(self.lengths) else 0.0

    @property
    def having(self) -> Int64[Any, " words"]:
        """How many passages have each word."""
        return np.diff(self.starts)

    def having_word(self, word: str) -> int:
        """Return how many passages have a word."""
        place = self.words.get(word)
        return 0 if place is None else int(self.starts[place + 1] - self.starts[place])


class _Index:
    """What the words of a question add to the scores of passages."""

    def __init__(self, counts: _Counts, weights: Float64[Any, " postings"]) -> None:
        self.counts, self.weights = counts, weights
        self._last: tuple[str, Any] = "", np.zeros(counts.number)

    def scores(self, query: str) -> Float64[Any, " n"]:
        """Return the scores of all passages, which are not to be changed."""
        asked, scores = self._last
        if asked != query:
            counts = self.counts
            scores = np.zeros(counts.number)
            for word in sorted({*_words(query)} & counts.words.keys()):
                place = counts.words[word]
                found = slice(counts.starts[place], counts.starts[place + 1])
                scores[counts.places[found]] += self.weights[found]
            self._last = query, scores
        return scores


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _count_words(passages: Sequence[Titled]) -> _Counts:
    words: defaultdict[str, int] = defaultdict()
    words.default_factory = words.__len__  # each new word gets the next number
    read, lengths = array("i"), array("q")
    for passage in passages:
        found = _words(f"{passage.title} {passage.text}")
        lengths.append(len(found))
        read.extend(map(words.__getitem__, found))
    words.default_factory = None
    long = np.array(lengths, dtype=np.int64)
    number = max(1, len(long))
    keys = np.array(read, dtype=np.int64) * number + np.repeat(np.arange(len(long)), long)
    keys, often = np.unique(keys, return_counts=True)
    starts = np.searchsorted(keys, np.arange(len(words) + 1) * number)
    places = (keys % number).astype(np.int32)
    return _Counts(words, starts, places, often.astype(np.int32), long)


def _number_by_identity(passages: Sequence[Titled]) -> dict[int, int]:
    return {id(each): place for place, each in enumerate(passages)}


def _read_passages(given: object) -> tuple[Passage, ...]:
    passages = read_tuple("market", given, "give a list of Passage")
    for passage in passages:
        instance_of("market", passage, Passage, "give a list of Passage")
    return passages
