"""Vendors, and buyers that follow a rule or know what facts are worth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import exp, inf, lcm, prod
from typing import Any, Final

import numpy as np

from mechanisms.inspection import Shown, ToInspect
from mechanisms.market._bm25 import BM25
from mechanisms.market._corpus import Corpus, FactQuestion, Passage, Statement
from mechanisms.market._questions import Excerpt, Progress, Quote, Tender, texts_of
from mechanisms.market._retrieval import Retrieval, read_ranking
from mechanisms.play import Ask, Subset
from theory.errors import InvalidInputError, LimitError
from theory.numbers import rational
from theory.purchases import best_set
from theory.shared.arguments import instance_of, read_positive, read_tuple

__all__ = [
    "IdealBuyer",
    "KeywordBuyer",
    "LogitBuyer",
    "OneByOneBuyer",
    "ValuationBuyer",
    "Vendor",
    "best_purchase",
]

MAX_OFFERS: Final = 20
"""Of so many offers all sets are listed."""
MAX_STEPS: Final = 200_000
"""How many offers times facts are looked at for the best set."""


@dataclass
class Vendor:
    """Sells passages: quotes those that its retrieval finds for a question.

    Attributes
    ----------
    name : str
        The name of its account.
    passages : tuple of Passage
    retrieval : Retrieval
        :class:`BM25` over its own passages by default.
    """

    name: str
    passages: tuple[Passage, ...]
    retrieval: Retrieval = field(default_factory=BM25)

    def __post_init__(self) -> None:
        instance_of("name of a vendor", self.name, str, "give text")
        self.passages = read_tuple("passages", self.passages, "give a list of Passage")
        for passage in self.passages:
            instance_of("passages", passage, Passage, "give a list of Passage")
        instance_of("retrieval", self.retrieval, Retrieval, "give an object with rank()")

    def __call__(self, ask: Ask) -> list[Quote]:
        """Return the best passages for the question of a tender, at their prices."""
        tender: Tender = ask.view
        try:
            given = self.retrieval.rank(tender.question, self.passages)
            ranked = read_ranking(given, len(self.passages))
        except InvalidInputError as error:
            argument = f"ranking of {self.name}"
            raise InvalidInputError(argument, error.value, error.problem, error.fix) from error
        found = [(self.passages[place], score) for place, score in ranked[: tender.most]]
        return [Quote(p.name, p.title, p.text, p.price, score) for p, score in found]


class _Buyer(ABC):
    """A buyer that chooses, answers by the texts that it bought, and asks nothing further."""

    def __call__(self, ask: Ask) -> object:
        """Answer what a buyer of the market is asked."""
        if ask.role == "shortlist":
            most = ask.answer.most if isinstance(ask.answer, Subset) else 1
            return self.shortlist(ask.view, most)
        if ask.role == "choose":
            return [each.name for each in self.choose(ask.view)]
        if ask.role == "ask on":
            return self.ask_on(ask.view)
        return self.answer(ask.view)

    def shortlist(self, view: ToInspect, most: int) -> list[str]:
        """Return the names of the offers with the highest scores."""
        return [each.name for each in view.offers[0][:most]]

    @abstractmethod
    def choose(self, view: ToInspect) -> Sequence[Shown]:
        """Return what to buy."""

    def answer(self, view: Progress) -> str:
        """Return all that was bought, each text in a paragraph of its own."""
        return "\n\n".join(texts_of(view.bought)) or "not known"

    def ask_on(self, view: Progress) -> list[str]:
        """Return questions that follow."""
        return []


@dataclass
class ValuationBuyer(_Buyer):
    """Buys the set of offers whose value exceeds the prices the most, whatever texts are worth.

    All sets that can be paid are valued, together with what was bought before. Of equal sets the
    cheapest, then the first, is bought. The answer is what was bought.

    Attributes
    ----------
    value : callable
        Takes the question and a list of texts, and returns what they are worth together, in money,
        as an exact number. A text that may not be read before it is bought stands there as its
        title.
    name : str

    Examples
    --------
    >>> from mechanisms.market import Market, answer_question
    >>> shelf = (Passage("p1", "Ann", 2, "Ilm", "It lies on the Raun."),
    ...          Passage("p2", "Ann", 1, "Ilm", "Ilm is old."))
    >>> buyer = ValuationBuyer(lambda question, texts: 3 * any("Raun" in text for text in texts))
    >>> market = Market.of(Corpus(shelf))
    >>> answer_question(market, "Where is Ilm?", buyer, 5).answer
    'It lies on the Raun.'
    """

    value: Callable[[str, list[str]], Any]
    name: str = "the buyer"

    def __post_init__(self) -> None:
        if not callable(self.value):
            fix = "give a function of a question and a list of texts"
            raise InvalidInputError("value", self.value, "cannot be called", fix)

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        """Return the best set that can be paid."""
        offers = view.offers[0]
        best = self._gain(view, ()), Fraction(0)
        chosen: tuple[Shown, ...] = ()
        for places, cost in _affordable_sets(offers, view.budget):
            some = tuple(offers[k] for k in places)
            gain = self._gain(view, some) if some else best[0]
            if (gain, -cost) > (best[0], -best[1]):
                best, chosen = (gain, cost), some
        return chosen

    def shortlist(self, view: ToInspect, most: int) -> list[str]:
        """Return the offers that gain the most by themselves, then the best scores."""

        def loss(offer: Shown) -> Fraction:
            return -self._gain(view, (offer,))

        return [each.name for each in sorted(view.offers[0], key=loss)[:most]]

    def _gain(self, view: ToInspect, some: Sequence[Shown]) -> Fraction:
        contents = [each.content.text or each.content.title for each in some]
        texts = [*texts_of(view.bought), *contents]
        value = rational(self.value(view.question.text, texts), f"value of {self.name}")
        return Fraction(value) - sum((Fraction(each.price) for each in some), Fraction(0))


@dataclass
class FactBuyer(_Buyer):
    """What buyers share that know a corpus: they answer by the facts in what they bought.

    A question that is not of the corpus is answered by all that was bought.
    """

    corpus: Corpus
    name: str = "the buyer"

    def answer(self, view: Progress) -> str:
        """Return what the question asks for, if it was bought."""
        question = self.corpus.find(view.question)
        if question is None:
            return super().answer(view)
        return self.corpus.answer(question, texts_of(view.bought)) or "not known"

    def ask_on(self, view: Progress) -> list[str]:
        """Return the question for what is still needed, once all before it is known."""
        question = self.corpus.find(view.question)
        if question is None:
            return []
        stated = self.corpus.states(*texts_of(view.bought))
        subject, relations = question.subject, question.relations
        for fact in self.corpus.needs(question):
            if fact not in stated:
                break
            subject, relations = fact.value, relations[1:]
        if not relations or len(relations) == len(question.relations):
            return []
        return [str(FactQuestion("follow-up", subject, relations, 0))]

    def __deepcopy__(self, memo: dict[int, object]) -> Any:
        """Return a copy that shares the corpus, which never changes."""
        return copy(self)


@dataclass
class IdealBuyer(FactBuyer):
    """Buys the set of offers whose expected worth exceeds the prices the most.

    A needed fact is worth ``question.worth``, once. What a text states is seen where it may be
    read. A title that promises a needed fact keeps it with probability 1 - e, each title by itself;
    e is the ``title_error`` of the corpus.
    A fact that others lead to is told to be needed by who knows, or reads, those before it.
    Of equal sets the cheapest, then the first, is bought. A statement that is not true is known to
    be none: its buyer can tell. Texts that are not of the corpus are worth nothing.

    Attributes
    ----------
    corpus : Corpus
    name : str
    """

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        """Return the best set that can be paid."""
        return best_purchase(*self.gains(view), view.budget)

    def shortlist(self, view: ToInspect, most: int) -> list[str]:
        """Return the offers that are worth the most after their prices, then the best scores."""
        needed, worth = self._needed(view)
        losses = [Fraction(offer.price) for offer in view.offers[0]]
        for k, offer in enumerate(view.offers[0]):
            for fact in needed:
                if chance := self._chance(fact, offer):
                    losses[k] -= worth * chance
        common = lcm(*(loss.denominator for loss in losses))  # integers are compared sooner
        keys = [loss.numerator * (common // loss.denominator) for loss in losses]
        order = sorted(range(len(losses)), key=keys.__getitem__)
        return [view.offers[0][k].name for k in order[:most]]

    def gains(self, view: ToInspect) -> tuple[Sequence[Shown], list[list[Fraction]], Fraction]:
        """Return the offers, the probabilities that they state what is needed, and its worth."""
        offers = view.offers[0]
        needed, worth = self._needed(view)
        return offers, [[self._chance(fact, offer) for fact in needed] for offer in offers], worth

    def _needed(self, view: ToInspect) -> tuple[list[Statement], Fraction]:
        """Return what is needed, not known yet, and can be told to be so; and its worth."""
        question = self.corpus.find(view.question.text)
        if question is None:
            return [], Fraction(0)
        known = self.corpus.states(*texts_of(view.bought))
        excerpts = (each.content for each in view.offers[0])
        texts = (each.text or "" for each in excerpts if isinstance(each, Excerpt))
        seen = self.corpus.states(*texts)
        needed: list[Statement] = []
        for fact in self.corpus.needs(question):
            if fact not in known:
                needed.append(fact)
                if fact not in seen:  # what comes after it is not known by name
                    break
        return needed, Fraction(question.worth)

    def _chance(self, fact: Statement, offer: Shown) -> Fraction:
        """Return with which probability an offer states a fact."""
        excerpt = offer.content
        if not isinstance(excerpt, Excerpt):
            return Fraction(0)
        if excerpt.text is not None:
            return Fraction(1) if fact in self.corpus.states(excerpt.text) else Fraction(0)
        promised = fact in self.corpus.promises(excerpt.title)
        return 1 - self.corpus.title_error if promised else Fraction(0)


def best_purchase(
    offers: Sequence[Shown],
    chances: Sequence[Sequence[Fraction]],
    worth: Fraction,
    budget: Any = None,
) -> tuple[Shown, ...]:
    """Return the set of offers of the greatest expected worth after prices, within a budget.

    Offer k states fact j with probability ``chances[k][j]``, independently of the others, and each
    fact that is stated is worth ``worth``, once; see :func:`theory.purchases.best_set`.

    Raises
    ------
    LimitError
        Where it takes more than 200,000 steps to compare what could be bought.
    """
    prices = [offer.price for offer in offers]
    facts = max(map(len, chances), default=0)
    found = best_set(prices, chances, [worth] * facts, budget, max_steps=MAX_STEPS)
    return tuple(offers[place] for place in found.chosen)


def _affordable_sets(
    offers: Sequence[Shown], budget: Any
) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Yield the places of the sets that can be paid, the smallest first, with their costs."""
    if len(offers) > MAX_OFFERS:
        problem, fix = "are too many to compare all sets of", "let fewer be chosen from"
        raise LimitError("offers", len(offers), problem, fix)
    prices = [Fraction(offer.price) for offer in offers]
    for size in range(len(offers) + 1):
        for places in combinations(range(len(offers)), size):
            cost = sum((prices[k] for k in places), Fraction(0))
            if budget is None or cost <= budget:
                yield places, cost


