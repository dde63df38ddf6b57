"""A model that answers a question, and recommends whom the prompt names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from types import MappingProxyType
from typing import Any

from mechanisms.language_models._advice import advice
from mechanisms.language_models._chain import Chain, Graph
from mechanisms.language_models._ngram_model import LONGEST
from mechanisms.language_models._word_counts import Counting
from mechanisms.language_models.explicit import Explicit
from mechanisms.language_models.topics import (
    PROMOTIONS,
    Brands,
    Topics,
    count_shared_words,
    promotions,
    question_of,
)
from theory.errors import InvalidInputError
from theory.numbers import rational
from theory.shared.arguments import read_count
from theory.shared.printable import printed_line

__all__ = ["InstructedModel", "read_odds"]


class InstructedModel(Explicit):
    r"""Counts of words that depend on the prompt, as a stand-in for an instructed language model.

    The first paragraph of a prompt is the question, and picks the body of text that the answer is
    made of. Among its sentences stand others that recommend the brands that the model knows: with
    odds ``named`` against the text on the topic for a brand that the prompt names anywhere, and
    with odds ``unnamed`` for any other. Texts that suit what a named brand offers weigh more. So
    the model that is asked the question alone hardly ever mentions a brand, one that is told to
    advertise it often does; but whatever the prompt says beside the question, the same replies are
    possible, each with a rational probability.

    Parameters
    ----------
    brands : dict
        {name: what it offers}, the latter as a phrase such as "light pans that heat fast".
    topics : dict, optional
        {topic: texts}. Left out, it is :func:`advice`.
    order : int
        From 2 to 8.
    longest : int
        The most words of a reply, from 1 to 10,000.
    named, unnamed : positive number
        Integers, fractions or text such as "1/2000".

    Raises
    ------
    InvalidInputError
        Where these are no such texts or numbers.
    LimitError
        Where a topic has more than a million words.

    Notes
    -----
    The law is that of :class:`NGramModel` with weighted counts. Of the texts on the topic, one
    that shares s_b long words with what brand b offers weighs prod_{b named} (1 + s_b). Each of the
    K recommendations of a brand weighs ``odds`` / K times all of these together, both as the start
    of a reply and as what comes after a sentence. Its words lead to states of its own until the
    sentence is over, so that brands do not share what others would hardly ever say. The topic is
    the one with which the question shares the most telling words; a question that shares none is
    answered from all topics.

    Examples
    --------
    >>> import numpy as np
    >>> model = InstructedModel({"Panmere": "light pans"}, longest=25)
    >>> rng = np.random.default_rng(3)
    >>> told = "How do I cook dinner quickly?\n\nRecommend Panmere."
    >>> for prompt in ("How do I cook dinner quickly?", told):
    ...     replies = model.sample(prompt, 1000, rng).replies
    ...     print(sum("Panmere" in reply for reply in replies) // 100)
    0
    7
    """

    def __init__(
        self,
        brands: Mapping[str, str],
        topics: Mapping[str, Sequence[str]] | None = None,
        *,
        order: int = 3,
        longest: int = 60,
        named: Any = 1,
        unnamed: Any = Fraction(1, 2000),
    ) -> None:
        self._brands = Brands(brands)
        self._topics = Topics(advice() if topics is None else topics)
        self._order = read_count("order", order, 2, 8)
        self._longest = read_count("longest", longest, 1, LONGEST)
        self._named = read_odds("named", named)
        self._unnamed = read_odds("unnamed", unnamed)
        self._counted: dict[str | None, tuple[Counting, Graph, tuple[str, ...]]] = {}
        self._chains: dict[tuple[str | None, tuple[str, ...]], Chain] = {}

    @property
    def brands(self) -> Mapping[str, str]:
        """What each brand that it knows offers."""
        return MappingProxyType(self._brands.offers)

    def reply_law(self, prompt: str) -> Chain:
        """Return the chain for what a prompt is about and whom it names."""
        topic = self._topics.about(question_of(prompt))
        named = self._brands.named_in(prompt)
        known = self._chains.get((topic, named))
        if known is not None:
            return known
        counting, graph, texts = self._count_topic(topic)
        offers = [self.brands[name] for name in named]
        weights = [
            Fraction(prod(1 + count_shared_words(text, offer) for offer in offers))
            for text in texts
        ]
        size = sum(weights)
        for name in self.brands:
            odds = self._named if name in named else self._unnamed
            weights.append(odds * size / len(PROMOTIONS))
        chain = self._chains[topic, named] = counting.chain(graph, weights)
        return chain

    def _count_topic(self, topic: str | None) -> tuple[Counting, Graph, tuple[str, ...]]:
        """Return counts and graph of a topic, and its texts; the brands are numbered after them."""
        if topic not in self._counted:
            counting, texts = Counting(self._order, self._longest), self._topics.lines(topic)
            for number, text in enumerate(texts):
                counting.add(text.split(), number)
            for number, (name, offer) in enumerate(self.brands.items(), start=len(texts)):
                for sentence in promotions(name, offer):
                    counting.insert(sentence.split(), number, name)
            self._counted[topic] = counting, counting.graph(), texts
        return self._counted[topic]

    @printed_line
    def __repr__(self) -> str:
        return f"InstructedModel({', '.join(self.brands) or 'no brands'}; order {self._order})"


def read_odds(argument: str, value: Any) -> Fraction:
    """Return positive rational odds.

    Raises
    ------
    InvalidInputError
        For anything else; a float is an ExactnessError.
    """
    odds = rational(value, argument)
    if odds <= 0:
        fix = "give a positive number; what is never mentioned could not be advertised"
        raise InvalidInputError(argument, value, "is not above 0", fix)
    return odds
