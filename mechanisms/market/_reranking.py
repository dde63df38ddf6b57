"""Buyers whose shortlist is made by a reranker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Protocol, runtime_checkable

from mechanisms.inspection import ToInspect
from mechanisms.market._bm25 import BM25
from mechanisms.market._questions import Excerpt
from mechanisms.market._retrieval import Titled
from mechanisms.participants import describe_object
from mechanisms.play import Ask, Subset
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of

__all__ = ["Reranked", "Reranker"]


@runtime_checkable
class Reranker(Protocol):
    """Scores passages that are read: a cross-encoder, words, anything."""

    def scores(self, query: str, passages: Sequence[Titled], /) -> Iterable[float]:
        """Return a score for each of what has a title and a text; the higher, the better."""
        ...


@dataclass
class Reranked:
    """A buyer whose shortlist holds what a reranker scores the highest (bazaar, section 3).

    All else is up to the buyer. The buyer is copied for each seat that forgets; the reranker is
    not, since it may hold a large model, and must not remember. Of equal scores the first stays
    first. Without inspection nothing is reranked: the shortlist holds what vendors scored the
    highest.

    Attributes
    ----------
    buyer : callable
        As for :func:`answer_question`.
    reranker : Reranker
        By default :class:`BM25` with the statistics of what is examined.

    Examples
    --------
    >>> from mechanisms.market import KeywordBuyer, Market, answer_question, facts_corpus
    >>> corpus = facts_corpus(seed=1, passages=40, questions=10, owners=4)
    >>> buyer = Reranked(KeywordBuyer(corpus))
    >>> market = Market.of(corpus, offer=1)
    >>> result = answer_question(market, corpus.questions[0], buyer, budget=25)
    >>> [offer.content.title for offer in result.inquiry.offers]
    ['Quindilen, birthplace']
    """

    buyer: Callable[[Ask], object]
    reranker: Reranker = field(default_factory=BM25)

    def __post_init__(self) -> None:
        if not callable(self.buyer):
            fix = "give a function of an Ask, or a buyer such as IdealBuyer(corpus)"
            raise InvalidInputError("buyer", self.buyer, "cannot be called", fix)
        instance_of("reranker", self.reranker, Reranker, "give an object with scores()")

    @property
    def name(self) -> str:
        """The name of the buyer."""
        return str(getattr(self.buyer, "name", "the buyer"))

    def __call__(self, ask: Ask) -> object:
        """Answer what a buyer of the market is asked."""
        view: Any = ask.view
        if ask.role != "shortlist" or not isinstance(view, ToInspect):
            return self.buyer(ask)
        offers = view.offers[0]
        most = ask.answer.most if isinstance(ask.answer, Subset) else 1
        excerpts = [offer.content for offer in offers if isinstance(offer.content, Excerpt)]
        if any(each.text is None for each in excerpts):
            return [offer.name for offer in offers[:most]]
        scores = _read_scores(self.reranker.scores(view.question.text, excerpts), len(offers))
        best = sorted(range(len(offers)), key=lambda k: -scores[k])
        return [offers[k].name for k in best[:most]]

    def __deepcopy__(self, memo: dict[int, object]) -> Reranked:
        return Reranked(deepcopy(self.buyer, memo), self.reranker)


def _read_scores(given: object, count: int) -> list[float]:
    fix = f"return {count} finite numbers"
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InvalidInputError("scores", describe_object(given), "are no list", fix)
    try:
        scores = [float(score) for score in given]
    except (TypeError, ValueError):
        raise InvalidInputError("scores", describe_object(given), "are no numbers", fix) from None
    if len(scores) != count or not all(map(isfinite, scores)):
        problem = "are not one finite number for each text"
        raise InvalidInputError("scores", describe_object(given), problem, fix)
    return scores
