"""The same as a table: so few replies that everything can be listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from types import MappingProxyType
from typing import Any

from mechanisms.language_models._advice import advice
from mechanisms.language_models._instructed_model import read_odds
from mechanisms.language_models._listed_law import ListedLaw
from mechanisms.language_models._odds import Odds
from mechanisms.language_models.explicit import LISTED_LIMIT, Explicit
from mechanisms.language_models.topics import (
    Brands,
    Topics,
    count_shared_words,
    promotions,
    question_of,
)
from theory.errors import LimitError
from theory.shared.arguments import read_count
from theory.shared.printable import printed_line

__all__ = ["InstructedTable"]


class InstructedTable(Explicit):
    """A few answers to each question, each with every choice of brands recommended after it.

    A reply is one of the ``answers`` texts on the topic of the question that are most like it,
    followed by a recommendation for each brand of a set S. Its probability is in proportion to

        (1 + s) prod_{b named} (1 + s_b) prod_{b in S} o_b,

    where s is how many long words the text shares with the question, s_b with what brand b offers,
    and o_b is ``named`` for a brand that the prompt names, ``unnamed`` for any other. All
    probabilities are rational, and the same replies are possible whatever the prompt says beside
    the question.

    Parameters
    ----------
    brands : dict
        {name: what it offers}.
    topics : dict, optional
        {topic: texts}. Left out, it is :func:`advice`.
    answers : int
        How many texts, at least 1; fewer where a topic has fewer different ones.
    named, unnamed : positive number
        Odds that a brand is recommended: integers, fractions or text such as "1/2000".

    Raises
    ------
    InvalidInputError
        Where these are no such texts or numbers.
    LimitError
        Where there would be more than 100,000 replies.

    Examples
    --------
    >>> model = InstructedTable({"Panmere": "light pans"}, answers=1, unnamed="1/9")
    >>> for reply, probability in model.law("How do I cook dinner quickly?").items():
    ...     print(probability, reply)
    9/10 Cook a large pot of rice on Sunday, and dinner after work takes ten minutes. ...
    1/10 Cook a large pot of rice on Sunday, and dinner after work takes ten minutes. ...
    """

    def __init__(
        self,
        brands: Mapping[str, str],
        topics: Mapping[str, Sequence[str]] | None = None,
        *,
        answers: int = 6,
        named: Any = 4,
        unnamed: Any = Fraction(1, 2000),
    ) -> None:
        self._brands = Brands(brands)
        self._topics = Topics(advice() if topics is None else topics)
        self._answers = read_count("answers", answers, 1, LISTED_LIMIT)
        self._named = read_odds("named", named)
        self._unnamed = read_odds("unnamed", unnamed)
        self._laws: dict[tuple[str, tuple[str, ...]], ListedLaw] = {}
        if len(self.brands) > 64 or answers * 2 ** len(self.brands) > LISTED_LIMIT:
            problem = f"make more than {LISTED_LIMIT:,} replies with {answers} answers"
            raise LimitError("brands", len(self.brands), problem, "give fewer")

    @property
    def brands(self) -> Mapping[str, str]:
        """What each brand that it knows offers."""
        return MappingProxyType(self._brands.offers)

    def reply_law(self, prompt: str) -> ListedLaw:
        """Return the list for a question and whom the prompt names."""
        question, named = question_of(prompt), self._brands.named_in(prompt)
        known = self._laws.get((question, named))
        if known is None:
            known = self._laws[question, named] = self._list_law(question, named)
        return known

    def _list_law(self, question: str, named: tuple[str, ...]) -> ListedLaw:
        lines = dict.fromkeys(self._topics.lines(self._topics.about(question)))
        texts = sorted(lines, key=lambda line: -count_shared_words(line, question))[: self._answers]
        weights: dict[str, Fraction] = {}
        for number, text in enumerate(texts):
            fitting = prod(1 + count_shared_words(text, self.brands[name]) for name in named)
            weight = Fraction((1 + count_shared_words(text, question)) * fitting)
            for chosen in product((False, True), repeat=len(self.brands)):
                reply, odds = [text], weight
                for recommended, (name, offer) in zip(chosen, self.brands.items(), strict=True):
                    if recommended:
                        sentences = promotions(name, offer)
                        reply.append(sentences[number % len(sentences)])
                        odds *= self._named if name in named else self._unnamed
                weights[" ".join(reply)] = weights.get(" ".join(reply), Fraction(0)) + odds
        return ListedLaw(tuple(weights), Odds.of_weights("law", list(weights.values())))

    @printed_line
    def __repr__(self) -> str:
        return f"InstructedTable({', '.join(self.brands) or 'no brands'}; {self._answers} answers)"