@dataclass
class KeywordBuyer(FactBuyer):
    """Buys in the order of the scores, whatever is on offer (bazaar, appendix C).

    Attributes
    ----------
    corpus : Corpus
    name : str
    stops : bool
        Whether it stops at the first passage that it cannot pay, as the authors' program does;
        otherwise it passes over it, and spends until nothing fits.
    """

    stops: bool = False

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        """Return what can be paid, the best score first."""
        left = inf if view.budget is None else view.budget
        chosen: list[Shown] = []
        for offer in view.offers[0]:
            if offer.price <= left:
                chosen.append(offer)
                left -= offer.price
            elif self.stops:
                break
        return chosen


@dataclass
class OneByOneBuyer(FactBuyer):
    """Gives each passage a verdict of its own, as if there were no other (bazaar, section 3).

    It buys each that is worth more by itself than its price, as long as there is money.

    Attributes
    ----------
    corpus : Corpus
    name : str
    """

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        """Return each that is worth its price by itself."""
        ideal = IdealBuyer(self.corpus, self.name)
        chosen: list[Shown] = []
        left = view.budget
        for offer in view.offers[0]:
            alone = ToInspect(view.question, ((offer,),), view.bought, left)
            if ideal.choose(alone):
                chosen.append(offer)
                left = None if left is None else left - offer.price
        return chosen


