"""Counting which word follows which, for several bodies of text over one graph."""

from __future__ import annotations

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
Context = tuple[str | None, ...]
_FRESH: Final[Context] = (None,)
"""The context after a sentence: nothing of it is remembered but that there was one."""


class Counting:
    """A graph that grows with each text that is counted.

    The context of a word is what the last ``order`` - 1 words of its sentence are; at the start of
    a reply it is empty, and after a sentence it is that there was one.
    """

    def __init__(self, order: int, longest: int, groups: int) -> None:
        self._order = order
        self._longest = longest
        self._groups = groups
        self._words: dict[str, int] = {}
        self._contexts: dict[Context, int] = {(): 0}
        self._rows: list[dict[int, tuple[int, list[int]]]] = [{}]

    def add(self, words: Sequence[str], group: int, *, later: bool = False) -> None:
        """Count a text, its end included.

        Parameters
        ----------
        words : sequence of str
        group : int
            The body of text to which it belongs.
        later : bool
            Instead count it, up to where it ends, both as the start of a reply and as what comes
            after a sentence: something that may be put in anywhere.
        """
        for start in ((), _FRESH) if later and self._order > 1 else ((),):
            context: Context = start
            state = self._contexts.setdefault(context, len(self._contexts))
            self._room()
            for word in words:
                number = self._words.setdefault(word, len(self._words))
                context = self._next(context, word)
                following = self._contexts.setdefault(context, len(self._contexts))
                self._room()
                self._count(state, number, following, group)
                state = following
            if not later:
                self._count(state, END, 0, group)

    def _room(self) -> None:
        if len(self._rows) < len(self._contexts):
            self._rows.append({})

    def _next(self, context: Context, word: str) -> Context:
        if self._order == 1:
            return ()
        if word.endswith(_STOPS):
            return _FRESH
        kept = () if context == _FRESH else context
        return (*kept, word)[-(self._order - 1) :]

    def _count(self, state: int, word: int, after: int, group: int) -> None:
        _, counts = self._rows[state].setdefault(word, (after, [0] * self._groups))
        counts[group] += 1

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
        """Return the chain in which a word of each body of text counts as much as its weight."""
        scale = lcm(*(weight.denominator for weight in weights))
        whole = [int(weight * scale) for weight in weights]
        counts = [
            sum(weight * count for weight, count in zip(whole, seen, strict=True))
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
            raise InvalidInputError(argument, text, "is no text, or blank", fix)
        found.append(words)
    if not found:
        raise InvalidInputError(argument, texts, "are none", fix)
    total = sum(map(len, found))
    if total > MOST_WORDS:
        problem = f"have {total:,} words; at most {MOST_WORDS:,} are counted"
        raise LimitError(argument, total, problem, "give fewer")
    return found
