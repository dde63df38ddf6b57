"""Counting which word follows which, in texts that are weighed afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Final

import numpy as np

from mechanisms.language_models._chain import END, Chain, Graph
from theory.errors import InvalidInputError, LimitError

__all__ = ["MOST_WORDS", "Counting", "read_texts"]

MOST_WORDS: Final = 1_000_000
"""The most words that a model is trained on."""

_STOPS: Final = (".", "!", "?")
Context = tuple[str, ...]
_START: Final[Context] = ()
_FRESH: Final[Context] = ("",)
"""After a sentence: nothing of it is remembered but that there was one."""


class Counting:
    """A graph that grows with each text that is counted.

    The context of a word is what the last ``order`` - 1 words of its sentence are, and whose words
    they are; at the start of a reply it is empty, and after a sentence it is that there was one.
    Each count is kept apart by the text that it belongs to, so that texts can be weighed later.
    """

    def __init__(self, order: int, longest: int) -> None:
        self._order = order
        self._longest = longest
        self._words: dict[str, int] = {}
        self._states: dict[Context, int] = {_START: 0}
        self._rows: list[dict[int, tuple[int, Counter[int]]]] = [{}]

    def add(self, words: Sequence[str], text: int) -> None:
        """Count a whole reply, its end included, for text number ``text``."""
        state = self._follow(words, text, _START, "")
        self._count(state, END, 0, text)

    def insert(self, words: Sequence[str], text: int, whose: str) -> None:
        """Count a sentence that may be the first of a reply, or come after any other.

        Its words lead to states of their own, by whose they are, up to the end of the sentence.
        """
        self._follow(words, text, _START, whose)
        self._follow(words, text, _FRESH, whose)

    def _follow(self, words: Sequence[str], text: int, context: Context, whose: str) -> int:
        state = self._state(context)
        for word in words:
            number = self._words.setdefault(word, len(self._words))
            context = self._advance(context, word, whose)
            state = self._count(state, number, self._state(context), text)
        return state

    def _state(self, context: Context) -> int:
        state = self._states.setdefault(context, len(self._states))
        if state == len(self._rows):
            self._rows.append({})
        return state

    def _advance(self, context: Context, word: str, whose: str) -> Context:
        if self._order == 1:
            return _START
        if word.endswith(_STOPS):
            return _FRESH
        return (whose, *(*context[1:], word)[-(self._order - 1) :])

    def _count(self, state: int, word: int, after: int, text: int) -> int:
        """Count a word, and return where it leads: where it led when it was first counted here."""
        after, counts = self._rows[state].setdefault(word, (after, Counter()))
        counts[text] += 1
        return after

    def graph(self) -> Graph:
        """Return the graph of all that was counted."""
        edges = [(word, after) for row in self._rows for word, (after, _) in row.items()]
        return Graph(
            words=tuple(self._words),
            first=np.cumsum([0, *map(len, self._rows)], dtype=np.int64),
            word=np.array([word for word, _ in edges], dtype=np.int64),
            after=np.array([after for _, after in edges], dtype=np.int64),
            longest=self._longest,
        )

    def chain(self, graph: Graph, weights: Sequence[Fraction]) -> Chain:
        """Return the chain in which a word of each text counts as much as the text weighs."""
        scale = lcm(*(weight.denominator for weight in weights))
        whole = [int(weight * scale) for weight in weights]
        counts = [
            sum(whole[text] * count for text, count in seen.items())
            for row in self._rows
            for _, seen in row.values()
        ]
        return Chain.of_counts(graph, counts)


def read_texts(argument: str, texts: Any) -> list[list[str]]:
    """Return the words of each text: what stands between white space.

    Raises
    ------
    InvalidInputError
        Where these are no texts, none at all, or one is blank.
    LimitError
        Where they have more than a million words together.
    """
    fix = "give a list of texts, each with at least one word"
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise InvalidInputError(argument, texts, "are no texts", fix)
    found = []
    for text in texts:
        words = text.split() if isinstance(text, str) else []
        if not words:
            raise InvalidInputError(argument, text, "is not text, or blank", fix)
        found.append(words)
    if not found:
        raise InvalidInputError(argument, texts, "are none", fix)
    total = sum(map(len, found))
    if total > MOST_WORDS:
        problem = f"have {total:,} words; at most {MOST_WORDS:,} are counted"
        raise LimitError(argument, total, problem, "give fewer")
    return found