@dataclass
class LogitBuyer(IdealBuyer):
    """Buys each set with a probability that grows with its gain: as ``exp(gain / scale)``.

    The gain of a set that can be paid is its expected worth less its price, as the ideal buyer
    reckons it.

    Attributes
    ----------
    corpus : Corpus
    name : str
    scale : float
        In money; the smaller, the nearer to the ideal buyer.
    draw : callable
        Returns a number from [0, 1), such as ``numpy.random.default_rng(0).random``.
    """

    scale: float = 1.0
    draw: Callable[[], float] = field(default_factory=lambda: np.random.default_rng(0).random)

    def __post_init__(self) -> None:
        self.scale = read_positive("scale", self.scale)

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        """Return a set that is drawn."""
        sets, law = self.law(view)
        place = int(np.searchsorted(np.cumsum(law), self.draw() * sum(law), side="right"))
        return sets[min(place, len(sets) - 1)]

    def law(self, view: ToInspect) -> tuple[list[tuple[Shown, ...]], list[float]]:
        """Return all sets that can be paid, the smallest first, and their probabilities."""
        offers, chances, worth = self.gains(view)
        sets: list[tuple[Shown, ...]] = []
        gains: list[float] = []
        for places, cost in _affordable_sets(offers, view.budget):
            facts = zip(*(chances[k] for k in places), strict=True)
            stated = sum(1 - prod(1 - chance for chance in fact) for fact in facts)
            sets.append(tuple(offers[k] for k in places))
            gains.append(float(worth * stated - cost))
        best = max(gains)
        weights = [exp((gain - best) / self.scale) for gain in gains]
        total = sum(weights)
        return sets, [weight / total for weight in weights]
