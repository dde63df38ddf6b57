"""A vendor that ranks by the statistics of its own passages (the authors' program)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Final

from mechanisms.market import (
    BM25,
    Corpus,
    FactQuestion,
    KeywordBuyer,
    Market,
    Passage,
    Vendor,
    answer_question,
)
from theory.search import Draw, Family, Trial

__all__ = ["VENDORS", "FewNeverSell", "OwnOkapi", "SmallVendor", "okapi_idf"]

FEW: Final = 3
"""From so many passages on a vendor can sell."""


def okapi_idf(passages: int, having: int) -> float:
    """Return log((N - n + 1/2) / (n + 1/2)) for a word that n of N passages have.

    It is 0 where the quotient is 1, and below 0 exactly where the quotient is below 1: both are
    so in floating point, too, since the quotient of two odd numbers is formed.
    """
    return log((2 * (passages - having) + 1) / (2 * having + 1))


@dataclass(frozen=True)
class OwnOkapi:
    """Okapi BM25 over what is ranked; a negative idf gives way to a quarter of the mean idf.

    Source: bazaar, the authors' code, which uses rank_bm25 with k1 = 1.5 and b = 0.75.
    """

    above: float
    idf: Callable[[int, int], float] = okapi_idf

    def rank(self, query: str, passages: Sequence[Passage]) -> list[tuple[int, float]]:
        """Return the passages with a score above the threshold, the best first."""
        counts = [Counter(passage.text.split()) for passage in passages]
        having = Counter(word for count in counts for word in count)
        plain = {word: self.idf(len(counts), n) for word, n in having.items()}
        floor = sum(plain.values()) / len(plain) / 4
        idf = {word: floor if each < 0 else each for word, each in plain.items()}
        mean = sum(count.total() for count in counts) / len(counts)
        scores = [
            sum(
                idf.get(word, 0)
                * (count[word] * 2.5 / (count[word] + 1.5 * (0.25 + 0.75 * count.total() / mean)))
                for word in query.split()
            )
            for count in counts
        ]
        found = [(place, score) for place, score in enumerate(scores) if score > self.above]
        return sorted(found, key=lambda pair: -pair[1])


@dataclass(frozen=True)
class SmallVendor:
    """The words of a vendor's passages, and those that are asked for."""

    passages: tuple[str, ...]
    query: str

    def __str__(self) -> str:
        return f"passages {', '.join(map(repr, self.passages))}, asked for {self.query!r}"

    def sells(self, retrieval: Any) -> int:
        """Return how many passages a buyer buys that buys all that it is offered, at 1 each."""
        passages = tuple(
            Passage(f"p{n}", "shop", 1, "", text) for n, text in enumerate(self.passages, 1)
        )
        corpus = Corpus(passages, (FactQuestion("q", self.query, ("name",), 1),))
        market = Market((Vendor("shop", passages, _Words(self.query, retrieval)),))
        buyer = KeywordBuyer(corpus)
        bought = answer_question(market, self.query, buyer, len(passages)).inquiry.bought
        return len(bought)


@dataclass(frozen=True)
class _Words:
    """A retrieval that is asked for words."""

    query: str
    retrieval: Any

    def rank(self, query: str, passages: Sequence[Passage]) -> Any:
        del query
        return self.retrieval.rank(self.query, passages)


@dataclass(frozen=True)
class FewNeverSell:
    """With statistics of its own and a threshold above 0 a vendor of one or two sells nothing.

    With an idf above 0 it sells where a passage has a word that is asked for. ``few`` is the
    hypothesis on the number of passages.
    """

    own: Callable[[float], Any] = OwnOkapi
    positive: Callable[[], Any] = BM25
    few: bool = True

    def __call__(self, case: SmallVendor) -> Trial:
        """Play the market with both retrievals; non-trivial where a passage has such a word."""
        if self.few and len(case.passages) >= FEW:
            return Trial.unmet()
        words = {*case.query.split()}
        fits = any(words & {*text.split()} for text in case.passages)
        failure = ""
        if sold := case.sells(self.own(0.0)):
            failure = f"{sold} are sold."
        elif bool(case.sells(self.positive())) != fits:
            failure = f"with an idf above 0 {'nothing' if fits else 'something'} is sold."
        return Trial(nontrivial=fits, failure=failure)


_TEXTS: Final = ("river", "city", "river city", "river river", "city city river", "hill")


def _build_vendor(draw: Draw, passages: int) -> SmallVendor:
    texts = tuple(draw.choice(_TEXTS) for _ in range(passages))
    return SmallVendor(texts, draw.choice(("river", "city", "river city")))


def _vendor_size(case: SmallVendor) -> tuple[int, ...]:
    return (sum(map(len, case.passages)) + len(case.query),)


VENDORS: Family[SmallVendor] = Family(
    description="passages of up to three words, and a question of one or two words",
    level_name="passages",
    levels=(1, 2, 3),
    build=_build_vendor,
    size=_vendor_size,
)
